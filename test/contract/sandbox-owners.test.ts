import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { control } from '../support/control.ts';
import { sandboxOfTest } from '../support/of-test.ts';
import { at, pointsConfigBody } from '../support/sandbox.ts';
import type { Fields, TestSandbox } from '../support/sandbox.ts';
import { runs } from '../support/long.ts';

/** A squad by the rules: three of each of five clubs. In the first week four starters do not play, and two of the bench do. */
const SQUAD = [46, 69, 9, 29, 50, 74, 96, 61, 38, 16, 83, 105, 22, 44, 112];
let box: TestSandbox;
let id: string;

/** A sandbox before the season with one squad; every setting of the points configuration is 1. */
async function open(options: SandboxOptions = {}): Promise<void> {
  box = await sandboxOfTest(options);
  await box.call('create-users', { body: { users: [{ external_id: 'a', display_name: 'A' }] } });
  await box.call('set-points-config', { body: pointsConfigBody() });
  const body = { user_id: 1, name: 'Squad', fantasy_league_id: 1, players_in: SQUAD };
  id = String((await box.call('create-squad', { body })).record['id']);
}

beforeEach(() => open());

const post = (path: string, body: object) => control(box.sandbox, 'POST', path, body);
const change = (what: 'transfers' | 'lineup' | 'chips', body: object) => post(`/squads/${id}/${what}`, body);
const playWeek = async (): Promise<string> =>
  String(at((await post('/play-next-week', {})).record, 'current_game_week.id'));
const lineup = async () => (await box.call('get-lineup', { id })).record;
const squad = async () => (await box.call('get-squad', { id })).record;
const truthOf = async (week: number) =>
  (await control(box.sandbox, 'GET', `/truth?game_week=${week}`)).list[0] ?? {};
const entriesOf = (record: Fields): readonly Fields[] =>
  ['starting_xi', 'bench'].flatMap((part) => at(record, `squad.${part}`) as readonly Fields[]);
const idsOf = (record: Fields) => entriesOf(record).map((entry) => Number(at(entry, 'player.id')));
/** The player who has the flag, such as is_captain. */
function playerWith(flag: string, record: Fields): number {
  const entry = entriesOf(record).find((one) => one[flag] === true);
  return Number(at(entry, 'player.id'));
}
/** The eleven and the bench as they are, the captain and the next one the other way round. */
async function swapped(): Promise<Fields> {
  const shown = await lineup();
  const ids = idsOf(shown);
  const [keeper = 0, ...bench] = ids.slice(11);
  return {
    starting: ids.slice(0, 11),
    bench: [keeper, ...bench.toReversed()],
    captain: playerWith('is_vice_captain', shown),
    vice_captain: playerWith('is_captain', shown),
  };
}
const pointsOf = async (playerId: number, week: number): Promise<number> => {
  const query = { fantasy_league_id: 1 };
  const { weekly_stats } = (await box.call('get-player', { id: playerId, query })).record;
  return Number(at((weekly_stats as readonly Fields[])[week - 1], 'points'));
};

