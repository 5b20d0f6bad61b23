import type {
  BodyOf,
  OperationId,
  PagedOperationId,
  QueryOf,
  RecordOf,
  endpoints,
} from '../contract/index.ts';
import type { ServiceClock } from './clock.ts';
import type { Paging } from './http/paging.ts';
import type { Answers } from './http/answers.ts';
import type { Faults } from './faults.ts';
import type { Limits } from './http/limits.ts';
import type { Settings } from './switches.ts';
import type { Store } from './store/store.ts';
import type { Views } from './store/views.ts';

/** What every handler works with. */
export interface Context {
  readonly store: Store;
  readonly season: ServiceClock;
  readonly limits: Limits;
  readonly settings: Settings;
  /** The store as old as the settings let a reader see it. */
  readonly views: Views;
  readonly faults: Faults;
  /** What was answered and has not changed. */
  readonly answers: Answers;
}

/** A validated request; `id` is empty where the path has none. */
interface Call<Id extends OperationId> {
  readonly id: string;
  readonly query: QueryOf<Id>;
  readonly body: BodyOf<Id>;
}

type DataOf<Id extends OperationId> = (typeof endpoints)[Id] extends { list: true }
  ? readonly RecordOf<Id>[]
  : RecordOf<Id>;

/** What goes into the envelope beside the status. */
type Answer<Id extends OperationId> = {
  readonly message: string;
  readonly data: DataOf<Id>;
  /** The ids of the records that were written, where `data` does not show them; kept with the effect and not answered. */
  readonly records?: readonly string[];
} & (Id extends PagedOperationId ? { readonly paging: Paging } : { readonly paging?: never });

/** Carries out one operation within one transaction; throws a Refusal for anything but success. */
export type Handler<Id extends OperationId> = (context: Context, call: Call<Id>) => Answer<Id>;
