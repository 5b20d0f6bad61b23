import { describe, expect, it } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { InterruptedError, UnavailableError } from '../../src/model/error.ts';
import type { SyncPorts } from '../../src/sync/ports.ts';
import type { PlanOptions } from '../../src/plan/saved/push-plan.ts';
import { planPush } from '../../src/sync/plan/plan-sync.ts';
import { push, type PushResult } from '../../src/sync/push.ts';
import { resume } from '../../src/sync/resume.ts';
import {
  approve,
  expectNoKeyTwice,
  LEAGUES,
  mappingOn,
  outcomesOf,
  POINTS,
  PRICE_HEADER,
  PRICES,
  resultLines,
  setTable,
  TRIGGERS,
  userTable,
} from '../support/push-case.ts';
import type { FakeService } from '../support/fake-service.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from '../support/engine.ts';
import type { Fault } from '../support/fake-service.ts';
import { settingNames } from '../support/points.ts';

const SETTLE_MS = 120_000;
const users = mappingOn('users.csv', { batchSize: 100 });

const namedUsers = (engine: Engine, ...keys: readonly string[]): void =>
  userTable(engine, ...keys.map((key) => `${key},Name of ${key},`));
const names = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `U${at + 1}`);

const run = (
  engine: Engine,
  mapping: PushMapping = users,
  ports: Partial<SyncPorts> = {},
  options: Partial<PlanOptions> = {},
): Promise<PushResult> =>
  push(
    { ...engine.ports, concurrency: 1, ...ports },
    'push',
    [mapping],
    { ...PLAN_OPTIONS, ...options },
    approve,
  );

const outcomes = (result: PushResult | undefined): ReturnType<typeof outcomesOf> => {
  if (result === undefined) throw new Error('nothing to resume');
  return outcomesOf(result);
};
const pauses = ({ events }: Engine): readonly object[] => events.filter(({ kind }) => kind === 'pause');
const intentsOf = async ({ store }: Engine): Promise<readonly (readonly [number, string | null])[]> => {
  const [last] = await store.runs(1);
  const intents = await store.intents(last?.id ?? '');
  return intents.map(({ rowNumbers, result }) => [rowNumbers.length, result]);
};

