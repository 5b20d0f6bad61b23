import { createLock, lockFolder } from '../state/sqlite-lock.ts';
import { openStore } from '../state/sqlite-store.ts';
import type { Lock, Store } from '../model/store.ts';
import type { Config } from './config.ts';
import { warnIfOthersCanRead } from './env-file.ts';
import type { Program } from './program.ts';
import type { Screen } from './screen.ts';

/** Opens the state file of a configuration, making it when it is missing. Errors: ConfigError and UnavailableError `state.*`. */
export async function openState(
  config: Pick<Config, 'state'>,
  { clock, screen }: Pick<Program, 'clock'> & { readonly screen: Pick<Screen, 'warn'> },
): Promise<Store> {
  const store = await openStore({ file: config.state, clock });
  for (const warning of warnIfOthersCanRead(config.state)) screen.warn(warning);
  return store;
}

/** The lock of this machine. */
export function openLock(config: Config): Lock {
  return createLock({ folder: lockFolder(config.env) });
}
