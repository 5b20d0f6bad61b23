import type { User } from '../contract/resources/users.ts';
import type { PushMapping } from '../mapping/mapping.ts';
import { RefusedError, UnavailableError } from '../model/error.ts';
import type { RunRow } from '../model/run-rows.ts';
import type { Service } from '../model/service.ts';
import { pushRequests, type Confirmation } from '../plan/requests.ts';
import type { SyncPorts } from './sync.ts';

/** Tells, by the length of the upload log, whether refused price uploads left anything behind. */
export interface Evidence {
  /** Reads the length before the first write. */
  begin(): Promise<void>;
  /** Adds rows that were confirmed as applied. */
  applied(rows: number): void;
  /** True when the length proves that nothing beyond the confirmed rows was applied; false when it moved or was never read. */
  nothingApplied(): Promise<boolean>;
}

/** Watches the length of the upload log of prices. The account's counters are no such evidence: they may lag. */
export function watchLog(service: Service): Evidence {
  const read = async (): Promise<number | undefined> =>
    (await service.get('list-prices', { query: {} })).paging?.total ?? undefined;
  let expected: number | undefined;
  let begun = false;
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
    for await (const page of ports.service.list('list-users', {}, ports.signal, 'fail')) {
      found.push(...page.filter((user) => wanted.has(user.external_id.normalize('NFC'))));
    }
  } catch (error) {
    if (!(error instanceof UnavailableError) && !(error instanceof RefusedError)) throw error;
    ports.emit({ kind: 'warning', message: `${mapping.name}: reading back failed: ${error.message}` });
    return undefined;
  }
  return pushRequests.users?.match(rows, found);
}
