import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../model/ports.ts';
import type { Store } from './store/store.ts';

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
 * The time of a service: of its season, its rate windows, its Date header and whatever it writes. It runs at the speed of real time, and moves when its
 * operator moves it: after a week that was skipped, the windows are new.
 */
export interface ServiceClock {
  /** ISO 8601 UTC with milliseconds. */
  now(): string;
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Moves the time to `time` and does `work` then, in one transaction: when it throws, nothing has moved. */
  moveTo<T>(time: string, work: () => T): T;
  /** Sets it back to where a new service starts and does `work` then, likewise. */
  restart<T>(work: () => T): T;
}

/** The clock of the service in `store`. A new one starts at `startAt`; one that has run before goes on from where it was. `now` sets it again, whatever was before. */
export function openServiceClock(
  store: Store,
  clock: Pick<Clock, 'now'>,
  startAt: string,
  now: string | undefined,
): ServiceClock {
  const startMs = (): number => Date.parse(now ?? startAt) - clock.now();
  const keptMs = now === undefined ? store.readMeta('season_offset_ms') : undefined;
  /** What is added to real time. */
  let offsetMs = keptMs === undefined ? startMs() : Number(keptMs);
  const set = (nextMs: number): void => {
    store.writeMeta('season_offset_ms', String(nextMs));
    offsetMs = nextMs;
  };
  set(offsetMs);
  const change = <T>(nextMs: number, work: () => T): T => {
    const beforeMs = offsetMs;
    try {
      return store.transaction(() => {
        set(nextMs);
        return work();
      });
    } catch (cause) {
      offsetMs = beforeMs;
      throw cause;
    }
  };
  const nowMs = (): number => clock.now() + offsetMs;
  return {
    now: () => new Date(nowMs()).toISOString(),
    nowMs,
    moveTo: (time, work) => change(offsetMs + Date.parse(time) - nowMs(), work),
    restart: (work) => change(startMs(), work),
  };
}
