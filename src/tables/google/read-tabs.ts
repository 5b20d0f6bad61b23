import { isDeepStrictEqual } from 'node:util';
import type { Cell } from '../../model/cell.ts';
import { UnavailableError } from '../../model/error.ts';
import type { SheetValue, SheetsClient, Values } from './sheets-client.ts';
import { rangeOf } from './spreadsheet.ts';
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
  throw new UnavailableError(
    'source.unstable',
    `tab ${names.map((name) => `"${name}"`).join(', ')}: ${MAX_READS} reads did not agree with themselves (the last: ${problem ?? ''})`,
    { next: 'Wait until nobody edits the sheet, and run the command again.' },
  );
}

/** A tab's values, and how they are shown where that was asked. */
interface Read extends FoundTab {
  readonly plain: Values;
  readonly shown: Values | undefined;
}

const valuesOf = (reads: readonly Read[]): unknown => reads.map(({ plain, shown }) => [plain, shown]);

async function readOnce(
  client: SheetsClient,
  spreadsheetId: string,
  found: readonly FoundTab[],
): Promise<readonly Read[]> {
  const values = async (
    of: readonly FoundTab[],
    rendering: 'UNFORMATTED_VALUE' | 'FORMATTED_VALUE',
  ): Promise<ReadonlyMap<FoundTab, Values>> => {
    if (of.length === 0) return new Map();
    const ranges = of.map(({ tab }) => rangeOf(tab.title));
    const answers = await client.values(spreadsheetId, ranges, rendering);
    return new Map(of.map((each, index) => [each, answers[index] ?? { range: '', rows: [] }]));
  };
  const plain = await values(found, 'UNFORMATTED_VALUE');
  const rowsOf = (each: FoundTab): Values['rows'] => plain.get(each)?.rows ?? [];
  const typed = found.filter((each) =>
    rowsOf(each).some((row) => row.some((value) => typeof value !== 'string')),
  );
  const shown = await values(typed, 'FORMATTED_VALUE');
  return found.map((each) => ({
    ...each,
    plain: plain.get(each) ?? { range: '', rows: [] },
    shown: shown.get(each),
  }));
}

/** What tells that a read is not of one moment; `passes` when it may also be a peculiar way of showing values. */
interface Torn {
  readonly problem: string;
  readonly passes: boolean;
}

function tornBy({ tab, plain, shown }: Read): Torn | undefined {
  const extent = extentOf(plain.range);
  if (extent?.title !== tab.title)
    return { problem: `"${plain.range}" was answered for "${tab.title}"`, passes: false };
  if (extent.rows !== undefined && extent.rows < tab.rowCount)
    return { problem: `${extent.rows} of ${tab.rowCount} rows were answered`, passes: false };
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
      const text = shown === undefined ? {} : { shown: String(shown.rows[row]?.[column] ?? '') };
      return typeof value === 'number'
        ? { kind: 'number', value, ...text }
        : { kind: 'boolean', value, ...text };
    }),
  );
  return { spreadsheet, tab, rows };
}
