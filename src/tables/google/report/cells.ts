import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { serialOf } from '../../../model/time/serial-date.ts';
import type { ReportColumn, ReportValue } from '../../../model/tables/table.ts';
import { SAME_DAY_FRACTION, wallReader } from '../../serial-dates.ts';
import { cleanText, cutText } from '../../xlsx/write/sheet.ts';
import { typedCell } from '../requests.ts';
import type { SheetValue } from '../sheets-client.ts';

/** Google refuses longer texts in a cell. */
const CELL_CHARACTERS_MAX = 50_000;

/** Text as a cell of a sheet can hold it: what it cannot hold becomes U+FFFD, line ends are LF, and past 50,000 characters it is cut with a mark. */
export function sheetText(text: string): string {
  return cutText(cleanText(text), CELL_CHARACTERS_MAX);
}

/**
 * Turns the values of one column into cells; `''` is empty. A date becomes the serial number of its wall-clock time in `timezone`, so that the
 * sheet shows the same time as a workbook does, whatever the time zone of the spreadsheet.
 */
export function cellRenderer(
  { type }: Pick<ReportColumn, 'type'>,
  timezone: string,
): (value: ReportValue) => SheetValue {
  const toWall = wallReader(timezone);
  return (value) => {
    if (typeof value !== 'string') return value ?? '';
    const wall = type === 'datetime' ? toWall(value) : undefined;
    return wall === undefined ? sheetText(value) : serialOf(wall);
  };
}

/** Whether a cell holds a value already: of the same type, and dates to the millisecond. */
export function sameCell(stands: SheetValue, wanted: SheetValue): boolean {
  if (stands === wanted) return true;
  return (
    typeof stands === 'number' &&
    typeof wanted === 'number' &&
    Math.abs(stands - wanted) < Math.min(SAME_DAY_FRACTION, Math.abs(wanted) * 1e-14)
  );
}

/** Where a table stands in a tab. */
export interface Area {
  readonly sheetId: number;
  /** Its first row, counted from 0. */
  readonly top: number;
  /** The position of each of its columns, counted from 0; any order, with gaps. */
  readonly columns: readonly number[];
}

interface Block {
  readonly row: number;
  readonly column: number;
  readonly width: number;
  readonly rows: SheetValue[][];
  weight: number;
}

/** A request holds at most so many characters of JSON, nearly, so that many requests can be packed into calls of a stated size. */
const BLOCK_WEIGHT_MAX = 500_000;
const CELL_WEIGHT = 45;

const weightOf = (values: readonly SheetValue[]): number =>
  values.reduce<number>(
    (sum, value) => sum + CELL_WEIGHT + (typeof value === 'string' ? 3 * value.length : 0),
    0,
  );

/** The cells of one row that differ, as runs of neighbours. */
function runsOf(
  order: readonly { readonly at: number; readonly index: number }[],
  wanted: readonly SheetValue[],
  stands: readonly SheetValue[],
): { column: number; values: SheetValue[] }[] {
  const runs: { column: number; values: SheetValue[] }[] = [];
  for (const { at, index } of order) {
    const value = wanted[index] ?? '';
    if (sameCell(stands[at] ?? '', value)) continue;
    const last = runs.at(-1);
    if (last !== undefined && last.column + last.values.length === at) last.values.push(value);
    else runs.push({ column: at, values: [value] });
  }
  return runs;
}

/**
 * The requests that make `wanted` of what stands in an area: only cells that differ are written, neighbours in one request. `standing` answers the
 * cells of a row of the tab, all its columns.
 */
export function changedCells(
  { sheetId, top, columns }: Area,
  wanted: readonly (readonly SheetValue[])[],
  standing: (row: number) => readonly SheetValue[],
): sheets_v4.Schema$Request[] {
  const order = columns.map((at, index) => ({ at, index })).sort((a, b) => a.at - b.at);
  const blocks: Block[] = [];
  let above: readonly Block[] = [];
  wanted.forEach((row, index) => {
    above = runsOf(order, row, standing(top + index)).map(({ column, values }) => {
      const weight = weightOf(values);
      const open = above.find(
        (block) =>
          block.column === column &&
          block.width === values.length &&
          block.weight + weight < BLOCK_WEIGHT_MAX,
      );
      const block = open ?? { row: top + index, column, width: values.length, rows: [], weight: 0 };
      if (open === undefined) blocks.push(block);
      block.rows.push(values);
      block.weight += weight;
      return block;
    });
  });
  return blocks.map(({ row, column, rows }) => ({
    updateCells: {
      start: { sheetId, rowIndex: row, columnIndex: column },
      rows: rows.map((values) => ({ values: values.map(typedCell) })),
      fields: 'userEnteredValue',
    },
  }));
}
