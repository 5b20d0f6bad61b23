import type { FieldType } from '../contract/field.ts';
import type { PushedResource, ResourceName } from '../contract/index.ts';
import type { PushOperation } from '../contract/resource.ts';
import type { Layout } from '../model/tables/layout.ts';
import type { Timing } from '../model/time/schedule.ts';
import type { SourceLocation, TableLocation } from '../model/tables/table.ts';
import type { TransformName } from './transforms.ts';
import type { WeekChoice } from './week-choice.ts';

/** Where in its file a mapping stands. */
export interface MappingPlace {
  readonly file: string;
  readonly line: number;
}

/** `HEADER = "text"` or `!=`; the conditions of a `where` all hold. */
export interface Condition {
  readonly header: string;
  readonly equals: boolean;
  readonly text: string;
}

/** A table of rows that a mapping reads. */
export interface Source {
  readonly location: TableLocation;
  /** The path or tab as the mapping names it, for messages. */
  readonly origin: string;
  readonly headerRow: number;
  readonly where: readonly Condition[];
  readonly delimiter: string;
  readonly encoding: string;
  readonly locale: 'en' | 'de';
  /** A file that is not there is left out when every mapping runs. */
  readonly optional?: boolean;
  /** The mapping itself names the locale: numbers with thousands separators are then read. */
  readonly localeNamed?: boolean;
  readonly layout:
    | { readonly kind: 'table' }
    | { readonly kind: 'key_value'; readonly keyColumn: string; readonly valueColumn: string };
}

/** Where a mapping has the rows that it pushes from. */
export interface PushSource extends Omit<Source, 'location'> {
  readonly location: SourceLocation;
}

export type CellType = 'text' | 'integer' | 'number' | 'boolean' | 'datetime' | 'uuid';

/** A table beside the source that cells are looked up in. */
export type LookupFile = Pick<
  Source,
  'location' | 'origin' | 'headerRow' | 'delimiter' | 'encoding' | 'optional'
>;

/** Replaces cells by a value of another table. */
export interface Lookup {
  /** A resource of the service, the name of a mapping, or a table. */
  readonly in: string | LookupFile;
  /** The columns (or fields) that the cells stand in, in the order of the cells. */
  readonly match: readonly string[];
  /** In place of `match`: ways to write one cell, each with the columns that stand side by side in it. */
  readonly matchAny?: readonly (readonly string[])[];
  /** The column (or field) whose value is taken. */
  readonly take: string;
  readonly onMiss: 'invalid' | 'skip';
  readonly onAmbiguous: 'invalid' | 'skip';
}

/** How one service field is made from cells (interfaces.md, section 4, "Cells"). */
export interface Column {
  readonly field: string;
  /** Headers in order of preference: the first that exists is used. Empty when `value` or `fromAll` is given. */
  readonly from: readonly string[];
  readonly fromAll: readonly string[];
  readonly value: string | number | boolean | undefined;
  readonly type: CellType;
  readonly required: boolean;
  readonly default: string | undefined;
  readonly blank: 'omit' | 'clear' | 'error';
  readonly transform: readonly TransformName[];
  readonly trueValues: readonly string[];
  readonly falseValues: readonly string[];
  readonly format: string | undefined;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly maxLength: number | undefined;
  readonly scale: number | undefined;
  readonly allowNewlines: boolean;
  readonly split: string | undefined;
  readonly lookup: Lookup | undefined;
}

export interface Guards {
  readonly minRows: number;
  readonly maxChangePct: number;
  readonly maxDeactivate: number;
  /** Absolute, in the price's unit. */
  readonly maxStep: number | undefined;
  readonly maxStepPct: number | undefined;
}

/** Rows to the service. */
export interface PushMapping {
  readonly direction: 'push';
  readonly name: string;
  readonly place: MappingPlace;
  readonly resource: PushedResource;
  readonly operation: PushOperation;
  readonly source: PushSource;
  readonly columns: 'auto' | readonly Column[];
  /** `fantasy_league_id` and other fields that `columns: auto` takes from the variables when the table lacks them. */
  readonly autoValues: Readonly<Record<string, string>>;
  readonly missingRows: 'ignore' | 'deactivate';
  /** The mapping whose users in no row any more are the rows of this one, which stands in no file. */
  readonly missingOf?: string;
  /** The leagues of one account that it runs for at once, where it says the same in several. */
  readonly leagues?: readonly string[];
  readonly writeBack: Readonly<Record<string, string>> | undefined;
  readonly rejectMode: 'skip' | 'fail';
  readonly guards: Guards;
  readonly batchSize: number;
  readonly compare: 'auto' | 'live' | 'snapshot' | 'none';
  /** When it runs by itself; left out: never. */
  readonly timing?: Timing | undefined;
  /** An import made it, so that nobody can write into it: what is wrong with a cell names flags in the place of its keys. */
  readonly ofImport?: true;
}

/** One column of a report: header, path into the record, how it is shown. */
export interface ReportColumnSpec {
  readonly header: string;
  readonly from: string;
  readonly type: FieldType | undefined;
  readonly format: string | undefined;
}

/** Where player ids come from when a `players` report asks for a list. */
export type PlayerIds =
  | { readonly kind: 'ranges'; readonly ranges: readonly { readonly from: number; readonly to: number }[] }
  | { readonly kind: 'column'; readonly source: Source; readonly column: string };

/** Records to a report. */
export interface PullMapping {
  readonly direction: 'pull';
  readonly name: string;
  readonly place: MappingPlace;
  readonly resource: ResourceName;
  /** Checked against the resource's pull target; `id` is always a list here. */
  readonly where: Readonly<Record<string, string | number | readonly (string | number)[]>>;
  /** From the memory of game weeks; undefined: what the service shows now. */
  readonly weeks?: WeekChoice | undefined;
  /** Undefined: those that are known, or those of `where`. */
  readonly ids: PlayerIds | undefined;
  /** Squads: read each squad's detail. */
  readonly detail: boolean;
  /** The array that rows are made of, such as `weekly_stats`. */
  readonly explode: string | undefined;
  readonly destination: {
    readonly location: TableLocation;
    /** The path or tab as the mapping names it. */
    readonly origin: string;
    readonly mode: 'replace' | 'append' | 'merge';
    readonly key: readonly string[];
    readonly excel: boolean;
    readonly formulas: 'escape' | 'raw';
  };
  /** Undefined: every scalar leaf in the interface's order. */
  readonly columns: readonly ReportColumnSpec[] | undefined;
  /** How the report is arranged and looks in a spreadsheet. */
  readonly layout?: Layout | undefined;
  /** When it runs by itself; left out: never. */
  readonly timing?: Timing | undefined;
}

export type Mapping = PushMapping | PullMapping;
