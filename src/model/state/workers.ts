import type { KnownWindow } from './shared-budget.ts';
import type { ServiceAccount } from './store.ts';

/** What the machines of a state do together; times are milliseconds since 1970. */
export interface Workers {
  /** The workers that were heard of within a day, those that live first. */
  readonly hosts: readonly WorkerHost[];
  readonly leases: readonly Lease[];
  readonly queues: readonly JobQueue[];
  /** What all machines send to each account. */
  readonly budgets: readonly AccountBudget[];
}

export interface WorkerHost {
  readonly name: string;
  readonly machine: string;
  readonly pid: number;
  /** `gone`: it said nothing for a while, and did not end by itself. */
  readonly state: 'alive' | 'ended' | 'gone';
  readonly startedAtMs: number;
  readonly heardAtMs: number;
}

/** Who may write to an account. */
export interface Lease {
  readonly baseUrl: string;
  readonly accountId: string;
  readonly owner: string;
  readonly machine: string;
  readonly sinceMs: number;
  /** Where nobody renews it, somebody else may take it then. */
  readonly untilMs: number;
}

/** The jobs of an account, or those of alerts. */
export interface JobQueue {
  readonly name: string;
  readonly waiting: number;
  readonly active: number;
  /** Within a day. */
  readonly done: number;
  readonly failed: number;
}

/** The requests to an account of all machines together. */
export interface AccountBudget {
  readonly baseUrl: string;
  readonly accountId: string;
  readonly underWay: number;
  /** Under way now, or within the last minute. */
  readonly lastMinute: number;
  /** Processes that wait for room in the windows. */
  readonly waiting: number;
  /** As the account reported them last. */
  readonly windows: readonly KnownWindow[];
}

/** How people tell accounts apart: by their address, and by their ids too where an address has several. */
export function accountNames({ leases, budgets }: Workers): (account: ServiceAccount) => string {
  const idsOf = Map.groupBy([...leases, ...budgets], ({ baseUrl }) => baseUrl);
  return ({ baseUrl, accountId }) => {
    const ids = new Set(idsOf.get(baseUrl)?.map((each) => each.accountId));
    return ids.size > 1 ? `${baseUrl} (account ${accountId})` : baseUrl;
  };
}
