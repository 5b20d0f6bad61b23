import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import type { Row, Store } from '../store/store.ts';
import type { Settings } from '../switches.ts';

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
  /** Numbers the records from 1 without a gap: none is ever deleted. */
  readonly key: string;
  /** Columns of the table, named in the code and never by a request, and the values they must have; undefined asks for nothing. */
  readonly filters?: Readonly<Record<string, number | undefined>>;
  /** Only records that were made until then. */
  readonly madeUntil?: string | undefined;
  /** Another order than that of the key; `$` stands for the table, `$.key` for its key. */
  readonly order?: string | undefined;
  /** Everything on one page. */
  readonly whole?: boolean;
  readonly select: string;
  /** Joins that find exactly one row for each record. */
  readonly joins?: string;
}

/** One page of a list; what is past the last one is a setting. Only the records of the page are joined. */
export function listPage<T>(
  { store, settings }: Context,
  listing: Listing,
  asked: number,
  map: (row: Row) => T,
): { readonly data: T[]; readonly paging: Paging } {
  const { as, select, joins = '', whole = false } = listing;
  const conditions = conditionsOf(listing);
  const total = countOf(store, listing, conditions);
  const perPage = whole ? Math.max(1, total) : settings.page_size;
  const pages = Math.ceil(total / perPage);
  const page = pageWithin(settings, asked, pages);
  const records = recordsOf(listing, conditions, (page - 1) * perPage);
  const sql = `SELECT ${select} FROM (${records.sql}) ${as} ${joins} ORDER BY ${records.order(as)}`;
  const data = page > pages ? [] : store.all(sql, [...records.params, perPage, records.offset], map);
  return {
    data,
    paging: { page, page_total: pages, per_page: perPage, current: data.length, total },
  };
}

type Conditions = readonly (readonly [sql: string, param: number | string])[];

function conditionsOf({ filters = {}, madeUntil }: Listing): Conditions {
  const equal = Object.entries(filters).flatMap(([column, value]): Conditions =>
    value === undefined ? [] : [[`${column} = ?`, value]],
  );
  return madeUntil === undefined ? equal : [...equal, ['created_at <= ?', madeUntil]];
}

const whereOf = (conditions: Conditions): string =>
  conditions.length === 0 ? '' : `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`;

function countOf(store: Store, { table, key }: Listing, conditions: Conditions): number {
  if (conditions.length === 0) return store.count(`SELECT coalesce(max(${key}), 0) AS n FROM ${table}`);
  const params = conditions.map(([, param]) => param);
  return store.count(`SELECT count(*) AS n FROM ${table} ${whereOf(conditions)}`, ...params);
}

/** The records of a page without their joins. Of a whole list in the order of its key the first one is found by that key, however far on it is. */
function recordsOf({ table, key, order }: Listing, conditions: Conditions, offset: number) {
  const seeks = conditions.length === 0 && order === undefined;
  const all: Conditions = seeks ? [[`${key} > ?`, offset]] : conditions;
  const orderIn = (as: string): string =>
    (order ?? '$.key').replaceAll('$.key', `$.${key}`).replaceAll('$', as);
  return {
    sql: `SELECT * FROM ${table} ${whereOf(all)} ORDER BY ${orderIn(table)} LIMIT ? OFFSET ?`,
    params: all.map(([, param]) => param),
    offset: seeks ? 0 : offset,
    order: orderIn,
  };
}

function pageWithin(settings: Settings, page: number, pages: number): number {
  const last = Math.max(1, pages);
  if (page <= last || settings.past_end === 'empty') return page;
  if (settings.past_end === 'last') return last;
  throw new Refusal(404, `page: ${page} is past the last page, ${last}`);
}

/** The paging object as the settings read section 2.14; undefined where there is none. */
export function spellPaging(paging: Paging, fields: Settings['page_fields']): object | undefined {
  const { page, page_total, current } = paging;
  switch (fields) {
    case 'pages':
      return paging;
    case 'current_page':
      return { ...paging, current: page };
    case 'page_records':
      return { ...paging, page_total: current, current: page };
    case 'total_pages':
      return { ...paging, page_total: current, current: page, total: page_total };
    case 'null_totals':
      return { ...paging, page_total: null, total: null };
    case 'absent':
      return undefined;
  }
}
