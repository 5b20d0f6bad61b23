import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';

/** One cell: as it is shown, its note, and, where it was asked for, what somebody entered into it. */
export interface GridCell {
  readonly text: string;
  readonly note: string;
  readonly entered: sheets_v4.Schema$ExtendedValue | undefined;
}

/** A tab's cells with their notes, the size of its grid, and its filter. */
export interface Grid {
  readonly columnCount: number;
  /** Whether the notes are known. */
  readonly hasNotes: boolean;
  readonly filter: sheets_v4.Schema$BasicFilter | undefined;
  readonly rows: readonly (readonly GridCell[])[];
}

const SHEET =
  'properties(sheetId,gridProperties(columnCount)),basicFilter,data(startRow,startColumn,rowData(values';

/** The field mask of `spreadsheets.get` for {@link gridOf}, with what was entered. */
export const GRID_FIELDS = `sheets(${SHEET}(formattedValue,note,userEnteredValue))))`;
/** The field mask of the same in the answer of an update, without what was entered. */
export const ANSWER_FIELDS = `updatedSpreadsheet(sheets(${SHEET}(formattedValue,note)))))`;

/** The first tab has the id 0, which JSON may leave out. */
const sheetOf = (
  spreadsheet: sheets_v4.Schema$Spreadsheet | undefined,
  sheetId: number,
): sheets_v4.Schema$Sheet | undefined =>
  spreadsheet?.sheets?.find(({ properties }) => (properties?.sheetId ?? 0) === sheetId);

/** Whether a tab is in an answer, with its cells or without. */
export const hasTab = (spreadsheet: sheets_v4.Schema$Spreadsheet, sheetId: number): boolean =>
  sheetOf(spreadsheet, sheetId) !== undefined;

/** The cells of a tab in an answer; undefined when the answer does not have them. */
export function gridOf(
  spreadsheet: sheets_v4.Schema$Spreadsheet | undefined,
  sheetId: number,
): Grid | undefined {
  const sheet = sheetOf(spreadsheet, sheetId);
  const [data] = sheet?.data ?? [];
  if (data === undefined) return undefined;
  const { rowData, startRow, startColumn } = data;
  const before = Array<readonly GridCell[]>(startRow ?? 0).fill([]);
  const left = Array<GridCell>(startColumn ?? 0).fill(EMPTY);
  const rows = (rowData ?? []).map(({ values }) => [...left, ...(values ?? []).map(cellOf)]);
  const columnCount = sheet?.properties?.gridProperties?.columnCount ?? 0;
  return { columnCount, hasNotes: true, filter: sheet?.basicFilter, rows: [...before, ...rows] };
}

/** The same of nothing but texts, where no answer has cells. */
export function textGrid(columnCount: number, rows: readonly (readonly string[])[]): Grid {
  return {
    columnCount,
    hasNotes: false,
    filter: undefined,
    rows: rows.map((row) => row.map((text): GridCell => ({ ...EMPTY, text }))),
  };
}

/** A cell that holds nothing. */
export const EMPTY: GridCell = { text: '', note: '', entered: undefined };

function cellOf({ formattedValue, note, userEnteredValue }: sheets_v4.Schema$CellData): GridCell {
  return { text: formattedValue ?? '', note: note ?? '', entered: userEnteredValue ?? undefined };
}

export const cellAt = (grid: Grid, row: number, column: number): GridCell =>
  grid.rows[row]?.[column] ?? EMPTY;

/** The number of columns up to the last one that holds anything. */
export function usedColumns({ rows }: Grid): number {
  return rows.reduce((most, row) => Math.max(most, row.findLastIndex(({ text }) => text !== '') + 1), 0);
}
