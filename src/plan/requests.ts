import type { BodyOf, endpoints, OperationId } from '../contract/index.ts';
import type { Fields } from '../model/tables/cell.ts';
import type { KnownRecord, RunRow } from '../model/state/run-rows.ts';
import type { Said, Words } from '../model/said.ts';
import type { CallInput } from '../model/service.ts';
import { known, numberOf, remembered } from './known-records.ts';

/** What an answer says of one row that was sent. */
export interface Confirmation {
  readonly id: string | null;
  /** What the service now has, for the next comparison. */
  readonly record: KnownRecord;
  /** Why the answer does not agree with what was sent; such a row is a conflict. */
  readonly disagrees?: Said;
  /** There are several records under the key, and this is the row's own where its id is known. */
  readonly isOneOfSeveral?: true;
  /** The text of the key as the service keeps it, where that is another spelling. */
  readonly keptAs?: string;
  /** What the answer says beside that, for the person. */
  readonly note?: Said;
}

/** The operations that rows go out with, changes of users apart. */
export type CreateOperation = {
  [Id in OperationId]: (typeof endpoints)[Id]['method'] extends 'POST' ? Id : never;
}[OperationId];

/** The operations that change one record. */
export type ChangeOperation = {
  [Id in OperationId]: (typeof endpoints)[Id]['method'] extends 'PATCH' ? Id : never;
}[OperationId];

/** How a record of a resource is changed by a request of its own. */
export interface ChangeRequest {
  readonly operation: ChangeOperation;
  /** What is sent for the record with this id: the fields of a row that change. */
  readonly input: (row: RunRow, id: string) => CallInput<ChangeOperation>;
}

/** How rows of one resource become requests, and how answers are matched to them: by key, never by position. */
export interface PushRequests {
  readonly operation: CreateOperation;
  /** Left out where updates go the same way as creates. */
  readonly change?: ChangeRequest;
  /** Several requests may be under way at once, because the key of each row stands in the answer. */
  readonly parallel: boolean;
  /** Rows of different groups cannot share a request. */
  groupOf(row: RunRow): string;
  body(rows: readonly RunRow[]): BodyOf<CreateOperation>;
  /** Confirmations by row key; a row without one was not answered for. */
  match(rows: readonly RunRow[], records: readonly unknown[]): ReadonlyMap<string, Confirmation>;
}

/** The fields of a row; none where it has none. */
export const fieldsOf = (row: RunRow): Fields => row.fields ?? {};

/** The row itself is what was confirmed; nothing of a row without a key. */
export const confirmSent = (row: RunRow, id: string | null): [string, Confirmation][] =>
  row.key === null
    ? []
    : [[row.key, { id, record: remembered(known(row.key, id, numberOf(id), fieldsOf(row))) }]];

/** A new user cannot be created inactive: such a row is a create and then a change. */
export function needsChangeAfterCreate(row: Pick<RunRow, 'fields'>): boolean {
  return row.fields?.is_active === false;
}

/** Why a row was not sent or not taken; of one that was created, only its flag was not. */
export const unsetWords = ({ change, id }: Pick<RunRow, 'change' | 'id'>, reason: Words): Words =>
  change === 'create' && id !== null ? [{ code: 'flag-not-set', reason }] : reason;

/** Whether a created record still has another flag than its row wants; one that the answer does not show is taken for active. */
export function changeFollowsCreate({ fields }: Pick<RunRow, 'fields'>, { values }: KnownRecord): boolean {
  const wanted = fields?.is_active;
  return wanted !== undefined && (values.is_active ?? true) !== wanted;
}
