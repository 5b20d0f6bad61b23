import { isChange } from '../../contract/index.ts';
import { formsOf } from '../../plan/reconcile/fit-rows.ts';
import type { KnownRecord, RunRow } from '../../model/state/run-rows.ts';
import type { Words } from '../../model/said.ts';
import type { Intent, Run, ServiceAccount, StoredIntent } from '../../model/state/store.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { pushedMappings, runsOf } from '../journal/stored-run.ts';
import type { PushTask, StateTask, SyncPorts } from '../ports.ts';
import { countKnown } from './full-list.ts';
import { keySpeller } from '../rows/spelling.ts';
import { resourcePlans } from '../../plan/resources/index.ts';
import { type Evidence, isChangedSince, readEvidence } from '../../plan/reconcile/evidence.ts';

/** Reads what shows the effect of a write, before it goes out. `unrecorded`: what answers have shown that the state does not hold yet. */
export type TakeEvidence = (
  batch: readonly RunRow[],
  unrecorded?: () => readonly KnownRecord[],
) => Promise<Evidence | undefined>;

/** How the evidence of a resource is read. */
export interface EvidenceSource {
  /** What the service shows of the resource now; undefined where nothing can be read. */
  takeEvidence(task: PushTask, batch: readonly RunRow[]): Promise<Evidence | undefined>;
  /** Its records cannot be told apart, so that the evidence is read before each write. */
  readonly evidenceOfEach?: true;
}

/** Evidence for the writes of a mapping: once before the first of them, or before each. */
export function evidenceFor(task: PushTask, source: EvidenceSource): TakeEvidence {
  const { resource } = task.mapping;
  if (source.evidenceOfEach === true) return (batch) => source.takeEvidence(task, batch);
  let taken: Promise<Evidence | undefined> | undefined;
  const isListed = resourcePlans[resource].listed !== undefined;
  // Where nothing is known yet, nothing can be taken for what was sent.
  return (batch, unrecorded = () => []) => {
    taken ??= source.takeEvidence(task, batch);
    return isListed ? taken.then((evidence) => withAlike(task, batch, evidence, unrecorded)) : taken;
  };
}

/** With the known records that may be taken for those of a batch, once a list shows them in the service's own spelling. */
function withAlike(
  { ports, account, mapping: { resource } }: PushTask,
  batch: readonly RunRow[],
  evidence: Evidence | undefined,
  unrecorded: () => readonly KnownRecord[],
): Evidence | undefined | Promise<Evidence> {
  if (evidence?.known === undefined || evidence.known === 0) return evidence;
  const forms = new Set(
    batch.flatMap(({ key, change }) =>
      key === null || change !== 'create' ? [] : [key, ...formsOf(resource, key)],
    ),
  );
  // Asked before the state is: what is recorded meanwhile stands in one of the two.
  const fresh = unrecorded().filter(({ key }) => forms.has(key) || forms.has(key.trimEnd()));
  const held = ports.store.snapshots(account, resource, [...forms]);
  const padded = ports.store.paddedSnapshots(account, resource, [...forms]);
  return Promise.all([held, padded]).then(([asSent, others]) => {
    const alike = new Map([
      ...asSent,
      ...[...others, ...fresh].map((record) => [record.key, record] as const),
    ]);
    if (alike.size === 0) return evidence;
    return {
      ...evidence,
      alike: [...alike.keys()],
      alikeIds: [...alike.values()].map(({ id }) => id),
      alikeDigests: [...alike.values()].map(({ digests }) => digests),
    };
  });
}

/** The evidence of a resource whose records are listed. */
export async function listedEvidence({ ports, account, mapping, used }: PushTask): Promise<Evidence> {
  const known = await countKnown(ports, account, mapping.resource);
  return {
    atMs: ports.clock.now(),
    ...(used !== undefined && { unlisted: Math.max(0, used - known) }),
    known,
  };
}

/**
 * Whether the account counts more records beyond those that are known than before the writes: they may be what the writes made, and the list comes late. The
 * list was read and confirmed just now.
 */
export async function countsMore(
  { ports, account, mapping: { resource } }: StateTask,
  used: number | undefined,
  writes: readonly Intent[],
): Promise<boolean> {
  const before = Math.min(...writes.map((intent) => readEvidence(intent)?.unlisted ?? Infinity));
  return (used ?? 0) - (await countKnown(ports, account, resource)) > before;
}

/**
 * Records that came since the first of some writes and that nothing which this state sent explains: they may be what the writes made, under keys that nobody
 * would know them by. `writes` are in the order in which they were sent. The list was read and confirmed just now.
 */
