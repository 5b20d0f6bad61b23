import { describe, expect, it } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { renderCountOf } from '../../src/model/count.ts';
import { RefusedError, UnavailableError } from '../../src/model/error.ts';
import { renderSaid } from '../../src/model/said.ts';
import type { RunRow } from '../../src/model/state/run-rows.ts';
import type { IntentResult } from '../../src/model/state/store.ts';
import { readBack } from '../../src/sync/reconcile/read-back.ts';
import type { OpenWrite, Seen } from '../../src/plan/reconcile/seen.ts';
import { pushMapping, runRow } from '../support/builders.ts';
import { makeEngine, type Engine } from '../support/engine.ts';
import { ACCOUNT, intentOf, startedRun, readTask } from '../support/writes.ts';

const AT_MS = 1000;
const NO_EVIDENCE =
  'what the service had before the write could not be read, so nobody can tell whether it was applied';
const mappingOf = (resource: PushMapping['resource']): PushMapping =>
  pushMapping({ name: resource, resource });

/** A write of a run, with a row for each key. */
interface Sent {
  readonly keys: readonly string[];
  readonly result?: IntentResult;
  readonly evidence?: object;
  readonly rows?: readonly RunRow[];
  readonly sentAtMs?: number;
}

/** Records writes of one run, `W1` and on, and answers those that are open. */
async function sent(
  { store }: Engine,
  { name, resource }: PushMapping,
  writes: readonly Sent[],
): Promise<readonly OpenWrite[]> {
  await store.addRun(startedRun('RUN'));
  const open: OpenWrite[] = [];
  for (const [at, { keys, result, evidence, rows, sentAtMs = AT_MS }] of writes.entries()) {
    const intent = intentOf(`W${at + 1}`, {
      mapping: name,
      resource,
      operation: 'upload',
      rowNumbers: keys.map((_, row) => row + 1),
      keys,
      sentAtMs,
      ...(evidence && { evidence: JSON.stringify({ atMs: AT_MS, ...evidence }) }),
    });
    await store.addIntent(ACCOUNT, intent);
    if (result === undefined)
      open.push({ intent, rows: rows ?? keys.map((key, row) => runRow(row + 1, {}, { key })) });
    else await store.recordResult(ACCOUNT, intent.id, result, [], []);
  }
  return open;
}

/** What is seen, with the words that people read. */
type SeenSo = Omit<Seen, 'why'> & { readonly why: string; readonly keys: readonly string[] };

/** What is seen of the open ones of these writes. */
async function look(
  resource: PushMapping['resource'],
  writes: readonly Sent[],
  arrange: (engine: Engine) => Promise<void> | void,
): Promise<SeenSo> {
  const engine = await makeEngine();
  await arrange(engine);
  const mapping = mappingOf(resource);
  const open = await sent(engine, mapping, writes);
  const seen = await readBack(readTask(engine, mapping), open, 'settled');
  return {
    ...seen,
    why: renderSaid(seen.why === undefined ? [] : [seen.why]),
    keys: [...seen.found.keys()].sort(),
  };
}