describe('a write of users without an answer', () => {
  it('that left no trace is sent again once nothing can be applied late any more', async () => {
    const engine = await makeEngine({ faults: ['vanished'] });
    namedUsers(engine, ...names(3));
    expect(outcomes(await run(engine))).toEqual({ created: 3 });
    expect(engine.clock.slept).toEqual([SETTLE_MS]);
    expect(pauses(engine)).toMatchObject([
      { seconds: 120, reason: 'a write without an answer may still be applied' },
    ]);
    expect(await intentsOf(engine)).toEqual([
      [3, 'not_applied'],
      [3, 'applied'],
    ]);
    expectNoKeyTwice(engine);
  });

  it('that was applied late is found, and not sent again', async () => {
    const engine = await makeEngine({ lateMs: SETTLE_MS - 1, faults: ['late'] });
    namedUsers(engine, ...names(3));
    expect(outcomes(await run(engine))).toEqual({ created: 3 });
    expect(engine.service.writes).toHaveLength(1);
    expect(await intentsOf(engine)).toEqual([[3, 'applied']]);
  });

  it('waits from when its answer failed to come, however long it waited before it went out', async () => {
    const engine = await makeEngine({ lateMs: SETTLE_MS - 1, faults: ['late'] });
    engine.service.onCall = (body) => {
      if (body !== undefined) engine.clock.time += 900_000;
    };
    namedUsers(engine, ...names(3));
    await run(engine);
    expect(engine.service.writes).toHaveLength(1);
    expectNoKeyTwice(engine);
  });

  it('is sent three times at most; known not to be applied, it is then deferred', async () => {
    const engine = await makeEngine({ faults: ['vanished', undefined, 'vanished', 'vanished'] });
    namedUsers(engine, ...names(4));
    const twos = { ...users, batchSize: 2 };
    const result = await run(engine, twos);
    expect(outcomes(result)).toEqual({ created: 2, deferred: 2 });
    expect(result.report.exit_code).toBe(7);
    expect(resultLines(engine)[0]?.message).toContain('sent 3 times and never applied (the last answer: ');
    expect(await intentsOf(engine)).toEqual([
      [2, 'not_applied'],
      [2, 'applied'],
      [2, 'not_applied'],
      [2, 'not_applied'],
    ]);
    expect(engine.clock.slept).toEqual([SETTLE_MS, SETTLE_MS, SETTLE_MS]);
    expect(outcomes(await resume(engine.ports, undefined, approve))).toEqual({ created: 4 });
    expectNoKeyTwice(engine);
  });

  it('stops waiting at a signal, and its rows stay unknown', async () => {
    const engine = await makeEngine({ faults: ['vanished'] });
    namedUsers(engine, ...names(3));
    const clock = {
      now: () => engine.clock.now(),
      monotonic: () => engine.clock.monotonic(),
      sleep: (_ms: number, signal?: AbortSignal) => {
        engine.abort.abort(new InterruptedError('SIGINT', 'interrupted'));
        return Promise.reject(signal?.reason as Error);
      },
    };
    const result = await run(engine, users, { clock });
    expect(outcomes(result)).toEqual({ unknown: 3 });
    expect(result.report.exit_code).toBe(130);
  });

  /** The account counts users that no list shows, from the first write on. */
  const countsMoreOnceSent = (service: FakeService, more: number): void => {
    const send = service.send;
    service.send = (...args) => {
      service.removed = more;
      return send(...args);
    };
  };

  it.each<readonly [string, (engine: Engine) => void]>([
    [
      'a list that changes between the two readings',
      ({ service }) => {
        let lists = 0;
        const list = service.list;
        service.list = (...args) => {
          lists += 1;
          // The first one follows the answer at once; the second and the third are to agree.
          if (lists === 3)
            service.users.push({ id: 'x', user_id: 9, external_id: 'U1', display_name: 'Name of U1' });
          return list(...args);
        };
      },
    ],
    ['a list that cannot be read', ({ service }) => void (service.listable = false)],
    ['a record that does not say what it is', ({ service }) => void service.unreadable.add('there')],
    [
      'a list that states no total, where the account counts more',
      ({ service }) => {
        service.statesTotal = false;
        countsMoreOnceSent(service, 1);
      },
    ],
    [
      'an account that counts more beyond the list than before',
      ({ service }) => {
        countsMoreOnceSent(service, 3);
      },
    ],
  ])('is held by %s', async (_what, arrange) => {
    const engine = await makeEngine();
    engine.service.users.push({ id: 'o', user_id: 8, external_id: 'there', display_name: 'Name of there' });
    namedUsers(engine, 'there');
    await run(engine);
    engine.service.faults.push('vanished');
    namedUsers(engine, 'there', 'U1', 'U2');
    const planned = { ...users, compare: 'snapshot' as const };
    arrange(engine);
    const result = await run(engine, planned);
    expect(outcomes(result)).toMatchObject({ unchanged: 1 });
    expect(resultLines(engine).at(-1)?.outcome).toBe('unknown');
    expect(engine.service.writes).toHaveLength(1);
    expect((await intentsOf(engine)).at(-1)).toEqual([2, 'ambiguous']);
  });

  it('that the service applied twice is a conflict', async () => {
    const engine = await makeEngine({ faults: ['late'] });
    namedUsers(engine, 'U1');
    const sleep = engine.clock.sleep.bind(engine.clock);
    engine.clock.sleep = async (ms) => {
      await sleep(ms);
      engine.service.users.push({ id: 'x', user_id: 99, external_id: 'U1', display_name: 'Name of U1' });
    };
    expect(outcomes(await run(engine))).toEqual({ conflict: 1 });
    expect(engine.service.writes).toHaveLength(1);
  });

  it('of which the answer names a part is settled for the rest', async () => {
    const engine = await makeEngine({ faults: ['short'] });
    namedUsers(engine, ...names(3));
    expect(outcomes(await run(engine))).toEqual({ created: 3 });
    expect(engine.service.writes).toHaveLength(1);
  });

  it('that says no without the whole envelope goes out in smaller requests', async () => {
    const engine = await makeEngine();
    const { service } = engine;
    const send = service.send;
    let [sent, refused]: [number[], number] = [[], 0];
    service.send = async (operation, input) => {
      const { users: batch = [] } = input.body as { users?: readonly unknown[] };
      sent = [...sent, batch.length];
      if (batch.length <= 30) return send(operation, input);
      refused += 1;
      return { kind: 'ambiguous', reason: 'no envelope (HTTP 413)', status: 413 };
    };
    namedUsers(engine, ...names(100));
    expect(outcomes(await run(engine))).toEqual({ created: 100 });
    expect(refused).toBe(2);
    expect(sent).toEqual([100, 50, 25, 25, 25, 25]);
    namedUsers(engine, ...names(150));
    sent = [];
    await run(engine);
    expect(sent).toEqual([25, 25]);
    expectNoKeyTwice(engine);
  });
});

/** A service whose refusals are not its envelope: those for which `no` holds are refused so with 400. */
function refuseInOtherWords(
  { service }: Engine,
  no: (keys: readonly string[]) => boolean,
): { readonly sent: readonly number[] } {
  const { send } = service;
  const seen: { sent: number[] } = { sent: [] };
  service.send = async (operation, input) => {
    const { users: batch = [] } = input.body as { users?: readonly { external_id: string }[] };
    seen.sent = [...seen.sent, batch.length];
    if (!no(batch.map(({ external_id }) => external_id))) return send(operation, input);
    return { kind: 'ambiguous', reason: 'no envelope (HTTP 400): "bad input"', status: 400 };
  };
  return seen;
}

