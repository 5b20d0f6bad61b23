import type { SQLOutputValue } from 'node:sqlite';

/** One row of an answer, its columns in the order of the SELECT: arrays cost half the time and memory of objects. */
export type SqlRow = readonly SQLOutputValue[];

/** A stored value that is not what its column promises: the file was damaged or changed by hand. */
export class UnreadableValueError extends Error {}

/** The error for a column whose value cannot be what was written. */
export function unreadable(column: number, cause?: unknown): UnreadableValueError {
  return new UnreadableValueError(`a value in it is not what was written (column ${column + 1})`, {
    cause,
  });
}

/** The text of a column. Errors: UnreadableValueError. */
export function text(row: SqlRow, column: number): string {
  const value = row[column];
  if (typeof value !== 'string') throw unreadable(column);
  return value;
}

/** The text of a column, or null. Errors: UnreadableValueError. */
export function textOrNull(row: SqlRow, column: number): string | null {
  return row[column] === null ? null : text(row, column);
}

/** The integer of a column. Errors: UnreadableValueError. */
export function integer(row: SqlRow, column: number): number {
  const value = row[column];
  if (typeof value !== 'number') throw unreadable(column);
  return value;
}

/** The bytes of a column. Errors: UnreadableValueError. */
export function bytes(row: SqlRow, column: number): Uint8Array {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw unreadable(column);
  return value;
}

/** The parsed JSON of a column, null for a null column; the caller names the type that it wrote. Errors: UnreadableValueError. */
export function json(row: SqlRow, column: number): unknown {
  const value = textOrNull(row, column);
  if (value === null) return null;
  try {
    return JSON.parse(value);
  } catch (cause) {
    throw unreadable(column, cause);
  }
}

/** The parsed JSON of a column that holds an array. Errors: UnreadableValueError. */
export function array(row: SqlRow, column: number): unknown[] {
  const value = json(row, column);
  if (!Array.isArray(value)) throw unreadable(column);
  return value;
}

/** The parsed JSON of the first column, which always holds some. Errors: UnreadableValueError, also where a seal was broken. */
export function written(row: SqlRow): unknown {
  text(row, 0);
  return json(row, 0);
}
