import type { Feature } from '../../contract/endpoint.ts';
import { resources, type PushedResource } from '../../contract/index.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import type { RequestStep } from '../../model/budget.ts';
import type { TeamsheetError } from '../../model/error.ts';
import { CHANGE_KINDS } from '../../model/outcome.ts';
import { renderCountOf } from '../../model/count.ts';
import { quotaRoom, quotaUsed } from '../../model/quota.ts';
import type { RunRows } from '../../model/state/run-rows.ts';
import { plannedOutcomes } from '../../plan/counts.ts';
import { checkGuards } from '../../plan/guards.ts';
import { worstCase } from '../../plan/worst-case.ts';
import { batchSize } from '../journal/batch-size.ts';
import { listPages } from '../compare/compare-listed.ts';
import { compareRows, type Compared } from '../compare/compare-rows.ts';
import { prepareComparison } from '../compare/compare.ts';
import type { ComparedAhead } from '../compare/foreseen.ts';
import { strategies } from '../resources/index.ts';
import type { PlanLookups } from '../compare/lookups.ts';
import { keepPlanned, withPlanned } from '../compare/planned-creates.ts';
import { ownRowsFirst } from '../compare/shown-as.ts';
import { addMissing } from '../compare/missing-rows.ts';
import { notWritten } from '../compare/strangers.ts';
import { refuseSpeltAlike } from '../compare/spelt-alike.ts';
import type { Comparison, PlanParts, ReadTask, Stop, SyncPorts } from '../ports.ts';
import type { MappingPlan } from '../../plan/saved/push-plan.ts';
import { missingOf } from '../../plan/missing-mapping.ts';
import { resourcePlans } from '../../plan/resources/index.ts';

/** What one mapping of a push is planned with. */
export interface Planning extends PlanParts {
  readonly lookups: PlanLookups;
  /** Records that the mappings so far would create, by the quota that they use. */
  readonly made: Map<Feature, number>;
  /** The resources that the mappings so far send in batches. */
  readonly sent: Set<PushedResource>;
  /** By mapping, what was compared while its rows were read. */
  readonly ahead: ReadonlyMap<string, ComparedAhead>;
}

const taskOf = ({ ports, account }: Planning, mapping: PushMapping): ReadTask => ({
  ...{ ports, mapping },
  account: account.service,
});

const quotaOf = ({ resource }: PushMapping): Feature | undefined => resources[resource].push.quota;

/** Compares the rows of one mapping and says what it would do, what that costs, and what stops it. */
export async function planMapping(
  planning: Planning,
  mapping: PushMapping,
): Promise<{
  readonly plan: MappingPlan;
  readonly stopped: readonly Stop[];
  readonly work: readonly RequestStep[];
}> {
  const { rows, account, lookups } = planning;
  await lookups.resolve(mapping);
  await refuseSpeltAlike(taskOf(planning, mapping), rows);
  const found = await compareMapping(planning, mapping);
  const { comparison, compared, gone } = found;
  const cost = await costOf(planning, mapping, found);
  const feature = quotaOf(mapping);
  const plan: MappingPlan = {
    ...(await countPlan(mapping, rows)),
    writes: cost.writes,
    reads: cost.reads,
    worst: cost.worst,
    comparedWith: comparison?.described ?? 'nothing to compare',
    fromMemory: comparison?.fromMemory === true,
    used: feature === undefined ? undefined : quotaUsed(account.record, feature),
    overQuota: compared?.overQuota ?? 0,
    deactivated: gone?.deactivated ?? 0,
    missing: gone?.missing ?? [],
  };
  const stops = await stopsOf(planning, mapping, found, plan);
  return {
    plan,
    stopped: stops.map((error) => ({ mapping: mapping.name, error })),
    work: cost.work,
  };
}

/** What a mapping's rows were found to be. */
interface Found {
  /** Undefined where no row was left to be compared. */
  readonly comparison: Comparison | undefined;
  readonly compared: Compared | undefined;
  /** The users that are no longer in its table. */
  readonly gone: Pick<MappingPlan, 'deactivated' | 'missing'> | undefined;
  /** Rows of a resumed run that were created and still wait for their change. */
  readonly carried: number;
}

