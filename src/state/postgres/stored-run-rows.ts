import { InternalError } from '../../model/error.ts';
import type { ChangeKind, Outcome } from '../../model/outcome.ts';
import { storedWords, wordsToStore } from '../../model/said.ts';
import type { RowQuery, RunRow, RunRowPatch } from '../../model/state/run-rows.ts';
import { wrongColumns } from '../kept-rows.ts';
import { array, integer, json, text, textOrNull, type SqlRow } from '../sql-row.ts';
import type { Value } from './client.ts';
import type { Statements } from './database.ts';
import { fromStorableOrNull, storableOrNull } from './storable.ts';

/** Rows that are read at once. */
export const PAGE_ROWS = 2000;

/** What an answer showed of a row: where that is lost, the intent and the records that it confirmed tell it again, and they are on the disk. */
export const isToldTwice = ({ outcome }: RunRowPatch): boolean =>
  outcome === 'created' || outcome === 'updated';

/** Of rows whose keys count. */
export const VALID = "key IS NOT NULL AND change NOT IN ('invalid', 'excluded')";

/** The columns of a row after its mapping's number. */
export const ROW =
  'row_number bigint, key text, folded text, lines text, fields text, change text, before text, said text, outcome text, id text, lookups text, read_key text';

/** The values of {@link ROW}. */
export function rowToStore(row: RunRow): Readonly<Record<string, Value>> {
  return {
    row_number: row.rowNumber,
    key: storableOrNull(row.key),
    folded: storableOrNull(row.folded),
    lines: JSON.stringify(row.lines),
    fields: jsonText(row.fields),
    change: row.change,
    before: jsonText(row.before),
    said: wordsToStore(row.said),
    outcome: row.outcome,
    id: storableOrNull(row.id),
    lookups: jsonText(row.lookups ?? null),
    read_key: storableOrNull(row.readKey ?? null),
  };
}

/** The columns of a row in the order in which {@link parseRow} takes them; those that are not wanted seem to be empty. */
export function columnsOf(only?: RowQuery['only']): string {
  const lines = only === 'fields' ? "'[]'" : 'lines';
  const [key, folded, fields, lookups] =
    only === 'lines' ? Array<string>(4).fill('NULL') : ['key', 'folded', 'fields', 'lookups'];
  return `row_number, ${key}, ${folded}, ${lines}, ${fields}, change, before, said, outcome, id, ${lookups}, read_key`;
}

/** From a row of {@link columnsOf}. */
export function parseRow(row: SqlRow): RunRow {
  const key = fromStorableOrNull(row, 1);
  const lookups = json(row, 10) as NonNullable<RunRow['lookups']> | null;
  const readKey = fromStorableOrNull(row, 11);
  return {
    rowNumber: integer(row, 0),
    key,
    ...(readKey === null || readKey === key ? {} : { readKey }),
    folded: fromStorableOrNull(row, 2),
    lines: array(row, 3) as RunRow['lines'],
    fields: json(row, 4) as RunRow['fields'],
    change: text(row, 5) as ChangeKind,
    before: json(row, 6) as RunRow['before'],
    said: storedWords(text(row, 7)),
    outcome: textOrNull(row, 8) as Outcome | null,
    id: fromStorableOrNull(row, 9),
    ...(lookups === null ? {} : { lookups }),
  };
}

const jsonText = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

/** The columns that a patch names. */
function patchToStore(patch: RunRowPatch): Readonly<Record<string, Value>> {
  const { change, before, said, outcome, id, key, fields, lookups } = patch;
  return {
    ...(change !== undefined && { change }),
    ...(before !== undefined && { before: jsonText(before) }),
    ...(said !== undefined && { said: wordsToStore(said) }),
    ...(outcome !== undefined && { outcome }),
    ...(id !== undefined && { id: storableOrNull(id) }),
    ...(key !== undefined && { key: storableOrNull(key) }),
    ...(fields !== undefined && { fields: jsonText(fields) }),
    ...(lookups !== undefined && { lookups: jsonText(lookups) }),
  };
}

