import { resources } from '../contract/index.ts';
import type { PushTarget } from '../contract/resource.ts';
import type { PushMapping } from '../mapping/mapping.ts';
import { EXIT, IncompleteError, TeamsheetError, UnavailableError, type ExitCode } from '../model/error.ts';
import { OUTCOMES, type OutcomeCounts } from '../model/outcome.ts';
import type { RunRows } from '../model/run-rows.ts';
import type { PushSummary, RequestCounts, Run, ServiceAccount } from '../model/store.ts';
import { checkCounts, outcomeCounts } from '../plan/counts.ts';
import { quotaUsed } from '../model/quota.ts';
import { exhaustedAt, interruptedAt } from './interrupted.ts';
import { leaveRest } from './leave-rest.ts';
import { waitForOpenWrites } from './open-writes.ts';
import type { QuotasLeft } from './over-quota.ts';
import { openAccount, planRows, pushable, type OpenAccount } from './plan-sync.ts';
import { missingOf, withMissing } from './missing-rows.ts';
import { pushMapping } from './push-mapping.ts';
import { openOrRemove, readSources } from './read-rows.ts';
import { reasonsOf, type Reason } from './reasons.ts';
import { writeResults } from './results.ts';
import { deferStaleRows } from './stale.ts';
import type { PlannedPush, PlanOptions, RunReport, SyncPorts } from './sync.ts';
import { writeBackOutcomes } from './write-back.ts';

/** Shows the plan and asks, where something would be written; throws StoppedError `approval.*` when it is not to be. */
export type Approve = (planned: PlannedPush, runId: string) => Promise<void>;

/** Looks at a complete plan before anybody is asked; throws when it is not the one that was promised. */
export type CheckPlan = (planned: PlannedPush) => Promise<void>;

/**
 * Plans and pushes the mappings under one lock. Every row ends in exactly one outcome, and what could not be sent is deferred for `resume`.
 * Errors: everything that stops before the first write; after it, the report's exit code says what happened.
 */
export async function push(
  ports: SyncPorts,
  command: string,
  mappings: readonly PushMapping[],
  options: PlanOptions,
  approve: Approve,
  check?: CheckPlan,
): Promise<PushResult> {
  const ordered = pushable(mappings);
  const startedAtMs = ports.clock.now();
  const id = ports.random.ulid(startedAtMs);
  // Every source is read and checked before the service hears of anything.
  const rows = await readSources(ports, id, ordered, options);
  const account = await openOrRemove(rows, () => openAccount(ports));
  const lock = await openOrRemove(rows, () => ports.lock.acquire(account.service, command));
  try {
    const run = newRun(id, command, account.service, startedAtMs, ordered, options);
    // Planned anew by `resume`, it might write another plan than the one that was promised.
    await ports.store.addRun({ ...run, finished: check !== undefined });
    return await planAndWrite(ports, run, ordered, rows, account, options, approve, check);
  } finally {
    await lock.release();
  }
}

/** A report, what stopped it if something did, and the files of rows to mend. */
export interface PushResult {
  readonly report: RunReport;
  readonly stoppedBy: TeamsheetError | undefined;
  readonly rejected: readonly string[];
  /** Why rows are left, where something but what stopped it says so. */
  readonly reasons?: readonly Reason[];
  /** What stopped it stopped the reports after it: there is nothing to resume. */
  readonly reportsStopped?: boolean;
}

/** What a run keeps so that it can be planned anew or resumed without its files. */
export interface StoredRun {
  readonly mappings: readonly PushMapping[];
  readonly options: PlanOptions;
}

function newRun(
  id: string,
  command: string,
  account: ServiceAccount,
  startedAtMs: number,
  mappings: readonly PushMapping[],
  options: PlanOptions,
): Run {
  const stored: StoredRun = { mappings, options };
  return {
    id,
    command,
    account,
    startedAtMs,
    endedAtMs: null,
    exitCode: null,
    phase: 'planning',
    finished: false,
    mappings: JSON.stringify(stored),
    summaries: [],
    requests: null,
  };
}

