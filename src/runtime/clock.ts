import { setTimeout } from 'node:timers/promises';
import { ulid } from 'ulid';
import type { Clock, Random } from '../model/ports.ts';

/** Longest delay that a timer of Node takes; longer waits are several timers. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The real clock. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      for (let left = ms; left > 0; left -= LONGEST_TIMER_MS)
        await setTimeout(Math.min(left, LONGEST_TIMER_MS), undefined, { signal });
    } finally {
      // The timer rejects with an error of its own.
      signal?.throwIfAborted();
    }
  },
};

/** Real chance. */
export const realRandom: Random = { next: () => Math.random(), ulid: (nowMs) => ulid(nowMs) };