interface Alike {
  readonly columns: readonly string[];
  readonly patches: Map<number, Readonly<Record<string, Value>>>;
}

/** The patches in order, those beside each other together that name the same columns of different rows. */
export function patchedAlike(patches: readonly RunRowPatch[]): readonly Alike[] {
  const groups: Alike[] = [];
  for (const patch of patches) {
    const values = patchToStore(patch);
    const columns = Object.keys(values);
    if (columns.length === 0) continue;
    let group = groups.at(-1);
    if (group?.columns.join() !== columns.join() || group.patches.has(patch.rowNumber)) {
      group = { columns, patches: new Map() };
      groups.push(group);
    }
    group.patches.set(patch.rowNumber, { row_number: patch.rowNumber, ...values });
  }
  return groups;
}

/** Changes rows by patches that name the same columns. Errors: InternalError `state.no_row`. */
export async function patchRows(
  statements: Statements,
  mapping: string,
  number: number,
  { columns, patches }: Alike,
): Promise<void> {
  const values = JSON.stringify([...patches.values()]);
  const assignments = columns.map((column) => `${column} = each.${column}`);
  // All expressions see the row as it was.
  if (columns.includes('key')) assignments.push('read_key = coalesce(held.read_key, held.key)');
  const changed = await statements.run(
    `UPDATE {run_row} AS held SET ${assignments.join(', ')}
     FROM json_to_recordset($2::json) AS each(row_number bigint, ${columns.map((column) => `${column} text`).join(', ')})
     WHERE held.mapping = $1 AND held.row_number = each.row_number AND ${BETWEEN}`,
    number,
    values,
    ...rangeOf([...patches.keys()]),
  );
  if (changed === patches.size) return;
  const missing = await statements.count(
    `SELECT min(row_number) FROM json_to_recordset($2::json) AS each(row_number bigint)
     WHERE row_number NOT IN (SELECT row_number FROM {run_row} WHERE mapping = $1)`,
    number,
    values,
  );
  throw new InternalError(
    'state.no_row',
    `mapping ${mapping} has no row ${missing} in this run: its outcome cannot be recorded`,
  );
}

/** Leaves in the words of invalid rows no cell: which columns are wrong, and by which code. */
export async function keepWrongColumns(statements: Statements, own: string, runId: string): Promise<void> {
  for (let after: readonly [number, number] = [-1, -1]; ;) {
    const rows = await statements.all(
      `SELECT mapping, row_number, said FROM {run_row}
       WHERE ${own} AND outcome = 'invalid' AND said <> '' AND (mapping, row_number) > ($2, $3)
       ORDER BY mapping, row_number LIMIT ${PAGE_ROWS}`,
      runId,
      ...after,
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    after = [integer(last, 0), integer(last, 1)];
    const values = rows.map((row) => ({
      mapping: integer(row, 0),
      row_number: integer(row, 1),
      said: wordsToStore(wrongColumns(storedWords(text(row, 2)))),
    }));
    await statements.run(
      `UPDATE {run_row} AS held SET said = each.said FROM json_to_recordset($1::json) AS each(mapping bigint, row_number bigint, said text)
       WHERE held.mapping = each.mapping AND held.row_number = each.row_number`,
      JSON.stringify(values),
    );
  }
}

/** Rows of a batch mostly follow each other: of a table without statistics, all others would be read too. */
export const BETWEEN = 'held.row_number BETWEEN $3 AND $4';

/** The range that {@link BETWEEN} names. */
export const rangeOf = (rowNumbers: readonly number[]): readonly [least: number, greatest: number] =>
  rowNumbers.reduce<[number, number]>(
    ([least, greatest], rowNumber) => [Math.min(least, rowNumber), Math.max(greatest, rowNumber)],
    [Infinity, -Infinity],
  );
