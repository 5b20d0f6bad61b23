import type { PushedResource } from '../../contract/index.ts';
import { RefusedError, UnavailableError } from '../../model/error.ts';
import type { KnownRecord } from '../../model/state/run-rows.ts';
import type { Wholeness } from '../../model/service.ts';
import type { ServiceAccount, Store } from '../../model/state/store.ts';
import { keptAsBefore, mergedOver, remembered } from '../../plan/known-records.ts';
import type { ListedResource } from '../../plan/resources/resource-plan.ts';
import { pause } from '../journal/wait-settled.ts';
import { keySpeller, learnFromIds, ownKeys } from '../rows/spelling.ts';
import type { StateTask, SyncPorts } from '../ports.ts';
import { resourcePlans } from '../../plan/resources/index.ts';
import { quotaUsed } from '../../model/quota.ts';

/** A list that does not show what was confirmed longer ago than this is no late list: the provider may have removed it. */
export const FULL_LIST_MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** When a list that comes late is read again, in parts of `settle` after its reading began: by then it shows what was written before. */
const LOOKS = [1 / 60, 1 / 12, 1 / 3, 1];

/** Waits until a list may show more; false when it had its time, or when the wait is longer than a run may pause. */
export async function waitForMore(
  ports: Pick<SyncPorts, 'clock' | 'settleMs' | 'maxWaitMs' | 'emit' | 'signal'>,
  startedAtMs: number,
  attempt: number,
  reason: string,
): Promise<boolean> {
  const { clock, settleMs, maxWaitMs = Infinity } = ports;
  const elapsedMs = clock.monotonic() - startedAtMs;
  const nextMs = LOOKS.map((part) => part * settleMs).find((atMs) => atMs > elapsedMs);
  if (nextMs === undefined) return attempt === 0;
  const waitMs = nextMs - elapsedMs;
  if (waitMs > maxWaitMs) return false;
  await pause(ports, waitMs, `${reason}; it may come late`);
  return true;
}

/** A mapping whose records the service lists. */
export interface Listing extends StateTask {
  readonly ports: Pick<SyncPorts, 'service' | 'store' | 'clock' | 'signal'>;
  readonly listed: ListedResource;
}

/** What a list is compared with and given to. */
interface WholeList {
  /** Records that the account counts; undefined where it does not say. */
  readonly used: number | undefined;
  readonly onPage: (page: ListedPage) => Promise<void> | void;
}

interface ListedPage {
  /** Under their own keys, with what the state remembers of fields that no list shows. */
  readonly records: readonly KnownRecord[];
  /** What the state knew by the keys that the list shows. */
  readonly before: ReadonlyMap<string, KnownRecord>;
  /** The records as they came. */
  readonly raw: readonly unknown[];
  /** How many came so far. */
  readonly done: number;
}

interface Whole {
  readonly pages: number;
  /** Records that do not say what they are: any key may be among them. */
  readonly nameless: number;
  /** Records that this state saw confirmed within a day and that were not listed: a list that comes late, or records that are gone. */
  readonly missing: number;
  /** Records that this state knows and that were not listed, although no counter says that they are gone: the list may end early. */
  readonly unlisted: number;
  /** The list shows that the service spells keys otherwise than was known when it was read. */
  readonly isRespelt?: true;
}

/**
 * Reads all records of a resource and confirms them in the state.
 * Errors: those of the list; UnavailableError `list.unstable` when the account's counter and the state together speak against it.
 */
export async function readWhole(listing: Listing, { used, onPage }: WholeList): Promise<Whole> {
  const startedAtMs = listing.ports.clock.now();
  const read = await readPages(listing, onPage);
  const { pages, nameless } = read;
  // Of records that do not say what they are, nothing tells whether any other one is missing.
  if (nameless > 0) return { pages, nameless, missing: 0, unlisted: 0 };
  checkCount(listing.listed, read, used);
  return { pages, nameless, ...(await weigh(listing, read, used, startedAtMs)) };
}

