import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { totalFormat } from '../../xlsx/write/sheet.ts';
import { COLOURS } from '../../xlsx/write/style.ts';
import { lookOf, numberFormatOf, type LookFacts } from './look.ts';
import { blockOf, colourOf, formatCells, formatFields } from '../requests.ts';

type Request = sheets_v4.Schema$Request;

/** Rows below the header, counted from it; from the first to behind the last. */
interface Rows {
  readonly start: number;
  readonly end: number;
}

/** The requests that make a row look as totals do: bold on a tint under a line, a mean with a decimal, a count without. */
export function dressTotals({ tab, columns, layout, positions }: LookFacts, row: number): Request[] {
  const colours = {
    backgroundColorStyle: colourOf(COLOURS.tint),
    borders: { top: { style: 'SOLID_MEDIUM', colorStyle: colourOf(COLOURS.brand) } },
    textFormat: { bold: true },
  };
  return columns.map((column, index) => {
    const total = layout?.totals.get(column.header);
    const { pattern = '', ...look } = lookOf(column, layout);
    const type = total === 'count' ? { type: 'NUMBER' as const } : {};
    const format = numberFormatOf({ ...look, ...type, pattern: totalFormat(total, pattern) });
    const rows = { start: row, end: row + 1 };
    return formatTotals(tab.sheetId, rows, positions[index] ?? 0, { ...colours, ...format });
  });
}

/** The requests that make rows look as all others again. */
export function undressTotals({ tab, columns, layout, positions }: LookFacts, rows: Rows): Request[] {
  return columns.map((column, index) =>
    formatTotals(tab.sheetId, rows, positions[index] ?? 0, numberFormatOf(lookOf(column, layout))),
  );
}

const formatTotals = (
  sheetId: number,
  { start, end }: Rows,
  at: number,
  format: sheets_v4.Schema$CellFormat,
): Request =>
  formatCells(
    blockOf(sheetId, [1 + start, 1 + end], [at, at + 1]),
    format,
    formatFields('backgroundColorStyle', 'borders.top', 'numberFormat', 'textFormat.bold'),
  );
