/** A pause that a number of requests makes necessary. */
export interface Pause {
  /** Wall-clock time at which sending goes on. */
  readonly untilMs: number;
  readonly seconds: number;
  readonly reason: string;
}

/** Requests of one kind that are to be sent; the next step begins when all of them are answered. */
export interface RequestStep {
  readonly requests: number;
  /** Most of them in flight; the client may allow fewer. */
  readonly inFlight: number;
  /** The rows that they carry, as many in each as in the others but the last. */
  readonly rows: number;
  /** Least time from one to the next, as for records on disk that each needs; none unless told. */
  readonly betweenMs?: number;
}

/** What keeps back requests that do not fit. */
export type ForecastLimit = 'max_wait' | 'max_requests' | 'finish_by' | 'reserve';

/** What a number of requests costs in time. */
export interface Forecast {
  readonly pauses: readonly Pause[];
  readonly finishesAtMs: number;
  /** Requests in all, the account calls on the way included. */
  readonly requests: number;
  /** Requests of those asked that are sent before something keeps back the rest. */
  readonly fits: number;
  /** The rows in these requests. */
  readonly fittingRows: number;
  /** Undefined when everything fits. */
  readonly limitedBy: ForecastLimit | undefined;
  /** Wall-clock time of `--finish-by`; undefined without it. */
  readonly finishByMs: number | undefined;
  /**
   * The account does not show whether a window is fixed or sliding. The forecast is then that of a sliding one, which takes longer: what happens
   * may be over sooner.
   */
  readonly atTheLatest: boolean;
}

/** The two rate windows that the account reports (section 2.1 of the service's interface). */
export const RATE_WINDOWS = ['per_minute', 'per_day'] as const;
export type RateWindowName = (typeof RATE_WINDOWS)[number];

/** One rate window as it stands now. Times are milliseconds of any one clock. */
export interface RateWindow {
  readonly name: RateWindowName;
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
