import { expect, it } from 'vitest';
import { windowLengthMs } from '../../../src/model/budget.ts';

it.each([
  ['1 sec', 1000],
  ['2secs', 2000],
  ['1 second', 1000],
  ['2 seconds', 2000],
  ['1 min', 60_000],
  ['2 mins', 120_000],
  ['2 minutes', 120_000],
  ['1 hour', 3_600_000],
  ['2 hours', 7_200_000],
  ['1 hr', 3_600_000],
  ['2-hrs', 7_200_000],
  ['1 day', 86_400_000],
  ['2 days', 172_800_000],
  ['P1D', 86_400_000],
  ['PT1.5M', 90_000],
  ['250ms', 250],
])('a window of %j is %d ms long', (text, ms) => {
  expect(windowLengthMs('per_minute', text)).toBe(ms);
  expect(windowLengthMs('per_day', text)).toBe(ms);
});

it.each(['', '0', '0ms', '0 s', 'p', 'fortnight', '1 s or so', 'about 1 s', 'xs', 'sx', null, undefined])(
  'a window of %j is as long as its name says',
  (text) => {
    expect(windowLengthMs('per_minute', text)).toBe(60_000);
    expect(windowLengthMs('per_day', text)).toBe(86_400_000);
  },
);
