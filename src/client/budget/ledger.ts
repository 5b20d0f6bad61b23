import type { Account } from '../../contract/resources/account.ts';
import { RATE_WINDOWS, type RateWindow, type RateWindowName } from '../../model/budget.ts';
import type { Clock } from '../../model/ports.ts';
import type { KnownWindow, OthersRequest } from '../../model/state/shared-budget.ts';
import {
  creditExpired,
  earliestStartMs,
  earliestRereadMs,
  examineWindow,
  isResetMapped,
  learnCost,
  readingDueMs,
  resetMs,
  spentByOthers,
  tickBeforePause,
  viewOf,
  windowAfter,
  type ReadCost,
  type WindowState,
} from './rate-window.ts';
import { SLIDE_GUARD_MS } from './own-requests.ts';
import { RequestLog, type LoggedRequest } from './request-log.ts';
import { narrowOffset, nextTickMs, type Offset } from './server-time.ts';

/** The latest requests that say how long one takes. */
const LATENCY_SAMPLES = 21;

/** Windows that are longer are told apart by what the account reports alone. */
const LONGEST_MS = 150_000;

/** What our own requests and the account's answers say of the windows of one key: it counts, and waits for nothing. */
export class Ledger {
  readonly #clock: Clock;
  readonly #reserves: Readonly<Record<RateWindowName, number>>;
  readonly #log = new RequestLog();
  #windows: readonly WindowState[] = [];
  #cost: ReadCost = {};
  #offset: Offset | undefined;
  /** Readings in a row that left no room. */
  #emptyReadings = 0;
  /** The first request sets up the connection, so it says little of the others. */
  #firstSentMs = Infinity;
  /** Requests of other processes that were under way at the last look, by their numbers in the state. */
  readonly #others = new Map<number, LoggedRequest>();

  constructor(clock: Clock, reserves: Readonly<Record<RateWindowName, number>>) {
    this.#clock = clock;
    this.#reserves = reserves;
  }

  get windows(): readonly WindowState[] {
    return this.#windows;
  }

  get cost(): ReadCost {
    return this.#cost;
  }

  get offset(): Offset | undefined {
    return this.#offset;
  }

  /** A log of its own for a forecast. */
  logAt(nowMs: number): RequestLog {
    return this.#log.copy(nowMs + this.latencyMs());
  }

  views(nowMs: number): readonly RateWindow[] {
    this.#windows = this.#windows.map((window) => creditExpired(window, this.#log, this.#cost, nowMs));
    return this.#windows.map((window) => viewOf(window, this.#log, this.#offset, nowMs));
  }

