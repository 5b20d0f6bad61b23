import { resources, type ResourceName } from '../../contract/index.ts';
import type { KnownRecord, RunRow } from '../../model/state/run-rows.ts';
import {
  bothSpellings,
  isSameSpelling,
  keyText,
  partsOfKey,
  readSpelling,
  speaksAgainst,
  speltKey,
  spellingFact,
  spellingOf as textSpelling,
  textOfKey,
  type Spelling,
} from '../../model/state/spelling.ts';
import type { ServiceAccount } from '../../model/state/store.ts';
import { digestOf } from '../../plan/digest.ts';
import { fitRows, type Fit, type Shown } from '../../plan/reconcile/fit-rows.ts';
import type { Confirmation } from '../../plan/requests.ts';
import type { StateTask, SyncPorts } from '../ports.ts';
import { resourcePlans } from '../../plan/resources/index.ts';

type Ports = Pick<SyncPorts, 'store'>;

/** How the service was seen to spell the keys of a resource; undefined where it keeps them as they are sent. */
export const spellingOf = async (
  { store }: Ports,
  account: ServiceAccount,
  resource: ResourceName,
): Promise<Spelling | undefined> => readSpelling((await store.fact(account, spellingFact(resource)))?.value);

/** How the service was seen to spell the keys of a resource, and when that was learnt. */
export interface SeenSpelling {
  readonly resource: ResourceName;
  readonly spelling: Spelling;
  readonly atMs: number;
}

/** The resources whose keys the service was seen to spell its own way. */
export async function seenSpellings(
  { store }: Ports,
  account: ServiceAccount,
): Promise<readonly SeenSpelling[]> {
  const facts = await Promise.all(
    (Object.keys(resources) as ResourceName[]).map(async (resource) => {
      const fact = await store.fact(account, spellingFact(resource));
      const spelling = readSpelling(fact?.value);
      return fact && spelling && { resource, spelling, atMs: fact.atMs };
    }),
  );
  return facts.filter((each) => each !== undefined);
}

/** What all spellings of a key have in common for the service. */
export async function keySpeller(
  ports: Ports,
  account: ServiceAccount,
  resource: ResourceName,
): Promise<(key: string) => string> {
  const spelling = await spellingOf(ports, account, resource);
  return (key) => speltKey(resource, key, spelling);
}

/**
 * What records of the service say of rows, by key. A spelling that shows in them is remembered before anything is made of it, so that nothing is sent that it
 * speaks against.
 */
export async function confirmShown(
  { ports, account, mapping: { resource } }: StateTask,
  rows: readonly RunRow[],
  shown: readonly Shown[],
  isOld: (shown: Shown) => boolean,
  match: (records: Fit['records']) => ReadonlyMap<string, Confirmation>,
): Promise<ReadonlyMap<string, Confirmation>> {
  const spelling = await spellingOf(ports, account, resource);
  return confirmFit(ports, account, resource, fitRows(resource, rows, shown, spelling, isOld), match);
}

async function confirmFit(
  ports: Ports,
  account: ServiceAccount,
  resource: ResourceName,
  { records, kept, seen }: Fit,
  match: (records: Fit['records']) => ReadonlyMap<string, Confirmation>,
): Promise<ReadonlyMap<string, Confirmation>> {
  if (seen !== undefined) await ports.store.respell(account, resource, seen);
  return new Map(
    [...match(records)].map(([key, found]) => {
      const text = kept.get(key);
      return [key, text === undefined ? found : { ...found, keptAs: text }] as const;
    }),
  );
}

/** What the answer to a write says of its rows, by key. */
export async function confirmAnswer(
  { ports, account, mapping }: StateTask,
  rows: readonly RunRow[],
  answered: readonly unknown[],
  isOld: (shown: Shown) => boolean = () => false,
): Promise<ReadonlyMap<string, Confirmation>> {
  const match = (records: readonly unknown[]): ReadonlyMap<string, Confirmation> =>
    resourcePlans[mapping.resource].requests.match(rows, records);
  const [first] = rows;
  const field = keyText(mapping.resource);
  const parts = partsOfKey(mapping.resource, first?.key ?? '');
  if (parts === undefined) return match(answered);
  const byId = new Map(rows.flatMap(({ id, key }) => (id === null || key === null ? [] : [[id, key]])));
  const shown = answered.flatMap((record): Shown[] => {
    const { id, ...texts } = record as Readonly<Record<string, unknown>>;
    const text = field === undefined ? undefined : texts[field];
    if (typeof text !== 'string') return [];
    const key = parts.before + text.normalize('NFC');
    const own = byId.get(String(id));
    // The record that a change was sent for is its row's, whatever key the answer shows for it.
    const isStrange = own !== undefined && isStrangeSpelling(mapping.resource, own, key);
    return [{ key: isStrange ? own : key, record }];
  });
  // A record that says no name answers for the one row that was sent.
  if (shown.length < answered.length && resources[mapping.resource].push.batch === 1) return match(answered);
  // An answer that names every row is about these rows, also where the service had their records before.
  const spelling = await spellingOf(ports, account, mapping.resource);
  const fitOf = (isBefore: typeof isOld): Fit => fitRows(mapping.resource, rows, shown, spelling, isBefore);
  const named = fitOf(() => false);
  const namesAll = rows.every(({ key }) => key !== null && named.records.has(key));
  const fit = namesAll ? named : fitOf(isOld);
  return confirmFit(ports, account, mapping.resource, fit, (records) => match([...records.values()].flat()));
}

