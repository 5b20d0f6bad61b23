import { ConfigError, UnavailableError } from '../../model/error.ts';
import { REJECTED_TAB } from '../../model/results.ts';
import { tabNameProblem } from '../../model/tables/tab-name.ts';
import type { ReportTab, ReportValue } from '../../model/tables/table.ts';
import { changed, writeAtomically, type Append } from '../atomic-write.ts';
import { refuseSharedTabs } from '../layout-tabs.ts';
import { versionOf } from '../regular-file.ts';
import { renderWorkbook } from './write/render.ts';
import { buildSheet, safeText, TEXT_FOR_EDITING } from './write/sheet.ts';
import { refreshWorkbook, standAlone } from './refresh.ts';
import { streamWorkbook } from './write/stream.ts';
import { tabName, type FilledTab } from './write/workbook.ts';

type Row = readonly ReportValue[];

/** What is built in memory holds at most so many rows over all its tabs. */
const ROWS_MAX = 50_000;
/** A tab that can be streamed is built in memory, and has a filter, up to so many rows. */
const BUILT_ROWS_MAX = 20_000;

/** What a tab can hold. */
const COLUMNS_MAX = 16_384;

/**
 * Errors: ConfigError `destination.tab` for a name that no spreadsheet program takes, and for one that two tabs want; UnavailableError
 * `destination.too_many_columns`.
 */
function checkTabs(tabs: readonly ReportTab[]): void {
  for (const tab of tabs) {
    const name = tabName(tab);
    const problem = tabNameProblem(name);
    if (problem !== undefined)
      throw new ConfigError('destination.tab', `mapping ${tab.table.name}: "${name}" ${problem}`);
    const { length } = tab.table.columns;
    if (length > COLUMNS_MAX)
      throw new UnavailableError(
        'destination.too_many_columns',
        `mapping ${tab.table.name}: a tab of a workbook holds at most ${COLUMNS_MAX} columns, and tab "${name}" would have ${length}`,
        { next: 'Name fewer columns in the mapping, or write the report to a csv destination.' },
      );
  }
  refuseSharedTabs(tabs, tabName);
}

/**
 * Writes all tabs of one workbook, whole or not at all; answers the rows of each tab. Text is always text, never a formula; dates stand as
 * wall-clock times of the given zone. What is the operator's in a workbook that stands there is kept, also where it came while this one was built. What fits is built in memory, at
 * most 50,000 rows over all tabs; one tab alone without a layout, in a file of its own, is streamed past that, up to the 1,048,576 rows that a sheet can hold.
 * Errors: ConfigError `destination.tab`; UnavailableError `destination.*`; what the rows throw passes through.
 */
export async function writeXlsxReport(file: string, tabs: readonly ReportTab[]): Promise<readonly number[]> {
  checkTabs(tabs);
  let fresh: readonly FilledTab[] | undefined;
  let read = '';
  const produce = async (append: Append): Promise<readonly number[]> => {
    if (fresh === undefined) {
      const fetched = await fetchTabs(file, tabs, append);
      if (typeof fetched === 'number') return [fetched];
      fresh = fetched;
    }
    read = await versionOf(file);
    const { bytes, filled } = await refreshWorkbook(file, fresh, checkRows);
    await append(bytes);
    return filled.map(({ rows }) => rows.length);
  };
  const isOutdated = async (): Promise<boolean> => {
    if (fresh !== undefined) return (await versionOf(file)) !== read;
    // What is streamed takes nothing of the old file, and cannot be read again.
    if (!(await standAlone(file, tabs))) throw changed(file);
    return false;
  };
  return writeAtomically(file, produce, undefined, isOutdated);
}

/** The rows of all tabs; or only their number, where there are so many that they were streamed. */
async function fetchTabs(
  file: string,
  tabs: readonly ReportTab[],
  append: Append,
): Promise<readonly FilledTab[] | number> {
  const [only] = tabs;
  const isPlain = tabs.length === 1 && only?.layout === undefined && only?.options.mode === 'replace';
  const streamed = only !== undefined && isPlain && (await standAlone(file, tabs)) ? only : undefined;
  const fresh: FilledTab[] = [];
  let left = streamed === undefined ? ROWS_MAX : BUILT_ROWS_MAX;
  for (const tab of tabs) {
    const source = tab.table.rows[Symbol.asyncIterator]();
    const rows: Row[] = [];
    try {
      for (let next = await source.next(); next.done !== true; next = await source.next()) {
        rows.push(...next.value);
        left -= next.value.length;
        if (left >= 0) continue;
        if (streamed === undefined) throw tooManyRows(tabName(tab));
        return await streamWorkbook(streamed, rows, source, append);
      }
    } finally {
      await source.return?.();
    }
    fresh.push({ tab, rows });
  }
  return fresh;
}

/** Errors: UnavailableError `destination.too_many_rows`, when the rows that stood there are counted too. */
function checkRows(filled: readonly FilledTab[]): void {
  let left = ROWS_MAX;
  for (const { tab, rows } of filled) {
    left -= rows.length;
    if (left < 0) throw tooManyRows(tabName(tab));
  }
}

function tooManyRows(tab: string): UnavailableError {
  return new UnavailableError(
    'destination.too_many_rows',
    `a workbook of several tabs, or of one with a layout, holds at most ${ROWS_MAX} rows over all its tabs, and tab "${tab}" goes past that`,
    {
      next: 'Give the large report a workbook of its own without a layout, or a csv destination.',
    },
  );
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
  const sheet = buildSheet({
    name: REJECTED_TAB,
    header: header.map(safeText),
    columns: header.map(() => TEXT_FOR_EDITING),
    rows: texts,
  });
  await writeAtomically(
    file,
    async (append) => append(await renderWorkbook({ sheets: [sheet], properties: { creator: 'teamsheet' } })),
    PRIVATE_MODE,
  );
  return true;
}