describe('a batch of users that is refused in other words than the envelope', () => {
  it('goes in smaller ones until the service takes them, however often a row was sent', async () => {
    const engine = await makeEngine();
    const seen = refuseInOtherWords(engine, (keys) => keys.length > 2);
    namedUsers(engine, ...names(64));
    expect(outcomes(await run(engine))).toEqual({ created: 64 });
    expect(seen.sent.filter((size) => size > 2)).toEqual([64, 32, 16, 8, 4, 4]);
    expect(engine.clock.slept.length).toBeLessThanOrEqual(6);
    expectNoKeyTwice(engine);
  });

  it('loses only the rows that are refused alone, and says why', async () => {
    const engine = await makeEngine();
    const seen = refuseInOtherWords(engine, (keys) => keys.includes('U7') || keys.includes('U140'));
    namedUsers(engine, ...names(400));
    expect(outcomes(await run(engine))).toEqual({ created: 398, rejected: 2 });
    expect(engine.clock.slept.length).toBeLessThanOrEqual(8);
    expect(seen.sent.length).toBeLessThan(50);
    const rejected = resultLines(engine).filter(({ outcome }) => outcome === 'rejected');
    expect(rejected.map(({ message }) => message)).toEqual([
      'users.csv row 8: the service refused it: no envelope (HTTP 400): "bad input"',
      'users.csv row 141: the service refused it: no envelope (HTTP 400): "bad input"',
    ]);
    expectNoKeyTwice(engine);
  });

  it('rejects every row of a service that refuses each of them', async () => {
    const engine = await makeEngine();
    refuseInOtherWords(engine, () => true);
    namedUsers(engine, ...names(9));
    expect(outcomes(await run(engine))).toEqual({ rejected: 9 });
    expect(engine.clock.slept.length).toBeLessThanOrEqual(5);
    expect(engine.service.writes).toHaveLength(0);
  });

  it('goes on with the smaller ones in resume, where the run may not wait', async () => {
    const engine = await makeEngine();
    const seen = refuseInOtherWords(engine, (keys) => keys.length > 25);
    namedUsers(engine, ...names(100));
    const result = await run(engine, users, { maxWaitMs: 1000 });
    expect(outcomes(result)).toEqual({ unknown: 100 });
    expect(resultLines(engine)[0]?.message).toContain('no envelope (HTTP 400): "bad input"');
    expect(outcomes(await resume(engine.ports, undefined, approve))).toEqual({ created: 100 });
    expect(seen.sent).toEqual([100, 50, 25, 25, 25, 25]);
    expectNoKeyTwice(engine);
  });

  it('holds for single changes too: each is sent once, and rejected once it is known not to be there', async () => {
    const engine = await makeEngine();
    namedUsers(engine, ...names(5));
    await run(engine);
    userTable(engine, ...names(5).map((key) => `${key},New ${key},`));
    const seen = refuseInOtherWords(engine, () => true);
    expect(outcomes(await run(engine))).toEqual({ rejected: 5 });
    expect(seen.sent).toHaveLength(5);
    expect(engine.clock.slept).toHaveLength(1);
    expect(resultLines(engine)[0]?.message).toContain('refused it: no envelope (HTTP 400): "bad input"');
  });

  it('that was applied all the same is found, and nothing is sent again', async () => {
    const engine = await makeEngine();
    const { send } = engine.service;
    engine.service.send = async (operation, input) => {
      await send(operation, input);
      return { kind: 'ambiguous', reason: 'no envelope (HTTP 400): "bad input"', status: 400 };
    };
    namedUsers(engine, ...names(9));
    expect(outcomes(await run(engine))).toEqual({ created: 9 });
    expect(engine.service.writes).toHaveLength(1);
  });
});

describe('a refused batch of users', () => {
  it.each<readonly [string, (engine: Engine) => void]>([
    ['comes late', ({ service }) => void (service.listLagMs = 30_000)],
    ['comes late, like the counter', ({ service }) => void (service.listLagMs = 30_000)],
  ])('that was half applied is not sent twice where the list %s', async (what, arrange) => {
    const engine = await makeEngine();
    arrange(engine);
    if (what.includes('counter')) engine.service.counter = { lagMs: 30_000 };
    engine.service.faults.push(undefined, 'half_then_refused');
    namedUsers(engine, ...names(8));
    const result = await run(engine, { ...users, batchSize: 4 });
    expect(outcomes(result)).toEqual({ created: 8 });
    expectNoKeyTwice(engine);
  });

  it('is believed to have left nothing only after a while where nothing is counted', async () => {
    const engine = await makeEngine({ counter: 'absent' });
    engine.service.refuses.add('U3');
    namedUsers(engine, ...names(8));
    const result = await run(engine);
    expect(outcomes(result)).toEqual({ created: 7, rejected: 1 });
    // Each halving has to wait.
    expect(engine.clock.slept).toEqual([SETTLE_MS, SETTLE_MS, SETTLE_MS]);
    expect(engine.service.writes.map(({ body }) => (body as { users: unknown[] }).users.length)).toEqual([
      8, 4, 4, 2, 2, 1, 1,
    ]);
  });

  it('is halved at once where the counter and the list agree', async () => {
    const engine = await makeEngine();
    engine.service.refuses.add('U3');
    namedUsers(engine, ...names(8));
    await run(engine);
    expect(engine.clock.slept).toEqual([]);
    expect(engine.service.writes).toHaveLength(7);
  });

  it('is believed only after a while once the service has kept a part of one, whatever its list and counter say', async () => {
    const engine = await makeEngine();
    const { service } = engine;
    service.faults.push('half_then_refused');
    namedUsers(engine, ...names(4));
    expect(outcomes(await run(engine))).toEqual({ created: 4 });
    service.listLagMs = 30_000;
    service.counter = { lagMs: 30_000 };
    engine.clock.time += SETTLE_MS;
    service.faults.push('half_then_refused');
    namedUsers(engine, ...names(8));
    engine.clock.slept.length = 0;
    expect(outcomes(await run(engine))).toEqual({ created: 4, unchanged: 4 });
    expect(engine.clock.slept).toEqual([SETTLE_MS]);
    expectNoKeyTwice(engine);
  });

  it('is not believed where the list came late before: what it shows by now may be what others made', async () => {
    const engine = await makeEngine();
    const { service, clock } = engine;
    service.listLagMs = 30_000;
    const others = ['O1', 'O2'].map((name) => ({ external_id: name, display_name: name }));
    await service.send('create-users', { body: { users: others } });
    service.faults.push('half_then_refused');
    namedUsers(engine, ...names(4));
    const approveLate = (): Promise<void> => {
      clock.time += 60_000;
      return Promise.resolve();
    };
    const result = await push(engine.ports, 'push', [users], PLAN_OPTIONS, approveLate);
    expect(outcomes(result)).toEqual({ created: 4 });
    expectNoKeyTwice(engine);
  });

  it('costs what the plan says at most when every row is refused', async () => {
    const engine = await makeEngine();
    for (const name of names(11)) engine.service.refuses.add(name);
    engine.service.users.push({ id: 'o', user_id: 8, external_id: 'there', display_name: 'x' });
    namedUsers(engine, ...names(11));
    const mapping = { ...users, batchSize: 5 };
    const planned = await planPush(engine.ports, [mapping], PLAN_OPTIONS);
    const [plan] = planned.mappings;
    await planned.rows.remove();
    const before = engine.service.reads;
    expect(outcomes(await run(engine, mapping))).toEqual({ rejected: 11 });
    expect(engine.service.writes).toHaveLength(plan?.worst.writes ?? 0);
    // The account and the list that rows are compared with come first.
    expect(engine.service.reads - before - 2).toBe(plan?.worst.reads);
  });
});

