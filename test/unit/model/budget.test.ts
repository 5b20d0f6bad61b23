import { describe, expect, it } from 'vitest';
import { forecast, nextWait, windowLengthMs } from '../../../src/model/budget.ts';
import type { ForecastStart, RateWindow } from '../../../src/model/budget.ts';

const DAY_MS = 86_400_000;

const minute: RateWindow = {
  name: 'per_minute',
  capacity: 20,
  lengthMs: 60_000,
  room: 5,
  resetAtMs: 30_000,
};
const day: RateWindow = {
  name: 'per_day',
  capacity: 100,
  lengthMs: DAY_MS,
  room: 50,
  resetAtMs: 3_600_000,
};

const start = (windows: readonly RateWindow[], over: Partial<ForecastStart> = {}): ForecastStart => ({
  windows,
  readCost: 1,
  nowMs: 0,
  toWallMs: 1_000_000,
  maxWaitMs: Infinity,
  ...over,
});

describe('windowLengthMs', () => {
  it.each([
    ['60s', 60_000],
    ['1m', 60_000],
    ['minute', 60_000],
    ['per_minute', 60_000],
    ['PT1M', 60_000],
    ['60', 60_000],
    ['2 seconds', 2000],
    ['1500ms', 1500],
    ['86400', DAY_MS],
    ['day', DAY_MS],
    ['1d', DAY_MS],
    ['24 hours', DAY_MS],
    ['P1D', DAY_MS],
    ['per day', DAY_MS],
  ])('reads %s', (text, ms) => {
    expect(windowLengthMs('per_day', text)).toBe(ms);
  });

  it.each(['rolling', '', null, undefined, '0s', 'fortnight', '-1m'])('falls back for %s', (text) => {
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
});

describe('forecast', () => {
  it('needs no pause while the room lasts', () => {
    expect(forecast(start([minute, day]), 5)).toEqual({
      pauses: [],
      finishesAtMs: 1_000_000,
      requests: 5,
      fits: 5,
    });
  });

  it('is the lower bound for fixed windows, with one account call a pause', () => {
    // 5 now, then 19 a window beside the account call: 48 = 5 + 19 + 19 + 5.
    const found = forecast(start([minute]), 48);
    expect(found.pauses.map(({ untilMs, seconds }) => [untilMs, seconds])).toEqual([
      [1_030_000, 30],
      [1_090_000, 60],
      [1_150_000, 60],
    ]);
    expect(found).toMatchObject({ finishesAtMs: 1_150_000, requests: 51, fits: 48 });
  });

  it('wastes nothing when the account call is free', () => {
    expect(forecast(start([minute], { readCost: 0 }), 45).pauses).toHaveLength(2);
    expect(forecast(start([minute], { readCost: 0 }), 46).pauses).toHaveLength(3);
  });

  it('spends the day as well, and waits for it', () => {
    const found = forecast(start([minute, { ...day, room: 30 }]), 40);
    // Minute: 5, pause, 19, pause; the day then holds 30 - 5 - 20 - 1 = 4.
    expect(found.pauses.map(({ untilMs, reason }) => [untilMs, reason])).toEqual([
      [1_030_000, 'the per_minute window of the service is used up'],
      [1_090_000, 'the per_minute window of the service is used up'],
      [4_600_000, 'the per_day window of the service is used up'],
    ]);
    expect(found.requests).toBe(43);
  });

  it('stops at a pause that is longer than a run may make', () => {
    const found = forecast(start([minute, { ...day, room: 30 }], { maxWaitMs: 900_000 }), 40);
    expect(found.fits).toBe(5 + 19 + 4);
    expect(found.pauses).toHaveLength(2);
    expect(found.finishesAtMs).toBe(1_090_000);
  });

  it('stops where no waiting helps because the reserve takes the window', () => {
    expect(forecast(start([{ ...minute, capacity: 0, room: 0 }]), 3)).toMatchObject({ fits: 0, pauses: [] });
  });

  it('has nothing to wait for without limits', () => {
    expect(forecast(start([]), 1_000_000)).toMatchObject({ pauses: [], requests: 1_000_000 });
    const unlimited = { ...minute, capacity: Infinity, room: Infinity };
    expect(forecast(start([unlimited]), 1_000_000).pauses).toEqual([]);
  });
});
