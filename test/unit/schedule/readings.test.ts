import { describe, expect, it } from 'vitest';
import {
  dueReading,
  nextReadings,
  turnSeen,
  type ReadingsDone,
  type WeekReadings,
} from '../../../src/schedule/readings.ts';
import type { ClockWeek } from '../../../src/schedule/weeks.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Three weeks of three days, one every seven. */
const WEEKS: readonly ClockWeek[] = [1, 2, 3].map((number) => {
  const startMs = (number - 1) * 7 * DAY;
  return { id: `w${number}`, week: `${number}`, startMs, endMs: startMs + 3 * DAY, kickoffMs: startMs };
});
const readings = (done: ReadingsDone = {}, more: Partial<WeekReadings> = {}): WeekReadings => ({
  weeks: WEEKS,
  done,
  processedMs: new Map(),
  final: new Set(),
  ...more,
});
const LATE = { turnsAtEnd: false };
const due = (now: number, done?: ReadingsDone, more?: Partial<WeekReadings>): string | undefined => {
  const found = dueReading(readings(done, more), now);
  return found && `${found.week.id} ${found.why}`;
};

describe('a reading that is due', () => {
  it.each([
    ['before the season', -1, {}, undefined],
    ['while the week runs', 2 * DAY, {}, undefined],
    ['before its end, where nobody knows when the league turns', 3 * DAY - 30 * MINUTE, {}, 'w1 before_end'],
    ['after its end', 3 * DAY, LATE, 'w1 after_end'],
    ['not before its end, where the league turns later', 3 * DAY - MINUTE, LATE, undefined],
    ['shortly before the next week begins', 7 * DAY - HOUR, LATE, 'w1 before_next'],
    [
      'before the end alone, where the league turns then',
      3 * DAY - MINUTE,
      { turnsAtEnd: true },
      'w1 before_end',
    ],
    ['not once the league has turned', 3 * DAY, { turnsAtEnd: true }, undefined],
    ['of the last week of a season', 20 * DAY, LATE, 'w3 after_end'],
  ])('%s', (_, now, done, expected) => {
    expect(due(now, done)).toBe(expected);
  });

  it('is none once a whole reading followed its moment, and is one again after the substitutions', () => {
    const whole = { id: 'w1', atMs: 3 * DAY + MINUTE };
    expect(due(4 * DAY, { ...LATE, whole })).toBeUndefined();
    const processed = { processedMs: new Map([['w1', 3 * DAY + 3 * HOUR]]) };
    expect(due(4 * DAY, { ...LATE, whole }, processed)).toBe('w1 processed');
    const again = { id: 'w1', atMs: 3 * DAY + 4 * HOUR };
    expect(due(4 * DAY, { ...LATE, whole: again }, processed)).toBeUndefined();
    expect(
      due(7 * DAY - HOUR, { ...LATE, whole: again }, { ...processed, final: new Set(['w1']) }),
    ).toBeUndefined();
  });

  it('does not wait for a clock that was ahead and is set back', () => {
    expect(due(3 * DAY, { ...LATE, triedMs: 3 * DAY + HOUR })).toBe('w1 after_end');
    expect(due(3 * DAY, { ...LATE, whole: { id: 'w1', atMs: 4 * DAY } })).toBe('w1 after_end');
  });

  it('is tried again a quarter of an hour after one that was not whole, until the next week is shown', () => {
    const tried = { ...LATE, triedMs: 3 * DAY };
    expect(due(3 * DAY + 14 * MINUTE, tried)).toBeUndefined();
    expect(due(3 * DAY + 15 * MINUTE, tried)).toBe('w1 after_end');
    expect(due(7 * DAY, tried)).toBeUndefined();
  });
});

it('comes at the moments of the weeks that are left', () => {
  const next = nextReadings(readings(LATE), 4 * DAY, 3).map(({ week, why }) => `${week.id} ${why}`);
  expect(next).toEqual(['w1 before_next', 'w2 after_end', 'w2 before_next']);
});

it.each([
  ['w2', 4 * DAY, true],
  ['w1', 4 * DAY, false],
  ['w1', DAY, undefined],
  ['w3', 20 * DAY, undefined],
  [undefined, DAY, undefined],
])('the week %s at %i tells when the league turns', (id, atMs, turn) => {
  expect(turnSeen(WEEKS, id, atMs)).toBe(turn);
});
