import type * as z from 'zod';

/** The five features that the account reports a quota for (section 2.1). */
export const FEATURES = ['fantasy_leagues', 'mini_leagues', 'squads', 'contests', 'users'] as const;
export type Feature = (typeof FEATURES)[number];

/** One operation of the service, as data (section 4 of its interface). */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Below `{base_url}/v1`; holds `{id}` when the operation has a path id. */
  readonly path: string;
  /** The row of the interface's endpoint table, 1 to 21. */
  readonly row: number;
  readonly summary: string;
  /** Schema of `{id}`. */
  readonly pathId?: z.ZodType<string | number>;
  /** The record's own `id` is that of the path. Left out where the interface leaves it open. */
  readonly answersId?: true;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** One record of `data`. */
  readonly record: z.ZodObject;
  /** `data` is an array of records. */
  readonly list?: true;
  /** The answer carries `paging` and takes `page`. */
  readonly paged?: true;
  /** The body field that takes several rows in one request. */
  readonly batch?: string;
  /** The paths of what a push needs of a record: an odd value anywhere else does not keep it from being read there. Left out, it needs all of it. */
  readonly vital?: readonly (readonly string[])[];
  /** The quota that each created record uses. */
  readonly quota?: Feature;
}
