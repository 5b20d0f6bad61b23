import { isChange } from '../../contract/index.ts';
import type { KnownRecord, RunRow, RunRowPatch } from '../../model/state/run-rows.ts';
import { isSameSaid, type Said, type Words } from '../../model/said.ts';
import type { StoredIntent } from '../../model/state/store.ts';
import { changedFields } from '../diff.ts';
import { changeFollowsCreate, type Confirmation } from '../requests.ts';
import { isReadable } from './lost-rows.ts';
import { isListedCreate } from './intents.ts';
import type { Seen } from './seen.ts';
import { refusalsOf } from './refused-entries.ts';
import { saidNo } from './soft-refusal.ts';
import type { IntentEvent } from '../intent-lifecycle.ts';
import { rowAfter, wordless } from '../row-lifecycle.ts';

/** What becomes of a write that nothing is seen of, where that is no proof: it stays unknown, or is taken for not applied and sent again. */
export type OnAmbiguous = 'hold' | 'settle';

/**
 * A row that was refused in other words than the envelope, alone or by its key, and that reading back did not show, is refused; else it may have been another one of
 * its batch. `doubtful`: rows of which that is no proof.
 */
export function refusedRows(
  rows: readonly RunRow[],
  intent: StoredIntent,
  patches: readonly RunRowPatch[],
  doubtful: ReadonlySet<number>,
): readonly RunRowPatch[] {
  const isAlone = intent.rowNumbers.length === 1;
  return patches.map((patch, at) => {
    const row = rows[at];
    if (row === undefined || patch.outcome !== null || patch.id !== undefined) return patch;
    const reason = refusalsOf(intent.detail, row).filter((part) => isAlone || part.key !== undefined);
    if (reason.length === 0) return patch;
    const isFlag = isChange(intent.operation) && row.change === 'create';
    const before: Words = doubtful.has(row.rowNumber) ? [{ code: 'sent-not-shown' }] : [];
    const said: Words = isFlag ? [{ code: 'flag-not-set', reason }] : [...before, ...reason];
    return { ...patch, ...rowAfter(wordless(row), { kind: 'refused', said }) };
  });
}

/** What the rows of writes without an answer are judged by. */
export interface Evidence {
  /** Undefined where nothing could be read. */
  readonly seen: Seen | undefined;
  readonly onAmbiguous: OnAmbiguous;
  readonly laterRunOf: LaterRunOf;
  /** Why any write of a row may still go out. */
  readonly mayCome: (row: RunRow) => Said | undefined;
  /** Whether what was found of a row may have been there before its write as it is. */
  readonly isOlder: (row: RunRow, found: Confirmation) => boolean;
}

/** The later run that created the record which was found of a row; undefined where it is what the row's own write made. */
export type LaterRunOf = (row: RunRow, found: Confirmation) => string | undefined;

