import { describe, expect, it } from 'vitest';
import { nextAfter } from '../../src/cli/render/report.ts';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { changedBy } from '../../src/model/changed-by.ts';
import { IncompleteError, InterruptedError, StoppedError, UnavailableError } from '../../src/model/error.ts';
import type { RunRows } from '../../src/model/state/run-rows.ts';
import type { Lock, PushSummary, Store } from '../../src/model/state/store.ts';
import { planPush } from '../../src/sync/plan/plan-sync.ts';
import { finish } from '../../src/sync/finish/end-run.ts';
import { push, type Approve, type PushResult } from '../../src/sync/push.ts';
import { resume } from '../../src/sync/resume.ts';
import { settingNames } from '../support/points.ts';
import { runRow } from '../support/run-row.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from '../support/engine.ts';
import { missingOf } from '../../src/plan/missing-mapping.ts';
import {
  approve,
  expectNoKeyTwice,
  mappingOn,
  outcomesIn,
  POINTS as points,
  PRICE_HEADER,
  priceTable,
  PRICES as prices,
  resultLines,
  setTable,
  USER_HEADER,
  userEngine,
  userTable,
} from '../support/push-case.ts';

const users = mappingOn('users.csv');

const manyUsers = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `U${i + 1},User ${i + 1},`);

const run = (engine: Engine, mapping: PushMapping = users, options = PLAN_OPTIONS): Promise<PushResult> =>
  push(engine.ports, 'push', [mapping], options, approve);
const summary = (result: PushResult | undefined): PushSummary => result?.report.mappings[0] as PushSummary;
const outcomes = (result: PushResult | undefined): Record<string, number> => ({
  rows: summary(result).rows,
  ...outcomesIn(summary(result)),
});
const created = (engine: Engine): readonly string[] =>
  engine.service.users.map(({ external_id }) => external_id);

