import { expect, it } from 'vitest';
import { cronProblem } from '../../../src/schedule/cron.ts';

it.each(['*/15 8-22 * * *', '0 6 * * MON', '5,35 * 1-7 * *'])('%s is a schedule', (text) => {
  expect(cronProblem(text)).toBeUndefined();
});

it.each([
  ['61 * * * *', /minute: 61/],
  ['a b c d e', /\(a\)/],
  ['0 0 31 2 *', /never comes/],
  ['* * * * * *', /5/],
])('%s is none, and the message says what is wrong', (text, message) => {
  expect(cronProblem(text)).toMatch(message);
});
