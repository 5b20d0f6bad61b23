import { describe, expect, it, onTestFinished } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { RefusedError, UnavailableError } from '../../src/model/error.ts';
import type { RunRow } from '../../src/model/state/run-rows.ts';
import type { IntentResult, ServiceAccount } from '../../src/model/state/store.ts';
import { strategies } from '../../src/sync/resources/index.ts';
import { pushMapping, runRow } from '../support/builders.ts';
import { makeEngine, type Engine } from '../support/engine.ts';
import { ACCOUNT, intentOf, startedRun, readTask } from '../support/writes.ts';

const prices = pushMapping({ name: 'prices', resource: 'prices', operation: 'append' });
const triggers = pushMapping({ name: 'weeks', resource: 'auto_substitutions', operation: 'trigger' });

interface Sent {
  readonly run?: string;
  readonly account?: ServiceAccount;
  readonly mapping?: PushMapping;
  readonly keys: readonly string[];
  readonly evidence?: object;
  readonly result?: IntentResult | null;
  readonly sentAtMs?: number;
}

/** A state that remembers these writes, oldest first, each by its place, from 0. */
async function remembering(sent: readonly Sent[]): Promise<Engine> {
  const engine = await makeEngine();
  const { store } = engine;
  for (const [at, each] of sent.entries()) {
    const { run = 'RUN', account = ACCOUNT, mapping = prices, keys, evidence } = each;
    const { result = 'applied', sentAtMs = 0 } = each;
    const pushed = sent.flatMap((other) => ((other.run ?? 'RUN') === run ? (other.mapping ?? prices) : []));
    const mappings = JSON.stringify({ mappings: [...new Set(pushed)] });
    if ((await store.run(run)) === undefined) await store.addRun(startedRun(run, { account, mappings }));
    const intent = intentOf(`${at}`, {
      runId: run,
      mapping: mapping.name,
      resource: mapping.resource,
      keys,
      sentAtMs,
      ...(evidence && { evidence: JSON.stringify({ atMs: 0, ...evidence }) }),
    });
    await store.addIntent(account, intent);
    if (result !== null) await store.recordResult(account, `${at}`, result, [], []);
  }
  return engine;
}

async function check(engine: Engine, rows: readonly RunRow[], mapping = prices) {
  const open = await engine.store.openRunRows(null);
  onTestFinished(() => open.remove());
  await open.add(mapping.name, rows);
  const readsBefore = engine.service.reads;
  const stop = await strategies[mapping.resource].checkMemory(readTask(engine, mapping), open);
  return { stop, isStopped: stop !== undefined, reads: engine.service.reads - readsBefore };
}

/** A price of a player of league 1 that is to be sent. */
const row = (player: number, price: number, changes: Partial<RunRow> = {}): RunRow =>
  runRow(
    player + 1,
    { fantasy_league_id: 1, player_id: player, price, type: 'current' },
    { key: `1/${player}/current`, change: 'update', ...changes },
  );

/** An upload at the service: each player with its price. */
const uploaded = ({ service }: Engine, write: number, held: Readonly<Record<number, number>>, league = 1) => {
  for (const [player, price] of Object.entries(held))
    service.prices.push({ player_id: Number(player), price, league, write });
};

const OWN = { keys: ['1/1/current', '1/2/current'], evidence: { count: 0, refs: [] } };

/** A state that remembers one upload of players 1 and 2, which the service has. */
async function ownUpload(changes: Partial<Sent> = {}): Promise<Engine> {
  const engine = await remembering([{ ...OWN, ...changes }]);
  uploaded(engine, 0, { 1: 4, 2: 5 });
  return engine;
}

/** Reads of a whole log whose first page tells that it is longer than it must be. */
const WHOLE_LOG = 3;

