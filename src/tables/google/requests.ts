import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import type { Colour } from '../../model/tables/layout.ts';
import type { SheetValue } from './sheets-client.ts';

type Request = sheets_v4.Schema$Request;

/**
 * The largest call, in bytes of JSON. Google recommends 2 MB for speed and refuses more than 10,485,760; one call is one change, all or nothing,
 * which is worth more than the speed.
 */
export const CALL_BYTES_MAX = 8_000_000;

/** A colour as requests hold it. */
export function rgbOf(colour: Colour): sheets_v4.Schema$Color {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map(
    (at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255,
  );
  return { red, green, blue };
}

export const colourOf = (colour: Colour): sheets_v4.Schema$ColorStyle => ({ rgbColor: rgbOf(colour) });

/** The field mask of parts of a cell's format. */
export function formatFields(...parts: readonly string[]): string {
  return parts.map((part) => `userEnteredFormat.${part}`).join(',');
}

/** A block of cells: rows and columns from the first to behind the last, counted from 0; rows without an end go on to that of the grid. */
export const blockOf = (
  sheetId: number,
  [startRowIndex, endRowIndex]: readonly [from: number, to?: number],
  [startColumnIndex, endColumnIndex]: readonly [from: number, to: number],
): sheets_v4.Schema$GridRange => ({
  ...{ sheetId, startRowIndex },
  ...(endRowIndex !== undefined && { endRowIndex }),
  ...{ startColumnIndex, endColumnIndex },
});

/** The request that gives all cells of a block a format; what `fields` name and the format does not have is taken away. */
export const formatCells = (
  range: sheets_v4.Schema$GridRange,
  userEnteredFormat: sheets_v4.Schema$CellFormat,
  fields: string,
): Request => ({ repeatCell: { range, cell: { userEnteredFormat }, fields } });

/** The request that sets the height of a row or the width of a column, and shows or hides it where that is said. */
export function sizeOf(
  sheetId: number,
  dimension: 'ROWS' | 'COLUMNS',
  at: number,
  pixelSize: number,
  hiddenByUser?: boolean,
): Request {
  const properties = hiddenByUser === undefined ? { pixelSize } : { pixelSize, hiddenByUser };
  return {
    updateDimensionProperties: {
      range: { sheetId, dimension, startIndex: at, endIndex: at + 1 },
      properties,
      fields: Object.keys(properties).join(','),
    },
  };
}

/** A cell as a request holds it: typed, so that no text is ever taken for a formula, a number or a date; an empty text clears it. */
export function typedCell(value: SheetValue): sheets_v4.Schema$CellData {
  if (value === '') return {};
  if (typeof value === 'string') return { userEnteredValue: { stringValue: value } };
  if (typeof value === 'number') return { userEnteredValue: { numberValue: value } };
  return { userEnteredValue: { boolValue: value } };
}
