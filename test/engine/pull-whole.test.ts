import { describe, expect, it } from 'vitest';
import type { PullSummary, Run, StoredIntent } from '../../src/model/state/store.ts';
import type { PullStore } from '../../src/sync/pulling/read.ts';
import type { PullMapping } from '../../src/mapping/mapping.ts';
import type { KnownRecord } from '../../src/model/state/run-rows.ts';
import { testClient } from '../support/client.ts';
import { virtualClock } from '../support/clock.ts';
import { memoryTables, pullMapping, pullPorts, pull } from '../support/pull.ts';
import { accountData, envelopeAnswer } from '../support/transport.ts';

const FILE = { kind: 'csv', path: '/report.csv' } as const;
const league = { fantasy_league_id: 1 };
const SETTLE_MS = 120_000;
const ACCOUNT = { baseUrl: 'http://127.0.0.1:1', accountId: 'a' };

type Raw = Readonly<Record<string, unknown>>;
const idOf = (at: number): string => `0b1e5f10-0000-4000-8000-${String(at).padStart(12, '0')}`;

interface List {
  readonly resource: PullMapping['resource'];
  readonly path: string;
  readonly feature?: string;
  readonly mapping?: Parameters<typeof pullMapping>[2];
  readonly record: (at: number) => Raw;
}

const LISTS: readonly (readonly [string, List])[] = [
  [
    'users',
    {
      resource: 'users',
      path: '/user',
      feature: 'users',
      record: (at) => ({ id: idOf(at), external_id: `m-${at}` }),
    },
  ],
  [
    'squads',
    {
      resource: 'squads',
      path: '/squad',
      feature: 'squads',
      record: (at) => ({ id: idOf(at), name: `S${at}` }),
    },
  ],
  [
    'mini leagues',
    {
      resource: 'mini_leagues',
      path: '/mini-league',
      feature: 'mini_leagues',
      record: (at) => ({ id: at, name: `M${at}` }),
    },
  ],
  [
    'prices',
    {
      resource: 'prices',
      path: '/price',
      record: (at) => ({ id: idOf(at), fantasy_league_id: 1, player: { id: at } }),
    },
  ],
  [
    'auto substitutions',
    {
      resource: 'auto_substitutions',
      path: '/auto-substitution',
      mapping: { where: league },
      record: (at) => ({ id: idOf(at), txn_ref: `t-${at}` }),
    },
  ],
  [
    'details of squads',
    {
      resource: 'squads',
      path: '/squad',
      feature: 'squads',
      mapping: { detail: true },
      record: (at) => ({ id: idOf(at), name: `S${at}` }),
    },
  ],
  [
    'line-ups',
    {
      resource: 'lineups',
      path: '/squad',
      feature: 'squads',
      record: (at) => ({ id: idOf(at), name: `S${at}`, squad: { starting_xi: [{ points: at }], bench: [] } }),
    },
  ],
];
const COUNTED = LISTS.filter(([, { feature }]) => feature !== undefined);

interface Shown {
  readonly data: readonly unknown[];
  readonly paging?: unknown;
}

interface Service {
  /** The list, by the time since the pull began and the page that is asked for. */
  readonly list: (elapsedMs: number, page: number) => Shown;
  readonly used?: number;
  readonly confirmed?: readonly KnownRecord[];
  readonly where?: PullMapping['where'];
  readonly limit?: number;
  readonly store?: Partial<PullStore>;
}

interface Pulled {
  readonly summary: PullSummary | undefined;
  /** The rows of the report without its header; undefined when it was not written. */
  readonly rows: readonly unknown[][] | undefined;
  readonly elapsedMs: number;
  readonly requests: readonly string[];
}

