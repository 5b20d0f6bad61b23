import type { PushMapping } from '../../mapping/mapping.ts';
import { StoppedError } from '../../model/error.ts';
import type { KnownRecord, RunRow, RunRows } from '../../model/run-rows.ts';
import type { ServiceAccount } from '../../model/store.ts';
import { resourcePlans } from '../../plan/resources/index.ts';
import type { ListedResource } from '../../plan/resources/resource-plan.ts';
import type { SyncPorts } from '../ports.ts';
import { eachRow } from '../rows/row-pages.ts';

/** Records that rows are compared with where this state may be lost, or older than the last push. */
const MOST_STRANGERS = 1000;

/** Listed records that this state has not written. */
interface Strangers {
  add(records: readonly KnownRecord[]): Promise<void>;
  /** By what they say beside their keys, the keys of those that no row of the table has. */
  besideRows(rows: RunRows): Promise<ReadonlyMap<string, string>>;
}

/** Collects them from the pages of a list. `isEmpty`: the state has written nothing of the resource. */
export function openStrangers(
  { store }: Pick<SyncPorts, 'store'>,
  { name, resource }: PushMapping,
  listed: ListedResource,
  service: ServiceAccount,
  isEmpty: boolean,
): Strangers {
  const strangers = new Map<string, string>();
  const unwritten = async (records: readonly KnownRecord[]): Promise<readonly KnownRecord[]> => {
    if (isEmpty) return records;
    const shown = records.filter(({ shownAs }) => shownAs === undefined);
    const keys = shown.map(({ key }) => key);
    const known = await store.snapshots(service, resource, keys);
    return shown.filter(({ key }) => known.get(key)?.managedBy === undefined);
  };
  return {
    add: async (records) => {
      if (strangers.size >= MOST_STRANGERS) return;
      for (const { key, values } of await unwritten(records))
        strangers.set(key, listed.besideKey(key, values));
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
  return new StoppedError(
    'state.no_memory',
    `${name}: the service lists ${several} under other keys than were sent, and this state does not know its ${JSON.stringify(key)}, which may be row ${row.rowNumber}, ${JSON.stringify(row.key)}: the state file is older than the last push, or somebody else has created it`,
    {
      flagged: (add) =>
        `restore the newest state file, or check that no row is one of these and ${add} --adopt`,
    },
  );
}