describe('a line-up by week', () => {
  it('shows what is changed before its week begins, and keeps what is changed afterwards for the next one', async () => {
    const first = idsOf(await lineup());
    expect((await change('transfers', { out: [22], in: [23] })).status).toBe(200);
    const second = idsOf(await lineup());
    expect(second).toEqual(first.map((player) => (player === 22 ? 23 : player)));
    await playWeek();
    const later = await swapped();
    expect((await change('lineup', later)).record).toMatchObject({ game_week: '2', ...later });
    expect((await change('transfers', { out: [23], in: [22] })).status).toBe(200);
    const shown = await lineup();
    expect([idsOf(shown), at(shown, 'game_week.week')]).toEqual([second, '1']);
    expect(playerWith('is_captain', shown)).toBe(later['vice_captain']);
    await playWeek();
    expect(idsOf(await lineup()).toSorted()).toEqual(first.toSorted());
    expect(playerWith('is_captain', await lineup())).toBe(later['captain']);
    const players = async (week: number) =>
      ((await truthOf(week))['before'] as readonly Fields[]).map((place) => place['player_id']);
    expect([await players(1), await players(3)]).toEqual([second, await players(2)]);
  });

  it('stays what the substitutions made of it, whatever is corrected afterwards', async () => {
    const trigger = async (game_week_id: string) =>
      (await box.call('trigger-auto-substitution', { body: { fantasy_league_id: 1, game_week_id } })).record;
    const week = await playWeek();
    const before = await lineup();
    expect(await trigger(week)).toMatchObject({ code: 'PROCESSED' });
    const after = idsOf(await lineup());
    const [pair] = (await truthOf(1))['substitutions'] as readonly Fields[];
    expect(idsOf(before).indexOf(Number(pair?.['out']))).toBe(after.indexOf(Number(pair?.['in'])));
    const corrected = { game_week: 1, player_id: pair?.['out'], minutes_played: 90, games_started: 1 };
    expect((await post('/statistics', corrected)).status).toBe(200);
    expect(idsOf(await lineup())).toEqual(after);
    expect(at(await truthOf(1), 'substitutions.0')).toEqual(pair);
  });
});

describe('transfers', () => {
  it('cost four points each beyond the free ones, of which one comes a week and is kept', async () => {
    const left = async () => (await squad())['free_transfers'];
    expect(await left()).toBe(1);
    await playWeek();
    expect(await left()).toBe(2);
    const { record } = await change('transfers', { out: [22, 44, 112], in: [21, 43, 111] });
    expect(record).toMatchObject({
      game_week: '2',
      free_transfers: 0,
      transfer_hits: { hits: 1, points_deduction: 4 },
    });
    expect((record['transfers'] as readonly Fields[]).map((one) => one['is_hit'])).toEqual([
      false,
      false,
      true,
    ]);
    expect(at(await lineup(), 'transfer_hits.hits')).toBe(0);
    await playWeek();
    const shown = await lineup();
    expect(shown['transfer_hits']).toEqual({ hits: 1, points_deduction: 4 });
    const gross = entriesOf(shown)
      .slice(0, 11)
      .reduce((sum, entry) => sum + Number(entry['points']), 0);
    expect([shown['total_points'], at(await squad(), 'ranking.game_week_points')]).toEqual([
      gross - 4,
      gross - 4,
    ]);
    expect(await truthOf(2)).toMatchObject({ points: { net: gross - 4, gross }, rank: 1 });
    expect(at(await squad(), 'ranking.total_points')).toBe((await truthOf(2))['total_points']);
    expect(await left()).toBe(1);
    for (let week = 3; week <= 8; week += 1) await playWeek();
    expect(await left()).toBe(5);
  });

  it('sell and buy at the prices of now', async () => {
    const start = (await squad())['finance'] as Record<string, number>;
    const price = async (player_id: number, to: number): Promise<void> => {
      const prices = [{ player_id, price: to, type: 'current' }];
      await box.call('upload-prices', { body: { fantasy_league_id: 1, prices } });
    };
    await price(22, 6);
    await price(23, 4.5);
    await change('transfers', { out: [22], in: [23] });
    const now = (await squad())['finance'] as Record<string, number>;
    expect(now['money_in_bank']).toBeCloseTo((start['money_in_bank'] ?? 0) + 1.5, 6);
    expect((now['money_spent'] ?? 0) + (now['money_in_bank'] ?? 0)).toBeCloseTo(100, 6);
    await price(23, 5);
    expect((await squad())['finance']).toMatchObject({ money_in_bank: now['money_in_bank'] });
    expect(at(await squad(), 'finance.squad_value')).toBeCloseTo((now['squad_value'] ?? 0) + 0.5, 6);
  });

  it.each([
    [{ out: [22], in: [23, 24] }, 400, 'in: 2 players for 1 in out; name as many as go'],
    [{ out: [1], in: [23] }, 400, /^out\[0\]: 1 is not in the squad; its players are .*\b22\b/],
    [{ out: [22], in: [44] }, 400, 'in[0]: 44 is in the squad already; name a player who is not'],
    [{ out: [22, 22], in: [1, 2] }, 400, 'out[1]: 22 stands twice; name each player once'],
    [{ out: [22], in: [9_999] }, 404, 'in[0]: there is no player 9999'],
    [{ out: [], in: [] }, 400, /^out: /],
  ])('%j are refused', async (body, status, message) => {
    const reply = await change('transfers', body);
    expect(reply.status).toBe(status);
    expect(reply.message).toMatch(message);
    expect((await squad())['free_transfers']).toBe(1);
  });

  it('go by the rules where squads do', async () => {
    await box.close();
    await open({ settings: { squad_rules: 'refuse' } });
    const broken = await change('transfers', { out: [22], in: [1] });
    expect([broken.status, broken.message]).toEqual([
      400,
      'in: 3 GK (46, 1, 69), and a squad has 2 GK, 5 DEF, 5 MID, 3 FWD',
    ]);
    const same = await change('transfers', { out: [112], in: [42] });
    expect(same.message).toMatch(/^in: 4 of Northmere Victoria \(.*\), and a squad has at most 3 of a club$/);
    await box.call('upload-prices', {
      body: { fantasy_league_id: 1, prices: [{ player_id: 111, price: 90, type: 'current' }] },
    });
    const dear = await change('transfers', { out: [112], in: [111] });
    expect(dear.message).toMatch(/^in: \d+\.\d more than the budget of 100 allows; choose cheaper players$/);
    expect((await change('transfers', { out: [112], in: [110] })).status).toBe(200);
  });

  it('end when the last week has begun', async () => {
    await post('/clock', { now: '2027-06-01T00:00:00Z' });
    const late = await change('transfers', { out: [22], in: [23] });
    expect([late.status, late.message]).toEqual([
      422,
      'the last game week began at 2027-04-30T17:30:00.000Z; a squad can be changed until then',
    ]);
  });
});

