import { describe, expect, it } from 'vitest';
import type { Lineup } from '../../../src/contract/resources/lineups.ts';
import { weekLineups, type LineupReading, type WeekLineups } from '../../../src/season/week-lineups.ts';

/** A line-up in which one player starts and another one sits on the bench. */
const lineup = (starts: string, bench: string): Lineup => ({
  id: 'a squad',
  squad: { starting_xi: [{ player: { id: starts } }], bench: [{ player: { id: bench } }] },
});
const FIRST = lineup('1', '2');
const SECOND = lineup('2', '1');
const reading = (readAtMs: number, record: Lineup): LineupReading => ({ readAtMs, record });

/** What is told where the line-up that was shown last was read since the week began. */
const told = (latest: Lineup, more: WeekLineups = {}): WeekLineups => ({ latest, fixed: latest, ...more });

describe('which line-up of a week is the one before its substitutions', () => {
  it('is told by two that differ, where the later one may be the one after', () => {
    const readings = [reading(300, SECOND), reading(100, FIRST)];
    for (const times of [{}, { overMs: 200 }, { overMs: 200, triggeredMs: 250, processedMs: 250 }])
      expect(weekLineups(readings, times)).toEqual(told(SECOND, { before: FIRST, after: SECOND }));
  });

  it('is the later of two that were read before the week was over: its owner changed it', () => {
    const readings = [reading(100, FIRST), reading(150, SECOND)];
    expect(weekLineups(readings, { overMs: 200 })).toEqual(told(SECOND, { before: SECOND }));
    expect(weekLineups(readings, { triggeredMs: 200, processedMs: 200 })).toEqual(
      told(SECOND, { before: SECOND }),
    );
  });

  it('is not told by one alone that may be either', () => {
    expect(weekLineups([reading(300, FIRST)], { overMs: 200 })).toEqual(told(FIRST));
    expect(weekLineups([reading(300, FIRST)], { overMs: 200, processedMs: 250 })).toEqual(
      told(FIRST, { after: FIRST }),
    );
    // A log tells that a week is processed, and not since when.
    expect(weekLineups([reading(300, FIRST)], { overMs: 200, processedMs: 350 })).toEqual(told(FIRST));
  });

  it('is one alone that was read before the week was over, or before its trigger', () => {
    expect(weekLineups([reading(100, FIRST)], { overMs: 200 })).toEqual(told(FIRST, { before: FIRST }));
    expect(weekLineups([reading(300, FIRST)], { overMs: 200, triggeredMs: 350, processedMs: 350 })).toEqual(
      told(FIRST, { before: FIRST }),
    );
  });

  it('is none that was read before the week began: its owner may have changed it since', () => {
    const times = { beginsMs: 200, overMs: 300, triggeredMs: 350, processedMs: 350 };
    expect(weekLineups([reading(100, FIRST)], times)).toEqual({ latest: FIRST });
    expect(weekLineups([reading(100, FIRST), reading(400, SECOND)], times)).toEqual(
      told(SECOND, { after: SECOND }),
    );
    expect(weekLineups([reading(100, FIRST), reading(250, SECOND)], times)).toEqual(
      told(SECOND, { before: SECOND }),
    );
  });

  it('is not told where nothing was read', () => {
    expect(weekLineups([], { overMs: 200 })).toEqual({});
  });
});
