/** How much of a window or a quota of the account was used, as its record said; null where it did not say. */
export interface Usage {
  readonly name: string;
  readonly used: number | null;
  /** Null or negative: unlimited. */
  readonly most: number | null;
  readonly isBlocked: boolean;
}

/** The last account record of a day. */
export interface AccountReading {
  /** `2026-11-23` in UTC, so that it is the same wherever the state is. */
  readonly day: string;
  readonly atMs: number;
  readonly windows: readonly Usage[];
  readonly quotas: readonly Usage[];
}
