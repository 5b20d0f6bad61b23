import { isChange } from '../../contract/index.ts';
import { show } from '../../mapping/show.ts';
import { type StoppedError, UsageError } from '../../model/error.ts';
import type { KnownRecord, RunRows } from '../../model/state/run-rows.ts';
import type { Said } from '../../model/said.ts';
import type { ListedResource } from '../../plan/resources/resource-plan.ts';
import { renderCount, renderCountOf } from '../../model/count.ts';
import { quotaUsed } from '../../model/quota.ts';
import { confirmedSince, fromSnapshots, hasUnknownKeys, noMemory, nothingKnown } from '../evidence/memory.ts';
import type { Comparison, ReadTask, StateTask } from '../ports.ts';
import { countsMore, countStrange } from '../evidence/pre-image.ts';
import type { ComparisonAsked } from '../resources/strategy.ts';
import { openWrites, unansweredKeys } from '../journal/open-writes.ts';
import { rowPages } from '../rows/row-pages.ts';
import { keySpeller } from '../rows/spelling.ts';
import { newestWrite } from '../evidence/last-write.ts';
import {
  countKnown,
  countTwice,
  FULL_LIST_MAX_AGE_MS,
  isUnlistable,
  type Listing,
  readWhole,
  waitForMore,
} from '../evidence/full-list.ts';
import { openStrangers } from './strangers.ts';
import { addShown, forgetShown, shownUnder } from './shown-as.ts';
import { wasNamedOtherwise } from '../../plan/reconcile/seen.ts';
import { resourcePlans } from '../../plan/resources/index.ts';

/** Records that are known to be there, each once, whatever keys it is known by. */
const countRecords = async (...of: Parameters<typeof countKnown>): Promise<number> =>
  (await countKnown(...of)) - (await countTwice(...of));

/** The facts that a full list leaves behind. */
interface ListFact {
  readonly count: number;
  readonly used: number | undefined;
  readonly pages: number;
  /** Records that it showed under keys which are not theirs. */
  readonly shownAs?: number;
}
type LastList = ListFact & { readonly atMs: number };

/** `compare: auto` lists the service when that costs at most this many requests. */
const CHEAP_LIST_REQUESTS = 10;

/** A mapping whose rows are compared with records that the service lists. */
type ReadListing = ReadTask & Listing;

/** The same while its list is read. */
interface OpenListing extends ReadListing {
  readonly rows: RunRows;
  readonly adopt: boolean;
}

