import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { StoppedError } from '../../model/error.ts';
import type { Clock } from '../../model/ports.ts';
import type { HeldLock } from '../../model/state/store.ts';
import { lockFolder, lockSite } from '../../state/sqlite/lock.ts';
import type { Config } from '../config/config.ts';
import type { PublishSettings } from './publish-settings.ts';

const LONGEST_WAIT_MS = 60_000;
const LOOK_MS = 200;

interface Waiting {
  readonly config: Pick<Config, 'env'>;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly signal: AbortSignal;
}

/**
 * Does the work while no other process of this machine publishes into the folder; waits a minute for one that does. Errors: StoppedError `publish.busy`, UnavailableError
 * `state.unwritable`, the reason of the signal; those of the work.
 */
export async function inTurn<T>(
  { out, shownOut }: Pick<PublishSettings, 'out' | 'shownOut'>,
  { config: { env }, clock, signal }: Waiting,
  work: () => Promise<T>,
): Promise<T> {
  const site = await realpath(out).catch(() => resolve(out));
  const untilMs = clock.monotonic() + LONGEST_WAIT_MS;
  let held: HeldLock | undefined;
  while (held === undefined) {
    try {
      held = await lockSite(lockFolder(env), site, shownOut);
    } catch (error) {
      if (!(error instanceof StoppedError) || clock.monotonic() >= untilMs) throw error;
      await clock.sleep(LOOK_MS, signal);
    }
  }
  try {
    return await work();
  } finally {
    await held.release();
  }
}
