import type { Letter, MappingState } from '../model/state/alerts.ts';
import type { KnownRecord } from '../model/state/run-rows.ts';
import { storedWords } from '../model/said.ts';
import type { Intent, IntentResult, Run, StoredIntent } from '../model/state/store.ts';
import { text, textOrNull, written, type SqlRow } from './sql-row.ts';

/** A run of a row whose first column is its document. Errors: those of {@link written}; the same for the others. */
export function parseRun(row: SqlRow): Run {
  return written(row) as Run;
}

/** What is known of a record, from a row whose first column is its document. */
export function parseRecord(row: SqlRow): KnownRecord {
  return written(row) as KnownRecord;
}

/** The state of a mapping, from a row whose first column is its document. */
export const parseMappingState = (row: SqlRow): MappingState => written(row) as MappingState;

/** An alert on its way, likewise. */
export const parseLetter = (row: SqlRow): Letter => written(row) as Letter;

/** What a column says of a letter that waits no more. */
export const endedOf = ({ end }: Letter): number => Number(end !== null);

/** A write with what came of it, from a row of document, result and detail. */
export function parseIntent(row: SqlRow): StoredIntent {
  return {
    ...(written(row) as Intent),
    result: textOrNull(row, 1) as IntentResult | null,
    detail: storedWords(text(row, 2)),
  };
}
