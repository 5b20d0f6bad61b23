import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import type { Colour, ReportLayout } from '../../../model/tables/layout.ts';
import type { ReportColumn } from '../../../model/tables/table.ts';
import { displayWidth, headerLines, LOOKS } from '../../xlsx/write/sheet.ts';
import { COLOURS } from '../../xlsx/write/style.ts';
import { digestOf } from './memory.ts';
import type { ExistingTab } from './tab.ts';
import { blockOf, colourOf, formatCells, formatFields, sizeOf } from '../requests.ts';
import type { SheetValue } from '../sheets-client.ts';

type Request = sheets_v4.Schema$Request;

const HEADER_HEIGHT_PX = 28;
const LINE_HEIGHT_PX = 17;
const CHARACTER_PX = 7;
/** Room beside the text of a cell, and for the filter's button beside a header. */
const MARGIN_CHARACTERS = 3;
const FILTER_CHARACTERS = 4;
const WIDTH_MIN = 8;
const WIDTH_MAX = 50;
const ROWS_MEASURED = 1000;

/** The format of the cells of a column; without a pattern as Sheets shows them. */
export interface Format {
  readonly type?: 'NUMBER' | 'DATE_TIME';
  readonly pattern?: string;
  readonly align: 'LEFT' | 'CENTER' | 'RIGHT';
  readonly wrap?: true;
}

interface ColumnLook extends Format {
  readonly header: string;
  /** In characters; undefined follows the cells. */
  readonly width: number | undefined;
  readonly hidden: boolean | undefined;
}

/** How a column looks: as the layout says, else the mapping, else its type. */
export function lookOf(column: ReportColumn, layout: ReportLayout | undefined): ColumnLook {
  const { header, type } = column;
  const own = layout?.columns.get(header);
  // Sheets shows a truth value by itself.
  const usual = type === 'boolean' ? '' : LOOKS[type].format;
  const pattern = own?.format ?? column.format ?? usual;
  const align = (own?.align ?? LOOKS[type].align).toUpperCase() as Format['align'];
  const kind = type === 'datetime' ? 'DATE_TIME' : 'NUMBER';
  const { width, hidden, wrap } = own ?? {};
  return {
    header,
    width,
    hidden,
    align,
    ...(wrap === true && { wrap }),
    ...(pattern !== '' && { type: kind, pattern }),
  };
}

/** What is remembered of the looks that a tab was given. */
export interface KeptFormats {
  /** Digests of the columns that were given theirs. */
  readonly columns: readonly string[];
  /** Rows of the grid that were given theirs. */
  readonly rowCount: number;
  /** Digest of what concerns the tab as a whole. */
  readonly tab: string;
}

/** What the looks of a report's tab are made from. */
export interface LookFacts {
  readonly tab: ExistingTab;
  readonly columns: readonly ReportColumn[];
  readonly layout: ReportLayout | undefined;
  readonly positions: readonly number[];
  /** Which of them are new columns of the tab. */
  readonly added: readonly boolean[];
  /** All rows after the header, the totals too. */
  readonly cells: readonly (readonly SheetValue[])[];
  /** Rows of the grid after this refresh. */
  readonly rowCount: number;
  readonly kept: KeptFormats | undefined;
}

/** What a refresh does to the looks of a tab. */
interface PlannedFormats {
  readonly requests: Request[];
  readonly kept: KeptFormats;
  /** The headers that the tab had at the last refresh and has no more: their columns are new ones. */
  readonly lost: readonly string[];
}

