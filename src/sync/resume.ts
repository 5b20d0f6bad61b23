import type { PushMapping } from '../mapping/mapping.ts';
import { StoppedError, UsageError } from '../model/error.ts';
import type { RunRows } from '../model/run-rows.ts';
import type { Run, StoredIntent } from '../model/store.ts';
import { changedFields } from '../plan/diff.ts';
import { openAccount, planRows, writesOf, type OpenAccount } from './plan-sync.ts';
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
    for (const mapping of mappings) await reopen(ports, run, mapping, rows, account);
    const planned = await planRows(ports, mappings, rows, account, options);
    if (writesOf(planned) > 0) await approve(planned);
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
  if (mapping.resource === 'users') {
    await settleUsers(ports, mapping, rows, open, account);
  } else {
    await hold(mapping, rows, open);
  }
  await rows.restart(mapping.name);
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
      if (intent.operation === 'create-users') return [confirmed(row, { id: record.id, record })];
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

/**
 * Creates without an answer: once nothing can be applied late any more, the list is the witness. A row that it holds was created, a row that it
 * does not hold was not and is sent again. Changes are simply sent again: they set values.
 */
async function settleUsers(
  ports: SyncPorts,
  mapping: PushMapping,
  rows: RunRows,
  open: readonly StoredIntent[],
  account: OpenAccount,
): Promise<void> {
  const creates = open.filter(({ operation }) => operation === 'create-users');
  const latest = Math.max(...creates.map(({ sentAtMs }) => sentAtMs));
  const waitMs = latest + ports.settleMs - ports.clock.now();
  if (creates.length > 0 && waitMs > 0) {
    const seconds = Math.ceil(waitMs / 1000);
    ports.emit({
      kind: 'pause',
      seconds,
      untilMs: ports.clock.now() + waitMs,
      reason: 'a write without an answer may still be applied',
    });
    await ports.clock.sleep(waitMs, ports.signal);
  }
  for (const intent of creates) {
    const unsettled = (await rows.rows(mapping.name, intent.rowNumbers)).filter(
      (row) => row.outcome === null || row.outcome === 'unknown',
    );
    if (unsettled.length === 0) continue;
    const found = await readBack(ports, mapping, unsettled);
    if (found === undefined) return hold(mapping, rows, creates);
    await rows.patch(
      mapping.name,
      unsettled.map((row) => {
        const confirmation = row.key === null ? undefined : found.get(row.key);
        return confirmation === undefined
          ? { rowNumber: row.rowNumber, outcome: null, message: '' }
          : confirmed({ ...row, message: '' }, confirmation);
      }),
    );
    const records = [...found.values()].map(({ record }) => record);
    await ports.store.settleIntent(
      account.service,
      intent.id,
      records.length === unsettled.length ? 'applied' : 'not_applied',
      'settled by reading back',
      records,
    );
  }
  await reopenChanges(ports, mapping, rows, open, account);
}

async function reopenChanges(
  ports: SyncPorts,
  mapping: PushMapping,
  rows: RunRows,
  open: readonly StoredIntent[],
  account: OpenAccount,
): Promise<void> {
  for (const intent of open.filter(({ operation }) => operation === 'update-user')) {
    await rows.patch(
      mapping.name,
      intent.rowNumbers.map((rowNumber) => ({ rowNumber, outcome: null, message: '' })),
    );
    await ports.store.settleIntent(
      account.service,
      intent.id,
      'not_applied',
      'sent again: the change sets values',
      [],
    );
  }
}

/** Rows whose effect cannot be read back stay unknown and are not sent again. */
async function hold(mapping: PushMapping, rows: RunRows, open: readonly StoredIntent[]): Promise<void> {
  for (const intent of open) {
    const unsettled = (await rows.rows(mapping.name, intent.rowNumbers)).filter(
      (row) => row.outcome === null,
    );
    const message = 'sent, but no trustworthy answer came, and it cannot be read back; it is not sent again';
    await rows.patch(
      mapping.name,
      unsettled.map(({ rowNumber }) => ({ rowNumber, outcome: 'unknown', message })),
    );
  }
}