  /** When the account is to be read although there is room. */
  readingDueMs(): number {
    return readingDueMs(this.#windows);
  }

  earliestRereadMs(waited: RateWindowName): number {
    return earliestRereadMs(this.#windows, this.#emptyReadings, waited, this.#log);
  }

  tickBeforePause(nowMs: number): number | undefined {
    return tickBeforePause(this.#windows, this.#offset, nowMs, this.latencyMs());
  }

  /** When a request tells most of the service's clock; undefined where no pause ends by it, or it is known closely. */
  nextTickMs(nowMs: number): number | undefined {
    return this.#offset && this.#windows.some(isResetMapped)
      ? nextTickMs(this.#offset, nowMs, this.latencyMs())
      : undefined;
  }

  /** When the window resets that has least room by our own count, which is the likeliest to be full; 0 when none is known. */
  likeliestResetMs(): number {
    const [window] = this.#windows.toSorted((a, b) => a.room - b.room);
    return window === undefined ? 0 : resetMs(window, this.#offset);
  }

  begin(readsAccount: boolean): LoggedRequest {
    const nowMs = this.#clock.monotonic();
    this.#firstSentMs = Math.min(this.#firstSentMs, nowMs);
    if (!readsAccount) this.#windows = this.#windows.map((window) => ({ ...window, room: window.room - 1 }));
    return this.#log.add(nowMs, readsAccount);
  }

  /**
   * Counts what other processes did, as a look showed it that was asked for at one time and answered by another: sent no earlier than it may have been, answered
   * no earlier than it can have been.
   */
  takeOthers(requests: readonly OthersRequest[], askedMs: number, seenMs: number): void {
    for (const { number, readsAccount, enteredAgoMs, answeredAgoMs, doubtful } of requests) {
      const known = this.#others.get(number);
      const entry = known ?? this.#log.addOthers(askedMs - enteredAgoMs, readsAccount);
      if (known === undefined && this.#isCounted(entry))
        this.#windows = this.#windows.map((window) => ({ ...window, room: window.room - 1 }));
      entry.doubtful = doubtful;
      if (answeredAgoMs === null) this.#others.set(number, entry);
      else {
        entry.answeredMs = seenMs - answeredAgoMs;
        this.#others.delete(number);
      }
    }
  }

  othersUnderWay(): readonly number[] {
    return [...this.#others.keys()];
  }

  /** What was under way, under another name or before a long sleep, is not followed any more; it counts as answered now. */
  forgetOthers(): void {
    for (const entry of this.#others.values()) entry.answeredMs = this.#clock.monotonic();
    this.#others.clear();
  }

  /**
   * When a reading of the account has room and leaves some for a request, by what is known of those in the windows; undefined where it has that now. `told`: the windows as others know
   * them, where this process has read none.
   */
  readableMs(told: readonly KnownWindow[], nowMs: number): number | undefined {
    const log = this.#log.answeredAfter(nowMs - LONGEST_MS).filter((entry) => this.#isCounted(entry));
    const windows: readonly (KnownWindow | WindowState)[] = this.#windows.length === 0 ? told : this.#windows;
    for (const window of windows) {
      const { limit, lengthMs } = window;
      if (lengthMs > LONGEST_MS) continue;
      const fromMs = 'kind' in window ? earliestStartMs(window, this.#offset, nowMs) : -Infinity;
      // Of the window that was read last, its room tells; a call that costs nothing needs none.
      if ('kind' in window && fromMs === Infinity && window.room <= 0 && this.#cost.counted !== false)
        return resetMs(window, this.#offset);
      // A window of any kind holds no more than what was answered within its length, and one that is reset as a whole nothing from before that.
      const sinceMs = Math.max(fromMs, nowMs - lengthMs - SLIDE_GUARD_MS);
      const last = log
        .filter(({ answeredMs }) => (answeredMs ?? Infinity) > sinceMs)
        .at(-Math.max(1, limit - 1));
      if (last !== undefined) return (last.answeredMs ?? nowMs) + lengthMs + 2 * SLIDE_GUARD_MS;
    }
    return undefined;
  }

  #isCounted({ readsAccount }: LoggedRequest): boolean {
    return !readsAccount || this.#cost.counted !== false;
  }

  /** An answer came, with this Date header. */
  learnTime(entry: LoggedRequest, dateHeader: string | undefined): void {
    this.#offset = narrowOffset(this.#offset, dateHeader, entry.sentMs, this.#clock.monotonic());
  }

  /** A request is over; it may not have been counted if it was refused or had no answer. */
  end(entry: LoggedRequest, counted: boolean): void {
    entry.answeredMs = this.#clock.monotonic();
    entry.doubtful = !counted;
    // Our own count is in doubt with it, so the next reading measures nothing.
    if (!counted) this.#windows = this.#windows.map((window) => ({ ...window, quiet: false }));
  }

  /** Something was refused that we had counted room for: a service that counts the account call after it reported looks just so. */
  doubtListing(): void {
    this.#cost = { listed: false, ...this.#cost };
  }

  /** Takes over what the account reports. */
  sync(account: Account, call: LoggedRequest): void {
    const reading = {
      call,
      sentMs: call.sentMs,
      answeredMs: call.answeredMs ?? this.#clock.monotonic(),
      offset: this.#offset,
      log: this.#log,
    };
    const reported = RATE_WINDOWS.flatMap((name) => {
      const previous = this.#windows.find((window) => window.name === name);
      return examineWindow(name, account.config?.rate_limit?.[name], previous, reading) ?? [];
    });
    this.#cost = reported.reduce(learnCost, this.#cost);
    const others = Math.max(0, ...reported.map(spentByOthers));
    this.#windows = reported.map((window) =>
      windowAfter(window, this.#reserves[window.name], this.#cost, others, reading),
    );
    this.#emptyReadings = this.#windows.some((w) => w.room <= 0) ? this.#emptyReadings + 1 : 0;
    const longestMs = Math.max(0, ...this.#windows.map((window) => window.lengthMs));
    this.#log.forget(reading.answeredMs - 2 * longestMs);
  }

  /** How long the latest requests took, the longest last; those left out that set up the connection or had no answer. */
  #latencies(): readonly number[] {
    const answered = this.#log
      .latest(LATENCY_SAMPLES)
      .filter(
        ({ answeredMs, doubtful, isOthers }) => answeredMs !== null && !doubtful && isOthers === undefined,
      );
    const warm = answered.filter(({ sentMs }) => sentMs > this.#firstSentMs);
    return (warm.length > 0 ? warm : answered)
      .map(({ sentMs, answeredMs }) => (answeredMs ?? sentMs) - sentMs)
      .toSorted((a, b) => a - b);
  }

  latencyMs(): number {
    const times = this.#latencies();
    return times[times.length >> 1] ?? 0;
  }

  slowestMs(): number {
    return this.#latencies().at(-1) ?? 0;
  }
}
