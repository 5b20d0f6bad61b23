import { createLock, lockFolder } from '../state/sqlite-lock.ts';
import { openStore } from '../state/sqlite-store.ts';
import type { Clock } from '../model/ports.ts';
import type { Lock, Store } from '../model/store.ts';
import { canonicalBaseUrl } from '../model/service-address.ts';
import { isLoopback } from './base-url.ts';
import type { Config } from './config.ts';
import { warnIfOpenToOthers } from '../tables/regular-file.ts';

/** Opens the state file of a configuration, making it when it is missing. Errors: ConfigError and UnavailableError `state.*`. */
export async function openState(
  config: Pick<Config, 'state'>,
  clock: Clock,
  warn: (message: string) => void,
): Promise<Store> {
  const store = await openStore({ file: config.state, clock });
  for (const warning of warnIfOpenToOthers(config.state)) warn(warning);
  return store;
}

/** The lock of this machine. */
export function openLock(config: Config): Lock {
  return createLock({ folder: lockFolder(config.env) });
}

/** Runs that are looked at for the name that a service had. */
const NEWEST = 1000;

/** The address that a state knows a service by: that of its newest run there, where the service is on this machine and has several names; else as it is. */
export async function rememberedBaseUrl(store: Pick<Store, 'runs'>, baseUrl: string): Promise<string> {
  const name = canonicalBaseUrl(baseUrl);
  if (!isLoopback(new URL(baseUrl).hostname)) return baseUrl;
  const runs = await store.runs(NEWEST);
  const known = runs.find(({ account }) => canonicalBaseUrl(account.baseUrl) === name);
  return known?.account.baseUrl ?? baseUrl;
}
