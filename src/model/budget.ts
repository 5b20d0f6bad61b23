/** A pause that a number of requests makes necessary. */
export interface Pause {
  /** Wall-clock time at which sending goes on. */
  readonly untilMs: number;
  readonly seconds: number;
  readonly reason: string;
}

/** What a number of requests costs in time. */
export interface Forecast {
  readonly pauses: readonly Pause[];
  readonly finishesAtMs: number;
  /** Requests in all, the account calls at the end of each pause included. */
  readonly requests: number;
  /** Requests that fit before a pause longer than the run may make; equal to what was asked when all fit. */
  readonly fits: number;
}

/** The two rate windows that the account reports (section 2.1 of the service's interface). */
export const RATE_WINDOWS = ['per_minute', 'per_day'] as const;
export type RateWindowName = (typeof RATE_WINDOWS)[number];

/** One rate window as it stands now. Times are milliseconds of any one clock. */
export interface RateWindow {
  readonly name: RateWindowName;
  /** Requests that a fresh window takes, the reserve left out; Infinity when the service sets no limit. */
  readonly capacity: number;
  readonly lengthMs: number;
  /** Requests that may be sent before the reset; zero or less means none. */
  readonly room: number;
  /** When there is room again: surely not before the service's own reset. */
  readonly resetAtMs: number;
}

/** A wait that the windows demand, and the window that demands the longest. */
export interface WindowWait {
  readonly untilMs: number;
  readonly window: RateWindowName;
}

/** Waits shorter than this are made in silence: neither the forecast nor the run calls them a pause. */
export const SHORTEST_PAUSE_MS = 1000;

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * The length of a window from its reported text, whose spelling the interface does not show: `60s`, `1m`, `minute`, `per_minute`, `PT1M`, `60`
 * (seconds), `86400`, `day`, `1d` and the like. Text of another kind gives 60 s for `per_minute` and 24 h for `per_day`.
 */
export function windowLengthMs(name: RateWindowName, text: string | null | undefined): number {
  const words = /^(?:per[\s_-]*)?(?:pt?(?=\d))?(\d+(?:\.\d+)?)?[\s_-]*([a-z]*)$/i.exec((text ?? '').trim());
  const amount = Number(words?.[1] ?? 1);
  const word = (words?.[2] ?? '').toLowerCase();
  const unit = word === '' && words?.[1] !== undefined ? 's' : word;
  const known = /^(s|m|h|d|secs?|seconds?|mins?|minutes?|hours?|hrs?|days?)$/.test(unit);
  if (unit === 'ms' && amount > 0) return amount;
  if (known && amount > 0) return amount * (UNIT_MS[unit.charAt(0)] ?? 0);
  return name === 'per_minute' ? 60_000 : 86_400_000;
}

/** Why a window makes a run pause, in the words of the plan and of the run. */
export function pauseReason(window: RateWindowName): string {
  return `the ${window} window of the service is used up`;
}

/** The wait before the next request may be sent; undefined when every window has room. */
export function nextWait(windows: readonly RateWindow[]): WindowWait | undefined {
  let wait: WindowWait | undefined;
  for (const { room, resetAtMs, name } of windows) {
    if (room <= 0 && (wait === undefined || resetAtMs > wait.untilMs))
      wait = { untilMs: resetAtMs, window: name };
  }
  return wait;
}

function spend(windows: readonly RateWindow[], requests: number): readonly RateWindow[] {
  return windows.map((window) => ({ ...window, room: window.room - requests }));
}

/** The windows after the account was read again at `atMs`, when nobody else spends: `readCost` is what that reading cost. */
function reopen(windows: readonly RateWindow[], atMs: number, readCost: number): readonly RateWindow[] {
  return windows.map((window) => {
    if (window.resetAtMs > atMs) return { ...window, room: window.room - readCost };
    const passed = Math.floor((atMs - window.resetAtMs) / window.lengthMs) + 1;
    return {
      ...window,
      room: window.capacity - readCost,
      resetAtMs: window.resetAtMs + passed * window.lengthMs,
    };
  });
}

/** What a forecast starts from. */
export interface ForecastStart {
  readonly windows: readonly RateWindow[];
  /** What one account call takes from the windows: 1, or 0 once it is known to be free. */
  readonly readCost: number;
  readonly nowMs: number;
  /** Added to a time of the windows' clock gives wall-clock time. */
  readonly toWallMs: number;
  readonly maxWaitMs: number;
}

/**
 * What `requests` more requests cost: bursts while every window has room, a pause until the exhausted ones have reset, one account call, and on.
 * Requests themselves take no time here, so this is the lower bound for windows that reset as a whole. It ends at the first pause that is longer
 * than `maxWaitMs`, or that no waiting cures because the reserve takes the whole window; `fits` then says how many requests went before.
 */
export function forecast(start: ForecastStart, requests: number): Forecast {
  const pauses: Pause[] = [];
  let { windows, nowMs: atMs } = start;
  let left = requests;
  let reads = 0;
  for (;;) {
    const room = Math.max(0, Math.min(...windows.map((window) => window.room)));
    const burst = Math.min(left, room);
    left -= burst;
    windows = spend(windows, burst);
    const wait = left === 0 ? undefined : nextWait(windows);
    if (wait === undefined) break;
    const curable = windows.every((window) => window.capacity - start.readCost > 0);
    const untilMs = Math.max(wait.untilMs, atMs);
    if (!curable || untilMs - atMs > start.maxWaitMs) break;
    if (untilMs - atMs >= SHORTEST_PAUSE_MS) {
      pauses.push({
        untilMs: Math.round(untilMs + start.toWallMs),
        seconds: Math.round((untilMs - atMs) / 1000),
        reason: pauseReason(wait.window),
      });
    }
    atMs = untilMs;
    reads += 1;
    windows = reopen(windows, atMs, start.readCost);
  }
  return {
    pauses,
    finishesAtMs: Math.round(atMs + start.toWallMs),
    requests: requests - left + reads,
    fits: requests - left,
  };
}
