import { describe, expect, it } from 'vitest';
import type { RecordOf } from '../../../src/contract/index.ts';
import type { GameWeek } from '../../../src/season/game-week.ts';
import { lineupFacts, squadFacts } from '../../../src/season/squad-facts.ts';
import {
  hangsOnBefore,
  hasFreeHit,
  standings as standingsOf,
  type Standing,
  type StandingsOptions,
  type StandingsWeek,
} from '../../../src/season/standings.ts';

type Lineup = RecordOf<'get-lineup'>;
type Squad = RecordOf<'get-squad'>;

const gameWeek = (number: number): GameWeek => ({
  ...{ id: `week-${number}`, text: `GW${number}`, number, readAtMs: 0 },
  startMs: number * 1000,
  endMs: number * 1000 + 999,
});

/** A squad's line-up: points by player, the captain first, the last one on the bench. */
function lineup(id: string, points: Readonly<Record<string, number>>, over: Partial<Lineup> = {}): Lineup {
  const entries = Object.entries(points).map(([player, score], index) => ({
    player: { id: player, last_name: `Player ${player}` },
    is_captain: index === 0,
    points: score,
  }));
  const eleven = entries.slice(0, -1);
  return {
    id,
    name: id,
    user: { id, external_id: `M-${id}`, is_active: id !== 'Asleep' },
    squad: { starting_xi: eleven, bench: entries.slice(-1) },
    transfer_hits: { hits: 0, points_deduction: 0 },
    total_points: eleven.reduce((sum, each) => sum + each.points, 0),
    ...over,
  };
}
const squad = (id: string, total: number, current_rank?: number): Squad => ({
  id,
  ranking: { total_points: total, current_rank },
  finance: { squad_value: 99.5 },
});
const week = (number: number, lineups: readonly Lineup[], squads: readonly Squad[] = []): StandingsWeek => ({
  week: gameWeek(number),
  lineups: new Map(lineups.map((each) => [each.id, lineupFacts(each)])),
  squads: new Map(squads.map((each) => [each.id, squadFacts(each)])),
});
const standings = (weeks: readonly StandingsWeek[], over: Partial<StandingsOptions> = {}) =>
  weeks.map(standingsOf({ hits: undefined, groups: [], ...over })).filter((rows) => rows.length > 0);
const pick = (rows: readonly Standing[] | undefined, ...names: readonly (keyof Standing)[]) =>
  (rows ?? []).map((row) => names.map((name) => row[name]));

const WEEK_1 = week(
  1,
  [
    lineup('A', { 1: 20, 2: 5, 3: 2 }),
    lineup('B', { 4: 10, 5: 15, 6: 1 }),
    lineup('C', { 7: 8, 8: 3, 9: 4 }),
  ],
  [squad('A', 25), squad('B', 25), squad('C', 11)],
);
const WEEK_2 = week(
  2,
  [
    lineup('A', { 1: 6, 2: 5, 3: 2 }),
    lineup('B', { 4: 4, 10: 2, 11: 1 }, { transfer_hits: { hits: 1, points_deduction: -4 } }),
    lineup('C', { 7: 30, 8: 3, 9: 4 }, { chips: [{ chip: 'wildcard', game_week_played: '2' }] }),
    lineup('Asleep', { 20: 0, 21: 0, 22: 0 }),
  ],
  [squad('A', 36), squad('B', 27), squad('C', 44), squad('Asleep', 0)],
);

it('ranks squads by total, those with one total together, and says how they moved', () => {
  const [first, second] = standings([WEEK_1, WEEK_2]);
  expect(pick(first, 'name', 'rank', 'total', 'points', 'movement')).toEqual([
    ['A', 1, 25, 25, null],
    ['B', 1, 25, 25, null],
    ['C', 3, 11, 11, null],
  ]);
  expect(pick(second, 'name', 'rank', 'previous_rank', 'movement', 'total')).toEqual([
    ['C', 1, 3, 2, 44],
    ['A', 2, 1, -1, 36],
    ['B', 3, 1, -2, 27],
    ['Asleep', 4, null, null, 0],
  ]);
});

