import { describe, expect, it } from 'vitest';
import { pointsCost, weekCost } from '../../../../src/sync/weeks/cost.ts';

const NOW_MS = Date.parse('2026-10-01T12:00:00.000Z');
const HOUR_MS = 60 * 60 * 1000;
const at = (ms: number): string => new Date(ms).toISOString();
/** An account whose day has room for `remaining` requests until its window ends. */
const account = (remaining: number, limit = 1_000) => ({
  id: 'a',
  config: { rate_limit: { per_day: { limit, remaining, reset_at: at(NOW_MS + 10 * HOUR_MS) } } },
});
const TO_READ = { lineups: 100, details: 100, players: 50, pages: 5, points: 3 };
/** Beside what is read of squads and players: the account, the league, its fixtures, its points configuration, and the pages. */
const REST = 11;
const NEEDED = REST + 250;

describe('what reading a week costs', () => {
  it('is the requests alone, where all of them fit', () => {
    expect(weekCost(account(NEEDED), TO_READ, NOW_MS + HOUR_MS, '8', NOW_MS)).toEqual({
      requests: NEEDED,
      fits: undefined,
      next: '8',
      missing: { lineups: 0, details: 0 },
    });
  });

  it('leaves out details first, and line-ups only when there is room for no detail', () => {
    const cost = (remaining: number) => weekCost(account(remaining), TO_READ, NOW_MS + HOUR_MS, '8', NOW_MS);
    expect(cost(REST + 130)).toMatchObject({ fits: REST + 130, missing: { lineups: 0, details: 70 } });
    expect(cost(REST + 40)).toMatchObject({ fits: REST + 40, missing: { lineups: 60, details: 100 } });
    expect(cost(0)).toMatchObject({ fits: 0, missing: { lineups: 100, details: 100 } });
  });

  it('is less where the id of the points configuration is known', () => {
    const cost = (points: number) =>
      weekCost(account(1_000), { ...TO_READ, points }, NOW_MS, '8', NOW_MS).requests;
    expect(cost(pointsCost(false)) - cost(pointsCost(true))).toBe(2);
  });

  it('counts the windows that begin before the next week', () => {
    const cost = (untilMs: number) => weekCost(account(10, 100), TO_READ, untilMs, '8', NOW_MS).fits;
    expect(cost(NOW_MS + 10 * HOUR_MS)).toBe(10);
    expect(cost(NOW_MS + 10 * HOUR_MS + 1)).toBe(110);
    expect(cost(NOW_MS + 34 * HOUR_MS + 1)).toBe(210);
    expect(cost(NOW_MS + 58 * HOUR_MS + 1)).toBeUndefined();
  });

  it.each([
    ['the next week is not known', account(0), Number.NaN],
    ['the account states no limit', { id: 'a' }, NOW_MS + HOUR_MS],
  ])('has room for everything where %s', (_why, given, untilMs) => {
    expect(weekCost(given, TO_READ, untilMs, undefined, NOW_MS).fits).toBeUndefined();
  });
});
