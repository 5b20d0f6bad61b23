import type { Cell } from '../../../model/tables/cell.ts';
import { readCell, type CellTables } from './cell.ts';
import { columnLetters } from '../../../model/tables/column-letters.ts';
import { createXmlScanner, XmlFault, type XmlAttributes, type XmlScanner } from '../parts/xml-scan.ts';

const ROWS_MAX = 1_048_576;
const COLUMNS_MAX = 16_384;

/** A row as the tab holds it. */
export interface TabRow {
  /** As the person sees it, from 1. */
  readonly rowNumber: number;
  /** Filled cells by their column, counted from 0; `undefined` is empty. */
  readonly cells: readonly (Cell | undefined)[];
  /** Columns of formulas that no program has calculated; those of an array formula too that fills this row. */
  readonly uncalculated: readonly number[];
}

/** Reads the rows of a tab as its XML arrives. */
export interface RowScanner extends XmlScanner {
  /** The rows that are whole by now; each is answered once. */
  take(): readonly TabRow[];
}

/** Where a cell stands, counted from 0: `C7` is column 2, row 6. Undefined for what is no reference. */
export function parseReference(text: string): { readonly row: number; readonly column: number } | undefined {
  const [, letters, digits] = /^\$?([A-Za-z]{1,3})\$?(\d{1,7})$/.exec(text.trim()) ?? [];
  if (letters === undefined || digits === undefined) return undefined;
  const column = columnOf(letters);
  const row = Number(digits) - 1;
  return row >= 0 && row < ROWS_MAX && column < COLUMNS_MAX ? { row, column } : undefined;
}

function columnOf(letters: string): number {
  let column = 0;
  for (let at = 0; at < letters.length; at++) column = column * 26 + (letters.charCodeAt(at) & 31);
  return column - 1;
}

/**
 * The scanner of the rows of one tab. Blank cells that have only a look are empty. Rows and cells must stand in order, as the format asks for.
 * Errors of `push`: XmlFault.
 */
export function createRowScanner(tables: CellTables): RowScanner {
  let ready: TabRow[] = [];
  let inRows = false;
  let rowNumber = 0;
  let cells: (Cell | undefined)[] = [];
  let uncalculated: number[] = [];
  let column = -1;
  let type = '';
  let style = 0;
  let value: string | undefined;
  let inline = '';
  let hasFormula = false;
  /** The last cell that the formula fills, where it fills several. */
  let fills: ReturnType<typeof parseReference>;
  /** The last row of what an array formula without a result fills, by column. */
  const filledTo: number[] = [];
  /** What text belongs to at the moment. */
  let into: 'value' | 'inline' | undefined;
  let inReading = false;

  const startRow = ({ r: given }: XmlAttributes): void => {
    const next = given === undefined ? rowNumber + 1 : Number(given);
    if (!Number.isInteger(next) || next > ROWS_MAX)
      throw new XmlFault(`it has a row ${JSON.stringify(given)}`);
    if (next <= rowNumber) throw new XmlFault(`row ${next} stands after row ${rowNumber}`);
    rowNumber = next;
    column = -1;
    cells = [];
    uncalculated = [];
  };
  const placeCell = (next: number, row: number, reference: string): void => {
    if (row !== rowNumber) throw new XmlFault(`the cell ${reference} stands in row ${rowNumber}`);
    if (next <= column)
      throw new XmlFault(`the cell ${reference} stands after ${columnLetters(column)}${rowNumber}`);
    if (next >= COLUMNS_MAX) throw new XmlFault(`it has a cell ${reference}`);
    column = next;
  };
  const startCell = ({ r: given, s = '0', t = '' }: XmlAttributes): void => {
    value = undefined;
    inline = '';
    hasFormula = false;
    fills = undefined;
    const place = given === undefined ? { column: column + 1, row: rowNumber - 1 } : parseReference(given);
    if (place === undefined) throw new XmlFault(`it has a cell ${JSON.stringify(given)}`);
    placeCell(place.column, place.row + 1, given ?? `${columnLetters(place.column)}${rowNumber}`);
    style = Number(s);
    type = t;
  };
  const endCell = (): void => {
    if ((filledTo[column] ?? 0) >= rowNumber) {
      uncalculated.push(column);
      return;
    }
    if (hasFormula && value === undefined && inline === '') {
      uncalculated.push(column);
      for (let at = column; at <= (fills?.column ?? -1); at++) filledTo[at] = (fills?.row ?? 0) + 1;
      return;
    }
    if (value === undefined && type !== 'inlineStr') return;
    const cell = readCell({ type, style, value, inline }, tables);
    if (cell !== '') cells[column] = cell;
  };
  const open = (name: string, attributes: XmlAttributes): void => {
    if (!inRows) {
      if (name === 'sheetData') inRows = true;
      return;
    }
    switch (name) {
      case 'row':
        startRow(attributes);
        break;
      case 'c':
        startCell(attributes);
        break;
      case 'v':
        value = '';
        into = 'value';
        break;
      case 't':
        if (!inReading) into = 'inline';
        break;
      case 'f':
        hasFormula = true;
        if (attributes['t'] !== 'shared') fills = parseReference(attributes['ref']?.split(':')[1] ?? '');
        break;
      case 'rPh':
        inReading = true;
        break;
    }
  };
  const close = (name: string): void => {
    if (!inRows) return;
    into = undefined;
    if (name === 'c') endCell();
    else if (name === 'rPh') inReading = false;
    else if (name === 'sheetData') inRows = false;
    else if (name === 'row' && (cells.length > 0 || uncalculated.length > 0))
      ready.push({ rowNumber, cells, uncalculated });
  };
  const text = (piece: string): void => {
    if (into === 'value') value = (value ?? '') + piece;
    else if (into === 'inline') inline += piece;
  };
  const scanner = createXmlScanner({ open, close, text });
  return {
    ...scanner,
    take: () => {
      const rows = ready;
      ready = [];
      return rows;
    },
  };
}
