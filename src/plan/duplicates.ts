import type { DuplicateGroup, RunRow, RunRowPatch } from '../model/state/run-rows.ts';
import { digestOf } from './digest.ts';
import { referenceName } from './lookups.ts';
import { openRow, rowAfter, type RowEvent } from './row-lifecycle.ts';

type Row = DuplicateGroup['rows'][number];

const NAMED_ROWS = 5;

/** The digest of what a row says, null where it is not read: of what is looked up, the words of its cells until its value is known. */
export function digestOfRow({ fields, lookups }: Pick<RunRow, 'fields' | 'lookups'>): string | null {
  if (fields === null) return null;
  const words = Object.entries(lookups ?? {}).flatMap(([field, { texts, after }]) => {
    if (after !== undefined) return [[field, referenceName(after)] as const];
    return field in fields ? [] : [[field, texts.join(' ')] as const];
  });
  return digestOf(words.length === 0 ? fields : { ...fields, ...Object.fromEntries(words) });
}

/** The other rows of a group, the first few by number. A wrong key column makes one group of a whole file: each row looks at these few alone. */
function nameOthers(row: Row, rows: readonly Row[]): string {
  const others = rows.slice(0, NAMED_ROWS + 1).filter((other) => other !== row);
  const shown = others.slice(0, NAMED_ROWS).map(({ rowNumber }) => rowNumber);
  const more = rows.length - 1 - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

/**
 * What becomes of rows with one key. Saying the same, the later ones are `unchanged (duplicate of row n)`; saying different things, all are
 * invalid and name each other, since nobody but the operator knows which one is meant.
 */
export function resolveDuplicates({ key, rows }: DuplicateGroup): readonly RunRowPatch[] {
  const [first, ...later] = rows;
  if (first === undefined) return [];
  const digest = digestOfRow(first);
  if (later.every((row) => digestOfRow(row) === digest)) {
    const said = [{ code: 'duplicate-same', row: first.rowNumber }] as const;
    return later.map(({ rowNumber }) => becomes(rowNumber, { kind: 'is-equal', said }));
  }
  return rows.map((row) => {
    const message = `key "${key}" has other values in row ${nameOthers(row, rows)}: keep one of them`;
    return becomes(row.rowNumber, {
      kind: 'breaks-rule',
      said: [{ code: 'issue', issue: { code: 'key.repeated', severity: 'error', value: key, message } }],
    });
  });
}

/** What becomes of a row, whatever it was found to be before the others of its key were looked at. */
const becomes = (rowNumber: number, event: RowEvent): RunRowPatch => ({
  id: null,
  ...rowAfter(openRow(rowNumber), event),
});
