import type { Account } from '../../contract/resources/account.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import type { StoppedError } from '../../model/error.ts';
import type { KnownRecord, RunRow, RunRows } from '../../model/state/run-rows.ts';
import type { ServiceAccount } from '../../model/state/store.ts';
import type { OpenWeek } from '../../plan/guards.ts';
import type { Confirmation } from '../../plan/requests.ts';
import type { ListedResource } from '../../plan/resources/resource-plan.ts';
import type { EvidenceSource } from '../evidence/pre-image.ts';
import type { Comparison, ReadTask, SyncPorts } from '../ports.ts';
import type { PlanOptions } from '../../plan/saved/push-plan.ts';
import type { OpenWrite, Seen } from '../../plan/reconcile/seen.ts';

/** What the service has of one row that was written. */
export type Actual =
  | { readonly kind: 'record'; readonly record: KnownRecord }
  | { readonly kind: 'missing' }
  | { readonly kind: 'several'; readonly ids: readonly string[] }
  /** Nothing that the service answers says it; `unavailable`: because it did not answer as it should. */
  | { readonly kind: 'unreadable'; readonly reason: string; readonly unavailable?: boolean };

/** How the rows of one mapping are read back; only GET. */
export interface ActualReading {
  /** Reading requests, as well as that can be told before. */
  readonly requests: number;
  /** For people: `the list of users`. */
  readonly how: string;
  /** Answers for each row, in order. Errors: those of reading. */
  read(rows: readonly RunRow[]): Promise<readonly Actual[]>;
  close?(): Promise<void>;
}

/** When rows were sent, by this machine's clock, and how many records the log of a row's key had just before. */
export interface Sent {
  readonly atMs: number;
  readonly logCounts: ReadonlyMap<string, number>;
}

/** Looks for the rows of writes in what the service shows. */
export type LookBack = (task: ReadTask, open: readonly OpenWrite[], when: 'now' | 'settled') => Promise<Seen>;

/** What a comparison of rows is asked with. */
export interface ComparisonAsked extends ReadTask {
  readonly rows: RunRows;
  /** The account as the service reported it. */
  readonly record: Account;
  readonly wanted: PushMapping['compare'];
  readonly options: Pick<PlanOptions, 'compare' | 'adopt' | 'again'>;
}

/** What stands in place of a list, where the service lists no records that can be compared. */
interface WithoutList {
  readonly listed?: undefined;
  /** What rows are compared with. Only reads. */
  compare(asked: ComparisonAsked): Promise<Comparison>;
  /** Looks for the rows of writes without an answer. Errors: those of reading, which say nothing of the writes. */
  readonly lookBack: LookBack;
  /** What one request answers for, by the key of a row: a player, a league. */
  unitOf(key: string): string;
  /** How so many rows, with so many units, are read as the service has them now. */
  planActualReading(
    task: ReadTask,
    count: { readonly rows: number; readonly units: number },
    sent: Sent,
  ): ActualReading;
}

/** What the steps of a push may ask of a resource. */
export type PushStrategy = EvidenceSource & {
  /** Reading requests that the evidence for the writes of a mapping costs; itself it costs one for each log. `isGrown`: mappings before it write to the log. */
  evidenceCost(
    ports: Pick<SyncPorts, 'service' | 'signal'>,
    batched: ReadonlyMap<string, number>,
    isGrown?: boolean,
  ): Promise<number>;
  /**
   * Stops where this state is an older copy, which does not know what went out since: what the rows would send may be there already. Records of other writers are
   * no reason to stop, but where only the account counts them: `used`. Only reads, and only where rows are to be sent.
   */
  checkMemory(task: ReadTask, rows: RunRows, used?: number): Promise<StoppedError | undefined>;
  /** The game weeks that rows would have processed although they are not over, or nobody can tell. Only reads. */
  openWeeks(
    ports: Pick<SyncPorts, 'service' | 'signal' | 'timezone'>,
    mapping: PushMapping,
    rows: RunRows,
  ): Promise<readonly OpenWeek[]>;
  /** Keeps what only the answer to a write says. */
  keepAnswer(
    ports: Pick<SyncPorts, 'store'>,
    account: ServiceAccount,
    confirmed: ReadonlyMap<string, Confirmation>,
  ): Promise<void>;
  /** A write leaves no record of its own: what the service answered is all that there is of it. */
  readonly tellsAnswers: boolean;
} & ({ readonly listed: ListedResource } | WithoutList);

/** What most resources have no need of. */
export const PLAIN = {
  evidenceCost: () => Promise.resolve(0),
  checkMemory: () => Promise.resolve(undefined),
  openWeeks: () => Promise.resolve([]),
  keepAnswer: () => Promise.resolve(),
  tellsAnswers: false,
} as const;
