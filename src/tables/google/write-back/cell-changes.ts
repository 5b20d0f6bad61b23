import { Buffer } from 'node:buffer';
import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { CALL_BYTES_MAX, typedCell } from '../requests.ts';
import type { Grid } from './tab-grid.ts';

/** One cell that is to hold a text (an empty one clears it), a note, or again what somebody entered there. Positions count from 0. */
export type CellChange = { readonly row: number; readonly column: number } & (
  | { readonly text: string }
  | { readonly note: string }
  | { readonly entered: sheets_v4.Schema$ExtendedValue | undefined }
);

/** What a request says around the text of a cell. */
const CELL_BYTES = 60;

/** The first of the changes, as many as one call can carry. */
export function withinOneCall(changes: readonly CellChange[]): readonly CellChange[] {
  let bytes = 0;
  const end = changes.findIndex((change) => {
    bytes += Buffer.byteLength(JSON.stringify(change)) + CELL_BYTES;
    return bytes > CALL_BYTES_MAX;
  });
  return end === -1 ? changes : changes.slice(0, end);
}

/** The requests that make the changes: one for each run of cells under each other, so that nothing else is touched. Texts are never formulas. */
export function cellRequests(
  sheetId: number,
  changes: readonly CellChange[],
): readonly sheets_v4.Schema$Request[] {
  const sorted = changes.toSorted(
    (a, b) => fieldOf(a).localeCompare(fieldOf(b)) || a.column - b.column || a.row - b.row,
  );
  const runs: CellChange[][] = [];
  for (const change of sorted) {
    const run = runs.at(-1);
    const above = run?.at(-1);
    const goesOn =
      above?.column === change.column && above.row + 1 === change.row && fieldOf(above) === fieldOf(change);
    if (run !== undefined && goesOn) run.push(change);
    else runs.push([change]);
  }
  return runs.flatMap((run) => {
    const [first] = run;
    if (first === undefined) return [];
    const start = { sheetId, rowIndex: first.row, columnIndex: first.column };
    const rows = run.map((change) => ({ values: [cellOf(change)] }));
    return [{ updateCells: { start, rows, fields: fieldOf(first) } }];
  });
}

const fieldOf = (change: CellChange): string => ('note' in change ? 'note' : 'userEnteredValue');

function cellOf(change: CellChange): sheets_v4.Schema$CellData {
  if ('note' in change) return change.note === '' ? {} : { note: change.note };
  if ('entered' in change) return change.entered === undefined ? {} : { userEnteredValue: change.entered };
  return typedCell(change.text);
}

/**
 * The request that makes room for new columns after the last one that is used. They are inserted, so that what somebody else moved there in the meantime
 * is not written over.
 */
export function columnRequest(
  sheetId: number,
  { columnCount }: Grid,
  at: number,
  count: number,
): readonly sheets_v4.Schema$Request[] {
  if (count === 0) return [];
  // Columns are inserted before one that exists.
  const grown = at < columnCount ? [] : [{ appendDimension: { sheetId, dimension: 'COLUMNS', length: 1 } }];
  const range = { sheetId, dimension: 'COLUMNS', startIndex: at, endIndex: at + count };
  return [...grown, { insertDimension: { range, inheritFromBefore: false } }];
}

/**
 * The request that takes new columns into a filter that ends before them: a sort by it would else leave the outcomes where they are, beside other rows. How the
 * filter last sorted is left out, so that nothing is sorted now.
 */
export function filterRequest(
  sheetId: number,
  { filter }: Grid,
  at: number,
  count: number,
): readonly sheets_v4.Schema$Request[] {
  if (count === 0 || filter?.range?.endColumnIndex !== at || typeof filter.tableId === 'string') return [];
  const { sortSpecs: _, ...kept } = filter;
  const range = { ...filter.range, sheetId, endColumnIndex: at + count };
  return [{ setBasicFilter: { filter: { ...kept, range } } }];
}
