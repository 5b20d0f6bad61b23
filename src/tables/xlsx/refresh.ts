import type { CellValue, WriteOptions } from 'hucre/xlsx';
import type { ReportTab } from '../../model/tables/table.ts';
import { combineRows } from '../combine-rows.ts';
import { parseInstant } from '../date-format.ts';
import { serialOf } from '../../model/time/serial-date.ts';
import {
  asRead,
  findPlace,
  isReplaceable,
  openExisting,
  readingOld,
  type Existing,
  type Place,
} from './existing.ts';
import { graftWorkbook } from './graft/graft.ts';
import { headerDigest, rowDigest, ruleDigest, withMemory, type OwnTab, type OwnTabs } from './memory.ts';
import { renderWorkbook } from './write/render.ts';
import { shownText } from './write/sheet.ts';
import { decodeCellText } from './read/strings.ts';
import { existingCover, NOTHING_COVERED } from './existing-cover.ts';
import { buildWorkbookSheets, tabName, type FilledTab } from './write/workbook.ts';

/** The tabs that reports fill, those of covers and charts included. */
function namesOf(tabs: readonly ReportTab[]): readonly string[] {
  return tabs
    .flatMap((tab) => [tabName(tab), tab.layout?.cover?.tab, tab.layout?.chartTab])
    .filter((name) => name !== undefined);
}

/** Whether reports are written into a file of their own: there is none yet, or it holds nothing but what we wrote. Errors: those of {@link openExisting}. */
export async function standAlone(file: string, tabs: readonly ReportTab[]): Promise<boolean> {
  const existing = await openExisting(file, Infinity);
  if (existing === undefined) return true;
  try {
    return await isReplaceable(existing, namesOf(tabs));
  } finally {
    await existing.close();
  }
}

/** A cell that we write, as it is read back. */
function readBack(cell: CellValue): string | number | boolean {
  if (cell instanceof Date) return serialOf(cell);
  return typeof cell === 'string' ? decodeCellText(cell) : (cell ?? '');
}

function ownTabs({ sheets }: WriteOptions, filled: readonly FilledTab[]): OwnTabs {
  return new Map(
    sheets.map(({ name, rows = [], charts = [], conditionalRules = [] }): [string, OwnTab] => {
      const key = name.toLowerCase();
      const report = filled.find(({ tab }) => tabName(tab) === name);
      if (report === undefined)
        return [key, { columns: 0, header: '', totals: '', charts: charts.length, rules: [] }];
      const headers = report.tab.table.columns.map(({ header }) => asRead(header));
      // Below the header and the rows there is nothing but totals.
      const below = rows[1 + report.rows.length];
      const rules = conditionalRules.map(({ type, range, formula }) =>
        ruleDigest(type, range, formula === undefined ? [] : [formula].flat()),
      );
      const totals = below === undefined ? '' : rowDigest(below.map(readBack));
      return [key, { columns: headers.length, header: headerDigest(headers), totals, charts: 0, rules }];
    }),
  );
}

/** A text as it is read from a cell again: dates to the millisecond. */
function asShown(text: string): string {
  const instant = parseInstant(text);
  return instant === undefined ? shownText(text) : new Date(instant.ms).toISOString();
}

async function placesOf(
  existing: Existing | undefined,
  tabs: readonly ReportTab[],
): Promise<ReadonlyMap<string, Place>> {
  const places = new Map<string, Place>();
  if (existing === undefined) return places;
  for (const tab of tabs) {
    const place = await findPlace(existing, tab);
    if (place !== undefined) places.set(tabName(tab), place);
  }
  return places;
}

/**
 * The workbook of reports, with what is to be kept of the one that stands in the file: its rows where a report is added to them, and everything that is
 * the operator's. Answers the rows of each tab too; `check` sees them before anything is built.
 * Errors: UnavailableError `destination.*`; ConfigError `source.*` never.
 */
export async function refreshWorkbook(
  file: string,
  fresh: readonly FilledTab[],
  check: (filled: readonly FilledTab[]) => void,
): Promise<{ readonly bytes: Uint8Array; readonly filled: readonly FilledTab[] }> {
  const tabs = fresh.map(({ tab }) => tab);
  const alone = await standAlone(file, tabs);
  const isReplaced = alone && tabs.every(({ options }) => options.mode === 'replace');
  const existing = isReplaced ? undefined : await openExisting(file);
  try {
    const places = await placesOf(existing, tabs);
    const filled = fresh.map(({ tab, rows }): FilledTab => {
      const old = places.get(tabName(tab))?.rows ?? [];
      return { tab, rows: combineRows(tab.options, tab.table.columns, old, rows, asShown) };
    });
    check(filled);
    const into = alone ? undefined : existing;
    const cover = tabs.find(({ layout }) => layout?.cover !== undefined)?.layout?.cover;
    const covered =
      into === undefined ? NOTHING_COVERED : await readingOld(file, () => existingCover(into, cover?.tab));
    const workbook = buildWorkbookSheets(filled, covered);
    const own = ownTabs(workbook, filled);
    const dateSystem = into?.book.from1904 === true ? '1904' : '1900';
    const made = await renderWorkbook({ ...withMemory(workbook, own), dateSystem });
    if (into === undefined) return { bytes: made, filled };
    return { bytes: await graftWorkbook(into, made, { places, own, filled }), filled };
  } finally {
    await existing?.close();
  }
}
