import { resources } from '../contract/index.ts';
import type { PushMapping } from '../mapping/mapping.ts';
import { EXIT, IncompleteError, TeamsheetError, UnavailableError } from '../model/error.ts';
import { REJECTED, stopWords, type Words } from '../model/said.ts';
import type { Run, ServiceAccount } from '../model/state/store.ts';
import { quotaUsed } from '../model/quota.ts';
import { requestsMade } from '../model/requests-made.ts';
import { finish, wholeRun, type PushResult } from './finish/end-run.ts';
import type { LeftRows } from './finish/write-back.ts';
import { exhaustedAt, interruptedAt } from './finish/interrupted.ts';
import { leaveRest } from './write/defer-rest.ts';
import { recordEnd } from './journal/last-run.ts';
import { countRows } from './journal/lost-rows.ts';
import { waitForOpenWrites } from './journal/open-writes.ts';
import { orderMappings } from '../plan/order.ts';
import type { QuotasLeft } from '../plan/over-quota.ts';
import { deferRejected, openAccount, planRows, whyStopped } from './plan/plan-sync.ts';
import { pushMapping } from './write/push-mapping.ts';
import { DeadlineError } from './write/push-writer.ts';
import { openOrRemove, readSources } from './rows/read-rows.ts';
import { filledMappings } from './rows/unfilled.ts';
import { deferStaleRows } from './write/source-edits.ts';
import type { StoredRun } from './journal/stored-run.ts';
import type { PlannedPush, PlanParts, SyncPorts } from './ports.ts';
import { holding } from './runs/holding.ts';
import type { PlanOptions } from '../plan/saved/push-plan.ts';
import { missingOf, withMissing } from '../plan/missing-mapping.ts';
import { rememberAdopted } from './compare/compare-listed.ts';
import { markRows, type MarkedRows } from './compare/marked-rows.ts';
import { rowsTask } from './journal/stored-run.ts';

export type { PushResult } from './finish/end-run.ts';

/** Shows the plan and asks, where something would be written; throws StoppedError `approval.*` when it is not to be. */
export type Approve = (planned: PlannedPush, runId: string) => Promise<void>;

/** Looks at a complete plan before anybody is asked; throws when it is not the one that was promised. */
export type CheckPlan = (planned: PlannedPush) => Promise<void> | void;

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
  const ordered = orderMappings(mappings);
  const startedAtMs = ports.clock.now();
  const id = ports.random.ulid(startedAtMs);
  await ports.results.requirePlace();
  // Every source is read and checked before the service hears of anything.
  const marked = await markRows(ports, ordered, options);
  const rows = await readSources(ports, id, ordered, options, marked);
  const filled = await openOrRemove(rows, () => filledMappings(ports, ordered, rows, options));
  const leftOut = ordered.filter((mapping) => !filled.includes(mapping)).map(({ name }) => name);
  if (filled.length === 0 && ordered.length > 0) {
    await rows.remove();
    const requests = ports.service.counts();
    const report = { run: null, command, exit_code: EXIT.done, mappings: [], requests };
    return { report, stoppedBy: undefined, rejected: [], leftOut };
  }
  const account = await openOrRemove(rows, () => openAccount(ports));
  const lock = await openOrRemove(rows, () => ports.lock.acquire(account.service, command));
  return holding(lock, async () => {
    const run = newRun(id, command, account.service, startedAtMs, filled, options);
    // Planned again by `resume`, it might write another plan than the one that was promised.
    await ports.store.addRun({ ...run, finished: check !== undefined });
    const begun = { ports, run, mappings: filled, rows, account, options, marked };
    return { ...(await planAndWrite(begun, approve, check)), leftOut };
  });
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

/** A run under the lock of its account, with the rows of its mappings. */
export interface BegunRun extends PlanParts {
  readonly run: Run;
  /** Those of its rows that were compared while they were read. */
  readonly marked?: MarkedRows;
  /** What it had left before it went on. */
  readonly left?: LeftRows;
}

/** The run once no unanswered write can be applied any more. What such a write made, the account counts only since then. */
export async function afterOpenWrites(begun: BegunRun, settled?: ReadonlySet<string>): Promise<BegunRun> {
  const { ports, account, mappings } = begun;
  const waited = await waitForOpenWrites(ports, account.service, mappings, settled);
  return waited ? { ...begun, account: { ...account, record: await ports.service.account() } } : begun;
}