it('takes captain, bench, hits, transfers, chip and value from line-ups and details, and marks members', () => {
  const [first, second] = standings([WEEK_1, WEEK_2]);
  expect(first?.[0]).toMatchObject({
    week: 1,
    game_week: { id: 'week-1', week: 'GW1' },
    captain: { player: { id: '1', last_name: 'Player 1' } },
    captain_points: 20,
    bench_points: 2,
    transfers: null,
    value: 99.5,
    mark: null,
  });
  expect(pick(second, 'name', 'hits', 'points_deduction', 'transfers', 'chip', 'mark')).toEqual([
    ['C', 0, 0, 0, 'wildcard', null],
    ['A', 0, 0, 0, null, null],
    ['B', 1, 4, 2, null, null],
    ['Asleep', 0, 0, null, null, 'inactive, late'],
  ]);
});

it('has nothing of what a line-up from before the week may say otherwise, and no points from before its matches', () => {
  const early = {
    squads: new Set(['A', 'B']),
    lineups: new Map([['A', 'nothing'] as const, ['B', 'places'] as const]),
  };
  const week3 = week(3, [lineup('A', { 1: 1, 9: 2, 3: 3 }), lineup('B', { 4: 1, 10: 2, 12: 3 })]);
  const [, second, third] = standings([WEEK_1, { ...WEEK_2, early }, week3]);
  const told = [
    'points',
    'total',
    'captain_points',
    'bench_points',
    'hits',
    'points_deduction',
    'transfers',
  ] as const;
  const captainOf = (row: Standing | undefined) => row?.captain.player?.id;
  const [c, , a, b] = second ?? [];
  expect(pick(second, 'name', 'rank', ...told)).toEqual([
    ['C', 1, 33, 44, 30, 4, 0, 0, 0],
    ['Asleep', 2, 0, 0, 0, 0, 0, 0, null],
    ['A', null, null, null, null, null, null, null, null],
    ['B', null, null, null, null, null, 1, 4, 2],
  ]);
  expect([c, a, b].map(captainOf)).toEqual(['7', undefined, '4']);
  expect(pick(third, 'name', 'transfers')).toEqual([
    ['A', null],
    ['B', 1],
  ]);
  // What later totals say needs no points of the week.
  const later = new Map([['A', { points: 18, total: 43 }]]);
  expect(pick(standings([WEEK_1, { ...WEEK_2, early, later }])[1], 'name', 'points', 'total')).toContainEqual(
    ['A', 18, 43],
  );
});

it('compares a squad after a free hit with what it was before it', () => {
  const freeHit = week(2, [lineup('A', { 20: 1, 21: 2, 22: 3 }, { chip_selected: 'free_hit' })]);
  const back = week(3, [lineup('A', { 1: 6, 2: 5, 4: 2 })]);
  expect(pick(standings([WEEK_1, freeHit, back])[2], 'transfers')).toEqual([[1]]);
  expect(pick(standings([freeHit, back])[1], 'transfers')).toEqual([[null]]);
  expect([WEEK_1, freeHit].map(hasFreeHit)).toEqual([false, true]);
});

it('adds up a total that was not shown, where it is learnt whether hits are in the points of a week', () => {
  const unread = { ...WEEK_2, squads: new Map() };
  const totals = (hits: StandingsOptions['hits']): object =>
    Object.fromEntries(pick(standings([WEEK_1, unread], { hits })[1], 'name', 'total')) as object;
  expect(totals(undefined)).toEqual({ A: 36, B: null, C: 44, Asleep: null });
  expect(totals('gross')).toMatchObject({ B: 27 });
  expect(totals('net')).toMatchObject({ B: 31 });
});

