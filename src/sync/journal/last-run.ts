import type { PushMapping } from '../../mapping/mapping.ts';
import { EXIT } from '../../model/error.ts';
import type { Run, RunChanges, ServiceAccount, Store } from '../../model/state/store.ts';
import { pushedMappings } from './stored-run.ts';

/** What a run was to push that ended before anything of it was sent, as at a guard; what a signal ended changes nothing. */
export function stoppedMappings(run: Run): readonly Pick<PushMapping, 'name' | 'resource'>[] {
  const { exitCode, summaries } = run;
  if (summaries.length > 0 || exitCode === null) return [];
  return exitCode === EXIT.interrupted || exitCode === EXIT.terminated ? [] : pushedMappings(run);
}

/** Of each mapping the account keeps its newest run that ended, because a mapping that runs rarely may have none among the newest runs of all. */
const factOf = (mapping: string): string => `last_run:${mapping}`;

/** The id of the newest run or pull of a mapping that ended; undefined where none did. It may have been removed since. */
export const lastRunOf = async (
  store: Pick<Store, 'fact'>,
  account: ServiceAccount,
  mapping: string,
): Promise<string | undefined> => (await store.fact(account, factOf(mapping)))?.value;

/** Whether a run is the last one of any of its mappings. */
export async function isLastRun(store: Pick<Store, 'fact'>, run: Run): Promise<boolean> {
  for (const { name } of run.summaries)
    if ((await lastRunOf(store, run.account, name)) === run.id) return true;
  return false;
}

/** Keeps an ended run as the last one of its mappings, unless a newer one was kept. */
export async function keepLastRun(store: Pick<Store, 'fact' | 'setFacts'>, run: Run): Promise<void> {
  const { id, account } = run;
  const facts: { name: string; value: string }[] = [];
  for (const { name } of [...run.summaries, ...stoppedMappings(run)])
    // An id begins with the time of its run.
    if (((await lastRunOf(store, account, name)) ?? '') < id) facts.push({ name: factOf(name), value: id });
  if (facts.length > 0) await store.setFacts(account, facts);
}

/** Records how a run of pushes ended, or what it came to since. */
export async function recordEnd(
  store: Pick<Store, 'updateRun' | 'fact' | 'setFacts'>,
  run: Run,
  changes: RunChanges,
): Promise<void> {
  await store.updateRun(run.id, changes);
  await keepLastRun(store, { ...run, ...changes });
}
