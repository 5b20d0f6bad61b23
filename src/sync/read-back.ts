import type { QueryOf } from '../contract/index.ts';
import type { PushMapping } from '../mapping/mapping.ts';
import { RefusedError, UnavailableError } from '../model/error.ts';
import type { KnownRecord, RunRow } from '../model/run-rows.ts';
import type { Intent, ServiceAccount } from '../model/store.ts';
import { digestFields } from '../plan/digest.ts';
import { remembered } from '../plan/known-records.ts';
import { listedResources, type ListedResource } from '../plan/listed.ts';
import { quotaUsed } from '../model/quota.ts';
import { pushRequests, type Confirmation } from '../plan/requests.ts';
import { countsMore, wasLate } from './evidence.ts';
import { looks } from './read-back-logs.ts';
import type { SyncPorts } from './sync.ts';
import { countKnown, readWhole } from './whole-list.ts';

/** A write without a trustworthy answer, and those of its rows of which it is not known what became of them. */
export interface OpenWrite {
  readonly intent: Intent;
  readonly rows: readonly RunRow[];
}

/** What reading back says of the rows of open writes. */
export interface Seen {
  readonly found: ReadonlyMap<string, Confirmation>;
  /** Of the rows that were not found: they surely do not exist; nothing is seen of them, which proves nothing; or it cannot be told. */
  readonly others: 'absent' | 'unseen' | 'unclear';
  /** What people should know of the rows that were not found. */
  readonly why?: string;
  /** There is more than before, and it is not just what was sent. */
  readonly grew?: boolean;
  /** Pages that all records fill, where they were listed. */
  readonly pages?: number;
}

const NOTHING: Seen = { found: new Map(), others: 'unclear' };

/** What reading back is done with. */
export type ReadBackPorts = Pick<
  SyncPorts,
  'service' | 'store' | 'clock' | 'emit' | 'signal' | 'settleMs' | 'maxWaitMs'
>;

/**
 * Looks at once for the rows of a write without a trustworthy answer. Only what is found counts: what is not there yet may still come. A list that takes
 * filters is read by what the rows say.
 */
export async function readBackNow(
  ports: ReadBackPorts,
  account: ServiceAccount,
  mapping: PushMapping,
  write: OpenWrite,
): Promise<ReadonlyMap<string, Confirmation>> {
  const { rows } = write;
  const listed = listedResources[mapping.resource];
  if (listed === undefined) return (await readBack(ports, account, mapping, [write], 'now')).found;
  const seen = await orWarn(ports, mapping, async () => {
    const found = new FoundRecords(listed, rows);
    for (const filter of filtersOf(mapping, rows)) {
      const query = filter as QueryOf<ListedResource['operation']>;
      for await (const page of ports.service.list(listed.operation, query, ports.signal, 'fail'))
        found.add(page);
    }
    return { ...NOTHING, found: found.confirmations(mapping) };
  });
  return seen.found;
}

/**
 * Looks for the rows of open writes in all that the service shows. Just after a refusal, `now`, a list that comes late is believed even less than later: the
 * counter has to agree with it.
 */
export async function readBack(
  ports: ReadBackPorts,
  account: ServiceAccount,
  mapping: PushMapping,
  open: readonly OpenWrite[],
  when: 'now' | 'settled',
): Promise<Seen> {
  const listed = listedResources[mapping.resource];
  const look = looks[mapping.resource];
  return orWarn(ports, mapping, () =>
    listed === undefined
      ? (look?.(ports, account, mapping, open, when) ?? Promise.resolve(NOTHING))
      : readList(ports, account, mapping, listed, open, when),
  );
}

async function readList(
  ports: ReadBackPorts,
  account: ServiceAccount,
  mapping: PushMapping,
  listed: ListedResource,
  open: readonly OpenWrite[],
  when: 'now' | 'settled',
): Promise<Seen> {
  const { resource } = mapping;
  const used = quotaUsed(await ports.service.account(), listed.feature);
  const found = new FoundRecords(
    listed,
    open.flatMap(({ rows }) => rows),
  );
  const { pages, nameless, missing } = await readWhole(ports, listed, account, resource, {
    used,
    onPage: (_records, _done, raw) => {
      found.add(raw);
    },
  });
  const writes = open.map(({ intent }) => intent);
  const isMore = await countsMore(ports, account, mapping, used, writes);
  const isBehind = used === undefined || used < (await countKnown(ports, account, resource));
  const isLate =
    when === 'now' && (isBehind || missing > 0 || (await wasLate(ports, account, mapping, writes)));
  // A record that does not say what it is may be one of the rows.
  const others = nameless > 0 || isMore || isLate ? 'unclear' : 'absent';
  return { found: found.confirmations(mapping), others, pages };
}

/** Two readings, of which absence is believed only where they agree; one that finds every row is enough. */
export async function readBackTwice(
  ports: ReadBackPorts,
  account: ServiceAccount,
  mapping: PushMapping,
  open: readonly OpenWrite[],
): Promise<Seen> {
  const first = await readBack(ports, account, mapping, open, 'settled');
  const keys = new Set(open.flatMap(({ rows }) => rows.map(({ key }) => key ?? '')));
  if (first.others === 'unclear' || first.found.size === keys.size) return first;
  const second = await readBack(ports, account, mapping, open, 'settled');
  const found = new Map([...first.found, ...second.found]);
  const agree = first.found.size === found.size && second.found.size === found.size;
  return { ...second, found, others: agree ? second.others : 'unclear' };
}

/** A service that does not let itself be read says nothing of its records. */
async function orWarn(
  { emit }: Pick<SyncPorts, 'emit'>,
  { name }: PushMapping,
  look: () => Promise<Seen>,
): Promise<Seen> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof UnavailableError) && !(error instanceof RefusedError)) throw error;
    emit({ kind: 'warning', message: `${name}: reading back failed: ${error.message}` });
    return NOTHING;
  }
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

interface FoundRecord {
  readonly known: KnownRecord;
  readonly record: unknown;
}

/** Those of the records of lists that have the keys of rows, each once. */
class FoundRecords {
  readonly #listed: ListedResource;
  readonly #rows: readonly RunRow[];
  readonly #wanted: ReadonlySet<string | null>;
  readonly #found = new Map<string, FoundRecord[]>();

  constructor(listed: ListedResource, rows: readonly RunRow[]) {
    this.#listed = listed;
    this.#rows = rows;
    this.#wanted = new Set(rows.map(({ key }) => key));
  }

  add(page: readonly unknown[]): void {
    for (const record of page) {
      const known = this.#listed.known(record);
      if (known === undefined || !this.#wanted.has(known.key)) continue;
      const others = (this.#found.get(known.key) ?? []).filter((other) => other.known.id !== known.id);
      this.#found.set(known.key, [...others, { known, record }]);
    }
  }

  confirmations({ resource }: PushMapping): ReadonlyMap<string, Confirmation> {
    const records = [...this.#found.values()].flat().map(({ record }) => record);
    if (resource === 'users') return pushRequests.users?.match(this.#rows, records) ?? new Map();
    return new Map(
      this.#rows.flatMap((row) => foundRow(row, this.#found.get(row.key ?? '') ?? [], this.#listed)),
    );
  }
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
