import type { PushMapping } from '../../mapping/mapping.ts';
import type { KnownRecord, RunRow, RunRowPatch, RunRows } from '../../model/run-rows.ts';
import { isSameSaid, type Said, type Words } from '../../model/said.ts';
import type { ServiceAccount, StoredIntent } from '../../model/store.ts';
import { changedFields } from '../../plan/diff.ts';
import { changeFollowsCreate, type Confirmation } from '../../plan/requests.ts';
import { withoutKnown } from '../evidence/known-conflict.ts';
import { isReadable, lostRows } from '../journal/lost-rows.ts';
import { isListedCreate } from '../journal/unverified.ts';
import { keySpeller } from '../rows/spelling.ts';
import { readBackTwice } from './read-back.ts';
import type { OpenWrite, Seen } from '../resources/strategy.ts';
import { saidNo } from '../../plan/soft-refusal.ts';
import type { OnAmbiguous, SyncPorts } from '../ports.ts';
import { managed } from '../../plan/missing-mapping.ts';
import { intentAfter, type IntentEvent } from '../../plan/intent-lifecycle.ts';
import { rowAfter, wordless } from '../../plan/row-lifecycle.ts';

/** The rows that are open after settling. */
export interface Settled {
  /** Surely not applied. */
  readonly again: readonly number[];
  /** Created, and waiting for the change that follows. */
  readonly created: readonly number[];
}

/**
 * Finds out what became of the writes of a run to one mapping that have no answer: rows that were surely applied get their outcome, rows that surely were not
 * are open again, and the others are held as unknown. Nothing may be applied late any more when it is called.
 */
export async function settleWrites(
  ports: SyncPorts,
  runId: string,
  mapping: PushMapping,
  rows: RunRows,
  account: ServiceAccount,
  onAmbiguous: OnAmbiguous = 'hold',
): Promise<Settled> {
  await recordAnswers(ports, runId, mapping, rows, account);
  const intents = await intentsOf(ports, runId, mapping);
  const open: (OpenWrite & { readonly intent: StoredIntent; readonly lost: readonly RunRow[] })[] = [];
  for (const intent of intents.filter(({ result }) => result === null || result === 'ambiguous')) {
    const lost = lostRows(intent, await rows.rows(mapping.name, intent.rowNumbers));
    const readable = lost.filter((row) => isReadable(intent, row));
    open.push({ intent, lost, rows: [...(await unsettledRows(rows, mapping, intent)), ...readable] });
  }
  const unsettled = open.filter((write) => write.rows.length > 0);
  const read = unsettled.length === 0 ? undefined : await readBackTwice(ports, account, mapping, unsettled);
  const [again, created, others] = [new Set<number>(), new Set<number>(), new Set<number>()];
  const laterRunOf = await createdLater(ports, account, mapping, intents);
  for (const { intent, lost } of open) {
    const seen = read && { ...read, found: withoutKnown(intent, intent.detail, read.found) };
    // A row may stand in several writes, of which the first one settles it.
    const left = (await unsettledRows(rows, mapping, intent)).filter(
      ({ rowNumber }) => !again.has(rowNumber) && !created.has(rowNumber),
    );
    const settled = left.map((row) => settledRow(row, intent, seen, onAmbiguous, laterRunOf));
    const patches = refusedAlone(left, intent, settled);
    const records = intent.keys.flatMap((key) => seen?.found.get(key)?.record ?? []);
    // What is remembered before its row is done cannot be sent twice, wherever the process ends; the intent is closed last.
    const held = records.map((record) => managed(mapping, record));
    await ports.store.confirm(account, mapping.resource, held);
    await rows.patch(mapping.name, patches);
    for (const { rowNumber, outcome, id } of patches)
      if (outcome === null) (id === undefined ? again : created).add(rowNumber);
      else if (outcome === 'unchanged') others.add(rowNumber);
    const ofLost = lost.map((row) => settledLost(row, intent, seen, onAmbiguous, laterRunOf));
    const event = becameOf(intent, [...settled, ...ofLost], again.union(others));
    const detail: Words = saidNo(intent) ? intent.detail : [{ code: 'read-back-settled' }];
    await ports.store.settleIntent(account, intent.id, intentAfter(event), detail, []);
  }
  return { again: [...again], created: [...created] };
}

