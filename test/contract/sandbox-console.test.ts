import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { OPERATION_IDS, endpoints } from '../../src/contract/index.ts';
import { SEEDS, isSeed } from '../../src/sandbox/seed.ts';
import { control } from '../support/control.ts';
import { runs } from '../support/long.ts';
import { sandboxOfTest } from '../support/of-test.ts';
import { testFolder } from '../support/test-folder.ts';
import { at, openSandbox } from '../support/sandbox.ts';
import type { TestSandbox } from '../support/sandbox.ts';

const HOST = 'localhost:8787';
const ORIGIN = `http://${HOST}`;
type Headers = Readonly<Record<string, string>>;

function get(box: TestSandbox, url: string, headers: Headers = {}) {
  return box.sandbox.app.inject({ method: 'GET', url, headers: { host: HOST, ...headers } });
}

/** A form as the console's own page sends it, unless the headers say otherwise. */
function post(box: TestSandbox, url: string, form: Headers = {}, headers: Headers = {}) {
  return box.sandbox.app.inject({
    method: 'POST',
    url,
    headers: {
      host: HOST,
      origin: ORIGIN,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    payload: new URLSearchParams(form).toString(),
  });
}

/** Signs in and answers the cookie to send. */
async function signIn(box: TestSandbox): Promise<{ readonly cookie: string }> {
  const answer = await post(box, '/console/session', { key: box.sandbox.controlKey });
  expect([answer.statusCode, answer.headers.location]).toEqual([303, '/']);
  const [cookie = '', ...attributes] = String(answer.headers['set-cookie']).split('; ');
  expect(attributes).toEqual(['Path=/', 'HttpOnly', 'SameSite=Strict', 'Max-Age=43200']);
  return { cookie };
}

/** What a reader sees of a page: no elements, entities as their characters. */
function textOf(html: string): string {
  const text = html.replace(/<title>.*?<\/title>/gs, ' ').replace(/<[^>]*>/g, ' ');
  return unescaped(text).replace(/\s+/g, ' ');
}

function unescaped(html: string): string {
  const named: Headers = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
  return html.replace(/&(lt|gt|quot|#39|amp);/g, (entity) => named[entity] ?? entity);
}

/** The first 60 players of the season, whose ids go from 1 on. */
async function playersOf(box: TestSandbox) {
  const ids = Array.from({ length: 60 }, (_, index) => index + 1);
  return Promise.all(
    ids.map(async (id) => {
      const { record } = await box.call('get-player', { id, query: { fantasy_league_id: 1 } });
      return { id, first: String(record['first_name']), last: String(record['last_name']) };
    }),
  );
}

const LISTS = 'leagues users squads fixtures players mini-leagues prices substitutions activity'
  .split(' ')
  .map((name) => `/console/1/${name}`);
const LONGER = [
  '/docs',
  '/console/1/',
  '/console/1/leagues/1',
  '/console/1/players/1',
  '/console/1/reset',
  '/console/1/fixtures?week=38',
  '/console/1/players?name=an&club=3&position=MID&page=2',
  '/console/1/squads?q=%25&page=9',
  '/console/1/users?q=%25&state=inactive&page=9',
  '/console/1/squads?q=a&q=b&page=zero',
  '/console/1/substitutions?week=2&league=1',
  '/console/1/activity?page=3&method=PUT&operation=x&status=9&text=%25',
];

describe('every page', () => {
  it.each(Object.keys(SEEDS).filter(isSeed))('answers with the seed %s, and to HEAD', async (seed) => {
    const box = await sandboxOfTest({ seed });
    for (const url of ['/', ...LISTS, ...LONGER]) {
      const page = await get(box, url);
      expect([page.statusCode, page.headers['content-type'], url]).toEqual([
        200,
        'text/html; charset=utf-8',
        url,
      ]);
      expect(page.body.startsWith('<!doctype html><html lang="en">')).toBe(true);
      expect(page.body).not.toMatch(/undefined|NaN|\[object/);
      const head = await box.sandbox.app.inject({ method: 'HEAD', url, headers: { host: HOST } });
      expect([head.statusCode, head.body]).toEqual([200, '']);
    }
  });

  it('may neither run scripts nor styles of its own text, nor be framed, nor be kept', async () => {
    const box = await sandboxOfTest({ seed: 'demo' });
    for (const url of ['/', '/console/1/squads', '/console/nowhere']) {
      const { headers, body } = await get(box, url);
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['cache-control']).toBe('no-store');
      expect(body).not.toMatch(/<script|<style|\sstyle=|\son\w+=|https?:\/\//);
    }
  });

  it('has its style sheet and its icon at addresses that it names', async () => {
    const box = await sandboxOfTest();
    const { body } = await get(box, '/');
    const [sheet = '', icon = ''] = Array.from(
      body.matchAll(/<link [^>]*href="([^"]*)"/g),
      ([, href]) => href,
    );
    const [style, sign] = [await get(box, sheet), await get(box, icon)];
    expect([style.statusCode, style.headers['content-type']]).toEqual([200, 'text/css; charset=utf-8']);
    expect(style.body).toContain('prefers-color-scheme: dark');
    expect(style.body).not.toMatch(/url\(|@import/);
    expect([sign.statusCode, sign.headers['content-type']]).toEqual([200, 'image/svg+xml']);
  });

  it('is not counted in the rate windows and changes nothing', async () => {
    const box = await sandboxOfTest({ seed: 'demo', settings: { per_minute: 1 } });
    for (const url of ['/', ...LISTS]) expect((await get(box, url)).statusCode).toBe(200);
    const state = await control(box.sandbox, 'GET', '/state');
    expect([at(state.record, 'rate_limit.per_minute.used'), at(state.record, 'records.effects')]).toEqual([
      0, 0,
    ]);
  });

  it('shows what is, whatever the settings show to clients', async () => {
    const box = await sandboxOfTest({
      seed: 'demo',
      settings: { account_call: 'refused', past_end: 'not_found', page_size: 1, apply_after_ms: 60_000 },
    });
    await box.send('POST', '/v1/mini-league', {
      body: { fantasy_league_id: 1, name: 'Just made', type: 'classic' },
    });
    expect((await get(box, '/')).statusCode).toBe(200);
    expect(textOf((await get(box, '/console/1/mini-leagues')).body)).toContain('Just made');
  });
});

const SQUADS = runs(2000, 10_000);

describe(`with ${SQUADS} squads`, () => {
  const folder = testFolder();
  it('a page of them and the overview are as short as with 60, and the last page and a squad are there', async () => {
    const db = join(folder.path, 'big.sqlite');
    await (await openSandbox({ seed: 'demo', db })).close();
    const squadIds = multiplySquads(db, SQUADS);
    const small = await sandboxOfTest({ seed: 'demo' });
    const big = await sandboxOfTest({ db });
    for (const url of ['/', '/console/1/squads', '/console/1/squads?page=20', '/console/1/squads?q=copy']) {
      const [one, other] = [await get(small, url), await get(big, url)];
      expect(other.statusCode).toBe(200);
      expect(other.body.length).toBeLessThan(one.body.length + 40_000);
    }
    const last = await get(big, `/console/1/squads?page=${SQUADS / 50}`);
    const middle = await get(big, `/console/1/squads/${squadIds[SQUADS / 2] ?? ''}`);
    expect(textOf(last.body)).toContain(
      `Page ${SQUADS / 50} of ${SQUADS / 50}, ${SQUADS.toLocaleString('en')} in all`,
    );
    expect(middle.statusCode).toBe(200);
  });

  /** Copies the 60 squads of the demo until there are so many; answers all ids. */
  function multiplySquads(db: string, count: number): readonly string[] {
    const database = new DatabaseSync(db);
    const copies = `WITH RECURSIVE n(i) AS (SELECT 61 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
    database.exec(`BEGIN;
      ${copies} INSERT INTO squads SELECT i, printf('%08x-0000-4000-8000-000000000000', i), 'Copy ' || i, user_id,
        fantasy_league_id, first_week, total_points, created_at, updated_at FROM n JOIN squads s ON s.number = 1 + n.i % 60;
      ${copies} INSERT INTO lineups SELECT 1000000 + 1000 * i + l.number, i, game_week, is_substituted, bank
        FROM n JOIN lineups l ON l.squad = 1 + n.i % 60;
      ${copies} INSERT INTO lineup_places SELECT 1000000 + 1000 * i + l.number, lineup_order, player_id, is_starting, is_captain, is_vice_captain, price_paid
        FROM n JOIN lineups l ON l.squad = 1 + n.i % 60 JOIN lineup_places p ON p.lineup = l.number;
      ${copies} INSERT INTO squad_weeks SELECT i, game_week, points, deduction FROM n JOIN squad_weeks w ON w.squad = 1 + n.i % 60;
      COMMIT`);
    const ids = database.prepare('SELECT id FROM squads ORDER BY number').all();
    database.close();
    return ids.map(({ id }) => String(id));
  }
});

describe('what is not there', () => {
  it.each([
    '/console/',
    '/console/1',
    '/console/9/',
    '/console/0/squads',
    '/console/1/nothing',
    '/console/1/squads/00000000-0000-0000-0000-000000000000',
    '/console/1/squads/%3Cscript%3E',
    '/console/1/squads?league=77',
    '/console/1/users/0',
    '/console/1/users/1',
    '/console/1/users/1e0',
    '/console/1/leagues/2',
    '/console/1/leagues/x',
    '/console/1/players/0',
    '/console/1/players/99999',
    '/console/1/players/1e0',
    '/console/1/mini-leagues/1',
  ])('%s is a page that says so', async (url) => {
    const box = await sandboxOfTest();
    const { statusCode, headers, body } = await get(box, url);
    expect([statusCode, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(textOf(body)).toContain('Not found');
    expect(body).not.toContain('<script');
  });

  it('is JSON elsewhere', async () => {
    const box = await sandboxOfTest();
    const answer = await get(box, '/nowhere');
    expect(answer.json()).toMatchObject({ statusCode: 404, data: null });
  });
});

describe('data', () => {
  const WICKED = [
    '<script>alert(1)</script>',
    `"><img src=x onerror='alert(1)'>`,
    '&lt;b&gt; &amp; <!-- --> ]]>',
    "' onmouseover='x",
  ];

  it('is escaped wherever it stands', async () => {
    const box = await sandboxOfTest();
    for (const [index, name] of WICKED.entries()) {
      const user = await box.call('create-users', {
        body: { users: [{ external_id: name, display_name: name }] },
      });
      expect(user.status).toBe(201);
      const body = {
        user_id: index + 1,
        name,
        fantasy_league_id: 1,
        players_in: [1, 4, 5, 6, 7, 13, 14, 15, 16, 20, 21],
      };
      expect((await box.call('create-squad', { body })).status).toBe(201);
      await box.call('create-mini-league', { body: { fantasy_league_id: 1, name, type: name } });
      await box.call('create-fantasy-league', { body: { league_id: 1, name } });
      await box.call('upload-prices', {
        body: { fantasy_league_id: 1, prices: [{ player_id: 1, price: 5, type: name }] },
      });
    }
    const squads = (await box.call('list-squads')).list.map(({ id }) => `/console/1/squads/${String(id)}`);
    const urls = [
      ...['/', ...LISTS, ...squads],
      ...['mini-leagues/1', 'leagues/2', 'players/1?league=2'].map((path) => `/console/1/${path}`),
      ...WICKED.flatMap((text, index) => [
        `/console/1/users/${index + 1}`,
        `/console/1/users?q=${encodeURIComponent(text)}`,
        `/console/1/squads?q=${encodeURIComponent(text)}`,
        `/console/1/players?name=${encodeURIComponent(text)}`,
        `/console/1/${encodeURIComponent(text)}`,
      ]),
    ];
    for (const url of urls) {
      const { body } = await get(box, url);
      expect(body).not.toMatch(/<script|<img|<b>alert|<!--|onmouseover='x/);
      for (const tag of body.match(/<[a-z][^>]*>/g) ?? [])
        expect(tag.replace(/"[^"]*"/g, '""')).not.toMatch(/\son\w+=/);
    }
    const list = await get(box, '/console/1/squads');
    for (const name of WICKED) expect(unescaped(list.body)).toContain(name);
    const users = await get(box, '/console/1/users');
    for (const name of WICKED) expect(unescaped(users.body)).toContain(name);
  });

  it('cannot turn the direction of a text or hide in it', async () => {
    const box = await sandboxOfTest();
    const name = 'a\u202eb\u200fc\u2066d\u0007e\u200bf\u0000g';
    await box.call('create-mini-league', { body: { fantasy_league_id: 1, name, type: 'مرحبا' } });
    const { body } = await get(box, '/console/1/mini-leagues');
    expect(body).toContain('a[U+202E]b[U+200F]c[U+2066]d[U+0007]e[U+200B]f[U+0000]g');
    expect(body).toContain('<bdi>مرحبا</bdi>');
    expect(body).not.toMatch(/[\u0000-\u0008\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
  });
});

describe('the pages agree with the service', () => {
  it('on a squad, its line-up of a week, its ranks and its substitutions', async () => {
    const box = await sandboxOfTest({ seed: 'demo' });
    const [{ id } = {}] = (await box.call('list-squads')).list;
    const squad = await box.call('get-squad', { id: String(id) });
    const page = await get(box, `/console/1/squads/${String(id)}`);
    const text = textOf(page.body);
    expect(text).toContain(`Rank ${String(at(squad.record, 'ranking.current_rank'))} `);
    expect(text).toContain(`Total ${String(at(squad.record, 'ranking.total_points'))} `);
    const lineup = await box.call('get-lineup', { id: String(id) });
    const starters = at(lineup.record, 'squad.starting_xi') as readonly unknown[];
    expect(text).toContain(`${String(lineup.record['total_points'])} points`);
    for (const entry of starters) expect(text).toContain(String(at(entry, 'player.last_name')));
    expect(page.body.match(/<li class="player/g)).toHaveLength(15);
    expect(page.body.match(/title="Captain"/g)).toHaveLength(1);
    // The last point of the chart is the rank of today.
    const ranks = Array.from(page.body.matchAll(/Game week (\d+): rank ([\d,]+)</g), ([, , rank]) => rank);
    expect(ranks).toHaveLength(6);
    expect(ranks.at(-1)).toBe(String(at(squad.record, 'ranking.current_rank')));
    const columns = Array.from(page.body.matchAll(/Game week \d+: (-?\d+)</g), ([, points]) =>
      Number(points),
    );
    expect(columns.reduce((sum, one) => sum + one, 0)).toBe(at(squad.record, 'ranking.total_points'));
  });

  it("on an owner's week: transfers, hits and chip, of any week and of the next one", async () => {
    const box = await sandboxOfTest({ seed: 'demo' });
    const truths = (await control(box.sandbox, 'GET', '/truth?game_week=5')).list;
    const hit = truths.find((one) => Number(at(one, 'transfer_hits.hits')) > 1);
    const chip = truths.find((one) => one['chip'] === 'triple_captain');
    const pageOf = async (one: unknown, week: number) =>
      (await get(box, `/console/1/squads/${String(at(one, 'squad.id'))}?week=${week}`)).body;
    const withHits = await pageOf(hit, 5);
    expect(withHits.split('class="badge">hit<').length - 1).toBe(at(hit, 'transfer_hits.hits'));
    for (const transfer of hit?.['transfers'] as readonly unknown[]) {
      const query = { fantasy_league_id: 1 };
      const player = await box.call('get-player', { id: Number(at(transfer, 'in')), query });
      expect(textOf(withHits)).toContain(String(player.record['last_name']));
    }
    const withChip = await pageOf(chip, 5);
    expect(textOf(withChip)).toContain('Chip triple captain');
    expect(textOf(withChip)).toContain('triple captain (week 5)');
    expect(withChip).toContain('<b>tripled</b>');
    const id = String(at(hit, 'squad.id'));
    const out = Number(at(hit, 'before.0.player_id'));
    const market = (await control(box.sandbox, 'GET', '/truth?game_week=6')).list;
    const own = market.find((one) => at(one, 'squad.id') === id)?.['before'] as readonly unknown[];
    const [leaving] = own.map((place) => Number(at(place, 'player_id')));
    const coming = 451 - out;
    await control(box.sandbox, 'POST', `/squads/${id}/transfers`, { out: [leaving], in: [coming] });
    const next = await pageOf(hit, 7);
    expect(textOf(next)).toContain('not played yet');
    expect(next).toContain(`/console/1/players/${coming}?`);
    expect(await pageOf(hit, 6)).not.toContain(`/console/1/players/${coming}?`);
  });

  it('on substitutions: what the log of a week says is marked on the pitches', async () => {
    const box = await sandboxOfTest({ seed: 'demo' });
    const log = await get(box, '/console/1/substitutions?week=5');
    const squads = [
      ...new Set(Array.from(log.body.matchAll(/squads\/([0-9a-f-]{36})\?week=5/g), ([, id]) => id)),
    ];
    expect(squads.length).toBeGreaterThan(20);
    for (const id of squads.slice(0, 10)) {
      const inLog = log.body.split(`squads/${id}?week=5`).length - 1;
      const { body } = await get(box, `/console/1/squads/${id}?week=5`);
      expect(body.match(/class="mark in" title/g)).toHaveLength(inLog);
      expect(body.match(/class="mark out" title/g)).toHaveLength(inLog);
    }
  });

  it('on matches: the goals of the players are the score', async () => {
    const box = await sandboxOfTest({ seed: 'demo' });
    const { body } = await get(box, '/console/1/fixtures?week=3');
    const scores = Array.from(
      body.matchAll(/class="score"[^>]*>(\d+) – (\d+)</g),
      ([, home, away]) => Number(home) + Number(away),
    );
    expect(scores).toHaveLength(10);
    const goals = Array.from(body.matchAll(/Goals: (.*?)<\/p>/gs), ([, names = '']) =>
      Array.from(names.matchAll(/<\/a>(?:\s*<b>(\d)<\/b>)?/g), ([, times]) => Number(times ?? 1)),
    ).flat();
    expect(goals.reduce((sum, one) => sum + one, 0)).toBe(scores.reduce((sum, one) => sum + one, 0));
  });

  it('on a search for players', async () => {
    const box = await sandboxOfTest({ seed: 'demo' });
    const { body } = await get(box, '/console/1/players?club=4&position=GK');
    const rows = body.split('<tbody>')[1]?.match(/<tr>/g) ?? [];
    expect(rows.length).toBeGreaterThanOrEqual(2);
    expect(textOf(body.split('<tbody>')[1] ?? '').match(/Kestrel Bay GK/g)).toHaveLength(rows.length);
  });

  it('on the ids of players, which squads and prices name, and finds a player by his', async () => {
    const box = await sandboxOfTest({ seed: 'demo' });
    const list = await get(box, '/console/1/players');
    const rows = Array.from(
      list.body.matchAll(
        /<tr><td class="num">(\d+)<\/td><td>.*?players\/(\d+)\?league=1"><bdi>(.*?)<\/bdi>/gs,
      ),
      ([, id, linked, name]) => ({ id, linked, name }),
    );
    expect(rows).toHaveLength(50);
    for (const { id, linked } of rows) expect(id).toBe(linked);
    const [{ id = '', name = '' } = {}] = rows;
    const player = await box.call('get-player', { id, query: { fantasy_league_id: 1 } });
    const full = `${String(player.record['first_name'])} ${String(player.record['last_name'])}`.trim();
    expect(unescaped(name)).toBe(full);
    expect(textOf((await get(box, `/console/1/players/${id}`)).body)).toContain(`Player id ${id} `);
    const found = await get(box, `/console/1/players?name=${id}`);
    expect(found.body.match(/<tr><td class="num">\d+/g)).toEqual([`<tr><td class="num">${id}`]);
    expect(textOf((await get(box, '/console/1/players?name=0')).body)).toContain('No player is found.');
  });

  it('on users: their ids, whether they are active, and their squads', async () => {
    const box = await sandboxOfTest({ seed: 'demo' });
    const all = (await box.call('list-users')).list;
    const [{ id, user_id, external_id } = {}] = all;
    await box.call('update-user', { body: { id, is_active: false } });
    const row = async (query: string): Promise<string> =>
      textOf((await get(box, `/console/1/users${query}`)).body.split('<tbody>')[1] ?? '');
    const list = await row('');
    for (const user of all) {
      const { user_id: number, external_id: key, display_name: name, id: uuid } = user;
      expect(list).toContain(`${String(number)} ${String(key)} ${String(name)} `);
      expect(list).toContain(String(uuid));
    }
    for (const wanted of [
      `?q=${String(user_id)}`,
      `?q=${String(external_id)}`,
      `?q=${String(id)}`,
      '?state=inactive',
    ]) {
      expect(await row(wanted)).toContain(`${String(user_id)} ${String(external_id)} `);
      expect(await row(wanted)).toContain(' inactive 1 ');
    }
    expect(await row('?state=active')).not.toContain(String(id));
    const page = await get(box, `/console/1/users/${String(user_id)}`);
    expect(textOf(page.body)).toContain(`external id ${String(external_id)}`);
    expect(page.body).toContain(String(id));
    const squads = (await box.call('list-squads')).list.filter((squad) => at(squad, 'user.id') === id);
    expect(squads.length).toBeGreaterThan(0);
    for (const squad of squads) expect(page.body).toContain(`/console/1/squads/${String(squad['id'])}`);
    const [{ id: squadId } = {}] = squads;
    expect((await get(box, `/console/1/squads/${String(squadId)}`)).body).toContain(
      `href="/console/1/users/${String(user_id)}"`,
    );
  });

  it('on users of several pages', async () => {
    const box = await sandboxOfTest();
    const users = Array.from({ length: 120 }, (_, index) => ({
      external_id: `U-${String(index + 1).padStart(3, '0')}`,
      display_name: 'Somebody',
    }));
    await box.call('create-users', { body: { users } });
    const last = await get(box, '/console/1/users?page=3&q=U-');
    expect(Array.from(last.body.matchAll(/U-\d{3}/g), ([key]) => key)).toEqual(
      users.slice(100).map(({ external_id }) => external_id),
    );
    expect(textOf(last.body)).toContain('Page 3 of 3, 120 in all');
    expect(last.body).toContain('/console/1/users?q=U-&amp;state=&amp;page=2');
    expect(textOf((await get(box, '/console/1/users/7')).body)).toContain('No squads yet.');
  });

  it('on two players of one surname in a squad, who have their initial on the pitch', async () => {
    const box = await sandboxOfTest();
    const players = await playersOf(box);
    const pairs = players.flatMap((one) => players.map((other) => [one, other] as const));
    const [one, other] =
      pairs.find(
        ([{ id, first, last }, same]) => id < same.id && last === same.last && first[0] !== same.first[0],
      ) ?? [];
    const others = players.filter(({ last }) => last !== one?.last).slice(0, 13);
    await box.call('create-users', { body: { users: [{ external_id: 'u', display_name: 'U' }] } });
    const { record } = await box.call('create-squad', {
      body: {
        user_id: 1,
        name: 'Namesakes',
        fantasy_league_id: 1,
        players_in: [one?.id, other?.id, ...others.map(({ id }) => id)],
      },
    });
    const { body } = await get(box, `/console/1/squads/${String(record['id'])}`);
    const shown = Array.from(
      body.matchAll(/class="player-name"><bdi>(.*?)<\/bdi>/g),
      ([, name = '']) => name,
    );
    expect(shown).toHaveLength(15);
    expect(new Set(shown).size).toBe(15);
    for (const player of [one, other]) {
      expect(shown.map(unescaped)).toContain(`${player?.first[0] ?? ''}. ${player?.last ?? ''}`);
    }
  });

  it('on the requests that came, with queries and bodies, without keys', async () => {
    const box = await sandboxOfTest({ port: 0 });
    const { baseUrl } = box.sandbox;
    const ask = async (path: string, headers: Headers, body?: string): Promise<void> => {
      const init = body === undefined ? { headers } : { headers, method: 'POST', body };
      await (await fetch(baseUrl + path, init)).text();
    };
    const key = { 'x-api-key': box.sandbox.apiKey };
    for (const page of [7, 8, 9]) await ask(`/v1/user?page=${page}`, key);
    await ask('/v1/user', { 'x-api-key': 'some-secret', 'x-request-id': 'refused-one' });
    const users = [{ external_id: box.sandbox.apiKey, display_name: '<b>Zoë</b>\u202e' }];
    await ask('/v1/user', { ...key, 'content-type': 'application/json' }, JSON.stringify({ users }));
    await ask(
      '/control/clock',
      { 'x-control-key': box.sandbox.controlKey, 'content-type': 'application/json' },
      '{"advance":"1s"}',
    );
    await ask('/console/1/squads', {});
    const show = async (query = ''): Promise<string> => {
      const { body } = await get(box, `/console/1/activity${query}`);
      for (const secret of ['some-secret', box.sandbox.apiKey, box.sandbox.controlKey]) {
        expect(body).not.toContain(secret);
      }
      expect(body).not.toMatch(/<b>Zo|\u202e/);
      return textOf(body.split('Effects')[0] ?? '');
    };
    const all = await show();
    expect(all).toContain('The latest 6');
    expect(all).toContain('POST /control/clock');
    expect(all).toContain('"display_name": "<b>Zoë</b>[U+202E]"');
    expect(all).toContain('"external_id": "[key]"');
    expect(all).toMatch(/GET \/v1\/user ×3 200 list-users/);
    for (const page of [7, 8, 9]) expect(all).toContain(`GET /v1/user?page=${page}`);
    expect(all).not.toContain('GET /console');
    const found = async (query: string): Promise<string> =>
      /([\d,]+ of the latest 6)/.exec(await show(query))?.[1] ?? '';
    expect(await found('?operation=list-users')).toBe('4 of the latest 6');
    expect(await found('?operation=none')).toBe('1 of the latest 6');
    expect(await found('?method=POST&status=2')).toBe('2 of the latest 6');
    expect(await found('?status=401&text=REFUSED-one')).toBe('1 of the latest 6');
    expect(await found('?text=zo%C3%AB')).toBe('1 of the latest 6');
    expect(await show('?text=nothing+of+that')).toContain('No request fits the filter. Show all 6');
    expect((await get(await sandboxOfTest(), '/console/1/activity')).body).toContain(
      'No request since the start.',
    );
  });

  it('remembers no more than the latest 300', async () => {
    const box = await sandboxOfTest();
    for (let number = 1; number <= 305; number += 1) {
      await box.call('list-users', { headers: { 'x-request-id': `request-${number}.` } });
    }
    const { body } = await get(box, '/console/1/activity');
    expect(body).toContain('request-305.');
    expect(body).toContain('request-6.');
    expect(body).not.toContain('request-5.');
  });
});

describe('the operations', () => {
  it('stand with every field under the head of the console, and lead back to it', async () => {
    const box = await sandboxOfTest();
    const { body } = await get(box, '/docs');
    expect(body).toContain('<a href="/docs" aria-current="page">Operations</a>');
    expect(body).toContain('<a class="brand" href="/">');
    expect((await get(box, '/')).body).toContain('<a href="/docs">Operations</a>');
    for (const id of OPERATION_IDS) {
      const { method, path } = endpoints[id];
      expect(body).toContain(`<section class="card" id="${id}">`);
      expect(body).toContain(`<a href="#${id}">`);
      expect(body).toContain(`<span class="method">${method}</span> <code>/v1${path}</code>`);
    }
    expect(body).toContain(
      '<code>clean_sheet_eligibility_minutes</code></td><td>integer, from 1, to 90</td><td>required',
    );
    expect(body).toContain('<code>users[].external_id</code></td><td>string</td><td>required');
    expect(body).toContain('<code>id</code></td><td>string or integer</td><td>required');
    expect(body).toContain(
      '<code>display_name</code></td><td>string, at most 50 characters</td><td>optional',
    );
    expect(body).toContain('<code>config.rate_limit.per_minute.reset_at</code></td><td>date-time');
  });

  it('each have a request that the sandbox carries out as it stands there, to the address that was asked', async () => {
    const box = await sandboxOfTest({ seed: 'demo' });
    for (const [index, id] of OPERATION_IDS.entries()) {
      const { body } = await get(box, '/docs');
      expect(body).not.toContain(box.sandbox.apiKey);
      const examples = Array.from(
        body.matchAll(/<pre class="example"[^>]*>(.*?)<\/pre>/gs),
        ([, text = '']) => unescaped(text),
      );
      expect(examples).toHaveLength(OPERATION_IDS.length);
      const [first = '', key, type, data] = (examples[index] ?? '').split(' \\\n  ');
      const [, patch, path = ''] =
        /^curl (-X PATCH )?'http:\/\/localhost:8787(\/v1[^']*)'$/.exec(first) ?? [];
      const { method } = endpoints[id];
      expect([patch !== undefined, key]).toEqual([method === 'PATCH', '-H "x-api-key: $API_KEY"']);
      const sent = /^-d '(.*)'$/.exec(data ?? '')?.[1];
      expect([sent !== undefined, type]).toEqual(
        method === 'GET' ? [false, undefined] : [true, "-H 'content-type: application/json'"],
      );
      const answer = await box.send(method, path, sent === undefined ? {} : { body: sent });
      expect([answer.status, answer.message, id]).toEqual([
        method === 'POST' ? 201 : 200,
        answer.message,
        id,
      ]);
    }
  });

  it('have examples where nothing was made yet', async () => {
    const { body } = await get(await sandboxOfTest(), '/docs', { host: '127.0.0.1:99' });
    expect(body).toContain('http://127.0.0.1:99/v1/squad/00000000-0000-0000-0000-000000000000/lineup');
  });
});

describe('the operator', () => {
  it('plays weeks, moves the clock and makes everything new, once signed in', async () => {
    const box = await sandboxOfTest({ seed: 'demo' });
    const session = await signIn(box);
    expect(textOf((await get(box, '/')).body)).toContain('Read-only');
    expect(textOf((await get(box, '/', session)).body)).toContain('Play next game week');
    const did = async (url: string, form: Headers = {}): Promise<string> => {
      const answer = await post(box, url, form, session);
      expect([answer.statusCode, answer.headers.location]).toEqual([303, '/']);
      const { body } = await get(box, '/', session);
      expect(textOf((await get(box, '/', session)).body)).not.toContain('role="status"');
      return /role="status">(.*?)</.exec(body)?.[1] ?? '';
    };
    expect(await did('/console/1/play-next-week')).toBe('Game week 7 was played');
    expect(await did('/console/1/clock', { advance: '14d' })).toBe('The clock was moved');
    expect(await did('/console/1/clock', { advance: 'soon' })).toContain('advance: must be a duration');
    const state = async () => (await control(box.sandbox, 'GET', '/state')).record;
    expect(at(await state(), 'game_week_to_play.week')).toBe('10');
    expect(await did('/console/1/reset')).toBe('The service is new');
    expect(at(await state(), 'game_week_to_play.week')).toBe('7');
    const out = await post(box, '/console/session/end', {}, session);
    expect(String(out.headers['set-cookie'])).toContain('Max-Age=0');
    expect((await post(box, '/console/1/reset', {}, session)).statusCode).toBe(401);
  });

  it('has each account to itself', async () => {
    const box = await sandboxOfTest({ settings: { accounts: 2 } });
    const session = await signIn(box);
    const answer = await post(box, '/console/2/play-next-week', {}, session);
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/console/2/']);
    expect(textOf((await get(box, '/console/2/')).body)).toContain('1 of 38 game weeks played');
    expect(textOf((await get(box, '/')).body)).toContain('0 of 38 game weeks played');
    expect((await post(box, '/console/3/play-next-week', {}, session)).statusCode).toBe(404);
  });

  it('is signed out after twelve hours', async () => {
    const box = await sandboxOfTest();
    const session = await signIn(box);
    box.clock.advance(12 * 3_600_000 - 1);
    expect((await post(box, '/console/1/clock', { advance: '1s' }, session)).statusCode).toBe(303);
    box.clock.advance(1);
    expect((await post(box, '/console/1/clock', { advance: '1s' }, session)).statusCode).toBe(401);
  });

  it.each(['', 'guessed', 'the-key'.repeat(600)])('is not somebody with another key', async (key) => {
    const box = await sandboxOfTest();
    const answer = await post(box, '/console/session', { key });
    expect(answer.statusCode).toBe(key.length > 4_096 ? 413 : 401);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.body).not.toContain(box.sandbox.controlKey);
  });

  it('does not take the key from an address or another kind of body', async () => {
    const box = await sandboxOfTest();
    const { controlKey } = box.sandbox;
    expect((await get(box, `/console/session?key=${controlKey}`)).statusCode).toBe(404);
    const json = await box.sandbox.app.inject({
      method: 'POST',
      url: '/console/session',
      headers: { host: HOST, origin: ORIGIN, 'content-type': 'application/json' },
      payload: JSON.stringify({ key: controlKey }),
    });
    expect(json.statusCode).toBe(415);
  });

  const ACTIONS = ['/console/1/play-next-week', '/console/1/clock', '/console/1/reset'];

  it.each(ACTIONS)('alone may POST %s', async (url) => {
    const box = await sandboxOfTest({ seed: 'demo' });
    const before = await control(box.sandbox, 'GET', '/state');
    const session = await signIn(box);
    const refused: readonly (readonly [number, Headers])[] = [
      [401, {}],
      [401, { cookie: 'teamsheet_console=' }],
      [401, { cookie: 'teamsheet_console=guessed' }],
      [403, { ...session, origin: 'http://evil.example' }],
      [403, { ...session, origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }],
      [403, { ...session, origin: 'null' }],
      [403, { ...session, origin: '' }],
      [403, { ...session, origin: `https://${HOST}` }],
      [403, { ...session, 'sec-fetch-site': 'cross-site' }],
      [421, { ...session, host: 'evil.example', origin: 'http://evil.example' }],
    ];
    for (const [status, headers] of refused) {
      const answer = await post(box, url, { advance: '30d' }, headers);
      expect([answer.statusCode, headers]).toEqual([status, headers]);
    }
    const after = await control(box.sandbox, 'GET', '/state');
    expect(after.record['game_week_to_play']).toEqual(before.record['game_week_to_play']);
    expect(after.record['account_id']).toBe(before.record['account_id']);
    expect((await get(box, url, session)).statusCode).toBe(url.endsWith('reset') ? 200 : 404);
  });
});

describe('the place', () => {
  it.each([
    'evil.example',
    'evil.example:8787',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '192.168.1.5',
  ])('the host %j is refused', async (host) => {
    const box = await sandboxOfTest();
    for (const url of ['/', '/console/1/squads', '/console/icon.svg']) {
      expect((await get(box, url, { host })).statusCode).toBe(421);
    }
  });

  it.each(['localhost', '127.0.0.1:8787', '[::1]:80', 'LOCALHOST:1'])(
    'the host %s is this machine',
    async (host) => {
      const box = await sandboxOfTest();
      expect((await get(box, '/', { host })).statusCode).toBe(200);
    },
  );

  it('another machine is refused, whatever host it names', async () => {
    const box = await sandboxOfTest();
    const answer = await box.sandbox.app.inject({
      url: '/',
      headers: { host: HOST },
      remoteAddress: '192.168.1.9',
    });
    expect(answer.statusCode).toBe(403);
    const claimed = { host: HOST, 'x-forwarded-for': '127.0.0.1' };
    expect(
      (await box.sandbox.app.inject({ url: '/', headers: claimed, remoteAddress: '192.168.1.9' })).statusCode,
    ).toBe(403);
  });
});
