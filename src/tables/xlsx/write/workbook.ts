import type { CellValue, WriteOptions, WriteSheet } from 'hucre/xlsx';
import type { ArrangedRows, ChartData, ReportLayout } from '../../../model/tables/layout.ts';
import type { ReportColumn, ReportTab, ReportValue } from '../../../model/tables/table.ts';
import { contentsOf, joinCoveredTabs, joinHighlights } from '../../cover-lines.ts';
import { wallReader } from '../../serial-dates.ts';
import { buildChartSheet } from './charts.ts';
import { buildCoverSheet } from './cover.ts';
import type { Covered } from '../existing-cover.ts';
import { buildSheet, LOOKS, safeText, totalFormat, type Sheet } from './sheet.ts';
import { quotedTab } from './style.ts';

/** A tab with all its rows, in the order of its columns: after append and merge, those that were there before too. */
export interface FilledTab {
  readonly tab: ReportTab;
  readonly rows: readonly (readonly ReportValue[])[];
}

/** The name of the tab that a report stands on. */
export const tabName = ({ location }: ReportTab): string => (location.kind === 'csv' ? '' : location.tab);

/** Report rows as cells: dates as wall-clock times of the zone, texts as a cell can hold them. */
export function rowRenderer(
  columns: readonly Pick<ReportColumn, 'type'>[],
  timezone: string,
): (row: readonly ReportValue[]) => CellValue[] {
  const toWall = wallReader(timezone);
  const date = (value: string): CellValue => toWall(value) ?? safeText(value);
  const cells = columns.map(({ type }) => (type === 'datetime' ? date : safeText));
  return (row) =>
    cells.map((cell, index) => {
      const value = row[index] ?? null;
      return typeof value === 'string' ? cell(value) : value;
    });
}

/** How the columns of a report look: as the layout says, else the mapping, else the type. */
export function columnFormats(columns: readonly ReportColumn[], layout?: ReportLayout): Sheet['columns'] {
  return columns.map(({ header, type, format }) => {
    const look = layout?.columns.get(header);
    return {
      format: look?.format ?? format ?? LOOKS[type].format,
      align: look?.align ?? LOOKS[type].align,
      width: look?.width,
      hidden: look?.hidden,
      wrap: look?.wrap,
    };
  });
}

/**
 * A workbook as the library's `writeXlsx` takes it: the cover when a layout has one, the tabs of charts, then the tabs in order. Every sheet of
 * it is written again by each refresh; the cover keeps what `covered` says of reports that are not refreshed now.
 */
export function buildWorkbookSheets(filled: readonly FilledTab[], covered: Covered): WriteOptions {
  const arranged = filled.map(({ tab, rows }) => ({
    tab,
    arranged: tab.layout?.arrange(rows) ?? { rows, totals: undefined, charts: [], highlights: [] },
  }));
  const reports = arranged.map((each) => buildSheet(sheetOf(each.tab, each.arranged)));
  const charts = chartSheets(arranged);
  const sheets = [...charts.map(({ sheet }) => sheet), ...reports];
  const cover = coverOf(arranged, charts, covered);
  return {
    sheets: cover === undefined ? sheets : [cover, ...sheets],
    namedRanges: [
      ...arranged.flatMap(({ tab }) => printTitles(tab)),
      ...charts.map(({ sheet, printArea }) => ({
        name: '_xlnm.Print_Area',
        range: `${quotedTab(sheet.name)}!${printArea}`,
        scope: sheet.name,
      })),
    ],
    properties: { creator: 'teamsheet' },
  };
}

interface Arranged {
  readonly tab: ReportTab;
  readonly arranged: ArrangedRows;
}

function sheetOf(tab: ReportTab, { rows, totals }: ArrangedRows): Sheet {
  const { layout, table, options } = tab;
  const columns = columnFormats(table.columns, layout);
  const render = rowRenderer(table.columns, options.timezone);
  const headers = table.columns.map(({ header }) => header);
  return {
    name: tabName(tab),
    header: headers.map(safeText),
    columns,
    rows: rows.map(render),
    layout: layout && {
      ...layout,
      headers,
      totals: totals && {
        cells: render(totals),
        formats: columns.map(({ format }, index) =>
          totalFormat(layout.totals.get(headers[index] ?? ''), format),
        ),
      },
    },
  };
}

/** The header on every page. The library would not quote a tab's name, so that one with blanks made the file unreadable. */
function printTitles(tab: ReportTab): NonNullable<WriteOptions['namedRanges']> {
  if (tab.layout === undefined) return [];
  const scope = tabName(tab);
  return [{ name: '_xlnm.Print_Titles', range: `${quotedTab(scope)}!$1:$1`, scope }];
}

/** One tab of charts for each name, with the charts of all reports that name it. */
function chartSheets(
  tabs: readonly Arranged[],
): readonly (ReturnType<typeof buildChartSheet> & { readonly titles: readonly string[] })[] {
  const charts = new Map<string, ChartData[]>();
  for (const { tab, arranged } of tabs) {
    const name = tab.layout?.chartTab;
    if (name !== undefined) charts.set(name, [...(charts.get(name) ?? []), ...arranged.charts]);
  }
  return [...charts].map(([name, its]) => ({
    ...buildChartSheet(name, its),
    titles: its.map(({ spec }) => spec.title),
  }));
}

function coverOf(
  tabs: readonly Arranged[],
  charts: ReturnType<typeof chartSheets>,
  covered: Covered,
): WriteSheet | undefined {
  const first = tabs.find(({ tab }) => tab.layout?.cover !== undefined)?.tab;
  if (first?.layout?.cover === undefined) return undefined;
  const refreshed = [
    ...charts.map(({ sheet, titles }) => ({
      tab: sheet.name,
      contents: contentsOf(titles),
      rows: undefined,
    })),
    ...tabs.map(({ tab, arranged }) => ({
      tab: tabName(tab),
      contents: contentsOf(tab.table.columns.map(({ header }) => header)),
      rows: arranged.rows.length,
    })),
  ];
  return buildCoverSheet(first.layout.cover, first.cover, first.options.timezone, {
    tabs: joinCoveredTabs(covered.tabs, refreshed),
    highlights: joinHighlights(
      covered.highlights,
      tabs.flatMap(({ arranged }) => arranged.highlights),
    ),
  });
}