/** Compares, asks and writes a run whose rows are read. */
export async function planAndWrite(
  ports: SyncPorts,
  run: Run,
  mappings: readonly PushMapping[],
  rows: RunRows,
  account: OpenAccount,
  options: PlanOptions,
  approve: Approve,
  check?: CheckPlan,
): Promise<PushResult> {
  let planned: PlannedPush;
  try {
    await waitForOpenWrites(ports, account.service, mappings);
    planned = await planRows(ports, mappings, rows, account, options);
    await check?.(planned);
    const rejectStop = planned.stops.every(({ error }) => error.code === 'guard.reject_mode');
    if (planned.stops.length > 0 && rejectStop) return await stopAtRejects(ports, run, planned);
    const [stop] = planned.stops;
    if (stop !== undefined) throw stop.error;
    await approve(planned, run.id);
  } catch (error) {
    await rows.remove();
    const stop = stopOf(error, ports.signal);
    await ports.store.updateRun(run.id, {
      ...(isDecided(stop) ? { phase: 'ended', finished: true } : {}),
      endedAtMs: ports.clock.now(),
      exitCode: stop?.exitCode ?? EXIT.internal,
    });
    throw stop === undefined ? error : check === undefined ? resumable(stop, run) : stop;
  }
  // A run that is planned anew has ended once before; only its last end tells when its last write can have gone out.
  await ports.store.updateRun(run.id, { phase: 'writing', finished: false, endedAtMs: null });
  return write(ports, run, planned, account, options);
}

/** A stop before the first write that somebody decides, such as a guard: the run is over. After any other one `resume` plans it anew. */
function isDecided(stop: TeamsheetError | undefined): boolean {
  return stop?.exitCode === EXIT.stopped || stop?.exitCode === EXIT.config || stop?.exitCode === EXIT.usage;
}

/** Neither the budget nor a signal knows of runs: a stop that leaves one says how it goes on. */
function resumable(stop: TeamsheetError, run: Run): TeamsheetError {
  const next = `resume ${run.id}`;
  return interruptedAt(exhaustedAt(stop, 'nothing was sent', next), 'nothing was sent', next);
}

/** `reject_mode: fail` with invalid rows: nothing is sent, the good rows are deferred, and the files of bad rows are written. */
async function stopAtRejects(ports: SyncPorts, run: Run, planned: PlannedPush): Promise<PushResult> {
  const stop = planned.stops[0]?.error;
  for (const { mapping } of planned.mappings) {
    for (const { name } of withMissing(mapping))
      await planned.rows.settleOpen(name, 'deferred', stop?.message ?? '');
  }
  return finish(ports, run, planned, {
    exitCode: EXIT.stopped,
    stoppedBy: stop,
    keep: false,
    stale: new Map(),
  });
}

/** Sends what is open, mapping by mapping, and ends the run. `overtaken` counts the deferred rows by mapping that are left to the next push. */
export async function write(
  ports: SyncPorts,
  run: Run,
  planned: PlannedPush,
  account: OpenAccount,
  options: PlanOptions,
  overtaken: ReadonlyMap<string, number> = new Map(),
): Promise<PushResult> {
  const { rows } = planned;
  const stale = new Map(overtaken);
  const quotas: QuotasLeft = new Map();
  let stoppedBy: TeamsheetError | undefined;
  try {
    for (const plan of planned.mappings) {
      const { name } = plan.mapping;
      stale.set(name, (overtaken.get(name) ?? 0) + (await deferStaleRows(ports, plan.mapping, rows)));
      const target: PushTarget | undefined = resources[plan.resource].push;
      const feature = target?.quota;
      const task = {
        ports,
        runId: run.id,
        account: account.service,
        rows,
        used: feature === undefined ? undefined : quotaUsed(account.record, feature),
        onAmbiguous: options.onAmbiguous ?? 'hold',
        quotas,
        isResourceShared: planned.mappings.find(({ resource }) => resource === plan.resource) !== plan,
      };
      await pushMapping({ ...task, mapping: plan.mapping, writes: plan.writes });
      const missing = missingOf(plan.mapping);
      if (missing !== undefined) await pushMapping({ ...task, mapping: missing, writes: plan.deactivated });
    }
  } catch (error) {
    stoppedBy = stopOf(error, ports.signal);
    if (stoppedBy === undefined) throw error;
  }
  const reason = stoppedBy?.message ?? 'the run ended before it';
  for (const mapping of planned.mappings.flatMap((plan) => withMissing(plan.mapping)))
    await leaveRest(ports, run, mapping, rows, reason);
  return finish(ports, run, planned, { exitCode: undefined, stoppedBy, keep: true, stale });
}