describe('uploads of prices', () => {
  interface Price {
    readonly txn_ref?: string;
    readonly fantasy_league_id?: number;
    readonly player?: { readonly id: number } | null;
  }
  /** The records of one upload. */
  const upload = (txn_ref: string, players: readonly number[], league = 1): readonly Price[] =>
    players.map((id) => ({ txn_ref, fantasy_league_id: league, player: { id } }));
  const old = upload('old', [1, 2]);
  const evidence = { count: 2, refs: ['old'] };
  const write = { keys: ['1/2', '1/1'], evidence };

  /** The price of each player; undefined where the service does not show it, null where it does not know the player. */
  type PriceOf = (player: number) => number | null | undefined;
  /** A log, and what the service says of each player: the price of every row is 5. */
  const lookAt = (
    log: readonly Price[],
    writes: readonly Sent[] = [write],
    priceOf: PriceOf = () => 5,
    asked: unknown[] = [],
  ) =>
    look('prices', writes.map(priced), ({ service }) => {
      service.get = (operation, { id, query } = {}) => {
        const isPlayer = operation === 'get-player';
        if (isPlayer) asked.push([id, query]);
        const price = isPlayer ? priceOf(Number(id)) : undefined;
        if (price === null) return Promise.reject(new RefusedError(404, 'no such player'));
        return Promise.resolve({
          status: 200,
          message: 'ok',
          records: (isPlayer ? [{ id, ...(price !== undefined && { price }) }] : log) as never,
          issues: [],
          paging: { total: log.length },
        });
      };
      service.list = async function* (_operation, _query, _signal, _onUnreadable, onEnd) {
        await Promise.resolve();
        yield log as never;
        onEnd?.('stated');
      };
    });
  const priced = (sent: Sent): Sent => ({
    rows: sent.keys.map((key, row) => runRow(row + 1, { price: 5 }, { key })),
    ...sent,
  });
  const UNSEEN = 'the upload log does not show it; the price may be a delta, so it is not sent again';
  const more = (count: number): string =>
    `the upload log has ${renderCountOf(count, 'record')} more than before, and no upload of just these players`;

  it('that the log does not show are not seen, though an older one has the same players', async () => {
    expect(await lookAt(old)).toMatchObject({ keys: [], others: 'unseen', why: UNSEEN, pages: 1 });
  });

  it('are found by their players, in any order, of any league where none is told', async () => {
    const found = { keys: ['1/1', '1/2'], others: 'unseen' };
    expect(await lookAt([...old, ...upload('new', [1, 2])])).toMatchObject(found);
    expect(await lookAt([...old, ...upload('new', [2, 1])])).toMatchObject(found);
    const leagueless = [1, 2].map((id) => ({ txn_ref: 'new', player: { id } }));
    expect(await lookAt([...old, ...leagueless])).toMatchObject(found);
  });

  it.each<readonly [string, readonly Price[]]>([
    ['of another league', upload('new', [1, 2], 2)],
    ['of two leagues', [...upload('new', [1]), ...upload('new', [2], 2)]],
    ['of other players', upload('new', [1, 3])],
    ['of a player whose number is made of theirs', upload('new', [12])],
    ['of a part of theirs', upload('new', [1])],
    ['of more players', upload('new', [1, 2, 3])],
    ['of an unknown player', [...upload('new', [1]), { txn_ref: 'new', player: null }]],
    ['each with a reference of its own', [...upload('new', [1]), ...upload('newer', [2])]],
  ])('are not taken for one %s', async (_what, fresh) => {
    const seen = await lookAt([...old, ...fresh]);
    expect(seen).toMatchObject({ keys: [], others: 'unclear', grew: true, why: more(fresh.length) });
  });

  const lacks = (count: number): string =>
    `the upload log lacks ${renderCountOf(count, 'record')} that it showed before or that were confirmed, so it does not show all uploads`;

  it('are in doubt where the log has fewer records than before', async () => {
    const why = lacks(1);
    expect(await lookAt(old.slice(1))).toMatchObject({ keys: [], others: 'unclear', grew: false, why });
  });

  const ANOTHER = (player: number): string =>
    `the upload log has one of just these players, but the service shows another price of player ${player}: somebody else may have uploaded it, the price may be a delta, or it was changed later`;

  it.each<readonly [string, PriceOf]>([
    ['another price', (player) => (player === 1 ? 9.9 : 5)],
    ['no price', (player) => (player === 1 ? undefined : 5)],
    ['no such player', (player) => (player === 1 ? null : 5)],
  ])('are not taken for one of their players where the service shows %s', async (_what, priceOf) => {
    const seen = await lookAt([...old, ...upload('new', [1, 2])], [write], priceOf);
    expect(seen).toMatchObject({ keys: [], others: 'unclear', grew: true, why: ANOTHER(1) });
  });

  it('are not taken for one of many players where the last shows another price', async () => {
    const players = Array.from({ length: 9 }, (_, at) => at + 1);
    const many = { keys: players.map((player) => `1/${player}`), evidence };
    const log = [...old, ...upload('new', players)];
    expect((await lookAt(log, [many])).keys).toEqual(many.keys);
    const asked: unknown[] = [];
    const seen = await lookAt(log, [many], (player) => (player === 9 ? 6 : 5), asked);
    expect(seen).toMatchObject({ keys: [], others: 'unclear', why: ANOTHER(9) });
    expect(asked).toHaveLength(9);
  });

  it('are not held against further prices once one is another', async () => {
    const players = Array.from({ length: 9 }, (_, at) => at + 1);
    const many = { keys: players.map((player) => `1/${player}`), evidence };
    const asked: unknown[] = [];
    const log = [...old, ...upload('new', players)];
    expect(await lookAt(log, [many], (player) => player + 4, asked)).toMatchObject({ why: ANOTHER(2) });
    expect(asked).toHaveLength(8);
  });

  it('of very many players are held against the prices of the first of them', async () => {
    const players = Array.from({ length: 60 }, (_, at) => at + 1);
    const many = { keys: players.map((player) => `1/${player}`), evidence };
    const asked: unknown[] = [];
    const log = [...old, ...upload('new', players)];
    expect((await lookAt(log, [many], () => 5, asked)).keys).toEqual(many.keys.toSorted());
    expect(asked).toHaveLength(50);
  });

  it('of rows without a price are not found', async () => {
    const rows = [1, 2].map((player) => runRow(player, {}, { key: `1/${player}` }));
    const log = [...old, ...upload('new', [1, 2])];
    expect(await lookAt(log, [{ ...write, rows }], () => undefined)).toMatchObject({ keys: [] });
  });

  it('are not sent again for a log that is as long as before because another one is not in it yet', async () => {
    const answered = { keys: ['1/8', '1/7'], evidence, result: 'applied' as const };
    const log = [...old, ...upload('new', [1, 2])];
    const seen = await lookAt(log, [answered, write], () => 4);
    expect(seen).toMatchObject({ keys: [], others: 'unclear', grew: false, why: ANOTHER(2) });
  });

  it('are found beside one of their players that shows another price', async () => {
    const other = { keys: ['1/3'], evidence };
    const log = [...old, ...upload('new', [1, 2]), ...upload('newer', [3])];
    const seen = await lookAt(log, [other, write], (player) => (player === 3 ? 4 : 5));
    expect(seen).toMatchObject({ keys: ['1/1', '1/2'], others: 'unclear', why: ANOTHER(3) });
  });

  it('are held against the prices only where the log has one of their players', async () => {
    const asked: unknown[] = [];
    await lookAt(old, [write], () => 5, asked);
    expect(asked).toEqual([]);
    await lookAt([...old, ...upload('new', [1, 2])], [write], () => 5, asked);
    expect(asked).toEqual([
      [2, { fantasy_league_id: 1 }],
      [1, { fantasy_league_id: 1 }],
    ]);
  });

  it('without references are known by the length of the log', async () => {
    const bare = [1, 2].map((id) => ({ fantasy_league_id: 1, player: { id } }));
    const [shown, length] = [{ count: 2, refs: [''] }, { count: 2 }];
    expect(await lookAt(bare, [{ ...write, evidence: shown }])).toMatchObject({ keys: [], others: 'unseen' });
    const grown = [...bare, ...bare];
    expect(await lookAt(grown, [{ ...write, evidence: shown }])).toMatchObject({ keys: [], why: more(2) });
    expect(await lookAt(grown, [{ ...write, evidence: length }])).toMatchObject({ keys: [], why: more(2) });
  });

  it('that were answered since are not taken for those without an answer', async () => {
    const answered = { ...write, result: 'applied' as const };
    const log = [...old, ...upload('new', [1, 2])];
    expect(await lookAt(log, [answered, write])).toMatchObject({ keys: [], others: 'unseen' });
    const both = [...log, ...upload('newer', [1, 2])];
    expect(await lookAt(both, [answered, write])).toMatchObject({ keys: ['1/1', '1/2'], others: 'unseen' });
  });

  it('that were answered and that the log does not show yet hide no other', async () => {
    const answered = { keys: ['1/7'], evidence, result: 'applied' as const };
    const seen = await lookAt([...old, ...upload('new', [1, 2])], [answered, write]);
    const expected = { keys: ['1/1', '1/2'], others: 'unclear', grew: false, why: lacks(1) };
    expect(seen).toMatchObject(expected);
  });

  it('of the same players are found when the log shows as many', async () => {
    const log = [...old, ...upload('new', [1, 2])];
    expect(await lookAt(log, [write, write])).toMatchObject({ keys: [], others: 'unclear', why: more(2) });
    const both = [...log, ...upload('newer', [1, 2])];
    expect(await lookAt(both, [write, write])).toMatchObject({ keys: ['1/1', '1/2'], others: 'unseen' });
    const other = { keys: ['1/3'], evidence };
    const seen = await lookAt([...log, ...upload('newer', [3])], [write, other]);
    expect(seen).toMatchObject({ keys: ['1/1', '1/2', '1/3'], others: 'unseen' });
  });

  it.each([
    ['nothing', { keys: write.keys }],
    ['no length', { keys: write.keys, evidence: {} }],
  ])('before which %s was read prove nothing', async (_what, given) => {
    expect(await lookAt(old, [given])).toMatchObject({ keys: [], others: 'unclear', why: NO_EVIDENCE });
  });

  it('whose log cannot be read prove nothing', async () => {
    const seen = await look('prices', [write], ({ service }) => {
      service.prices.push({ player_id: 1, price: 1 });
      service.statesTotal = false;
    });
    expect(seen).toMatchObject({ keys: [], others: 'unclear', why: NO_EVIDENCE });
  });
});

