import { windowLengthMs, type RateWindow, type RateWindowName } from '../../model/budget.ts';
import { creditAfter, ownResetOf, SLIDE_GUARD_MS, type OwnReset } from './own-requests.ts';
import type { LoggedRequest, RequestLog } from './request-log.ts';
import { parseTimeMs } from '../../model/time/service-time.ts';
import { nextTickMs, type Offset } from './server-time.ts';

/** Added to every computed reset, for timers and clocks that run a little fast. */
export const GUARD_MS = 15;
/** A reset further away than this is not believed. */
const FARTHEST_RESET_MS = 90_000_000;

/** A window as the account reports it (section 2.1); anything may be missing. */
export interface ReportedWindow {
  readonly limit?: number | null | undefined;
  readonly window?: string | null | undefined;
  readonly used?: number | null | undefined;
  readonly remaining?: number | null | undefined;
  readonly reset_at?: string | null | undefined;
}

/**
 * What is known about the account call itself. `counted`: it takes one request from the windows; `listed`: the `used` that it reports holds itself.
 * Both are measured; until then it is taken to be counted.
 */
export interface ReadCost {
  readonly counted?: boolean;
  readonly listed?: boolean;
}

/** One reading of the account; no other request of this process was begun while it was under way, and those of others count as under way. Times are of the monotonic clock. */
export interface Reading {
  readonly call: LoggedRequest;
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly offset: Offset | undefined;
  readonly log: RequestLog;
}

/** What is known of one window since the last reading. */
export interface WindowState {
  readonly name: RateWindowName;
  readonly limit: number;
  readonly reserve: number;
  readonly lengthMs: number;
  readonly used: number;
  /** Requests left, reserve and sends since the reading taken off. */
  readonly room: number;
  readonly resetServerMs: number | undefined;
  readonly readAtMs: number;
  /** The number in our log of the first request after the reading. */
  readonly readEnd: number;
  /** Our own count since the reading is sure: nothing was in flight then, and everything since was answered. */
  readonly quiet: boolean;
  /**
   * `fixed`: it was seen to reset as a whole. `sliding`: it was seen not to, so room comes back as our own requests grow older than the window.
   * Both spend no more than what was reported.
   */
  readonly kind: 'unknown' | 'fixed' | 'sliding';
  /** The next entry of our log that gives room back, in a sliding window. */
  readonly creditFrom: number;
  /** Every reset so far stood at a whole multiple of the length, as those of a window by the clock do; one that slides may come there by chance. */
  readonly byTheClock: boolean;
  /** Where it began with a request of ours, when it resets by our own clock: not before one time, surely by the other. */
  readonly ownReset: OwnReset | undefined;
}

/** Whether a window slides, or is best taken to: its kind was not seen, and its resets do not stand on the clock. */
export function isTakenToSlide({ kind, byTheClock }: Pick<WindowState, 'kind' | 'byTheClock'>): boolean {
  return kind === 'sliding' || (kind === 'unknown' && !byTheClock);
}

const QUARTER_HOUR_MS = 900_000;
const DAY_MS = 86_400_000;

/** Resets of days stand at some whole quarter of an hour, by the time zone of the service. */
function isOnTheClock(resetServerMs: number | undefined, lengthMs: number): boolean {
  const step = lengthMs >= DAY_MS ? QUARTER_HOUR_MS : lengthMs;
  return resetServerMs !== undefined && step >= 1000 && resetServerMs % step === 0;
}

/** When the window has been reset: where it began with a request of ours, a window after that, and no later than the service's own reset. */
export function resetMs(window: WindowState, offset: Offset | undefined): number {
  return Math.min(window.ownReset?.latestMs ?? Infinity, namedResetMs(window, offset));
}

/** When the window has surely been reset; without a believable reset_at, one whole window after the reading. */
function namedResetMs(window: WindowState, offset: Offset | undefined): number {
  const { resetServerMs, readAtMs, lengthMs } = window;
  if (resetServerMs !== undefined && offset !== undefined) {
    const mappedMs = resetServerMs - offset.lowMs + GUARD_MS;
    if (mappedMs > readAtMs && mappedMs - readAtMs < FARTHEST_RESET_MS) return mappedMs;
  }
  return readAtMs + lengthMs + GUARD_MS;
}

