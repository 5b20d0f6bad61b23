import { expect, it } from 'vitest';
import { worstCase } from '../../../src/plan/worst-case.ts';

/** Requests until every row of a refused batch stands alone, by doing it. */
function halve(rows: number): number {
  return rows <= 1 ? 1 : 1 + halve(Math.ceil(rows / 2)) + halve(Math.floor(rows / 2));
}

it.each([
  [[0], 100],
  [[1], 1],
  [[7], 100],
  [[250], 100],
  [[64, 3, 1], 16],
])('groups of %j in batches of %i: every halving is counted', (groups, size) => {
  const sizes = groups.flatMap((rows) =>
    Array.from({ length: Math.ceil(rows / size) }, (_, at) => Math.min(size, rows - at * size)),
  );
  const writes = sizes.reduce((sum, rows) => sum + halve(rows), 0);
  const halvings = Math.max(0, ...sizes.map((rows) => Math.ceil(Math.log2(rows))));
  expect(worstCase({ groups, size, readBack: 3 })).toEqual({ writes, reads: 3 * halvings });
});
