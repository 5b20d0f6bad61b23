import { apart } from '../model/league-name.ts';
import { renderSaid } from '../model/said.ts';
import type { CaseLine, Sheet } from '../pages/dashboard/values.ts';
import { openCasesOf } from '../runtime/history.ts';
import type { Desk } from './desk.ts';
import { slice } from './sheets.ts';

/** A page of what is unknown or in conflict. */
export async function readCases(desk: Desk, query: URLSearchParams): Promise<Sheet<CaseLine>> {
  const cases = await openCasesOf(desk, desk.accounts);
  return slice(
    cases.map(({ id, kind, run, mapping, operation, rows, sentAtMs, reason }) => ({
      ...apart(mapping),
      id,
      kind,
      run: run.id,
      operation,
      rows: rows.map(({ rowNumber, key }) => ({ rowNumber, key })),
      sentAtMs,
      reason: renderSaid(reason),
    })),
    query,
  );
}
