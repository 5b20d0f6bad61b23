import { InternalError } from '../../model/error.ts';
import type { Context } from '../context.ts';
import { flag, int, text, type Row, type Store } from '../store/store.ts';

/** The number of the last game week. */
export const LAST_WEEK = 38;

/** What tells the current week: what there is, its time, and when the settings turn the week. */
type Timed = Pick<Context, 'store' | 'season' | 'settings'>;

/** One of the game weeks; `number` counts from 1. */
export interface GameWeek {
  readonly number: number;
  readonly id: string;
  readonly startDate: string;
  readonly endDate: string;
  /** Its start has come: the line-ups of the week are as their owners left them. */
  readonly isBegun: boolean;
  /** Its matches have been played: results and statistics are there. */
  readonly isPlayed: boolean;
}

function toWeek(row: Row): GameWeek {
  return {
    number: int(row, 'number'),
    id: text(row, 'id'),
    startDate: text(row, 'start_date'),
    endDate: text(row, 'end_date'),
    isBegun: flag(row, 'is_begun'),
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

/** The number of the current week: the one that began last or, where the settings turn the week at its end, the first that has not ended. */
export function currentWeekNumber({ store, season, settings }: Timed): number {
  const now = season.now();
  if (settings.week_turns === 'next_start') return Math.max(1, openWeekNumber(store, now) - 1);
  const ended = store.count('SELECT count(*) AS n FROM game_weeks WHERE end_date <= ?', now);
  return Math.min(LAST_WEEK, ended + 1);
}

/** The number of the first week that has not begun, in which a squad made now plays first; 39 in the last week. */
export function openWeekNumber(store: Store, now: string): number {
  return store.count('SELECT count(*) + 1 AS n FROM game_weeks WHERE start_date <= ?', now);
}

/** The current and the next game week, as a league shows them: before the season the current one is the first, in the last one there is no next. */
export function gameWeeksAt(context: Timed) {
  const current = currentWeekNumber(context);
  const next = weekByNumber(context.store, current + 1);
  return {
    current_game_week: summaryOf(requireWeek(context.store, current)),
    next_game_week: next === undefined ? null : summaryOf(next),
  };
}

/** The first game week that is not played, or undefined after the season. */
export function nextToPlay(store: Store): GameWeek | undefined {
  return store.get('SELECT * FROM game_weeks WHERE is_played = 0 ORDER BY number LIMIT 1', [], toWeek);
}

/** The weeks that have begun or ended at `now` while nothing was done about it yet. */
export function dueWeeks(store: Store, now: string): readonly GameWeek[] {
  return store
    .all('SELECT * FROM game_weeks WHERE is_played = 0 AND start_date <= ? ORDER BY number', [now], toWeek)
    .filter((week) => !week.isBegun || week.endDate <= now);
}
