import { InternalError } from '../model/error.ts';
import { flag, int, text, type Row, type Store } from './store.ts';

/** The number of the last game week. */
export const LAST_WEEK = 38;

/** One of the game weeks; `number` counts from 1. */
interface GameWeek {
  readonly number: number;
  readonly id: string;
  readonly startDate: string;
  readonly endDate: string;
  /** Its matches have been played: results and statistics are there. */
  readonly isPlayed: boolean;
}

function toWeek(row: Row): GameWeek {
  return {
    number: int(row, 'number'),
    id: text(row, 'id'),
    startDate: text(row, 'start_date'),
    endDate: text(row, 'end_date'),
    isPlayed: flag(row, 'is_played'),
  };
}

/** The game week summary of section 2.3; `week` is its number as text. */
export function summaryOf(week: GameWeek) {
  return { id: week.id, week: String(week.number), start_date: week.startDate, end_date: week.endDate };
}

/** All game weeks in order. */
export function allWeeks(store: Store): readonly GameWeek[] {
  return store.all('SELECT * FROM game_weeks ORDER BY number', [], toWeek);
}

/** The game week with this number, or undefined outside the season. */
export function weekByNumber(store: Store, number: number): GameWeek | undefined {
  return store.get('SELECT * FROM game_weeks WHERE number = ?', [number], toWeek);
}

/** The game week with this number, which must be one of the season. */
export function requireWeek(store: Store, number: number): GameWeek {
  const week = weekByNumber(store, number);
  if (week === undefined) throw new InternalError('sandbox.week', `the season has no game week ${number}`);
  return week;
}

/** The game week with this id in either case of its letters, or undefined. */
export function weekById(store: Store, id: string): GameWeek | undefined {
  return store.get('SELECT * FROM game_weeks WHERE id = ?', [id.toLowerCase()], toWeek);
}

/** The number of the week that began last; 1 before the season. */
export function currentWeekNumber(store: Store, now: string): number {
  return Math.max(1, openWeekNumber(store, now) - 1);
}

/** The number of the first week that has not begun, in which a squad made now plays first; 39 in the last week. */
export function openWeekNumber(store: Store, now: string): number {
  return store.count('SELECT count(*) + 1 AS n FROM game_weeks WHERE start_date <= ?', now);
}

/** The current and the next game week at `now`, as a league shows them: before the season the current one is the first, in the last one there is no next. */
export function gameWeeksAt(store: Store, now: string) {
  const next = weekByNumber(store, Math.max(2, openWeekNumber(store, now)));
  return {
    current_game_week: summaryOf(requireWeek(store, currentWeekNumber(store, now))),
    next_game_week: next === undefined ? null : summaryOf(next),
  };
}

/** The first game week that is not played, or undefined after the season. */
export function nextToPlay(store: Store): GameWeek | undefined {
  return store.get('SELECT * FROM game_weeks WHERE is_played = 0 ORDER BY number LIMIT 1', [], toWeek);
}

/** The weeks that have ended at `now` and are not played yet. */
export function dueWeeks(store: Store, now: string): readonly GameWeek[] {
  return store.all(
    'SELECT * FROM game_weeks WHERE is_played = 0 AND end_date <= ? ORDER BY number',
    [now],
    toWeek,
  );
}
