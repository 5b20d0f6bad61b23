import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { control } from '../support/control.ts';
import { at, openSandbox, pointsConfigBody } from '../support/sandbox.ts';
import type { Fields, Reply, TestSandbox } from '../support/sandbox.ts';
import { runs } from '../support/long.ts';
import { sandboxOfTest } from '../support/of-test.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder();
let box: TestSandbox;
beforeEach(async () => {
  box = await sandboxOfTest();
});

const get = (path: string): Promise<Reply> => control(box.sandbox, 'GET', path);
const post = (path: string, body?: unknown): Promise<Reply> => control(box.sandbox, 'POST', path, body);
const users = (...ids: string[]) => ({
  body: { users: ids.map((id) => ({ external_id: id, display_name: id })) },
});
const ELEVEN = [1, 4, 5, 6, 7, 13, 14, 15, 16, 20, 21];
const squad = (name: string, players = ELEVEN) => ({
  body: { user_id: 1, name, fantasy_league_id: 1, players_in: players },
});

describe('the key of the operator', () => {
  it.each([
    ['/state', {}, 401, 'the header x-control-key is missing'],
    ['/state', { 'x-control-key': 'guessed' }, 401, 'the x-control-key is not known'],
    ['/state', { 'x-control-key': '' }, 401, 'the x-control-key is not known'],
    ['/effects', {}, 401, 'the header x-control-key is missing'],
  ])('%s with %j is refused', async (path, headers, status, message) => {
    const reply = await control(box.sandbox, 'GET', path, undefined, headers);
    expect([reply.status, reply.message, reply.record]).toEqual([status, message, {}]);
  });

  it('is not the key of the service, and the other way round', async () => {
    const { apiKey, controlKey } = box.sandbox;
    expect(apiKey).not.toBe(controlKey);
    const asClient = await control(box.sandbox, 'POST', '/reset', undefined, { 'x-control-key': apiKey });
    expect(asClient.status).toBe(401);
    const asOperator = await box.call('list-users', { headers: { 'x-api-key': controlKey } });
    expect(asOperator.status).toBe(401);
  });

  it('is kept in a database file', async () => {
    const db = join(folder.path, 'kept.sqlite');
    const first = await openSandbox({ db, controlKey: 'mine' });
    await first.close();
    const again = await openSandbox({ db });
    expect(again.sandbox.controlKey).toBe('mine');
    await again.close();
  });

  it('leaves the rate windows alone', async () => {
    const windows = async () => (await get('/state')).record['rate_limit'];
    await post('/clock', { advance: '1s' });
    expect(at(await windows(), 'per_minute.used')).toBe(0);
    await box.call('list-users');
    expect(at(await windows(), 'per_minute.used')).toBe(1);
  });
});

describe('GET /control/state', () => {
  it('tells times, weeks, counts and settings', async () => {
    await box.call('create-users', users('a', 'b'));
    const { record } = await get('/state');
    expect(record).toMatchObject({
      now: '2026-08-10T09:00:00.000Z',
      seed: 'default',
      current_game_week: { week: '1' },
      next_game_week: { week: '2' },
      game_week_to_play: { week: '1' },
      records: { users: 2, squads: 0, fantasy_leagues: 1, effects: 1 },
      settings: { per_minute: 600, page_size: 50 },
    });
    expect(record['account_id']).toBe((await box.call('get-account')).record['id']);
  });
});

