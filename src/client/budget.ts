import pLimit from 'p-limit';
import type { Account } from '../contract/resources/account.ts';
import type { Forecast, RateWindow, RateWindowName, RequestStep } from '../model/budget.ts';
import { nextWait, pauseReason, RATE_WINDOWS, SHORTEST_PAUSE_MS } from '../model/budget.ts';
import type { Emit } from '../model/event.ts';
import type { Clock, HttpRequest, HttpResponse, Transport } from '../model/ports.ts';
import type { RequestCounts } from '../model/store.ts';
import { endsTooLate, nothingBesideReserve, pauseTooLong, requestsUsedUp } from './budget-error.ts';
import { foresee } from './forecast.ts';
import type { BudgetFindings } from './observe.ts';
import {
  creditExpired,
  earliestRereadMs,
  examineWindow,
  GUARD_MS,
  isCurable,
  isResetMapped,
  learnCost,
  readingDueMs,
  resetMs,
  spentByOthers,
  tickBeforePause,
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
  /** Wall-clock time after which nothing is under way any more; undefined sets no end. */
  readonly finishByMs: number | undefined;
  /** Most requests in flight. */
  readonly concurrency: number;
  /** Carries a request that the budget has let through. */
  readonly wire: Transport;
  /** Reads the account over the given transport; undefined when it was throttled. */
  readonly readAccount: (transport: Transport, signal: AbortSignal) => Promise<Account | undefined>;
  /** The error for a request that was throttled and that, by the account as it was read after the wait, need not go again; undefined when it may. */
  readonly quotaExplains: (
    request: HttpRequest,
    account: Account,
    refusal: HttpResponse,
  ) => Error | undefined;
  /** The error for an account that stays throttled. */
  readonly throttledForGood: () => Error;
}

/** The budget of one API key: lets requests through while both reported windows have room. */
export interface Budget {
  /** Waits for the budget, then sends. Errors: IncompleteError `budget.exhausted`, `budget.max_requests` before anything is sent. */
  readonly transport: Transport;
  account(signal: AbortSignal): Promise<Account>;
  counts(): RequestCounts;
  /** What was found out about the account call and the windows. */
  findings(): BudgetFindings;
  /** See {@link Service.forecast}. */
  forecast(steps: readonly RequestStep[], signal: AbortSignal): Promise<Forecast>;
}

/** After this many refusals in a row, each after a full wait, waiting is given up. */
const MOST_THROTTLES = 5;

