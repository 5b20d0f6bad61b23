import { UnavailableError } from '../../../model/error.ts';
import type { ReportColumn } from '../../../model/tables/table.ts';
import { sheetText } from './cells.ts';
import type { KeptFormats } from './look.ts';
import { digestOf } from './memory.ts';
import type { KeptRules } from './rules.ts';
import type { ExistingTab } from './tab.ts';
import type { SheetValue } from '../sheets-client.ts';

type Cells = readonly SheetValue[];

/** Under which the metadata of a report's tab is kept. */
export const KEY = 'teamsheet.report';
/** In the place of a digest, while a refresh takes several calls. */
export const UNSURE = '';

/** What is remembered of the last refresh of a tab. */
export interface KeptTable {
  /** Rows below the header that are ours, the totals with them. */
  readonly rows: number;
  readonly totals: boolean;
  /** Digest of the last of them, or {@link UNSURE}. */
  readonly last: string;
  readonly filter: boolean;
  readonly looks: KeptFormats;
  readonly rules: KeptRules;
}

/** Whether a kept value is one of ours. */
export const isKept = (value: unknown): value is KeptTable =>
  typeof value === 'object' && value !== null && 'rows' in value && 'looks' in value && 'rules' in value;

/** A digest of cells; numbers are compared to 12 digits, because dates are fractions. */
export const rowDigest = (cells: Cells): string =>
  digestOf(cells.map((cell) => (typeof cell === 'number' ? Number(cell.toPrecision(12)) : cell)));

/** Whether a row has no value in our columns. */
export const isBlank = (cells: Cells): boolean => cells.every((cell) => cell === '');

/**
 * Where the columns of a report stand: found by their headers in row 1, those that are missing after the last column that is used.
 * Errors: UnavailableError `destination.header` when a header stands there twice, or all of them stand in another row.
 */
export function placeColumns(
  columns: readonly ReportColumn[],
  { title, cells }: ExistingTab,
): { positions: number[]; added: boolean[] } {
  const header = (cells[0] ?? []).map((cell) => String(cell).trim());
  const names = columns.map((column) => sheetText(column.header).trim());
  if (!names.some((name) => header.includes(name))) refuseMoved(names, title, cells);
  let next = cells.reduce((widest, { length }) => Math.max(widest, length), 0);
  const placed = names.map((name) => {
    const at = header.indexOf(name);
    if (at !== -1 && header.includes(name, at + 1))
      throw new UnavailableError(
        'destination.header',
        `tab "${title}": two columns are called "${name}", and the report writes to one of that name`,
        { next: 'Rename the one that is your own, then run the same command again.' },
      );
    return at === -1 ? { at: next++, added: true } : { at, added: false };
  });
  return { positions: placed.map(({ at }) => at), added: placed.map(({ added }) => added) };
}

/** Rows that were put above a report would have it written a second time, beside the first. */
function refuseMoved(names: readonly string[], title: string, cells: readonly Cells[]): void {
  const row = cells.findIndex((each) => {
    const texts = new Set(each.map((cell) => String(cell).trim()));
    return names.every((name) => texts.has(name));
  });
  if (row !== -1)
    throw new UnavailableError(
      'destination.header',
      `tab "${title}": the header of the report stands in row ${row + 1}, and a report begins in row 1`,
      { next: `Delete the rows above it, or move them to another tab, then run the same command again.` },
    );
}

/**
 * How many rows below the header are ours. It is remembered. The last of them tells which rows were put in or deleted since: it stands where it stood, lower, or higher
 * above a blank row; of several that are equal to it, the lowest that has no more rows above it than there were. Where it is gone, a blank row above where it stood ends ours. A tab that nothing is remembered of, such
 * as a copied one, is ours to the first blank row.
 */
function countOurs(rows: readonly Cells[], kept: KeptTable | undefined): number {
  const blank = rows.findIndex(isBlank);
  const filled = blank === -1 ? rows.length : blank;
  if (kept === undefined) return filled;
  if (kept.last === UNSURE) return kept.rows;
  let last = -1;
  let count = 0;
  for (const [index, row] of rows.entries()) {
    if (!isBlank(row)) count += 1;
    const mayEnd = index >= kept.rows - 1 || isBlank(rows[index + 1] ?? []);
    const isNearer = last === -1 || count <= kept.rows;
    if (mayEnd && isNearer && rowDigest(row) === kept.last) last = index;
  }
  return last === -1 ? Math.min(kept.rows, filled) : last + 1;
}

/** Where the totals of the last refresh stand by now, among our rows: last, where somebody changed them and our rows are as many as before. */
function findTotals(rows: readonly Cells[], kept: KeptTable | undefined): number {
  if (kept?.totals !== true) return -1;
  const found = rows.findLastIndex((row) => rowDigest(row) === kept.last);
  return found === -1 && rows.length === kept.rows ? rows.length - 1 : found;
}

/** What stands in a tab below the header, and how much of it is ours. */
export interface Existing {
  readonly kept: KeptTable | undefined;
  /** All rows below the header, cells in the order of our columns. */
  readonly below: readonly Cells[];
  /** Rows of them that are ours. */
  readonly ours: number;
  /** Which of them are the totals; -1 is none. */
  readonly totalsAt: number;
}

/**
 * Tells our rows from those of the operator. Errors: UnavailableError `destination.header` when nothing is remembered of the tab and only some of
 * the columns stand there, with rows: that is a table of somebody else, such as the source of another mapping.
 */
export function readExisting(
  { cells, title }: ExistingTab,
  { positions, added }: ReturnType<typeof placeColumns>,
  kept: KeptTable | undefined,
  known: number | undefined,
): Existing {
  const below = cells.slice(1).map((row) => positions.map((at) => row[at] ?? ''));
  const isPart = added.includes(true) && added.includes(false);
  if (kept === undefined && isPart && !below.every(isBlank)) {
    const names = positions.flatMap((at, index) =>
      added[index] === false ? [`"${String(cells[0]?.[at])}"`] : [],
    );
    throw new UnavailableError(
      'destination.header',
      `tab "${title}": the rows under ${names.join(', ')} belong to no report of teamsheet, and this report would overwrite them`,
      { next: 'Name another tab in the mapping: it is made if it does not exist.' },
    );
  }
  const ours = known ?? countOurs(below, kept);
  return { kept, below, ours, totalsAt: findTotals(below.slice(0, ours), kept) };
}
