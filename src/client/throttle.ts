import type { HttpResponse } from '../model/ports.ts';
import { parseTimeMs } from './server-time.ts';

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
export function throttleBackoffMs(streak: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** (streak - 1), LONGEST_BACKOFF_MS);
}
