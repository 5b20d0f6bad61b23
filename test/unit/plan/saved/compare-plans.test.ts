import { expect, it } from 'vitest';
import { comparePlannedRows, type Difference } from '../../../../src/plan/saved/compare-plans.ts';
import type { SavedRow } from '../../../../src/plan/saved/saved-plan.ts';

const row = (rowNumber: number, other: Partial<SavedRow> = {}): SavedRow => ({
  mapping: 'users',
  row: rowNumber,
  key: `M-${rowNumber}`,
  kind: 'update',
  message: '',
  fields: { display_name: { before: 'Ann', after: 'Anna' } },
  id: `id-${rowNumber}`,
  digest: `digest-${rowNumber}`,
  cells: `cells-${rowNumber}`,
  ...other,
});

async function* each(rows: readonly SavedRow[]): AsyncGenerator<SavedRow> {
  await Promise.resolve();
  yield* rows;
}

const compare = (
  saved: readonly SavedRow[],
  now: readonly SavedRow[],
  isSame = true,
): Promise<readonly Difference[]> =>
  comparePlannedRows(
    () => each(saved),
    () => each(now),
    new Map([['users', { fromMemory: true, isSame }]]),
  );

it('does not mind a table in another order, however long it is', async () => {
  const rows = Array.from({ length: 60_000 }, (_, index) => row(index + 2));
  expect(await compare(rows, rows.toReversed())).toEqual([]);
});

it('minds what a record held only where both plans were compared with the same witness', async () => {
  const remembered = row(2, { fields: { display_name: { before: null, after: 'Anna' } } });
  expect(await compare([row(2)], [remembered], false)).toEqual([]);
  expect(await compare([row(2)], [remembered])).toMatchObject([
    { part: 'state', row: 2, key: 'M-2', fields: ['display_name'] },
  ]);
  const sent = row(2, { fields: { display_name: { before: null, after: 'Bea' } } });
  expect(await compare([row(2)], [sent], false)).toHaveLength(1);
});

it('tells how often a row stands there, and names the first ten thousand that differ', async () => {
  const excluded = row(2, { key: null, kind: 'excluded', fields: {}, digest: null, id: null });
  expect(await compare([excluded], [excluded, { ...excluded, row: 3 }])).toMatchObject([
    { row: 3, key: null },
  ]);
  const rows = Array.from({ length: 10_001 }, (_, index) => row(index + 2));
  expect(await compare([], rows)).toHaveLength(10_000);
});
