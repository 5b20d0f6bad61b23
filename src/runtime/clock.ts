import { ulid } from 'ulid';
import type { Clock, Random } from '../model/ports.ts';

/** Longest delay that a timer of Node takes; longer waits are several timers. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Resolves after some time, or once the signal is aborted: the timers of Node would make an error with a stack for each that is cut short. */
const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });

/** The real clock. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    signal?.throwIfAborted();
    for (let left = ms; left > 0; left -= LONGEST_TIMER_MS) {
      await pause(Math.min(left, LONGEST_TIMER_MS), signal);
      signal?.throwIfAborted();
    }
  },
};

/** Real chance. */
export const realRandom: Random = { next: () => Math.random(), ulid: (nowMs) => ulid(nowMs) };
