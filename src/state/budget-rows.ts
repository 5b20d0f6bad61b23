import type { KnownWindow, OthersRequest } from '../model/state/shared-budget.ts';
import { integer, type SqlRow, unreadable } from './sql-row.ts';

/** How far back a process looks that has seen nothing yet; what is older stands in what the account reports. */
export const LOOK_BACK_MS = 150_000;
/** How often what nobody looks at any more is taken away. */
export const SWEEP_MS = 60_000;
/** Clocks are corrected by less. What was entered later than this from now on, a clock that was set back has left there: it may be as new as can be. */
export const AHEAD_MS = 1000;

/** A request of another process: its number, whether it reads the account, its ages, whether it is doubtful. */
export const budgetLook = (row: SqlRow): OthersRequest => ({
  number: integer(row, 0),
  readsAccount: integer(row, 1) === 1,
  enteredAgoMs: Math.max(0, integer(row, 2)),
  answeredAgoMs: row[3] === null ? null : Math.max(0, integer(row, 3)),
  doubtful: integer(row, 4) === 1,
});

/** Errors: UnreadableValueError. */
export function parseWindows(document: string): readonly KnownWindow[] {
  try {
    return JSON.parse(document) as readonly KnownWindow[];
  } catch (cause) {
    throw unreadable(0, cause);
  }
}
