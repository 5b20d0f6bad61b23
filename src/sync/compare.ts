import type { Account } from '../contract/resources/account.ts';
import type { PushMapping } from '../mapping/mapping.ts';
import type { TeamsheetError } from '../model/error.ts';
import { RefusedError, StoppedError, UnavailableError, UsageError } from '../model/error.ts';
import type { KnownRecord, RunRows } from '../model/run-rows.ts';
import type { Wholeness } from '../model/service.ts';
import type { ServiceAccount } from '../model/store.ts';
import { quotaUsed } from '../plan/quota.ts';
import { knownUser, remembered } from '../plan/requests.ts';
import { openWrites } from './open-writes.ts';
import type { PlanOptions, SyncPorts } from './sync.ts';

type Known = ReadonlyMap<string, readonly KnownRecord[]>;

/** What a mapping's rows are compared with. */
export interface Comparison {
  /** Known records by key. */
  lookup(keys: readonly string[]): Promise<Known>;
  /** Records known in all; 0 before the first push. */
  readonly known: number;
  /** For people: what it was, and how old. */
  readonly described: string;
  /** Set when a key that is not known may exist all the same, so that its row must wait. */
  readonly unknownKeysWait?: string;
  /** Keys with a write that was never answered and cannot be read back, and why their rows must wait. */
  readonly unanswered?: ReadonlyMap<string, string>;
  readonly stop?: TeamsheetError;
}

type ComparePorts = Pick<SyncPorts, 'service' | 'store' | 'clock' | 'emit' | 'signal' | 'settleMs'>;

/** The facts that a full list leaves behind. */
interface ListFact {
  readonly count: number;
  readonly used: number | undefined;
  readonly pages: number;
}

const FULL_LIST_MAX_AGE_MS = 24 * 60 * 60 * 1000;
/** `compare: auto` lists the service when that costs at most this many requests. */
const CHEAP_LIST_REQUESTS = 10;

/**
 * Finds what the rows of a mapping are compared with (push-protocol.md, "What is known already"). Only reads.
 * Errors: those of listing; UsageError `compare.not_yet` for a way that the resource does not have.
 */
export async function prepareComparison(
  ports: ComparePorts,
  mapping: PushMapping,
  account: Account,
  service: ServiceAccount,
  rows: RunRows,
  options: Pick<PlanOptions, 'compare' | 'adopt'>,
): Promise<Comparison> {
  const wanted = options.compare ?? mapping.compare;
  if (mapping.resource === 'users') return compareUsers(ports, mapping, account, service, rows, wanted);
  const comparison = await compareOthers(ports, mapping, service, options.adopt, wanted);
  return { ...comparison, unanswered: await unansweredKeys(ports, mapping, service) };
}

/** Resources without a list to compare with or to read back from. */
async function compareOthers(
  ports: ComparePorts,
  mapping: PushMapping,
  service: ServiceAccount,
  adopt: boolean,
  wanted: PushMapping['compare'],
): Promise<Comparison> {
  if (wanted === 'none') return nothingKnown('compared with nothing, as compare: none says');
  if (wanted === 'live') {
    throw new UsageError(
      'compare.not_yet',
      `${mapping.name}: compare: live is not there yet for ${mapping.resource}; use snapshot or none`,
    );
  }
  const comparison = await fromSnapshots(ports, mapping, service, 'compared with the last confirmed push');
  if (mapping.resource !== 'prices' || comparison.known > 0 || adopt) return comparison;
  const stop = await pricesWithoutMemory(ports, mapping);
  return stop === undefined ? comparison : { ...comparison, stop };
}

async function unansweredKeys(
  ports: ComparePorts,
  { resource }: PushMapping,
  service: ServiceAccount,
): Promise<ReadonlyMap<string, string>> {
  const open = await openWrites(ports, service, resource);
  return new Map(
    open.flatMap(({ keys, runId }) =>
      keys.map((key) => [
        key,
        `an earlier write of it (run ${runId}) has no trustworthy answer and cannot be read back; it is not sent again`,
      ]),
    ),
  );
}

const nothingKnown = (described: string): Comparison => ({
  lookup: () => Promise.resolve(new Map()),
  known: 0,
  described,
});

async function fromSnapshots(
  ports: ComparePorts,
  mapping: PushMapping,
  service: ServiceAccount,
  described: string,
): Promise<Comparison> {
  const known = await ports.store.countSnapshots(service, mapping.resource);
  return {
    lookup: async (keys) => {
      const found = await ports.store.snapshots(service, mapping.resource, keys);
      return new Map([...found].map(([key, record]) => [key, [record]]));
    },
    known,
    described: known === 0 ? 'nothing was pushed yet' : described,
  };
}

