import { Cron } from 'croner';

/** Five fields, times of the zone: a fixed time in the gap of a clock change runs at the next valid minute, one in the overlap once; steps follow real time. */
const open = (text: string, timezone: string): Cron =>
  new Cron(text, { timezone, mode: '5-part', paused: true });

/** Why a text is no cron schedule; undefined when it is one. */
export function cronProblem(text: string): string | undefined {
  try {
    const next = open(text, 'UTC').nextRun(new Date(0));
    return next === null ? 'it names a day that never comes' : undefined;
  } catch (error) {
    return (error as Error).message;
  }
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
  // The library looks for what lies before a time, to the second.
  const [last] = open(text, timezone).previousRuns(1, new Date(untilMs + 1000));
  const lastMs = last?.getTime();
  return lastMs !== undefined && lastMs > afterMs && lastMs <= untilMs ? lastMs : undefined;
}
