import { Cron } from 'croner';
import { ConfigError } from '../model/error.ts';

/** Five fields, times of the zone: a fixed time in the gap of a clock change runs at the next valid minute, one in the overlap once; steps follow real time. */
const open = (text: string, timezone: string): Cron =>
  new Cron(text, { timezone, mode: '5-part', paused: true });

/** Errors: ConfigError `schedule.cron` when a text is no cron schedule. */
export function checkCron(text: string): void {
  let next: Date | null;
  try {
    next = open(text, 'UTC').nextRun(new Date(0));
  } catch (cause) {
    throw new ConfigError('schedule.cron', `schedule "${text}" is no cron text`, {
      next: 'write five fields: minute 0-59, hour 0-23, day of the month 1-31, month 1-12, day of the week 0-6 or SUN-SAT',
      cause,
    });
  }
  if (next !== null) return;
  throw new ConfigError('schedule.cron', `schedule "${text}" names a day that never comes`, {
    next: 'write a day that the month has',
  });
}

/** The first time after `afterMs`; undefined when there is none. */
export function nextCronMs(text: string, timezone: string, afterMs: number): number | undefined {
  return open(text, timezone).nextRun(new Date(afterMs))?.getTime();
}

/** The last time after `afterMs` and up to `untilMs`; undefined when there is none. */
export function lastCronMs(
  text: string,
  timezone: string,
  afterMs: number,
  untilMs: number,
): number | undefined {
  // Most often nothing came since, which is quicker to find than what came last.
  if ((nextCronMs(text, timezone, afterMs) ?? Infinity) > untilMs) return undefined;
  // The library looks for what lies before a time, to the second: the first of both may come within that second.
  const last = open(text, timezone).previousRuns(2, new Date(untilMs + 1000));
  const lastMs = last.map((each) => each.getTime()).find((ms) => ms <= untilMs);
  return lastMs !== undefined && lastMs > afterMs ? lastMs : undefined;
}
