import type { PullMapping } from '../mapping/mapping.ts';
import type { ExitCode } from '../model/error.ts';
import type { RunEvent } from '../model/event.ts';
import type { Clock, Random, Transport } from '../model/ports.ts';
import type { RequestCounts, Run } from '../model/state/store.ts';
import type { PlannedPush, SyncPorts } from '../sync/ports.ts';
import type { PushResult } from '../sync/push.ts';
import type { Assumption, OpenCase } from '../sync/reconcile/open-cases.ts';
import type { Resolution } from '../sync/resolve.ts';
import type { RowIssue, Validation } from '../sync/validate.ts';
import type { Verified, VerifiedMapping } from '../sync/verify.ts';
import type { AskedOptions } from './plan-options.ts';
import type { WeekOptions } from './weeks/week-options.ts';

/** Where a service is and its key; both, or neither where the configuration names them. */
type ServiceOptions =
  | { readonly baseUrl: string; readonly apiKey: string }
  | { readonly baseUrl?: undefined; readonly apiKey?: undefined };

/** What a teamsheet works with. Every part has a default; paths are relative to `folder`. */
export type TeamsheetOptions = ServiceOptions & {
  /**
   * A configuration file, or what would stand in one. When it is left out, `baseUrl` and `apiKey` alone are enough; without them it is
   * `teamsheet.yaml` in `folder` or above, or the environment, as on the command line.
   */
  readonly config?: string | object | undefined;
  /** Which of the environments in the configuration. */
  readonly environment?: string | undefined;
  /** Which of the leagues in the configuration; needed where they are in several accounts. */
  readonly league?: string | undefined;
  /** In place of the working folder: sources, reports, results and the state stand in it. */
  readonly folder?: string | undefined;
  /** The state file, or the address of a PostgreSQL database, in place of the configuration's. */
  readonly state?: string | undefined;
  /** The folder of mapping files; or mappings themselves, each as the text of a mapping file or as what would stand in one. */
  readonly mappings?: string | readonly (string | object)[] | undefined;
  /** Values for `${name}` in mappings. */
  readonly vars?: Readonly<Record<string, string>> | undefined;
  /** In place of `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** In place of the kinds of tables that there are. */
  readonly tables?: Partial<SyncPorts['tables']> | undefined;
  /** In place of HTTP, such as that of a sandbox. */
  readonly transport?: Transport | undefined;
  /** Goes on although NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off. */
  readonly insecure?: boolean | undefined;
  /** Told what happens while a method works. Its answer is not waited for. */
  readonly on?: ((event: RunEvent) => unknown) | undefined;
};

/** What every method that speaks with the service can be told. */
export interface CallOptions {
  /** Stops the method as a signal stops a command: what is sent is awaited, and the rest is left for `resume`. */
  readonly signal?: AbortSignal | undefined;
  /** Send at most this many requests. */
  readonly maxRequests?: number | undefined;
  /** The longest pause for the budget. */
  readonly maxWaitMs?: number | undefined;
  /** The key may go to another address than before. */
  readonly trustOrigin?: boolean | undefined;
}

/** Mappings by their names; without any, all. */
export interface Named {
  readonly mappings?: readonly string[] | undefined;
}

type SourceOptions = Pick<
  AskedOptions,
  'limit' | 'allowEmpty' | 'allowKeyShape' | 'encoding' | 'allowGuards'
>;

/** What a method that writes needs besides: somebody who says yes. */
export interface Writing {
  /** Send nothing that would end after this time; the rest is deferred. */
  readonly finishBy?: Date | undefined;
  /** Called with the plan when something would be written; nothing is sent unless it answers true. */
  readonly approve: (plan: PlanView) => boolean | Promise<boolean>;
}

export type ValidateOptions = Named & SourceOptions & Pick<CallOptions, 'signal' | 'maxWaitMs'>;
export type PlanRequest = Named & AskedOptions & CallOptions & Pick<Partial<Writing>, 'finishBy'>;
export type PushOptions = Named & AskedOptions & CallOptions & Writing;
export type PullOptions = Named &
  CallOptions &
  Pick<AskedOptions, 'limit'> &
  Omit<WeekOptions, 'week'> & {
    /** A report whose read stops is written with what there is, and its summary says so. */
    readonly partial?: boolean | undefined;
  };
export type ResumeOptions = CallOptions &
  Writing &
  Pick<AskedOptions, 'onAmbiguous' | 'allowGuards' | 'adopt' | 'compare'> & {
    /** The id of the run; without it, the newest unfinished one. */
    readonly run?: string | undefined;
  };
export interface ResolveOptions extends CallOptions {
  /** The id of a write or conflict, or how it begins; without it, all. */
  readonly intent?: string | undefined;
  /** Your word where reading back cannot tell. */
  readonly assume?: Assumption | undefined;
  /** Called with what is open; nothing is recorded unless it answers true. Left out: what is open is only listed. */
  readonly approve?: ((cases: readonly OpenCase[]) => boolean | Promise<boolean>) | undefined;
}
export interface VerifyOptions extends CallOptions {
  /** The id of the run; without it, the newest that wrote anything. */
  readonly run?: string | undefined;
}

/** A plan to look at. */
export type PlanView = Omit<PlannedPush, 'rows'>;
/** A plan that is kept until it is disposed of, or the teamsheet is closed. */
export type Plan = PlanView & AsyncDisposable;

/** What checking mappings and the rows of their sources found; kept until it is disposed of, or the teamsheet is closed. */
export interface ValidationResult
  extends Pick<Validation, 'mappings' | 'stops' | 'exitCode'>, AsyncDisposable {
  /** The mappings that pull; they are right. */
  readonly pulls: readonly PullMapping[];
  /** All errors and warnings of rows, in row order. */
  issues(): AsyncIterable<RowIssue>;
}

/** A run that was read back. */
export interface VerifyResult extends Verified {
  readonly run: Run;
  readonly mappings: readonly VerifiedMapping[];
  readonly exitCode: ExitCode;
  readonly requests: RequestCounts;
}

/**
 * The commands of teamsheet as methods; one at a time. What stops a method is a TeamsheetError; what became of rows is a result. The key stands in no
 * result, event or error.
 */
export interface Teamsheet extends AsyncDisposable {
  /** Checks mappings, and every row of the sources of those that push. Asks the service nothing. */
  validate(options?: ValidateOptions): Promise<ValidationResult>;
  /** What a push would do; sends only GET. */
  plan(options?: PlanRequest): Promise<Plan>;
  /** Plans, asks once, writes, and says what became of every row. */
  push(options: PushOptions): Promise<PushResult>;
  /** Fetches records and writes reports. */
  pull(options?: PullOptions): Promise<PushResult>;
  /** Goes on with what an unfinished run left; undefined when there is none. */
  resume(options: ResumeOptions): Promise<PushResult | undefined>;
  /** Resolves what is unknown or in conflict, or only lists it. Sends only GET. */
  resolve(options?: ResolveOptions): Promise<Resolution>;
  /** Reads back what a run wrote; undefined when there is nothing to read. Sends only GET. */
  verify(options?: VerifyOptions): Promise<VerifyResult | undefined>;
  /** Stops what is under way, waits until it has ended, and closes the state. */
  close(): Promise<void>;
}
