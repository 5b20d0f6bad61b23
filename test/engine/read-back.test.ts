import { describe, expect, it } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { RefusedError, UnavailableError } from '../../src/model/error.ts';
import type { RunRow } from '../../src/model/state/run-rows.ts';
import { digestOf } from '../../src/plan/digest.ts';
import { knownUser } from '../../src/plan/known-records.ts';
import { readBack, readBackNow, readBackTwice } from '../../src/sync/reconcile/read-back.ts';
import type { OpenWrite } from '../../src/plan/reconcile/seen.ts';
import { createUser, pushMapping, runRow } from '../support/builders.ts';
import { makeEngine, type Engine } from '../support/engine.ts';
import { ACCOUNT, intentOf, readTask } from '../support/writes.ts';

const users = pushMapping();
const squads = pushMapping({ name: 'squads', resource: 'squads', operation: 'create' });
const minis = pushMapping({ name: 'minis', resource: 'mini_leagues', operation: 'create' });
const configs = pushMapping({ name: 'points', resource: 'points_config', operation: 'set' });

const user = (at: number) => ({
  id: `id-${at}`,
  user_id: at,
  external_id: `U${at}`,
  display_name: `Name ${at}`,
  is_active: true,
});
const squadRow = (row: number, user_id: number, name: string): RunRow =>
  runRow(
    row,
    { fantasy_league_id: 1, user_id, name, players_in: '[7]' },
    { key: `1/${user_id}/${name}`, change: 'create' },
  );
const miniRow = (row: number, fantasy_league_id: number, name: string): RunRow =>
  runRow(row, { fantasy_league_id, name }, { key: `${fantasy_league_id}/${name}`, change: 'create' });

function open({ name, resource }: PushMapping, rows: readonly RunRow[], evidence?: object): OpenWrite {
  const intent = intentOf('W', {
    mapping: name,
    resource,
    operation: 'create',
    rowNumbers: rows.map(({ rowNumber }) => rowNumber),
    keys: rows.map(({ key }) => key ?? ''),
    ...(evidence && { evidence: JSON.stringify({ atMs: 0, ...evidence }) }),
  });
  return { intent, rows };
}

/** Keeps the queries of lists, which have to be read whole and to end at a signal. */
function watchLists({ service, ports }: Engine): readonly unknown[] {
  const queries: unknown[] = [];
  const { list } = service;
  service.list = (operation, query, signal, onUnreadable, onEnd) => {
    expect([signal, onUnreadable]).toEqual([ports.signal, 'fail']);
    queries.push(query);
    return list(operation, query, signal, onUnreadable, onEnd);
  };
  return queries;
}

const FAILURES: readonly (readonly [string, Error])[] = [
  ['is down', new UnavailableError('service.unreachable', 'down')],
  ['refuses', new RefusedError(403, 'down')],
];

