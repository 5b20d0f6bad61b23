import type { PushedResource } from '../../contract/index.ts';
import type { PushOperation } from '../../contract/resource.ts';
import type { FieldValue } from '../../model/tables/cell.ts';
import type { ChangeKind, OutcomeCounts } from '../../model/outcome.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import type { Requests } from '../worst-case.ts';
import type { OnAmbiguous } from '../reconcile/reconciled-rows.ts';

/** What the operator asked for beside the mappings. */
export interface PlanOptions {
  /** Only the first N rows of each mapping. */
  readonly limit: number | undefined;
  readonly allowEmpty: boolean;
  readonly allowKeyShape: boolean;
  /** `--encoding`, which wins over the mapping's. */
  readonly encoding: string | undefined;
  /** `--compare`, which wins over the mapping's. */
  readonly compare: PushMapping['compare'] | undefined;
  /** `--allow-guard NAME`: guards that may be passed this time. */
  readonly allowGuards: readonly string[];
  /** `--adopt`: the operator vouches for what this state does not remember. */
  readonly adopt: boolean;
  /** `--again`: triggers go out although they went out before. */
  readonly again?: boolean;
  /** `--on-ambiguous`; `hold` by default. */
  readonly onAmbiguous?: OnAmbiguous;
  /** By mapping, the moment from which its rows are deferred: the deadline of the game week that the run belongs to; milliseconds since the epoch. */
  readonly deadlines?: Readonly<Record<string, number>>;
  /** By mapping with a game week in the place of a table, the ids of those that the run is for. */
  readonly weeks?: Readonly<Record<string, readonly string[]>>;
  /** A mapping whose optional table is not filled in is left out; nobody named it. */
  readonly skipUnfilled?: boolean;
  /** Only these rows of a mapping, as `retry` wants them; a mapping that is not named is read whole. */
  readonly only?: Readonly<Record<string, RowChoice>>;
}

/** Rows by their keys; those whose key could not be read by their numbers. */
export interface RowChoice {
  readonly keys: readonly string[];
  readonly rowNumbers: readonly number[];
  /** Where the rows of the keys stood when they were refused, in the order of the keys. */
  readonly stoodAt?: readonly number[];
  /** The run that refused each of them, in the order of the keys and then of the row numbers. */
  readonly refusedBy?: readonly string[];
}

/** What a push of one mapping would do. */
export interface MappingPlan {
  readonly mapping: PushMapping;
  readonly resource: PushedResource;
  readonly operation: PushOperation;
  /** The outcomes that would be. */
  readonly outcomes: OutcomeCounts;
  readonly changes: Readonly<Record<ChangeKind, number>>;
  /** The creates and updates that have no outcome yet; a resumed run has written others before. */
  readonly toWrite: Readonly<Record<'create' | 'update', number>>;
  /** Writing requests. */
  readonly writes: number;
  /** Reading requests that the push itself makes. */
  readonly reads: number;
  /** The requests instead, if the service refuses every batch and each row goes alone. */
  readonly worst: Requests;
  /** `compared with 512 users read now` or `with the last confirmed state of 3 h ago`. */
  readonly comparedWith: string;
  /** The rows were compared with what this state remembers, not with what the service said just now. */
  readonly fromMemory: boolean;
  /** Records of the resource's quota that the account counted when the plan was made, where it counts them. */
  readonly used: number | undefined;
  /** Rows that the quota of the account has no room for now; they are among the deferred ones. */
  readonly overQuota: number;
  /** Users that are in no row any more and would be deactivated, and the first of their keys. */
  readonly deactivated: number;
  readonly missing: readonly string[];
}

/** One row of `plan --json`'s changes. */
export interface PlannedChange {
  readonly mapping: string;
  readonly row: number;
  readonly key: string | null;
  readonly kind: 'create' | 'update' | 'unchanged' | 'invalid' | 'excluded' | 'deferred';
  readonly message: string;
  /** The same where the number of the row stands beside it already. */
  readonly beside: string;
  /** Fields whose value is known after another row is written. */
  readonly waits: readonly string[];
  /** Before and after of each field that changes; `before` is null for what was not there or is known only by its digest. */
  readonly fields: Readonly<
    Record<string, { readonly before: FieldValue | null; readonly after: FieldValue | null }>
  >;
}
