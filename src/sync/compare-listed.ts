import type { Account } from '../contract/resources/account.ts';
import type { PushMapping } from '../mapping/mapping.ts';
import { RefusedError, UnavailableError, UsageError } from '../model/error.ts';
import type { KnownRecord, RunRows } from '../model/run-rows.ts';
import type { Wholeness } from '../model/service.ts';
import type { ServiceAccount } from '../model/store.ts';
import { remembered } from '../plan/known-records.ts';
import { HIDDEN_FIELDS, type ListedResource } from '../plan/listed.ts';
import { quotaUsed } from '../plan/quota.ts';
import { fromSnapshots, nothingKnown, type ComparePorts, type Comparison } from './compare.ts';
import { openWrites } from './open-writes.ts';

/** The facts that a full list leaves behind. */
interface ListFact {
  readonly count: number;
  readonly used: number | undefined;
  readonly pages: number;
}
type LastList = ListFact & { readonly atMs: number };

const FULL_LIST_MAX_AGE_MS = 24 * 60 * 60 * 1000;
/** `compare: auto` lists the service when that costs at most this many requests. */
const CHEAP_LIST_REQUESTS = 10;

/** Finds what rows of a resource that the service lists are compared with: the list, or the last confirmed state. */
export async function compareListed(
  ports: ComparePorts,
  mapping: PushMapping,
  listed: ListedResource,
  account: Account,
  service: ServiceAccount,
  rows: RunRows,
  wanted: PushMapping['compare'],
): Promise<Comparison> {
  const { resource } = mapping;
  const used = quotaUsed(account, listed.feature);
  const confirmed = await ports.store.countSnapshots(service, resource);
  const open = await openWrites(ports, service, resource);
  // The counter may lag: it proves nothing about what this state itself wrote.
  if (used === 0 && confirmed === 0 && open.length === 0) {
    return nothingKnown(`the account holds no ${listed.several} yet`);
  }
  if (wanted === 'none') {
    throw new UsageError(
      'compare.none',
      `${mapping.name}: ${listed.several} are never pushed without a comparison; use auto, live or snapshot`,
    );
  }
  const last = await lastList(ports, service, mapping);
  const snapshot = async (): Promise<Comparison> =>
    fromSnapshots(
      ports,
      mapping,
      service,
      `compared with the ${listed.several} confirmed by a list of ${ageOf(last, ports.clock.now())} ago and the pushes since`,
    );
  const settled = !open.some(({ operation }) => operation !== 'update-user');
  const auto =
    wanted === 'auto' && last !== undefined && prefersSnapshot(last, used, confirmed, ports.clock.now());
  // Only a list can tell what became of a create without an answer.
  if (settled && (wanted === 'snapshot' || auto)) return snapshot();
  const fallBack = async (reason: string): Promise<Comparison> => {
    const message = `${mapping.name}: the service's ${listed.several} could not be listed (${reason})`;
    ports.emit({ kind: 'warning', message });
    const wait = `the service could not be listed, so it is not known whether this ${listed.one} exists`;
    return { ...(await snapshot()), unknownKeysWait: wait };
  };
  try {
    const { comparison, nameless } = await listAll(ports, mapping, listed, service, rows, used);
    return nameless === 0 ? comparison : await fallBack(`${nameless} of them do not say what they are`);
  } catch (error) {
    const unlistable =
      error instanceof RefusedError || (error instanceof UnavailableError && error.code === 'list.unstable');
    if (!unlistable) throw error;
    return fallBack(error.message);
  }
}

const factName = ({ resource }: PushMapping): string => `list:${resource}`;

async function lastList(
  ports: ComparePorts,
  service: ServiceAccount,
  mapping: PushMapping,
): Promise<LastList | undefined> {
  const fact = await ports.store.fact(service, factName(mapping));
  return fact === undefined ? undefined : { ...(JSON.parse(fact.value) as ListFact), atMs: fact.atMs };
}

/** Live while it is cheap or the last list is old; else the snapshot as long as the counter shows that nobody else created records. */
function prefersSnapshot(
  last: LastList,
  used: number | undefined,
  confirmed: number,
  nowMs: number,
): boolean {
  if (last.pages <= CHEAP_LIST_REQUESTS || nowMs - last.atMs > FULL_LIST_MAX_AGE_MS) return false;
  return used !== undefined && used === confirmed;
}