describe('a state that may not remember the last upload of prices', () => {
  it('asks nothing where no upload is known, and nothing of what no log shows', async () => {
    const engine = await makeEngine();
    uploaded(engine, 0, { 1: 4.5 });
    expect(await check(engine, [row(1, 4.5)])).toMatchObject({ isStopped: false, reads: 0 });
    const users = await check(await ownUpload(), [runRow(2, {}, { change: 'create' })], pushMapping());
    expect(users).toMatchObject({ isStopped: false, reads: 0 });
  });

  it('takes one page of a log that is as long as it must be', async () => {
    const engine = await ownUpload();
    const { get } = engine.service;
    const inputs: unknown[] = [];
    engine.service.get = (...args) => {
      inputs.push(args[1]);
      return get(...args);
    };
    expect(await check(engine, [row(1, 4), row(2, 5)])).toMatchObject({ isStopped: false, reads: 1 });
    expect(inputs).toEqual([{ query: {}, signal: engine.ports.signal }]);
  });

  it('stops at an upload of just the players of the plan, whatever their prices', async () => {
    const engine = await ownUpload();
    uploaded(engine, 1, { 1: 7, 2: 8 });
    const { stop, reads } = await check(engine, [row(1, 4.5), row(2, 5.5, { change: 'create' })]);
    expect(stop).toMatchObject({
      code: 'state.no_memory',
      exitCode: 6,
      message:
        'prices: the service has price uploads that this state does not remember, of prices that are to be sent now: the state file is older than the last push, or somebody else has uploaded them',
      next: 'restore the newest state file, add --compare live to compare with the service, or --adopt to upload what is planned anyway',
    });
    expect(reads).toBe(WHOLE_LOG);
  });

  it('stops at one player of an unknown upload with the price that is to be sent, and asks no further', async () => {
    const engine = await ownUpload();
    uploaded(engine, 1, { 1: 7, 2: 4.5, 3: 6, 4: 6 });
    const rows = [row(1, 5), row(2, 4.5), row(3, 5), row(9, 1)];
    expect(await check(engine, rows)).toMatchObject({ isStopped: true, reads: WHOLE_LOG + 2 });
  });

  it.each<readonly [string, Readonly<Record<number, number>>, readonly RunRow[], number]>([
    ['of other players', { 8: 1, 9: 1 }, [row(1, 4.5), row(2, 5.5)], 0],
    ['of more players, with other prices', { 1: 7, 2: 7, 3: 7 }, [row(1, 4.5), row(2, 5.5)], 2],
    ['of fewer players, with other prices', { 1: 7, 2: 7 }, [row(1, 4.5), row(2, 5.5), row(3, 6)], 2],
    ['of as many players, with other prices', { 1: 7, 3: 7 }, [row(1, 4.5), row(2, 5.5)], 1],
    ['of a single player, with another price', { 1: 7 }, [row(1, 4.5)], 1],
  ])('goes on beside an upload %s', async (_what, held, rows, asked) => {
    const engine = await ownUpload();
    uploaded(engine, 1, held);
    expect(await check(engine, rows)).toMatchObject({ isStopped: false, reads: WHOLE_LOG + asked });
  });

  it('takes what has no reference in a log that was empty for one upload', async () => {
    const engine = await ownUpload();
    engine.service.references = 'absent';
    uploaded(engine, 1, { 1: 7 });
    uploaded(engine, 2, { 2: 8 });
    expect(await check(engine, [row(1, 4.5), row(2, 5.5)])).toMatchObject({ isStopped: true });
  });

  it('goes on beside a player that the service does not know', async () => {
    const engine = await ownUpload({ evidence: { count: 0 } });
    uploaded(engine, 1, { 1: 7 });
    expect(await check(engine, [row(3, 4), row(1, 4.5)])).toMatchObject({ isStopped: false });
    expect(await check(engine, [row(3, 4), row(1, 7)])).toMatchObject({ isStopped: true });
  });

  it('takes uploads of one player each for no push of several', async () => {
    const engine = await ownUpload();
    uploaded(engine, 1, { 1: 7 });
    uploaded(engine, 2, { 2: 7 });
    expect(await check(engine, [row(1, 4.5), row(2, 5.5)])).toMatchObject({ isStopped: false });
  });

  it.each([
    [
      [1, { 1: 7, 2: 7 }],
      [2, { 1: 7 }],
    ],
    [
      [1, { 1: 7 }],
      [2, { 1: 7, 2: 7 }],
    ],
  ] as const)('knows a push by the largest of several uploads (%o, %o)', async (...uploads) => {
    const engine = await ownUpload();
    for (const [write, held] of uploads) uploaded(engine, write, held);
    expect(await check(engine, [row(1, 4.5), row(2, 5.5)])).toMatchObject({ isStopped: true });
  });

  it('takes its own uploads, those that the log had before, and those of other leagues for none', async () => {
    const engine = await remembering([
      { ...OWN, keys: ['1/1/current'], evidence: { count: 1, refs: ['upload-7'] } },
    ]);
    uploaded(engine, 7, { 3: 6 });
    uploaded(engine, 0, { 1: 4 });
    uploaded(engine, 9, { 2: 5 }, 2);
    const rows = [row(1, 4), row(2, 5), row(3, 6)];
    expect(await check(engine, rows)).toMatchObject({ isStopped: false, reads: WHOLE_LOG });
  });

  it('knows as many uploads of a player for its own as it has sent', async () => {
    const once = { keys: ['1/1/current'], evidence: { count: 0, refs: [] } };
    const engine = await remembering([once, once]);
    uploaded(engine, 0, { 1: 4 });
    uploaded(engine, 1, { 1: 4 });
    uploaded(engine, 2, { 9: 1 });
    expect(await check(engine, [row(1, 4)])).toMatchObject({ isStopped: false, reads: WHOLE_LOG });
    uploaded(engine, 3, { 1: 4 });
    expect(await check(engine, [row(1, 4)])).toMatchObject({ isStopped: true });
  });

  it('looks only at rows that are still to be sent', async () => {
    const engine = await ownUpload();
    uploaded(engine, 1, { 1: 1, 2: 2, 3: 3, 4: 4 });
    const rows = [
      row(1, 1, { outcome: 'updated' }),
      row(2, 2, { change: 'unchanged' }),
      row(3, 3, { change: 'excluded' }),
      row(4, 4, { key: null }),
    ];
    expect(await check(engine, rows)).toMatchObject({ isStopped: false, reads: WHOLE_LOG });
  });

  it('goes on where a record of the log does not say which player it is of', async () => {
    const engine = await ownUpload();
    const { list } = engine.service;
    const nameless = { id: 'x', txn_ref: 'upload-3', fantasy_league_id: null, player: null };
    engine.service.list = async function* (...args) {
      yield [nameless] as unknown as readonly never[];
      yield* list(...args);
    };
    uploaded(engine, 1, { 9: 4 });
    expect(await check(engine, [row(1, 4.5)])).toMatchObject({ isStopped: false, reads: WHOLE_LOG });
  });

  it.each<readonly [string, (engine: Engine) => void, Partial<Sent>]>([
    ['is too long', ({ service }) => void (service.pageSize = 1), {}],
    ['was too long before', () => undefined, { evidence: { count: 0 } }],
    [
      'has no references',
      ({ service }) => void (service.references = 'absent'),
      { evidence: { count: 0, refs: [''] } },
    ],
  ])('asks for ten players of the plan where the log %s', async (_what, arrange, changes) => {
    const engine = await ownUpload(changes);
    const players = Array.from({ length: 20 }, (_, at) => at + 1);
    for (const player of players) uploaded(engine, player, { [player]: 4 });
    arrange(engine);
    const plan = (equal: number) => players.map((player) => row(player, player === equal ? 4 : 9));
    const { reads: ofTenth, isStopped } = await check(engine, plan(10));
    expect(isStopped).toBe(true);
    expect(await check(engine, plan(11))).toMatchObject({ isStopped: false, reads: ofTenth });
  });

  it.each<readonly [string, (engine: Engine) => void]>([
    ['cannot be read', ({ service }) => void (service.statesTotal = false)],
    ['is shorter', ({ service }) => void service.prices.splice(0, 2)],
  ])('goes on where the log %s', async (_what, arrange) => {
    const engine = await ownUpload({ evidence: { count: 0 } });
    arrange(engine);
    if (engine.service.prices.length > 0) uploaded(engine, 1, { 1: 4.5 });
    else uploaded(engine, 0, { 1: 4.5 });
    expect(await check(engine, [row(1, 4.5)])).toMatchObject({ isStopped: false });
  });

  it('believes the log more than a total that counts something else', async () => {
    const engine = await ownUpload({ evidence: { count: 0 } });
    const { get } = engine.service;
    engine.service.get = async (...args) => ({ ...(await get(...args)), paging: { total: 1 } });
    expect(await check(engine, [row(1, 4)])).toMatchObject({ isStopped: false });
  });

  it('fails where the log is not answered now, which it was before: it may show a later upload', async () => {
    const engine = await ownUpload();
    uploaded(engine, 1, { 1: 4.5 });
    for (const before of [[], [undefined]]) {
      engine.service.readFaults.push(...before, new UnavailableError('service.no_envelope', 'no envelope'));
      await expect(check(engine, [row(1, 4.5)])).rejects.toThrow('no envelope');
    }
  });

  it('goes on where the log is refused now', async () => {
    const engine = await ownUpload();
    uploaded(engine, 1, { 1: 4.5 });
    engine.service.readFaults.push(undefined, new RefusedError(404, 'gone'));
    expect(await check(engine, [row(1, 4.5)])).toMatchObject({ isStopped: false });
    engine.service.readFaults.push(new RefusedError(403, 'gone'), new RefusedError(403, 'gone'));
    expect(await check(engine, [row(1, 4.5)])).toMatchObject({ isStopped: false });
  });

  it('fails where a price cannot be read', async () => {
    const engine = await ownUpload();
    uploaded(engine, 1, { 1: 7 });
    engine.service.readFaults.push(undefined, undefined, undefined, new Error('no way'));
    await expect(check(engine, [row(1, 4.5)])).rejects.toThrow('no way');
  });
});

