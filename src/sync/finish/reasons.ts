import { renderRowMessage } from '../../model/issue.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import type { Outcome } from '../../model/outcome.ts';
import type { RunRow, RunRows } from '../../model/state/run-rows.ts';
import { endInStop, renderSaid } from '../../model/said.ts';
import { strategies } from '../resources/index.ts';
import { eachRow } from '../rows/row-pages.ts';

/** Why rows of a run were refused or are left, in the words of the first of them. */
export interface Reason {
  readonly mapping: string;
  readonly outcome: Outcome;
  /** Names the place and the key of its first row. */
  readonly message: string;
  /** The message without its place. */
  readonly said: string;
  /** Rows with the same message. */
  readonly rows: number;
}

/** What a plan cannot show, because it comes of sending. A refused row often explains why the rows that wait for it are deferred. */
const TOLD: readonly Outcome[] = ['unknown', 'conflict', 'rejected', 'deferred'];
/** With what the service answered, where that is all that there is of a write. */
const TOLD_WITH_ANSWERS: readonly Outcome[] = [...TOLD, 'created'];
/** Messages that are kept, and rows that are looked at: a table may have any length. */
const MOST_REASONS = 4;
const MOST_ROWS = 10_000;

/** The distinct reasons why rows of a mapping were refused or are left, at most a few of each, and those first that somebody has to resolve. What stopped the run, by its code, is told already. */
export async function reasonsOf(
  rows: RunRows,
  { name, resource, source }: PushMapping,
  stop: string | undefined,
): Promise<readonly Reason[]> {
  const found: Reason[] = [];
  for (const outcome of strategies[resource].tellsAnswers ? TOLD_WITH_ANSWERS : TOLD) {
    const counts = new Map<string, { readonly first: RunRow; readonly rows: number }>();
    let seen = 0;
    for await (const row of eachRow(rows, name, { outcomes: [outcome] })) {
      if ((seen += 1) > MOST_ROWS) break;
      if (row.said.length === 0 || (stop !== undefined && endInStop(row.said, stop))) continue;
      const message = renderSaid(row.said);
      const before = counts.get(message);
      if (before === undefined && counts.size >= MOST_REASONS) continue;
      counts.set(message, { first: before?.first ?? row, rows: (before?.rows ?? 0) + 1 });
    }
    for (const [message, { first, rows: count }] of counts)
      found.push({
        mapping: name,
        outcome,
        message: renderRowMessage(source.origin, first.rowNumber, message, first.key),
        said: message,
        rows: count,
      });
  }
  return found;
}
