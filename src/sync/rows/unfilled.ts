import type { PushMapping } from '../../mapping/mapping.ts';
import type { RunRows } from '../../model/state/run-rows.ts';
import { shownLine } from '../../model/tables/cell.ts';
import type { PlanOptions } from '../../plan/saved/push-plan.ts';
import type { SyncPorts } from '../ports.ts';
import { eachRow } from './row-pages.ts';

/** The mappings without those whose optional table holds nothing to send yet, each of which is told in one line; all of them where `skipUnfilled` is not asked for. */
export async function filledMappings(
  { emit }: Pick<SyncPorts, 'emit'>,
  mappings: readonly PushMapping[],
  rows: RunRows,
  { skipUnfilled = false }: Pick<PlanOptions, 'skipUnfilled'>,
): Promise<readonly PushMapping[]> {
  if (!skipUnfilled) return mappings;
  const filled: PushMapping[] = [];
  for (const mapping of mappings) {
    if (mapping.source.optional !== true || (await isFilled(mapping, rows))) filled.push(mapping);
    else
      emit({
        kind: 'note',
        message: `${mapping.name}: ${mapping.source.origin} is not filled in yet, and is left out`,
      });
  }
  return filled;
}

/** Whether a row is neither left out by `where` nor, in a table of settings, without any value. */
async function isFilled({ name, source }: PushMapping, rows: RunRows): Promise<boolean> {
  const { layout } = source;
  const valueAt = layout.kind === 'key_value' ? (await rows.header(name)).indexOf(layout.valueColumn) : -1;
  for await (const { outcome, lines } of eachRow(rows, name)) {
    if (outcome === 'excluded') continue;
    if (valueAt === -1 || lines.some((line) => (shownLine(line)[valueAt] ?? '').trim() !== '')) return true;
  }
  return false;
}
