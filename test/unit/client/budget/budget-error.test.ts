import { expect, it } from 'vitest';
import { pauseTooLong } from '../../../../src/client/budget/budget-error.ts';

it.each([
  [44_976_000, 900_000, 'in 12 h 30 min, but max_wait is 15 min'],
  [61_000, 60_000, 'in 1 min 1 s, but max_wait is 1 min'],
  [59_100, 500, 'in 1 min, but max_wait is 1 s'],
  [3_599_001, 3_600_000, 'in 1 h, but max_wait is 1 h'],
  [12_345, 10_000, 'in 13 s, but max_wait is 10 s'],
])('a pause of %d ms that is too long is said as people say it', (ms, maxWaitMs, said) => {
  expect(pauseTooLong('the day window is used up', 0, ms, maxWaitMs).message).toMatch(
    new RegExp(`^the day window is used up: the next request is possible at \\S+, ${said}$`),
  );
});