/** What a write came to by what its rows became: open while one of them is unknown. */
export function becameOf(
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

const changedSince = (done: 'created' | 'updated', fields: readonly string[]): Said => ({
  code: 'held-changed-since',
  done,
  fields,
});

/** What a row becomes whose write was answered, by what the state has seen of its record since; undefined where it stays open. */
export function answeredRow(row: RunRow, intent: StoredIntent, record: KnownRecord): RunRowPatch | undefined {
  if (row.fields === null) return undefined;
  const changed = changedFields(row.fields, record, intent.resource);
  const done = row.change === 'update' ? 'updated' : 'created';
  const shown = changed.filter((name) => name in record.digests);
  if (isListedCreate(intent)) {
    // Taken as created by the operator's word, it has no id that its flag could follow with: it is compared again.
    if (record.id === null && changeFollowsCreate(row, record)) return undefined;
    // Its flag may still have to follow; what else differs came after the answer.
    const others = shown.filter((name) => name !== 'is_active');
    const disagrees = others.length > 0 ? { disagrees: changedSince(done, others) } : {};
    return rowAfter(row, { kind: 'confirmed', found: { id: record.id, record, ...disagrees } });
  }
  if (changed.length === 0) return rowAfter(row, { kind: 'written', id: record.id });
  // A flag is set as often as it takes.
  const isFlag = isChange(intent.operation) && row.change === 'create';
  if (shown.length === 0 || isFlag) return undefined;
  return rowAfter(row, { kind: 'disagrees', id: record.id, said: [changedSince(done, shown)] });
}

/** What a row becomes by what was seen of it. */
export function reconciledRow(row: RunRow, intent: StoredIntent, evidence: Evidence): RunRowPatch {
  return unlessSilent(row, evidence, rowBySeen(row, intent, evidence));
}

/**
 * While a write of a row may still go out, the row is not sent again, whatever shows that nothing came of it yet. A record that may have been there before, or
 * that has other values, which somebody else may have made, does not show that it went out.
 */
function unlessSilent(row: RunRow, { mayCome, seen, isOlder }: Evidence, patch: RunRowPatch): RunRowPatch {
  const why = mayCome(row);
  const found = row.key === null ? undefined : seen?.found.get(row.key);
  const isSentAgain = patch.outcome === null && patch.id === undefined;
  const isOthers = patch.outcome === 'conflict' || (found !== undefined && isOlder(row, found));
  if (why === undefined || !(isSentAgain || isOthers)) return patch;
  return rowAfter(wordless(row), { kind: 'unanswered', said: [why] });
}

function rowBySeen(
  row: RunRow,
  intent: StoredIntent,
  { seen, onAmbiguous, laterRunOf, mayCome }: Evidence,
): RunRowPatch {
  const bare = wordless(row);
  const again = { ...rowAfter(bare, { kind: 'not-applied' }), said: [] };
  const actual = row.key === null ? undefined : seen?.found.get(row.key);
  if (actual !== undefined && !isChange(intent.operation)) {
    const laterRun = laterRunOf(row, actual);
    return {
      ...again,
      ...(laterRun === undefined
        ? rowAfter(bare, { kind: 'confirmed', found: actual })
        : leftToLater(bare, intent, actual, laterRun)),
    };
  }
  if (actual !== undefined && (actual.isOneOfSeveral === true || actual.id === row.id))
    return { ...again, ...reconciledChange(bare, intent, actual) };
  if (seen?.others === 'absent' || (seen?.others === 'unseen' && onAmbiguous === 'settle')) return again;
  const why: Said = mayCome(row) ?? seen?.why ?? { code: 'sent-not-read-back' };
  // After a reading, it says what was seen instead of who will read.
  const before = row.said.filter(({ code }) => code !== 'resume-looks');
  const said = before.some((part) => isSameSaid(part, why)) ? before : [...before, why];
  return rowAfter(bare, { kind: 'unanswered', said });
}

/** A row whose record a later run created. What differs is compared again, as a row that this run never sent. */
function leftToLater(
  row: RunRow,
  { resource }: StoredIntent,
  { id, record }: Confirmation,
  laterRun: string,
): RunRowPatch {
  const said: Words = [{ code: 'run-created-later', run: laterRun }];
  if (changedFields(row.fields ?? {}, record, resource).length > 0)
    return rowAfter(row, { kind: 'not-applied', said });
  return { ...rowAfter(row, { kind: 'is-there', id, said }), change: 'unchanged' };
}

/** What came of a row of which only its write is kept. What became of a change does not matter any more: the next push compares with what was read. */
export function reconciledLost(row: RunRow, intent: StoredIntent, evidence: Evidence): RunRowPatch {
  const { seen } = evidence;
  const isFound = row.key !== null && seen?.found.has(row.key) === true;
  if (isFound && isChange(intent.operation))
    return unlessSilent(row, evidence, rowAfter(row, { kind: 'not-applied' }));
  return reconciledRow(row, intent, { ...evidence, seen: isReadable(intent, row) ? seen : undefined });
}

/** A change that did not come through is sent again: it sets the same values. What it did not set and differs was changed since. */
function reconciledChange(
  row: RunRow,
  { resource }: StoredIntent,
  { record, disagrees, isOneOfSeveral }: Confirmation,
): RunRowPatch {
  if (isOneOfSeveral === true)
    return rowAfter(row, { kind: 'disagrees', said: disagrees === undefined ? [] : [disagrees] });
  const differs = changedFields(row.fields ?? {}, record, resource);
  const sent = row.before === null ? ['is_active'] : Object.keys(row.before);
  if (differs.some((name) => sent.includes(name))) return rowAfter(row, { kind: 'not-applied' });
  if (differs.length === 0) return rowAfter(row, { kind: 'written' });
  const done = row.change === 'create' ? 'created' : 'updated';
  return rowAfter(row, { kind: 'disagrees', said: [changedSince(done, differs)] });
}
