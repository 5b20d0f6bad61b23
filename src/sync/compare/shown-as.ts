import type { PushMapping } from '../../mapping/mapping.ts';
import type { KnownRecord, RunRows } from '../../model/state/run-rows.ts';
import type { Comparison, PlanParts } from '../ports.ts';
import { eachRow } from '../rows/row-pages.ts';
import { keySpeller } from '../rows/spelling.ts';

/** Where the rows of a run keep the records that a list shows under keys which are not theirs. */
const shownName = ({ name }: PushMapping): string => `${name} (shown)`;

/** Keeps records under the keys that a list shows for them, beside their own. */
export async function addShown(
  rows: RunRows,
  mapping: PushMapping,
  records: readonly KnownRecord[],
  spell: (key: string) => string,
): Promise<number> {
  const shown = records.flatMap((record) =>
    record.shownAs === undefined
      ? []
      : [{ ...record, key: spell(record.shownAs), shownAs: record.key } satisfies KnownRecord],
  );
  if (shown.length > 0) await rows.addKnown(shownName(mapping), shown);
  return shown.length;
}

/** The records that the list shows under some keys and that were confirmed under other ones, which they have. */
export async function shownUnder(
  rows: RunRows,
  mapping: PushMapping,
  keys: readonly string[],
  spell: (key: string) => string,
): Promise<ReadonlyMap<string, readonly KnownRecord[]>> {
  const shown = await rows.known(shownName(mapping), keys.map(spell));
  return new Map(
    keys.flatMap((key) => {
      const records = shown.get(spell(key)) ?? [];
      const own = records.map((record) => ({ ...record, key: record.shownAs ?? key, shownAs: key }));
      return own.length === 0 ? [] : [[key, own] as const];
    }),
  );
}

/** Forgets what an earlier reading of the list showed. */
export const forgetShown = (rows: RunRows, mapping: PushMapping): Promise<void> =>
  rows.restart(shownName(mapping));

/** The same comparison, in which a record is nobody else's whose own row stands in a table of the run, whatever key the list shows for it. */
export function ownRowsFirst(
  { ports, account, mappings, rows }: PlanParts,
  resource: PushMapping['resource'],
  comparison: Comparison,
): Comparison {
  const readKeys = async (): Promise<ReadonlySet<string>> => {
    const keys = new Set<string>();
    const spell = await keySpeller(ports, account.service, resource);
    for (const mapping of mappings.filter((each) => each.resource === resource))
      for await (const { key } of eachRow(rows, mapping.name)) if (key !== null) keys.add(spell(key));
    return keys;
  };
  let rowKeys: Promise<ReadonlySet<string>> | undefined;
  return {
    ...comparison,
    lookup: async (keys) => {
      const found = await comparison.lookup(keys);
      if (found.entries().every(([key, records]) => records.every((record) => record.key === key)))
        return found;
      const own = await (rowKeys ??= readKeys());
      return new Map(
        [...found].flatMap(([key, records]) => {
          const left = records.filter((record) => record.key === key || !own.has(record.key));
          return left.length === 0 ? [] : [[key, left] as const];
        }),
      );
    },
  };
}
