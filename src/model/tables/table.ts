import type { FieldType } from '../../contract/field.ts';
import type { Cell } from './cell.ts';
import type { Issue } from '../issue.ts';
import type { CoverFacts, ReportLayout } from './layout.ts';

/** Where rows come from or a report goes, as a mapping names it; paths are absolute by now. */
export type TableLocation =
  | { readonly kind: 'csv'; readonly path: string }
  | { readonly kind: 'xlsx'; readonly path: string; readonly tab: string }
  | { readonly kind: 'sheet'; readonly spreadsheet: string; readonly tab: string };

/** A game week of a fantasy league, where a trigger has it from: the last one that is over, the one that the service calls current, or the one of a number. */
export interface WeekLocation {
  readonly kind: 'weeks';
  readonly week: 'last' | 'current' | number;
  readonly league: number;
}

/** Where the rows of a mapping that pushes come from. */
export type SourceLocation = TableLocation | WeekLocation;

/** The file of a location; undefined where it is none. */
export const fileOf = (location: SourceLocation): string | undefined =>
  'path' in location ? location.path : undefined;

/** An open file by its number, as shells name the pipes that they make: it is gone once the program has ended. */
export const isOpenFile = (path: string): boolean => /^\/(?:dev|proc\/(?:self|\d+))\/fd\/\d+$/.test(path);

/** How a source table is read. */
export interface ReadOptions {
  /** How people call the source in messages, usually the path as the mapping has it. */
  readonly origin: string;
  /** The 1-based row that holds the header. */
  readonly headerRow: number;
  /** `auto`, or the separator itself. */
  readonly delimiter: string;
  /** `auto` is UTF-8, or UTF-16 by its byte order mark; otherwise a WHATWG encoding label. */
  readonly encoding: string;
  /** The columns that runs write beside the rows, where they do. A column without a header of which they alone stand right is right of the table. */
  readonly written?: readonly string[];
  /** Whether the table is to have a digest, where its kind has digests. */
  readonly isDigested?: boolean;
}

/** The bytes of a source in a few, and how messages call what was found under its name. */
export interface SourceDigest {
  readonly origin: string;
  readonly digest: string;
}

/** One row after the header. Blank rows are not rows. */
export interface SourceRow {
  /** The row that the person sees in the file or sheet; the header is row 1. A quoted cell with line breaks counts its lines. */
  readonly rowNumber: number;
  /** One cell for each header column, in order. */
  readonly cells: readonly Cell[];
  /** What is wrong with the row as a whole, such as a wrong number of cells; `cells` is then as found. */
  readonly issues?: readonly Issue[];
}

/** What is said of a row with more or fewer cells than the table has columns; of a workbook where it is not `separated`. */
export function cellsIssue(columns: number, cells: number, separated = true): Issue {
  const missing = separated ? 'add the missing separators' : 'write each value under its header';
  const over = separated ? 'put a cell that holds the separator in quotation marks' : missing;
  const message = `expected ${columns} cells, got ${cells}; ${cells < columns ? missing : over}`;
  return { code: 'row.cells', severity: 'error', message };
}

/** A source table opened for reading: the header is read and checked, the rows stream. */
export interface SourceTable {
  readonly origin: string;
  /** Header names, trimmed, unique and none empty unless its column is empty throughout. */
  readonly header: readonly string[];
  /** Warnings about the table as a whole. */
  readonly warnings: readonly Issue[];
  /** The IANA time zone of its dates, where the table has one of its own, as a Google spreadsheet does. */
  readonly timezone?: string | undefined;
  /** The rows in order, in batches of some thousands; to be read once. */
  batches(): AsyncIterable<readonly SourceRow[]>;
  /** The digest of all bytes that were read; undefined before the last row, and where none was asked for. */
  digest?(): string | undefined;
  close(): Promise<void>;
}

/** One column of a report. */
export interface ReportColumn {
  readonly header: string;
  readonly type: FieldType;
  /** A number format (`0.0`) or a date format (`yyyy-mm-dd hh:mm`) in spreadsheet notation. */
  readonly format?: string | undefined;
}

/** A report cell: dates are ISO 8601 texts in UTC; null is empty. */
export type ReportValue = string | number | boolean | null;

/** A report ready to be written. */
export interface ReportTable {
  /** The mapping's name, for messages. */
  readonly name: string;
  readonly columns: readonly ReportColumn[];
  /** The rows in order, in batches; to be read once. */
  readonly rows: AsyncIterable<readonly (readonly ReportValue[])[]>;
}