describe('fantasy leagues', () => {
  const write = { keys: ['Cup'], evidence: { used: 2 } };
  const lookAt = (used: number, writes: readonly Sent[] = [write]) =>
    look('fantasy_leagues', writes, ({ service }) => {
      for (let id = 1; id <= used; id += 1) service.leagues.push({ id, name: `League ${id}` });
    });

  it('are not seen where the account counts as many as before', async () => {
    expect(await lookAt(2)).toMatchObject({
      keys: [],
      others: 'unseen',
      why: 'the account counts no more fantasy leagues than before, but its counter may be late',
    });
    const answered = { ...write, result: 'applied' as const };
    expect(await lookAt(3, [answered, write])).toMatchObject({ others: 'unseen' });
  });

  it('seem to exist where the account counts just those more', async () => {
    const exists = (count: number, commands: string): string =>
      `the account counts ${count} more than before, so it seems to exist, but nothing shows its id: ask the provider for it, then type ${commands}`;
    expect(await lookAt(3)).toMatchObject({
      keys: [],
      others: 'unclear',
      why: exists(1, 'teamsheet resolve W1 --assume applied'),
    });
    const two = await lookAt(4, [write, write]);
    expect(two).toMatchObject({
      others: 'unclear',
      why: exists(2, 'teamsheet resolve W1 --assume applied and teamsheet resolve W2 --assume applied'),
    });
  });

  it('cannot be told where the account counts another number more', async () => {
    expect(await lookAt(4)).toMatchObject({
      keys: [],
      others: 'unclear',
      why: 'the account counts 2 more fantasy leagues than before, and 1 had no answer: ask the provider which exist',
    });
  });

  it.each([
    ['nothing was read before', { keys: ['Cup'] }],
    ['nothing was counted before', { keys: ['Cup'], evidence: {} }],
  ])('cannot be told where %s', async (_what, given) => {
    expect(await lookAt(2, [given])).toMatchObject({ others: 'unclear', why: NO_EVIDENCE });
  });

  it('cannot be told where nothing is counted', async () => {
    const seen = await look('fantasy_leagues', [write], ({ service }) => void (service.counter = 'absent'));
    expect(seen).toMatchObject({ others: 'unclear', why: NO_EVIDENCE });
  });
});