describe('users', () => {
  it('creates in batches, and a second run plans and writes nothing', async () => {
    const engine = await makeEngine();
    userTable(engine, ...manyUsers(250));
    const first = await run(engine);
    expect(outcomes(first)).toEqual({ rows: 250, created: 250 });
    expect(first.report).toMatchObject({
      exit_code: 0,
      requests: { planned: 4, sent: 4, reads: 1, writes: 3 },
    });
    const second = await run(engine);
    expect(outcomes(second)).toEqual({ rows: 250, unchanged: 250 });
    expect(engine.service.writes).toHaveLength(3);
  });

  it.each([
    ['composes the accents of names', 'Zoe\u0308', 'Zo\u00eb'],
    ['takes them apart', 'Zo\u00eb', 'Zoe\u0308'],
  ])('a service that %s has the names as they are', async (_what, typed, kept) => {
    const engine = await userEngine([`U1,${typed},`]);
    engine.service.onCall = () => {
      for (const user of engine.service.users) user.display_name = kept;
      return Promise.resolve();
    };
    const run = () => push(engine.ports, 'push', [users], PLAN_OPTIONS, approve);
    expect(outcomes(await run())).toEqual({ rows: 1, created: 1 });
    engine.clock.time += 2 * engine.ports.settleMs;
    expect(outcomes(await run())).toEqual({ rows: 1, unchanged: 1 });
  });

  it('changes only what differs and says so in the plan', async () => {
    const engine = await userEngine(['A,Ann,', 'B,Bob,']);
    await run(engine);
    userTable(engine, 'A,Anna,', 'B,Bob,');
    const planned = await planPush(engine.ports, [users], PLAN_OPTIONS);
    const changes = await Array.fromAsync(planned.changes());
    expect(changes).toMatchObject([
      { row: 2, key: 'A', kind: 'update', fields: { display_name: { before: 'Ann', after: 'Anna' } } },
      { row: 3, key: 'B', kind: 'unchanged', fields: {} },
    ]);
    await planned.rows.remove();
    expect(outcomes(await run(engine))).toEqual({ rows: 2, updated: 1, unchanged: 1 });
    expect(engine.service.writes.at(-1)).toEqual({
      operation: 'update-user',
      body: { id: 'user-1', display_name: 'Anna' },
    });
  });

  it('a record that cannot be read may be anybody: an unknown key waits, known ones go on', async () => {
    const engine = await userEngine(['A,Ann,', 'B,Bob,']);
    await run(engine);
    const stranger = await makeEngine({}, engine.service);
    engine.service.unreadable.add('A');
    userTable(stranger, 'A,Ann,', 'B,Bobby,');
    expect(outcomes(await run(stranger))).toEqual({ rows: 2, updated: 1, deferred: 1 });
    expectNoKeyTwice(engine);
  });

  it('a new inactive user is a create and then a change, both in the plan', async () => {
    const engine = await userEngine(['A,Ann,false', 'B,Bob,true']);
    const planned = await planPush(engine.ports, [users], PLAN_OPTIONS);
    expect(planned.mappings[0]).toMatchObject({ writes: 2, outcomes: { created: 2 } });
    await planned.rows.remove();
    expect(outcomes(await run(engine))).toEqual({ rows: 2, created: 2 });
    expect(engine.service.users.map(({ is_active }) => is_active)).toEqual([false, true]);
    expect(outcomes(await run(engine))).toEqual({ rows: 2, unchanged: 2 });
  });

  it('bad and double rows are left out, the others go, and every row stands in the results', async () => {
    const engine = await userEngine(['A,Ann,', ',Nobody,', 'B,Bob,', 'B,Bob,', 'C,Cid,', 'C,Cyd,']);
    const result = await run(engine);
    expect(outcomes(result)).toEqual({ rows: 6, created: 2, unchanged: 1, invalid: 3 });
    expect(result.report.exit_code).toBe(3);
    const [header, ...lines] = engine.files.get('users.results') ?? [];
    expect(header).toEqual([...USER_HEADER, '_row', '_outcome', '_message', '_id']);
    expect(lines.map((line) => [line[3], line[4], line[6]])).toEqual([
      ['2', 'created', 'user-1'],
      ['3', 'invalid', ''],
      ['4', 'created', 'user-2'],
      ['5', 'unchanged', ''],
      ['6', 'invalid', ''],
      ['7', 'invalid', ''],
    ]);
    expect(engine.files.get('users.rejected')).toHaveLength(4);
  });

  it('reject_mode: fail sends nothing and defers the good rows', async () => {
    const engine = await userEngine(['A,Ann,', ',Nobody,']);
    const result = await run(engine, { ...users, rejectMode: 'fail' });
    const planned = await planPush(engine.ports, [{ ...users, rejectMode: 'fail' }], PLAN_OPTIONS);
    expect(planned).toMatchObject({
      exitCode: 6,
      mappings: [{ outcomes: { created: 0, invalid: 1, deferred: 1 } }],
    });
    const changes = await Array.fromAsync(planned.changes());
    expect(changes.map(({ kind }) => kind)).toEqual(['deferred', 'invalid']);
    await planned.rows.remove();
    expect(outcomes(result)).toEqual({ rows: 2, invalid: 1, deferred: 1 });
    expect(nextAfter(result.report, true)).toEqual(['push users']);
    expect(result.report.exit_code).toBe(6);
    expect(engine.service.writes).toEqual([]);
    expect(await resume(engine.ports, undefined, approve)).toBeUndefined();
  });

  it('reject_mode: fail whose results cannot be written says what writes them: there is no run to resume', async () => {
    const engine = await userEngine(['A,Ann,', ',Nobody,']);
    const results = changedBy<typeof engine.ports.results>(engine.ports.results, {
      writeResults: () => Promise.reject(new UnavailableError('results.unwritable', 'no room')),
    });
    const strict = { ...users, rejectMode: 'fail' } as const;
    const ports = { ...engine.ports, results };
    const { report } = await push(ports, 'push', [strict], PLAN_OPTIONS, approve);
    expect(report.exit_code).toBe(6);
    expect(engine.events).toContainEqual({
      kind: 'warning',
      message: 'users: the results are not written (no room); the same command writes them',
    });
  });

  it('reject_mode: fail of one mapping defers the rows of all of them, in the plan as in the push', async () => {
    const engine = await userEngine(['A,Ann,', ',Nobody,']);
    priceTable(engine, '1,1,5,current');
    const both = [{ ...users, rejectMode: 'fail' } as const, prices];
    const planned = await planPush(engine.ports, both, PLAN_OPTIONS);
    const changes = await Array.fromAsync(planned.changes());
    expect(changes.map(({ kind }) => kind)).toEqual(['deferred', 'invalid', 'deferred']);
    await planned.rows.remove();
    const { report } = await push(engine.ports, 'push', both, PLAN_OPTIONS, approve);
    const pushed = report.mappings.filter((each) => each.direction === 'push');
    expect(pushed.map(outcomesIn)).toEqual([{ invalid: 1, deferred: 1 }, { deferred: 1 }]);
    expect(planned.mappings.map(({ outcomes }) => outcomesIn(outcomes))).toEqual(pushed.map(outcomesIn));
  });

  it('a new user without a name is invalid; for a known one it means no change', async () => {
    const engine = await userEngine(['A,Ann,', 'B,,']);
    expect(outcomes(await run(engine))).toEqual({ rows: 2, created: 1, invalid: 1 });
    expect(engine.files.get('users.results')?.[2]?.[5]).toBe(
      'users.csv row 3: a new user needs a display_name: fill it in',
    );
    userTable(engine, 'A,,');
    expect(outcomes(await run(engine))).toEqual({ rows: 1, unchanged: 1 });
  });

  it('two records of the service under one key are a conflict and are not written to', async () => {
    const engine = await makeEngine();
    engine.service.users.push(
      { id: '1', external_id: 'A', display_name: 'x' },
      { id: '2', external_id: 'A', display_name: 'y' },
    );
    userTable(engine, 'A,Ann,');
    const result = await run(engine);
    expect(outcomes(result)).toEqual({ rows: 1, conflict: 1 });
    expect(result.report.exit_code).toBe(7);
    expect(engine.service.writes).toEqual([]);
  });

  it('a new key that is a known one without its zeros is invalid until it is allowed', async () => {
    const engine = await userEngine(['00123,Ann,']);
    await run(engine);
    userTable(engine, '123,Ann,');
    expect(outcomes(await run(engine))).toEqual({ rows: 1, invalid: 1 });
    expect(engine.files.get('users.results')?.[1]?.[5]).toContain('looks like 00123 with its zeros lost');
    expect(outcomes(await run(engine, users, { ...PLAN_OPTIONS, allowKeyShape: true }))).toEqual({
      rows: 1,
      created: 1,
    });
  });

  it('the quota of the account splits the rows', async () => {
    const engine = await makeEngine();
    const account = await engine.service.account();
    engine.service.account = () =>
      Promise.resolve({ ...account, config: { features: { users: { max: 2, used: 0, remaining: 2 } } } });
    userTable(engine, ...manyUsers(5));
    const result = await run(engine);
    expect(outcomes(result)).toEqual({ rows: 5, created: 2, deferred: 3 });
    expect(result.report.exit_code).toBe(7);
  });

  it('a service that cannot be listed leaves unknown keys for later', async () => {
    const engine = await makeEngine();
    engine.service.users.push({ id: '1', external_id: 'X', display_name: 'x' });
    engine.service.listable = false;
    userTable(engine, 'A,Ann,');
    expect(outcomes(await run(engine))).toEqual({ rows: 1, deferred: 1 });
    engine.service.listable = true;
    expect(outcomes(await resume(engine.ports, undefined, approve))).toEqual({ rows: 1, created: 1 });
  });

  it.each([
    ['as it was sent', {}],
    ['in small letters', { lower: 'everywhere' } as const],
  ])('a list that is not believed still shows that a key is there twice, %s', async (_what, spelling) => {
    const engine = await userEngine(['A,Ann,', 'B,Bob,'], { spelling });
    await run(engine);
    engine.service.users.push({ id: '9', external_id: 'A', display_name: 'Ann' });
    engine.service.statesTotal = false;
    engine.service.removed = 1;
    userTable(engine, 'A,Anna,', 'B,Bobby,');
    expect(outcomes(await run(engine))).toEqual({ rows: 2, conflict: 1, updated: 1 });
    expect(engine.service.writes).toHaveLength(2);
  });

  it.each([
    ['the list states its total and shows all that we know', true, 0, { rows: 4, created: 1, unchanged: 3 }],
    [
      'the list may be cut, and all that is counted is known',
      false,
      0,
      { rows: 4, created: 1, unchanged: 3 },
    ],
    [
      'the list may be cut, and more is counted than is known',
      false,
      1,
      { rows: 4, unchanged: 3, deferred: 1 },
    ],
  ])(
    'an account that counts more users than are listed: %s',
    async (_what, statesTotal, others, expected) => {
      const engine = await makeEngine();
      userTable(engine, ...manyUsers(5));
      await run(engine);
      engine.service.statesTotal = statesTotal;
      // The provider removes two, and goes on counting them.
      engine.service.removed = engine.service.users.splice(3, 2).length + others;
      engine.clock.time += 25 * 3_600_000;
      userTable(engine, ...manyUsers(3), 'N1,New 1,');
      expect(outcomes(await run(engine))).toEqual(expected);
      expectNoKeyTwice(engine);
    },
  );

  it('nothing to write asks nobody; a refused approval ends the run without a trace to resume', async () => {
    const engine = await userEngine(['A,Ann,']);
    const refuse: Approve = (planned) =>
      planned.mappings.every(({ writes }) => writes === 0)
        ? Promise.resolve()
        : Promise.reject(new StoppedError('approval.missing', 'no'));
    await expect(push(engine.ports, 'push', [users], PLAN_OPTIONS, refuse)).rejects.toThrow('no');
    expect(await resume(engine.ports, undefined, approve)).toBeUndefined();
    await run(engine);
    expect(outcomes(await push(engine.ports, 'push', [users], PLAN_OPTIONS, refuse))).toEqual({
      rows: 1,
      unchanged: 1,
    });
  });
});