it('takes off what transfers cost where line-ups alone show points before it', () => {
  const paid = { transfer_hits: { hits: 1, points_deduction: -4 } };
  const detail = (id: string, points: number, total: number): Squad => ({
    id,
    ranking: { game_week_points: points, total_points: total },
  });
  const lineups = [lineup('A', { 1: 50, 2: 0 }, paid), lineup('B', { 3: 49, 4: 0 })];
  const late = lineup('C', { 5: 60, 6: 0 }, paid);
  const shown = week(2, [...lineups, late], [detail('A', 46, 146), detail('B', 49, 149)]);
  // Of the third squad no detail was read.
  const [, rows] = standings([week(1, [], [squad('C', 100)]), shown], { hits: 'net' });
  expect(pick(rows, 'id', 'points', 'total')).toEqual([
    ['C', 56, 156],
    ['B', 49, 149],
    ['A', 46, 146],
  ]);
  // Where both show them so, they stay.
  const both = week(2, lineups, [detail('A', 50, 146), detail('B', 49, 149)]);
  expect(pick(standings([both])[0], 'id', 'points')).toEqual([
    ['B', 49],
    ['A', 50],
  ]);
});

it('puts points and totals right where later totals say otherwise, and ranks by them', () => {
  const later = new Map([
    ['A', { points: 22, total: 22 }],
    ['C', { points: 31, total: 31 }],
  ]);
  const [first, second] = standings([{ ...WEEK_1, later }, WEEK_2]);
  expect(pick(first, 'name', 'rank', 'total', 'points')).toEqual([
    ['C', 1, 31, 31],
    ['B', 2, 25, 25],
    ['A', 3, 22, 22],
  ]);
  expect(pick(second, 'name', 'previous_rank', 'total', 'points')).toEqual([
    ['C', 1, 44, 33],
    ['A', 3, 36, 11],
    ['B', 2, 27, 6],
    ['Asleep', null, 0, 0],
  ]);
});

it('has no points where a later total does not tell them', () => {
  const later = new Map([['A', { points: null, total: null }]]);
  expect(pick(standings([{ ...WEEK_1, later }])[0], 'name', 'rank', 'total', 'points')).toEqual([
    ['B', 1, 25, 25],
    ['C', 2, 11, 11],
    ['A', null, null, null],
  ]);
});

describe('where members are forgotten', () => {
  const ranked = (...shown: readonly (readonly [id: string, total: number, rank?: number])[]) =>
    week(
      1,
      [],
      shown.map(([id, total, rank]) => squad(id, total, rank)),
    );
  const ranksIn = (weeks: readonly StandingsWeek[], forgotten: number) =>
    standings(weeks, { forgotten }).map((rows) => pick(rows, 'name', 'rank', 'previous_rank'));
  const nameless = (...ranks: readonly unknown[]) => ranks.map((rank) => [null, rank, null]);

  it('ranks are those of the whole league, as the service showed them', () => {
    const leader = ranked(['A', 25, 2], ['B', 25, 2], ['C', 11, 4]);
    expect(ranksIn([leader], 1)).toEqual([nameless(2, 2, 4)]);
    expect(ranksIn([leader], 0)).toEqual([nameless(1, 1, 3)]);
    expect(ranksIn([ranked(['A', 25, 1], ['B', 20, 3], ['C', 11, 5])], 2)).toEqual([nameless(1, 3, 5)]);
    // A service may rank equal totals one after the other.
    expect(ranksIn([ranked(['A', 25, 3], ['B', 25, 2], ['C', 11, 4])], 1)).toEqual([nameless(2, 2, 4)]);
  });

  it.each([
    ['more squads are missed than were forgotten', ranked(['A', 25, 3], ['B', 20, 4])],
    ['a rank does not go with its total', ranked(['A', 25, 2], ['B', 20, 2])],
    ['a rank was not shown', ranked(['A', 25, 2], ['B', 20])],
    [
      'later totals tell others',
      { ...ranked(['A', 25, 2], ['B', 20, 3]), later: new Map([['A', { points: 29, total: 29 }]]) },
    ],
  ])('they are those of who is left where %s', (_why, first) => {
    expect(ranksIn([first], 1)).toEqual([nameless(1, 2)]);
    // The two do not compare.
    const next = { ...ranked(['A', 30, 2], ['B', 29, 3]), week: gameWeek(2) };
    expect(ranksIn([first, next], 1)[1]).toEqual(nameless(2, 3));
  });
});

