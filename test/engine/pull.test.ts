import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  AccessError,
  ConfigError,
  InternalError,
  InterruptedError,
  RefusedError,
  UnavailableError,
} from '../../src/model/error.ts';
import type { PullMapping } from '../../src/mapping/mapping.ts';
import type { RunEvent } from '../../src/model/event.ts';
import { fakeService, memoryTables, pullMapping, pullPorts, pull } from '../support/pull.ts';
import { testFolder } from '../support/test-folder.ts';
import { handMade, textRow } from '../support/workbook.ts';

const league = { fantasy_league_id: 1 };
const squadId = (n: number): string => `0b1e5f10-0000-4000-8000-${String(n).padStart(12, '0')}`;
const squadItem = (n: number) => ({
  id: squadId(n),
  name: `Squad ${n}`,
  created_at: '2026-08-14T19:00:00.000Z',
  user: { display_name: `Manager ${n}` },
  fantasy_league: { id: 1, name: 'Harbour League', is_active: true },
});
const entry = (player: number) => ({
  player: { id: String(player), last_name: `P${player}` },
  is_starting: true,
});
const lineup = (n: number) => ({
  id: squadId(n),
  name: `Squad ${n}`,
  squad: { starting_xi: [entry(n), entry(100 + n)], bench: [entry(200 + n)] },
});
const numberOfId = (id: unknown): number => Number(String(id).slice(-12));
const squadPages = (count: number, perPage = 50) =>
  Array.from({ length: Math.ceil(count / perPage) }, (_, page) =>
    Array.from({ length: Math.min(perPage, count - page * perPage) }, (_2, index) =>
      squadItem(page * perPage + index + 1),
    ),
  );

function squadService(count: number, refuse: (operation: string, n: number) => void = () => undefined) {
  return fakeService({
    pages: (operation) => (operation === 'list-squads' ? squadPages(count) : []),
    get: (operation, id) => {
      refuse(operation, numberOfId(id));
      const n = numberOfId(id);
      return operation === 'get-lineup' ? lineup(n) : { ...squadItem(n), ranking: { current_rank: n } };
    },
  });
}

const messages = (events: readonly RunEvent[], kind: 'warning' | 'note'): readonly string[] =>
  events.flatMap((event) => (event.kind === kind ? [event.message] : []));

const folder = testFolder();
const csv = (name: string) => ({ kind: 'csv', path: path.join(folder.path, name) }) as const;
const columns = (...names: readonly string[]) =>
  names.map((name) => ({ header: name, from: name, type: undefined, format: undefined }));

const SOURCE = {
  headerRow: 1,
  where: [],
  delimiter: 'auto',
  encoding: 'auto',
  locale: 'en',
  layout: { kind: 'table' },
} as const;