/** Whether no spelling makes two keys one. */
const isStrangeSpelling = (resource: ResourceName, own: string, shown: string): boolean =>
  textSpelling([[textOfKey(resource, own), textOfKey(resource, shown)]]) === undefined;

/** Puts the records of a list under the keys that they are known by. `before`: what the state knows by the keys that the list shows, where that was read. */
export type ToOwnKeys = (
  listed: readonly KnownRecord[],
  before?: ReadonlyMap<string, KnownRecord>,
) => Promise<readonly KnownRecord[]>;

/**
 * Finds the keys under which the records of a list were confirmed before: the id of a record proves what it is, whatever key the list shows for it. What the
 * state does not know by its id stays under the key that the list shows.
 */
export async function ownKeys(
  { store }: Ports,
  account: ServiceAccount,
  resource: ResourceName,
): Promise<ToOwnKeys> {
  if ((await store.countSnapshots(account, resource)) === 0) return (listed) => Promise.resolve(listed);
  const spell = await keySpeller({ store }, account, resource);
  let known: Promise<ReadonlyMap<string, readonly string[]>> | undefined;
  return async (listed, read) => {
    const keys = listed.map(({ key }) => key);
    const before = read ?? (await store.snapshots(account, resource, keys));
    const isAsShown = ({ key, id }: KnownRecord): boolean => id === null || before.get(key)?.id === id;
    // Only a key that is shown otherwise, or that is new, makes the whole state be read.
    if (listed.every(isAsShown)) return listed;
    const keysOf = await (known ??= keysById({ store }, account, resource));
    return listed.flatMap((record) => {
      const shown = spell(record.key);
      const place = partsOfKey(resource, shown)?.before;
      const keys = isAsShown(record) ? [] : (keysOf.get(record.id ?? '') ?? []);
      const own = keys.filter((key) => key !== shown && partsOfKey(resource, key)?.before === place);
      return own.length === 0 ? [record] : own.map((key) => underKey(resource, record, key));
    });
  };
}

async function keysById(
  { store }: Ports,
  account: ServiceAccount,
  resource: ResourceName,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const keys = new Map<string, readonly string[]>();
  for await (const page of store.allSnapshots(account, resource))
    for (const { id, key } of page) if (id !== null) keys.set(id, [...(keys.get(id) ?? []), key]);
  return keys;
}

/** A record under the key that it is known by, as if the list showed that. */
function underKey(resource: ResourceName, record: KnownRecord, key: string): KnownRecord {
  const [field, text] = [keyText(resource), partsOfKey(resource, key)?.text];
  const own = { ...record, key, shownAs: record.key };
  if (field === undefined || text === undefined) return own;
  return {
    ...own,
    digests: { ...record.digests, [field]: digestOf(text) },
    values: { ...record.values, [field]: text },
  };
}

/**
 * Learns a spelling from records that were confirmed under the key that was sent and that a whole list shows under another one, by their ids. Answers whether
 * there was something to learn.
 */
export async function learnFromIds(
  ports: Ports,
  account: ServiceAccount,
  resource: ResourceName,
  isListed: (key: string) => boolean,
  listed: Iterable<readonly [key: string, id: string | null]>,
): Promise<boolean> {
  const sent = new Map<string | null, string>();
  for await (const page of ports.store.allSnapshots(account, resource))
    for (const { id, key } of page) if (id !== null && !isListed(key)) sent.set(id, key);
  const pairs: (readonly [string, string])[] = [];
  const asSent: string[] = [];
  for (const [key, id] of listed) {
    const sentKey = sent.get(id);
    const before = sentKey === undefined ? undefined : partsOfKey(resource, sentKey);
    const now = partsOfKey(resource, key);
    if (now !== undefined && before === undefined) asSent.push(now.text);
    if (before !== undefined && before.before === now?.before) pairs.push([before.text, now.text]);
  }
  // What was given another name since fits no spelling. One record alone may have got a name that happens to fit.
  const fitting = pairs.filter((pair) => textSpelling([pair]) !== undefined);
  const seen = fitting.length < 2 ? undefined : textSpelling(fitting);
  if (seen === undefined || asSent.some((text) => speaksAgainst(text, seen, fitting))) return false;
  const before = await spellingOf(ports, account, resource);
  const both = bothSpellings(before, seen);
  // What is known already leaves the keys as they are, and so would each further reading.
  if (isSameSpelling(before, both)) return false;
  await ports.store.respell(account, resource, both);
  return true;
}
