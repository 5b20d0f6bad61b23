import { describe, expect, it } from 'vitest';
import { mostPages } from '../../../src/client/list-bound.ts';

describe('mostPages', () => {
  it.each<readonly [string, number, Parameters<typeof mostPages>[1], number | undefined, number]>([
    ['nothing', 50, undefined, undefined, 10_000],
    ['an empty first page', 0, { total: 500 }, 500, 1],
    ['few pages', 50, { total: 120, page_total: 3 }, 120, 10],
    ['pages that grow', 1, { total: 2, page_total: 2 }, 2, 10],
    ['many pages', 50, { total: 100_000, page_total: 2_000 }, 100_000, 4_000],
    ['more than is ever read', 1, { total: 100_000, page_total: 100_000 }, undefined, 10_000],
    ['a total alone, which may count pages', 50, { total: 300 }, undefined, 600],
    ['pages alone', 50, { page_total: 300 }, undefined, 600],
    ['total as pages', 50, { total: 300, page_total: 15_000 }, undefined, 10_000],
    ['a total of this page alone', 50, { total: 50 }, undefined, 10_000],
    ['a page_total of this page alone', 50, { page_total: 50 }, undefined, 10_000],
    ['a total of this page, and pages', 50, { total: 50, page_total: 40 }, undefined, 80],
    ['the account alone', 50, undefined, 1_000, 40],
    ['the account, where it counts more', 50, { total: 120, page_total: 3 }, 1_000, 40],
    ['a counter that counts nothing', 50, undefined, 0, 10_000],
    ['a counter that counts less than one page', 50, undefined, 49, 10_000],
  ])('%s', (_what, count, paging, counted, most) => {
    expect(mostPages(count, paging, counted)).toBe(most);
  });
});