describe('squads and line-ups', () => {
  it('writes squads to a CSV file', async () => {
    const ports = pullPorts(squadService(2));
    const summaries = await pull(ports, [pullMapping('squads', csv('squads.csv'), { where: league })], {});
    expect(summaries).toEqual([
      {
        name: 'squads-report',
        resource: 'squads',
        direction: 'pull',
        records: 2,
        rows: 2,
        destination: 'out/squads.csv',
      },
    ]);
    const [header, first] = (await readFile(path.join(folder.path, 'squads.csv'), 'utf8')).split('\n');
    expect(header).toBe(
      'id,name,created_at,updated_at,user.id,user.user_id,user.external_id,user.is_active,user.display_name,user.created_at,' +
        'user.updated_at,fantasy_league.id,fantasy_league.name,fantasy_league.is_active',
    );
    expect(first).toBe(`${squadId(1)},Squad 1,2026-08-14T19:00:00Z,,,,,,Manager 1,,,1,Harbour League,true`);
  });

  it('costs the pages and two requests a squad for details and line-ups, at least eight at once, in order', async () => {
    const service = squadService(120);
    const { tables, written } = memoryTables();
    const mappings = [
      pullMapping('squads', csv('squads.csv'), { where: league, detail: true, columns: columns('name') }),
      pullMapping('lineups', csv('lineups.csv'), {
        where: league,
        columns: columns('name', 'entry.order', 'entry.player.id'),
      }),
    ];
    const summaries = await pull(pullPorts(service, { tables }), mappings, {});
    expect(summaries.map(({ records }) => records)).toEqual([120, 120]);
    expect(service.calls).toHaveLength(3 + 2 * 120);
    expect(service.peak()).toBeGreaterThanOrEqual(8);
    const squads = written.get(csv('squads.csv').path) ?? [];
    expect(squads.slice(1).map(([name]) => name)).toEqual(
      Array.from({ length: 120 }, (_, index) => `Squad ${index + 1}`),
    );
    expect(written.get(csv('lineups.csv').path)?.slice(1, 5)).toEqual([
      ['Squad 1', 1, '1'],
      ['Squad 1', 2, '101'],
      ['Squad 1', 12, '201'],
      ['Squad 2', 1, '2'],
    ]);
  });

  it('reads what two mappings want once', async () => {
    const service = squadService(60);
    const { tables, written } = memoryTables();
    const mappings = [
      pullMapping('lineups', csv('lineups.csv'), { where: league }),
      pullMapping(
        'lineups',
        { kind: 'xlsx', path: '/season.xlsx', tab: 'Line-ups' },
        { name: 'lineups-tab', where: league },
      ),
    ];
    await pull(pullPorts(service, { tables }), mappings, {});
    expect(service.calls).toHaveLength(2 + 60);
    expect(written.get('Line-ups')).toEqual(written.get(csv('lineups.csv').path));
  });

  it('reads a record once that two mappings name in two ways', async () => {
    const service = squadService(6);
    const { tables, written } = memoryTables();
    const mappings = [
      pullMapping('squads', csv('all.csv'), { where: league, detail: true, columns: columns('name') }),
      pullMapping('squads', csv('some.csv'), {
        name: 'some',
        where: { id: [squadId(5), squadId(2), squadId(9)] },
        columns: columns('name'),
      }),
    ];
    await pull(pullPorts(service, { tables }), mappings, {});
    expect(service.calls).toHaveLength(1 + 7);
    expect(written.get(csv('some.csv').path)).toEqual([['name'], ['Squad 5'], ['Squad 2'], ['Squad 9']]);
  });

  it('leaves out a squad that is gone, with a warning that names it', async () => {
    const service = squadService(3, (_, n) => {
      if (n === 2) throw new RefusedError(404, 'squad not found');
    });
    const ports = pullPorts(service);
    const [summary] = await pull(
      ports,
      [pullMapping('squads', csv('s.csv'), { detail: true, columns: columns('name') })],
      {},
    );
    expect(summary).toMatchObject({ records: 2, left_out: 1 });
    expect(summary?.error).toBeUndefined();
    expect(await readFile(csv('s.csv').path, 'utf8')).toBe('name\nSquad 1\nSquad 3\n');
    expect(messages(ports.events, 'warning')).toEqual([
      `squads-report: squad ${squadId(2)} left out: squad not found`,
    ]);
  });

  it('leaves out a squad whose id no address can hold, and reads the others', async () => {
    const unusable = new InternalError('request.invalid', 'get-squad was not sent: its path id is wrong');
    const service = squadService(3, (_, n) => {
      if (n === 2) throw unusable;
    });
    const mapping = pullMapping('squads', csv('s.csv'), { detail: true, columns: columns('name') });
    const ports = pullPorts(service);
    const [summary] = await pull(ports, [mapping], {});
    expect(summary).toMatchObject({ records: 2 });
    expect(messages(ports.events, 'warning')).toEqual([
      `squads-report: squad ${squadId(2)} left out: get-squad was not sent: its path id is wrong`,
    ]);
    const none = squadService(2, () => {
      throw unusable;
    });
    await expect(pull(pullPorts(none), [mapping], {})).rejects.toBe(unusable);
  });

  it.each([
    ['a 500', new UnavailableError('service.error', 'the service answered 500'), 8],
    ['a refused key', new AccessError('service.access', 'the key was refused'), 5],
    // 3 speaks of rows of a push.
    ['another refusal', new RefusedError(400, 'bad request'), 8],
  ])('keeps the old file after %s and goes on with the others', async (_, error, exitCode) => {
    await writeFile(csv('s.csv').path, 'old\n');
    const service = squadService(40, (operation, n) => {
      if (operation === 'get-squad' && n === 30) throw error;
    });
    const summaries = await pull(
      pullPorts(service),
      [
        pullMapping('squads', csv('s.csv'), { detail: true }),
        pullMapping('lineups', csv('l.csv'), { columns: columns('name') }),
      ],
      {},
    );
    expect(summaries[0]).toMatchObject({
      records: 0,
      error: { code: error.code, message: error.message, exit_code: exitCode },
    });
    expect(summaries[1]).toMatchObject({ records: 40 });
    expect(await readFile(csv('s.csv').path, 'utf8')).toBe('old\n');
    expect((await readdir(folder.path)).toSorted()).toEqual(['l.csv', 's.csv']);
  });

  it('reports a mapping none of whose squads could be read', async () => {
    const service = squadService(3, () => {
      throw new RefusedError(404, 'no line-up');
    });
    const [summary] = await pull(pullPorts(service), [pullMapping('lineups', csv('l.csv'))], {});
    expect(summary?.error).toMatchObject({ code: 'service.refused', exit_code: 8 });
  });

  it('fetches the ids of where one by one, with their detail', async () => {
    const service = squadService(0);
    const where = { id: [squadId(7), squadId(9)] };
    await pull(
      pullPorts(service),
      [pullMapping('squads', csv('s.csv'), { where, columns: columns('ranking.current_rank') })],
      {},
    );
    expect(service.calls).toEqual([`get-squad ${squadId(7)}`, `get-squad ${squadId(9)}`]);
    expect(await readFile(csv('s.csv').path, 'utf8')).toBe('ranking.current_rank\n7\n9\n');
  });

  it('takes the first records of a limited pull, asks for no more, and says so', async () => {
    const service = squadService(60);
    const ports = pullPorts(service);
    const [summary] = await pull(ports, [pullMapping('lineups', csv('l.csv'))], { limit: 4 });
    expect(summary?.records).toBe(4);
    expect(service.calls).toHaveLength(1 + 4);
    expect(messages(ports.events, 'note')).toEqual(['lineups-report: only the first 4 records, as limited']);
  });

  it.each([
    ['counts them all', 120, [120, 120, 120]],
    ['counts fewer than come', 60, [60, undefined, undefined]],
    ['does not count', undefined, [undefined, undefined, undefined]],
  ])(
    'knows how many it reads in all where the account %s, and says nothing else',
    async (_, used, totals) => {
      const features = { squads: { used } };
      const ports = pullPorts(squadService(120), { counted: { id: 'a', config: { features } } });
      await pull(ports, [pullMapping('squads', csv('s.csv'))], {});
      expect(ports.events.map((event) => (event.kind === 'progress' ? event.total : event.kind))).toEqual(
        totals,
      );
    },
  );

  it('tells how far it is', async () => {
    const ports = pullPorts(squadService(3));
    await pull(ports, [pullMapping('squads', csv('s.csv'), { detail: true })], {});
    const told = ports.events.flatMap((event) =>
      event.kind === 'progress' ? [[event.done, event.total, event.unit]] : [],
    );
    expect(told).toEqual([
      [3, undefined, 'records'],
      [1, 3, 'squads'],
      [2, 3, 'squads'],
      [3, 3, 'squads'],
    ]);
  });
});

