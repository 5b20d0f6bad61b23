import type { PushMapping } from '../../mapping/mapping.ts';
import { EXIT, StoppedError, type TeamsheetError } from '../../model/error.ts';
import { renderBesideRow, renderRowMessage } from '../../model/issue.ts';
import type { RequestStep } from '../../model/budget.ts';
import type { RunEvent } from '../../model/event.ts';
import { REJECTED, renderSaid, stopWords } from '../../model/said.ts';
import type { RunRow, RunRows } from '../../model/state/run-rows.ts';
import { withMissing } from '../../plan/missing-mapping.ts';
import { orderMappings } from '../../plan/order.ts';
import { referenceName, waitingFields } from '../../plan/lookups.ts';
import { PlanLookups } from '../compare/lookups.ts';
import { warnOfDisagreements } from '../compare/disagreements.ts';
import { foresee, type ComparedAhead } from '../compare/foreseen.ts';
import { SiftedRows } from '../compare/sifted-rows.ts';
import { forgetPlanned } from '../compare/planned-creates.ts';
import { planMapping, type Planning } from './plan-mapping.ts';
import type { Sieve } from '../rows/left-rows.ts';
import { openOrRemove, readSources } from '../rows/read-rows.ts';
import { filledMappings } from '../rows/unfilled.ts';
import { eachRow } from '../rows/row-pages.ts';
import type { OpenAccount, PlannedPush, PlanParts, Stop, SyncPorts } from '../ports.ts';
import type { MappingPlan, PlannedChange, PlanOptions } from '../../plan/saved/push-plan.ts';

/** An intent, its result and the outcomes of its rows on a common disk, one request after the other: `npm run bench -- bookkeeping`. */
const BOOKKEEPING_MS = 5;

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

/**
 * Plans a push with reading requests alone; the rows are kept in a temporary place until `rows.remove()`. `isShown`: of each kind of rows the first few are shown and
 * all are counted, and no row is asked for beside.
 */
export async function planPush(
  ports: SyncPorts,
  mappings: readonly PushMapping[],
  options: PlanOptions,
  isShown = false,
): Promise<PlannedPush> {
  const ordered = orderMappings(mappings);
  const sifted = new Map<string, SiftedRows>();
  for (const each of isShown ? await foresee(ports, ordered, options) : [])
    sifted.set(each.mapping.name, new SiftedRows(ports, each, options));
  const sieveOf = ({ name }: PushMapping): Sieve | undefined => sifted.get(name)?.sieve();
  const rows = await readSources(ports, null, ordered, options, sifted.size > 0 ? { sieveOf } : {});
  const { planned, filled, account } = await openOrRemove(rows, async () => {
    const filled = await filledMappings(ports, ordered, rows, options);
    const account = await openAccount(ports);
    const ahead = await allAhead(sifted, account, rows);
    const planned = ahead && (await planRows({ ports, mappings: filled, rows, account, options }, ahead));
    return { planned, filled, account };
  });
  if (planned !== undefined) return deferRejected(planned);
  // The service is not as this state remembers it: the rows that were left out are compared with what it says.
  await rows.remove();
  const silent = { ...ports, emit: (event: RunEvent) => event.kind === 'reading' && ports.emit(event) };
  const all = await readSources(silent, null, ordered, options);
  const parts = { ports, mappings: filled, rows: all, account, options };
  return openOrRemove(all, async () => deferRejected(await planRows(parts)));
}

/** By mapping, what was compared while its rows were read; undefined where the account says that something else is to be compared with. */
async function allAhead(
  sifted: ReadonlyMap<string, SiftedRows>,
  account: OpenAccount,
  rows: RunRows,
): Promise<ReadonlyMap<string, ComparedAhead> | undefined> {
  const ahead = new Map<string, ComparedAhead>();
  for (const [name, each] of sifted) {
    const compared = await each.ahead(account, rows);
    if (compared === undefined) return undefined;
    ahead.set(name, compared);
  }
  return ahead;
}

/** Compares rows that were read already and completes the plan. Rows that have an outcome keep it. */
export async function planRows(
  parts: PlanParts,
  ahead: ReadonlyMap<string, ComparedAhead> = new Map(),
): Promise<PlannedPush> {
  const { ports, mappings, rows, account } = parts;
  const plans: MappingPlan[] = [];
  const steps: RequestStep[] = [];
  const stops: Stop[] = [];
  const lookups = new PlanLookups(parts);
  const planning: Planning = { ...parts, lookups, ahead, made: new Map(), sent: new Set() };
  await forgetPlanned(parts);
  for (const mapping of mappings) {
    const { plan, stopped, work } = await planMapping(planning, mapping);
    plans.push(plan);
    steps.push(...work);
    stops.push(...stopped);
  }
  await warnOfDisagreements(ports, mappings, rows);
  const forecast = await ports.service.forecast(
    steps.map((step) => ({ ...step, betweenMs: BOOKKEEPING_MS })),
  );
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

/** Why a push may not write, all reasons in one; undefined where there is none. */
export function whyStopped(stops: PlannedPush['stops']): TeamsheetError | undefined {
  const [first, ...others] = stops.map(({ error }) => error);
  if (!(first instanceof StoppedError)) return first;
  return StoppedError.of(first, ...others.filter((error) => error instanceof StoppedError));
}

/** What `reject_mode: fail` with an invalid row makes of a plan: nothing of any mapping is sent, and what would be written waits. */
export async function deferRejected(planned: PlannedPush): Promise<PlannedPush> {
  const stop = planned.stops.find(({ error }) => error.code === REJECTED);
  if (stop === undefined) return planned;
  const mappings: MappingPlan[] = [];
  for (const plan of planned.mappings) {
    const said = stopWords(stop.error);
    const made = (await planned.rows.countChanges(plan.mapping.name, true)).get('unchanged') ?? 0;
    for (const { name } of withMissing(plan.mapping)) await planned.rows.deferOpen(name, said);
    const { created, updated, unchanged, deferred } = plan.outcomes;
    const outcomes = {
      ...plan.outcomes,
      ...{ created: 0, updated: 0, unchanged: unchanged - made },
      deferred: deferred + created + updated + made,
    };
    mappings.push({ ...plan, outcomes, toWrite: { create: 0, update: 0 }, deactivated: 0, missing: [] });
  }
  return { ...planned, mappings };
}

/** Writing requests of a plan. */
export function countWrites({ mappings }: Pick<PlannedPush, 'mappings'>): number {
  return mappings.reduce((sum, { writes }) => sum + writes, 0);
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
  const said = renderSaid(row.said);
  const kind = deferred ? 'deferred' : row.change;
  return {
    mapping,
    row: row.rowNumber,
    key: row.key,
    kind,
    message: renderRowMessage(origin, row.rowNumber, said),
    beside: renderBesideRow(origin, row.rowNumber, said),
    fields: changedValues(row),
    waits: waitingFields(row).map(([name]) => name),
  };
}

function changedValues(row: RunRow): PlannedChange['fields'] {
  const { fields, before } = row;
  if (fields === null || (row.change !== 'create' && row.change !== 'update')) return {};
  const names = row.change === 'update' ? Object.keys(before ?? {}) : Object.keys(fields);
  return Object.fromEntries([
    ...names.map((name) => [name, { before: before?.[name] ?? null, after: fields[name] ?? null }] as const),
    ...waitingFields(row).map(
      ([name, after]) => [name, { before: null, after: `known after ${referenceName(after)}` }] as const,
    ),
  ]);
}
