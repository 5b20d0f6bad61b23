import { isChange } from '../../contract/index.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import type { RunRow } from '../../model/state/run-rows.ts';
import type { Said, Words } from '../../model/said.ts';
import type { StoredIntent } from '../../model/state/store.ts';
import { withoutKnown } from '../../plan/reconcile/known-conflict.ts';
import { isReadable, lostRows } from '../../plan/reconcile/lost-rows.ts';
import { asReadAt, isListedCreate, mayBeApplied, maySendStill } from '../../plan/reconcile/intents.ts';
import { writtenOver } from '../evidence/pre-image.ts';
import { keySpeller } from '../rows/spelling.ts';
import { readBackTwice } from './read-back.ts';
import { type OpenWrite, wasNamedOtherwise } from '../../plan/reconcile/seen.ts';
import { saidNo } from '../../plan/reconcile/soft-refusal.ts';
import type { ReadTask, RowsTask, StateTask } from '../ports.ts';
import {
  type Evidence,
  type OnAmbiguous,
  reconciledRow,
  refusedRows,
  reconciledLost,
  becameOf,
  type LaterRunOf,
  answeredRow,
} from '../../plan/reconcile/reconciled-rows.ts';
import { isChangedSince, readEvidence, wasThere } from '../../plan/reconcile/evidence.ts';
import type { Shown } from '../../plan/reconcile/fit-rows.ts';
import type { Confirmation } from '../../plan/requests.ts';
import { shownKey } from '../../model/state/spelling.ts';
import { managed } from '../../plan/missing-mapping.ts';
import { intentAfter, isOpenIntent } from '../../plan/intent-lifecycle.ts';

/** The rows that are open after writes were reconciled. */
export interface Reconciled {
  /** Surely not applied. */
  readonly again: readonly number[];
  /** Created, and waiting for the change that follows. */
  readonly created: readonly number[];
}

/**
 * Finds out what became of the writes of a run to one mapping that have no answer: rows that were surely applied get their outcome, rows that surely were not
 * are open again, and the others are unknown. Nothing may be applied late any more when it is called.
 */
export async function reconcileWrites(
  task: ReadTask & RowsTask,
  onAmbiguous: OnAmbiguous = 'hold',
): Promise<Reconciled> {
  await recordAnswers(task);
  const { ports, account, mapping, rows } = task;
  const nowMs = ports.clock.now();
  const intents = (await intentsOf(task)).map((intent) => asReadAt(intent, nowMs, ports.settleMs));
  const open: (OpenWrite & { readonly intent: StoredIntent; readonly lost: readonly RunRow[] })[] = [];
  for (const intent of intents.filter(isOpenIntent)) {
    const lost = lostRows(intent, await rows.rows(mapping.name, intent.rowNumbers));
    const readable = lost.filter((row) => isReadable(intent, row));
    open.push({ intent, lost, rows: [...(await openRowsOf(task, intent)), ...readable] });
  }
  const unread = open.filter((write) => write.rows.length > 0);
  const read = unread.length === 0 ? undefined : await readBackTwice(task, unread);
  const [again, created, others] = [new Set<number>(), new Set<number>(), new Set<number>()];
  const unproved = intents.filter((intent) => isListedCreate(intent) && mayBeApplied(intent));
  const doubtful = new Set(unproved.flatMap(({ rowNumbers }) => rowNumbers));
  const laterRunOf = await createdLater(task, intents);
  // A row may stand in several writes: what became of one says nothing of another that may still go out.
  const coming = new Map(
    open.flatMap(({ intent }) => {
      const why = maySendStill(intent);
      return why === undefined ? [] : intent.rowNumbers.map((row) => [row, why] as const);
    }),
  );
  const mayCome = ({ rowNumber }: RunRow): Said | undefined => coming.get(rowNumber);
  for (const { intent, lost } of open) {
    const seen = read && { ...read, found: withoutKnown(intent, intent.detail, read.found) };
    const changed = await writtenOver(ports, account, intent);
    if (changed.length > 0) for (const row of intent.rowNumbers) doubtful.add(row);
    const evidence = { seen, onAmbiguous, laterRunOf, mayCome, isOlder: olderThan(mapping, intent) };
    // Otherwise the first one decides.
    const left = (await openRowsOf(task, intent)).filter(
      ({ rowNumber }) => !again.has(rowNumber) && !created.has(rowNumber),
    );
    const settled = left.map((row) => reconciledRow(row, intent, evidence));
    const patches = refusedRows(left, intent, settled, doubtful);
    const records = intent.keys.flatMap((key) => seen?.found.get(key)?.record ?? []);
    // What is remembered before its row is done cannot be sent twice, wherever the process ends; the intent is closed last.
    const actual = records.map((record) => managed(mapping, record));
    await ports.store.confirm(account, mapping.resource, actual);
    await rows.patch(mapping.name, patches);
    for (const { rowNumber, outcome, id } of patches)
      if (outcome === null) (id === undefined ? again : created).add(rowNumber);
      else if (outcome === 'unchanged') others.add(rowNumber);
    const ofLost = lost.map((row) => reconciledLost(row, intent, evidence));
    const event = becameOf(intent, [...settled, ...ofLost], again.union(others));
    // It stays as its sender left it, where its own rows do not show that it went out: only what that process has recorded shows how far it came. Anybody may make the same change.
    const isShown = event !== 'doubted' && left.length + lost.length > 0 && !isChange(intent.operation);
    if (maySendStill(intent) !== undefined && !isShown) continue;
    const isKept = saidNo(intent) || (event === 'doubted' && wasNamedOtherwise([intent]));
    const kept: Words = isKept ? intent.detail : [{ code: 'read-back-settled' }];
    const detail = [...kept.filter(({ code }) => code !== 'read-back-changed'), ...changed];
    // A power cut would leave a closed write and rows that do not say what it did.
    if (patches.length > 0) await rows.sync();
    await ports.store.recordResult(account, intent.id, intentAfter(event), detail, []);
  }
  return { again: [...again], created: [...created] };
}

