import { EXIT, StoppedError } from '../model/error.ts';
import type { Run } from '../model/store.ts';
import { newestRun, pushedMappings } from './stored-run.ts';
import type { PlannedPush, SyncPorts } from './sync.ts';

/**
 * The guard of `resume`: what is left of a run is older than what a later run of the same mapping has read, so that it must not change records back
 * unasked. Rows that create something go on. Errors: StoppedError `guard.newer_run`.
 */
export async function checkNewerRun(
  { store }: Pick<SyncPorts, 'store'>,
  run: Run,
  planned: PlannedPush,
  allowGuards: readonly string[],
): Promise<void> {
  if (allowGuards.includes('newer_run')) return;
  for (const { mapping, deactivated } of planned.mappings) {
    const open = await planned.rows.countChanges(mapping.name, true);
    const changed = (open.get('update') ?? 0) + deactivated;
    if (changed === 0) continue;
    const newer = await newerRun(store, run, mapping.name);
    if (newer === undefined) continue;
    const rows = changed === 1 ? '1 record' : `${changed} records`;
    throw new StoppedError(
      'guard.newer_run',
      `${mapping.name}: run ${newer.id} has pushed it since run ${run.id} ended, and ${rows} would be changed to what the older rows say`,
      {
        next: `if the older rows are meant, add --allow-guard newer_run; push ${mapping.name} reads the table as it is now`,
      },
    );
  }
}

/** The newest run that began later and read the mapping's table anew; a retry reads refused rows alone. */
async function newerRun(store: SyncPorts['store'], run: Run, mapping: string): Promise<Run | undefined> {
  let passed = false;
  return newestRun(store, run.account, (each) => {
    passed ||= each.id === run.id;
    if (passed || each.phase === 'planning' || each.exitCode === EXIT.stopped || each.command === 'retry')
      return false;
    return pushedMappings(each).some(({ name }) => name === mapping);
  });
}
