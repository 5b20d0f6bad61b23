import { ConfigError, InternalError, UnavailableError } from '../../model/error.ts';
import { listed } from '../../model/listed.ts';
import type { ReportTab, ReportValue } from '../../model/tables/table.ts';
import { contentsOf, type CoveredTab } from '../cover-lines.ts';
import { refuseSharedTabs } from '../layout-tabs.ts';
import { hasCharts, planCharts, type ReportCharts } from './report/charts.ts';
import { planCover } from './report/cover.ts';
import { takenIds } from './report/memory.ts';
import { namingProtectedTabs } from './report/protected-tabs.ts';
import { isEmpty, sendRequests, tabAfter } from './report/send.ts';
import { readTabs, type Grid, type Requests, type ExistingTab } from './report/tab.ts';
import { planTable, type FetchedReport, type PlannedTable } from './report/table.ts';
import type { GoogleAccess, SheetsClient } from './sheets-client.ts';
import { rangeOf, readSpreadsheet, type Spreadsheet } from './spreadsheet.ts';
import { readTypedTexts } from './report/typed-texts.ts';
import { sheetOf } from './tabs.ts';

/** Google's limit for all tabs of a spreadsheet. */
const CELLS_MAX = 10_000_000;

/** Tabs of more cells are not asked for in the answer of the call that writes them. */
const ANSWER_CELLS_MAX = 200_000;
/** The first write, and what puts right a report whose rows or columns somebody moves while it is written. */
const MAX_WRITES = 3;

type Row = readonly ReportValue[];
type PlannedReport = PlannedTable & { readonly report: ReportTab; readonly tab: ExistingTab };

/**
 * Writes all reports of one spreadsheet; answers the rows that each got, old ones that `append` and `merge` keep not counted. All rows are fetched
 * first, then the spreadsheet is read in two calls, or three where somebody typed numbers among texts that stay, and what differs is written in one. Where its answer tells that rows or columns moved meanwhile, the report is written once more. A refresh that fails leaves the last good report, and one
 * that changes nothing writes nothing. Text is always text, never a formula; dates stand as wall-clock times of the given zone. Columns are found by
 * their headers; what the operator has beside them, and below the rows, stays. Holds the rows in memory.
 * Errors: ConfigError `destination.tab`; UnavailableError `destination.header`, `destination.key`, `destination.too_many_cells`, `destination.unstable`; those of the client; what
 * the rows throw passes through. `meet` is given the spreadsheet that was written to.
 */
export async function writeSheetReports(
  access: GoogleAccess,
  tabs: readonly ReportTab[],
  meet: (spreadsheet: Spreadsheet) => void = () => undefined,
): Promise<readonly number[]> {
  const [first] = tabs;
  if (first === undefined) return [];
  refuseSharedTabs(tabs, ({ location }) => sheetOf(location).tab);
  const fetched: FetchedReport[] = [];
  for (const report of tabs) fetched.push({ report, fresh: await fetchRows(report) });
  const client = await access.client();
  let due: readonly FetchedReport[] = fetched;
  for (let writes = 0; due.length > 0 && writes < MAX_WRITES; writes += 1) {
    const refreshed = (): Promise<Refreshed> =>
      refresh(access, client, sheetOf(first.location).spreadsheet, due);
    const { spreadsheet, again } = await refreshed().catch((error: unknown) => {
      // A tab that came, went or was renamed between two calls makes Google refuse the next one as a whole.
      if (error instanceof ConfigError && error.code === 'google.range') return refreshed();
      throw error;
    });
    meet(spreadsheet);
    due = again;
  }
  if (due.length > 0)
    throw new UnavailableError(
      'destination.unstable',
      `rows or columns moved during each of ${MAX_WRITES} writes of the report; it may not be whole`,
      {
        next: 'Compare the tab with its version history, then run the same command again once nobody edits it.',
      },
    );
  return fetched.map(({ fresh }) => fresh.length);
}

interface Refreshed {
  /** The spreadsheet as it was. */
  readonly spreadsheet: Spreadsheet;
  /** The reports that are to be written once more, with all their rows. */
  readonly again: readonly FetchedReport[];
}