const intentsOf = async (
  { store }: Pick<SyncPorts, 'store'>,
  runId: string,
  { name }: PushMapping,
): Promise<readonly StoredIntent[]> => (await store.intents(runId)).filter(({ mapping }) => mapping === name);

/** A row that was refused alone in other words than the envelope, and surely was not applied, is refused; in a batch it may have been another one. */
function refusedAlone(
  rows: readonly RunRow[],
  intent: StoredIntent,
  patches: readonly RunRowPatch[],
): readonly RunRowPatch[] {
  if (!saidNo(intent) || intent.rowNumbers.length > 1) return patches;
  return patches.map((patch, at) => {
    const row = rows[at];
    if (row === undefined || patch.outcome !== null || patch.id !== undefined) return patch;
    const isFlag = intent.operation === 'update-user' && row.change === 'create';
    const said: Words = isFlag ? [{ code: 'flag-not-set', reason: intent.detail }] : intent.detail;
    return { ...patch, ...rowAfter(wordless(row), { kind: 'refused', said }) };
  });
}

/** Marks the open rows of writes whose answer was recorded, but whose rows were not marked any more. */
export async function recordAnswers(
  ports: Pick<SyncPorts, 'store'>,
  runId: string,
  mapping: PushMapping,
  rows: RunRows,
  account: ServiceAccount,
): Promise<void> {
  for (const intent of await intentsOf(ports, runId, mapping))
    if (intent.result === 'applied') await recordApplied(ports, mapping, rows, intent, account);
}

/** The later run that created the record which was found of a row; undefined where it is what the row's own write made. */
type LaterRunOf = (row: RunRow, found: Confirmation) => string | undefined;

/**
 * Tells records that a later run created from those of this run's writes, in any spelling of their keys. A run sends a create only of what is not there once nothing
 * can be applied late any more, so that nothing of the writes before it was applied: the run that sent it last made it, also where the rest of its batch was refused.
 */
async function createdLater(
  ports: Pick<SyncPorts, 'store'>,
  account: ServiceAccount,
  { resource }: PushMapping,
  [first]: readonly StoredIntent[],
): Promise<LaterRunOf> {
  if (first === undefined) return () => undefined;
  const sent = [first, ...(await ports.store.intentsAfter(account, first.id))];
  const creates = sent.filter((intent) => intent.resource === resource && isListedCreate(intent));
  const spell = await keySpeller(ports, account, resource);
  const lastRuns = new Map(
    creates.flatMap(({ keys, runId }) => keys.map((key) => [spell(key), runId] as const)),
  );
  return ({ key }, { isOneOfSeveral }) => {
    const last = key === null || isOneOfSeveral === true ? undefined : lastRuns.get(spell(key));
    return last === first.runId ? undefined : last;
  };
}

/** What a write came to by what its rows became: open while one of them is held. */
function becameOf(
  intent: StoredIntent,
  patches: readonly RunRowPatch[],
  notApplied: ReadonlySet<number>,
): IntentEvent {
  if (patches.some(({ outcome }) => outcome === 'unknown')) return 'doubted';
  const again = patches.some(({ outcome, id }) => outcome === null && id === undefined);
  const isOpen = again || (patches.length === 0 && intent.rowNumbers.some((row) => notApplied.has(row)));
  const isLaters = patches.length > 0 && patches.every(({ outcome }) => outcome === 'unchanged');
  if (!isOpen && !isLaters) return 'shown';
  return saidNo(intent) ? 'refused' : 'absent';
}

/** The rows of a write that have no outcome that stands. */
async function unsettledRows(
  rows: RunRows,
  mapping: PushMapping,
  { rowNumbers }: StoredIntent,
): Promise<readonly RunRow[]> {
  return (await rows.rows(mapping.name, rowNumbers)).filter(
    ({ outcome }) => outcome === null || outcome === 'unknown',
  );
}

/** An answer was recorded, but the process ended before the rows were marked: the confirmed records say which rows it was. */
async function recordApplied(
  ports: Pick<SyncPorts, 'store'>,
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
      const patch = record && answeredRow(row, intent, record);
      return patch ?? [];
    }),
  );
}

const changedSince = (done: 'created' | 'updated', fields: readonly string[]): Said => ({
  code: 'held-changed-since',
  done,
  fields,
});

