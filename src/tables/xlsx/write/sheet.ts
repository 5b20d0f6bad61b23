import type { CellStyle, CellValue, ColumnDef, WriteSheet } from 'hucre/xlsx';
import type { Layout, Total } from '../../../model/tables/layout.ts';
import type { ReportColumn } from '../../../model/tables/table.ts';
import { PRINTED } from './print.ts';
import { conditionalRules } from './rules.ts';
import {
  alignment,
  COLOURS,
  HEADER_HEIGHT,
  HEADER_STYLE,
  LINE_HEIGHT,
  ROW_BORDER,
  TOTALS_STYLE,
  type Align,
} from './style.ts';
import { columnLetters } from '../../../model/tables/column-letters.ts';

const CELL_CHARACTERS_MAX = 32_767;
const CUT_MARK = ' … [cut]';
const WIDTH_MIN = 8;
const WIDTH_MAX = 50;
/** Room for the filter's button beside a header. */
const FILTER_WIDTH = 4;
/** Room beside the text of a header that is broken in lines; the filter's button stands below the first. */
const HEADER_MARGIN = 2;
/** Room beside the text of a cell, its indent included. */
const MARGIN = 3;
/** A page holds so many characters in legible print. */
const PAGE_WIDTH = 220;
const UPRIGHT_WIDTH = 160;

/** Cells in a workbook: texts, numbers, truth values, dates as wall-clock times in their UTC fields. */
export type Row = readonly CellValue[];

interface SheetColumn {
  /** A number format in spreadsheet notation; empty is general. */
  readonly format: string;
  readonly align: Align;
  /** In characters; undefined is as wide as the cells need. */
  readonly width?: number | undefined;
  readonly hidden?: boolean | undefined;
  readonly wrap?: boolean | undefined;
}

/** One tab, ready to be built. */
export interface Sheet {
  readonly name: string;
  readonly header: readonly string[];
  readonly columns: readonly SheetColumn[];
  readonly rows: readonly Row[];
  readonly layout?: SheetLayout | undefined;
}

/** What a layout makes of a tab beside its columns and the order of its rows. */
interface SheetLayout extends Pick<Layout, 'freeze' | 'filter' | 'rules' | 'tabColor'> {
  /** The headers as rules name them. */
  readonly headers: readonly string[];
  /** The row below the table, and the formats of its cells where they are not those of their columns. */
  readonly totals: { readonly cells: Row; readonly formats: readonly string[] } | undefined;
}

/** What XML cannot hold, such as U+0000, U+FFFE and halves of surrogate pairs. */
const FORBIDDEN = /[\0-\x08\v\f\x0E-\x1F\uFFFE\uFFFF]/g;
/** Text that a reader of the format would decode as a character. */
const ESCAPE_LOOKALIKE = /_(?=x[\dA-Fa-f]{4}_)/g;

/** What nearly no text has, so that most are only looked at once. */
const UNUSUAL = /[\0-\x08\v\f\r\x0E-\x1F\uD800-\uDFFF\uFFFE\uFFFF]|_x/;

/** Text as XML can hold it: what it cannot becomes U+FFFD, line ends are LF. */
export const cleanText = (text: string): string =>
  text.toWellFormed().replace(FORBIDDEN, '\uFFFD').replace(/\r\n?/g, '\n');

/** Text of at most so many characters, with a mark where it was cut. */
export const cutText = (text: string, most: number): string =>
  text.length <= most ? text : text.slice(0, most - CUT_MARK.length).toWellFormed() + CUT_MARK;

/** Text as a cell shows it: clean, and cut with a mark when it is too long. */
export const shownText = (text: string): string => cutText(cleanText(text), CELL_CHARACTERS_MAX);

/** Text as a cell can hold it: as it is shown, and never taken for an escape. */
export function safeText(text: string): string {
  if (text.length <= CELL_CHARACTERS_MAX && !UNUSUAL.test(text)) return text;
  return shownText(text).replace(ESCAPE_LOOKALIKE, '_x005F_');
}