it('counts squads that the service did not show, by the ranks that it showed', () => {
  const shown = week(1, [], [squad('A', 25, 2), squad('B', 20, 4)]);
  const ranksOf = (each: StandingsWeek) => pick(standings([each])[0], 'id', 'rank');
  expect(ranksOf({ ...shown, unseen: 2 })).toEqual([
    ['A', 2],
    ['B', 4],
  ]);
  expect(ranksOf(shown)).toEqual([
    ['A', 1],
    ['B', 2],
  ]);
});

it('counts squads whose total is not known, by the ranks that the service showed', () => {
  const lineups = ['A', 'B', 'C', 'D'].map((id) => lineup(id, { 1: 10 }));
  const read = (ranks: readonly (readonly [id: string, total: number, rank?: number])[]) =>
    standings([
      week(
        1,
        lineups,
        ranks.map(([id, total, rank]) => squad(id, total, rank)),
      ),
    ])[0]?.map(({ id, rank }) => [id, rank]);
  // Reading the details stopped after two of them.
  expect(
    read([
      ['B', 20, 2],
      ['D', 12, 4],
    ]),
  ).toEqual([
    ['B', 2],
    ['D', 4],
    ['A', null],
    ['C', null],
  ]);
  expect(
    read([
      ['B', 20],
      ['D', 12],
    ]),
  ).toEqual([
    ['B', 1],
    ['D', 2],
    ['A', null],
    ['C', null],
  ]);
});

it('has nothing before a week that follows a missing one', () => {
  const third = { ...WEEK_2, week: gameWeek(3) };
  const [, after] = standings([WEEK_1, week(2, []), third]);
  expect(pick(after, 'week', 'previous_rank', 'transfers')[0]).toEqual([3, null, null]);
  // Of the second week not even the name is known.
  const [, alone] = standings([WEEK_1, third]);
  expect(pick(alone, 'week', 'previous_rank', 'transfers')[0]).toEqual([3, null, null]);
});

it('ranks within groups from the week on in which a member joined; a member may stand in several', () => {
  const groups = [
    { member: 'M-A', group: 'North', fromWeek: undefined },
    { member: 'M-B', group: 'North', fromWeek: 2 },
    { member: 'M-B', group: 'Staff', fromWeek: undefined },
  ];
  const all = standings([WEEK_1, WEEK_2], { groups });
  expect(pick(all[0], 'name', 'group', 'group_rank')).toEqual([
    ['A', 'North', 1],
    ['B', 'Staff', 1],
    ['C', null, null],
  ]);
  expect(pick(all[1], 'name', 'group', 'group_rank').slice(1, 3)).toEqual([
    ['A', 'North', 1],
    ['B', 'North, Staff', null],
  ]);
  const north = standings([WEEK_1, WEEK_2], { groups, group: 'North' });
  expect(north.map((rows) => pick(rows, 'name', 'group', 'group_rank'))).toEqual([
    [['A', 'North', 1]],
    [
      ['A', 'North', 1],
      ['B', 'North', 2],
    ],
  ]);
});

