import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATION_IDS, endpoints } from '../../src/contract/index.ts';
import type { PagedOperationId } from '../../src/contract/index.ts';
import { examplesOf, type Example } from '../../src/sandbox/handlers/index.ts';
import { openStore } from '../../src/sandbox/store/store.ts';
import { openSandbox } from '../support/sandbox.ts';
import type { TestSandbox } from '../support/sandbox.ts';

const PAGED = OPERATION_IDS.filter((id): id is PagedOperationId => 'paged' in endpoints[id]);

describe('lists', () => {
  let box: TestSandbox;
  beforeAll(async () => {
    box = await openSandbox({ seed: 'demo', settings: { page_size: 7 } });
    const prices = Array.from({ length: 15 }, (_, index) => ({
      player_id: index + 1,
      price: 5,
      type: 'market',
    }));
    await box.call('upload-prices', { body: { fantasy_league_id: 1, prices } });
    const examples = examplesOf(openStore(undefined));
    for (const operation of PAGED) {
      const { paging } = await box.call(operation, { query: { fantasy_league_id: 1 } });
      const create = OPERATION_IDS.find(
        (id) => endpoints[id].method === 'POST' && endpoints[id].path === endpoints[operation].path,
      );
      if (create === undefined || Number(paging['total']) > 7) continue;
      const { body = {} }: Example = examples[create];
      for (const name of 'abcdefgh') await box.call(create, { body: { ...body, name } });
    }
  });
  afterAll(() => box.close());

  it.each(PAGED)('%s gives every record once, page by page', async (operation) => {
    const read = (page: number) => box.call(operation, { query: { fantasy_league_id: 1, page } });
    const first = await read(1);
    const total = Number(first.paging['total']);
    const pages = Math.ceil(total / 7);
    expect(pages).toBeGreaterThan(1);
    const ids = new Set<unknown>();
    for (let page = 1; page <= pages; page += 1) {
      const { list, paging } = await read(page);
      expect(paging).toEqual({ page, page_total: pages, per_page: 7, current: list.length, total });
      for (const record of list) ids.add(record['id']);
    }
    expect(ids.size).toBe(total);
    expect(first.list).toEqual((await box.call(operation, { query: { fantasy_league_id: 1 } })).list);
  });

  it.each([100, 999_999_999_999_999])('page %i is past the end and empty', async (page) => {
    const { status, list, paging } = await box.call('list-users', { query: { page } });
    expect([status, list]).toEqual([200, []]);
    expect(paging).toEqual({ page, page_total: 12, per_page: 7, current: 0, total: 80 });
  });

  it('an empty list has no pages', async () => {
    const { paging } = await box.call('list-squads', { query: { user_id: 80 } });
    expect(paging).toEqual({ page: 1, page_total: 0, per_page: 7, current: 0, total: 0 });
  });
});