/** When the window at `nowMs` may have begun at the earliest: -Infinity where it slides or its reset is not mapped, Infinity while the reading tells what is left of it. */
export function earliestStartMs(window: WindowState, offset: Offset | undefined, nowMs: number): number {
  const { resetServerMs, lengthMs, byTheClock } = window;
  if (isTakenToSlide(window)) return -Infinity;
  const fromMs = resetMs(window, offset);
  if (nowMs < fromMs) return Infinity;
  if (resetServerMs === undefined || offset === undefined) return -Infinity;
  // By the clock they follow each other; else the first request after the end of one begins the next one.
  const past = byTheClock ? Math.floor((nowMs - fromMs) / lengthMs) * lengthMs : 0;
  return resetServerMs - offset.highMs + past;
}

interface Own {
  /** Requests before the reading that surely stood in the trailing window of its length when it was made. */
  readonly surelyTrailing: number;
  /** Requests beside the account call that may stand in a window that began at the last known reset. */
  readonly maybeFresh: number;
  /** Requests that may stand in the trailing window, the account call included. */
  readonly maybeTrailing: number;
  /** Requests in flight at some moment of the reading: they may be in `used` or not. */
  readonly open: number;
  /** Requests since the previous reading that were surely counted, account calls left out; and those account calls. */
  readonly between: number;
  readonly readsBetween: number;
}

export const NOTHING_OWN: Own = {
  surelyTrailing: 0,
  maybeFresh: 0,
  maybeTrailing: 0,
  open: 0,
  between: 0,
  readsBetween: 0,
};

const isSurelyCounted = (entry: LoggedRequest): boolean => !entry.readsAccount && !entry.doubtful;

function countOwn(previous: WindowState | undefined, lengthMs: number, reading: Reading): Own {
  const { log, call, sentMs, answeredMs, offset } = reading;
  const resetServerMs = previous?.resetServerMs;
  const earliestResetMs = Math.max(
    previous?.ownReset?.earliestMs ?? Number.NEGATIVE_INFINITY,
    resetServerMs === undefined || offset === undefined
      ? Number.NEGATIVE_INFINITY
      : resetServerMs - offset.highMs,
  );
  const since = previous?.readEnd ?? log.end;
  return {
    surelyTrailing: log.count(
      (e) =>
        isSurelyCounted(e) &&
        e.sentMs + lengthMs > answeredMs &&
        e.answeredMs !== null &&
        e.answeredMs <= sentMs,
    ),
    maybeFresh: log.count((e) => e !== call && (e.answeredMs === null || e.answeredMs >= earliestResetMs)),
    maybeTrailing: log.count((e) => e.answeredMs === null || e.answeredMs + lengthMs >= sentMs),
    open: log.count((e) => e !== call && (e.answeredMs === null || e.answeredMs > sentMs)),
    between: log.count(isSurelyCounted, since),
    readsBetween: log.count((e) => e.readsAccount, since),
  };
}

/** How this reading stands to the one before: the first, past the reset that it named, or within the same window. */
type Span = 'first' | 'reset' | 'same' | 'other';

function spanOf(
  previous: WindowState | undefined,
  resetServerMs: number | undefined,
  reading: Reading,
): Span {
  if (previous === undefined) return 'first';
  const isSame = resetServerMs !== undefined && resetServerMs === previous.resetServerMs;
  // A window that did not begin with our request after all still names the same reset.
  if (reading.sentMs >= (isSame ? namedResetMs : resetMs)(previous, reading.offset)) return 'reset';
  return isSame ? 'same' : 'other';
}

function kindAfter(
  previous: WindowState | undefined,
  span: Span,
  used: number,
  own: Own,
): WindowState['kind'] {
  const kind = previous?.kind ?? 'unknown';
  if (span !== 'reset') return kind;
  // A sliding window would still hold all of these.
  if (used < own.surelyTrailing) return 'fixed';
  // More than can be fresh: what is left of the time before, which is ours.
  const isOurs = own.surelyTrailing > 0 || used <= own.maybeTrailing;
  return kind === 'unknown' && used > own.maybeFresh + 1 && isOurs ? 'sliding' : kind;
}

