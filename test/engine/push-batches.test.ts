import { describe, expect, it } from 'vitest';
import { IncompleteError } from '../../src/model/error.ts';
import { renderSaid } from '../../src/model/said.ts';
import type { RunRow } from '../../src/model/state/run-rows.ts';
import { BatchPush } from '../../src/sync/write/push-batches.ts';
import { PushWriter } from '../../src/sync/write/push-writer.ts';
import { createUser, knownRecord, pushMapping, runRow } from '../support/builders.ts';
import { makeEngine, type Engine } from '../support/engine.ts';
import { settingNames } from '../support/points.ts';
import { ACCOUNT, intentOf, pushTask, startedRun, watched } from '../support/writes.ts';
import type { PushTask } from '../../src/sync/ports.ts';
import { told, words } from '../support/said.ts';

const SETTLE_MS = 120_000;
const LOOKS = '; teamsheet resume RUN looks for it';
const NO_ROOM = "the account's quota of users is full; after it is raised, teamsheet resume RUN sends it";

const creates = (count: number): readonly RunRow[] =>
  Array.from({ length: count }, (_, index) => createUser(index + 1));
/** A price of the player of this number. */
const price = (at: number, fantasy_league_id: number, changes: Partial<RunRow> = {}): RunRow =>
  runRow(
    at,
    { fantasy_league_id, player_id: at, price: 5, type: 'initial' },
    { change: 'create', key: `${fantasy_league_id}/${at}`, ...changes },
  );

const ofSize = (batchSize: number): Partial<PushTask> => ({ mapping: pushMapping({ batchSize }) });
const pricesOfSize = (batchSize: number): Partial<PushTask> => ({
  mapping: pushMapping({ name: 'prices', resource: 'prices', operation: 'append', batchSize }),
});

interface Pushing {
  readonly engine: Engine;
  readonly task: PushTask;
  readonly writer: PushWriter;
  /** Sends what is open; answers the error that ended it. */
  run(): Promise<unknown>;
}

async function pushing(
  given: readonly RunRow[],
  changes: Partial<PushTask> = {},
  arrange: (engine: Engine) => Promise<void> | void = () => undefined,
  ports: Partial<PushTask['ports']> = {},
): Promise<Pushing> {
  const engine = await makeEngine();
  const made = await pushTask(engine, given, changes);
  await arrange(engine);
  const task = { ...made, ports: { ...made.ports, ...ports } };
  const writer = new PushWriter(task);
  const batches = new BatchPush(writer);
  const run = (): Promise<unknown> =>
    batches.run().then(
      () => undefined,
      (error: unknown) => error,
    );
  return { engine, task, writer, run };
}

/** What each write of users or prices held: the numbers of the rows. */
const sent = ({ engine }: Pushing): readonly (readonly number[])[] =>
  engine.service.writes.map(({ body }) => {
    const { users, prices } = body as {
      readonly users?: readonly { readonly external_id: string }[];
      readonly prices?: readonly { readonly player_id: number }[];
    };
    return prices?.map((one) => one.player_id) ?? users?.map((one) => Number(one.external_id.slice(1))) ?? [];
  });
const sizes = (pushed: Pushing): readonly number[] => sent(pushed).map((rows) => rows.length);
const outcomes = async ({ task: { rows, mapping } }: Pushing): Promise<readonly (string | null)[]> =>
  (await rows.page(mapping.name, { afterRow: 0, limit: 100 })).map(({ outcome }) => outcome);
const messages = async ({ task: { rows, mapping } }: Pushing): Promise<readonly string[]> =>
  (await rows.page(mapping.name, { afterRow: 0, limit: 100 })).map((row) => told(row).message);
const results = async ({ engine }: Pushing): Promise<readonly (readonly [string | null, string])[]> =>
  (await engine.store.intents('RUN')).map(({ result, detail }) => [result, renderSaid(detail)]);
const fact = async ({ engine }: Pushing, name: string): Promise<string | undefined> =>
  (await engine.store.fact(ACCOUNT, name))?.value;

