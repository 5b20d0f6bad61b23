import { describe, expect, it } from 'vitest';
import { listSightings } from '../../../../src/client/observe/observe-list.ts';
import type { ListReading } from '../../../../src/client/observe/observe-list.ts';

type Paging = ListReading['pages'][number]['paging'];

/** Three pages of a list of 120 records, 50 a page. */
const COUNTS = [50, 50, 20];
const reading = (
  paging: (page: number, count: number) => Paging,
  changes: Partial<ListReading> = {},
): ListReading => ({
  pages: COUNTS.map((count, index) => ({ count, paging: paging(index + 1, count) })),
  asked: 3,
  distinct: 120,
  ended: 'stated',
  problem: undefined,
  ...changes,
});
const valuesOf = (topic: string, found: ReturnType<typeof listSightings>): readonly string[] =>
  found.filter(([name]) => name === topic).map(([, value]) => value);
const nothing = (): undefined => undefined;

describe('the fields of paging', () => {
  it.each<[string, (page: number, count: number) => Paging, string[]]>([
    [
      'the page',
      (page: number) => ({ page, current: page - 1 }),
      ['page: the number of the page', 'current: the number of the page, from 0'],
    ],
    [
      'counts',
      () => ({ page_total: 3, per_page: 50, total: 120 }),
      [
        'page_total: the number of pages',
        'per_page: the records of a full page',
        'total: the records of the whole list',
      ],
    ],
    [
      'records of the page',
      (_: number, count: number) => ({ current: count }),
      ['current: the records of this page'],
    ],
    ['something else', () => ({ total: 999 }), ['total: something else']],
    ['null', () => ({ total: null }), []],
    ['nothing', nothing, []],
  ])('that state %s', (_what, paging, found) => {
    expect(valuesOf('paging', listSightings(reading(paging)))).toEqual(found);
  });

  it('tell nothing on one page, nor where two readings hold', () => {
    const one = reading(nothing, {
      pages: [{ count: 20, paging: { page: 1, page_total: 1, total: 20 } }],
      distinct: 20,
      asked: 1,
    });
    expect(valuesOf('paging', listSightings(one))).toEqual([]);
    const even = reading(nothing, {
      pages: [50, 50].map((count) => ({ count, paging: { per_page: 50 } })),
      distinct: 100,
    });
    expect(valuesOf('paging', listSightings(even))).toEqual([]);
  });
});

describe('the parameter page and the end of a list', () => {
  it.each<[string, Partial<ListReading>, readonly string[], readonly string[]]>([
    ['stated', {}, ['honoured'], []],
    ['an empty page', { asked: 4, ended: 'empty' }, ['honoured'], ['empty']],
    ['a 404', { asked: 4, ended: 'not_found' }, ['honoured'], ['refused with 404']],
    [
      'the last page again',
      { asked: 4, ended: 'repeated' },
      ['honoured'],
      ['records of an earlier page again'],
    ],
    [
      'one page, then none',
      { pages: [{ count: 20, paging: undefined }], distinct: 20, asked: 2, ended: 'empty' },
      [],
      ['empty'],
    ],
    [
      'the same page, which may be all',
      { pages: [{ count: 20, paging: undefined }], distinct: 20, asked: 2, ended: 'repeated' },
      ['page 2 is page 1 again: ignored, or past the end'],
      [],
    ],
    [
      'the same page of many',
      {
        pages: [{ count: 20, paging: undefined }],
        distinct: 20,
        asked: 2,
        ended: 'repeated',
        problem: 'there are 3 pages',
      },
      ['ignored: page 2 is page 1 again'],
      [],
    ],
    [
      'an empty list',
      { pages: [{ count: 0, paging: undefined }], distinct: 0, asked: 1, ended: 'empty' },
      [],
      [],
    ],
  ])('are learnt from %s', (_what, changes, page, pastEnd) => {
    const found = listSightings(reading(nothing, changes));
    expect(valuesOf('page', found)).toEqual(page);
    expect(valuesOf('past_end', found)).toEqual(pastEnd);
  });
});

describe('the whole list', () => {
  it.each<[string, ListReading, string]>([
    ['added up', reading(nothing), 'added up'],
    ['shifted', reading(nothing, { distinct: 119 }), 'added up, with a record on two pages'],
    ['was short', reading(nothing, { problem: 'x' }), 'did not add up'],
    [
      'moved',
      reading((page) => ({ total: 100 + page }), { problem: 'x' }),
      'did not add up: total changed meanwhile',
    ],
  ])('%s', (_what, read, found) => {
    expect(valuesOf('list', listSightings(read))).toEqual([found]);
  });

  it.each<[string, ListReading, readonly string[]]>([
    ['of three pages', reading(nothing), ['50']],
    [
      'that says so on its only page',
      reading(nothing, { pages: [{ count: 20, paging: { per_page: 30 } }] }),
      ['30, as per_page states'],
    ],
    ['of one page that says nothing', reading(nothing, { pages: [{ count: 20, paging: undefined }] }), []],
    [
      'of uneven pages',
      reading(nothing, { pages: [40, 50, 30].map((count) => ({ count, paging: undefined })) }),
      ['not the same on every page'],
    ],
    ['that does not add up', reading(nothing, { problem: 'x' }), []],
  ])('%s has a page size', (_what, read, found) => {
    expect(valuesOf('page_size', listSightings(read))).toEqual(found);
  });
});
