import { pushTarget } from '../../contract/index.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import type { Fields } from '../../model/cell.ts';
import { RefusedError, UnavailableError } from '../../model/error.ts';
import type { KnownRecord, RunRows } from '../../model/run-rows.ts';
import type { ServiceAccount } from '../../model/store.ts';
import { known, remembered } from '../../plan/known-records.ts';
import type { ComparePorts, Comparison } from './compare.ts';
import { ownValue } from '../../report/report.ts';
import { NO_PLAYER, readPointsConfig } from '../pulling/resources.ts';

/** Reads that are asked for at a time; the client bounds those in flight. */
const AT_A_TIME = 8;

/**
 * `compare: live` for prices and points configurations, which the service does not list with their values: one read for each player, or for each league, of
 * the rows that are compared. What it says is remembered as confirmed.
 */
export async function compareLive(
  ports: ComparePorts,
  mapping: PushMapping,
  service: ServiceAccount,
  rows: RunRows,
): Promise<Comparison> {
  const isPrices = mapping.resource === 'prices';
  const read = isPrices ? priceReader(ports) : pointsReader(ports, mapping, service);
  const pending = (await rows.countChanges(mapping.name, true)).get('pending') ?? 0;
  return {
    lookup: async (keys) => {
      const found: KnownRecord[] = [];
      for (let at = 0; at < keys.length; at += AT_A_TIME) {
        ports.signal.throwIfAborted();
        const records = await Promise.all(keys.slice(at, at + AT_A_TIME).map(read));
        found.push(...records.filter((record) => record !== undefined));
      }
      await ports.store.confirm(service, mapping.resource, found.map(remembered));
      return new Map(found.map((record) => [record.key, [record]]));
    },
    known: pending,
    described: `compared with what the service says of each ${isPrices ? 'player' : 'league'}, read now`,
  };
}

/** Reads what the service holds of a key; undefined when it holds nothing. */
export type ReadKey = (key: string) => Promise<KnownRecord | undefined>;

type ReadPorts = Pick<ComparePorts, 'service' | 'store' | 'emit' | 'signal'>;

/** The price of a player now, whatever kind of upload it came by; undefined for one that the service does not know. */
export function priceReader({ service, signal }: ReadPorts): ReadKey {
  const prices = new Map<string, Promise<number | undefined>>();
  const priceOf = async (league: number, player: number): Promise<number | undefined> => {
    try {
      const query = { fantasy_league_id: league };
      const { records } = await service.get('get-player', { id: player, query, signal });
      return records[0]?.price ?? undefined;
    } catch (error) {
      if (error instanceof RefusedError && NO_PLAYER.includes(error.status)) return undefined;
      throw error;
    }
  };
  return async (key) => {
    const [league, player, ...type] = key.split('/');
    const [fantasy_league_id, player_id] = [Number(league), Number(player)];
    // A league that is still to be made has no prices.
    if (!Number.isSafeInteger(fantasy_league_id) || !Number.isSafeInteger(player_id)) return undefined;
    const name = `${fantasy_league_id}/${player_id}`;
    const reading = prices.get(name) ?? priceOf(fantasy_league_id, player_id);
    prices.set(name, reading);
    const price = await reading;
    if (price === undefined) return undefined;
    return known(key, null, null, { fantasy_league_id, player_id, price, type: type.join('/') });
  };
}

/** The points configuration of a league; where none is shown, what this state last saw confirmed. */
function pointsReader(ports: ComparePorts, mapping: PushMapping, service: ServiceAccount): ReadKey {
  const read = shownConfigReader(ports, mapping, service);
  return async (key) =>
    (await read(key)) ?? (await ports.store.snapshots(service, mapping.resource, [key])).get(key);
}

/** A memory of points configurations with what the service shows of leagues that it does not know: no first push overwrites one unseen. */
export function besideMemory(
  ports: ComparePorts,
  mapping: PushMapping,
  service: ServiceAccount,
  memory: Comparison,
): Comparison {
  const read = shownConfigReader(ports, mapping, service);
  return {
    ...memory,
    lookup: async (keys) => {
      const found = new Map(await memory.lookup(keys));
      for (const key of keys.filter((each) => !found.has(each))) {
        const record = await read(key);
        if (record !== undefined) found.set(key, [record]);
      }
      return found;
    },
    described:
      memory.known === 0
        ? 'nothing was pushed yet: compared with what the service shows'
        : `${memory.described}, other leagues with what the service shows`,
  };
}

/** Codes of answers that show no configuration, whatever else they may mean: an id that is not there may be answered in any way. */
const SHOWS_NONE: ReadonlySet<string> = new Set([
  'service.no_envelope',
  'service.html',
  'service.error',
  'service.record',
]);

/** The points configuration of a league by any id that may name it, else as its league shows it; undefined where neither shows one. */
function shownConfigReader(ports: ComparePorts, mapping: PushMapping, service: ServiceAccount): ReadKey {
  const read = configReader(ports, mapping, service);
  const orNone = async (look: () => ReturnType<ReadKey>): ReturnType<ReadKey> => {
    try {
      const record = await look();
      const isShown = Object.keys(record?.values ?? {}).some((name) => name !== 'fantasy_league_id');
      return isShown ? record : undefined;
    } catch (error) {
      if (error instanceof RefusedError) return undefined;
      if (!(error instanceof UnavailableError)) throw error;
      if (error.code.startsWith('points_config.')) return undefined;
      if (!SHOWS_NONE.has(error.code)) throw error;
      const message = `${mapping.name}: whether the league has a points configuration could not be read: ${error.message}`;
      ports.emit({ kind: 'warning', message });
      return undefined;
    }
  };
  const readLeague: ReadKey = async (key) => {
    const id = Number(key);
    if (!Number.isSafeInteger(id)) return undefined;
    const { records } = await ports.service.get('get-fantasy-league', { id, signal: ports.signal });
    return configOf(mapping, key, records[0]?.points_config);
  };
  return async (key) => (await orNone(() => read(key))) ?? (await orNone(() => readLeague(key)));
}

/** The settings among what is shown as a points configuration, by the names that they are sent with. */
function configOf({ resource }: PushMapping, key: string, shown: unknown): KnownRecord {
  const names = Object.keys(pushTarget(resource)?.fields ?? {});
  const held = { ...(typeof shown === 'object' ? shown : {}), fantasy_league_id: Number(key) };
  const id = ownValue(held, 'id');
  const fields = Object.fromEntries(
    names.flatMap((name): [string, number][] => {
      const value = ownValue(held, name);
      return typeof value === 'number' ? [[name, value]] : [];
    }),
  ) satisfies Fields;
  return known(key, typeof id === 'string' ? id : null, null, fields);
}

/** The points configuration of a league as the service holds it. Errors: UnavailableError `points_config.*`. */
export function configReader(ports: ReadPorts, mapping: PushMapping, service: ServiceAccount): ReadKey {
  return async (key) => {
    const league = Number(key);
    if (!Number.isSafeInteger(league)) return undefined;
    const { record } = await readPointsConfig(league, { ...ports, account: service, mapping: mapping.name });
    return configOf(mapping, key, record);
  };
}
