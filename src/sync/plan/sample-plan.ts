import type { RowQuery } from '../../model/state/run-rows.ts';
import { SHOWN_ROWS } from '../compare/sifted-rows.ts';
import { plannedChange } from './plan-sync.ts';
import type { PlannedPush } from '../ports.ts';
import type { PlannedChange } from '../../plan/saved/push-plan.ts';

/** Rows worth a look, those to correct first. */
const KINDS: readonly Pick<RowQuery, 'change' | 'outcomes' | 'open'>[] = [
  { change: 'invalid', outcomes: ['invalid'] },
  { change: 'conflict', outcomes: ['conflict'] },
  { change: 'update', open: true },
  { change: 'create', outcomes: ['deferred'] },
  { change: 'update', outcomes: ['deferred'] },
  { change: 'create', open: true },
];

/** A few rows of a plan, from every mapping and of every kind that something is to be said of, in the order of mappings and rows. */
export async function sampleChanges({
  mappings,
  rows,
}: Pick<PlannedPush, 'mappings' | 'rows'>): Promise<readonly PlannedChange[]> {
  const groups = await Promise.all(
    mappings.flatMap(({ mapping: { name, source } }, order) =>
      KINDS.map(async (kind) =>
        (await rows.page(name, { ...kind, afterRow: 0, limit: SHOWN_ROWS })).map((row) => ({
          order,
          change: plannedChange(name, source.origin, row),
        })),
      ),
    ),
  );
  const inTurn = Array.from({ length: SHOWN_ROWS }, (_, turn) =>
    groups.flatMap((group) => group[turn] ?? []),
  );
  return inTurn
    .flat()
    .slice(0, SHOWN_ROWS)
    .toSorted((a, b) => a.order - b.order || a.change.row - b.change.row)
    .map(({ change }) => change);
}
