import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import type { CoverFacts, Highlight, Layout } from '../../../model/tables/layout.ts';
import {
  coverHeading,
  coverLines,
  highlightRows,
  joinCoveredTabs,
  joinHighlights,
  readCoveredTabs,
  readHighlights,
  TABS_HEADER,
  textAt,
  WRITTEN_LABEL,
  type CoveredTab,
} from '../../cover-lines.ts';
import { changedCells, sheetText } from './cells.ts';
import { COLOURS } from '../../xlsx/write/style.ts';
import { HEADER_FIELDS, headerFormat } from './look.ts';
import { grownGrid, makeTab, type Grid, type Requests, type ExistingTab } from './tab.ts';
import { blockOf, colourOf, formatCells, sizeOf } from '../requests.ts';
import type { SheetValue } from '../sheets-client.ts';

type Request = sheets_v4.Schema$Request;

/** What a cover tab is made from. */
export interface Cover {
  readonly cover: NonNullable<Layout['cover']>;
  readonly facts: CoverFacts | undefined;
  readonly timezone: string;
  /** The tabs that are refreshed now. */
  readonly tabs: readonly CoveredTab[];
  /** Those of the reports that are refreshed now. */
  readonly highlights: readonly Highlight[];
}

const WIDTHS_PX = [24, 190, 420, 90];

interface Parts {
  readonly heading: number;
  /** The first line about the file as a whole. */
  readonly technical: number;
}

/** The rows of a cover, from column B, and where its parts stand. */
function rowsOf(
  { title, note }: Cover['cover'],
  highlights: readonly Highlight[],
  lines: readonly (readonly [string, string])[],
  tabs: readonly CoveredTab[],
): { readonly rows: readonly (readonly SheetValue[])[]; readonly parts: Parts } {
  const told = highlightRows(highlights).map((row) => row.map((cell) => cell ?? ''));
  const top = [
    ...[[title], ...(note === undefined ? [] : [[note]]), []],
    ...[...told, ...(told.length === 0 ? [] : [[]])],
  ];
  const body = tabs.map(({ tab, contents, rows }) => [tab, contents, rows ?? '']);
  const upper = [...top, TABS_HEADER, ...body, []];
  const cells = [...upper, ...lines].map((row) =>
    row.map((cell) => (typeof cell === 'string' ? sheetText(cell) : cell)),
  );
  return { rows: cells, parts: { heading: top.length, technical: upper.length } };
}

/**
 * Plans the cover: the first tab of the spreadsheet, with the tabs that earlier refreshes wrote too. Its time is that of the last change: when
 * neither a report (`changed`) nor another line of the cover has changed, nothing is written.
 */
export function planCover(
  tab: ExistingTab,
  cover: Cover,
  titles: ReadonlySet<string>,
  changed: boolean,
): { readonly requests: Requests; readonly grid: Grid } {
  const { cells, sheetId } = tab;
  const lines = coverLines(cover.facts, cover.timezone);
  const line = cells.findIndex((row) => textAt(row, 1) === WRITTEN_LABEL);
  const tabs = joinCoveredTabs(readCoveredTabs(cells, titles), cover.tabs, sheetText);
  const highlights = joinHighlights(readHighlights(cells), cover.highlights);
  const planned = (
    said: readonly (readonly [string, string])[],
  ): ReturnType<typeof rowsOf> & { write: Request[] } => {
    const { rows, parts } = rowsOf(cover.cover, highlights, said, tabs);
    const wanted = Array.from({ length: Math.max(rows.length, cells.length) }, (_, row) => rows[row] ?? []);
    const area = { sheetId, top: 0, columns: [1, 2, 3] };
    return { rows, parts, write: changedCells(area, wanted, (row) => cells[row] ?? []) };
  };
  const before = textAt(cells[line], 2);
  const same = planned(
    lines.map(([label, text]) => [label, label === WRITTEN_LABEL && before !== '' ? before : text]),
  );
  const { write, rows, parts } = changed || same.write.length > 0 ? planned(lines) : same;
  const grid = grownGrid(tab, rows.length, TABS_HEADER.length + 1);
  const hasMoved = parts.heading !== coverHeading(cells) || (lines.length > 0 && parts.technical !== line);
  const all = blockOf(sheetId, [0, Math.max(rows.length, cells.length)], [1, 4]);
  // The parts stand elsewhere by now.
  const plain = tab.isNew ? [] : [formatCells(all, {}, 'userEnteredFormat')];
  return {
    grid,
    requests: {
      make: makeTab(tab, grid, { index: 0, hideGridlines: true }),
      write,
      look: hasMoved
        ? [...plain, ...formatsOf(sheetId, parts, rows.length, cover.cover.note !== undefined)]
        : [],
      trim: [],
      notes: [],
    },
  };
}

function formatsOf(sheetId: number, { heading, technical }: Parts, end: number, note: boolean): Request[] {
  const quiet = { foregroundColorStyle: colourOf(COLOURS.quiet) };
  const title = { bold: true, fontSize: 20, foregroundColorStyle: colourOf(COLOURS.brand) };
  const { length: last } = TABS_HEADER;
  const dress = (rows: [number, number], end: number, textFormat: sheets_v4.Schema$TextFormat): Request =>
    formatCells(blockOf(sheetId, rows, [1, end]), { textFormat }, 'userEnteredFormat.textFormat');
  const head = (columns: [number, number], align: 'LEFT' | 'RIGHT'): Request =>
    formatCells(blockOf(sheetId, [heading, heading + 1], columns), headerFormat(align), HEADER_FIELDS);
  return [
    ...WIDTHS_PX.map((width, at) => sizeOf(sheetId, 'COLUMNS', at, width)),
    sizeOf(sheetId, 'ROWS', 0, 44),
    sizeOf(sheetId, 'ROWS', heading, 28),
    dress([0, 1], 2, title),
    ...(note ? [dress([1, 2], 2, { ...quiet, fontSize: 12 })] : []),
    ...(heading > 3 ? [dress([note ? 3 : 2, heading], 2, quiet)] : []),
    ...(end > technical ? [dress([technical, end], 3, quiet)] : []),
    head([1, 1 + last], 'LEFT'),
    head([last, 1 + last], 'RIGHT'),
    {
      updateSheetProperties: {
        properties: { sheetId, tabColorStyle: colourOf(COLOURS.brand) },
        fields: 'tabColorStyle',
      },
    },
  ];
}
