import type { AlertStore } from './alerts.ts';
import type { PushedResource, ResourceName } from '../../contract/index.ts';
import type { Fields } from '../tables/cell.ts';
import type { ExitCode } from '../error.ts';
import type { Memory } from './memory.ts';
import type { OutcomeCounts } from '../outcome.ts';
import type { KnownRecord, RunRows } from './run-rows.ts';
import type { Words } from '../said.ts';
import type { Spelling } from './spelling.ts';

/** One service account; snapshots, facts and intents never cross it. */
export interface ServiceAccount {
  readonly baseUrl: string;
  readonly accountId: string;
}

/** One mapping of a run, as its report shows it. */
export interface PushSummary extends OutcomeCounts {
  readonly name: string;
  readonly resource: PushedResource;
  readonly direction: 'push';
  readonly deactivated: number;
  /** The leagues of the account that it ran for at once, where the folder has several and it says the same in them. */
  readonly leagues?: readonly string[];
  /** Of the deferred rows, those that the next push reads again and `resume` does not send; left out when there are none. */
  readonly stale?: number;
  /** Relative to the configuration's folder; null when nothing was read. */
  readonly results: string | null;
}

export interface PullSummary {
  readonly name: string;
  readonly resource: ResourceName;
  readonly direction: 'pull';
  /** Records of the service, such as line-ups. */
  readonly records: number;
  readonly destination: string;
  /** Rows of the report that they make, such as line-up entries. */
  readonly rows: number;
  /** There may be more records: a limit cut them. */
  readonly limited?: boolean;
  /**
   * Records that are known to be there and that the report lacks, where their number is known: what was named and cannot be had; with an error, what the list
   * did not show.
   */
  readonly left_out?: number;
  /** Numbers of game weeks that it should have and of which nothing is remembered. */
  readonly missing_weeks?: readonly number[];
  /** The days on which its ranks were read, where there are several: they may not fit together. */
  readonly read_on?: readonly string[];
  /** It is written, and has only what was read before it stopped. */
  readonly partial?: true;
  /** Why it stopped; absent when it is whole. */
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly exit_code: ExitCode;
    /** What to do, or the next command to type. */
    readonly next?: string;
  };
}
export type MappingSummary = PushSummary | PullSummary;

export interface RequestCounts {
  readonly planned: number;
  readonly sent: number;
  readonly reads: number;
  readonly writes: number;
  readonly throttled: number;
  readonly waited_ms: number;
}

export const NO_REQUESTS: RequestCounts = {
  planned: 0,
  sent: 0,
  reads: 0,
  writes: 0,
  throttled: 0,
  waited_ms: 0,
};

/** A run as history keeps it. */
export interface Run {
  readonly id: string;
  readonly command: string;
  readonly account: ServiceAccount;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  readonly exitCode: number | null;
  /** `planning` until every row is compared, then `writing`, then `ended`. Only an ended run with nothing deferred or unknown is finished. */
  readonly phase: 'planning' | 'writing' | 'ended';
  readonly finished: boolean;
  /** The mappings of the run, whole, so that it can be resumed without the files: JSON of the parsed mappings. */
  readonly mappings: string;
  readonly summaries: readonly MappingSummary[];
  readonly requests: RequestCounts | null;
  /** Rows of its sources, once it may write: with fewer of them kept, they are lost. */
  readonly rows?: number;
  /** It can never be resumed, because its rows are lost: its writes without an answer hold their keys until they are resolved. */
  readonly rowsLost?: true;
}

/** What may change of a run. */
export type RunChanges = Partial<Omit<Run, 'id' | 'account' | 'startedAtMs'>>;

/** A write that is about to go out, durable before it does. */
export interface Intent {
  readonly id: string;
  readonly runId: string;
  readonly mapping: string;
  readonly resource: PushedResource;
  readonly operation: string;
  readonly rowNumbers: readonly number[];
  readonly keys: readonly string[];
  /** Digest of the body that is sent. */
  readonly bodyDigest: string;
  readonly sentAtMs: number;
  /** What the service showed before the write, as JSON, where reading back needs it. */
  readonly evidence?: string;
  /** The fields of its rows, of resources that no list shows, so that it can be reconciled when its rows are lost. They name nobody. */
  readonly fields?: readonly Fields[];
}

/** What came of an intent. `ambiguous` stays open until it is reconciled. */
export type IntentResult = 'applied' | 'refused' | 'not_applied' | 'ambiguous';

