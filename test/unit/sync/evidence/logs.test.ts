import { describe, expect, it } from 'vitest';
import { RefusedError, UnavailableError } from '../../../../src/model/error.ts';
import { logCost, readLog } from '../../../../src/sync/evidence/logs.ts';
import { FakeService } from '../../../support/fake-service.ts';

const { signal } = new AbortController();

/** A service whose log has so many records, on pages of so many. */
function serviceWith(records: number, pageSize = Infinity): FakeService {
  const service = new FakeService();
  service.prices.push(...Array.from({ length: records }, (_, at) => ({ player_id: at, price: 1 })));
  service.pageSize = pageSize;
  return service;
}

/** Its first page as somebody else writes it. */
const firstPage = (
  service: FakeService,
  page: { readonly records?: number; readonly issues?: number; readonly total?: number | null },
): FakeService => {
  const { records = 0, issues = 0, total } = page;
  service.get = () =>
    Promise.resolve({
      status: 200,
      message: 'ok',
      records: Array.from({ length: records }, () => ({}) as never),
      issues: Array.from({ length: issues }, (_, index) => ({ index, message: 'unreadable' })),
      ...(total !== undefined && { paging: { total } }),
    });
  return service;
};

const read = (service: FakeService) => readLog({ service, signal }, 'list-prices', {});
const cost = (service: FakeService) => logCost({ service, signal }, 'list-prices', {});

const ERRORS: readonly (readonly [string, Error, boolean])[] = [
  ['a refusal', new RefusedError(403, 'no'), true],
  ['a list that does not add up', new UnavailableError('list.unstable', 'moves'), true],
  ['words of its own', new UnavailableError('service.no_envelope', 'a page'), true],
  ['a service that is down', new UnavailableError('service.down', 'down'), false],
  ['anything else', new Error('broken'), false],
];

describe('reading a log', () => {
  it('that is empty takes one request', async () => {
    const service = serviceWith(0);
    service.statesTotal = false;
    expect(await read(service)).toEqual({ count: 0, pages: 1, records: [] });
    expect(service.reads).toBe(1);
  });

  it('gives all records of all pages', async () => {
    const log = await read(serviceWith(7, 3));
    expect(log).toMatchObject({ count: 7, pages: 3 });
    expect(log?.records?.map(({ id }) => id)).toEqual(['0', '1', '2', '3', '4', '5', '6']);
  });

  it('of twenty pages gives its records, and of more its length alone', async () => {
    expect(await read(serviceWith(40, 2))).toMatchObject({ count: 40, pages: 20, records: { length: 40 } });
    const service = serviceWith(41, 2);
    expect(await read(service)).toEqual({ count: 41, pages: 1 });
    expect(service.reads).toBe(1);
  });

  it('counts records on its first page that cannot be read', async () => {
    expect(await read(firstPage(serviceWith(3), { issues: 1, total: 20 }))).toMatchObject({ count: 3 });
    expect(await read(firstPage(serviceWith(3), { records: 1, issues: 1, total: 40 }))).toMatchObject({
      count: 3,
    });
    expect(await read(firstPage(serviceWith(3), { records: 2, issues: 1, total: 61 }))).toEqual({
      count: 61,
      pages: 1,
    });
  });

  it('with more pages than its total says is given up', async () => {
    expect(await read(firstPage(serviceWith(20, 1), { records: 1, total: 20 }))).toMatchObject({ count: 20 });
    expect(await read(firstPage(serviceWith(21, 1), { records: 1, total: 20 }))).toBeUndefined();
    expect(await read(firstPage(serviceWith(3, 1), { records: 1, total: null }))).toMatchObject({ count: 3 });
  });

  it('is not believed where nothing states its length', async () => {
    const service = serviceWith(3);
    service.statesTotal = false;
    expect(await read(service)).toBeUndefined();
  });

  it('fails over a record that cannot be read, and stops at a signal', async () => {
    const service = serviceWith(3);
    const { list } = service;
    const asked: unknown[] = [];
    service.list = (...args) => {
      asked.push(...args.slice(0, 4));
      return list(...args);
    };
    const { get } = service;
    service.get = (operation, input) => {
      asked.push(operation, input);
      return get(operation, input);
    };
    const query = { fantasy_league_id: 4 };
    service.substitutions.push({ id: 's', fantasy_league_id: 4 });
    const log = 'list-auto-substitutions';
    await readLog({ service, signal }, log, query);
    expect(asked).toEqual([log, { query, signal }, log, query, signal, 'fail']);
  });

  it.each(ERRORS)('of %s', async (_what, error, isTold) => {
    const service = serviceWith(3);
    service.readFaults.push(undefined, error);
    const log = read(service);
    await (isTold ? expect(log).resolves.toBeUndefined() : expect(log).rejects.toBe(error));
  });
});

describe('what reading a log costs', () => {
  it.each([
    ['nothing on the first page', { total: 50 }, 1],
    ['no total', { records: 10 }, 2],
    ['a total of nothing', { records: 10, total: 0 }, 2],
    ['a total of one page', { records: 10, total: 10 }, 2],
    ['a total of one page and a record', { records: 10, total: 11 }, 3],
    ['records that cannot be read', { records: 8, issues: 2, total: 30 }, 4],
    ['twenty pages', { records: 10, total: 200 }, 21],
    ['more than twenty pages, which are not read', { records: 10, total: 201 }, 1],
  ])('with %s', async (_what, page, expected) => {
    expect(await cost(firstPage(serviceWith(0), page))).toBe(expected);
  });

  it('is asked for with its query and its signal', async () => {
    const service = serviceWith(1);
    const { get } = service;
    const asked: unknown[] = [];
    service.get = (operation, input) => {
      asked.push(operation, input);
      return get(operation, input);
    };
    const query = { fantasy_league_id: 4 };
    await logCost({ service, signal }, 'list-auto-substitutions', query);
    expect(asked).toEqual(['list-auto-substitutions', { query, signal }]);
  });

  it.each(ERRORS)('of %s', async (_what, error, isTold) => {
    const service = serviceWith(3);
    service.readFaults.push(error);
    await (isTold ? expect(cost(service)).resolves.toBe(1) : expect(cost(service)).rejects.toBe(error));
  });
});