it('rows that could not be marked after their answer are not called unsent', async () => {
  const engine = await userEngine(['A,Ann,', 'B,Bob,']);
  const { store } = engine.ports;
  const openRunRows: typeof store.openRunRows = async (runId) => {
    const rows = await store.openRunRows(runId);
    return new Proxy(rows, {
      get: (target, name): unknown => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        if (name !== 'patch' || engine.service.writes.length === 0) return method.bind(target) as unknown;
        return failOnce(method.bind(target) as typeof target.patch);
      },
    });
  };
  let failed = false;
  const failOnce =
    (patch: (...args: Parameters<RunRows['patch']>) => Promise<void>): RunRows['patch'] =>
    (...args) => {
      if (failed) return patch(...args);
      failed = true;
      return Promise.reject(new UnavailableError('state.unwritable', 'the disk is full'));
    };
  const ports = {
    ...engine.ports,
    store: new Proxy(store, {
      get: (target, name): unknown => {
        const method: unknown = name === 'openRunRows' ? openRunRows : Reflect.get(target, name);
        return typeof method === 'function' ? (method.bind(target) as unknown) : method;
      },
    }),
  };
  const result = await push(ports, 'push', [users], PLAN_OPTIONS, approve);
  expect(result.report.exit_code).toBe(8);
  expect(outcomes(result)).toEqual({ rows: 2, created: 2 });
});

describe('refusals', () => {
  it('a refused batch is halved until the bad rows stand alone', async () => {
    const engine = await makeEngine();
    engine.service.refuses.add('U3').add('U60');
    userTable(engine, ...manyUsers(100));
    const result = await run(engine);
    expect(outcomes(result)).toEqual({ rows: 100, created: 98, rejected: 2 });
    expect(result.report.exit_code).toBe(3);
    expectNoKeyTwice(engine);
    expect(engine.files.get('users.rejected')?.map((line) => line[0])).toEqual(['external_id', 'U3', 'U60']);
    expect(engine.files.get('users.rejected')?.[1]?.[5]).toBe(
      'users.csv row 4: the service refused it (400): external_id U3 is not wanted',
    );
  });

  it('a batch that was half done before its refusal is not sent twice', async () => {
    const engine = await makeEngine({ faults: ['half_then_refused'] });
    userTable(engine, ...manyUsers(10));
    expect(outcomes(await run(engine))).toEqual({ rows: 10, created: 10 });
    expectNoKeyTwice(engine);
  });

  it('a batch limit is found once and remembered', async () => {
    const engine = await makeEngine({ maxBatch: 30 });
    userTable(engine, ...manyUsers(100));
    expect(outcomes(await run(engine))).toEqual({ rows: 100, created: 100 });
    const before = engine.service.writes.length;
    userTable(engine, ...manyUsers(200));
    const result = await run(engine);
    expect(outcomes(result)).toEqual({ rows: 200, created: 100, unchanged: 100 });
    expect(engine.service.writes.length - before).toBe(Math.ceil(100 / 25));
  });

  it('a quota that has no room for a batch gets what it has room for, and the rest waits', async () => {
    const engine = await makeEngine({ maxUsers: 150 });
    userTable(engine, ...manyUsers(350));
    priceTable(engine, '1,101,5.5,current');
    const result = await push(engine.ports, 'push', [users, prices], PLAN_OPTIONS, approve);
    expect(outcomes(result)).toEqual({ rows: 350, created: 150, deferred: 200 });
    expect(result.report.mappings[1]).toMatchObject({ created: 1 });
    expect(result.report.exit_code).toBe(7);
    expect(result.stoppedBy).toBeUndefined();
    expectNoKeyTwice(engine);
    // 100, then 100 that are refused; of the others 50, and nothing once it is known that there is no room.
    const creates = engine.service.writes.filter(({ operation }) => operation === 'create-users');
    expect(creates.map(({ body }) => (body as { users: unknown[] }).users.length)).toContain(50);
    const deferred = engine.files.get('users.results')?.filter((line) => line.includes('deferred'));
    expect(deferred).toHaveLength(200);
    for (const line of deferred ?? [])
      expect(line.join()).toContain(
        `the account's quota of users is full; after it is raised, teamsheet resume ${result.report.run} sends it`,
      );
    engine.service.maxUsers = Infinity;
    const resumed = await resume(engine.ports, undefined, approve);
    expect(outcomes(resumed)).toEqual({ rows: 350, created: 350 });
    expectNoKeyTwice(engine);
  });

  it('a quota that is used up is found out once for all rows that need it', async () => {
    const engine = await makeEngine({ maxUsers: 2 });
    userTable(engine, ...manyUsers(30));
    const result = await run(engine, { ...users, batchSize: 1 }, PLAN_OPTIONS);
    expect(outcomes(result)).toEqual({ rows: 30, created: 2, deferred: 28 });
    expect(engine.service.writes.length).toBeLessThanOrEqual(2 + engine.ports.concurrency);
  });

  it('a 429 that no waiting cures and nothing explains ends the run, and its row is not refused', async () => {
    const engine = await makeEngine({ faults: ['throttled'] });
    userTable(engine, ...manyUsers(1));
    const result = await run(engine);
    expect(outcomes(result)).toEqual({ rows: 1, deferred: 1 });
    expect(result.report.exit_code).toBe(8);
    expect(result.stoppedBy).toMatchObject({ code: 'service.throttled' });
    expect(outcomes(await resume(engine.ports, undefined, approve))).toEqual({ rows: 1, created: 1 });
  });

  it('a batch that ends so may be half applied: resume looks before it sends', async () => {
    const engine = await makeEngine({ faults: ['throttled'] });
    userTable(engine, ...manyUsers(3));
    const { report } = await run(engine);
    expect(report.mappings).toMatchObject([{ rows: 3, unknown: 3 }]);
    expect(resultLines(engine)[2]?.message).toBe(
      `users.csv row 4: no trustworthy answer (the service answered 429 (slow down) again and again, even after the waits that it asked for); teamsheet resume ${report.run} looks for it`,
    );
    expect(outcomes(await resume(engine.ports, undefined, approve))).toEqual({ rows: 3, created: 3 });
    expectNoKeyTwice(engine);
  });

  it('a change that is refused is that row alone', async () => {
    const engine = await userEngine(['A,Ann,', 'B,Bob,']);
    await run(engine);
    engine.service.refuses.add('A');
    userTable(engine, 'A,Anna,', 'B,Bobby,');
    expect(outcomes(await run(engine))).toEqual({ rows: 2, rejected: 1, updated: 1 });
  });
});

