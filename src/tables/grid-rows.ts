import { holdsNothing, shownText, type Cell } from '../model/tables/cell.ts';
import { ConfigError } from '../model/error.ts';
import type { Issue } from '../model/issue.ts';
import type { ReadOptions, SourceRow } from '../model/tables/table.ts';
import { columnLetters } from '../model/tables/column-letters.ts';
import { underEmptyHeader } from './header.ts';

/** Cells of a grid that are joined into one; rows and columns count from 0, both ends included. */
export interface Merge {
  readonly reference: string;
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstColumn: number;
  readonly lastColumn: number;
}

/** One row of a grid, as found; a hole is an empty cell. `more` is what is wrong with single cells. */
export type GridRow = (
  rowNumber: number,
  found: readonly (Cell | undefined)[],
  more?: readonly Issue[],
) => SourceRow;

const NONE: ReadonlyMap<number, string> = new Map();
const isFilled = (cell: Cell | undefined): boolean => cell !== undefined && !holdsNothing([cell]);

/**
 * Makes rows of a source of a spreadsheet's rows, which are given in order: cells right of the header and merged cells are issues. A column without a name among those that
 * are written beside the rows, from `writtenFrom` on, is right of the header too.
 * Errors of making one: ConfigError `header.merged`, `header.empty` for a filled cell in a column without a name.
 */
export function gridRows(
  header: readonly string[],
  merges: readonly Merge[],
  { origin, headerRow }: Pick<ReadOptions, 'origin' | 'headerRow'>,
  writtenFrom = header.length,
): GridRow {
  const isNameless = (index: number): boolean => index < writtenFrom && header[index] === '';
  const isBeyond = (index: number): boolean => index >= writtenFrom && (header[index] ?? '') === '';
  const merged = mergedColumns(merges, header.length);
  const headerMerges = merged(headerRow);
  return (rowNumber, found, more = []) => {
    const nameless = header.findIndex((_, index) => isNameless(index) && isFilled(found[index]));
    if (nameless !== -1) {
      const range = headerMerges.get(nameless);
      if (range !== undefined) throw mergedHeader(origin, headerRow, range);
      throw underEmptyHeader({ origin, rowNumber, line: rowNumber }, nameless);
    }
    const beyond = found.findIndex((cell, index) => isBeyond(index) && isFilled(cell));
    const issues = [
      ...(beyond === -1 ? [] : [beyondIssue(found[beyond] ?? '', beyond)]),
      ...mergedIssues(header, merged(rowNumber)),
      ...more,
    ];
    // A row that is too long stands in the results as it was found.
    const length = Math.max(header.length, beyond === -1 ? 0 : found.length);
    const cells = Array.from({ length }, (_, index) => found[index] ?? '');
    return issues.length === 0 ? { rowNumber, cells } : { rowNumber, cells, issues };
  };
}

function beyondIssue(cell: Cell, column: number): Issue {
  const message = `column ${columnLetters(column)} holds "${shownText(cell).slice(0, 40)}" but has no header; give it one, or empty the cell`;
  return { code: 'row.cells', severity: 'error', message };
}

function mergedIssues(header: readonly string[], ranges: ReadonlyMap<number, string>): readonly Issue[] {
  return [...ranges].flatMap(([index, range]): readonly Issue[] => {
    const column = header[index] ?? '';
    const message = `is part of the merged cells ${range}, so whose value it is cannot be told; unmerge them`;
    return column === '' ? [] : [{ code: 'cell.merged', severity: 'error', column, message }];
  });
}

function mergedHeader(origin: string, headerRow: number, range: string): ConfigError {
  return new ConfigError(
    'header.merged',
    `${origin} row ${headerRow}: the header cells ${range} are merged, so the columns under them have no names of their own`,
    { file: origin, line: headerRow, next: 'Unmerge them and give each column its name.' },
  );
}

/** The columns of a row, within the table, that are merged with others, each with the range; rows are asked for in order. */
function mergedColumns(
  merges: readonly Merge[],
  width: number,
): (rowNumber: number) => ReadonlyMap<number, string> {
  const within = merges
    .filter(({ firstColumn }) => firstColumn < width)
    .toSorted((a, b) => a.firstRow - b.firstRow);
  let next = 0;
  let active: Merge[] = [];
  return (rowNumber) => {
    for (let merge = within[next]; merge !== undefined && merge.firstRow < rowNumber; merge = within[++next])
      active.push(merge);
    if (active.length === 0) return NONE;
    active = active.filter(({ lastRow }) => lastRow >= rowNumber - 1);
    return new Map(
      active.flatMap(({ reference, firstColumn, lastColumn }) =>
        Array.from(
          { length: Math.min(lastColumn, width - 1) - firstColumn + 1 },
          (_, index) => [firstColumn + index, reference] as const,
        ),
      ),
    );
  };
}
