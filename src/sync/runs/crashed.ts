import { isMaybeApplied, isOpenIntent } from '../../plan/intent-lifecycle.ts';
import type { LockLook, Run, ServiceAccount, Store, StoredIntent } from '../../model/state/store.ts';
import { StoppedError } from '../../model/error.ts';
import { hasLostRows, nextAfterLoss } from '../journal/lost-rows.ts';
import { overtakenMappings } from './superseded.ts';
import { pushedMappings } from '../journal/stored-run.ts';

/** A run whose process is gone without a word, and what it came to. */
export interface CutOff {
  readonly run: Run;
  /** Rows of its sources; 0 for a run that was interrupted before its plan, and for a raw call. */
  readonly rows: number;
  readonly done: number;
  /** Rows that were sent and whose answer was not recorded. */
  readonly unclear: number;
  /** Its mappings that a later run has read again: what is left of them is not sent. */
  readonly overtaken: readonly string[];
  /** Its rows are lost, so that it cannot go on. */
  readonly isLost: boolean;
  /** The command that helps then. */
  readonly nextAfterLoss: string | undefined;
  /** The first of its writes without an answer. */
  readonly openIntent: string | undefined;
}

/** Runs that are looked at for those that were cut off. */
const NEWEST = 100;

/**
 * The runs that fit and that no process carries on, newest first: the newest of all, and older ones with writes of which nobody knows what became. Only reads.
 */
export async function cutOffRuns(
  ports: { readonly store: Store; readonly lock: LockLook },
  fits: (run: Run) => boolean,
): Promise<readonly CutOff[]> {
  const runs = (await ports.store.runs(NEWEST)).filter(fits);
  const found: CutOff[] = [];
  for (const [age, run] of runs.entries()) {
    if (run.phase === 'ended') continue;
    const intents = await ports.store.intents(run.id);
    const open = intents.filter(isOpenIntent);
    // A stop before the plan was complete was told by its command; a run that was begun again since is no matter any more.
    const isTold = run.phase === 'planning' && run.exitCode !== null;
    const isLeft = age === 0 && !run.finished && !isTold;
    if (!isLeft && open.length === 0) continue;
    if (await isHeld(ports.lock, run.account)) continue;
    const overtaken = overtakenMappings(run, runs.slice(0, age));
    found.push({
      ...(await lookAt(ports.store, run, intents)),
      overtaken,
      openIntent: open[0]?.id,
      nextAfterLoss: nextAfterLoss(run, open.length > 0),
    });
  }
  return found;
}

/** Whether a process writes to an account now. */
export async function isHeld(lock: LockLook, account: ServiceAccount): Promise<boolean> {
  try {
    await lock.refuseHeld(account);
    return false;
  } catch (error) {
    if (error instanceof StoppedError && error.code === 'lock.held') return true;
    throw error;
  }
}

async function lookAt(
  store: Store,
  run: Run,
  intents: readonly StoredIntent[],
): Promise<Pick<CutOff, 'run' | 'rows' | 'done' | 'unclear' | 'isLost'>> {
  const kept = run.phase === 'planning' ? undefined : await store.keptRunRows(run.id);
  let [rows, done, unclear] = [0, 0, 0];
  try {
    const isLost = await hasLostRows(run, kept);
    for (const { name } of kept === undefined ? [] : pushedMappings(run)) {
      const counts = (await kept?.countOutcomes(name)) ?? new Map<string, number>();
      for (const [outcome, count] of counts) {
        rows += count;
        if (outcome !== 'open' && outcome !== 'deferred' && outcome !== 'unknown') done += count;
      }
      // An answer may have been recorded and not its rows.
      const sent = intents.filter((intent) => intent.mapping === name && isMaybeApplied(intent));
      const numbers = [...new Set(sent.flatMap(({ rowNumbers }) => rowNumbers))];
      const found = (await kept?.rows(name, numbers)) ?? [];
      unclear += found.filter(({ outcome }) => outcome === null || outcome === 'unknown').length;
    }
    return { run, rows, done, unclear, isLost };
  } finally {
    await kept?.close();
  }
}