describe('the write that tells how long the log was', () => {
  const LONG = { keys: [], evidence: { count: 50, refs: [] } };

  it.each<readonly [string, Sent]>([
    ['one that was refused', { ...LONG, result: 'refused' }],
    ['one that was not applied', { ...LONG, result: 'not_applied' }],
    ['one without evidence', { keys: [] }],
    ['one that does not know it', { keys: [], evidence: { refs: [] } }],
    ['one of another resource', { ...LONG, mapping: triggers }],
    ['one of another account', { ...LONG, run: 'X', account: { ...ACCOUNT, accountId: 'b' } }],
  ])('is not %s', async (_what, newer) => {
    const engine = await remembering([OWN, newer]);
    uploaded(engine, 0, { 1: 4, 2: 5 });
    uploaded(engine, 5, { 1: 7, 2: 8 });
    expect(await check(engine, [row(1, 4.5), row(2, 5.5)])).toMatchObject({ isStopped: true });
  });

  it.each([
    ['RUN', 'applied', 1],
    ['NEXT', 'applied', 1],
    // One that is open may stand in the log, so that its length alone says nothing.
    ['NEXT', 'ambiguous', 3],
    ['NEXT', null, 3],
  ] as const)('is the newest, in run %s and %s', async (run, result, reads) => {
    const keys = ['1/3/current'];
    const newer = { run, result, keys, evidence: { count: 4, refs: ['upload-0', 'upload-5'] } };
    const engine = await remembering([OWN, newer]);
    uploaded(engine, 0, { 1: 4, 2: 5 });
    uploaded(engine, 5, { 1: 7, 2: 8 });
    uploaded(engine, 1, { 3: 1 });
    expect(await check(engine, [row(1, 4.5), row(2, 5.5)])).toMatchObject({ isStopped: false, reads });
  });

  it.each<readonly [string, Partial<Sent>, boolean]>([
    ['open', { result: null }, false],
    ['ambiguous', { result: 'ambiguous' }, false],
    ['refused', { result: 'refused' }, true],
    ['open, and older than that', { result: null, sentAtMs: 99 }, true],
  ])('goes with those that were under way with it and are %s', async (_what, changes, isStopped) => {
    const engine = await remembering([
      { run: 'BEFORE', keys: ['1/1/current', '1/2/current'], sentAtMs: 100, ...changes },
      { run: 'LAST', keys: ['1/3/current'], sentAtMs: 200, evidence: { atMs: 100, count: 0, refs: [] } },
    ]);
    uploaded(engine, 0, { 1: 4, 2: 5 });
    uploaded(engine, 1, { 3: 1 });
    expect(await check(engine, [row(1, 4.5), row(2, 5.5)])).toMatchObject({ isStopped });
  });
});