describe('answers that cannot be trusted', () => {
  it('a lost answer is read back, and nothing is sent again', async () => {
    const engine = await makeEngine({ faults: ['lost'] });
    userTable(engine, ...manyUsers(10));
    expect(outcomes(await run(engine))).toEqual({ rows: 10, created: 10 });
    expect(engine.service.writes).toHaveLength(1);
  });

  it('a run that may not wait leaves a write without a trace unknown, and resume waits', async () => {
    const engine = await makeEngine({ faults: ['vanished'] });
    userTable(engine, ...manyUsers(10));
    const hasty = { ...engine.ports, maxWaitMs: 119_999 };
    const first = await push(hasty, 'push', [users], PLAN_OPTIONS, approve);
    expect(outcomes(first)).toEqual({ rows: 10, unknown: 10 });
    expect(first.report.exit_code).toBe(7);
    expect(engine.clock.slept).toEqual([]);
    const second = await resume(engine.ports, undefined, approve);
    expect(engine.clock.slept).toEqual([120_000]);
    expect(outcomes(second)).toEqual({ rows: 10, created: 10 });
    expect(second?.report.run).toBe(first.report.run);
    expectNoKeyTwice(engine);
  });

  it('a write that was applied after all is found by resume', async () => {
    const engine = await makeEngine({ listable: false, faults: ['lost'] });
    userTable(engine, ...manyUsers(10));
    expect(outcomes(await run(engine))).toEqual({ rows: 10, unknown: 10 });
    engine.service.listable = true;
    expect(outcomes(await resume(engine.ports, undefined, approve))).toEqual({ rows: 10, created: 10 });
    expect(engine.service.writes).toHaveLength(1);
  });

  it('a lost change is sent again, because it sets values', async () => {
    const engine = await userEngine(['A,Ann,']);
    await run(engine);
    userTable(engine, 'A,Anna,');
    engine.service.faults.push('lost');
    expect(outcomes(await run(engine))).toEqual({ rows: 1, updated: 1 });
  });

  it('three in a row stop the run; what was not sent is deferred', async () => {
    const engine = await makeEngine({ faults: ['vanished', 'vanished', 'vanished'] });
    userTable(engine, ...manyUsers(400));
    const result = await push({ ...engine.ports, concurrency: 1 }, 'push', [users], PLAN_OPTIONS, approve);
    expect(outcomes(result)).toEqual({ rows: 400, unknown: 300, deferred: 100 });
    expect(result.report.exit_code).toBe(8);
    expect(outcomes(await resume(engine.ports, undefined, approve))).toEqual({ rows: 400, created: 400 });
    expectNoKeyTwice(engine);
  });

  it('three in a row stop nothing where reading back shows every row', async () => {
    const engine = await makeEngine({ faults: ['lost', 'lost', 'lost'] });
    userTable(engine, ...manyUsers(300));
    const result = await push({ ...engine.ports, concurrency: 1 }, 'push', [users], PLAN_OPTIONS, approve);
    expect(outcomes(result)).toEqual({ rows: 300, created: 300 });
    expect([result.report.exit_code, result.stoppedBy]).toEqual([0, undefined]);
    expect(await resume(engine.ports, undefined, approve)).toBeUndefined();
  });

  it('of a run that is resumed are not planned again, and counted as done', async () => {
    const engine = await makeEngine();
    engine.service.faults.push(undefined, { throws: new IncompleteError('budget.exhausted', 'used up') });
    userTable(engine, ...manyUsers(150));
    const first = await push({ ...engine.ports, concurrency: 1 }, 'push', [users], PLAN_OPTIONS, approve);
    expect(outcomes(first)).toEqual({ rows: 150, created: 100, deferred: 50 });
    const toWrite: object[] = [];
    const resumed = await resume(engine.ports, undefined, ({ mappings }) => {
      toWrite.push(...mappings.map((mapping) => mapping.toWrite));
      return Promise.resolve();
    });
    expect(toWrite).toEqual([{ create: 50, update: 0 }]);
    expect(outcomes(resumed)).toEqual({ rows: 150, created: 150 });
  });
});

