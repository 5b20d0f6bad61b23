import type { ReadCost, Reading, WindowState } from './rate-window.ts';
import type { LoggedRequest, RequestLog } from './request-log.ts';

/** Added where our own clock alone tells when a request leaves a window, for timers that run a little fast. */
export const SLIDE_GUARD_MS = 10;

/** When a window resets by our own clock. */
export interface OwnReset {
  readonly earliestMs: number;
  readonly latestMs: number;
}

/**
 * The first of our requests that gives room back when it leaves a sliding window: those sent less than a window before the answer are surely in
 * `used`. Of those that may have left it just before, as many are as `used` has left over, and whichever they are, the last of them leave last.
 */
export function creditAfter(
  lengthMs: number,
  used: number,
  cost: ReadCost,
  { call, ...reading }: Reading,
): number {
  const { log, sentMs, answeredMs } = reading;
  const sure = log.firstSentAfter(answeredMs - lengthMs);
  const isIn = (entry: LoggedRequest): boolean =>
    entry.readsAccount ? cost.counted !== false && (entry !== call || cost.listed !== false) : true;
  let [left, from] = [used - log.count(isIn, sure), sure];
  for (let at = sure - 1; left > 0; at -= 1) {
    const entry = log.at(at);
    // More than all of ours: somebody else's stand in the window, and nothing is sure.
    if (entry === undefined || (entry.answeredMs ?? answeredMs) <= sentMs - lengthMs) return sure;
    if (!isIn(entry)) continue;
    left -= 1;
    from = at;
  }
  return from;
}

/** A reset that is rounded to this says too little of when its window began. */
const ROUND_MS = 1000;
/** The service's clock tells which request a window began with only where what is not known of it is small beside the window. */
const LEAST_LENGTHS = 20;

/**
 * A window resets its length after its first request, whether it slides or began with that one, and where this is ours, our own clock knows the time
 * better than the service's Date header tells it. One that stands on the clock began without us.
 */
export function ownResetOf(
  window: Omit<WindowState, 'ownReset'>,
  cost: ReadCost,
  { log, offset, answeredMs }: Reading,
): OwnReset | undefined {
  const { kind, byTheClock, lengthMs, resetServerMs = 0 } = window;
  if (kind !== 'unknown' || byTheClock || resetServerMs % ROUND_MS === 0 || offset === undefined)
    return undefined;
  const { lowMs, highMs } = offset;
  const first = oldestOwn(window, log, cost.counted !== false);
  if ((highMs - lowMs) * LEAST_LENGTHS > lengthMs || first === undefined || first.answeredMs === null)
    return undefined;
  const beganMs = resetServerMs - lengthMs;
  const isOurs = beganMs - first.sentMs >= lowMs && beganMs - first.answeredMs <= highMs;
  const latestMs = first.answeredMs + lengthMs + SLIDE_GUARD_MS;
  // A reading after that time says that it was not so.
  return isOurs && latestMs > answeredMs ? { earliestMs: first.sentMs + lengthMs, latestMs } : undefined;
}

/** The request that a window began with, where all that stands in it is ours: an account call, if it is empty. */
export function oldestOwn(
  { lengthMs, used, readAtMs, readEnd }: Pick<WindowState, 'lengthMs' | 'used' | 'readAtMs' | 'readEnd'>,
  log: RequestLog,
  accountCounts: boolean,
): LoggedRequest | undefined {
  const own: LoggedRequest[] = [];
  // The account call that reports may be in what it reports or not.
  for (let at = log.firstSentAfter(readAtMs - lengthMs); at < readEnd - 1; at += 1) {
    const entry = log.at(at);
    if (entry !== undefined && (accountCounts || !entry.readsAccount)) own.push(entry);
  }
  const isOurs = own.length === used || (accountCounts && own.length === used - 1);
  return isOurs ? (own[0] ?? log.at(readEnd - 1)) : undefined;
}
