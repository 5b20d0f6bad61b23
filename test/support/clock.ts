import { setImmediate as settle } from 'node:timers/promises';
import type { Clock } from '../../src/model/ports.ts';

interface Sleeper {
  readonly atMs: number;
  wake(): void;
}

/** A clock that moves only when a test drives it. */
export interface VirtualClock extends Clock {
  /** Moves time on, waking sleepers in order; everything that they set off is done before the next one wakes. */
  advance(ms: number): Promise<void>;
  /** Moves time from sleeper to sleeper until the work is done. Fails when it waits for something that is not this clock. */
  run<T>(work: Promise<T>): Promise<T>;
  /** Sets wall-clock time back or forward; the monotonic clock does not notice. */
  jump(ms: number): void;
}

/** A virtual clock whose wall-clock time starts at `startMs` and whose monotonic time starts at 1,000. */
export function virtualClock(startMs = Date.parse('2026-11-20T10:00:00.000Z')): VirtualClock {
  let elapsedMs = 0;
  let jumpedMs = 0;
  let sleepers: readonly Sleeper[] = [];
  const monotonic = (): number => 1000 + elapsedMs;

  const wakeNext = (beforeMs: number): boolean => {
    const next = sleepers.reduce<Sleeper | undefined>(
      (first, sleeper) => (first === undefined || sleeper.atMs < first.atMs ? sleeper : first),
      undefined,
    );
    if (next === undefined || next.atMs > beforeMs) return false;
    sleepers = sleepers.filter((sleeper) => sleeper !== next);
    elapsedMs = Math.max(elapsedMs, next.atMs - 1000);
    next.wake();
    return true;
  };

  return {
    now: () => startMs + elapsedMs + jumpedMs,
    monotonic,
    sleep: (ms, signal) =>
      new Promise<void>((resolve, reject) => {
        const fail = (): void => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          reject(signal?.reason as Error);
        };
        const sleeper: Sleeper = {
          atMs: monotonic() + ms,
          wake: () => {
            signal?.removeEventListener('abort', fail);
            resolve();
          },
        };
        if (signal?.aborted === true) {
          fail();
          return;
        }
        signal?.addEventListener('abort', fail, { once: true });
        sleepers = [...sleepers, sleeper];
      }),
    advance: async (ms) => {
      const untilMs = monotonic() + ms;
      do await settle();
      while (wakeNext(untilMs));
      elapsedMs = untilMs - 1000;
    },
    run: async (work) => {
      const progress = { done: false };
      const outcome = work.finally(() => {
        progress.done = true;
      });
      outcome.catch(() => undefined);
      for (;;) {
        await settle();
        if (progress.done) return outcome;
        if (!wakeNext(Infinity)) throw new Error('the work waits for something that is not the clock');
      }
    },
    jump: (ms) => {
      jumpedMs += ms;
    },
  };
}
