import { ConfigError, type Place } from '../../model/error.ts';
import type { ConfigFile } from './config-file.ts';
import type { Environment } from './env-file.ts';

const HINTS: Readonly<Record<string, string>> = {
  TEAMSHEET_BASE_URL: 'the address of the service, from your provider',
  TEAMSHEET_API_KEY: 'your key, from your provider',
};

const NAME = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Replaces every `${NAME}` in a text. Errors: ConfigError `config.unset`. */
export function replaceNames(text: string, env: Environment['values'], place: Place): string {
  return text.replace(NAME, (_whole, name: string) => requireName(name, env, place));
}

/** The value of a variable that must be set. Errors: ConfigError `config.unset`. */
export function requireName(name: string, env: Environment['values'], place: Place): string {
  const value = env[name];
  if (value !== undefined && value !== '') return value;
  const hint = HINTS[name];
  throw new ConfigError(
    'config.unset',
    `${at(place)}${name} is not set${hint === undefined ? '' : `: it is ${hint}`}`,
    {
      ...place,
      next: `put ${name}=… into the .env beside teamsheet.yaml, or into the environment`,
    },
  );
}

/** `file:line:column: `, as messages begin. */
export function at({ file, line, column }: Place): string {
  return file === undefined ? '' : `${file}:${line ?? 1}:${column ?? 1}: `;
}

/** The variables of the file. A blank one is as good as none. One whose environment variable is not set counts as not set itself, so that only what needs it stops. */
export function varsOf(
  vars: ConfigFile['vars'],
  env: Environment['values'],
): Readonly<Record<string, string | undefined>> {
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  return Object.fromEntries(
    Object.entries(vars).flatMap(([name, value]) => {
      const text = String(value ?? '').trim();
      if (text === '') return [];
      const whole = [...text.matchAll(NAME)].every(([, used = '']) => isSet(used));
      return [[name, whole ? replaceNames(text, env, {}) : undefined]];
    }),
  );
}
