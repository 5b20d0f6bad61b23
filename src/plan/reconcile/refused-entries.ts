import { endpoints, pushTarget, type OperationId, type ResourceName } from '../../contract/index.ts';
import { excerptOf } from '../../model/excerpt.ts';
import type { RunRow } from '../../model/state/run-rows.ts';
import type { Said, Words } from '../../model/said.ts';

type Refusal = Extract<Said, { code: 'refused-doubtful' }>;

/**
 * What the entries of a success say of rows of its request that it shows no record of: of a row by its key, never by its place; of the others in one text. An
 * entry that says no more than a record is none of them. Only reading back shows whether they speak of a refusal.
 */
export function refusedIn(
  resource: ResourceName,
  operation: OperationId,
  batch: readonly RunRow[],
  unnamed: readonly RunRow[],
  entries: readonly unknown[],
): Words {
  const fields = Object.keys(endpoints[operation].record.shape);
  const telling = entries.filter((entry) => saysMore(entry, fields));
  const byRow = Map.groupBy(telling, (entry) => rowOf(resource, batch, entry));
  const own = unnamed.flatMap((row): readonly Refusal[] => {
    const said = byRow.get(row);
    if (said === undefined || row.key === null) return [];
    return [{ code: 'refused-doubtful', reason: textOf(said), key: row.key }];
  });
  const others = byRow.get(undefined);
  if (others === undefined || own.length === unnamed.length) return own;
  return [...own, { code: 'refused-doubtful', reason: textOf(others) }];
}

/** What doubtful refusals say of a row: those of its key, or else those that name none. */
export function refusalsOf(said: Words, { key }: Pick<RunRow, 'key'>): readonly Refusal[] {
  const all = said.filter((part) => part.code === 'refused-doubtful');
  const own = all.filter((part) => part.key !== undefined && part.key === key);
  return own.length > 0 ? own : all.filter((part) => part.key === undefined);
}

const textOf = (entries: readonly unknown[]): string =>
  excerptOf(JSON.stringify(entries.length === 1 ? entries[0] : entries));

/** Whether a value holds a text where a record has none. */
function saysMore(value: unknown, fields: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'string';
  return Object.entries(value).some(([name, inner]) => !fields.includes(name) && saysMore(inner, fields));
}

/** The one row of a request that an entry states the key of; undefined where it states none, or more than one. */
function rowOf(resource: ResourceName, batch: readonly RunRow[], entry: unknown): RunRow | undefined {
  const names = pushTarget(resource)?.key ?? [];
  const stated = [...statedIn(entry, names)];
  if (stated.length === 0) return undefined;
  const rows = batch.filter(({ fields }) =>
    stated.every(([name, value]) => plain(fields?.[name]) === plain(value)),
  );
  return rows.length === 1 ? rows[0] : undefined;
}

const plain = (value: unknown): string => String(value).normalize('NFC');

function* statedIn(value: unknown, names: readonly string[]): Generator<readonly [string, unknown]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value) as [string, unknown][])
    if (typeof inner === 'object') yield* statedIn(inner, names);
    else if (names.includes(name)) yield [name, inner];
}