/** Finds what rows of a resource that the service lists are compared with: the list, or the last confirmed state. */
export async function compareListed(
  { ports, mapping, account, record, rows, wanted, options: { adopt } }: ComparisonAsked,
  listed: ListedResource,
): Promise<Comparison> {
  const { resource } = mapping;
  const listing = { ports, mapping, listed, account, rows, adopt };
  const used = quotaUsed(record, listed.feature);
  const confirmed = await ports.store.countSnapshots(account, resource);
  const open = await openWrites(ports, account, resource);
  // The counter may lag: it proves nothing about what this state itself wrote.
  if (used === 0 && confirmed === 0 && open.length === 0) {
    return nothingKnown(noneThere(listed));
  }
  if (wanted === 'none') {
    throw new UsageError(
      'compare.none',
      `${mapping.name}: ${listed.several} are never pushed without a comparison; use auto, live or snapshot`,
    );
  }
  const last = await lastList(listing);
  const snapshot = (): Promise<Comparison> => fromList(listing, last);
  const auto =
    wanted === 'auto' && last !== undefined && prefersSnapshot(last, used, confirmed, ports.clock.now());
  // Only a list can tell what became of a write without an answer: a change may have come through that the memory does not know.
  if (open.length === 0 && (wanted === 'snapshot' || auto)) {
    const compared = await snapshot();
    // A row whose key is not known may be a record that the list shows under it.
    const isShown = last?.shownAs !== undefined && (await hasUnknownKeys(mapping, rows, compared));
    if (!isShown && !(await mayBeOlder(listing, compared, used))) return compared;
  }
  const warn = (reason: string): void => {
    const message = `${mapping.name}: the service's ${listed.several} could not be listed (${reason})`;
    ports.emit({ kind: 'warning', message });
  };
  const wait: Said = { code: 'list-unread', what: listed.one };
  const fallBack = async (reason: string): Promise<Comparison> => {
    warn(reason);
    const compared = withListedTwice(listing, await snapshot());
    // The account counts as many as are known here, so that whatever is not known is new.
    const known = compared.known - (await countTwice(ports, account, resource));
    if (open.length === 0 && used === known && last?.shownAs === undefined) return compared;
    const changes = open.filter(({ operation }) => isChange(operation));
    const unanswered = await unansweredKeys(ports, account, resource, changes);
    return { ...compared, unknownKeysWait: wait, unanswered };
  };
  try {
    const { comparison, nameless } = await listRemembered(listing, used);
    if (comparison.stop !== undefined) return comparison;
    if (nameless > 0) return await fallBack(`${nameless} of them have no key`);
    const creates = open.filter(({ operation }) => !isChange(operation));
    // What came since and nobody knows may be what they made, and so may what an answer showed under other keys.
    const isOther = wasNamedOtherwise(creates);
    if (isOther || (await countStrange(listing, creates)) > 0)
      return { ...comparison, unanswered: await unansweredKeys(ports, account, resource, creates) };
    if (!(await countsMore(listing, used, creates))) return comparison;
    warn('the account counts more that is not listed than before a write without an answer');
    // What is listed is known, and may be there twice.
    return { ...comparison, unknownKeysWait: wait };
  } catch (error) {
    if (!isUnlistable(error)) throw error;
    return fallBack(error.message);
  }
}

export const noneThere = ({ several }: ListedResource): string => `the account has no ${several} yet`;

/** What this state knows since the last list. */
function fromList(listing: ReadListing, last: LastList | undefined, counted?: number): Promise<Comparison> {
  const { ports, listed } = listing;
  const age = ageOf(last, ports.clock.now());
  const described = `compared with the ${listed.several} that were listed ${age}, and with what was pushed since`;
  return fromSnapshots(listing, described, counted);
}

/** What {@link compareListed} answers without a list where the account counts just the records that this state knows and no write is open; undefined where it lists. */
export async function rememberedList(
  listing: ReadListing,
  wanted: 'auto' | 'snapshot',
  counted: number,
): Promise<Comparison | undefined> {
  const last = await lastList(listing);
  const { ports, account, mapping } = listing;
  if (last?.shownAs !== undefined || (await countTwice(ports, account, mapping.resource)) > 0)
    return undefined;
  const isRecent = last !== undefined && prefersSnapshot(last, 0, 0, ports.clock.now());
  return wanted === 'snapshot' || isRecent ? fromList(listing, last, counted) : undefined;
}

/** The same, but for the keys that the list showed for several records: however much of it came, none of those is the one to change. */
function withListedTwice(listing: OpenListing, { knownWith: _, ...compared }: Comparison): Comparison {
  return {
    ...compared,
    lookup: async (keys) => {
      const spell = await keySpeller(listing.ports, listing.account, listing.mapping.resource);
      const listed = [...(await listedOf(listing, keys, spell))];
      const twice = listed.filter(([, records]) => records.length > 1);
      return new Map([...(await compared.lookup(keys)), ...twice]);
    },
  };
}

/**
 * Whether a row whose key this state does not know may have a record all the same, because the account counts more records than are known: an older copy of the state
 * may have come in its place. Says that the list is read then, whatever the mapping compares with.
 */
async function mayBeOlder(
  { ports, mapping, listed: { one, several }, account, rows }: OpenListing,
  compared: Comparison,
  used = 0,
): Promise<boolean> {
  const more = used - (await countRecords(ports, account, mapping.resource));
  if (more <= 0 || !(await hasUnknownKeys(mapping, rows, compared))) return false;
  ports.emit({
    kind: 'note',
    message: `${mapping.name}: the account counts ${renderCountOf(more, one, several)} more than this state knows, so that the list is read before new ones are sent`,
  });
  return true;
}

