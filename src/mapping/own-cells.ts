import { holdsNothing, shownText } from '../model/tables/cell.ts';
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
  const { rowNumber, cells, issues = [] } = row;
  const texts = cells.map((cell) => shownText(cell).trim());
  const isInPlace = isResult(texts, width);
  if (isInPlace && cells.length > whole) return row;
  const count = isInPlace ? width : (resultsAt(texts) ?? ownCount(texts, width, whole, separated));
  const others = issues.filter(({ code }) => code !== 'row.cells');
  const found: readonly Issue[] = count === width ? others : [cellsIssue(width, count, separated), ...others];
  const own = { rowNumber, cells: cells.slice(0, count) };
  return found.length === 0 ? own : { ...own, issues: found };
}

/** The person's own cells of a row that does not show where ours begin: a whole row has them in their place, and one that was typed again has none. */
function ownCount(texts: readonly string[], width: number, whole: number, separated: boolean): number {
  const isWhole = texts.length === whole || holdsNothing(texts.slice(width));
  // A spreadsheet leaves out the empty cells at the end of a row.
  return isWhole && (texts.length >= width || !separated) ? width : texts.length;
}

/** Whether the number of a row and its outcome stand there. */
const isResult = (texts: readonly string[], at: number): boolean =>
  /^\d+$/.test(texts[at] ?? '') && OUTCOMES.some((outcome) => outcome === texts[at + 1]);

/** Where our cells begin at the end of a row that has fewer or more of its own than the header: who refuses it says why, and fills it up with empty cells at most. */
function resultsAt(texts: readonly string[]): number | undefined {
  const end = 1 + texts.findLastIndex((text) => text !== '');
  const first = Math.max(1, end - RESULT_COLUMNS.length);
  for (let at = first; at < end; at += 1) if (isResult(texts, at) && (texts[at + 2] ?? '') !== '') return at;
  return undefined;
}
