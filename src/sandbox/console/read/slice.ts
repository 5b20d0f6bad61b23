import { text, type Row, type Store } from '../../store/store.ts';
import { PER_PAGE } from '../visit.ts';

/** A page of a list: its rows, and how many there are on all pages. */
export interface Slice<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

/** Rows of a query on page `page`; `from` is everything after FROM but the order. */
export function slice<T>(
  store: Store,
  query: { readonly select: string; readonly from: string; readonly order: string },
  params: readonly (string | number)[],
  page: number,
  map: (row: Row) => T,
): Slice<T> {
  const { select, from, order } = query;
  const total = store.count(`SELECT count(*) AS n FROM ${from}`, ...params);
  const sql = `SELECT ${select} FROM ${from} ORDER BY ${order} LIMIT ? OFFSET ?`;
  return { rows: store.all(sql, [...params, PER_PAGE, (page - 1) * PER_PAGE], map), total };
}

/** What a text is looked for with LIKE: everywhere in a value, nothing in it a wildcard. */
export const like = (wanted: string): string => `%${wanted.replaceAll(/[\\%_]/g, '\\$&')}%`;

/** First and last name; some players have one alone. */
export function fullName(row: Row): string {
  return `${text(row, 'first_name')} ${text(row, 'last_name')}`.trim();
}
