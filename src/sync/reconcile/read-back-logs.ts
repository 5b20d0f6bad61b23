import { pushTarget, type RecordOf } from '../../contract/index.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { RefusedError, UnavailableError } from '../../model/error.ts';
import type { RunRow } from '../../model/run-rows.ts';
import type { Said } from '../../model/said.ts';
import type { Intent, ServiceAccount, StoredIntent } from '../../model/store.ts';
import { changedFields } from '../../plan/diff.ts';
import { known } from '../../plan/known-records.ts';
import { quotaUsed } from '../../model/quota.ts';
import { type Confirmation } from '../../plan/requests.ts';
import { appliedSince, leagueOf, readEvidence, writesBeside, type Evidence } from '../evidence/pre-image.ts';
import { priceReader } from '../compare/compare-live.ts';
import { readLog } from '../evidence/logs.ts';
import { readPointsConfig } from '../pulling/resources.ts';
import type { OpenWrite, ReadBackPorts, Seen } from './read-back.ts';
import { resourcePlans } from '../../plan/resources/index.ts';

type Look = (
  ports: ReadBackPorts,
  account: ServiceAccount,
  mapping: PushMapping,
  open: readonly OpenWrite[],
  when: 'now' | 'settled',
) => Promise<Seen>;

const nothing = (others: Seen['others'], why: Said): Seen => ({ found: new Map(), others, why });

/** The rows of writes as their resource confirms them when an answer says no more than yes. */
const confirmAll = (
  { resource }: PushMapping,
  writes: readonly OpenWrite[],
): ReadonlyMap<string, Confirmation> =>
  new Map(writes.flatMap(({ rows }) => [...resourcePlans[resource].requests.match(rows, [{}])]));

const NO_EVIDENCE: Said = { code: 'read-back-no-evidence' };

/**
 * Price uploads: the log groups its records by upload, and one whose players are those of the request is the request, where each of them has the price that was
 * sent. The log shows no prices, and somebody else may upload the same players: no time tells the two apart for sure, because a request may be applied late.
 */
const prices: Look = async (ports, account, mapping, open) => {
  const log = await readLog(ports, 'list-prices', {});
  const [first] = open;
  const evidence = first && readEvidence(first.intent);
  if (log === undefined || first === undefined || evidence?.count === undefined)
    return nothing('unclear', NO_EVIDENCE);
  // Writes of one upload each go out one at a time, so the evidence of the first holds for all.
  const applied = await appliedSince(ports, account, mapping, first.intent);
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
  return more === 0
    ? {
        ...seen,
        others: 'unseen',
        why: { code: 'prices-not-logged' },
      }
    : {
        ...seen,
        others: 'unclear',
        grew: more > 0,
        why: { code: 'prices-more', more },
      };
};

/** Players that are asked for at a time; the client bounds those in flight. */
const AT_A_TIME = 8;

/** Players of an upload that are asked for: one of so many just these players is no chance, and each costs a request. */
const MOST_ASKED = 50;

/** Those of the writes with a player whose price at the service is not the one that was sent, and the first such player of each. */
async function otherPrices(
  ports: ReadBackPorts,
  writes: readonly OpenWrite[],
): Promise<ReadonlyMap<OpenWrite, string>> {
  const read = priceReader(ports);
  const doubtful = new Map<OpenWrite, string>();
  for (const write of writes) {
    const asked = write.rows.slice(0, MOST_ASKED);
    for (let at = 0; at < asked.length && !doubtful.has(write); at += AT_A_TIME) {
      const rows = asked.slice(at, at + AT_A_TIME);
      const held = await Promise.all(rows.map(({ key }) => read(key ?? '')));
      const other = rows.find(({ fields }, index) => {
        const price = held[index]?.values['price'];
        return price === undefined || price !== fields?.price;
      });
      if (other !== undefined) doubtful.set(write, other.key?.split('/')[1] ?? '');
    }
  }
  return doubtful;
}

/** One upload in the log. */
interface Upload {
  readonly league: number | undefined;
  readonly players: string;
}

const playersText = (players: readonly (number | string)[]): string => players.map(String).sort().join(' ');

