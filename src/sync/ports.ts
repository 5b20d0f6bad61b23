import type { Forecast } from '../model/budget.ts';
import type { Emit } from '../model/event.ts';
import type { ExitCode, TeamsheetError } from '../model/error.ts';
import type { Clock, Random } from '../model/ports.ts';
import type { ResultFiles } from '../model/results.ts';
import type { KnownRecord, RunRows } from '../model/state/run-rows.ts';
import type { Said } from '../model/said.ts';
import type { Service } from '../model/service.ts';
import type {
  Lock,
  MappingSummary,
  RequestCounts,
  ServiceAccount,
  Store,
  WantedDigests,
} from '../model/state/store.ts';
import type { TableKind, TableLocation } from '../model/tables/table.ts';
import type { PushMapping } from '../mapping/mapping.ts';
import type { Rules } from '../rules/rules.ts';
import type { QuotasLeft } from '../plan/over-quota.ts';
import type { Account } from '../contract/resources/account.ts';
import type { Check } from './checks.ts';
import type { OnAmbiguous } from '../plan/reconcile/reconciled-rows.ts';
import type { MappingPlan, PlannedChange, PlanOptions } from '../plan/saved/push-plan.ts';

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
  /** What reads and compares, such as the version of the program: another one may find other things. Left out, nothing is remembered of comparisons. */
  readonly release?: string;
  /** The IANA time zone of times without an offset. */
  readonly timezone: string;
  /** The value of a variable that mappings may use; undefined when it is not set. */
  variable(name: string): string | undefined;
  readonly tables: Readonly<Record<TableLocation['kind'], TableKind>>;
  /** What rows of squads are checked by, by the name of their mapping; left out, they are not. */
  readonly rulesOf?: (mapping: string) => Rules;
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  /** Told of each check that was passed, so that a gate can stand before the first write. */
  readonly passed?: (...checks: readonly Check[]) => void;
  /** Aborted by the first SIGINT or SIGTERM: no new request is begun. */
  readonly signal: AbortSignal;
}

/** A guard or another reason that stops a push before it writes, with the flag that overrides it. */
export interface Stop {
  readonly mapping: string;
  readonly error: TeamsheetError;
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

/** What the mappings of one push are planned with. */
export interface PlanParts {
  readonly ports: SyncPorts;
  readonly mappings: readonly PushMapping[];
  readonly rows: RunRows;
  readonly account: OpenAccount;
  readonly options: PlanOptions;
}

/** A mapping, and the state of the account that it is of. */
export interface StateTask {
  readonly ports: Pick<SyncPorts, 'store'>;
  readonly account: ServiceAccount;
  readonly mapping: Pick<PushMapping, 'name' | 'resource'>;
}

/** A mapping, and the account that is read for it. */
export interface ReadTask extends StateTask {
  readonly ports: ReadingPorts;
  readonly mapping: PushMapping;
}

/** A mapping, and its rows in a run. */
export interface RowsTask extends StateTask {
  readonly mapping: PushMapping;
  readonly runId: string;
  readonly rows: RunRows;
}

/** Everything that the writes of one mapping share. */
export interface PushTask extends ReadTask, RowsTask {
  readonly ports: SyncPorts;
  /** Writing requests that the plan counted, for progress. */
  readonly writes: number;
  /** Records of the resource that the account counted when the run began; undefined where it does not say. */
  readonly used: number | undefined;
  readonly onAmbiguous: OnAmbiguous;
  /** Nothing is sent from this moment on, in milliseconds since the epoch. */
  readonly deadlineMs?: number | undefined;
  /** Whether an earlier mapping of the run writes the same resource. */
  readonly isResourceShared: boolean;
  /** What the run has found out about quotas. */
  readonly quotas: QuotasLeft;
}

/** What a mapping's rows are compared with. */
export interface Comparison {
  /** Known records by key. */
  lookup(keys: readonly string[]): Promise<ReadonlyMap<string, readonly KnownRecord[]>>;
  /** Of some keys in their order, the id of the one known record that surely has all these digests; left out where only {@link lookup} tells it. */
  readonly knownWith?: (wanted: readonly WantedDigests[]) => ReturnType<Store['confirmedWith']>;
  /** Records known in all; 0 before the first push. */
  readonly known: number;
  /** For people: what it was, and how old. */
  readonly described: string;
  /** What this state last saw confirmed, not what the service says now. */
  readonly fromMemory?: true;
  /** Set when a key that is not known may exist all the same, so that its row must wait. */
  readonly unknownKeysWait?: Said;
  /** What listed records that this state has not written say beside their keys, and these: rows may be theirs. Left out where nothing speaks for it. */
  readonly strangers?: ReadonlyMap<string, string>;
  /** This state has written to the resource: it is an older copy, if anything, and not a new one. */
  readonly isWritten?: true;
  /** Why the row of a key must wait: nobody knows yet what became of an earlier write of it. */
  readonly unanswered?: (key: string) => Said | undefined;
  /** Why nothing may be sent of a key: a write of it may still go out. What is there as a row says does not wait. */
  readonly silent?: (key: string) => Said | undefined;
  /** By key, what earlier mappings of the run are going to create; left out where none of them pushes the resource. */
  readonly planned?: (keys: readonly string[]) => Promise<ReadonlyMap<string, readonly KnownRecord[]>>;
  readonly stop?: TeamsheetError;
}

/** What the service is read with: to compare with it, to look for writes, and to verify. */
export type ReadingPorts = Pick<
  SyncPorts,
  'service' | 'store' | 'clock' | 'emit' | 'signal' | 'settleMs' | 'maxWaitMs'
>;
