import {
  nextWait,
  pauseReason,
  SHORTEST_PAUSE_MS,
  type Forecast,
  type ForecastLimit,
  type Pause,
  type RateWindowName,
  type RequestStep,
} from '../../model/budget.ts';
import { impliedOffset, ModelWindow } from './model-window.ts';
import {
  creditExpired,
  earliestRereadMs,
  isCurable,
  NOTHING_OWN,
  readingDueMs,
  tickBeforePause,
  viewOf,
  windowAfter,
  type ReadCost,
  type WindowState,
} from './rate-window.ts';
import type { LoggedRequest, RequestLog } from './request-log.ts';
import { middleOf, narrowedThen, type Offset } from './server-time.ts';

/** What a forecast starts from: the budget as it stands. Times are of the monotonic clock. */
export interface ForecastStart {
  readonly windows: readonly WindowState[];
  /** Is changed; a copy of the budget's own. */
  readonly log: RequestLog;
  readonly cost: ReadCost;
  readonly offset: Offset | undefined;
  /** When sending can begin. */
  readonly nowMs: number;
  /** Added to a time gives wall-clock time. */
  readonly toWallMs: number;
  readonly maxWaitMs: number;
  /** Requests left of `--max-requests`; Infinity without it. */
  readonly requestsLeft: number;
  /** Everything is answered by then; Infinity without `--finish-by`. */
  readonly finishByMs: number;
  /** From sending to the whole answer, where that must not take longer than thought. */
  readonly slowestMs: number;
  /** From sending to the whole answer. */
  readonly latencyMs: number;
  /** Most requests in flight. */
  readonly inFlight: number;
}

/** The log is cleared of what cannot matter any more after so many new entries. */
const FORGET_EVERY = 20_000;

/**
 * The budget at work on requests that are only imagined: the waiting, the account calls and the moments when requests go out are decided by the
 * functions that decide them in truth, and the service counts as its windows say that it does.
 */
class Course {
  readonly #start: ForecastStart;
  readonly #accountCounts: boolean;
  readonly #services: readonly ModelWindow[];
  readonly #trueOffsetMs: number | undefined;
  #windows: readonly WindowState[];
  #offset: Offset | undefined;
  readonly #pauses: Pause[] = [];
  #limitedBy: ForecastLimit | undefined;
  #atTheLatest = false;
  #sent = 0;
  #emptyReadings = 0;
  #waitedSinceSentMs = 0;
  #usedUpMs: number | undefined;

  constructor(start: ForecastStart, accountCounts: boolean) {
    this.#start = start;
    this.#accountCounts = accountCounts;
    this.#windows = start.windows;
    this.#offset = start.offset;
    this.#trueOffsetMs = likelyOffset(start, accountCounts);
    const cost = { ...start.cost, counted: accountCounts };
    this.#services = start.windows.map(
      (window) => new ModelWindow(window, start.log, cost, this.#trueOffsetMs),
    );
  }