/** The uploads of a log that were not there when the evidence was taken. */
function uploadsOf(records: readonly RecordOf<'list-prices'>[], { refs }: Evidence): Upload[] {
  if (refs === undefined) return [];
  const fresh = records.filter(({ txn_ref }) => !refs.includes(txn_ref ?? ''));
  return Map.groupBy(fresh, ({ txn_ref }) => txn_ref ?? '')
    .values()
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

/** Takes the upload of an applied write out. */
function take(uploads: Upload[], intent: Intent): void {
  const at = uploads.findIndex((upload) => isUpload(upload, uploadOf(intent)));
  if (at !== -1) uploads.splice(at, 1);
}

/** Fantasy leagues: nothing lists them. The account's counter tells at best that there is one more, and never which id it has. */
const fantasyLeagues: Look = async (ports, account, mapping, open) => {
  const used = quotaUsed(await ports.service.account(), 'fantasy_leagues');
  const [first] = open;
  const evidence = first && readEvidence(first.intent);
  if (used === undefined || first === undefined || evidence?.used === undefined)
    return nothing('unclear', NO_EVIDENCE);
  const applied = await appliedSince(ports, account, mapping, first.intent);
  const more = used - evidence.used - applied.length;
  if (more === 0) return nothing('unseen', { code: 'fantasy-leagues-not-counted' });
  const intents = open.map(({ intent }) => intent.id);
  return nothing(
    'unclear',
    more === open.length
      ? { code: 'fantasy-leagues-counted', intents }
      : { code: 'fantasy-leagues-more', more, open: open.length },
  );
};

/** Points configurations: every field of the league's configuration as it was sent is as good as an answer. */
const pointsConfig: Look = async (ports, account, mapping, open) => {
  const found = new Map<string, Confirmation>();
  let others: Seen['others'] = 'unseen';
  for (const row of open.flatMap(({ rows }) => rows)) {
    const confirmation = await readPoints(ports, account, mapping, row);
    if (confirmation === undefined) others = 'unclear';
    else if (confirmation !== 'another' && row.key !== null) found.set(row.key, confirmation);
  }
  const code = others === 'unclear' ? 'points-config-unread' : 'points-config-other';
  return { found, others, why: { code } };
};

async function readPoints(
  ports: ReadBackPorts,
  account: ServiceAccount,
  { name, resource }: PushMapping,
  row: RunRow,
): Promise<Confirmation | 'another' | undefined> {
  try {
    const { record } = await readPointsConfig(leagueOf(row), { ...ports, account, mapping: name });
    const held: Readonly<Record<string, unknown>> = { ...record, fantasy_league_id: leagueOf(row) };
    const fields = Object.keys(pushTarget(resource)?.fields ?? {}).flatMap((field) => {
      const value = held[field];
      return typeof value === 'number' ? [[field, value] as const] : [];
    });
    // A configuration may come without an id of its own.
    const own: { readonly id?: string } = record;
    const holds = known(row.key ?? '', own.id ?? null, null, Object.fromEntries(fields));
    if (changedFields(row.fields ?? {}, holds).length > 0) return 'another';
    return { id: holds.id, record: holds };
  } catch (error) {
    const isUnread = error instanceof UnavailableError && error.code.startsWith('points_config.');
    if (!isUnread && !(error instanceof RefusedError)) throw error;
    return undefined;
  }
}

/** That the log showed nothing of a trigger when it could not be applied late any more. */
const unseenFact = ({ id }: Intent): string => `trigger_unseen:${id}`;

/**
 * Triggers: new records of the league's log, where no other trigger of the league can have made them. They do not say who made them, so that only those count that
 * were there when the log was first looked at after the settle time.
 */
const triggers: Look = async (ports, account, mapping, open, when) => {
  const found: OpenWrite[] = [];
  let why: Said = { code: 'substitutions-none' };
  for (const write of open) {
    const evidence = readEvidence(write.intent);
    const league = leagueOf(write.rows[0]);
    const log = await readLog(ports, 'list-auto-substitutions', { fantasy_league_id: league });
    if (log === undefined || evidence?.count === undefined) why = NO_EVIDENCE;
    else if (log.count > evidence.count) {
      const others = await othersBeside(ports, account, mapping, write.intent, evidence);
      const wasUnseen = (await ports.store.fact(account, unseenFact(write.intent))) !== undefined;
      if (others.some((other) => mayHaveTriggered(other, league))) why = { code: 'substitutions-of-another' };
      else if (wasUnseen) why = { code: 'substitutions-late' };
      else found.push(write);
    } else if (when === 'settled') await ports.store.setFact(account, unseenFact(write.intent), 'true');
  }
  return { found: confirmAll(mapping, found), others: 'unclear', why };
};

/** The other triggers that may be in the log by now and were not in the evidence. */
async function othersBeside(
  ports: ReadBackPorts,
  account: ServiceAccount,
  mapping: PushMapping,
  intent: Intent,
  { atMs }: Evidence,
): Promise<readonly StoredIntent[]> {
  // A write is recorded before it waits for the budget, and may be applied late after that.
  const sinceMs = atMs - ports.settleMs - (ports.maxWaitMs ?? 0);
  const open = (await ports.store.openIntents(account)).filter(
    ({ id, resource }) => id !== intent.id && resource === mapping.resource,
  );
  return [...open, ...(await writesBeside(ports, account, mapping, intent, sinceMs))];
}

/** Whether a write may have made substitutions of a league; a raw call does not say which. */
const mayHaveTriggered = ({ keys, result }: StoredIntent, league: number): boolean =>
  result !== 'not_applied' &&
  result !== 'refused' &&
  (keys.length === 0 || keys.some((key) => Number(key.split('/')[0]) === league));

/** How writes are read back that no list of records shows. */
export const looks: Partial<Record<PushMapping['resource'], Look>> = {
  prices,
  fantasy_leagues: fantasyLeagues,
  points_config: pointsConfig,
  auto_substitutions: triggers,
};
