import { expect, it } from 'vitest';
import { renderSaid } from '../../../src/model/said.ts';
import { resolveDuplicates } from '../../../src/plan/duplicates.ts';
import { told } from '../../support/said.ts';

it('later rows that say the same are unchanged and name the first', () => {
  const rows = [2, 5, 9].map((rowNumber) => ({ rowNumber, fields: { name: 'same' } }));
  const same = { id: null, change: 'unchanged', outcome: 'unchanged' };
  expect(resolveDuplicates({ key: 'M-1', rows })).toEqual([
    { ...same, rowNumber: 5, said: [{ code: 'duplicate-same', row: 2 }] },
    { ...same, rowNumber: 9, said: [{ code: 'duplicate-same', row: 2 }] },
  ]);
});

it('rows that say different things are all invalid and name each other', () => {
  const rows = [
    { rowNumber: 2, fields: { name: 'a' } },
    { rowNumber: 5, fields: { name: 'b' } },
    { rowNumber: 9, fields: { name: 'a' } },
  ];
  expect(
    resolveDuplicates({ key: 'M-1', rows })
      .map(told)
      .map(({ rowNumber, outcome, message }) => [rowNumber, outcome, message]),
  ).toEqual([
    [2, 'invalid', 'key "M-1" has other values in row 5, 9: keep one of them'],
    [5, 'invalid', 'key "M-1" has other values in row 2, 9: keep one of them'],
    [9, 'invalid', 'key "M-1" has other values in row 2, 5: keep one of them'],
  ]);
});

it('a whole file of one key is settled in a moment', () => {
  const rows = Array.from({ length: 200_000 }, (_, index) => ({
    rowNumber: index + 2,
    fields: { name: String(index) },
  }));
  const patches = resolveDuplicates({ key: 'yes', rows });
  expect([patches[0], patches[6], patches.at(-1)].map((patch) => renderSaid(patch?.said ?? []))).toEqual([
    'key "yes" has other values in row 3, 4, 5, 6, 7 and 199994 more: keep one of them',
    'key "yes" has other values in row 2, 3, 4, 5, 6 and 199994 more: keep one of them',
    'key "yes" has other values in row 2, 3, 4, 5, 6 and 199994 more: keep one of them',
  ]);
});