describe('a line-up that is chosen', () => {
  it('names every player once, starts a legal eleven and gives the armbands to starters', async () => {
    const good = (await swapped()) as Record<'starting' | 'bench', number[]> & Fields;
    const [keeper = 0] = good.starting;
    const [benched = 0] = good.bench;
    const cases: readonly (readonly [Fields, RegExp])[] = [
      [
        { ...good, bench: good.bench.slice(1) },
        /^starting, bench: \d+ of the squad are missing; name all of its players$/,
      ],
      [
        { ...good, bench: [...good.bench.slice(1), keeper] },
        /^bench\[3\]: \d+ stands twice; name each player once$/,
      ],
      [
        { ...good, bench: [...good.bench.slice(1), 1] },
        /^bench\[3\]: 1 is not in the squad; its players are /,
      ],
      [{ ...good, captain: benched }, /^captain: \d+ does not start; name one of starting$/],
      [
        { ...good, vice_captain: good['captain'] },
        /^vice_captain: \d+ is captain; name another of starting$/,
      ],
      [
        { ...good, starting: [...good.starting, benched], bench: good.bench.slice(1) },
        /^starting: 12 players; 11 of this squad start$/,
      ],
      [
        {
          ...good,
          starting: [benched, ...good.starting.slice(0, 10)],
          bench: [...good.bench.slice(1), good.starting[10]],
        },
        /^starting: 2 GK, .*; eleven players start, 1 to 1 GK, 3 to 5 DEF, 2 to 5 MID, 1 to 3 FWD$/,
      ],
    ];
    for (const [body, message] of cases) {
      const reply = await change('lineup', body);
      expect([reply.status, reply.message]).toEqual([400, expect.stringMatching(message)]);
    }
    expect((await change('lineup', good)).status).toBe(200);
    expect(idsOf(await lineup())).toEqual([...good.starting, ...good.bench]);
  });
});

