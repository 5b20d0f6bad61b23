import { describe, expect, it } from 'vitest';
import {
  middleOf,
  narrowedThen,
  narrowOffset,
  nextTickMs,
} from '../../../../src/client/budget/server-time.ts';
import { parseTimeMs } from '../../../../src/model/time/service-time.ts';
import { retryAfterMs } from '../../../../src/client/budget/throttle.ts';

const TEN = Date.UTC(2026, 10, 20, 10);

// On a machine in another zone than UTC these are told from local times; `npm run mutation` is in one.
describe('a time of the service', () => {
  it.each([
    ['2026-11-20T10:00', TEN],
    ['2026-11-20 10:00', TEN],
    ['2026-11-20T10:00:00', TEN],
    ['2026-11-20 10:00:00.250', TEN + 250],
    ['2026-11-20T10:00:00.5', TEN + 500],
    ['2026-11-20T10:00:00Z', TEN],
    ['2026-11-20T11:00:00+01:00', TEN],
    ['Fri, 20 Nov 2026 10:00:00 GMT', TEN],
  ])('%s', (text, ms) => {
    expect(parseTimeMs(text)).toBe(ms);
  });

  it.each(['', 'soon', '2026-11-20T10:00:00.', '2026-11-20T10', '2026-11-20T10:00:00Zulu'])(
    'not %j',
    (text) => {
      expect(parseTimeMs(text)).toBeNaN();
    },
  );
});

it('an answer narrows the offset by when it was sent and received, and by what a Date header can hide', () => {
  const date = new Date(5_000_000).toUTCString();
  const seen = { lowMs: 4_999_000, highMs: 5_000_800 };
  expect(narrowOffset(undefined, date, 300, 1000)).toEqual(seen);
  expect(narrowOffset({ lowMs: 0, highMs: 5_000_000 }, date, 300, 1000)).toEqual({
    ...seen,
    highMs: 5_000_000,
  });
  expect(narrowOffset({ lowMs: 4_999_500, highMs: 9_000_000 }, date, 300, 1000)).toEqual({
    lowMs: 4_999_500,
    highMs: 5_000_800,
  });
  // What touches agrees.
  expect(narrowOffset({ lowMs: 5_000_800, highMs: 9_000_000 }, date, 300, 1000)).toEqual({
    lowMs: 5_000_800,
    highMs: 5_000_800,
  });
  expect(narrowOffset({ lowMs: 5_000_801, highMs: 9_000_000 }, date, 300, 1000)).toEqual(seen);
  expect(narrowOffset(seen, undefined, 0, 1)).toBe(seen);
});

it.each([
  ['1.25', 1250],
  ['-1', undefined],
  ['5s', undefined],
  ['x5', undefined],
  ['5.', undefined],
  ['2026-11-20T10:00:20', 20_000],
])('Retry-After: %s asks for %s ms', (value, ms) => {
  expect(retryAfterMs({ status: 429, headers: { 'retry-after': value }, body: '' }, TEN)).toBe(ms);
});

describe('what is not known of the offset', () => {
  // The Date header may be 100 ms old, so that the true offset is between 400 and 900.
  const known = { lowMs: 400, highMs: 1000 };

  it('is likeliest in the middle, and halved by a request at the moment when a second may begin there', () => {
    expect(middleOf(known)).toBe(650);
    expect(nextTickMs(known, 0, 0)).toBe(350);
    expect(nextTickMs(known, 350, 0)).toBe(350);
    expect(nextTickMs(known, 351, 0)).toBe(1350);
    // It gets there half-way.
    expect(nextTickMs(known, 0, 10)).toBe(345);
    expect(nextTickMs(known, 346, 10)).toBe(1345);
  });

  it('need not be halved below the time that a request takes and 40 ms', () => {
    expect(nextTickMs(known, 0, 460)).toBe(120);
    expect(nextTickMs(known, 0, 461)).toBeUndefined();
  });

  it('is what an answer in the middle of its request will leave', () => {
    // Written at 500 + 700 = 1200 by the service's clock: its header says 1000.
    expect(narrowedThen(known, 700, 450, 550)).toEqual({ lowMs: 450, highMs: 1000 });
    // Written at -1000: a whole second of a clock that is behind.
    expect(narrowedThen({ lowMs: -9000, highMs: 9000 }, -1500, 450, 550)).toEqual({
      lowMs: -1550,
      highMs: -350,
    });
  });

  it('is halved until it need not be, whichever way the answers fall', () => {
    for (const trueMs of [400, 500, 649, 651, 899, 900]) {
      for (const there of [0, 20, 60]) {
        let [offset, ticks] = [known, 0];
        for (let at = nextTickMs(offset, 0, 60); at !== undefined; at = nextTickMs(offset, at + 60, 60)) {
          const header = new Date(Math.floor((at + there + trueMs) / 1000) * 1000).toUTCString();
          offset = narrowOffset(offset, header, at, at + 60) ?? offset;
          ticks += 1;
        }
        expect(ticks).toBeLessThanOrEqual(4);
        expect(offset.lowMs).toBeLessThanOrEqual(trueMs);
        expect(offset.highMs).toBeGreaterThanOrEqual(trueMs);
      }
    }
  });
});