/** The writes of these numbers (from 1) have no trustworthy answer, and nothing is applied of them. */
const doubt =
  (status: number | undefined, ...writes: readonly number[]) =>
  ({ service }: Engine): void => {
    const { send } = service;
    service.send = async (operation, input) => {
      if (!writes.includes(service.writes.length + 1)) return send(operation, input);
      service.writes.push({ operation, body: input.body });
      return { kind: 'ambiguous', reason: 'no envelope', ...(status !== undefined && { status }) };
    };
  };

describe('rows go out together', () => {
  it('in row order, as many as the mapping says, those that are to be created', async () => {
    const given = [
      createUser(1),
      createUser(2, { outcome: 'created' }),
      createUser(3),
      createUser(4, { id: 'id-4' }),
      createUser(5, { change: 'update' }),
      createUser(6),
      createUser(7, { change: 'unchanged' }),
      createUser(8),
      createUser(9),
    ];
    const pushed = await pushing(given, ofSize(2));
    expect(await pushed.run()).toBeUndefined();
    expect(sent(pushed)).toEqual([[1, 3], [6, 8], [9]]);
    const yes = 'created';
    expect(await outcomes(pushed)).toEqual([yes, yes, yes, null, null, yes, null, yes, yes]);
    expect(await results(pushed)).toEqual([
      ['applied', ''],
      ['applied', ''],
      ['applied', ''],
    ]);
    expect(pushed.engine.service.reads).toBe(0);
  });

  it('with those of their group; new ones and changed ones alike where they are sent alike', async () => {
    const given = [
      price(1, 1),
      price(2, 2),
      price(3, 1, { change: 'update', id: 'x' }),
      price(4, 2),
      price(5, 1),
      price(6, 2, { change: 'unchanged' }),
    ];
    const pushed = await pushing(given, pricesOfSize(2));
    await pushed.run();
    expect(sent(pushed)).toEqual([[1, 3], [2, 4], [5]]);
    expect(pushed.engine.service.prices.map(({ league }) => league)).toEqual([1, 1, 2, 2, 1]);
    expect(await outcomes(pushed)).toEqual(['created', 'created', 'updated', 'created', 'created', null]);
  });

  it.each([
    ['users', creates(8), ofSize(1), 3],
    ['prices', Array.from({ length: 8 }, (_, at) => price(at + 1, 1)), pricesOfSize(1), 1],
  ] as const)('several requests at a time only where answers name their rows: %s', async (...given) => {
    const [, rows, changes, most] = given;
    let [now, seen] = [0, 0];
    const count = ({ service }: Engine): void => {
      const { send } = service;
      service.send = async (operation, input) => {
        now += 1;
        seen = Math.max(seen, now);
        for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
        const answer = await send(operation, input);
        now -= 1;
        return answer;
      };
    };
    const pushed = await pushing(rows, changes, count, { concurrency: 3 });
    await pushed.run();
    expect([seen, sizes(pushed)]).toEqual([most, Array(8).fill(1)]);
  });

  it('until one fails: nothing more is begun', async () => {
    const stop = new Error('gone');
    const pushed = await pushing(creates(9), ofSize(2), ({ service }) => {
      service.faults.push(undefined, { throws: stop });
    });
    expect(await pushed.run()).toBe(stop);
    expect(sent(pushed)).toEqual([[1, 2]]);
    expect(await outcomes(pushed)).toEqual(['created', 'created', ...Array<null>(7).fill(null)]);
  });

  it('with no more than they were refused with in other words before', async () => {
    const refused = async ({ store }: Engine): Promise<void> => {
      await store.addRun(startedRun('OTHER'));
      const known = [
        { rowNumbers: [3, 4, 22, 23] },
        { rowNumbers: [6, 7, 8, 9, 20, 21] },
        { rowNumbers: [1, 2], mapping: 'others' },
        { rowNumbers: [1, 2], runId: 'OTHER' },
      ];
      for (const [at, changes] of known.entries()) {
        await store.addIntent(ACCOUNT, intentOf(`W${at}`, changes));
        await store.recordResult(ACCOUNT, `W${at}`, 'refused', words('the service refused it: no'), []);
      }
    };
    const pushed = await pushing(creates(12), ofSize(4), refused);
    await pushed.run();
    expect(sent(pushed)).toEqual([
      [1, 2],
      [3, 4],
      [5, 6, 7],
      [8, 9, 10],
      [11, 12],
    ]);
  });

  it('each group by the limits of its own rows', async () => {
    const refused = async ({ store }: Engine): Promise<void> => {
      const changes = { mapping: 'prices', resource: 'prices', rowNumbers: [1, 2] } as const;
      await store.addIntent(ACCOUNT, intentOf('W', changes));
      await store.recordResult(ACCOUNT, 'W', 'refused', words('the service refused it: no'), []);
    };
    const given = [price(1, 1), price(2, 2), price(3, 1), price(4, 2), price(5, 2)];
    const pushed = await pushing(given, pricesOfSize(2), refused);
    await pushed.run();
    expect(sent(pushed)).toEqual([[1], [2], [4, 5], [3]]);
  });
});