/** Reads the spreadsheet and the tabs, and writes what differs. */
async function refresh(
  access: GoogleAccess,
  client: SheetsClient,
  id: string,
  fetched: readonly FetchedReport[],
): Promise<Refreshed> {
  const spreadsheet = await readSpreadsheet(client, id);
  const taken = takenIds(spreadsheet.answer.sheets ?? []);
  const tabs = fetched.map(({ report }) => report);
  const standing = await readTabs(access, client, spreadsheet, tabNames(tabs, spreadsheet), taken);
  const kept = fetched.map((each) => ({
    fetched: each,
    tab: tabOf(standing, sheetOf(each.report.location).tab),
  }));
  const typed = await readTypedTexts(client, spreadsheet, kept);
  const planned = kept.map(({ fetched: each, tab }): PlannedReport => {
    const table = planTable(tab, each, taken, typed.get(tab.sheetId));
    return { ...table, report: each.report, tab };
  });
  const charts = planChartTabs(spreadsheet, standing, planned, taken);
  const written = [...charts, ...planned];
  const covers = planCovers(spreadsheet, standing, planned, written);
  const all = [...written, ...covers];
  checkSize(spreadsheet, all);
  // The cover is made first, then the charts: the others stand after them.
  const answer = await sendRequests(
    client,
    spreadsheet.id,
    [...covers, ...written].map(({ requests }) => requests),
    (message) => access.warn(`spreadsheet "${spreadsheet.title}": ${message}`),
    rangesOf(planned),
  ).catch(async (error: unknown) => {
    const changed = all.filter(({ requests }) => !isEmpty(requests)).map(({ tab }) => tab.sheetId);
    throw await namingProtectedTabs(error, client, spreadsheet, new Set(changed));
  });
  for (const { tab, lost } of planned) if (!tab.isNew) warnOfLost(access, spreadsheet, tab, lost);
  for (const [name, { isNew, sheetId }] of standing)
    if (isNew) await access.tabs.remember(spreadsheet.id, name, sheetId);
  const again = planned.flatMap((each): FetchedReport[] => {
    const { title, sheetId } = each.tab;
    const whole = each.again(tabAfter(answer, sheetId));
    if (whole === undefined) return [];
    access.warn(
      `spreadsheet "${spreadsheet.title}": rows or columns of the tab "${title}" moved while its report was written; it is written once more, and cells of yours in that tab may have been written over: compare them with the version history`,
    );
    return [whole];
  });
  return { spreadsheet, again };
}

/** The tabs that are there and written to, as far as an answer can hold their cells. */
const rangesOf = (planned: readonly PlannedReport[]): readonly string[] =>
  planned.flatMap(({ tab, requests }) => {
    const cells = tab.cells.reduce((sum, { length }) => sum + length, 0);
    return tab.isNew || isEmpty(requests) || cells > ANSWER_CELLS_MAX ? [] : [rangeOf(tab.title)];
  });

/** A column of a report whose header somebody changed goes on standing there, as it was at the last refresh. */
function warnOfLost(
  access: GoogleAccess,
  spreadsheet: Spreadsheet,
  { title, cells }: ExistingTab,
  lost: readonly string[],
): void {
  if (lost.length === 0 || cells.every((row) => row.every((cell) => cell === ''))) return;
  const names = listed(lost.map((each) => `"${each}"`));
  const [header, made, left] =
    lost.length === 1
      ? ['header', 'a new column', 'the old one, if still there, is as it was: delete it']
      : ['headers', 'new columns', 'the old ones, if still there, are as they were: delete them'];
  access.warn(
    `spreadsheet "${spreadsheet.title}": the tab "${title}" has lost the ${header} ${names}, so the report made ${made} on its right; ${left}`,
  );
}

async function fetchRows({ table }: ReportTab): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const batch of table.rows) rows.push(...batch);
  return rows;
}

/** All tabs that a refresh may write to: those of the reports, their covers and charts, and old tabs of charts. */
function tabNames(tabs: readonly ReportTab[], { answer }: Spreadsheet): ReadonlySet<string> {
  const old = (answer.sheets ?? []).filter(hasCharts).map(({ properties }) => properties?.title ?? '');
  const named = tabs.flatMap((report) => {
    const { cover, chartTab } = report.layout ?? {};
    return [sheetOf(report.location).tab, chartTab, cover?.tab];
  });
  return new Set([...named, ...old].filter((name) => name !== undefined));
}

function tabOf(standing: ReadonlyMap<string, ExistingTab>, name: string): ExistingTab {
  const tab = standing.get(name);
  if (tab === undefined) throw new InternalError('table.kind', `the tab "${name}" was not read`);
  return tab;
}

