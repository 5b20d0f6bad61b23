import type { PushedResource } from '../../contract/index.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import type { RunRow, RunRows } from '../../model/state/run-rows.ts';
import { changedFields } from '../../plan/diff.ts';
import { known } from '../../plan/known-records.ts';
import { rowPages } from '../rows/row-pages.ts';
import type { SyncPorts } from '../ports.ts';

/**
 * Warns where two mappings of one push write the same key of a resource with different values: each push would change the record to and fro, for ever. Fields
 * that only one of them has are no matter.
 */
export async function warnOfDisagreements(
  ports: Pick<SyncPorts, 'store' | 'emit'>,
  mappings: readonly PushMapping[],
  rows: RunRows,
): Promise<void> {
  for (const [resource, shared] of Map.groupBy(mappings, (each) => each.resource)) {
    if (shared.length < 2) continue;
    const seen = await ports.store.openRunRows(null);
    try {
      for (const mapping of shared) {
        const found = await compareWithSeen(seen, resource, mapping, rows);
        if (found === undefined) continue;
        const others = found.count - 1;
        const more = others === 0 ? '' : ` (and ${others} more ${others === 1 ? 'row' : 'rows'} like it)`;
        ports.emit({
          kind: 'warning',
          message: `${mapping.name}: row ${found.rowNumber} has another ${found.fields.join(', ')} for "${found.key}" than ${found.other}${more}: each push changes it back and forth, so keep it in one of the tables only`,
        });
      }
    } finally {
      await seen.remove();
    }
  }
}

interface Disagreement {
  readonly rowNumber: number;
  readonly key: string;
  readonly fields: readonly string[];
  /** The mapping and row that it disagrees with. */
  readonly other: string;
  readonly count: number;
}

const isWritten = ({ change, outcome }: RunRow): boolean =>
  change !== 'invalid' && change !== 'excluded' && outcome !== 'invalid' && outcome !== 'excluded';

async function compareWithSeen(
  seen: RunRows,
  resource: PushedResource,
  { name }: PushMapping,
  rows: RunRows,
): Promise<Disagreement | undefined> {
  let first: Disagreement | undefined;
  let count = 0;
  for await (const page of rowPages(rows, name)) {
    const written = page.filter(isWritten);
    const before = await seen.known(
      resource,
      written.flatMap(({ key }) => key ?? []),
    );
    const fresh = written.flatMap(({ key, rowNumber, fields }) => {
      if (key === null || fields === null) return [];
      const [record] = before.get(key) ?? [];
      if (record === undefined) return [known(key, name, rowNumber, fields)];
      const differ = changedFields(fields, record, resource).filter((field) => field in record.digests);
      if (differ.length === 0) return [];
      count += 1;
      first ??= { rowNumber, key, fields: differ, other: `row ${record.number} of ${record.id}`, count };
      return [];
    });
    await seen.addKnown(resource, fresh);
  }
  return first && { ...first, count };
}
