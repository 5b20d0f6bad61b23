import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, openSandbox, pointsConfigBody } from '../support/sandbox.ts';
import type { TestSandbox } from '../support/sandbox.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('every operation on the demo season', () => {
  let box: TestSandbox;
  beforeAll(async () => {
    box = await openSandbox({ seed: 'demo' });
  });
  afterAll(() => box.close());

  it('get-account reports windows, pricing and the five quotas', async () => {
    const { status, record } = await box.call('get-account');
    expect(status).toBe(200);
    expect(record['id']).toMatch(UUID);
    expect(at(record, 'config.rate_limit.per_minute.limit')).toBe(600);
    expect(at(record, 'config.rate_limit.per_day.window')).toBe('1d');
    expect(at(record, 'config.features.squads')).toEqual({
      max: 1_000_000,
      used: 60,
      remaining: 999_940,
      state: 'available',
      is_blocked: false,
    });
  });

  it('create-fantasy-league makes a league that can be read', async () => {
    const created = await box.call('create-fantasy-league', { body: { name: 'Second', league_id: 1 } });
    expect(created.status).toBe(201);
    const read = await box.call('get-fantasy-league', { id: Number(created.record['id']) });
    expect(read.record).toMatchObject({ name: 'Second', is_active: true, points_config: null });
  });

  it('get-fantasy-league names the week that began last and the one after it', async () => {
    const { record } = await box.call('get-fantasy-league', { id: 1 });
    expect(at(record, 'current_game_week.week')).toBe('6');
    expect(at(record, 'next_game_week.week')).toBe('7');
    expect(at(record, 'leagues.0.id')).toBe(1);
    expect(at(record, 'points_config.forward_goal_points')).toBe(4);
  });

  it('get-fixtures lists 38 weeks of ten fixtures, six of them played', async () => {
    const { list } = await box.call('get-fixtures', { id: 1 });
    expect(list.map((week) => (week['fixtures'] as unknown[]).length)).toEqual(Array(38).fill(10));
    const played = list.filter((week) => at(week, 'fixtures.0.status') === 'finished');
    expect(played.map((week) => week['week'])).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(at(list[6], 'fixtures.0.goals')).toEqual({ away: null, home: null });
  });

  it('mini leagues are created with a code, listed and read', async () => {
    const body = { fantasy_league_id: 1, name: 'Friends', type: 'classic' };
    const one = await box.call('create-mini-league', { body });
    const other = await box.call('create-mini-league', { body });
    expect(one.status).toBe(201);
    expect(one.record).toMatchObject({ name: 'Friends', style: 'classic', is_open: true, total_squads: 60 });
    expect(at(one.record, 'start_game_week.week')).toBe('7');
    expect(one.record['code']).not.toBe(other.record['code']);
    const listed = await box.call('list-mini-leagues', { query: { fantasy_league_id: 1 } });
    expect(listed.list).toEqual([one.record, other.record]);
    expect((await box.call('list-mini-leagues', { query: { fantasy_league_id: 2 } })).list).toEqual([]);
    expect((await box.call('get-mini-league', { id: 1 })).record).toEqual(one.record);
  });

  it('create-users answers one record a user, in order, and list-users shows them', async () => {
    const users = [
      { external_id: 'M-1', display_name: 'Ana' },
      { external_id: 'M-2', display_name: '' },
    ];
    const { status, list } = await box.call('create-users', { body: { users } });
    expect(status).toBe(201);
    expect(list.map((user) => [user['external_id'], user['display_name'], user['is_active']])).toEqual([
      ['M-1', 'Ana', true],
      ['M-2', '', true],
    ]);
    const page = await box.call('list-users', { query: { page: 2 } });
    expect(page.list.slice(-2)).toEqual(list);
  });

  it('create-users takes an empty batch', async () => {
    const { status, list } = await box.call('create-users', { body: { users: [] } });
    expect([status, list]).toEqual([201, []]);
  });

  it('update-user changes the given fields alone, in either case of the id', async () => {
    const [user] = (await box.call('list-users')).list;
    box.clock.advance(1_000);
    const id = String(user?.['id']).toUpperCase();
    const off = await box.call('update-user', { body: { id, is_active: false } });
    expect(off.status).toBe(200);
    expect(off.record).toMatchObject({ display_name: user?.['display_name'], is_active: false });
    expect(off.record['updated_at']).not.toBe(user?.['updated_at']);
    const named = await box.call('update-user', { body: { id, display_name: 'New' } });
    expect(named.record).toMatchObject({ display_name: 'New', is_active: false });
    const same = await box.call('update-user', { body: { id } });
    expect(same.record).toEqual(named.record);
  });

  it('create-squad takes any distinct known players and plays from the next week', async () => {
    const body = { user_id: 3, name: 'Two of us', fantasy_league_id: 1, players_in: [30, 5] };
    const created = await box.call('create-squad', { body });
    expect(created.status).toBe(201);
    const id = String(created.record['id']);
    const squad = (await box.call('get-squad', { id })).record;
    expect(created.record['external_user_id']).toBe(at(squad, 'user.id'));
    expect(at(squad, 'game_week.week')).toBe('7');
    expect(at(squad, 'ranking.total_points')).toBe(0);
    expect(at(squad, 'ranking.current_rank')).toBe(61);
    const lineup = (await box.call('get-lineup', { id })).record;
    expect(at(lineup, 'squad.starting_xi.0.player.id')).toBe('30');
    expect(at(lineup, 'game_week.previous_game_week')).toBe('6');
    expect(lineup['total_points']).toBe(0);
  });

  it('list-squads filters by user and by fantasy league', async () => {
    const byUser = await box.call('list-squads', { query: { user_id: 2, fantasy_league_id: 1 } });
    expect(byUser.list.map((squad) => at(squad, 'user.user_id'))).toEqual([2]);
    expect((await box.call('list-squads', { query: { fantasy_league_id: 2 } })).list).toEqual([]);
    expect((await box.call('list-squads', { query: { user_id: 79 } })).paging['total']).toBe(0);
  });

  it('get-player shows every played week and their totals', async () => {
    const { record } = await box.call('get-player', { id: 20, query: { fantasy_league_id: 1 } });
    const weeks = record['weekly_stats'] as Record<string, number>[];
    expect(weeks.map((week) => week['game_week'])).toEqual(['1', '2', '3', '4', '5', '6']);
    for (const [name, total] of Object.entries(record['stats_total'] as Record<string, number>)) {
      expect(total, name).toBe(weeks.reduce((sum, week) => sum + (week[name] ?? 0), 0));
    }
  });

  it('set-points-config replaces what the league has, under the same id, and settles the points again', async () => {
    const before = (await box.call('get-fantasy-league', { id: 1 })).record;
    const [squad] = (await box.call('list-squads')).list;
    box.clock.advance(1_000);
    const body = pointsConfigBody({ fantasy_league_id: 1, starter_points: 100 });
    const set = await box.call('set-points-config', { body });
    expect(set.status).toBe(201);
    expect(set.record).toMatchObject({ ...body, id: at(before, 'points_config.id') });
    expect(set.record['created_at']).toBe(at(before, 'points_config.created_at'));
    expect(set.record['updated_at']).not.toBe(set.record['created_at']);
    expect((await box.call('get-points-config', { id: String(set.record['id']) })).record).toEqual(
      set.record,
    );
    const after = (await box.call('get-squad', { id: String(squad?.['id']) })).record;
    expect(at(after, 'ranking.total_points')).toBeGreaterThan(1_000);
  });

  it('upload-prices moves the players prices and logs them under one reference', async () => {
    const prices = [
      { player_id: 7, price: 6.25, type: 'market' },
      { player_id: 8, price: 4, type: 'market' },
    ];
    const { status, record } = await box.call('upload-prices', { body: { fantasy_league_id: 1, prices } });
    expect([status, record['count']]).toEqual([201, 2]);
    const log = (await box.call('list-prices')).list;
    expect(
      log.map((entry) => [entry['txn_ref'], at(entry, 'player.id'), at(entry, 'game_week.week')]),
    ).toEqual([
      [record['reference'], 7, '6'],
      [record['reference'], 8, '6'],
    ]);
    const seven = await box.call('get-player', { id: 7, query: { fantasy_league_id: 1 } });
    expect(seven.record['price']).toBe(6.25);
    const elsewhere = await box.call('get-player', { id: 7, query: { fantasy_league_id: 2 } });
    expect(elsewhere.record['price']).not.toBe(6.25);
  });

  it('trigger-auto-substitution processes an ended week once', async () => {
    const week = at((await box.call('get-fantasy-league', { id: 1 })).record, 'current_game_week.id');
    const body = { fantasy_league_id: 1, game_week_id: week };
    const logged = async () =>
      (await box.call('list-auto-substitutions', { query: { fantasy_league_id: 1 } })).paging['total'];
    const before = Number(await logged());
    const first = await box.call('trigger-auto-substitution', { body });
    expect(first.status).toBe(201);
    expect(first.record['code']).toBe('PROCESSED');
    expect(await logged()).toBe(before + Number(first.record['events']));
    expect(Number(first.record['events'])).toBeGreaterThan(0);
    const again = await box.call('trigger-auto-substitution', { body });
    expect(again.record).toMatchObject({ code: 'ALREADY_PROCESSED', events: 0 });
    expect(again.message).toContain('nothing was changed');
    expect(await logged()).toBe(before + Number(first.record['events']));
  });

  it('list-auto-substitutions pairs out and in under one txn_ref', async () => {
    const { list } = await box.call('list-auto-substitutions', { query: { fantasy_league_id: 1, page: 2 } });
    const byRef = Map.groupBy(list, (record) => record['txn_ref']);
    expect(byRef.size).toBeGreaterThan(10);
    for (const pair of byRef.values()) {
      expect(pair.map((record) => [record['action'], record['is_starting']])).toEqual([
        ['out', false],
        ['in', true],
      ]);
    }
  });
});