describe('a user that was created and whose flag is not set yet', () => {
  it('gets its flag also when the last settling of the run found it', async () => {
    const engine = await makeEngine({ listable: true, faults: ['vanished', undefined, 'vanished', 'lost'] });
    setTable(engine, 'users', 'external_id,display_name,is_active', 'U1,One,false', 'U2,Two,');
    // What was lost the third time is found only after a while.
    let sent = 0;
    engine.service.onCall = (body) => {
      if (body !== undefined) sent += 1;
      engine.service.listable = sent !== 4 || engine.clock.slept.length > 2;
    };
    expect(outcomes(await run(engine, { ...users, batchSize: 1 }))).toEqual({ created: 2 });
    expect(engine.service.users.find(({ external_id }) => external_id === 'U1')?.is_active).toBe(false);
    expectNoKeyTwice(engine);
  });

  it('is not said to be without it when the flag was sent last: somebody may have set it back', async () => {
    const engine = await makeEngine({ faults: ['vanished', 'vanished', undefined, 'lost'] });
    setTable(engine, 'users', 'external_id,display_name,is_active', 'U1,One,false');
    const sleep = engine.clock.sleep.bind(engine.clock);
    engine.clock.sleep = (ms) => {
      const [user] = engine.service.users;
      if (user !== undefined) engine.service.users[0] = { ...user, is_active: true };
      return sleep(ms);
    };
    expect(outcomes(await run(engine))).toEqual({ deferred: 1 });
    expect(resultLines(engine)[0]?.message).toBe(
      'users.csv row 2: created, but its active flag was not set: sent 3 times without a trustworthy answer, and nothing shows that it was applied (the last answer: connection reset)',
    );
  });
});

