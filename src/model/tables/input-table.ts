/** What the cells of a range must hold. */
export type InputRule =
  | { readonly kind: 'list'; readonly values: readonly string[] }
  | { readonly kind: 'whole' | 'number'; readonly min: number | undefined; readonly max: number | undefined }
  | { readonly kind: 'length'; readonly min: number | undefined; readonly max: number | undefined };

/** A rule over some rows of a column, with what is said when a cell breaks it. */
export interface InputCheck {
  /** Counted from 0, as the rows after the header are. */
  readonly column: number;
  readonly firstRow: number;
  /** Undefined: to the end of the tab. */
  readonly lastRow: number | undefined;
  readonly rule: InputRule;
  /** Such as `a whole number of at least 1`. */
  readonly message: string;
}

/** One column of a tab that people fill in. */
export interface InputColumn {
  readonly header: string;
  /** The field of the service that it fills; undefined for the columns of a table of settings. */
  readonly field: string | undefined;
  /** What it holds, its limits and whether it is required: shown beside the header. */
  readonly note: string;
  /** `text` keeps what is typed as it is, zeros in front included. */
  readonly format: 'text' | 'general';
  readonly required: boolean;
  /** In characters. */
  readonly width: number;
  readonly align: 'left' | 'right' | 'center';
  /** Long text that goes over several lines, and is not to be filled in. */
  readonly prose: boolean;
}

/** A column that a push fills in. */
export interface OutcomeColumn {
  readonly header: string;
  readonly note: string;
  /** In characters. */
  readonly width: number;
}

/** A tab that people fill in: its header, what stands in it already, and what its cells may hold. */
export interface InputTable {
  readonly tab: string;
  readonly columns: readonly InputColumn[];
  /** What a push fills in behind them; in a spreadsheet alone. */
  readonly outcomes: readonly OutcomeColumn[];
  /** Rows after the header, `''` for an empty cell. */
  readonly rows: readonly (readonly (string | number)[])[];
  /** How many of the rows are examples, which come first. */
  readonly exampleRows: number;
  /** People add rows; otherwise all rows are there already. */
  readonly grows: boolean;
  readonly checks: readonly InputCheck[];
}

/** A line of the tab that explains the others. */
export interface InputNote {
  readonly kind: 'title' | 'heading' | 'text';
  readonly text: string;
}

/** A workbook or spreadsheet that people fill in. */
export interface InputBook {
  /** The first tab. */
  readonly readMe: { readonly tab: string; readonly lines: readonly InputNote[] };
  readonly tables: readonly InputTable[];
}
