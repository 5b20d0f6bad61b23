import { describe, expect, it } from 'vitest';
import { playMatch } from '../../../src/sandbox/game/match.ts';
import type { Side } from '../../../src/sandbox/game/match.ts';
import { nameSeries } from '../../../src/sandbox/game/names.ts';
import { chanceOf, uuidOf } from '../../../src/sandbox/game/random.ts';
import type { Position } from '../../../src/sandbox/game/season.ts';

/** A club with ids from `first`. */
function side(first: number, strength: number): Side {
  const sizes: readonly [Position, number][] = [
    ['GK', 2],
    ['DEF', 8],
    ['MID', 8],
    ['FWD', 4],
  ];
  const players = sizes.flatMap(([position, size]) =>
    Array.from({ length: size }, (_, rank) => ({ position, rank })),
  );
  return { strength, players: players.map((player, index) => ({ ...player, id: first + index })) };
}

describe('a match', () => {
  const home = side(1, 1);
  const away = side(101, 0.2);
  const matches = Array.from({ length: 300 }, (_, index) =>
    playMatch(chanceOf(`match ${index}`), home, away),
  );

  it('is the same for the same chance', () => {
    expect(playMatch(chanceOf('match 7'), home, away)).toEqual(matches[7]);
  });

  it.each(matches.map((match, index) => [index, match] as const))(
    '%i agrees with itself',
    (_index, match) => {
      expect(match.performances).toHaveLength(44);
      for (const isHome of [true, false]) {
        const own = match.performances.filter(({ playerId }) => playerId < 100 === isHome);
        const sum = (
          name: 'goals' | 'assists' | 'games_started' | 'minutes_played' | 'red_cards' | 'saves',
        ) => own.reduce((all, stat) => all + stat[name], 0);
        const [scored, conceded] = isHome
          ? [match.homeGoals, match.awayGoals]
          : [match.awayGoals, match.homeGoals];
        expect(sum('goals')).toBe(scored);
        expect(sum('assists')).toBeLessThanOrEqual(scored);
        expect(sum('games_started')).toBe(11);
        const lost = own.filter((stat) => stat.red_cards > 0).map((stat) => 90 - stat.minutes_played);
        expect(sum('minutes_played') + (lost[0] ?? 0)).toBe(990);
        expect(
          own.filter((stat) => stat.games_started === 0 && stat.minutes_played > 0).length,
        ).toBeLessThanOrEqual(5);
        for (const stat of own) {
          expect(stat.minutes_played).toBeGreaterThanOrEqual(0);
          expect(stat.minutes_played).toBeLessThanOrEqual(90);
          expect(stat.goals_conceded).toBeLessThanOrEqual(conceded);
          if (stat.minutes_played === 90) expect(stat.goals_conceded).toBe(conceded);
          expect(stat.clean_sheets).toBe(stat.minutes_played >= 60 && stat.goals_conceded === 0 ? 1 : 0);
          if (stat.position !== 'GK') expect(stat.saves + stat.penalty_saves).toBe(0);
          if (stat.minutes_played === 0) {
            const { playerId: _id, position: _position, ...counters } = stat;
            expect(Object.values(counters).every((count) => count === 0)).toBe(true);
          }
        }
        expect(own.filter((stat) => stat.position === 'GK' && stat.games_started === 1)).toHaveLength(1);
      }
      const bonus = match.performances.map((stat) => stat.bonus_points).filter((points) => points > 0);
      expect(bonus.toSorted()).toEqual([1, 2, 3]);
    },
  );

  it('is won more often by the stronger side, and has cards and missed penalties now and then', () => {
    const homeWins = matches.filter((match) => match.homeGoals > match.awayGoals).length;
    const awayWins = matches.filter((match) => match.homeGoals < match.awayGoals).length;
    expect(homeWins).toBeGreaterThan(2 * awayWins);
    const all = matches.flatMap((match) => match.performances);
    for (const name of ['red_cards', 'yellow_cards', 'penalty_missed', 'penalty_saves'] as const) {
      expect(all.filter((stat) => stat[name] > 0).length, name).toBeGreaterThan(5);
    }
  });
});

describe('names and ids from a seed', () => {
  it('are the same every time, and each name is given once', () => {
    const draw = () => Array.from({ length: 500 }, nameSeries(chanceOf('names')));
    const names = draw();
    expect(draw()).toEqual(names);
    expect(new Set(names.map((name) => `${name.first} ${name.last}`)).size).toBe(500);
    expect(names.filter((name) => name.first === '').length).toBeGreaterThan(5);
  });

  it('an id is a UUID of version 8', () => {
    expect(uuidOf('one')).toBe(uuidOf('one'));
    expect(uuidOf('one')).not.toBe(uuidOf('two'));
    expect(uuidOf('one')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
