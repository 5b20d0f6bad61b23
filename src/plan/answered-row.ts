import type { RunRow, RunRowPatch } from '../model/run-rows.ts';
import { changeFollowsCreate, type Confirmation } from './requests.ts';

/** What an answered row becomes: its outcome, or only its id while a change must follow. */
export function confirmed(row: RunRow, found: Confirmation): RunRowPatch {
  const { rowNumber } = row;
  const { id, record, disagrees, keptAs } = found;
  const note = keptAs === undefined ? found.note : `kept as ${keptAs}`;
  if (disagrees !== undefined)
    return { rowNumber, id, outcome: 'conflict', message: joined(row.message, disagrees) };
  if (row.change === 'create' && id !== null && changeFollowsCreate(row, record)) return { rowNumber, id };
  const outcome = row.change === 'update' ? 'updated' : 'created';
  return { rowNumber, id, outcome, ...(note !== undefined && { message: joined(row.message, note) }) };
}

/** The end of the message of a row that nobody looked for in vain yet. */
export const looksAgain = (runId: string): string =>
  `; teamsheet resume ${runId} finds out what became of it`;

/** A row's message with another one behind it. */
export const joined = (before: string, after: string): string =>
  before === '' ? after : `${before}; ${after}`;
