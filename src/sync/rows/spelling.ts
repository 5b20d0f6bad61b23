import { resources } from '../../contract/index.ts';
import type { ResourceName } from '../../contract/resource.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import type { RunRow } from '../../model/run-rows.ts';
import {
  bothSpellings,
  isSameSpelling,
  keyText,
  partsOfKey,
  readSpelling,
  speltKey,
  spellingFact,
  spellingOf as textSpelling,
  type Spelling,
} from '../../model/spelling.ts';
import type { ServiceAccount } from '../../model/store.ts';
import { fitRows, type Shown } from '../../plan/fit-rows.ts';
import { type Confirmation } from '../../plan/requests.ts';
import type { SyncPorts } from '../ports.ts';
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
  ports: Ports,
  account: ServiceAccount,
  { resource }: PushMapping,
  rows: readonly RunRow[],
  shown: readonly Shown[],
  isOld: (shown: Shown) => boolean,
  match: (records: ReadonlyMap<string, readonly unknown[]>) => ReadonlyMap<string, Confirmation>,
): Promise<ReadonlyMap<string, Confirmation>> {
  const spelling = await spellingOf(ports, account, resource);
  const { records, kept, seen } = fitRows(resource, rows, shown, spelling, isOld);
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
  ports: Ports,
  account: ServiceAccount,
  mapping: PushMapping,
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
  const shown = answered.flatMap((record): Shown[] => {
    const text = field && (record as { external_id?: unknown; name?: unknown })[field];
    return typeof text === 'string' ? [{ key: parts.before + text.normalize('NFC'), record }] : [];
  });
  // A record that says no name answers for the one row that was sent.
  if (shown.length < answered.length && resources[mapping.resource].push.batch === 1) return match(answered);
  // An answer that names every row is about these rows, also where the service had their records before.
  const { records: named } = fitRows(
    mapping.resource,
    rows,
    shown,
    await spellingOf(ports, account, mapping.resource),
    () => false,
  );
  const namesAll = rows.every(({ key }) => key !== null && named.has(key));
  return confirmShown(ports, account, mapping, rows, shown, namesAll ? () => false : isOld, (records) =>
    match([...records.values()].flat()),
  );
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
  for (const [key, id] of listed) {
    const sentKey = sent.get(id);
    const before = sentKey === undefined ? undefined : partsOfKey(resource, sentKey);
    const now = partsOfKey(resource, key);
    if (before !== undefined && before.before === now?.before) pairs.push([before.text, now.text]);
  }
  // What was given another name since fits no spelling.
  const fitting = pairs.filter((pair) => textSpelling([pair]) !== undefined);
  const seen = textSpelling(fitting);
  if (seen === undefined) return false;
  const before = await spellingOf(ports, account, resource);
  const both = bothSpellings(before, seen);
  // What is known already leaves the keys as they are, and so would each further reading.
  if (isSameSpelling(before, both)) return false;
  await ports.store.respell(account, resource, both);
  return true;
}
