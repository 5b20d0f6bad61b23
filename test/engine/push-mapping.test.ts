import { describe, expect, it } from 'vitest';
import type { RunRow } from '../../src/model/state/run-rows.ts';
import { reconcileWrites } from '../../src/sync/reconcile/writes.ts';
import { pushMapping as push } from '../../src/sync/write/push-mapping.ts';
import { knownRecord, pushMapping, runRow } from '../support/builders.ts';
import { makeEngine, type Engine } from '../support/engine.ts';
import { ACCOUNT, intentOf, pushTask } from '../support/writes.ts';
import { told } from '../support/said.ts';

const SETTLE_MS = 120_000;
const SENT =
  'sent 3 times without a trustworthy answer, and nothing shows that it was applied (the last answer: timeout)';
const LOOKS = '; teamsheet resume RUN looks for it';

/** A row that creates the user of this number, and one that changes its name. */
const create = (at: number, changes: Partial<RunRow> = {}): RunRow =>
  runRow(at, { external_id: `U${at}`, display_name: `New ${at}` }, { change: 'create', ...changes });
const change = (at: number): RunRow =>
  create(at, { change: 'update', id: `id-${at}`, before: { display_name: `Old ${at}` } });
/** The flag of a user that was created before. */
const flag = (at: number): RunRow =>
  create(at, {
    id: `id-${at}`,
    fields: { external_id: `U${at}`, display_name: `Old ${at}`, is_active: false },
  });

/** The service holds the user of this number. */
const hold = ({ service }: Engine, at: number): void => {
  const record = { external_id: `U${at}`, display_name: `Old ${at}`, is_active: true };
  service.users.push({ id: `id-${at}`, user_id: at, ...record });
};

/** Writes that hold this text are lost, however often they are sent. */
function lose({ service }: Engine, text: string): void {
  const { send } = service;
  service.send = (operation, input) => {
    if (!JSON.stringify(input.body).includes(text)) return send(operation, input);
    service.writes.push({ operation, body: input.body });
    return Promise.resolve({ kind: 'ambiguous', reason: 'timeout' });
  };
}

type Task = Parameters<typeof push>[0];

const rowsOf = async ({ rows, mapping }: Task): Promise<readonly object[]> =>
  (await rows.page(mapping.name, { afterRow: 0, limit: 10 }))
    .map(told)
    .map(({ outcome, message }) => [outcome, message]);

describe('what was sent as often as a run may send it, and was not applied, waits for another run', () => {
  it.each<readonly [string, RunRow, string, string]>([
    ['a user', create(1), 'U1', 'sent 3 times and never applied (the last answer: timeout)'],
    ['a change', change(1), 'id-1', SENT],
    [
      'a flag of a user that was created',
      flag(1),
      'id-1',
      `created, but its active flag was not set: ${SENT}`,
    ],
  ])('%s', async (_, row, text, message) => {
    const engine = await makeEngine();
    for (const at of [1, 2, 3]) if (at > 1 || row.id !== null) hold(engine, at);
    lose(engine, text);
    // Others are answered meanwhile, so that the run goes on.
    const mapping = pushMapping({ batchSize: 1 });
    const task = await pushTask(engine, [row, change(2), change(3)], { mapping });
    await push({ ...task, ports: { ...task.ports, concurrency: 2 } });
    expect(await rowsOf(task)).toEqual([
      ['deferred', message],
      ['updated', ''],
      ['updated', ''],
    ]);
    const sent = engine.service.writes.filter(({ body }) => JSON.stringify(body).includes(text));
    expect(sent).toHaveLength(3);
  });
});

it('of a user that the service may have taken for a record under another spelling of its key, which changed since, nothing proves it', async () => {
  const engine = await makeEngine();
  const stranger = { id: 'id-1', user_id: 1, external_id: 'u1', display_name: 'Old', is_active: true };
  engine.service.users.push(stranger);
  await engine.store.confirm(ACCOUNT, 'users', [knownRecord('u1', stranger, 'id-1')]);
  lose(engine, 'U1');
  const { send } = engine.service;
  engine.service.send = (operation, input) => {
    if (JSON.stringify(input.body).includes('U1'))
      engine.service.users[0] = { ...stranger, display_name: 'Ne' };
    return send(operation, input);
  };
  for (const at of [2, 3]) hold(engine, at);
  await engine.store.confirm(ACCOUNT, 'users', [
    knownRecord('U2', {}, 'id-2'),
    knownRecord('U3', {}, 'id-3'),
  ]);
  const task = await pushTask(engine, [create(1), change(2), change(3)], { used: 3 });
  await push({ ...task, ports: { ...task.ports, concurrency: 2 } });
  expect((await rowsOf(task))[0]).toEqual(['deferred', SENT]);
});

