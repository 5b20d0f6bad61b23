import { isDeepStrictEqual } from 'node:util';
import { cleanNumber, type Cell } from '../../model/tables/cell.ts';
import { ConfigError, UnavailableError } from '../../model/error.ts';
import { numberCell } from './shown-date.ts';
import type { SheetValue, SheetsClient, Values } from './sheets-client.ts';
import { columnLetters } from '../../model/tables/column-letters.ts';
import { rangeOf, type Tab } from './spreadsheet.ts';
import type { FoundTab, Tabs } from './tabs.ts';

/** All cells of a tab, row by row from row 1; trailing empty ones are left out. */
export interface TabCells extends FoundTab {
  readonly rows: readonly (readonly Cell[])[];
}

/** Reads of the same tabs before they are given up: somebody, or a formula, keeps changing them. */
const MAX_READS = 4;

/**
 * The cells of tabs of one spreadsheet, typed and as they are shown: one call for the values, and one for how they are shown where a cell is not a
 * text. A read that changed under its hands is made again.
 * Errors: ConfigError `source.missing_tab`; UnavailableError `source.unstable`; those of the client.
 */
export async function readTabs(
  client: SheetsClient,
  tabs: Tabs,
  spreadsheetId: string,
  names: readonly string[],
): Promise<readonly TabCells[]> {
  let before: readonly Read[] | undefined;
  let problem: string | undefined;
  for (let attempt = 1; attempt <= MAX_READS; attempt += 1) {
    if (attempt > 1) tabs.forget(spreadsheetId);
    const reads = await tabs.withTabs(spreadsheetId, names, (found) =>
      readOnce(client, spreadsheetId, found),
    );
    const torn = reads.map(tornBy).find((found) => found !== undefined);
    if (torn === undefined) return reads.map(cellsOf);
    // What looks torn and stays the same is only shown in a peculiar way.
    if (torn.passes && before !== undefined && isDeepStrictEqual(valuesOf(reads), valuesOf(before)))
      return reads.map(cellsOf);
    before = reads;
    problem = torn.problem;
  }
  throw unstable(names, MAX_READS, problem ?? '');
}

function unstable(names: readonly string[], reads: number, problem: string): UnavailableError {
  const tabs = names.map((name) => `"${name}"`).join(', ');
  const said =
    reads === 1
      ? `a read is not whole (${problem})`
      : `${reads} reads did not give the same rows (the last: ${problem})`;
  return new UnavailableError('source.unstable', `tab ${tabs}: ${said}`, {
    next: 'Wait until nobody edits the sheet, and run the command again.',
  });
}

/** A tab's values, and how they are shown where that was asked. */
interface Read extends FoundTab {
  readonly plain: Values;
  readonly shown: Values | undefined;
  /** Whether something stands below the rows of an answer that is shorter than the tab, or nobody can tell. */
  readonly isShort: boolean;
}

const valuesOf = (reads: readonly Read[]): unknown => reads.map(({ plain, shown }) => [plain, shown]);

async function readOnce(
  client: SheetsClient,
  spreadsheetId: string,
  found: readonly FoundTab[],
): Promise<readonly Read[]> {
  const ranges = found.map(({ tab }) => rangeOf(tab.title));
  const plain = await client.values(spreadsheetId, ranges, 'UNFORMATTED_VALUE');
  const plainOf = (index: number): Values => plain[index] ?? NO_VALUES;
  const typed = ranges.filter((_, index) =>
    plainOf(index).rows.some((row) => row.some((value) => typeof value !== 'string')),
  );
  const rests = found.map(({ tab }, index) => restOf(tab, plainOf(index)));
  const shown = await readMore(client, spreadsheetId, typed, rests);
  return found.map((each, index) => {
    const rest = rests[index];
    return {
      ...each,
      plain: plainOf(index),
      shown: shown.get(ranges[index] ?? ''),
      isShort: rest !== undefined && shown.get(rest)?.rows.length !== 0,
    };
  });
}

const NO_VALUES: Values = { range: '', rows: [] };

/** Ranges as they are shown, and the rests of tabs, which may be gone by now: then nothing is answered. */
async function readMore(
  client: SheetsClient,
  spreadsheetId: string,
  shown: readonly string[],
  rests: readonly (string | undefined)[],
): Promise<ReadonlyMap<string, Values>> {
  const below = rests.filter((rest) => rest !== undefined);
  const ranges = [...shown, ...below];
  if (ranges.length === 0) return new Map();
  try {
    const answers = await client.values(spreadsheetId, ranges, 'FORMATTED_VALUE');
    return new Map(ranges.map((range, index) => [range, answers[index] ?? NO_VALUES]));
  } catch (error) {
    // Google refuses a range below the last row, so rows were deleted in the meantime.
    if (error instanceof ConfigError && below.length > 0) return new Map();
    throw error;
  }
}

