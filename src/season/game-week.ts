import type { Kept } from '../model/state/memory.ts';
import { parseTimeMs } from '../model/time/service-time.ts';
import { shownText, weekNumber } from './week-number.ts';

/** A game week as the service summarizes it. */
export interface WeekSummary {
  readonly id?: string | null | undefined;
  readonly week?: string | null | undefined;
  readonly start_date?: string | null | undefined;
  readonly end_date?: string | null | undefined;
}

/** A game week that is remembered; times are NaN where the service does not show them. */
export interface GameWeek {
  readonly id: string;
  /** As the service writes it; empty where it does not. */
  readonly text: string;
  readonly number: number | undefined;
  readonly startMs: number;
  readonly endMs: number;
  readonly readAtMs: number;
}

/** The game week of a record of kind `game_week`. */
export function gameWeekOf({ gameWeek, record, readAtMs }: Kept): GameWeek {
  // Only `keptWeek` makes such a record.
  const { week, start_date, end_date } = record as WeekSummary;
  const [startMs, endMs] = [parseTimeMs(shownText(start_date)), parseTimeMs(shownText(end_date))];
  return { id: gameWeek, text: shownText(week), number: weekNumber(week), startMs, endMs, readAtMs };
}

/** What people know a game week by: its text, or its id where the service shows none. */
export const nameOfWeek = ({ text, id }: Pick<GameWeek, 'text' | 'id'>): string =>
  text.trim() === '' ? id : text;

/** Whether no week lies between two that follow each other in memory, as far as their numbers tell. */
export const isNext = (one: GameWeek, other: GameWeek): boolean =>
  one.number === undefined || other.number === undefined || one.number + 1 === other.number;

/** Game weeks in the order of their start, those without one by their number at the end. */
export const inOrder = (weeks: readonly GameWeek[]): readonly GameWeek[] =>
  weeks.toSorted(
    (one, other) =>
      startOrLast(one) - startOrLast(other) ||
      (one.number ?? 0) - (other.number ?? 0) ||
      (one.id < other.id ? -1 : 1),
  );

const startOrLast = ({ startMs }: GameWeek): number =>
  Number.isNaN(startMs) ? Number.MAX_SAFE_INTEGER : startMs;
