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
  const matches = Array.from({ length: 300 }, (_, index) =>
    playMatch(chanceOf(`match ${index}`), side(1, 1), side(101, 0.2)),
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
