import type { PushMapping } from '../../mapping/mapping.ts';
import type { StoppedError } from '../../model/error.ts';
import type { KnownRecord, RunRow, RunRows } from '../../model/state/run-rows.ts';
import { resourcePlans } from '../../plan/resources/index.ts';
import type { ListedResource } from '../../plan/resources/resource-plan.ts';
import { noMemory } from '../evidence/memory.ts';
import { eachRow } from '../rows/row-pages.ts';

/** Records that rows are compared with where this state may be lost, or older than the last push. */
const MOST_STRANGERS = 1000;

/** Listed records that this state has not written. */
interface Strangers {
  /** `before`: what the state knew by the keys that the list shows. */
  add(records: readonly KnownRecord[], before: ReadonlyMap<string, KnownRecord>): void;
  /** By what they say beside their keys, the keys of those that no row of the table has. */
  besideRows(rows: RunRows): Promise<ReadonlyMap<string, string>>;
}

/** Collects them from the pages of a list. `isEmpty`: the state has written nothing of the resource. */
export function openStrangers({ name }: PushMapping, listed: ListedResource, isEmpty: boolean): Strangers {
  const strangers = new Map<string, string>();
  return {
    add: (records, before) => {
      if (strangers.size >= MOST_STRANGERS) return;
      for (const { key, values, shownAs } of records) {
        const isWritten = shownAs !== undefined || before.get(key)?.managedBy !== undefined;
        if (isEmpty || !isWritten) strangers.set(key, listed.besideKey(key, values));
      }
    },
    besideRows: async (rows) => {
      if (strangers.size > 0)
        for await (const { key } of eachRow(rows, name)) if (key !== null) strangers.delete(key);
      return new Map([...strangers].map(([key, beside]) => [beside, key]));
    },
  };
}

/** A list shows other keys than were sent, and a record that this state has not written says what a row says: a later push of another state may have made it. */
export function notWritten(
  { name, resource }: PushMapping,
  row: Pick<RunRow, 'rowNumber' | 'key'>,
  key: string,
): StoppedError {
  const [, several] = resourcePlans[resource].nouns;
  return noMemory(
    `${name}: the service lists ${several} under other keys than were sent, and this state does not know its ${JSON.stringify(key)}, which may be row ${row.rowNumber}, ${JSON.stringify(row.key)}: the state file is older than the last push, or somebody else has created it`,
    (add) => `restore the newest state file, or check that no row is one of these and ${add} --adopt`,
  );
}
