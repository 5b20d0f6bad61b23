import type { PushMapping } from '../../mapping/mapping.ts';
import { renderCountOf } from '../../model/count.ts';
import { quotaUsed } from '../../model/quota.ts';
import type { KnownRecord, RunRow } from '../../model/state/run-rows.ts';
import type { ListedResource } from '../../plan/resources/resource-plan.ts';
import { lastList } from '../compare/compare-listed.ts';
import { confirmedSince } from '../evidence/memory.ts';
import type { OpenAccount, ReadingPorts, ReadTask } from '../ports.ts';
import { readOne } from '../pulling/read.ts';
import { strategies } from '../resources/index.ts';
import { asSpelt, LIKELY_PAGE, oneByOne, orMissing } from '../resources/read-actual.ts';
import type { Actual, ActualReading, Sent } from '../resources/strategy.ts';
import { keySpeller, ownKeys } from '../rows/spelling.ts';

/**
 * Chooses how the written rows of a mapping are read: each by its id, or from the list, whichever takes fewer requests. `sent` is what is
 * known of the moment at which the first of them was sent.
 */
export async function planActualReading(
  ports: ReadingPorts,
  account: OpenAccount,
  mapping: PushMapping,
  rows: AsyncIterable<RunRow> | Iterable<RunRow>,
  sent: Sent,
): Promise<ActualReading> {
  const strategy = strategies[mapping.resource];
  const units = new Set<string>();
  let [count, withoutId] = [0, 0];
  for await (const row of rows) {
    count += 1;
    if (row.id === null) withoutId += 1;
    if (strategy.listed === undefined) units.add(strategy.unitOf(row.key ?? ''));
  }
  const task = { ports, account: account.service, mapping };
  if (strategy.listed === undefined)
    return strategy.planActualReading(task, { rows: count, units: units.size }, sent);
  const { listed } = strategy;
  const list = { ...task, listed, used: quotaUsed(account.record, listed.feature) ?? 0 };
  const pages = await listPages(list);
  return listed.byId !== undefined && withoutId === 0 && count < pages
    ? readById(list, listed.byId, count)
    : readList(list, pages);
}

/** A mapping whose rows can be read from a list. */
interface ListTask extends ReadTask {
  readonly listed: ListedResource;
  /** Records that the account counts. */
  readonly used: number;
}

/** The pages of a full list: as many as the last one had, more when the account has grown since. */
async function listPages(task: ListTask): Promise<number> {
  const last = await lastList(task);
  const size =
    last === undefined || last.pages <= 1 ? Math.max(LIKELY_PAGE, last?.count ?? 0) : last.count / last.pages;
  return Math.max(1, Math.ceil(task.used / size));
}

function readList(
  { ports, account, mapping: { resource }, listed, used }: ListTask,
  pages: number,
): ActualReading {
  const list = async () => {
    const all = await ports.store.openRunRows(null);
    const spell = await keySpeller(ports, account, resource);
    const toOwnKeys = await ownKeys(ports, account, resource);
    try {
      let [nameless, count] = [0, 0];
      for await (const page of ports.service.list(listed.operation, {}, ports.signal, 'fail')) {
        const shown = page.flatMap((record) => listed.known(record) ?? []);
        nameless += page.length - shown.length;
        count += page.length;
        const found = await toOwnKeys(shown);
        const under = (by: string, keyOf: (record: KnownRecord) => string): Promise<void> =>
          all.addKnown(
            by,
            found.map((record) => ({ ...record, key: keyOf(record) })),
          );
        await under('key', ({ key }) => spell(key));
        await under('id', ({ id }) => id ?? '');
      }
      const isNew = await confirmedSince(ports, account, resource, ports.clock.now() - ports.settleMs);
      const isShort = count < used;
      const absent = (row: RunRow): Actual => absence(listed, nameless, isNew(row.key ?? ''), isShort);
      return { all, absent };
    } catch (error) {
      await all.remove();
      throw error;
    }
  };
  let listing: ReturnType<typeof list> | undefined;
  return {
    requests: pages,
    how: `the list of ${listed.several}`,
    read: async (rows) => {
      const { all, absent } = await (listing ??= list());
      const spell = await keySpeller(ports, account, resource);
      const keys = rows.map(({ key }) => spell(key ?? ''));
      const byKey = await all.known('key', keys);
      // What a service spells in another way only where it lists is the row's own by its id.
      const byId = await all.known(
        'id',
        rows.flatMap(({ id }) => id ?? []),
      );
      return rows.map(
        (row, at): Actual =>
          oneOf(row, byKey.get(keys[at] ?? '') ?? byId.get(row.id ?? '') ?? [], resource) ?? absent(row),
      );
    },
    close: async () => {
      // A list that failed was taken away when it did.
      const made = await listing?.catch(() => undefined);
      await made?.all.remove();
    },
  };
}

/** What a list says that does not show a row: a part of it, or one that comes late, proves nothing. */
function absence({ several }: ListedResource, nameless: number, isNew: boolean, isShort: boolean): Actual {
  const unreadable = (reason: string): Actual => ({ kind: 'unreadable', reason });
  if (nameless > 0)
    return unreadable(
      `${renderCountOf(nameless, 'record of the list has', 'records of the list have')} no key`,
    );
  if (isNew)
    return unreadable('the list does not show it; it was confirmed just now, and a list may come late');
  if (isShort)
    return unreadable(`the list does not show it, and it shows fewer ${several} than the account counts`);
  return { kind: 'missing' };
}

function oneOf(
  row: RunRow,
  records: readonly KnownRecord[],
  resource: PushMapping['resource'],
): Actual | undefined {
  const [record, other] = records;
  if (record === undefined) return undefined;
  if (other === undefined) return { kind: 'record', record: asSpelt(row, record, resource) };
  return { kind: 'several', ids: records.map(({ id }) => id ?? 'without id') };
}

function readById(
  { ports, mapping: { resource }, listed }: ListTask,
  operation: NonNullable<ListedResource['byId']>,
  count: number,
): ActualReading {
  const read = oneByOne(ports, async (row) => {
    const record = await orMissing(() => readOne(operation, row.id ?? '', ports));
    if (record === undefined) return { kind: 'missing' };
    const actual = listed.known(record);
    if (actual === undefined)
      return { kind: 'unreadable', reason: `the ${listed.one} does not say what it is` };
    return { kind: 'record', record: asSpelt(row, actual, resource) };
  });
  return { requests: count, how: `each ${listed.one} by its id`, read };
}
