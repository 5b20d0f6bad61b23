import { hash } from 'node:crypto';
import type { FieldValue, Fields } from '../model/tables/cell.ts';

/** 128 bits of SHA-256 over the JSON of a value, in hexadecimal: equal values of one field have equal digests. */
export function digestOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'hex').slice(0, 32);
}

/** The digest of each field. */
export function digestFields(fields: Fields): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, FieldValue]) => [name, digestOf(value)]),
  );
}
