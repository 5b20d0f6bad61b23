import type { ResourceName } from '../../contract/index.ts';
import type { Fields } from '../../model/tables/cell.ts';
import type { KnownRecord, RunRow } from '../../model/state/run-rows.ts';
import type { Said } from '../../model/said.ts';
import { keyText } from '../../model/state/spelling.ts';
import type { Intent, StoredIntent } from '../../model/state/store.ts';
import { shownDifferences } from '../diff.ts';
import { digestFields } from '../digest.ts';
import { remembered } from '../known-records.ts';
import type { ListedResource } from '../resources/resource-plan.ts';
import type { Confirmation } from '../requests.ts';

/** A write without a trustworthy answer, and those of its rows of which it is not known what became of them. */
export interface OpenWrite {
  readonly intent: Intent & Partial<Pick<StoredIntent, 'detail'>>;
  readonly rows: readonly RunRow[];
}

/** What reading back says of the rows of open writes. */
export interface Seen {
  readonly found: ReadonlyMap<string, Confirmation>;
  /** Of the rows that were not found: they surely do not exist; nothing is seen of them, which proves nothing; or it cannot be told. */
  readonly others: 'absent' | 'unseen' | 'unclear';
  /** What people should know of the rows that were not found. */
  readonly why?: Said;
  /** There is more than before, and it is not just what was sent. */
  readonly grew?: boolean;
  /** The service does not let its records be listed. */
  readonly isUnlisted?: true;
  /** Pages that all records fill, where they were listed. */
  readonly pages?: number;
}

/** Whether an answer had records that are none of its rows: they may be theirs, and a list that does not show them proves nothing. */
export const wasNamedOtherwise = (writes: readonly OpenWrite['intent'][]): boolean =>
  writes.some(({ detail = [] }) =>
    detail.some((said) => said.code === 'answer-unnamed' && said.others === true),
  );

/** Whether a record shows what a create sent, in whatever spelling of the key. A create does not set the flag. */
export const holdsSent = (known: KnownRecord, fields: Fields, resource: ResourceName): boolean =>
  Object.keys(shownDifferences(fields, known)).every(
    (name) => name === 'is_active' || name === keyText(resource),
  );

export interface FoundRecord {
  readonly known: KnownRecord;
  readonly record: unknown;
}

/** Tells which records say what rows say, but for their keys: those of the same name, or of the same league and user. */
export function alikeBut(listed: ListedResource, rows: readonly RunRow[]): (record: KnownRecord) => boolean {
  const wanted = new Set(
    rows.flatMap(({ key, fields }) => (key === null ? [] : listed.besideKey(key, fields ?? {}))),
  );
  // A row whose fields are lost may be any record.
  if (wanted.has('')) return () => true;
  return ({ key, values }) => {
    const own = listed.besideKey(key, values);
    return own === '' || wanted.has(own);
  };
}

/** What a list says of a row that was sent: the record, with the fields that were sent and that no list shows. */
export function foundRow(
  row: RunRow,
  found: readonly FoundRecord[],
  { several }: ListedResource,
): readonly [string, Confirmation][] {
  const [first, second] = found;
  if (first === undefined || row.key === null) return [];
  const { known } = first;
  const record = remembered({
    ...known,
    digests: { ...digestFields(row.fields ?? {}), ...known.digests },
    values: { ...row.fields, ...known.values },
  });
  const ids = found.map((each) => each.known.id ?? '');
  const disagrees: Said | undefined = second && {
    code: 'compared-several',
    key: row.key,
    what: several,
    ids,
  };
  return [
    [row.key, { id: known.id, record, ...(disagrees !== undefined && { disagrees, isOneOfSeveral: true }) }],
  ];
}