/** What takes longer is worth an account call that makes its forecast surer. */
const WORTH_MEASURING_MS = 2000;
/** The latest requests that say how long one takes. */
const LATENCY_SAMPLES = 21;

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
  /** The 429 that requests were answered with; a request is the same object whenever it goes again. */
  readonly #refusals = new WeakMap<HttpRequest, HttpResponse>();
  #account: Account | undefined;
  /** Readings in a row that left no room, and the time waited since something was sent. */
  #emptyReadings = 0;
  #waitedSinceSentMs = 0;
  #announcedUntilMs = 0;
  /** When the last request before a pause was held back: the pause is counted from there. */
  #usedUpMs: number | undefined;
  /** The first request sets up the connection, so it says little of the others. */
  #firstSentMs = Infinity;
  /** A forecast has had its account call. */
  #measured = false;
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
        this.#checkMayGoAgain(request);
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

  async forecast(steps: readonly RequestStep[], signal: AbortSignal): Promise<Forecast> {
    const first = this.#foresee(steps);
    if (!this.#isWorthMeasuring(first)) return first;
    await this.#turnstile(async () => {
      const tickMs =
        this.#offset && nextTickMs(this.#offset, this.#options.clock.monotonic(), this.#latencyMs());
      // The wait lengthens a push through windows that slide by a part of a second; without it, a forecast may be a whole window short.
      if (tickMs !== undefined && first.pauses.length > 0 && this.#windows.some(isResetMapped))
        await this.#options.clock.sleep(tickMs - this.#options.clock.monotonic(), signal);
      await this.#read(signal);
    });
    return this.#foresee(steps);
  }

  #foresee(steps: readonly RequestStep[]): Forecast {
    const { clock, maxWaitMs, maxRequests, finishByMs, concurrency } = this.#options;
    const nowMs = clock.monotonic();
    const toWallMs = clock.now() - nowMs;
    return foresee(
      {
        windows: this.#windows,
        log: this.#log.copy(nowMs + this.#latencyMs()),
        cost: this.#cost,
        offset: this.#offset,
        nowMs: Math.max(nowMs, this.#stopUntilMs),
        toWallMs,
        maxWaitMs,
        requestsLeft: (maxRequests ?? Infinity) - this.#counts.sent,
        finishByMs: (finishByMs ?? Infinity) - toWallMs,
        latencyMs: this.#latencyMs(),
        slowestMs: this.#latencies().at(-1) ?? 0,
        inFlight: concurrency,
      },
      steps,
    );
  }

  findings(): BudgetFindings {
    return {
      accountCounts: this.#cost.counted,
      accountListed: this.#cost.listed,
      windows: this.#windows.map(({ name, kind, limit, lengthMs }) => ({ name, kind, limit, lengthMs })),
    };
  }

  /**
   * Whether one more account call makes a forecast surer: it tells what such a call costs, how long a request takes on a connection that stands,
   * and, sent at a tick, more of the service's clock. Once, and only where there is much to wait for and room for it.
   */
  #isWorthMeasuring({ pauses, finishesAtMs }: Forecast): boolean {
    const { clock, maxRequests } = this.#options;
    const nowMs = clock.monotonic();
    const matters = pauses.length > 0 || finishesAtMs - clock.now() > WORTH_MEASURING_MS;
    if (!matters || this.#measured || maxRequests !== undefined) return false;
    if (this.#stale || nowMs < this.#stopUntilMs || this.#views(nowMs).some(({ room }) => room < 2))
      return false;
    this.#measured = true;
    return true;
  }

  /** How long the latest requests took, the longest last; those left out that set up the connection or had no answer. */
  #latencies(): readonly number[] {
    const answered = this.#log
      .latest(LATENCY_SAMPLES)
      .filter(({ answeredMs, doubtful }) => answeredMs !== null && !doubtful);
    const warm = answered.filter(({ sentMs }) => sentMs > this.#firstSentMs);
    return (warm.length > 0 ? warm : answered)
      .map(({ sentMs, answeredMs }) => (answeredMs ?? sentMs) - sentMs)
      .toSorted((a, b) => a - b);
  }

  #latencyMs(): number {
    const times = this.#latencies();
    return times[times.length >> 1] ?? 0;
  }

  #views(nowMs: number): readonly RateWindow[] {
    this.#windows = this.#windows.map((window) => creditExpired(window, this.#log, this.#cost, nowMs));
    return this.#windows.map((window) => viewOf(window, this.#log, this.#offset, nowMs));
  }

  async #obeyStop(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#checkMayBegin();
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
      if (wait === undefined && nowMs < readingDueMs(this.#windows)) return account;
      account = undefined;
      if (wait === undefined) {
        this.#stale = true;
        continue;
      }
      this.#checkCurable(wait.window);
      const untilMs = Math.max(
        wait.untilMs,
        earliestRereadMs(this.#windows, this.#emptyReadings, wait.window, this.#log),
      );
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
    const tickMs = tickBeforePause(this.#windows, this.#offset, nowMs, this.#latencyMs());
    if (tickMs === undefined) return false;
    this.#usedUpMs = nowMs;
    await this.#options.clock.sleep(tickMs - nowMs, signal);
    return true;
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
    this.#account = account;
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
    this.#checkMayBegin();
    const nowMs = this.#options.clock.monotonic();
    this.#firstSentMs = Math.min(this.#firstSentMs, nowMs);
    this.#counts.sent += 1;
    this.#counts[method === 'GET' ? 'reads' : 'writes'] += 1;
    if (!readsAccount) {
      this.#waitedSinceSentMs = 0;
      this.#windows = this.#windows.map((window) => ({ ...window, room: window.room - 1 }));
    }
    return this.#log.add(nowMs, readsAccount);
  }

  async #send(request: HttpRequest, entry: LoggedRequest): Promise<HttpResponse> {
    const { clock, wire } = this.#options;
    let counted = false;
    try {
      const response = await wire(request);
      this.#offset = narrowOffset(this.#offset, response.headers['date'], entry.sentMs, clock.monotonic());
      counted = response.status !== TOO_MANY;
      if (!counted) {
        this.#refusals.set(request, response);
        this.#stop(response, entry);
      } else if (entry.sentMs >= this.#stopSetMs) this.#throttleStreak = 0;
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

  /** A quota that is used up is refused with 429 as well, and the account that was read after the wait says so. */
  #checkMayGoAgain(request: HttpRequest): void {
    const refusal = this.#refusals.get(request);
    if (this.#account === undefined || refusal === undefined) return;
    const error = this.#options.quotaExplains(request, this.#account, refusal);
    if (error !== undefined) throw error;
  }

  #checkMayBegin(): void {
    const { maxRequests, clock } = this.#options;
    this.#checkEnds(clock.now());
    if (maxRequests === undefined || this.#counts.sent < maxRequests) return;
    throw requestsUsedUp(maxRequests);
  }

  /** A request that is sent at this wall-clock time must have its answer before the time that the run was given. */
  #checkEnds(sentAtMs: number): void {
    const { finishByMs } = this.#options;
    if (finishByMs !== undefined && sentAtMs + (this.#latencies().at(-1) ?? 0) > finishByMs)
      throw endsTooLate(finishByMs);
  }

  #checkCurable(name: RateWindowName): void {
    const window = this.#windows.find((candidate) => candidate.name === name);
    if (window === undefined || isCurable(window)) return;
    throw nothingBesideReserve(name, window.reserve, window.limit);
  }

  async #pause(untilMs: number, reason: string, signal: AbortSignal): Promise<void> {
    const { clock, emit, maxWaitMs } = this.#options;
    const startMs = clock.monotonic();
    const ms = untilMs - startMs;
    const untilWallMs = Math.round(clock.now() + ms);
    if (this.#waitedSinceSentMs + ms > maxWaitMs) throw pauseTooLong(reason, untilWallMs, ms, maxWaitMs);
    this.#checkEnds(untilWallMs);
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
