import { describe, expect, it } from 'vitest';
import type { PushMapping } from '../../../src/mapping/mapping.ts';
import { InterruptedError } from '../../../src/model/error.ts';
import { OUTCOMES } from '../../../src/model/outcome.ts';
import type { SyncPorts } from '../../../src/sync/sync.ts';
import { push, type PushResult } from '../../../src/sync/push.ts';
import { resume } from '../../../src/sync/resume.ts';
import { approve, expectNoKeyTwice, mappingOn, resultLines, summaryOf } from '../../property/push-case.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from '../../support/engine.ts';

const SETTLE_MS = 120_000;
const users = mappingOn('users.csv', { batchSize: 100 });

const userTable = (engine: Engine, ...keys: readonly string[]): void => {
  engine.tables.set('users.csv', [
    ['external_id', 'display_name'],
    ...keys.map((key) => [key, `Name of ${key}`]),
  ]);
};
const names = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `U${at + 1}`);

const run = (
  engine: Engine,
  mapping: PushMapping = users,
  ports: Partial<SyncPorts> = {},
): Promise<PushResult> =>
  push({ ...engine.ports, concurrency: 1, ...ports }, 'push', [mapping], PLAN_OPTIONS, approve);

const outcomes = (result: PushResult | undefined): Record<string, number> => {
  if (result === undefined) throw new Error('nothing to resume');
  const summary = summaryOf(result);
  return Object.fromEntries(OUTCOMES.flatMap((one) => (summary[one] > 0 ? [[one, summary[one]]] : [])));
};
const pauses = ({ events }: Engine): readonly object[] => events.filter(({ kind }) => kind === 'pause');
const intentsOf = async ({ store }: Engine): Promise<readonly (readonly [number, string | null])[]> => {
  const [last] = await store.runs(1);
  const intents = await store.intents(last?.id ?? '');
  return intents.map(({ rowNumbers, result }) => [rowNumbers.length, result]);
};

describe('a write of users without an answer', () => {
  it('that left no trace is sent again once nothing can be applied late any more', async () => {
    const engine = await makeEngine();
    engine.service.faults.push('vanished');
    userTable(engine, ...names(3));
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
    const engine = await makeEngine();
    engine.service.faults.push('late');
    engine.service.lateMs = SETTLE_MS - 1;
    userTable(engine, ...names(3));
    expect(outcomes(await run(engine))).toEqual({ created: 3 });
    expect(engine.service.writes).toHaveLength(1);
    expect(await intentsOf(engine)).toEqual([[3, 'applied']]);
  });

  it('waits from when its answer failed to come, however long it waited before it went out', async () => {
    const engine = await makeEngine();
    engine.service.faults.push('late');
    engine.service.lateMs = SETTLE_MS - 1;
    engine.service.onCall = (body) => {
      if (body !== undefined) engine.clock.time += 900_000;
    };
    userTable(engine, ...names(3));
    await run(engine);
    expect(engine.service.writes).toHaveLength(1);
    expectNoKeyTwice(engine);
  });

  it('is sent three times at most; known not to be applied, it is then deferred', async () => {
    const engine = await makeEngine();
    engine.service.faults.push('vanished', undefined, 'vanished', 'vanished');
    userTable(engine, ...names(4));
    const twos = { ...users, batchSize: 2 };
    const result = await run(engine, twos);
    expect(outcomes(result)).toEqual({ created: 2, deferred: 2 });
    expect(result.report.exit_code).toBe(7);
    expect(resultLines(engine)[0]?.message).toContain('sent 3 times, and applied none of these times');
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
    const engine = await makeEngine();
    engine.service.faults.push('vanished');
    userTable(engine, ...names(3));
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
        service.removed = 1;
      },
    ],
    [
      'an account that counts more beyond the list than before',
      ({ service }) => {
        const send = service.send;
        service.send = (...args) => {
          service.removed = 3;
          return send(...args);
        };
      },
    ],
  ])('is held by %s', async (_what, arrange) => {
    const engine = await makeEngine();
    engine.service.users.push({ id: 'o', user_id: 8, external_id: 'there', display_name: 'Name of there' });
    userTable(engine, 'there');
    await run(engine);
    engine.service.faults.push('vanished');
    userTable(engine, 'there', 'U1', 'U2');
    const planned = { ...users, compare: 'snapshot' as const };
    arrange(engine);
    const result = await run(engine, planned);
    expect(outcomes(result)).toMatchObject({ unchanged: 1 });
    expect(resultLines(engine).at(-1)?.outcome).toBe('unknown');
    expect(engine.service.writes).toHaveLength(1);
    expect((await intentsOf(engine)).at(-1)).toEqual([2, 'ambiguous']);
  });

  it('that the service applied twice is a conflict', async () => {
    const engine = await makeEngine();
    engine.service.faults.push('late');
    userTable(engine, 'U1');
    const sleep = engine.clock.sleep.bind(engine.clock);
    engine.clock.sleep = async (ms) => {
      await sleep(ms);
      engine.service.users.push({ id: 'x', user_id: 99, external_id: 'U1', display_name: 'Name of U1' });
    };
    expect(outcomes(await run(engine))).toEqual({ conflict: 1 });
    expect(engine.service.writes).toHaveLength(1);
  });

  it('of which the answer names a part is settled for the rest', async () => {
    const engine = await makeEngine();
    engine.service.faults.push('short');
    userTable(engine, ...names(3));
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
    userTable(engine, ...names(100));
    expect(outcomes(await run(engine))).toEqual({ created: 100 });
    expect(refused).toBe(2);
    expect(sent).toEqual([100, 50, 25, 25, 25, 25]);
    userTable(engine, ...names(150));
    sent = [];
    await run(engine);
    expect(sent).toEqual([25, 25]);
    expectNoKeyTwice(engine);
  });
});
