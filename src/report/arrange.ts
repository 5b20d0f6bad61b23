import type { ArrangedRows, Layout, ReportLayout, Total } from '../model/tables/layout.ts';
import type { ReportColumn, ReportValue } from '../model/tables/table.ts';
import { chartOf } from './chart.ts';
import { highlightOf } from './highlight.ts';
import { compareValues } from './order.ts';

type Row = readonly ReportValue[];

/** The columns that a layout names in its order, then the others in theirs. */
export function orderColumns<C extends ReportColumn>(layout: Layout, columns: readonly C[]): readonly C[] {
  const named = [...layout.columns.keys()].flatMap((header) =>
    columns.filter((one) => one.header === header),
  );
  return [...named, ...columns.filter((one) => !named.includes(one))];
}

/** A layout joined to the columns of a report, which stand in the order of {@link orderColumns} already. */
export function joinLayout(layout: Layout, columns: readonly ReportColumn[]): ReportLayout {
  const indexOf = (header: string): number => columns.findIndex((column) => column.header === header);
  const keys = layout.sort.map(({ by, descending }) => ({ index: indexOf(by), descending }));
  const sort = (rows: readonly Row[], turned: boolean): readonly Row[] =>
    rows.toSorted((one, other) => {
      for (const { index, descending } of keys) {
        const order = compareValues(one[index] ?? null, other[index] ?? null, descending && turned);
        if (order !== 0) return order;
      }
      return 0;
    });
  const arrange = (given: readonly Row[]): ArrangedRows => {
    const rows = sort(given, true);
    // The newest week is the last number of a chart, however the table is turned.
    const upwards = layout.charts.length === 0 ? rows : sort(given, false);
    return {
      rows,
      highlights: layout.highlights.map((spec) => highlightOf(spec, rows, indexOf)),
      totals: totalsOf(layout.totals, columns, rows),
      charts: layout.charts.map((spec) =>
        chartOf(spec, upwards, {
          x: indexOf(spec.x),
          y: indexOf(spec.y),
          series: spec.series === undefined ? undefined : indexOf(spec.series),
          id: spec.id === undefined ? undefined : indexOf(spec.id),
        }),
      ),
    };
  };
  return { ...layout, arrange };
}

const LABELS: Readonly<Record<Total, string>> = {
  sum: 'Total',
  mean: 'Mean',
  count: 'Count',
  min: 'Least',
  max: 'Greatest',
};

/** The row below a table that has rows: its label stands in the first column of texts that has no total. */
function totalsOf(
  totals: Layout['totals'],
  columns: readonly ReportColumn[],
  rows: readonly Row[],
): readonly ReportValue[] | undefined {
  if (totals.size === 0 || rows.length === 0) return undefined;
  const free = ({ header }: ReportColumn): boolean => !totals.has(header);
  const texts = columns.findIndex((column) => free(column) && column.type === 'text');
  const labelled = texts === -1 ? columns.findIndex(free) : texts;
  const label = [...new Set(totals.values())].map((total) => LABELS[total]).join(' / ');
  return columns.map(({ header }, index) => {
    const total = totals.get(header);
    if (total === undefined) return index === labelled ? label : null;
    return totalOf(
      total,
      rows.map((row) => row[index] ?? null),
    );
  });
}

function totalOf(total: Total, values: readonly ReportValue[]): ReportValue {
  const filled = values.filter((value) => value !== null);
  if (total === 'count') return filled.length;
  if (total === 'min' || total === 'max') {
    const sorted = filled.toSorted((one, other) => compareValues(one, other));
    return (total === 'min' ? sorted[0] : sorted.at(-1)) ?? null;
  }
  const numbers = filled.filter((value) => typeof value === 'number');
  if (numbers.length === 0) return null;
  const sum = numbers.reduce((all, one) => all + one, 0);
  const decimals = Math.max(...numbers.map(decimalsOf));
  return total === 'sum' ? rounded(sum, decimals) : rounded(sum / numbers.length, decimals + 1);
}

const DECIMALS_MAX = 9;

function decimalsOf(value: number): number {
  const text = String(value);
  return text.includes('e') ? DECIMALS_MAX : Math.min(DECIMALS_MAX, (text.split('.')[1] ?? '').length);
}

/** To so many decimals, so that a sum of tenths has no more digits than they. */
function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(Math.min(decimals, DECIMALS_MAX)));
}
