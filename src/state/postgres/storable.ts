import { hash } from 'node:crypto';
import { text, unreadable, type SqlRow } from '../sql-row.ts';

// PostgreSQL keeps no NUL and no half of a surrogate pair, and an index no long text. JSON that was made by JSON.stringify holds none of the first two.

/** Any text as the inside of a JSON string; {@link fromStorable} reads it. */
export const storable = (value: string): string => JSON.stringify(value).slice(1, -1);

/** The same, null stays null. */
export const storableOrNull = (value: string | null): string | null =>
  value === null ? null : storable(value);

/** The text of a column that {@link storable} filled. Errors: UnreadableValueError. */
export function fromStorable(row: SqlRow, column: number): string {
  const stored = text(row, column);
  try {
    return JSON.parse(`"${stored}"`) as string;
  } catch (cause) {
    throw unreadable(column, cause);
  }
}

/** The same, null stays null. */
export const fromStorableOrNull = (row: SqlRow, column: number): string | null =>
  row[column] === null ? null : fromStorable(row, column);

const LONGEST = 500;

/** A text to find a record by, never to be read: of a long one the beginning and a digest. */
export const findable = (value: string): string =>
  value.length <= LONGEST ? storable(value) : `${storable(value.slice(0, LONGEST))} ${hash('sha256', value)}`;