describe('an answer', () => {
  it('that leaves a row out is read back at once for it', async () => {
    const pushed = await pushing(creates(3), {}, ({ service }) => void service.faults.push('short'));
    await pushed.run();
    expect(await outcomes(pushed)).toEqual(['created', 'created', 'created']);
    expect(await results(pushed)).toEqual([['applied', 'found by reading back']]);
    expect(await pushed.engine.store.countSnapshots(ACCOUNT, 'users')).toBe(3);
  });

  it('that leaves a row out that nobody finds holds that row only', async () => {
    const given = [createUser(1, { said: words('a remark') }), createUser(2)];
    const pushed = await pushing(given, {}, ({ service }) => {
      service.faults.push('short');
      service.unreadable.add('U1');
    });
    await pushed.run();
    expect(await outcomes(pushed)).toEqual(['unknown', 'created']);
    expect((await messages(pushed))[0]).toBe(
      `a remark; no trustworthy answer (the answer does not name this row)${LOOKS}`,
    );
    expect(await results(pushed)).toEqual([['ambiguous', 'the answer does not name this row']]);
    expect([1, 2].map((row) => renderSaid(pushed.writer.lastReason(row)))).toEqual([
      'the answer does not name this row',
      '',
    ]);
    expect(pushed.writer.openSinceMs).toBe(pushed.engine.clock.monotonic());
  });

  it('that does not come is read back; what is found is remembered, and the rest held', async () => {
    const pushed = await pushing(creates(4), ofSize(2), ({ service }) => {
      service.faults.push('lost', 'vanished');
    });
    await pushed.run();
    expect(await outcomes(pushed)).toEqual(['created', 'created', 'unknown', 'unknown']);
    expect((await messages(pushed))[2]).toBe(`no trustworthy answer (timeout)${LOOKS}`);
    expect(await results(pushed)).toEqual([
      ['applied', 'found by reading back'],
      ['ambiguous', 'timeout'],
    ]);
    expect(await pushed.engine.store.countSnapshots(ACCOUNT, 'users')).toBe(2);
  });

  it('that does not come three times in a row ends the run', async () => {
    const pushed = await pushing(creates(5), ofSize(1), ({ service }) => {
      service.faults.push('vanished', 'vanished', 'vanished');
    });
    expect(await pushed.run()).toMatchObject({ code: 'service.ambiguous' });
    expect(sizes(pushed)).toEqual([1, 1, 1]);
    expect(await outcomes(pushed)).toEqual(['unknown', 'unknown', 'unknown', null, null]);
  });

  it('with the id of a points configuration makes it readable', async () => {
    const config = (league: number): RunRow => {
      const fields = {
        fantasy_league_id: league,
        ...Object.fromEntries(settingNames.map((name) => [name, 1])),
      };
      return runRow(league, fields, { change: 'create', key: String(league) });
    };
    const mapping = pushMapping({ name: 'points', resource: 'points_config', operation: 'upsert' });
    const pushed = await pushing([config(1), config(2)], { mapping }, ({ service }) => {
      const { send } = service;
      service.send = async (operation, input) => {
        const result = await send(operation, input);
        const isSecond = service.configs.size === 2;
        // Without an id of its own, nothing is remembered.
        return isSecond && result.kind === 'applied' ? { ...result, records: [{}] as never } : result;
      };
    });
    await pushed.run();
    expect([await fact(pushed, 'points_config_id:1'), await fact(pushed, 'points_config_id:2')]).toEqual([
      'config-1',
      undefined,
    ]);
  });

  it('with the ids of users is no fact', async () => {
    const pushed = await pushing(creates(1));
    await pushed.run();
    expect(await pushed.engine.store.facts(ACCOUNT)).toEqual([]);
  });
});