interface PagesRead {
  readonly pages: number;
  /** Records that say what they are. */
  readonly done: number;
  readonly nameless: number;
  /** The ids of records by their own keys; of those that share a key, the first. */
  readonly keys: ReadonlyMap<string, string | null>;
  /** The others of those that share a key. */
  readonly repeated: readonly (readonly [string, string | null])[];
  /** By the keys of records, those that the list shows for them. */
  readonly shownAs: ReadonlyMap<string, string>;
  readonly wholeness: readonly Wholeness[];
}

/** Reads the pages of a list and confirms their records in the state. */
async function readPages(listing: Listing, onPage: WholeList['onPage']): Promise<PagesRead> {
  const { ports, listed, account } = listing;
  const { resource } = listing.mapping;
  let [pages, done, nameless] = [0, 0, 0];
  const keys = new Map<string, string | null>();
  const repeated: (readonly [string, string | null])[] = [];
  const shownAs = new Map<string, string>();
  const others: KnownRecord[] = [];
  const wholeness: Wholeness[] = [];
  const spell = await keySpeller(ports, account, resource);
  const toOwnKeys = await ownKeys(ports, account, resource);
  const isEmpty = (await ports.store.countSnapshots(account, resource)) === 0;
  const onEnd = (found: Wholeness): void => {
    wholeness.push(found);
  };
  const list = ports.service.list(listed.operation, {}, ports.signal, 'fail', onEnd);
  for await (const page of readAhead(list)) {
    pages += 1;
    const shown = page.flatMap((record) => listed.known(record) ?? []);
    nameless += page.length - shown.length;
    done += shown.length;
    const before = isEmpty ? NOTHING : await knownBefore(listing, shown);
    const found = await toOwnKeys(shown, before);
    for (const record of found) {
      const spelt = spell(record.key);
      if (record.shownAs === undefined) shownAs.delete(spelt);
      else if (!keys.has(spelt)) shownAs.set(spelt, record.shownAs);
      if (keys.has(spelt)) repeated.push([spelt, record.id]);
      else keys.set(spelt, record.id);
    }
    const known = found === shown ? before : await knownBefore(listing, found);
    const records = withUnlisted(resource, found, known);
    const isOther = ({ key, id }: KnownRecord): boolean => (known.get(key)?.id ?? id) !== id;
    others.push(...records.filter(isOther));
    const kept = records.filter((record) => !isOther(record));
    await ports.store.confirm(account, resource, kept.map(remembered), true);
    await onPage({ records, before, raw: page, done });
  }
  const read = { pages, done, nameless, keys, repeated, shownAs, wholeness };
  if (others.length > 0) await confirmOthers(listing, others, read);
  return read;
}

/**
 * Confirms records under keys by which the state knew others, where those do not come any more. Of records that share a key it keeps the one that it knew, in whatever
 * order they come: what is counted as known would else change with the order, and a record that nothing explains would count as explained.
 */
async function confirmOthers(
  listing: Listing,
  others: readonly KnownRecord[],
  { keys, repeated }: Pick<PagesRead, 'keys' | 'repeated'>,
): Promise<void> {
  const { ports, account, mapping } = listing;
  const spell = await keySpeller(ports, account, mapping.resource);
  const before = await knownBefore(listing, others);
  const more = Map.groupBy(repeated, ([key]) => key);
  const comes = (key: string, wanted: string | null | undefined): boolean =>
    keys.get(key) === wanted || more.get(key)?.some(([, id]) => id === wanted) === true;
  const left = others.filter(({ key }) => !comes(spell(key), before.get(key)?.id));
  await ports.store.confirm(account, mapping.resource, left.map(remembered), true);
}

/** The same pages, each asked for before the one before it is dealt with. */
async function* readAhead<Page>(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  const iterator = pages[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      const page = await next;
      if (page.done === true) return;
      next = iterator.next();
      // What keeps it from coming is met in its turn.
      next.catch(() => undefined);
      yield page.value;
    }
  } finally {
    await iterator.return?.();
  }
}