async function compareMapping(planning: Planning, mapping: PushMapping): Promise<Found> {
  const { ports, rows, account, options, lookups, made } = planning;
  const ahead = planning.ahead.get(mapping.name);
  const open = await rows.countChanges(mapping.name, true);
  const carried = ahead === undefined ? (open.get('create') ?? 0) : 0;
  const missing = missingOf(mapping);
  const isDone =
    (open.get('pending') ?? 0) === 0 &&
    ahead?.isAnyCompared !== true &&
    !(missing !== undefined && (await mayBeMissing(missing, rows)));
  if (isDone) return { comparison: undefined, compared: undefined, gone: undefined, carried };
  const found = ahead?.comparison ?? (await prepareComparison(ports, mapping, account, rows, options));
  const comparison = ownRowsFirst(planning, mapping.resource, found);
  lookups.knows(mapping.resource, comparison);
  const feature = quotaOf(mapping);
  const before = feature === undefined ? 0 : (made.get(feature) ?? 0);
  const compared = await compareRows(mapping, rows, withPlanned(planning, mapping, comparison), {
    quotaRoom: feature === undefined ? Infinity : quotaRoom(account.record, feature) - before,
    allowKeyShape: options.allowKeyShape,
    signal: ports.signal,
    counts: ahead?.counts,
  });
  await keepPlanned(planning, mapping);
  warnOfStrangers(ports, mapping, comparison, compared);
  if (feature !== undefined) made.set(feature, before + compared.counts.creates);
  const gone =
    missing === undefined || comparison.unknownKeysWait !== undefined
      ? undefined
      : await planMissing(planning, mapping, missing, comparison);
  return { comparison, compared, gone, carried };
}

/** A state that never wrote may be lost, and a service may show keys so that nobody knows its records by them. */
function warnOfStrangers(
  { emit }: Pick<SyncPorts, 'emit'>,
  { name, resource }: PushMapping,
  { known, isWritten }: Comparison,
  { stranger }: Compared,
): void {
  if (stranger === undefined || isWritten === true) return;
  const { row, key } = stranger;
  const [one, several] = resourcePlans[resource].nouns;
  emit({
    kind: 'warning',
    message: `${name}: this state has pushed no ${several}. The service shows ${renderCountOf(known, one, several)}, and no row has one of their keys. Row ${row.rowNumber}, ${JSON.stringify(row.key)}, may be its ${JSON.stringify(key)}: where the service shows keys in a way of its own, a push makes such rows a second time`,
  });
}

/** The requests of one mapping, at most too, and in the order in which a push sends them. */
async function costOf(
  planning: Planning,
  mapping: PushMapping,
  { compared, gone, carried }: Found,
): Promise<Pick<MappingPlan, 'writes' | 'reads' | 'worst'> & { readonly work: readonly RequestStep[] }> {
  const { ports, account, sent } = planning;
  const size = await batchSize(ports.store, account.service, mapping);
  const batched = compared?.counts.batched ?? new Map<string, number>();
  const groups = [...batched.values()];
  const batches = groups.reduce((sum, count) => sum + Math.ceil(count / size), 0);
  const changes = (compared?.counts.single ?? 0) + carried;
  const deactivated = gone?.deactivated ?? 0;
  const single = changes + deactivated;
  const isGrown = sent.has(mapping.resource);
  const reads = await strategies[mapping.resource].evidenceCost(ports, batched, isGrown);
  if (batches > 0) sent.add(mapping.resource);
  // Reading back a list takes an account call too; a log is what the evidence was.
  const readBack = reads > 0 ? reads : 1 + (await listPages(taskOf(planning, mapping)));
  const worst = worstCase({ groups, size, readBack });
  const { requests } = resourcePlans[mapping.resource];
  return {
    writes: batches + single,
    reads,
    worst: { writes: worst.writes + single, reads: worst.reads + reads },
    work: requestSteps(ports.concurrency, requests.parallel, {
      reads,
      batches,
      batchedRows: groups.reduce((sum, count) => sum + count, 0),
      changes,
      // A new row that gets its flag by a change counts where it is created.
      changedRows: (requests.change === undefined ? 0 : (compared?.counts.updates ?? 0)) + carried,
      deactivated,
    }),
  };
}

