import { pushTarget, type ResourceName } from '../contract/index.ts';
import type { PushOperation } from '../contract/resource.ts';
import type { FieldValue, Fields } from '../model/tables/cell.ts';
import type { KnownRecord } from '../model/state/run-rows.ts';
import type { Said } from '../model/said.ts';
import { keyText } from '../model/state/spelling.ts';
import { digestOf } from './digest.ts';
import { isKeptOtherwise } from './known-records.ts';

/** How one valid row differs from what is known under its key. */
export type Difference =
  | { readonly change: 'create' }
  | {
      readonly change: 'update';
      readonly before: Readonly<Record<string, FieldValue | null>>;
      readonly id: string | null;
    }
  | { readonly change: 'unchanged'; readonly id: string | null; readonly said?: Said }
  | { readonly change: 'invalid'; readonly said: Said }
  | { readonly change: 'conflict'; readonly said: Said };

/** The supplied fields whose known value is another one, or is not known. The record was found by its key, however it spells it. */
export function changedFields(fields: Fields, known: KnownRecord, resource: ResourceName): readonly string[] {
  const text = keyText(resource);
  return Object.keys(fields).filter((name) => name !== text && !isHeld(known, name, fields[name]));
}

const PLAIN_DIGESTS: ReadonlyMap<FieldValue, string> = new Map(
  [true, false].map((value) => [value, digestOf(value)]),
);

/** The digests that a record has of the supplied fields, where it differs in none of them. */
export function comparedDigests(fields: Fields, resource: ResourceName): Readonly<Record<string, string>> {
  const text = keyText(resource);
  const digests: Record<string, string> = {};
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined || name === text) continue;
    digests[name] = PLAIN_DIGESTS.get(value) ?? digestOf(value);
  }
  return digests;
}

/** Whether a record has a value. Of what is no text the value itself is kept, so that most need no digest. */
function isHeld({ digests, values }: KnownRecord, name: string, value: FieldValue | undefined): boolean {
  const digest = digests[name];
  if (digest === undefined) return false;
  const isPlain = typeof value === 'boolean' || typeof value === 'number';
  return (isPlain && values[name] === value) || digest === digestOf(value);
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

function otherValues(
  resource: ResourceName,
  key: string,
  names: readonly string[],
  fields: Fields,
  known: KnownRecord,
): Said {
  const others = names.map((name) => {
    const [held, wanted] = [known.values[name], fields[name]];
    return { name, ...(held !== undefined && { held }), ...(wanted !== undefined && { wanted }) };
  });
  return {
    code: 'compared-other',
    key,
    fields: others,
    canChange: pushTarget(resource)?.operations.includes('update') === true,
  };
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
  resource: ResourceName,
  hidden: readonly string[] = [],
): Difference {
  const [record, other] = known;
  if (record === undefined) {
    return operation === 'update'
      ? {
          change: 'invalid',
          said: { code: 'compared-unknown', key },
        }
      : { change: 'create' };
  }
  if (other !== undefined) {
    const ids = known.map((each) => each.id ?? 'without id');
    return { change: 'conflict', said: { code: 'compared-several', key, what: 'records', ids } };
  }
  const unseen = hidden.filter((name) => name in fields && !(name in record.digests));
  const changed = changedFields(fields, record, resource).filter((name) => !unseen.includes(name));
  if (changed.length === 0) {
    const said: Said = { code: 'compared-unseen', fields: unseen };
    return { change: 'unchanged', id: record.id, ...(unseen.length > 0 && { said }) };
  }
  // What the list shows under this key was confirmed under another one: it may not be this row.
  if (record.key !== key) {
    return {
      change: 'conflict',
      said: { code: 'compared-shown-as', key, own: record.key, fields: changed },
    };
  }
  if (operation === 'create') {
    return { change: 'invalid', said: otherValues(resource, key, changed, fields, record) };
  }
  if (changed.every((name) => isKeptOtherwise(record, name, fields)))
    return { change: 'conflict', said: { code: 'compared-kept', fields: changed } };
  const before = Object.fromEntries(changed.map((name) => [name, record.values[name] ?? null]));
  return { change: 'update', before, id: record.id };
}