const NOTHING: ReadonlyMap<string, KnownRecord> = new Map();

const knownBefore = (
  { ports, account, mapping }: Listing,
  records: readonly KnownRecord[],
): Promise<ReadonlyMap<string, KnownRecord>> =>
  ports.store.snapshots(
    account,
    mapping.resource,
    records.map(({ key }) => key),
  );

const tooFew = ({ done }: PagesRead, used: number | undefined): boolean => used !== undefined && used > done;

const unstable = (
  { several }: ListedResource,
  { done }: PagesRead,
  used: number | undefined,
): UnavailableError =>
  new UnavailableError(
    'list.unstable',
    `the account counts ${used ?? 'no'} ${several} and the list shows ${done}`,
  );

/** Errors: UnavailableError `list.unstable` where the account's counter alone speaks against a list. */
function checkCount(listed: ListedResource, read: PagesRead, used: number | undefined): void {
  // A list that ignores `page` and states no total looks whole, and so does one that comes late: nothing may be forgotten for it.
  const isShort = tooFew(read, used) && !read.wholeness.includes('stated');
  // One page that comes again may be all, or the first of many.
  const isDoubtful = used !== read.done && read.wholeness.includes('doubtful');
  if (isShort || isDoubtful) throw unstable(listed, read, used);
}

/** Compares a list with what the state knows: learns from it, and forgets what it and the counter show to be gone. */
async function weigh(
  listing: Listing,
  read: PagesRead,
  used: number | undefined,
  startedAtMs: number,
): Promise<Pick<Whole, 'missing' | 'unlisted' | 'isRespelt'>> {
  const { ports, listed, account } = listing;
  const { resource } = listing.mapping;
  const { done, keys, repeated, shownAs, wholeness } = read;
  const countMore = async (): Promise<number> =>
    Math.max(0, (await ports.store.countSnapshots(account, resource)) - keys.size);
  // What is known and not listed may be listed under another spelling of its key.
  const isMissing = (await countMore()) > 0;
  const { byWord, twice } = isMissing ? await keepShown(listing, read) : { byWord: 0, twice: 0 };
  const shown = [...keys, ...repeated].map(([key, id]) => [shownAs.get(key) ?? key, id] as const);
  const isListed = (key: string): boolean => keys.has(key) && !shownAs.has(key);
  const isRespelt =
    (isMissing || shownAs.size > 0) && (await learnFromIds(ports, account, resource, isListed, shown));
  // A clock that was set back meanwhile makes what was just confirmed look old.
  const sinceMs = Math.min(startedAtMs, ports.clock.now()) - FULL_LIST_MAX_AGE_MS;
  // A list that moved while it was read shows one record twice, and leaves another one out.
  const hasMoved = repeated.some(([key, id]) => keys.get(key) === id);
  // A counter that stays at 0 counts nothing.
  const agrees = done > 0 && used === done && !hasMoved;
  // What came while the list was read may stand in it in the place of what it left out: the counter tells, once it is read again.
  const areGone = agrees && (!isMissing || quotaUsed(await ports.service.account(), listed.feature) === done);
  // Nothing that was confirmed within a day went unnoticed.
  if (areGone) await ports.store.forgetOlder(account, resource, sinceMs);
  const more = await countMore();
  // The counter may count what is gone.
  const missing = more === 0 ? 0 : await countMissing(listing, read, sinceMs);
  if (tooFew(read, used) && missing > 0) throw unstable(listed, read, used);
  // A counter that comes late agrees with a first page that shows as little.
  if (wholeness.includes('doubtful') && missing > 0)
    throw new UnavailableError(
      'list.unstable',
      `the list repeats a page and does not show ${missing} of the ${listed.several} that were confirmed`,
    );
  await rememberCount(listing, 'repeated', done - keys.size);
  await rememberCount(listing, 'twice', isRespelt ? 0 : twice);
  return { missing, unlisted: areGone ? byWord : more, ...(isRespelt && { isRespelt }) };
}

