import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { readRange, renderA1, writeRange, type SheetBox } from './a1.ts';
import type { Scope } from './formula.ts';
import { checkEditable } from './protection.ts';
import { GoogleRefusal, invalid } from './refusal.ts';
import { renderedValue, type Rendering } from './shown.ts';
import { cellAt, copySpreadsheet, putCell, type SpreadsheetState, type World } from './state.ts';
import { enterValue } from './user-entered.ts';

type Rows = (string | number | boolean)[][];

/** The rows of a box; what is blank at the end of a row, and blank rows at the end, are left out. */
function rowsOf(scope: Scope, box: SheetBox, rendering: Rendering): Rows {
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

function transposed(rows: Rows): Rows {
  const width = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: width }, (_, column) => {
    const cells = rows.map((row) => row[column] ?? '');
    while (cells.at(-1) === '') cells.pop();
    return cells;
  });
}

/** One range as the values operations answer it; `values` is left out when it is blank throughout. Errors: a refusal of 400. */
export function readValues(
  state: SpreadsheetState,
  range: string,
  options: { readonly rendering: Rendering; readonly majorDimension?: string | undefined },
  world: World,
): sheets_v4.Schema$ValueRange {
  const box = readRange(state, range);
  const rows = rowsOf({ state, sheet: box.sheet, world }, box, options.rendering);
  const byColumns = options.majorDimension === 'COLUMNS';
  return {
    range: renderA1(box),
    majorDimension: byColumns ? 'COLUMNS' : 'ROWS',
    ...(rows.length === 0 ? {} : { values: byColumns ? transposed(rows) : rows }),
  };
}

/** Writes one range into a state that may be changed; null skips a cell, an empty text clears it. */
function writeValues(
  state: SpreadsheetState,
  { range, values = [], majorDimension }: sheets_v4.Schema$ValueRange,
  raw: boolean,
): sheets_v4.Schema$UpdateValuesResponse {
  const box = writeRange(state, range ?? '');
  const rows = majorDimension === 'COLUMNS' ? transposed((values ?? []) as Rows) : (values ?? []);
  // A single cell names where the values begin; any other range must hold them.
  const single = box.endRow - box.startRow === 1 && box.endColumn - box.startColumn === 1;
  const width = Math.max(1, ...rows.map((row) => row.length));
  const written = {
    ...box,
    endRow: box.startRow + Math.max(1, rows.length),
    endColumn: box.startColumn + width,
  };
  if (single) writeRange(state, renderA1(written));
  else if (written.endRow > box.endRow || written.endColumn > box.endColumn)
    throw invalid(
      written.endRow > box.endRow
        ? `Requested writing within range [${renderA1(box)}], but tried writing to row [${box.endRow + 1}]`
        : `Requested writing within range [${renderA1(box)}], but tried writing to column [${box.endColumn + 1}]`,
    );
  checkEditable(written);
  let updated = 0;
  rows.forEach((row, down) =>
    row.forEach((value: unknown, across) => {
      if (value === null) return;
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
        throw invalid(`Invalid values[${down}][${across}]: ${JSON.stringify(value)}`);
      const [to, at] = [box.startRow + down, box.startColumn + across];
      const entered = enterValue(cellAt(box.sheet, to, at), value, { raw, locale: state.properties.locale });
      putCell(box.sheet, to, at, entered);
      updated++;
    }),
  );
  return {
    spreadsheetId: state.id,
    updatedRange: renderA1(written),
    updatedRows: rows.length,
    updatedColumns: rows.length === 0 ? 0 : width,
    updatedCells: updated,
  };
}

/** The spreadsheet after all ranges were written, and what became of each. Errors: a refusal of 400, and nothing has happened. */
export function updateValues(
  before: SpreadsheetState,
  data: readonly sheets_v4.Schema$ValueRange[],
  inputOption: string | null | undefined,
): { state: SpreadsheetState; responses: sheets_v4.Schema$UpdateValuesResponse[] } {
  if (inputOption !== 'RAW' && inputOption !== 'USER_ENTERED')
    throw invalid("'valueInputOption' is required but not specified");
  const state = copySpreadsheet(before);
  const responses = data.map((each, index) => {
    try {
      return writeValues(state, each, inputOption === 'RAW');
    } catch (error) {
      if (error instanceof GoogleRefusal) throw invalid(`Invalid data[${index}]: ${error.message}`);
      throw error;
    }
  });
  return { state, responses };
}

/** The spreadsheet with the values of ranges gone; formats, notes and validation stay. Errors: a refusal of 400. */
export function clearValues(
  before: SpreadsheetState,
  ranges: readonly string[],
): { state: SpreadsheetState; cleared: string[] } {
  const state = copySpreadsheet(before);
  const cleared = ranges.map((range) => {
    const box = readRange(state, range);
    checkEditable(box);
    for (let row = box.startRow; row < Math.min(box.endRow, box.sheet.rows.length); row++)
      for (let column = box.startColumn; column < box.endColumn; column++) {
        const { userEnteredValue: _value, effectiveValue: _result, ...rest } = cellAt(box.sheet, row, column);
        putCell(box.sheet, row, column, rest);
      }
    return renderA1(box);
  });
  return { state, cleared };
}
