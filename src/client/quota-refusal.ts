import type { Endpoint } from '../contract/endpoint.ts';
import { endpoints } from '../contract/index.ts';
import type { Account } from '../contract/resources/account.ts';
import type { HttpRequest, HttpResponse } from '../model/ports.ts';
import { quotaRoom, type QuotaRefusal } from '../model/quota.ts';

/** Ends the repetition of a write that was refused with 429 because a quota has no room for it. */
export class QuotaUsedUp extends Error {
  readonly quota: QuotaRefusal;
  readonly answer: HttpResponse;

  constructor(quota: QuotaRefusal, answer: HttpResponse) {
    super(`the quota of ${quota.feature} has no room for it`);
    this.quota = quota;
    this.answer = answer;
  }
}

/** Records that a body makes. */
function recordsIn({ batch }: Endpoint, body: string): number {
  if (batch === undefined) return 1;
  // The body is the client's own.
  const rows = (JSON.parse(body) as Readonly<Record<string, unknown>>)[batch];
  return Array.isArray(rows) ? rows.length : 1;
}

/** The quota of the account that has no room for what a write makes; undefined where the account does not say so. */
export function quotaAgainst({ operation, body }: HttpRequest, account: Account): QuotaRefusal | undefined {
  if (operation === undefined) return undefined;
  const endpoint: Endpoint = endpoints[operation];
  if (endpoint.quota === undefined) return undefined;
  const room = quotaRoom(account, endpoint.quota);
  return room < recordsIn(endpoint, body ?? '{}') ? { feature: endpoint.quota, room } : undefined;
}

/** Why a write that was refused with 429 would be refused again, by the account as it was read since. */
export function quotaExplains(
  request: HttpRequest,
  account: Account,
  refusal: HttpResponse,
): QuotaUsedUp | undefined {
  const quota = quotaAgainst(request, account);
  return quota && new QuotaUsedUp(quota, refusal);
}