describe('points configurations', () => {
  const row = (league: number, changes: Partial<RunRow> = {}): RunRow =>
    runRow(league, { fantasy_league_id: league, starter_points: 9 }, { key: `${league}`, ...changes });
  const lookAt = (rows: readonly RunRow[], arrange: (engine: Engine) => void = () => undefined) =>
    look(
      'points_config',
      rows.map((each) => ({ keys: [each.key ?? ''], rows: [each] })),
      async (engine) => {
        for (const league of [3, 4]) {
          engine.service.configs.set(league, { fantasy_league_id: league, starter_points: 9 });
          await engine.store.setFact(ACCOUNT, `points_config_id:${league}`, `config-${league}`);
        }
        arrange(engine);
      },
    );
  const ANOTHER =
    'the league has another points configuration; it is not sent again, because it may add a second one';
  const UNREAD = 'the points configuration of the league could not be read';

  it('are found where every field stands there, with their id', async () => {
    const seen = await lookAt([row(3), row(4)]);
    expect(seen).toMatchObject({ keys: ['3', '4'], others: 'unseen' });
    expect(seen.found.get('3')).toMatchObject({
      id: 'config-3',
      record: { key: '3', id: 'config-3', number: null, values: { fantasy_league_id: 3, starter_points: 9 } },
    });
  });

  it('are not found where a field stands there otherwise', async () => {
    const seen = await lookAt([row(3, { fields: { fantasy_league_id: 3, starter_points: 8 } }), row(4)]);
    expect(seen).toMatchObject({ keys: ['4'], others: 'unseen', why: ANOTHER });
  });

  it('have no id where the answer has none', async () => {
    const seen = await lookAt([row(3)], ({ service }) => {
      service.get = () =>
        Promise.resolve({
          status: 200,
          message: 'ok',
          records: [{ fantasy_league_id: 3, starter_points: 9 } as never],
          issues: [],
        });
    });
    expect(seen.found.get('3')).toMatchObject({ id: null });
  });

  it('of rows without a key are not told', async () => {
    expect(await lookAt([row(3, { key: null })])).toMatchObject({ keys: [], others: 'unseen' });
  });

  it('cannot be told where one is not there', async () => {
    expect(await lookAt([row(7), row(3)])).toMatchObject({ keys: ['3'], others: 'unclear', why: UNREAD });
  });

  it('cannot be told where they are refused', async () => {
    const seen = await lookAt([row(3)], ({ service }) => {
      service.get = () => Promise.reject(new RefusedError(403, 'no'));
    });
    expect(seen).toMatchObject({ keys: [], others: 'unclear', why: UNREAD });
  });

  it('are not asked for further where the service is down', async () => {
    let asked = 0;
    const seen = await lookAt([row(3), row(4)], ({ service }) => {
      service.get = () => {
        asked += 1;
        return Promise.reject(new UnavailableError('service.unreachable', 'down'));
      };
    });
    expect(seen).toEqual({ found: new Map(), keys: [], others: 'unclear', why: '' });
    expect(asked).toBe(1);
  });

  it('end in anything else that goes wrong', async () => {
    const error = new Error('broken');
    const reading = lookAt([row(3)], ({ service }) => {
      service.get = () => Promise.reject(error);
    });
    await expect(reading).rejects.toBe(error);
  });
});