const positive = (value: number | null | undefined): number | undefined =>
  typeof value === 'number' && value > 0 ? value : undefined;

/** `used` and `remaining`, each from the other where one is missing; the smaller remainder where they disagree. */
function spentOf(reported: ReportedWindow, limit: number): { used: number; remaining: number } {
  const used = reported.used ?? limit - Math.max(0, reported.remaining ?? limit);
  return { used, remaining: Math.max(0, Math.min(reported.remaining ?? limit, limit - used)) };
}

/** What one reading says about one window, before it is known what the reading itself cost. */
export interface ReportedState {
  readonly name: RateWindowName;
  readonly previous: WindowState | undefined;
  readonly limit: number;
  readonly lengthMs: number;
  readonly used: number;
  readonly remaining: number;
  readonly resetServerMs: number | undefined;
  readonly span: Span;
  readonly kind: WindowState['kind'];
  readonly own: Own;
}

/**
 * Holds a reading of one window against what we did since the last one. Undefined: the service sets no limit, which a limit that is missing, null,
 * zero or negative means while calls succeed.
 */
export function examineWindow(
  name: RateWindowName,
  reported: ReportedWindow | null | undefined,
  previous: WindowState | undefined,
  reading: Reading,
): ReportedState | undefined {
  const limit = positive(reported?.limit);
  if (reported === null || reported === undefined || limit === undefined) return undefined;
  const lengthMs = windowLengthMs(name, reported.window);
  const parsedMs = parseTimeMs(reported.reset_at ?? '');
  const resetServerMs = Number.isNaN(parsedMs) ? undefined : parsedMs;
  const own = countOwn(previous, lengthMs, reading);
  const span = spanOf(previous, resetServerMs, reading);
  const spent = spentOf(reported, limit);
  const kind = kindAfter(previous, span, spent.used, own);
  return { name, previous, limit, lengthMs, ...spent, resetServerMs, span, kind, own };
}

/** What a reading teaches about the cost of reading. */
export function learnCost(known: ReadCost, { previous, span, kind, used, own }: ReportedState): ReadCost {
  if (kind === 'sliding') return used === 0 ? { ...known, listed: false } : known;
  if (span === 'reset' && kind === 'fixed' && own.maybeFresh === 0 && used === 1) {
    return { counted: true, listed: true };
  }
  const seen = used === 0 ? { ...known, listed: false } : known;
  const measurable = span === 'same' && previous?.quiet === true && own.open === 0 && own.readsBetween === 1;
  if (!measurable || known.counted !== undefined) return seen;
  const grown = used - previous.used - own.between;
  return grown === 0 || grown === 1 ? { ...seen, counted: grown === 1 } : seen;
}

/** Requests that another client of the same key surely made since the last reading, or in the window; zero or less when none show. */
export function spentByOthers({ previous, kind, span, used, own }: ReportedState): number {
  if (previous === undefined) return 0;
  if (kind === 'sliding') return used - own.maybeTrailing;
  if (span === 'same') return used - previous.used - own.between - own.readsBetween;
  return span === 'reset' && kind === 'fixed' ? used - own.maybeFresh - 1 : 0;
}

/** The window from now on; `others` is what another client was last seen to spend, and is kept free for it, up to half of what remains. */
export function windowAfter(
  { name, previous, limit, lengthMs, used, remaining, resetServerMs, kind, own }: ReportedState,
  reserve: number,
  cost: ReadCost,
  others: number,
  reading: Reading,
): WindowState {
  const heldBack = Math.min(others, Math.floor(remaining / 2));
  const ownCall = cost.counted !== false && cost.listed === false ? 1 : 0;
  const window = {
    name,
    limit,
    reserve,
    lengthMs,
    used,
    room: remaining - reserve - own.open - ownCall - heldBack,
    resetServerMs,
    readAtMs: reading.answeredMs,
    readEnd: reading.log.numberOf(reading.call) + 1,
    quiet: own.open === 0,
    kind,
    creditFrom: kind === 'sliding' ? creditAfter(lengthMs, used, cost, reading) : reading.log.end,
    byTheClock: previous?.byTheClock !== false && isOnTheClock(resetServerMs, lengthMs),
  };
  return { ...window, ownReset: ownResetOf(window, cost, reading) };
}