export async function countStrange(
  { ports: { store }, account, mapping: { resource } }: StateTask,
  writes: readonly Intent[],
): Promise<number> {
  const first = writes.find((write) => readEvidence(write)?.known !== undefined);
  const seen = first && readEvidence(first);
  if (first === undefined || seen?.known === undefined) return 0;
  // What a mapping reads before its first write stands for all of them. The order of the state tells what came later: the clock may have been set.
  const beside = (await store.intents(first.runId)).filter(
    (intent) => intent.mapping === first.mapping && readEvidence(intent)?.atMs === seen.atMs,
  );
  const sent = [...beside, ...(await store.intentsAfter(account, first.id))].filter(
    (intent) => intent.resource === resource && !isChange(intent.operation),
  );
  const spell = await keySpeller({ store }, account, resource);
  const keys = new Set(sent.flatMap((intent) => intent.keys.map(spell)));
  const explained = (await store.snapshots(account, resource, [...keys])).size;
  return (await countKnown({ store }, account, resource)) - seen.known - explained;
}

/**
 * What the list, which was read and confirmed just now, says of a create that it does not show: records that were there before and may be those of its rows hold
 * other values now, and nothing else of the run sent these. A service that takes a repeat for the record that it has may have written it over.
 */
export async function writtenOver(
  { store }: Pick<SyncPorts, 'store'>,
  account: ServiceAccount,
  intent: Intent,
): Promise<Words> {
  const { alike = [] } = readEvidence(intent) ?? {};
  if (alike.length === 0) return [];
  const sent = new Set((await store.intents(intent.runId)).flatMap(({ keys }) => keys));
  const others = alike.filter((key) => intent.keys.includes(key) || !sent.has(key));
  const isChanged = isChangedSince([intent]);
  const now = await store.snapshots(account, intent.resource, others);
  return now.entries().some((each) => isChanged(...each)) ? [{ code: 'read-back-changed' }] : [];
}

/**
 * Whether the list came late before the writes and may do so still: the account counted records that nothing had shown, and some of them, or of others, are
 * known by now. As many that are not listed yet may then be what the writes made.
 */
export async function wasLate(
  { ports, account, mapping: { resource } }: StateTask,
  writes: readonly Intent[],
): Promise<boolean> {
  const nowKnown = await countKnown(ports, account, resource);
  return writes.some((intent) => {
    const { unlisted = 0, known = 0 } = readEvidence(intent) ?? {};
    return unlisted > 0 && nowKnown > known;
  });
}

/** The fantasy league of a row. */
export const leagueOf = (row: RunRow | undefined): number => Number(row?.fields?.fantasy_league_id);

/**
 * The other writes to a resource that may have been under way with a write: those that any run of the account recorded after it, and those before it that were
 * sent since a time, as far as the clock was not set.
 */
export async function writesBeside(
  { ports: { store }, account, mapping: { resource } }: StateTask,
  write: Intent,
  sinceMs: number,
): Promise<readonly StoredIntent[]> {
  const later = await store.intentsAfter(account, write.id);
  const known = new Set([write.id, ...later.map(({ id }) => id)]);
  const before: StoredIntent[] = [];
  for await (const sent of writesByRun(store, account, resource))
    before.push(...sent.filter(({ id, sentAtMs }) => sentAtMs >= sinceMs && !known.has(id)));
  return [...before, ...later].filter((intent) => intent.resource === resource);
}

/** The writes of each run of the account that may have written to a resource, the newest run first. */
export async function* writesByRun(
  store: Pick<SyncPorts['store'], 'runs' | 'intents'>,
  account: ServiceAccount,
  resource: PushMapping['resource'],
): AsyncGenerator<readonly StoredIntent[]> {
  for (const run of await runsOf(store, account))
    if (mayPush(run, resource)) yield await store.intents(run.id);
}

/** Whether a run may have written to a resource; nothing tells it of a raw call. */
function mayPush(run: Run, resource: PushMapping['resource']): boolean {
  const mappings = pushedMappings(run);
  return mappings.length === 0 || mappings.some((mapping) => mapping.resource === resource);
}

/**
 * The writes that were applied since the evidence of a write was read, by any run of the account: in the order in which they were recorded, because what was
 * sent before the evidence may have the same time, or a later one of a clock that was set back.
 */
export async function appliedSince(
  { ports: { store }, account, mapping: { resource } }: StateTask,
  { id, runId, mapping, evidence }: Intent,
): Promise<readonly StoredIntent[]> {
  // Writes of one mapping share their evidence, which was read before the first of them, and nobody else writes meanwhile.
  const shared = (await store.intents(runId)).filter(
    (intent) => intent.mapping === mapping && intent.evidence === evidence,
  );
  const later = await store.intentsAfter(account, id);
  const since = new Map([...shared, ...later].map((intent) => [intent.id, intent]));
  return [...since.values()].filter((intent) => intent.resource === resource && intent.result === 'applied');
}