it('of a price that was sent so often nothing proves that it was not applied', async () => {
  const engine = await makeEngine();
  lose(engine, '"player_id":1');
  const mapping = pushMapping({ name: 'prices', resource: 'prices', operation: 'append', batchSize: 1 });
  const given = [1, 2, 3, 4].map((at) =>
    runRow(
      at,
      { fantasy_league_id: 1, player_id: at, price: 5, type: 'initial' },
      { change: 'create', key: `1/${at}` },
    ),
  );
  const task = await pushTask(engine, given, { mapping, onAmbiguous: 'settle' });
  await push(task);
  expect((await rowsOf(task))[0]).toEqual(['deferred', SENT]);
});

it('what was applied none of the first times goes on until all is sent', async () => {
  const engine = await makeEngine({ faults: ['vanished', undefined, 'vanished'] });
  const mapping = pushMapping({ batchSize: 1 });
  const task = await pushTask(engine, [create(1), create(2)], { mapping });
  await push(task);
  expect(await rowsOf(task)).toEqual([
    ['created', ''],
    ['created', ''],
  ]);
  expect(engine.clock.slept).toEqual([SETTLE_MS, SETTLE_MS]);
});

it('a user that turns out to be created still gets its flag', async () => {
  const engine = await makeEngine({ faults: ['late'] });
  const task = await pushTask(engine, [
    create(1, { fields: { external_id: 'U1', display_name: 'New 1', is_active: false } }),
  ]);
  await push(task);
  expect(await rowsOf(task)).toEqual([['created', '']]);
  expect(engine.service.users).toMatchObject([{ external_id: 'U1', is_active: false }]);
});

it('a pause that the run may not make leaves its rows unknown', async () => {
  const engine = await makeEngine({ faults: ['vanished'] });
  const task = await pushTask(engine, [create(1)]);
  await push({ ...task, ports: { ...task.ports, maxWaitMs: SETTLE_MS - 1 } });
  expect(await rowsOf(task)).toEqual([['unknown', `no trustworthy answer (timeout)${LOOKS}`]]);
  expect(engine.clock.slept).toEqual([]);
});

it.each([
  [true, ['unchanged', ''], 0],
  [false, ['created', ''], 1],
] as const)(
  'a key that is known by now is taken for that of an earlier mapping only where there is one: %s',
  async (isResourceShared, outcome, writes) => {
    const engine = await makeEngine();
    const row = create(1);
    const task = await pushTask(engine, [row], { isResourceShared });
    await engine.store.confirm(ACCOUNT, 'users', [knownRecord('U1', row.fields ?? {})]);
    await push(task);
    expect(await rowsOf(task)).toEqual([outcome]);
    expect(engine.service.writes).toHaveLength(writes);
  },
);

it('a key that the service spells as one of an open write of an earlier mapping is not sent', async () => {
  const engine = await makeEngine();
  const task = await pushTask(engine, [create(1)], { isResourceShared: true });
  const { runId } = task;
  await engine.store.addIntent(ACCOUNT, intentOf('W', { runId, mapping: 'others', keys: ['u1'] }));
  await engine.store.respell(ACCOUNT, 'users', { case: true });
  await push(task);
  expect(await rowsOf(task)).toEqual([
    ['deferred', 'not sent: others sent the same key in this run, and no trustworthy answer came'],
  ]);
  expect(engine.service.writes).toEqual([]);
});

it('rows that are unknown since another time are not waited for', async () => {
  const engine = await makeEngine();
  const task = await pushTask(engine, [create(1, { outcome: 'unknown' }), create(2)]);
  await push(task);
  expect([engine.clock.slept, engine.events.filter(({ kind }) => kind === 'pause')]).toEqual([[], []]);
  expect(await rowsOf(task)).toEqual([
    ['unknown', ''],
    ['created', ''],
  ]);
});

