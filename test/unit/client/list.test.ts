import { describe, expect, it } from 'vitest';
import { readList } from '../../../src/client/list.ts';
import type { Page } from '../../../src/client/list.ts';
import { RefusedError, UnavailableError } from '../../../src/model/error.ts';

interface Asked {
  readonly page: number | undefined;
  /** How many pages were asked before this one. */
  readonly turn: number;
}
type Service = (asked: Asked) => Page<number>;
type PagingOf = (page: number, records: readonly number[]) => Page<number>['paging'];

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);
const pageOf = (records: readonly number[], paging?: Page<number>['paging']): Page<number> => ({
  elements: records.map((record) => ({ key: String(record), record })),
  paging,
});

/** A service of `count` records, `size` a page, that says what it likes about them. */
function pages(count: number, size: number, paging: PagingOf): Service {
  return ({ page = 1 }) => {
    const records = upTo(count).slice((page - 1) * size, page * size);
    return pageOf(records, paging(page, records));
  };
}

/** What shows that a list is whole, once it was read. */
async function wholenessOf(service: Service): Promise<string> {
  const list = readList('GET /user', (page) => Promise.resolve(service({ page, turn: 0 })));
  for (;;) {
    const next = await list.next();
    if (next.done === true) return next.value;
  }
}

async function read(
  service: Service,
): Promise<{ found: readonly number[]; asked: readonly (number | undefined)[] }> {
  const asked: (number | undefined)[] = [];
  const found: number[] = [];
  const list = readList('GET /user', (page) => {
    asked.push(page);
    return Promise.resolve(service({ page, turn: asked.length - 1 }));
  });
  for await (const records of list) found.push(...records);
  return { found, asked };
}

const full: PagingOf = (page, records) => ({
  page,
  page_total: 3,
  per_page: 50,
  current: records.length,
  total: 120,
});

