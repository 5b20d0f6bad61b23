import type { PushMapping } from '../mapping/mapping.ts';
import type { KnownRecord } from '../model/run-rows.ts';

const SUFFIX = ' (missing)';

/** A user that a mapping wrote, as the state remembers it: with the mapping that may deactivate it. */
export function managed({ name, resource }: PushMapping, record: KnownRecord): KnownRecord {
  if (resource !== 'users') return record;
  return { ...record, managedBy: name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : name };
}

/**
 * The users that `missing_rows: deactivate` is about, as rows of their own beside those of the source: they stand in no table, so that they have neither
 * row numbers nor results. Undefined for every other mapping.
 */
export function missingOf(mapping: PushMapping): PushMapping | undefined {
  if (mapping.missingRows !== 'deactivate') return undefined;
  return {
    ...mapping,
    name: mapping.name + SUFFIX,
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
