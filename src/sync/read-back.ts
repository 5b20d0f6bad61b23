import type { ResourceName } from '../contract/resource.ts';
import type { User } from '../contract/resources/users.ts';
import type { PushMapping } from '../mapping/mapping.ts';
import { RefusedError, UnavailableError } from '../model/error.ts';
import type { RunRow } from '../model/run-rows.ts';
import type { Service } from '../model/service.ts';
import { quotaUsed } from '../plan/quota.ts';
import { pushRequests, type Confirmation } from '../plan/requests.ts';
import type { SyncPorts } from './sync.ts';

/** Tells, by a count that every applied write moves, whether a refused batch left anything behind. */
export interface Evidence {
  /** Reads the count before the first write, where it is not known yet. */
  begin(): Promise<void>;
  /** Adds rows that were confirmed as applied. */
  applied(rows: number): void;
  /** True when the count proves that nothing beyond the confirmed rows was applied; false when it moved or cannot be read. */
  nothingApplied(): Promise<boolean>;
}

/** Watches the count of a resource: users by the account's `features.users.used`, prices by the length of the upload log. */
export function watchEvidence(
  service: Service,
  resource: ResourceName,
  existing: number | undefined,
): Evidence {
  const read = countReader(service, resource);
  let expected = existing;
  let begun = existing !== undefined;
  return {
    begin: async () => {
      if (begun) return;
      begun = true;
      expected = await read();
    },
    applied: (rows) => {
      if (expected !== undefined) expected += rows;
    },
    nothingApplied: async () => expected !== undefined && (await read()) === expected,
  };
}

function countReader(service: Service, resource: ResourceName): () => Promise<number | undefined> {
  if (resource === 'users') return async () => quotaUsed(await service.account(), 'users');
  if (resource !== 'prices') return () => Promise.resolve(undefined);
  return async () => (await service.get('list-prices', { query: {} })).paging?.total ?? undefined;
}

/**
 * Looks for rows of a request without a trustworthy answer among what the service lists. Only users can be listed by key: other resources find
 * nothing here, and their rows are held. Undefined when the service cannot be listed.
 */
export async function readBack(
  ports: Pick<SyncPorts, 'service' | 'emit' | 'signal'>,
  mapping: PushMapping,
  rows: readonly RunRow[],
): Promise<ReadonlyMap<string, Confirmation> | undefined> {
  if (mapping.resource !== 'users') return undefined;
  const wanted = new Set(rows.map((row) => row.key));
  const found: User[] = [];
  try {
    for await (const page of ports.service.list('list-users', {}, ports.signal)) {
      found.push(...page.filter((user) => wanted.has(user.external_id.normalize('NFC'))));
    }
  } catch (error) {
    if (!(error instanceof UnavailableError) && !(error instanceof RefusedError)) throw error;
    ports.emit({ kind: 'warning', message: `${mapping.name}: reading back failed: ${error.message}` });
    return undefined;
  }
  return pushRequests.users?.match(rows, found);
}
