import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { mergeCells, sortRange } from './cell-requests.ts';
import { effectiveValue, type Scope } from './formula.ts';
import { deleteDimension, insertDimension } from './shift.ts';
import { errorText, errorType, shownValue } from './shown.ts';
import {
  cellAt,
  putCell,
  type NewId,
  type SheetState,
  type SpreadsheetState,
  type StoredCell,
} from './state.ts';

/** A cell as a test writes it; null and an empty text are blank. */
export type FakeCell =
  | string
  | number
  | boolean
  | null
  | {
      /** With `formula` its result, where the fake cannot work it out. */
      readonly value?: string | number | boolean | null;
      readonly formula?: string;
      /** An error as it looks, such as `#N/A`. */
      readonly error?: string;
      readonly format?: { readonly type: string; readonly pattern?: string };
      readonly note?: string;
    };

/** A tab as a test describes it; the grid is Google's 1000 by 26, or as large as the rows need. */
export interface FakeTabInput {
  readonly title: string;
  readonly sheetId?: number;
  readonly rows: readonly (readonly FakeCell[])[];
  readonly rowCount?: number;
  readonly columnCount?: number;
  /** A tab that is a single chart, without cells. */
  readonly object?: boolean;
}

/** One cell as it stands. */
export interface FakeCellState {
  readonly value: string | number | boolean | null;
  readonly formula: string | undefined;
  readonly shown: string;
  readonly note: string | undefined;
  readonly format: sheets_v4.Schema$CellFormat | undefined;
  readonly validation: sheets_v4.Schema$DataValidationRule | undefined;
}

/** A tab as it stands now, and what a person can do to it. Rows and columns are counted from 0. */
export interface FakeTab {
  readonly sheetId: number;
  readonly title: string;
  readonly rowCount: number;
  readonly columnCount: number;
  readonly tabColor: sheets_v4.Schema$ColorStyle | sheets_v4.Schema$Color | undefined;
  readonly frozen: { readonly rows: number; readonly columns: number };
  readonly charts: readonly sheets_v4.Schema$EmbeddedChart[];
  readonly rules: readonly sheets_v4.Schema$ConditionalFormatRule[];
  readonly filter: sheets_v4.Schema$BasicFilter | undefined;
  /** Pixels by column; undefined is Google's own width. */
  readonly widths: readonly (number | undefined)[];
  readonly hiddenColumns: readonly number[];
  /** Typed values: a formula's result, an error as it looks, null for blank; nothing blank at the ends. */
  rows(): (string | number | boolean | null)[][];
  /** The same as a person sees it; blank is an empty text. */
  shown(): string[][];
  cell(row: number, column: number): FakeCellState;
  /** Types into a cell; its format and note stay unless they are given. */
  set(row: number, column: number, cell: FakeCell): void;
  /** Sorts everything below the header row by one column. */
  sortBy(column: number, options?: { readonly descending?: boolean }): void;
  /** Puts a row before row `at`. */
  insertRow(at: number, cells?: readonly FakeCell[]): void;
  deleteRow(at: number): void;
  /** Puts a column before column `at`, with its cells from the top. */
  insertColumn(at: number, cells?: readonly FakeCell[]): void;
  deleteColumn(at: number): void;
  rename(title: string): void;
  hideRow(at: number): void;
  /** Closes cells to everybody but their owner; ends are not included. */
  protect(startRow: number, startColumn: number, endRow: number, endColumn: number): void;
  merge(startRow: number, startColumn: number, endRow: number, endColumn: number): void;
}

/** A cell of a test as it is kept. */
export function storedCell(cell: FakeCell, before: StoredCell = {}): StoredCell {
  const { userEnteredValue: _value, effectiveValue: _result, ...rest } = before;
  const {
    value = null,
    formula,
    error,
    format,
    note,
  } = typeof cell === 'object' && cell !== null ? cell : { value: cell };
  const literal: sheets_v4.Schema$ExtendedValue | undefined =
    error !== undefined
      ? { errorValue: { type: errorType(error), message: error } }
      : value === null || value === ''
        ? undefined
        : typeof value === 'string'
          ? { stringValue: value }
          : typeof value === 'number'
            ? { numberValue: value }
            : { boolValue: value };
  const written =
    formula !== undefined
      ? {
          userEnteredValue: { formulaValue: formula },
          ...(literal === undefined ? {} : { effectiveValue: literal }),
        }
      : error !== undefined && literal !== undefined
        ? { userEnteredValue: { formulaValue: `=${error}` }, effectiveValue: literal }
        : literal === undefined
          ? {}
          : { userEnteredValue: literal };
  return {
    ...rest,
    ...written,
    ...(format === undefined
      ? {}
      : { userEnteredFormat: { ...rest.userEnteredFormat, numberFormat: format } }),
    ...(note === undefined ? {} : { note }),
  };
}

