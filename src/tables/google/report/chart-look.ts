import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import type { ChartData } from '../../../model/tables/layout.ts';
import { CHART_COLUMNS, chartHeight, TABLE_COLUMN } from '../../chart-table.ts';
import { chartSpec } from './chart-spec.ts';
import { HEADER_FIELDS, headerFormat } from './look.ts';
import type { ExistingTab } from './tab.ts';
import { blockOf, formatCells, sizeOf } from '../requests.ts';

type Request = sheets_v4.Schema$Request;

const COLUMN_PX = 89;
const ROW_PX = 21;
const NAME_PX = 180;
const NUMBER_PX = 110;
/** Numbers below 0 without their sign. */
const UNSIGNED = '0;0;0';

/** What is remembered of a chart: where its band of rows is, how large its numbers are, and what it was told. */
export interface KeptChart {
  readonly reportId: number;
  readonly index: number;
  /** Undefined while there were no numbers to draw. */
  readonly id: number | undefined;
  readonly top: number;
  readonly height: number;
  readonly rows: number;
  readonly columns: number;
  /** Digest of the chart as its layout has it. */
  readonly layout: string;
  /** Digest of the chart with its ranges. */
  readonly spec: string;
}

/** A chart of this refresh: as it was kept, and as it is to be. */
export interface Band {
  readonly data: ChartData;
  readonly kept: KeptChart | undefined;
  readonly now: KeptChart;
}

/** The requests that draw, change, move or take away the object of one chart; one that somebody deleted comes back with a change of its layout alone. */
export function drawChart({ sheetId, sheet }: ExistingTab, { data, kept, now }: Band): Request[] {
  const { id, top } = now;
  if (id === undefined) return [];
  const spec = chartSpec(data, { sheetId, top, left: TABLE_COLUMN });
  const anchorCell = { sheetId, rowIndex: top, columnIndex: 0 };
  const stands = sheet?.charts?.some(({ chartId }) => chartId === id) === true;
  if (!stands) {
    if (kept?.id === id && kept.layout === now.layout) return [];
    const overlayPosition = {
      anchorCell,
      widthPixels: CHART_COLUMNS * COLUMN_PX,
      heightPixels: chartHeight(data) * ROW_PX,
    };
    return [{ addChart: { chart: { chartId: id, spec, position: { overlayPosition } } } }];
  }
  return [
    ...(kept?.spec === now.spec ? [] : [{ updateChartSpec: { chartId: id, spec } }]),
    ...(kept?.top === top
      ? []
      : [
          {
            updateEmbeddedObjectPosition: {
              objectId: id,
              newPosition: { overlayPosition: { anchorCell } },
              fields: 'anchorCell',
            },
          },
        ]),
  ];
}

/** The requests for how the numbers of a chart look. */
export function dressNumbers(sheetId: number, { data, now }: Band): Request[] {
  const { top, rows, columns } = now;
  const header = blockOf(sheetId, [top, top + 1], [TABLE_COLUMN, TABLE_COLUMN + columns]);
  const unsigned = { numberFormat: { type: 'NUMBER', pattern: UNSIGNED } };
  const numbers = { ...header, startColumnIndex: TABLE_COLUMN + 1 };
  const below = { startRowIndex: top + 1, endRowIndex: top + rows };
  return [
    formatCells(header, headerFormat('LEFT'), HEADER_FIELDS),
    ...(columns > 1 ? [formatCells(numbers, headerFormat('RIGHT'), HEADER_FIELDS)] : []),
    ...(data.spec.reverse && columns > 1 && rows > 1
      ? [formatCells({ ...numbers, ...below }, unsigned, 'userEnteredFormat.numberFormat')]
      : []),
  ];
}

/** The request that takes the look of a chart's numbers away. */
export const plainNumbers = (sheetId: number, { top, rows, columns }: KeptChart): Request =>
  formatCells(
    blockOf(sheetId, [top, top + rows], [TABLE_COLUMN, TABLE_COLUMN + columns]),
    {},
    'userEnteredFormat',
  );

/** The widths of a new tab of charts. */
export const sizeColumns = (sheetId: number): Request[] => [
  ...Array.from({ length: CHART_COLUMNS }, (_, at) => sizeOf(sheetId, 'COLUMNS', at, COLUMN_PX)),
  sizeOf(sheetId, 'COLUMNS', TABLE_COLUMN, NAME_PX),
  sizeOf(sheetId, 'COLUMNS', TABLE_COLUMN + 1, NUMBER_PX),
];