it.each<[string, (engine: Engine, runId: string) => Promise<unknown>]>([
  ['push', (engine) => run(engine)],
  ['resume', (engine, runId) => resume(engine.ports, runId, approve)],
])('%s holds a list against what the account counts after the wait for a late create', async (_, goOn) => {
  const engine = await makeEngine();
  const { service } = engine;
  userTable(engine, 'U1,User 1,', 'U2,User 2,');
  service.faults.push(undefined, 'late');
  // Whatever page is asked for, the first one comes, and one page that comes again may be all.
  const { list } = service;
  service.list = async function* (operation, query, signal, onUnreadable, onEnd) {
    for await (const page of list(operation, query, signal, onUnreadable)) yield page.slice(0, 1);
    onEnd?.('doubtful');
  };
  const first = await push(
    { ...engine.ports, concurrency: 1, maxWaitMs: 0 },
    'push',
    [{ ...users, batchSize: 1 }],
    PLAN_OPTIONS,
    approve,
  );
  expect(outcomes(first)).toEqual({ rows: 2, created: 1, unknown: 1 });
  expect(created(engine)).toEqual(['U1']);
  await goOn(engine, first.report.run ?? '');
  expect(created(engine)).toEqual(['U1', 'U2']);
});

describe('stops', () => {
  it.each([
    ['the budget', { throws: new IncompleteError('budget.exhausted', 'the day is used up') }, 7],
    ['the service being gone', 'unreachable', 8],
  ] as const)('%s defers what is left, and resume sends exactly that', async (_, fault, exitCode) => {
    const engine = await makeEngine({ faults: [undefined, fault] });
    userTable(engine, ...manyUsers(300));
    const ports = { ...engine.ports, concurrency: 1 };
    const first = await push(ports, 'push', [users], PLAN_OPTIONS, approve);
    expect(outcomes(first)).toEqual({ rows: 300, created: 100, deferred: 200 });
    expect(first.report.exit_code).toBe(exitCode);
    const second = await resume(ports, first.report.run ?? '', approve);
    expect(outcomes(second)).toEqual({ rows: 300, created: 300 });
    expect(engine.service.writes).toHaveLength(3);
    expectNoKeyTwice(engine);
  });

  it('a state that goes away between two requests leaves the run to resume, and says its id', async () => {
    const engine = await makeEngine();
    userTable(engine, ...manyUsers(300));
    let isAway = false;
    const away = () => Promise.reject(new UnavailableError('state.unreachable', 'the database is away'));
    const store = new Proxy(engine.store, {
      get: (own, name) => {
        const value: unknown = Reflect.get(own, name);
        if (typeof value !== 'function') return value;
        return isAway ? away : (value.bind(own) as unknown);
      },
    });
    engine.service.onCall = (body) => {
      if (body !== undefined) isAway = true;
    };
    const lock: Lock = {
      acquire: async (account, owner) => {
        const held = await engine.ports.lock.acquire(account, owner);
        return { ...held, release: () => (isAway ? held.release().then(away) : held.release()) };
      },
    };
    const ports = { ...engine.ports, store, lock, concurrency: 1 };
    const pushed = push(ports, 'push', [users], PLAN_OPTIONS, approve);
    const stop = await pushed.catch((error: unknown) => error);
    isAway = false;
    const [{ id } = expect.unreachable()] = await engine.store.runs(1);
    expect(stop).toMatchObject({
      code: 'state.unreachable',
      exitCode: 8,
      next: `resume ${id}, once the state is there again`,
    });
    engine.service.onCall = () => undefined;
    expect(outcomes(await resume(ports, id, approve))).toEqual({ rows: 300, created: 300 });
    expectNoKeyTwice(engine);
  });

  it('a state that is away for one answer only names the run to resume too', async () => {
    const engine = await makeEngine();
    userTable(engine, ...manyUsers(300));
    let isAway = false;
    const store = new Proxy(engine.store, {
      get: (own, name) => {
        const value: unknown = Reflect.get(own, name);
        if (typeof value !== 'function') return value;
        if (!isAway) return value.bind(own) as unknown;
        isAway = false;
        return () => Promise.reject(new UnavailableError('state.unreachable', 'the database is away'));
      },
    });
    engine.service.onCall = (body) => {
      if (body !== undefined) isAway = true;
    };
    const ports = { ...engine.ports, store, concurrency: 1 };
    const { report, stoppedBy } = await push(ports, 'push', [users], PLAN_OPTIONS, approve);
    expect(report.exit_code).toBe(8);
    expect(stoppedBy?.next).toBe(`resume ${report.run}, once the state is there again`);
  });

  it('resume --limit sends the first rows that wait and leaves the others to the next resume', async () => {
    const engine = await makeEngine();
    engine.service.faults.push(undefined, { throws: new IncompleteError('budget.exhausted', 'used up') });
    userTable(engine, ...manyUsers(300));
    const ports = { ...engine.ports, concurrency: 1 };
    const { report } = await push(ports, 'push', [users], PLAN_OPTIONS, approve);
    const second = await resume(
      ports,
      undefined,
      ({ mappings: [plan] }) => {
        expect(plan).toMatchObject({ writes: 1, toWrite: { create: 3 } });
        return Promise.resolve();
      },
      { limit: 3 },
    );
    expect(outcomes(second)).toEqual({ rows: 300, created: 103, deferred: 197 });
    expect(second?.report).toMatchObject({ run: report.run, exit_code: 7 });
    expect(second?.reasons).toMatchObject([
      { said: `--limit leaves it to teamsheet resume ${report.run}`, rows: 197 },
    ]);
    expect(created(engine).slice(100)).toEqual(['U101', 'U102', 'U103']);
    expect(outcomes(await resume(ports, undefined, approve))).toEqual({ rows: 300, created: 300 });
    expectNoKeyTwice(engine);
  });

  it('resume --limit deactivates nobody: the next resume does', async () => {
    const engine = await makeEngine();
    const guards = { ...users.guards, maxDeactivate: 5 };
    const deactivating = { ...users, guards, missingRows: 'deactivate' as const };
    userTable(engine, 'A,Ann,', 'B,Bob,');
    await run(engine, deactivating);
    userTable(engine, 'A,Anna,', 'C,Cid,');
    engine.service.faults.push({ throws: new IncompleteError('budget.exhausted', 'used up') });
    await run(engine, deactivating);
    const inactive = (): readonly unknown[] =>
      engine.service.users.filter(({ is_active }) => is_active === false);
    const limited = await resume(engine.ports, undefined, approve, { limit: 1 });
    expect(summary(limited)).toMatchObject({ updated: 1, deferred: 1, deactivated: 0 });
    expect(inactive()).toEqual([]);
    const rest = await resume(engine.ports, undefined, approve);
    expect(summary(rest)).toMatchObject({ updated: 1, created: 1, deferred: 0, deactivated: 1 });
    expect(inactive()).toMatchObject([{ external_id: 'B' }]);
  });

  it('a run that stops before its plan is complete is planned again by resume', async () => {
    const engine = await makeEngine();
    userTable(engine, ...manyUsers(10));
    const interrupted = new AbortController();
    const account = engine.service.account.bind(engine.service);
    engine.service.account = () => {
      interrupted.abort(new InterruptedError('SIGINT', 'interrupted'));
      return account();
    };
    const ports = { ...engine.ports, signal: interrupted.signal };
    await expect(push(ports, 'push', [users], PLAN_OPTIONS, approve)).rejects.toMatchObject({
      exitCode: 130,
    });
    expect(engine.service.writes).toEqual([]);
    // It has no rows of which some could be left.
    await expect(resume(engine.ports, undefined, approve, { limit: 3 })).rejects.toMatchObject({
      code: 'resume.limit',
      exitCode: 64,
      next: 'push users --limit 3',
    });
    for (const [command, next] of [
      ['import', 'Import the file again, with the same flags and --limit 3.'],
      ['retry', 'Retry the refused rows again, with --limit 3.'],
    ] as const) {
      const [{ id } = expect.unreachable()] = await engine.store.runs(1);
      await engine.store.updateRun(id, { command });
      await expect(resume(engine.ports, undefined, approve, { limit: 3 })).rejects.toMatchObject({ next });
    }
    expect(engine.service.writes).toEqual([]);
    // The end before is not when its last write can have gone out.
    const ends: unknown[] = [];
    engine.service.onCall = async (body) => {
      if (body !== undefined) ends.push((await engine.store.runs(1))[0]?.endedAtMs);
    };
    expect(outcomes(await resume(engine.ports, undefined, approve))).toEqual({ rows: 10, created: 10 });
    expect(ends).toEqual([null]);
    expect(await resume(engine.ports, undefined, approve)).toBeUndefined();
  });

  it('names its run when the budget stops the comparison, and no run before there is one', async () => {
    const first = await makeEngine();
    userTable(first, ...manyUsers(10));
    await run(first);
    const engine = await makeEngine({}, first.service);
    userTable(engine, ...manyUsers(11));
    const spent = new IncompleteError('budget.exhausted', 'the minute is used up');
    const list = engine.service.list;
    engine.service.list = () => {
      throw spent;
    };
    const pushed = (): Promise<unknown> => push(engine.ports, 'push', [users], PLAN_OPTIONS, approve);
    const stop = await pushed().catch((error: unknown) => error);
    const [left] = await engine.ports.store.runs(1);
    expect(stop).toMatchObject({ code: 'budget.exhausted', exitCode: 7, next: `resume ${left?.id ?? ''}` });
    engine.service.list = list;
    const resumed = await resume(engine.ports, left?.id, approve);
    expect(outcomes(resumed)).toEqual({ rows: 11, created: 1, unchanged: 10 });
    engine.service.account = () => Promise.reject(spent);
    await expect(pushed()).rejects.toBe(spent);
  });

  it('a signal ends the run with its own exit code', async () => {
    const engine = await makeEngine();
    userTable(engine, ...manyUsers(300));
    const send = engine.service.send;
    engine.service.send = async (operation, input) => {
      const result = await send(operation, input);
      engine.abort.abort(new InterruptedError('SIGINT', 'interrupted'));
      return result;
    };
    const result = await push({ ...engine.ports, concurrency: 1 }, 'push', [users], PLAN_OPTIONS, approve);
    expect(outcomes(result)).toEqual({ rows: 300, created: 100, deferred: 200 });
    expect(result.report.exit_code).toBe(130);
  });
});

