import type { Emit } from '../../../model/event.ts';
import type { Clock, Random } from '../../../model/ports.ts';
import { isThrottled } from './google-error.ts';
import { faultIn, type Fault } from './wire.ts';

/** Most tries of one call. Six pauses last longer than the minute that Google counts requests in; a failure that stays is told sooner. */
const TRIES = { throttled: 7, failed: 5 } as const;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 64_000;
/** Added at random, so that programs that were refused together do not come back together. */
const JITTER_MS = 1_000;
const LONGEST_HINT_MS = 300_000;

export interface BackoffOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  readonly signal: AbortSignal;
  /** `budget.max_wait`: the longest that the pauses of one call may last together. */
  readonly maxWaitMs: number;
}

/** What pauses came to so far. */
export interface Pauses {
  throttled: number;
  waitedMs: number;
}

/**
 * Repeats a call with truncated exponential backoff and jitter (pauses of 1, 2, 4 … 64 s and up to 1 s more; a longer Retry-After wins, up to five
 * minutes) while `mayRepeat` allows it, at most 7 times after refusals for the quota and 5 times otherwise. What the last try threw is thrown.
 */
export async function withBackoff<T>(
  operation: string,
  attempt: () => Promise<T>,
  mayRepeat: (fault: Fault) => boolean,
  { clock, random, emit, signal, maxWaitMs }: BackoffOptions,
  pauses: Pauses,
): Promise<T> {
  let leftMs = maxWaitMs;
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      const fault = faultIn(error);
      if (fault === undefined) throw error;
      const throttled = isThrottled(fault);
      if (throttled) pauses.throttled += 1;
      const waitMs = waitBefore(tries, fault, random);
      if (tries >= TRIES[throttled ? 'throttled' : 'failed'] || waitMs > leftMs || !mayRepeat(fault))
        throw error;
      const reason = throttled ? 'Google Sheets allows 60 reads and 60 writes a minute' : reasonOf(fault);
      emit(
        throttled
          ? { kind: 'pause', seconds: waitMs / 1000, untilMs: clock.now() + waitMs, reason }
          : { kind: 'retry', operation, attempt: tries, waitMs, reason },
      );
      await clock.sleep(waitMs, signal);
      leftMs -= waitMs;
      pauses.waitedMs += waitMs;
    }
  }
}

function waitBefore(tries: number, fault: Fault, random: Random): number {
  const jitterMs = Math.round(JITTER_MS * random.next());
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS) + jitterMs;
  const hintMs = fault.kind === 'answer' ? Math.min(fault.retryAfterMs ?? 0, LONGEST_HINT_MS) : 0;
  return Math.max(waitMs, hintMs);
}

function reasonOf(fault: Fault): string {
  return fault.kind === 'answer' ? `Google answered ${fault.status}` : fault.reason;
}

const PASSING: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** Whether a call without lasting effect is worth another try: after a passing failure, a broken connection, or an answer that is not whole. */
export function mayRepeatRead(fault: Fault): boolean {
  if (fault.kind === 'network') return fault.fault !== 'certificate';
  return (
    isThrottled(fault) || PASSING.has(fault.status) || (fault.status === 200 && /^\s*\{/.test(fault.text))
  );
}

/** Whether a write surely did nothing and is worth another try: refused for the quota, never sent, or stopped while it asked for a token. */
export function mayRepeatWrite(fault: Fault): boolean {
  if (fault.door === 'token') return mayRepeatRead(fault);
  return fault.kind === 'network' ? !fault.sent && fault.fault !== 'certificate' : isThrottled(fault);
}
