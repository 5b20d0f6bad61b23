import type { PushMapping } from '../../mapping/mapping.ts';
import { known } from '../../plan/known-records.ts';
import type { Comparison, PlanParts } from '../ports.ts';
import { rowPages } from '../rows/row-pages.ts';

/** Where the rows of a run keep the records that its mappings of one resource are going to create. */
const createdName = ({ resource }: PushMapping): string => `${resource} (planned)`;

const alike = (mappings: readonly PushMapping[], { resource }: PushMapping): readonly PushMapping[] =>
  mappings.filter((each) => each.resource === resource);

/** The same comparison, which also tells what the mappings of the resource before this one are going to create. */
export function withPlanned(
  { mappings, rows }: PlanParts,
  mapping: PushMapping,
  comparison: Comparison,
): Comparison {
  if (alike(mappings, mapping)[0] === mapping) return comparison;
  return { ...comparison, planned: (keys) => rows.known(createdName(mapping), keys) };
}

/** Keeps what a compared mapping is going to create, for those of its resource after it. */
export async function keepPlanned({ mappings, rows }: PlanParts, mapping: PushMapping): Promise<void> {
  if (alike(mappings, mapping).at(-1) === mapping) return;
  for await (const page of rowPages(rows, mapping.name, { change: 'create', open: true, only: 'fields' }))
    await rows.addKnown(
      createdName(mapping),
      page.flatMap(({ key, fields }) =>
        key === null || fields === null
          ? []
          : [{ ...known(key, null, null, fields), managedBy: mapping.name }],
      ),
    );
}

/** Forgets what an earlier plan of the same rows was going to create. */
export async function forgetPlanned({ mappings, rows }: PlanParts): Promise<void> {
  for (const mapping of mappings)
    if (alike(mappings, mapping)[1] === mapping) await rows.restart(createdName(mapping));
}