async function pullOf(list: List, service: Service): Promise<Pulled> {
  const clock = virtualClock();
  const startedAtMs = clock.monotonic();
  const requests: string[] = [];
  const { feature = 'contests', record } = list;
  const account = {
    ...accountData(),
    config: { features: { [feature]: { max: 0, used: service.used, remaining: -1 } } },
  };
  const { client } = testClient(
    ({ url, operation }) => {
      if (operation === 'get-account') return Promise.resolve(envelopeAnswer(200, account));
      const { pathname, search, searchParams } = new URL(url);
      requests.push(pathname.replace('/fantasy/v1', '') + search);
      const id = /\/([^/]+?)(?:\/lineup)?$/.exec(pathname.replace('/fantasy/v1/squad', ''))?.[1];
      if (id !== undefined && pathname.includes('/squad/'))
        return Promise.resolve(envelopeAnswer(200, record(Number(id.slice(-12)))));
      const { data, paging } = service.list(
        clock.monotonic() - startedAtMs,
        Number(searchParams.get('page') ?? 1),
      );
      return Promise.resolve(envelopeAnswer(200, data, { paging }));
    },
    { clock },
  );
  const { tables, written } = memoryTables();
  const counted = await clock.run(client.account());
  const plain = pullPorts(client, { tables, clock, counted, settleMs: SETTLE_MS });
  const ports = {
    ...plain,
    store: {
      ...plain.store,
      allSnapshots: async function* () {
        yield await Promise.resolve(service.confirmed ?? []);
      },
      ...service.store,
    },
  };
  const columns = [{ header: 'id', from: 'id', type: undefined, format: undefined }];
  const where = service.where === undefined ? {} : { where: service.where };
  const mapping = pullMapping(list.resource, FILE, { ...list.mapping, ...where, columns });
  const [summary] = await clock.run(pull(ports, [mapping], { limit: service.limit }));
  return {
    summary,
    rows: written.get(FILE.path)?.slice(1),
    elapsedMs: clock.monotonic() - startedAtMs,
    requests,
  };
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);
const all = (list: List, count: number): Shown => ({
  data: upTo(count).map((at) => list.record(at)),
  paging: { page: 1, page_total: 1, per_page: 50, current: 1, total: count },
});
const NONE: Shown = { data: [], paging: { page: 1, page_total: 0, per_page: 50, current: 1, total: 0 } };

function expectNothing({ summary, rows }: Pulled, leftOut?: number): void {
  expect(rows).toBeUndefined();
  expect(summary).toMatchObject({ records: 0, rows: 0, error: { code: 'list.unstable', exit_code: 8 } });
  expect(summary?.left_out).toBe(leftOut);
}

function expectRows({ summary, rows }: Pulled, count: number): void {
  expect(summary?.error).toBeUndefined();
  expect(rows).toHaveLength(count);
  expect(summary).not.toHaveProperty('left_out');
}

