import { describe, expect, it } from 'vitest';
import { narrowOffset, parseTimeMs } from '../../../src/client/server-time.ts';
import { retryAfterMs } from '../../../src/client/throttle.ts';

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
])('Retry-After: %s asks for %s ms', (value, ms) => {
  expect(retryAfterMs({ status: 429, headers: { 'retry-after': value }, body: '' }, TEN)).toBe(ms);
});