function ageOf(last: LastList | undefined, nowMs: number): string {
  if (last === undefined) return 'unknown age';
  const minutes = Math.max(0, Math.round((nowMs - last.atMs) / 60_000));
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

async function listAll(
  ports: ComparePorts,
  mapping: PushMapping,
  listed: ListedResource,
  service: ServiceAccount,
  rows: RunRows,
  used: number | undefined,
): Promise<{ readonly comparison: Comparison; readonly nameless: number }> {
  const { name, resource } = mapping;
  const startedAtMs = ports.clock.now();
  let [pages, done, nameless] = [0, 0, 0];
  let wholeness: Wholeness = 'assumed';
  const onEnd = (found: Wholeness): void => {
    wholeness = found;
  };
  for await (const page of ports.service.list(listed.operation, {}, ports.signal, 'fail', onEnd)) {
    pages += 1;
    const found = page.flatMap((record) => listed.known(record) ?? []);
    nameless += page.length - found.length;
    done += found.length;
    const records = await withHidden(ports, service, mapping, found);
    await rows.addKnown(name, records);
    await ports.store.confirm(service, resource, records.map(remembered));
    const unit = `${listed.several} listed`;
    ports.emit({ kind: 'progress', mapping: name, done, total: used ?? 0, unit });
  }
  const known = await rows.countKnown(name);
  if (nameless === 0) {
    // Nothing that was confirmed within a day went unnoticed; what is older may have been removed.
    await ports.store.forgetOlder(service, resource, startedAtMs - FULL_LIST_MAX_AGE_MS);
    const missing = (await ports.store.countSnapshots(service, resource)) - known;
    // The counter may count what is gone. But a list that ignores `page` and states no total looks whole, and so does one that comes late.
    if (used !== undefined && used > done && (missing > 0 || isAssumed(wholeness))) {
      throw new UnavailableError(
        'list.unstable',
        `the account counts ${used} ${listed.several} and the list shows ${done}`,
      );
    }
    // What was confirmed a moment ago exists, even when the list does not show it yet.
    await ports.store.forgetOlder(service, resource, startedAtMs - ports.settleMs);
  }
  const fact: ListFact = { count: known, used, pages };
  await ports.store.setFact(service, factName(mapping), JSON.stringify(fact));
  const described = `compared with ${known} ${listed.several} read now`;
  return {
    comparison: { lookup: (keys) => knownOrRecent(ports, service, mapping, rows, keys), known, described },
    nameless,
  };
}

/** A function, because the compiler does not see what a callback assigns. */
const isAssumed = (wholeness: Wholeness): boolean => wholeness === 'assumed';

/** The listed records of the keys, and those that were confirmed so lately that the list may not show them yet. */
async function knownOrRecent(
  { store }: Pick<ComparePorts, 'store'>,
  service: ServiceAccount,
  { name, resource }: PushMapping,
  rows: RunRows,
  keys: readonly string[],
): ReturnType<Comparison['lookup']> {
  const found = await rows.known(name, keys);
  const absent = keys.filter((key) => !found.has(key));
  const recent = await store.snapshots(service, resource, absent);
  return new Map([...found, ...[...recent].map(([key, record]) => [key, [record]] as const)]);
}

/** The listed records with what this state remembers of the fields that no list shows. */
async function withHidden(
  ports: ComparePorts,
  service: ServiceAccount,
  { resource }: PushMapping,
  found: readonly KnownRecord[],
): Promise<readonly KnownRecord[]> {
  if (HIDDEN_FIELDS[resource] === undefined) return found;
  const keys = found.map(({ key }) => key);
  const before = await ports.store.snapshots(service, resource, keys);
  return found.map((record) => {
    const remembers = before.get(record.key);
    if (remembers === undefined || remembers.id !== record.id) return record;
    return {
      ...record,
      digests: { ...remembers.digests, ...record.digests },
      values: { ...remembers.values, ...record.values },
    };
  });
}
