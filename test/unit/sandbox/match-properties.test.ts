import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { playMatch } from '../../../src/sandbox/game/match.ts';
import type { Performance, Side } from '../../../src/sandbox/game/match.ts';
import { chanceOf } from '../../../src/sandbox/game/random.ts';
import type { Position } from '../../../src/sandbox/game/season.ts';
import { runs } from '../../support/long.ts';

const RUNS = runs(150, 20_000);

const shape = fc.record({
  strength: fc.double({ min: 0, max: 1, noNaN: true }),
  GK: fc.integer({ min: 1, max: 4 }),
  DEF: fc.integer({ min: 5, max: 10 }),
  MID: fc.integer({ min: 5, max: 10 }),
  FWD: fc.integer({ min: 3, max: 6 }),
});
type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never;

function sideOf(size: Shape, firstId: number): Side {
  const players = (['GK', 'DEF', 'MID', 'FWD'] as const).flatMap((position) =>
    Array.from({ length: size[position] }, (_, rank): { position: Position; rank: number } => ({
      position,
      rank,
    })),
  );
  return {
    strength: size.strength,
    players: players.map((player, index) => ({ ...player, id: firstId + index })),
  };
}

type Counter = Exclude<keyof Performance, 'playerId' | 'position'>;
const sum = (stats: readonly Performance[], name: Counter): number =>
  stats.reduce((all, stat) => all + stat[name], 0);

/** One side of a match as its statistics tell it. */
function checkSide(own: readonly Performance[], others: readonly Performance[], score: number): void {
  const conceded = sum(others, 'goals');
  const starters = own.filter((stat) => stat.games_started === 1);
  const substitutes = own.filter((stat) => stat.games_started === 0 && stat.minutes_played > 0);
  const sentOff = own.filter((stat) => stat.red_cards > 0);
  const takenOff = starters.filter((stat) => stat.minutes_played < 90 && stat.red_cards === 0);

  // The conceding side's own goals would count for this one.
  expect(sum(own, 'goals') + sum(others, 'own_goals')).toBe(score);
  expect(sum(own, 'assists')).toBeLessThanOrEqual(sum(own, 'goals'));
  expect(starters).toHaveLength(11);
  expect(starters.filter((stat) => stat.position === 'GK')).toHaveLength(1);
  expect(sum(own, 'minutes_played')).toBeLessThanOrEqual(990);

  // Whoever comes on plays exactly the minutes that somebody who went off did not.
  const minutesLost = sentOff.reduce((all, stat) => all + 90 - stat.minutes_played, 0);
  expect(sum(own, 'minutes_played')).toBe(990 - minutesLost);
  expect(substitutes.map((stat) => stat.minutes_played).toSorted()).toEqual(
    takenOff.map((stat) => 90 - stat.minutes_played).toSorted(),
  );
  expect(substitutes.length).toBeLessThanOrEqual(5);

  expect(sum(own, 'penalty_saves')).toBeLessThanOrEqual(sum(others, 'penalty_missed'));
  for (const stat of own) checkPlayer(stat, conceded);
}

function checkPlayer(stat: Performance, conceded: number): void {
  const { playerId: _id, position, ...counters } = stat;
  for (const [name, count] of Object.entries(counters)) {
    expect([name, Number.isInteger(count)]).toEqual([name, true]);
    // Cards can take a score for bonus points below nothing.
    if (name !== 'bonus_points_scores') expect([name, count >= 0]).toEqual([name, true]);
  }
  expect(stat.minutes_played).toBeLessThanOrEqual(90);
  expect(stat.goals_conceded).toBeLessThanOrEqual(conceded);
  if (stat.minutes_played === 90) expect(stat.goals_conceded).toBe(conceded);
  expect(stat.clean_sheets === 1).toBe(stat.minutes_played >= 60 && stat.goals_conceded === 0);
  expect(stat.yellow_cards + stat.red_cards).toBeLessThanOrEqual(1);
  if (stat.red_cards > 0) expect(stat.minutes_played).toBeLessThan(90);
  expect(stat.saves).toBeGreaterThanOrEqual(stat.penalty_saves);
  if (position !== 'GK') expect(stat.saves).toBe(0);
  if (stat.minutes_played === 0) expect(Object.values(counters).every((count) => count === 0)).toBe(true);
}

/** Three, two and one for the best three scores. */
function checkBonus(all: readonly Performance[]): void {
  const winners = all.filter((stat) => stat.bonus_points > 0);
  expect(winners.map((stat) => stat.bonus_points).toSorted()).toEqual([1, 2, 3]);
  for (const winner of winners) {
    const behind = all.filter((stat) => stat.minutes_played > 0 && stat.bonus_points < winner.bonus_points);
    expect(Math.max(...behind.map((stat) => stat.bonus_points_scores))).toBeLessThanOrEqual(
      winner.bonus_points_scores,
    );
  }
}

describe('any match of any two clubs', () => {
  it('agrees with itself in every number', () => {
    fc.assert(
      fc.property(shape, shape, fc.string(), (one, other, label) => {
        const [home, away] = [sideOf(one, 1), sideOf(other, 101)];
        const match = playMatch(chanceOf(label), home, away);
        expect(match).toEqual(playMatch(chanceOf(label), home, away));
        expect(match.performances.map((stat) => stat.playerId).toSorted((a, b) => a - b)).toEqual(
          [...home.players, ...away.players].map((player) => player.id),
        );
        const homeStats = match.performances.filter((stat) => stat.playerId < 100);
        const awayStats = match.performances.filter((stat) => stat.playerId > 100);
        checkSide(homeStats, awayStats, match.homeGoals);
        checkSide(awayStats, homeStats, match.awayGoals);
        checkBonus(match.performances);
      }),
      { numRuns: RUNS },
    );
  });
});
