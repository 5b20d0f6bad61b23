import type { PushMapping } from '../mapping/mapping.ts';
import { renderCount, renderCountOf } from '../model/count.ts';
import { IncompleteError, InterruptedError, StoppedError, UsageError } from '../model/error.ts';
import { REJECTED, type Words } from '../model/said.ts';
import { requestsMade } from '../model/requests-made.ts';
import { NO_REQUESTS, type Run } from '../model/state/store.ts';
import { wholeRun } from './finish/end-run.ts';
import { exhaustedAt, interruptedAt } from './finish/interrupted.ts';
import { leftRows } from './finish/write-back.ts';
import { endLostRun, hasLostRows } from './journal/lost-rows.ts';
import { cutOffMappings, leaveOvertaken, newestLeft } from './runs/superseded.ts';
import { deferRows, noteSent, wordsOfCreated } from './journal/unverified.ts';
import { openAccount, planRows, whyStopped } from './plan/plan-sync.ts';
import {
  afterOpenWrites,
  planAndWrite,
  write,
  type Approve,
  type BegunRun,
  type PushResult,
} from './push.ts';
import { readSources } from './rows/read-rows.ts';
import { reconcileWrites } from './reconcile/writes.ts';
import { rowsTask, runOf, type StoredRun } from './journal/stored-run.ts';
import type { OpenAccount, PlannedPush, SyncPorts } from './ports.ts';
import { holding } from './runs/holding.ts';
import type { PlanOptions } from '../plan/saved/push-plan.ts';
import { missingOf, withMissing } from '../plan/missing-mapping.ts';

/** What the operator says of a run that goes on. */
type AddedOptions = {
  readonly [Name in 'onAmbiguous' | 'allowGuards' | 'adopt' | 'compare']?: PlanOptions[Name] | undefined;
} & {
  /** Rows whose deadline is over are sent all the same. */
  readonly afterDeadline?: boolean | undefined;
  /** Only the first N rows of each mapping that wait; the others are left to the next resume. */
  readonly limit?: number | undefined;
};

/**
 * Goes on with an unfinished run from its own rows: reconciles what had no answer, opens what was deferred, compares again and sends. A run that
 * stopped before its plan was complete is planned again. Rows that a later run has overtaken are left. Undefined when there is nothing to resume. What is `added` wins over what the run
 * began with, and guards are passed beside those that it passed already.
 * Errors: UsageError `run.unknown`, `resume.limit`; IncompleteError `run.rows_lost`; StoppedError `run.other_account`, `guard.*`; those of `push`.
 */
export async function resume(
  ports: SyncPorts,
  runId: string | undefined,
  approve: Approve,
  added: AddedOptions = {},
): Promise<PushResult | undefined> {
  await ports.results.requirePlace();
  const account = await openAccount(ports);
  const lock = await ports.lock.acquire(account.service, 'resume');
  return holding(lock, async () => {
    const found = await findRun(ports, runId, account);
    if (found === undefined) return undefined;
    const run = await withUncounted(ports, found);
    const { mappings, options: stored } = JSON.parse(run.mappings) as StoredRun;
    const { deadlines, ...others } = stored;
    const options = {
      ...others,
      ...(deadlines !== undefined && added.afterDeadline !== true && { deadlines }),
      allowGuards: [...stored.allowGuards, ...(added.allowGuards ?? [])],
      onAmbiguous: added.onAmbiguous ?? stored.onAmbiguous ?? 'hold',
      compare: added.compare ?? stored.compare,
      limit: added.limit ?? stored.limit,
      // What the service had then is not what an older copy of the state meets now.
      adopt: added.adopt === true,
    };
    const kept = await ports.store.keptRunRows(run.id);
    if (await hasLostRows(run, kept)) {
      await kept?.close();
      throw await endLostRun(ports, run);
    }
    if (kept === undefined || run.phase === 'planning') {
      if (added.limit !== undefined) {
        await kept?.close();
        throw plannedWhole(run, mappings, added.limit);
      }
      await kept?.remove();
      const read = await readSources(ports, run.id, mappings, options);
      const begun = { ports, run, mappings, rows: read, account, options };
      return await planAndWrite(begun, approve).catch(afterGuard);
    }
    const left = await leftRows(kept, mappings, await cutOffMappings(ports.store, run));
    const begun = { ports, run, mappings, rows: kept, account, options, left };
    const { ready, planned } = await planLeft(begun, approve, added.limit);
    // Only the end of a run tells when its last write can have gone out.
    await ports.store.updateRun(run.id, { phase: 'writing', endedAtMs: null });
    return await write(ready, planned);
  });
}

/** A run that reads its tables again has no rows that a later resume could go on with. */
function plannedWhole({ id, command }: Run, mappings: readonly PushMapping[], limit: number): UsageError {
  const message = `run ${id} stopped before its plan was complete and is planned anew, so that resume --limit cannot leave rows to the next one; nothing was sent`;
  const flag = `--limit ${limit}`;
  const anew: Readonly<Record<string, string>> = {
    import: `Import the file again, with the same flags and ${flag}.`,
    retry: `Retry the refused rows again, with ${flag}.`,
  };
  const next = anew[command] ?? `push ${mappings.map(({ name }) => name).join(' ')} ${flag}`;
  return new UsageError('resume.limit', message, { next });
}

