import { renderRowMessage } from '../model/issue.ts';
import type { PushMapping } from '../mapping/mapping.ts';
import type { Outcome } from '../model/outcome.ts';
import type { RunRows } from '../model/run-rows.ts';
import { eachRow } from './row-pages.ts';

/** Why rows of a run are left, in the words of the first of them. */
export interface Reason {
  readonly mapping: string;
  readonly outcome: Outcome;
  /** Names the place of its first row. */
  readonly message: string;
  /** Rows with the same message. */
  readonly rows: number;
}

const LEFT: readonly Outcome[] = ['unknown', 'conflict', 'deferred'];
/** Messages that are kept, and rows that are looked at: a table may have any length. */
const MOST_REASONS = 4;
const MOST_ROWS = 10_000;

/** The distinct reasons why rows of a mapping are left, at most a few of them, and those first that somebody has to settle. `told` is known already. */
export async function reasonsOf(
  rows: RunRows,
  { name, source }: PushMapping,
  told: string | undefined,
): Promise<readonly Reason[]> {
  const found: Reason[] = [];
  for (const outcome of LEFT) {
    const counts = new Map<string, { readonly rowNumber: number; readonly rows: number }>();
    let seen = 0;
    for await (const { rowNumber, message } of eachRow(rows, name, { outcomes: [outcome] })) {
      if ((seen += 1) > MOST_ROWS) break;
      if (message === '' || (told !== undefined && message.endsWith(told))) continue;
      const before = counts.get(message);
      if (before === undefined && counts.size >= MOST_REASONS) continue;
      counts.set(message, { rowNumber: before?.rowNumber ?? rowNumber, rows: (before?.rows ?? 0) + 1 });
    }
    for (const [message, { rowNumber, rows: count }] of counts)
      found.push({
        mapping: name,
        outcome,
        message: renderRowMessage(source.origin, rowNumber, message),
        rows: count,
      });
  }
  return found;
}
