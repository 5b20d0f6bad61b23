import { UsageError } from '../model/error.ts';
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

/**
 * One `--set switch=value` as settings to spread over others.
 * @throws UsageError `sandbox.setting` for an unknown switch (the nearest known one is named) or a value that the switch does not take.
 */
export function parseSetting(text: string): Partial<Settings> {
  const [, name = text, value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (!isSwitch(name)) throw noSwitch(name, `--set ${text}: `);
  const read = readValue(name, value);
  checkSetting(name, read, `--set ${text}`);
  return { [name]: read };
}

/**
 * The defaults with `given` over them; what is undefined is not given.
 * @throws UsageError `sandbox.setting` for an unknown switch or a value that its switch does not take.
 */
export function completeSettings(given: Partial<Settings>): Settings {
  const said = Object.entries<unknown>(given).filter(([, value]) => value !== undefined);
  for (const [name, value] of said) {
    if (!isSwitch(name)) throw noSwitch(name, '');
    checkSetting(name, value, name);
  }
  return { ...DEFAULT_SETTINGS, ...Object.fromEntries(said) };
}

const noSwitch = (name: string, where: string): UsageError =>
  new UsageError('sandbox.setting', `${where}there is no switch "${name}"`, {
    next: `did you mean ${nearest(name, SWITCH_NAMES)}? teamsheet sandbox profiles lists them.`,
  });

function checkSetting(name: SwitchName, value: unknown, where: string): void {
  if (takes(name, value)) return;
  throw new UsageError('sandbox.setting', `${where}: ${name} takes ${valuesOf(name)}`, {
    next: `write for example ${name}=${DEFAULT_SETTINGS[name]}`,
  });
}

function isSwitch(name: string): name is SwitchName {
  return Object.hasOwn(SWITCHES, name);
}

/** The one of `names` that is fewest edits away from `name`. */
export function nearest<Name extends string>(name: string, names: readonly Name[]): Name | '' {
  return names.reduce<Name | ''>(
    (best, other) => (best === '' || distance(name, other) < distance(name, best) ? other : best),
    '',
  );
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