async function planLeft(
  begun: BegunRun,
  approve: Approve,
  limit: number | undefined,
): Promise<{ readonly ready: BegunRun; readonly planned: PlannedPush }> {
  const { ports, run, mappings, rows, options } = begun;
  try {
    const ready = await afterOpenWrites(begun, new Set([run.id]));
    for (const mapping of mappings.flatMap(withMissing)) await reopen(ready, mapping);
    if (limit !== undefined) for (const mapping of mappings) await leaveBeyond(ready, mapping, limit);
    const planned = await planRows(ready);
    // Rows that are invalid by now do not take back what was sent of the others.
    const stop = whyStopped(planned.stops.filter(({ error }) => error.code !== REJECTED));
    if (stop !== undefined) throw stop;
    ports.passed?.('memory', 'older_state', 'guards');
    for (const mapping of mappings) await noteSent(rowsTask(begun, mapping));
    const left = await leaveOvertaken(ports, run, planned, options.allowGuards);
    await approve(left, run.id);
    ports.passed?.('approval');
    return { ready, planned: left };
  } catch (error) {
    try {
      const requests = wholeRun(run.requests, requestsMade(ports.service));
      await ports.store.updateRun(run.id, { requests });
      throw await unsentAt(ports.signal.aborted ? ports.signal.reason : error, begun);
    } finally {
      await rows.close();
    }
  }
}

/** A stop of a signal or of the budget before anything was sent, with what the run has done so far; any other error comes back as it is. */
async function unsentAt(stop: unknown, { run: { id }, mappings, rows }: BegunRun): Promise<unknown> {
  if (!(stop instanceof InterruptedError || stop instanceof IncompleteError)) return stop;
  let [all, left] = [0, 0];
  for (const { name } of mappings)
    for (const [outcome, count] of await rows.countOutcomes(name)) {
      all += count;
      if (outcome === 'open' || outcome === 'deferred' || outcome === 'unknown') left += count;
    }
  const what = `nothing was sent; ${renderCount(all - left)} of ${renderCountOf(all, 'row')} done, ${renderCount(left)} left`;
  return interruptedAt(exhaustedAt(stop, what, `resume ${id}`), what, `resume ${id}`);
}

/** A guard ends a run that is planned again as it ends a push. */
function afterGuard(error: unknown): never {
  const isGuard = error instanceof StoppedError && /^(guard\.|state\.no_memory$)/.test(error.code);
  if (!isGuard) throw error;
  const { code, message, place } = error;
  throw new StoppedError(code, message, {
    ...place,
    next: `this run is over; ${error.flagged('push again and add') ?? ''}`,
  });
}

async function findRun(
  ports: SyncPorts,
  runId: string | undefined,
  account: OpenAccount,
): Promise<Run | undefined> {
  if (runId === undefined) return newestLeft(ports.store, account.service);
  const run = await runOf(ports.store, runId, account.service);
  return run.finished && run.rowsLost !== true ? undefined : run;
}

/** The run with the writes of a process that was killed: it could not say how many requests it made, and its intents show the writes alone. */
async function withUncounted({ store }: Pick<SyncPorts, 'store'>, run: Run): Promise<Run> {
  if (run.endedAtMs !== null) return run;
  const before = run.requests ?? NO_REQUESTS;
  const uncounted = Math.max(0, (await store.intents(run.id)).length - before.writes);
  const add = (count: number): number => count + uncounted;
  return {
    ...run,
    requests: {
      ...before,
      planned: add(before.planned),
      sent: add(before.sent),
      writes: add(before.writes),
    },
  };
}

/** Makes the rows of one mapping ready to be compared again: what was surely applied has its outcome, what surely was not is open. */
async function reopen(begun: BegunRun, mapping: PushMapping): Promise<void> {
  await begun.rows.reopenDeferred(mapping.name);
  await reconcileWrites(rowsTask(begun, mapping), begun.options.onAmbiguous);
  await begun.rows.restart(mapping.name);
}

/** Defers all but the first open rows of one mapping, and the users that are no longer in its table. */
async function leaveBeyond(begun: BegunRun, mapping: PushMapping, limit: number): Promise<void> {
  const { run, rows } = begun;
  const said: Words = [{ code: 'limit-leaves', run: run.id }];
  const first = await rows.page(mapping.name, { open: true, afterRow: 0, limit, only: 'fields' });
  const taken = new Set(first.map(({ rowNumber }) => rowNumber));
  const ofCreated = await wordsOfCreated(rowsTask(begun, mapping), said);
  await deferRows(rows, mapping, (row) => (taken.has(row.rowNumber) ? undefined : (ofCreated(row) ?? said)));
  const missing = missingOf(mapping);
  if (missing !== undefined) await rows.deferOpen(missing.name, said);
}