describe.each(LISTS)('a report of %s is whole or is not written', (_name, list) => {
  const bare = Object.keys(list.record(1)).filter((name) => name !== 'id' && name !== 'squad');
  const nulls = { ...list.record(3), ...Object.fromEntries(bare.map((name) => [name, null])) };

  it('shows a record of which nothing but the id is there, with empty cells', async () => {
    const shown = { ...all(list, 3), data: [list.record(1), list.record(2), nulls] };
    expectRows(await pullOf(list, { list: () => shown }), 3);
  });

  it('shows a record with a value of another kind as it came', async () => {
    const odd = { ...list.record(3), created_at: 7, updated_at: { at: 7 } };
    const shown = { ...all(list, 3), data: [list.record(1), list.record(2), odd] };
    expectRows(await pullOf(list, { list: () => shown }), 3);
  });

  it.each<readonly [string, () => Shown, number | undefined]>([
    [
      'a record has no id',
      () => ({ ...all(list, 3), data: [list.record(1), { ...list.record(2), id: null }, list.record(3)] }),
      1,
    ],
    ['an element is no record', () => ({ ...all(list, 2), data: [list.record(1), 'two'] }), 1],
    ['two records have one id', () => ({ data: [list.record(1), { ...list.record(1), name: 'other' }] }), 1],
    ['one record comes twice', () => ({ data: [list.record(1), list.record(1)] }), 1],
    [
      'its paging is no number and there is no data',
      () => ({ data: [], paging: { total: 'many' } }),
      undefined,
    ],
    ['its paging is no object', () => ({ ...all(list, 2), paging: 'one page' }), undefined],
    ['it states more than it shows', () => ({ ...all(list, 2), paging: { total: 5 } }), undefined],
    ['it states pages that do not come', () => ({ data: [], paging: { page_total: 4 } }), undefined],
  ])('where %s', async (_what, shown, leftOut) => {
    const list_ = (_elapsedMs: number, page: number): Shown =>
      page === 1 ? shown() : { ...shown(), data: [] };
    const pulled = await pullOf(list, { list: list_ });
    expectNothing(pulled, leftOut);
    expect(pulled.elapsedMs).toBeLessThan(SETTLE_MS);
  });

  it.each<readonly [string, Shown]>([
    ['a record has no id', { ...all(list, 2), data: [list.record(1), { ...list.record(2), id: null }] }],
    ['its paging cannot be read', { ...all(list, 2), paging: 'one page' }],
  ])('and is read once, and not waited for, where %s', async (_what, shown) => {
    const pulled = await pullOf(list, {
      list: (_elapsedMs, page) => (page === 1 ? shown : { ...shown, data: [] }),
    });
    expect(pulled.elapsedMs).toBe(0);
    const first = pulled.requests.filter((request) => !request.includes('page='));
    expect(first).toHaveLength(1);
  });

  it('and not waited for where it does not end', async () => {
    const pulled = await pullOf(list, {
      list: (_elapsedMs, page) => ({ data: [list.record(page)], paging: { page_total: 2 } }),
    });
    expectNothing(pulled);
    expect(pulled.elapsedMs).toBe(0);
    expect(pulled.requests).toHaveLength(10);
  });

  it('where a record has another name on the second page', async () => {
    const pages = [
      [list.record(1), list.record(2)],
      [{ ...list.record(2), created_at: '2026-01-01T00:00:00Z' }, list.record(3)],
    ];
    expectNothing(await pullOf(list, { list: (_ms, page) => ({ data: pages[page - 1] ?? [] }) }), 1);
  });

  it('goes on where a record with the same contents comes on two pages', async () => {
    const pages = [
      [list.record(1), list.record(2)],
      [list.record(2), list.record(3)],
    ];
    expectRows(await pullOf(list, { list: (_ms, page) => ({ data: pages[page - 1] ?? [] }) }), 3);
  });

  it('reads again what did not add up for a moment', async () => {
    let reads = 0;
    const shown = (_ms: number, page: number): Shown => {
      if (page === 1) reads += 1;
      return reads < 3 && page === 1 ? { ...all(list, 2), paging: { total: 3 } } : all(list, 3);
    };
    expectRows(await pullOf(list, { list: shown }), 3);
  });

  it('reads a list of many pages again where it changed meanwhile', async () => {
    const shown = (elapsedMs: number, page: number): Shown => ({
      data: upTo(50)
        .slice((page - 1) * 2, page * 2)
        .map((at) => list.record(at)),
      paging: { total: elapsedMs === 0 ? 49 + page : 50 },
    });
    expectRows(await pullOf(list, { list: shown }), 50);
  });
});

describe.each(COUNTED)('a report of %s is held against the counter of the account', (_name, list) => {
  it('and is not written while the list is shorter', async () => {
    const pulled = await pullOf(list, { list: () => all(list, 2), used: 5 });
    expectNothing(pulled, 3);
    expect(pulled.elapsedMs).toBe(SETTLE_MS);
    expect(pulled.summary?.error?.message).toContain('shows 2 of the 5 records that the account counts');
  });

  it('and waits for a list that comes late', async () => {
    const late = (elapsedMs: number): Shown => (elapsedMs < 1_500 ? NONE : all(list, 5));
    const pulled = await pullOf(list, { list: late, used: 5 });
    expectRows(pulled, 5);
    expect(pulled.elapsedMs).toBe(2_000);
  });

  it('and waits until everything is settled', async () => {
    const late = (elapsedMs: number): Shown => (elapsedMs < SETTLE_MS - 1 ? NONE : all(list, 5));
    expectRows(await pullOf(list, { list: late, used: 5 }), 5);
  });

  it.each([
    ['says 0', 0],
    ['says -1', -1],
    ['says nothing', undefined],
    ['counts late', 1],
  ])('and is written at once where that %s', async (_what, used) => {
    const pulled = await pullOf(list, { list: () => all(list, 2), ...(used !== undefined && { used }) });
    expectRows(pulled, 2);
    expect(pulled.elapsedMs).toBe(0);
  });

  it('but not where a limit cuts it', async () => {
    const pulled = await pullOf(list, { list: () => all(list, 3), used: 9, limit: 2 });
    expect(pulled.summary).toMatchObject({ records: 2, limited: true });
    expect(pulled.elapsedMs).toBe(0);
    expectNothing(await pullOf(list, { list: () => all(list, 3), used: 9, limit: 4 }), 6);
  });
});

