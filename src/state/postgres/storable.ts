import { hash } from 'node:crypto';
import { unreadable, type SqlRow, textOrNull } from '../sql-row.ts';

// PostgreSQL keeps no NUL and no half of a surrogate pair, and an index no long text. JSON that was made by JSON.stringify holds none of the first two.

/** Any text as the inside of a JSON string; {@link fromStorable} reads it. */
export const storable = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The same, null stays null. */
export const storableOrNull = (text: string | null): string | null => (text === null ? null : storable(text));

/** The text of a column that {@link storable} filled, or null. Errors: UnreadableValueError. */
export function fromStorable(row: SqlRow, column: number): string | null {
  const stored = textOrNull(row, column);
  if (stored === null) return null;
  try {
    return JSON.parse(`"${stored}"`) as string;
  } catch (cause) {
    throw unreadable(column, cause);
  }
}

const LONGEST = 500;

/** A text to find a record by, never to be read: of a long one the beginning and a digest. */
export const findable = (text: string): string =>
  text.length <= LONGEST ? storable(text) : `${storable(text.slice(0, LONGEST))} ${hash('sha256', text)}`;