/** What stops a mapping before its first write: a memory that is none, and its guards. */
async function stopsOf(
  planning: Planning,
  mapping: PushMapping,
  { comparison, compared }: Found,
  { outcomes, deactivated, used }: MappingPlan,
): Promise<readonly TeamsheetError[]> {
  const { ports, rows, options } = planning;
  const strategy = strategies[mapping.resource];
  // A guard that is allowed need not be read up on.
  const isOpenAllowed = options.allowGuards.includes('open_week');
  const stopped = checkGuards(
    mapping,
    {
      rows: outcomes.rows - outcomes.excluded,
      excluded: outcomes.excluded,
      invalid: outcomes.invalid,
      updates: compared?.counts.updates ?? 0,
      deactivated,
      known: comparison?.known ?? 0,
      largestStep: compared?.largestStep,
      largestStepPct: compared?.largestStepPct,
      openWeeks: isOpenAllowed ? [] : await strategy.openWeeks(ports, mapping, rows),
    },
    options,
  );
  const isSent = compared !== undefined && compared.counts.batched.size > 0;
  const isFromMemory = isSent && comparison?.fromMemory === true && !options.adopt;
  const stranger = comparison?.isWritten === true ? compared?.stranger : undefined;
  const stop =
    comparison?.stop ??
    (stranger && notWritten(mapping, stranger.row, stranger.key)) ??
    (isFromMemory ? await strategy.checkMemory(taskOf(planning, mapping), rows, used) : undefined);
  if (stop === undefined) return stopped;
  // What the state remembers is no matter of a game week that has not ended.
  const isOpen = stopped.some(({ code }) => code === 'guard.open_week');
  return isOpen ? [...stopped, stop] : [stop, ...stopped];
}

/** The requests of one mapping in the order in which a push sends them: what is read before, batches, then changes one by one. */
function requestSteps(
  concurrency: number,
  parallel: boolean,
  counts: Readonly<
    Record<'reads' | 'batches' | 'batchedRows' | 'changes' | 'changedRows' | 'deactivated', number>
  >,
): readonly RequestStep[] {
  const { reads, batches, batchedRows, changes, changedRows, deactivated } = counts;
  return [
    { requests: reads, inFlight: 1, rows: 0 },
    { requests: batches, inFlight: parallel ? concurrency : 1, rows: batchedRows },
    { requests: changes, inFlight: concurrency, rows: changedRows },
    { requests: deactivated, inFlight: concurrency, rows: deactivated },
  ].filter(({ requests }) => requests > 0);
}

/** Whether missing users were not looked for yet, or wait to be compared again. */
async function mayBeMissing({ name }: PushMapping, rows: RunRows): Promise<boolean> {
  const changes = await rows.countChanges(name);
  return changes.size === 0 || (await rows.countChanges(name, true)).has('pending');
}

/** Finds and compares the users that are no longer in the table. */
async function planMissing(
  planning: Planning,
  mapping: PushMapping,
  missing: PushMapping,
  comparison: Comparison,
): Promise<Pick<MappingPlan, 'deactivated' | 'missing'>> {
  const { ports, rows, options } = planning;
  await addMissing(planning, mapping, comparison);
  const { allowKeyShape } = options;
  const { signal } = ports;
  const compared = await compareRows(missing, rows, comparison, { quotaRoom: 0, allowKeyShape, signal });
  const first = await rows.page(missing.name, { change: 'update', open: true, afterRow: 0, limit: 5 });
  return { deactivated: compared.counts.single, missing: first.flatMap(({ key }) => key ?? []) };
}

/** What a mapping's rows would end as, by their changes so far. */
export async function countPlan(
  mapping: PushMapping,
  rows: RunRows,
): Promise<Pick<MappingPlan, 'mapping' | 'resource' | 'operation' | 'outcomes' | 'changes' | 'toWrite'>> {
  const changes = await rows.countChanges(mapping.name);
  const open = await rows.countChanges(mapping.name, true);
  return {
    mapping,
    resource: mapping.resource,
    operation: mapping.operation,
    outcomes: plannedOutcomes(await rows.countOutcomes(mapping.name), open),
    toWrite: { create: open.get('create') ?? 0, update: open.get('update') ?? 0 },
    changes: Object.fromEntries(
      CHANGE_KINDS.map((kind) => [kind, changes.get(kind) ?? 0]),
    ) as MappingPlan['changes'],
  };
}
