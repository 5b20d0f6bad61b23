import type { CellValue, WriteSheet } from 'hucre/xlsx';
import type { ChartData } from '../../../model/tables/layout.ts';
import {
  CHART_COLUMNS,
  chartHeight,
  chartTable,
  GAP_ROWS,
  TABLE_COLUMN,
  type ChartTable,
} from '../../chart-table.ts';
import { drawChart, type SheetChart } from './chart.ts';
import { PRINTED } from './print.ts';
import { displayWidth, isErrorLike, safeText } from './sheet.ts';
import { columnLetters } from '../../../model/tables/column-letters.ts';
import { alignment, COLOURS, FONT, HEADER_STYLE, ROW_BORDER } from './style.ts';

type Cells = NonNullable<WriteSheet['cells']>;

const CHART_COLUMN_WIDTH = 12;
const NAME_WIDTH_MAX = 56;

const NUMBERS_MARGIN = 4;

/** A tab of charts below each other, each with its numbers beside it; `printArea` holds the charts. */
export function buildChartSheet(
  name: string,
  charts: readonly ChartData[],
): { readonly sheet: WriteSheet; readonly printArea: string } {
  const cells: Cells = new Map();
  const drawn: SheetChart[] = [];
  const rows: CellValue[][] = [];
  const breaks: number[] = [];
  for (const data of charts) {
    const top = rows.length;
    const table = chartTable(data);
    const chart = chartHeight(data);
    const block = Math.max(chart, table.rows.length + 2) + GAP_ROWS;
    // A row before the chart, whose border would else end the page before.
    if (top > 0) breaks.push(top - 2);
    for (let row = 0; row < block; row += 1) rows.push(Array.from({ length: TABLE_COLUMN }, () => null));
    placeTable(table, top, rows, cells);
    if (data.series.length === 0) placeNote(data, top, rows, cells);
    else
      drawn.push(
        drawChart(data, {
          tab: name,
          anchor: { from: { row: top, col: 0 }, to: { row: top + chart, col: CHART_COLUMNS } },
          table: { row: top, col: TABLE_COLUMN },
        }),
      );
  }
  const tables = charts.map(chartTable);
  const across = Math.max(...tables.map(({ header }) => header.length));
  const names = tables.flatMap(({ header, rows: its }) => [header[0] ?? '', ...its.map(([first]) => first)]);
  const nameWidth = Math.max(...names.map(displayWidth)) + NUMBERS_MARGIN;
  const numbers = tables.flatMap(({ header, rows: its }) => [
    ...header.slice(1),
    ...its.flatMap(([, ...values]) => values.map(String)),
  ]);
  const numbersWidth = Math.max(0, ...numbers.map(displayWidth));
  return {
    sheet: {
      name,
      rows,
      cells,
      columns: [
        ...Array.from({ length: CHART_COLUMNS }, () => ({ width: CHART_COLUMN_WIDTH })),
        { width: 3 },
        { width: Math.min(NAME_WIDTH_MAX, nameWidth) },
        ...Array.from({ length: across - 1 }, () => ({ width: numbersWidth + NUMBERS_MARGIN })),
      ],
      charts: drawn,
      rowBreaks: breaks,
      view: { showGridLines: false, tabColor: { rgb: COLOURS.brand } },
      ...PRINTED,
    },
    // With the narrow column behind them, into which their border reaches.
    printArea: `$A$1:$${columnLetters(CHART_COLUMNS)}$${rows.length}`,
  };
}

function placeTable({ header, rows: its }: ChartTable, top: number, rows: CellValue[][], cells: Cells): void {
  [header, ...its].forEach((row, offset) => {
    row.forEach((value, index) => {
      const cell = typeof value === 'string' ? safeText(value) : value;
      rows[top + offset]?.push(cell);
      const aligned = { alignment: alignment(index === 0 ? 'left' : 'right') };
      cells.set(`${top + offset},${TABLE_COLUMN + index}`, {
        style: offset === 0 ? { ...HEADER_STYLE, ...aligned } : { border: ROW_BORDER, ...aligned },
        ...(isErrorLike(cell) && { richText: [{ text: cell }] }),
      });
    });
  });
}

function placeNote({ spec }: ChartData, top: number, rows: CellValue[][], cells: Cells): void {
  const [title, note] = [rows[top], rows[top + 1]];
  if (title === undefined || note === undefined) return;
  title[0] = safeText(spec.title);
  note[0] = 'No numbers to draw yet.';
  cells.set(`${top},0`, {
    style: { font: { ...FONT, size: 14, bold: true, color: { rgb: COLOURS.brand } } },
  });
  cells.set(`${top + 1},0`, { style: { font: { ...FONT, color: { rgb: COLOURS.quiet } } } });
}