/** How a report is written. */
export interface WriteOptions {
  readonly mode: 'replace' | 'append' | 'merge';
  /** Headers that tell rows apart, for `merge`. */
  readonly key?: readonly string[] | undefined;
  /** Writes a UTF-8 byte order mark, so that Excel reads a CSV file as UTF-8. */
  readonly excel: boolean;
  /** `escape` keeps a spreadsheet from evaluating text; `raw` leaves it as it is, for machines. */
  readonly formulas: 'escape' | 'raw';
  /** The IANA time zone that formatted dates are shown in. */
  readonly timezone: string;
}

/** One tab of a workbook, or the only table of a CSV file. */
export interface ReportTab {
  readonly location: TableLocation;
  readonly table: ReportTable;
  readonly options: WriteOptions;
  /** How it is arranged and looks; spreadsheets only. */
  readonly layout?: ReportLayout | undefined;
  /** What a cover tab says; given with every layout. */
  readonly cover?: CoverFacts | undefined;
}

/** What became of one row of a source, for the person who looks at it there. */
export interface WriteBackRow {
  /** Where the row was read. */
  readonly rowNumber: number;
  /** The row as it was read, cells as the person saw them, in the order of the header that it was read under. */
  readonly cells: readonly string[];
  /** The texts of our columns; an empty text clears the cell, a column that is left out keeps it. */
  readonly values: Readonly<Record<string, string>>;
  /** What is wrong with single cells, by header: shown as notes on them. */
  readonly notes: Readonly<Record<string, string>>;
}

/** What a run writes into the operator's own tab. */
export interface WriteBack {
  readonly options: ReadOptions;
  /** The header that the rows were read under. */
  readonly header: readonly string[];
  /** Our columns by their headers, in order; a missing one is made after the last column. */
  readonly columns: readonly string[];
  /** Headers whose cells tell rows apart. */
  readonly keys: readonly string[];
  /** Headers of the cells that were read: notes on others at the rows are those of another mapping. */
  readonly used: readonly string[];
  readonly rows: readonly WriteBackRow[];
  /** Columns of ours that may be somebody's: where a text stands in one, and none of the words, in whichever row of the tab, nothing is written. */
  readonly doubts?: readonly {
    readonly column: string;
    readonly words: ReadonlySet<string>;
    readonly errorOf: (text: string) => Error;
  }[];
}

/** What a write-back did. */
export interface WriteBackResult {
  /** Rows that were found again and written. */
  readonly written: number;
  /** Rows that are not in the tab any more, by the number that they had. */
  readonly gone: readonly number[];
  /** Headers of columns that were made. */
  readonly made: readonly string[];
  /** Headers of other columns that were written over, because columns moved at that moment, and put back as they were. */
  readonly restored?: readonly string[];
}

/** A kind of table: CSV files, XLSX workbooks, Google Sheets tabs. */
export interface TableKind {
  readonly kind: TableLocation['kind'];
  /** Tells which sources a run is going to open, so that the tabs of one spreadsheet are read in one call. */
  announce?(locations: readonly TableLocation[]): void;
  /**
   * Opens a source. Errors: ConfigError `source.*` with file, line and column where they are known.
   */
  open(location: TableLocation, options: ReadOptions): Promise<SourceTable>;
  /**
   * Writes all tabs of one file or spreadsheet: the file is the old one or the new one, whole. Answers the rows written per tab, in order.
   * Errors: UnavailableError `destination.*`.
   */
  write(tabs: readonly ReportTab[]): Promise<readonly number[]>;
  /** The digest of a source as it is now, without a look at its rows; that of a table which is opened at the same time is the same. Undefined where a kind has none. Errors: those of `open`. */
  digestOf?(location: TableLocation, origin: string): Promise<SourceDigest | undefined>;
  /** How people call the file of a location, once that was read; undefined when only its id is known. */
  titleOf?(location: TableLocation): string | undefined;
  /**
   * Reads a source again for a comparison with what was read before: every cell is the text that the person sees. Only kinds whose tables may be
   * edited while a run goes on have it. Errors: those of `open`.
   */
  reread?(location: TableLocation, options: ReadOptions): Promise<SourceTable>;
  /**
   * Writes what became of rows beside them, in our own columns, and notes on cells that were refused. Rows are found again by their keys, wherever they stand by now.
   * Errors: UnavailableError `destination.*`, AccessError `google.*`.
   */
  writeBack?(location: TableLocation, writeBack: WriteBack): Promise<WriteBackResult>;
}
