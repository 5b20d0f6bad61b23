import { EXIT } from '../../model/error.ts';
import type { Words } from '../../model/said.ts';
import type { MappingSummary, Run, ServiceAccount } from '../../model/state/store.ts';
import { deferCreated, deferOpen } from '../journal/unverified.ts';
import { countPlan } from '../plan/plan-mapping.ts';
import { isSameAccount, optionsOf, pushedMappings, rowsTask, runsOf } from '../journal/stored-run.ts';
import type { PlannedPush, SyncPorts } from '../ports.ts';
import type { MappingPlan } from '../../plan/saved/push-plan.ts';
import { missingOf } from '../../plan/missing-mapping.ts';
import { resourcePlans } from '../../plan/resources/index.ts';

/** Runs that are looked at for those of several accounts, or that others replaced. */
const NEWEST = 1000;

/**
 * What is left of a run is older than what a later run of the same mapping has read, so that it must not change records back unasked: such rows are
 * deferred for good, and the next push reads them again. Rows that create something go on, and all of them do where `newer_run` is allowed. Answers the plan
 * without such rows.
 */
export async function leaveOvertaken(
  ports: Pick<SyncPorts, 'store' | 'emit'>,
  run: Run,
  planned: PlannedPush,
  allowGuards: readonly string[],
): Promise<PlannedPush> {
  if (allowGuards.includes('newer_run')) return planned;
  const later = await laterRuns(ports.store, run);
  const mappings: MappingPlan[] = [];
  let saved = 0;
  for (const plan of planned.mappings) {
    const newer = readSince(run, later, plan.mapping.name);
    const left = newer && (await leaveChanges(ports, run, newer, planned, plan));
    saved += left === undefined ? 0 : plan.writes - left.writes;
    mappings.push(left ?? plan);
  }
  const requests = { ...planned.requests, planned: planned.requests.planned - saved };
  return { ...planned, mappings, requests };
}

/** Defers what one mapping would change, and says so; undefined where it would change nothing. */
async function leaveChanges(
  ports: Pick<SyncPorts, 'store' | 'emit'>,
  run: Run,
  newer: Run,
  planned: PlannedPush,
  plan: MappingPlan,
): Promise<MappingPlan | undefined> {
  const { mapping, deactivated } = plan;
  const { name } = mapping;
  const updates = (await planned.rows.countChanges(name, true)).get('update') ?? 0;
  const changes = updates + deactivated;
  if (changes === 0) return undefined;
  const reason: Words = [{ code: 'run-read-since', run: newer.id }];
  const begun = { ports, run, rows: planned.rows };
  const task = rowsTask(begun, mapping);
  await deferCreated(task, reason, 'update');
  await deferOpen(task, reason, 'update');
  const missing = missingOf(mapping);
  if (missing !== undefined) await deferOpen(rowsTask(begun, missing), reason);
  const are =
    changes === 1
      ? '1 row that would change a record back is'
      : `${changes} rows that would change records back are`;
  ports.emit({
    kind: 'warning',
    message: `${name}: run ${newer.id} has pushed it since run ${run.id} ended; ${are} not sent, and push ${name} reads the table as it is now`,
  });
  return withoutUpdates(planned, plan, updates);
}

/** A plan of what is left to be created. */
async function withoutUpdates(
  { rows }: PlannedPush,
  plan: MappingPlan,
  updates: number,
): Promise<MappingPlan> {
  const counted = await countPlan(plan.mapping, rows);
  const left = counted.toWrite.create + counted.toWrite.update;
  const isBatched = resourcePlans[plan.resource].requests.change === undefined;
  const writes = isBatched
    ? Math.min(plan.writes, left)
    : Math.max(0, plan.writes - updates - plan.deactivated);
  return { ...plan, ...counted, writes: left === 0 ? 0 : writes, deactivated: 0, missing: [] };
}

/** The runs of the account that began after another one, the newest first. */
async function laterRuns(
  store: Pick<SyncPorts['store'], 'runs'>,
  { id, account }: Run,
): Promise<readonly Run[]> {
  const runs = await runsOf(store, account);
  const at = runs.findIndex((each) => each.id === id);
  return at === -1 ? runs : runs.slice(0, at);
}

/**
 * The mappings of a run whose results a later run has written: the rows to correct are that run's, also where it is a retry. A run that is only being planned has
 * read its tables last.
 */
export async function writtenSince(
  store: Pick<SyncPorts['store'], 'runs'>,
  run: Run,
): Promise<ReadonlySet<string>> {
  if (run.phase === 'planning') return new Set();
  const later = await laterRuns(store, run);
  return new Set(
    later
      .flatMap(({ summaries }) => summaries)
      .flatMap((each) => (each.direction === 'push' && each.results !== null ? [each.name] : [])),
  );
}

