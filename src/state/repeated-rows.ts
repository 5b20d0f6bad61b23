import type { LookAlike, RunRow } from '../model/state/run-rows.ts';

/** What rows of one key or one folded key are told apart by. */
export type SeenRow = Pick<RunRow, 'rowNumber' | 'key' | 'folded' | 'fields' | 'lookups'>;

/** What a row is told apart by; of its block nothing else is kept in memory. */
export const seenRow = ({ rowNumber, key, folded, fields, lookups }: RunRow): SeenRow => ({
  ...{ rowNumber, key, folded, fields },
  ...(lookups !== undefined && { lookups }),
});

/** Each row that has an earlier one of another key, with the earliest such row. */
export function* lookAlikesIn(rows: readonly SeenRow[]): Generator<LookAlike> {
  const [first] = rows;
  const firstOfAnotherKey = rows.find(({ key }) => key !== first?.key);
  for (const { rowNumber, key } of rows) {
    const other = first?.key === key ? firstOfAnotherKey : first;
    if (other !== undefined && other.rowNumber < rowNumber)
      yield { rowNumber, otherRow: other.rowNumber, otherKey: other.key ?? '' };
  }
}
