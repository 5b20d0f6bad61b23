import { describe, expect, it } from 'vitest';
import { readFinishBy } from '../../../../src/cli/push/finish-by.ts';
import { UsageError } from '../../../../src/model/error.ts';

const LONDON = 'Europe/London';

describe('--finish-by', () => {
  it.each([
    ['17:30', '2026-07-05T09:00:00Z', '2026-07-05T16:30:00.000Z'],
    ['23:59', '2026-07-05T00:00:00Z', '2026-07-05T22:59:00.000Z'],
    ['06:00', '2026-07-05T21:00:00Z', '2026-07-06T05:00:00.000Z'],
    ['00:30', '2026-12-31T23:00:00Z', '2027-01-01T00:30:00.000Z'],
    ['2026-07-06T17:30', '2026-07-05T21:00:00Z', '2026-07-06T16:30:00.000Z'],
    ['2026-07-06T17:30:00Z', '2026-07-05T21:00:00Z', '2026-07-06T17:30:00.000Z'],
    ['2026-07-06 17:30:00+02:00', '2026-07-05T21:00:00Z', '2026-07-06T15:30:00.000Z'],
    ['02:30', '2026-10-24T22:00:00Z', '2026-10-25T02:30:00.000Z'],
  ])('%s, typed at %s, is %s', (text, now, expected) => {
    expect(new Date(readFinishBy(text, LONDON, Date.parse(now))).toISOString()).toBe(expected);
  });

  it.each([
    // Just missed: a run that begins late must not go on for a day.
    ['17:30', '2026-07-05T16:31:00Z', '17:30 is past today; write 2026-07-06T17:30 if tomorrow is meant'],
    ['2026-07-05T17:30', '2026-07-05T16:30:00Z', '2026-07-05T17:30 is past'],
    ['17', '2026-07-05T09:00:00Z', 'takes a time such as 17:30 or 2026-07-05T17:30, not "17"'],
    ['24:00', '2026-07-05T09:00:00Z', 'takes a time such as 17:30'],
    ['2026-07-06', '2026-07-05T09:00:00Z', 'takes a time such as 17:30'],
    ['2026-02-31T10:00', '2026-02-05T09:00:00Z', 'is not a date of the calendar'],
    ['01:30', '2026-10-24T22:00:00Z', 'happens twice in Europe/London'],
    ['01:30', '2026-03-28T22:00:00Z', 'does not exist in Europe/London'],
  ])('%s, typed at %s: %s', (text, now, message) => {
    const read = (): number => readFinishBy(text, LONDON, Date.parse(now));
    expect(read).toThrow(UsageError);
    expect(read).toThrow(message);
  });

  it('names a time to come, also late in the evening', () => {
    const read = (): number => readFinishBy('later', LONDON, Date.parse('2026-07-05T22:54:00Z'));
    expect(read).toThrow(
      expect.objectContaining({ next: 'give a time to come, such as --finish-by 2026-07-06T00:54' }) as Error,
    );
  });
});