describe('a chip', () => {
  const play = (chip: string) => change('chips', { chip });

  it('is played once a season, one a week', async () => {
    expect((await play('bench_boost')).record).toMatchObject({ chip: 'bench_boost', game_week: '1' });
    expect((await play('triple_captain')).message).toBe(
      'chip: bench_boost is played in game week 1 already, and a week takes one chip; play triple_captain for a later week',
    );
    expect((await play('double')).status).toBe(400);
    const played = { id: 3, chip: 'bench_boost', is_available: false, game_week_played: '1' };
    expect((await lineup())['chip_selected']).toMatchObject(played);
    expect(at(await squad(), 'chips.2')).toEqual({ ...played, date_activated: expect.any(String) as string });
    await playWeek();
    await playWeek();
    expect((await lineup())['chip_selected']).toBe(null);
    expect((await play('bench_boost')).message).toBe(
      'chip: bench_boost was played in game week 1; left for this season: wildcard, free_hit, triple_captain',
    );
    expect(at(await squad(), 'chips.3.is_available')).toBe(true);
  });

  it('bench_boost counts the bench, triple_captain the captain three times', async () => {
    await play('bench_boost');
    await playWeek();
    const all = entriesOf(await lineup());
    const sum = all.reduce((total, entry) => total + Number(entry['points']), 0);
    expect(all.slice(11).some((entry) => entry['points'] !== 0)).toBe(true);
    expect([(await lineup())['total_points'], at(await squad(), 'ranking.game_week_points')]).toEqual([
      sum,
      sum,
    ]);
    await play('triple_captain');
    await playWeek();
    const counted = Number((await truthOf(2))['captain_counts']);
    const entry = entriesOf(await lineup()).find((one) => Number(at(one, 'player.id')) === counted);
    expect(entry?.['points']).toBe(3 * (await pointsOf(counted, 2)));
    expect(at(entry, 'breakdown.multiplier')).toBe(3);
  });

  it.each(['before', 'after'])('wildcard waives the hits of transfers that were made %s it', async (when) => {
    const transfers = () => change('transfers', { out: [22, 44, 112], in: [21, 43, 111] });
    if (when === 'before') expect(at((await transfers()).record, 'transfer_hits.hits')).toBe(2);
    await play('wildcard');
    if (when === 'after') await transfers();
    expect((await lineup())['transfer_hits']).toEqual({ hits: 0, points_deduction: 0 });
    expect((await squad())['free_transfers']).toBe(1);
    await playWeek();
    expect((await squad())['free_transfers']).toBe(2);
    expect(idsOf(await lineup())).toEqual(expect.arrayContaining([21, 43, 111]));
  });

  it('after a free hit the squad and its money are what they were', async () => {
    expect((await play('free_hit')).message).toMatch(
      /^chip: free_hit in game week 1, the first of the squad, /,
    );
    await playWeek();
    const [before, money] = [idsOf(await lineup()), at(await squad(), 'finance')];
    await play('free_hit');
    await change('transfers', { out: [22, 44, 112], in: [21, 43, 110] });
    expect(at(await squad(), 'finance')).not.toEqual(money);
    await playWeek();
    expect(idsOf(await lineup())).toEqual(expect.arrayContaining([21, 43, 110]));
    expect([at(await squad(), 'finance.money_in_bank'), (await squad())['free_transfers']]).toEqual([
      at(money, 'money_in_bank'),
      3,
    ]);
    await playWeek();
    expect(idsOf(await lineup())).toEqual(before);
  });
});

