import { pushTarget } from '../../contract/index.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import type { Fields } from '../../model/tables/cell.ts';
import { RefusedError, UnavailableError } from '../../model/error.ts';
import type { KnownRecord, RunRow } from '../../model/state/run-rows.ts';
import { changedFields } from '../../plan/diff.ts';
import { known } from '../../plan/known-records.ts';
import type { Confirmation } from '../../plan/requests.ts';
import { ownValue } from '../../report/report.ts';
import { fromSnapshots, nothingKnown, withUnanswered } from '../evidence/memory.ts';
import { leagueOf } from '../evidence/pre-image.ts';
import type { Comparison, ReadTask } from '../ports.ts';
import { readPointsConfig, SHOWS_NONE } from '../pulling/resources.ts';
import { compareLive, type ReadKey } from './compare-live.ts';
import { readKeys } from './read-actual.ts';
import { PLAIN, type ComparisonAsked, type LookBack, type PushStrategy } from './strategy.ts';
import type { Seen } from '../../plan/reconcile/seen.ts';

/** Points configurations are compared with what was last confirmed and, of leagues that are not known, with what the service shows. */
async function compare(asked: ComparisonAsked): Promise<Comparison> {
  if (asked.wanted === 'none') return nothingKnown('compared with nothing (compare: none)');
  if (asked.wanted === 'live') return compareLive(asked, pointsReader(asked), 'league');
  return besideMemory(asked, await fromSnapshots(asked, 'compared with the last confirmed push'));
}

/** The points configuration of a league; where none is shown, what this state last saw confirmed. */
function pointsReader(task: ReadTask): ReadKey {
  const { ports, mapping, account } = task;
  const read = shownConfigReader(task);
  return async (key) =>
    (await read(key)) ?? (await ports.store.snapshots(account, mapping.resource, [key])).get(key);
}

/** A memory of points configurations with what the service shows of leagues that it does not know: no first push overwrites one unseen. */
function besideMemory(task: ReadTask, memory: Comparison): Comparison {
  const read = shownConfigReader(task);
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

/** The points configuration of a league by any id that may name it, else as its league shows it; undefined where neither shows one. */
function shownConfigReader(task: ReadTask): ReadKey {
  const { ports, mapping } = task;
  const read = configReader(task);
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
  const actual = { ...(typeof shown === 'object' ? shown : {}), fantasy_league_id: Number(key) };
  const id = ownValue(actual, 'id');
  const fields = Object.fromEntries(
    names.flatMap((name): [string, number][] => {
      const value = ownValue(actual, name);
      return typeof value === 'number' ? [[name, value]] : [];
    }),
  ) satisfies Fields;
  return known(key, typeof id === 'string' ? id : null, null, fields);
}

/** The points configuration of a league as the service has it. Errors: UnavailableError `points_config.*`. */
function configReader({ ports, mapping, account }: ReadTask): ReadKey {
  return async (key) => {
    const league = Number(key);
    if (!Number.isSafeInteger(league)) return undefined;
    const { record } = await readPointsConfig(league, { ...ports, account, mapping: mapping.name });
    return configOf(mapping, key, record);
  };
}

/** Points configurations: every field of the league's configuration as it was sent is as good as an answer. */
const lookBack: LookBack = async (task, open) => {
  const found = new Map<string, Confirmation>();
  let others: Seen['others'] = 'unseen';
  for (const row of open.flatMap(({ rows }) => rows)) {
    const confirmation = await readPoints(task, row);
    if (confirmation === undefined) others = 'unclear';
    else if (confirmation !== 'another' && row.key !== null) found.set(row.key, confirmation);
  }
  const code = others === 'unclear' ? 'points-config-unread' : 'points-config-other';
  return { found, others, why: { code } };
};

async function readPoints(task: ReadTask, row: RunRow): Promise<Confirmation | 'another' | undefined> {
  const { mapping } = task;
  try {
    const record = await configReader(task)(String(leagueOf(row)));
    if (record === undefined) return undefined;
    return changedFields(row.fields ?? {}, record, mapping.resource).length > 0
      ? 'another'
      : { id: record.id, record };
  } catch (error) {
    const isUnread = error instanceof UnavailableError && error.code.startsWith('points_config.');
    if (!isUnread && !(error instanceof RefusedError)) throw error;
    return undefined;
  }
}

/** A points configuration is read by an id that only its upload answers with. */
const keepAnswer: PushStrategy['keepAnswer'] = async ({ store }, account, confirmed) => {
  for (const [league, { id }] of confirmed)
    if (id !== null) await store.setFact(account, `points_config_id:${league}`, id);
};

export const pointsConfig: PushStrategy = {
  ...PLAIN,
  takeEvidence: () => Promise.resolve(undefined),
  keepAnswer,
  compare: async (asked) => withUnanswered(asked, await compare(asked)),
  lookBack,
  unitOf: (key) => key,
  planActualReading: (task, { units }) =>
    readKeys(task.ports, configReader(task), units, 'the configuration of each league'),
};