it('nothing is waited for where every write was answered, or found at once', async () => {
  const engine = await makeEngine({ faults: ['lost'] });
  const mapping = pushMapping({ batchSize: 1 });
  const task = await pushTask(engine, [create(1), create(2)], { mapping });
  await push(task);
  expect(engine.clock.slept).toEqual([]);
  expect(engine.service.writes).toHaveLength(2);
});

describe('a user that a success has no record of, but says something of', () => {
  type Entry = (key: string, place: number) => object;
  const byKey: Entry = (external_id) => ({ external_id, error: 'taken' });
  const byPlace: Entry = (_key, index) => ({ index, error: 'taken' });

  /** Makes the users that are none of these, and says of them what `entry` makes. */
  function leaveOut({ service }: Engine, keys: readonly string[], entry: Entry): void {
    const { send } = service;
    service.send = async (operation, input) => {
      const { users } = input.body as { readonly users: readonly { readonly external_id: string }[] };
      const isLeftOut = (key: string): boolean => keys.includes(key);
      const rest = users.filter(({ external_id }) => !isLeftOut(external_id));
      const entries = users.flatMap(({ external_id: key }, at) => (isLeftOut(key) ? [entry(key, at)] : []));
      const result = await send(operation, { ...input, body: { users: rest } as never });
      if (rest.length > 0) return { ...result, entries } as typeof result;
      return { kind: 'ambiguous', reason: 'data of another kind', entries };
    };
  }

  const pushed = async (keys: readonly string[], entry: Entry, rows = 5) => {
    const engine = await makeEngine();
    const task = await pushTask(
      engine,
      Array.from({ length: rows }, (_, at) => create(at + 1)),
    );
    leaveOut(engine, keys, entry);
    await push(task);
    const sent = engine.service.writes.length;
    return { engine, sent, rows: await rowsOf(task), intents: await engine.store.intents('RUN') };
  };
  const refused = (entry: object) => ['rejected', `the service refused it: ${JSON.stringify(entry)}`];
  const made = ['created', ''];

  it('is refused by its key once reading back does not show it, in these words', async () => {
    const { engine, sent, rows, intents } = await pushed(['U2', 'U4'], byKey);
    expect(rows).toEqual([made, refused(byKey('U2', 0)), made, refused(byKey('U4', 0)), made]);
    expect([sent, intents.map(({ result }) => result)]).toEqual([1, ['refused']]);
    expect(engine.clock.slept).toEqual([SETTLE_MS]);
  });

  it('goes alone where only its place is said, and is refused then', async () => {
    const { sent, rows } = await pushed(['U2', 'U4', 'U5'], byPlace);
    const alone = refused(byPlace('', 0));
    expect(rows).toEqual([made, alone, made, alone, alone]);
    // Three together, two and one, one and one.
    expect(sent).toBe(6);
  });

  it('does not end the run, however many of them come', async () => {
    const keys = ['U1', 'U2', 'U3', 'U4', 'U5'];
    const { rows } = await pushed(keys, byKey);
    expect(rows).toEqual(keys.map((key) => refused(byKey(key, 0))));
  });

  it('is created where reading back shows it', async () => {
    const engine = await makeEngine();
    const task = await pushTask(engine, [create(1), create(2)]);
    const { send } = engine.service;
    engine.service.send = async (operation, input) => {
      const result = await send(operation, input);
      const entries = [{ external_id: 'U2', status: 'queued' }];
      return result.kind === 'applied' ? { ...result, records: result.records.slice(0, 1), entries } : result;
    };
    await push(task);
    expect(await rowsOf(task)).toEqual([made, made]);
  });

  it('stays unknown with these words where it cannot be read back, and is refused when it can', async () => {
    const engine = await makeEngine();
    const task = await pushTask(engine, [create(1), create(2)]);
    leaveOut(engine, ['U2'], byKey);
    engine.service.listable = false;
    await push(task);
    const words = JSON.stringify(byKey('U2', 0));
    expect(await rowsOf(task)).toEqual([
      made,
      [
        'unknown',
        `no trustworthy answer (${words}); sent, but no trustworthy answer came, and it cannot be read back; it is not sent again`,
      ],
    ]);
    engine.service.listable = true;
    await reconcileWrites(task);
    expect(await rowsOf(task)).toEqual([made, refused(byKey('U2', 0))]);
    expect(engine.service.writes).toHaveLength(1);
  });
});