/** A state without a single confirmed price must not upload over a log that has some: it may be a lost state, and `type` may be a delta. */
async function pricesWithoutMemory(
  ports: ComparePorts,
  mapping: PushMapping,
): Promise<StoppedError | undefined> {
  const log = await ports.service.get('list-prices', { query: {} });
  if (log.records.length === 0) return undefined;
  return new StoppedError(
    'state.no_memory',
    `${mapping.name}: the service has price uploads, but this state remembers none, so it cannot tell which prices are already there`,
    { next: 'restore the state file, or add --adopt to upload all prices of the source again' },
  );
}

async function compareUsers(
  ports: ComparePorts,
  mapping: PushMapping,
  account: Account,
  service: ServiceAccount,
  rows: RunRows,
  wanted: PushMapping['compare'],
): Promise<Comparison> {
  const used = quotaUsed(account, 'users');
  const confirmed = await ports.store.countSnapshots(service, 'users');
  const open = await openWrites(ports, service, 'users');
  // The counter may lag: it proves nothing about what this state itself wrote.
  if (used === 0 && confirmed === 0 && open.length === 0) {
    return nothingKnown('the account holds no users yet');
  }
  if (wanted === 'none') {
    throw new UsageError(
      'compare.none',
      `${mapping.name}: users are never pushed without a comparison; use auto, live or snapshot`,
    );
  }
  const last = await lastList(ports, service);
  const snapshot = async (): Promise<Comparison> =>
    fromSnapshots(
      ports,
      mapping,
      service,
      `compared with the users confirmed by a list of ${ageOf(last, ports.clock.now())} ago and the pushes since`,
    );
  const settled = !open.some(({ operation }) => operation === 'create-users');
  const auto =
    wanted === 'auto' && last !== undefined && prefersSnapshot(last, used, confirmed, ports.clock.now());
  // Only a list can tell what became of a create without an answer.
  if (settled && (wanted === 'snapshot' || auto)) return snapshot();
  try {
    return await listUsers(ports, mapping, service, rows, used);
  } catch (error) {
    const unlistable =
      error instanceof RefusedError || (error instanceof UnavailableError && error.code === 'list.unstable');
    if (!unlistable) throw error;
    ports.emit({
      kind: 'warning',
      message: `${mapping.name}: the service's users could not be listed (${error.message})`,
    });
    return {
      ...(await snapshot()),
      unknownKeysWait: 'the service could not be listed, so it is not known whether this user exists',
    };
  }
}

type LastList = ListFact & { readonly atMs: number };

async function lastList(ports: ComparePorts, service: ServiceAccount): Promise<LastList | undefined> {
  const fact = await ports.store.fact(service, 'list:users');
  return fact === undefined ? undefined : { ...(JSON.parse(fact.value) as ListFact), atMs: fact.atMs };
}

/** Live while it is cheap or the last list is old; else the snapshot as long as the counter shows that nobody else created users. */
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

/** A function, because the compiler does not see what a callback assigns. */
const isAssumed = (wholeness: Wholeness): boolean => wholeness === 'assumed';

async function listUsers(
  ports: ComparePorts,
  mapping: PushMapping,
  service: ServiceAccount,
  rows: RunRows,
  used: number | undefined,
): Promise<Comparison> {
  const startedAtMs = ports.clock.now();
  let pages = 0;
  let listed = 0;
  let wholeness: Wholeness = 'assumed';
  const onEnd = (found: Wholeness): void => {
    wholeness = found;
  };
  for await (const users of ports.service.list('list-users', {}, ports.signal, 'fail', onEnd)) {
    pages += 1;
    const records = users.map(knownUser);
    listed += records.length;
    await rows.addKnown(mapping.name, records);
    await ports.store.confirm(service, 'users', records.map(remembered));
    ports.emit({
      kind: 'progress',
      mapping: mapping.name,
      done: listed,
      total: used ?? 0,
      unit: 'users listed',
    });
  }
  const known = await rows.countKnown(mapping.name);
  // Nothing that was confirmed within a day went unnoticed; what is older may have been removed.
  await ports.store.forgetOlder(service, 'users', startedAtMs - FULL_LIST_MAX_AGE_MS);
  const missing = (await ports.store.countSnapshots(service, 'users')) - known;
  // The counter may count what is gone. But a list that ignores `page` and states no total looks whole, and so does one that comes late.
  if (used !== undefined && used > listed && (missing > 0 || isAssumed(wholeness))) {
    throw new UnavailableError(
      'list.unstable',
      `the account counts ${used} users and the list shows ${listed}`,
    );
  }
  // What was confirmed a moment ago exists, even when the list does not show it yet.
  await ports.store.forgetOlder(service, 'users', startedAtMs - ports.settleMs);
  const fact: ListFact = { count: known, used, pages };
  await ports.store.setFact(service, 'list:users', JSON.stringify(fact));
  return {
    lookup: async (keys) => {
      const found = await rows.known(mapping.name, keys);
      const absent = keys.filter((key) => !found.has(key));
      const recent = await ports.store.snapshots(service, 'users', absent);
      return new Map([...found, ...[...recent].map(([key, record]) => [key, [record]] as const)]);
    },
    known,
    described: `compared with ${known} users read now`,
  };
}
