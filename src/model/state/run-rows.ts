import type { PushedResource } from '../../contract/index.ts';
import type { FieldValue, Fields, KeptCell } from '../tables/cell.ts';
import type { ChangeKind, Outcome } from '../outcome.ts';
import type { Words } from '../said.ts';

/** A row of this run whose record a later row refers to. */
export interface RowReference {
  readonly mapping: string;
  readonly resource: PushedResource;
  readonly rowNumber: number;
  readonly key: string;
}

/** A field that is looked up by what a row's cells say. */
export interface RowLookup {
  /** The texts of the cells, in the order of the lookup's `match`. */
  readonly texts: readonly string[];
  /** The row of this run that has to be written before the value is known. */
  readonly after?: RowReference | undefined;
}

/** One row of a run, from reading to its outcome. Kept beside the run and gone when it ends well. */
export interface RunRow {
  readonly rowNumber: number;
  /** The source's lines that make the row, cells as the person sees them: one line, or all lines of a `key_value` table's league. */
  readonly lines: readonly (readonly KeptCell[])[];
  /** The row's key as text; null when the row is invalid before a key is known, or excluded. */
  readonly key: string | null;
  /** The key in the words of the source, where a lookup gave it others since. */
  readonly readKey?: string;
  /** The key folded for look-alikes (case, width, script); rows of equal `folded` and unequal `key` deserve a warning. */
  readonly folded: string | null;
  readonly fields: Fields | null;
  readonly change: ChangeKind;
  /** The fields that an update changes, each with its value until now; null where only its digest is known. */
  readonly before: Readonly<Record<string, FieldValue | null>> | null;
  readonly said: Words;
  /** Null while it is open. */
  readonly outcome: Outcome | null;
  /** The service's id of the record, once known. */
  readonly id: string | null;
  /** By field, what is looked up elsewhere in this run or with the service; `fields` has the values that are known. */
  readonly lookups?: Readonly<Record<string, RowLookup>> | null;
}

/** What may change in a row after it was added. */
export type RunRowPatch = Pick<RunRow, 'rowNumber'> &
  Partial<Pick<RunRow, 'change' | 'before' | 'said' | 'outcome' | 'id' | 'key' | 'fields' | 'lookups'>>;

/** A record that the service (or the last confirmed state) holds, by key. */
export interface KnownRecord {
  readonly key: string;
  /** The key that a list shows for it, where its id alone told that it is the record of `key`. */
  readonly shownAs?: string;
  readonly id: string | null;
  /** A second number of the record, such as a user's `user_id`. */
  readonly number: number | null;
  /** Digest of each known field. */
  readonly digests: Readonly<Record<string, string>>;
  /** Values of known fields, where they may be kept. */
  readonly values: Fields;
  /** The mapping that created or adopted it; once known, it stays until another mapping does. */
  readonly managedBy?: string;
  /** Fields that the answer to a write showed with another value than was sent, as a service does that keeps names in capitals. */
  readonly keptOtherwise?: Readonly<Record<string, KeptOtherwise>>;
}

/** The digests of what was sent and of what the answer showed, and how many writes in a row were answered so. */
export interface KeptOtherwise {
  readonly sent: string;
  readonly shown: string;
  readonly times: number;
}

export interface RowQuery {
  readonly change?: ChangeKind;
  /** Rows with a part of what was read of them alone, where it is all that is looked at: the source's lines, or the key and the fields. */
  readonly only?: 'lines' | 'fields';
  /** Only rows of which something is said. */
  readonly told?: boolean;
  /** Only rows without an outcome. */
  readonly open?: boolean;
  /** Only rows that ended in one of these. */
  readonly outcomes?: readonly Outcome[];
  readonly afterRow: number;
  readonly limit: number;
}

/** Rows of one key that stand more than once in the source. */
export interface DuplicateGroup {
  readonly key: string;
  readonly rows: readonly Pick<RunRow, 'rowNumber' | 'fields' | 'lookups'>[];
}

/** A row whose key looks like that of an earlier row, and is another one. */
export interface LookAlike {
  readonly rowNumber: number;
  readonly otherRow: number;
  readonly otherKey: string;
}

/** The rows of one run, mapping by mapping; every method is one transaction. Holds any number of rows outside memory. */
export interface RunRows {
  add(mapping: string, rows: readonly RunRow[]): Promise<void>;
  patch(mapping: string, patches: readonly RunRowPatch[]): Promise<void>;
  /** Rows in row order. */
  page(mapping: string, query: RowQuery): Promise<readonly RunRow[]>;
  rows(mapping: string, rowNumbers: readonly number[]): Promise<readonly RunRow[]>;
  /** Makes every open row of the mapping `deferred` (only those of `change`, if given). */
  deferOpen(mapping: string, said: Words, change?: ChangeKind): Promise<void>;
  /** Makes the deferred rows open again. */
  reopenDeferred(mapping: string): Promise<void>;
  /** Makes open creates and updates `pending`, and rows that another mapping was to write, to be compared again; a row that was created and waits for its change (it has an id) stays as it is. Known records are forgotten. */
  restart(mapping: string): Promise<void>;
  countOutcomes(mapping: string): Promise<ReadonlyMap<Outcome | 'open', number>>;
  /** `open`: only rows without an outcome. */
  countChanges(mapping: string, open?: boolean): Promise<ReadonlyMap<ChangeKind, number>>;
  /** Groups of valid rows with the same key, in order of their first row, in pages. */
  duplicates(mapping: string): AsyncIterable<DuplicateGroup>;
  /** Pairs of rows whose keys differ but fold to the same text: the later row and the earlier one. */
  lookAlikes(mapping: string): AsyncIterable<LookAlike>;
  /** Adds known records for comparison; a key that comes with two ids is kept twice. */
  addKnown(mapping: string, records: readonly KnownRecord[]): Promise<void>;
  /** Known records by key; more than one for a key is a conflict. */
  known(mapping: string, keys: readonly string[]): Promise<ReadonlyMap<string, readonly KnownRecord[]>>;
  countKnown(mapping: string): Promise<number>;
  /** Sources (as named in results) and headers of each mapping, so that a resumed run can write its results. */
  setHeader(mapping: string, header: readonly string[]): Promise<void>;
  header(mapping: string): Promise<readonly string[]>;
  /** The mappings that have rows or a header, in the order in which they came. */
  mappings(): Promise<readonly string[]>;
  /** Resolves once all that was written so far outlasts a power cut. What is written later may be lost again, the last of it first. */
  sync(): Promise<void>;
  close(): Promise<void>;
  /**
   * Ends the rows of a run with nothing left to do: what was written (key, fields, id) and the keys of what was refused stay for `verify` and `retry`,
   * without the source's lines, and of what is invalid also which columns are wrong; the rest is deleted. Closes them.
   */
  keepWritten(): Promise<void>;
  /** Closes and deletes the rows. */
  remove(): Promise<void>;
}