describe('a process that ends between two steps', () => {
  /** Steps of the store during one push, each of which may be the last. */
  const steps = ['addIntent', 'recordResult'] as const;

  it.each(steps.flatMap((step) => (['before', 'after'] as const).map((when) => [step, when] as const)))(
    'loses and doubles nothing when it ends %s it is recorded (%s)',
    async (step, when) => {
      const engine = await makeEngine();
      userTable(engine, ...manyUsers(10), 'X,Inactive,false');
      const store = dyingStore(engine.store, step, when);
      await expect(push({ ...engine.ports, store }, 'push', [users], PLAN_OPTIONS, approve)).rejects.toThrow(
        'power cut',
      );
      const result = await resume(engine.ports, undefined, approve);
      expect(outcomes(result)).toEqual({ rows: 11, created: 11 });
      expectNoKeyTwice(engine);
      expect(engine.service.users.find(({ external_id }) => external_id === 'X')?.is_active).toBe(false);
      expect(outcomes(await run(engine))).toEqual({ rows: 11, unchanged: 11 });
    },
  );

  function dyingStore(store: Store, step: (typeof steps)[number], when: 'before' | 'after'): Store {
    const method = store[step].bind(store) as (...args: unknown[]) => Promise<void>;
    const dying = async (...args: unknown[]): Promise<void> => {
      if (when === 'after') await method(...args);
      throw new Error('power cut');
    };
    return changedBy(store, { [step]: dying });
  }
});

