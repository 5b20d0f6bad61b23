import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { readRange, renderA1, type SheetBox } from './a1.ts';
import type { Scope } from './formula.ts';
import { renderedValue } from './shown.ts';
import { cellAt, type SpreadsheetState } from './state.ts';

type Rows = (string | number | boolean)[][];

/** The rows of a box; what is blank at the end of a row, and blank rows at the end, are left out. */
function rowsOf(scope: Scope, box: SheetBox, rendering: string): Rows {
  const rows: Rows = [];
  for (let row = box.startRow; row < Math.min(box.endRow, box.sheet.rows.length); row++) {
    const cells: (string | number | boolean)[] = [];
    for (let column = box.startColumn; column < box.endColumn; column++) {
      const value = renderedValue(scope, cellAt(box.sheet, row, column), rendering);
      if (value === undefined) continue;
      while (cells.length < column - box.startColumn) cells.push('');
      cells.push(value);
    }
    rows.push(cells);
  }
  while (rows.at(-1)?.length === 0) rows.pop();
  return rows;
}

/** One range as the values operations answer it; `values` is left out when it is blank throughout. Errors: a refusal of 400. */
export function readValues(
  state: SpreadsheetState,
  range: string,
  rendering: string,
): sheets_v4.Schema$ValueRange {
  const box = readRange(state, range);
  const rows = rowsOf({ state, sheet: box.sheet }, box, rendering);
  return {
    range: renderA1(box),
    majorDimension: 'ROWS',
    ...(rows.length > 0 && { values: rows }),
  };
}
