import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../src/model/ports.ts';
import { virtualClock } from './clock.ts';

/** A clock that moves on only while nobody is busy, so that no time-out of a request passes while its answer is made. */
export interface PatientClock extends Clock {
  /** Does the work, moving time from sleeper to sleeper whenever the work waits for nothing else. */
  readonly drive: <T>(work: Promise<T>) => Promise<T>;
  /** Lets time go by while nobody waits. */
  readonly pass: (ms: number) => void;
}

/** Turns of the event loop without an answer under way after which whoever sleeps is what the work waits for. */
const QUIET_TURNS = 20;

export function patientClock(startMs: number, isBusy: () => boolean): PatientClock {
  const clock = virtualClock(startMs);
  const wakesAt: number[] = [];
  let passedMs = 0;
  return {
    // As the wall clock of a machine, in whole milliseconds.
    now: () => Math.floor(clock.now() + passedMs),
    monotonic: () => clock.monotonic() + passedMs,
    pass: (ms) => {
      passedMs += ms;
    },
    sleep: async (ms, signal) => {
      const wake = clock.monotonic() + ms;
      wakesAt.push(wake);
      try {
        await clock.sleep(ms, signal);
      } finally {
        wakesAt.splice(wakesAt.indexOf(wake), 1);
      }
    },
    drive: async (work) => {
      const progress = { done: false };
      const outcome = work.finally(() => {
        progress.done = true;
      });
      outcome.catch(() => undefined);
      for (let quiet = 0; !progress.done;) {
        await turn();
        quiet = isBusy() ? 0 : quiet + 1;
        if (quiet < QUIET_TURNS || wakesAt.length === 0) continue;
        await clock.advance(Math.max(0, Math.min(...wakesAt) - clock.monotonic()));
        quiet = QUIET_TURNS - 2;
      }
      return outcome;
    },
  };
}
