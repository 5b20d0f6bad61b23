import { endpoints, type BodyOf, type RecordOf } from '../contract/index.ts';
import type { Fields } from '../model/tables/cell.ts';
import type { RunRow } from '../model/state/run-rows.ts';
import { known, numberOf, remembered } from './known-records.ts';
import type { Confirmation, CreateOperation, PushRequests } from './requests.ts';

/** What an answer to one of these operations may say of the record that was made. */
interface Created {
  readonly id: string | number;
  readonly name?: string | null | undefined;
  readonly fantasy_league_id?: number | null | undefined;
  readonly fantasy_league?: { readonly id?: number | null | undefined } | null | undefined;
}

/** The creates whose answer is the record that was made. */
type RecordOperation = {
  [Id in CreateOperation]: RecordOf<Id> extends Created ? Id : never;
}[CreateOperation];

/** An answer that shows another name or league is about another record. */
function answersFor(fields: Fields, created: Created): boolean {
  const league = created.fantasy_league_id ?? created.fantasy_league?.id;
  const { name } = created;
  const sameName = typeof name !== 'string' || name.normalize('NFC').trim() === fields.name;
  return sameName && (typeof league !== 'number' || league === fields.fantasy_league_id);
}

/** Creates of one record each, whose answer is the record. */
export function creates(
  operation: RecordOperation,
  parallel: boolean,
  body: (fields: Fields) => BodyOf<RecordOperation>,
): PushRequests {
  return {
    operation,
    updatesLikeCreates: true,
    parallel,
    groupOf: (row) => row.key ?? '',
    body: ([row]) => body(row?.fields ?? {}),
    match: ([row], [record]) => {
      const answer = endpoints[operation].record.safeParse(record);
      if (row?.key === null || row === undefined || !answer.success) return new Map();
      const created: Created = answer.data;
      const fields = row.fields ?? {};
      if (!answersFor(fields, created)) return new Map();
      return new Map([[row.key, confirmRow(row.key, row, String(created.id))]]);
    },
  };
}

/** The row itself is what was confirmed. */
export function confirmRow(key: string, row: RunRow, id: string | null): Confirmation {
  return { id, record: remembered(known(key, id, numberOf(id), row.fields ?? {})) };
}