const factName = ({ resource }: StateTask['mapping']): string => `list:${resource}`;

/** Pages of the last full list of a mapping's records; 1 where there was none. */
export const listPages = async (task: StateTask): Promise<number> => (await lastList(task))?.pages ?? 1;

/** Remembers with the first write what the operator vouched for: that none of the records which the account counts and no list shows is one of the rows. */
export async function rememberAdopted(task: StateTask, used: number | undefined): Promise<void> {
  const { ports, account, mapping } = task;
  if (resourcePlans[mapping.resource].listed === undefined || used === undefined) return;
  const fact = { pages: 1, ...(await lastList(task)) };
  const count = await countRecords(ports, account, mapping.resource);
  await ports.store.setFact(account, factName(mapping), JSON.stringify({ ...fact, count, used }));
}

/** What the last full list of a mapping's records left behind. */
export async function lastList(task: StateTask): Promise<LastList | undefined> {
  const { ports, account, mapping } = task;
  const fact = await ports.store.fact(account, factName(mapping));
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
  if (last === undefined) return 'at an unknown time';
  const minutes = Math.max(0, Math.round((nowMs - last.atMs) / 60_000));
  if (minutes === 0) return 'just now';
  return minutes < 120 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
}

interface ListRead {
  readonly comparison: Comparison;
  /** Records that do not say what they are. */
  readonly nameless: number;
  readonly fact: ListFact;
}

/**
 * Lists the service, again and again while the account counts more than the list shows and this state remembers nothing that explains it: the state may be lost, and
 * the list may come late. Where it stays so, rows that would be created stop the push, unless the operator vouches for them.
 */
async function listRemembered(listing: OpenListing, counted: number | undefined): Promise<ListRead> {
  const { ports, mapping, listed, account, rows, adopt } = listing;
  const startedAtMs = ports.clock.monotonic();
  const { name, resource } = mapping;
  const last = await lastList(listing);
  // What the account counted beyond the list that was believed last, such as records that were removed.
  const unlistedBefore = Math.max(0, (last?.used ?? 0) - (last?.count ?? 0));
  let used = counted;
  for (let attempt = 0; ; attempt += 1) {
    const read = await listAll(listing, used);
    const shown = await countRecords(ports, account, resource);
    if (used === undefined || used - shown <= unlistedBefore) {
      await ports.store.setFact(account, factName(mapping), JSON.stringify(read.fact));
      return read;
    }
    // What is not explained now is not explained the next time either.
    if (adopt || read.nameless > 0 || !(await hasUnknownKeys(mapping, rows, read.comparison))) return read;
    const short = `${name}: the account counts ${renderCountOf(used, listed.one, listed.several)} and the list shows ${renderCount(shown)}`;
    if (!(await waitForMore(ports, startedAtMs, attempt, short)))
      return { ...read, comparison: { ...read.comparison, stop: notRemembered(short) } };
    used = quotaUsed(await ports.service.account(), listed.feature);
    await rows.restart(name);
  }
}

const notRemembered = (short: string): StoppedError =>
  noMemory(
    `${short}, and this state does not know the others: the list may come late, another copy of the state may have created them, or they were removed`,
    (add) =>
      `restore the state file, or wait and push again; where none of the rows can be there already, ${add} --adopt`,
  );