describe('a batch that is too large', () => {
  const untrusted = (status: number | undefined, write: number) => [ofSize(4), doubt(status, write)] as const;

  it.each([
    ['of which it is not known why', undefined, [4, 4, 4], [4, 4, 4]],
    ['to be answered in time', 408, [4, 4, 4], [4, 4, 4]],
    ['to be served', 500, [4, 4, 4], [4, 4, 4, 2, 2]],
    ['to be passed on', 504, [4, 4, 4], [4, 4, 4, 2, 2]],
    ['as other words say', 400, [4, 4, 2, 2], [4, 4, 2, 2, 2, 2]],
    ['as its status says', 413, [4, 4, 2, 2], [4, 4, 2, 2, 2, 2]],
  ])('%s: the next ones', async (_, status, first, again) => {
    const pushed = await pushing(creates(12), ...untrusted(status, 1));
    await pushed.run();
    // Rows that wait already when the answer comes go out as they are.
    expect(sizes(pushed)).toEqual(first);
    const { rows } = pushed.task;
    await rows.patch(
      'users',
      [1, 2, 3, 4].map((rowNumber) => ({ rowNumber, outcome: null })),
    );
    await pushed.run();
    expect(sizes(pushed)).toEqual(status === undefined || status === 408 ? [...again, 4] : again);
    expect(await fact(pushed, 'batch_limit:users')).toBe(status === 413 ? '2' : undefined);
  });

  it('is not what a size is that was applied before', async () => {
    const pushed = await pushing(creates(16), ...untrusted(400, 3));
    await pushed.run();
    expect(sizes(pushed)).toEqual([4, 4, 4, 4]);
  });

  it('is halved and remembered where the service says so; what comes is smaller', async () => {
    const pushed = await pushing(creates(15), ofSize(10), ({ service }) => {
      service.maxBatch = 4;
    });
    await pushed.run();
    expect(sizes(pushed)).toEqual([10, 5, 2, 2, 1, 2, 2, 1, 2, 1, 2]);
    expect(await fact(pushed, 'batch_limit:users')).toBe('2');
    expect(await outcomes(pushed)).toEqual(Array(15).fill('created'));
  });

  it('is no row alone, which is rejected', async () => {
    const pushed = await pushing([createUser(1, { said: words('a remark') })], {}, ({ service }) => {
      service.faults.push('too_large');
    });
    await pushed.run();
    expect(await messages(pushed)).toEqual(['a remark; the service refused it (413): too large']);
    expect(await outcomes(pushed)).toEqual(['rejected']);
    expect(await results(pushed)).toEqual([['refused', 'the service refused it (413): too large']]);
    expect(await pushed.engine.store.facts(ACCOUNT)).toEqual([]);
    expect(pushed.engine.service.reads).toBe(0);
  });

  it('is no row alone either whose answer cannot be trusted', async () => {
    const pushed = await pushing(creates(2), ofSize(1), doubt(413, 1));
    await pushed.run();
    expect(await results(pushed)).toEqual([
      ['ambiguous', 'the service refused it: no envelope'],
      ['applied', ''],
    ]);
    expect(await pushed.engine.store.facts(ACCOUNT)).toEqual([]);
  });
});