describe('a change without an answer', () => {
  it('is not compared with what is remembered: it may have come through', async () => {
    const engine = await makeEngine();
    const mapping = { ...users, compare: 'snapshot' as const };
    userTable(engine, 'U1,One,');
    await run(engine, mapping);
    userTable(engine, 'U1,Eins,');
    engine.service.faults.push('lost', 'lost', 'lost');
    expect(outcomes(await run(engine, mapping, { maxWaitMs: 0 }))).toEqual({ unknown: 1 });
    userTable(engine, 'U1,One,');
    expect(outcomes(await run(engine, mapping))).toEqual({ updated: 1 });
    expect(engine.service.users).toMatchObject([{ display_name: 'One' }]);
  });

  it('waits where the service cannot be listed either', async () => {
    const engine = await makeEngine();
    userTable(engine, 'U1,One,');
    await run(engine);
    userTable(engine, 'U1,Eins,');
    engine.service.faults.push('lost', 'lost', 'lost');
    await run(engine, users, { maxWaitMs: 0 });
    userTable(engine, 'U1,One,');
    engine.service.listable = false;
    expect(outcomes(await run(engine))).toEqual({ deferred: 1 });
    expect(resultLines(engine)[0]?.message).toContain('has no trustworthy answer');
  });

  /** A user `U1` that is there, and a table that gives it another name. */
  async function renamed(engine: Engine): Promise<void> {
    userTable(engine, 'U1,One,');
    await run(engine);
    userTable(engine, 'U1,Eins,');
  }

  it('that is not seen and could not go again is not called unsent', async () => {
    const engine = await makeEngine();
    await renamed(engine);
    engine.service.faults.push('lost', 'lost', 'lost', 'unreachable');
    await run(engine, users, { maxWaitMs: 0 });
    const [user] = engine.service.users;
    if (user !== undefined) engine.service.users[0] = { ...user, display_name: 'Eve' };
    expect(outcomes(await resume(engine.ports, undefined, approve))).toEqual({ deferred: 1 });
    expect(resultLines(engine)[0]?.message).toMatch(
      /: sent without a trustworthy answer, and nothing shows that it was applied; not sent again: the service could not be reached/,
    );
    expect(outcomes(await resume(engine.ports, undefined, approve))).toEqual({ updated: 1 });
  });

  it('of a user whose key is there twice is no reason to write to one of them', async () => {
    const engine = await makeEngine();
    const { service } = engine;
    service.users.push(
      ...[1, 2].map((at) => ({
        id: `o${at}`,
        user_id: 90 + at,
        external_id: 'A',
        display_name: `Name ${at}`,
      })),
    );
    namedUsers(engine, 'B');
    service.faults.push('vanished');
    await run(engine, users, { maxWaitMs: 0 });
    // What is counted and not listed may be the write that had no answer.
    service.removed = 1;
    namedUsers(engine, 'A', 'B');
    expect(outcomes(await run(engine))).toEqual({ deferred: 1, conflict: 1 });
    expect(service.writes).toHaveLength(1);
  });

  it('is held where the service had no room for the second attempt', async () => {
    const engine = await makeEngine();
    await renamed(engine);
    engine.service.faults.push('lost', 'throttled');
    const result = await run(engine);
    expect(outcomes(result)).toEqual({ unknown: 1 });
    expect(outcomes(await resume(engine.ports, undefined, approve))).toEqual({ updated: 1 });
    expect(engine.service.writes.slice(1)).toHaveLength(2);
  });

  it('of a user that another run has changed since ends in conflict, not as created', async () => {
    const engine = await makeEngine();
    userTable(engine, 'U1,One,false');
    engine.service.faults.push(undefined, 'vanished', 'vanished', 'vanished');
    const first = await run(engine, users, { maxWaitMs: 0 });
    expect(outcomes(first)).toEqual({ unknown: 1 });
    userTable(engine, 'U1,Eins,false');
    expect(outcomes(await run(engine))).toEqual({ updated: 1 });
    expect(outcomes(await resume(engine.ports, first.report.run ?? '', approve))).toEqual({ conflict: 1 });
    expect(resultLines(engine)[0]?.message).toContain('display_name');
    expect(engine.service.users).toMatchObject([{ display_name: 'Eins', is_active: false }]);
  });
});

describe('two mappings with one key', () => {
  const other = mappingOn('others.csv', { name: 'others' });
  const both = (engine: Engine, ports: Partial<SyncPorts> = {}): Promise<PushResult> => {
    namedUsers(engine, 'U1', 'U2');
    setTable(engine, 'others', 'external_id,display_name', 'U2,Name of U2', 'U3,Name of U3');
    const all = { ...engine.ports, concurrency: 1, ...ports };
    return push(all, 'push', [users, other], PLAN_OPTIONS, approve);
  };

  it('create it once', async () => {
    const engine = await makeEngine();
    await both(engine);
    expect(resultLines(engine, 'others').map(({ outcome }) => outcome)).toEqual(['unchanged', 'created']);
    expectNoKeyTwice(engine);
  });

  it('do not create it while it is not known what became of the first write of it', async () => {
    const engine = await makeEngine({ faults: ['late'] });
    await both(engine, { maxWaitMs: 0 });
    expect(resultLines(engine, 'others').map(({ outcome }) => outcome)).toEqual(['deferred', 'created']);
    engine.clock.time += SETTLE_MS;
    engine.service.applyLate();
    expectNoKeyTwice(engine);
    await resume(engine.ports, undefined, approve);
    expect(resultLines(engine, 'others').map(({ outcome }) => outcome)).toEqual(['unchanged', 'created']);
    expectNoKeyTwice(engine);
  });
});

it('what an answer shows under a key is remembered, also when it is not what was sent', async () => {
  const engine = await makeEngine();
  namedUsers(engine, 'U1');
  const { send } = engine.service;
  engine.service.send = async (operation, input) => {
    const result = await send(operation, input);
    const [user] = engine.service.users;
    if (user !== undefined) engine.service.users[0] = { ...user, display_name: 'Somebody' };
    if (result.kind !== 'applied') return result;
    return { ...result, records: engine.service.users as never };
  };
  expect(outcomes(await run(engine))).toEqual({ conflict: 1 });
  engine.service.send = send;
  // It is known to be there, so that it is changed and not created again.
  expect(outcomes(await run(engine, { ...users, compare: 'snapshot' }))).toEqual({ updated: 1 });
  expectNoKeyTwice(engine);
});

it('records that share a key are not taken for ones that no list shows', async () => {
  const engine = await makeEngine();
  const { service } = engine;
  service.users.push(
    ...[1, 2, 3].map((at) => ({ id: `o${at}`, user_id: 90 + at, external_id: 'O', display_name: 'Other' })),
  );
  // The third one came between the account and the list.
  service.quotas = { users: { max: 1000, used: 2, remaining: 998 } };
  service.faults.push('vanished');
  namedUsers(engine, 'U1');
  expect(outcomes(await run(engine, users, { maxWaitMs: 0 }))).toEqual({ unknown: 1 });
  service.quotas = {};
  namedUsers(engine, 'U1', 'U2');
  expect(outcomes(await run(engine))).toEqual({ created: 2 });
  expectNoKeyTwice(engine);
});

