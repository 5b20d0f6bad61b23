import { isTextual, shownText, type Cell, type Fields, type KeptCell } from '../model/tables/cell.ts';
import type { Issue } from '../model/issue.ts';
import type { RowLookup } from '../model/state/run-rows.ts';
import type { BoundLookup } from './bind.ts';
import { foldKey } from './key-text.ts';

/** A row of a source, read and checked; or in a `key_value` table all pairs of one league. */
export interface ParsedRow {
  readonly rowNumber: number;
  /** The cells as the person sees them, a line each; more than one line only in a `key_value` table. */
  readonly lines: readonly (readonly KeptCell[])[];
  readonly status: 'valid' | 'invalid' | 'excluded';
  /** The key fields joined with `/`, or null when one of them is not readable. */
  readonly key: string | null;
  /** The key as `foldKey` reduces it. */
  readonly folded: string | null;
  /** What is sent; null unless the row is valid. */
  readonly fields: Fields | null;
  /** By field, the texts that are looked up once the plan is made; the key has them in the place of the values. */
  readonly lookups?: Readonly<Record<string, RowLookup>>;
  /** Errors and warnings. */
  readonly issues: readonly Issue[];
}

/** Whether a row's cells meet the source's `where`. */
export type Included = (cells: readonly Cell[]) => boolean;

/** How the cells of a column are kept that are read as numbers; undefined for those of any other. */
export type NumberKeeper = (index: number) => ((cell: Cell) => KeptCell) | undefined;

/** The cells of a row as they are kept, as many as the header has names. */
export function keptCells(
  cells: readonly Cell[],
  width: number,
  keeperOf: NumberKeeper,
): readonly KeptCell[] {
  const own = cells.length > width ? cells.slice(0, width) : cells;
  return isTextual(own) ? own : own.map((cell, index) => (keeperOf(index) ?? shownText)(cell));
}

/** Whether any of the issues refuses the row. */
export function hasError(issues: readonly Issue[]): boolean {
  return issues.some(({ severity }) => severity === 'error');
}

/** What a row is looked up by; undefined when its mapping looks nothing up. */
export function readLookups(
  bound: readonly BoundLookup[],
  cells: readonly Cell[],
  issues: Issue[],
): ParsedRow['lookups'] {
  if (bound.length === 0) return undefined;
  return Object.fromEntries(
    bound.flatMap(({ field, read }) => {
      const texts = read(cells, issues);
      return texts === undefined ? [] : [[field, { texts }] as const];
    }),
  );
}

/** The fields with the texts of lookups in the place of values that are not known yet. */
function withTexts(fields: Fields, lookups: ParsedRow['lookups']): Fields {
  if (lookups === undefined) return fields;
  const texts = Object.entries(lookups).map(([field, { texts }]) => [field, texts.join(' ')] as const);
  return { ...fields, ...Object.fromEntries(texts) };
}

/** A row whose fields were read: valid unless an issue refuses it. */
export function parsedRow(
  place: Pick<ParsedRow, 'rowNumber' | 'lines'>,
  fields: Fields,
  lookups: ParsedRow['lookups'],
  key: readonly string[],
  issues: readonly Issue[],
): ParsedRow {
  const rowKey = keyOf(withTexts(fields, lookups), key);
  const valid = !hasError(issues);
  return {
    ...place,
    status: valid ? 'valid' : 'invalid',
    key: rowKey,
    folded: rowKey === null ? null : foldKey(rowKey),
    fields: valid ? fields : null,
    ...(lookups === undefined ? {} : { lookups }),
    issues,
  };
}

/** A row of which no field is read. */
export function unreadRow(
  { rowNumber, lines }: Pick<ParsedRow, 'rowNumber' | 'lines'>,
  status: 'invalid' | 'excluded',
  issues: readonly Issue[],
): ParsedRow {
  return { rowNumber, lines, status, key: null, folded: null, fields: null, issues };
}

/** The key of a row from its key fields, or null when one is missing. */
export function keyOf(fields: Fields, key: readonly string[]): string | null {
  const [only] = key;
  if (key.length === 1 && only !== undefined) return fields[only] === undefined ? null : String(fields[only]);
  const parts = key.map((name) => fields[name]);
  return parts.includes(undefined) ? null : parts.map(String).join('/');
}
