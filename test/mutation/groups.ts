/** Sources that are mutated together, and the tests that have to notice it. */
export interface Group {
  readonly sources: readonly string[];
  readonly tests: readonly string[];
}

const inSync = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `test/unit/sync/${name}.test.ts`);

/** What decides whether a write goes out, what became of it, and when: a test that misses a change here would miss a second write. */
export const groups: Readonly<Record<string, Group>> = {
  answers: {
    sources: ['src/client/classify.ts', 'src/client/envelope.ts'],
    tests: ['test/unit/client/classify.test.ts', 'test/unit/client/envelope.test.ts'],
  },
  windows: {
    sources: [
      'src/client/rate-window.ts',
      'src/client/throttle.ts',
      'src/client/server-time.ts',
      'src/client/request-log.ts',
      'src/client/own-requests.ts',
    ],
    tests: [
      'test/unit/client/own-requests.test.ts',
      'test/unit/client/rate-window.test.ts',
      'test/unit/client/request-log.test.ts',
      'test/unit/client/server-time.test.ts',
      'test/unit/client/throttle.test.ts',
    ],
  },
  waits: {
    sources: ['src/model/budget.ts'],
    tests: ['test/unit/model/budget.test.ts', 'test/unit/model/window-length.test.ts'],
  },
  budget: {
    sources: ['src/client/budget.ts', 'src/client/ledger.ts'],
    tests: [
      'test/unit/client/budget.test.ts',
      'test/unit/client/key-budget.test.ts',
      'test/unit/client/ledger.test.ts',
    ],
  },
  forecast: {
    sources: ['src/client/forecast.ts', 'src/client/model-window.ts'],
    tests: ['test/unit/client/forecast.test.ts', 'test/unit/client/model-window.test.ts'],
  },
  plan: {
    sources: ['src/plan/diff.ts', 'src/plan/requests.ts', 'src/plan/listed.ts', 'src/plan/known-records.ts'],
    tests: [
      'test/unit/plan/diff.test.ts',
      'test/unit/plan/known-records.test.ts',
      'test/unit/plan/requests.test.ts',
    ],
  },
  reconciliation: {
    sources: [
      'src/sync/settle.ts',
      'src/sync/read-back.ts',
      'src/sync/whole-list.ts',
      'src/sync/evidence.ts',
      'src/sync/logs.ts',
      'src/sync/read-back-logs.ts',
      'src/sync/not-shown.ts',
    ],
    tests: inSync(
      'evidence',
      'logs',
      'not-shown',
      'read-back',
      'read-back-logs',
      'settle',
      'settle-writes',
      'whole-list',
    ),
  },
  spelling: {
    sources: ['src/model/spelling.ts', 'src/plan/fit-rows.ts'],
    tests: ['test/unit/plan/fit-rows.test.ts'],
  },
  past: {
    sources: ['src/sync/newer-run.ts', 'src/sync/old-memory.ts'],
    tests: inSync('overtaken', 'memory-check'),
  },
  sending: {
    sources: [
      'src/sync/push-batches.ts',
      'src/sync/push-changes.ts',
      'src/sync/push-writer.ts',
      'src/sync/open-writes.ts',
      'src/sync/wait-settled.ts',
      'src/sync/said-no.ts',
      'src/sync/over-quota.ts',
      'src/sync/leave-rest.ts',
      'src/sync/push-mapping.ts',
    ],
    tests: [
      ...inSync('said-no', 'over-quota', 'wait-settled', 'leave-rest', 'open-writes', 'read-back'),
      ...inSync('push-writer', 'push-changes', 'push-mapping', 'push-batches'),
    ],
  },
};
