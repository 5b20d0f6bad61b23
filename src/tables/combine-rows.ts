import { UnavailableError } from '../model/error.ts';
import type { ReportColumn, ReportValue, WriteOptions } from '../model/tables/table.ts';
import { utcText } from './date-format.ts';

type Row = readonly ReportValue[];

/**
 * Where the columns of a key stand in a header. Errors: UnavailableError `destination.key` for a key without columns and for a column that
 * the report does not have.
 */
export function keyPositions(header: readonly string[], key: readonly string[]): readonly number[] {
  const positions = key.map((name) => header.indexOf(name));
  const missing = key.find((_, index) => positions[index] === -1);
  if (missing === undefined && key.length > 0) return positions;
  throw new UnavailableError(
    'destination.key',
    missing === undefined ? 'mode: merge needs a key' : `the key "${missing}" is not a column of the report`,
    { next: 'Name columns of the report as key in the mapping.' },
  );
}

/**
 * The key of a row as one text. Values are compared as they are shown, because a spreadsheet may give a text back as a number and the reverse:
 * `7` and `"7"` are the same, an empty text is an empty cell, and two ways to write one date are one.
 */
function keyText(positions: readonly number[], textOf: (text: string) => string): (row: Row) => string {
  const shown = (value: ReportValue = null): string =>
    typeof value === 'string' ? textOf(value) : String(value ?? '');
  return (row) => JSON.stringify(positions.map((position) => shown(row[position])));
}

/** Rows by their keys. Errors: UnavailableError `destination.key` when two rows have the same. */
export function rowsByKey<R>(
  rows: Iterable<R>,
  textOf: (row: R) => string,
  into = new Map<string, R>(),
): Map<string, R> {
  for (const row of rows) {
    const text = textOf(row);
    if (into.has(text))
      throw new UnavailableError('destination.key', `two rows of the report have the same key ${text}`, {
        next: 'Add a column to the key in the mapping, so that it tells the rows apart.',
      });
    into.set(text, row);
  }
  return into;
}

/** An old row, or the fresh one of its key, which is then taken out of `fresh`. */
export function replaced<R>(old: R, textOf: (row: R) => string, fresh: Map<string, R>): R {
  const text = textOf(old);
  const replacement = fresh.get(text);
  fresh.delete(text);
  return replacement ?? old;
}

/**
 * The rows of a report that is added to what stood there: `append` has the old rows, then the fresh ones; `merge` has each old row replaced by the
 * fresh one of the same key ({@link keyText}), then the fresh rows of new keys; `replace` has the fresh ones alone. Rows are the same objects. `textOf` gives texts
 * that a cell shows as one the same form.
 * Errors: those of {@link keyPositions}; UnavailableError `destination.key` when two fresh rows have one key.
 */
export function combineRows(
  { mode, key = [] }: Pick<WriteOptions, 'mode' | 'key'>,
  columns: readonly Pick<ReportColumn, 'header'>[],
  old: readonly Row[],
  fresh: readonly Row[],
  textOf = utcText,
): readonly Row[] {
  if (mode === 'replace') return fresh;
  if (mode === 'append') return [...old, ...fresh];
  const header = columns.map((column) => column.header);
  const keyOf = keyText(keyPositions(header, key), textOf);
  const left = rowsByKey(fresh, keyOf);
  return [...old.map((row) => replaced(row, keyOf, left)), ...left.values()];
}
