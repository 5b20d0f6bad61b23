import type { BodyOf, OperationId, PagedOperationId, QueryOf, RecordOf } from '../contract/index.ts';
import type { endpoints } from '../contract/index.ts';
import type { SeasonClock } from './clock.ts';
import type { Paging } from './paging.ts';
import type { Limits } from './limits.ts';
import type { Settings } from './settings.ts';
import type { Store } from './store.ts';

/** What every handler works with. */
export interface Context {
  readonly store: Store;
  readonly season: SeasonClock;
  readonly limits: Limits;
  readonly settings: Settings;
}

/** A validated request; `id` is empty where the path has none. */
interface Call<Id extends OperationId> {
  readonly id: string;
  readonly query: QueryOf<Id>;
  readonly body: BodyOf<Id>;
}

type DataOf<Id extends OperationId> = (typeof endpoints)[Id]['list'] extends true
  ? readonly RecordOf<Id>[]
  : RecordOf<Id>;

/** What goes into the envelope beside the status. */
type Answer<Id extends OperationId> = {
  readonly message: string;
  readonly data: DataOf<Id>;
} & (Id extends PagedOperationId ? { readonly paging: Paging } : { readonly paging?: never });

/** Carries out one operation within one transaction; throws a Refusal for anything but success. */
export type Handler<Id extends OperationId> = (context: Context, call: Call<Id>) => Answer<Id>;
