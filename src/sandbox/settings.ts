import type { Feature } from '../contract/endpoint.ts';
import { UsageError } from '../model/error.ts';
import { nearest } from '../model/nearest.ts';
import {
  DEFAULT_SETTINGS,
  SWITCHES,
  SWITCH_NAMES,
  readValue,
  takes,
  valuesOf,
  type Settings,
  type SwitchName,
} from './switches.ts';

/** The switch that holds the quota of a feature. */
export const QUOTA_SWITCH = {
  fantasy_leagues: 'quota_fantasy_leagues',
  mini_leagues: 'quota_mini_leagues',
  squads: 'quota_squads',
  contests: 'quota_contests',
  users: 'quota_users',
} as const satisfies Record<Feature, SwitchName>;

/**
 * One `--set switch=value` as settings to spread over others.
 * @throws UsageError `sandbox.setting` for an unknown switch (the nearest known one is named) or a value that the switch does not take.
 */
export function parseSetting(text: string): Partial<Settings> {
  const [, name = text, value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (!isSwitch(name)) {
    throw new UsageError('sandbox.setting', `--set ${text}: there is no switch "${name}"`, {
      next: `${meant(name, SWITCH_NAMES)}teamsheet sandbox profiles lists them.`,
    });
  }
  const read = readValue(name, value);
  checkSetting(name, read, `--set ${text}`);
  return { [name]: read };
}

/**
 * The defaults with `given` over them.
 * @throws UsageError `sandbox.setting` for a value that its switch does not take.
 */
export function completeSettings(given: Partial<Settings>): Settings {
  for (const name of SWITCH_NAMES) {
    if (given[name] !== undefined) checkSetting(name, given[name], name);
  }
  return { ...DEFAULT_SETTINGS, ...given };
}

function checkSetting(name: SwitchName, value: unknown, where: string): void {
  if (takes(name, value)) return;
  throw new UsageError('sandbox.setting', `${where}: ${name} takes ${valuesOf(name)}`, {
    next: `write for example ${name}=${DEFAULT_SETTINGS[name]}`,
  });
}

function isSwitch(name: string): name is SwitchName {
  return Object.hasOwn(SWITCHES, name);
}

/** `did you mean x? ` or nothing. */
export function meant(name: string, names: readonly string[]): string {
  const near = nearest(name, names);
  return near === undefined ? '' : `did you mean ${near}? `;
}