/**
 * Gives back the room of our own requests that have surely left a sliding window: answered longer ago than its length. The account call is given
 * back only once it is known to be counted.
 */
export function creditExpired(
  window: WindowState,
  log: RequestLog,
  cost: ReadCost,
  nowMs: number,
): WindowState {
  if (window.kind !== 'sliding') return window;
  let { creditFrom, room } = window;
  for (;;) {
    const entry = log.at(creditFrom);
    if (entry === undefined || (entry.answeredMs ?? nowMs) + window.lengthMs + SLIDE_GUARD_MS > nowMs) break;
    if (isSurelyCounted(entry) || (entry.readsAccount && !entry.doubtful && cost.counted === true)) room += 1;
    creditFrom += 1;
  }
  return creditFrom === window.creditFrom ? window : { ...window, creditFrom, room };
}

/** Whether waiting helps: the reserve and the account call leave something of the window. */
export function isCurable(window: WindowState | undefined): boolean {
  return window === undefined || window.limit > window.reserve;
}

/** When a reading of the account is due in a sliding window, which tells of other clients: once in its length. */
function nextReadMs(window: WindowState): number {
  return window.readAtMs + window.lengthMs + SLIDE_GUARD_MS;
}

/** When the account is to be read although there is room; Infinity where nothing slides. */
export function readingDueMs(windows: readonly WindowState[]): number {
  return windows.reduce((due, w) => (w.kind === 'sliding' ? Math.min(due, nextReadMs(w)) : due), Infinity);
}

/**
 * When a wait for the room of a window may end at the earliest: readings in a row that leave no room come further and further apart, never in a busy
 * loop. Where our own requests are about to leave a sliding window, no reading follows.
 */
export function earliestRereadMs(
  windows: readonly WindowState[],
  emptyReadings: number,
  waited: RateWindowName,
  log: RequestLog,
): number {
  const window = windows.find(({ name }) => name === waited);
  const isCredited = window?.kind === 'sliding' && log.at(window.creditFrom) !== undefined;
  if (emptyReadings === 0 || isCredited) return 0;
  const [readAtMs, lengthMs] = windows.reduce(
    ([at, length], w) => [Math.max(at, w.readAtMs), Math.min(length, w.lengthMs)],
    [0, Infinity],
  );
  return readAtMs + Math.min(lengthMs, 1000 * 2 ** emptyReadings);
}

/** Whether a pause for this window ends by the service's clock, as far as it is known. */
export function isResetMapped({ kind, ownReset }: WindowState): boolean {
  return kind !== 'sliding' && ownReset === undefined;
}

/** A request that waits for a tick is sent at least so long before the window resets. */
const TICK_MARGIN_MS = 200;

/** When the last request before a pause goes out, to tell most about the service's clock; undefined when it need not wait for that. */
export function tickBeforePause(
  windows: readonly WindowState[],
  offset: Offset | undefined,
  nowMs: number,
  latencyMs: number,
): number | undefined {
  const last = windows.find((window) => window.room === 1 && isResetMapped(window));
  if (last?.resetServerMs === undefined || offset === undefined) return undefined;
  const tickMs = nextTickMs(offset, nowMs, latencyMs);
  return tickMs === undefined || tickMs + TICK_MARGIN_MS > last.resetServerMs - offset.highMs
    ? undefined
    : tickMs;
}

/** The window as the forecast and the waiting see it. */
export function viewOf(
  window: WindowState,
  log: RequestLog,
  offset: Offset | undefined,
  nowMs: number,
): RateWindow {
  const oldest = log.at(window.creditFrom);
  // Reading the account needs room as well, so it comes only when none of our own requests is left to make some.
  const slideMs =
    oldest === undefined
      ? nextReadMs(window)
      : (oldest.answeredMs ?? nowMs) + window.lengthMs + SLIDE_GUARD_MS;
  return {
    name: window.name,
    room: window.room,
    resetAtMs: window.kind === 'sliding' ? slideMs : resetMs(window, offset),
  };
}
