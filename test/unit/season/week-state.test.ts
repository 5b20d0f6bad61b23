import { describe, expect, it } from 'vitest';
import { isOver, weekState, type WeekFacts } from '../../../src/season/week-state.ts';

const END = 1_000;
const NOW = 5_000;
const NONE = { squads: 0, points: 0 };
const facts = (changes: Partial<WeekFacts> = {}): WeekFacts => ({
  startMs: 500,
  endMs: END,
  nextStartMs: 2_000,
  isPast: false,
  runningAtMs: undefined,
  lineups: { ids: 10, oldestMs: 3_000 },
  squads: 10,
  isPart: false,
  isRead: false,
  processed: undefined,
  contradicted: NONE,
  ...changes,
});
const stateOf = (changes: Partial<WeekFacts>, nowMs = NOW): readonly unknown[] => {
  const { state, note } = weekState(facts(changes), nowMs);
  return [state, note?.code];
};

describe('a week is over', () => {
  it.each([
    ['at its end to the millisecond', {}, END, true],
    ['not a millisecond before', {}, END - 1, false],
    ['when a later week was shown, whatever the clock says', { isPast: true }, END - 500, true],
    ['not while the service showed after its end that it runs', { runningAtMs: END }, NOW, false],
    ['when it ran before its end and time has passed', { runningAtMs: END - 1 }, NOW, true],
    ['without an end, when the next one begins', { endMs: Number.NaN }, 2_000, true],
    ['not before that', { endMs: Number.NaN }, 1_999, false],
    ['never without any time', { endMs: Number.NaN, nextStartMs: Number.NaN }, NOW, false],
  ])('%s', (_what, changes, nowMs, over) => {
    expect(isOver(facts(changes), nowMs)).toBe(over);
  });
});

describe('the state of a week', () => {
  const trigger = (atMs: number) => ({ processed: { atMs, by: 'trigger' as const } });
  it.each([
    ['open', 'ends', {}, END - 1],
    ['open', undefined, { endMs: Number.NaN, nextStartMs: Number.NaN }, NOW],
    ['provisional', 'not_processed', {}, NOW],
    ['provisional', 'not_processed', { isPast: true }, NOW],
    ['provisional', 'not_read', { lineups: undefined }, NOW],
    ['provisional', 'some_not_read', { lineups: { ids: 9, oldestMs: 3_000 } }, NOW],
    ['provisional', 'some_not_read', { lineups: { ids: 9, oldestMs: 3_000 }, ...trigger(3_000) }, NOW],
    ['provisional', 'read_in_part', { ...trigger(3_000), isPart: true }, NOW],
    ['provisional', 'some_not_read', { ...trigger(3_000), isPart: true, squads: 11 }, NOW],
    ['final_by_totals', 'read_in_part', { ...trigger(3_000), isPart: true, isPast: true }, NOW],
    ['provisional', 'to_read_again', trigger(3_001), NOW],
    ['final', undefined, trigger(3_000), NOW],
    ['final', undefined, { ...trigger(2_999), isPast: true }, NOW],
    ['final', undefined, { ...trigger(2_999), squads: 0 }, NOW],
    ['final_by_totals', 'processed_late', { ...trigger(3_001), isPast: true }, NOW],
    [
      'final_by_totals',
      'read_early',
      { ...trigger(3_001), isPast: true, lineups: { ids: 10, oldestMs: 499 } },
      NOW,
    ],
    [
      'final_by_totals',
      'processed_late',
      { ...trigger(3_001), isPast: true, contradicted: { squads: 2, points: 5 } },
      NOW,
    ],
    ['final_by_totals', 'some_not_read', { ...trigger(2_999), isPast: true, squads: 11 }, NOW],
    [
      'stale',
      'contradicted',
      { ...trigger(2_000), isPast: true, contradicted: { squads: 2, points: 5 } },
      NOW,
    ],
    ['stale', 'contradicted', { isPast: true, contradicted: { squads: 2, points: 5 } }, NOW],
    ['missing', 'missed', { lineups: undefined, isPast: true }, NOW],
    ['provisional', 'none_shown', { lineups: undefined, isRead: true }, NOW],
    ['missing', 'none_shown', { lineups: undefined, isRead: true, isPast: true }, NOW],
    ['missing', 'missed', { lineups: undefined, isPast: true, ...trigger(1) }, NOW],
    ['open', 'ends', { lineups: undefined }, END - 1],
  ])('is %s (%s) for %j', (state, code, changes, nowMs) => {
    expect(stateOf(changes, nowMs)).toEqual([state, code]);
  });

  it('is final for a week that the operator closed, where it was read after its end', () => {
    const processed = { atMs: 4_500, by: 'closed' as const };
    expect(stateOf({ processed })).toEqual(['final', undefined]);
    expect(stateOf({ processed, lineups: { ids: 10, oldestMs: END - 1 } })).toEqual([
      'provisional',
      'to_read_again',
    ]);
    expect(stateOf({ processed, endMs: Number.NaN, isPast: true })).toEqual(['final', undefined]);
  });
});
