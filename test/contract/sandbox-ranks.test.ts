import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { control } from '../support/control.ts';
import { at, openSandbox, pointsConfigBody } from '../support/sandbox.ts';
import type { Fields, TestSandbox } from '../support/sandbox.ts';
import { testFolder } from '../support/test-folder.ts';

/** One goalkeeper, then defenders, midfielders and forwards of two clubs: enough for any formation. */
const ELEVEN = [1, 4, 5, 6, 7, 13, 14, 15, 16, 20, 21];

async function makeSquad(box: TestSandbox, name: string, players: readonly number[] = ELEVEN) {
  const body = { user_id: 1, name, fantasy_league_id: 1, players_in: players };
  return String((await box.call('create-squad', { body })).record['id']);
}

const detailOf = async (box: TestSandbox, id: string) => (await box.call('get-squad', { id })).record;
const rankOf = async (box: TestSandbox, id: string) => at(await detailOf(box, id), 'ranking.current_rank');
const playWeek = async (box: TestSandbox): Promise<void> => {
  expect((await control(box.sandbox, 'POST', '/play-next-week')).status).toBe(200);
};
const standings = async (box: TestSandbox, query: string) =>
  (await control(box.sandbox, 'GET', `/standings?${query}`)).list.map((row) => [
    at(row, 'squad.name'),
    row['rank'],
    row['points'],
  ]);

describe('squads, ranks and mini leagues over three weeks', () => {
  let box: TestSandbox;
  const ids: Record<string, string> = {};
  const points: Record<string, readonly number[]> = {};
  const pointsAfter = (name: string, from: number): number =>
    (points[name] ?? []).slice(from).reduce((sum, one) => sum + one, 0);

  beforeAll(async () => {
    box = await openSandbox();
    await box.call('create-users', { body: { users: [{ external_id: 'a', display_name: 'A' }] } });
    await box.call('set-points-config', { body: pointsConfigBody({ defender_goal_points: 6 }) });
    // Two equal squads, a better and a worse one.
    ids['Twin one'] = await makeSquad(box, 'Twin one');
    ids['Twin two'] = await makeSquad(box, 'Twin two');
    ids['Half'] = await makeSquad(box, 'Half', ELEVEN.slice(0, 5));
    await playWeek(box);
    // Week 2 has not begun, so both take part from it.
    ids['Late'] = await makeSquad(box, 'Late');
    await box.call('create-mini-league', { body: { fantasy_league_id: 1, name: 'Mini', type: 'classic' } });
    await playWeek(box);
    await playWeek(box);
    const config = { fantasy_league_id: 1 };
    const players = await Promise.all(
      ELEVEN.map(async (id) => (await box.call('get-player', { id, query: config })).record),
    );
    for (const [name, id] of Object.entries(ids)) {
      const lineup = (await box.call('get-lineup', { id })).record;
      const starting = at(lineup, 'squad.starting_xi') as readonly Fields[];
      const own = players.slice(0, name === 'Half' ? 5 : 11);
      points[name] = [0, 1, 2].map((week) => {
        if (name === 'Late' && week === 0) return 0;
        const stat = (player: Fields | undefined) =>
          (player?.['weekly_stats'] as readonly Readonly<Record<string, number>>[] | undefined)?.[week] ?? {};
        const having = (flag: string) => {
          const entry = starting.find((one) => one[flag]);
          return stat(own.find((player) => String(player['id']) === at(entry, 'player.id')));
        };
        const captain = having('is_captain');
        const twice = captain['minutes_played'] === 0 ? having('is_vice_captain') : captain;
        return own.reduce((sum, player) => sum + (stat(player)['points'] ?? 0), twice['points'] ?? 0);
      });
    }
  });
  afterAll(() => box.close());

  it('a squad has the points of its players, its captain or vice-captain twice, in every week since it takes part', async () => {
    for (const [name, id] of Object.entries(ids)) {
      expect((await detailOf(box, id))['ranking']).toMatchObject({
        game_week: '3',
        game_week_points: points[name]?.[2],
        total_points: pointsAfter(name, 0),
      });
    }
  });

  it('equal squads share a rank, and the next rank leaves it out', async () => {
    expect(pointsAfter('Twin one', 0)).toBe(pointsAfter('Twin two', 0));
    const expected = (name: string): number =>
      1 + Object.keys(ids).filter((other) => pointsAfter(other, 0) > pointsAfter(name, 0)).length;
    for (const [name, id] of Object.entries(ids))
      expect([name, await rankOf(box, id)]).toEqual([name, expected(name)]);
    expect(new Set(Object.keys(ids).map(expected)).size).toBe(3);
  });

  const table = (from: number, to: number) =>
    Object.keys(ids)
      .map((name) => [name, (points[name] ?? []).slice(from, to).reduce((sum, one) => sum + one, 0)] as const)
      .map(([name, own], _, all) => [name, 1 + all.filter(([, other]) => other > own).length, own] as const)
      .toSorted((one, other) => one[1] - other[1]);

  it('standings rank the league, overall and by week', async () => {
    expect(await standings(box, 'fantasy_league_id=1')).toEqual(table(0, 3));
    for (const week of [1, 2, 3])
      expect(await standings(box, `fantasy_league_id=1&game_week=${week}`)).toEqual(table(week - 1, week));
    expect(await standings(box, 'fantasy_league_id=1&page=2')).toEqual([]);
  });

  it('a mini league has every squad, ranked from its start week on', async () => {
    const mini = (await box.call('get-mini-league', { id: 1 })).record;
    expect([mini['total_squads'], at(mini, 'start_game_week.week')]).toEqual([4, '2']);
    expect((await box.call('list-mini-leagues')).list[0]).toEqual(mini);
    expect((await detailOf(box, ids['Late'] ?? ''))['mini_leagues']).toBe(1);
    expect(await standings(box, 'mini_league_id=1')).toEqual(table(1, 3));
    // From its start on the late squad is as good as its equals.
    expect(table(1, 3).filter(([, rank]) => rank === 1)).toHaveLength(3);
    expect(table(0, 3).filter(([, rank]) => rank === 1)).toHaveLength(2);
    expect(await standings(box, 'mini_league_id=1&game_week=2')).toEqual(table(1, 2));
    const before = await standings(box, 'mini_league_id=1&game_week=1');
    expect(before.map(([, , own]) => own)).toEqual([0, 0, 0, 0]);
  });

  it.each([
    ['', 400, 'fantasy_league_id, mini_league_id'],
    ['fantasy_league_id=1&mini_league_id=1', 400, 'give exactly one of them'],
    ['fantasy_league_id=9', 404, 'fantasy_league_id'],
    ['mini_league_id=9', 404, 'mini_league_id: there is no mini league 9'],
    ['fantasy_league_id=1&game_week=39', 400, 'game_week'],
    ['fantasy_league_id=1&page=0', 400, 'page'],
  ])('standings of %j are refused', async (query, status, message) => {
    const reply = await control(box.sandbox, 'GET', `/standings?${query}`);
    expect([reply.status, reply.message]).toEqual([status, expect.stringContaining(message)]);
  });

  it('form is the average of the last four weeks, points per game that of the matches played', async () => {
    await playWeek(box);
    await playWeek(box);
    for (const id of [...ELEVEN, 9, 12, 22]) {
      const player = (await box.call('get-player', { id, query: { fantasy_league_id: 1 } })).record;
      const stats = player['weekly_stats'] as readonly Readonly<Record<string, number>>[];
      const average = (all: readonly Readonly<Record<string, number>>[]): number =>
        all.length === 0
          ? 0
          : Math.round((10 * all.reduce((sum, stat) => sum + (stat['points'] ?? 0), 0)) / all.length) / 10;
      expect(stats).toHaveLength(5);
      const played = stats.filter((stat) => stat['minutes_played'] !== 0);
      expect([player['form'], player['points_per_game']]).toEqual([
        average(stats.slice(-4)),
        average(played),
      ]);
    }
  });
});

