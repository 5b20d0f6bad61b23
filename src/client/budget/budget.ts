import pLimit from 'p-limit';
import type { Account } from '../../contract/resources/account.ts';
import {
  nextWait,
  pauseReason,
  SHORTEST_PAUSE_MS,
  type Forecast,
  type RateWindowName,
  type RequestStep,
  type WindowWait,
} from '../../model/budget.ts';
import type { Emit } from '../../model/event.ts';
import type { Clock, HttpRequest, HttpResponse, Transport } from '../../model/ports.ts';
import { NO_REQUESTS, type RequestCounts } from '../../model/state/store.ts';
import { endsTooLate, nothingBesideReserve, pauseTooLong, requestsUsedUp } from './budget-error.ts';
import { isThrottled } from '../classify.ts';
import { foresee } from './forecast.ts';
import { Ledger } from './ledger.ts';
import type { BudgetFindings } from '../observe/observe.ts';
import { isCurable } from './rate-window.ts';
import type { LoggedRequest } from './request-log.ts';
import { Sharing, type SharingOptions } from './sharing.ts';
import { Throttle } from './throttle.ts';

export interface BudgetOptions {
  readonly clock: Clock;
  readonly emit: Emit;
  /** Requests of each window that are left for others. */
  readonly reservePerMinute: number;
  readonly reservePerDay: number;
  /** The longest pause that a run makes. */
  readonly maxWaitMs: number;
  /** The most requests in all; undefined sets no limit. */
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
  /** What other processes send with the account; left out where nobody shares it. */
  readonly sharing?: SharingOptions | undefined;
}

/** What takes longer is worth an account call that makes its forecast surer. */
const WORTH_MEASURING_MS = 2000;

/**
 * The budget of one API key: lets requests through while both reported windows have room. It knows nothing at first, and reads the account before the
 * first request.
 */
export class Budget {
  readonly #options: BudgetOptions;
  readonly #ledger: Ledger;
  readonly #throttle = new Throttle();
  /** One caller at a time looks at the windows, waits, and reads the account; the others queue behind it. */
  readonly #turnstile = pLimit(1);
  readonly #inFlight;
  readonly #sharing: Sharing | undefined;
  /** The windows are not known, or no longer trusted: the account is read before the next request. */
  #stale = true;
  #account: Account | undefined;
  /** The time waited since something was sent. */
  #waitedSinceSentMs = 0;
  #announcedUntilMs = 0;
  /** When the last request before a pause was held back: the pause is counted from there. */
  #usedUpMs: number | undefined;
  /** A forecast has had its account call. */
  #measured = false;
  #counts = { ...NO_REQUESTS };

  constructor(options: BudgetOptions) {
    this.#options = options;
    const { clock, reservePerMinute, reservePerDay } = options;
    this.#ledger = new Ledger(clock, { per_minute: reservePerMinute, per_day: reservePerDay });
    this.#inFlight = pLimit(options.concurrency);
    this.#sharing = options.sharing && new Sharing(options.sharing, this.#ledger);
  }

  /** Nothing is sent any more: what others wait for is told to them. Errors: those of the state. */
  async end(): Promise<void> {
    await this.#sharing?.end();
  }

