import type { CellStyle, CellValue, ColumnDef, WriteSheet } from 'hucre/xlsx';
import type { ReportColumn } from '../model/table.ts';

const CELL_CHARACTERS_MAX = 32_767;
const CUT_MARK = ' … [cut]';
const WIDTH_MIN = 8;
const WIDTH_MAX = 50;
/** Room for the filter's button beside a header. */
const FILTER_WIDTH = 4;
/** Room beside the text of a cell, its indent included. */
const MARGIN = 3;
/** A page holds so many characters in legible print. */
const PAGE_WIDTH = 220;

const HEADER_STYLE: CellStyle = {
  font: { name: 'Calibri', size: 11, bold: true, color: { rgb: 'FFFFFF' } },
  fill: { type: 'pattern', pattern: 'solid', fgColor: { rgb: '1F5C4A' } },
};
const HEADER_HEIGHT = 21;

/** Cells in a workbook: texts, numbers, truth values, dates as wall-clock times in their UTC fields. */
export type Row = readonly CellValue[];

/** How the cells of one column look. */
interface SheetColumn {
  /** A number format in spreadsheet notation; empty is general. */
  readonly format: string;
  readonly align: 'left' | 'center' | 'right';
}

/** One tab, ready to be built. */
export interface Sheet {
  readonly name: string;
  readonly header: readonly string[];
  readonly columns: readonly SheetColumn[];
  readonly rows: readonly Row[];
}

/** What XML cannot hold, such as U+0000, U+FFFE and halves of surrogate pairs. */
const FORBIDDEN = /[\0-\x08\v\f\x0E-\x1F\uFFFE\uFFFF]/g;
/** Text that a reader of the format would decode as a character. */
const ESCAPE_LOOKALIKE = /_(?=x[\dA-Fa-f]{4}_)/g;

/** Text as a cell can hold it: what the format forbids becomes U+FFFD, line ends are LF, and what is too long is cut with a mark. */
export function safeText(text: string): string {
  const clean = text.toWellFormed().replace(FORBIDDEN, '\uFFFD').replace(/\r\n?/g, '\n');
  const cut =
    clean.length <= CELL_CHARACTERS_MAX
      ? clean
      : clean.slice(0, CELL_CHARACTERS_MAX - CUT_MARK.length).toWellFormed() + CUT_MARK;
  return cut.replace(ESCAPE_LOOKALIKE, '_x005F_');
}

const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Extended_Pictographic}/u;

/** How many columns of a fixed-width font the longest line of a text takes. */
function displayWidth(text: string): number {
  let longest = 0;
  let width = 0;
  for (const character of text.slice(0, 4 * WIDTH_MAX)) {
    if (character === '\n') width = 0;
    else width += WIDE.test(character) ? 2 : 1;
    longest = Math.max(longest, width);
  }
  return longest;
}

function cellWidth(value: CellValue, format: string): number {
  if (typeof value === 'string') return displayWidth(value);
  if (value instanceof Date) return format.length;
  return value === null ? 0 : String(value).length;
}

function columnWidth({ header, rows, columns }: Sheet, index: number): number {
  const format = columns[index]?.format ?? '';
  let width = displayWidth(header[index] ?? '') + FILTER_WIDTH;
  for (const row of rows) width = Math.max(width, cellWidth(row[index] ?? null, format) + MARGIN);
  return Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, width));
}

function lastCell(columns: number, rows: number): string {
  let letters = '';
  for (let left = columns; left > 0; left = Math.floor((left - 1) / 26))
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
  return `${letters}${rows}`;
}

const alignment = (align: SheetColumn['align']): NonNullable<CellStyle['alignment']> =>
  // A centred cell takes no indent.
  ({ horizontal: align, vertical: 'top', ...(align === 'center' ? {} : { indent: 1 }) });

/** The header with its own style, and texts such as `#N/A`, which the library would write as errors but for their being rich text. */
function cellOverrides(
  rows: readonly Row[],
  columns: readonly SheetColumn[],
): NonNullable<WriteSheet['cells']> {
  const cells: NonNullable<WriteSheet['cells']> = new Map();
  columns.forEach(({ align }, index) =>
    cells.set(`0,${index}`, {
      style: { ...HEADER_STYLE, alignment: { ...alignment(align), vertical: 'center' } },
    }),
  );
  rows.forEach((row, index) => {
    row.forEach((value, column) => {
      const at = `${index},${column}`;
      if (typeof value === 'string' && value.startsWith('#'))
        cells.set(at, { ...cells.get(at), richText: [{ text: value }] });
    });
  });
  return cells;
}

/** The tab as the library takes it: a bold, frozen, filtered header, widths that fit within bounds, one look a column. */
export function buildSheet(sheet: Sheet): WriteSheet {
  const columns = sheet.columns.map(({ format, align }, index): ColumnDef => ({
    width: columnWidth(sheet, index),
    style: { alignment: alignment(align), ...(format === '' ? {} : { numFmt: format }) },
  }));
  const rows = [sheet.header, ...sheet.rows];
  const fits = columns.reduce((sum, { width = 0 }) => sum + width, 0) <= PAGE_WIDTH;
  return {
    name: sheet.name,
    columns,
    rows: rows.map((row) => [...row]),
    cells: cellOverrides(rows, sheet.columns),
    rowDefs: new Map([[0, { height: HEADER_HEIGHT }]]),
    freezePane: { rows: 1 },
    autoFilter: { range: `A1:${lastCell(sheet.header.length, rows.length)}` },
    pageSetup: {
      orientation: 'landscape',
      ...(fits ? { fitToPage: true, fitToWidth: 1, fitToHeight: 0 } : {}),
    },
  };
}

/** Text that stays text when it is edited. */
export const TEXT_FOR_EDITING: SheetColumn = { format: '@', align: 'left' };

const TEXT: SheetColumn = { format: '', align: 'left' };
/** How the columns of each type look unless a mapping gives a format. */
export const LOOKS: Readonly<Record<ReportColumn['type'], SheetColumn>> = {
  text: TEXT,
  uuid: TEXT,
  json: TEXT,
  integer: { format: '0', align: 'right' },
  number: { format: '0.0##', align: 'right' },
  // LibreOffice shows a truth value that has a format of its own as 1 or 0.
  boolean: { format: '"TRUE";"TRUE";"FALSE"', align: 'center' },
  datetime: { format: 'yyyy-mm-dd hh:mm', align: 'center' },
};
