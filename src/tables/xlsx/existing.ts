import { existsSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { shownText, type Cell } from '../../model/tables/cell.ts';
import { ConfigError, UnavailableError } from '../../model/error.ts';
import type { ReportTab, ReportValue } from '../../model/tables/table.ts';
import { serialOf } from '../../model/time/serial-date.ts';
import { holdsTexts, valueReader } from '../serial-dates.ts';
import { readExcelTables, type ExcelTable } from './read/excel-tables.ts';
import { readMerges } from './read/merges.ts';
import { headerDigest, ownTab, readMemory, rowDigest, type OwnTab, type OwnTabs } from './memory.ts';
import { openPackage, type WorkbookPackage, type WorkbookTab } from './parts/package.ts';
import { requirePart, scanPart } from './parts/part.ts';
import type { TabRow } from './read/rows.ts';
import { safeText } from './write/sheet.ts';
import { tabName } from './write/workbook.ts';
import { shownGeneral } from './read/number-format.ts';
import { decodeCellText } from './read/strings.ts';
import { columnLetters } from '../../model/tables/column-letters.ts';
import { OPEN_FLAGS } from '../regular-file.ts';
import { systemCode } from '../system-error.ts';
import { readRows } from './read/tab-rows.ts';

/** The workbook that stands where reports go. */
export interface Existing {
  readonly file: string;
  readonly book: WorkbookPackage;
  readonly memory: OwnTabs;
  readonly close: () => Promise<void>;
}

const ANOTHER_FILE =
  'Name another file in the mapping, or move this one away; then run the same command again.';

function refused(
  code: string,
  file: string,
  message: string,
  next: string,
  cause?: unknown,
): UnavailableError {
  return new UnavailableError(code, `${file} ${message}; nothing was written`, { file, next, cause });
}

/** What stands in the way of one tab. */
export function refusedTab(
  code: string,
  file: string,
  tab: string,
  message: string,
  next: string,
): UnavailableError {
  return refused(code, file, `tab "${tab}": ${message}`, next);
}

/** Errors: UnavailableError `destination.open` when a program that has the file open left its mark beside it. */
function refuseOpenFile(file: string): void {
  const { dir, base } = path.parse(file);
  for (const [mark, program] of [
    [`~$${base}`, 'Excel'],
    [`.~lock.${base}#`, 'LibreOffice'],
  ] as const) {
    const beside = path.join(dir, mark);
    if (existsSync(beside))
      throw refused(
        'destination.open',
        file,
        `is open in ${program}`,
        `Close it there, then run the same command again. When it is not open, delete ${beside}.`,
      );
  }
}

/** What is wrong with the old workbook stops its reports, not the run as a fault of a source does. */
export async function readingOld<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    const reason = cause instanceof ConfigError ? cause.message : systemCode(cause);
    if (reason === undefined) throw cause;
    throw refused(
      'destination.damaged',
      file,
      `cannot be kept, because it cannot be read: ${reason}`,
      ANOTHER_FILE,
      cause,
    );
  }
}

/**
 * Opens the workbook that stands in the file already; undefined when there is none. A file of ours may have any size.
 * Errors: UnavailableError `destination.open`, `destination.damaged`, `destination.unwritable`.
 */
export async function openExisting(file: string, unpackedMax?: number): Promise<Existing | undefined> {
  const handle = await openFile(file);
  if (handle === undefined) return undefined;
  try {
    const facts = await readingOld(file, () => handle.stat());
    // What is no file cannot be replaced by one, as whoever writes it will say.
    if (facts.size === 0 || !facts.isFile()) {
      await handle.close();
      return undefined;
    }
    refuseOpenFile(file);
    return await readingOld(file, async () => {
      const book = await openPackage(handle, file, unpackedMax);
      return {
        file,
        book,
        memory: await readMemory(book.zip),
        close: () => readingOld(file, () => handle.close()),
      };
    });
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openFile(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, OPEN_FLAGS);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // A path that cannot be written either is told of by whoever writes it.
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw refused(
      'destination.unwritable',
      file,
      `cannot be read (${code ?? 'unknown'})`,
      'Give yourself the right to read and write it.',
      cause,
    );
  }
}

/** What the library calls itself in a workbook that it wrote. */
export const OUR_PROGRAM = 'hucre';

