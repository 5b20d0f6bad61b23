import type { Account } from '../../contract/resources/account.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { renderCountOf } from '../../model/count.ts';
import { RefusedError, UnavailableError } from '../../model/error.ts';
import type { KnownRecord, RunRow, RunRows } from '../../model/run-rows.ts';
import { keyText, spellingOf } from '../../model/spelling.ts';
import type { ServiceAccount } from '../../model/store.ts';
import { known } from '../../plan/known-records.ts';
import type { ListedResource } from '../../plan/resources/resource-plan.ts';
import { quotaUsed } from '../../model/quota.ts';
import { configReader, priceReader } from '../compare/compare-live.ts';
import { NO_PLAYER } from '../pulling/resources.ts';
import { readOne } from '../pulling/read.ts';
import { keySpeller } from '../rows/spelling.ts';
import type { SyncPorts } from '../ports.ts';
import { resourcePlans } from '../../plan/resources/index.ts';

/** What the service holds of one row that was written. */
export type Held =
  | { readonly kind: 'record'; readonly record: KnownRecord }
  | { readonly kind: 'missing' }
  | { readonly kind: 'several'; readonly ids: readonly string[] }
  /** Nothing that the service answers says it. */
  | { readonly kind: 'unreadable'; readonly reason: string };

export type HeldPorts = Pick<SyncPorts, 'service' | 'store' | 'emit' | 'signal'>;

/** How the rows of one mapping are read back; only GET. */
export interface HeldReading {
  /** Reading requests, as well as that can be told before. */
  readonly requests: number;
  /** For people: `the list of users`. */
  readonly how: string;
  /** Answers for each row, in order. Errors: those of reading. */
  read(rows: readonly RunRow[]): Promise<readonly Held[]>;
  close(): Promise<void>;
}

/** The account whose records are read, and what it says of itself. */
export interface HeldAccount {
  readonly record: Account;
  readonly service: ServiceAccount;
}

/** When rows were sent, by this machine's clock, and how many records the log of a row's key had just before. */
export interface Sent {
  readonly atMs: number;
  readonly logCounts: ReadonlyMap<string, number>;
}

/** Records on one page of a list where nothing says how many there are. */
const LIKELY_PAGE = 50;

const nothingToClose = (): Promise<void> => Promise.resolve();

/**
 * Chooses how the written rows of a mapping are read: each by its id, or from the list, whichever takes fewer requests. `sent` is what is
 * known of the moment at which the first of them was sent.
 */
export async function planHeldReading(
  ports: HeldPorts,
  account: HeldAccount,
  mapping: PushMapping,
  rows: AsyncIterable<RunRow> | Iterable<RunRow>,
  sent: Sent,
): Promise<HeldReading> {
  const keys = new Set<string>();
  let [count, withoutId] = [0, 0];
  for await (const row of rows) {
    count += 1;
    if (row.id === null) withoutId += 1;
    keys.add(unitOf(mapping, row));
  }
  const { resource } = mapping;
  const listed = resourcePlans[resource].listed;
  if (listed !== undefined) {
    const pages = await listPages(ports, account, mapping, listed);
    const { byId } = listed;
    return byId !== undefined && withoutId === 0 && count < pages
      ? readById(ports, mapping, listed, byId, count)
      : readList(ports, account.service, mapping, listed, pages);
  }
  switch (resource) {
    case 'prices':
      return readKeys(ports, priceReader(ports), keys.size, 'the price of each player');
    case 'points_config':
      return readKeys(
        ports,
        configReader(ports, mapping, account.service),
        keys.size,
        'the configuration of each league',
      );
    case 'fantasy_leagues':
      return readLeagues(ports, count);
    default:
      return readLog(
        ports,
        keys.size * Math.max(1, Math.ceil(Math.max(0, ...sent.logCounts.values()) / LIKELY_PAGE)),
        sent,
      );
  }
}

/** What one request answers for: a player, a league, a record. */
function unitOf({ resource }: PushMapping, row: RunRow): string {
  const [league = '', player = ''] = (row.key ?? '').split('/');
  return resource === 'prices' ? `${league}/${player}` : league;
}

