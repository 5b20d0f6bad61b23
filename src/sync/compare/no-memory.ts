import type { RecordOf } from '../../contract/index.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { StoppedError } from '../../model/error.ts';
import type { RunRows } from '../../model/run-rows.ts';
import type { ServiceAccount } from '../../model/store.ts';
import { leagueOf } from '../evidence/pre-image.ts';
import { openWrites } from '../journal/open-writes.ts';
import { eachRow } from '../rows/row-pages.ts';
import type { SyncPorts } from '../ports.ts';
import { isUnlistable } from '../evidence/full-list.ts';

type Ports = Pick<SyncPorts, 'service' | 'store' | 'signal'>;

/**
 * A state that remembers nothing of a fantasy league must not write over a log of it: the state may be lost, a price may be a delta, and the log of substitutions
 * does not say which game weeks are processed. Only reads.
 */
export async function checkAnyMemory(
  ports: Ports,
  mapping: PushMapping,
  service: ServiceAccount,
  rows: RunRows,
): Promise<StoppedError | undefined> {
  const remembered = await rememberedLeagues(ports, mapping, service);
  const unknown = new Set<number>();
  for await (const row of eachRow(rows, mapping.name, { change: 'pending', open: true })) {
    const league = leagueOf(row);
    // A league that is still to be made has no log.
    if (Number.isSafeInteger(league) && !remembered.has(league)) unknown.add(league);
  }
  if (unknown.size === 0) return undefined;
  return mapping.resource === 'prices'
    ? pricesOf(ports, mapping, unknown)
    : substitutionsOf(ports, mapping, unknown);
}

/** The fantasy leagues of what this state saw confirmed. A write whose answer is missing is a memory too: the keys of its rows wait. */
async function rememberedLeagues(
  { store }: Ports,
  { resource }: PushMapping,
  service: ServiceAccount,
): Promise<ReadonlySet<number>> {
  const leagues = new Set<number>();
  const add = (key: string): unknown => leagues.add(Number(key.split('/')[0]));
  for await (const page of store.allSnapshots(service, resource)) for (const { key } of page) add(key);
  for (const { keys } of await openWrites({ store }, service, resource)) keys.forEach(add);
  return leagues;
}

/** Pages of the log of prices that are looked through, once for each new league. */
const MOST_PAGES = 200;

async function pricesOf(
  { service, signal }: Ports,
  { name }: PushMapping,
  leagues: ReadonlySet<number>,
): Promise<StoppedError | undefined> {
  const { records } = await service.get('list-prices', { query: {}, signal });
  if (records.length === 0) return undefined;
  const first = leagueOfLog(records, leagues);
  // In most cases its first page tells.
  const league = first === undefined ? await loggedLeague({ service, signal }, leagues) : first;
  if (league === undefined) return undefined;
  const has = league === null ? 'price uploads' : `price uploads of fantasy league ${league}`;
  return new StoppedError(
    'state.no_memory',
    `${name}: the service has ${has}, but this state remembers none, so it cannot tell which prices are already there`,
    {
      flagged: (add) =>
        `restore the state file, ${add} --compare live to compare with the service, or --adopt to upload all prices of the source again`,
    },
  );
}

/** The first of these leagues in the log of prices; null where the log does not tell, undefined where it has none of them. */
async function loggedLeague(
  { service, signal }: Pick<Ports, 'service' | 'signal'>,
  leagues: ReadonlySet<number>,
): Promise<number | null | undefined> {
  let pages = 0;
  try {
    for await (const page of service.list('list-prices', {}, signal, 'fail')) {
      const found = leagueOfLog(page, leagues);
      if (found !== undefined) return found;
      if ((pages += 1) >= MOST_PAGES) return null;
    }
  } catch (error) {
    if (!isUnlistable(error)) throw error;
    return null;
  }
  return undefined;
}

function leagueOfLog(
  records: readonly RecordOf<'list-prices'>[],
  leagues: ReadonlySet<number>,
): number | null | undefined {
  const found = records.map(({ fantasy_league_id: league }) => league ?? null);
  return found.find((league) => league === null || leagues.has(league));
}

async function substitutionsOf(
  { service, signal }: Ports,
  { name }: PushMapping,
  leagues: ReadonlySet<number>,
): Promise<StoppedError | undefined> {
  for (const league of leagues) {
    const query = { fantasy_league_id: league };
    const log = await service.get('list-auto-substitutions', { query, signal });
    if (log.records.length === 0) continue;
    return new StoppedError(
      'state.no_memory',
      `${name}: the service has substitutions of fantasy league ${league}, but this state remembers no trigger, so it cannot tell which game weeks are processed already`,
      {
        flagged: (add) =>
          `restore the state file, or ${add} --adopt to process the game weeks of the source again`,
      },
    );
  }
  return undefined;
}