it('a service that refuses to be listed in words of its own is compared with what is remembered', async () => {
  const engine = await makeEngine();
  namedUsers(engine, 'U1', 'U2');
  await run(engine);
  const refusal = new UnavailableError('service.no_envelope', 'JSON that is not the envelope (HTTP 400)');
  engine.service.list = () => {
    throw refusal;
  };
  expect(outcomes(await run(engine))).toEqual({ unchanged: 2 });
});

/** A resource that no list shows, with a table of two rows that go out one after the other. */
interface Unlisted {
  readonly mapping: PushMapping;
  readonly table: readonly (readonly string[])[];
}
const WEEKS = ['01234567-89ab-4cde-8f01-23456789abcd', '01234567-89ab-4cde-8f01-23456789abce'];
const UNLISTED = {
  prices: {
    mapping: { ...PRICES, batchSize: 2 },
    table: [
      PRICE_HEADER,
      ...['1,1,5,initial', '1,2,6,initial', '1,3,7,initial', '1,4,8,initial'].map((line) => line.split(',')),
    ],
  },
  leagues: {
    mapping: LEAGUES,
    table: [
      ['name', 'league_id'],
      ['Cup', '1'],
      ['Shield', '1'],
    ],
  },
  points: {
    mapping: POINTS,
    table: [
      ['fantasy_league_id', ...settingNames],
      ['1', ...settingNames.map(() => '1')],
      ['2', ...settingNames.map(() => '2')],
    ],
  },
  triggers: {
    mapping: TRIGGERS,
    table: [['fantasy_league_id', 'game_week_id'], ...WEEKS.map((week, at) => [String(at + 1), week])],
  },
} satisfies Record<string, Unlisted>;

const runUnlisted = (
  engine: Engine,
  name: keyof typeof UNLISTED,
  options: Partial<PlanOptions> = {},
): Promise<PushResult> => {
  const { mapping, table } = UNLISTED[name];
  engine.tables.set(`${name}.csv`, table);
  return run(engine, mapping, {}, options);
};
const told = (engine: Engine, name: keyof typeof UNLISTED): readonly string[] => [
  ...new Set(resultLines(engine, name).map(({ outcome, message }) => (message === '' ? outcome : message))),
];
/** Time goes by while a run waits until nothing can be applied late: then this happens. */
function whileWaiting(engine: Engine, happen: () => void): void {
  const sleep = engine.clock.sleep.bind(engine.clock);
  engine.clock.sleep = async (ms) => {
    await sleep(ms);
    happen();
  };
}