/** The pages of a full list: as many as the last one had, more when the account has grown since. */
async function listPages(
  { store }: HeldPorts,
  { record, service }: HeldAccount,
  { resource }: PushMapping,
  { feature }: ListedResource,
): Promise<number> {
  const used = quotaUsed(record, feature) ?? 0;
  const fact = await store.fact(service, `list:${resource}`);
  const last =
    fact === undefined
      ? undefined
      : (JSON.parse(fact.value) as { readonly count: number; readonly pages: number });
  const size =
    last === undefined || last.pages <= 1 ? Math.max(LIKELY_PAGE, last?.count ?? 0) : last.count / last.pages;
  return Math.max(1, Math.ceil(used / size));
}

function readList(
  ports: HeldPorts,
  account: ServiceAccount,
  { resource }: PushMapping,
  listed: ListedResource,
  pages: number,
): HeldReading {
  let listing: Promise<{ readonly all: RunRows; readonly nameless: number }> | undefined;
  const list = async (): Promise<{ readonly all: RunRows; readonly nameless: number }> => {
    const all = await ports.store.openRunRows(null);
    const spell = await keySpeller(ports, account, resource);
    try {
      let nameless = 0;
      for await (const page of ports.service.list(listed.operation, {}, ports.signal, 'fail')) {
        const found = page.flatMap((record) => listed.known(record) ?? []);
        nameless += page.length - found.length;
        const under = (by: string, keyOf: (record: KnownRecord) => string): Promise<void> =>
          all.addKnown(
            by,
            found.map((record) => ({ ...record, key: keyOf(record) })),
          );
        await under('key', ({ key }) => spell(key));
        await under('id', ({ id }) => id ?? '');
      }
      return { all, nameless };
    } catch (error) {
      await all.remove();
      throw error;
    }
  };
  return {
    requests: pages,
    how: `the list of ${listed.several}`,
    read: async (rows) => {
      listing ??= list();
      const { all, nameless } = await listing;
      const spell = await keySpeller(ports, account, resource);
      const keys = rows.map(({ key }) => spell(key ?? ''));
      const byKey = await all.known('key', keys);
      // What a service spells in another way only where it lists is the row's own by its id.
      const byId = await all.known(
        'id',
        rows.flatMap(({ id }) => id ?? []),
      );
      const absent: Held =
        nameless === 0
          ? { kind: 'missing' }
          : {
              kind: 'unreadable',
              reason: `${renderCountOf(nameless, 'record of the list has', 'records of the list have')} no key`,
            };
      return rows.map(
        (row, at): Held =>
          oneOf(row, byKey.get(keys[at] ?? '') ?? byId.get(row.id ?? '') ?? [], resource) ?? absent,
      );
    },
    close: async () => {
      // A list that failed was taken away when it did.
      const made = await listing?.catch(() => undefined);
      await made?.all.remove();
    },
  };
}

function oneOf(
  row: RunRow,
  records: readonly KnownRecord[],
  resource: PushMapping['resource'],
): Held | undefined {
  const [record, other] = records;
  if (record === undefined) return undefined;
  if (other === undefined) return { kind: 'record', record: asSpelt(row, record, resource) };
  return { kind: 'several', ids: records.map(({ id }) => id ?? 'without id') };
}

/** A record without the text of its key, where it is that of the row in another spelling. */
function asSpelt(
  { key, fields }: RunRow,
  record: KnownRecord,
  resource: PushMapping['resource'],
): KnownRecord {
  const field = keyText(resource);
  if (field === undefined) return record;
  const [sent, kept] = [fields?.[field], record.values[field]];
  if (key === null || typeof sent !== 'string' || typeof kept !== 'string') return record;
  if (sent === kept || spellingOf([[sent, kept]]) === undefined) return record;
  const { [field]: _kept, ...digests } = record.digests;
  return { ...record, key, digests };
}

/** Reads one by one, a few at a time; the client bounds those in flight. */
const AT_A_TIME = 8;