/** The stop that an error or a signal stands for; undefined for our own mistakes. */
function stopOf(error: unknown, signal: AbortSignal): TeamsheetError | undefined {
  if (signal.aborted && signal.reason instanceof TeamsheetError) return signal.reason;
  return error instanceof TeamsheetError ? error : undefined;
}

interface Ending {
  readonly exitCode: ExitCode | undefined;
  readonly stoppedBy: TeamsheetError | undefined;
  /** Keeps the rows of an unfinished run for `resume`. */
  readonly keep: boolean;
  /** By mapping, the deferred rows that were edited in their source, or that a later run has read: the next push reads them anew, so nothing of them is to be resumed. */
  readonly stale: ReadonlyMap<string, number>;
}

/** What the end of a run needs of its plan. */
interface Ended {
  readonly rows: RunRows;
  readonly mappings: readonly { readonly mapping: PushMapping }[];
  readonly requests: Pick<RequestCounts, 'planned'>;
}

/** Counts the rows, writes the results, and records the run as ended; closes the rows. */
export async function finish(
  ports: SyncPorts,
  run: Run,
  planned: Ended,
  ending: Ending,
): Promise<PushResult> {
  const { rows } = planned;
  const summaries: PushSummary[] = [];
  const missed: (OutcomeCounts & { readonly stale: number })[] = [];
  const rejected: string[] = [];
  const reasons: Reason[] = [];
  const unwritten: TeamsheetError[] = [];
  let lacksResults = false;
  for (const { mapping } of planned.mappings) {
    const counts = outcomeCounts(await rows.countOutcomes(mapping.name));
    checkCounts(mapping.name, counts);
    const files = await tryResults(ports, run, mapping, rows);
    rejected.push(...(files?.rejected ?? []));
    reasons.push(...(await reasonsOf(rows, mapping, ending.stoppedBy?.message)));
    lacksResults ||= files === undefined;
    const failure = await writeBackOutcomes(ports, mapping, rows);
    if (failure !== undefined) unwritten.push(failure);
    const stale = ending.stale.get(mapping.name) ?? 0;
    const gone = await countMissing(ports, mapping, rows);
    if (gone !== undefined)
      missed.push({ ...gone, stale: ending.stale.get(missingOf(mapping)?.name ?? '') ?? 0 });
    summaries.push({
      name: mapping.name,
      resource: mapping.resource,
      direction: 'push',
      ...counts,
      deactivated: gone?.updated ?? 0,
      ...(stale > 0 && { stale }),
      results: files?.results ?? null,
    });
  }
  const outcomes = [...summaries, ...missed];
  const exitCode = ending.exitCode ?? exitCodeOf(outcomes, ending.stoppedBy, unwritten, lacksResults);
  const finished =
    !ending.keep ||
    (!lacksResults &&
      summaries.every(({ deferred, unknown, stale = 0 }) => deferred - stale + unknown === 0) &&
      missed.every(({ deferred, unknown, stale }) => deferred - stale + unknown === 0));
  const requests = wholeRun(run.requests, { ...ports.service.counts(), planned: planned.requests.planned });
  await ports.store.updateRun(run.id, {
    phase: 'ended',
    finished,
    endedAtMs: ports.clock.now(),
    exitCode,
    summaries,
    requests,
  });
  await (finished ? endRows(rows, summaries) : rows.close());
  const progress = progressOf(summaries);
  return {
    report: { run: run.id, command: run.command, exit_code: exitCode, mappings: summaries, requests },
    stoppedBy: interruptedAt(exhaustedAt(ending.stoppedBy, progress), progress),
    rejected,
    reasons,
  };
}

