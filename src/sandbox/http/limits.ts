import { byName } from '../../contract/by-name.ts';
import { FEATURES, type Feature } from '../../contract/endpoint.ts';
import { Refusal } from '../refusal.ts';
import { COUNTED } from '../store/migrations.ts';
import type { Store } from '../store/store.ts';
import { DEFAULT_SETTINGS, type Settings } from '../switches.ts';
import { openWindow, type RateWindow } from './windows.ts';

const DAY_MS = 86_400_000;
const META = 'rate_windows';

/** What an account may do, accounted on the time of the service. */
export interface Limits {
  /** Counts one request in both windows. @throws Refusal 429 when a window is full; whether that one counts is a setting. */
  admit(): void;
  /** Both windows as the account reports them (section 2.1). */
  windows(): Readonly<Record<'per_minute' | 'per_day', ReturnType<typeof reportWindow>>>;
  /** The five quotas as the account reports them, counted in `store`. */
  quotas(store: Store): Readonly<Record<Feature, ReturnType<typeof reportQuota>>>;
  /** @throws Refusal 403 (or 429) when `count` more records of the feature would pass its quota. */
  reserve(feature: Feature, count: number): void;
  /** Keeps the use of the windows for the next start on the same file. */
  save(): void;
  /** Begins both windows again. */
  clear(): void;
}

/** The limits of an account, which go on from what {@link Limits.save} kept; `clockMs` is milliseconds since the epoch. */
export function openLimits(settings: Settings, clockMs: () => number, store: Store): Limits {
  const [keptMinute, keptDay] = readKept(store.readMeta(META));
  const minute = openWindow(settings.windows, {
    limit: settings.per_minute,
    lengthMs: settings.window_seconds * 1_000,
    text: `${settings.window_seconds}s`,
    kept: keptMinute,
  });
  const day = openWindow(settings.windows, {
    limit: settings.per_day,
    lengthMs: DAY_MS,
    text: '1d',
    kept: keptDay,
  });
  const windows = [minute, day];
  const maxOf = (feature: Feature): number => settings[`quota_${feature}`];
  const save = (): void => store.writeMeta(META, JSON.stringify(windows.map((window) => window.keep())));
  return {
    admit: () => {
      const nowMs = clockMs();
      const full = windows.findLast((window) => window.used(nowMs) >= window.limit);
      if (full === undefined || settings.refused_calls === 'counted') {
        for (const window of windows) window.count(nowMs);
      }
      if (full !== undefined) throw exhausted(full, nowMs, settings);
    },
    windows: () => {
      const nowMs = clockMs();
      return {
        per_minute: reportWindow(minute, nowMs, settings),
        per_day: reportWindow(day, nowMs, settings),
      };
    },
    quotas: (counted) =>
      byName(FEATURES, (feature) => reportQuota(maxOf(feature), usedOf(counted, feature), settings)),
    reserve: (feature, count) => {
      const [max, used] = [maxOf(feature), usedOf(store, feature)];
      if (used + count <= max) return;
      const asked = count === 1 ? '1 more was asked' : `${count} more were asked`;
      throw new Refusal(
        settings.quota_refusal === 'forbidden' ? 403 : 429,
        `the quota of ${feature} is ${max}: ${used} are used and ${asked}`,
      );
    },
    save,
    clear: () => {
      for (const window of windows) window.clear();
      save();
    },
  };
}

/** Records are numbered from 1 without a gap and never deleted. */
function usedOf(store: Store, feature: Feature): number {
  return store.count(`SELECT coalesce(max(rowid), 0) AS n FROM ${COUNTED[feature]}`);
}

function readKept(kept: string | undefined): readonly unknown[] {
  // The value is only ever written by `save`.
  return kept === undefined ? [] : (JSON.parse(kept) as readonly unknown[]);
}

function exhausted(window: RateWindow, nowMs: number, settings: Settings): Refusal {
  const resetMs = window.resetMs(nowMs);
  const seconds = Math.max(1, Math.ceil((resetMs - nowMs) / 1_000));
  const what = `the limit of ${window.limit} requests in ${window.text} is reached`;
  return new Refusal(
    429,
    `${what}; it resets at ${new Date(resetMs).toISOString()}`,
    retryAfter(settings.retry_after, seconds, nowMs),
  );
}

/** The header Retry-After in the form that is asked for; undefined without one. */
function retryAfter(form: Settings['retry_after'], seconds: number, nowMs: number): string | undefined {
  switch (form) {
    case 'seconds':
      return String(seconds);
    case 'date':
      // A date has no fractions of a second, and one that is past sends clients back at once.
      return new Date(Math.ceil(nowMs / 1_000) * 1_000 + seconds * 1_000).toUTCString();
    case 'garbage':
      return 'soon';
    case 'zero':
      return '0';
    case 'absent':
      return undefined;
  }
}

function reportWindow(window: RateWindow, nowMs: number, settings: Settings) {
  const used = window.used(nowMs);
  const resetMs = window.resetMs(nowMs) + settings.reset_skew_seconds * 1_000;
  return {
    limit: window.limit,
    window: window.text,
    used,
    remaining: Math.max(0, window.limit - used),
    reset_at: new Date(resetMs).toISOString(),
  };
}

function reportQuota(max: number, used: number, settings: Settings) {
  const isUnlimited = max >= DEFAULT_SETTINGS.quota_users && settings.quota_unlimited !== 'number';
  const shown = settings.quota_unlimited === 'zero' ? 0 : -1;
  const isBlocked = used >= max;
  return {
    max: isUnlimited ? shown : max,
    used,
    remaining: isUnlimited ? shown : Math.max(0, max - used),
    state: isBlocked ? 'exhausted' : 'available',
    is_blocked: isBlocked,
  };
}

/** @throws Refusal 413 (or 400) when a request holds more rows than one may. */
export function checkBatch(settings: Settings, field: string, rows: number): void {
  const most = settings.max_batch;
  if (most === 0 || rows <= most) return;
  throw new Refusal(Number(settings.limit_status), `${field}: ${rows} rows in one request, at most ${most}`);
}
