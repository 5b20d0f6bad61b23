import type { PushMapping } from '../mapping/mapping.ts';
import { StoppedError, UsageError } from '../model/error.ts';
import type { RunRow, RunRowPatch, RunRows } from '../model/run-rows.ts';
import type { Run, StoredIntent } from '../model/store.ts';
import { changedFields } from '../plan/diff.ts';
import { listedResources } from '../plan/listed.ts';
import type { Confirmation } from '../plan/requests.ts';
import { holdRows, waitForOpenWrites } from './open-writes.ts';
import { managed, missingOf } from './missing-rows.ts';
import { openAccount, planRows, type OpenAccount } from './plan-sync.ts';
import { planAndWrite, write, type Approve, type PushResult, type StoredRun } from './push.ts';
import { readSources } from './read-rows.ts';
import { readBack } from './read-back.ts';
import { confirmed } from './push-writer.ts';
import type { PlannedPush, PlanOptions, SyncPorts } from './sync.ts';

/**
 * Goes on with an unfinished run from its own rows: settles what had no answer, opens what was deferred, compares again and sends. A run that
 * stopped before its plan was complete is planned anew. Undefined when there is nothing to resume.
 * Errors: UsageError `run.unknown`; StoppedError `run.other_account`; those of `push`.
 */
export async function resume(
  ports: SyncPorts,
  runId: string | undefined,
  approve: Approve,
): Promise<PushResult | undefined> {
  const account = await openAccount(ports);
  const lock = await ports.lock.acquire(account.service, 'resume');
  try {
    const run = await findRun(ports, runId, account);
    if (run === undefined) return undefined;
    const { mappings, options } = JSON.parse(run.mappings) as StoredRun;
    // The run proved once that it remembers, or that it need not; it is not asked again.
    const resumed = { ...options, adopt: true };
    const rows = await ports.store.openRunRows(run.id);
    if (run.phase === 'planning') {
      await rows.remove();
      return await planAndWrite(
        ports,
        run,
        mappings,
        await readSources(ports, run.id, mappings, options),
        account,
        options,
        approve,
      );
    }
    const planned = await planLeft(ports, run, mappings, rows, account, resumed, approve);
    // Only the end of a run tells when its last write can have gone out.
    await ports.store.updateRun(run.id, { phase: 'writing', endedAtMs: null });
    return await write(ports, run, planned, account);
  } finally {
    await lock.release();
  }
}

async function planLeft(
  ports: SyncPorts,
  run: Run,
  mappings: readonly PushMapping[],
  rows: RunRows,
  account: OpenAccount,
  options: PlanOptions,
  approve: Approve,
): Promise<PlannedPush> {
  try {
    await waitForOpenWrites(ports, account.service, mappings);
    for (const mapping of mappings) {
      await reopen(ports, run, mapping, rows, account);
      const missing = missingOf(mapping);
      if (missing !== undefined) await reopen(ports, run, missing, rows, account);
    }
    const planned = await planRows(ports, mappings, rows, account, options);
    await approve(planned);
    return planned;
  } catch (error) {
    await rows.close();
    throw error;
  }
}

async function findRun(
  ports: SyncPorts,
  runId: string | undefined,
  account: OpenAccount,
): Promise<Run | undefined> {
  if (runId === undefined) return ports.store.newestUnfinishedRun(account.service);
  const run = await ports.store.run(runId);
  if (run === undefined) {
    throw new UsageError('run.unknown', `there is no run ${runId}`, { next: 'runs' });
  }
  if (
    run.account.baseUrl !== account.service.baseUrl ||
    run.account.accountId !== account.service.accountId
  ) {
    throw new StoppedError(
      'run.other_account',
      `run ${runId} wrote to another service or account (${run.account.baseUrl})`,
      {
        next: 'choose its environment with --env',
      },
    );
  }
  return run.finished ? undefined : run;
}

