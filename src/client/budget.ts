import pLimit from 'p-limit';
import type { Account } from '../contract/resources/account.ts';
import type { Forecast, RateWindow, RateWindowName } from '../model/budget.ts';
import { forecast, nextWait, pauseReason, RATE_WINDOWS, SHORTEST_PAUSE_MS } from '../model/budget.ts';
import type { Emit } from '../model/event.ts';
import type { Clock, HttpRequest, HttpResponse, Transport } from '../model/ports.ts';
import type { RequestCounts } from '../model/store.ts';
import { nothingBesideReserve, pauseTooLong, requestsUsedUp } from './budget-error.ts';
import type { BudgetFindings } from './observe.ts';
import {
  creditExpired,
  examineWindow,
  GUARD_MS,
  learnCost,
  nextReadMs,
  resetMs,
  spentByOthers,
  viewOf,
  windowAfter,
} from './rate-window.ts';
import type { ReadCost, WindowState } from './rate-window.ts';
import { RequestLog } from './request-log.ts';
import type { LoggedRequest } from './request-log.ts';
import { narrowOffset, nextTickMs } from './server-time.ts';
import type { Offset } from './server-time.ts';
import { retryAfterMs, throttleBackoffMs } from './throttle.ts';

const TOO_MANY = 429;

export interface BudgetOptions {
  readonly clock: Clock;
  readonly emit: Emit;
  readonly reservePerMinute: number;
  readonly reservePerDay: number;
  readonly maxWaitMs: number;
  readonly maxRequests: number | undefined;
  /** Most requests in flight. */
  readonly concurrency: number;
  /** Carries a request that the budget has let through. */
  readonly wire: Transport;
  /** Reads the account over the given transport; undefined when it was throttled. */
  readonly readAccount: (transport: Transport, signal: AbortSignal) => Promise<Account | undefined>;
  /** The error for an account that stays throttled. */
  readonly throttledForGood: () => Error;
}

/** The budget of one API key: lets requests through while both reported windows have room. */
export interface Budget {
  /** Waits for the budget, then sends. Errors: IncompleteError `budget.exhausted`, `budget.max_requests` before anything is sent. */
  readonly transport: Transport;
  account(signal: AbortSignal): Promise<Account>;
  counts(): RequestCounts;
  forecast(requests: number): Forecast;
  /** What was found out about the account call and the windows. */
  findings(): BudgetFindings;
}

/** A request that waits for a tick is sent at least so long before the window resets. */
const TICK_MARGIN_MS = 200;

/** After this many refusals in a row, each after a full wait, waiting is given up. */
const MOST_THROTTLES = 5;