/** A tab that looks its state up at every use, so that it stays good after requests; it is found by its id. */
export function createTab(spreadsheet: () => SpreadsheetState, sheetId: number, newId: NewId): FakeTab {
  const sheet = (): SheetState => {
    const found = spreadsheet().sheets.find(({ properties }) => properties.sheetId === sheetId);
    if (found === undefined) throw new RangeError(`the tab ${sheetId} was deleted`);
    return found;
  };
  const scope = (): Scope => ({ state: spreadsheet(), sheet: sheet() });
  const table = <T>(blank: T, read: (scope: Scope, cell: StoredCell) => T): T[][] => {
    const here = scope();
    const rows = here.sheet.rows.map((row) => {
      const cells = Array.from(row, (cell) => read(here, cell ?? {}));
      while (cells.length > 0 && cells.at(-1) === blank) cells.pop();
      return cells;
    });
    while (rows.at(-1)?.length === 0) rows.pop();
    return rows;
  };
  const typed = (here: Scope, cell: StoredCell): string | number | boolean | null => {
    const value = effectiveValue(here, cell) ?? {};
    return value.numberValue ?? value.boolValue ?? errorText(value) ?? value.stringValue ?? null;
  };
  const set = (row: number, column: number, cell: FakeCell): void => {
    const { rowCount, columnCount } = sheet().properties.gridProperties;
    if (row >= rowCount || column >= columnCount)
      throw new RangeError(`no cell ${row}, ${column} in a grid of ${rowCount} by ${columnCount}`);
    putCell(sheet(), row, column, storedCell(cell, cellAt(sheet(), row, column)));
  };
  return {
    sheetId,
    get title() {
      return sheet().properties.title;
    },
    get rowCount() {
      return sheet().properties.gridProperties.rowCount;
    },
    get columnCount() {
      return sheet().properties.gridProperties.columnCount;
    },
    get tabColor() {
      return sheet().properties.tabColorStyle ?? sheet().properties.tabColor;
    },
    get frozen() {
      const { frozenRowCount, frozenColumnCount } = sheet().properties.gridProperties;
      return { rows: frozenRowCount ?? 0, columns: frozenColumnCount ?? 0 };
    },
    get charts() {
      return sheet().objects.charts;
    },
    get rules() {
      return sheet().objects.conditionalFormats;
    },
    get filter() {
      return sheet().objects.basicFilter;
    },
    get widths() {
      return Array.from(sheet().columnProperties, (properties) => properties?.pixelSize ?? undefined);
    },
    get hiddenColumns() {
      return Array.from(sheet().columnProperties, (properties, column) =>
        properties?.hiddenByUser === true ? column : -1,
      ).filter((column) => column >= 0);
    },
    rows: () => table(null, typed),
    shown: () => table('', shownValue),
    cell(row, column) {
      const cell = cellAt(sheet(), row, column);
      return {
        value: typed(scope(), cell),
        formula: cell.userEnteredValue?.formulaValue ?? undefined,
        shown: shownValue(scope(), cell),
        note: cell.note ?? undefined,
        format: cell.userEnteredFormat,
        validation: cell.dataValidation,
      };
    },
    set,
    sortBy(column, { descending = false } = {}) {
      const sortSpecs = [{ dimensionIndex: column, sortOrder: descending ? 'DESCENDING' : 'ASCENDING' }];
      sortRange(spreadsheet(), { range: { sheetId, startRowIndex: 1 }, sortSpecs });
    },
    insertRow(at, cells = []) {
      insertDimension(spreadsheet(), sheet(), 'ROWS', at, 1);
      cells.forEach((cell, column) => set(at, column, cell));
    },
    deleteRow: (at) => deleteDimension(spreadsheet(), sheet(), 'ROWS', at, at + 1),
    insertColumn(at, cells = []) {
      insertDimension(spreadsheet(), sheet(), 'COLUMNS', at, 1);
      cells.forEach((cell, row) => set(row, at, cell));
    },
    deleteColumn: (at) => deleteDimension(spreadsheet(), sheet(), 'COLUMNS', at, at + 1),
    rename(title) {
      sheet().properties.title = title;
    },
    hideRow(at) {
      sheet().rowProperties[at] = { ...sheet().rowProperties[at], hiddenByUser: true };
    },
    protect(startRowIndex, startColumnIndex, endRowIndex, endColumnIndex) {
      const range = { sheetId, startRowIndex, endRowIndex, startColumnIndex, endColumnIndex };
      sheet().objects.protectedRanges.push({
        protectedRangeId: newId(),
        range,
        requestingUserCanEdit: false,
      });
    },
    merge: (startRow, startColumn, endRow, endColumn) =>
      mergeCells({ sheet: sheet(), startRow, startColumn, endRow, endColumn }),
  };
}
