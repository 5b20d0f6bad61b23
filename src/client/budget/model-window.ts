import { oldestOwn } from './own-requests.ts';
import {
  isTakenToSlide,
  resetMs,
  type ReadCost,
  type Reading,
  type ReportedState,
  type WindowState,
} from './rate-window.ts';
import type { LoggedRequest, RequestLog } from './request-log.ts';

/** When the service most likely saw a request of ours. */
function arrivalOf({ sentMs, answeredMs }: LoggedRequest): number {
  return (sentMs + (answeredMs ?? sentMs)) / 2;
}

/**
 * The offset of the service's clock that a window's reset implies: one that slides resets when its oldest request leaves it, and here that is ours. An empty
 * one counts from the account call that reports it. Undefined for any other window.
 */
export function impliedOffset(
  window: WindowState,
  log: RequestLog,
  accountCounts: boolean,
): number | undefined {
  const { lengthMs, resetServerMs } = window;
  if (resetServerMs === undefined || !isTakenToSlide(window)) return undefined;
  const oldest = oldestOwn(window, log, accountCounts);
  return oldest === undefined ? undefined : resetServerMs - lengthMs - arrivalOf(oldest);
}

/** One window of the service as a forecast imagines it: it counts what arrives, and reports it as the account does. */
export class ModelWindow {
  /** Its kind was not seen, and it is taken to slide. */
  readonly isGuess: boolean;
  readonly #slides: boolean;
  readonly #lengthMs: number;
  readonly #log: RequestLog;
  readonly #cost: ReadCost;
  /** The service's clock against ours; undefined where it does not tell, and a reset comes one window after the reading. */
  readonly #trueOffsetMs: number | undefined;
  /** Of a sliding window: what others had spent, and when that has left it. */
  readonly #foreign: number;
  readonly #foreignUntilMs: number;
  /** Of a fixed window. */
  #used: number;
  #endMs: number;

  constructor(window: WindowState, log: RequestLog, cost: ReadCost, trueOffsetMs: number | undefined) {
    const { kind, lengthMs, readAtMs, readEnd, resetServerMs } = window;
    this.#slides = isTakenToSlide(window);
    this.isGuess = this.#slides && kind === 'unknown';
    this.#lengthMs = lengthMs;
    this.#log = log;
    this.#cost = cost;
    this.#trueOffsetMs = trueOffsetMs;
    const used = window.used + this.#unlisted;
    this.#used = used + log.count((entry) => this.#isCounted(entry), readEnd);
    this.#endMs =
      resetServerMs === undefined || trueOffsetMs === undefined
        ? readAtMs + lengthMs
        : resetServerMs - trueOffsetMs;
    this.#foreign = Math.max(0, used - this.#trailing(readAtMs, readEnd));
    this.#foreignUntilMs = readAtMs + lengthMs;
  }

  /** Whether an account call is counted after it reported. */
  get #unlisted(): number {
    return this.#cost.listed === false && this.#cost.counted !== false ? 1 : 0;
  }

  /** How far back it must know our requests. */
  get remembersMs(): number {
    return this.#slides ? this.#lengthMs : 0;
  }

  count(atMs: number): void {
    this.#roll(atMs);
    this.#used += 1;
  }

  /** What the account call that was just counted shows of it. */
  report(previous: WindowState, reading: Reading): Omit<ReportedState, 'own'> {
    const atMs = arrivalOf(reading.call);
    this.#roll(atMs);
    const foreign = atMs < this.#foreignUntilMs ? this.#foreign : 0;
    const all = this.#slides ? foreign + this.#trailing(atMs, this.#log.end) : this.#used;
    const used = Math.max(0, all - this.#unlisted);
    const isPastReset = reading.sentMs >= resetMs(previous, reading.offset);
    const endMs = this.#slides ? this.#oldest(atMs) + this.#lengthMs : this.#endMs;
    return {
      name: previous.name,
      previous,
      limit: previous.limit,
      lengthMs: this.#lengthMs,
      used,
      remaining: Math.max(0, previous.limit - used),
      resetServerMs: previous.resetServerMs === undefined ? undefined : endMs + (this.#trueOffsetMs ?? 0),
      span: isPastReset ? 'reset' : 'same',
      kind: isPastReset ? this.#kindThen(previous.kind, used) : previous.kind,
    };
  }

  #kindThen(kind: WindowState['kind'], used: number): WindowState['kind'] {
    if (!this.#slides) return 'fixed';
    return used > 1 ? 'sliding' : kind;
  }

  #roll(atMs: number): void {
    if (atMs < this.#endMs) return;
    this.#endMs += (Math.floor((atMs - this.#endMs) / this.#lengthMs) + 1) * this.#lengthMs;
    this.#used = 0;
  }

  #isCounted({ readsAccount }: LoggedRequest): boolean {
    return !readsAccount || this.#cost.counted !== false;
  }

  /** Our own requests, up to an entry of the log, that stand in the trailing window. */
  #trailing(atMs: number, end: number): number {
    const from = this.#log.firstSentAfter(atMs - 2 * this.#lengthMs);
    const isIn = (entry: LoggedRequest): boolean =>
      this.#isCounted(entry) && arrivalOf(entry) > atMs - this.#lengthMs;
    return this.#log.count(isIn, from) - this.#log.count(isIn, end);
  }

  #oldest(atMs: number): number {
    for (let at = this.#log.firstSentAfter(atMs - 2 * this.#lengthMs); at < this.#log.end; at += 1) {
      const entry = this.#log.at(at);
      if (entry !== undefined && this.#isCounted(entry) && arrivalOf(entry) > atMs - this.#lengthMs)
        return arrivalOf(entry);
    }
    return atMs;
  }
}
