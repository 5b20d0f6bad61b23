import { describe, expect, it } from 'vitest';
import { weekEnd, type LeagueWeeks } from '../../../src/plan/week-end.ts';

type GameWeek = NonNullable<LeagueWeeks['weeks']>[number];

const DAY_MS = 86_400_000;
const SEASON_MS = Date.UTC(2026, 7, 14);
const dayOf = (day: number): string => new Date(SEASON_MS + day * DAY_MS).toISOString();

/** A game week of the days 7 n to 7 n + 3, with a match at its end and one a day before. */
const week = (number: number, status: string | null): GameWeek => ({
  id: `week-${number}`,
  week: String(number),
  start_date: dayOf(7 * number),
  end_date: dayOf(7 * number + 3),
  fixtures: [1, 2].map((day) => ({
    id: `match-${number}-${day}`,
    status,
    start_date: dayOf(7 * number + day),
  })),
});

const SEASON = [week(1, 'finished'), week(2, 'finished'), week(3, 'live'), week(4, 'scheduled')];
const league = (
  day: number | undefined,
  currentWeek: number | undefined,
  changes: Partial<GameWeek> = {},
): LeagueWeeks => ({
  weeks: SEASON.map((each) => (each.week === '3' ? { ...each, ...changes } : each)),
  currentId: currentWeek === undefined ? '' : `id-${currentWeek}`,
  currentMs: currentWeek === undefined ? Number.NaN : SEASON_MS + 7 * currentWeek * DAY_MS,
  nowMs: day === undefined ? undefined : SEASON_MS + day * DAY_MS,
});
const matches = (status: string | null, day = 22) => ({
  fixtures: [{ id: 'match', status, start_date: dayOf(day) }],
});

/** The season, where a match of week 4 was played in week 3. */
const early = (shown: LeagueWeeks): LeagueWeeks => ({
  ...shown,
  weeks: shown.weeks?.map((each) =>
    each.week === '4'
      ? { ...each, fixtures: [...(each.fixtures ?? []), ...matches('finished').fixtures] }
      : each,
  ),
});

describe('a game week is over', () => {
  it.each([
    ['when its end has passed', league(24.1, 3)],
    ['when a later one is the current one and its end has passed', league(28.5, 4)],
    ['when its end has passed and nothing says which is current', league(24.1, undefined)],
    [
      'when a later one is the current one and no end or clock is shown',
      league(undefined, 4, { end_date: null }),
    ],
    [
      'by the words of its matches, where no end is shown',
      league(24.1, 3, { end_date: null, ...matches('finished') }),
    ],
    ['also where a match of a later one is over', early(league(24.1, 3, matches('finished')))],
    ['when a match was put off until the next one has begun', league(24.1, 3, matches('scheduled', 40))],
    ['when that one is the current one, too', league(28.5, 4, matches('scheduled', 40))],
    ['by the words of its matches, where one ends after it', league(24.9, 3, matches('finished', 24.5))],
  ])('%s', (_what, shown) => {
    expect(weekEnd('WEEK-3', shown, 'UTC')).toEqual({ kind: 'ended' });
  });

  it.each([
    [
      'its end is to come',
      league(23, 3),
      /^it ends at 2026-09-07 05:30:00, and the service's clock says 2026-09-06 05:30:00$/,
    ],
    ['its end is to come, although a later one is current', league(23, 4), /^it ends at/],
    [
      'the current one comes before it',
      league(60, 2),
      /^it begins after the game week that the service calls current$/,
    ],
    [
      'a match was put off',
      league(24.1, 4, matches('finished', 26)),
      /^a match of it begins at 2026-09-09 05:30/,
    ],
    [
      'its matches wait as those of the next one do',
      league(60, 3, matches('scheduled')),
      /is "scheduled", as those/,
    ],
  ])('not when %s', (_what, shown, why) => {
    expect(weekEnd('week-3', shown, 'Asia/Kolkata')).toEqual({
      kind: 'open',
      why: expect.stringMatching(why) as string,
    });
  });

  it.each([
    [
      'the fixtures are not shown',
      { ...league(60, 3), weeks: undefined },
      'week-3',
      /does not show its fixtures/,
    ],
    ['it is in no fixtures', league(60, 3), 'week-9', /does not stand in the fixtures/],
    ['the service shows no time', league(undefined, 3), 'week-3', /no time of its clock/],
    [
      'no end is shown',
      league(24.1, 3, { end_date: null }),
      'week-3',
      /do not show when its last match ends/,
    ],
    [
      'no end and no match is shown',
      league(24.1, 3, { end_date: null, fixtures: [] }),
      'week-3',
      /last match/,
    ],
    ['its last match begins after its end', league(24.6, 3, matches('live', 24.5)), 'week-3', /last match/],
  ])('or nobody can tell when %s', (_what, shown, id, why) => {
    expect(weekEnd(id, shown, 'UTC')).toEqual({ kind: 'unknown', why: expect.stringMatching(why) as string });
  });
});
