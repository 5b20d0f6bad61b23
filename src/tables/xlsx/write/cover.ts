import type { CellStyle, CellValue, WriteSheet } from 'hucre/xlsx';
import type { CoverFacts, Highlight, Layout } from '../../../model/tables/layout.ts';
import { coverLines, highlightRows, TABS_HEADER, type CoveredTab } from '../../cover-lines.ts';
import { PRINTED } from './print.ts';
import { isErrorLike, safeText } from './sheet.ts';
import { alignment, COLOURS, FONT, HEADER_HEIGHT, HEADER_STYLE, ROW_BORDER } from './style.ts';

const TITLE: CellStyle = { font: { ...FONT, size: 20, bold: true, color: { rgb: COLOURS.brand } } };
const QUIET = { ...FONT, color: { rgb: COLOURS.quiet } };
const NOTE: CellStyle = { font: { ...FONT, size: 12, color: { rgb: COLOURS.quiet } } };
const LABEL: CellStyle = { font: { ...FONT, color: { rgb: COLOURS.quiet } }, border: ROW_BORDER };
const VALUE: CellStyle = { font: FONT, border: ROW_BORDER };

/** The first tab: title, highlights of the reports, the tabs of the file with their rows, and at the end time in the zone, source and program. */
export function buildCoverSheet(
  cover: NonNullable<Layout['cover']>,
  facts: CoverFacts | undefined,
  timezone: string,
  { tabs, highlights }: { readonly tabs: readonly CoveredTab[]; readonly highlights: readonly Highlight[] },
): WriteSheet {
  const cells: NonNullable<WriteSheet['cells']> = new Map();
  const rows: CellValue[][] = [];
  const add = (values: readonly CellValue[], style: (index: number) => CellStyle): void => {
    values.forEach((value, index) => {
      cells.set(`${rows.length},${index + 1}`, {
        style: style(index),
        ...(isErrorLike(value) && { richText: [{ text: value }] }),
      });
    });
    rows.push([null, ...values]);
  };
  add([safeText(cover.title)], () => TITLE);
  if (cover.note !== undefined) add([safeText(cover.note)], () => NOTE);
  rows.push([]);
  for (const [label, text, value] of highlightRows(highlights))
    add([safeText(label), safeText(text), typeof value === 'string' ? safeText(value) : value], (index) =>
      index === 0 ? LABEL : { ...VALUE, ...(index === 2 && { alignment: alignment('right') }) },
    );
  if (highlights.length > 0) rows.push([]);
  const heading = rows.length;
  const sides = ['left', 'left', 'right'] as const;
  const side = (index: number) => ({ alignment: alignment(sides[index] ?? 'left') });
  add(TABS_HEADER, (index) => ({ ...HEADER_STYLE, ...side(index) }));
  for (const { tab, contents, rows: count } of tabs)
    add([safeText(tab), safeText(contents), count ?? null], (index) => ({
      ...VALUE,
      ...side(index),
      ...(index === 2 && { numFmt: '#,##0' }),
    }));
  const lines = coverLines(facts, timezone);
  if (lines.length > 0) rows.push([]);
  for (const fact of lines)
    add([...fact.map(safeText), null], (index) => (index === 0 ? LABEL : { ...VALUE, font: QUIET }));
  return {
    name: cover.tab,
    rows,
    cells,
    columns: [{ width: 3 }, { width: 26 }, { width: 58 }, { width: 12 }],
    rowDefs: new Map([
      [0, { height: 34 }],
      [heading, { height: HEADER_HEIGHT }],
    ]),
    view: { showGridLines: false, tabColor: { rgb: COLOURS.brand } },
    ...PRINTED,
  };
}