/** Compares, asks and writes a run whose rows are read. */
export async function planAndWrite(
  begun: BegunRun,
  approve: Approve,
  check?: CheckPlan,
): Promise<PushResult> {
  const { ports, run, mappings, rows, marked } = begun;
  let ready: BegunRun;
  let planned: PlannedPush;
  try {
    ready = await afterOpenWrites(begun);
    const ahead = await marked?.ahead(ready.account, rows);
    planned = await planRows(ready, ahead);
    await check?.(planned);
    const stop = whyStopped(planned.stops);
    if (stop !== undefined) {
      const isReject = planned.stops.every(({ error }) => error.code === REJECTED);
      // The good rows are deferred, and the files of bad rows are written.
      if (isReject)
        return await finish(ports, run, await deferRejected(planned), {
          exitCode: EXIT.stopped,
          stoppedBy: stop,
        });
      throw stop;
    }
    ports.passed?.('memory', 'older_state', 'guards');
    await approve(planned, run.id);
    ports.passed?.('approval');
  } catch (error) {
    await rows.remove();
    const stop = stopOf(error, ports.signal);
    await recordEnd(ports.store, run, {
      ...(isDecided(stop) ? { phase: 'ended', finished: true } : {}),
      endedAtMs: ports.clock.now(),
      exitCode: stop?.exitCode ?? EXIT.internal,
      requests: wholeRun(run.requests, requestsMade(ports.service)),
    });
    throw stop === undefined ? error : check === undefined ? resumable(stop, run) : stop;
  }
  // A run that is planned again has ended once before; only its last end tells when its last write can have gone out.
  const counted = await countRows(rows, mappings);
  await ports.store.updateRun(run.id, { phase: 'writing', finished: false, endedAtMs: null, rows: counted });
  return write(ready, planned);
}

/** A stop before the first write that somebody decides, such as a guard: the run is over. After any other one `resume` plans it again. */
function isDecided(stop: TeamsheetError | undefined): boolean {
  return stop?.exitCode === EXIT.stopped || stop?.exitCode === EXIT.config || stop?.exitCode === EXIT.usage;
}

/** Neither the budget nor a signal knows of runs: a stop that leaves one says how it goes on. */
function resumable(stop: TeamsheetError, run: Run): TeamsheetError {
  const next = `resume ${run.id}`;
  return interruptedAt(exhaustedAt(stop, 'nothing was sent', next), 'nothing was sent', next);
}

/** Sends what is open, mapping by mapping, and ends the run. */
export async function write(
  { ports, run, rows, account, options, left }: BegunRun,
  planned: PlannedPush,
): Promise<PushResult> {
  const quotas: QuotasLeft = new Map();
  const late = new Map<string, DeadlineError>();
  let stoppedBy: TeamsheetError | undefined;
  try {
    for (const plan of planned.mappings) {
      const { name } = plan.mapping;
      if (options.adopt)
        await rememberAdopted({ ports, account: account.service, mapping: plan.mapping }, plan.used);
      await deferStaleRows(ports, plan.mapping, rows);
      const feature = resources[plan.resource].push.quota;
      const task = {
        ports,
        runId: run.id,
        account: account.service,
        rows,
        used: feature === undefined ? undefined : quotaUsed(account.record, feature),
        onAmbiguous: options.onAmbiguous ?? 'hold',
        deadlineMs: options.deadlines?.[name],
        quotas,
        isResourceShared: planned.mappings.find(({ resource }) => resource === plan.resource) !== plan,
      };
      try {
        await pushMapping({ ...task, mapping: plan.mapping, writes: plan.writes });
        const missing = missingOf(plan.mapping);
        if (missing !== undefined) await pushMapping({ ...task, mapping: missing, writes: plan.deactivated });
      } catch (error) {
        if (!(error instanceof DeadlineError)) throw error;
        late.set(name, error);
      }
    }
  } catch (error) {
    stoppedBy = stopOf(withoutState(error, run), ports.signal);
    if (stoppedBy === undefined) throw error;
    if (stoppedBy.code === 'lock.lost' || stoppedBy.code === 'state.moved') {
      await rows.close();
      throw lostAfter(stoppedBy, ports.service.counts().writes);
    }
  }
  try {
    for (const { mapping } of planned.mappings) {
      const stop = stoppedBy ?? late.get(mapping.name);
      const reason: Words = stop === undefined ? [{ code: 'run-ended' }] : stopWords(stop);
      for (const each of withMissing(mapping)) await leaveRest(rowsTask({ ports, run, rows }, each), reason);
    }
    const [first] = late.values();
    return await finish(ports, run, planned, { stoppedBy: stoppedBy ?? first, left });
  } catch (error) {
    throw withoutState(error, run);
  }
}

/** A database that went away has the run as it was: what is left is sent once it is there again. */
function withoutState(error: unknown, { id }: Run): unknown {
  if (!(error instanceof UnavailableError) || error.code !== 'state.unreachable') return error;
  const { code, message } = error;
  return new UnavailableError(code, message, {
    next: `resume ${id}, once the state is there again`,
    cause: error,
  });
}

/** Whoever has the lock now, or finds the state where it is, goes on with the run, so that nothing of it is touched any more. */
function lostAfter(stop: TeamsheetError, writes: number): TeamsheetError {
  const { code, message, next } = stop;
  return writes === 0 ? stop : new IncompleteError(code, message, { next, cause: stop });
}

/** The stop that an error or a signal stands for; undefined for our own mistakes. */
function stopOf(error: unknown, signal: AbortSignal): TeamsheetError | undefined {
  if (signal.aborted && signal.reason instanceof TeamsheetError) return signal.reason;
  return error instanceof TeamsheetError ? error : undefined;
}
