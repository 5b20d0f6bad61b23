import { shownText, type Cell } from '../model/tables/cell.ts';
import type { Issue } from '../model/issue.ts';
import { OUTCOMES } from '../model/outcome.ts';
import { RESULT_COLUMNS } from '../model/results.ts';
import { cellsIssue, type SourceRow } from '../model/tables/table.ts';

/** A header without the four columns that a results file ends in. */
export function withoutResultColumns(header: readonly string[]): readonly string[] {
  const tail = header.slice(-RESULT_COLUMNS.length);
  return RESULT_COLUMNS.every((name, index) => tail[index] === name)
    ? header.slice(0, -RESULT_COLUMNS.length)
    : header;
}

/**
 * The rows of a table as the person sees them who corrects a results file: our columns follow a row where it ends, and may be missing. A row of other tables is as
 * it is.
 */
export function createOwnCells(
  header: readonly string[],
  separated: boolean,
): (batch: readonly SourceRow[]) => readonly SourceRow[] {
  const { length: width } = withoutResultColumns(header);
  if (width === header.length) return (batch) => batch;
  return (batch) => batch.map((row) => ownRow(row, width, header.length, separated));
}

function ownRow(row: SourceRow, width: number, whole: number, separated: boolean): SourceRow {
  const { cells, issues = [] } = row;
  const end = resultsAt(cells);
  const count = end === -1 ? (cells.length === whole ? width : cells.length) : end;
  if (count === width && cells.length > whole) return row;
  const others = issues.filter(({ code }) => code !== 'row.cells');
  const found: readonly Issue[] = count === width ? others : [cellsIssue(width, count, separated), ...others];
  const { rowNumber } = row;
  const own = { rowNumber, cells: cells.slice(0, count) };
  return found.length === 0 ? own : { ...own, issues: found };
}

/** Where the number of a row and its outcome stand; -1 where they do not. */
function resultsAt(cells: readonly Cell[]): number {
  return cells.findLastIndex(
    (cell, index) => isOutcome(cells[index + 1]) && /^\d+$/.test(shownText(cell).trim()),
  );
}

const isOutcome = (cell: Cell = ''): boolean =>
  OUTCOMES.some((outcome) => outcome === shownText(cell).trim());