interface PlannedTab {
  readonly tab: ExistingTab;
  readonly grid: Grid;
  readonly requests: Requests;
}

/** Every tab that has charts, or gets them: a report that names another tab by now takes its charts away from the old one. */
function planChartTabs(
  { tabs }: Spreadsheet,
  standing: ReadonlyMap<string, ExistingTab>,
  planned: readonly PlannedReport[],
  taken: Set<number>,
): readonly PlannedTab[] {
  const reportIds = new Set([...tabs, ...planned.map(({ tab }) => tab)].map(({ sheetId }) => sheetId));
  const homeOf = ({ report }: PlannedReport): number | undefined =>
    standing.get(report.layout?.chartTab ?? '')?.sheetId;
  const hasCover = planned.some(({ report }) => report.layout?.cover !== undefined);
  // A tab that was renamed is here by both names.
  const byId = new Map([...standing.values()].map((tab) => [tab.sheetId, tab]));
  return [...byId.values()].flatMap((tab) => {
    const isHome = (each: PlannedReport): boolean => homeOf(each) === tab.sheetId;
    if (!planned.some(isHome) && (tab.sheet === undefined || !hasCharts(tab.sheet))) return [];
    const reports = planned.map((each): ReportCharts => ({
      reportId: each.tab.sheetId,
      charts: isHome(each) ? each.arranged.charts : [],
    }));
    return [{ tab, ...planCharts(tab, reports, reportIds, taken, hasCover ? 1 : undefined) }];
  });
}

function planCovers(
  { tabs }: Spreadsheet,
  standing: ReadonlyMap<string, ExistingTab>,
  planned: readonly PlannedReport[],
  written: readonly PlannedTab[],
): readonly PlannedTab[] {
  const titles = new Set([
    ...tabs.map(({ title }) => title),
    ...[...standing.values()].map(({ title }) => title),
  ]);
  const changed = !written.every(({ requests }) => isEmpty(requests));
  // The first layout that names a cover says what stands on it.
  const covers = new Map(
    planned
      .toReversed()
      .flatMap(({ report }) =>
        report.layout?.cover === undefined ? [] : [[report.layout.cover.tab, report] as const],
      ),
  );
  return [...covers].flatMap(([name, { layout, cover: facts, options }]) => {
    const tab = tabOf(standing, name);
    if (layout?.cover === undefined) return [];
    const cover = {
      cover: layout.cover,
      facts,
      timezone: options.timezone,
      tabs: coveredTabs(planned, written),
      highlights: planned.flatMap(({ arranged }) => arranged.highlights),
    };
    return [{ tab, ...planCover(tab, cover, titles, changed) }];
  });
}

function coveredTabs(
  planned: readonly PlannedReport[],
  written: readonly PlannedTab[],
): readonly CoveredTab[] {
  const reports = planned.map(({ tab, report, arranged }) => ({
    tab: tab.title,
    contents: contentsOf(report.table.columns.map(({ header }) => header)),
    rows: arranged.rows.length,
  }));
  const charts = written
    .filter(({ tab }) => !planned.some((report) => report.tab === tab))
    .map(({ tab }) => ({ tab: tab.title, contents: 'Charts', rows: undefined }));
  return [...charts, ...reports];
}

/** Errors: UnavailableError `destination.too_many_cells` when the spreadsheet would have more cells than Google allows. */
function checkSize({ title, tabs }: Spreadsheet, planned: readonly PlannedTab[]): void {
  const sizes = new Map<number, Grid>(tabs.map((tab) => [tab.sheetId, tab]));
  for (const { tab, grid } of planned) sizes.set(tab.sheetId, grid);
  const cells = [...sizes.values()].reduce(
    (sum, { rowCount, columnCount }) => sum + rowCount * columnCount,
    0,
  );
  const growing = planned.some(
    ({ tab, grid }) => tab.isNew || grid.rowCount > tab.rowCount || grid.columnCount > tab.columnCount,
  );
  if (growing && cells > CELLS_MAX)
    throw new UnavailableError(
      'destination.too_many_cells',
      `spreadsheet "${title}" would have ${cells} cells over all its tabs, and Google Sheets takes at most ${CELLS_MAX}; nothing was written`,
      {
        next: 'Delete tabs and empty rows and columns that are not needed, or write the large report to a csv destination.',
      },
    );
}
