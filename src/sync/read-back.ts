import type { QueryOf } from '../contract/index.ts';
import type { PushMapping } from '../mapping/mapping.ts';
import { RefusedError, UnavailableError } from '../model/error.ts';
import type { KnownRecord, RunRow } from '../model/run-rows.ts';
import type { Service } from '../model/service.ts';
import { digestFields } from '../plan/digest.ts';
import { remembered } from '../plan/known-records.ts';
import { listedResources, type ListedResource } from '../plan/listed.ts';
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
 * Looks for rows of a request without a trustworthy answer among what the service lists. Other resources find nothing here, and their rows are held.
 * With `near` only lists that are filtered by what the rows say are read: what is not there is not known to be absent. Undefined when the service cannot
 * be listed.
 */
export async function readBack(
  ports: Pick<SyncPorts, 'service' | 'emit' | 'signal'>,
  mapping: PushMapping,
  rows: readonly RunRow[],
  near = false,
): Promise<ReadonlyMap<string, Confirmation> | undefined> {
  const listed = listedResources[mapping.resource];
  if (listed === undefined) return undefined;
  const wanted = new Set(rows.map((row) => row.key));
  const found = new Map<string, FoundRecord[]>();
  let nameless = 0;
  try {
    for (const filter of near ? filtersOf(mapping, rows) : [{}]) {
      const query = filter as QueryOf<ListedResource['operation']>;
      for await (const page of ports.service.list(listed.operation, query, ports.signal, 'fail')) {
        for (const record of page) {
          const known = listed.known(record);
          if (known === undefined) nameless += 1;
          else if (wanted.has(known.key)) {
            const others = (found.get(known.key) ?? []).filter((other) => other.known.id !== known.id);
            found.set(known.key, [...others, { known, record }]);
          }
        }
      }
    }
  } catch (error) {
    if (!(error instanceof UnavailableError) && !(error instanceof RefusedError)) throw error;
    ports.emit({ kind: 'warning', message: `${mapping.name}: reading back failed: ${error.message}` });
    return undefined;
  }
  // A record that does not say what it is may be one of the rows.
  if (nameless > 0 && !near) return undefined;
  if (mapping.resource === 'users')
    return pushRequests.users?.match(
      rows,
      [...found.values()].flat().map(({ record }) => record),
    );
  return new Map(rows.flatMap((row) => foundRow(row, found.get(row.key ?? '') ?? [], listed)));
}

interface FoundRecord {
  readonly known: KnownRecord;
  readonly record: unknown;
}

/** The lists that hold the records of rows and little else. */
function filtersOf(
  { resource }: PushMapping,
  rows: readonly RunRow[],
): readonly { readonly fantasy_league_id?: number; readonly user_id?: number }[] {
  const filters = rows.map(({ fields }) => ({
    ...(resource === 'users' ? {} : { fantasy_league_id: Number(fields?.fantasy_league_id) }),
    ...(resource === 'squads' ? { user_id: Number(fields?.user_id) } : {}),
  }));
  return [...new Map(filters.map((filter) => [JSON.stringify(filter), filter])).values()];
}

/** What a list says of a row that was sent: the record, with the fields that were sent and that no list shows. */
function foundRow(
  row: RunRow,
  found: readonly FoundRecord[],
  { several }: ListedResource,
): readonly [string, Confirmation][] {
  const [first, second] = found;
  if (first === undefined || row.key === null) return [];
  const { known } = first;
  const record = remembered({
    ...known,
    digests: { ...digestFields(row.fields ?? {}), ...known.digests },
    values: { ...row.fields, ...known.values },
  });
  const ids = found.map((each) => each.known.id).join(' and ');
  const disagrees = second && `the service holds ${found.length} ${several} for "${row.key}": ${ids}`;
  return [[row.key, { id: known.id, record, ...(disagrees !== undefined && { disagrees }) }]];
}