/** Whether the rows to correct of a mapping are those of another account than the run's: its newest run that refused some wrote there. */
export async function areOfAnotherAccount(
  store: Pick<SyncPorts['store'], 'runs'>,
  { account }: Run,
  mapping: string,
): Promise<boolean> {
  const hasRefused = (each: MappingSummary): boolean =>
    each.direction === 'push' && each.name === mapping && each.invalid + each.rejected > 0;
  const newest = (await store.runs(NEWEST)).find(({ summaries }) => summaries.some(hasRefused));
  return newest !== undefined && !isSameAccount(newest.account, account);
}

/** The newest of the later runs that has read the table of a mapping again; a retry reads refused rows alone. */
const readSince = (run: Run, later: readonly Run[], mapping: string): Run | undefined =>
  later.find((each) => hasRead(each, run, mapping));

const hasRead = (each: Run, { account }: Run, mapping: string): boolean =>
  isSameAccount(each.account, account) &&
  each.phase !== 'planning' &&
  each.exitCode !== EXIT.stopped &&
  each.command !== 'retry' &&
  pushedMappings(each).some(({ name }) => name === mapping);

/** The mappings of a run that one of these later runs has read again. */
export const overtakenMappings = (run: Run, later: readonly Run[]): readonly string[] =>
  pushedMappings(run).flatMap(({ name }) => (readSince(run, later, name) === undefined ? [] : [name]));

/** By the mappings of a run that was cut off while it wrote, how many rows from the first one on later runs have read again; without those that one has read whole. */
export async function cutOffMappings(
  store: Pick<SyncPorts['store'], 'runs'>,
  run: Run,
): Promise<ReadonlyMap<string, number>> {
  if (run.phase !== 'writing') return new Map();
  const later = await laterRuns(store, run);
  const { only } = optionsOf(run);
  const readIn = (each: Run, mapping: string): number =>
    // What a retry has read are not the first rows.
    (only?.[mapping] === undefined ? optionsOf(each).limit : undefined) ?? Infinity;
  return new Map(
    pushedMappings(run)
      .map(({ name }) => {
        const its = later.filter((each) => hasRead(each, run, name)).map((each) => readIn(each, name));
        return [name, Math.max(0, ...its)] as const;
      })
      .filter(([, read]) => read < Infinity),
  );
}

/** The newest unfinished run that has a mapping which no later run has read; where all are overtaken, the newest of them. */
export async function newestLeft(
  store: Pick<SyncPorts['store'], 'runs' | 'newestUnfinishedRun'>,
  account: ServiceAccount,
): Promise<Run | undefined> {
  const newest = await store.newestUnfinishedRun(account);
  if (newest === undefined) return undefined;
  const runs = await runsOf(store, account);
  const left = runs.find(
    (run, at) =>
      !run.finished && overtakenMappings(run, runs.slice(0, at)).length < pushedMappings(run).length,
  );
  return left ?? newest;
}

/**
 * By the id of each unfinished run that needs nobody any more, the runs which finished since and have read all of its tables whole. A run with a write of which
 * nobody knows what became is none of them, nor is one with such a row or a conflict.
 */
export async function replacedRuns(
  store: Pick<SyncPorts['store'], 'runs' | 'openIntents'>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const runs = await store.runs(NEWEST);
  const replaced = new Map<string, readonly string[]>();
  for (const [age, run] of runs.entries()) {
    if (run.finished || run.summaries.some(isUnsure)) continue;
    const names = pushedMappings(run).map(({ name }) => name);
    const later = runs.slice(0, age).filter((each) => isSameAccount(each.account, run.account));
    const by = names.map((name) => later.find((each) => hasReadWhole(each, name))?.id);
    const ids = [...new Set(by.filter((id) => id !== undefined))];
    if (ids.length === 0 || by.includes(undefined)) continue;
    const open = await store.openIntents(run.account);
    if (open.every(({ runId }) => runId !== run.id)) replaced.set(run.id, ids);
  }
  return replaced;
}

const isUnsure = (summary: MappingSummary): boolean =>
  summary.direction === 'push' && summary.unknown + summary.conflict > 0;

/** Whether a run has read the whole table of a mapping and left none of its rows. */
const hasReadWhole = (run: Run, mapping: string): boolean =>
  run.finished &&
  run.summaries.some((each) => each.name === mapping && isWhole(each)) &&
  optionsOf(run).limit === undefined &&
  readSince(run, [run], mapping) !== undefined;

const isWhole = (summary: MappingSummary): boolean =>
  summary.direction === 'push' && summary.results !== null && summary.deferred === 0 && !isUnsure(summary);
