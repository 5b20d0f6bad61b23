import { FEATURES } from '../contract/endpoint.ts';
import type { Feature } from '../contract/endpoint.ts';
import { UsageError } from '../model/error.ts';

/** Every switch of `--set` with the least value it takes and what it starts as. Quotas count records, `_ms` is milliseconds. */
const SWITCHES = {
  /** Requests in one minute window. */
  per_minute: { least: 0, value: 600 },
  /** Requests in one day window (UTC). */
  per_day: { least: 0, value: 100_000 },
  /** Length of the minute window. */
  window_seconds: { least: 1, value: 60 },
  /** Records on a page of a list. */
  page_size: { least: 1, value: 50 },
  /** Wait before each answer. */
  latency_ms: { least: 0, value: 0 },
  /** Most rows in one POST /user or POST /price; 0 = no limit. */
  max_batch: { least: 0, value: 0 },
  quota_fantasy_leagues: { least: 0, value: 1_000_000 },
  quota_mini_leagues: { least: 0, value: 1_000_000 },
  quota_squads: { least: 0, value: 1_000_000 },
  quota_contests: { least: 0, value: 1_000_000 },
  quota_users: { least: 0, value: 1_000_000 },
} as const satisfies Record<string, { least: number; value: number }>;

type Switch = keyof typeof SWITCHES;
/** The values of all switches. */
export type Settings = Readonly<Record<Switch, number>>;

const NAMES = Object.keys(SWITCHES) as readonly Switch[];
/** No switch may pass this: every sum of settings stays an exact integer. */
const MOST = 1_000_000_000;

/** The settings of a sandbox that was given none. */
const DEFAULT_SETTINGS: Settings = Object.fromEntries(
  NAMES.map((name) => [name, SWITCHES[name].value]),
) as Settings;

/** The switch that holds the quota of a feature. */
export const QUOTA_SWITCH = Object.fromEntries(
  FEATURES.map((feature) => [feature, `quota_${feature}`]),
) as Readonly<Record<Feature, Switch>>;

/**
 * One `--set switch=value` as settings to spread over others.
 * @throws UsageError `sandbox.setting` for an unknown switch (the nearest known one is named) or a value that the switch does not take.
 */
export function parseSetting(text: string): Partial<Settings> {
  const [, name = text, value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (!isSwitch(name)) {
    throw new UsageError('sandbox.setting', `--set ${text}: there is no switch "${name}"`, {
      next: `did you mean ${nearest(name)}? The switches are ${NAMES.join(', ')}.`,
    });
  }
  const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
  checkSetting(name, number, `--set ${text}`);
  return { [name]: number };
}

/**
 * The defaults with `given` over them.
 * @throws UsageError `sandbox.setting` for a value that its switch does not take.
 */
export function completeSettings(given: Partial<Settings>): Settings {
  for (const name of NAMES) {
    const value = given[name];
    if (value !== undefined) checkSetting(name, value, name);
  }
  return { ...DEFAULT_SETTINGS, ...given };
}

function checkSetting(name: Switch, value: number, where: string): void {
  const { least } = SWITCHES[name];
  if (Number.isInteger(value) && value >= least && value <= MOST) return;
  throw new UsageError('sandbox.setting', `${where}: ${name} takes a whole number from ${least} to ${MOST}`, {
    next: `write for example ${name}=${SWITCHES[name].value}`,
  });
}

function isSwitch(name: string): name is Switch {
  return Object.hasOwn(SWITCHES, name);
}

function nearest(name: string): Switch {
  return NAMES.reduce((best, other) => (distance(name, other) < distance(name, best) ? other : best));
}

/** Edits (insert, delete, replace) that turn one word into the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replace = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
