import { expect, it } from 'vitest';
import { RepeatedTexts } from '../../../src/model/repeated-texts.ts';

it('finds each text that comes more than once, with all of its rows, however many rows there are', () => {
  const repeated = new RepeatedTexts();
  const rows = new Map<string, number[]>();
  for (let row = 1; row <= 100_000; row += 1) {
    // Every hundredth row has the text of an earlier one, and some have that of several.
    const text = `M-${row % 100 === 0 ? row % 777 : row}`;
    repeated.add(text, row);
    rows.set(text, [...(rows.get(text) ?? []), row]);
  }
  const expected = [...rows.values()].filter(({ length }) => length > 1);
  expect(expected.length).toBeGreaterThan(700);
  expect(repeated.groups()).toEqual(expected.toSorted(([one = 0], [other = 0]) => one - other));
});
