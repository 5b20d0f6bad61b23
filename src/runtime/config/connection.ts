import { isAbsolute, resolve } from 'node:path';
import { ConfigError, type Place } from '../../model/error.ts';
import { Secret } from '../../model/secret.ts';
import { warnIfOpenToOthers } from '../../tables/regular-file.ts';
import { parseBaseUrl } from './base-url.ts';
import type { ConfigFile } from './config-file.ts';
import type { Config } from './config.ts';
import { readOptionalText } from './env-file.ts';
import { at, replaceNames, requireName } from './names.ts';

/** A service to speak with. */
export interface Connection {
  readonly environment: string;
  readonly baseUrl: string;
  readonly apiKey: Secret;
  readonly warnings: readonly string[];
}

/** A service that is named beside the configuration. Errors: ConfigError `base_url.*`, `key.invalid`. */
export function connectionTo(baseUrl: string, apiKey: string, environment = 'default'): Connection {
  return {
    environment,
    baseUrl: parseBaseUrl(baseUrl),
    apiKey: keyOf(apiKey, 'apiKey', {}),
    warnings: [],
  };
}

/** The service of the chosen environment and its key. Errors: ConfigError `config.environment`, `config.unset`, `base_url.*`, `key.*`. */
export function connectionOf(config: Config): Connection {
  const { name, chosen } = chosenEnvironment(config);
  const path = ['environments', name];
  const urlPlace = config.placeOf([...path, 'base_url']);
  const baseUrl = parseBaseUrl(replaceNames(chosen.base_url, config.env, urlPlace), urlPlace);
  const key = readKey(chosen.api_key, config, config.placeOf([...path, 'api_key']));
  return { environment: name, baseUrl, ...key };
}

/** Where the key of the chosen environment is to be set, for people. Errors: ConfigError `config.environment`. */
export function keyPlace(config: Config): string {
  const { api_key: source } = chosenEnvironment(config).chosen;
  return 'env' in source ? `${source.env} in .env or in the environment` : source.file;
}

/** What the environment in force is called, where there is one or not. */
export function environmentOf({ environments = {}, environment }: Config): string {
  const [only, ...others] = Object.keys(environments);
  return environment ?? (others.length === 0 ? only : undefined) ?? 'default';
}

interface Chosen {
  readonly name: string;
  readonly chosen: NonNullable<ConfigFile['environments']>[string];
}

function chosenEnvironment({ environments = {}, environment, placeOf, file }: Config): Chosen {
  const names = Object.keys(environments);
  const name = environment ?? (names.length === 1 ? names[0] : undefined);
  const chosen = name === undefined ? undefined : environments[name];
  if (file !== undefined && names.length === 0)
    throw new ConfigError('config.environment', `${file} names no service`, {
      next: 'Name it there: environments: { default: { base_url: "${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } } }',
    });
  if (name === undefined || chosen === undefined) throw noEnvironment(name, names, placeOf(['environment']));
  return { name, chosen };
}

function noEnvironment(name: string | undefined, names: readonly string[], place: Place): ConfigError {
  if (names.length === 0) {
    return new ConfigError(
      'config.missing',
      'there is no teamsheet.yaml here or above, and TEAMSHEET_BASE_URL and TEAMSHEET_API_KEY are not set',
      {
        next: 'init',
      },
    );
  }
  const known = names.join(', ');
  return name === undefined
    ? new ConfigError(
        'config.environment',
        `several environments (${known}) and no default: add "environment:" or use --env`,
        place,
      )
    : new ConfigError('config.environment', `no environment is called "${name}"; there is ${known}`, place);
}

function readKey(
  source: NonNullable<ConfigFile['environments']>[string]['api_key'],
  config: Config,
  place: Place,
): Pick<Connection, 'apiKey' | 'warnings'> {
  if ('env' in source)
    return { apiKey: keyOf(requireName(source.env, config.env, place), source.env, place), warnings: [] };
  const path = replaceNames(source.file, config.env, place);
  const file = isAbsolute(path) ? path : resolve(config.folder, path);
  const text = readOptionalText(file, 'key.unreadable');
  if (text === undefined)
    throw new ConfigError('key.missing', `${at(place)}the key file ${path} does not exist`, place);
  return { apiKey: keyOf(text.trim(), path, place), warnings: warnIfOpenToOthers(file) };
}

/** Servers take about twice that for all headers of a request. */
const LONGEST_KEY = 4096;

/** A key that no HTTP header can carry is refused before it is used; it is never quoted. */
function keyOf(text: string, from: string, place: Place): Secret {
  if (text.length > LONGEST_KEY)
    throw new ConfigError(
      'key.invalid',
      `${at(place)}the key in ${from} has ${text.length} characters, at most ${LONGEST_KEY} can be sent`,
      { ...place, next: 'name the file or the variable that holds the key alone' },
    );
  if (/^[\x21-\x7e]+$/.test(text)) return new Secret(text);
  throw new ConfigError(
    'key.invalid',
    `${at(place)}the key in ${from} is empty or holds blanks or characters that no header can carry`,
    place,
  );
}
