/** Sources that are mutated together, and the tests that have to notice it. */
export interface Group {
  readonly sources: readonly string[];
  readonly tests: readonly string[];
  /** What part of the changes they have to notice, in percent, where it is more than LEAST_SCORE. */
  readonly least?: number;
}

export const LEAST_SCORE = 90;

const inEngine = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `test/engine/${name}.test.ts`);

/** What decides whether a write goes out, what became of it, and when: a test that misses a change here would miss a second write. */
export const groups: Readonly<Record<string, Group>> = {
  answers: {
    sources: ['src/client/classify.ts', 'src/client/envelope.ts'],
    tests: ['test/unit/client/classify.test.ts', 'test/unit/client/envelope.test.ts'],
    least: 96,
  },
  windows: {
    sources: [
      'src/client/budget/rate-window.ts',
      'src/client/budget/throttle.ts',
      'src/client/budget/server-time.ts',
      'src/client/budget/request-log.ts',
      'src/client/budget/own-requests.ts',
    ],
    tests: [
      'test/unit/client/budget/own-requests.test.ts',
      'test/unit/client/budget/rate-window.test.ts',
      'test/unit/client/budget/request-log.test.ts',
      'test/unit/client/budget/server-time.test.ts',
      'test/unit/client/budget/throttle.test.ts',
    ],
  },
  waits: {
    sources: ['src/model/budget.ts'],
    tests: ['test/unit/model/budget.test.ts'],
  },
  budget: {
    sources: ['src/client/budget/budget.ts', 'src/client/budget/ledger.ts'],
    tests: [
      'test/unit/client/budget/budget.test.ts',
      'test/unit/client/key-budget.test.ts',
      'test/unit/client/budget/ledger.test.ts',
      'test/property/shared-budget.test.ts',
    ],
  },
  forecast: {
    sources: ['src/client/budget/forecast.ts', 'src/client/budget/model-window.ts'],
    tests: ['test/unit/client/budget/forecast.test.ts', 'test/unit/client/budget/model-window.test.ts'],
  },
  plan: {
    sources: [
      'src/plan/diff.ts',
      'src/plan/intent-lifecycle.ts',
      'src/plan/requests.ts',
      'src/plan/row-lifecycle.ts',
      'src/plan/record-requests.ts',
      'src/plan/known-records.ts',
      'src/plan/resources/auto-substitutions.ts',
      'src/plan/resources/fantasy-leagues.ts',
      'src/plan/resources/mini-leagues.ts',
      'src/plan/resources/points-config.ts',
      'src/plan/resources/prices.ts',
      'src/plan/resources/squads.ts',
      'src/plan/resources/users.ts',
    ],
    tests: [
      'test/unit/plan/diff.test.ts',
      'test/unit/plan/known-records.test.ts',
      'test/unit/plan/record-requests.test.ts',
      'test/unit/plan/requests.test.ts',
      'test/unit/plan/resources/prices.test.ts',
      'test/unit/plan/row-lifecycle.test.ts',
    ],
  },
  leases: { sources: ['src/state/lease.ts'], tests: ['test/unit/state/lease.test.ts'] },
  reconciliation: {
    sources: [
      'src/plan/reconcile/evidence.ts',
      'src/plan/reconcile/intents.ts',
      'src/plan/reconcile/lost-rows.ts',
      'src/plan/reconcile/seen.ts',
      'src/plan/reconcile/reconciled-rows.ts',
      'src/sync/reconcile/writes.ts',
      'src/sync/reconcile/read-back.ts',
      'src/sync/evidence/full-list.ts',
      'src/sync/evidence/pre-image.ts',
      'src/sync/evidence/logs.ts',
      'src/sync/journal/unverified.ts',
      'src/sync/resources/auto-substitutions.ts',
      'src/sync/resources/fantasy-leagues.ts',
      'src/sync/resources/look-back.ts',
      'src/sync/resources/points-config.ts',
      'src/sync/resources/prices-memory.ts',
      'src/sync/resources/prices.ts',
    ],
    tests: [
      'test/unit/plan/reconcile/reconciled-rows.test.ts',
      'test/unit/sync/evidence/logs.test.ts',
      ...inEngine('pre-image', 'unverified', 'read-back', 'read-back-logs'),
      ...inEngine('settle', 'reconcile-writes', 'lost-rows', 'silent-sender', 'full-list', 'memory-check'),
      ...inEngine('shown-otherwise', 'spelling', 'no-memory'),
    ],
  },
  spelling: {
    sources: [
      'src/model/state/spelling.ts',
      'src/plan/reconcile/fit-rows.ts',
      'src/sync/rows/spelling.ts',
      'src/sync/compare/spelt-alike.ts',
    ],
    tests: [
      'test/unit/model/state/spelling.test.ts',
      'test/unit/plan/reconcile/fit-rows.test.ts',
      ...inEngine('spelling', 'spelt-alike'),
    ],
  },
  past: {
    sources: ['src/sync/runs/superseded.ts', 'src/sync/evidence/last-write.ts'],
    tests: inEngine('overtaken', 'memory-check'),
  },
  sending: {
    sources: [
      'src/sync/write/push-batches.ts',
      'src/sync/write/push-changes.ts',
      'src/sync/write/push-writer.ts',
      'src/sync/journal/open-writes.ts',
      'src/sync/journal/wait-settled.ts',
      'src/plan/reconcile/soft-refusal.ts',
      'src/plan/reconcile/refused-entries.ts',
      'src/plan/over-quota.ts',
      'src/sync/write/defer-rest.ts',
      'src/sync/write/push-mapping.ts',
    ],
    tests: [
      'test/unit/plan/reconcile/soft-refusal.test.ts',
      'test/unit/plan/reconcile/refused-entries.test.ts',
      'test/unit/plan/over-quota.test.ts',
      ...inEngine('wait-settled', 'defer-rest', 'open-writes', 'read-back'),
      ...inEngine('push-writer', 'push-changes', 'push-mapping', 'push-batches'),
      ...inEngine('held-keys', 'silent-sender', 'lost-rows', 'shown-otherwise', 'push', 'settle'),
      ...inEngine('deadline', 'spelling', 'spelt-alike', 'counter-witness'),
    ],
  },
  'known rows': {
    sources: [
      'src/plan/same-rows.ts',
      'src/sync/compare/known-count.ts',
      'src/sync/compare/last-comparison.ts',
      'src/sync/compare/marked-rows.ts',
    ],
    tests: [
      'test/unit/plan/same-rows.test.ts',
      'test/unit/sync/compare/known-count.test.ts',
      'test/unit/sync/compare/last-comparison.test.ts',
      ...inEngine('marked-rows'),
    ],
  },
};
