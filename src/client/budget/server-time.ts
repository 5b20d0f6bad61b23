import { parseTimeMs } from '../../model/time/service-time.ts';

/** What the service's clock shows minus what our monotonic clock shows: somewhere from `lowMs` to `highMs`. */
export interface Offset {
  readonly lowMs: number;
  readonly highMs: number;
}

/** Servers refresh their Date header by a timer, so a header may be a little older than its second. */
const STALE_HEADER_MS = 100;
/** A Date header names a whole second. */
const HEADER_STEP_MS = 1000;

/**
 * Narrows the offset by one answer: its Date header was written at some moment between sending and receiving. An answer that contradicts what was
 * known (a clock was set, another machine answered) starts again from itself.
 */
export function narrowOffset(
  known: Offset | undefined,
  dateHeader: string | undefined,
  sentMs: number,
  receivedMs: number,
): Offset | undefined {
  const dateMs = dateHeader === undefined ? Number.NaN : parseTimeMs(dateHeader);
  return Number.isNaN(dateMs) ? known : narrowByDate(known, dateMs, sentMs, receivedMs);
}

function narrowByDate(known: Offset | undefined, dateMs: number, sentMs: number, receivedMs: number): Offset {
  const seen = { lowMs: dateMs - receivedMs, highMs: dateMs + HEADER_STEP_MS + STALE_HEADER_MS - sentMs };
  if (known === undefined) return seen;
  const lowMs = Math.max(known.lowMs, seen.lowMs);
  const highMs = Math.min(known.highMs, seen.highMs);
  return lowMs <= highMs ? { lowMs, highMs } : seen;
}

/** The likeliest offset. */
export function middleOf({ lowMs, highMs }: Offset): number {
  return (lowMs + highMs - STALE_HEADER_MS) / 2;
}

/** What an answer will teach if the offset is `trueMs` and the service answers in the middle of the request's time. */
export function narrowedThen(known: Offset, trueMs: number, sentMs: number, receivedMs: number): Offset {
  const atMs = (sentMs + receivedMs) / 2 + trueMs;
  return narrowByDate(
    known,
    atMs - (((atMs % HEADER_STEP_MS) + HEADER_STEP_MS) % HEADER_STEP_MS),
    sentMs,
    receivedMs,
  );
}

/** Closer than this the offset need not be known. */
const PRECISE_MS = 40;

/**
 * When, on our monotonic clock, a request halves what is not known of the offset: a Date header names whole seconds, so one that is written where a
 * second may begin tells on which side it began. Undefined once the offset is known as closely as the time of a request allows.
 */
export function nextTickMs(offset: Offset, nowMs: number, latencyMs: number): number | undefined {
  const highMs = offset.highMs - STALE_HEADER_MS;
  if (highMs - offset.lowMs < PRECISE_MS + latencyMs) return undefined;
  // It arrives half-way between being sent and its answer, so that either answer teaches as much.
  const aheadMs = middleOf(offset) + latencyMs / 2;
  return Math.ceil((nowMs + aheadMs) / HEADER_STEP_MS) * HEADER_STEP_MS - aheadMs;
}
