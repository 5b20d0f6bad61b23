import type * as z from 'zod';
import { leavesOf, type Leaf } from '../contract/field.ts';

/** What one report row is made of: a record, and the part of it that the row is about where a record makes several rows. */
export interface ReportSubject {
  readonly record: unknown;
  readonly part?: unknown;
}

/** How the records of one resource become report rows. */
export interface Report {
  /** The columns of a mapping that names none, in order (interfaces.md, "Pull columns"). */
  readonly leaves: readonly Leaf[];
  /** Paths that begin with this name and a dot are read from the part, all others from the record. */
  readonly part?: string;
  /** The rows of one record as the service answered it, in order; a record without parts has none. */
  readonly rows: (record: unknown) => readonly ReportSubject[];
}

/** A report of one row a record with the record's scalar leaves as columns. */
export function recordReport(schema: z.ZodObject): Report {
  return { leaves: leavesOf(schema), rows: (record) => [{ record }] };
}

/** The elements of an array field; nothing when the service left it out or sent something else. */
export function elementsOf(record: unknown, ...path: readonly string[]): readonly unknown[] {
  let value = record;
  for (const name of path) value = ownValue(value, name);
  return Array.isArray(value) ? value : [];
}

/** One own property of whatever the service sent; undefined for anything that is not an object or has no such field. */
export function ownValue(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