  /** Waits for the budget, then sends. Errors: IncompleteError `budget.exhausted`, `budget.max_requests` before anything is sent. */
  readonly transport: Transport = (request) =>
    this.#inFlight(async () => {
      const signal = request.signal ?? new AbortController().signal;
      const { entry, answer } = await this.#turnstile(async () => {
        const { entry, tells } = await this.#admit(request, signal);
        // The next caller's wait depends on what this answer tells.
        return { entry, answer: tells ? await this.#send(request, entry) : undefined };
      });
      return answer ?? this.#send(request, entry);
    });

  /** Returns when a request may be sent, which it begins; `tells`: it was held back for what its answer tells. */
  async #admit(
    request: HttpRequest,
    signal: AbortSignal,
  ): Promise<{ readonly entry: LoggedRequest; readonly tells: boolean }> {
    for (;;) {
      if (this.#sharing?.isBehind === true) this.#stale = true;
      await this.#ready(signal);
      const tells = await this.#awaitTick(signal);
      // An answer that came meanwhile may have stopped everything.
      if (this.#stale) await this.#ready(signal);
      this.#checkMayGoAgain(request);
      this.#checkMayBegin();
      const number = await this.#enter(false, signal);
      if (number === 'full') continue;
      return { entry: this.#begin(request.method, false, number), tells };
    }
  }

  /** Enters a request where the account is shared; `full` where others have taken the room meanwhile. */
  async #enter(readsAccount: boolean, signal: AbortSignal): Promise<number | 'full' | undefined> {
    const sharing = this.#sharing;
    if (sharing === undefined) return undefined;
    const { clock } = this.#options;
    for (;;) {
      const entering = await sharing.enter(readsAccount);
      if ('number' in entering) return entering.number;
      if (entering.isFull && !readsAccount) return 'full';
      if (entering.isFull) await this.#pause(entering.untilMs, pauseReason('per_minute'), signal);
      else await clock.sleep(entering.untilMs - clock.monotonic(), signal);
    }
  }

  account(signal: AbortSignal): Promise<Account> {
    return this.#turnstile(async () => {
      for (;;) {
        await this.#obeyStop(signal);
        const mayCost = !this.#stale && this.#ledger.cost.counted !== false;
        const account = (mayCost ? await this.#ready(signal) : undefined) ?? (await this.#read(signal));
        if (account !== undefined) return account;
      }
    });
  }

  counts(): RequestCounts {
    return { ...this.#counts };
  }

  /** See {@link Service.forecast}. */
  async forecast(steps: readonly RequestStep[], signal: AbortSignal): Promise<Forecast> {
    const first = this.#foresee(steps);
    if (!this.#isWorthMeasuring(first)) return first;
    await this.#turnstile(async () => {
      const { clock } = this.#options;
      const nowMs = clock.monotonic();
      const tickMs = first.pauses.length > 0 ? this.#ledger.nextTickMs(nowMs) : undefined;
      // Without the wait, a forecast that depends on the service's clock may be a whole window short.
      if (tickMs !== undefined) await clock.sleep(tickMs - nowMs, signal);
      // What others used up meanwhile belongs into the forecast, and may leave no room for this call.
      await this.#sharing?.look();
      if (this.#hasRoomToMeasure()) await this.#read(signal);
    });
    return this.#foresee(steps);
  }

  #foresee(steps: readonly RequestStep[]): Forecast {
    const { clock, maxWaitMs, maxRequests, finishByMs, concurrency } = this.#options;
    const nowMs = clock.monotonic();
    const toWallMs = clock.now() - nowMs;
    return foresee(
      {
        windows: this.#ledger.windows,
        log: this.#ledger.logAt(nowMs),
        cost: this.#ledger.cost,
        offset: this.#ledger.offset,
        nowMs: Math.max(nowMs, this.#throttle.untilMs),
        toWallMs,
        maxWaitMs,
        requestsLeft: (maxRequests ?? Infinity) - this.#counts.sent,
        finishByMs: (finishByMs ?? Infinity) - toWallMs,
        latencyMs: this.#ledger.latencyMs(),
        slowestMs: this.#ledger.slowestMs(),
        inFlight: concurrency,
      },
      steps,
    );
  }

  /** See {@link Service.timeMs}. */
  timeMs(): number | undefined {
    const { offset } = this.#ledger;
    return offset && this.#options.clock.monotonic() + offset.lowMs;
  }

  /** What is found out about the account call and the windows, as it stands when it is looked at. */
  get findings(): BudgetFindings {
    return this.#ledger;
  }

  /**
   * Whether one more account call makes a forecast surer: it tells what such a call costs, how long a request takes on a connection that stands,
   * and, sent at a tick, more of the service's clock. Once, and only where there is much to wait for and room for it.
   */
  #isWorthMeasuring({ pauses, finishesAtMs }: Forecast): boolean {
    const { clock, maxRequests } = this.#options;
    const matters = pauses.length > 0 || finishesAtMs - clock.now() > WORTH_MEASURING_MS;
    if (!matters || this.#measured || maxRequests !== undefined || !this.#hasRoomToMeasure()) return false;
    this.#measured = true;
    return true;
  }

  #hasRoomToMeasure(): boolean {
    const nowMs = this.#options.clock.monotonic();
    const mayRead = !this.#stale && nowMs >= this.#throttle.untilMs;
    return mayRead && this.#ledger.views(nowMs).every(({ room }) => room >= 2);
  }

  async #obeyStop(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#checkMayBegin();
    while (this.#throttle.untilMs > this.#options.clock.monotonic()) {
      await this.#pause(this.#throttle.untilMs, 'the service asked to slow down (429)', signal);
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
      const wait = await this.#nextWait(nowMs);
      if (wait === undefined && nowMs < this.#ledger.readingDueMs()) return account;
      account = undefined;
      if (wait === undefined) {
        this.#stale = true;
        continue;
      }
      this.#checkCurable(wait.window);
      const untilMs = Math.max(wait.untilMs, this.#ledger.earliestRereadMs(wait.window));
      if (untilMs > nowMs) await this.#pause(untilMs, pauseReason(wait.window), signal);
      else this.#stale = true;
    }
  }

  /** What the windows demand; others are told of a wait, and what they tell of themselves may end it. */
  async #nextWait(nowMs: number): Promise<WindowWait | undefined> {
    const wait = nextWait(this.#ledger.views(nowMs));
    if (wait === undefined || this.#sharing === undefined) return wait;
    await this.#sharing.look(Math.max(0, wait.untilMs - nowMs));
    return nextWait(this.#ledger.views(nowMs));
  }

  /**
   * Holds the last request before a pause back, by less than a second, to the moment when its answer tells most about the service's clock: the
   * pauses after it then end sooner, and never too soon. True when it was held back.
   */
  async #awaitTick(signal: AbortSignal): Promise<boolean> {
    const nowMs = this.#options.clock.monotonic();
    const tickMs = this.#ledger.tickBeforePause(nowMs);
    if (tickMs === undefined) return false;
    this.#usedUpMs = nowMs;
    await this.#options.clock.sleep(tickMs - nowMs, signal);
    return true;
  }

  async #read(signal: AbortSignal): Promise<Account | undefined> {
    let last: LoggedRequest | undefined;
    const observed: Transport = async (request) => {
      this.#checkMayBegin();
      const number = await this.#enter(true, signal);
      last = this.#begin(request.method, true, number === 'full' ? undefined : number);
      return this.#send(request, last);
    };
    const account = await this.#options.readAccount(observed, signal);
    if (account !== undefined && last !== undefined) {
      await this.#sharing?.named(account.id);
      // What others began while it was under way may be in what it reports or not.
      await this.#sharing?.look();
      this.#sync(account, last);
    } else if (this.#throttle.isForGood) throw this.#options.throttledForGood();
    return account;
  }

  #sync(account: Account, call: LoggedRequest): void {
    this.#account = account;
    this.#ledger.sync(account, call);
    this.#stale = false;
    this.#usedUpMs = undefined;
  }

  #begin(method: HttpRequest['method'], readsAccount: boolean, number: number | undefined): LoggedRequest {
    this.#counts.sent += 1;
    this.#counts[method === 'GET' ? 'reads' : 'writes'] += 1;
    if (!readsAccount) this.#waitedSinceSentMs = 0;
    const entry = this.#ledger.begin(readsAccount);
    if (number !== undefined) this.#sharing?.entered(entry, number);
    return entry;
  }

  async #send(request: HttpRequest, entry: LoggedRequest): Promise<HttpResponse> {
    let counted = false;
    try {
      const response = await this.#options.wire(request);
      this.#ledger.learnTime(entry, response.headers['date']);
      counted = !isThrottled(response);
      if (counted) this.#throttle.passed(entry.sentMs);
      else this.#stop(request, response, entry);
      return response;
    } finally {
      this.#ledger.end(entry, counted);
      this.#sharing?.ended(entry);
    }
  }

  /** A 429 stops all sending until the service has surely room again. */
  #stop(request: HttpRequest, response: HttpResponse, { sentMs }: LoggedRequest): void {
    const { clock } = this.#options;
    this.#counts.throttled += 1;
    this.#stale = true;
    if (this.#throttle.isNew(sentMs)) this.#ledger.doubtListing();
    this.#throttle.refused(request, response, sentMs, {
      nowMs: clock.monotonic(),
      wallMs: clock.now(),
      resetMs: this.#ledger.likeliestResetMs(),
    });
  }

  /** A quota that is used up is refused with 429 as well, and the account that was read after the wait says so. */
  #checkMayGoAgain(request: HttpRequest): void {
    const refusal = this.#throttle.refusalOf(request);
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
    if (finishByMs !== undefined && sentAtMs + this.#ledger.slowestMs() > finishByMs)
      throw endsTooLate(finishByMs);
  }

  #checkCurable(name: RateWindowName): void {
    const window = this.#ledger.windows.find((candidate) => candidate.name === name);
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