/** What a row becomes whose write was answered, by what the state has seen of its record since; undefined where it stays open. */
function answeredRow(row: RunRow, intent: StoredIntent, record: KnownRecord): RunRowPatch | undefined {
  if (row.fields === null) return undefined;
  const changed = changedFields(row.fields, record);
  const done = row.change === 'update' ? 'updated' : 'created';
  const shown = changed.filter((name) => name in record.digests);
  if (isListedCreate(intent)) {
    // Taken as created by the operator's word, it has no id that its flag could follow with: it is compared anew.
    if (record.id === null && changeFollowsCreate(row, record)) return undefined;
    // Its flag may still have to follow; what else differs came after the answer.
    const others = shown.filter((name) => name !== 'is_active');
    const disagrees = others.length > 0 ? { disagrees: changedSince(done, others) } : {};
    return rowAfter(row, { kind: 'confirmed', found: { id: record.id, record, ...disagrees } });
  }
  if (changed.length === 0) return rowAfter(row, { kind: 'written', id: record.id });
  // A flag is set as often as it takes.
  const isFlag = intent.operation === 'update-user' && row.change === 'create';
  if (shown.length === 0 || isFlag) return undefined;
  return rowAfter(row, { kind: 'disagrees', id: record.id, said: [changedSince(done, shown)] });
}

/** What a row becomes by what was seen of it. */
function settledRow(
  row: RunRow,
  intent: StoredIntent,
  seen: Seen | undefined,
  onAmbiguous: OnAmbiguous,
  laterRunOf: LaterRunOf,
): RunRowPatch {
  const bare = wordless(row);
  const again = { ...rowAfter(bare, { kind: 'not-applied' }), said: [] };
  const held = row.key === null ? undefined : seen?.found.get(row.key);
  if (held !== undefined && intent.operation !== 'update-user') {
    const laterRun = laterRunOf(row, held);
    return {
      ...again,
      ...(laterRun === undefined
        ? rowAfter(bare, { kind: 'confirmed', found: held })
        : leftToLater(bare, held, laterRun)),
    };
  }
  if (held !== undefined && (held.isOneOfSeveral === true || held.id === row.id))
    return { ...again, ...settledChange(bare, held) };
  if (seen?.others === 'absent' || (seen?.others === 'unseen' && onAmbiguous === 'settle')) return again;
  const why: Said = seen?.why ?? { code: 'sent-not-read-back' };
  // Having looked, it says what was seen instead of who will look.
  const before = row.said.filter(({ code }) => code !== 'resume-looks');
  const said = before.some((part) => isSameSaid(part, why)) ? before : [...before, why];
  return rowAfter(bare, { kind: 'unanswered', said });
}

/** A row whose record a later run created. What differs is compared anew, as a row that this run never sent. */
function leftToLater(row: RunRow, { id, record }: Confirmation, laterRun: string): RunRowPatch {
  const said: Words = [{ code: 'run-created-later', run: laterRun }];
  if (changedFields(row.fields ?? {}, record).length > 0) return rowAfter(row, { kind: 'not-applied', said });
  return { ...rowAfter(row, { kind: 'is-there', id, said }), change: 'unchanged' };
}

/** What came of a row of which only its write is kept. What became of a change does not matter any more: the next push compares with what was read. */
function settledLost(
  row: RunRow,
  intent: StoredIntent,
  seen: Seen | undefined,
  onAmbiguous: OnAmbiguous,
  laterRunOf: LaterRunOf,
): RunRowPatch {
  const isFound = row.key !== null && seen?.found.has(row.key) === true;
  if (isFound && intent.operation === 'update-user') return rowAfter(row, { kind: 'not-applied' });
  return settledRow(row, intent, isReadable(intent, row) ? seen : undefined, onAmbiguous, laterRunOf);
}

/** A change that did not come through is sent again: it sets the same values. What it did not set and differs was changed since. */
function settledChange(row: RunRow, { record, disagrees, isOneOfSeveral }: Confirmation): RunRowPatch {
  if (isOneOfSeveral === true)
    return rowAfter(row, { kind: 'disagrees', said: disagrees === undefined ? [] : [disagrees] });
  const differs = changedFields(row.fields ?? {}, record);
  const sent = row.before === null ? ['is_active'] : Object.keys(row.before);
  if (differs.some((name) => sent.includes(name))) return rowAfter(row, { kind: 'not-applied' });
  if (differs.length === 0) return rowAfter(row, { kind: 'written' });
  const done = row.change === 'create' ? 'created' : 'updated';
  return rowAfter(row, { kind: 'disagrees', said: [changedSince(done, differs)] });
}
