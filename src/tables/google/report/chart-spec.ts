import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import type { ChartData } from '../../../model/tables/layout.ts';
import { COLOURS } from '../../xlsx/write/style.ts';
import { numberScale } from '../../chart-scale.ts';
import { blockOf, colourOf } from '../requests.ts';

const TITLE_SIZE = 14;

interface Place {
  readonly sheetId: number;
  readonly top: number;
  readonly left: number;
}

/** One row or column of the numbers, its header with it. */
function source(
  { sheetId, top, left }: Place,
  from: { readonly row: number; readonly column: number },
  size: { readonly rows: number; readonly columns: number },
): sheets_v4.Schema$ChartData {
  const [row, column] = [top + from.row, left + from.column];
  const range = blockOf(sheetId, [row, row + size.rows], [column, column + size.columns]);
  return { sourceRange: { sources: [range] } };
}

/** The ranges of a chart: series down and categories across, or the categories of one series down. */
function sourcesOf(
  data: ChartData,
  place: Place,
): { domain: sheets_v4.Schema$ChartData; series: sheets_v4.Schema$ChartData[] } {
  const length = data.categories.length + 1;
  if (data.spec.series === undefined) {
    const column = { rows: length, columns: 1 };
    return {
      domain: source(place, { row: 0, column: 0 }, column),
      series: [source(place, { row: 0, column: 1 }, column)],
    };
  }
  const row = { rows: 1, columns: length };
  return {
    domain: source(place, { row: 0, column: 0 }, row),
    series: data.series.map((_, index) => source(place, { row: index + 1, column: 0 }, row)),
  };
}

/** A chart as Sheets draws it, over the numbers that stand from `place` on. */
export function chartSpec(data: ChartData, place: Place): sheets_v4.Schema$ChartSpec {
  const { spec } = data;
  const { domain, series } = sourcesOf(data, place);
  const lying = spec.type === 'bar';
  const several = spec.series !== undefined;
  const format = { fontSize: 10, foregroundColorStyle: colourOf(COLOURS.quiet) };
  const [along, up] = [{ title: spec.x }, { title: spec.y, format, ...viewWindow(data) }];
  return {
    title: spec.title,
    titleTextFormat: { bold: true, fontSize: TITLE_SIZE, foregroundColorStyle: colourOf(COLOURS.brand) },
    altText: `${spec.title}: ${spec.y} by ${spec.x}`,
    hiddenDimensionStrategy: 'SHOW_ALL',
    basicChart: {
      chartType: spec.type === 'line' ? 'LINE' : spec.type === 'bar' ? 'BAR' : 'COLUMN',
      legendPosition: several ? 'RIGHT_LEGEND' : 'NO_LEGEND',
      headerCount: 1,
      axis: [
        { position: 'BOTTOM_AXIS', ...(lying ? up : along) },
        { position: 'LEFT_AXIS', ...(lying ? along : up) },
      ],
      domains: [{ domain }],
      series: series.map((one) => ({
        series: one,
        targetAxis: lying ? 'BOTTOM_AXIS' : 'LEFT_AXIS',
        ...(!several && { colorStyle: colourOf(COLOURS.brand) }),
        ...(spec.type === 'line'
          ? { lineStyle: { width: 2 }, pointStyle: { shape: 'CIRCLE', size: 6 } }
          : several
            ? {}
            : { dataLabel: { type: 'DATA', placement: 'OUTSIDE_END' } }),
      })),
    },
  };
}

/** The bounds of the numbers' axis, as they are written: those of ranks are below 0. */
function viewWindow(data: ChartData): Pick<sheets_v4.Schema$BasicChartAxis, 'viewWindowOptions'> {
  const scale = numberScale(data);
  if (scale === undefined) return {};
  const { min, max } = scale;
  const [viewWindowMin, viewWindowMax] = data.spec.reverse ? [-max, -min] : [min, max];
  return { viewWindowOptions: { viewWindowMode: 'EXPLICIT', viewWindowMin, viewWindowMax } };
}
