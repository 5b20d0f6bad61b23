import type { HttpRequest, HttpResponse } from '../../model/ports.ts';
import { GUARD_MS } from './rate-window.ts';
import { parseTimeMs } from '../../model/time/service-time.ts';

const LONGEST_MS = 86_400_000;
const FIRST_BACKOFF_MS = 60_000;
const LONGEST_BACKOFF_MS = 900_000;

/**
 * How long an answer's Retry-After asks us to wait: seconds, or a date against the answer's own Date header (`nowMs`, wall-clock time, without one).
 * At most a day; undefined when it is absent, garbage, zero or past.
 */
export function retryAfterMs(response: HttpResponse, nowMs: number): number | undefined {
  const text = response.headers['retry-after']?.trim() ?? '';
  const serverMs = parseTimeMs(response.headers['date'] ?? '');
  const ms = /^-?\d+(\.\d+)?$/.test(text)
    ? Number(text) * 1000
    : parseTimeMs(text) - (Number.isNaN(serverMs) ? nowMs : serverMs);
  return ms > 0 ? Math.min(ms, LONGEST_MS) : undefined;
}

/** The wait after the `streak`-th refusal in a row when nothing says how long: 60 s, doubling to 15 min. */
function throttleBackoffMs(streak: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** (streak - 1), LONGEST_BACKOFF_MS);
}

/** After this many refusals in a row, each after a full wait, waiting is given up. */
const MOST_THROTTLES = 5;

/** What 429s ask for: nothing is sent before `untilMs`. Several answers to one burst are one refusal. Times are of the monotonic clock. */
export class Throttle {
  #untilMs = 0;
  /** When the latest refusal came. */
  #sinceMs = -1;
  #streak = 0;
  /** The 429 that requests were answered with; a request is the same object whenever it goes again. */
  readonly #refusals = new WeakMap<HttpRequest, HttpResponse>();

  get untilMs(): number {
    return this.#untilMs;
  }

  get isForGood(): boolean {
    return this.#streak > MOST_THROTTLES;
  }

  refusalOf(request: HttpRequest): HttpResponse | undefined {
    return this.#refusals.get(request);
  }

  /** Whether a refusal of what was sent then is a new one, and no other answer to a burst that was refused. */
  isNew(sentMs: number): boolean {
    return sentMs >= this.#sinceMs;
  }

  passed(sentMs: number): void {
    if (this.isNew(sentMs)) this.#streak = 0;
  }

  /** Stops until the service has surely room again: the later of what it asks for and the reset of its window; longer each time that did not help. */
  refused(
    request: HttpRequest,
    response: HttpResponse,
    sentMs: number,
    { nowMs, wallMs, resetMs }: { readonly nowMs: number; readonly wallMs: number; readonly resetMs: number },
  ): void {
    this.#refusals.set(request, response);
    if (this.isNew(sentMs)) {
      this.#streak += 1;
      this.#sinceMs = nowMs;
    }
    const hintMs = retryAfterMs(response, wallMs);
    const unhelped = hintMs === undefined && resetMs <= nowMs;
    const streak = unhelped ? this.#streak : this.#streak - 1;
    this.#untilMs = Math.max(
      this.#untilMs,
      nowMs + (hintMs ?? 0) + GUARD_MS,
      resetMs,
      streak > 0 ? nowMs + throttleBackoffMs(streak) : 0,
    );
  }
}
