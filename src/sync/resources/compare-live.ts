import type { KnownRecord } from '../../model/state/run-rows.ts';
import { remembered } from '../../plan/known-records.ts';
import { readAll } from '../pulling/fan-out.ts';
import type { Comparison } from '../ports.ts';
import type { ComparisonAsked } from './strategy.ts';

/** Reads what the service has of a key; undefined when it holds nothing. */
export type ReadKey = (key: string) => Promise<KnownRecord | undefined>;

/**
 * `compare: live` for prices and points configurations, which the service does not list with their values: one read for each player, or for each league, of
 * the rows that are compared. `each` is what one read is of. What it says is remembered as confirmed.
 */
export async function compareLive(
  { ports, mapping, account, rows }: ComparisonAsked,
  read: ReadKey,
  each: string,
): Promise<Comparison> {
  const pending = (await rows.countChanges(mapping.name, true)).get('pending') ?? 0;
  return {
    lookup: async (keys) => {
      const records = await readAll(ports.signal, keys, read);
      const found = records.filter((record) => record !== undefined);
      await ports.store.confirm(account, mapping.resource, found.map(remembered), true);
      return new Map(found.map((record) => [record.key, [record]]));
    },
    known: pending,
    described: `compared with what the service says of each ${each}, read now`,
  };
}
