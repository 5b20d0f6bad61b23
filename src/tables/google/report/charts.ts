import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import type { ChartData } from '../../../model/tables/layout.ts';
import { chartHeight, chartTable, GAP_ROWS, TABLE_COLUMN } from '../../chart-table.ts';
import { changedCells, sheetText } from './cells.ts';
import {
  drawChart,
  dressNumbers,
  plainNumbers,
  sizeColumns,
  type Band,
  type KeptChart,
} from './chart-look.ts';
import { chartSpec } from './chart-spec.ts';
import { digestOf, freshId, noteOf, recall } from './memory.ts';
import { grownGrid, makeTab, type Grid, type Requests, type ExistingTab } from './tab.ts';
import type { SheetValue } from '../sheets-client.ts';

type Request = sheets_v4.Schema$Request;

/** The charts of one report, by the id of its tab. */
export interface ReportCharts {
  readonly reportId: number;
  readonly charts: readonly ChartData[];
}

const KEY = 'teamsheet.charts';

const isKept = (value: unknown): value is readonly KeptChart[] => Array.isArray(value);

/**
 * The cells of a chart's numbers. Sheets cannot turn an axis over: ranks are written below 0 and shown without the sign, so that the least stands at
 * the top.
 */
function tableOf(data: ChartData): readonly (readonly SheetValue[])[] {
  const { header, rows } = chartTable(data);
  const cell = (value: string | number | null): SheetValue => {
    if (typeof value === 'string') return sheetText(value);
    return data.spec.reverse && value !== 0 && value !== null ? -value : (value ?? '');
  };
  return [header, ...rows].map((row) => row.map(cell));
}

const overlaps = (
  one: Pick<KeptChart, 'top' | 'height'>,
  other: Pick<KeptChart, 'top' | 'height'>,
): boolean => one.top < other.top + other.height && other.top < one.top + one.height;

/** Places the charts of a refresh: each where it was, when it fits there, else below all others. */
function placeCharts(
  { sheetId }: ExistingTab,
  reports: readonly ReportCharts[],
  before: readonly KeptChart[],
  others: readonly KeptChart[],
  taken: Set<number>,
): readonly Band[] {
  const placed = [...others];
  return reports.flatMap(({ reportId, charts }) =>
    charts.map((data, index): Band => {
      const kept = before.find((chart) => chart.reportId === reportId && chart.index === index);
      const table = tableOf(data);
      const height = Math.max(chartHeight(data), table.length + 2) + GAP_ROWS;
      const stays = kept !== undefined && !placed.some((chart) => overlaps({ top: kept.top, height }, chart));
      const top = stays ? kept.top : Math.max(0, ...placed.map((chart) => chart.top + chart.height));
      const drawn = data.series.length > 0;
      const now = {
        reportId,
        index,
        id: drawn ? (kept?.id ?? freshId(`chart ${reportId} ${index}`, taken)) : undefined,
        top,
        height,
        rows: table.length,
        columns: Math.max(...table.map(({ length }) => length)),
        layout: digestOf(data.spec),
        spec: digestOf(chartSpec(data, { sheetId, top, left: TABLE_COLUMN })),
      };
      placed.push(now);
      return { data, kept, now };
    }),
  );
}

/** The cells of a tab of charts: those that stand there, without the numbers of the old charts, with those of the new. */
function cellsOf(
  { cells }: ExistingTab,
  gone: readonly KeptChart[],
  bands: readonly Band[],
): { readonly wanted: readonly (readonly SheetValue[])[]; readonly width: number } {
  const wanted = cells.map((row) => [...row]);
  const put = (row: number, column: number, value: SheetValue): void => {
    while (wanted.length <= row) wanted.push([]);
    const target = wanted[row] ?? [];
    while (target.length < column) target.push('');
    target[column] = value;
  };
  for (const { top, rows, columns } of gone) {
    for (const row of [top, top + 1]) put(row, 0, '');
    for (let row = top; row < top + rows; row += 1)
      for (let at = 0; at < columns; at += 1) put(row, TABLE_COLUMN + at, '');
  }
  for (const { data, now } of bands) {
    if (now.id === undefined) {
      put(now.top, 0, sheetText(data.spec.title));
      put(now.top + 1, 0, 'No numbers to draw yet.');
    }
    tableOf(data).forEach((row, down) => {
      row.forEach((value, across) => {
        put(now.top + down, TABLE_COLUMN + across, value);
      });
    });
  }
  return { wanted, width: wanted.reduce((widest, { length }) => Math.max(widest, length), 0) };
}

/** Whether the place or the extent of a chart's numbers changed, or the chart itself. */
const hasMoved = ({ kept, now }: Band): boolean => kept?.spec !== now.spec || kept.rows !== now.rows;

/** Whether a tab has charts of ours. */
export const hasCharts = (sheet: sheets_v4.Schema$Sheet): boolean =>
  sheet.developerMetadata?.some(({ metadataKey }) => metadataKey === KEY) === true;

/**
 * Plans the refresh of a tab of charts. Charts of reports that are not refreshed now stay; those of reports whose tab is gone, not in `reportIds`,
 * go with it. A new tab stands at `index`.
 */
export function planCharts(
  tab: ExistingTab,
  reports: readonly ReportCharts[],
  reportIds: ReadonlySet<number>,
  taken: Set<number>,
  index?: number,
): { readonly requests: Requests; readonly grid: Grid } {
  const { sheetId } = tab;
  const memory = recall(tab.sheet, KEY, isKept);
  const before = memory.value ?? [];
  const refreshed = new Set(reports.map(({ reportId }) => reportId));
  const others = before.filter(({ reportId }) => !refreshed.has(reportId) && reportIds.has(reportId));
  const bands = placeCharts(tab, reports, before, others, taken);
  const gone = before.filter((chart) => !others.includes(chart));
  const { wanted, width } = cellsOf(tab, gone, bands);
  const lost = gone.filter(({ id }) => !bands.some(({ now }) => now.id === id));
  const standing = new Set(tab.sheet?.charts?.map(({ chartId }) => chartId));
  const now = [...others, ...bands.map((band) => band.now)];
  const least = Math.max(0, ...now.map(({ top, height }) => top + height));
  const grid = grownGrid(tab, Math.max(least, wanted.length), Math.max(TABLE_COLUMN + 2, width));
  const columns = Array.from({ length: width }, (_, index) => index);
  return {
    grid,
    requests: {
      make: makeTab(tab, grid, { hideGridlines: true, ...(index !== undefined && { index }) }),
      write: changedCells({ sheetId, top: 0, columns }, wanted, (row) => tab.cells[row] ?? []),
      look: [
        ...(tab.isNew ? sizeColumns(sheetId) : []),
        ...lost.flatMap(({ id = -1 }): Request[] =>
          standing.has(id) ? [{ deleteEmbeddedObject: { objectId: id } }] : [],
        ),
        // All old numbers are undressed first: the new ones of another chart may stand there.
        ...gone
          .filter((chart) => !bands.some((band) => band.kept === chart && !hasMoved(band)))
          .map((chart) => plainNumbers(sheetId, chart)),
        ...bands.filter(hasMoved).flatMap((band) => dressNumbers(sheetId, band)),
        ...bands.flatMap((band) => drawChart(tab, band)),
      ],
      trim: [],
      notes: now.length === 0 && memory.value === undefined ? [] : [noteOf(sheetId, KEY, memory, taken, now)],
    },
  };
}