const listedIds = ({ keys, repeated }: PagesRead): ReadonlySet<string | null> =>
  new Set([...keys.values(), ...repeated.map(([, id]) => id)]);

/** What the list shows under another key is not missing, nor is what is there by the operator's word alone. */
async function countMissing(
  { ports, account, mapping }: Listing,
  read: PagesRead,
  sinceMs: number,
): Promise<number> {
  const ids = listedIds(read);
  let count = 0;
  for await (const page of ports.store.allSnapshots(account, mapping.resource, sinceMs))
    count += page.filter(({ id }) => id !== null && !ids.has(id)).length;
  return count;
}

/**
 * Confirms again what the list shows under the keys of other records, which were confirmed with the same ids; and what is there by the operator's word alone:
 * the list may show it under any key. Answers how many there are of each.
 */
async function keepShown(
  { ports: { store }, account, mapping: { resource } }: Listing,
  read: PagesRead,
): Promise<{ readonly byWord: number; readonly twice: number }> {
  const ids = listedIds(read);
  let [byWord, all] = [0, 0];
  for await (const page of store.allSnapshots(account, resource)) {
    const kept = page.filter(({ key, id }) => !read.keys.has(key) && (id === null || ids.has(id)));
    byWord += kept.filter(({ id }) => id === null).length;
    all += kept.length;
    if (kept.length > 0) await store.confirm(account, resource, kept);
  }
  return { byWord, twice: all - byWord };
}

/** The state counts keys: of records that share one it counts the first, and a record that it knows by two keys it counts twice. */
type Miscounted = 'repeated' | 'twice';

async function rememberCount(
  { ports, account, mapping }: Listing,
  name: Miscounted,
  count: number,
): Promise<void> {
  const { resource } = mapping;
  if (count !== (await readCount(ports.store, account, resource, name)))
    await ports.store.setFact(account, `${name}:${resource}`, String(count));
}

const readCount = async (
  store: Store,
  service: ServiceAccount,
  resource: PushedResource,
  name: Miscounted,
): Promise<number> => Number((await store.fact(service, `${name}:${resource}`))?.value ?? 0);

/** Records of a resource that are known to be there: those that were confirmed, and those that share their keys with them in the last list. */
export const countKnown = async (
  { store }: Pick<SyncPorts, 'store'>,
  service: ServiceAccount,
  resource: PushedResource,
): Promise<number> =>
  (await store.countSnapshots(service, resource)) + (await readCount(store, service, resource, 'repeated'));

/** Of what {@link countKnown} counts, those that the last list showed under another key that is known too. A write is judged with them: they were counted before it. */
export const countTwice = (
  { store }: Pick<SyncPorts, 'store'>,
  service: ServiceAccount,
  resource: PushedResource,
): Promise<number> => readCount(store, service, resource, 'twice');

/** Whether a service that answers otherwise lets itself not be listed: it refuses, also in words of its own, or what it says does not add up. */
export const isUnlistable = (error: unknown): error is UnavailableError | RefusedError =>
  error instanceof RefusedError ||
  (error instanceof UnavailableError &&
    (error.code === 'list.unstable' || error.code === 'service.no_envelope'));

/** The listed records with what this state remembers of them and no list shows. */
function withUnlisted(
  resource: PushedResource,
  found: readonly KnownRecord[],
  before: ReadonlyMap<string, KnownRecord>,
): readonly KnownRecord[] {
  const hasHidden = resourcePlans[resource].hidden.length > 0;
  return found.map((record) => {
    const known = before.get(record.key);
    if (known === undefined || known.id !== record.id) return record;
    return keptAsBefore(known, hasHidden ? mergedOver(known, record) : record);
  });
}