describe('lists', () => {
  it('keeps the old file of a list that does not add up', async () => {
    await writeFile(csv('u.csv').path, 'old\n');
    const service = fakeService({
      pages: () => [[{ id: squadId(1), external_id: 'm1' }]],
      listEnd: () => {
        throw new UnavailableError('list.unstable', 'the list of users does not add up');
      },
    });
    const [summary] = await pull(pullPorts(service), [pullMapping('users', csv('u.csv'))], {});
    expect(summary?.error).toMatchObject({ code: 'list.unstable', exit_code: 8 });
    expect(await readFile(csv('u.csv').path, 'utf8')).toBe('old\n');
  });

  it.each([
    ['prices', {}],
    ['mini_leagues', league],
    ['auto_substitutions', league],
    ['users', {}],
  ] as const)('reads %s to the end', async (resource, where) => {
    const service = fakeService({ pages: () => [[{ id: squadId(1) }], [{ id: squadId(2) }]] });
    const mapping = pullMapping(resource, csv('r.csv'), { where, columns: columns('id') });
    const [summary] = await pull(pullPorts(service), [mapping], {});
    expect(summary?.records).toBe(2);
    expect(service.calls).toHaveLength(2);
  });
});

describe('single records', () => {
  it('writes a fixture a row, with its week, and counts fixtures', async () => {
    const week = (name: string, count: number) => ({
      id: name,
      week: name,
      fixtures: Array.from({ length: count }, (_, index) => ({ id: `${name}-${index}` })),
    });
    const service = fakeService({ get: () => [week('1', 2), week('2', 1), { id: '3', week: '3' }] });
    const mapping = pullMapping('fixtures', csv('f.csv'), {
      where: league,
      columns: columns('game_week.week', 'id'),
    });
    const [summary] = await pull(pullPorts(service), [mapping], {});
    expect(summary?.records).toBe(3);
    expect(service.calls).toEqual(['get-fixtures 1']);
    expect(await readFile(csv('f.csv').path, 'utf8')).toBe('game_week.week,id\n1,1-0\n1,1-1\n2,2-0\n');
  });

  it('reads the account and a fantasy league', async () => {
    const service = fakeService({
      account: { id: 'a', tier: 'gold' },
      get: () => ({ id: 1, name: 'Harbour League' }),
    });
    const summaries = await pull(
      pullPorts(service),
      [
        pullMapping('account', csv('a.csv'), { columns: columns('tier') }),
        pullMapping('fantasy_leagues', csv('l.csv'), { where: league, columns: columns('name') }),
      ],
      {},
    );
    expect(summaries.map(({ records }) => records)).toEqual([1, 1]);
    expect(await readFile(csv('a.csv').path, 'utf8')).toBe('tier\ngold\n');
    expect(service.calls).toEqual(['get-account', 'get-fantasy-league 1']);
  });

  const config = { 'points_config_id:1': 'cfg-1' };
  const pointsMapping = () =>
    pullMapping('points_config', csv('p.csv'), { where: league, columns: columns('id') });

  it('reads the points configuration by its remembered id and says which', async () => {
    const ports = pullPorts(fakeService({ get: (_, id) => ({ id, fantasy_league_id: 1 }) }), {
      facts: config,
    });
    await pull(ports, [pointsMapping()], {});
    expect(await readFile(csv('p.csv').path, 'utf8')).toBe('id\ncfg-1\n');
    expect(messages(ports.events, 'note')[0]).toContain('the id remembered from its upload (cfg-1)');
  });

  it("falls back to the league's number", async () => {
    const service = fakeService({
      get: (_, id) => {
        if (id === 'cfg-1') throw new RefusedError(404, 'not found');
        return { id: 'cfg-2', fantasy_league_id: 1 };
      },
    });
    const ports = pullPorts(service, { facts: config });
    await pull(ports, [pointsMapping()], {});
    expect(service.calls).toEqual(['get-points-config cfg-1', 'get-points-config 1']);
    expect(messages(ports.events, 'note')[0]).toContain('the number of the league (1)');
  });

  it.each([
    ['refused', new RefusedError(404, 'not found')],
    ['refused without the envelope', new UnavailableError('service.no_envelope', 'JSON (HTTP 404)')],
    ['refused as a page', new UnavailableError('service.html', 'a page of HTML (HTTP 404)')],
  ])('falls back to the id that the league shows, where its number is %s', async (_, error) => {
    const service = fakeService({
      get: (operation, id) => {
        if (operation === 'get-fantasy-league') return { id: 1, points_config: { id: 'cfg-3' } };
        if (id !== 'cfg-3') throw error;
        return { id, fantasy_league_id: 1 };
      },
    });
    const ports = pullPorts(service);
    await pull(ports, [pointsMapping()], {});
    expect(await readFile(csv('p.csv').path, 'utf8')).toBe('id\ncfg-3\n');
    expect(messages(ports.events, 'note')[0]).toContain('the id that the league shows (cfg-3)');
  });

  it.each(['service.error', 'service.html', 'service.no_envelope', 'service.record'])(
    'falls back where an id that names none is answered with nothing to use: %s',
    async (code) => {
      const answers = (shown: unknown) =>
        fakeService({
          get: (operation, id) => {
            if (operation === 'get-fantasy-league') return { id: 1, points_config: shown };
            if (id !== 'cfg-3') throw new UnavailableError(code, 'HTTP 500');
            return { id, fantasy_league_id: 1 };
          },
        });
      await pull(pullPorts(answers({ id: 'cfg-3' })), [pointsMapping()], {});
      expect(await readFile(csv('p.csv').path, 'utf8')).toBe('id\ncfg-3\n');
      const [summary] = await pull(pullPorts(answers(null)), [pointsMapping()], {});
      expect(summary?.error).toMatchObject({ code, message: 'HTTP 500', exit_code: 8 });
    },
  );

  interface Unread {
    readonly status?: number;
    readonly league?: unknown;
    readonly record?: unknown;
    readonly facts?: Readonly<Record<string, string>>;
  }
  const unread = async ({ status = 404, league: shown, record, facts = {} }: Unread) => {
    const service = fakeService({
      get: (operation) => {
        if (operation === 'get-fantasy-league') return { id: 1, points_config: shown };
        if (record === undefined) throw new RefusedError(status, 'not found');
        return record;
      },
    });
    const ports = pullPorts(service, { facts });
    const [summary] = await pull(ports, [pointsMapping()], {});
    return { summary, notes: messages(ports.events, 'note') };
  };

  it.each<readonly [string, Unread, string]>([
    [
      'that of another league',
      { record: { id: 'cfg-9', fantasy_league_id: 9 } },
      'points_config.other_league',
    ],
    ['one whose id is remembered', { facts: config }, 'points_config.not_found'],
    ['one that the league shows', { league: { id: 'cfg-3' } }, 'points_config.not_found'],
    ['one that the league shows without an id', { league: { starter_points: 2 } }, 'points_config.not_found'],
    ['one that is closed', { status: 403 }, 'points_config.not_found'],
  ])('writes no report without a configuration: %s', async (_, answers, code) => {
    const { summary } = await unread(answers);
    expect(summary?.error).toMatchObject({ code, exit_code: 8 });
  });

  it.each<readonly [string, Unread]>([
    ['404', {}],
    ['400', { status: 400 }],
    ['404, and its league shows null', { league: null }],
    ['404, and its league shows an empty object', { league: {} }],
  ])('writes an empty report of a league without a configuration: %s', async (_, answers) => {
    const { summary, notes } = await unread(answers);
    expect(summary).toMatchObject({ records: 0, rows: 0 });
    expect(summary).not.toHaveProperty('error');
    expect(await readFile(csv('p.csv').path, 'utf8')).toBe('id\n');
    expect(notes).toEqual([
      'points_config-report: fantasy league 1 has no points configuration yet, so the report is empty',
    ]);
  });
});