describe('a write without an answer that no list shows', () => {
  type Row = readonly [
    keyof typeof UNLISTED,
    string,
    {
      readonly fault?: Fault;
      readonly arrange?: (engine: Engine) => void;
      readonly options?: Partial<PlanOptions>;
    },
    Record<string, number>,
    number,
    RegExp,
  ];
  const lateMs = SETTLE_MS - 1;
  const late = { fault: 'late' as const, arrange: ({ service }: Engine) => void (service.lateMs = lateMs) };
  const settle = { onAmbiguous: 'settle' as const };
  const rows: readonly Row[] = [
    // POST /price: the uploads of the log, by their reference, that were not there before.
    ['prices', 'in the log at once: applied', { fault: 'lost' }, { created: 4 }, 2, /^created$/],
    ['prices', 'in the log after a while: applied', late, { created: 4 }, 2, /^created$/],
    ['prices', 'not in the log: held', {}, { created: 2, unknown: 2 }, 2, /the upload log does not show it/],
    [
      'prices',
      'not in the log, where settling is allowed: sent again',
      { options: settle },
      { created: 4 },
      3,
      /./,
    ],
    [
      'prices',
      'a log without references has grown: held, also where settling is allowed',
      {
        fault: 'lost',
        arrange: ({ service }) => {
          service.references = 'absent';
          service.prices.push({ player_id: 50, price: 1 });
        },
        options: { ...settle, adopt: true },
      },
      { created: 2, unknown: 2 },
      2,
      /the upload log has 2 records more than before/,
    ],
    [
      'prices',
      'a log without references has not grown: sent again where settling is allowed',
      { arrange: ({ service }) => void (service.references = 'absent'), options: settle },
      { created: 4 },
      3,
      /./,
    ],
    [
      'prices',
      'references that are those of records, and it has grown: held',
      {
        fault: 'lost',
        arrange: ({ service }) => void (service.references = 'record'),
        options: settle,
      },
      { created: 2, unknown: 2 },
      2,
      /the upload log has 2 records more than before/,
    ],
    [
      'prices',
      'somebody else uploaded meanwhile: held, also where settling is allowed',
      {
        arrange: (engine) => {
          whileWaiting(engine, () =>
            engine.service.prices.push({ player_id: 9, price: 1, league: 1, write: 99 }),
          );
        },
        options: settle,
      },
      { created: 2, unknown: 2 },
      2,
      /the upload log has 1 record more than before/,
    ],
    [
      'prices',
      'another league has an upload of the same players: held',
      {
        arrange: (engine) => {
          whileWaiting(engine, () => {
            for (const player_id of [1, 2])
              engine.service.prices.push({ player_id, price: 1, league: 2, write: 99 });
          });
        },
        options: settle,
      },
      { created: 2, unknown: 2 },
      2,
      /the upload log has 2 records more than before/,
    ],
    [
      'prices',
      'a log whose length nothing states: held, also where settling is allowed',
      { arrange: ({ service }) => void (service.statesTotal = false), options: settle },
      { created: 2, unknown: 2 },
      2,
      /could not be read/,
    ],
    [
      'prices',
      'a long log is known by its length: held',
      {
        fault: 'lost',
        arrange: ({ service }) => {
          service.prices.push(...Array.from({ length: 21 }, (_, at) => ({ player_id: at + 50, price: 1 })));
          service.pageSize = 1;
        },
        options: { ...settle, adopt: true },
      },
      { created: 2, unknown: 2 },
      2,
      /the upload log has 2 records more than before/,
    ],
    [
      'prices',
      'a long log that has not grown: sent again where settling is allowed',
      {
        arrange: ({ service }) => {
          service.prices.push(...Array.from({ length: 21 }, (_, at) => ({ player_id: at + 50, price: 1 })));
          service.pageSize = 1;
        },
        options: { ...settle, adopt: true },
      },
      { created: 4 },
      3,
      /./,
    ],
    // POST /fantasy-league: the account's counter, and nothing else.
    [
      'leagues',
      'the counter rose by one: it exists, but nobody knows its id',
      { fault: 'lost', options: settle },
      { created: 1, unknown: 1 },
      2,
      /nothing shows its id: ask the provider for it, then type teamsheet resolve \w+ --assume applied/,
    ],
    [
      'leagues',
      'the counter stands still: held',
      {},
      { created: 1, unknown: 1 },
      2,
      /counts no more fantasy leagues/,
    ],
    [
      'leagues',
      'the counter stands still, where settling is allowed: sent again',
      { options: settle },
      { created: 2 },
      3,
      /./,
    ],
    [
      'leagues',
      'the counter rose by two: held',
      {
        arrange: ({ service }) => {
          service.onCall = (body) => {
            if (body !== undefined && service.leagues.length === 0)
              service.leagues.push({ id: 8, name: 'of others' }, { id: 9, name: 'of others' });
          };
        },
        options: settle,
      },
      { created: 1, unknown: 1 },
      2,
      /counts 2 more fantasy leagues than before, and 1 had no answer/,
    ],
    [
      'leagues',
      'nothing is counted: held, also where settling is allowed',
      { arrange: ({ service }) => void (service.counter = 'absent'), options: settle },
      { created: 1, unknown: 1 },
      2,
      /could not be read/,
    ],
    // POST /points/config: the configuration of the league, field by field.
    ['points', 'every field stands there: applied', { fault: 'lost' }, { created: 2 }, 2, /^created$/],
    ['points', 'it stands there after a while: applied', late, { created: 2 }, 2, /^created$/],
    [
      'points',
      'another configuration stands there: held',
      { arrange: ({ service }) => void service.configs.set(1, { fantasy_league_id: 1, starter_points: 9 }) },
      { created: 1, unknown: 1 },
      2,
      /the league has another points configuration/,
    ],
    [
      'points',
      'another configuration, where settling is allowed: sent again',
      {
        arrange: ({ service }) => void service.configs.set(1, { fantasy_league_id: 1, starter_points: 9 }),
        options: settle,
      },
      { created: 1, updated: 1 },
      3,
      /./,
    ],
    [
      'points',
      'none can be read: held, also where settling is allowed',
      { options: settle },
      { created: 1, unknown: 1 },
      2,
      /could not be read/,
    ],
    // POST /auto-substitution: new records in the log of the league.
    ['triggers', 'new records at once: applied', { fault: 'lost' }, { created: 2 }, 2, /./],
    ['triggers', 'new records after a while: applied', late, { created: 2 }, 2, /./],
    [
      'triggers',
      'no new records: held for ever, also where settling is allowed',
      { options: settle },
      { created: 1, unknown: 1 },
      2,
      /shows no new substitution.*--again/,
    ],
  ];

  it.each(rows)(
    '%s: %s',
    async (name, _what, { fault = 'vanished', arrange, options }, expected, writes, message) => {
      const engine = await makeEngine({ faults: [fault] });
      arrange?.(engine);
      const result = await runUnlisted(engine, name, options);
      expect(outcomes(result)).toEqual(expected);
      expect(engine.service.writes).toHaveLength(writes);
      const said = told(engine, name).join('\n');
      expect(said).toMatch(message);
      expect(said, 'nobody is to look again at what was looked for in vain').not.toContain('looks for it');
      expect(result.report.exit_code).toBe(expected['unknown'] === undefined ? 0 : 7);
      // A later push does not send a held row either.
      if (expected['unknown'] !== undefined) {
        await runUnlisted(engine, name, { ...options, adopt: true });
        expect(engine.service.writes).toHaveLength(writes);
        expect(resultLines(engine, name)[0]?.outcome).toBe('deferred');
      }
    },
  );

  it('a service that kept a part of a refused upload is given time to show the next one', async () => {
    const engine = await makeEngine();
    const { service } = engine;
    service.faults.push('half_then_refused');
    expect(outcomes(await runUnlisted(engine, 'prices'))).toEqual({ created: 2, unknown: 2 });
    service.listLagMs = 30_000;
    engine.clock.time += SETTLE_MS;
    engine.clock.slept.length = 0;
    service.faults.push('half_then_refused');
    const { mapping, table } = UNLISTED.prices;
    const more = [
      ['1', '5', '5', 'initial'],
      ['1', '6', '6', 'initial'],
    ];
    engine.tables.set('prices.csv', [...table, ...more]);
    expect(outcomes(await run(engine, mapping))).toEqual({ unchanged: 2, deferred: 2, unknown: 2 });
    expect(engine.clock.slept).toEqual([SETTLE_MS]);
    expectNoKeyTwice(engine);
  });

  it('two uploads of the same players are not taken for each other', async () => {
    const engine = await makeEngine({ faults: [undefined, 'vanished'] });
    const { mapping, table } = UNLISTED.prices;
    const [header = []] = table;
    engine.tables.set('prices.csv', [
      header,
      ['1', '1', '5', 'initial'],
      ['1', '2', '5', 'initial'],
      ['1', '1', '6', 'current'],
      ['1', '2', '6', 'current'],
    ]);
    expect(outcomes(await run(engine, mapping))).toEqual({ created: 2, unknown: 2 });
  });

  it('a trigger beside another one of its league is held: the new records may be of either', async () => {
    const engine = await makeEngine({ faults: [undefined, 'lost'] });
    engine.tables.set('triggers.csv', [
      ['fantasy_league_id', 'game_week_id'],
      ...WEEKS.map((week) => ['1', week]),
    ]);
    expect(outcomes(await run(engine, UNLISTED.triggers.mapping))).toEqual({ created: 1, unknown: 1 });
    expect(told(engine, 'triggers').join(' ')).toContain('may belong to another trigger');
  });

  it('a trigger that the log did not show is not found in substitutions that come after the run', async () => {
    const engine = await makeEngine({ faults: ['vanished'] });
    expect(outcomes(await runUnlisted(engine, 'triggers'))).toEqual({ created: 1, unknown: 1 });
    engine.service.substitutions.push({ id: 'of somebody else', fantasy_league_id: 1 });
    expect(outcomes(await resume(engine.ports, undefined, approve))).toEqual({ created: 1, unknown: 1 });
    expect(told(engine, 'triggers').join(' ')).toContain('after settle had passed');
  });

  it('does not take what an earlier run made, in the same moment, for what was lost', async () => {
    const engine = await makeEngine({ faults: ['refused', 'refused'] });
    await runUnlisted(engine, 'leagues');
    setTable(engine, 'leagues', 'name,league_id', 'Plate,1');
    await run(engine, UNLISTED.leagues.mapping);
    engine.service.faults.push('lost');
    const result = await runUnlisted(engine, 'leagues', { onAmbiguous: 'settle' });
    expect(outcomes(result)).toEqual({ created: 1, unknown: 1 });
    expectNoKeyTwice(engine);
  });

  it('is settled by resume too, and sent again by resume where that is allowed', async () => {
    const engine = await makeEngine({ faults: ['vanished'] });
    await runUnlisted(engine, 'prices');
    expect(outcomes(await resume(engine.ports, undefined, approve))).toEqual({ created: 2, unknown: 2 });
    expect(engine.service.writes).toHaveLength(2);
    const settled = await resume(engine.ports, undefined, approve, { onAmbiguous: 'settle' });
    expect(outcomes(settled)).toEqual({ created: 4 });
    expect(engine.service.writes).toHaveLength(3);
    expectNoKeyTwice(engine);
  });

  it('is sent again where resume allows that, also in a run that was never planned to its end', async () => {
    const engine = await makeEngine();
    const { mapping, table } = UNLISTED.prices;
    engine.tables.set('prices.csv', table);
    const cancel = (): Promise<never> => Promise.reject(new InterruptedError('SIGINT', 'cancelled'));
    await expect(push(engine.ports, 'push', [mapping], PLAN_OPTIONS, cancel)).rejects.toThrow('cancelled');
    engine.service.faults.push('vanished');
    expect(outcomes(await resume(engine.ports, undefined, approve, { onAmbiguous: 'settle' }))).toEqual({
      created: 4,
    });
    expectNoKeyTwice(engine);
  });

  it('is found by resume after a run that might not wait', async () => {
    const engine = await makeEngine({ faults: ['late'] });
    const { mapping, table } = UNLISTED.prices;
    engine.tables.set('prices.csv', table);
    expect(outcomes(await run(engine, mapping, { maxWaitMs: 0 }))).toEqual({ created: 2, unknown: 2 });
    expect(engine.clock.slept).toEqual([]);
    expect(outcomes(await resume(engine.ports, undefined, approve))).toEqual({ created: 4 });
    expect(engine.clock.slept).toEqual([SETTLE_MS]);
    expect(engine.service.writes).toHaveLength(2);
  });

  it('costs reading requests that the plan counts', async () => {
    const engine = await makeEngine();
    for (const name of ['prices', 'leagues', 'triggers'] as const) {
      const { report } = await runUnlisted(engine, name);
      expect(report.requests.planned).toBe(report.requests.sent);
    }
  });
});