describe('POST /control/clock', () => {
  it('sets the time, and the season follows', async () => {
    const moved = await post('/clock', { now: '2026-09-05T00:00:00Z' });
    expect(moved.record).toMatchObject({
      now: '2026-09-05T00:00:00.000Z',
      played: ['1', '2', '3'],
      current_game_week: { week: '4' },
    });
    const league = (await box.call('get-fantasy-league', { id: 1 })).record;
    expect([at(league, 'current_game_week.week'), at(league, 'next_game_week.week')]).toEqual(['4', '5']);
    const created = await box.call('create-users', users('a'));
    expect(at(created.list, '0.created_at')).toBe('2026-09-05T00:00:00.000Z');
    box.clock.advance(1_000);
    expect((await get('/state')).record['now']).toBe('2026-09-05T00:00:01.000Z');
  });

  it('moves rate windows and the Date header with it', async () => {
    expect((await post('/clock', { advance: '1h' })).status).toBe(200);
    const reply = await box.call('get-account');
    expect(reply.headers['date']).toBe('Mon, 10 Aug 2026 10:00:00 GMT');
    expect(at(reply.record, 'config.rate_limit.per_minute.reset_at')).toBe('2026-08-10T10:01:00.000Z');
  });

  it('renews a window that it leaves behind, and no other', async () => {
    box = await sandboxOfTest({ settings: { per_minute: 2, per_day: 3 } });
    await box.call('list-users');
    await box.call('list-users');
    expect((await box.call('list-users')).status).toBe(429);
    await post('/clock', { advance: '30s' });
    expect((await box.call('list-users')).status).toBe(429);
    await post('/clock', { advance: '30s' });
    expect((await box.call('list-users')).status).toBe(200);
    expect((await box.call('list-users')).status).toBe(429);
    await post('/clock', { advance: '1d' });
    expect((await box.call('list-users')).status).toBe(200);
  });

  it.each([
    [{}, 400, 'now, advance: give exactly one of them'],
    [{ now: '2026-09-05', advance: '1d' }, 400, 'now, advance: give exactly one of them'],
    [{ now: 'tomorrow' }, 400, 'now: must be an ISO 8601 time'],
    [{ now: 7 }, 400, 'now: '],
    [{ now: '2026-08-10T08:59:59Z' }, 422, 'now: the clock goes forward only'],
    [{ advance: '7' }, 400, 'advance: must be a duration'],
    [{ advance: '-1d' }, 400, 'advance: must be a duration'],
    [{ advance: '999999999d' }, 422, 'advance: leads beyond the year 9998'],
    [{ now: '9999-12-31T23:59:59Z' }, 400, 'now: must be an ISO 8601 time'],
    [{ later: '1d' }, 400, 'later'],
    ['1d', 400, 'body'],
  ])('%j is refused and moves nothing', async (body, status, message) => {
    const before = (await get('/state')).record;
    const reply = await post('/clock', body);
    expect([reply.status, reply.message]).toEqual([status, expect.stringContaining(message)]);
    expect((await get('/state')).record).toEqual(before);
  });

  it('goes on from where it was over a restart', async () => {
    const db = join(folder.path, 'kept.sqlite');
    box = await openSandbox({ db });
    await post('/clock', { advance: '40d' });
    const before = (await get('/state')).record;
    await box.close();
    box = await openSandbox({ db });
    expect((await get('/state')).record).toEqual(before);
    await box.close();
  });
});

describe('--now', () => {
  it('sets season, windows and Date header', async () => {
    box = await sandboxOfTest({ now: '2027-01-01T00:00:30Z' });
    const reply = await box.call('get-account');
    expect(reply.headers['date']).toBe('Fri, 01 Jan 2027 00:00:30 GMT');
    expect(at(reply.record, 'config.rate_limit.per_minute.reset_at')).toBe('2027-01-01T00:01:00.000Z');
    expect(at(reply.record, 'config.rate_limit.per_day.reset_at')).toBe('2027-01-02T00:00:00.000Z');
    const league = (await box.call('get-fantasy-league', { id: 1 })).record;
    expect(at(league, 'current_game_week.week')).toBe('20');
  });
});

describe('POST /control/play-next-week', () => {
  it('plays one week at a time, up to the last', async () => {
    for (let week = 1; week <= 38; week += 1) {
      const { status, record } = await post('/play-next-week');
      expect([status, record['played']]).toEqual([200, [String(week)]]);
      expect(at(record, 'current_game_week.week')).toBe(String(week));
    }
    const over = await post('/play-next-week');
    expect([over.status, over.message]).toEqual([409, 'the season is over: every game week has been played']);
  });

  it('brings results, statistics, points and ranks together', async () => {
    await box.call('create-users', users('a'));
    await box.call('set-points-config', { body: pointsConfigBody() });
    const id = String((await box.call('create-squad', squad('First'))).record['id']);
    const mini = { fantasy_league_id: 1, name: 'm', type: 't' };
    await box.call('create-mini-league', { body: mini });
    const before = (await box.call('get-lineup', { id })).record;
    expect([at(before, 'game_week.week'), before['total_points']]).toEqual(['1', 0]);

    const { record } = await post('/play-next-week');
    const lineup = (await box.call('get-lineup', { id })).record;
    const detail = (await box.call('get-squad', { id })).record;
    expect(lineup['total_points']).toBeGreaterThan(0);
    expect(detail['ranking']).toEqual({
      current_rank: 1,
      game_week_points: lineup['total_points'],
      total_points: lineup['total_points'],
      game_week: '1',
    });
    const ranked = (await box.call('get-mini-league', { id: 1 })).record['rank_updated_at'];
    expect(ranked).toBe(record['now']);
    const fixtures = (await box.call('get-fixtures', { id: 1 })).list;
    expect(at(fixtures[0], 'fixtures.0.status')).toBe('finished');
    expect(at(fixtures[1], 'fixtures.0.status')).toBe('scheduled');
  });
});

