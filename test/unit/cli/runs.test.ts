import { expect, it } from 'vitest';
import { renderRuns } from '../../../src/cli/render/runs.ts';
import type { PullSummary, Run } from '../../../src/model/state/store.ts';
import { plain } from '../../support/screen.ts';
import { startedRun } from '../../support/writes.ts';

const STARTED_MS = Date.UTC(2026, 10, 23, 9, 30, 5);
const NO_ROWS = {
  ...{ rows: 0, created: 0, updated: 0, unchanged: 0, invalid: 0, rejected: 0, excluded: 0, deferred: 0 },
  ...{ unknown: 0, conflict: 0, deactivated: 0, results: null },
};

const run = (id: string, changes: Partial<Run>): Run =>
  startedRun(id, {
    ...{ command: 'sync', startedAtMs: STARTED_MS, endedAtMs: STARTED_MS + 200_000 },
    ...{ exitCode: 0, phase: 'ended', finished: true },
    ...changes,
  });
const pushed = (name: string, counts: object): Run['summaries'][number] => ({
  ...NO_ROWS,
  ...{ name, resource: 'users', direction: 'push', ...counts },
});
const pulled = (name: string, records: number): PullSummary => ({
  ...{ name, resource: 'users', direction: 'pull', records, rows: records, destination: `out/${name}.csv` },
});

it('shows each run in a line of 80 columns, and below it the sums of what was written and fetched', () => {
  const failed = { code: 'pull.short', message: 'x'.repeat(500), exit_code: 8 } as const;
  const shown = renderRuns(
    [
      run('01J8Z000000000000000000002', {
        summaries: [
          pushed('users', { created: 26, unchanged: 1400 }),
          pushed('prices', { created: 4, rejected: 1 }),
          ...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => pulled(name, 1000)),
          { ...pulled('g', 0), error: failed },
        ],
      }),
      run('01J8Z000000000000000000001', { exitCode: 7, finished: false, summaries: [pushed('users', {})] }),
      run('01J8Z000000000000000000000', { endedAtMs: null, exitCode: null, finished: false }),
    ],
    'UTC',
    plain,
  );
  expect(shown.split('\n')).toEqual([
    'run                         command  started           took        exit',
    '01J8Z000000000000000000002  sync     2026-11-23 09:30  3 min 20 s  0',
    '  30 created, 1,400 unchanged, 1 rejected (users, prices)',
    '  6,000 records (a, b, c, d, 2 more), 1 report failed (g)',
    '01J8Z000000000000000000001  sync     2026-11-23 09:30  3 min 20 s  7, unfinished',
    '  no rows (users)',
    '01J8Z000000000000000000000  sync     2026-11-23 09:30  -           unfinished',
  ]);
});

it('says of an unfinished run that later ones have made up for that nothing is left of it', () => {
  const [old, older] = ['01J8Z000000000000000000001', '01J8Z000000000000000000000'];
  const left = { finished: false, summaries: [pushed('users', { deferred: 3 })] };
  const shown = renderRuns(
    [run(old, { ...left, exitCode: 143 }), run(older, { ...left, exitCode: null, summaries: [] })],
    'UTC',
    plain,
    new Map([
      [old, ['A']],
      [older, ['A', 'B']],
    ]),
  );
  expect(shown.split('\n').slice(1)).toEqual([
    `${old}  sync     2026-11-23 09:30  3 min 20 s  143, replaced`,
    '  3 deferred (users)',
    '  run A has read its tables since: nothing is left to resume',
    `${older}  sync     2026-11-23 09:30  3 min 20 s  replaced`,
    '  run A and B have read its tables since: nothing is left to resume',
  ]);
});

it('says of triggers that they went out: what came of them may be nothing', () => {
  const shown = renderRuns(
    [
      run('01J8Z000000000000000000001', {
        summaries: [
          pushed('users', { created: 26, unchanged: 3 }),
          pushed('weeks', { resource: 'auto_substitutions', rows: 3, created: 2, unchanged: 1 }),
        ],
      }),
    ],
    'UTC',
    plain,
  );
  expect(shown).toContain('  26 created, 2 triggered, 4 unchanged (users, weeks)');
});

it('calls a run that goes on now running, and one that was cut off unfinished', () => {
  const cut = { endedAtMs: null, exitCode: null, finished: false } as const;
  const shown = renderRuns(
    [run('01WORK', cut), run('01CUT', cut)],
    'UTC',
    plain,
    new Map(),
    new Set(['01WORK']),
  );
  expect(shown).toMatch(/01WORK .* running\n01CUT .* unfinished$/);
});
