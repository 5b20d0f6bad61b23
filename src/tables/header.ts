import { ConfigError } from '../model/error.ts';
import { foldName } from '../model/fold-name.ts';
import type { Issue } from '../model/issue.ts';
import type { Cell } from '../model/tables/cell.ts';
import type { ReadOptions } from '../model/tables/table.ts';

/** Wider tables are a wrong separator or a wrong file. */
const MAX_COLUMNS = 1_000;

/** Control characters and marks that turn the writing direction; tabs and line breaks are only untidy. */
const CONTROL = /[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** The name of a column as it is bound: trimmed, in composed form. */
export const headerName = (cell: string): string => cell.trim().normalize('NFC');

/** Where a header, or a row under it, stands: the name of its file, its row and its line there. */
interface HeaderPlace {
  readonly origin: string;
  readonly rowNumber: number;
  readonly line: number;
}

/**
 * The header as it is bound ({@link headerName}). A cell may be empty; its column must then be empty throughout.
 * Errors: ConfigError `header.control`, `header.duplicate` (regardless of case), `source.columns` with what helps if it is too wide.
 */
export function checkHeader(
  cells: readonly string[],
  place: HeaderPlace,
  ifTooWide = 'Delete the columns that no mapping uses.',
): readonly string[] {
  const { origin, rowNumber, line } = place;
  const refuse = (code: string, message: string, next: string, column?: number): never => {
    throw new ConfigError(code, `${origin} row ${rowNumber}: ${message}`, {
      file: origin,
      line,
      column,
      next,
    });
  };
  if (cells.length > MAX_COLUMNS) {
    refuse('source.columns', `${cells.length} columns, at most ${MAX_COLUMNS}`, ifTooWide);
  }
  const header = cells.map(headerName);
  header.forEach((name, index) => {
    const [char] = CONTROL.exec(name) ?? [];
    if (char === undefined) return;
    const point = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    refuse(
      'header.control',
      `column ${index + 1} of the header holds the control character U+${point}`,
      char === '\0'
        ? 'The file may be UTF-16: add --encoding utf-16le, or save it as UTF-8.'
        : 'Type the name again.',
      index + 1,
    );
  });
  const seen = new Map<string, number>();
  header.forEach((name, index) => {
    const folded = foldName(name);
    const first = seen.get(folded);
    if (name !== '' && first !== undefined) {
      const same =
        header[first] === name ? `"${name}" stands` : `"${header[first] ?? ''}" and "${name}" stand`;
      refuse(
        'header.duplicate',
        `${same} in columns ${first + 1} and ${index + 1} of the header`,
        'Rename or delete one of them.',
        index + 1,
      );
    }
    seen.set(folded, index);
  });
  return header;
}

/** The error of a table without a header in its row (`header.none`); `filledRow` is the first row after it that holds anything. */
export function noHeader(
  { origin, headerRow }: Pick<ReadOptions, 'origin' | 'headerRow'>,
  filledRow: number | undefined,
  table = 'file',
): ConfigError {
  const [why, next] =
    filledRow === undefined
      ? [
          `the ${table} ends before it`,
          'Write the column names in the first row, or name the row with header_row.',
        ]
      : ['the row is empty', `Delete the empty rows, or write header_row: ${filledRow} on the source.`];
  return new ConfigError('header.none', `${origin}: no header in row ${headerRow}, ${why}`, {
    file: origin,
    line: headerRow,
    next,
  });
}

/** A stream of rows, cut behind the first that `isReached` takes; there is no header where none is. */
export async function headerAndRest<R>(
  batches: AsyncGenerator<readonly R[], undefined>,
  isReached: (row: R) => boolean,
): Promise<{ readonly header: R | undefined; readonly rest: AsyncIterable<readonly R[]> }> {
  for (let next = await batches.next(); next.done !== true; next = await batches.next()) {
    const at = next.value.findIndex(isReached);
    if (at !== -1) return { header: next.value[at], rest: followedBy(next.value.slice(at + 1), batches) };
  }
  return { header: undefined, rest: batches };
}

async function* followedBy<R>(
  early: readonly R[],
  rest: AsyncIterable<readonly R[]>,
): AsyncGenerator<readonly R[]> {
  yield early;
  yield* rest;
}

/** What is wrong with cells that hold NUL characters, under the names of their columns. */
export const nulIssues = (
  cells: readonly (Cell | undefined)[],
  header: readonly string[],
): readonly Issue[] =>
  cells.flatMap((cell, index): readonly Issue[] =>
    typeof cell === 'string' && cell.includes('\0') && index < header.length
      ? [
          {
            code: 'cell.nul',
            severity: 'error',
            column: header[index],
            message: 'holds a NUL character (U+0000); delete it',
          },
        ]
      : [],
  );

/** The error of a row that holds a value in a column without a name (`header.empty`). */
export function underEmptyHeader({ origin, rowNumber, line }: HeaderPlace, index: number): ConfigError {
  return new ConfigError(
    'header.empty',
    `${origin} row ${rowNumber}: column ${index + 1} holds a value, but its header is empty`,
    { file: origin, line, column: index + 1, next: 'Give the column a header, or empty it.' },
  );
}
