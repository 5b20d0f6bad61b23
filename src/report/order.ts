import type { ReportValue } from '../model/tables/table.ts';

/** English collation is that of Unicode itself: accents and capitals stand beside their letters, and 9 before 10 within texts. */
const COLLATOR = new Intl.Collator('en', { numeric: true });

/**
 * The order of two cells of a column, below 0 when the first comes first: numbers by value, then truth values, then texts (dates are texts in
 * ISO 8601) as people sort them. Empty cells are last, `descending` or not.
 */
export function compareValues(one: ReportValue, other: ReportValue, descending = false): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return (descending ? -1 : 1) * compareFilled(one, other);
}

function compareFilled(one: NonNullable<ReportValue>, other: NonNullable<ReportValue>): number {
  const kinds = kindOf(one) - kindOf(other);
  if (kinds !== 0) return kinds;
  if (typeof one !== 'string' || typeof other !== 'string') return Number(one) - Number(other);
  return COLLATOR.compare(one, other) || (one < other ? -1 : Number(one > other));
}

const kindOf = (value: NonNullable<ReportValue>): number =>
  ['number', 'boolean', 'string'].indexOf(typeof value);