describe('steps, where the state may not remember the last upload of prices', () => {
  const step = (player: number): RunRow =>
    runRow(
      player + 101,
      { fantasy_league_id: 1, player_id: player, price: 0.2, type: 'Delta' },
      { key: `1/${player}/Delta`, change: 'update' },
    );

  it('stop at an unknown upload of one of their players, whatever it is of, and ask for no price', async () => {
    const engine = await ownUpload();
    uploaded(engine, 1, { 1: 7, 8: 7, 9: 7 });
    const { stop, reads } = await check(engine, [row(2, 4.5), step(2), step(1)]);
    expect(stop).toMatchObject({
      code: 'state.no_memory',
      exitCode: 6,
      message:
        'prices: the service has price uploads that this state does not remember, and steps that are to be sent now may be among them: the state file is older than the last push, or somebody else has uploaded them',
      next: 'restore the newest state file, or add --adopt to upload what is planned anyway',
    });
    expect(reads).toBe(WHOLE_LOG);
    expect(await check(engine, [step(2), row(3, 4)])).toMatchObject({ isStopped: false, reads: WHOLE_LOG });
  });

  it.each<readonly [string, (engine: Engine) => void]>([
    ['tells its uploads apart', () => undefined],
    ['has no references', ({ service }) => void (service.references = 'absent')],
  ])(
    'stop where only an open price of the same player explains the log, which %s',
    async (_what, arrange) => {
      const open = { keys: ['1/3/initial'], evidence: { count: 2, refs: ['upload-0'] }, result: null };
      const engine = await remembering([OWN, open]);
      uploaded(engine, 0, { 1: 4, 2: 5 });
      arrange(engine);
      expect(await check(engine, [step(3)])).toMatchObject({ isStopped: false });
      uploaded(engine, 1, { 3: 7 });
      expect(await check(engine, [step(3)])).toMatchObject({ isStopped: true });
      expect(await check(engine, [step(4)])).toMatchObject({ isStopped: false });
      expect(await check(engine, [row(3, 4)])).toMatchObject({ isStopped: false });
    },
  );

  it.each<readonly [string, readonly string[] | undefined]>([
    ['tells which players it had before', ['1/1', '1/2', '1/30']],
    ['does not tell which players it had before', undefined],
  ])('stop where no open write explains a log without references, which %s', async (_what, players) => {
    const open = (player: number): Sent => ({
      keys: [`1/${player}/Delta`],
      evidence: { count: 3, refs: [''], ...(players && { players }) },
      result: null,
    });
    const engine = await remembering([OWN, open(31)]);
    engine.service.references = 'absent';
    uploaded(engine, 0, { 1: 4, 2: 5, 30: 1 });
    expect(await check(engine, [step(3)])).toMatchObject({ isStopped: false });
    uploaded(engine, 1, { 3: 7 });
    expect(await check(engine, [step(3)])).toMatchObject({ isStopped: true });
    // A record of its player that was there before explains nothing.
    const other = await remembering([OWN, open(30)]);
    other.service.references = 'absent';
    other.service.prices.push(...engine.service.prices);
    expect(await check(other, [step(3)])).toMatchObject({ isStopped: players !== undefined });
  });

  it('stop where no log was read before a write without an answer, and the log shows more than was sent', async () => {
    const unread = { keys: ['1/8/Delta'], result: null };
    const engine = await remembering([{ keys: ['1/9/Delta'] }, unread]);
    engine.service.references = 'absent';
    uploaded(engine, 0, { 8: 1, 9: 1, 30: 1 });
    expect(await check(engine, [step(3), step(9), row(30, 4)])).toMatchObject({ isStopped: false });
    uploaded(engine, 1, { 3: 7 });
    const { stop } = await check(engine, [row(3, 4), step(3), row(30, 4)]);
    expect(stop?.message).toContain('and steps that are to be sent now may be among them');
    engine.service.readFaults.push(new UnavailableError('service.no_envelope', 'no envelope'));
    await expect(check(engine, [step(3)])).rejects.toThrow('no envelope');
    // What was sent twice stands there twice.
    uploaded(engine, 1, { 9: 7 });
    expect(await check(engine, [step(9)])).toMatchObject({ isStopped: true });
    // Nothing is asked where every write has its answer.
    await engine.store.recordResult(ACCOUNT, '1', 'applied', [], []);
    expect(await check(engine, [step(3)])).toMatchObject({ isStopped: false, reads: 0 });
  });

  it('are not explained by a write that was refused', async () => {
    const refused = { keys: ['1/3/Delta'], result: 'refused' } as const;
    const engine = await remembering([refused, { keys: ['1/8/Delta'], result: null }]);
    uploaded(engine, 0, { 3: 1, 8: 1 });
    expect(await check(engine, [step(8)])).toMatchObject({ isStopped: false });
    expect(await check(engine, [step(3)])).toMatchObject({ isStopped: true });
  });

  it('stand beside a price of the same player', async () => {
    const engine = await ownUpload();
    uploaded(engine, 1, { 1: 7 });
    expect(await check(engine, [step(1), row(1, 4.5)])).toMatchObject({ isStopped: true, reads: WHOLE_LOG });
    // A price that is there stops in its own words, but no step can be compared with what is there.
    const { stop } = await check(engine, [row(1, 7), step(2)]);
    expect(stop).toMatchObject({
      message: expect.stringContaining('of prices that are to be sent now') as string,
      next: expect.not.stringContaining('--compare live') as string,
    });
  });

  it.each<readonly [string, (engine: Engine) => void, Partial<Sent>]>([
    ['is too long', ({ service }) => void (service.pageSize = 1), {}],
    ['was too long before', () => undefined, { evidence: { count: 0 } }],
    [
      'has no references',
      ({ service }) => void (service.references = 'absent'),
      { evidence: { count: 0, refs: [''] } },
    ],
  ])(
    'stop where the log %s and is longer than it must be, but for writes that are open',
    async (_what, arrange, changes) => {
      const players = Array.from({ length: 20 }, (_, at) => at + 1);
      const keys = players.map((player) => `1/${player}/Delta`);
      const open = { keys: ['1/30/Delta'], evidence: { count: 20 }, result: null };
      const engine = await remembering([{ ...OWN, ...changes, keys }, open]);
      for (const player of players) uploaded(engine, player, { [player]: 4 });
      arrange(engine);
      expect(await check(engine, [step(21)])).toMatchObject({ isStopped: false });
      uploaded(engine, 21, { 30: 1 });
      expect(await check(engine, [step(21)])).toMatchObject({ isStopped: false });
      uploaded(engine, 22, { 31: 1 });
      expect(await check(engine, [step(21)])).toMatchObject({ isStopped: true });
      expect(await check(engine, [row(21, 9)])).toMatchObject({ isStopped: false });
    },
  );
});