/** What came of an intent, and what the service is known to hold since. */
export interface Recorded {
  readonly intentId: string;
  readonly result: IntentResult;
  readonly detail: Words;
  readonly confirmed: readonly KnownRecord[];
}

export interface StoredIntent extends Intent {
  /** Null: the process ended before an answer was recorded. */
  readonly result: IntentResult | null;
  readonly detail: Words;
  /** The process that recorded it lost its lock without a word. */
  readonly silent?: {
    readonly holder: string;
    /** Since when that process is known to send nothing more; null while it may only be asleep. */
    readonly goneAtMs: number | null;
  };
}

/** Something that was learnt about the service of an account, and when it was last set. */
export interface Fact {
  readonly name: string;
  readonly value: string;
  readonly atMs: number;
}

/** A key, and the digests of fields that its record should have. */
export type WantedDigests = Pick<KnownRecord, 'key' | 'digests'>;

/** Rows and files of a run that is not recorded. */
export interface StrayRun {
  readonly id: string;
  /** When anything of it last changed. */
  readonly changedAtMs: number;
}

/** A mapping whose rows are compared with what is confirmed of a resource. */
export interface ComparedMapping {
  readonly account: ServiceAccount;
  readonly resource: ResourceName;
  readonly mapping: string;
}

/**
 * What comparisons of sources came to, the last one of each mapping. Whatever changes what is confirmed of their resource drops them with their rows, in the same
 * transaction: those that are there say what a comparison would find now.
 */
export interface Comparisons {
  /** Begins one, in the place of the last. It sees all that is confirmed by now, and is dropped by what comes after it. */
  begin(compared: ComparedMapping, id: string): Promise<void>;
  /** Keeps what it came to, unless it was dropped or another one was begun. */
  keep(compared: ComparedMapping, id: string, document: string): Promise<void>;
  /** What the last one came to; undefined where none was kept, or where it is not as it was written. */
  last(compared: ComparedMapping): Promise<string | undefined>;
  /** Keeps a part of the rows that the comparison of the id finds, counted from 0, unless it was dropped or another one was begun. */
  addRows(id: string, part: number, rows: Uint8Array): Promise<void>;
  /** A part of the rows that a comparison found; undefined behind the last one, and once it was dropped or another one was begun. */
  rows(id: string, part: number): Promise<Uint8Array | undefined>;
}

/** What was confirmed last of the records of accounts. */
export interface Snapshots {
  /** The last confirmed records by the keys that are asked for, in any spelling that is the same for the service. */
  snapshots(
    account: ServiceAccount,
    resource: ResourceName,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, KnownRecord>>;
  /** The last confirmed records whose keys are one of these and blanks behind it, as a service shows texts that it keeps at one length. */
  paddedSnapshots(
    account: ServiceAccount,
    resource: ResourceName,
    keys: readonly string[],
  ): Promise<readonly KnownRecord[]>;
  /**
   * Of some keys in their order, the id of the record that was surely confirmed with all these digests of fields (null where it has none); undefined where
   * `snapshots` tells what is known.
   */
  confirmedWith(
    account: ServiceAccount,
    resource: ResourceName,
    wanted: readonly WantedDigests[],
  ): Promise<readonly (KnownRecord['id'] | undefined)[]>;
  /** All confirmed records of a resource, or those that were confirmed since a time, in pages. */
  allSnapshots(
    account: ServiceAccount,
    resource: ResourceName,
    sinceMs?: number,
  ): AsyncIterable<readonly KnownRecord[]>;
  countSnapshots(account: ServiceAccount, resource: ResourceName): Promise<number>;
  /** `isListed`: a list shows the records. A power cut may take the last of what lists showed, because they can be read again. */
  confirm(
    account: ServiceAccount,
    resource: ResourceName,
    records: readonly KnownRecord[],
    isListed?: boolean,
  ): Promise<void>;
  /** Drops what a full list no longer shows: everything of the resource confirmed before `listedAtMs`. */
  forgetOlder(account: ServiceAccount, resource: ResourceName, listedAtMs: number): Promise<void>;

  /** Remembers how the service spells the keys of a resource; what is confirmed, before and from now on, is found by any spelling of its key. */
  respell(account: ServiceAccount, resource: ResourceName, spelling: Spelling): Promise<void>;
}

/** What else is known of accounts, by name. */
export interface Facts {
  fact(account: ServiceAccount, name: string): Promise<Omit<Fact, 'name'> | undefined>;
  setFact(account: ServiceAccount, name: string, value: string): Promise<void>;
  /** All facts of the account, by name. */
  facts(account: ServiceAccount): Promise<readonly Fact[]>;
  setFacts(account: ServiceAccount, facts: readonly Pick<Fact, 'name' | 'value'>[]): Promise<void>;
}

/** The durable state of one configuration, whatever keeps it. Every method is one durable transaction. */
export interface Store extends Snapshots, Facts {
  addRun(run: Run): Promise<void>;
  updateRun(id: string, changes: RunChanges): Promise<void>;
  run(id: string): Promise<Run | undefined>;
  /** Newest first. */
  runs(limit: number): Promise<readonly Run[]>;
  newestUnfinishedRun(account: ServiceAccount): Promise<Run | undefined>;
  /** The runs of the account that ended with rows in conflict, oldest first. */
  runsInConflict(account: ServiceAccount): Promise<readonly Run[]>;
  /** Pulls and readings of game weeks: they have no rows, no files and no intents. */
  addPull(pull: Run): Promise<void>;
  updatePull(id: string, changes: RunChanges): Promise<void>;
  /** Newest first. */
  pulls(limit: number): Promise<readonly Run[]>;
  /** Creates or opens the rows of a run, again where they are damaged; without an id they are kept in a temporary place and `remove` deletes them. */
  openRunRows(runId: string | null): Promise<RunRows>;
  /** The rows that are there of a run; undefined when none are, or they are damaged. */
  keptRunRows(runId: string): Promise<RunRows | undefined>;
  /** Forgets runs with their writes, and pulls, and deletes their rows and files; a run with a write that is still open is an error. */
  removeRuns(ids: readonly string[]): Promise<void>;
  /** What is there of runs that were never recorded, because their process ended while it read the tables. */
  strayRuns(): Promise<readonly StrayRun[]>;

