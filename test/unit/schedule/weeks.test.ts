import { expect, it } from 'vitest';
import { clockWeeks, weekAt, type ClockWeek } from '../../../src/schedule/weeks.ts';

const week = (id: string, startMs: number, endMs: number): ClockWeek => ({
  id,
  week: id,
  startMs,
  endMs,
  kickoffMs: undefined,
});
const WEEKS = [week('1', 0, 10), week('2', 20, 30), week('3', 40, 50)];

it.each([
  ['last', 9, undefined],
  ['last', 10, '1'],
  ['last', 45, '2'],
  ['current', -1, undefined],
  ['current', 15, '1'],
  ['current', 45, '3'],
] as const)('finds the %s game week at %i', (word, atMs, id) => {
  expect(weekAt(WEEKS, word, atMs)?.id).toBe(id);
});

it('is the one that the run belongs to, where that is over', () => {
  expect(weekAt(WEEKS, 'last', 60, WEEKS[0])?.id).toBe('1');
  expect(weekAt(WEEKS, 'last', 35, WEEKS[2])?.id).toBe('2');
});

it('kicks off with its first match, but for one that is played in a week before', () => {
  const iso = (hour: number): string => new Date(hour * 3_600_000).toISOString();
  const fixtures = (...hours: readonly number[]) =>
    hours.map((hour, at) => ({ id: `${hour}-${at}`, start_date: iso(hour) }));
  const [first, second] = clockWeeks([
    { id: '2', week: '2', start_date: iso(20), end_date: iso(30), fixtures: fixtures(5, 19, 22) },
    { id: '1', week: '1', start_date: iso(1), end_date: iso(10), fixtures: fixtures(0, 2) },
  ]);
  expect([first?.kickoffMs, second?.kickoffMs]).toEqual([0, 19 * 3_600_000]);
});
