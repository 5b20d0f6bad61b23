import { describe, expect, it } from 'vitest';
import { nextWait, pauseReason, windowLengthMs } from '../../../src/model/budget.ts';
import type { RateWindow } from '../../../src/model/budget.ts';

const DAY_MS = 86_400_000;

const minute: RateWindow = {
  name: 'per_minute',
  room: 5,
  resetAtMs: 30_000,
};
const day: RateWindow = {
  name: 'per_day',
  room: 50,
  resetAtMs: 3_600_000,
};

describe('windowLengthMs', () => {
  it.each([
    ['60s', 60_000],
    ['1m', 60_000],
    ['minute', 60_000],
    ['per_minute', 60_000],
    ['PT1M', 60_000],
    ['PT1.5M', 90_000],
    ['60', 60_000],
    ['1 sec', 1000],
    ['2secs', 2000],
    ['1 second', 1000],
    ['2 seconds', 2000],
    ['1500ms', 1500],
    ['1.25s', 1250],
    ['ms', 1],
    [' 60s ', 60_000],
    ['1 min', 60_000],
    ['2 mins', 120_000],
    ['2 minutes', 120_000],
    ['per  minute', 60_000],
    ['perminute', 60_000],
    ['1 - hour', 3_600_000],
    ['2 hours', 7_200_000],
    ['1 hr', 3_600_000],
    ['2-hrs', 7_200_000],
    ['86400', DAY_MS],
    ['day', DAY_MS],
    ['1d', DAY_MS],
    ['1 day', DAY_MS],
    ['2 days', 2 * DAY_MS],
    ['24 hours', DAY_MS],
    ['P1D', DAY_MS],
    ['per day', DAY_MS],
  ])('reads %s', (text, ms) => {
    expect(windowLengthMs('per_minute', text)).toBe(ms);
    expect(windowLengthMs('per_day', text)).toBe(ms);
  });

  it.each([
    'rolling',
    'fortnight',
    'perhaps2s',
    'about 1 s',
    '1 s or so',
    'xs',
    'sx',
    'p',
    '-1m',
    '0',
    '0s',
    '0 s',
    '0ms',
    '',
    null,
    undefined,
  ])('falls back for %s', (text) => {
    expect(windowLengthMs('per_minute', text)).toBe(60_000);
    expect(windowLengthMs('per_day', text)).toBe(DAY_MS);
  });
});

describe('nextWait', () => {
  it('is for the exhausted window that resets last', () => {
    expect(nextWait([minute, day])).toBeUndefined();
    expect(nextWait([{ ...minute, room: 0 }, day])).toEqual({ untilMs: 30_000, window: 'per_minute' });
    expect(
      nextWait([
        { ...minute, room: -3 },
        { ...day, room: 0 },
      ]),
    ).toEqual({
      untilMs: 3_600_000,
      window: 'per_day',
    });
  });

  it('is for the first of several that reset together, whatever their order', () => {
    const minuteUsed = { ...minute, room: 0, resetAtMs: 5000 };
    expect(nextWait([minuteUsed, { ...day, room: 0, resetAtMs: 5000 }])?.window).toBe('per_minute');
    expect(nextWait([{ ...day, room: 0, resetAtMs: 9000 }, minuteUsed])?.window).toBe('per_day');
  });
});

describe('pauseReason', () => {
  it('names the window', () => {
    expect(pauseReason('per_day')).toBe('the per_day window of the service is used up');
  });
});
