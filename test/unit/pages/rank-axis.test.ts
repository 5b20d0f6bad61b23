import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rankAxis } from '../../../src/pages/rank-axis.ts';

describe('the axis of ranks', () => {
  it.each([
    { ranks: [1, 1, 1], squads: 60, ticks: [1, 2, 3, 4, 5] },
    { ranks: [30], squads: 60, ticks: [28, 29, 30, 31, 32] },
    { ranks: [60, 59], squads: 60, ticks: [56, 57, 58, 59, 60] },
    { ranks: [1, 2], squads: 2, ticks: [1, 2] },
    { ranks: [1], squads: 1, ticks: [1] },
    { ranks: [3, 57], squads: 60, ticks: [3, 20, 40, 57] },
    { ranks: [1, 10_000], squads: 10_000, ticks: [1, 2_000, 4_000, 6_000, 8_000, 10_000] },
    { ranks: [], squads: 0, ticks: [1] },
  ])('for $ranks of $squads squads has $ticks', ({ ranks, squads, ticks }) => {
    expect(rankAxis(ranks, squads).ticks).toEqual(ticks);
  });

  it('holds every rank, names whole ones that the league has, from the best to the worst, and few', () => {
    const rank = fc.integer({ min: 1, max: 20_000 });
    fc.assert(
      fc.property(fc.array(rank, { minLength: 1, maxLength: 38 }), rank, (ranks, squads) => {
        const { best, worst, ticks } = rankAxis(ranks, squads);
        const last = Math.max(squads, ...ranks);
        expect(best).toBeGreaterThanOrEqual(1);
        expect(best).toBeLessThanOrEqual(Math.min(...ranks));
        expect(worst).toBeGreaterThanOrEqual(Math.max(...ranks));
        expect(worst).toBeLessThanOrEqual(last);
        expect(worst - best).toBeGreaterThanOrEqual(Math.min(4, last - 1));
        expect([ticks[0], ticks.at(-1)]).toEqual([best, worst]);
        expect(ticks).toEqual([...new Set(ticks)].toSorted((one, other) => one - other));
        expect(ticks.every(Number.isInteger)).toBe(true);
        expect(ticks.length).toBeLessThanOrEqual(7);
      }),
    );
  });
});
