import type { DuplicateGroup, RunRowPatch } from '../model/run-rows.ts';

const named = (rowNumbers: readonly number[]): string => {
  const shown = rowNumbers.slice(0, 5).join(', ');
  return rowNumbers.length > 5 ? `${shown} and ${rowNumbers.length - 5} more` : shown;
};

/**
 * What becomes of rows with one key. Saying the same, the later ones are `unchanged (duplicate of row n)`; saying different things, all are
 * invalid and name each other, since nobody but the operator knows which one is meant.
 */
export function resolveDuplicates({ key, rows }: DuplicateGroup): readonly RunRowPatch[] {
  const [first, ...later] = rows;
  if (first === undefined) return [];
  if (later.every((row) => row.digest === first.digest)) {
    return later.map((row) => ({
      rowNumber: row.rowNumber,
      change: 'unchanged',
      outcome: 'unchanged',
      message: `unchanged (duplicate of row ${first.rowNumber})`,
    }));
  }
  return rows.map((row) => {
    const others = rows.filter((other) => other !== row).map((other) => other.rowNumber);
    return {
      rowNumber: row.rowNumber,
      change: 'invalid',
      outcome: 'invalid',
      message: `key "${key}" stands again with other values in row ${named(others)}: keep one of them`,
    };
  });
}
