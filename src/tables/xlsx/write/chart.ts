import type { WriteSheet } from 'hucre/xlsx';
import type { ChartData } from '../../../model/tables/layout.ts';
import { cleanText } from './sheet.ts';
import { numberScale } from '../../chart-scale.ts';
import { columnLetters } from '../../../model/tables/column-letters.ts';
import { COLOURS, quotedTab } from './style.ts';

export type SheetChart = NonNullable<WriteSheet['charts']>[number];
type ChartSeries = SheetChart['series'][number];

/** Told apart by people who see no red and green too, and in print. */
const PALETTE = [
  ...['1F5C4A', 'D1802B', '3B6FB6', 'B23A48', '7A5195'],
  ...['2A9DA8', 'C9A227', '8C564B', '5AA469', '6B7280'],
];
const DASHES = ['solid', 'dash', 'sysDot'] as const;

/** Where a chart stands, and the first cell of its numbers on the same tab: series down and categories across, or the categories of one series down. */
interface ChartPlace {
  readonly tab: string;
  readonly anchor: SheetChart['anchor'];
  readonly table: { readonly row: number; readonly col: number };
}

function seriesOf(data: ChartData, { tab: name, table }: ChartPlace): ChartSeries[] {
  const tab = quotedTab(name);
  const top = table.row;
  const [first, second] = [columnLetters(table.col), columnLetters(table.col + 1)];
  const last = columnLetters(table.col + data.categories.length);
  const { spec } = data;
  return data.series.map((series, index) => {
    const color = PALETTE[index % PALETTE.length] ?? COLOURS.brand;
    const row = top + 2 + index;
    const down = `${top + 2}:$${first}$${top + 1 + data.categories.length}`;
    const dash = DASHES[Math.floor(index / PALETTE.length) % DASHES.length] ?? 'solid';
    return {
      ...(spec.series === undefined
        ? {
            values: `${tab}!$${second}$${down.replace(first, second)}`,
            categories: `${tab}!$${first}$${down}`,
          }
        : {
            values: `${tab}!$${second}$${row}:$${last}$${row}`,
            categories: `${tab}!$${second}$${top + 1}:$${last}$${top + 1}`,
          }),
      name: cleanText(series.name),
      color,
      ...(spec.type === 'line' && {
        stroke: { width: 2.25, dash },
        marker: { symbol: 'circle', size: 6, fill: color, line: color },
      }),
    } satisfies ChartSeries;
  });
}

/** One chart over its numbers, which stand on its own tab. */
export function drawChart(data: ChartData, place: ChartPlace): SheetChart {
  const { spec } = data;
  const lying = spec.type === 'bar';
  const several = spec.series !== undefined;
  const scale = numberScale(data);
  const labels = {
    ...{ labelFontSize: 9, labelColor: COLOURS.quiet },
    ...({ majorTickMark: 'none', minorTickMark: 'none' } as const),
  };
  const titles = { axisTitleFontSize: 9, axisTitleBold: false, axisTitleColor: COLOURS.quiet } as const;
  return {
    type: spec.type,
    title: cleanText(spec.title),
    titleFontSize: 14,
    titleBold: true,
    titleColor: COLOURS.brand,
    altText: cleanText(`${spec.title}: ${spec.y} by ${spec.x}`),
    anchor: place.anchor,
    series: seriesOf(data, place),
    legend: several ? 'right' : false,
    legendFontSize: 9,
    dispBlanksAs: 'gap',
    plotVisOnly: false,
    roundedCorners: false,
    chartSpaceBorderColor: COLOURS.line,
    ...(spec.type !== 'line' && { gapWidth: 45, dataLabels: { showValue: !several, fontSize: 9 } }),
    axes: {
      // Bars run from the bottom, so the best stands at the top only when the axis is turned over.
      x: {
        ...labels,
        ...titles,
        ...(lying ? { reverse: true } : { title: cleanText(spec.x) }),
        ...(spec.reverse && !lying && { crosses: 'max' }),
      },
      y: {
        ...labels,
        ...titles,
        ...(lying ? {} : { title: cleanText(spec.y) }),
        axisTitleRotation: -90,
        gridlines: { major: !lying },
        hidden: lying,
        ...(lying && { crosses: 'max' }),
        ...(spec.reverse && !lying && { reverse: true }),
        ...(scale !== undefined && { scale }),
      },
    },
  };
}