describe('POST /control/reset', () => {
  const visible = async () => {
    const squads = (await box.call('list-squads')).body;
    const fixtures = (await box.call('get-fixtures', { id: 1 })).body;
    const list = (await box.call('list-squads')).list;
    const lineup = await box.call('get-lineup', { id: String(list[0]?.['id']) });
    const substitutions = await box.call('list-auto-substitutions', { query: { fantasy_league_id: 1 } });
    return [squads, fixtures, lineup.body, substitutions.body];
  };

  it('makes the service what it was at its start, with a new account and the same keys', async () => {
    box = await sandboxOfTest({ seed: 'demo' });
    const account = (await box.call('get-account')).record['id'];
    const before = await visible();
    await box.call('create-users', users('a', 'b'));
    await box.call('create-squad', squad('Late'));
    await box.call('upload-prices', {
      body: { fantasy_league_id: 1, prices: [{ player_id: 1, price: 99, type: 't' }] },
    });
    await post('/play-next-week');
    expect(await visible()).not.toEqual(before);

    const reset = await post('/reset');
    expect([reset.status, at(reset.record, 'records.effects'), at(reset.record, 'records.users')]).toEqual([
      200, 0, 80,
    ]);
    expect(reset.record['now']).toBe('2026-09-22T12:00:00.000Z');
    expect(at(reset.record, 'rate_limit.per_minute.used')).toBe(0);
    expect(await visible()).toEqual(before);
    expect((await box.call('get-account')).record['id']).not.toBe(account);
    const created = await box.call('create-users', users('a'));
    expect(at(created.list, '0.user_id')).toBe(81);
  });

  it('is done whole or not at all', async () => {
    const db = join(folder.path, 'kept.sqlite');
    box = await openSandbox({ db, seed: 'demo' });
    await post('/play-next-week');
    const other = new DatabaseSync(db);
    other.exec(`CREATE TRIGGER broken BEFORE INSERT ON squads BEGIN SELECT RAISE(ABORT, 'full'); END`);
    const before = await visible();
    expect((await post('/reset')).status).toBe(500);
    expect(box.failures.splice(0)).toHaveLength(1);
    expect((await get('/state')).record).toMatchObject({ now: '2026-09-28T23:00:00.000Z' });
    expect(await visible()).toEqual(before);
    other.exec('DROP TRIGGER broken');
    other.close();
    expect((await post('/reset')).status).toBe(200);
    await box.close();
  });

  it('can be done again and again, and the seed survives a restart', async () => {
    const db = join(folder.path, 'kept.sqlite');
    box = await openSandbox({ db, seed: 'demo' });
    for (const _ of [1, 2]) expect((await post('/reset')).status).toBe(200);
    await box.close();
    box = await openSandbox({ db, seed: 'demo', now: '2026-10-20T00:00:00Z' });
    expect((await get('/state')).record).toMatchObject({ current_game_week: { week: '10' } });
    await box.close();
  });
});

