import type { PushMapping } from '../../mapping/mapping.ts';
import { ConfigError } from '../../model/error.ts';
import type { RunRow } from '../../model/state/run-rows.ts';
import type { Intent } from '../../model/state/store.ts';
import { isStep } from '../../plan/resources/prices.ts';
import { logCost, readLog } from '../evidence/logs.ts';
import { fromSnapshots, nothingKnown, withUnanswered } from '../evidence/memory.ts';
import { appliedSince } from '../evidence/pre-image.ts';
import { readEvidence, type Evidence } from '../../plan/reconcile/evidence.ts';
import type { Comparison, PushTask, ReadingPorts } from '../ports.ts';
import { compareLive } from './compare-live.ts';
import { confirmAll, NO_EVIDENCE, nothing } from './look-back.ts';
import { readKeys } from './read-actual.ts';
import { PLAIN, type ComparisonAsked, type LookBack, type PushStrategy } from './strategy.ts';
import type { OpenWrite } from '../../plan/reconcile/seen.ts';
import {
  firstStep,
  strangersIn,
  playerIn,
  playerOf,
  priceReader,
  checkAnyMemory,
  type LogRecord,
  freshUploads,
  checkMemory,
} from './prices-memory.ts';

/** More references than these are not kept with every write. */
const MOST_REFS = 500;

async function takeEvidence(task: PushTask): Promise<Evidence | undefined> {
  const { ports } = task;
  const log = await readLog(ports, 'list-prices', {});
  if (log === undefined) return undefined;
  const refs = [...new Set(log.records?.map(({ txn_ref }) => txn_ref ?? ''))];
  const known = log.records !== undefined && refs.length <= MOST_REFS;
  const strangers = known ? await strangersIn(task, log) : [];
  const players = known && refs.includes('') ? log.records.map(playerIn) : [];
  return {
    atMs: ports.clock.now(),
    count: log.count,
    ...(known && { refs }),
    ...(players.length > 0 && players.length <= MOST_REFS && { players }),
    ...(strangers.length > 0 && { strangers: strangers.slice(0, MOST_REFS) }),
  };
}

/** Prices are compared with what was last confirmed, or with those of each player. */
async function compare(asked: ComparisonAsked): Promise<Comparison> {
  const { ports, mapping, rows, wanted, options } = asked;
  if (wanted === 'none') return nothingKnown('compared with nothing (compare: none)');
  if (wanted === 'live') {
    const step = await firstStep(mapping, rows);
    if (step !== undefined) throw notForSteps(mapping, step, options.compare !== undefined);
    return compareLive(asked, priceReader(ports), 'player');
  }
  const comparison = await fromSnapshots(asked, 'compared with the last confirmed push');
  const stop = options.adopt ? undefined : await checkAnyMemory(asked, rows);
  return stop === undefined ? comparison : { ...comparison, stop };
}

/** Compared with what the service shows, a step would be sent again each time. */
function notForSteps(
  { name, place }: PushMapping,
  { rowNumber, fields }: RunRow,
  isFlag: boolean,
): ConfigError {
  const said = isFlag ? '--compare live' : 'compare: live';
  const remedy = isFlag ? `leave ${said} out` : `take ${said} out of the mapping`;
  return new ConfigError(
    'compare.steps',
    `${name}: ${said} is not for steps, and row ${rowNumber} is one (its type is ${JSON.stringify(fields?.type)}): the service shows what all steps came to, so that each would be sent again`,
    { ...(isFlag ? {} : place), next: `${remedy}: steps are compared with the last confirmed push` },
  );
}

/**
 * Price uploads: the log groups its records by upload, and one whose players are those of the request is the request, where each of them has the price that was
 * sent. The log shows no prices, and somebody else may upload the same players: no time tells the two apart for sure, because a request may be applied late.
 */