describe('a state that may not remember the last trigger', () => {
  const HOUR_MS = 60 * 60 * 1000;
  const T0 = Date.UTC(2026, 7, 14, 18);
  const week = (league: number | string, changes: Partial<RunRow> = {}): RunRow =>
    runRow(2, { fantasy_league_id: league, game_week_id: 'w2' }, { change: 'create', ...changes });
  const trigger = (league: number, count: number, changes: Partial<Sent> = {}): Sent => ({
    mapping: triggers,
    keys: [`${league}/w1`],
    evidence: { count },
    ...changes,
  });
  /** Substitutions of a league, so many hours after the first of all. */
  const substituted = ({ service }: Engine, league: number, ...hours: readonly number[]): void => {
    for (const [at, hour] of hours.entries())
      service.substitutions.push({
        id: `${league}-${at}`,
        fantasy_league_id: league,
        created_at: new Date(T0 + hour * HOUR_MS).toISOString(),
      });
  };
  const checkWeeks = (engine: Engine, ...rows: readonly RunRow[]) => check(engine, rows, triggers);

  it('stops at substitutions long after those of the last one, and says which', async () => {
    const engine = await remembering([trigger(1, 1)]);
    substituted(engine, 1, 0, 100, 101, 113);
    const { stop } = await checkWeeks(engine, week(1));
    expect(stop).toMatchObject({
      code: 'state.no_memory',
      message:
        'weeks: the service has substitutions of fantasy league 1 that came after those of the last trigger which this state remembers (of 2026-08-19T11:00:00.000Z), so it cannot tell which game weeks are processed already',
      next: 'restore the newest state file, or add --adopt to process the game weeks of the source anyway',
    });
  });

  it('knows the last one by any of its keys', async () => {
    const engine = await remembering([trigger(1, 0, { keys: ['2/w1', '1/w1'] })]);
    substituted(engine, 1, 0, 100);
    expect(await checkWeeks(engine, week(1))).toMatchObject({ isStopped: true });
  });

  it('knows the times in whatever order the log has them', async () => {
    const engine = await remembering([trigger(1, 1)]);
    substituted(engine, 1, 113, 100, 0, 101);
    expect(await checkWeeks(engine, week(1))).toMatchObject({ isStopped: true });
  });

  it.each<readonly [string, number, readonly number[]]>([
    ['none came since', 2, [0, 100]],
    ['one came since', 1, [0, 100]],
    ['they came within an hour', 1, [0, 100, 100.5, 101]],
  ])('goes on where %s', async (_what, count, hours) => {
    const engine = await remembering([trigger(1, count)]);
    substituted(engine, 1, ...hours);
    expect(await checkWeeks(engine, week(1))).toMatchObject({ isStopped: false });
  });

  /** So many records of the log were read by the state, at this hour. */
  const seen = ({ store }: Engine, count: number, hour: number): Promise<void> =>
    store.memory.keep(
      { account: ACCOUNT, league: 1 },
      Array.from({ length: count }, (_, at) => ({
        gameWeek: '',
        kind: 'substitution' as const,
        id: `1-${at}`,
        variant: '',
        readAtMs: T0 + hour * HOUR_MS,
        record: {},
      })),
    );

  it.each<readonly [string, number, readonly number[], boolean]>([
    ['stops at others that came after them', 2, [0, 0.1], true],
    ['goes on where others came with them', 2, [0, 0.001], false],
    ['goes on where all were seen', 4, [0, 0.1], false],
    ['takes those from before the trigger for no sign of it', 1, [0, 0.1], false],
  ])('%s, where it has seen %d records', async (_what, count, [first = 0, later = 0], isStopped) => {
    const engine = await remembering([trigger(1, 1)]);
    substituted(engine, 1, -100, first, later, later);
    await seen(engine, count, 0);
    expect(await checkWeeks(engine, week(1))).toMatchObject({ isStopped });
  });

  /** A trigger at the first hour, at a service whose clock is an hour ahead of ours. */
  const sentAt = async (...hours: readonly number[]): Promise<Engine> => {
    const engine = await remembering([trigger(1, 1, { sentAtMs: T0 - HOUR_MS })]);
    await engine.store.setFact(ACCOUNT, 'service_ahead_ms', String(HOUR_MS));
    substituted(engine, 1, -100, ...hours);
    return engine;
  };

  it.each<readonly [string, readonly number[], boolean]>([
    ['stops at those that came long after it', [100, 100], true],
    ['goes on where they came within an hour', [0.9, 0.9], false],
  ])('%s, where the last trigger may have made none', async (_what, hours, isStopped) => {
    expect(await checkWeeks(await sentAt(...hours), week(1))).toMatchObject({ isStopped });
  });

  it.each<readonly [string, number, boolean]>([
    ['stops at those that came later', 0.05, true],
    ['takes a reading from before the trigger for none', -0.05, false],
  ])('%s, where it has looked and seen nothing of the last trigger', async (_what, hour, isStopped) => {
    const engine = await sentAt(0.1, 0.1);
    await seen(engine, 1, hour);
    expect(await checkWeeks(engine, week(1))).toMatchObject({ isStopped });
  });

  it('fails where the log is not answered now, which it was before', async () => {
    const engine = await remembering([trigger(1, 0)]);
    substituted(engine, 1, 0, 100);
    engine.service.readFaults.push(new UnavailableError('service.no_envelope', 'no envelope'));
    await expect(checkWeeks(engine, week(1))).rejects.toThrow('no envelope');
  });

  it.each([
    ['the oldest first', (hours: readonly number[]) => hours],
    ['the newest first', (hours: readonly number[]) => hours.toReversed()],
  ])('knows it of a log of very many pages with %s', async (_order, inOrder) => {
    const old = Array.from({ length: 500 }, (_, index) => index / 1000);
    const long = async (count: number, ...since: readonly number[]): Promise<object> => {
      const engine = await remembering([trigger(1, count)]);
      engine.service.pageSize = 10;
      substituted(engine, 1, ...inOrder([...old, ...since]));
      return checkWeeks(engine, week(1));
    };
    const few = Array.from({ length: 30 }, (_, index) => 100 + index / 1000);
    expect(await long(500, ...few, 200)).toMatchObject({ isStopped: true });
    // What came since came at once: it is of the last trigger itself.
    expect(await long(500, ...few)).toMatchObject({ isStopped: false });
    expect(await long(530, ...few)).toMatchObject({ isStopped: false });
  });

  it('goes on where the log states no total, or says no time', async () => {
    const unread = await remembering([trigger(1, 0)]);
    substituted(unread, 1, 0, 100);
    unread.service.statesTotal = false;
    expect(await checkWeeks(unread, week(1))).toMatchObject({ isStopped: false });
    const timeless = await remembering([trigger(1, 0)]);
    for (const id of ['a', 'b']) timeless.service.substitutions.push({ id, fantasy_league_id: 1 });
    expect(await checkWeeks(timeless, week(1))).toMatchObject({ isStopped: false });
  });

  it('looks only at the leagues of triggers that are still to be sent, and that one was sent of', async () => {
    const engine = await remembering([trigger(1, 0), trigger(12, 0)]);
    for (const league of [1, 2, 12]) substituted(engine, league, 0, 100);
    const none = { isStopped: false, reads: 0 };
    expect(await checkWeeks(engine, week(1, { outcome: 'created' }))).toMatchObject(none);
    expect(await checkWeeks(engine, week(1, { change: 'unchanged' }))).toMatchObject(none);
    expect(await checkWeeks(engine, week(2))).toMatchObject(none);
    expect(await checkWeeks(engine, week('Cup (row 2)'))).toMatchObject(none);
    const { stop } = await checkWeeks(
      engine,
      week(2),
      week('Cup', { rowNumber: 3 }),
      week(12, { rowNumber: 4 }),
    );
    expect(stop?.message).toContain('of fantasy league 12 that');
  });

  it('takes a trigger of another league for none of its own', async () => {
    const engine = await remembering([trigger(1, 0), trigger(12, 2)]);
    substituted(engine, 1, 0, 1);
    substituted(engine, 12, 200, 300);
    expect(await checkWeeks(engine, week(1))).toMatchObject({ isStopped: false });
    const later = await remembering([trigger(12, 2)]);
    substituted(later, 1, 0, 1, 2, 50);
    expect(await checkWeeks(later, week(1))).toMatchObject({ isStopped: false, reads: 0 });
  });
});
