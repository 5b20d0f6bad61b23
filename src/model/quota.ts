import type { Feature } from '../contract/endpoint.ts';
import type { Account } from '../contract/resources/account.ts';

/**
 * How many more records of a feature the account may create: Infinity where no limit is reported (a max that is missing, 0 or negative reads
 * as unlimited, because services spell it so), 0 when the feature is blocked.
 */
export function quotaRoom(account: Account, feature: Feature): number {
  const quota = account.config?.features?.[feature];
  if (quota === null || quota === undefined) return Infinity;
  if (quota.is_blocked === true) return 0;
  if (typeof quota.max !== 'number' || quota.max <= 0) return Infinity;
  if (typeof quota.remaining === 'number') return Math.max(0, quota.remaining);
  return typeof quota.used === 'number' ? Math.max(0, quota.max - quota.used) : Infinity;
}

/** A refusal that the account explains: a quota has no room for what was sent, so that no waiting cures it. */
export interface QuotaRefusal {
  readonly feature: Feature;
  /** Records that the quota has room for, as the account said after the refusal; fewer than were sent. */
  readonly room: number;
}

/** Records of the feature that exist, where the account says so. */
export function quotaUsed(account: Account, feature: Feature): number | undefined {
  const used = account.config?.features?.[feature]?.used;
  return typeof used === 'number' && used >= 0 ? used : undefined;
}
