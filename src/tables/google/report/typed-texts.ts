import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { columnLetters } from '../../../model/tables/column-letters.ts';
import { holdsTexts } from '../../serial-dates.ts';
import type { SheetsClient } from '../sheets-client.ts';
import { rangeOf, type Spreadsheet } from '../spreadsheet.ts';
import { sameCell } from './cells.ts';
import { placeColumns } from './existing.ts';
import type { FetchedReport } from './table.ts';
import type { ExistingTab } from './tab.ts';

const FIELDS =
  'sheets(properties(sheetId),data(startRow,startColumn,rowData(values(effectiveValue,effectiveFormat(numberFormat(type)),formattedValue))))';

/** Formats under which a person sees something else than the number. */
const SPEAKING: ReadonlySet<unknown> = new Set(['DATE', 'TIME', 'DATE_TIME', 'PERCENT', 'CURRENCY']);

/** A tab of a report, and the report that goes into it. */
export interface KeptReport {
  readonly tab: ExistingTab;
  readonly fetched: FetchedReport;
}

/**
 * What a person sees of dates, times, percentages and amounts that were typed among the texts of reports: by tab, row and column, counted from 0. One call where a number
 * stands among texts that `append` and `merge` keep, otherwise none. A cell that changed since the tab was read is left out. Errors: those of {@link placeColumns} and the client.
 */
export async function readTypedTexts(
  client: SheetsClient,
  { id }: Pick<Spreadsheet, 'id'>,
  reports: readonly KeptReport[],
): Promise<ReadonlyMap<number, TypedTexts>> {
  const ranges = reports.flatMap(rangesOf);
  const found = new Map<number, TypedTexts>();
  if (ranges.length === 0) return found;
  const { sheets = [] } = await client.spreadsheet(id, FIELDS, ranges);
  for (const { tab } of reports) {
    const sheet = sheets.find(({ properties }) => (properties?.sheetId ?? 0) === tab.sheetId);
    found.set(tab.sheetId, new Map((sheet?.data ?? []).flatMap((data) => textsOf(tab, data))));
  }
  return found;
}

/** Texts of one tab by {@link placeOf}. */
export type TypedTexts = ReadonlyMap<string, string>;

export const placeOf = (row: number, column: number): string => `${row} ${column}`;

/** The cells from the first number to the last of each column of texts. */
function rangesOf({ tab, fetched: { report } }: KeptReport): readonly string[] {
  const { table, options, layout } = report;
  if (tab.isNew || options.mode === 'replace') return [];
  const { positions } = placeColumns(table.columns, tab);
  return positions.flatMap((column, index) => {
    const given = table.columns[index];
    const isNumber = (row: ExistingTab['cells'][number]): boolean => typeof row[column] === 'number';
    const last = tab.cells.findLastIndex(isNumber);
    if (given === undefined || !holdsTexts(given, layout) || last < 1) return [];
    const first = tab.cells.findIndex((row, at) => at > 0 && isNumber(row));
    const letters = columnLetters(column);
    return [rangeOf(tab.title, `${letters}${first + 1}:${letters}${last + 1}`)];
  });
}

function textsOf(
  { cells }: ExistingTab,
  { rowData, startRow, startColumn }: sheets_v4.Schema$GridData,
): readonly [string, string][] {
  return (rowData ?? []).flatMap(({ values = [] }, down) =>
    values.flatMap(({ effectiveValue, effectiveFormat, formattedValue }, right): [string, string][] => {
      const [row, column] = [(startRow ?? 0) + down, (startColumn ?? 0) + right];
      const value = effectiveValue?.numberValue;
      if (typeof value !== 'number' || !SPEAKING.has(effectiveFormat?.numberFormat?.type)) return [];
      if (!sameCell(cells[row]?.[column] ?? '', value) || !formattedValue) return [];
      return [[placeOf(row, column), formattedValue]];
    }),
  );
}