describe('a quota that is full', () => {
  it('defers what it has no room for, without a request', async () => {
    const quotas = new Map([['users', 3] as const]);
    const pushed = await pushing(creates(7), { ...ofSize(2), quotas });
    await pushed.run();
    expect(sent(pushed)).toEqual([[1, 2], [3]]);
    expect(await outcomes(pushed)).toEqual([
      ...Array<string>(3).fill('created'),
      ...Array<string>(4).fill('deferred'),
    ]);
    expect((await messages(pushed))[3]).toBe(NO_ROOM);
    // What goes out is not called deferred meanwhile.
    const told = pushed.engine.events.filter(({ kind }) => kind === 'outcome');
    expect(told).toHaveLength(7);
    expect(quotas).toEqual(new Map([['users', 0]]));
  });

  it('is found out by a batch, of which goes what it has room for', async () => {
    const quotas: PushTask['quotas'] = new Map();
    const pushed = await pushing(creates(6), { ...ofSize(6), quotas, used: 0 }, ({ service }) => {
      service.maxUsers = 4;
    });
    await pushed.run();
    expect(sent(pushed)).toEqual([
      [1, 2, 3, 4, 5, 6],
      [1, 2, 3, 4],
    ]);
    expect(await results(pushed)).toEqual([
      ['refused', 'the service refused it (429): quota'],
      ['applied', ''],
    ]);
    expect((await outcomes(pushed)).slice(3)).toEqual(['created', 'deferred', 'deferred']);
    expect(quotas).toEqual(new Map([['users', 0]]));
    expect(pushed.engine.clock.slept).toEqual([]);
  });

  it('is found out by a row alone, which waits', async () => {
    const pushed = await pushing(creates(3), ofSize(1), ({ service }) => void (service.maxUsers = 1));
    await pushed.run();
    expect(sent(pushed)).toEqual([[1], [2]]);
    expect(await outcomes(pushed)).toEqual(['created', 'deferred', 'deferred']);
    expect((await messages(pushed)).slice(1)).toEqual([NO_ROOM, NO_ROOM]);
    expect((await results(pushed))[1]).toEqual(['refused', 'the service refused it (429): quota']);
    expect(pushed.engine.service.reads).toBe(0);
  });

  it('gets back the room of what is refused for another reason', async () => {
    const quotas = new Map([['users', 5] as const]);
    const pushed = await pushing(
      creates(4),
      { quotas, used: 0 },
      ({ service }) => void service.refuses.add('U2'),
    );
    await pushed.run();
    expect(await outcomes(pushed)).toEqual(['created', 'rejected', 'created', 'created']);
    expect(quotas).toEqual(new Map([['users', 2]]));
  });
});

describe('a run that ends before it has read back', () => {
  const spent = new IncompleteError('budget.exhausted', 'the minute is used up');

  it.each<readonly [string, (engine: Engine) => void, string]>([
    ['a lost answer', ({ service }) => void service.faults.push('lost'), 'connection reset'],
    [
      'an answer that leaves a row out',
      ({ service }) => void service.faults.push('short'),
      'the answer does not name this row',
    ],
    ['a refusal', ({ service }) => void service.faults.push('refused'), 'the service refused it (400): no'],
    [
      'a quota that is full',
      ({ service }) => void (service.maxUsers = 1),
      'the service refused it (429): quota',
    ],
  ])('leaves the write of %s open', async (_, arrange, detail) => {
    const pushed = await pushing(creates(2), { used: 0 }, (engine) => {
      arrange(engine);
      engine.service.readFaults.push(spent);
    });
    expect(await pushed.run()).toBe(spent);
    expect(await results(pushed)).toEqual([['ambiguous', detail]]);
    expect((await outcomes(pushed))[0]).toBeNull();
  });
});

