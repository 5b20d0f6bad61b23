import pRetry from 'p-retry';
import type { Emit } from '../model/event.ts';
import type { Clock, HttpRequest, HttpResponse, Random, Wrap } from '../model/ports.ts';
import { classify, type Verdict } from './classify.ts';
import { retryAfterMs } from './budget/throttle.ts';
import { TransportError } from './transport-error.ts';

const ATTEMPTS = 4;
const FIRST_WAIT_MS = 500;
const LONGEST_HINT_MS = 60_000;

/** Carries an attempt that may be repeated through p-retry, which repeats on errors only. */
class Repeatable extends Error {
  readonly answer: HttpResponse | TransportError;
  readonly verdict: Verdict;
  constructor(answer: HttpResponse | TransportError, verdict: Verdict) {
    super('repeatable');
    this.answer = answer;
    this.verdict = verdict;
  }
}

/** What the retry needs; `throttles` is how often a call may go again after a 429, once the budget has waited. */
export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  readonly throttles: number;
}

/** `GET /base/v1/user`: what a request is called in events; never holds the key or the query. */
function nameOf(request: HttpRequest): string {
  return `${request.method} ${new URL(request.url).pathname}`;
}

/**
 * Repeats a read that got no usable answer, a request that surely was not applied, and a throttled one; 4 attempts with exponential backoff and
 * jitter on the clock port. A throttled request does not wait here: the budget below holds everything back. What the last attempt brought is
 * returned or thrown as it is.
 */
export function retry({ clock, random, emit, throttles }: RetryOptions): Wrap {
  return (next) => async (request) => {
    let throttled = 0;
    const attempt = async (): Promise<HttpResponse> => {
      const answer = await next(request).catch((error: unknown) => {
        if (error instanceof TransportError) return error;
        throw error;
      });
      const verdict = classify(request.method, answer);
      if (verdict.kind === 'retry' || verdict.kind === 'not_applied' || verdict.kind === 'throttled') {
        throw new Repeatable(answer, verdict);
      }
      if (answer instanceof TransportError) throw answer;
      return answer;
    };
    const waitBefore = async ({ answer, verdict }: Repeatable, failures: number): Promise<void> => {
      const hintMs =
        answer instanceof TransportError
          ? 0
          : Math.min(retryAfterMs(answer, clock.now()) ?? 0, LONGEST_HINT_MS);
      const waitMs = Math.max(hintMs, Math.round(FIRST_WAIT_MS * 2 ** failures * (0.5 + random.next())));
      const reason = 'reason' in verdict ? verdict.reason : '';
      emit({ kind: 'retry', operation: nameOf(request), attempt: failures + 1, waitMs, reason });
      await clock.sleep(waitMs, request.signal);
    };
    try {
      return await pRetry(attempt, {
        retries: ATTEMPTS - 1,
        minTimeout: 0,
        shouldConsumeRetry: ({ error }) =>
          !(error instanceof Repeatable && error.verdict.kind === 'throttled'),
        shouldRetry: async ({ error, retriesConsumed }) => {
          if (!(error instanceof Repeatable)) return false;
          if (error.verdict.kind === 'throttled') return (throttled += 1) <= throttles;
          await waitBefore(error, retriesConsumed);
          return true;
        },
      });
    } catch (error) {
      if (!(error instanceof Repeatable)) throw error;
      if (error.answer instanceof TransportError) throw error.answer;
      return error.answer;
    }
  };
}
