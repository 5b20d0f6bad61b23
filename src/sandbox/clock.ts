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

/** Lets time pass. */
export type Wait = (ms: number) => Promise<void>;

/** Waits on a clock. The end of the service, `closing`, ends every wait and is no error. */
export function waitOn(clock: Pick<Clock, 'sleep'>, closing: AbortSignal): Wait {
  return (ms) =>
    clock.sleep(ms, closing).catch((cause: unknown) => {
      if (!closing.aborted) throw cause;
    });
}

/**
 * The time of a service. It runs at the speed of real time, and moves when its operator moves it. The season has a time of its own, because a
 * seed begins on a fixed day; rate windows and the Date header are on wall-clock time, which is real until the operator sets or moves the clock,
 * and then moves by as much: after a week that was skipped, the windows are new.
 */
export interface ServiceClock {
  /** The time of the season, which records and game weeks follow: ISO 8601 UTC with milliseconds. */
  now(): string;
  /** Milliseconds since the epoch, for windows and the Date header. */
  wallMs(): number;
  /** Moves both times so that the season's is `time` and does `work` then, in one transaction: when it throws, nothing has moved. */
  moveTo<T>(time: string, work: () => T): T;
  /** Sets both back to where a new service starts and does `work` then, likewise. */
  restart<T>(work: () => T): T;
}

/** What is added to real time. */
interface Offsets {
  readonly seasonMs: number;
  readonly wallMs: number;
}

/**
 * The clock of the service in `store`. A new one starts its season at `startAt`; one that has run before goes on from where it was. `now` sets the
 * season and the wall clock again, whatever was before.
 */
export function openServiceClock(
  store: Store,
  clock: Pick<Clock, 'now'>,
  startAt: string,
  now: string | undefined,
): ServiceClock {
  const start = (): Offsets => {
    const seasonMs = Date.parse(now ?? startAt) - clock.now();
    return { seasonMs, wallMs: now === undefined ? 0 : seasonMs };
  };
  let offsets = (now === undefined ? readOffsets(store) : undefined) ?? start();
  const set = (next: Offsets): void => {
    store.writeMeta('season_offset_ms', String(next.seasonMs));
    store.writeMeta('wall_offset_ms', String(next.wallMs));
    offsets = next;
  };
  set(offsets);
  const change = <T>(next: Offsets, work: () => T): T => {
    const before = offsets;
    try {
      return store.transaction(() => {
        set(next);
        return work();
      });
    } catch (cause) {
      offsets = before;
      throw cause;
    }
  };
  const seasonMs = (): number => clock.now() + offsets.seasonMs;
  return {
    now: () => new Date(seasonMs()).toISOString(),
    wallMs: () => clock.now() + offsets.wallMs,
    moveTo: (time, work) => {
      const byMs = Date.parse(time) - seasonMs();
      return change({ seasonMs: offsets.seasonMs + byMs, wallMs: offsets.wallMs + byMs }, work);
    },
    restart: (work) => change(start(), work),
  };
}

function readOffsets(store: Store): Offsets | undefined {
  const seasonMs = store.readMeta('season_offset_ms');
  if (seasonMs === undefined) return undefined;
  return { seasonMs: Number(seasonMs), wallMs: Number(store.readMeta('wall_offset_ms') ?? 0) };
}
