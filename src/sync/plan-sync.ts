import type { Feature } from '../contract/endpoint.ts';
import { resources } from '../contract/index.ts';
import type { PushTarget } from '../contract/resource.ts';
import type { Account } from '../contract/resources/account.ts';
import type { PushMapping } from '../mapping/mapping.ts';
import { EXIT } from '../model/error.ts';
import { renderRowMessage } from '../model/issue.ts';
import { CHANGE_KINDS, type OutcomeCounts } from '../model/outcome.ts';
import type { RequestStep } from '../model/budget.ts';
import type { RunRow, RunRows } from '../model/run-rows.ts';
import type { ServiceAccount } from '../model/store.ts';
import { bookkeepingMs } from './bookkeeping-time.ts';
import { batchSize } from './batch-size.ts';
import { plannedOutcomes } from '../plan/counts.ts';
import { checkGuards } from '../plan/guards.ts';
import { orderMappings } from '../plan/order.ts';
import { knownAfter, waitingFields } from '../plan/lookups.ts';
import { quotaRoom, quotaUsed } from '../model/quota.ts';
import { pushRequests } from '../plan/requests.ts';
import { worstCase } from '../plan/worst-case.ts';
import { listPages } from './compare-listed.ts';
import { compareRows } from './compare-rows.ts';
import { prepareComparison, type Comparison } from './compare.ts';
import { PlanLookups } from './lookups.ts';
import { warnOfDisagreements } from './disagreements.ts';
import { evidenceCost } from './evidence.ts';
import { checkMemory } from './old-memory.ts';
import { addMissing, missingOf } from './missing-rows.ts';
import { openOrRemove, readSources } from './read-rows.ts';
import { eachRow } from './row-pages.ts';
import type { MappingPlan, PlannedChange, PlannedPush, PlanOptions, Stop, SyncPorts } from './sync.ts';

/** The mappings in the order of their pushing. Errors: ConfigError `lookup.circle`. */
export function pushable(mappings: readonly PushMapping[]): readonly PushMapping[] {
  return orderMappings(mappings);
}

/** The account of this run: as the service reported it, and as the state names it. */
export interface OpenAccount {
  readonly record: Account;
  readonly service: ServiceAccount;
}

/** Reads the account, resyncs the budget and names the account in the state. Errors: AccessError, UnavailableError. */
export async function openAccount(
  ports: Pick<SyncPorts, 'service' | 'emit' | 'baseUrl'>,
): Promise<OpenAccount> {
  const record = await ports.service.account();
  for (const [field, what] of [
    ['is_active', 'the account'],
    ['api_key_active', 'the API key'],
  ] as const) {
    if (record[field] === false)
      ports.emit({ kind: 'warning', message: `the service reports ${what} as inactive (${field}: false)` });
  }
  return { record, service: { baseUrl: ports.baseUrl, accountId: record.id.toLowerCase() } };
}

/** Plans a push with reading requests alone; the rows are kept in a temporary place until `rows.remove()`. */
export async function planPush(
  ports: SyncPorts,
  mappings: readonly PushMapping[],
  options: PlanOptions,
): Promise<PlannedPush> {
  const ordered = pushable(mappings);
  const rows = await readSources(ports, null, ordered, options);
  return openOrRemove(rows, async () => planRows(ports, ordered, rows, await openAccount(ports), options));
}