describe('triggers', () => {
  const row = runRow(1, { fantasy_league_id: 1, game_week_id: 'a' }, { key: '1/a' });
  const write: Sent = {
    keys: ['1/a'],
    rows: [row],
    evidence: { atMs: 500_000, count: 1 },
    sentAtMs: 500_000,
  };
  /** Records of the log of league 1, and of another league. */
  const lookAt = (count: number, writes: readonly Sent[] = [write], states = true) =>
    look('auto_substitutions', writes, ({ service }) => {
      for (let at = 0; at < count; at += 1) service.substitutions.push({ id: `${at}`, fantasy_league_id: 1 });
      service.substitutions.push({ id: 'x', fantasy_league_id: 2 }, { id: 'y', fantasy_league_id: 2 });
      service.statesTotal = states;
    });
  const NONE =
    'the log of the league shows no new substitution, but a game week without substitutions leaves none; --again sends the trigger again';
  const EITHER = 'the log has new substitutions; they may belong to another trigger of the league';

  it('are found where the log of their league has grown', async () => {
    expect(await lookAt(2)).toMatchObject({ keys: ['1/a'], others: 'unclear' });
    expect(await lookAt(1)).toMatchObject({ keys: [], others: 'unclear', why: NONE });
  });

  it('prove nothing where the log cannot be read, or was not before', async () => {
    expect(await lookAt(2, [write], false)).toMatchObject({ keys: [], others: 'unclear', why: NO_EVIDENCE });
    const { evidence, ...bare } = write;
    expect(evidence).toBeDefined();
    expect(await lookAt(2, [bare])).toMatchObject({ keys: [], others: 'unclear', why: NO_EVIDENCE });
    expect(await lookAt(2, [{ ...bare, evidence: {} }])).toMatchObject({ keys: [], why: NO_EVIDENCE });
  });

  it('are found beside one of another league whose log shows nothing', async () => {
    const rows = [runRow(2, { fantasy_league_id: 2, game_week_id: 'a' }, { key: '2/a' })];
    const other: Sent = { ...write, keys: ['2/a'], rows };
    expect(await lookAt(1, [write, other])).toMatchObject({ keys: ['2/a'], others: 'unclear', why: NONE });
  });

  const LATER =
    'the log of the league has new substitutions, but they came after settle had passed: they may be late, or somebody else made them';

  it.each([
    ['once nothing could be late, are held: others made them', 'settled', [], LATER],
    ['at once are found all the same', 'now', ['1/a'], NONE],
  ] as const)('whose log showed nothing %s', async (_what, when, keys, why) => {
    const engine = await makeEngine();
    const mapping = mappingOf('auto_substitutions');
    const open = await sent(engine, mapping, [write]);
    const { substitutions } = engine.service;
    const seen = (at: 'now' | 'settled') => readBack(readTask(engine, mapping), open, at);
    substitutions.push({ id: '1', fantasy_league_id: 1 });
    expect(await seen(when)).toMatchObject({
      found: new Map(),
      others: 'unclear',
      why: { code: 'substitutions-none' },
    });
    substitutions.push({ id: '2', fantasy_league_id: 1 });
    const later = await seen('settled');
    expect([[...later.found.keys()], later.others, renderSaid(later.why ? [later.why] : [])]).toEqual([
      keys,
      'unclear',
      why,
    ]);
  });

  /** Another trigger beside it; the settle time of the tests is 120 s. */
  const beside = (other: Partial<Sent>) =>
    lookAt(2, [{ keys: ['1/b'], sentAtMs: 380_000, result: 'applied', ...other }, write]);

  it.each<readonly [string, Partial<Sent>]>([
    ['of the league', {}],
    ['of the league that has no trustworthy answer', { result: 'ambiguous' }],
    ['of several leagues, theirs among them', { keys: ['2/b', '1/b'] }],
    ['of the league, later', { sentAtMs: 600_000 }],
    ['of a raw call, which does not say its league', { keys: [] }],
    ['of the league that has no answer yet, whenever it was recorded', { sentAtMs: 1, result: 'ambiguous' }],
  ])('are not told from another one %s', async (_what, other) => {
    expect(await beside(other)).toMatchObject({ keys: [], others: 'unclear', why: EITHER });
  });

  it('are not told from one that may have waited for the budget after it was recorded', async () => {
    const engine = await makeEngine();
    const mapping = mappingOf('auto_substitutions');
    const other: Sent = { keys: ['1/b'], sentAtMs: 379_999, result: 'applied' };
    const open = (await sent(engine, mapping, [other, write])).slice(-1);
    for (let at = 0; at < 2; at += 1)
      engine.service.substitutions.push({ id: `${at}`, fantasy_league_id: 1 });
    const seen = async (maxWaitMs: number) =>
      (await readBack({ ports: { ...engine.ports, maxWaitMs }, account: ACCOUNT, mapping }, open, 'settled'))
        .found.size;
    expect([await seen(0), await seen(1)]).toEqual([1, 0]);
  });

  it('are told from an open write of something else in the league', async () => {
    const engine = await makeEngine();
    const mapping = mappingOf('auto_substitutions');
    const open = await sent(engine, mapping, [write]);
    await engine.store.addIntent(
      ACCOUNT,
      intentOf('M', { resource: 'mini_leagues', keys: ['1/Cup'], sentAtMs: 1 }),
    );
    for (let at = 0; at < 2; at += 1)
      engine.service.substitutions.push({ id: `${at}`, fantasy_league_id: 1 });
    expect((await readBack(readTask(engine, mapping), open, 'settled')).found.size).toBe(1);
  });

  it('are not told from a later one of a clock that was set back meanwhile', async () => {
    const later: Sent = { keys: ['1/b'], sentAtMs: 1, result: 'applied' };
    expect(await lookAt(2, [write, later])).toMatchObject({ keys: [], others: 'unclear', why: EITHER });
  });

  it.each<readonly [string, Partial<Sent>]>([
    ['refused', { result: 'refused' }],
    ['not applied', { result: 'not_applied' }],
    ['of another league', { keys: ['2/b'] }],
    ['of a league whose number begins like theirs', { keys: ['12/b'] }],
    ['too long ago to be applied late', { sentAtMs: 379_999 }],
  ])('are told from one that was %s', async (_what, other) => {
    expect(await beside(other)).toMatchObject({ keys: ['1/a'], others: 'unclear' });
  });
});
