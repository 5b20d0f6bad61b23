import { expect, it } from 'vitest';
import { weekAt, type ClockWeek } from '../../../src/schedule/weeks.ts';

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
