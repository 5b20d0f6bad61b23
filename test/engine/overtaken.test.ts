import { describe, expect, it, onTestFinished } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { renderSaid } from '../../src/model/said.ts';
import type { RunRow } from '../../src/model/state/run-rows.ts';
import type { PullSummary, PushSummary, Run } from '../../src/model/state/store.ts';
import { outcomeCounts } from '../../src/plan/counts.ts';
import {
  leaveOvertaken,
  newestLeft,
  overtakenMappings,
  replacedRuns,
  writtenSince,
} from '../../src/sync/runs/superseded.ts';
import { countPlan } from '../../src/sync/plan/plan-mapping.ts';
import { planPrune } from '../../src/sync/prune.ts';
import type { PlannedPush } from '../../src/sync/ports.ts';
import { pushMapping, runRow } from '../support/builders.ts';
import { makeEngine, type Engine } from '../support/engine.ts';
import { ACCOUNT, intentOf, startedRun } from '../support/writes.ts';

const users = pushMapping();
const prices = pushMapping({ name: 'prices', resource: 'prices', operation: 'append' });
const deactivating = pushMapping({ missingRows: 'deactivate' });
const otherAccount = { ...ACCOUNT, accountId: 'b' };

const runOn = (id: string, mappings: readonly PushMapping[], changes: Partial<Run> = {}): Run =>
  startedRun(id, { mappings: JSON.stringify({ mappings }), ...changes });

/** Rows of a kind, from row 2 on. */
const rowsOf = (counts: Partial<Record<'create' | 'update' | 'unchanged', number>>): readonly RunRow[] =>
  Object.entries(counts)
    .flatMap(([kind, count]) => Array.from({ length: count }, () => kind as keyof typeof counts))
    .map((change, at) =>
      runRow(at + 2, {}, { change, outcome: change === 'unchanged' ? 'unchanged' : null }),
    );

interface Left {
  readonly mapping: PushMapping;
  readonly rows: readonly RunRow[];
  readonly writes: number;
  readonly deactivated?: number;
}

const COUNTS = { sent: 0, reads: 0, writes: 0, throttled: 0, waited_ms: 0 };
const FORECAST = { pauses: [], finishesAtMs: 0, requests: 0, fits: 0, fittingRows: 0 };

/** What is left of a run called `OLD`, which these later ones follow, oldest first; it may be too old to be among those that are looked at. */
async function planned(left: readonly Left[], later: readonly Run[], isAmongThem = true) {
  const engine = await makeEngine();
  const old = runOn(
    'OLD',
    left.map(({ mapping }) => mapping),
  );
  for (const run of isAmongThem ? [old, ...later] : later) await engine.store.addRun(run);
  const rows = await engine.store.openRunRows(null);
  onTestFinished(() => rows.remove());
  const mappings: PlannedPush['mappings'][number][] = [];
  for (const { mapping, rows: given, writes, deactivated = 0 } of left) {
    await rows.add(mapping.name, given);
    const gone = Array.from({ length: deactivated }, (_, at) => runRow(at + 1, {}, { change: 'update' }));
    await rows.add(`${mapping.name} (missing)`, gone);
    mappings.push({
      ...(await countPlan(mapping, rows)),
      writes,
      reads: 0,
      worst: { writes, reads: 0 },
      comparedWith: 'nothing to compare',
      fromMemory: false,
      used: undefined,
      overQuota: 0,
      deactivated,
      missing: gone.map(({ key }) => key ?? ''),
    });
  }
  const plan: PlannedPush = {
    account: ACCOUNT,
    rows,
    mappings,
    stops: [],
    requests: { ...COUNTS, planned: 100 },
    forecast: { ...FORECAST, limitedBy: undefined, finishByMs: undefined, atTheLatest: false },
    exitCode: 0,
    changes: () => (async function* () {})(),
  };
  const leave = (...allowGuards: readonly string[]) => leaveOvertaken(engine.ports, old, plan, allowGuards);
  const told = async (name: string): Promise<readonly string[]> =>
    (await rows.page(name, { afterRow: 0, limit: 100 })).map(({ outcome, said }) =>
      `${outcome ?? 'open'} ${renderSaid(said)}`.trim(),
    );
  return { engine, plan, leave, told };
}

const warnings = ({ events }: Engine): readonly string[] =>
  events.flatMap((event) => (event.kind === 'warning' ? [event.message] : []));

