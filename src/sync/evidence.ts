import { listedResources } from '../plan/listed.ts';
import type { RunRow } from '../model/run-rows.ts';
import type { Intent, ServiceAccount, StoredIntent } from '../model/store.ts';
import type { PushMapping } from '../mapping/mapping.ts';
import { logCost, readLog } from './logs.ts';
import type { PushTask } from './push-writer.ts';
import { isSameAccount } from './stored-run.ts';
import type { SyncPorts } from './sync.ts';
import { countKnown } from './whole-list.ts';

/** What the service showed before a write went out, so that reading back can tell what came of it. */
export interface Evidence {
  /** When it was read. */
  readonly atMs: number;
  /** Records that the account counted and that no list had shown. */
  readonly unlisted?: number;
  /** Records that were known. */
  readonly known?: number;
  /** Fantasy leagues that the account counted when the run began. */
  readonly used?: number;
  /** Records of the log. */
  readonly count?: number;
  /** The references of the uploads in the log. */
  readonly refs?: readonly string[];
}

/** The evidence that was recorded with a write; undefined where nothing could be read. */
export const readEvidence = ({ evidence }: Pick<Intent, 'evidence'>): Evidence | undefined =>
  evidence === undefined ? undefined : (JSON.parse(evidence) as Evidence);

/** Reads what shows the effect of a write, before it goes out. */
export type TakeEvidence = (batch: readonly RunRow[]) => Promise<Evidence | undefined>;

/** More references than these are not kept with every write. */
const MOST_REFS = 500;

/** Evidence for the writes of a mapping: once before the first of them, but for triggers, whose records cannot be told apart, before each. */
export function evidenceFor(task: PushTask): TakeEvidence {
  const { resource } = task.mapping;
  if (resource === 'auto_substitutions') return (batch) => ofTriggers(task, batch);
  const take = takers[resource];
  if (take === undefined) return () => Promise.resolve(undefined);
  let taken: Promise<Evidence | undefined> | undefined;
  return () => (taken ??= take(task));
}

const takers: Partial<Record<PushMapping['resource'], (task: PushTask) => Promise<Evidence | undefined>>> = {
  users: ofListed,
  squads: ofListed,
  mini_leagues: ofListed,
  prices: ofPrices,
  fantasy_leagues: ofLeagues,
};

async function ofListed({ ports, account, mapping, used }: PushTask): Promise<Evidence | undefined> {
  if (used === undefined || listedResources[mapping.resource] === undefined) return undefined;
  const known = await countKnown(ports, account, mapping.resource);
  return { atMs: ports.clock.now(), unlisted: Math.max(0, used - known), known };
}

/**
 * Whether the account counts more records beyond those that are known than before the writes: they may be what the writes made, and the list comes late. The
 * list was read and confirmed just now.
 */
export async function countsMore(
  ports: Pick<SyncPorts, 'store'>,
  account: ServiceAccount,
  { resource }: PushMapping,
  used: number | undefined,
  writes: readonly Intent[],
): Promise<boolean> {
  const before = Math.min(...writes.map((intent) => readEvidence(intent)?.unlisted ?? Infinity));
  return (used ?? 0) - (await countKnown(ports, account, resource)) > before;
}

/**
 * Whether the list came late before the writes and may do so still: the account counted records that nothing had shown, and some of them, or of others, are
 * known by now. As many that are not listed yet may then be what the writes made.
 */
export async function wasLate(
  ports: Pick<SyncPorts, 'store'>,
  account: ServiceAccount,
  { resource }: PushMapping,
  writes: readonly Intent[],
): Promise<boolean> {
  const nowKnown = await countKnown(ports, account, resource);
  return writes.some((intent) => {
    const { unlisted = 0, known = 0 } = readEvidence(intent) ?? {};
    return unlisted > 0 && nowKnown > known;
  });
}

async function ofPrices({ ports }: PushTask): Promise<Evidence | undefined> {
  const log = await readLog(ports, 'list-prices', {});
  if (log === undefined) return undefined;
  const refs = [...new Set(log.records?.map(({ txn_ref }) => txn_ref ?? ''))];
  const known = log.records !== undefined && refs.length <= MOST_REFS;
  return { atMs: ports.clock.now(), count: log.count, ...(known && { refs }) };
}

function ofLeagues({ ports, used }: PushTask): Promise<Evidence | undefined> {
  return Promise.resolve(used === undefined ? undefined : { atMs: ports.clock.now(), used });
}

async function ofTriggers({ ports }: PushTask, [row]: readonly RunRow[]): Promise<Evidence | undefined> {
  const log = await readLog(ports, 'list-auto-substitutions', { fantasy_league_id: leagueOf(row) });
  return log && { atMs: ports.clock.now(), count: log.count };
}

/** The fantasy league of a row. */
export const leagueOf = (row: RunRow | undefined): number => Number(row?.fields?.fantasy_league_id);

/** Reading requests that the evidence for the writes of a mapping costs; itself it costs one for each log. */
export async function evidenceCost(
  ports: Pick<SyncPorts, 'service' | 'signal'>,
  { resource }: PushMapping,
  batched: ReadonlyMap<string, number>,
): Promise<number> {
  if (batched.size === 0) return 0;
  if (resource === 'prices') return logCost(ports, 'list-prices', {});
  if (resource !== 'auto_substitutions') return 0;
  let cost = 0;
  const leagues = Map.groupBy(batched.keys(), (key) => Number(key.split('/')[0]));
  for (const [fantasy_league_id, keys] of leagues) {
    // A league that is still to be made has no log.
    const isThere = Number.isSafeInteger(fantasy_league_id);
    const query = { fantasy_league_id };
    cost += keys.length * (isThere ? await logCost(ports, 'list-auto-substitutions', query) : 1);
  }
  return cost;
}

/** The writes to a resource that any run of the account sent since a time. */
export async function writesSince(
  { store }: Pick<SyncPorts, 'store'>,
  account: ServiceAccount,
  { resource }: PushMapping,
  sinceMs: number,
): Promise<readonly StoredIntent[]> {
  const writes: StoredIntent[] = [];
  for (const run of await store.runs(MOST_RUNS)) {
    if (!isSameAccount(run.account, account) || (run.endedAtMs ?? Infinity) < sinceMs) continue;
    const sent = (await store.intents(run.id)).filter((intent) => intent.resource === resource);
    writes.push(...sent.filter(({ sentAtMs }) => sentAtMs >= sinceMs));
  }
  return writes;
}

const MOST_RUNS = 1000;

/** The writes that were applied since the evidence of a write was read. What was sent before it, perhaps in the same millisecond, is in the evidence. */
export async function appliedSince(
  ports: Pick<SyncPorts, 'store'>,
  account: ServiceAccount,
  mapping: PushMapping,
  write: Intent,
  { atMs }: Evidence,
): Promise<readonly StoredIntent[]> {
  const writes = await writesSince(ports, account, mapping, atMs);
  const at = writes.findIndex(({ id }) => id === write.id);
  return writes.filter((other, index) => {
    if (other.result !== 'applied') return false;
    if (other.runId !== write.runId) return other.sentAtMs > atMs;
    return other.evidence === write.evidence || index > at;
  });
}