const confirmed = (list: List, at: number, more: Raw = {}): KnownRecord => ({
  key: `key ${at}`,
  id: String(list.record(at)['id']).toUpperCase(),
  number: null,
  digests: {},
  values: { ...league, ...more },
});

describe.each(COUNTED)('a report of %s is held against what this state has confirmed', (_name, list) => {
  const three = [1, 2, 3].map((at) => confirmed(list, at));

  it.each([
    ['agrees with the list', 2],
    ['says nothing', undefined],
  ])('and is not written without it, where the counter %s', async (_what, used) => {
    const service = { list: () => all(list, 2), confirmed: three, ...(used !== undefined && { used }) };
    const pulled = await pullOf(list, service);
    expectNothing(pulled, 1);
    expect(pulled.elapsedMs).toBe(SETTLE_MS);
  });

  it('and waits for a list that comes late', async () => {
    const late = (elapsedMs: number): Shown => (elapsedMs < 1_500 ? NONE : all(list, 3));
    expectRows(await pullOf(list, { list: late, confirmed: three }), 3);
  });

  it('and not against what has no id', async () => {
    const nameless = { ...confirmed(list, 4), id: null };
    expectRows(await pullOf(list, { list: () => all(list, 3), confirmed: [...three, nameless] }), 3);
  });
});

describe.each(COUNTED.filter(([name]) => name !== 'users'))('a report of %s of one league', (_name, list) => {
  it('may be shorter than the counter, and is held against the records of that league', async () => {
    const elsewhere = confirmed(list, 9, { fantasy_league_id: 2 });
    const service = { list: () => all(list, 2), used: 9, where: league };
    expectRows(await pullOf(list, { ...service, confirmed: [confirmed(list, 1), elsewhere] }), 2);
    expectNothing(await pullOf(list, { ...service, confirmed: [confirmed(list, 3), elsewhere] }), 1);
  });
});

describe('the log of prices is held against the uploads that were applied', () => {
  const [, prices] = LISTS.find(([name]) => name === 'prices') ?? [];
  if (prices === undefined) throw new Error('prices have a list');
  const dayMs = 86_400_000;
  const run = { id: 'R', account: ACCOUNT, endedAtMs: null } as unknown as Run;
  const upload = (
    players: readonly number[],
    ageMs = 1_000,
    more: Partial<StoredIntent> = {},
  ): StoredIntent =>
    ({
      operation: 'upload-prices',
      result: 'applied',
      sentAtMs: virtualClock().now() - ageMs,
      keys: players.map((player) => `1/${player}/market`),
      ...more,
    }) as StoredIntent;
  const store = (intents: readonly StoredIntent[], runs = [run]) => ({
    runs: () => Promise.resolve(runs),
    intents: () => Promise.resolve(intents),
  });

  it('and is not written without their players', async () => {
    const pulled = await pullOf(prices, { list: () => NONE, store: store([upload([1, 2]), upload([2, 3])]) });
    expectNothing(pulled, 3);
    expect(pulled.elapsedMs).toBe(SETTLE_MS);
  });

  it('and waits for a log that comes late', async () => {
    const late = (elapsedMs: number): Shown => (elapsedMs < 1_500 ? NONE : all(prices, 3));
    expectRows(await pullOf(prices, { list: late, store: store([upload([1, 2, 3])]) }), 3);
  });

  it.each<readonly [string, ReturnType<typeof store>]>([
    ['an upload of the day before', store([upload([9], dayMs + 1)])],
    ['an upload that was refused', store([upload([9], 1_000, { result: 'refused' })])],
    ['another write', store([upload([9], 1_000, { operation: 'create-squad' })])],
    ['another account', store([upload([9])], [{ ...run, account: { ...ACCOUNT, accountId: 'b' } }])],
    ['a run that ended long ago', store([upload([9])], [{ ...run, endedAtMs: 0 }])],
  ])('but not against %s', async (_what, known) => {
    expectRows(await pullOf(prices, { list: () => all(prices, 2), store: known }), 2);
  });

  it('but not where it does not name players', async () => {
    const shown = { data: [{ id: idOf(1), fantasy_league_id: 1, player: null }] };
    const list = (_ms: number, page: number): Shown => (page === 1 ? shown : NONE);
    expectRows(await pullOf(prices, { list, store: store([upload([9])]) }), 1);
  });
});