describe('readList', () => {
  it.each<[string, Service, string]>([
    ['every page states the number of records', pages(120, 50, full), 'stated'],
    ['nothing is stated', pages(7, 5, () => undefined), 'assumed'],
    ['a total of -1 states nothing', pages(7, 5, (page) => ({ page, total: -1, page_total: -1 })), 'assumed'],
    ['nothing comes', () => pageOf([]), 'assumed'],
    [
      'the last of several pages comes again',
      ({ page = 1 }) => pageOf(page === 1 ? upTo(5) : [6]),
      'assumed',
    ],
    ['one page comes again and again', () => pageOf(upTo(3)), 'doubtful'],
    [
      'one page comes again, and counts its records',
      () => pageOf(upTo(5), { total: 5, per_page: 5 }),
      'stated',
    ],
    [
      'one page comes again, and as many pages are stated as it has records',
      () => pageOf(upTo(3), { page: 1, page_total: 3, per_page: 3, total: 3 }),
      'doubtful',
    ],
  ])('says how it is known to be whole: %s', async (_what, service, wholeness) => {
    expect(await wholenessOf(service)).toBe(wholeness);
  });

  it('asks the first page without a number and stops at total', async () => {
    const { found, asked } = await read(pages(120, 50, full));
    expect(found).toEqual(upTo(120));
    expect(asked).toEqual([undefined, 2, 3]);
  });

  it.each<[string, number, number, PagingOf, number]>([
    ['one page that says so', 7, 50, () => ({ page: 1, page_total: 1, per_page: 50, total: 7 }), 1],
    [
      'page_total as the items of the page',
      7,
      50,
      (_, r) => ({ page_total: r.length, per_page: 50, total: 7 }),
      1,
    ],
    ['page_total as all items', 7, 50, () => ({ page_total: 7, per_page: 50, total: 7 }), 1],
    ['an empty list', 0, 50, () => ({ page: 1, page_total: 0, per_page: 50, total: 0 }), 1],
    ['an empty list that has one page', 0, 50, () => ({ page_total: 1, total: 1 }), 1],
    ['an empty list without paging', 0, 50, () => undefined, 1],
    ['no paging at all', 120, 50, () => undefined, 4],
    ['total alone', 120, 50, () => ({ total: 120 }), 3],
    ['total alone, which may count the only page', 50, 50, () => ({ total: 50 }), 2],
    ['total alone, which counts each page', 100, 50, (_, r) => ({ total: r.length }), 3],
    ['total as pages', 120, 50, () => ({ total: 3 }), 4],
    ['total as pages and page_total as items', 120, 50, () => ({ total: 3, page_total: 120 }), 4],
    [
      'total as the items of the page',
      120,
      50,
      (_, r) => ({ total: r.length, page_total: 3, per_page: 50 }),
      4,
    ],
    ['a last page that is just full', 100, 50, () => ({ page_total: 2, per_page: 50, total: 100 }), 2],
    [
      'a full page and pages to come',
      100,
      50,
      (_, r) => ({ page_total: 2, per_page: 50, total: r.length }),
      3,
    ],
  ])('reads %s', async (_name, count, size, paging, requests) => {
    const { found, asked } = await read(pages(count, size, paging));
    expect(found).toEqual(upTo(count));
    expect(asked).toHaveLength(requests);
  });

  it('ends where the last page is repeated past the end', async () => {
    const service: Service = ({ page = 1 }) =>
      pageOf(upTo(120).slice((Math.min(page, 3) - 1) * 50, Math.min(page, 3) * 50));
    expect((await read(service)).found).toEqual(upTo(120));
  });

  it('takes a 404 past the end for the end', async () => {
    const service: Service = ({ page = 1 }) => {
      if (page > 3) throw new RefusedError(404, 'no such page');
      return pages(120, 50, () => undefined)({ page, turn: 0 });
    };
    expect((await read(service)).found).toEqual(upTo(120));
  });

  it('passes other refusals on', async () => {
    const service: Service = ({ page }) => {
      if (page !== undefined) throw new RefusedError(400, 'unknown parameter page');
      return pageOf(upTo(50));
    };
    await expect(read(service)).rejects.toThrow('unknown parameter page');
  });

  it('does not pass an ignored page number off as the whole list', async () => {
    const service: Service = () => pageOf(upTo(50), { page: 1, page_total: 3, per_page: 50, total: 120 });
    await expect(read(service)).rejects.toThrow(
      expect.objectContaining({ code: 'list.unstable', message: expect.stringContaining('120') as string }),
    );
    const withoutTotal: Service = () => pageOf(upTo(50), { page_total: 3, per_page: 50 });
    await expect(read(withoutTotal)).rejects.toThrow(/ignores the page number/);
  });

  it('takes an ignored page number for the whole list where everything fits on one page', async () => {
    expect((await read(() => pageOf(upTo(50), { total: 50 }))).found).toHaveLength(50);
    expect((await read(() => pageOf(upTo(50)))).found).toHaveLength(50);
  });

  it('reads again while total changes, and yields nothing of the read that failed', async () => {
    const service: Service = ({ page = 1, turn }) => {
      const count = turn === 0 ? 80 : 81;
      return pages(count, 50, () => ({ total: count }))({ page, turn });
    };
    const { found, asked } = await read(service);
    expect(found).toEqual(upTo(81));
    expect(asked).toEqual([undefined, 2, undefined, 2]);
  });

  it('reads again while a record moved between pages, and yields each record once', async () => {
    const service: Service = ({ page = 1, turn }) => {
      const records = page === 1 ? upTo(50) : turn === 1 ? upTo(81).slice(49, 80) : upTo(81).slice(50);
      return page > 2 ? pageOf([], { total: 81 }) : pageOf(records, { total: 81 });
    };
    expect((await read(service)).found.toSorted((a, b) => a - b)).toEqual(upTo(81));
  });

  it.each<[string, readonly number[], readonly number[]]>([
    ['beside others', [1, 2, 3, 4, 5], [4, 1, 2, 3, 5]],
    ['alone on the last page', [1, 2, 3], [3, 1, 2]],
    ['because a new one came first', [1, 2, 3, 4], [5, 1, 2, 3, 4]],
  ])(
    'reads again where no page states a number and a record comes again %s',
    async (_what, before, after) => {
      const service: Service = ({ page = 1, turn }) =>
        pageOf((turn === 0 ? before : after).slice((page - 1) * 2, page * 2));
      expect((await read(service)).found).toEqual(after);
    },
  );

  it('takes a record on two pages for the way of the service where the next read shows the same', async () => {
    const shown = [[1, 2], [2, 3], []];
    const { found, asked } = await read(({ page = 1 }) => pageOf(shown[page - 1] ?? []));
    expect(found).toEqual([1, 2, 3]);
    expect(asked).toEqual([undefined, 2, 3, undefined, 2, 3]);
  });

  it.each<[string, number, number]>([
    ['of few pages after six reads', 4, 6 * 3],
    ['of many pages at its end', 60, 31],
  ])('gives up a list %s where records come again each time', async (_what, count, requests) => {
    let [asked, first] = [0, 0];
    // With each page that is asked for, the last record comes first.
    const service: Service = ({ page = 1 }) => {
      const records = upTo(count).map((at) => ((at - 1 + first) % count) + 1);
      asked += 1;
      first += count - 1;
      return pageOf(records.slice((page - 1) * 2, page * 2));
    };
    await expect(read(service)).rejects.toThrow(
      expect.objectContaining({
        code: 'list.unstable',
        message: expect.stringContaining('page 2 shows records of earlier pages again') as string,
      }),
    );
    expect(asked).toBe(requests);
  });

  it('gives up after six reads that do not add up', async () => {
    let asked = 0;
    const service: Service = ({ page = 1, turn }) => {
      asked += 1;
      return pages(60, 50, () => ({ total: 61 + turn }))({ page, turn });
    };
    await expect(read(service)).rejects.toBeInstanceOf(UnavailableError);
    expect(asked).toBe(6 * 3);
  });

  it('streams a long list and fails at its end when it does not add up', async () => {
    const service = pages(250, 10, () => ({ total: 251 }));
    const seen: number[] = [];
    const drain = async (): Promise<void> => {
      for await (const records of readList('GET /user', (page) =>
        Promise.resolve(service({ page, turn: 0 })),
      )) {
        seen.push(...records);
      }
    };
    await expect(drain()).rejects.toThrow(
      /250 different records came on 25 pages, and the stated total is 251/,
    );
    expect(seen).toHaveLength(250);
  });

  it('ends a list that never does', async () => {
    const endless: Service = ({ page = 1 }) => pageOf([page]);
    await expect(read(endless)).rejects.toThrow('it goes on after 10000 pages');
  });

  it('counts what could not be read, and leaves it out', async () => {
    const service: Service = () => ({
      elements: [
        { key: '1', record: 1 },
        { key: '{"name":"no id"}', record: undefined },
      ],
      paging: { total: 2 },
    });
    expect((await read(service)).found).toEqual([1]);
  });
});