describe('reading back at once', () => {
  const now = async (engine: Engine, mapping: PushMapping, rows: readonly RunRow[]) =>
    readBackNow(readTask(engine, mapping), open(mapping, rows));

  it('reads the one list of users once, and finds those that were sent', async () => {
    const engine = await makeEngine();
    engine.service.users.push(user(1), user(9));
    const queries = watchLists(engine);
    const found = await now(engine, users, [createUser(1), createUser(2)]);
    expect([...found]).toEqual([['U1', expect.objectContaining({ id: 'id-1' })]]);
    expect(queries).toEqual([{}]);
    expect(engine.service.reads).toBe(1);
  });

  it('reads the squads of each user once, and the mini leagues of each league', async () => {
    const engine = await makeEngine();
    const queries = watchLists(engine);
    await now(engine, squads, [squadRow(1, 5, 'A'), squadRow(2, 5, 'B'), squadRow(3, 6, 'A')]);
    await now(engine, minis, [miniRow(1, 3, 'A'), miniRow(2, 3, 'B'), miniRow(3, 4, 'A')]);
    expect(queries).toEqual([
      { fantasy_league_id: 1, user_id: 5 },
      { fantasy_league_id: 1, user_id: 6 },
      { fantasy_league_id: 3 },
      { fantasy_league_id: 4 },
    ]);
  });

  it('completes a squad by what was sent of it and no list shows', async () => {
    const engine = await makeEngine();
    const { service } = engine;
    service.squads.push(
      { id: 's1', name: 'A', fantasy_league_id: 1, user_id: 5 },
      { id: 's2', name: 'Other', fantasy_league_id: 1, user_id: 5 },
    );
    const sent = squadRow(1, 5, 'A');
    const row = { ...sent, fields: { ...sent.fields, budget: 4, fantasy_league_id: 8 } };
    const found = await now(engine, squads, [row, squadRow(2, 5, 'B')]);
    expect([...found.keys()]).toEqual(['1/5/A']);
    const { id, record, ...others } = found.get('1/5/A') ?? {};
    expect([id, others]).toEqual(['s1', {}]);
    // What the list shows wins, and texts are known by their digests alone.
    expect(record?.values).toEqual({ budget: 4, fantasy_league_id: 1, user_id: 5 });
    expect(Object.keys(record?.digests ?? {}).sort()).toEqual([
      'budget',
      'fantasy_league_id',
      'name',
      'players_in',
      'user_id',
    ]);
  });

  it('takes two squads of one key for a conflict, and one that comes twice for one', async () => {
    const engine = await makeEngine();
    const squad = { name: 'A', fantasy_league_id: 1, user_id: 5 };
    engine.service.squads.push({ id: 's1', ...squad }, { id: 's1', ...squad });
    expect((await now(engine, squads, [squadRow(1, 5, 'A')])).get('1/5/A')).not.toHaveProperty('disagrees');
    engine.service.squads.push({ id: 's2', ...squad });
    expect((await now(engine, squads, [squadRow(1, 5, 'A')])).get('1/5/A')).toMatchObject({
      id: 's1',
      disagrees: { code: 'compared-several', key: '1/5/A', what: 'squads', ids: ['s1', 's2'] },
    });
  });

  it('passes over records that do not say what they are, and rows without a key', async () => {
    const engine = await makeEngine();
    engine.service.miniLeagues.push({ id: 1, name: 'A', fantasy_league_id: 3 }, { id: 2, name: 'B' });
    const list = engine.service.list;
    engine.service.list = (operation, _query, ...others) => list(operation, undefined, ...others);
    const rows = [miniRow(1, 3, 'A'), { ...miniRow(2, 3, 'B'), key: null }];
    expect([...(await now(engine, minis, rows)).keys()]).toEqual(['3/A']);
  });

  it('asks for a points configuration where no list shows the record', async () => {
    const engine = await makeEngine();
    const row = runRow(1, { fantasy_league_id: 3, starter_points: 9 }, { key: '3', change: 'create' });
    expect([...(await now(engine, configs, [row])).keys()]).toEqual([]);
    engine.service.configs.set(3, { fantasy_league_id: 3, starter_points: 9 });
    await engine.store.setFact(ACCOUNT, 'points_config_id:3', 'config-3');
    expect([...(await now(engine, configs, [row])).keys()]).toEqual(['3']);
  });

  it.each(FAILURES)('finds nothing and warns where the service %s', async (_what, error) => {
    const engine = await makeEngine();
    engine.service.readFaults.push(error);
    expect([...(await now(engine, users, [createUser(1)]))]).toEqual([]);
    expect(engine.events).toEqual([
      { kind: 'warning', message: `users: reading back failed: ${error.message}` },
    ]);
  });

  it('fails over anything else', async () => {
    const engine = await makeEngine();
    const error = new Error('broken');
    engine.service.readFaults.push(error);
    await expect(now(engine, users, [createUser(1)])).rejects.toBe(error);
  });
});

