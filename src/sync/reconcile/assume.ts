import { isChange } from '../../contract/index.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import type { KnownRecord, RunRow, RunRowPatch } from '../../model/state/run-rows.ts';
import type { Words } from '../../model/said.ts';
import type { Run, ServiceAccount, StoredIntent } from '../../model/state/store.ts';
import { intentAfter, isOpenIntent } from '../../plan/intent-lifecycle.ts';
import { known, mergedOver, numberOf, remembered } from '../../plan/known-records.ts';
import { needsChangeAfterCreate } from '../../plan/requests.ts';
import { rowAfter, wordless } from '../../plan/row-lifecycle.ts';
import { lostRows } from '../../plan/reconcile/lost-rows.ts';
import type { Assumption, OpenCase, Resolved, Resolving } from './open-cases.ts';
import type { SyncPorts } from '../ports.ts';
import { managed } from '../../plan/missing-mapping.ts';

type Ports = Pick<SyncPorts, 'store' | 'clock'>;

/** When the operator said it, for whoever reads it later. */
export const timeOf = ({ clock }: Pick<SyncPorts, 'clock'>): string => new Date(clock.now()).toISOString();

const resultOf = (assume: Assumption): 'applied' | 'not_applied' => intentAfter(`assumed-${assume}`);

/** Records the operator's word on a raw call. */
export async function resolveByWord(
  ports: Ports,
  account: ServiceAccount,
  { id }: Pick<OpenCase, 'id'>,
  assume: Assumption,
): Promise<Resolved> {
  const said: Words = [{ code: 'word-assumed', assume, at: timeOf(ports) }];
  await ports.store.recordResult(account, id, resultOf(assume), said, []);
  return { settled: resultOf(assume), said };
}

/**
 * Resolves a write by the operator's word, and with it the writes before it of the same rows: applied rows count as sent and are remembered, the others
 * wait for `resume`. That a write was applied settles what came after it, too; that it was not says nothing of a later one.
 */
export async function assumeWrite(
  { ports, account: { service: account }, run, mapping, rows }: Resolving,
  intentId: string,
  assume: Assumption,
): Promise<Resolved> {
  const { store } = ports;
  const intents = (await store.intents(run.id)).filter(
    (each) => each.mapping === mapping.name && isOpenIntent(each),
  );
  const intent = intents.find(({ id }) => id === intentId);
  // An earlier write of the same rows was resolved with it.
  const assumed: Words = [{ code: 'word-assumed', assume, at: timeOf(ports) }];
  if (intent === undefined) return { settled: resultOf(assume), said: assumed };
  const kept = await rows.rows(mapping.name, intent.rowNumbers);
  const later = assume === 'applied' ? [] : intents.slice(intents.indexOf(intent) + 1);
  const doubted = new Set(later.flatMap(({ rowNumbers }) => rowNumbers));
  const open = kept.filter(
    ({ outcome, rowNumber }) => (outcome === null || outcome === 'unknown') && !doubted.has(rowNumber),
  );
  const taken: Words = [{ code: 'word-taken', assume, at: timeOf(ports) }];
  const lost = lostRows(intent, kept);
  const records = assume === 'applied' ? await sentRecords(ports, account, mapping, open, lost) : [];
  // What is remembered first cannot be sent twice, wherever the process ends; the intent is closed last.
  await store.confirm(account, mapping.resource, records);
  await rows.patch(
    mapping.name,
    open.map((row) => (assume === 'applied' ? appliedRow(row, intent, taken) : waitingRow(row, run, taken))),
  );
  const own = new Set(intent.rowNumbers);
  const settled = intents.filter((each) => !later.includes(each));
  for (const { id } of settled.filter((each) => each.rowNumbers.every((row) => own.has(row))))
    await store.recordResult(account, id, resultOf(assume), assumed, []);
  return { settled: resultOf(assume), said: taken };
}

function appliedRow(row: RunRow, { operation }: StoredIntent, taken: Words): RunRowPatch {
  const isNew = row.change === 'create' && !isChange(operation);
  if (isNew && needsChangeAfterCreate(row))
    return rowAfter(wordless(row), { kind: 'must-wait', said: [...taken, { code: 'flag-not-set-yet' }] });
  const isFlagUnknown = isNew && row.fields?.is_active !== undefined;
  const said: Words = isFlagUnknown ? [...taken, { code: 'flag-unknown' }] : taken;
  return rowAfter(wordless(row), { kind: 'written', said });
}

const waitingRow = (row: RunRow, { id }: Run, taken: Words): RunRowPatch =>
  rowAfter(wordless(row), { kind: 'must-wait', said: [...taken, { code: 'resume-sends', run: id }] });

/** What the service has if the write was applied, with the ids that were known before. What a lost row set beside its key may be anything. */
async function sentRecords(
  { store }: Ports,
  account: ServiceAccount,
  mapping: PushMapping,
  open: readonly RunRow[],
  lost: readonly RunRow[],
): Promise<readonly KnownRecord[]> {
  const rows = [...open, ...lost];
  const before = await store.snapshots(
    account,
    mapping.resource,
    rows.flatMap(({ key }) => key ?? []),
  );
  return rows.flatMap((row) => {
    const { key, fields } = row;
    if (key === null || fields === null) return [];
    const held = before.get(key);
    const id = row.id ?? held?.id ?? null;
    // A new user is active until it is changed.
    const { is_active, ...others } = fields;
    const isNew = row.change === 'create' && row.id === null;
    const sent = isNew || is_active === undefined ? others : fields;
    const record = remembered(known(key, id, held?.number ?? numberOf(id), sent));
    return [managed(mapping, lost.includes(row) ? record : mergedOver(held, record))];
  });
}
