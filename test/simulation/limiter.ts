import type { Limits } from './habits.ts';

const DAY_MS = 86_400_000;

/** Counts the requests of one key in two windows, on the service's own clock. */
export class Limiter {
  #limits: Limits;
  readonly #arrivals: number[] = [];
  #forgotten = 0;

  constructor(limits: Limits, nowMs: number) {
    this.#limits = limits;
    for (let spent = 0; spent < limits.spentBefore; spent += 1) this.#arrivals.push(nowMs);
  }

  /** From now on a day has room for all that a few runs ask for. */
  enlargeDay(): void {
    this.#limits = { ...this.#limits, perDay: 100_000 };
  }

  /** Counts a request that arrives now; the length of the shortest window that is full, where one is, and then it counts nothing. */
  admit(nowMs: number): number | undefined {
    const full = this.#windows(nowMs).find(({ used, limit }) => used >= limit);
    if (full === undefined) this.#arrivals.push(nowMs);
    return full?.lengthMs;
  }

  /** Both windows as the account reports them. */
  report(nowMs: number): Readonly<Record<string, unknown>> {
    const [minute, day] = this.#windows(nowMs).map(({ limit, used, resetMs, lengthMs, text }) => ({
      limit,
      window: text ?? `${lengthMs / 1000}s`,
      used,
      remaining: limit - used,
      reset_at: new Date(resetMs).toISOString(),
    }));
    return { per_minute: minute, per_day: day };
  }

  #windows(nowMs: number) {
    const { perMinute, perDay, minuteMs, text } = this.#limits;
    return [
      { limit: perMinute, ...this.#used(nowMs, minuteMs), lengthMs: minuteMs, text },
      { limit: perDay, ...this.#used(nowMs, DAY_MS), lengthMs: DAY_MS, text: undefined },
    ];
  }

  #used(nowMs: number, lengthMs: number): { readonly used: number; readonly resetMs: number } {
    const fixed = this.#limits.kind === 'fixed';
    const beganMs = Math.floor(nowMs / lengthMs) * lengthMs;
    const inside = (atMs: number): boolean => (fixed ? atMs >= beganMs : atMs > nowMs - lengthMs);
    while ((this.#arrivals[this.#forgotten] ?? nowMs) < nowMs - 2 * DAY_MS) this.#forgotten += 1;
    let used = 0;
    let at = this.#arrivals.length - 1;
    for (; at >= this.#forgotten && inside(this.#arrivals[at] ?? 0); at -= 1) used += 1;
    const oldest = this.#arrivals[at + 1] ?? nowMs;
    return { used, resetMs: fixed ? beganMs + lengthMs : oldest + lengthMs };
  }
}
