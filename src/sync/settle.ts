import type { PushMapping } from '../mapping/mapping.ts';
import type { RunRow, RunRowPatch, RunRows } from '../model/run-rows.ts';
import type { ServiceAccount, StoredIntent } from '../model/store.ts';
import { changedFields } from '../plan/diff.ts';
import { listedResources } from '../plan/listed.ts';
import type { Confirmation } from '../plan/requests.ts';
import { managed } from './missing-rows.ts';
import { holdRows } from './open-writes.ts';
import { confirmed } from './push-writer.ts';
import { readBack } from './read-back.ts';
import type { SyncPorts } from './sync.ts';

/**
 * Finds out what became of the writes of a run to one mapping: rows that were surely applied get their outcome, rows that surely were not are open
 * again, and the others are held. Nothing may be applied late any more when it is called.
 */
export async function settleWrites(
  ports: SyncPorts,
  runId: string,
  mapping: PushMapping,
  rows: RunRows,
  account: ServiceAccount,
): Promise<void> {
  const intents = (await ports.store.intents(runId)).filter((intent) => intent.mapping === mapping.name);
  for (const intent of intents.filter(({ result }) => result === 'applied'))
    await recordApplied(ports, mapping, rows, intent, account);
  const open = intents.filter(({ result }) => result === null || result === 'ambiguous');
  if (listedResources[mapping.resource] !== undefined)
    await settleListed(ports, mapping, rows, open, account);
  else await holdRows(rows, mapping, open, NOT_READ_BACK);
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
  account: ServiceAccount,
): Promise<void> {
  const open = (await rows.rows(mapping.name, intent.rowNumbers)).filter((row) => row.outcome === null);
  if (open.length === 0) return;
  const confirmedRecords = await ports.store.snapshots(
    account,
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
  account: ServiceAccount,
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
      account,
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
