import { ulid } from 'ulid';
import type { Clock, Random } from '../model/ports.ts';

/** Longest delay that a timer of Node takes; longer waits are several timers. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The real clock. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    for (let left = ms; left > 0; left -= LONGEST_TIMER_MS)
      await wait(Math.min(left, LONGEST_TIMER_MS), signal);
    signal?.throwIfAborted();
  },
};

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      // The reason of an aborted signal is whatever its owner gave, here always an error.
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Real chance. */
export const realRandom: Random = { next: () => Math.random(), ulid: (nowMs) => ulid(nowMs) };