const intentsOf = async ({ ports, runId, mapping }: RowsTask): Promise<readonly StoredIntent[]> =>
  (await ports.store.intents(runId)).filter((intent) => intent.mapping === mapping.name);

/** Marks the open rows of writes whose answer was recorded, but whose rows were not marked any more. */
export async function recordAnswers(task: RowsTask): Promise<void> {
  for (const intent of await intentsOf(task))
    if (intent.result === 'applied') await recordApplied(task, intent);
}

/**
 * Tells records that a later run created from those of this run's writes, in any spelling of their keys. A run sends a create only of what is not there once nothing
 * can be applied late any more, so that nothing of the writes before it was applied: the run that sent it last made it, also where the rest of its batch was refused.
 */
async function createdLater(
  { ports, account, mapping: { resource } }: StateTask,
  [first]: readonly StoredIntent[],
): Promise<LaterRunOf> {
  if (first === undefined) return () => undefined;
  const sent = [first, ...(await ports.store.intentsAfter(account, first.id))];
  const creates = sent.filter((intent) => intent.resource === resource && isListedCreate(intent));
  const spell = await keySpeller(ports, account, resource);
  const byKey = new Map<string, StoredIntent[]>();
  for (const intent of creates)
    for (const key of intent.keys.map(spell)) byKey.set(key, [...(byKey.get(key) ?? []), intent]);
  return ({ key }, found) => {
    if (key === null || found.isOneOfSeveral === true) return undefined;
    const shown = shownAs(resource, key, found);
    // Before it is learnt how the service spells keys, a run sends what is there under another spelling.
    const maker = byKey.get(spell(key))?.findLast((intent) => !wasThere([intent])(shown));
    return maker?.runId === first.runId ? undefined : maker?.runId;
  };
}

/** Tells records that were there before a create, and that nothing has changed since: those that were seen, and any where the account counted more, or counts none. */
function olderThan({ resource }: PushMapping, intent: StoredIntent): Evidence['isOlder'] {
  if (!isListedCreate(intent)) return () => false;
  if (readEvidence(intent)?.unlisted !== 0) return () => true;
  const [isBefore, isChanged] = [wasThere([intent]), isChangedSince([intent])];
  return ({ key }, found) => {
    const shown = shownAs(resource, key ?? '', found);
    return isBefore(shown) && !isChanged(shown.key, found.record);
  };
}

/** A record that was found of a key, under the key that the service shows. */
const shownAs = (
  resource: PushMapping['resource'],
  key: string,
  { id, keptAs }: Pick<Confirmation, 'id' | 'keptAs'>,
): Shown => ({ key: shownKey(resource, key, keptAs), record: { id } });

/** The rows of a write that have no outcome that stands. */
async function openRowsOf(
  { rows, mapping }: RowsTask,
  { rowNumbers }: StoredIntent,
): Promise<readonly RunRow[]> {
  return (await rows.rows(mapping.name, rowNumbers)).filter(
    ({ outcome }) => outcome === null || outcome === 'unknown',
  );
}

/** An answer was recorded, but the process ended before the rows were marked: the confirmed records say which rows it was. */
async function recordApplied(
  { ports, account, mapping, rows }: RowsTask,
  intent: StoredIntent,
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