/** Compares rows that were read already and completes the plan. Rows that have an outcome keep it. */
export async function planRows(
  ports: SyncPorts,
  mappings: readonly PushMapping[],
  rows: RunRows,
  account: OpenAccount,
  options: PlanOptions,
): Promise<PlannedPush> {
  const plans: MappingPlan[] = [];
  const steps: RequestStep[] = [];
  const stops: Stop[] = [];
  const lookups = new PlanLookups(ports, account, mappings, rows, options);
  const made = new Map<Feature, number>();
  for (const mapping of mappings) {
    const { plan, stopped, work } = await planMapping(ports, mapping, rows, account, options, {
      lookups,
      made,
      mappings,
    });
    plans.push(plan);
    steps.push(...work);
    stops.push(...stopped);
  }
  await warnOfDisagreements(ports, mappings, rows);
  const asked = steps.reduce((sum, { requests }) => sum + requests, 0);
  const betweenMs = await bookkeepingMs(ports, account.service, asked);
  const forecast = await ports.service.forecast(steps.map((step) => ({ ...step, betweenMs })));
  const counts = ports.service.counts();
  const invalid = plans.some(({ outcomes }) => outcomes.invalid > 0);
  return {
    account: account.service,
    rows,
    mappings: plans,
    stops,
    requests: { ...counts, planned: counts.sent + forecast.requests },
    forecast,
    exitCode: stops.length > 0 ? EXIT.stopped : invalid ? EXIT.rows : EXIT.done,
    changes: () => plannedChanges(mappings, rows),
  };
}

/** What the mappings of one plan share. */
interface Shared {
  readonly lookups: PlanLookups;
  /** Records that the mappings so far would create, by the quota that they use. */
  readonly made: Map<Feature, number>;
  readonly mappings: readonly PushMapping[];
}

async function planMapping(
  ports: SyncPorts,
  mapping: PushMapping,
  rows: RunRows,
  account: OpenAccount,
  options: PlanOptions,
  { lookups, made, mappings }: Shared,
): Promise<{
  readonly plan: MappingPlan;
  readonly stopped: readonly Stop[];
  readonly work: readonly RequestStep[];
}> {
  await lookups.resolve(mapping);
  const open = await rows.countChanges(mapping.name, true);
  const pending = open.get('pending') ?? 0;
  /** Rows of a resumed run that were created and still wait for their change. */
  const carried = open.get('create') ?? 0;
  const missing = missingOf(mapping);
  const comparison =
    pending === 0 && !(missing !== undefined && (await mayBeMissing(missing, rows)))
      ? undefined
      : await prepareComparison(ports, mapping, account.record, account.service, rows, options);
  if (comparison !== undefined) lookups.knows(mapping.resource, comparison);
  const target: PushTarget | undefined = resources[mapping.resource].push;
  const feature = target?.quota;
  const room =
    feature === undefined ? Infinity : quotaRoom(account.record, feature) - (made.get(feature) ?? 0);
  const compared =
    comparison === undefined
      ? undefined
      : await compareRows(mapping, rows, comparison, {
          quotaRoom: room,
          allowKeyShape: options.allowKeyShape,
          signal: ports.signal,
        });
  const gone =
    missing === undefined || comparison === undefined || comparison.unknownKeysWait !== undefined
      ? undefined
      : await planMissing(ports, mapping, missing, rows, account, options, { comparison, mappings });
  if (feature !== undefined) made.set(feature, (made.get(feature) ?? 0) + (compared?.creates ?? 0));
  const batch = await batchSize(ports.store, account.service, mapping);
  const batched = compared?.batched ?? new Map<string, number>();
  const batches = [...batched.values()].reduce((sum, count) => sum + Math.ceil(count / batch), 0);
  const single = (compared?.single ?? 0) + carried + (gone?.deactivated ?? 0);
  const reads = await evidenceCost(ports, mapping, batched);
  // Reading back a list takes an account call too; a log is what the evidence was.
  const readBack = reads > 0 ? reads : 1 + (await listPages(ports, account.service, mapping));
  const worst = worstCase({ groups: batched.values(), size: batch, readBack });
  let plan: MappingPlan = {
    ...(await countPlan(mapping, rows)),
    writes: batches + single,
    reads,
    worst: { writes: worst.writes + single, reads: worst.reads + reads },
    comparedWith: comparison?.described ?? 'nothing to compare',
    fromMemory: comparison?.fromMemory === true,
    used: feature === undefined ? undefined : quotaUsed(account.record, feature),
    overQuota: compared?.overQuota ?? 0,
    deactivated: gone?.deactivated ?? 0,
    missing: gone?.missing ?? [],
  };
  const stopped = checkGuards(
    mapping,
    {
      rows: plan.outcomes.rows - plan.outcomes.excluded,
      excluded: plan.outcomes.excluded,
      invalid: plan.outcomes.invalid,
      updates: compared?.updates ?? 0,
      deactivated: plan.deactivated,
      known: comparison?.known ?? 0,
      largestStep: compared?.largestStep,
      largestStepPct: compared?.largestStepPct,
    },
    options,
  );
  const isFromMemory = batched.size > 0 && comparison?.fromMemory === true && !options.adopt;
  const stop =
    comparison?.stop ?? (isFromMemory ? await checkMemory(ports, mapping, account.service, rows) : undefined);
  const stops = [...(stop === undefined ? [] : [stop]), ...stopped];
  if (stops.some(({ code }) => code === 'guard.reject_mode'))
    plan = { ...plan, outcomes: allDeferred(plan.outcomes), toWrite: { create: 0, update: 0 } };
  return {
    plan,
    stopped: stops.map((error) => ({ mapping: mapping.name, error })),
    work: requestSteps(ports.concurrency, pushRequests[mapping.resource]?.parallel === true, {
      reads: plan.reads,
      batches,
      batchedRows: [...(compared?.batched.values() ?? [])].reduce((sum, count) => sum + count, 0),
      changes: (compared?.single ?? 0) + carried,
      // A new row that gets its flag by a change counts where it is created.
      changedRows:
        (pushRequests[mapping.resource]?.updatesLikeCreates === true ? 0 : (compared?.updates ?? 0)) +
        carried,
      deactivated: plan.deactivated,
    }),
  };
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
  ports: SyncPorts,
  mapping: PushMapping,
  missing: PushMapping,
  rows: RunRows,
  account: OpenAccount,
  options: PlanOptions,
  { comparison, mappings }: { readonly comparison: Comparison; readonly mappings: readonly PushMapping[] },
): Promise<Pick<MappingPlan, 'deactivated' | 'missing'>> {
  await addMissing(ports, mapping, mappings, rows, account.service, options);
  const { allowKeyShape } = options;
  const { signal } = ports;
  const compared = await compareRows(missing, rows, comparison, { quotaRoom: 0, allowKeyShape, signal });
  const first = await rows.page(missing.name, { change: 'update', open: true, afterRow: 0, limit: 5 });
  return { deactivated: compared.single, missing: first.flatMap(({ key }) => key ?? []) };
}

