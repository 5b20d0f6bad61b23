import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';

/** One value of a cell as the values operations answer it: a formula's result, a date as its serial number; `''` is empty. */
export type SheetValue = string | number | boolean;

/** How `values` shows cells: typed results, what a person sees, or formulas. */
export type Rendering = 'UNFORMATTED_VALUE' | 'FORMATTED_VALUE' | 'FORMULA';

/** What was asked of Google so far. */
export interface GoogleCounts {
  readonly reads: number;
  readonly writes: number;
  /** Answers that said to slow down, each followed by a pause. */
  readonly throttled: number;
  readonly waitedMs: number;
}

/** The range of an answer and its rows; trailing empty rows and cells are left out, as Google does. */
export interface Values {
  readonly range: string;
  readonly rows: readonly (readonly SheetValue[])[];
}

/**
 * Google Sheets as this program uses it: three calls, each with retries, counted, and with errors in people's words.
 * Errors of each: AccessError `google.*` (401, 403), ConfigError `google.*` (404, 400), UnavailableError `google.*` (429 past the retries, 5xx, network).
 */
export interface SheetsClient {
  /** spreadsheets.get, with cells only where `ranges` are given: time zone, locale, tabs with ids, grids, merges, notes of ours. `fields` is a field mask. */
  spreadsheet(
    spreadsheetId: string,
    fields: string,
    /** Only the tabs of these ranges, and of their cells only those; all tabs when left out. */
    ranges?: readonly string[],
  ): Promise<sheets_v4.Schema$Spreadsheet>;
  /** values.batchGet: the ranges in the order asked, rows first. */
  values(spreadsheetId: string, ranges: readonly string[], rendering: Rendering): Promise<readonly Values[]>;
  /**
   * spreadsheets.batchUpdate: all requests or none. `answer` asks for cells as they stand afterwards, in the same call; Google may leave them out.
   * An answer that was lost is not sent again unless `repeatable` says that doing it twice is the same as once.
   */
  update(
    spreadsheetId: string,
    requests: readonly sheets_v4.Schema$Request[],
    options: {
      readonly repeatable: boolean;
      readonly answer?: { readonly ranges: readonly string[]; readonly fields: string } | undefined;
    },
  ): Promise<sheets_v4.Schema$BatchUpdateSpreadsheetResponse>;
  counts(): GoogleCounts;
  /** Who asks, as a spreadsheet has to be shared with: an e-mail address, where it is known. */
  readonly account: string | undefined;
}

/** Remembers the numeric id of a tab by the name that a mapping has for it, so that a renamed tab is found. */
export interface TabMemory {
  recall(spreadsheetId: string, tab: string): Promise<number | undefined>;
  remember(spreadsheetId: string, tab: string, sheetId: number): Promise<void>;
}

/** What the kind `sheet` needs; made when the first tab is read or written. */
export interface GoogleAccess {
  /** Opens the client once; errors are those of the credentials. */
  client(): Promise<SheetsClient>;
  readonly tabs: TabMemory;
  /** Tells a person something, such as a renamed tab. */
  warn(message: string): void;
}
