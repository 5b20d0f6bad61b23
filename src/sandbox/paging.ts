import type { Context } from './context.ts';
import type { Row } from './store.ts';

/** Section 2.14: `page_total` counts the pages, `current` the records on this one, `total` those of the whole list. */
export interface Paging {
  readonly page: number;
  readonly page_total: number;
  readonly per_page: number;
  readonly current: number;
  readonly total: number;
}

/** A list by its SQL: records of `table`, called `as` in the other parts, in the order of the integer column `key`. */
interface Listing {
  readonly table: string;
  readonly as: string;
  readonly key: string;
  /** Columns of the table, named in the code and never by a request, and the values they must have; undefined asks for nothing. */
  readonly filters?: Readonly<Record<string, number | undefined>>;
  readonly select: string;
  /** Joins that find exactly one row for each record. */
  readonly joins?: string;
}

/** One page of a list, empty past the last one. Only the records of the page are joined. */
export function listPage<T>(
  { store, settings }: Context,
  { table, as, key, filters = {}, select, joins = '' }: Listing,
  page: number,
  map: (row: Row) => T,
): { readonly data: T[]; readonly paging: Paging } {
  const given = Object.entries(filters).flatMap(([column, value]) =>
    value === undefined ? [] : [{ column, value }],
  );
  const conditions = given.map(({ column }) => `${column} = ?`).join(' AND ');
  const where = conditions === '' ? '' : `WHERE ${conditions}`;
  const params = given.map(({ value }) => value);
  const perPage = settings.page_size;
  const total = store.count(`SELECT count(*) AS n FROM ${table} ${where}`, ...params);
  const pages = Math.ceil(total / perPage);
  const records = `SELECT * FROM ${table} ${where} ORDER BY ${key} LIMIT ? OFFSET ?`;
  const sql = `SELECT ${select} FROM (${records}) ${as} ${joins} ORDER BY ${as}.${key}`;
  const data = page > pages ? [] : store.all(sql, [...params, perPage, (page - 1) * perPage], map);
  return { data, paging: { page, page_total: pages, per_page: perPage, current: data.length, total } };
}
