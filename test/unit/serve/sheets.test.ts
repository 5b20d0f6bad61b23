import { describe, expect, it } from 'vitest';
import { pageOf, sheetOf, slice } from '../../../src/serve/sheets.ts';

const query = (page: string): URLSearchParams => new URLSearchParams({ page });
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

describe('a page of a list', () => {
  it.each([
    ['1', 1],
    ['3', 3],
    ['4', 3],
    ['0', 1],
    ['-1', 1],
    ['2x', 1],
    ['99999999999', 1],
  ])('that is asked for as %s is %i of three', (asked, page) => {
    expect(sheetOf(101, query(asked))).toEqual({ page, pages: 3, total: 101 });
  });

  it('has fifty lines, the last one the rest', () => {
    expect(slice(numbers(101), query('2')).lines.at(0)).toBe(50);
    expect(slice(numbers(101), query('3')).lines).toEqual([100]);
    expect(slice([], query('2'))).toEqual({ page: 1, pages: 1, total: 0, lines: [] });
  });

  it('of a file reads no further than it needs', async () => {
    let read = 0;
    async function* lines(): AsyncGenerator<number> {
      for (; read < 1000; read += 1) yield await Promise.resolve(read);
    }
    const found = await pageOf(lines(), (line) => line % 2 === 0, 50);
    expect([found.length, found[0], found.at(-1)]).toEqual([50, 100, 198]);
    expect(read).toBe(198);
  });
});
