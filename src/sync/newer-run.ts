import { EXIT } from '../model/error.ts';
import type { Run, ServiceAccount } from '../model/store.ts';
import { pushRequests } from '../plan/requests.ts';
import { missingOf } from './missing-rows.ts';
import { deferOpen } from './not-shown.ts';
import { countPlan } from './plan-sync.ts';
import { isSameAccount, newestRun, pushedMappings } from './stored-run.ts';
import type { MappingPlan, PlannedPush, SyncPorts } from './sync.ts';

/** A plan without the rows that a later run has overtaken, and by mapping how many these are. */
export interface NotOvertaken {
  readonly planned: PlannedPush;
  readonly overtaken: ReadonlyMap<string, number>;
}

/**
 * What is left of a run is older than what a later run of the same mapping has read, so that it must not change records back unasked: such rows are
 * deferred for good, and the next push reads them anew. Rows that create something go on, and all of them do where `newer_run` is allowed.
 */
export async function leaveOvertaken(
  { store, emit }: Pick<SyncPorts, 'store' | 'emit'>,
  run: Run,
  planned: PlannedPush,
  allowGuards: readonly string[],
): Promise<NotOvertaken> {
  const overtaken = new Map<string, number>();
  if (allowGuards.includes('newer_run')) return { planned, overtaken };
  const mappings: MappingPlan[] = [];
  let saved = 0;
  for (const plan of planned.mappings) {
    const { mapping, deactivated } = plan;
    const open = await planned.rows.countChanges(mapping.name, true);
    const updates = open.get('update') ?? 0;
    const newer = updates + deactivated === 0 ? undefined : await newerRun(store, run, mapping.name);
    if (newer === undefined) {
      mappings.push(plan);
      continue;
    }
    const reason = `run ${newer.id} has read its table since; the next push reads it anew`;
    await deferOpen({ store }, run, mapping, planned.rows, reason, 'update');
    overtaken.set(mapping.name, updates);
    const missing = missingOf(mapping);
    if (missing !== undefined) {
      await deferOpen({ store }, run, missing, planned.rows, reason);
      overtaken.set(missing.name, deactivated);
    }
    const left = await withoutUpdates(planned, plan, updates);
    saved += plan.writes - left.writes;
    mappings.push(left);
    const changes =
      updates + deactivated === 1
        ? '1 row that would change a record back is'
        : `${updates + deactivated} rows that would change records back are`;
    emit({
      kind: 'warning',
      message: `${mapping.name}: run ${newer.id} has pushed it since run ${run.id} ended; ${changes} not sent, and push ${mapping.name} reads the table as it is now`,
    });
  }
  const requests = { ...planned.requests, planned: planned.requests.planned - saved };
  return { planned: { ...planned, mappings, requests }, overtaken };
}

/** A plan of what is left to be created. */
async function withoutUpdates(
  { rows }: PlannedPush,
  plan: MappingPlan,
  updates: number,
): Promise<MappingPlan> {
  const counted = await countPlan(plan.mapping, rows);
  const left = counted.toWrite.create + counted.toWrite.update;
  const isBatched = pushRequests[plan.resource]?.updatesLikeCreates === true;
  const writes = isBatched
    ? Math.min(plan.writes, left)
    : Math.max(0, plan.writes - updates - plan.deactivated);
  return { ...plan, ...counted, writes: left === 0 ? 0 : writes, deactivated: 0, missing: [] };
}

/** The newest run that began later and read the mapping's table anew; a retry reads refused rows alone. */
async function newerRun(
  store: Pick<SyncPorts['store'], 'runs'>,
  run: Run,
  mapping: string,
): Promise<Run | undefined> {
  let passed = false;
  return newestRun(store, run.account, (each) => {
    passed ||= each.id === run.id;
    return !passed && hasRead(each, mapping);
  });
}

const hasRead = (run: Run, mapping: string): boolean =>
  run.phase !== 'planning' &&
  run.exitCode !== EXIT.stopped &&
  run.command !== 'retry' &&
  pushedMappings(run).some(({ name }) => name === mapping);

/** The mappings of a run that one of these later runs has read anew. */
export const overtakenMappings = (run: Run, later: readonly Run[]): readonly string[] =>
  pushedMappings(run).flatMap(({ name }) =>
    later.some((each) => isSameAccount(each.account, run.account) && hasRead(each, name)) ? [name] : [],
  );

/** Runs that are looked at for one that is unfinished. */
const NEWEST = 1000;

/** The newest unfinished run that has a mapping which no later run has read; where all are overtaken, the newest of them. */
export async function newestLeft(
  store: Pick<SyncPorts['store'], 'runs' | 'newestUnfinishedRun'>,
  account: ServiceAccount,
): Promise<Run | undefined> {
  const newest = await store.newestUnfinishedRun(account);
  if (newest === undefined) return undefined;
  const runs = await store.runs(NEWEST);
  const left = runs.find(
    (run, at) =>
      isSameAccount(run.account, account) &&
      !run.finished &&
      overtakenMappings(run, runs.slice(0, at)).length < pushedMappings(run).length,
  );
  return left ?? newest;
}