describe('a refused batch', () => {
  const others =
    (count: number) =>
    ({ service }: Engine) => {
      for (let at = 0; at < count; at += 1)
        service.users.push({ id: `o${at}`, user_id: 1000 + at, external_id: `O${at}`, display_name: 'x' });
    };

  it('goes on in halves, all of a round before it is looked again', async () => {
    const pushed = await pushing(creates(8), { ...ofSize(4), used: 0 }, ({ service }) => {
      service.refuses.add('U1').add('U5');
    });
    await pushed.run();
    expect(sent(pushed)).toEqual([
      [1, 2, 3, 4],
      [5, 6, 7, 8],
      [1, 2],
      [3, 4],
      [5, 6],
      [7, 8],
      [1],
      [2],
      [5],
      [6],
    ]);
    const no = (at: number) => `the service refused it (400): external_id U${at} is not wanted`;
    expect((await messages(pushed)).filter((message) => message !== '')).toEqual([no(1), no(5)]);
    expect((await results(pushed))[0]).toEqual(['refused', no(1)]);
    // The account and the list, twice.
    expect(pushed.engine.service.reads).toBe(4);
    expect(pushed.engine.clock.slept).toEqual([]);
    expect(await fact(pushed, 'keeps_parts:users')).toBeUndefined();
  });

  it.each([
    [10, [20, 10, 10]],
    [11, [20, ...Array<number>(10).fill(2)]],
  ])('goes on in tenths where a list of %d pages is too many', async (pages, expected) => {
    const pushed = await pushing(creates(20), {}, (engine) => {
      others(pages)(engine);
      engine.service.pageSize = 1;
      engine.service.faults.push('refused');
    });
    await engineKnows(pushed, pages);
    await pushed.run();
    expect(sizes(pushed)).toEqual(expected);
  });

  it('that is too large goes on in halves, however long the list is', async () => {
    const pushed = await pushing(creates(20), {}, (engine) => {
      others(11)(engine);
      engine.service.pageSize = 1;
      engine.service.faults.push('too_large');
    });
    await pushed.run();
    expect(sizes(pushed)).toEqual([20, 10, 10]);
  });

  it('that was applied is done, and its service is known to keep parts', async () => {
    const pushed = await pushing(creates(3), { used: 0 }, ({ service }) => {
      service.faults.push('all_then_refused');
    });
    await pushed.run();
    expect(sizes(pushed)).toEqual([3]);
    expect(await outcomes(pushed)).toEqual(['created', 'created', 'created']);
    expect(await results(pushed)).toEqual([['refused', 'the service refused it (400): done all the same']]);
    expect(await pushed.engine.store.countSnapshots(ACCOUNT, 'users')).toBe(3);
    expect(await fact(pushed, 'keeps_parts:users')).toBe('true');
    expect(pushed.engine.clock.slept).toEqual([]);
  });

  it('of which a part was applied goes on without it, after a while', async () => {
    const pushed = await pushing(creates(4), { used: 0 }, ({ service }) => {
      service.faults.push('half_then_refused');
    });
    await pushed.run();
    expect(sent(pushed)).toEqual([[1, 2, 3, 4], [3], [4]]);
    expect(await outcomes(pushed)).toEqual(Array(4).fill('created'));
    expect(pushed.engine.clock.slept).toEqual([SETTLE_MS]);
    expect(await fact(pushed, 'keeps_parts:users')).toBe('true');
  });

  it('of which a part was applied marks its rows lastingly before it closes the write', async () => {
    const engine = await makeEngine();
    const task = await pushTask(engine, creates(2), { used: 0 });
    engine.service.faults.push('half_then_refused');
    const calls: string[] = [];
    const { store, rows } = watched(engine.store, task.rows, calls);
    const writer = new PushWriter({ ...task, rows, ports: { ...task.ports, store } });
    await new BatchPush(writer).run();
    expect(calls).toEqual(['closed', 'marked', 'lasting', 'closed', 'closed', 'marked']);
  });

  it.each([
    ['Ne', [{ code: 'read-back-changed' }]],
    ['Old', []],
  ])('after which a record that a row may stand in shows the name %s says %o', async (name, more) => {
    const old = (at: number) => knownRecord(`u${at}`, { display_name: 'Old' }, `id-${at}`);
    // The first row whose record may be there goes alone, before the others.
    const pushed = await pushing(creates(3), { used: 2 }, async ({ service, store }) => {
      await store.confirm(ACCOUNT, 'users', [old(1), old(2)]);
      for (const at of [1, 2])
        service.users.push({ id: `id-${at}`, user_id: at, external_id: `u${at}`, display_name: 'Old' });
      service.faults.push(undefined, 'refused', 'throttled');
      service.onCall = (body) => {
        const [, user] = service.users;
        if (user !== undefined && JSON.stringify(body ?? '').includes('U3')) user.display_name = name;
      };
    });
    await pushed.run();
    expect(sent(pushed)).toEqual([[1], [2, 3], [2]]);
    const [, write] = await pushed.engine.store.intents('RUN');
    expect(write).toMatchObject({ result: 'refused', detail: [{ code: 'refused' }, ...more] });
  });

  it('of which a part was applied is waited for although another was applied whole', async () => {
    const pushed = await pushing(creates(4), { ...ofSize(2), used: 0 }, ({ service }) => {
      service.faults.push('all_then_refused', 'half_then_refused');
    });
    await pushed.run();
    expect(sent(pushed)).toEqual([[1, 2], [3, 4], [4]]);
    expect(pushed.engine.clock.slept).toEqual([SETTLE_MS]);
  });

  it('of prices that grew the log is held, and its service is known to keep parts', async () => {
    const given = [price(1, 1), price(2, 1), price(3, 1), price(4, 1)];
    const pushed = await pushing(given, pricesOfSize(4), ({ service }) => {
      service.faults.push('half_then_refused');
    });
    await pushed.run();
    expect(await outcomes(pushed)).toEqual(Array(4).fill('unknown'));
    expect(await fact(pushed, 'keeps_parts:prices')).toBe('true');
  });

  it('waits where its service has kept a part of one before', async () => {
    const pushed = await pushing(creates(2), { used: 0 }, async ({ service, store }) => {
      await store.setFact(ACCOUNT, 'keeps_parts:users', 'true');
      service.refuses.add('U1');
    });
    await pushed.run();
    expect(pushed.engine.clock.slept).toEqual([SETTLE_MS]);
    expect(await outcomes(pushed)).toEqual(['rejected', 'created']);
  });

  it('waits no longer than since the last write that may be applied late', async () => {
    const pushed = await pushing(creates(2), { used: 0 }, ({ service }) => {
      service.counter = 'absent';
      service.refuses.add('U1');
    });
    pushed.engine.service.onCall = (body) => {
      if (body === undefined) pushed.engine.clock.time += 1000;
    };
    await pushed.run();
    // The account and the list were read since.
    expect(pushed.engine.clock.slept).toEqual([SETTLE_MS - 2000]);
  });

  it.each<readonly [string, (engine: Engine) => void, Partial<PushTask['ports']>, readonly number[]]>([
    ['nothing shows', ({ service }) => void (service.listable = false), {}, [SETTLE_MS]],
    [
      'the run may not wait for',
      ({ service }) => void (service.counter = 'absent'),
      { maxWaitMs: SETTLE_MS - 1 },
      [],
    ],
  ])('of which %s what became of it is held, and its next is smaller', async (...given) => {
    const [, arrange, ports, slept] = given;
    const pushed = await pushing(
      creates(4),
      { used: 0 },
      (engine) => {
        arrange(engine);
        engine.service.faults.push('refused');
      },
      ports,
    );
    await pushed.run();
    expect(await outcomes(pushed)).toEqual(Array(4).fill('unknown'));
    expect((await messages(pushed))[0]).toBe(
      `the service refused it (400): no, and some rows of its request may have been applied${LOOKS}`,
    );
    expect(await results(pushed)).toEqual([['ambiguous', 'the service refused it (400): no']]);
    expect(pushed.engine.clock.slept).toEqual(slept);
    const { rows } = pushed.task;
    await rows.patch(
      'users',
      [1, 2, 3, 4].map((rowNumber) => ({ rowNumber, outcome: null })),
    );
    await pushed.run();
    expect(sizes(pushed)).toEqual([4, 2, 2]);
  });
});

/** The state knows the users that the service has. */
async function engineKnows({ engine }: Pushing, count: number): Promise<void> {
  const records = Array.from({ length: count }, (_, at) => ({
    key: `O${at}`,
    id: `o${at}`,
    number: 1000 + at,
    digests: {},
    values: {},
  }));
  await engine.store.confirm(ACCOUNT, 'users', records);
}
