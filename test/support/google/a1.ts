import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { invalid } from './refusal.ts';
import type { SheetState, SpreadsheetState } from './state.ts';

/** Cells of one tab, counted from 0, ends not included. */
export interface Box {
  readonly startRow: number;
  readonly endRow: number;
  readonly startColumn: number;
  readonly endColumn: number;
}

/** A range that was found in a spreadsheet. */
export interface SheetBox extends Box {
  readonly sheet: SheetState;
}

/** The letters of a column counted from 0. */
export function letters(column: number): string {
  return (column >= 26 ? letters(Math.floor(column / 26) - 1) : '') + String.fromCharCode(65 + (column % 26));
}

/** The number of a column counted from 0. */
export function columnNumber(text: string): number {
  let sum = 0;
  for (const letter of text.toUpperCase()) sum = sum * 26 + letter.charCodeAt(0) - 64;
  return sum - 1;
}

/** A tab's name as it stands before `!`: in quotes unless it is a plain word that is not itself an address. */
export function quoteTitle(title: string): string {
  const plain = /^[A-Za-z_]\w*$/.test(title) && !/^[A-Za-z]{1,3}\d+$/.test(title);
  return plain ? title : `'${title.replaceAll("'", "''")}'`;
}

/** A range as Google writes it in answers. */
export function renderA1({ sheet, startRow, endRow, startColumn, endColumn }: SheetBox): string {
  const from = `${letters(startColumn)}${startRow + 1}`;
  const to = `${letters(endColumn - 1)}${endRow}`;
  return `${quoteTitle(sheet.properties.title)}!${from === to ? from : `${from}:${to}`}`;
}

/** The whole grid of a tab. */
export function wholeGrid(sheet: SheetState): SheetBox {
  const { rowCount, columnCount } = sheet.properties.gridProperties;
  return { sheet, startRow: 0, endRow: rowCount, startColumn: 0, endColumn: columnCount };
}

function pastGrid(sheet: SheetState, text: string): Error {
  const { rowCount, columnCount } = sheet.properties.gridProperties;
  return invalid(`Range (${text}) exceeds grid limits. Max rows: ${rowCount}, max columns: ${columnCount}`);
}

/** The cells that an address such as `B2:C`, `2:5` or `A:A` names; undefined when it is none. Open ends are the grid's. */
function parseCells(sheet: SheetState, text: string): SheetBox | undefined {
  const found = /^([A-Za-z]{1,3})?([1-9]\d*)?(?::([A-Za-z]{1,3})?([1-9]\d*)?)?$/.exec(text);
  if (found === null || text === '' || text.endsWith(':')) return undefined;
  const [, column1, row1, column2, row2] = found;
  const single = !text.includes(':');
  if (single && (column1 === undefined || row1 === undefined)) return undefined;
  const grid = wholeGrid(sheet);
  const rows = [row1, single ? row1 : row2].map((row) => (row === undefined ? undefined : Number(row) - 1));
  const columns = [column1, single ? column1 : column2].map((column) =>
    column === undefined ? undefined : columnNumber(column),
  );
  const span = ([a, b]: (number | undefined)[], end: number): [number, number] =>
    a !== undefined && b !== undefined ? [Math.min(a, b), Math.max(a, b) + 1] : [a ?? b ?? 0, end];
  const [startRow, endRow] = span(rows, grid.endRow);
  const [startColumn, endColumn] = span(columns, grid.endColumn);
  return { sheet, startRow, endRow, startColumn, endColumn };
}

function sheetNamed(state: SpreadsheetState, title: string): SheetState | undefined {
  return (
    state.sheets.find(({ properties }) => properties.title === title) ??
    state.sheets.find(({ properties }) => properties.title.toLowerCase() === title.toLowerCase())
  );
}

/** The range that a text in A1 notation names; what it has past the grid is left out. Errors: a refusal of 400 when nothing is left or the tab is unknown. */
export function readRange(state: SpreadsheetState, text: string): SheetBox {
  const [, quoted, plain, cells] = /^(?:'((?:[^']|'')*)'|([^'!]+))(?:!(.*))?$/s.exec(text) ?? [];
  const sheet = sheetNamed(state, quoted?.replaceAll("''", "'") ?? plain ?? '');
  const box = sheet && (cells === undefined ? wholeGrid(sheet) : parseCells(sheet, cells));
  if (box === undefined) throw invalid(`Unable to parse range: ${text}`);
  const { endRow, endColumn } = wholeGrid(box.sheet);
  if (box.startRow >= endRow || box.startColumn >= endColumn) throw pastGrid(box.sheet, text);
  return { ...box, endRow: Math.min(box.endRow, endRow), endColumn: Math.min(box.endColumn, endColumn) };
}

/** Errors: a refusal of 400 when a box is not within its grid. */
function checkWithin(box: SheetBox): void {
  const { endRow, endColumn } = wholeGrid(box.sheet);
  if (
    box.endRow > endRow ||
    box.endColumn > endColumn ||
    box.startRow >= endRow ||
    box.startColumn >= endColumn
  )
    throw pastGrid(box.sheet, renderA1(box));
}

/** The box of a grid range; open ends are the grid's. Errors: a refusal of 400 when it is empty or past the grid. */
export function boxOf(sheet: SheetState, range: sheets_v4.Schema$GridRange): SheetBox {
  const grid = wholeGrid(sheet);
  const box = {
    sheet,
    startRow: range.startRowIndex ?? 0,
    endRow: range.endRowIndex ?? grid.endRow,
    startColumn: range.startColumnIndex ?? 0,
    endColumn: range.endColumnIndex ?? grid.endColumn,
  };
  if (
    box.startRow < 0 ||
    box.startColumn < 0 ||
    box.endRow <= box.startRow ||
    box.endColumn <= box.startColumn
  )
    throw invalid(`Invalid range: ${JSON.stringify(range)}`);
  checkWithin(box);
  return box;
}

/** Whether two boxes of one tab share a cell. */
export function overlap(a: Box, b: Box): boolean {
  return (
    a.startRow < b.endRow &&
    b.startRow < a.endRow &&
    a.startColumn < b.endColumn &&
    b.startColumn < a.endColumn
  );
}
