import { expect, it } from 'vitest';
import { checkCron, lastCronMs, nextCronMs } from '../../../src/schedule/cron.ts';

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

const timesOf = (text: string, from: string, until: string): readonly string[] => {
  const times: string[] = [];
  let atMs = nextCronMs(text, 'Europe/Berlin', Date.parse(from)) ?? Infinity;
  for (; atMs <= Date.parse(until); atMs = nextCronMs(text, 'Europe/Berlin', atMs) ?? Infinity)
    times.push(new Date(atMs).toISOString().slice(11, 16));
  return times;
};

it.each([
  ['30 2 * * *', ['01:00'], ['00:30']],
  ['30 2,14 * * *', ['01:00', '12:30'], ['00:30', '13:30']],
  ['0,30 2 * * *', ['01:00'], ['00:00', '00:30']],
  ['*/30 1-3 * * *', ['00:00', '00:30', '01:00', '01:30'], null],
])(
  '%s keeps fixed times where the clocks change, and lets steps follow real time',
  (text, spring, autumn) => {
    expect(timesOf(text, '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z')).toEqual(spring);
    if (autumn !== null)
      expect(timesOf(text, '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z')).toEqual(autumn);
    const untilMs = Date.parse('2026-03-29T22:00:00Z');
    const last = lastCronMs(text, 'Europe/Berlin', untilMs - 86_400_000, untilMs);
    expect(new Date(last ?? 0).toISOString().slice(11, 16)).toBe(spring.at(-1));
  },
);
