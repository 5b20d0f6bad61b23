import { describe, expect, it } from 'vitest';
import { newestSeason, seasonsOf } from '../../../src/season/seasons.ts';

const week = (number: number | undefined, day: string) => ({
  week: { id: day, text: '', number, startMs: Date.parse(day), endMs: Number.NaN, readAtMs: 0 },
});
const told = (...weeks: readonly ReturnType<typeof week>[]) =>
  seasonsOf(weeks).map((season) => season.map((each) => each.week.number));

describe('a new season', () => {
  it('begins with a smaller number, or the same, after a break', () => {
    const may = [week(37, '2026-05-17'), week(38, '2026-05-24')];
    const august = [week(1, '2026-08-14'), week(2, '2026-08-21')];
    expect(told(...may, ...august)).toEqual([
      [37, 38],
      [1, 2],
    ]);
    expect(told(week(2, '2026-05-17'), week(2, '2026-08-21'))).toEqual([[2], [2]]);
    expect(newestSeason([...may, ...august])).toEqual(august);
  });

  it('begins after half a year, however few weeks are remembered', () => {
    expect(told(week(3, '2025-08-29'), week(7, '2026-09-25'))).toEqual([[3], [7]]);
  });

  it('does not begin with a break, a match that was put off or a week without a number or a time', () => {
    expect(told(week(18, '2025-12-20'), week(19, '2026-02-20'))).toEqual([[18, 19]]);
    expect(told(week(7, '2026-09-25'), week(6, '2026-09-29'))).toEqual([[7, 6]]);
    expect(told(week(7, '2026-05-25'), week(undefined, '2026-08-29'))).toEqual([[7, undefined]]);
    expect(told(week(7, '2026-05-25'), week(1, 'soon'))).toEqual([[7, 1]]);
  });
});