const NEW = runOn('NEW', [users, prices]);
const ANEW = 'deferred not sent: run NEW has read its table since; the next push reads the row again';

describe('what is left of a run whose table a later one has read', () => {
  it('is what it creates, with the requests of that', async () => {
    const rows = rowsOf({ create: 1, update: 2, unchanged: 1 });
    const { engine, leave, told } = await planned([{ mapping: users, rows, writes: 4 }], [NEW]);
    const left = await leave('max_change_pct');
    expect(await told('users')).toEqual(['open', ANEW, ANEW, 'unchanged']);
    expect(left.requests).toEqual({ ...COUNTS, planned: 98 });
    expect(left.mappings).toMatchObject([
      {
        writes: 2,
        toWrite: { create: 1, update: 0 },
        outcomes: { created: 1, updated: 0, unchanged: 1, deferred: 2 },
      },
    ]);
    expect(warnings(engine)).toEqual([
      'users: run NEW has pushed it since run OLD ended; 2 rows that would change records back are not sent, and push users reads the table as it is now',
    ]);
  });

  it('is without users that the table did not have then', async () => {
    const rows = rowsOf({ unchanged: 1 });
    const { engine, leave, told } = await planned(
      [{ mapping: deactivating, rows, writes: 1, deactivated: 1 }],
      [NEW],
    );
    const left = await leave();
    expect(await told('users (missing)')).toEqual([ANEW]);
    expect(left.mappings).toMatchObject([{ writes: 0, deactivated: 0, missing: [] }]);
    expect(left.requests.planned).toBe(99);
    expect(warnings(engine)[0]).toContain('; 1 row that would change a record back is not sent, and');
  });

  it('counts changes and users that are missing together', async () => {
    const rows = rowsOf({ create: 1, update: 2 });
    const { engine, leave } = await planned(
      [{ mapping: deactivating, rows, writes: 9, deactivated: 2 }],
      [NEW],
    );
    const left = await leave();
    expect(left.mappings).toMatchObject([{ writes: 5 }]);
    expect(warnings(engine)[0]).toContain('; 4 rows that would change records back are not sent');
  });

  it.each([
    // A create may take its flag's request too, so that more are left than rows.
    [users, { create: 1, update: 2 }, 5, 3],
    [users, { create: 1, update: 2 }, 1, 0],
    [users, { update: 2 }, 5, 0],
    // Those that share a batch with creates leave it as it is.
    [prices, { create: 2, update: 3 }, 1, 1],
    [prices, { create: 2, update: 3 }, 4, 2],
    [prices, { update: 3 }, 4, 0],
  ] as const)('of %o with %o and %d requests takes %d', async (mapping, counts, writes, expected) => {
    const { leave } = await planned([{ mapping, rows: rowsOf(counts), writes }], [NEW]);
    const left = await leave();
    expect(left.mappings.map((plan) => plan.writes)).toEqual([expected]);
    expect(left.requests.planned).toBe(100 - writes + expected);
  });

  it('is told of each mapping, and saves the requests of all', async () => {
    const { engine, leave } = await planned(
      [
        { mapping: users, rows: rowsOf({ update: 2 }), writes: 2 },
        { mapping: prices, rows: rowsOf({ update: 3 }), writes: 1 },
      ],
      [NEW],
    );
    const left = await leave();
    expect(left.requests.planned).toBe(97);
    expect(warnings(engine)).toHaveLength(2);
  });
});

describe('a run goes on whole', () => {
  it.each<readonly [string, readonly Run[]]>([
    ['no later run', []],
    ['a run that did not get past its plan', [runOn('X', [users], { phase: 'planning' })]],
    ['a run that a guard stopped', [runOn('X', [users], { exitCode: 6 })]],
    ['a retry', [runOn('X', [users], { command: 'retry' })]],
    ['a run of another mapping', [runOn('X', [prices])]],
    ['a run of another account', [runOn('X', [users], { account: otherAccount })]],
    ['an earlier run', [runOn('X', [users], { startedAtMs: -1 })]],
  ])('after %s', async (_what, later) => {
    const { engine, plan, leave, told } = await planned(
      [{ mapping: users, rows: rowsOf({ update: 1 }), writes: 1 }],
      later,
    );
    const left = await leave();
    expect(left).toEqual(plan);
    expect(await told('users')).toEqual(['open']);
    expect(warnings(engine)).toEqual([]);
  });

  it('where newer runs are allowed', async () => {
    const { plan, leave, told } = await planned(
      [{ mapping: users, rows: rowsOf({ update: 1 }), writes: 1 }],
      [NEW],
    );
    expect(await leave('newer_run')).toEqual(plan);
    expect(await told('users')).toEqual(['open']);
  });

  it('where it only creates, or its changes are done', async () => {
    const done = runRow(9, {}, { change: 'update', outcome: 'updated' });
    const { engine, plan, leave } = await planned(
      [{ mapping: users, rows: [...rowsOf({ create: 1 }), done], writes: 1 }],
      [NEW],
    );
    expect(await leave()).toEqual(plan);
    expect(warnings(engine)).toEqual([]);
  });
});

