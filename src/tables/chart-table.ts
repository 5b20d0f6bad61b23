import type { ChartData } from '../model/tables/layout.ts';

/** The numbers of a chart as they stand on its tab. */
export interface ChartTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly [string, ...(number | null)[]])[];
}

/** The numbers of a chart as a small table: series down and categories across, or the categories of one series down. */
export function chartTable({ spec, categories, series }: ChartData): ChartTable {
  const [only] = series;
  if (spec.series !== undefined)
    return {
      header: [`${spec.series} / ${spec.x}`, ...categories],
      rows: series.map(({ name, values }) => [name, ...values]),
    };
  return {
    header: [spec.x, spec.y],
    rows: categories.map((category, index) => [category, only?.values[index] ?? null]),
  };
}

/** A chart takes so many columns of its tab, and its numbers stand beside it. */
export const CHART_COLUMNS = 8;
/** Where the numbers of charts begin. */
export const TABLE_COLUMN = CHART_COLUMNS + 1;
/** Between one chart and the next. */
export const GAP_ROWS = 2;

const CHART_ROWS = 24;
/** The rows that a chart of lying bars needs beside its bars. */
const BAR_MARGIN_ROWS = 7;

/** How many rows of a tab a chart covers. */
export function chartHeight({ spec, categories, series }: ChartData): number {
  const bars = spec.type === 'bar' ? categories.length * Math.max(1, series.length) : 0;
  return Math.max(CHART_ROWS, Math.ceil(bars * 1.2) + BAR_MARGIN_ROWS);
}