describe('prices', () => {
  it('plans what reading the log costs that an earlier mapping of the push writes to', async () => {
    const engine = await makeEngine();
    priceTable(engine, '1,1,5,current');
    setTable(engine, 'others', PRICE_HEADER.join(','), '2,1,5,current');
    const others = { ...prices, name: 'others', source: mappingOn('others.csv').source };
    const { report } = await push(engine.ports, 'push', [prices, others], PLAN_OPTIONS, approve);
    expect(report.requests.planned).toBe(report.requests.sent);
  });

  it('uploads in batches; afterwards only changed prices go', async () => {
    const engine = await makeEngine();
    priceTable(engine, ...Array.from({ length: 150 }, (_, i) => `1,${i + 1},5.5,initial`));
    const first = await run(engine, prices);
    expect(outcomes(first)).toEqual({ rows: 150, created: 150 });
    expect(first.report.requests).toMatchObject({ planned: first.report.requests.sent, writes: 2 });
    expect(outcomes(await run(engine, prices))).toEqual({ rows: 150, unchanged: 150 });
    priceTable(engine, '1,1,5.6,initial', '1,2,5.5,initial');
    expect(outcomes(await run(engine, prices))).toEqual({ rows: 2, updated: 1, unchanged: 1 });
    expect(engine.service.prices.at(-1)).toMatchObject({ player_id: 1, price: 5.6 });
  });

  it('an upload that left no trace is held: a second upload might double it', async () => {
    const engine = await makeEngine({ faults: ['vanished'] });
    priceTable(engine, '1,1,5.5,initial');
    expect(outcomes(await run(engine, prices))).toEqual({ rows: 1, unknown: 1 });
    expect(outcomes(await resume(engine.ports, undefined, approve))).toEqual({ rows: 1, unknown: 1 });
    expect(engine.service.writes).toHaveLength(1);
  });

  it('a price of an unknown player is found in its batch', async () => {
    const engine = await makeEngine();
    engine.service.refuses.add(3);
    priceTable(engine, ...Array.from({ length: 10 }, (_, i) => `1,${i + 1},5.5,initial`));
    expect(outcomes(await run(engine, prices))).toEqual({ rows: 10, created: 9, rejected: 1 });
    expect(engine.service.prices).toHaveLength(9);
  });

  it('a state that remembers nothing stops before a service with uploads, until they are adopted', async () => {
    const engine = await makeEngine();
    engine.service.prices.push({ player_id: 1, price: 5 });
    priceTable(engine, '1,1,5.5,initial');
    await expect(run(engine, prices)).rejects.toMatchObject({ code: 'state.no_memory', exitCode: 6 });
    expect(outcomes(await run(engine, prices, { ...PLAN_OPTIONS, adopt: true }))).toEqual({
      rows: 1,
      created: 1,
    });
  });

  it('a step beyond the guard stops the push before it writes', async () => {
    const engine = await makeEngine();
    const guarded = { ...prices, guards: { ...prices.guards, maxStepPct: 25 } };
    priceTable(engine, '1,1,4,initial');
    await run(engine, guarded);
    priceTable(engine, '1,1,40,initial');
    await expect(run(engine, guarded)).rejects.toMatchObject({ code: 'guard.max_step_pct', exitCode: 6 });
    expect(engine.service.writes).toHaveLength(1);
  });
});

describe('the requests of a run', () => {
  it('are kept where a push stops before it writes', async () => {
    const engine = await userEngine(['A,Ann,']);
    const refuse = (): Promise<never> => Promise.reject(new StoppedError('approval.refused', 'no', {}));
    await expect(push(engine.ports, 'push', [users], PLAN_OPTIONS, refuse)).rejects.toThrow('no');
    const { reads } = engine.service;
    expect(reads).toBeGreaterThan(0);
    const [stopped] = await engine.store.runs(1);
    expect(stopped?.requests).toMatchObject({ planned: reads, sent: reads, reads, writes: 0 });
  });

  it('are kept where a resume stops before it writes, beside those of the push', async () => {
    const engine = await userEngine(['A,Ann,'], { faults: ['unreachable'] });
    await run(engine, users);
    const [before] = await engine.store.runs(1);
    const refuse = (): Promise<never> => Promise.reject(new StoppedError('approval.refused', 'no', {}));
    await expect(resume(engine.ports, undefined, refuse)).rejects.toThrow('no');
    const [stopped] = await engine.store.runs(1);
    const { sent } = engine.service.counts();
    // The service in memory goes on counting where a command begins anew.
    expect(stopped?.requests?.sent).toBe((before?.requests?.sent ?? 0) + sent);
  });
});

it('progress is told before the first answer comes', async () => {
  const engine = await makeEngine();
  priceTable(engine, '1,1,4,initial');
  let told: readonly unknown[] = [];
  engine.service.onCall = (body) => {
    if (body !== undefined) told = engine.events.filter(({ kind }) => kind === 'progress');
  };
  await run(engine, prices);
  expect(told).toMatchObject([{ mapping: 'prices', done: 0, total: 1 }]);
  const counts = engine.events.flatMap((event) => (event.kind === 'progress' ? [event.done] : []));
  expect(counts).toEqual([0, 1]);
});

