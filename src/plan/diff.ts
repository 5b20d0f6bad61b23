import type { PushOperation } from '../contract/resource.ts';
import type { FieldValue, Fields } from '../model/cell.ts';
import type { KnownRecord } from '../model/run-rows.ts';
import { KEY_TEXTS } from '../model/spelling.ts';
import { digestOf } from './digest.ts';

/** How one valid row differs from what is known under its key. */
export type Difference =
  | { readonly change: 'create' }
  | {
      readonly change: 'update';
      readonly before: Readonly<Record<string, FieldValue | null>>;
      readonly id: string | null;
    }
  | { readonly change: 'unchanged'; readonly id: string | null; readonly message?: string }
  | { readonly change: 'invalid'; readonly message: string }
  | { readonly change: 'conflict'; readonly message: string };

/** The supplied fields whose known value is another one, or is not known. The record was found by its key, however it spells it. */
export function changedFields(fields: Fields, known: KnownRecord): readonly string[] {
  return Object.keys(fields).filter(
    (name) => !KEY_TEXTS.has(name) && known.digests[name] !== digestOf(fields[name]),
  );
}

/** A field that a record shows with another value than it was sent with. */
export interface FieldDifference {
  readonly wanted: FieldValue;
  /** Null where the service shows nothing, or only that it is another value. */
  readonly held: FieldValue | null;
}

/** The fields that a record shows with another value; what it does not show is not compared. */
export function shownDifferences(
  fields: Fields | null,
  { digests, values }: KnownRecord,
): Readonly<Record<string, FieldDifference>> {
  return Object.fromEntries(
    Object.entries(fields ?? {}).flatMap(([name, wanted]) =>
      digests[name] === undefined || digests[name] === digestOf(wanted)
        ? []
        : [[name, { wanted, held: values[name] ?? null }] as const],
    ),
  );
}

const shown = (value: FieldValue | undefined): string =>
  value === undefined ? 'another value' : JSON.stringify(value);

/** Only users can be changed. */
const remedy = (fields: Fields): string =>
  'external_id' in fields
    ? '; use upsert to change it'
    : '; the service can neither change nor delete it: put the row back, or give it another name';

function describe(names: readonly string[], fields: Fields, known: KnownRecord): string {
  return names
    .map((name) => `${name} is ${shown(known.values[name])}, not ${shown(fields[name])}`)
    .join(', ');
}

/**
 * Compares a row with the records known under its key (interfaces.md, section 2): `create` wants no other values there, `update` wants a
 * record, the rest take both. Fields that are `hidden` from lists are compared only where they are remembered. More than one record under a key is a conflict and is never written to.
 */
export function diff(
  operation: PushOperation,
  key: string,
  fields: Fields,
  known: readonly KnownRecord[],
  hidden: readonly string[] = [],
): Difference {
  const [record, other] = known;
  if (record === undefined) {
    return operation === 'update'
      ? {
          change: 'invalid',
          message: `"${key}" is not known to the service: update changes what exists; use upsert to create it`,
        }
      : { change: 'create' };
  }
  if (other !== undefined) {
    const ids = known.map((each) => each.id ?? 'without id').join(' and ');
    return { change: 'conflict', message: `the service holds ${known.length} records for "${key}": ${ids}` };
  }
  const unseen = hidden.filter((name) => name in fields && !(name in record.digests));
  const changed = changedFields(fields, record).filter((name) => !unseen.includes(name));
  if (changed.length === 0) {
    const message = `it exists; its ${unseen.join(', ')} could not be compared, because the service does not list it`;
    return { change: 'unchanged', id: record.id, ...(unseen.length > 0 && { message }) };
  }
  if (operation === 'create') {
    return {
      change: 'invalid',
      message: `"${key}" exists with other values (${describe(changed, fields, record)}): create leaves it alone${remedy(fields)}`,
    };
  }
  const before = Object.fromEntries(changed.map((name) => [name, record.values[name] ?? null]));
  return { change: 'update', before, id: record.id };
}
