import { pushTarget, type ResourceName } from '../contract/index.ts';
import type { FieldValue, Fields } from '../model/tables/cell.ts';
import type { RowLookup, RowReference, RunRow, RunRowPatch } from '../model/state/run-rows.ts';
import type { Words } from '../model/said.ts';
import { keyOf } from '../mapping/parsed-row.ts';
import { rowAfter } from './row-lifecycle.ts';

/** Why a row cannot be sent, the strongest first. */
const STOPS = ['left-out', 'breaks-rule', 'must-wait'] as const;
export type Stop = (typeof STOPS)[number];

/** What became of one field that is looked up. */
export type LookupResult =
  | { readonly kind: 'value'; readonly value: FieldValue }
  /** The value is known once another row of the run is written. */
  | { readonly kind: 'after'; readonly after: RowReference }
  /** The row cannot be sent. */
  | {
      readonly kind: 'stop';
      readonly because: Stop;
      readonly said: Words;
    };

/** `users[M-041]`: a row of the run whose record is not there yet. */
export const referenceName = ({ mapping, key }: RowReference): string => `${mapping}[${key}]`;

/** A value as a field of the resource takes it; undefined when it cannot. */
export function fieldValue(
  resource: ResourceName,
  field: string,
  value: FieldValue | undefined,
): FieldValue | undefined {
  const target = pushTarget(resource)?.fields[field];
  if (target === undefined || value === undefined) return undefined;
  const isNumber = target.type === 'integer' || target.type === 'number';
  const given = isNumber ? (String(value).trim() === '' ? undefined : Number(value)) : String(value);
  return target.schema.safeParse(given).success ? given : undefined;
}

/** The row with what was found for its fields: complete, waiting for other rows, or at its outcome. */
export function withLookups(
  resource: ResourceName,
  row: RunRow,
  results: ReadonlyMap<string, LookupResult>,
): RunRowPatch {
  const { rowNumber, lookups } = row;
  const stops = [...results.values()].filter((result) => result.kind === 'stop');
  const kind = STOPS.find((each) => stops.some(({ because }) => because === each));
  if (kind !== undefined) {
    const said = stops.flatMap((stop) => (stop.because === kind ? stop.said : []));
    // A row that waits is one that would be created.
    const isNew = kind === 'must-wait' ? rowAfter(row, { kind: 'is-new' }) : {};
    return { ...isNew, ...rowAfter(row, { kind, said }) };
  }
  const found = new Map<string, FieldValue>(Object.entries(row.fields ?? {}));
  const names = new Map(found);
  // A field that was found before keeps its texts: a row that is not sent yet is looked up again.
  const waiting: Record<string, RowLookup> = { ...lookups };
  for (const [field, result] of results) {
    const texts = lookups?.[field]?.texts ?? [];
    if (result.kind === 'value') {
      found.set(field, result.value);
      names.set(field, result.value);
    } else if (result.kind === 'after') {
      found.delete(field);
      names.set(field, referenceName(result.after));
    }
    waiting[field] = { texts, ...(result.kind === 'after' && { after: result.after }) };
  }
  const target = pushTarget(resource);
  const ordered = (values: ReadonlyMap<string, FieldValue>): Fields =>
    Object.fromEntries(
      Object.keys(target?.fields ?? {}).flatMap((name) => {
        const value = values.get(name);
        return value === undefined ? [] : [[name, value] as const];
      }),
    );
  const shown = ordered(names);
  const fields = ordered(found);
  return {
    rowNumber,
    fields,
    lookups: waiting,
    key: keyOf(shown, target?.key ?? []),
  };
}

/** The fields of a row that wait for other rows. */
export function waitingFields({ lookups = null }: RunRow): readonly (readonly [string, RowReference])[] {
  // Most rows look nothing up, and every row is asked.
  if (lookups === null) return [];
  return Object.entries(lookups).flatMap(([field, { after }]) =>
    after === undefined ? [] : [[field, after] as const],
  );
}
