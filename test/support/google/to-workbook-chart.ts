import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import type { WriteSheet } from 'hucre/xlsx';
import { letters, type Box } from './a1.ts';
import type { Scope } from './formula.ts';
import { shownValue } from './shown.ts';
import { cellAt } from './state.ts';

type SheetChart = NonNullable<WriteSheet['charts']>[number];

const TYPES = { LINE: 'line', COLUMN: 'column', BAR: 'bar', AREA: 'area' } as const;
const ROW_PIXELS = 21;
const COLUMN_PIXELS = 100;

/** A range of a chart with the tab that it is on. */
export interface ChartSource {
  readonly box: Box;
  /** The tab's name as it stands before `!`. */
  readonly title: string;
  readonly scope: Scope;
}

/** A range without its first cells, the heads, when the chart has them. */
function body({ box, title }: ChartSource, heads: number): string {
  const across = box.endRow - box.startRow === 1;
  const [row, column] = across
    ? [box.startRow, box.startColumn + heads]
    : [box.startRow + heads, box.startColumn];
  return `${title}!$${letters(column)}$${row + 1}:$${letters(box.endColumn - 1)}$${box.endRow}`;
}

/** A chart of lines, columns, bars or areas as the workbook library takes it; none for other kinds. */
export function toWorkbookChart(
  { spec, position }: sheets_v4.Schema$EmbeddedChart,
  sourceOf: (range: sheets_v4.Schema$GridRange) => ChartSource,
): SheetChart[] {
  const basic = spec?.basicChart;
  const type = TYPES[(basic?.chartType ?? '') as keyof typeof TYPES];
  if (basic === undefined || (type as string | undefined) === undefined) return [];
  const heads = basic.headerCount ?? 0;
  const source = (data: sheets_v4.Schema$ChartData | undefined): ChartSource | undefined => {
    const range = data?.sourceRange?.sources?.[0];
    return range === undefined ? undefined : sourceOf(range);
  };
  const domain = source(basic.domains?.[0]?.domain);
  const series = (basic.series ?? []).flatMap((each) => {
    const values = source(each.series);
    if (values === undefined) return [];
    const name =
      heads === 0
        ? undefined
        : shownValue(values.scope, cellAt(values.scope.sheet, values.box.startRow, values.box.startColumn));
    return [
      {
        values: body(values, heads),
        ...(name !== undefined && { name }),
        ...(domain !== undefined && { categories: body(domain, heads) }),
      },
    ];
  });
  const overlay = position?.overlayPosition;
  const from = { row: overlay?.anchorCell?.rowIndex ?? 0, col: overlay?.anchorCell?.columnIndex ?? 0 };
  const to = {
    row: from.row + Math.ceil((overlay?.heightPixels ?? 371) / ROW_PIXELS),
    col: from.col + Math.ceil((overlay?.widthPixels ?? 600) / COLUMN_PIXELS),
  };
  return series.length === 0 ? [] : [{ type, title: spec?.title ?? '', series, anchor: { from, to } }];
}