describe('a reading of all', () => {
  /** Users 1 and 2 are listed, and the rows are 2 and 3. */
  async function read(
    when: 'now' | 'settled',
    arrange: (engine: Engine) => Promise<void> | void,
    evidence?: object,
  ) {
    const engine = await makeEngine();
    engine.service.users.push(user(1), user(2));
    await arrange(engine);
    const rows = [createUser(2), createUser(3)];
    return readBack(readTask(engine, users), [open(users, rows, evidence)], when);
  }
  const knows =
    (at: number) =>
    ({ store }: Engine): Promise<void> =>
      store.confirm(ACCOUNT, 'users', [knownUser(user(at))]);

  it.each(['now', 'settled'] as const)('proves absence, %s', async (when) => {
    const seen = await read(when, () => undefined);
    expect(seen).toMatchObject({ others: 'absent', pages: 1 });
    expect([...seen.found.keys()]).toEqual(['U2']);
  });

  it.each<readonly [string, (engine: Engine) => Promise<void> | void, 'absent' | 'unclear']>([
    ['nothing is counted', ({ service }) => void (service.counter = 'absent'), 'absent'],
    ['the list lacks what is known', knows(9), 'absent'],
    ['the counter lags', ({ service }) => void (service.removed = -1), 'absent'],
    ['the service is down', ({ service }) => void service.readFaults.push(FAILURES[0]?.[1]), 'unclear'],
    [
      'the service refuses the list',
      ({ service }) => void service.readFaults.push(undefined, FAILURES[1]?.[1]),
      'unclear',
    ],
  ])('proves nothing at once where %s', async (_what, arrange, later) => {
    expect(await read('now', arrange)).toMatchObject({ others: 'unclear' });
    expect(await read('settled', arrange)).toMatchObject({ others: later });
  });

  it('finds a record that was there in another spelling only where it holds what its row wants by now', async () => {
    const rows = [createUser(1), createUser(2)];
    const alike = ['u1'];
    const found = async (then: string, now: string) => {
      const engine = await makeEngine();
      engine.service.users.push({ ...user(1), external_id: 'u1', display_name: now });
      const digests = { external_id: digestOf('u1'), display_name: digestOf(then) };
      const write = open(users, rows, { known: 1, alike, alikeIds: ['id-1'], alikeDigests: [digests] });
      return [...(await readBack(readTask(engine, users), [write], 'settled')).found.keys()];
    };
    expect(await found('Bob', 'Name 1')).toEqual(['U1']);
    expect(await found('Name 1', 'Name 1')).toEqual([]);
    expect(await found('Bob', 'Cleo')).toEqual([]);
    // What another row wants says nothing of this one.
    expect(await found('Bob', 'Name 2')).toEqual([]);
  });

  it('proves nothing where the account counts more beyond the list than before', async () => {
    const more = ({ service }: Engine): void => void (service.removed = 3);
    expect(await read('settled', more, { unlisted: 2 })).toMatchObject({ others: 'unclear' });
    expect(await read('settled', more, { unlisted: 3 })).toMatchObject({ others: 'absent' });
  });

  it('proves nothing at once where the list came late before one of the writes', async () => {
    const seen = async (when: 'now' | 'settled', known: readonly number[]) => {
      const engine = await makeEngine();
      engine.service.users.push(user(1), user(2));
      engine.service.removed = 1;
      const writes = known.map((at) => open(users, [createUser(3)], { unlisted: 1, known: at }));
      return (await readBack(readTask(engine, users), writes, when)).others;
    };
    expect(await seen('now', [2])).toBe('absent');
    expect(await seen('now', [2, 1])).toBe('unclear');
    expect(await seen('settled', [2, 1])).toBe('absent');
  });

  it('proves nothing where a record does not say what it is', async () => {
    const engine = await makeEngine();
    engine.service.miniLeagues.push({ id: 2, name: 'B' });
    const write = open(minis, [miniRow(1, 3, 'A')]);
    const seen = await readBack(readTask(engine, minis), [write], 'settled');
    expect(seen.others).toBe('unclear');
  });
});

describe('two readings', () => {
  /** What each reading of the list shows, of rows 1 and 2. */
  async function twice(...shown: readonly (readonly number[])[]) {
    const engine = await makeEngine();
    const { service } = engine;
    service.counter = 'absent';
    const { list } = service;
    let readings = 0;
    service.list = (...args) => {
      const numbers = shown[readings] ?? [];
      service.users.splice(0, service.users.length, ...numbers.map(user));
      readings += 1;
      return list(...args);
    };
    const write = open(users, [createUser(1), createUser(2)]);
    const { found, others } = await readBackTwice(readTask(engine, users), [write]);
    return { found: [...found.keys()].sort(), others, readings };
  }

  it('that agree prove absence', async () => {
    expect(await twice([], [])).toEqual({ found: [], others: 'absent', readings: 2 });
    expect(await twice([2], [2])).toEqual({ found: ['U2'], others: 'absent', readings: 2 });
  });

  it('that differ prove nothing absent, and what one of them shows is found', async () => {
    expect(await twice([], [1])).toEqual({ found: ['U1'], others: 'unclear', readings: 2 });
    expect(await twice([1], [])).toEqual({ found: ['U1'], others: 'unclear', readings: 2 });
    expect(await twice([1], [2])).toEqual({ found: ['U1', 'U2'], others: 'unclear', readings: 2 });
  });

  it('are one where it shows every row', async () => {
    expect(await twice([1, 2], [])).toEqual({ found: ['U1', 'U2'], others: 'absent', readings: 1 });
  });

  it('are one where it cannot be told what it shows', async () => {
    const engine = await makeEngine();
    const error = new UnavailableError('list.unstable', 'moves');
    engine.service.readFaults.push(undefined, error);
    const seen = await readBackTwice(readTask(engine, users), [open(users, [createUser(1)])]);
    expect(seen.others).toBe('unclear');
    expect(engine.events).toHaveLength(1);
    expect(engine.service.reads).toBe(1);
  });
});