it('a run that is older than all that are looked at is overtaken by any of them', async () => {
  const left = [{ mapping: users, rows: rowsOf({ update: 1 }), writes: 1 }];
  const { leave, told } = await planned(left, [NEW], false);
  await leave();
  expect(await told('users')).toEqual([ANEW]);
});

it('of several later runs the newest is named, whatever it came to', async () => {
  const { engine, leave } = await planned(
    [{ mapping: users, rows: rowsOf({ update: 1 }), writes: 1 }],
    [NEW, runOn('NEWEST', [users], { exitCode: 7, startedAtMs: 5 })],
  );
  await leave();
  expect(warnings(engine)[0]).toContain('users: run NEWEST has pushed it since run OLD ended');
});

it('the mappings of a run are overtaken one by one, by runs of its account', () => {
  const run = runOn('OLD', [users, prices]);
  expect(overtakenMappings(run, [])).toEqual([]);
  expect(
    overtakenMappings(run, [runOn('A', [users]), runOn('B', [prices], { account: otherAccount })]),
  ).toEqual(['users']);
  expect(overtakenMappings(run, [runOn('A', [prices]), runOn('B', [users])])).toEqual(['users', 'prices']);
});

describe('the run that is left to go on with', () => {
  /** Oldest first. */
  async function left(...runs: readonly Run[]): Promise<string | undefined> {
    const { store } = await makeEngine();
    for (const [at, run] of runs.entries()) await store.addRun({ ...run, startedAtMs: at });
    return (await newestLeft(store, ACCOUNT))?.id;
  }
  const finished = { finished: true };

  it('is none where all are finished, or are of another account', async () => {
    expect(await left()).toBeUndefined();
    expect(
      await left(runOn('A', [users], finished), runOn('B', [users], { account: otherAccount })),
    ).toBeUndefined();
  });

  it('is the newest with a mapping that no later run has read', async () => {
    expect(await left(runOn('A', [users]), runOn('B', [prices]))).toBe('B');
    expect(await left(runOn('A', [prices]), runOn('B', [users]), runOn('C', [users], finished))).toBe('A');
    expect(await left(runOn('A', [prices]), runOn('B', [users, prices]), runOn('C', [users], finished))).toBe(
      'B',
    );
    expect(await left(runOn('A', [users]), runOn('B', [users], { account: otherAccount }))).toBe('A');
    expect(
      await left(
        runOn('A', [prices]),
        runOn('B', [users]),
        runOn('C', [users], finished),
        runOn('D', [users], { account: otherAccount }),
      ),
    ).toBe('A');
  });

  it('is the newest of those that are overtaken, where all are', async () => {
    expect(await left(runOn('A', [users]), runOn('B', [users]), runOn('C', [users], finished))).toBe('B');
  });
});

const summary = (name: string, counts: Partial<PushSummary> = {}): PushSummary => ({
  ...outcomeCounts(new Map()),
  ...{ name, resource: 'users', direction: 'push', deactivated: 0, results: `${name}.csv`, ...counts },
});

describe('the mappings of a run whose results a later one has written', () => {
  const pulled: PullSummary = {
    ...{ name: 'report', resource: 'users', direction: 'pull', records: 1, rows: 1 },
    destination: 'report.csv',
  };
  /** Oldest first. */
  async function since(run: Run, ...runs: readonly Run[]): Promise<readonly string[]> {
    const { store } = await makeEngine();
    for (const [at, each] of runs.entries()) await store.addRun({ ...each, startedAtMs: at });
    return [...(await writtenSince(store, run))];
  }
  const old = runOn('OLD', [users, prices], { phase: 'ended' });
  const written = (id: string, ...summaries: Run['summaries']): Run => runOn(id, [users], { summaries });

  it('are those of runs that began after it and have results', async () => {
    const before = written('BEFORE', summary('prices'));
    const after = written('AFTER', summary('users'), summary('points', { results: null }), pulled);
    expect(await since(old, before, old, after)).toEqual(['users']);
    expect(await since(old, before, after, old)).toEqual([]);
  });

  it('are none while it is only being planned: it has read its tables last', async () => {
    const planning = { ...old, phase: 'planning' } as const;
    expect(await since(planning, planning, written('AFTER', summary('users')))).toEqual([]);
  });
});

