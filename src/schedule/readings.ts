import { isAhead, RETRY_MS } from './due.ts';
import type { ClockWeek } from './weeks.ts';

const MINUTE_MS = 60_000;
/** A reading before the end of a week, or before the next one begins, begins so much earlier. */
const BEFORE_END_MS = 30 * MINUTE_MS;
const BEFORE_NEXT_MS = 120 * MINUTE_MS;

/** What the schedule has done to read the game weeks of a league; times are the service's. */
export interface ReadingsDone {
  /** The game week of the last whole reading, and when that began. */
  readonly whole?: { readonly id: string; readonly atMs: number };
  /** When the last reading began, whole or not. */
  readonly triedMs?: number;
  /** The league was seen to show a game week as the current one before that began (`true`), or after its end and before the next (`false`). */
  readonly turnsAtEnd?: boolean;
}

/** The game weeks of a league as the schedule reads them. */
export interface WeekReadings {
  readonly weeks: readonly ClockWeek[];
  readonly done: ReadingsDone;
  /** When the substitutions of game weeks were processed, by their ids. */
  readonly processedMs: ReadonlyMap<string, number>;
  /** The ids of those that no further reading would change. */
  readonly final: ReadonlySet<string>;
}

/** Why a game week is read: before or after its end, after its substitutions were processed, or before the next one begins. */
export type ReadingWhy = 'before_end' | 'after_end' | 'processed' | 'before_next';

/** A reading that is due, or comes. */
export interface DueReading {
  readonly week: ClockWeek;
  readonly atMs: number;
  readonly why: ReadingWhy;
  /** When the service no longer shows the week; undefined for the last one of a season. */
  readonly untilMs: number | undefined;
}

/**
 * The reading of the game week that began last: at the latest moment that has come and that no whole reading followed. What is not whole is tried again until the
 * service shows the next week.
 */
export function dueReading(readings: WeekReadings, nowMs: number): DueReading | undefined {
  const at = readings.weeks.findLastIndex(({ startMs = Infinity }) => startMs <= nowMs);
  const moments = momentsOf(readings, at).filter(({ atMs }) => atMs <= nowMs);
  const latest = moments.toSorted((one, other) => one.atMs - other.atMs).at(-1);
  if (latest === undefined || (latest.untilMs ?? Infinity) <= nowMs) return undefined;
  const { whole, triedMs = -Infinity } = readings.done;
  const isRead = whole?.id === latest.week.id && whole.atMs >= latest.atMs;
  if (isRead && !isAhead(whole.atMs, nowMs)) return undefined;
  const isWaiting = triedMs >= latest.atMs && Math.abs(nowMs - triedMs) < RETRY_MS;
  return isWaiting ? undefined : latest;
}

/** The readings that come after a time, at most `count`, as far as the game weeks tell. */
export const nextReadings = (readings: WeekReadings, nowMs: number, count: number): readonly DueReading[] =>
  readings.weeks
    .flatMap((_, at) => momentsOf(readings, at).filter(({ atMs }) => atMs > nowMs))
    .toSorted((one, other) => one.atMs - other.atMs)
    .slice(0, count);

/**
 * The moments at which a game week is read. When a league turns to the next week is not known at first: then a week is read before its end and after it. Where it
 * turns at the end, nothing can be read afterwards.
 */
function momentsOf({ weeks, done, processedMs, final }: WeekReadings, at: number): readonly DueReading[] {
  const week = weeks[at];
  if (week?.endMs === undefined) return [];
  const { endMs } = week;
  const nextMs = weeks[at + 1]?.startMs;
  const { turnsAtEnd } = done;
  const untilMs = turnsAtEnd === true ? endMs : nextMs;
  const moment = (why: ReadingWhy, atMs: number): DueReading => ({ week, why, atMs, untilMs });
  const found = turnsAtEnd === false ? [] : [moment('before_end', endMs - BEFORE_END_MS)];
  if (turnsAtEnd === true) return found;
  found.push(moment('after_end', endMs));
  const doneMs = processedMs.get(week.id);
  if (doneMs !== undefined && doneMs > endMs) found.push(moment('processed', doneMs));
  const lastMs = (nextMs ?? Infinity) - BEFORE_NEXT_MS;
  if (Number.isFinite(lastMs) && lastMs > endMs && !final.has(week.id))
    found.push(moment('before_next', lastMs));
  return found;
}

/** What a reading tells of when a league turns to the next week; undefined where it tells nothing. `id` is the week that was shown at `atMs`. */
export function turnSeen(
  weeks: readonly ClockWeek[],
  id: string | undefined,
  atMs: number,
): boolean | undefined {
  const at = weeks.findIndex((week) => week.id === id);
  const { startMs = -Infinity, endMs = Infinity } = weeks[at] ?? {};
  if (at > 0 && atMs < startMs) return true;
  const nextMs = weeks[at + 1]?.startMs;
  return nextMs !== undefined && atMs >= endMs && atMs < nextMs ? false : undefined;
}