describe('statistics that are corrected', () => {
  it('change the points, totals and ranks of their week', async () => {
    await playWeek();
    await playWeek();
    const captain = Number((await truthOf(1))['captain_counts']);
    const before = await truthOf(1);
    const shown = await squad();
    const [stat] = (await box.call('get-player', { id: captain, query: { fantasy_league_id: 1 } })).record[
      'weekly_stats'
    ] as readonly Record<string, number>[];
    const assists = stat?.['assists'] ?? 0;
    const reply = await post('/statistics', { game_week: 1, player_id: captain, assists: assists + 3 });
    expect(reply.record).toMatchObject({ before: { assists }, after: { assists: assists + 3 } });
    expect(at(await truthOf(1), 'points.net')).toBe(Number(at(before, 'points.net')) + 6);
    const now = await squad();
    expect(at(now, 'ranking.total_points')).toBe(Number(at(shown, 'ranking.total_points')) + 6);
    expect(at(now, 'ranking.game_week_points')).toBe(at(shown, 'ranking.game_week_points'));
    expect((await control(box.sandbox, 'GET', '/statistics?game_week=1')).list).toEqual([reply.record]);
    expect((await control(box.sandbox, 'GET', '/statistics?game_week=2')).list).toEqual([]);
  });

  it.each([
    [{ game_week: 2, player_id: 1, goals: 1 }, 422, /^game_week: game week 2 has not ended, it ends at 2026/],
    [
      { game_week: 1, player_id: 9_999, goals: 1 },
      404,
      /^player_id: player 9999 has no statistics in game week 1$/,
    ],
    [{ game_week: 1, player_id: 1 }, 400, /^body: names no counter; give one or more of games_started, /],
    [{ game_week: 1, player_id: 1, goals: -1 }, 400, /^goals: /],
    [{ game_week: 1, player_id: 1, minutes_played: 91 }, 400, /^minutes_played: /],
    [{ game_week: 1, player_id: 1, points: 3 }, 400, /points/],
  ])('%j is refused', async (body, status, message) => {
    await playWeek();
    const reply = await post('/statistics', body);
    expect([reply.status, reply.message]).toEqual([status, expect.stringMatching(message)]);
    expect((await control(box.sandbox, 'GET', '/statistics')).list).toEqual([]);
  });
});

describe('whatever an owner does', () => {
  const player = fc.oneof(fc.constantFrom(...SQUAD), fc.integer({ min: 1, max: 460 }));
  const players = (most: number) => fc.array(player, { maxLength: most });
  const act = fc.oneof(
    fc.record({ out: players(3), in: players(3) }).map((body) => ['transfers', body] as const),
    fc
      .record({ turn: fc.nat(14), captain: fc.nat(14), vice_captain: fc.nat(14) })
      .map((body) => ['arrange', body] as const),
    fc
      .constantFrom('wildcard', 'free_hit', 'bench_boost', 'triple_captain')
      .map((chip) => ['chips', { chip }] as const),
    fc.constant(['play', {}] as const),
  );

  it('each week has fifteen players once in order, eleven of them starting, a captain and a vice-captain', async () => {
    let week = 1;
    const numRuns = runs(25, 500);
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 12 }), async (acts) => {
        await post('/reset', {});
        week = 1;
        await box.call('create-users', { body: { users: [{ external_id: 'a', display_name: 'A' }] } });
        const body = { user_id: 1, name: 'Squad', fantasy_league_id: 1, players_in: SQUAD };
        id = String((await box.call('create-squad', { body })).record['id']);
        for (const [what, given] of acts) {
          if (what === 'play') {
            await playWeek();
            week += 1;
          } else if (what === 'arrange') {
            const held = ((await truthOf(week))['before'] as readonly Fields[]).map(
              (one) => one['player_id'],
            );
            const turned = [...held.slice(given.turn), ...held.slice(0, given.turn)];
            const arranged = { starting: turned.slice(0, 11), bench: turned.slice(11) };
            const armbands = { captain: held[given.captain], vice_captain: held[given.vice_captain] };
            expect((await change('lineup', { ...arranged, ...armbands })).status).toBeLessThan(500);
          } else expect((await change(what, given)).status).toBeLessThan(500);
          const { before } = (await truthOf(week)) as { readonly before: readonly Fields[] };
          expect(before.map((place) => place['lineup_order'])).toEqual(SQUAD.map((_, index) => index + 1));
          expect(new Set(before.map((place) => place['player_id'])).size).toBe(15);
          const having = (flag: string) => before.filter((place) => place[flag] === true);
          expect(having('is_starting')).toEqual(before.slice(0, 11));
          const armbands = [having('is_captain'), having('is_vice_captain')];
          expect(armbands.map((own) => own.length)).toEqual([1, 1]);
          expect(armbands.flat().every((place) => place['is_starting'] === true)).toBe(true);
        }
      }),
      { numRuns },
    );
  });
});
