import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { invalid } from './refusal.ts';

/** A cell as it is kept; never changed, only replaced. `effectiveValue` is kept for formulas alone: the result that a test gave. */
export type StoredCell = Readonly<sheets_v4.Schema$CellData>;
/** A value of a cell in the words of Google. */
export type ExtendedValue = sheets_v4.Schema$ExtendedValue;
export type Dimension = 'ROWS' | 'COLUMNS';

/** The most cells of one spreadsheet, blank ones too. */
export const CELLS_MAX = 10_000_000;
/** The most columns of one tab: A to ZZZ. */
export const COLUMNS_MAX = 18_278;
/** The most characters of one cell. */
export const CHARACTERS_MAX = 50_000;

/** One tab. Rows may be shorter than the grid, and missing. */
export interface SheetState {
  properties: sheets_v4.Schema$SheetProperties & {
    sheetId: number;
    title: string;
    gridProperties: sheets_v4.Schema$GridProperties & { rowCount: number; columnCount: number };
  };
  rows: (StoredCell | undefined)[][];
  rowProperties: (sheets_v4.Schema$DimensionProperties | undefined)[];
  columnProperties: (sheets_v4.Schema$DimensionProperties | undefined)[];
  objects: SheetObjects;
}

/** What lies over the cells of a tab. */
export interface SheetObjects {
  merges: sheets_v4.Schema$GridRange[];
  conditionalFormats: sheets_v4.Schema$ConditionalFormatRule[];
  charts: sheets_v4.Schema$EmbeddedChart[];
  protectedRanges: sheets_v4.Schema$ProtectedRange[];
  basicFilter?: sheets_v4.Schema$BasicFilter;
}

/** One spreadsheet. Its lists are replaced or changed in place; its cells are only replaced. */
export interface SpreadsheetState {
  readonly id: string;
  readonly shared: boolean | 'reader';
  properties: sheets_v4.Schema$SpreadsheetProperties & { title: string; locale: string; timeZone: string };
  sheets: SheetState[];
  developerMetadata: sheets_v4.Schema$DeveloperMetadata[];
}

/** Answers a number that no object has yet. */
export type NewId = () => number;

/** A copy to work on: cells are shared, because they are never changed, everything else is copied. */
export function copySpreadsheet(state: SpreadsheetState): SpreadsheetState {
  return {
    ...structuredClone({ ...state, sheets: [] }),
    sheets: state.sheets.map((sheet) => ({
      ...structuredClone({ ...sheet, rows: [] }),
      rows: sheet.rows.map((row) => row.slice()),
    })),
  };
}

/** The tab of an id; without one it is 0. Errors: a refusal of 400. */
export function sheetOf(state: SpreadsheetState, sheetId: number | null | undefined): SheetState {
  const sheet = state.sheets.find(({ properties }) => properties.sheetId === (sheetId ?? 0));
  if (sheet === undefined) throw invalid(`No grid with id: ${sheetId ?? 0}`);
  return sheet;
}

/** A cell; an empty one when nothing is there. */
export function cellAt(sheet: SheetState, row: number, column: number): StoredCell {
  return sheet.rows[row]?.[column] ?? {};
}

/** Replaces a cell; an empty one is forgotten. */
export function putCell(sheet: SheetState, row: number, column: number, cell: StoredCell): void {
  if (Object.keys(cell).length === 0) {
    if (sheet.rows[row]?.[column] !== undefined) sheet.rows[row][column] = undefined;
    return;
  }
  while (sheet.rows.length <= row) sheet.rows.push([]);
  const cells = sheet.rows[row] ?? [];
  while (cells.length <= column) cells.push(undefined);
  cells[column] = cell;
}

/** All cells of a spreadsheet's grids, blank ones too. */
export function countCells(state: SpreadsheetState): number {
  return state.sheets.reduce(
    (sum, { properties: { gridProperties: grid } }) => sum + grid.rowCount * grid.columnCount,
    0,
  );
}

/** Errors: a refusal of 400 when a grid is wider, or the grids together are larger, than Google allows. */
export function checkSize(state: SpreadsheetState): void {
  if (state.sheets.some(({ properties }) => properties.gridProperties.columnCount > COLUMNS_MAX))
    throw invalid(`A sheet can have ${COLUMNS_MAX} columns at most.`);
  if (countCells(state) > CELLS_MAX)
    throw invalid(
      `This action would increase the number of cells in the workbook above the limit of ${CELLS_MAX} cells.`,
    );
}

/** Errors: a refusal of 400 when a value is too long for a cell. */
export function checkLength(text: string): void {
  if (text.length > CHARACTERS_MAX)
    throw invalid(
      `Your input contains more than the maximum of ${CHARACTERS_MAX} characters in a single cell.`,
    );
}
