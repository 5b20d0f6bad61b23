import { createLock, lockFolder } from '../state/sqlite-lock.ts';
import { openStore } from '../state/sqlite-store.ts';
import type { Lock, Store } from '../model/store.ts';
import type { Config } from './config.ts';
import type { Program } from './program.ts';

/** Opens the state file of a configuration, making it when it is missing. Errors: ConfigError and UnavailableError `state.*`. */
export function openState(config: Config, { clock }: Pick<Program, 'clock'>): Promise<Store> {
  return openStore({ file: config.state, clock });
}

/** The lock of this machine. */
export function openLock(config: Config): Lock {
  return createLock({ folder: lockFolder(config.env) });
}