const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Extended_Pictographic}/u;

/** How many columns of a fixed-width font the longest line of a text takes; of a very long text its beginning. */
export const displayWidth = (text: string): number => widthOf(text.slice(0, 4 * WIDTH_MAX));

function widthOf(text: string): number {
  let longest = 0;
  let width = 0;
  for (const character of text) {
    if (character === '\n') width = 0;
    else width += WIDE.test(character) ? 2 : 1;
    longest = Math.max(longest, width);
  }
  return longest;
}

/** How many lines a header takes that is broken between words. */
export function headerLines(header: string, width: number): number {
  const room = width - HEADER_MARGIN;
  let lines = 1;
  let used = 0;
  for (const word of header.split(/\s+|(?<=-)/)) {
    const length = displayWidth(word);
    if (used > 0 && used + 1 + length > room) {
      lines += 1;
      used = length;
    } else used += (used > 0 ? 1 : 0) + length;
  }
  return lines;
}

function cellWidth(value: CellValue, format: string): number {
  if (typeof value === 'string') return displayWidth(value);
  if (value instanceof Date) return format.length;
  return typeof value === 'number' ? numberWidth(value, format) : String(value ?? '').length;
}

/** With the separators and decimals that the format adds. */
function numberWidth(value: number, format: string): number {
  const [whole = '', decimals = ''] = String(value).split('.');
  const separators = format.includes(',') ? Math.floor((whole.length - 1) / 3) : 0;
  const shown = (/\.([0#]+)/.exec(format)?.[1] ?? '').length || decimals.length;
  return whole.length + separators + (shown === 0 ? 0 : shown + 1);
}

function columnWidth({ header, rows, columns }: Sheet, index: number): number {
  const { format = '', width: asked } = columns[index] ?? {};
  let width = asked ?? Math.max(WIDTH_MIN, displayWidth(header[index] ?? '') + FILTER_WIDTH);
  for (const row of rows) {
    const value = row[index] ?? null;
    // A text may be cut to the width that was asked for; a number would be shown as ####.
    if (asked === undefined || typeof value !== 'string')
      width = Math.max(width, cellWidth(value, format) + MARGIN);
  }
  return asked === undefined ? Math.min(WIDTH_MAX, width) : width;
}

type Cells = NonNullable<WriteSheet['cells']>;

/** A text such as `#N/A`, which the library would write as an error but for its being rich text. */
export const isErrorLike = (value: CellValue): value is string =>
  typeof value === 'string' && value.startsWith('#');

/** The header and the totals with styles of their own, and texts that need more than a value. */
function cellOverrides(rows: readonly Row[], { columns, layout }: Sheet): Cells {
  const cells: Cells = new Map();
  columns.forEach(({ align }, index) => {
    const inCell = { vertical: 'center', wrapText: true } as const;
    cells.set(`0,${index}`, { style: { ...HEADER_STYLE, alignment: { ...alignment(align), ...inCell } } });
    const format = layout?.totals?.formats[index] ?? '';
    if (layout?.totals !== undefined)
      cells.set(`${rows.length - 1},${index}`, {
        style: { ...TOTALS_STYLE, alignment: alignment(align), ...(format === '' ? {} : { numFmt: format }) },
      });
  });
  rows.forEach((row, index) => {
    row.forEach((value, column) => {
      const at = `${index},${column}`;
      if (isErrorLike(value)) cells.set(at, { ...cells.get(at), richText: [{ text: value }] });
    });
  });
  return cells;
}

/** The tab as the library takes it: a bold, frozen, filtered header, widths that fit within bounds, one look a column. */
export function buildSheet(sheet: Sheet): WriteSheet {
  const { layout } = sheet;
  const totals = layout?.totals === undefined ? [] : [layout.totals.cells];
  const body = [...sheet.rows, ...totals];
  const columns = sheet.columns.map(({ format, align, hidden, wrap }, index): ColumnDef => {
    const style: CellStyle = {
      alignment: { ...alignment(align), ...(wrap === true && { wrapText: true }) },
      ...(format === '' ? {} : { numFmt: format }),
      ...(layout !== undefined && { border: ROW_BORDER }),
    };
    const width = columnWidth({ ...sheet, rows: body }, index);
    return { width, style, ...(hidden === true && { hidden }) };
  });
  const rows = [sheet.header, ...body];
  const lines = Math.max(
    1,
    ...sheet.header.map((header, at) => headerLines(header, columns[at]?.width ?? WIDTH_MAX)),
  );
  const filtered = `A1:${columnLetters(sheet.header.length - 1)}${1 + sheet.rows.length}`;
  return {
    name: sheet.name,
    columns,
    rows: rows.map((row) => [...row]),
    cells: cellOverrides(rows, sheet),
    rowDefs: new Map([
      [0, { height: HEADER_HEIGHT + (lines - 1) * LINE_HEIGHT }],
      ...rowHeights(sheet, columns),
    ]),
    ...(layout === undefined
      ? plainLook(columns, filtered)
      : laidOutLook(layout, { ...sheet, columns }, filtered)),
  };
}

/** The heights of rows whose texts go over several lines: programs work them out only for cells that are typed. */
function rowHeights(
  { rows, columns }: Sheet,
  widths: readonly ColumnDef[],
): readonly (readonly [number, { readonly height: number }])[] {
  if (!columns.some(({ wrap }) => wrap === true)) return [];
  return rows.flatMap((row, index) => {
    const lines = columns.map(({ wrap }, column) => {
      const value = row[column] ?? null;
      const width = widths[column]?.width ?? WIDTH_MIN;
      return wrap === true && typeof value === 'string' ? Math.ceil(widthOf(value) / (width - MARGIN)) : 1;
    });
    const most = Math.max(...lines);
    return most > 1 ? [[index + 1, { height: most * LINE_HEIGHT }] as const] : [];
  });
}

function plainLook(columns: readonly ColumnDef[], range: string): Partial<WriteSheet> {
  const fits = columns.reduce((sum, { width = 0 }) => sum + width, 0) <= PAGE_WIDTH;
  return {
    freezePane: { rows: 1 },
    autoFilter: { range },
    pageSetup: {
      orientation: 'landscape',
      ...(fits ? { fitToPage: true, fitToWidth: 1, fitToHeight: 0 } : {}),
    },
  };
}

/** Upright pages hold more rows, where their columns stay legible. */
function orientationOf(columns: readonly ColumnDef[]): 'portrait' | 'landscape' {
  const shown = columns.filter(({ hidden }) => hidden !== true);
  return shown.reduce((sum, { width = 0 }) => sum + width, 0) <= UPRIGHT_WIDTH ? 'portrait' : 'landscape';
}

function laidOutLook(
  layout: SheetLayout,
  { rows, columns }: { readonly rows: readonly Row[]; readonly columns: readonly ColumnDef[] },
  range: string,
): Partial<WriteSheet> {
  const { freeze, filter, rules, tabColor = COLOURS.brand, headers } = layout;
  return {
    ...PRINTED,
    pageSetup: { ...PRINTED.pageSetup, orientation: orientationOf(columns) },
    ...(freeze.rows + freeze.columns > 0 && { freezePane: { ...freeze } }),
    ...(filter && { autoFilter: { range } }),
    conditionalRules: conditionalRules(rules, { headers, rows: rows.length }),
    view: { showGridLines: false, tabColor: { rgb: tabColor } },
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

/** The format of a total: a mean of whole numbers has a decimal, and a count none. */
export function totalFormat(total: Total | undefined, format: string): string {
  if (total === 'count') return '#,##0';
  return total === 'mean' && /^[#,0]+$/.test(format) ? `${format}.0` : format;
}
