import type { Issue } from '../../model/issue.ts';
import { holdsNothing, shownText } from '../../model/tables/cell.ts';
import type { ReadOptions, SourceRow, SourceTable } from '../../model/tables/table.ts';
import { openWholeTable } from '../source-file.ts';
import { checkHeader, headerAndRest, noHeader, nulIssues } from '../header.ts';
import { gridRows, type Merge } from '../grid-rows.ts';
import { readExcelTables, type ExcelTable } from './read/excel-tables.ts';
import { readMerges } from './read/merges.ts';
import { openPackage, type WorkbookPackage } from './parts/package.ts';
import { requirePart } from './parts/part.ts';
import type { TabRow } from './read/rows.ts';
import { readRows } from './read/tab-rows.ts';
import { columnLetters } from '../../model/tables/column-letters.ts';
import { findTab } from './read/tabs.ts';
import type { ZipEntry } from './parts/zip.ts';

/**
 * Opens one tab of a workbook: the archive is checked before anything is unpacked, the header is read and checked; the rows stream, and only the
 * workbook's shared texts are held. Row numbers are those that the person sees; hidden rows and columns are read like others, and the totals row of a
 * table of Excel's is left out. Numbers come with the
 * text that their format shows, days as wall-clock times without a zone, formulas with their stored results.
 * Errors: ConfigError `source.*` and `header.*`; while rows are read too.
 */
export function openXlsx(path: string, tab: string, options: ReadOptions): Promise<SourceTable> {
  const file = fileOf(options.origin, tab);
  return openWholeTable(path, file, async ({ handle, origin }) => {
    const book = await openPackage(handle, origin);
    const part = requirePart(book.zip, findTab(book.tabs, tab, origin).part);
    return openTab(book, part, { ...options, origin: origin + options.origin.slice(file.length) });
  });
}

/** `season.xlsx` of `season.xlsx tab "Users"`: what is wrong with the file is not said of its tab. */
function fileOf(origin: string, tab: string): string {
  const suffix = ` tab "${tab}"`;
  return origin.endsWith(suffix) ? origin.slice(0, -suffix.length) : origin;
}

async function openTab(
  book: WorkbookPackage,
  part: ZipEntry,
  options: ReadOptions,
): Promise<Omit<SourceTable, 'close'>> {
  const { origin, headerRow } = options;
  const merges = await readMerges(book.zip, part);
  const tables = await readExcelTables(book.zip, part.name, Infinity);
  const { header, rest } = await headerAndRest(
    readRows(book, part),
    (row) => row.rowNumber >= headerRow && !isEmpty(row),
  );
  if (header?.rowNumber !== headerRow) throw noHeader(options, header?.rowNumber, 'tab');
  const texts = Array.from(header.cells, (cell) => shownText(cell ?? ''));
  const width = texts.findLastIndex((text) => text.trim() !== '') + 1;
  const names = checkHeader(texts.slice(0, width), { origin, rowNumber: headerRow, line: headerRow });
  const withoutTotals = totalsRemover(tables);
  const toRow = rowMaker(names, merges, options);
  return {
    origin,
    header: names,
    warnings: [],
    async *batches() {
      for await (const batch of rest) yield batch.map(withoutTotals).flatMap(toRow);
    },
  };
}

const isEmpty = ({ cells, uncalculated }: TabRow): boolean =>
  uncalculated.length === 0 && holdsNothing(cells.filter((cell) => cell !== undefined));

/** Empties the cells that belong to the totals row of a table: they are none of its data. */
function totalsRemover(tables: readonly ExcelTable[]): (row: TabRow) => TabRow {
  const totals = tables.filter(({ hasTotals }) => hasTotals);
  return (row) => {
    const under = totals.filter(({ rows }) => rows.last === row.rowNumber);
    if (under.length === 0) return row;
    const isTotal = (index: number): boolean =>
      under.some(({ columns }) => index >= columns.first && index <= columns.last);
    return {
      ...row,
      cells: Array.from(row.cells, (cell, index) => (isTotal(index) ? undefined : cell)),
      uncalculated: row.uncalculated.filter((index) => !isTotal(index)),
    };
  };
}

/** Makes the rows that the engine reads, in order; blank ones are left out. */
function rowMaker(
  header: readonly string[],
  merges: readonly Merge[],
  options: ReadOptions,
): (row: TabRow) => readonly SourceRow[] {
  const toRow = gridRows(header, merges, options);
  return (row) => {
    const { rowNumber, cells, uncalculated } = row;
    const named = uncalculated.filter((index) => (header[index] ?? '') !== '');
    if (isEmpty({ ...row, uncalculated: named })) return [];
    const formulas = named.map((index) => formulaIssue(index, rowNumber, header));
    return [toRow(rowNumber, cells, [...formulas, ...nulIssues(cells, header)])];
  };
}

const formulaIssue = (index: number, rowNumber: number, header: readonly string[]): Issue => ({
  code: 'cell.formula',
  severity: 'error',
  column: header[index],
  message: `${columnLetters(index)}${rowNumber} holds a formula without a stored result; open and save the file in Excel or LibreOffice`,
});
