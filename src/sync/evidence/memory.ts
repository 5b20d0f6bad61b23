import type { PushedResource } from '../../contract/index.ts';
import { StoppedError } from '../../model/error.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import type { RunRows } from '../../model/state/run-rows.ts';
import type { ServiceAccount } from '../../model/state/store.ts';
import { openWrites, unansweredKeys } from '../journal/open-writes.ts';
import { eachRow, PENDING, rowPages } from '../rows/row-pages.ts';
import { keySpeller } from '../rows/spelling.ts';
import type { Comparison, ReadingPorts, StateTask } from '../ports.ts';
import { leagueOf } from './pre-image.ts';

/** A comparison with nothing. */
export const nothingKnown = (described: string): Comparison => ({
  lookup: () => Promise.resolve(new Map()),
  known: 0,
  described,
});

/** A comparison with what this state last saw confirmed, whose records may have been `counted` before. */
export async function fromSnapshots(
  { ports, mapping, account }: StateTask,
  described: string,
  counted?: number,
): Promise<Comparison> {
  const known = counted ?? (await ports.store.countSnapshots(account, mapping.resource));
  return {
    lookup: async (keys) => {
      const found = await ports.store.snapshots(account, mapping.resource, keys);
      return new Map(found.entries().map(([key, record]) => [key, [record]]));
    },
    knownWith: (wanted) => ports.store.confirmedWith(account, mapping.resource, wanted),
    known,
    fromMemory: true,
    described: known === 0 ? 'nothing was pushed yet' : described,
  };
}

/** A comparison in which the keys of writes without an answer wait. */
export async function withUnanswered(
  { ports, mapping: { resource }, account }: StateTask,
  comparison: Comparison,
): Promise<Comparison> {
  const open = await openWrites(ports, account, resource);
  return { ...comparison, unanswered: await unansweredKeys(ports, account, resource, open) };
}

/** Whether one of the rows that are to be compared would be created. */
export async function hasUnknownKeys(
  { name }: PushMapping,
  rows: RunRows,
  comparison: Comparison,
): Promise<boolean> {
  for await (const page of rowPages(rows, name, PENDING)) {
    const keys = page.flatMap(({ key }) => key ?? []);
    const known = await comparison.lookup(keys);
    if (keys.some((key) => !known.has(key))) return true;
  }
  return false;
}

/** The fantasy leagues of the rows that are to be compared of which this state remembers nothing; one that is still to be made is none of them. */
export async function unknownLeagues(task: StateTask, rows: RunRows): Promise<ReadonlySet<number>> {
  const remembered = await rememberedLeagues(task);
  const unknown = new Set<number>();
  for await (const row of eachRow(rows, task.mapping.name, PENDING)) {
    const league = leagueOf(row);
    if (Number.isSafeInteger(league) && !remembered.has(league)) unknown.add(league);
  }
  return unknown;
}

/** The fantasy leagues of what this state saw confirmed. A write whose answer is missing is a memory too: the keys of its rows wait. */
async function rememberedLeagues(task: StateTask): Promise<ReadonlySet<number>> {
  const { ports, account, mapping } = task;
  const leagues = new Set<number>();
  const add = (key: string): unknown => leagues.add(Number(key.split('/')[0]));
  for await (const page of ports.store.allSnapshots(account, mapping.resource))
    for (const { key } of page) add(key);
  for (const { keys } of await openWrites(ports, account, mapping.resource)) keys.forEach(add);
  return leagues;
}

/** Stops what would write over records that this state does not know: it may be lost, or an older copy. */
export const noMemory = (message: string, flagged: StoppedError['flagged']): StoppedError =>
  new StoppedError('state.no_memory', message, { flagged });

/** Tells which keys were confirmed since a time: by a list, or so lately that it may not show them yet. */
export async function confirmedSince(
  { store }: Pick<ReadingPorts, 'store'>,
  service: ServiceAccount,
  resource: PushedResource,
  sinceMs: number,
): Promise<(key: string) => boolean> {
  const spell = await keySpeller({ store }, service, resource);
  const confirmed = new Set<string>();
  for await (const page of store.allSnapshots(service, resource, sinceMs))
    for (const { key } of page) confirmed.add(key);
  return (key) => confirmed.has(spell(key));
}
