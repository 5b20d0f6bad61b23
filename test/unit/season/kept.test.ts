import { describe, expect, it } from 'vitest';
import {
  keptOfFixtures,
  keptOfLeague,
  keptOfLineup,
  keptOfPlayer,
  keptOfPrice,
  keptOfSquad,
  keptOfSubstitution,
} from '../../../src/season/kept.ts';
import { weekNumber, weeksOfNumber } from '../../../src/season/week-number.ts';

const WEEK = '0B0E6B1C-0000-4000-8000-000000000007';
const SQUAD = 'AAAA6B1C-0000-4000-8000-000000000001';
const week = { id: WEEK, week: 'GW7', start_date: '2026-09-18T17:30:00Z', end_date: '2026-09-22T22:59:00Z' };
type Changes = Readonly<Record<string, unknown>>;
const entry = (
  id: string,
  changes: Changes = {},
): Changes & { readonly player: { readonly id: string } } => ({
  player: { id },
  points: 3,
  ...changes,
});
type Entries = readonly ReturnType<typeof entry>[];
const lineup = (starting: Entries, changes: Changes = {}) => ({
  id: 'id of the line-up itself',
  user: { external_id: 'M-1' },
  game_week: week,
  squad: { starting_xi: [...starting], bench: [entry('9')] },
  ...changes,
});
const variantOf = (starting: Entries): string | undefined =>
  keptOfLineup(lineup(starting), SQUAD, 1).at(-1)?.variant;

describe('a line-up', () => {
  it('is filed under the game week that it states, as the squad that was asked for', () => {
    const [summary, kept, ...more] = keptOfLineup(lineup([entry('1')]), SQUAD, 5);
    expect(summary).toMatchObject({ kind: 'game_week', gameWeek: WEEK.toLowerCase(), record: week });
    expect(kept).toMatchObject({
      kind: 'lineup',
      gameWeek: WEEK.toLowerCase(),
      id: SQUAD.toLowerCase(),
      squad: SQUAD.toLowerCase(),
      member: 'M-1',
      readAtMs: 5,
    });
    expect(more).toEqual([]);
  });

  it('is no record of any week where it states none', () => {
    expect(keptOfLineup(lineup([], { game_week: null }), SQUAD, 5)).toEqual([]);
  });

  it('has another variant where others start, in another order or with another captain, and not for other points', () => {
    const plain = variantOf([entry('1'), entry('2')]);
    expect(variantOf([entry('1', { points: 9 }), entry('2')])).toBe(plain);
    const others = [
      [entry('2'), entry('1')],
      [entry('1')],
      [entry('1', { is_captain: true }), entry('2')],
      [entry('1', { is_vice_captain: true }), entry('2')],
    ].map(variantOf);
    expect(new Set([plain, ...others]).size).toBe(5);
  });
});

it('a squad, a fixture, a price and a substitution are filed by what they state', () => {
  const gameWeek = WEEK.toLowerCase();
  expect(keptOfSquad({ id: SQUAD, game_week: week }, 1).at(-1)).toMatchObject({ kind: 'squad', gameWeek });
  expect(keptOfSquad({ id: SQUAD }, 1)).toEqual([]);
  expect(keptOfFixtures({ ...week, fixtures: [{ id: 'F1' }, { id: 'F2' }] }, 1)).toMatchObject([
    { kind: 'game_week', record: { week: 'GW7' } },
    { kind: 'fixture', gameWeek, id: 'f1' },
    { kind: 'fixture', gameWeek, id: 'f2' },
  ]);
  expect(keptOfPrice({ id: 'P', game_week: { id: WEEK } }, 1)).toMatchObject([{ kind: 'price', gameWeek }]);
  expect(keptOfPrice({ id: 'P' }, 1)).toEqual([]);
  expect(keptOfSubstitution({ id: 'S', squad: { id: SQUAD } }, 1)).toMatchObject([
    { kind: 'substitution', gameWeek: '', squad: SQUAD.toLowerCase() },
  ]);
  expect(keptOfLeague({ id: 1, current_game_week: week, next_game_week: null }, 4)).toMatchObject([
    { kind: 'game_week', gameWeek },
    { kind: 'mark', id: 'current', gameWeek, readAtMs: 4 },
  ]);
});

describe('a player', () => {
  const player = {
    id: 12,
    last_name: 'Okafor',
    price: 5.5,
    form: 3,
    weekly_stats: [
      { game_week: '6', points: 2 },
      { game_week: 'GW 7', points: 9 },
      { game_week: '99', points: 1 },
    ],
  };
  const weekOf = (text: string): string | undefined => ({ 6: 'week-6', 7: 'week-7' })[weekNumber(text) ?? 0];

  it('is filed under each week of the statistics that is known, the price in the current one alone', () => {
    expect(keptOfPlayer(player, { weekOf, current: 'week-7' }, 1)).toMatchObject([
      {
        gameWeek: 'week-6',
        id: '12',
        record: { player: { id: 12, last_name: 'Okafor' }, stat: { points: 2 } },
      },
      { gameWeek: 'week-7', id: '12', record: { player: { price: 5.5, form: 3 }, stat: { points: 9 } } },
    ]);
    const [before] = keptOfPlayer(player, { weekOf, current: 'week-7' }, 1);
    expect(before?.record).not.toMatchObject({ player: { price: 5.5 } });
  });

  it('has the counters of all its matches in one week', () => {
    const match = (minutes_played: number, opposition: string, saves?: number) => ({
      ...{ game_week: '7', minutes_played, opposition, points: 2 },
      ...(saves !== undefined && { saves }),
    });
    const twice = { ...player, weekly_stats: [match(90, 'North', 3), match(0, 'South')] };
    expect(keptOfPlayer(twice, { weekOf: () => 'week-7', current: undefined }, 100)).toMatchObject([
      {
        gameWeek: 'week-7',
        record: { stat: { minutes_played: 90, points: 4, saves: 3, opposition: 'South' } },
      },
    ]);
  });

  it('counts a match once that is told twice', () => {
    const match = (id: string, minutes_played: number) => ({ id, game_week: '7', minutes_played });
    const plain = { game_week: '8', minutes_played: 60 };
    const weekly_stats = [match('a', 45), match('b', 20), match('a', 90), plain, plain];
    const kept = keptOfPlayer(
      { ...player, weekly_stats },
      { weekOf: (text) => text, current: undefined },
      100,
    );
    expect(kept).toMatchObject([
      { gameWeek: '7', record: { stat: { minutes_played: 110 } } },
      { gameWeek: '8', record: { stat: { minutes_played: 60 } } },
    ]);
  });

  it('has its price in a current week without statistics, and in no week where the current one is not known', () => {
    expect(keptOfPlayer(player, { weekOf, current: 'week-8' }, 1).at(-1)).toMatchObject({
      gameWeek: 'week-8',
      record: { player: { price: 5.5 }, stat: {} },
    });
    expect(JSON.stringify(keptOfPlayer(player, { weekOf, current: undefined }, 1))).not.toContain('price');
  });
});

describe('the number of a week', () => {
  it.each([
    ['7', 7],
    ['GW7', 7],
    ['Game week 07', 7],
    ['7. Spieltag', 7],
    ['Week 7 of 38', undefined],
    ['final', undefined],
    ['', undefined],
    [null, undefined],
  ])('of %j is %j', (text, number) => {
    expect(weekNumber(text)).toBe(number);
  });

  it('finds every week that bears it', () => {
    expect(weeksOfNumber([{ week: '7' }, { week: 'GW 7' }, { week: '17' }], 7)).toHaveLength(2);
  });
});
