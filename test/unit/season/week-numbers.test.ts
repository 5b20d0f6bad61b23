import { describe, expect, it } from 'vitest';
import { weekNumbers, type CountedEntry, type CountedSquad } from '../../../src/season/week-numbers.ts';

const entry = (
  player: string,
  points: number | undefined,
  changes: Partial<CountedEntry> = {},
): CountedEntry => ({
  ...{ player, points, isStarting: true, isCaptain: false },
  ...changes,
});
const squad = (name: string, changes: Partial<CountedSquad> = {}): CountedSquad => ({
  ...{ squad: name, rank: undefined, previousRank: undefined, points: undefined, total: undefined },
  ...{ benchPoints: undefined, hits: undefined, chip: undefined, entries: undefined },
  ...{ playersIn: undefined, playersOut: undefined },
  ...changes,
});
const none = new Map<string, number>();

describe('the numbers of a week', () => {
  it('name everybody with the most points, and an average of those whose points are known', () => {
    const { best, average, squads } = weekNumbers(
      [squad('b', { points: 50 }), squad('a', { points: 50 }), squad('c', { points: 20 }), squad('d')],
      none,
    );
    expect(best).toEqual([
      { squad: 'a', value: 50 },
      { squad: 'b', value: 50 },
    ]);
    expect([average, squads]).toEqual([40, 3]);
  });

  it('tell who won and who lost places, and leave out who is new or stays', () => {
    const { climbers, fallers } = weekNumbers(
      [
        squad('up', { rank: 2, previousRank: 9 }),
        squad('down', { rank: 9, previousRank: 4 }),
        squad('same', { rank: 3, previousRank: 3 }),
        squad('new', { rank: 5 }),
      ],
      none,
    );
    expect(climbers).toEqual([{ squad: 'up', value: 7 }]);
    expect(fallers).toEqual([{ squad: 'down', value: 5 }]);
  });

  it('count a captain twice in the effective ownership, and nobody on the bench', () => {
    const { ownership, captains } = weekNumbers(
      [
        squad('a', {
          entries: [entry('star', 12, { isCaptain: true }), entry('bench', 3, { isStarting: false })],
        }),
        squad('b', { entries: [entry('star', 6), entry('bench', 3, { isStarting: false })] }),
      ],
      none,
    );
    expect(ownership).toEqual([
      { player: 'star', squads: 2, ownedPct: 100, effectivePct: 150, points: 6 },
      { player: 'bench', squads: 2, ownedPct: 100, effectivePct: 0, points: undefined },
    ]);
    expect(captains).toEqual([{ player: 'star', squads: 1, points: 6 }]);
  });

  it('take how often points count from the points, where the own points are known', () => {
    const tripled = squad('a', { entries: [entry('star', 18, { isCaptain: true })] });
    const without = squad('b', { entries: [entry('star', 0, { isCaptain: true })] });
    expect(weekNumbers([tripled], new Map([['star', 6]])).ownership[0]?.effectivePct).toBe(300);
    expect(weekNumbers([without], new Map([['star', 0]])).ownership[0]?.effectivePct).toBe(200);
  });

  it('call differentials whom a tenth of the squads has at most, the most points first', () => {
    const many = Array.from({ length: 20 }, (_, index) =>
      squad(`s${index}`, {
        entries: [
          entry('everybody', 9),
          ...(index < 2 ? [entry('few', 8)] : []),
          ...(index < 3 ? [entry('three', 10)] : []),
        ],
      }),
    );
    expect(weekNumbers(many, none).differentials.map(({ player }) => player)).toEqual(['few']);
  });

  it('count transfers, chips, hits and points on the bench', () => {
    const numbers = weekNumbers(
      [
        squad('a', {
          rank: 1,
          playersIn: ['x', 'y'],
          playersOut: ['z'],
          chip: 'wildcard',
          hits: 4,
          benchPoints: 11,
        }),
        squad('b', { rank: 2, playersIn: ['y'], playersOut: [], chip: 'wildcard', hits: 0, benchPoints: 12 }),
      ],
      none,
    );
    expect(numbers.playersIn).toEqual([
      { player: 'y', squads: 2 },
      { player: 'x', squads: 1 },
    ]);
    expect(numbers.playersOut).toEqual([{ player: 'z', squads: 1 }]);
    expect(numbers.chips).toEqual([{ chip: 'wildcard', squads: ['a', 'b'] }]);
    expect(numbers.hits).toEqual([{ squad: 'a', value: 4 }]);
    expect(numbers.bench.map((each) => each.squad)).toEqual(['b', 'a']);
  });

  it('are the same whatever the order of the squads', () => {
    const squads = Array.from({ length: 30 }, (_, index) =>
      squad(`s${index}`, { rank: 1 + (index % 5), points: index % 3, benchPoints: index % 4 }),
    );
    expect(weekNumbers(squads.toReversed(), none)).toEqual(weekNumbers(squads, none));
  });
});
