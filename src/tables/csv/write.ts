import { stringify } from 'csv-stringify/sync';
import { UnavailableError } from '../../model/error.ts';
import type { ReportColumn, ReportTable, ReportValue, WriteOptions } from '../../model/tables/table.ts';
import { changed, writeAtomically } from '../atomic-write.ts';
import { versionOf } from '../regular-file.ts';
import { writtenDelimiter } from './delimiter.ts';
import { appendedRows, mergedRows } from './merge.ts';
import { wallClock } from '../../model/time/wall-clock.ts';
import { dateRenderer, parseInstant, utcText } from '../date-format.ts';

type TextRow = readonly string[];

const CHUNK_CHARACTERS = 65_536;
const BYTE_ORDER_MARK = '\uFEFF';
/** What a spreadsheet may take for the start of a formula, full-width forms included (LibreOffice evaluates even a quoted `"=1+1"`). */
const FORMULA_START = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
const NEEDS_QUOTES = /[",\t\r\n]/;

const asItIs = (text: string): string => text;
/** Text as it comes back out of a file. No reader takes a file with a NUL character, not even the one that reads the old rows of this report. */
const cleanText = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');
const escapeFormula = (text: string): string => (FORMULA_START.test(text) ? `'${text}` : text);

/** A cell as it stands in the file. csv-stringify writes the cells that need quotes; for the others it would only take time. */
const quoteCell = (cell: string, delimiter: string): string =>
  NEEDS_QUOTES.test(cell) ? stringify([[cell]], { eof: false, delimiter }) : cell;

/** The line of a row, with its end. A lone empty cell is quoted, or its line would be blank and no row. */
function renderRow(row: TextRow, delimiter: string): string {
  if (row.length === 1 && row[0] === '') return '""\n';
  return `${row.map((cell) => quoteCell(cell, delimiter)).join(delimiter)}\n`;
}

interface CsvOptions {
  readonly mode?: number;
  readonly excel?: boolean;
  readonly isOutdated?: () => Promise<boolean>;
}

/**
 * Writes a CSV file of texts as they are, whole or not at all: UTF-8, LF, final newline, the header even without rows. `mode` is exact, such as 0o600, and
 * without it the umask decides; `excel` begins with a byte order mark. Answers the number of rows.
 * Errors: those of {@link writeAtomically}; what `rows` throws passes through.
 */
export async function writeCsvFile(
  file: string,
  header: TextRow,
  rows: AsyncIterable<readonly TextRow[]>,
  { mode, excel = false, isOutdated }: CsvOptions = {},
): Promise<number> {
  const delimiter = writtenDelimiter(file);
  return writeAtomically(
    file,
    async (append) => {
      let text = (excel ? BYTE_ORDER_MARK : '') + renderRow(header, delimiter);
      let count = 0;
      for await (const batch of rows) {
        for (const row of batch) text += renderRow(row, delimiter);
        count += batch.length;
        if (text.length < CHUNK_CHARACTERS) continue;
        await append(text);
        text = '';
      }
      await append(text);
      return count;
    },
    mode,
    isOutdated,
  );
}

function renderDates(column: ReportColumn, timezone: string): (text: string) => string {
  if (column.format === undefined) return utcText;
  const render = dateRenderer(column.format);
  const toWall = wallClock(timezone);
  return (text) => {
    const instant = parseInstant(text);
    return instant === undefined ? text : render(toWall(instant.ms));
  };
}

/** How a text becomes one that no spreadsheet evaluates, where that is wanted. */
const safeBy = (formulas: WriteOptions['formulas']): ((text: string) => string) =>
  formulas === 'escape' ? escapeFormula : asItIs;

/** How the cells of one column become text. Numbers keep their minus: only what came as text can be a formula. */
function renderColumn(
  column: ReportColumn,
  { formulas, timezone }: WriteOptions,
): (value: ReportValue) => string {
  const safe = safeBy(formulas);
  const renderText = column.type === 'datetime' ? renderDates(column, timezone) : asItIs;
  return (value) => {
    if (value === null) return '';
    return typeof value === 'string' ? safe(renderText(cleanText(value))) : String(value);
  };
}

function withOldRows(
  file: string,
  header: TextRow,
  fresh: AsyncIterable<readonly TextRow[]>,
  { mode, key = [], formulas }: WriteOptions,
): AsyncIterable<readonly TextRow[]> {
  switch (mode) {
    case 'replace':
      return fresh;
    case 'append':
      return appendedRows(file, header, fresh);
    case 'merge':
      return mergedRows(file, header, fresh, key.map(safeBy(formulas)));
  }
}

/**
 * Writes one report as a CSV file; answers the rows of the report, old rows that `append` and `merge` keep not counted. Number formats are
 * for workbooks: a CSV file has the plain digits.
 * Errors: UnavailableError `destination.*`, among them `destination.changed` where somebody else wrote the file whose rows are kept; what the report's
 * rows throw passes through.
 */
export async function writeCsvReport(
  file: string,
  table: ReportTable,
  options: WriteOptions,
): Promise<number> {
  const header = table.columns.map((column) => column.header).map(safeBy(options.formulas));
  const renderers = table.columns.map((column) => renderColumn(column, options));
  let count = 0;
  const fresh = async function* (): AsyncGenerator<readonly TextRow[]> {
    for await (const batch of table.rows) {
      count += batch.length;
      yield batch.map((row) => renderers.map((render, index) => render(row[index] ?? null)));
    }
  };
  const read = await versionOf(file);
  const isOutdated = async (): Promise<boolean> => {
    if (options.mode !== 'replace' && (await versionOf(file)) !== read) throw changed(file);
    return false;
  };
  const rows = withOldRows(file, header, fresh(), options);
  await writeCsvFile(file, header, rows, { excel: options.excel, isOutdated }).catch(
    async (error: unknown) => {
      // What seems wrong with the old rows may be that half of them are new.
      if (error instanceof UnavailableError && error.code === 'destination.damaged') await isOutdated();
      throw error;
    },
  );
  return count;
}