describe('compare: live', () => {
  const live = { ...PLAN_OPTIONS, compare: 'live' as const };

  it('reads the price of each player, and so needs no memory', async () => {
    const engine = await makeEngine();
    engine.service.prices.push({ player_id: 1, price: 4 }, { player_id: 2, price: 5 });
    priceTable(engine, '1,1,4,initial', '1,2,6,initial', '1,3,7,initial');
    const result = await run(engine, prices, live);
    expect(outcomes(result)).toEqual({ rows: 3, unchanged: 1, updated: 1, created: 1 });
    expect(engine.service.prices.slice(2)).toMatchObject([
      { player_id: 2, price: 6 },
      { player_id: 3, price: 7 },
    ]);
    expect(outcomes(await run(engine, prices, live))).toEqual({ rows: 3, unchanged: 3 });
    // What was read is remembered.
    expect(outcomes(await run(engine, prices))).toEqual({ rows: 3, unchanged: 3 });
  });

  it('reads the points configuration of a league', async () => {
    const engine = await makeEngine();
    const config = Object.fromEntries(settingNames.map((name) => [name, 1]));
    engine.service.configs.set(1, { fantasy_league_id: 1, ...config, starter_points: 9 });
    const table = [
      ['fantasy_league_id', ...settingNames],
      ['1', ...settingNames.map(() => '1')],
    ];
    engine.tables.set('points.csv', table);
    expect(outcomes(await run(engine, points, live))).toEqual({ rows: 1, updated: 1 });
    expect(outcomes(await run(engine, points, live))).toEqual({ rows: 1, unchanged: 1 });
  });
});

describe('missing_rows: deactivate', () => {
  const leaving: PushMapping = {
    ...users,
    missingRows: 'deactivate',
    guards: { ...users.guards, maxDeactivate: 2 },
  };
  const leave = (engine: Engine, options: Partial<typeof PLAN_OPTIONS> = {}): Promise<PushResult> =>
    run(engine, leaving, { ...PLAN_OPTIONS, ...options });
  const table = (engine: Engine, ...ids: readonly string[]): void => {
    userTable(engine, ...ids.map((id) => `${id},Name of ${id},`));
  };
  const active = ({ service }: Engine): readonly string[] =>
    service.users.filter((user) => user.is_active !== false).map((user) => user.external_id);

  it('deactivates users that the mapping created or adopted and that left the table, and no others', async () => {
    const engine = await makeEngine();
    for (const id of ['adopted', 'stranger'])
      engine.service.users.push({ id, external_id: id, display_name: `Name of ${id}`, is_active: true });
    table(engine, 'A', 'B', 'adopted');
    await leave(engine);
    table(engine, 'A');
    expect(summary(await leave(engine))).toMatchObject({ rows: 1, unchanged: 1, deactivated: 2 });
    expect(active(engine)).toEqual(['stranger', 'A']);
    const writes = engine.service.writes.length;
    expect(summary(await leave(engine)).deactivated).toBe(0);
    expect(engine.service.writes).toHaveLength(writes);
  });

  it('trips its guard before any write, also with --allow-empty', async () => {
    const engine = await makeEngine();
    table(engine, 'A', 'B', 'C');
    await leave(engine);
    const writes = engine.service.writes.length;
    table(engine);
    await expect(leave(engine, { allowEmpty: true })).rejects.toMatchObject({
      code: 'guard.max_deactivate',
      exitCode: 6,
    });
    expect(engine.service.writes).toHaveLength(writes);
    await leave(engine, { allowEmpty: true, allowGuards: ['max_deactivate'] });
    expect(active(engine)).toEqual([]);
  });

  it('does nothing with --limit, nor while a key cannot be read', async () => {
    const engine = await makeEngine();
    table(engine, 'A', 'B');
    await leave(engine);
    await leave(engine, { limit: 1 });
    table(engine, 'A', '');
    await leave(engine);
    expect(active(engine)).toEqual(['A', 'B']);
  });

  it('goes on with resume, and says which user stays active when the service refuses', async () => {
    const engine = await makeEngine();
    table(engine, 'A', 'B');
    await leave(engine);
    table(engine, 'A');
    engine.service.faults.push({ throws: new IncompleteError('budget.exhausted', 'used up') });
    expect((await leave(engine)).report).toMatchObject({ exit_code: 7, mappings: [{ deactivated: 0 }] });
    const resumed = await resume(engine.ports, undefined, approve);
    expect(resumed?.report).toMatchObject({ exit_code: 0, mappings: [{ deactivated: 1 }] });
    expect(active(engine)).toEqual(['A']);
    table(engine, 'B');
    engine.service.refuses.add('A');
    expect((await leave(engine)).report).toMatchObject({ exit_code: 3, mappings: [{ deactivated: 0 }] });
    expect(engine.events).toContainEqual({
      kind: 'warning',
      message: expect.stringContaining('1 missing user was not deactivated ("A" is rejected: ') as string,
    });
  });

  it('names the user that stays active, however many others were deactivated before it', async () => {
    const engine = await makeEngine();
    table(engine, 'A');
    const { report } = await leave(engine);
    const ended = await engine.store.run(report.run ?? '');
    if (ended === undefined) throw new Error('no run is recorded');
    const rows = await engine.store.openRunRows(ended.id);
    await rows.add(
      missingOf(leaving)?.name ?? '',
      Array.from({ length: 1001 }, (_, at) =>
        runRow({ rowNumber: at + 1, key: `U${at + 1}`, outcome: at < 1000 ? 'updated' : 'rejected' }),
      ),
    );
    const plan = { rows, mappings: [{ mapping: leaving }], requests: { planned: 0 } };
    await finish(engine.ports, ended, plan, { stoppedBy: undefined });
    expect(engine.events).toContainEqual({
      kind: 'warning',
      message: expect.stringContaining('1 missing user was not deactivated ("U1001" is rejected: ') as string,
    });
  });
});

it('a points configuration is created, unchanged, then updated', async () => {
  const engine = await makeEngine();

  const table = (value: string): void => {
    engine.tables.set('points.csv', [
      ['fantasy_league_id', ...settingNames],
      ['1', ...settingNames.map((name) => (name === 'starter_points' ? value : '1'))],
    ]);
  };
  table('1');
  expect(outcomes(await run(engine, points))).toEqual({ rows: 1, created: 1 });
  expect(outcomes(await run(engine, points))).toEqual({ rows: 1, unchanged: 1 });
  table('2');
  expect(outcomes(await run(engine, points))).toEqual({ rows: 1, updated: 1 });
  expect(engine.service.configs.get(1)).toMatchObject({ starter_points: 2 });
});
