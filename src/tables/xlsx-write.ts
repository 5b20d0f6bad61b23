import type { CellValue } from 'hucre/xlsx';
import { writeXlsx } from 'hucre/xlsx';
import { ConfigError, UnavailableError } from '../model/error.ts';
import type { ReportColumn, ReportTab, ReportValue, TableLocation } from '../model/table.ts';
import type { Append } from './atomic-write.ts';
import { writeAtomically } from './atomic-write.ts';
import { wallClock } from '../model/wall-clock.ts';
import { parseInstant } from './date-format.ts';
import type { Row, Sheet } from './xlsx-sheet.ts';
import { buildSheet, LOOKS, safeText, TEXT_FOR_EDITING } from './xlsx-sheet.ts';

/** A workbook of several tabs is built in memory; past this many rows over all tabs it is refused. */
const ROWS_MAX = 50_000;
/** Dates before it have no number in a workbook and stay text. */
const FIRST_YEAR = 1900;
const TAB_CHARACTERS_MAX = 31;
const TAB_FORBIDDEN = /[[\]:*?/\\\0-\x1F]|^'|'$|^history$/i;

/** Errors: those of {@link writeAtomically}; what `readSheets` throws passes through. */
async function writeWorkbook(
  file: string,
  readSheets: () => Promise<readonly Sheet[]>,
  mode?: number,
): Promise<void> {
  const fill = async (append: Append): Promise<void> => {
    const sheets = await readSheets();
    await append(await writeXlsx({ sheets: sheets.map(buildSheet), properties: { creator: 'teamsheet' } }));
  };
  await writeAtomically(file, fill, mode);
}

function cellRenderer(
  type: ReportColumn['type'],
  toWall: (ms: number) => Date,
): (value: ReportValue) => CellValue {
  return (value) => {
    if (typeof value !== 'string') return value;
    const instant = type === 'datetime' ? parseInstant(value) : undefined;
    const wall = instant === undefined ? undefined : toWall(instant.ms);
    return wall === undefined || wall.getUTCFullYear() < FIRST_YEAR ? safeText(value) : wall;
  };
}

async function readSheet({ location, table, options }: ReportTab, rowsLeft: number): Promise<Sheet> {
  const toWall = wallClock(options.timezone);
  const renderers = table.columns.map(({ type }) => cellRenderer(type, toWall));
  const rows: Row[] = [];
  for await (const batch of table.rows) {
    if (rows.length + batch.length > rowsLeft) throw tooManyRows(tabName(location));
    for (const row of batch) rows.push(renderers.map((render, index) => render(row[index] ?? null)));
  }
  return {
    name: tabName(location),
    header: table.columns.map(({ header }) => safeText(header)),
    columns: table.columns.map(({ type, format = LOOKS[type].format }) => ({ ...LOOKS[type], format })),
    rows,
  };
}

function tooManyRows(tab: string): UnavailableError {
  return new UnavailableError(
    'destination.too_many_rows',
    `a workbook of teamsheet holds at most ${ROWS_MAX} rows over all its tabs, and tab "${tab}" goes past that`,
    { next: 'Write the large report to a csv destination instead.' },
  );
}

const tabName = (location: TableLocation): string => (location.kind === 'csv' ? '' : location.tab);

/** Errors: ConfigError `destination.tab` for a name that no spreadsheet program takes. */
function checkTabs(tabs: readonly ReportTab[]): void {
  for (const { location, table } of tabs) {
    const name = tabName(location);
    if (name === '' || name.length > TAB_CHARACTERS_MAX || TAB_FORBIDDEN.test(name))
      throw new ConfigError(
        'destination.tab',
        `mapping ${table.name}: "${name}" cannot be the name of a tab: 1 to ${TAB_CHARACTERS_MAX} characters, none of [ ] : * ? / \\, ` +
          'no apostrophe at either end, and not History',
      );
  }
}

/**
 * Writes all tabs of one workbook, whole or not at all; answers the rows of each tab. Text is always text, never a formula; dates stand as
 * wall-clock times of the given zone. The mode is always replace. Holds the rows in memory, at most 50,000 over all tabs.
 * Errors: ConfigError `destination.tab`; UnavailableError `destination.*`; what the rows throw passes through.
 */
export async function writeXlsxReport(file: string, tabs: readonly ReportTab[]): Promise<readonly number[]> {
  checkTabs(tabs);
  const counts: number[] = [];
  await writeWorkbook(file, async () => {
    const sheets: Sheet[] = [];
    let left = ROWS_MAX;
    for (const tab of tabs) {
      const sheet = await readSheet(tab, left);
      left -= sheet.rows.length;
      counts.push(sheet.rows.length);
      sheets.push(sheet);
    }
    return sheets;
  });
  return counts;
}

const PRIVATE_MODE = 0o600;

/**
 * Writes rows of text as a private workbook (mode 0600) whose cells stay text when they are edited. Answers false, and writes nothing, when there
 * are more rows than a workbook may hold. Errors: UnavailableError `destination.*`.
 */
export async function writeRejectedXlsx(
  file: string,
  header: readonly string[],
  rows: AsyncIterable<readonly (readonly string[])[]>,
): Promise<boolean> {
  const texts: (readonly string[])[] = [];
  for await (const batch of rows) {
    texts.push(...batch.map((row) => row.map(safeText)));
    if (texts.length > ROWS_MAX) return false;
  }
  const sheet: Sheet = {
    name: 'Rejected',
    header: header.map(safeText),
    columns: header.map(() => TEXT_FOR_EDITING),
    rows: texts,
  };
  await writeWorkbook(file, () => Promise.resolve([sheet]), PRIVATE_MODE);
  return true;
}