/** What a run that was interrupted has done and what it has not. */
function progressOf(summaries: readonly PushSummary[]): string {
  const sum = (pick: (each: PushSummary) => number): number =>
    summaries.reduce((all, each) => all + pick(each), 0);
  const left = sum(({ deferred, unknown }) => deferred + unknown);
  const all = sum(({ rows }) => rows);
  return left === 0 ? `all ${all} rows are done` : `${all - left} of ${all} rows are done, ${left} are left`;
}

/** Keeps of a finished run what `verify` and `retry` ask for; a row in conflict is still to be settled, so that all of them stay. */
function endRows(rows: RunRows, summaries: readonly PushSummary[]): Promise<void> {
  return summaries.some(({ conflict }) => conflict > 0) ? rows.close() : rows.keepWritten();
}

/** The results files of a mapping; undefined when they cannot be written: the run is then unfinished, so that `resume` writes them. */
async function tryResults(
  ports: SyncPorts,
  run: Run,
  mapping: PushMapping,
  rows: RunRows,
): Promise<Awaited<ReturnType<typeof writeResults>> | undefined> {
  try {
    return await writeResults(ports.results, run.id, mapping, rows);
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    const message = `${mapping.name}: the results are not written (${error.message}); teamsheet resume ${run.id} writes them`;
    ports.emit({ kind: 'warning', message });
    return undefined;
  }
}

/** Outcomes of users that were to be deactivated and were not. */
const STAY_ACTIVE = OUTCOMES.filter((outcome) => outcome !== 'updated' && outcome !== 'unchanged');
const SHOWN_MISSING = 5;

/** What became of the users that are no longer in the table; they stand in no results, so that those which stay active are told here. */
async function countMissing(
  { emit }: SyncPorts,
  mapping: PushMapping,
  rows: RunRows,
): Promise<OutcomeCounts | undefined> {
  const missing = missingOf(mapping);
  if (missing === undefined) return undefined;
  const counts = outcomeCounts(await rows.countOutcomes(missing.name));
  checkCounts(missing.name, counts);
  const left = counts.rows - counts.updated - counts.unchanged;
  if (left === 0) return counts;
  const page = await rows.page(missing.name, { outcomes: STAY_ACTIVE, afterRow: 0, limit: SHOWN_MISSING });
  const failed = page.map(
    ({ key, outcome, message }) => `"${key ?? ''}" is ${outcome ?? 'open'}: ${message}`,
  );
  const are = left === 1 ? '1 missing user was' : `${left} missing users were`;
  emit({ kind: 'warning', message: `${mapping.name}: ${are} not deactivated (${failed.join('; ')})` });
  return counts;
}

/** Of several reasons, 130 and 143 win, then the first of 8, 5, 7, 3 (interfaces.md, section 5). */
function exitCodeOf(
  counts: readonly OutcomeCounts[],
  stoppedBy: TeamsheetError | undefined,
  unwritten: readonly TeamsheetError[],
  lacksResults: boolean,
): ExitCode {
  const any = (pick: (each: OutcomeCounts) => number): boolean => counts.some((each) => pick(each) > 0);
  const code = stoppedBy?.exitCode;
  if (code === EXIT.interrupted || code === EXIT.terminated) return code;
  const isAccess = (each: TeamsheetError): boolean => each.exitCode === EXIT.access;
  if (code === EXIT.unavailable || lacksResults || !unwritten.every(isAccess)) return EXIT.unavailable;
  if (code === EXIT.access || unwritten.length > 0) return EXIT.access;
  if (stoppedBy instanceof IncompleteError || any((each) => each.deferred + each.unknown + each.conflict))
    return EXIT.incomplete;
  if (any((each) => each.invalid + each.rejected)) return EXIT.rows;
  return code ?? EXIT.done;
}

/** A resumed run's counts are those of the whole run. */
function wholeRun(before: RequestCounts | null, now: RequestCounts): RequestCounts {
  if (before === null) return now;
  return {
    planned: before.planned + now.planned,
    sent: before.sent + now.sent,
    reads: before.reads + now.reads,
    writes: before.writes + now.writes,
    throttled: before.throttled + now.throttled,
    waited_ms: before.waited_ms + now.waited_ms,
  };
}
