import { expect, it } from 'vitest';
import { checkCron, lastCronMs } from '../../../src/schedule/cron.ts';

it.each(['*/15 8-22 * * *', '0 6 * * MON', '5,35 * 1-7 * *', '0 0 29 2 *'])('%s is a schedule', (text) => {
  expect(() => checkCron(text)).not.toThrow();
});

it.each([
  ['61 * * * *', 'is no cron text', /minute 0-59, hour 0-23/],
  ['a b c d e', 'is no cron text', /five fields/],
  ['* * * * * *', 'is no cron text', /five fields/],
  ['0 0 31 2 *', 'names a day that never comes', /day that the month has/],
])('%s is none, and the message says what is wrong', (text, problem, remedy) => {
  expect(() => checkCron(text)).toThrow(
    expect.objectContaining({
      code: 'schedule.cron',
      message: `schedule "${text}" ${problem}`,
      next: expect.stringMatching(remedy) as string,
    }) as Error,
  );
});

it.each(['14:00:00.000', '14:14:59.500'])('the last time is told at %s too', (time) => {
  const [afterMs, untilMs] = ['13:50:00.000', time].map((each) => Date.parse(`2026-09-01T${each}Z`));
  expect(lastCronMs('*/15 * * * *', 'UTC', afterMs ?? 0, untilMs ?? 0)).toBe(
    Date.parse('2026-09-01T14:00:00Z'),
  );
});