  run(steps: readonly RequestStep[]): Forecast {
    const { nowMs, toWallMs, inFlight, finishByMs } = this.#start;
    let [fits, fittingRows, endMs] = [0, 0, nowMs];
    for (const step of steps) {
      const done = this.#runStep(step, Math.min(step.inFlight, inFlight), endMs);
      fits += done.sent;
      fittingRows += Math.min(step.rows, done.sent * Math.ceil(step.rows / Math.max(1, step.requests)));
      endMs = done.endMs;
      if (this.#limitedBy !== undefined) break;
    }
    return {
      pauses: this.#pauses,
      finishesAtMs: Math.round(endMs + toWallMs),
      requests: this.#sent,
      fits,
      fittingRows,
      limitedBy: this.#limitedBy,
      finishByMs: finishByMs === Infinity ? undefined : Math.round(finishByMs + toWallMs),
      atTheLatest: this.#atTheLatest,
    };
  }

  /** Requests of one step, `width` of them in flight at most. */
  #runStep(
    { requests, betweenMs = 0 }: RequestStep,
    width: number,
    beginMs: number,
  ): { readonly sent: number; readonly endMs: number } {
    const answered = new Float64Array(width).fill(beginMs);
    let [turnMs, endMs] = [beginMs, beginMs];
    for (let sent = 0; sent < requests; sent += 1) {
      const readyMs = this.#ready(Math.max(turnMs, answered[sent % width] ?? 0));
      if (readyMs === undefined || !this.#mayBegin(readyMs)) return { sent, endMs };
      const tickMs = tickBeforePause(this.#windows, this.#offset, readyMs, this.#start.latencyMs);
      if (tickMs !== undefined) this.#usedUpMs = readyMs;
      const sentMs = tickMs ?? readyMs;
      endMs = this.#send(sentMs);
      answered[sent % width] = endMs;
      turnMs = (tickMs === undefined ? sentMs : endMs) + betweenMs;
    }
    return { sent: requests, endMs };
  }

  /** When one request may be sent that comes at `atMs`; undefined when nothing more may. */
  #ready(atMs: number): number | undefined {
    const { log, cost, maxWaitMs, finishByMs, slowestMs } = this.#start;
    for (;;) {
      this.#windows = this.#windows.map((window) => creditExpired(window, log, cost, atMs));
      const wait = nextWait(this.#windows.map((window) => viewOf(window, log, this.#offset, atMs)));
      if (wait === undefined && atMs < readingDueMs(this.#windows)) return atMs;
      const untilMs =
        wait === undefined
          ? atMs
          : Math.max(wait.untilMs, earliestRereadMs(this.#windows, this.#emptyReadings, wait.window, log));
      if (wait === undefined || untilMs <= atMs) {
        if (!this.#mayBegin(atMs)) return undefined;
        atMs = this.#read(atMs);
        continue;
      }
      const window = this.#windows.findIndex(({ name }) => name === wait.window);
      if (!isCurable(this.#windows[window])) this.#limitedBy = 'reserve';
      else if (this.#waitedSinceSentMs + untilMs - atMs > maxWaitMs) this.#limitedBy = 'max_wait';
      else if (untilMs + slowestMs > finishByMs) this.#limitedBy = 'finish_by';
      if (this.#limitedBy !== undefined) return undefined;
      this.#pause(atMs, wait.window, untilMs);
      if (this.#services[window]?.isGuess === true) this.#atTheLatest = true;
      atMs = untilMs;
    }
  }

  #pause(atMs: number, window: RateWindowName, untilMs: number): void {
    const wholeMs = untilMs - (this.#usedUpMs ?? atMs);
    this.#waitedSinceSentMs += untilMs - atMs;
    if (wholeMs < SHORTEST_PAUSE_MS) return;
    this.#pauses.push({
      untilMs: Math.round(untilMs + this.#start.toWallMs),
      seconds: Math.round(wholeMs / 1000),
      reason: pauseReason(window),
    });
  }

  /** Whether one more request may go out; what keeps it back otherwise. */
  #mayBegin(atMs: number): boolean {
    const { requestsLeft, finishByMs, slowestMs } = this.#start;
    if (this.#sent >= requestsLeft) this.#limitedBy = 'max_requests';
    else if (atMs + slowestMs > finishByMs) this.#limitedBy = 'finish_by';
    return this.#limitedBy === undefined;
  }

  /** When the whole answer of a request is there that is sent now. */
  #send(atMs: number): number {
    this.#waitedSinceSentMs = 0;
    this.#windows = this.#windows.map((window) => ({ ...window, room: window.room - 1 }));
    return this.#add(atMs, false).answeredMs;
  }

  #add(sentMs: number, readsAccount: boolean): Answered {
    const { log, latencyMs } = this.#start;
    const answeredMs = sentMs + latencyMs;
    const entry = Object.assign(log.add(sentMs, readsAccount), { answeredMs });
    if (this.#offset !== undefined && this.#trueOffsetMs !== undefined)
      this.#offset = narrowedThen(this.#offset, this.#trueOffsetMs, sentMs, answeredMs);
    if (!readsAccount || this.#accountCounts) {
      for (const service of this.#services) service.count((sentMs + answeredMs) / 2);
    }
    this.#sent += 1;
    if (this.#sent % FORGET_EVERY === 0) {
      const longestMs = this.#services.reduce((ms, service) => Math.max(ms, service.remembersMs), 0);
      log.forget(sentMs - longestMs - 10 * latencyMs);
    }
    return entry;
  }

  /** The account call of the budget, and what it would teach; answers when it is over. */
  #read(atMs: number): number {
    const { log, cost, inFlight } = this.#start;
    const call = this.#add(atMs, true);
    const { answeredMs } = call;
    const open = log.latest(inFlight + 1).filter((e) => e !== call && (e.answeredMs ?? 0) > atMs).length;
    const reading = { call, sentMs: atMs, answeredMs, offset: this.#offset, log };
    this.#windows = this.#windows.map((window, index) => {
      const reported = this.#services[index]?.report(window, reading);
      return reported === undefined
        ? window
        : windowAfter({ ...reported, own: { ...NOTHING_OWN, open } }, window.reserve, cost, 0, reading);
    });
    this.#usedUpMs = undefined;
    this.#emptyReadings = this.#windows.some(({ room }) => room <= 0) ? this.#emptyReadings + 1 : 0;
    return answeredMs;
  }
}

/** The service's clock against ours: as a window shows it, or the middle of what answers leave open. */
function likelyOffset({ offset, windows, log }: ForecastStart, accountCounts: boolean): number | undefined {
  if (offset === undefined) return undefined;
  const [implied] = windows.flatMap((window) => impliedOffset(window, log, accountCounts) ?? []);
  return implied === undefined ? middleOf(offset) : Math.min(Math.max(implied, offset.lowMs), offset.highMs);
}

type Answered = LoggedRequest & { readonly answeredMs: number };

/** Forecasts that differ by less than this are one. */
const SAME_MS = 1000;

/**
 * What the requests of these steps will cost: the pauses, the account calls and the end. It stops at whatever keeps the rest back.
 * `latencyMs` holds for all requests, and the service counts in windows of the kind that was seen; where it was not seen, in windows that slide,
 * unless their resets stand at whole multiples of their length, which only a clock does. While it is not known whether the service counts the account
 * call, both are played through, and the forecast is the later one.
 */
export function foresee(start: ForecastStart, steps: readonly RequestStep[]): Forecast {
  const { counted } = start.cost;
  if (counted !== undefined) return new Course(start, counted).run(steps);
  const free = new Course({ ...start, log: start.log.copy(start.nowMs) }, false).run(steps);
  const cost = new Course(start, true).run(steps);
  const [sooner, later] = isLater(free, cost) ? [cost, free] : [free, cost];
  const differ = later.fits !== sooner.fits || later.finishesAtMs - sooner.finishesAtMs >= SAME_MS;
  return { ...later, atTheLatest: later.atTheLatest || differ };
}

/** Whether one forecast gets through fewer requests than another, or takes longer for as many. */
function isLater(one: Forecast, other: Forecast): boolean {
  return one.fits === other.fits ? one.finishesAtMs > other.finishesAtMs : one.fits < other.fits;
}