describe('players', () => {
  const players = (answer: (id: number) => unknown = (id) => ({ id, price: 7.5 })) =>
    fakeService({
      pages: (operation) =>
        operation === 'list-squads'
          ? [[squadItem(1)]]
          : [
              [
                { id: 'x', fantasy_league_id: 1, player: { id: 31 } },
                { id: 'y', fantasy_league_id: 2, player: { id: 99 } },
              ],
            ],
      get: (operation, id) => (operation === 'get-lineup' ? lineup(1) : answer(Number(id))),
    });
  const ids = { columns: columns('id') };

  it('reads every known id: the state, the price log, the line-ups', async () => {
    const service = players();
    const ports = pullPorts(service, { prices: ['1/12/market', '1/31/market', '2/77/market'] });
    await pull(ports, [pullMapping('players', csv('p.csv'), { where: league, ...ids })], {});
    expect(await readFile(csv('p.csv').path, 'utf8')).toBe('id\n1\n12\n31\n101\n201\n');
    expect(messages(ports.events, 'note')).toEqual([
      'players-report: 5 players of league 1 are known: 2 from the state, 0 more from the price log, 3 more from line-ups',
    ]);
  });

  it('knows the players of the state and the log while no squad has a line-up', async () => {
    const service = fakeService({
      pages: (operation) => (operation === 'list-squads' ? [[squadItem(1)]] : []),
      get: (operation, id) => {
        if (operation === 'get-lineup') throw new RefusedError(404, 'no line-up yet');
        return { id };
      },
    });
    const ports = pullPorts(service, { prices: ['1/12/market'] });
    const [summary] = await pull(
      ports,
      [pullMapping('players', csv('p.csv'), { where: league, ...ids })],
      {},
    );
    expect(summary).toMatchObject({ records: 1 });
    expect(messages(ports.events, 'warning')).toContain(
      'players-report: no line-up could be read: no line-up yet',
    );
  });

  it('reads ranges, and sums up the ids that name nobody', async () => {
    const service = players((id) => {
      if (id > 3) throw new RefusedError(404, 'no such player');
      return { id };
    });
    const ports = pullPorts(service);
    const ranges = [
      { from: 1, to: 4 },
      { from: 6, to: 6 },
    ];
    const [summary] = await pull(
      ports,
      [pullMapping('players', csv('p.csv'), { where: league, ids: { kind: 'ranges', ranges }, ...ids })],
      {},
    );
    expect(summary?.records).toBe(3);
    expect(messages(ports.events, 'note')).toEqual([
      'players-report: 2 of 5 player ids are not known to the service',
    ]);
    expect(messages(ports.events, 'warning')).toEqual([]);
  });

  const column = (file: string, club = 'Ports') =>
    ({
      kind: 'column',
      column: 'Player ID',
      source: {
        location: { kind: 'csv', path: file },
        origin: 'prices.csv',
        ...SOURCE,
        where: [{ header: 'Club', equals: true, text: club }],
      },
    }) as const;

  it('reads the ids of a column of a table', async () => {
    await writeFile(csv('in.csv').path, 'Player ID,Club\n7,Ports\n8,Hills\n5,Ports\n7,Ports\n,Ports\n');
    const mapping = pullMapping('players', csv('p.csv'), {
      where: league,
      ids: column(csv('in.csv').path),
      ...ids,
    });
    await pull(pullPorts(players()), [mapping], {});
    expect(await readFile(csv('p.csv').path, 'utf8')).toBe('id\n7\n5\n');
  });

  it('reads the rows of a condition in either form of Unicode', async () => {
    await writeFile(csv('in.csv').path, 'Player ID,Club\n7,Cafe\u0301\n8,Cafe\n5,Caf\u00e9\n');
    const mapping = pullMapping('players', csv('p.csv'), {
      where: league,
      ids: column(csv('in.csv').path, 'Caf\u00e9'),
      ...ids,
    });
    await pull(pullPorts(players()), [mapping], {});
    expect(await readFile(csv('p.csv').path, 'utf8')).toBe('id\n7\n5\n');
  });

  it('refuses a column that holds something else before it asks anything', async () => {
    await writeFile(csv('in.csv').path, 'Player ID,Club\n7,Ports\n7.5,Ports\n');
    const service = players();
    const mappings = [
      pullMapping('prices', csv('log.csv')),
      pullMapping('players', csv('p.csv'), { where: league, ids: column(csv('in.csv').path), ...ids }),
    ];
    await expect(pull(pullPorts(service), mappings, {})).rejects.toThrow(
      'prices.csv row 3, column "Player ID": "7.5" is not a player id, a whole number from 1',
    );
    expect(service.calls).toEqual([]);
  });

  it('refuses an id that is a formula without a stored result, and takes one in a column that it does not read', async () => {
    const file = path.join(folder.path, 'players.xlsx');
    const read = async (formulaIn: 'A' | 'B' | 'C'): Promise<string> => {
      const cells = ['A', 'B', 'C'].map((column, at) =>
        column === formulaIn
          ? `<c r="${column}3"><f>1+7</f></c>`
          : `<c r="${column}3" t="inlineStr"><is><t>${['8', 'Ports', 'x'][at] ?? ''}</t></is></c>`,
      );
      const header = textRow(1, ['Player ID', 'Club', 'Note']) + textRow(2, ['7', 'Ports', 'x']);
      await writeFile(file, handMade({ rows: `${header}<row r="3">${cells.join('')}</row>` }));
      const { source, ...rest } = column(file);
      const location = { kind: 'xlsx', path: file, tab: 'Users' } as const;
      const table = { ...rest, source: { ...source, location, origin: 'players.xlsx tab "Users"' } };
      const mapping = pullMapping('players', csv('p.csv'), { where: league, ids: table, ...ids });
      await pull(pullPorts(players()), [mapping], {});
      return readFile(csv('p.csv').path, 'utf8');
    };
    const refused = (cell: string, name: string) => ({
      code: 'ids.not_a_player_id',
      message: `players.xlsx tab "Users" row 3, column "${name}": ${cell} holds a formula without a stored result; open and save the file in Excel or LibreOffice`,
    });
    await expect(read('A')).rejects.toMatchObject(refused('A3', 'Player ID'));
    await expect(read('B')).rejects.toMatchObject(refused('B3', 'Club'));
    expect(await read('C')).toBe('id\n7\n8\n');
  });
});

