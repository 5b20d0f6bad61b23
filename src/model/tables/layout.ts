import type { ReportValue } from './table.ts';

/** How one column of a report looks; what is left out follows from the column's type. */
export interface ColumnLook {
  /** In characters of the default font; numbers and dates that need more get more. */
  readonly width?: number | undefined;
  /** A number or date format in spreadsheet notation; it wins over the mapping's. */
  readonly format?: string | undefined;
  readonly align?: 'left' | 'center' | 'right' | undefined;
  /** Long texts go over several lines. */
  readonly wrap?: boolean | undefined;
  /** The column is there, for keys and charts, and nobody sees it until it is shown by hand. */
  readonly hidden?: boolean | undefined;
}

/** Colours are six hexadecimal digits, RRGGBB. */
export type Colour = string;

/** Colours that follow the values of a column. */
export type ColourRule =
  | {
      readonly kind: 'compare';
      readonly column: string;
      readonly operator: '<' | '<=' | '=' | '!=' | '>=' | '>';
      readonly value: number | string | boolean;
      readonly fill: Colour | undefined;
      readonly color: Colour | undefined;
      readonly bold: boolean;
      /** Colours the whole row instead of the cell. */
      readonly row: boolean;
    }
  /** From the least to the greatest value, by way of the middle colour when there are three. */
  | { readonly kind: 'scale'; readonly column: string; readonly colors: readonly Colour[] };

export type Total = 'sum' | 'mean' | 'count' | 'min' | 'max';

/** A chart over the rows of a report, one line, bar or column for each value of `series`. */
export interface ChartSpec {
  readonly title: string;
  readonly type: 'line' | 'column' | 'bar';
  /** Header whose values stand along the axis of categories. */
  readonly x: string;
  /** Header whose numbers are drawn. */
  readonly y: string;
  /** Header whose values are told apart as series; without it there is one series named by `y`. */
  readonly series?: string | undefined;
  /** Header that tells apart what has one name, as squads may: the series, or the categories where there is one series. */
  readonly id?: string | undefined;
  /** The most series, or columns and bars where there is one series: those with the best last `y`. */
  readonly limit: number;
  /** The least `y` stands at the top, as for ranks; the best is then the least. */
  readonly reverse: boolean;
}

/** What a cover says about the rows of a report: the best by a column, or the first. */
export interface HighlightSpec {
  readonly label: string;
  /** Headers whose texts stand side by side. */
  readonly show: readonly string[];
  /** Header whose value stands behind them. */
  readonly value?: string | undefined;
  /** Header by which rows are the best; the least where not `descending`. */
  readonly by?: string | undefined;
  readonly descending: boolean;
  /** Only rows whose number in `by` is greater. */
  readonly above?: number | undefined;
  readonly limit: number;
}

/** A highlight with its lines; none where no row fits. */
export interface Highlight {
  readonly label: string;
  readonly lines: readonly { readonly text: string; readonly value: string | number | null }[];
}

/** How a report is arranged and looks: a file in `templates/reports`, named by a mapping's `layout`. Columns are named by their headers. */
export interface Layout {
  /** Formats by header; the headers named here stand first, in this order. */
  readonly columns: ReadonlyMap<string, ColumnLook>;
  readonly freeze: { readonly rows: number; readonly columns: number };
  readonly filter: boolean;
  readonly sort: readonly { readonly by: string; readonly descending: boolean }[];
  readonly rules: readonly ColourRule[];
  readonly totals: ReadonlyMap<string, Total>;
  readonly charts: readonly ChartSpec[];
  /** The tab that the charts and their numbers stand on. */
  readonly chartTab: string | undefined;
  readonly tabColor: Colour | undefined;
  readonly highlights: readonly HighlightSpec[];
  /** The first tab of the file, about all tabs of it. */
  readonly cover:
    { readonly tab: string; readonly title: string; readonly note?: string | undefined } | undefined;
}

/** The numbers of one chart; null is a gap. Every series has one value for each category. */
export interface ChartData {
  readonly spec: ChartSpec;
  readonly categories: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
}

/** A report's rows in the order of its layout, with what is made of them. */
export interface ArrangedRows {
  readonly rows: readonly (readonly ReportValue[])[];
  /** One cell for each column; undefined when the layout has no totals or the report no rows. */
  readonly totals: readonly ReportValue[] | undefined;
  readonly charts: readonly ChartData[];
  readonly highlights: readonly Highlight[];
}

/** A layout joined to the columns of a report. */
export interface ReportLayout extends Layout {
  /** Sorts, adds up and draws from the whole table: after `append` and `merge`, the rows that were there before too. Pure. */
  arrange(rows: readonly (readonly ReportValue[])[]): ArrangedRows;
}

/** What a cover tab says of the file it stands in. */
export interface CoverFacts {
  /** The service's address, without a key. */
  readonly service: string;
  readonly environment: string;
  /** Milliseconds since the epoch. */
  readonly writtenAtMs: number;
  readonly program: string;
  /** What is known once the rows of the file are read. */
  readonly remarks?: () => CoverRemarks;
}

/** What a reader of the file should know of how its reports were read. */
export interface CoverRemarks {
  /** The reports whose reading stopped, so that they hold a part. */
  readonly partial: readonly string[];
  /** The reports whose ranks were read on several days. */
  readonly readOn: readonly { readonly report: string; readonly days: readonly string[] }[];
}