describe('GET /control/effects', () => {
  const effects = async (): Promise<readonly Fields[]> => (await get('/effects')).list;

  it('has every write that was applied, with its request, in order', async () => {
    const body = JSON.stringify(users('a', 'b').body);
    const sent = await box.call('create-users', { body, headers: { 'x-request-id': 'run-7.1' } });
    expect(sent.headers['x-request-id']).toBe('run-7.1');
    await box.call('create-squad', squad('First'));
    const [first, second, ...others] = await effects();
    expect(others).toEqual([]);
    expect(first).toEqual({
      number: 1,
      operation: 'create-users',
      request_id: 'run-7.1',
      body_sha256: createHash('sha256').update(body).digest('hex'),
      created_at: '2026-08-10T09:00:00.000Z',
      fault: null,
      record_count: 2,
      record_ids: sent.list.map((user) => user['id']),
    });
    expect(second).toMatchObject({ number: 2, operation: 'create-squad', record_count: 1 });
    expect(second?.['request_id']).toMatch(/^[\da-f]{8}-/);
  });

  it('takes no id of a request that is not harmless', async () => {
    const reply = await box.call('list-users', { headers: { 'x-request-id': 'a b<script>' } });
    expect(reply.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
  });

  it('has the records of price uploads and substitutions, which their answers do not name', async () => {
    box = await sandboxOfTest({ seed: 'demo' });
    const prices = [1, 2, 3].map((player_id) => ({ player_id, price: 5, type: 't' }));
    await box.call('upload-prices', { body: { fantasy_league_id: 1, prices } });
    const week = at((await box.call('get-fantasy-league', { id: 1 })).record, 'current_game_week.id');
    const trigger = { body: { fantasy_league_id: 1, game_week_id: week } };
    const events = Number((await box.call('trigger-auto-substitution', trigger)).record['events']);
    expect((await box.call('trigger-auto-substitution', trigger)).record['code']).toBe('ALREADY_PROCESSED');
    const [upload, processed, ...others] = await effects();
    expect(others).toEqual([]);
    const log = (await box.call('list-prices')).list.map((record) => record['id']);
    expect(upload?.['record_ids']).toEqual(log);
    expect(events).toBeGreaterThan(100);
    expect(processed).toMatchObject({ operation: 'trigger-auto-substitution', record_count: events });
    expect(processed?.['record_ids']).toHaveLength(100);
    const whole = (await get('/effects/2')).record['record_ids'] as readonly string[];
    expect(whole).toHaveLength(events);
    const league = { fantasy_league_id: 1 };
    const pages = (await box.call('list-auto-substitutions', { query: league })).paging['page_total'];
    const query = { ...league, page: Number(pages) };
    const listed = (await box.call('list-auto-substitutions', { query })).list.map((record) => record['id']);
    expect(whole).toEqual(expect.arrayContaining(listed.slice(-5)));
  });

  it('has nothing of a request that was refused or changed nothing', async () => {
    await box.call('create-users', users('a'));
    expect((await box.call('create-users', users('b', 'a'))).status).toBe(409);
    expect((await box.call('create-users', { body: { users: [{}] } })).status).toBe(400);
    expect((await box.call('create-squad', squad('Nobody', [1, 1]))).status).toBe(400);
    const id = at((await box.call('list-users')).list, '0.id');
    expect((await box.call('update-user', { body: { id } })).status).toBe(200);
    expect(
      (await box.call('update-user', { body: { id: crypto.randomUUID(), is_active: true } })).status,
    ).toBe(404);
    expect(await effects()).toHaveLength(1);
    expect((await box.call('update-user', { body: { id, is_active: false } })).status).toBe(200);
    expect((await effects()).map((effect) => effect['record_ids'])).toEqual([[id], [id]]);
  });

  it('comes in bounded pages', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) await box.call('create-users', users(id));
    const numbers = async (query: string) => {
      const reply = await get(`/effects${query}`);
      return [reply.list.map((effect) => effect['number']), reply.paging['next_after']];
    };
    expect(await numbers('?limit=2')).toEqual([[1, 2], 2]);
    expect(await numbers('?limit=2&after=2')).toEqual([[3, 4], 4]);
    expect(await numbers('?limit=2&after=4')).toEqual([[5], null]);
    expect(await numbers('?after=9')).toEqual([[], null]);
    expect((await get('/effects')).paging).toEqual({ after: 0, limit: 50, total: 5, next_after: null });
  });

  it.each([
    ['/effects?limit=101', 400, 'limit'],
    ['/effects?limit=0', 400, 'limit'],
    ['/effects?after=-1', 400, 'after'],
    ['/effects?after=x', 400, 'after'],
    ['/effects?page=1', 400, 'page'],
    ['/effects/0', 400, 'number'],
    ['/effects/x', 400, 'number'],
    ['/effects/9', 404, 'number: there is no effect 9'],
  ])('%s is refused', async (path, status, message) => {
    const reply = await get(path);
    expect([reply.status, reply.message]).toEqual([status, expect.stringContaining(message)]);
  });

  it('is kept in a database file', async () => {
    const db = join(folder.path, 'kept.sqlite');
    box = await openSandbox({ db });
    await box.call('create-users', users('a'));
    const before = await effects();
    await box.close();
    box = await openSandbox({ db });
    expect(await effects()).toEqual(before);
    await box.close();
  });
});