/** The requests for columns and the tab as a whole that were not given their looks yet, and what to remember of them. */
export function planFormats(facts: LookFacts): PlannedFormats {
  const { tab, columns, layout, positions, added, cells, rowCount, kept } = facts;
  const looks = columns.map((column) => lookOf(column, layout));
  const digests = looks.map(digestOf);
  const known = new Set(kept?.columns);
  const isKnown = (index: number): boolean => known.has(digests[index] ?? '');
  const grown = kept !== undefined && 1 + cells.length > kept.rowCount;
  const requests = looks.flatMap((look, index): Request[] => {
    const at = positions[index] ?? 0;
    const width = look.width ?? measuredWidth(look, cells, index);
    const pixels = Math.round(width * CHARACTER_PX) + 5;
    if (isKnown(index) && added[index] !== true)
      return [
        ...(grown ? [formatColumn(tab.sheetId, at, look, kept.rowCount)] : []),
        ...(isFirstFilled(facts, look, index) ? [sizeOf(tab.sheetId, 'COLUMNS', at, pixels)] : []),
      ];
    return [
      formatCells(blockOf(tab.sheetId, [0, 1], [at, at + 1]), headerFormat(look.align), HEADER_FIELDS),
      formatColumn(tab.sheetId, at, look, 1),
      sizeOf(tab.sheetId, 'COLUMNS', at, pixels, look.hidden === true),
    ];
  });
  const whole = {
    freeze: layout?.freeze ?? { rows: 1, columns: 0 },
    tabColor: layout?.tabColor ?? null,
    headerLines: Math.max(1, ...looks.map(({ header, width }) => headerLines(header, width ?? WIDTH_MAX))),
  };
  const tabDigest = digestOf(whole);
  if (kept?.tab !== tabDigest) requests.push(...formatTab(tab.sheetId, whole));
  return {
    requests,
    kept: {
      columns: digests,
      rowCount: kept === undefined || grown ? rowCount : kept.rowCount,
      tab: tabDigest,
    },
    lost: looks.flatMap(({ header }, index) => (isKnown(index) && added[index] === true ? [header] : [])),
  };
}

/** The look of a header's cells, and the fields of a format that it sets. */
export const headerFormat = (align: Format['align']): sheets_v4.Schema$CellFormat => ({
  backgroundColorStyle: colourOf(COLOURS.brand),
  horizontalAlignment: align,
  verticalAlignment: 'MIDDLE',
  wrapStrategy: 'WRAP',
  textFormat: { bold: true, foregroundColorStyle: colourOf('FFFFFF') },
});
export const HEADER_FIELDS = formatFields(
  ...['backgroundColorStyle', 'horizontalAlignment', 'verticalAlignment', 'wrapStrategy'],
  ...['textFormat.bold', 'textFormat.foregroundColorStyle'],
);

/** The part of a cell's format that shows numbers and dates. */
export const numberFormatOf = ({ type, pattern }: Format): sheets_v4.Schema$CellFormat =>
  type === undefined || pattern === undefined ? {} : { numberFormat: { type, pattern } };

/** The format of a column from a row to the end of the grid. */
function formatColumn(sheetId: number, at: number, look: Format, from: number): Request {
  const format = {
    ...{ horizontalAlignment: look.align, verticalAlignment: 'TOP' },
    ...(look.wrap === true && { wrapStrategy: 'WRAP' }),
  };
  return formatCells(
    blockOf(sheetId, [from], [at, at + 1]),
    { ...numberFormatOf(look), ...format },
    formatFields('numberFormat', ...Object.keys(format)),
  );
}

function formatTab(
  sheetId: number,
  {
    freeze,
    tabColor,
    headerLines: lines,
  }: { freeze: ReportLayout['freeze']; tabColor: Colour | null; headerLines: number },
): Request[] {
  const gridProperties = { frozenRowCount: freeze.rows, frozenColumnCount: freeze.columns };
  const colour = tabColor === null ? {} : { tabColorStyle: colourOf(tabColor) };
  return [
    sizeOf(sheetId, 'ROWS', 0, HEADER_HEIGHT_PX + (lines - 1) * LINE_HEIGHT_PX),
    {
      updateSheetProperties: {
        properties: { sheetId, gridProperties, ...colour },
        fields: `gridProperties.frozenRowCount,gridProperties.frozenColumnCount${tabColor === null ? '' : ',tabColorStyle'}`,
      },
    },
  ];
}

/** Whether a column whose width follows its cells gets its first ones: it was measured by its header alone. */
function isFirstFilled({ tab, positions, cells }: LookFacts, { width }: ColumnLook, index: number): boolean {
  const at = positions[index] ?? 0;
  const isFilled = (value: SheetValue | undefined): boolean => (value ?? '') !== '';
  return (
    width === undefined &&
    !tab.cells.slice(1).some((row) => isFilled(row[at])) &&
    cells.some((row) => isFilled(row[index]))
  );
}

function measuredWidth(
  { header, pattern = '', type }: ColumnLook,
  cells: LookFacts['cells'],
  index: number,
): number {
  let width = displayWidth(header) + FILTER_CHARACTERS;
  for (const row of cells.slice(0, ROWS_MEASURED)) {
    const value = row[index] ?? '';
    const shown = typeof value === 'number' && type === 'DATE_TIME' ? pattern : String(value);
    width = Math.max(width, displayWidth(shown) + MARGIN_CHARACTERS);
  }
  return Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, width));
}