class KeyBudget implements Budget {
  readonly #options: BudgetOptions;
  readonly #log = new RequestLog();
  /** One caller at a time looks at the windows, waits, and reads the account; the others queue behind it. */
  readonly #turnstile = pLimit(1);
  readonly #inFlight;
  #windows: readonly WindowState[] = [];
  #cost: ReadCost = {};
  #offset: Offset | undefined;
  /** The windows are not known, or no longer trusted: the account is read before the next request. */
  #stale = true;
  /** Nothing is sent before this time, because the service said 429. */
  #stopUntilMs = 0;
  #stopSetMs = -1;
  #throttleStreak = 0;
  /** Readings in a row that left no room, and the time waited since something was sent. */
  #emptyReadings = 0;
  #waitedSinceSentMs = 0;
  #announcedUntilMs = 0;
  /** When the last request before a pause was held back: the pause is counted from there. */
  #usedUpMs: number | undefined;
  #counts = { planned: 0, sent: 0, reads: 0, writes: 0, throttled: 0, waited_ms: 0 };

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#inFlight = pLimit(options.concurrency);
  }

  readonly transport: Transport = (request) =>
    this.#inFlight(async () => {
      const signal = request.signal ?? new AbortController().signal;
      const { entry, answer } = await this.#turnstile(async () => {
        await this.#ready(signal);
        const tells = await this.#awaitTick(signal);
        // An answer that came meanwhile may have stopped everything.
        if (this.#stale) await this.#ready(signal);
        const entry = this.#begin(request.method, false);
        // The next caller's wait depends on what this answer tells.
        return { entry, answer: tells ? await this.#send(request, entry) : undefined };
      });
      return answer ?? this.#send(request, entry);
    });

  account(signal: AbortSignal): Promise<Account> {
    return this.#turnstile(async () => {
      for (;;) {
        await this.#obeyStop(signal);
        const mayCost = !this.#stale && this.#cost.counted !== false;
        const account = (mayCost ? await this.#ready(signal) : undefined) ?? (await this.#read(signal));
        if (account !== undefined) return account;
      }
    });
  }

  counts(): RequestCounts {
    return { ...this.#counts };
  }

  forecast(requests: number): Forecast {
    const nowMs = this.#options.clock.monotonic();
    return forecast(
      {
        windows: this.#views(nowMs),
        readCost: this.#cost.counted === false ? 0 : 1,
        nowMs: Math.max(nowMs, this.#stopUntilMs),
        toWallMs: this.#options.clock.now() - nowMs,
        maxWaitMs: this.#options.maxWaitMs,
      },
      requests,
    );
  }

  findings(): BudgetFindings {
    return {
      accountCounts: this.#cost.counted,
      accountListed: this.#cost.listed,
      windows: this.#windows.map(({ name, kind, limit, lengthMs }) => ({ name, kind, limit, lengthMs })),
    };
  }

  #views(nowMs: number): readonly RateWindow[] {
    this.#windows = this.#windows.map((window) => creditExpired(window, this.#log, this.#cost, nowMs));
    return this.#windows.map((window) => viewOf(window, this.#log, this.#offset, nowMs));
  }

  async #obeyStop(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#checkMaxRequests();
    while (this.#stopUntilMs > this.#options.clock.monotonic()) {
      await this.#pause(this.#stopUntilMs, 'the service asked to slow down (429)', signal);
    }
  }

  /** Returns when one request may be sent, with the account if it was just read for that. */
  async #ready(signal: AbortSignal): Promise<Account | undefined> {
    const { clock } = this.#options;
    let account: Account | undefined;
    for (;;) {
      await this.#obeyStop(signal);
      if (this.#stale) {
        account = await this.#read(signal);
        continue;
      }
      const nowMs = clock.monotonic();
      const wait = nextWait(this.#views(nowMs));
      if (wait === undefined && !this.#isReadingDue(nowMs)) return account;
      account = undefined;
      if (wait === undefined) {
        this.#stale = true;
        continue;
      }
      this.#checkCurable(wait.window);
      const untilMs = Math.max(wait.untilMs, this.#earliestRereadMs());
      if (untilMs > nowMs) await this.#pause(untilMs, pauseReason(wait.window), signal);
      else this.#stale = true;
    }
  }

  /**
   * Holds the last request before a pause back, by less than a second, to the moment when its answer tells most about the service's clock: the
   * pauses after it then end sooner, and never too soon. True when it was held back.
   */
  async #awaitTick(signal: AbortSignal): Promise<boolean> {
    const nowMs = this.#options.clock.monotonic();
    const last = this.#windows.find(({ kind, room }) => room === 1 && kind !== 'sliding');
    if (last?.resetServerMs === undefined || this.#offset === undefined) return false;
    const tickMs = nextTickMs(this.#offset, nowMs);
    if (tickMs === undefined || tickMs + TICK_MARGIN_MS > last.resetServerMs - this.#offset.highMs)
      return false;
    this.#usedUpMs = nowMs;
    await this.#options.clock.sleep(tickMs - nowMs, signal);
    return true;
  }

  #isReadingDue(nowMs: number): boolean {
    return this.#windows.some((window) => window.kind === 'sliding' && nowMs >= nextReadMs(window));
  }

  /** Readings that leave no room come further and further apart: never a busy loop. */
  #earliestRereadMs(): number {
    if (this.#emptyReadings === 0) return 0;
    const [readAtMs, lengthMs] = this.#windows.reduce(
      ([at, length], w) => [Math.max(at, w.readAtMs), Math.min(length, w.lengthMs)],
      [0, Infinity],
    );
    return readAtMs + Math.min(lengthMs, 1000 * 2 ** this.#emptyReadings);
  }

  async #read(signal: AbortSignal): Promise<Account | undefined> {
    let last: LoggedRequest | undefined;
    const observed: Transport = (request) => {
      last = this.#begin(request.method, true);
      return this.#send(request, last);
    };
    const account = await this.#options.readAccount(observed, signal);
    if (account !== undefined && last !== undefined) this.#sync(account, last);
    else if (this.#throttleStreak > MOST_THROTTLES) throw this.#options.throttledForGood();
    return account;
  }

  #sync(account: Account, call: LoggedRequest): void {
    const { reservePerMinute, reservePerDay } = this.#options;
    const reading = {
      call,
      sentMs: call.sentMs,
      answeredMs: call.answeredMs ?? this.#options.clock.monotonic(),
      offset: this.#offset,
      log: this.#log,
    };
    const reported = RATE_WINDOWS.flatMap((name) => {
      const previous = this.#windows.find((window) => window.name === name);
      return examineWindow(name, account.config?.rate_limit?.[name], previous, reading) ?? [];
    });
    this.#cost = reported.reduce(learnCost, this.#cost);
    const others = Math.max(0, ...reported.map(spentByOthers));
    this.#windows = reported.map((window) => {
      const reserve = window.name === 'per_minute' ? reservePerMinute : reservePerDay;
      return windowAfter(window, reserve, this.#cost, others, reading);
    });
    this.#stale = false;
    this.#usedUpMs = undefined;
    this.#emptyReadings = this.#windows.some((w) => w.room <= 0) ? this.#emptyReadings + 1 : 0;
    const longestMs = Math.max(0, ...this.#windows.map((window) => window.lengthMs));
    this.#log.forget(reading.answeredMs - 2 * longestMs);
  }

  #begin(method: HttpRequest['method'], readsAccount: boolean): LoggedRequest {
    this.#checkMaxRequests();
    this.#counts.sent += 1;
    this.#counts[method === 'GET' ? 'reads' : 'writes'] += 1;
    if (!readsAccount) {
      this.#waitedSinceSentMs = 0;
      this.#windows = this.#windows.map((window) => ({ ...window, room: window.room - 1 }));
    }
    return this.#log.add(this.#options.clock.monotonic(), readsAccount);
  }

  async #send(request: HttpRequest, entry: LoggedRequest): Promise<HttpResponse> {
    const { clock, wire } = this.#options;
    let counted = false;
    try {
      const response = await wire(request);
      this.#offset = narrowOffset(this.#offset, response.headers['date'], entry.sentMs, clock.monotonic());
      counted = response.status !== TOO_MANY;
      if (!counted) this.#stop(response, entry);
      else if (entry.sentMs >= this.#stopSetMs) this.#throttleStreak = 0;
      return response;
    } finally {
      entry.answeredMs = clock.monotonic();
      entry.doubtful = !counted;
      // Our own count is in doubt with it, so the next reading measures nothing.
      if (!counted) this.#windows = this.#windows.map((window) => ({ ...window, quiet: false }));
    }
  }

  /** A 429 stops all sending until the service has surely room again; several answers to one burst are one refusal. */
  #stop(response: HttpResponse, entry: LoggedRequest): void {
    const { clock } = this.#options;
    const nowMs = clock.monotonic();
    this.#counts.throttled += 1;
    this.#stale = true;
    const afresh = entry.sentMs >= this.#stopSetMs;
    if (afresh) {
      // A service that counts the account call after it reported looks just so.
      this.#cost = { listed: false, ...this.#cost };
      this.#throttleStreak += 1;
      this.#stopSetMs = nowMs;
    }
    const hintMs = retryAfterMs(response, clock.now());
    // The window that has least room by our own count is the likeliest to be full.
    const [window] = this.#windows.toSorted((a, b) => a.room - b.room);
    const knownResetMs = window === undefined ? 0 : resetMs(window, this.#offset);
    const unhelped = hintMs === undefined && knownResetMs <= nowMs;
    const streak = unhelped ? this.#throttleStreak : this.#throttleStreak - 1;
    this.#stopUntilMs = Math.max(
      this.#stopUntilMs,
      nowMs + (hintMs ?? 0) + GUARD_MS,
      knownResetMs,
      streak > 0 ? nowMs + throttleBackoffMs(streak) : 0,
    );
  }

  #checkMaxRequests(): void {
    const { maxRequests } = this.#options;
    if (maxRequests === undefined || this.#counts.sent < maxRequests) return;
    throw requestsUsedUp(maxRequests);
  }

  #checkCurable(name: RateWindowName): void {
    const window = this.#windows.find((candidate) => candidate.name === name);
    if (window === undefined || window.limit > window.reserve) return;
    throw nothingBesideReserve(name, window.reserve, window.limit);
  }

  async #pause(untilMs: number, reason: string, signal: AbortSignal): Promise<void> {
    const { clock, emit, maxWaitMs } = this.#options;
    const startMs = clock.monotonic();
    const ms = untilMs - startMs;
    const untilWallMs = Math.round(clock.now() + ms);
    if (this.#waitedSinceSentMs + ms > maxWaitMs) throw pauseTooLong(reason, untilWallMs, ms, maxWaitMs);
    const wholeMs = untilMs - (this.#usedUpMs ?? startMs);
    if (wholeMs >= SHORTEST_PAUSE_MS && untilMs !== this.#announcedUntilMs) {
      this.#announcedUntilMs = untilMs;
      emit({ kind: 'pause', seconds: Math.round(wholeMs / 1000), untilMs: untilWallMs, reason });
    }
    try {
      await clock.sleep(ms, signal);
    } finally {
      const waitedMs = Math.round(clock.monotonic() - startMs);
      this.#counts.waited_ms += waitedMs;
      this.#waitedSinceSentMs += waitedMs;
    }
  }
}

/** A budget that knows nothing yet: it reads the account before the first request. */
export function createBudget(options: BudgetOptions): Budget {
  return new KeyBudget(options);
}
