import type { PushedResource } from '../contract/index.ts';
import type { PushOperation } from '../contract/resource.ts';
import type { Forecast } from '../model/budget.ts';
import type { FieldValue } from '../model/cell.ts';
import type { Emit } from '../model/event.ts';
import type { ExitCode, TeamsheetError } from '../model/error.ts';
import type { ChangeKind, OutcomeCounts } from '../model/outcome.ts';
import type { Clock, Random } from '../model/ports.ts';
import type { ResultFiles } from '../model/results.ts';
import type { KnownRecord, RunRows } from '../model/run-rows.ts';
import type { Said } from '../model/said.ts';
import type { Service } from '../model/service.ts';
import type { Lock, MappingSummary, RequestCounts, ServiceAccount, Store } from '../model/store.ts';
import type { TableKind, TableLocation } from '../model/table.ts';
import type { PushMapping } from '../mapping/mapping.ts';
import type { QuotasLeft } from '../plan/over-quota.ts';
import type { Account } from '../contract/resources/account.ts';
import type { Requests } from '../plan/worst-case.ts';
import type { Check } from './checks.ts';

/** Everything with an effect that the use cases need; the command line makes them real, tests make them small. */
export interface SyncPorts {
  readonly service: Service;
  readonly store: Store;
  readonly lock: Lock;
  readonly results: ResultFiles;
  /** Names the account's address: `base_url` as configured. */
  readonly baseUrl: string;
  /** `push.settle`: how long an unanswered write may still be applied. */
  readonly settleMs: number;
  /** The longest pause that the run makes; without it, every pause is made. */
  readonly maxWaitMs?: number;
  /** `push.concurrency`: the most requests in flight. */
  readonly concurrency: number;
  /** The IANA time zone of times without an offset. */
  readonly timezone: string;
  /** The value of a variable that mappings may use; undefined when it is not set. */
  variable(name: string): string | undefined;
  readonly tables: Readonly<Record<TableLocation['kind'], TableKind>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  /** Told of each check that was passed, so that a gate can stand before the first write. */
  readonly passed?: (...checks: readonly Check[]) => void;
  /** Aborted by the first SIGINT or SIGTERM: no new request is begun. */
  readonly signal: AbortSignal;
}

/** What becomes of a write that nothing is seen of, where that is no proof: it is held as unknown, or taken for not applied and sent again. */
export type OnAmbiguous = 'hold' | 'settle';

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

/** A guard or another reason that stops a push before it writes, with the flag that overrides it. */
export interface Stop {
  readonly mapping: string;
  readonly error: TeamsheetError;
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

/** A complete plan: a push needs nothing else. The rows are kept outside memory. */
export interface PlannedPush {
  readonly account: ServiceAccount;
  readonly rows: RunRows;
  readonly mappings: readonly MappingPlan[];
  /** Why a push would stop with exit 6; empty when it may go on. */
  readonly stops: readonly Stop[];
  readonly requests: RequestCounts;
  readonly forecast: Forecast;
  /** 0, 3 or 6, as `plan` exits. */
  readonly exitCode: ExitCode;
  /** The changes of all mappings in row order. */
  changes(): AsyncIterable<PlannedChange>;
}

/** What `push`, `sync`, `import` and `resume` answer: the JSON of interfaces.md, section 6. */
export interface RunReport {
  readonly run: string | null;
  readonly command: string;
  readonly exit_code: ExitCode;
  readonly mappings: readonly MappingSummary[];
  readonly requests: RequestCounts;
}

/** The account of this run: as the service reported it, and as the state names it. */
export interface OpenAccount {
  readonly record: Account;
  readonly service: ServiceAccount;
}

/** Everything that the writes of one mapping share. */
export interface PushTask {
  readonly ports: SyncPorts;
  readonly runId: string;
  readonly account: ServiceAccount;
  readonly mapping: PushMapping;
  readonly rows: RunRows;
  /** Writing requests that the plan counted, for progress. */
  readonly writes: number;
  /** Records of the resource that the account counted when the run began; undefined where it does not say. */
  readonly used: number | undefined;
  readonly onAmbiguous: OnAmbiguous;
  /** Whether an earlier mapping of the run writes the same resource. */
  readonly isResourceShared: boolean;
  /** What the run has found out about quotas. */
  readonly quotas: QuotasLeft;
}

/** What a mapping's rows are compared with. */
export interface Comparison {
  /** Known records by key. */
  lookup(keys: readonly string[]): Promise<ReadonlyMap<string, readonly KnownRecord[]>>;
  /** Records known in all; 0 before the first push. */
  readonly known: number;
  /** For people: what it was, and how old. */
  readonly described: string;
  /** What this state last saw confirmed, not what the service says now. */
  readonly fromMemory?: true;
  /** Set when a key that is not known may exist all the same, so that its row must wait. */
  readonly unknownKeysWait?: Said;
  /** What the listed records say beside their keys, and these: rows may be theirs. Left out where this state has written to the resource. */
  readonly strangers?: ReadonlyMap<string, string>;
  /** Why the row of a key must wait: a write of it was never answered and cannot be read back. */
  readonly unanswered?: (key: string) => Said | undefined;
  readonly stop?: TeamsheetError;
}

/** What a comparison is found with. */
export type ComparePorts = Pick<
  SyncPorts,
  'service' | 'store' | 'clock' | 'emit' | 'signal' | 'settleMs' | 'maxWaitMs'
>;
