import type { RunRow, RunRowPatch } from '../model/run-rows.ts';
import type { Said } from '../model/said.ts';
import { changeFollowsCreate, type Confirmation } from './requests.ts';

/** What an answered row becomes: its outcome, or only its id while a change must follow. */
export function confirmed(row: RunRow, found: Confirmation): RunRowPatch {
  const { rowNumber } = row;
  const { id, record, disagrees, keptAs } = found;
  const note: Said | undefined = keptAs === undefined ? found.note : { code: 'answer-kept-as', text: keptAs };
  if (disagrees !== undefined) return { rowNumber, id, outcome: 'conflict', said: [...row.said, disagrees] };
  if (row.change === 'create' && id !== null && changeFollowsCreate(row, record)) return { rowNumber, id };
  const outcome = row.change === 'update' ? 'updated' : 'created';
  return { rowNumber, id, outcome, ...(note !== undefined && { said: [...row.said, note] }) };
}
