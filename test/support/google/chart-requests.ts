import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { boxOf } from './a1.ts';
import { assign, requiredMask } from './field-mask.ts';
import { invalid } from './refusal.ts';
import { sheetOf, type NewId, type SheetState, type SpreadsheetState } from './state.ts';

/** The axis that the numbers of a chart may stand on. */
const NUMBER_AXES: Readonly<Record<string, readonly string[]>> = {
  BAR: ['BOTTOM_AXIS'],
  LINE: ['LEFT_AXIS', 'RIGHT_AXIS'],
  COLUMN: ['LEFT_AXIS', 'RIGHT_AXIS'],
};

/** How many cells a source of a chart has: it is one row, or one column, on its grid. */
function sourceLength(state: SpreadsheetState, data: sheets_v4.Schema$ChartData | undefined): number {
  const sources = data?.sourceRange?.sources ?? [];
  if (sources.length === 0) throw invalid('A series or domain must have a source range.');
  let length = 0;
  for (const range of sources) {
    const { startRow, endRow, startColumn, endColumn } = boxOf(sheetOf(state, range.sheetId), range);
    if (endRow - startRow > 1 && endColumn - startColumn > 1)
      throw invalid('Exactly one dimension of a chart source range must have a length of 1.');
    length += Math.max(endRow - startRow, endColumn - startColumn);
  }
  return length;
}

function checkChart(state: SpreadsheetState, spec: sheets_v4.Schema$ChartSpec | undefined): void {
  const basic = spec?.basicChart;
  if (basic === undefined) throw invalid('The fake knows charts of the kind basicChart only.');
  const axes = NUMBER_AXES[basic.chartType ?? ''];
  if (axes === undefined) throw invalid(`Chart type not supported: ${basic.chartType ?? ''}`);
  const { domains = [], series = [] } = basic;
  if (series.length === 0) throw invalid('A chart must have at least one series.');
  if (domains.length > 1) throw invalid('Only a single domain is supported.');
  const lengths = new Set(
    [...domains.map(({ domain }) => domain), ...series.map((each) => each.series)].map((data) =>
      sourceLength(state, data),
    ),
  );
  if (lengths.size > 1) throw invalid('The domain and all series must have the same length.');
  for (const { targetAxis } of series)
    if (typeof targetAxis === 'string' && !axes.includes(targetAxis))
      throw invalid(`Invalid axis for chart type ${basic.chartType ?? ''}: ${targetAxis}`);
}

function anchorSheet(
  state: SpreadsheetState,
  position: sheets_v4.Schema$EmbeddedObjectPosition | undefined,
): SheetState {
  const anchor = position?.overlayPosition?.anchorCell;
  if (anchor === undefined)
    throw invalid('The fake knows charts over cells only: overlayPosition.anchorCell must be set.');
  const sheet = sheetOf(state, anchor.sheetId);
  const { rowCount, columnCount } = sheet.properties.gridProperties;
  if ((anchor.rowIndex ?? 0) >= rowCount)
    throw invalid(
      `GridCoordinate.rowIndex[${anchor.rowIndex ?? 0}] is after last row in grid[${rowCount - 1}]`,
    );
  if ((anchor.columnIndex ?? 0) >= columnCount)
    throw invalid(
      `GridCoordinate.columnIndex[${anchor.columnIndex ?? 0}] is after last column in grid[${columnCount - 1}]`,
    );
  return sheet;
}

function sized(
  position: sheets_v4.Schema$EmbeddedObjectPosition | undefined,
): sheets_v4.Schema$EmbeddedObjectPosition {
  return { overlayPosition: { widthPixels: 600, heightPixels: 371, ...position?.overlayPosition } };
}

/** Adds a chart over cells. Errors: a refusal of 400 for a taken id, an anchor past the grid and what Google does not draw. */
export function addChart(
  state: SpreadsheetState,
  { chart }: sheets_v4.Schema$AddChartRequest,
  newId: NewId,
): sheets_v4.Schema$Response {
  const sheet = anchorSheet(state, chart?.position);
  checkChart(state, chart?.spec);
  const chartId = chart?.chartId ?? newId();
  if (state.sheets.some(({ objects }) => objects.charts.some((each) => each.chartId === chartId)))
    throw invalid(`An object with id ${chartId} already exists.`);
  const added = { ...chart, chartId, position: sized(chart?.position) };
  sheet.objects.charts.push(added);
  return { addChart: { chart: structuredClone(added) } };
}

function findChart(
  state: SpreadsheetState,
  chartId: number | null | undefined,
): { sheet: SheetState; chart: sheets_v4.Schema$EmbeddedChart } {
  for (const sheet of state.sheets) {
    const chart = sheet.objects.charts.find((each) => each.chartId === chartId);
    if (chart !== undefined) return { sheet, chart };
  }
  throw invalid(`No embedded object with id: ${chartId ?? 0}`);
}

function replaceChart(
  sheet: SheetState,
  chart: sheets_v4.Schema$EmbeddedChart,
  next: sheets_v4.Schema$EmbeddedChart,
): void {
  sheet.objects.charts = sheet.objects.charts.map((each) => (each === chart ? next : each));
}

/** Replaces what a chart draws; its place stays. */
export function updateChartSpec(
  state: SpreadsheetState,
  { chartId, spec }: sheets_v4.Schema$UpdateChartSpecRequest,
): undefined {
  const { sheet, chart } = findChart(state, chartId);
  checkChart(state, spec);
  replaceChart(sheet, chart, { ...chart, spec: spec ?? {} });
}

/** Moves or resizes a chart by mask. */
export function updateEmbeddedObjectPosition(
  state: SpreadsheetState,
  { objectId, newPosition, fields }: sheets_v4.Schema$UpdateEmbeddedObjectPositionRequest,
): sheets_v4.Schema$Response {
  const { sheet, chart } = findChart(state, objectId);
  const overlayPosition = assign(
    chart.position?.overlayPosition ?? {},
    newPosition?.overlayPosition ?? {},
    requiredMask(fields),
  );
  const position = sized({ overlayPosition });
  const target = anchorSheet(state, position);
  sheet.objects.charts = sheet.objects.charts.filter((each) => each !== chart);
  target.objects.charts.push({ ...chart, position });
  return { updateEmbeddedObjectPosition: { position } };
}

/** Deletes a chart. Errors: a refusal of 400 for an unknown id. */
export function deleteEmbeddedObject(
  state: SpreadsheetState,
  { objectId }: sheets_v4.Schema$DeleteEmbeddedObjectRequest,
): undefined {
  const { sheet, chart } = findChart(state, objectId);
  sheet.objects.charts = sheet.objects.charts.filter((each) => each !== chart);
}