function oneByOne(ports: HeldPorts, read: (row: RunRow) => Promise<Held>): HeldReading['read'] {
  return async (rows) => {
    const held: Held[] = [];
    for (let at = 0; at < rows.length; at += AT_A_TIME) {
      ports.signal.throwIfAborted();
      held.push(...(await Promise.all(rows.slice(at, at + AT_A_TIME).map(read))));
    }
    return held;
  };
}

function readById(
  ports: HeldPorts,
  { resource }: PushMapping,
  listed: ListedResource,
  operation: NonNullable<ListedResource['byId']>,
  count: number,
): HeldReading {
  const read = oneByOne(ports, async (row) => {
    const record = await orMissing(() => readOne(operation, row.id ?? '', ports));
    if (record === undefined) return { kind: 'missing' };
    const held = listed.known(record);
    if (held === undefined)
      return { kind: 'unreadable', reason: `the ${listed.one} does not say what it is` };
    return { kind: 'record', record: asSpelt(row, held, resource) };
  });
  return { requests: count, how: `each ${listed.one} by its id`, read, close: nothingToClose };
}

function readKeys(
  ports: HeldPorts,
  readKey: ReturnType<typeof priceReader>,
  requests: number,
  how: string,
): HeldReading {
  const read = oneByOne(ports, async ({ key }) => {
    try {
      const record = await readKey(key ?? '');
      return record === undefined ? { kind: 'missing' } : { kind: 'record', record };
    } catch (error) {
      if (!(error instanceof UnavailableError) || !error.code.startsWith('points_config.')) throw error;
      return { kind: 'unreadable', reason: error.message };
    }
  });
  return { requests, how, read, close: nothingToClose };
}

function readLeagues(ports: HeldPorts, requests: number): HeldReading {
  const read = oneByOne(ports, async (row) => {
    const { id, key, fields } = row;
    if (id === null || key === null) return { kind: 'unreadable', reason: 'its id is not known' };
    const league = await orMissing(() => readOne('get-fantasy-league', id, ports));
    if (league === undefined) return { kind: 'missing' };
    const { name, leagues } = league;
    const ids = leagues?.map((each) => each.id) ?? [];
    const wanted = fields?.league_id;
    const shown = typeof wanted === 'number' && ids.includes(wanted) ? wanted : ids[0];
    const held = {
      ...(typeof name === 'string' && { name: name.normalize('NFC') }),
      ...(shown !== undefined && { league_id: shown }),
    };
    return { kind: 'record', record: asSpelt(row, known(key, id, null, held), 'fantasy_leagues') };
  });
  return { requests, how: 'each fantasy league by its id', read, close: nothingToClose };
}

/** A trigger leaves records in the log of its league, which do not name the game week: only records that came after it speak for it. Where it is not
 * known how many there were before, their times must do, which are those of the service's clock. */
function readLog(ports: HeldPorts, requests: number, { atMs, logCounts }: Sent): HeldReading {
  interface Log {
    readonly count: number;
    readonly later: number;
  }
  const logs = new Map<string, Promise<Log>>();
  const readLeague = async (league: number): Promise<Log> => {
    let [count, later] = [0, 0];
    const query = { fantasy_league_id: league };
    for await (const page of ports.service.list('list-auto-substitutions', query, ports.signal, 'fail')) {
      count += page.length;
      later += page.filter(({ created_at }) => Date.parse(created_at ?? '') >= atMs).length;
    }
    return { count, later };
  };
  const read = oneByOne(ports, async ({ key, id, fields }) => {
    const league = String(fields?.fantasy_league_id ?? '');
    const reading = logs.get(league) ?? readLeague(Number(league));
    logs.set(league, reading);
    const { count, later } = await reading;
    const before = logCounts.get(key ?? '');
    if (before === undefined ? later > 0 : count > before)
      return { kind: 'record', record: known(key ?? '', id, null, fields ?? {}) };
    return {
      kind: 'unreadable',
      reason:
        'the log has no record since, and names no game week: a game week without substitutions leaves none',
    };
  });
  return { requests, how: 'the substitution log of each league', read, close: nothingToClose };
}

/** Undefined for what the service does not know. Errors: the others of reading. */
async function orMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RefusedError && NO_PLAYER.includes(error.status)) return undefined;
    throw error;
  }
}