it('ranks within groups by what was won since the first week there', () => {
  const weekOf = (
    number: number,
    totals: Readonly<Record<string, readonly [total: number, points: number]>>,
  ) =>
    week(
      number,
      Object.entries(totals).map(([id, [, points]]) => lineup(id, { 1: points, 2: 0 })),
      Object.entries(totals).map(([id, [total]]) => squad(id, total)),
    );
  const since = (fromWeek: number, ...members: readonly string[]) =>
    members.map((member) => ({ member: `M-${member}`, group: 'Cup', fromWeek }));
  const ranks = (weeks: readonly StandingsWeek[], groups: StandingsOptions['groups']) =>
    standings(weeks, { groups }).map((rows) =>
      rows
        .map(({ id, group_rank: rank }) => [id, rank] as const)
        .toSorted(([one], [two]) => (one < two ? -1 : 1)),
    );
  const season = [
    weekOf(6, { A: [300, 50], B: [200, 20], C: [100, 10] }),
    weekOf(7, { A: [310, 10], B: [230, 30], C: [120, 20] }),
    weekOf(9, { A: [370, 30], B: [260, 10], C: [180, 20], D: [25, 25] }),
  ];
  const cup = since(7, 'A', 'B', 'C', 'D');
  // In week 9: 70, 60, 80, and 25 of a squad that was made since.
  expect(ranks(season, cup)).toEqual([
    [
      ['A', null],
      ['B', null],
      ['C', null],
    ],
    [
      ['A', 3],
      ['B', 1],
      ['C', 2],
    ],
    [
      ['A', 2],
      ['B', 3],
      ['C', 1],
      ['D', 4],
    ],
  ]);
  // The week before was not read: 70, 60 and 80 all the same.
  expect(ranks(season.slice(1), cup)[1]).toEqual([
    ['A', 2],
    ['B', 3],
    ['C', 1],
    ['D', 4],
  ]);
  // The points of week 6 were put right after it was read: A had 297 before week 7, and has 73 since.
  const right = [weekOf(6, { A: [300, 50], B: [200, 20] }), weekOf(7, { A: [307, 10], B: [230, 30] })];
  const later = weekOf(9, { A: [370, 30], B: [272, 10] });
  expect(ranks([...right, later], since(7, 'A', 'B'))[2]).toEqual([
    ['A', 1],
    ['B', 2],
  ]);
  // Nobody knows what squads had before week 8.
  expect(ranks(season.slice(2), since(8, 'A', 'B'))[0]?.slice(0, 2)).toEqual([
    ['A', null],
    ['B', null],
  ]);
  // From the first week on, everything counts.
  expect(ranks(season, since(1, 'A', 'B'))[0]?.slice(0, 2)).toEqual([
    ['A', 1],
    ['B', 2],
  ]);
});

it.each([
  ['gross', [2, 1]],
  ['net', [1, 2]],
  [undefined, [null, 1]],
] as const)(
  'takes off what transfers cost in the first week of a group where points are %s, and the week before was not read',
  (hits, ranks) => {
    const groups = ['A', 'B'].map((member) => ({ member: `M-${member}`, group: 'Cup', fromWeek: 7 }));
    const paid = { transfer_hits: { hits: 2, points_deduction: 8 } };
    const lineups = [lineup('A', { 1: 60, 2: 0 }, paid), lineup('B', { 3: 55, 4: 0 })];
    const [rows] = standings([week(7, lineups, [squad('A', 352), squad('B', 255)])], { groups, hits });
    expect(pick(rows, 'id', 'group_rank')).toEqual([
      ['A', ranks[0]],
      ['B', ranks[1]],
    ]);
  },
);

it('is the same of a week that is made from the week before on, with the squads of the first week', () => {
  const week3 = week(
    3,
    [lineup('A', { 1: 1, 2: 2, 3: 3 }), lineup('Late', { 9: 3, 8: 1, 7: 2 })],
    [squad('A', 39), squad('Late', 4)],
  );
  const first = new Set(['A', 'B', 'C']);
  expect(standings([WEEK_2, week3], { first })[1]).toEqual(standings([WEEK_1, WEEK_2, week3])[2]);
  expect(pick(standings([WEEK_2, week3], { first })[1], 'name', 'mark', 'movement')).toEqual([
    ['A', null, 1],
    ['Late', 'late', null],
  ]);
});

it('hangs on the week before where the service showed no total of a squad', () => {
  expect(hangsOnBefore(WEEK_2)).toBe(false);
  expect(hangsOnBefore(week(3, [lineup('A', { 1: 1 })]))).toBe(true);
  expect(hangsOnBefore(week(3, [], [{ id: 'A' }]))).toBe(true);
  expect(hangsOnBefore(week(3, []))).toBe(false);
});
