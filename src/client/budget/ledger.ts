import type { Account } from '../../contract/resources/account.ts';
import { RATE_WINDOWS, type RateWindow, type RateWindowName } from '../../model/budget.ts';
import type { Clock } from '../../model/ports.ts';
import type { OthersRequest } from '../../model/state/shared-budget.ts';
import type { BudgetFindings } from '../observe/observe.ts';
import {
  creditExpired,
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

  findings(): BudgetFindings {
    return {
      accountCounts: this.#cost.counted,
      accountListed: this.#cost.listed,
      windows: this.#windows.map(({ name, kind, limit, lengthMs }) => ({ name, kind, limit, lengthMs })),
    };
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
      if (known === undefined && (!readsAccount || this.#cost.counted !== false))
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

  /** What was under way under another name is not followed any more; it counts as answered now. */
  forgetOthers(): void {
    for (const entry of this.#others.values()) entry.answeredMs = this.#clock.monotonic();
    this.#others.clear();
  }

  /** When a fixed window ends that began after the reset which is known, and that was used up by what is known of it; undefined where it was not. */
  usedUpSince(window: WindowState, nowMs: number): number | undefined {
    const { lengthMs, limit, byTheClock } = window;
    const fromMs = resetMs(window, this.#offset);
    // By the clock they follow each other; else the first request after the end of one begins the next one.
    const past = byTheClock ? Math.max(0, Math.floor((nowMs - fromMs) / lengthMs)) * lengthMs : 0;
    let [endsMs, endedMs] = byTheClock ? [Infinity, fromMs + past + lengthMs] : [-Infinity, -Infinity];
    let used = 0;
    for (const { sentMs, answeredMs, readsAccount } of this.#log.answeredAfter(fromMs + past)) {
      if (readsAccount && this.#cost.counted === false) continue;
      if (sentMs >= endsMs) {
        endsMs = sentMs + lengthMs;
        endedMs = (answeredMs ?? nowMs) + lengthMs;
        used = 0;
      }
      used += 1;
    }
    return used >= limit && endedMs > nowMs ? endedMs + SLIDE_GUARD_MS : undefined;
  }

  answersAfter(afterMs: number): readonly (number | null)[] {
    return this.#log.answeredAfter(afterMs).map(({ answeredMs }) => answeredMs);
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
