import type { ServiceAccount } from './store.ts';

/** A request of another process, as of the moment of the look; times are milliseconds before it. */
export interface OthersRequest {
  readonly number: number;
  readonly readsAccount: boolean;
  readonly enteredAgoMs: number;
  /** Null while it may be under way. One whose process said nothing is over at its deadline. */
  readonly answeredAgoMs: number | null;
  /** Nobody knows whether the service counted it. */
  readonly doubtful: boolean;
}

/** A window as the account reported it last to any process. */
export interface KnownWindow {
  readonly limit: number;
  readonly lengthMs: number;
}

/** A process that had to wait for the windows. */
export interface Wanting {
  readonly writes: boolean;
  /** Requests that it entered in the time of the visit, readings of the account left out: those get it nothing. */
  readonly taken: number;
}

/** What a process brings along, and what it knows already. */
export interface BudgetVisit {
  /** Who it is, unlike anybody else. */
  readonly process: string;
  /** Requests of others up to this number were seen, but for those that were under way. */
  readonly after: number;
  readonly underWay: readonly number[];
  /** Own requests that are over, and how long ago. */
  readonly over: readonly {
    readonly number: number;
    readonly agoMs: number;
    readonly doubtful: boolean;
  }[];
  /** The time in which requests are counted for fairness. */
  readonly withinMs: number;
  /** Where the process learnt them since. */
  readonly windows?: readonly KnownWindow[];
}

export interface BudgetLook {
  /** By number. */
  readonly others: readonly OthersRequest[];
  /** Others only. */
  readonly wanting: readonly Wanting[];
  /** Own requests within the time of the visit, readings of the account left out. */
  readonly taken: number;
  /** Empty while nobody knows them. */
  readonly windows: readonly KnownWindow[];
}

/** What comes of a visit: a request is entered, this process waits and wants room within a time, or nothing. */
export type BudgetDecision =
  | { readonly kind: 'enter'; readonly readsAccount: boolean; readonly lastsMs: number }
  | { readonly kind: 'wait'; readonly writes: boolean; readonly forMs: number }
  | { readonly kind: 'none' };

/** How long, at least, requests that are over stay to be seen. */
export const BUDGET_KEPT_MS = 600_000;

/**
 * What all processes that share a state send with one account: each request is entered before it goes out, and stays until its deadline where nobody says that it
 * is over.
 */
export interface SharedBudget {
  /** The account that a key was seen to belong to; undefined the first time. */
  accountOf(baseUrl: string, keyDigest: string): Promise<string | undefined>;
  rememberAccount(account: ServiceAccount, keyDigest: string): Promise<void>;
  /** Whether any key was seen to belong to an account. */
  hasKeyOf(account: ServiceAccount): Promise<boolean>;
  /**
   * Carries out what `decide` says of a look since which nobody else was let in: it is asked again where somebody was, and told of what is over once. Answers the number
   * of a request that was entered; all that others entered before it was seen.
   */
  visit(
    account: ServiceAccount,
    visit: BudgetVisit,
    decide: (look: BudgetLook) => BudgetDecision,
  ): Promise<number | undefined>;
  /** Forgets that a process waits. */
  leave(account: ServiceAccount, process: string): Promise<void>;
}