describe('the finance of a squad', () => {
  it('follows prices: what was spent stays, what it is worth moves', async () => {
    await using box = await openSandbox();
    const price = (player_id: number, amount: number) =>
      box.call('upload-prices', {
        body: { fantasy_league_id: 1, prices: [{ player_id, price: amount, type: 'current' }] },
      });
    await box.call('create-users', { body: { users: [{ external_id: 'a', display_name: 'A' }] } });
    await price(1, 4.1);
    await price(2, 5.2);
    const id = await makeSquad(box, 'Two', [1, 2]);
    const finance = async () => (await detailOf(box, id))['finance'];
    const start = { money_spent: 9.3, squad_value: 9.3, money_in_bank: 90.7, budget: 100 };
    expect(await finance()).toEqual(start);
    await price(1, 4.3);
    expect(await finance()).toEqual({ ...start, squad_value: 9.5 });
    await price(3, 50);
    expect(await finance()).toEqual({ ...start, squad_value: 9.5 });
    const beyond = await makeSquad(box, 'Dear', [1, 3]);
    await price(3, 120);
    expect((await detailOf(box, beyond))['finance']).toMatchObject({ money_spent: 54.3, squad_value: 124.3 });
    const ruined = await makeSquad(box, 'Ruined', [3]);
    expect((await detailOf(box, ruined))['finance']).toMatchObject({ money_in_bank: -20 });
  });
});

describe('a game week', () => {
  const folder = testFolder();

  it('is played whole or not at all', async () => {
    const db = join(folder.path, 'week.sqlite');
    await using box = await openSandbox({ db });
    await box.call('create-users', { body: { users: [{ external_id: 'a', display_name: 'A' }] } });
    await makeSquad(box, 'Only');
    const other = new DatabaseSync(db);
    other.exec(`CREATE TRIGGER broken BEFORE INSERT ON squad_weeks BEGIN SELECT RAISE(ABORT, 'full'); END`);
    const before = (await control(box.sandbox, 'GET', '/state')).record;
    const fixtures = (await box.call('get-fixtures', { id: 1 })).body;
    const failed = await control(box.sandbox, 'POST', '/play-next-week');
    expect([failed.status, box.failures.splice(0).length]).toEqual([500, 1]);
    expect((await box.call('get-fixtures', { id: 1 })).body).toBe(fixtures);
    expect((await control(box.sandbox, 'GET', '/state')).record).toMatchObject({
      now: before['now'],
      game_week_to_play: { week: '1' },
    });
    other.exec('DROP TRIGGER broken');
    other.close();
    await playWeek(box);
    expect(at((await box.call('get-fixtures', { id: 1 })).list[0], 'fixtures.0.status')).toBe('finished');
  });
});
