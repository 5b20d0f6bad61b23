import { Cron } from 'croner';
import { ConfigError } from '../model/error.ts';

/** Five fields, times of the zone: a fixed time in the gap of a clock change runs at the next valid minute, one in the overlap once; steps follow real time. */
const open = (text: string, timezone: string): Cron =>
  new Cron(text, { timezone, mode: '5-part', paused: true });

const NUMBERS = /^\d+(?:,\d+)*$/;

/** The library takes a list of hours or minutes for steps: each of its times is to be a fixed one. */
function fixedTimes(text: string): readonly string[] {
  const [minutes = '', hours = '', ...days] = text.split(/\s+/);
  if (!NUMBERS.test(minutes) || !NUMBERS.test(hours)) return [text];
  return hours
    .split(',')
    .flatMap((hour) => minutes.split(',').map((minute) => [minute, hour, ...days].join(' ')));
}

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
  const after = new Date(afterMs);
  const next = fixedTimes(text).flatMap((each) => open(each, timezone).nextRun(after)?.getTime() ?? []);
  return next.length === 0 ? undefined : Math.min(...next);
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
  const until = new Date(untilMs + 1000);
  const last = fixedTimes(text).flatMap((each) => open(each, timezone).previousRuns(2, until));
  const lastMs = Math.max(...last.map((each) => each.getTime()).filter((ms) => ms <= untilMs));
  return lastMs > afterMs ? lastMs : undefined;
}
