import type { BodyOf, OperationId, PagedOperationId, QueryOf, RecordOf } from '../contract/index.ts';
import type { Paging } from '../contract/envelope.ts';
import type { Account } from '../contract/resources/account.ts';
import type { Forecast, RequestStep } from './budget.ts';
import { InternalError } from './error.ts';
import type { QuotaRefusal } from './quota.ts';
import type { RequestCounts } from './state/store.ts';

/** What one call needs beside its operation; each part is checked against the contract before it is sent. */
export interface CallInput<Id extends OperationId> {
  readonly id?: string | number;
  readonly query?: QueryOf<Id>;
  /** Parameters of the query that the interface does not name: a raw call may pass any. */
  readonly otherQuery?: Readonly<Record<string, string | number>>;
  readonly body?: BodyOf<Id>;
  readonly signal?: AbortSignal;
}

/** A record that could not be read: its position in `data` and what is wrong with it. */
export interface RecordIssue {
  readonly index: number;
  readonly message: string;
  /** The record as it came, where its own id and its lists are there: a report may show it. */
  readonly kept?: unknown;
}

export interface Answer<Id extends OperationId> {
  readonly status: number;
  readonly message: string;
  /** One element for a single-record operation. */
  readonly records: readonly RecordOf<Id>[];
  readonly issues: readonly RecordIssue[];
  /** The paging object of a list answer, where it came and could be read. */
  readonly paging?: Paging | undefined;
}

/** What the lists of a success hold beside records, as it came. */
interface Entries {
  readonly entries?: readonly unknown[];
}

/** What is known after one write was sent (push-protocol.md, "Classification"). */
export type WriteResult<Id extends OperationId> =
  | ({ readonly kind: 'applied' } & Answer<Id> & Entries)
  /** A whole, trustworthy answer says no; a 429 after all waiting, or after the first wait where a `quota` explains it. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly message: string;
      readonly quota?: QuotaRefusal;
    }
  /** It may or may not have been applied; `status` is that of an answer that came and could not be trusted, and `isConflict` says that it is a 409, which no envelope contradicts. */
  | ({
      readonly kind: 'ambiguous';
      readonly reason: string;
      readonly status?: number;
      readonly isConflict?: true;
    } & Entries)
  /** It never reached the service, after all retries. */
  | { readonly kind: 'not_applied'; readonly reason: string };

/**
 * What becomes of a record that is not of the documented shape. `keep`: it is handed on as it came, where its id and its lists are there; one without an id, two
 * records of one id or paging that cannot be read make the list unstable. `fail`: the list fails at its end and so proves nothing absent; a record of which only
 * values that no push needs are odd is handed on without them.
 */
export type OnUnreadable = 'keep' | 'fail';

/**
 * How a list is known to be whole: every page stated the number of records that came; nothing that was stated speaks against it; or only one page came, again
 * and again, so that there may be more.
 */
export type Wholeness = 'stated' | 'assumed' | 'doubtful';

/** Whether a request was not sent because the interface does not take what it holds, such as an id that the service stated. */
export const isUnsendable = (error: unknown): error is InternalError =>
  error instanceof InternalError && error.code === 'request.invalid';

/**
 * The service as the engine sees it. Every call first waits for the budget; a wait longer than the run may pause is
 * IncompleteError `budget.exhausted` before anything is sent.
 */
export interface Service {
  /**
   * One reading call, repeated while that is safe and sensible.
   * Errors: AccessError `service.access` (401), RefusedError (other whole refusals), UnavailableError `service.*`, `service.record` where the record is of
   * another id than was asked for.
   */
  get<Id extends OperationId>(operation: Id, input?: CallInput<Id>): Promise<Answer<Id>>;
  /** One writing call, sent once; repeated only while it surely was not applied. 401 on a write is AccessError; any other service answer is a value. */
  send<Id extends OperationId>(operation: Id, input: CallInput<Id>): Promise<WriteResult<Id>>;
  /**
   * All pages of a list, to the end whatever the paging fields mean, each record once.
   * A list of up to 20 pages is yielded once the read proved whole, and read again up to 5 times when it does not add up and that may help; a longer one is yielded
   * as it comes, with the error at its end. It ends after twice the pages that its first page and the account speak of, but not before ten.
   * Errors: ListError `list.unstable` when it does not add up: then nothing that was yielded may be passed off as whole; RefusedError.
   */
  list<Id extends PagedOperationId>(
    operation: Id,
    query?: QueryOf<Id>,
    signal?: AbortSignal,
    onUnreadable?: OnUnreadable,
    onEnd?: (wholeness: Wholeness) => void,
  ): AsyncIterable<readonly RecordOf<Id>[]>;
  /** Reads the account and resyncs the budget from it. */
  account(): Promise<Account>;
  /** The earliest time that the service's clock can show now, by the Date headers of its answers; undefined while none had one. */
  timeMs(): number | undefined;
  /** The requests made so far; `planned` is 0, the engine knows it. */
  counts(): RequestCounts;
  /**
   * What these requests cost, step by step, by the budget as it is known now; the arithmetic is the one that the waiting follows. Where they take
   * long, the account is read once more before, to measure.
   * Errors: those of {@link Service.account}.
   */
  forecast(steps: readonly RequestStep[]): Promise<Forecast>;
}
