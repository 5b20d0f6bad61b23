import type { PushMapping } from '../mapping/mapping.ts';
import type { KnownRecord } from '../model/state/run-rows.ts';
import { resourcePlans } from './resources/index.ts';

/** A listed record that a mapping wrote, as the state remembers it: with the mapping, which may deactivate a user. */
export const managed = ({ name, resource, missingOf: of }: PushMapping, record: KnownRecord): KnownRecord =>
  resourcePlans[resource].listed === undefined ? record : { ...record, managedBy: of ?? name };

/**
 * The users that `missing_rows: deactivate` is about, as rows of their own beside those of the source: they stand in no table, so that they have neither
 * row numbers nor results. Undefined for every other mapping.
 */
export function missingOf(mapping: PushMapping): PushMapping | undefined {
  if (mapping.missingRows !== 'deactivate') return undefined;
  return {
    ...mapping,
    name: `${mapping.name} (missing)`,
    missingOf: mapping.name,
    operation: 'update',
    missingRows: 'ignore',
    writeBack: undefined,
  };
}

/** A mapping and, beside it, the users of {@link missingOf}. */
export function withMissing(mapping: PushMapping): readonly PushMapping[] {
  const missing = missingOf(mapping);
  return missing === undefined ? [mapping] : [mapping, missing];
}