/** Makes the rows of one mapping ready to be compared again: what was surely applied has its outcome, what surely was not is open. */
async function reopen(
  ports: SyncPorts,
  run: Run,
  mapping: PushMapping,
  rows: RunRows,
  account: OpenAccount,
): Promise<void> {
  const intents = (await ports.store.intents(run.id)).filter((intent) => intent.mapping === mapping.name);
  for (const intent of intents.filter(({ result }) => result === 'applied'))
    await recordApplied(ports, mapping, rows, intent, account);
  await rows.reopen(mapping.name, 'deferred');
  const open = intents.filter(({ result }) => result === null || result === 'ambiguous');
  if (listedResources[mapping.resource] !== undefined)
    await settleListed(ports, mapping, rows, open, account);
  else await holdRows(rows, mapping, open, NOT_READ_BACK);
  await rows.restart(mapping.name);
}

/** The rows of unanswered writes that have no outcome that stands. */
async function unsettledRows(
  rows: RunRows,
  mapping: PushMapping,
  open: readonly StoredIntent[],
): Promise<readonly RunRow[]> {
  const all = await rows.rows(mapping.name, [...new Set(open.flatMap(({ rowNumbers }) => rowNumbers))]);
  return all.filter(({ outcome }) => outcome === null || outcome === 'unknown');
}

/** An answer was recorded, but the process ended before the rows were marked: the confirmed records say which rows it was. */
async function recordApplied(
  ports: SyncPorts,
  mapping: PushMapping,
  rows: RunRows,
  intent: StoredIntent,
  account: OpenAccount,
): Promise<void> {
  const open = (await rows.rows(mapping.name, intent.rowNumbers)).filter((row) => row.outcome === null);
  if (open.length === 0) return;
  const confirmedRecords = await ports.store.snapshots(
    account.service,
    mapping.resource,
    open.flatMap((row) => row.key ?? []),
  );
  await rows.patch(
    mapping.name,
    open.flatMap((row) => {
      const record = row.key === null ? undefined : confirmedRecords.get(row.key);
      if (record === undefined || row.fields === null) return [];
      if (isListedCreate(intent)) return [confirmed(row, { id: record.id, record })];
      const same = changedFields(row.fields, record).length === 0;
      return same
        ? [
            {
              rowNumber: row.rowNumber,
              id: record.id,
              outcome: row.change === 'update' ? ('updated' as const) : ('created' as const),
            },
          ]
        : [];
    }),
  );
}

const isListedCreate = ({ resource, operation }: StoredIntent): boolean =>
  listedResources[resource] !== undefined && operation !== 'update-user';

const NOT_READ_BACK =
  'sent, but no trustworthy answer came, and it cannot be read back; it is not sent again';

/**
 * Writes without an answer: now that nothing can be applied late any more, the list is the witness. A row that it holds as it was sent was
 * applied, any other one was not and is compared and sent again.
 */
async function settleListed(
  ports: SyncPorts,
  mapping: PushMapping,
  rows: RunRows,
  open: readonly StoredIntent[],
  account: OpenAccount,
): Promise<void> {
  const all = await unsettledRows(rows, mapping, open);
  const found = all.length === 0 ? new Map<string, Confirmation>() : await readBack(ports, mapping, all);
  if (found === undefined) return holdRows(rows, mapping, open, NOT_READ_BACK);
  for (const intent of open) {
    const patches = (await unsettledRows(rows, mapping, [intent])).map((row) =>
      settledRow(row, intent, found.get(row.key ?? '')),
    );
    await rows.patch(mapping.name, patches);
    const applied = patches.every(({ outcome, id }) => typeof outcome === 'string' || id !== undefined);
    await ports.store.settleIntent(
      account.service,
      intent.id,
      applied ? 'applied' : 'not_applied',
      'settled by reading back',
      intent.keys.flatMap((key) => found.get(key)?.record ?? []).map((record) => managed(mapping, record)),
    );
  }
}

/** What a row becomes by what the list holds under its key. */
function settledRow(row: RunRow, intent: StoredIntent, held: Confirmation | undefined): RunRowPatch {
  const again: RunRowPatch = { rowNumber: row.rowNumber, outcome: null, message: '' };
  if (held === undefined) return again;
  if (isListedCreate(intent)) return { ...again, ...confirmed({ ...row, message: '' }, held) };
  const isSet = changedFields(row.fields ?? {}, held.record).length === 0;
  return isSet ? { ...again, outcome: row.change === 'create' ? 'created' : 'updated' } : again;
}
