import { FEATURES } from '../contract/endpoint.ts';
import type { Feature } from '../contract/endpoint.ts';
import type { Clock } from '../model/ports.ts';
import { Refusal } from './refusal.ts';
import { QUOTA_SWITCH } from './settings.ts';
import type { Settings } from './settings.ts';
import type { Store } from './store.ts';

/** A fixed rate window: whole lengths since the epoch, so that a day ends at midnight UTC. */
interface RateWindow {
  readonly limit: number;
  readonly lengthMs: number;
  /** How the account names it. */
  readonly text: string;
  startMs: number;
  used: number;
}

const DAY_MS = 86_400_000;
const META = 'rate_windows';

/** What an account may do, accounted on real time. */
export interface Limits {
  /** Counts one request in both windows. @throws Refusal 429 with the seconds to wait, and counts nothing, when a window is full. */
  admit(): void;
  /** Both windows as the account reports them (section 2.1). */
  windows(): Readonly<Record<'per_minute' | 'per_day', ReturnType<typeof reportWindow>>>;
  /** The five quotas as the account reports them. */
  quotas(): Readonly<Record<Feature, ReturnType<typeof reportQuota>>>;
  /** @throws Refusal 403 when `count` more records of the feature would pass its quota. */
  reserve(feature: Feature, count: number): void;
  /** Keeps the use of the windows for the next start on the same file. */
  save(): void;
}

/** Where the records of a feature are counted. A fantasy league brings one contest, its overall ranking. */
const TABLES = {
  fantasy_leagues: 'fantasy_leagues',
  mini_leagues: 'mini_leagues',
  squads: 'squads',
  contests: 'fantasy_leagues',
  users: 'users',
} as const satisfies Record<Feature, string>;

/** The limits of a sandbox, which go on from what {@link Limits.save} kept. */
export function openLimits(settings: Settings, clock: Clock, store: Store): Limits {
  const windowMs = settings.window_seconds * 1_000;
  const minute = openWindow(settings.per_minute, windowMs, `${settings.window_seconds}s`);
  const day = openWindow(settings.per_day, DAY_MS, '1d');
  const windows = [minute, day];
  restore(windows, store.readMeta(META));
  const roll = (): number => {
    const nowMs = clock.now();
    for (const window of windows) rollTo(window, nowMs);
    return nowMs;
  };
  const usedOf = (feature: Feature): number => store.count(`SELECT count(*) AS n FROM ${TABLES[feature]}`);
  const maxOf = (feature: Feature): number => settings[QUOTA_SWITCH[feature]];
  return {
    admit: () => {
      const nowMs = roll();
      const full = windows.findLast((window) => window.used >= window.limit);
      if (full !== undefined) throw exhausted(full, nowMs);
      for (const window of windows) window.used += 1;
    },
    windows: () => {
      roll();
      return { per_minute: reportWindow(minute), per_day: reportWindow(day) };
    },
    quotas: () =>
      Object.fromEntries(
        FEATURES.map((feature) => [feature, reportQuota(maxOf(feature), usedOf(feature))]),
      ) as Record<Feature, ReturnType<typeof reportQuota>>,
    reserve: (feature, count) => {
      const [max, used] = [maxOf(feature), usedOf(feature)];
      if (used + count <= max) return;
      const asked = count === 1 ? '1 more was asked' : `${count} more were asked`;
      throw new Refusal(403, `the quota of ${feature} is ${max}: ${used} are used and ${asked}`);
    },
    save: () =>
      store.writeMeta(META, JSON.stringify(windows.map(({ startMs, used }): Kept => [startMs, used]))),
  };
}

function openWindow(limit: number, lengthMs: number, text: string): RateWindow {
  return { limit, lengthMs, text, startMs: 0, used: 0 };
}

type Kept = readonly [startMs: number, used: number];

function restore(windows: readonly RateWindow[], kept: string | undefined): void {
  // The value is only ever written by `save`.
  const all = kept === undefined ? [] : (JSON.parse(kept) as readonly Kept[]);
  for (const [index, [startMs, used]] of all.entries())
    Object.assign(windows[index] ?? {}, { startMs, used });
}

function rollTo(window: RateWindow, nowMs: number): void {
  const startMs = nowMs - (nowMs % window.lengthMs);
  if (startMs === window.startMs) return;
  window.startMs = startMs;
  window.used = 0;
}

function exhausted(window: RateWindow, nowMs: number): Refusal {
  const resetMs = window.startMs + window.lengthMs;
  const seconds = Math.max(1, Math.ceil((resetMs - nowMs) / 1_000));
  const what = `the limit of ${window.limit} requests in ${window.text} is reached`;
  return new Refusal(429, `${what}; it resets at ${new Date(resetMs).toISOString()}`, seconds);
}

function reportWindow(window: RateWindow) {
  return {
    limit: window.limit,
    window: window.text,
    used: window.used,
    remaining: Math.max(0, window.limit - window.used),
    reset_at: new Date(window.startMs + window.lengthMs).toISOString(),
  };
}

function reportQuota(max: number, used: number) {
  const isBlocked = used >= max;
  return {
    max,
    used,
    remaining: Math.max(0, max - used),
    state: isBlocked ? 'exhausted' : 'available',
    is_blocked: isBlocked,
  };
}

/** @throws Refusal 413 when a request holds more rows than one may. */
export function checkBatch(settings: Settings, field: string, rows: number): void {
  const most = settings.max_batch;
  if (most === 0 || rows <= most) return;
  throw new Refusal(413, `${field}: ${rows} rows in one request, at most ${most}`);
}
