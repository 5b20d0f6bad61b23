import { isChange, pushTarget } from '../../contract/index.ts';
import type { Fields } from '../../model/tables/cell.ts';
import type { RunRow } from '../../model/state/run-rows.ts';
import { partsOfKey } from '../../model/state/spelling.ts';
import type { StoredIntent } from '../../model/state/store.ts';
import { resourcePlans } from '../resources/index.ts';
import { openRow } from '../row-lifecycle.ts';

/** What the key of a record that a list shows says of its fields. */
function fieldsOfKey({ resource }: StoredIntent, key: string): Fields | null {
  const parts = resourcePlans[resource].listed && partsOfKey(resource, key);
  if (parts === undefined) return null;
  const values = [...parts.before.split('/').slice(0, -1).map(Number), parts.text];
  return Object.fromEntries(
    (pushTarget(resource)?.key ?? []).flatMap((name, at) => {
      const value = values[at];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The rows of a write that are not kept any more, as far as the write itself tells: of some, what their keys say. */
export function lostRows(intent: StoredIntent, kept: readonly RunRow[]): readonly RunRow[] {
  const numbers = new Set(kept.map(({ rowNumber }) => rowNumber));
  return intent.rowNumbers.flatMap((rowNumber, at): RunRow[] =>
    numbers.has(rowNumber)
      ? []
      : [
          {
            ...openRow(rowNumber),
            key: intent.keys[at] ?? null,
            fields: intent.fields?.[at] ?? fieldsOfKey(intent, intent.keys[at] ?? ''),
            change: isChange(intent.operation) ? 'update' : 'create',
          },
        ],
  );
}

/** Whether reading back can find such a row: by its key in a list, or by its values. */
export const isReadable = ({ resource }: StoredIntent, { fields }: RunRow): boolean =>
  resourcePlans[resource].listed !== undefined || fields !== null;
