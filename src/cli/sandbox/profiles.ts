import {
  DEFAULT_SETTINGS,
  FAULT_KINDS,
  PROFILES,
  SWITCHES,
  SWITCH_NAMES,
  valuesOf,
} from '../../sandbox/index.ts';

/** Every profile with what it stands for and sets, every switch with what it takes, and every kind of fault, as data. */
export function profilesAsData(): object {
  return {
    profiles: PROFILES,
    switches: Object.fromEntries(
      SWITCH_NAMES.map((name) => [
        name,
        { about: SWITCHES[name].about, default: DEFAULT_SETTINGS[name], takes: valuesOf(name) },
      ]),
    ),
    faults: FAULT_KINDS,
  };
}

/** The same as text for people. */
export function profilesAsText(): string {
  const profiles = Object.entries(PROFILES).map(([name, { about, settings }]) => {
    const set = Object.entries(settings).map(([key, value]) => `${key}=${String(value)}`);
    return [`  ${name}`, `      ${about}`, ...(set.length === 0 ? [] : [`      ${set.join(' ')}`])].join(
      '\n',
    );
  });
  const switches = SWITCH_NAMES.map(
    (name) =>
      `  ${name}=${DEFAULT_SETTINGS[name]}\n      ${SWITCHES[name].about}\n      takes ${valuesOf(name)}`,
  );
  return [
    'Profiles (--profile NAME), each with what it stands for and what it sets:',
    ...profiles,
    '',
    'Switches (--set SWITCH=VALUE), each with its default, what it stands for and what it takes:',
    ...switches,
    '',
    'Faults (--faults FILE, POST /control/faults), each with what happens:',
    ...Object.entries(FAULT_KINDS).map(([kind, { about }]) => `  ${kind}\n      ${about}`),
  ].join('\n');
}