/** The parts of a workbook that was streamed, in the order of the library; programs write others. */
const STREAMED = [
  ...['xl/worksheets/sheet1.xml', 'xl/styles.xml', 'xl/theme/theme1.xml', 'xl/workbook.xml'],
  ...['xl/_rels/workbook.xml.rels', '_rels/.rels', '[Content_Types].xml'],
].join();

/**
 * Whether the workbook is as we wrote it, and nothing stands in it but tabs that are written again and covers and charts of ours: it is then simply
 * replaced, and those that no layout names any more go.
 */
export async function isReplaceable(existing: Existing, names: readonly string[]): Promise<boolean> {
  const { book, memory } = existing;
  const goes = (name: string): boolean => names.includes(name) || ownTab(memory, name)?.columns === 0;
  return book.tabs.every(({ name }) => goes(name)) && (await isOurs(existing));
}

/** Whether nobody but us wrote the workbook. Every program that saves a workbook puts its own name into it. */
export async function isOurs({ book: { zip }, file }: Existing): Promise<boolean> {
  if (zip.entries.map(({ name }) => name).join() === STREAMED) return true;
  const entry = zip.find('docProps/app.xml');
  if (entry === undefined) return false;
  let program = '';
  let inName = false;
  await readingOld(file, () =>
    scanPart(zip, entry, {
      open: (name) => {
        inName = name === 'Application';
      },
      text: (text) => {
        if (inName) program += text;
      },
      close: () => {
        inName = false;
      },
    }),
  );
  return program === OUR_PROGRAM;
}

/** A header as a cell of ours is read back. */
export const asRead = (header: string): string => decodeCellText(safeText(header)).trim();

/** Where our columns are on a tab that stands. */
export interface Place {
  readonly tab: WorkbookTab;
  /** Our columns from the first, those of an earlier shape of the report included. */
  readonly ours: number;
  /** Columns of the report that stood there before. */
  readonly stood: number;
  /** The tables of Excel's that reach into our columns. */
  readonly tables: readonly ExcelTable[];
  /** Digests of the rules of colours that we put there. */
  readonly rules: readonly string[];
  /** The rows of the report that stand there, in the order of its columns. */
  readonly rows: readonly (readonly ReportValue[])[];
}

/**
 * Looks at the tab of a report: which columns are ours, and which rows stand there. Undefined when there is no such tab.
 * Errors: UnavailableError `destination.tab_kind`, `destination.header`, `destination.merged`, `destination.damaged`.
 */
export async function findPlace(
  { file, book, memory }: Existing,
  report: ReportTab,
): Promise<Place | undefined> {
  const { table, options } = report;
  const name = tabName(report);
  const tab = book.tabs.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (tab === undefined) return undefined;
  if (tab.kind !== 'cells')
    throw refusedTab(
      'destination.tab_kind',
      file,
      name,
      'it has no cells',
      'Name another tab in the mapping.',
    );
  const part = requirePart(book.zip, tab.part);
  return readingOld(file, async () => {
    const all: TabRow[] = [];
    for await (const batch of readRows(book, part)) all.push(...batch);
    const headers = table.columns.map(({ header }) => asRead(header));
    const own = ownTab(memory, tab.name);
    const columns = columnsOf({ file, tab: tab.name, headers, own, mode: options.mode }, all);
    const { ours } = columns;
    for (const merge of await readMerges(book.zip, part))
      if (merge.firstColumn < ours)
        throw refusedTab(
          'destination.merged',
          file,
          tab.name,
          `the cells ${merge.reference} of the report are merged`,
          'Unmerge them.',
        );
    const read = valuesOf(report, (row, column) =>
      refusedTab(
        'destination.damaged',
        file,
        tab.name,
        `${columnLetters(column)}${row} holds a formula without a stored result`,
        'Open and save the file in Excel or LibreOffice.',
      ),
    );
    const tables = await readExcelTables(book.zip, tab.part, ours);
    const totals = tables.flatMap(({ hasTotals, rows }) => (hasTotals ? [rows.last] : []));
    // One row alone is ours: of others that look the same each is a row of the report.
    const ourTotals = all.findLast((row) => row.rowNumber > 1 && isTotals(row, own));
    const kept =
      options.mode === 'replace'
        ? []
        : all.filter((row) => row.rowNumber > 1 && !totals.includes(row.rowNumber) && row !== ourTotals);
    return {
      tab,
      ...columns,
      tables,
      rules: own?.rules ?? [],
      rows: kept.map(read).filter((row) => row.some((value) => value !== null)),
    };
  });
}

