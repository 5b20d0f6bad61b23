import { instantReader } from '../../mapping/zoned-time.ts';
import { wallClock } from '../../model/time/wall-clock.ts';
import { UsageError } from '../../model/error.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HALF_DAY_MS = DAY_MS / 2;

/**
 * The wall-clock time that `--finish-by` names: `17:30` in the configuration's time zone, or an ISO time. A time of day is today's or, when that
 * is past, tomorrow's if that is at most twelve hours away, as 06:00 is in the evening. A time further back was missed, and is refused, so that a
 * run that begins late does not go on for a day.
 * Errors: UsageError `usage.finish_by`.
 */
export function readFinishBy(text: string, timezone: string, nowMs: number): number {
  const wall = wallClock(timezone);
  const today = wall(nowMs).toISOString().slice(0, 10);
  const example = wall(nowMs + HOUR_MS)
    .toISOString()
    .slice(0, 16);
  const tomorrow = new Date(Date.parse(today) + DAY_MS).toISOString().slice(0, 10);
  if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(text)) {
    if (!/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text))
      throw refused(`takes a time such as 17:30 or ${today}T17:30, not "${text}"`, example);
    const atMs = instantOf(text, timezone, example);
    if (atMs <= nowMs) throw refused(`${text} is past`, example);
    return atMs;
  }
  const todayMs = instantOf(`${today} ${text}`, timezone, example);
  if (todayMs > nowMs) return todayMs;
  const tomorrowMs = instantOf(`${tomorrow} ${text}`, timezone, example);
  if (tomorrowMs - nowMs <= HALF_DAY_MS) return tomorrowMs;
  throw refused(`${text} is past today; write ${tomorrow}T${text} if tomorrow is meant`, example);
}

function instantOf(text: string, timezone: string, example: string): number {
  const read = instantReader(undefined, timezone)(text);
  if ('problem' in read) throw refused(read.problem, example);
  return Date.parse(read.iso);
}

function refused(message: string, example: string): UsageError {
  return new UsageError('usage.finish_by', `--finish-by: ${message}`, {
    next: `give a time to come, such as --finish-by ${example}`,
  });
}
