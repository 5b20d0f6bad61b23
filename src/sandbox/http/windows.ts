import type { Settings } from '../switches.ts';

/** Counts the requests of one window of time. Times are milliseconds since the epoch. */
export interface RateWindow {
  readonly limit: number;
  /** How the account names it. */
  readonly text: string;
  /** Requests in the window that holds `nowMs`. */
  used(nowMs: number): number;
  count(nowMs: number): void;
  /** When the window, or a place in it, is free again. */
  resetMs(nowMs: number): number;
  clear(): void;
  /** What {@link WindowOptions.kept} takes at the next start. */
  keep(): unknown;
}

interface WindowOptions {
  readonly limit: number;
  readonly lengthMs: number;
  readonly text: string;
  /** What `keep` of such a window answered; undefined for a new one. */
  readonly kept: unknown;
}

/** A window of the kind that the settings ask for. */
export function openWindow(kind: Settings['windows'], options: WindowOptions): RateWindow {
  return kind === 'fixed' ? fixedWindow(options) : slidingWindow(options);
}

/** Makes methods of a window that begin by moving it on to `nowMs`. */
const after =
  (roll: (nowMs: number) => void) =>
  <T>(work: (nowMs: number) => T) =>
  (nowMs: number): T => {
    roll(nowMs);
    return work(nowMs);
  };

/** Whole lengths since the epoch, so that a day ends at midnight UTC. */
function fixedWindow({ limit, lengthMs, text, kept }: WindowOptions): RateWindow {
  let [startMs, used] = isPair(kept) ? kept : [0, 0];
  const rolled = after((nowMs) => {
    const begins = nowMs - (nowMs % lengthMs);
    if (begins === startMs) return;
    startMs = begins;
    used = 0;
  });
  return {
    limit,
    text,
    used: rolled(() => used),
    count: rolled(() => {
      used += 1;
    }),
    resetMs: rolled(() => startMs + lengthMs),
    clear: () => {
      used = 0;
    },
    keep: () => [startMs, used],
  };
}

/** The last `lengthMs` before each moment. */
function slidingWindow({ limit, lengthMs, text, kept }: WindowOptions): RateWindow {
  let times: number[] = isTimes(kept) ? [...kept.times] : [];
  // Times before this place have left the window; they are cut off now and then, not each time.
  let first = 0;
  const rolled = after((nowMs) => {
    // The clock was set back: what comes later has not happened.
    if ((times.at(-1) ?? nowMs) > nowMs) times = times.filter((time) => time <= nowMs);
    while (first < times.length && (times[first] ?? 0) <= nowMs - lengthMs) first += 1;
    if (first < 1_000) return;
    times = times.slice(first);
    first = 0;
  });
  return {
    limit,
    text,
    used: rolled(() => times.length - first),
    count: rolled((nowMs) => {
      times.push(nowMs);
    }),
    resetMs: rolled((nowMs) => (times[Math.max(first, times.length - limit)] ?? nowMs) + lengthMs),
    clear: () => {
      times = [];
      first = 0;
    },
    keep: () => ({ times: times.slice(first) }),
  };
}

/** Either kind may have written what the other finds. */
function isPair(kept: unknown): kept is readonly [number, number] {
  return Array.isArray(kept) && kept.length === 2;
}

function isTimes(kept: unknown): kept is { readonly times: readonly number[] } {
  return typeof kept === 'object' && kept !== null && 'times' in kept;
}