/**
 * The rows of a tab below those of an answer that does not say that it covers the whole grid, as Google's do; undefined when it does. Only where
 * nothing stands there was the tab read whole.
 */
function restOf({ title, rowCount, columnCount }: Tab, { range, rows }: Values): string | undefined {
  const answered = range === '' ? rows.length : (extentOf(range)?.rows ?? rowCount);
  if (answered >= rowCount) return undefined;
  return rangeOf(title, `A${answered + 1}:${columnLetters(columnCount - 1)}${rowCount}`);
}

/**
 * The texts of a whole tab as it is shown, in one call where Google covers the whole grid. `tab` may be older than the tab.
 * Errors: UnavailableError `source.unstable` when the answer is shorter than the tab; those of the client.
 */
export async function readShown(
  client: SheetsClient,
  spreadsheetId: string,
  tab: Tab,
): Promise<readonly (readonly string[])[]> {
  const [values = NO_VALUES] = await client.values(spreadsheetId, [rangeOf(tab.title)], 'FORMATTED_VALUE');
  const rest = restOf(tab, values);
  if (rest !== undefined) {
    const below = await readMore(client, spreadsheetId, [], [rest]);
    const more = below.get(rest)?.rows ?? [];
    if (more.length > 0) throw unstable([tab.title], 1, short(values, tab));
  }
  return values.rows.map((row) => row.map(String));
}

const short = ({ range, rows }: Values, { rowCount }: Tab): string =>
  `${extentOf(range)?.rows ?? rows.length} of ${rowCount} rows were answered`;

/** What tells that a read is not of one moment; `passes` when it may also be a peculiar way of showing values. */
interface Torn {
  readonly problem: string;
  readonly passes: boolean;
}

function tornBy({ tab, plain, shown, isShort }: Read): Torn | undefined {
  if (plain.range !== '' && extentOf(plain.range)?.title !== tab.title)
    return { problem: `"${plain.range}" was answered for "${tab.title}"`, passes: false };
  if (isShort) return { problem: short(plain, tab), passes: false };
  if (shown === undefined) return undefined;
  if (shown.range !== plain.range)
    return { problem: `"${plain.range}" became "${shown.range}"`, passes: false };
  const height = Math.max(plain.rows.length, shown.rows.length);
  for (let row = 0; row < height; row += 1) {
    const values = plain.rows[row] ?? [];
    const texts = shown.rows[row] ?? [];
    const width = Math.max(values.length, texts.length);
    for (let column = 0; column < width; column += 1) {
      if (!agrees(values[column] ?? '', String(texts[column] ?? '')))
        return { problem: `row ${row + 1} changed between two calls`, passes: true };
    }
  }
  return undefined;
}

const PLAIN_NUMBER = /^-?\d+(?:\.(\d+))?$/;

/** Whether a value may be shown so: a text is shown as it is, and the plain digits of a number are those of its value, rounded. */
function agrees(value: SheetValue, shown: string): boolean {
  if (typeof value === 'string') return value === shown;
  const digits = typeof value === 'number' ? PLAIN_NUMBER.exec(shown) : null;
  return digits === null || Math.abs(Number(value) - Number(shown)) <= 0.51 * 10 ** -(digits[1]?.length ?? 0);
}

/** The tab and the last row of `'My tab'!A1:Z1000`. */
function extentOf(range: string): { readonly title: string; readonly rows: number | undefined } | undefined {
  const parts = /^(?:'(?<quoted>(?:[^']|'')*)'|(?<bare>[^!]*))(?:!A1(?::[A-Z]+(?<rows>\d+))?)?$/.exec(
    range,
  )?.groups;
  if (parts === undefined) return undefined;
  const { quoted, bare = '', rows } = parts;
  return {
    title: quoted?.replaceAll("''", "'") ?? bare,
    rows: rows === undefined ? undefined : Number(rows),
  };
}

/** What Google shows in the place of a value that a formula does not have (yet). */
const ERRORS = new Set([
  '#N/A',
  '#REF!',
  '#VALUE!',
  '#DIV/0!',
  '#NAME?',
  '#NULL!',
  '#NUM!',
  '#ERROR!',
  '#SPILL!',
  '#CALC!',
  'Loading...',
]);

function cellsOf({ spreadsheet, tab, plain, shown }: Read): TabCells {
  const rows = plain.rows.map((values, row) =>
    values.map((value, column): Cell => {
      if (typeof value === 'string') return ERRORS.has(value) ? { kind: 'error', shown: value } : value;
      const text = shown === undefined ? undefined : String(shown.rows[row]?.[column] ?? '');
      if (typeof value === 'number') return numberCell(cleanNumber(value), text);
      return { kind: 'boolean', value, ...(text !== undefined && { shown: text }) };
    }),
  );
  return { spreadsheet, tab, rows };
}
