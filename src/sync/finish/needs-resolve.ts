import type { PushMapping } from '../../mapping/mapping.ts';
import type { RunRows } from '../../model/state/run-rows.ts';
import type { PushSummary, Run } from '../../model/state/store.ts';
import { openWriteOf, openWrites } from '../journal/open-writes.ts';
import { eachRow } from '../rows/row-pages.ts';
import type { SyncPorts } from '../ports.ts';

type Left = Pick<PushSummary, 'name' | 'deferred' | 'unknown'>;

/**
 * Whether `resolve` alone decides what is left of a run that nothing stopped: its rows wait for a write of another run, or reading back was tried before and showed
 * no more of them this time.
 */
export async function needsResolve(
  { store }: Pick<SyncPorts, 'store'>,
  run: Run,
  mappings: readonly PushMapping[],
  rows: RunRows,
  now: readonly Left[],
): Promise<boolean> {
  const before = new Map(
    run.summaries.flatMap((each) => (each.direction === 'push' ? [[each.name, each] as const] : [])),
  );
  const isAsBefore = now.every(({ name, deferred, unknown }) => {
    const left = before.get(name);
    return left?.deferred === deferred && left.unknown === unknown;
  });
  for (const mapping of mappings) {
    const open = await openWrites({ store }, run.account, mapping.resource);
    const others = open.filter(({ runId }) => runId !== run.id);
    if (open.length > 0 && isAsBefore) return true;
    if (others.length === 0) continue;
    const writeOf = await openWriteOf({ store }, run.account, mapping.resource, others);
    for await (const { key } of eachRow(rows, mapping.name, { outcomes: ['deferred'], only: 'fields' }))
      if (key !== null && writeOf(key) !== undefined) return true;
  }
  return false;
}
