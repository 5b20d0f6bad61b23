import type { FieldType } from '../contract/field.ts';
import type { Cell } from './cell.ts';
import type { Issue } from './issue.ts';

/** Where rows come from or a report goes, as a mapping names it; paths are absolute by now. */
export type TableLocation =
  | { readonly kind: 'csv'; readonly path: string }
  | { readonly kind: 'xlsx'; readonly path: string; readonly tab: string }
  | { readonly kind: 'sheet'; readonly spreadsheet: string; readonly tab: string };

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
  /** Columns that may hold line breaks are known later; the reader keeps them as they are. */
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

/** A source table opened for reading: the header is read and checked, the rows stream. */
export interface SourceTable {
  readonly origin: string;
  /** Header names, trimmed, unique and none empty unless its column is empty throughout. */
  readonly header: readonly string[];
  /** Warnings about the table as a whole. */
  readonly warnings: readonly Issue[];
  /** The rows in order, in batches of some thousands; to be read once. */
  batches(): AsyncIterable<readonly SourceRow[]>;
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
}

/** A kind of table: CSV files, XLSX workbooks, Google Sheets tabs. */
export interface TableKind {
  readonly kind: TableLocation['kind'];
  /**
   * Opens a source. Errors: ConfigError `source.*` with file, line and column where they are known.
   */
  open(location: TableLocation, options: ReadOptions): Promise<SourceTable>;
  /**
   * Writes all tabs of one file or spreadsheet: the file is the old one or the new one, whole. Answers the rows written per tab, in order.
   * Errors: UnavailableError `destination.*`.
   */
  write(tabs: readonly ReportTab[]): Promise<readonly number[]>;
}