const lookBack: LookBack = async (task, open) => {
  const { ports, mapping } = task;
  const log = await readLog(ports, 'list-prices', {});
  const [first] = open;
  const evidence = first && readEvidence(first.intent);
  if (log === undefined || first === undefined || evidence?.count === undefined)
    return nothing('unclear', NO_EVIDENCE);
  // Writes of one upload each go out one at a time, so the evidence of the first holds for all.
  const applied = await appliedSince(task, first.intent);
  const groups = uploadsOf(log.records ?? [], evidence);
  for (const intent of applied) take(groups, intent);
  const logged = open.filter(({ intent }) => {
    const rivals = open.filter((other) => isSameUpload(other.intent, intent)).length;
    return matching(groups, intent).length >= rivals;
  });
  const doubtful = await otherPrices(ports, logged);
  const found = logged.filter((write) => !doubtful.has(write));
  const rows = [...applied, ...found.map(({ intent }) => intent)].reduce(
    (sum, { keys }) => sum + keys.length,
    0,
  );
  const more = log.count - evidence.count - rows;
  const seen = { found: confirmAll(mapping, found), pages: log.pages };
  const [player] = doubtful.values();
  if (player !== undefined)
    return { ...seen, others: 'unclear', grew: more > 0, why: { code: 'prices-other', player } };
  if (more === 0) return { ...seen, others: 'unseen', why: { code: 'prices-not-logged' } };
  return { ...seen, others: 'unclear', grew: more > 0, why: { code: 'prices-more', more } };
};

/** Players that are asked for at a time; the client bounds those in flight. */
const AT_A_TIME = 8;

/** Players of an upload that are asked for: one of so many just these players is no chance, and each costs a request. */
const MOST_ASKED = 50;

/** Those of the writes with a player whose price at the service is not the one that was sent, and the first such player of each. */
async function otherPrices(
  ports: ReadingPorts,
  writes: readonly OpenWrite[],
): Promise<ReadonlyMap<OpenWrite, string>> {
  const read = priceReader(ports);
  const doubtful = new Map<OpenWrite, string>();
  for (const write of writes) {
    const asked = write.rows.slice(0, MOST_ASKED);
    for (let at = 0; at < asked.length && !doubtful.has(write); at += AT_A_TIME) {
      const rows = asked.slice(at, at + AT_A_TIME);
      const actual = await Promise.all(rows.map(({ key }) => read(key ?? '')));
      const other = rows.find(({ fields }, index) => {
        const price = actual[index]?.values['price'];
        return price === undefined || price !== fields?.price;
      });
      if (other !== undefined) doubtful.set(write, other.key?.split('/')[1] ?? '');
    }
  }
  return doubtful;
}

interface Upload {
  readonly league: number | undefined;
  readonly players: string;
}

const playersText = (players: readonly (number | string)[]): string => players.map(String).sort().join(' ');

/** The uploads of a log that were not there when the evidence was taken. */
function uploadsOf(records: readonly LogRecord[], { refs }: Evidence): Upload[] {
  if (refs === undefined) return [];
  return freshUploads(records, refs)
    .map((group): Upload => {
      const leagues = new Set(group.flatMap(({ fantasy_league_id }) => fantasy_league_id ?? []));
      return {
        league: leagues.size === 1 ? [...leagues][0] : undefined,
        players: leagues.size > 1 ? '' : playersText(group.map(({ player }) => player?.id ?? '?')),
      };
    })
    .toArray();
}

/** What an upload of an intent looks like in the log. */
function uploadOf({ keys }: Intent): Upload {
  const parts = keys.map((key) => key.split('/'));
  return { league: Number(parts[0]?.[0]), players: playersText(parts.map(([, player]) => player ?? '')) };
}

const isUpload = (upload: Upload, wanted: Upload): boolean =>
  upload.players === wanted.players && (upload.league ?? wanted.league) === wanted.league;

const isSameUpload = (one: Intent, other: Intent): boolean => isUpload(uploadOf(one), uploadOf(other));

const matching = (uploads: readonly Upload[], intent: Intent): readonly Upload[] =>
  uploads.filter((upload) => isUpload(upload, uploadOf(intent)));

function take(uploads: Upload[], intent: Intent): void {
  const at = uploads.findIndex((upload) => isUpload(upload, uploadOf(intent)));
  if (at !== -1) uploads.splice(at, 1);
}

export const prices: PushStrategy = {
  ...PLAIN,
  takeEvidence,
  evidenceCost: async (ports, batched, isGrown) =>
    batched.size === 0 ? 0 : logCost(ports, 'list-prices', {}, isGrown),
  checkMemory,
  compare: async (asked) => withUnanswered(asked, await compare(asked)),
  lookBack,
  unitOf: playerOf,
  planActualReading: ({ ports }, { units }) =>
    readKeys(ports, priceReader(ports), units, 'the price of each player', ({ fields }) =>
      isStep(fields?.type) ? 'it is a step: the service shows what all steps came to' : undefined,
    ),
};
