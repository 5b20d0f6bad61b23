import { resolve } from 'node:path';
import { ALERT_EVENTS, type AlertEvent, type AlertShape, type SendFault } from '../../model/state/alerts.ts';
import { ConfigError } from '../../model/error.ts';
import { Secret } from '../../model/secret.ts';
import { warnIfOpenToOthers } from '../../tables/regular-file.ts';
import { isLoopback } from './base-url.ts';
import { type Config } from './config.ts';
import { replaceNames } from './names.ts';
import type { PublishConfig } from './publish-config.ts';
import type { SecretSource } from './schema-parts.ts';
import { readOptionalText } from './env-file.ts';

/** What of the configuration says who is told. */
export type AlertConfig = Pick<Config, 'alerts' | 'env' | 'folder'> &
  Partial<Pick<Config, 'publish' | 'leagues'>>;

/** Somebody who is told; the address is found out only when something is sent to it. */
export interface AlertAddress {
  /** What the configuration calls it, such as `slack env ALERT_URL`. */
  readonly to: string;
  readonly source: SecretSource;
  readonly allowPrivate: boolean;
}

export interface Webhook extends AlertAddress {
  readonly shape: AlertShape;
  readonly on: ReadonlySet<AlertEvent>;
}

/** The webhooks and pings of a configuration, in its order. */
export function addressesOf({ alerts }: Pick<AlertConfig, 'alerts'>): {
  readonly webhooks: readonly Webhook[];
  readonly pings: readonly AlertAddress[];
} {
  const webhooks = alerts.flatMap(
    ({ webhook, shape = 'json', on = ALERT_EVENTS, allow_private: allowPrivate }) =>
      webhook === undefined
        ? []
        : [{ to: `${shape} ${nameOf(webhook)}`, source: webhook, shape, on: new Set(on), allowPrivate }],
  );
  const pings = alerts.flatMap(({ ping, allow_private: allowPrivate }) =>
    ping === undefined ? [] : [{ to: `ping ${nameOf(ping)}`, source: ping, allowPrivate }],
  );
  return { webhooks, pings };
}

/** Where recaps are posted. */
export interface RecapAddress extends AlertAddress {
  readonly shape: AlertShape;
}

/** Where the recap of a league is posted; undefined where it is not. */
export function recapAddress({
  post,
  allow_private: allowPrivate = false,
}: PublishConfig): RecapAddress | undefined {
  if (post === undefined) return undefined;
  const { webhook: source, shape = 'json' } = post;
  return { to: `recap ${shape} ${nameOf(source)}`, source, shape, allowPrivate };
}

/** The same of all leagues of a configuration. */
export const recapAddresses = ({ publish, leagues = [] }: AlertConfig): readonly RecapAddress[] =>
  [publish, ...leagues.map((league) => league.publish)].flatMap((each) => (each && recapAddress(each)) ?? []);

const nameOf = (source: SecretSource): string =>
  'env' in source ? `env ${source.env}` : `file ${source.file}`;

/** The address as it stands in the environment or in its file now, with warnings about that file; or why there is none. */
export function addressOf(
  source: SecretSource,
  { env, folder }: AlertConfig,
): { readonly address: Secret; readonly warnings: readonly string[] } | { readonly fault: SendFault } {
  if ('env' in source) return found(env[source.env], []);
  try {
    const file = resolve(folder, replaceNames(source.file, env, {}));
    const text = readOptionalText(file, 'config.unreadable');
    return text === undefined ? { fault: 'unset' } : found(text, warnIfOpenToOthers(file));
  } catch (error) {
    if (error instanceof ConfigError) return { fault: 'unset' };
    throw error;
  }
}

function found(text: string | undefined, warnings: readonly string[]): ReturnType<typeof addressOf> {
  const address = text?.trim() ?? '';
  if (address === '') return { fault: 'unset' };
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isOpen = url?.protocol === 'http:' && !isLoopback(url.hostname);
  const http = isOpen ? ['it begins with http://, which shows it to the network; https:// does not'] : [];
  return { address: new Secret(address), warnings: [...warnings, ...http] };
}