  /** `recorded`: what came of earlier ones, in the same transaction as the new one and with the errors of {@link recordResult}. */
  addIntent(account: ServiceAccount, intent: Intent, recorded?: readonly Recorded[]): Promise<void>;
  /**
   * Records what came of an intent and, in the same transaction, what the service is now known to hold. Errors: InternalError `state.no_intent` where none of the
   * account has the id, or it is closed.
   */
  recordResult(
    account: ServiceAccount,
    intentId: string,
    result: IntentResult,
    detail: Words,
    confirmed: readonly KnownRecord[],
  ): Promise<void>;
  intents(runId: string): Promise<readonly StoredIntent[]>;
  /** Intents of the account whose id begins so, at most `limit`. */
  findIntents(account: ServiceAccount, prefix: string, limit: number): Promise<readonly StoredIntent[]>;
  /** Intents of any run of the account that were recorded after another one, oldest first, by the order of the state: clocks are set. */
  intentsAfter(account: ServiceAccount, id: string): Promise<readonly StoredIntent[]>;
  /** Intents of any run of the account that are still null or ambiguous. */
  openIntents(account: ServiceAccount): Promise<readonly StoredIntent[]>;

  /** The accounts of an address that this state knows. */
  accounts(baseUrl: string): Promise<readonly ServiceAccount[]>;
  /** The origin that a key was used with, by the key's digest; undefined the first time. */
  keyOrigin(keyDigest: string): Promise<string | undefined>;
  setKeyOrigin(keyDigest: string, origin: string): Promise<void>;
  readonly comparisons: Comparisons;
  /** What was read of the game weeks of each league. */
  readonly memory: Memory;
  /** The states of mappings that run by themselves, and the alerts on their way. */
  readonly alerts: AlertStore;
  close(): Promise<void>;
}

/** One writer per service account, on a machine or over all that share a state; held until released, lost, or the process ends. */
export interface Lock {
  /** Errors: StoppedError `lock.held` naming the owner. */
  acquire(account: ServiceAccount, owner: string): Promise<HeldLock>;
}

/** Looks whether somebody has a lock, and keeps nobody from it. */
export interface LockLook {
  /** Errors: StoppedError `lock.held` naming the owner. */
  refuseHeld(account: ServiceAccount): Promise<void>;
}

/** A lock that this process has. */
export interface HeldLock {
  /** Resolves where a write may be sent at once. Errors: StoppedError `lock.lost`; those of the state. */
  check(): Promise<void>;
  /** Aborted once it is lost: nobody waits for a write that is under way. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}