/** Whether a row is the one of totals that we wrote; totals that a person changed are a row of theirs. */
function isTotals({ cells }: TabRow, own: OwnTab | undefined): boolean {
  if (own === undefined || own.totals === '') return false;
  return rowDigest(Array.from(cells.slice(0, own.columns), (cell) => plainValue(cell ?? ''))) === own.totals;
}

interface ExistingTable {
  readonly file: string;
  readonly tab: string;
  readonly headers: readonly string[];
  readonly own: OwnTab | undefined;
  readonly mode: 'replace' | 'append' | 'merge';
}

/** Our columns of a tab, and those of them that stood there. */
function columnsOf(
  { file, tab, headers, own, mode }: ExistingTable,
  rows: readonly TabRow[],
): Pick<Place, 'ours' | 'stood'> {
  const width = headers.length;
  const first = rows[0];
  if (first === undefined) return { ours: width, stood: width };
  const found = first.rowNumber === 1 ? Array.from(first.cells, (cell) => shownText(cell ?? '').trim()) : [];
  const wasOurs =
    own !== undefined && headerDigest(found.slice(0, own.columns)) === own.header ? own.columns : 0;
  const same = headers.every((header, index) => header === (found[index] ?? ''));
  const columns = { ours: Math.max(width, wasOurs), stood: wasOurs === 0 ? width : wasOurs };
  if (same) return columns;
  const shown = found
    .slice(0, 20)
    .map((header) => `"${header}"`)
    .join(', ');
  const wants = `the report has ${headers.map((header) => `"${header}"`).join(', ')}`;
  if (mode !== 'replace' || wasOurs === 0)
    throw refusedTab(
      'destination.header',
      file,
      tab,
      `its columns ${shown === '' ? 'have no names in row 1' : `are ${shown}`}; ${wants}`,
      'Put the columns of the report first and in this order, or name another tab in the mapping.',
    );
  const taken = rows.flatMap(({ cells }) =>
    cells.slice(wasOurs, width).flatMap((cell, index) => (cell === undefined ? [] : [wasOurs + index])),
  );
  if (taken.length === 0) return columns;
  const letters = [...new Set(taken)]
    .sort((a, b) => a - b)
    .map(columnLetters)
    .join(', ');
  throw refusedTab(
    'destination.header',
    file,
    tab,
    `the report has ${width} columns now, and your own cells stand in ${letters}`,
    'Move them to the right of the report, or name another tab in the mapping.',
  );
}

function valuesOf(
  { table: { columns }, options: { timezone }, layout }: ReportTab,
  uncalculated: (row: number, column: number) => UnavailableError,
): (row: TabRow) => readonly ReportValue[] {
  const readers = columns.map((column) => {
    const read = valueReader(column, timezone);
    // What a person typed among texts, such as a date or 50 %, stays what they see, not its number.
    const isText = holdsTexts(column, layout);
    return (cell: Cell): ReportValue =>
      read(isText && isFormatted(cell) ? shownText(cell) : plainValue(cell));
  });
  return ({ rowNumber, cells, uncalculated: formulas }) => {
    const formula = formulas.find((column) => column < columns.length);
    if (formula !== undefined) throw uncalculated(rowNumber, formula);
    return readers.map((read, index) => read(cells[index] ?? ''));
  };
}

/** Whether a person sees something else than the digits of a number. */
function isFormatted(cell: Cell): boolean {
  if (typeof cell === 'string') return false;
  return cell.kind === 'datetime' || (cell.kind === 'number' && shownText(cell) !== shownGeneral(cell.value));
}

/** A cell as a plain value; a date is its serial number. */
export function plainValue(cell: Cell): string | number | boolean {
  if (typeof cell === 'string') return cell;
  switch (cell.kind) {
    case 'number':
    case 'boolean':
      return cell.value;
    case 'datetime':
      return serialOf(new Date(`${cell.iso}Z`));
    case 'error':
      return cell.shown;
  }
}