describe('a moved fixture', () => {
  const fixture = async (): Promise<Fields> => {
    const { list } = await box.call('get-fixtures', { id: 1 });
    return at(list[0], 'fixtures.0') as Fields;
  };
  const move = async (start_date: string, id?: string): Promise<Reply> =>
    post(`/fixtures/${id ?? String((await fixture())['id'])}`, { start_date });

  it('is shown with its new kick-off, within its game week', async () => {
    const { id, start_date: was } = await fixture();
    expect(was).toBe('2026-08-14T18:30:00.000Z');
    const reply = await move('2026-08-15T11:00:00+01:00');
    expect([reply.status, reply.record]).toEqual([
      200,
      { id, game_week: '1', was, start_date: '2026-08-15T10:00:00.000Z' },
    ]);
    const { list } = await box.call('get-fixtures', { id: 1 });
    expect(at(list[0], 'fixtures')).toContainEqual(
      expect.objectContaining({ id, start_date: '2026-08-15T10:00:00.000Z' }),
    );
  });

  it.each(['2026-08-14T17:29:59Z', '2026-08-17T23:00:00Z', 'soon'])('does not move to %s', async (time) => {
    const { status, message } = await move(time);
    expect([status, message]).toEqual([
      422,
      'start_date: must be a time in game week 1 that is still to come, from 2026-08-14T17:30:00.000Z to 2026-08-17T23:00:00.000Z',
    ]);
  });

  it('is still to come, and is one of the season', async () => {
    expect((await move('2026-08-15', 'x')).status).toBe(404);
    await post('/clock', { now: '2026-08-14T18:30:00Z' });
    const { status, message } = await move('2026-08-16');
    expect([status, message]).toEqual([422, 'id: the match kicked off at 2026-08-14T18:30:00.000Z']);
  });
});

describe('any request of the operator', () => {
  const text = fc.oneof(
    fc.constantFrom('', ...'0 1 -1 1.5 9007199254740993 1e3 7d 999999999999d 2026-09-05'.split(' ')),
    fc.string({ unit: 'binary' }),
  );
  const value = fc.oneof(text, fc.integer(), fc.constantFrom(null, true, {}, [], 1e308));
  const names = fc.constantFrom(
    ...'now advance after limit page game_week fantasy_league_id mini_league_id'.split(' '),
    ...'player_id goals out in starting bench captain vice_captain chip start_date'.split(' '),
  );
  const request = fc.record({
    path: fc.oneof(
      fc.constantFrom(
        ...['/state', '/clock', '/play-next-week', '/reset', '/effects', '/standings', '/truth', ''],
        ...['/statistics', '/squads/x/transfers', '/squads/x/lineup', '/squads/x/chips', '/fixtures/x'],
      ),
      text.map((part) => `/effects/${encodeURIComponent(part.toWellFormed())}`),
    ),
    query: fc.dictionary(names, text, { maxKeys: 3 }),
    body: fc.option(fc.oneof(value, fc.dictionary(names, value, { maxKeys: 3 })), { nil: undefined }),
    isPost: fc.boolean(),
  });

  it('is answered with an envelope, and never with a mistake of the sandbox', async () => {
    const numRuns = runs(150, 5_000);
    await fc.assert(
      fc.asyncProperty(request, async ({ path, query, body, isPost }) => {
        const search = new URLSearchParams(
          Object.entries(query).map(([name, one]): [string, string] => [name, one.toWellFormed()]),
        ).toString();
        const target = search === '' ? path : `${path}?${search}`;
        const reply = await control(box.sandbox, isPost ? 'POST' : 'GET', target, isPost ? body : undefined);
        expect(reply.status).toBeLessThan(500);
        expect(reply.message).not.toBe('');
      }),
      { numRuns },
    );
  });
});
