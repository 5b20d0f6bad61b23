import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../model/ports.ts';
import type { Store } from './store.ts';

/** The machine's own time. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  },
};

/** The time of the fictional season, which records and game weeks follow. */
export interface SeasonClock {
  /** ISO 8601 UTC with milliseconds. */
  now(): string;
}

/**
 * A season clock that advances with `clock`. A new store starts at `startAt`; a store that has run before goes on from where it was, unless
 * `now` sets it anew.
 */
export function openSeasonClock(
  store: Store,
  clock: Clock,
  startAt: string,
  now: string | undefined,
): SeasonClock {
  const known = store.readMeta('season_offset_ms');
  const offsetMs =
    known === undefined || now !== undefined ? Date.parse(now ?? startAt) - clock.now() : Number(known);
  store.writeMeta('season_offset_ms', String(offsetMs));
  return { now: () => new Date(clock.now() + offsetMs).toISOString() };
}