describe('destinations', () => {
  const tab = (name: string) =>
    ({ kind: 'xlsx', path: path.join(folder.path, 'season.xlsx'), tab: name }) as const;

  it('writes no workbook when one of its tabs is not whole, and says why to each', async () => {
    await writeFile(tab('x').path, 'old');
    const service = squadService(5, () => {
      throw new UnavailableError('service.error', 'the service answered 500');
    });
    const summaries = await pull(
      pullPorts(service),
      [pullMapping('squads', tab('Squads')), pullMapping('lineups', tab('Line-ups'))],
      {},
    );
    expect(summaries.map(({ error }) => error)).toEqual([
      {
        code: 'destination.incomplete',
        message:
          'out/season.xlsx stays as it was, because lineups-report has no report: the service answered 500',
        exit_code: 8,
      },
      { code: 'service.error', message: 'the service answered 500', exit_code: 8 },
    ]);
    expect(await readFile(tab('x').path, 'utf8')).toBe('old');
  });

  it('writes two appending mappings one after the other', async () => {
    const service = fakeService({ pages: (operation) => [[{ id: operation }]] });
    const append = { columns: columns('id'), destination: { mode: 'append' } } as const;
    const summaries = await pull(
      pullPorts(service),
      [pullMapping('users', csv('a.csv'), append), pullMapping('prices', csv('a.csv'), append)],
      {},
    );
    expect(summaries.map(({ records }) => records)).toEqual([1, 1]);
    expect(await readFile(csv('a.csv').path, 'utf8')).toBe('id\nlist-users\nlist-prices\n');
  });

  it.each(['xlsx', 'sheet'] as const)('refuses two appending mappings of one tab of %s', async (kind) => {
    const location = { kind, path: '/season.xlsx', spreadsheet: 'id', tab: 'Table' } as const;
    const service = squadService(1);
    const mappings = [
      pullMapping('users', location),
      pullMapping('prices', { ...location, tab: 'table' }, { destination: { mode: 'append' } }),
    ];
    await expect(pull(pullPorts(service), mappings, {})).rejects.toMatchObject({ code: 'destination.twice' });
    expect(service.calls).toEqual([]);
  });

  it('calls a spreadsheet by its title once that is known', async () => {
    const { tables } = memoryTables();
    const titleOf = (): string => 'Season 2026';
    const summaries = await pull(
      pullPorts(squadService(1), { tables: { ...tables, sheet: { ...tables.sheet, titleOf } } }),
      [
        pullMapping('squads', { kind: 'sheet', spreadsheet: 'id', tab: 'Out' }),
        pullMapping('squads', csv('s.csv'), { name: 'again' }),
      ],
      {},
    );
    expect(summaries.map(({ destination }) => destination)).toEqual(['"Season 2026" tab "Out"', 'out/s.csv']);
  });

  it('goes on with the other files when a spreadsheet cannot be written', async () => {
    const { tables, written } = memoryTables();
    const write = () => Promise.reject(new ConfigError('google.not_found', 'there is no spreadsheet id'));
    const summaries = await pull(
      pullPorts(squadService(1), { tables: { ...tables, sheet: { ...tables.sheet, write } } }),
      [
        pullMapping('users', { kind: 'sheet', spreadsheet: 'id', tab: 'Users' }),
        pullMapping('squads', csv('s.csv')),
      ],
      {},
    );
    expect(summaries).toMatchObject([
      { rows: 0, error: { code: 'google.not_found', exit_code: 8 } },
      { rows: 1 },
    ]);
    expect(written.get(csv('s.csv').path)).toHaveLength(2);
  });

  it('goes on with the other files when a spreadsheet of player ids is not shared', async () => {
    const { tables, written } = memoryTables();
    const open = () => Promise.reject(new AccessError('google.not_shared', 'share it'));
    const service = squadService(1);
    const source = {
      location: { kind: 'sheet', spreadsheet: 'id', tab: 'Players' },
      origin: 'tab "Players"',
    };
    const ids = {
      kind: 'column',
      column: 'Player ID',
      source: { ...SOURCE, ...source },
    } as PullMapping['ids'];
    const summaries = await pull(
      pullPorts(service, { tables: { ...tables, sheet: { ...tables.sheet, open } } }),
      [pullMapping('players', csv('p.csv'), { where: league, ids }), pullMapping('squads', csv('s.csv'))],
      {},
    );
    expect(summaries).toMatchObject([
      { records: 0, error: { code: 'google.not_shared', exit_code: 5 } },
      { rows: 1 },
    ]);
    expect([...written.keys()]).toEqual([csv('s.csv').path]);
    expect(service.calls).toEqual(['list-squads']);
  });

  it('warns of values that are not of their type', async () => {
    const service = fakeService({
      pages: () => [
        [
          { id: 'a', user_id: 'x1' },
          { id: 'b', user_id: 'x2' },
        ],
      ],
    });
    const ports = pullPorts(service);
    await pull(ports, [pullMapping('users', csv('u.csv'), { columns: columns('user_id') })], {});
    expect(await readFile(csv('u.csv').path, 'utf8')).toBe('user_id\nx1\nx2\n');
    expect(messages(ports.events, 'warning')).toEqual([
      'users-report, column "user_id": 2 values are not of type integer and written as text, such as "x1"',
    ]);
  });

  it.each([
    [
      'two mappings of one file',
      () => [pullMapping('users', csv('a.csv')), pullMapping('prices', csv('a.csv'))],
      ConfigError,
    ],
    [
      'ids beside filters',
      () => [pullMapping('squads', csv('a.csv'), { where: { ...league, id: [squadId(1)] } })],
      ConfigError,
    ],
  ])('refuses %s before the first request', async (_, mappings, kind) => {
    const service = squadService(1);
    await expect(pull(pullPorts(service), mappings(), {})).rejects.toThrow(kind);
    expect(service.calls).toEqual([]);
  });

  it('stops at a signal, leaves the old file, and says which reports are not written', async () => {
    await writeFile(csv('s.csv').path, 'old\n');
    const controller = new AbortController();
    const reason = new InterruptedError('SIGINT', 'interrupted');
    const service = squadService(20, (_, n) => {
      if (n !== 5) return;
      controller.abort(reason);
      throw reason;
    });
    const mappings = [
      pullMapping('squads', csv('s.csv'), { detail: true }),
      pullMapping('prices', csv('p.csv')),
    ];
    const stopped = { code: 'run.interrupted', exit_code: 130 };
    const ports = pullPorts(service, { signal: controller.signal });
    expect(await pull(ports, mappings, {})).toMatchObject([
      { name: mappings[0]?.name, error: stopped },
      { name: mappings[1]?.name, error: stopped },
    ]);
    expect(JSON.stringify(service.calls)).not.toContain('list-prices');
    expect(await readdir(folder.path)).toEqual(['s.csv']);
    expect(await readFile(csv('s.csv').path, 'utf8')).toBe('old\n');
  });
});