async function listAll(listing: OpenListing, used: number | undefined): Promise<ListRead> {
  const { ports, mapping, listed, account, rows, adopt } = listing;
  const { name, resource } = mapping;
  const startedAtMs = ports.clock.now();
  const spell = await keySpeller(ports, account, resource);
  const hasWritten = (await newestWrite(listing, () => true)) !== undefined;
  const strangers = openStrangers(mapping, listed, !hasWritten);
  let shownAs = 0;
  await forgetShown(rows, mapping);
  const { pages, nameless, unlisted, isRespelt } = await readWhole(listing, {
    used,
    onPage: async ({ records, before, done }) => {
      await rows.addKnown(
        name,
        records.map((record) => ({ ...record, key: spell(record.key) })),
      );
      strangers.add(records, before);
      shownAs += await addShown(rows, mapping, records, spell);
      const unit = `${listed.several} listed`;
      // The account may count late, or what it counted may have come on since.
      const total = used !== undefined && used >= done ? { total: used } : {};
      ports.emit({ kind: 'progress', mapping: name, done, ...total, unit });
    },
  });
  if (isRespelt) {
    // The list showed how the service spells keys: what was read is put under them again.
    await rows.restart(name);
    return listAll(listing, used);
  }
  const known = await rows.countKnown(name);
  // What was confirmed a moment ago exists, even when the list does not show it yet.
  const sinceMs = Math.min(startedAtMs, ports.clock.now()) - ports.settleMs;
  if (nameless === 0 && unlisted === 0) await ports.store.forgetOlder(account, resource, sinceMs);
  const isShown = unlisted === 0 ? () => true : await confirmedSince(ports, account, resource, sinceMs);
  if (!adopt && unlisted > 0) await warnOfUnlisted(listing, isShown);
  const described = `compared with ${known} ${listed.several} read now`;
  return {
    comparison: {
      lookup: (keys) => knownOrConfirmed(listing, keys, adopt ? isShown : () => true),
      known,
      described,
      // A whole state knows its own records, whatever keys the list shows for them.
      ...((!hasWritten || (shownAs > 0 && !adopt)) && { strangers: await strangers.besideRows(rows) }),
      ...(hasWritten && { isWritten: true as const }),
    },
    nameless,
    fact: { count: known, used, pages, ...(shownAs > 0 && { shownAs }) },
  };
}

/** Says of which rows the records were confirmed once and are not listed any more. */
async function warnOfUnlisted(
  { ports, mapping: { name, resource }, listed: { one, several }, account, rows }: OpenListing,
  isShown: (key: string) => boolean,
): Promise<void> {
  let count = 0;
  let first = '';
  for await (const page of rowPages(rows, name, { change: 'pending', open: true })) {
    const absent = page.flatMap(({ key }) => (key === null || isShown(key) ? [] : [key]));
    for (const key of (await ports.store.snapshots(account, resource, absent)).keys()) {
      count += 1;
      first ||= key;
    }
  }
  if (count === 0) return;
  ports.emit({
    kind: 'warning',
    message: `${name}: the list does not show ${renderCountOf(count, one, several)} that ${count === 1 ? 'was' : 'were'} confirmed before (first: ${show(first)}): ${count === 1 ? 'it counts' : 'they count'} as there and ${count === 1 ? 'is' : 'are'} not created again; if ${count === 1 ? 'it was' : 'they were'} removed, push once with --adopt`,
  });
}

/** What the list showed of keys, in any spelling of them. */
async function listedOf(
  { mapping: { name }, rows }: OpenListing,
  keys: readonly string[],
  spell: (key: string) => string,
): ReturnType<Comparison['lookup']> {
  const listed = await rows.known(name, keys.map(spell));
  return new Map(
    keys.flatMap((key) => {
      const records = listed.get(spell(key));
      return records === undefined ? [] : [[key, records.map((record) => ({ ...record, key }))] as const];
    }),
  );
}

/** The listed records of the keys, and those that were confirmed before and are not listed: all of them, or of some keys alone. */
async function knownOrConfirmed(
  listing: OpenListing,
  keys: readonly string[],
  isShown: (key: string) => boolean,
): ReturnType<Comparison['lookup']> {
  const { ports, account, mapping, rows } = listing;
  const spell = await keySpeller(ports, account, mapping.resource);
  const found = await listedOf(listing, keys, spell);
  const absent = keys.filter((key) => !found.has(key));
  const confirmed = await ports.store.snapshots(account, mapping.resource, absent.filter(isShown));
  const left = absent.filter((key) => !confirmed.has(key));
  return new Map<string, readonly KnownRecord[]>([
    ...found,
    ...[...confirmed].map(([key, record]) => [key, [record]] as const),
    ...(await shownUnder(rows, mapping, left, spell)),
  ]);
}