/** `reject_mode: fail` with an invalid row sends nothing: what would be written waits. */
function allDeferred(outcomes: OutcomeCounts): OutcomeCounts {
  const { created, updated, deferred } = outcomes;
  return { ...outcomes, created: 0, updated: 0, deferred: deferred + created + updated };
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

async function* plannedChanges(
  mappings: readonly PushMapping[],
  rows: RunRows,
): AsyncIterable<PlannedChange> {
  for (const { name, source } of mappings)
    for await (const row of eachRow(rows, name)) yield plannedChange(name, source.origin, row);
}

/** One row as a plan shows it. */
export function plannedChange(mapping: string, origin: string, row: RunRow): PlannedChange {
  const deferred = row.outcome === 'deferred' || row.change === 'conflict' || row.change === 'pending';
  const kind = deferred ? 'deferred' : row.change;
  return {
    mapping,
    row: row.rowNumber,
    key: row.key,
    kind,
    message: renderRowMessage(origin, row.rowNumber, row.message),
    fields: changedValues(row),
  };
}

function changedValues(row: RunRow): PlannedChange['fields'] {
  const { fields, before } = row;
  if (fields === null || (row.change !== 'create' && row.change !== 'update')) return {};
  const names = row.change === 'update' ? Object.keys(before ?? {}) : Object.keys(fields);
  return Object.fromEntries([
    ...names.map((name) => [name, { before: before?.[name] ?? null, after: fields[name] ?? null }] as const),
    ...waitingFields(row).map(([name, after]) => [name, { before: null, after: knownAfter(after) }] as const),
  ]);
}
