import { endpoints, type BodyOf, type RecordOf } from '../contract/index.ts';
import type { Fields } from '../model/tables/cell.ts';
import { confirmSent, fieldsOf, type CreateOperation, type PushRequests } from './requests.ts';

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
    parallel,
    groupOf: (row) => row.key ?? '',
    body: ([row]) => body(row?.fields ?? {}),
    match: ([row], [record]) => {
      const answer = endpoints[operation].record.safeParse(record);
      if (row === undefined || !answer.success) return new Map();
      const created: Created = answer.data;
      return new Map(answersFor(fieldsOf(row), created) ? confirmSent(row, String(created.id)) : []);
    },
  };
}
