import type { Run, ServiceAccount, StrayRun } from '../model/state/store.ts';
import { pushedMappings } from './journal/stored-run.ts';
import type { SyncPorts } from './ports.ts';
import { replacedRuns } from './runs/superseded.ts';

/** Which runs may go: those that are finished or replaced, and neither among the newest `keep` nor younger than `olderThanMs`. */
export interface PruneOptions {
  readonly keep: number;
  readonly olderThanMs: number;
}

/** What pruning would remove, oldest first, and what stays although it is old. */
export interface PrunePlan {
  readonly runs: readonly Run[];
  readonly folders: readonly StrayRun[];
  /** Old runs that stay: `resume` or `resolve` still needs them. */
  readonly needed: readonly Run[];
  /** Runs that stay, those among them. */
  readonly kept: number;
}

/** A folder without a run may be that of a command that is still reading its tables. */
const STRAY_AFTER_MS = 24 * 60 * 60 * 1000;

/** Finds the runs and folders that nothing needs any more. Writes nothing. */
export async function planPrune(
  { store, clock }: Pick<SyncPorts, 'store' | 'clock'>,
  { keep, olderThanMs }: PruneOptions,
): Promise<PrunePlan> {
  const nowMs = clock.now();
  const runsAndPulls = await Promise.all([
    store.runs(Number.MAX_SAFE_INTEGER),
    store.pulls(Number.MAX_SAFE_INTEGER),
  ]);
  const all = runsAndPulls.flat().toSorted((one, other) => other.startedAtMs - one.startedAtMs);
  // One whose process was killed has no end of its own.
  const isOld = (run: Run): boolean => (run.endedAtMs ?? run.startedAtMs) <= nowMs - olderThanMs;
  const old = all.slice(keep).filter(isOld);
  const open = new Set<string>();
  for (const account of accountsOf(old))
    for (const { runId } of await store.openIntents(account)) open.add(runId);
  const replaced = await replacedRuns(store);
  const isNeeded = (run: Run): boolean =>
    (!run.finished && !replaced.has(run.id)) ||
    open.has(run.id) ||
    run.summaries.some((each) => each.direction === 'push' && each.conflict > 0);
  const needed = old.filter(isNeeded);
  const newest = newestWriters(all);
  const compared = new Set(needed.flatMap(resourcesOf).map((resource) => newest.get(resource)));
  const runs = old.filter((run) => !isNeeded(run) && !compared.has(run.id)).toReversed();
  const folders = (await store.strayRuns()).filter(
    ({ changedAtMs }) => changedAtMs <= nowMs - STRAY_AFTER_MS,
  );
  return { runs, folders, needed, kept: all.length - runs.length };
}

/**
 * The newest run that wrote to each resource of an account. Where an older one stays, the next push would go by that, and take what was written since for another's.
 */
function newestWriters(newestFirst: readonly Run[]): ReadonlyMap<string, string> {
  const writers = new Map<string, string>();
  for (const run of newestFirst.toReversed()) {
    const { id, account, summaries, phase } = run;
    for (const each of summaries)
      if (each.direction === 'push' && each.created + each.updated + each.unknown > 0)
        writers.set(nameOf(account, each.resource), id);
    // One that was cut off did not say what it wrote.
    if (phase === 'writing') for (const resource of resourcesOf(run)) writers.set(resource, id);
  }
  return writers;
}

const resourcesOf = (run: Run): readonly string[] =>
  pushedMappings(run).map(({ resource }) => nameOf(run.account, resource));

const nameOf = (account: ServiceAccount, resource: string): string => JSON.stringify([account, resource]);

/**
 * Removes what {@link planPrune} found, under the lock of every account that it concerns, so that no command works with these runs meanwhile.
 * Errors: StoppedError `lock.held`.
 */
export async function prune(
  { store, lock }: Pick<SyncPorts, 'store' | 'lock'>,
  { runs, folders }: PrunePlan,
): Promise<void> {
  const locked: { release(): Promise<void> }[] = [];
  try {
    for (const account of accountsOf(runs)) locked.push(await lock.acquire(account, 'runs prune'));
    await store.removeRuns([...runs, ...folders].map(({ id }) => id));
  } finally {
    for (const each of locked) await each.release();
  }
}

function accountsOf(runs: readonly Run[]): readonly ServiceAccount[] {
  const accounts = runs.map(({ account }) => [JSON.stringify(account), account] as const);
  return [...new Map(accounts).values()];
}