describe('an unfinished run is replaced', () => {
  const whole = (id: string, names: readonly PushMapping[], counts: Partial<PushSummary> = {}): Run =>
    runOn(id, names, {
      ...{ finished: true, phase: 'ended', exitCode: 0 },
      mappings: JSON.stringify({ mappings: names, options: {} }),
      summaries: names.map(({ name }) => summary(name, counts)),
    });
  const old = runOn('OLD', [users, prices], { phase: 'ended', exitCode: 143 });
  async function replaced(first: Run, later: readonly Run[], prepare?: (engine: Engine) => Promise<void>) {
    const engine = await makeEngine();
    for (const [at, each] of [first, ...later].entries())
      await engine.store.addRun({ ...each, startedAtMs: at });
    await prepare?.(engine);
    return Object.fromEntries(await replacedRuns(engine.store));
  }

  it('once later ones have read all of its tables and finished, the newest of each table', async () => {
    expect(await replaced(old, [whole('A', [users]), whole('B', [users, prices])])).toEqual({ OLD: ['B'] });
    expect(await replaced(old, [whole('A', [users]), whole('B', [prices])])).toEqual({ OLD: ['A', 'B'] });
  });

  it.each<readonly [string, Run, readonly Run[]]>([
    ['nothing follows it', old, []],
    ['one of its tables was not read', old, [whole('A', [users])]],
    ['a later one is unfinished too', old, [{ ...whole('A', [users, prices]), finished: false }]],
    ['a later one left rows', old, [whole('A', [users, prices], { deferred: 1 })]],
    ['a later one is unsure of rows', old, [whole('A', [users, prices], { conflict: 1 })]],
    ['a later one has read nothing', old, [whole('A', [users, prices], { results: null })]],
    [
      'a later one was to read the first rows alone',
      old,
      [
        {
          ...whole('A', [users, prices]),
          mappings: JSON.stringify({ mappings: [users, prices], options: { limit: 1 } }),
        },
      ],
    ],
    ['a later one only sent refused rows again', old, [{ ...whole('A', [users, prices]), command: 'retry' }]],
    ['a later one is of another account', old, [{ ...whole('A', [users, prices]), account: otherAccount }]],
    [
      'a row of it is unknown',
      { ...old, summaries: [summary('users', { unknown: 1 })] },
      [whole('A', [users, prices])],
    ],
    ['it has no mapping', startedRun('OLD', { command: 'api' }), [whole('A', [users])]],
  ])('not where %s', async (_what, first, later) => {
    expect(await replaced(first, later)).toEqual({});
  });

  it('and may be pruned when it is old, which one that is not finished may not', async () => {
    const engine = await makeEngine();
    for (const each of [old, runOn('LEFT', [prices]), whole('A', [users, prices]), runOn('NEW', [prices])])
      await engine.store.addRun({ ...each, startedAtMs: each.id === 'NEW' ? 1 : 0, endedAtMs: 1 });
    const { runs, needed } = await planPrune(engine.ports, { keep: 0, olderThanMs: 1 });
    expect(runs.map(({ id }) => id).toSorted()).toEqual(['A', 'LEFT', 'OLD']);
    expect(needed.map(({ id }) => id)).toEqual(['NEW']);
  });

  it('not while nobody knows what became of a write of it', async () => {
    const later = [whole('A', [users, prices])];
    const intent = intentOf('W', { runId: 'OLD' });
    expect(await replaced(old, later, ({ store }) => store.addIntent(ACCOUNT, intent))).toEqual({});
    expect(
      await replaced(old, later, async ({ store }) => {
        await store.addIntent(ACCOUNT, intent);
        await store.recordResult(ACCOUNT, 'W', 'applied', [], []);
      }),
    ).toEqual({ OLD: ['A'] });
  });
});
