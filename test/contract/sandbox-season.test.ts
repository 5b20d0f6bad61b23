import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxOfTest } from '../support/of-test.ts';
import { at, openSandbox } from '../support/sandbox.ts';
import type { Fields, TestSandbox } from '../support/sandbox.ts';

/** Everything that a client can read, without the account. */
async function readAll(box: TestSandbox): Promise<readonly string[]> {
  const bodies: string[] = [];
  const read = async (...call: Parameters<TestSandbox['call']>): Promise<readonly Fields[]> => {
    const reply = await box.call(...call);
    bodies.push(reply.body);
    return reply.list;
  };
  await read('get-fantasy-league', { id: 1 });
  await read('get-fixtures', { id: 1 });
  await read('list-users');
  for (const squad of await read('list-squads', { query: { page: 2 } })) {
    await read('get-squad', { id: String(squad['id']) });
    await read('get-lineup', { id: String(squad['id']) });
  }
  await read('list-auto-substitutions', { query: { fantasy_league_id: 1, page: 3 } });
  for (let id = 1; id <= 40; id += 1) await read('get-player', { id, query: { fantasy_league_id: 1 } });
  return bodies;
}

describe('the season that a seed makes', () => {
  it('is the same every time, but for the account and the key', async () => {
    // A process plays the weeks once, and then takes what that changed.
    const three = [
      await sandboxOfTest({ seed: 'demo' }),
      await sandboxOfTest({ seed: 'demo' }),
      await sandboxOfTest({ seed: 'demo' }),
    ];
    const [first, ...others] = await Promise.all(three.map(readAll));
    expect(others).toEqual([first, first]);
    const differs = async (read: (box: TestSandbox) => unknown): Promise<void> =>
      expect(new Set(await Promise.all(three.map(read))).size).toBe(3);
    await differs(async (box) => (await box.call('get-account')).record['id']);
    await differs((box) => box.sandbox.apiKey);
  });

  it('goes on in the same way', async () => {
    const three = [
      await sandboxOfTest({ seed: 'demo' }),
      await sandboxOfTest({ seed: 'demo' }),
      await sandboxOfTest({ seed: 'demo' }),
    ];
    const played = three.map(async (box) => {
      const users = { users: [{ external_id: 'a', display_name: 'a' }] };
      const [user] = (await box.call('create-users', { body: users })).list;
      const body = { user_id: user?.['user_id'], name: 'New', fantasy_league_id: 1, players_in: [1, 4, 5] };
      const { record } = await box.call('create-squad', { body });
      await box.sandbox.control('POST', '/play-next-week');
      const standings = await box.sandbox.control('GET', '/standings?fantasy_league_id=1&game_week=7');
      return [user?.['user_id'], JSON.stringify(standings).replace(String(record['id']), 'its id')];
    });
    const [first, ...others] = await Promise.all(played);
    expect(others).toEqual([first, first]);
    expect(first).toEqual([81, expect.stringContaining('its id')]);
  });

  it('starts by default before the first week, with players and without users, squads or points', async () => {
    const box = await sandboxOfTest();
    const league = (await box.call('get-fantasy-league', { id: 1 })).record;
    expect([at(league, 'current_game_week.week'), at(league, 'next_game_week.week')]).toEqual(['1', '2']);
    expect(league['points_config']).toBe(null);
    expect((await box.call('list-users')).paging['total']).toBe(0);
    const player = (await box.call('get-player', { id: 1, query: { fantasy_league_id: 1 } })).record;
    expect(player).toMatchObject({ weekly_stats: [], form: 0, points_per_game: 0 });
  });

  it('plays a week when its end has passed', async () => {
    const box = await sandboxOfTest({ now: '2026-08-17T22:59:30Z' });
    const players = [1, 4, 5, 6, 7, 13, 14, 15, 16, 20, 21];
    await box.call('create-users', { body: { users: [{ external_id: 'a', display_name: 'a' }] } });
    const body = { user_id: 1, name: 'Eleven', fantasy_league_id: 1, players_in: players };
    const id = String((await box.call('create-squad', { body })).record['id']);
    const week = at((await box.call('get-fantasy-league', { id: 1 })).record, 'current_game_week.id');
    const trigger = { body: { fantasy_league_id: 1, game_week_id: week } };
    expect((await box.call('trigger-auto-substitution', trigger)).status).toBe(422);
    box.clock.advance(30_000);
    const fixtures = (await box.call('get-fixtures', { id: 1 })).list;
    expect(at(fixtures[0], 'fixtures.9.status')).toBe('finished');
    expect(at(fixtures[1], 'fixtures.0.status')).toBe('scheduled');
    expect((await box.call('trigger-auto-substitution', trigger)).record['events']).toBe(0);
    // Made after the deadline of week 1, the squad takes part from week 2.
    expect(at((await box.call('get-squad', { id })).record, 'ranking.game_week')).toBe('2');
  });

  it('knows no week after the last', async () => {
    const box = await sandboxOfTest({ now: '2027-06-01T00:00:00Z' });
    const league = (await box.call('get-fantasy-league', { id: 1 })).record;
    expect([at(league, 'current_game_week.week'), league['next_game_week']]).toEqual(['38', null]);
    const mini = await box.call('create-mini-league', {
      body: { fantasy_league_id: 1, name: 'm', type: 't' },
    });
    expect(at(mini.record, 'start_game_week.week')).toBe('38');
    const player = (await box.call('get-player', { id: 1, query: { fantasy_league_id: 1 } })).record;
    expect(player['weekly_stats']).toHaveLength(38);
  });

  it('a squad made after the last week shows it without points', async () => {
    const box = await sandboxOfTest({ seed: 'demo', now: '2027-06-01T00:00:00Z' });
    const weeks = (await box.call('get-fixtures', { id: 1 })).list;
    const players_in = Array.from({ length: 30 }, (_, index) => index + 1);
    const body = { user_id: 1, name: 'Too late', fantasy_league_id: 1, players_in };
    const id = String((await box.call('create-squad', { body })).record['id']);
    const trigger = { fantasy_league_id: 1, game_week_id: weeks[37]?.['id'] };
    await box.call('trigger-auto-substitution', { body: trigger });
    const squad = (await box.call('get-squad', { id })).record;
    expect(squad['ranking']).toMatchObject({ game_week: '38', game_week_points: 0, total_points: 0 });
    const lineup = (await box.call('get-lineup', { id })).record;
    expect(lineup['total_points']).toBe(0);
    expect(at(lineup, 'squad.starting_xi.0.is_starting')).toBe(true);
    const { starting_xi, bench } = lineup['squad'] as Record<string, readonly Fields[]>;
    const points = [...(starting_xi ?? []), ...(bench ?? [])].map((entry) => entry['points']);
    expect(points).toEqual(players_in.map(() => 0));
  });
});

describe('the demo season as a client reads it', () => {
  let box: TestSandbox;
  let players: readonly Fields[];
  let fixtures: readonly Fields[];
  beforeAll(async () => {
    box = await openSandbox({ seed: 'demo', settings: { per_minute: 10_000 } });
    const read: Fields[] = [];
    for (let id = 1; ; id += 1) {
      const reply = await box.call('get-player', { id, query: { fantasy_league_id: 1 } });
      if (reply.status === 404) break;
      read.push(reply.record);
    }
    players = read;
    fixtures = (await box.call('get-fixtures', { id: 1 })).list;
  });
  afterAll(() => box.close());

  const weeksOf = (player: Fields) => player['weekly_stats'] as readonly Readonly<Record<string, number>>[];

  it('has 20 clubs of 22 or 23 players within the stated prices, some with one name', () => {
    const clubs = Map.groupBy(players, (player) => player['team']);
    expect(clubs.size).toBe(20);
    for (const squad of clubs.values()) {
      const count = (position: string) => squad.filter((player) => player['position'] === position).length;
      expect([2, 3]).toContain(count('GK'));
      expect([count('DEF'), count('MID'), count('FWD')]).toEqual([8, 8, 4]);
    }
    const prices = players.map((player) => Number(player['price']));
    expect([Math.min(...prices) >= 3.8, Math.max(...prices) <= 13.5]).toEqual([true, true]);
    expect(prices.every((price) => Math.abs(price * 10 - Math.round(price * 10)) < 1e-9)).toBe(true);
    expect(players.some((player) => player['first_name'] === '')).toBe(true);
    expect(players.every((player) => player['last_name'] !== '')).toBe(true);
    const names = players.map((player) => `${String(player['first_name'])} ${String(player['last_name'])}`);
    expect(new Set(names).size).toBe(players.length);
  });

  it('is a double round-robin: every club plays once a week, and every other once at home and once away', () => {
    const matches = fixtures.map((week) =>
      (week['fixtures'] as readonly Fields[]).map((fixture) =>
        ['home', 'away'].map((side) => at(fixture, `teams.${side}.id`)),
      ),
    );
    for (const week of matches) expect(new Set(week.flat()).size).toBe(20);
    expect(new Set(matches.flat().map((pair) => pair.join(' '))).size).toBe(380);
    expect(matches.flat().every(([home, away]) => home !== away)).toBe(true);
    const atHome = Map.groupBy(matches.flat(), ([home]) => home);
    expect([...atHome.values()].map((of) => of.length)).toEqual(Array(20).fill(19));
  });

  it('plays within the dates of its week', () => {
    for (const week of fixtures) {
      const [start, end] = [String(week['start_date']), String(week['end_date'])];
      const kickOffs = (week['fixtures'] as readonly Fields[]).map((fixture) =>
        String(fixture['start_date']),
      );
      expect(kickOffs.every((time) => start < time && time < end)).toBe(true);
      expect(kickOffs).toEqual(kickOffs.toSorted());
    }
  });

  it('the goals of the players of a club add up to its score, eleven start, nobody plays over 90 minutes', () => {
    let matches = 0;
    for (const week of fixtures.slice(0, 6)) {
      for (const fixture of week['fixtures'] as readonly Fields[]) {
        for (const side of ['home', 'away']) {
          const club = at(fixture, `teams.${side}.name`);
          const stats = players
            .filter((player) => player['team'] === club)
            .map(
              (player) => weeksOf(player).find((stat) => String(stat['game_week']) === week['week']) ?? {},
            );
          const sum = (name: string) => stats.reduce((all, stat) => all + (stat[name] ?? 0), 0);
          expect(sum('goals')).toBe(at(fixture, `goals.${side}`));
          expect(sum('games_started')).toBe(11);
          expect(Math.max(...stats.map((stat) => stat['minutes_played'] ?? 0))).toBe(90);
          matches += 1;
        }
      }
    }
    expect(matches).toBe(120);
  });

  it('squads are legal: 2/5/5/3, at most three of a club, within 100.0', async () => {
    const byId = new Map(players.map((player) => [String(player['id']), player]));
    const { list } = await box.call('list-squads');
    for (const squad of list) {
      const lineup = (await box.call('get-lineup', { id: String(squad['id']) })).record;
      const entries = ['starting_xi', 'bench'].flatMap(
        (part) => at(lineup, `squad.${part}`) as readonly Fields[],
      );
      const bought = entries.map((entry) => byId.get(String(at(entry, 'player.id'))) ?? {});
      const count = (position: string) => bought.filter((player) => player['position'] === position).length;
      expect(['GK', 'DEF', 'MID', 'FWD'].map(count)).toEqual([2, 5, 5, 3]);
      const perClub = Map.groupBy(bought, (player) => player['team']).values();
      expect(Math.max(...[...perClub].map((of) => of.length))).toBeLessThanOrEqual(3);
      expect(bought.reduce((all, player) => all + Number(player['price']), 0)).toBeLessThanOrEqual(
        100.000_001,
      );
    }
  });

  it('a line-up adds up: what counts, less the hits = total = points of the week', async () => {
    const week = at((await box.call('get-fantasy-league', { id: 1 })).record, 'current_game_week.id');
    await box.call('trigger-auto-substitution', { body: { fantasy_league_id: 1, game_week_id: week } });
    const raw = new Map(
      players.map((player) => [String(player['id']), weeksOf(player).at(-1)?.['points'] ?? 0]),
    );
    const { list } = await box.call('list-squads');
    const ranks: (readonly [rank: number, points: number])[] = [];
    const seen: (readonly [chip: unknown, hasHits: boolean])[] = [];
    for (const { id } of list) {
      const lineup = (await box.call('get-lineup', { id: String(id) })).record;
      const { starting_xi, bench } = lineup['squad'] as Record<string, readonly Fields[]>;
      const entries = [...(starting_xi ?? []), ...(bench ?? [])];
      const chip = at(lineup, 'chip_selected.chip');
      const times = chip === 'triple_captain' ? 3 : 2;
      const expected = entries.map(
        (entry) =>
          (raw.get(String(at(entry, 'player.id'))) ?? 0) * (entry['is_captain'] === true ? times : 1),
      );
      expect(entries.map((entry) => entry['points'])).toEqual(expected);
      const squad = (await box.call('get-squad', { id: String(id) })).record;
      const counted = chip === 'bench_boost' ? expected : expected.slice(0, 11);
      const hits = Number(at(lineup, 'transfer_hits.hits'));
      expect(at(lineup, 'transfer_hits.points_deduction')).toBe(4 * hits);
      const total = counted.reduce((sum, points) => sum + points, 0) - 4 * hits;
      seen.push([chip, hits > 0]);
      expect([lineup['total_points'], at(squad, 'ranking.game_week_points')]).toEqual([total, total]);
      ranks.push([Number(at(squad, 'ranking.current_rank')), Number(at(squad, 'ranking.total_points'))]);
    }
    expect(list).toHaveLength(50);
    expect(new Set(seen.map(([chip]) => chip)).size).toBeGreaterThan(2);
    expect(seen.some(([, hasHits]) => hasHits)).toBe(true);
    for (const [rank, points] of ranks) {
      expect(ranks.filter(([, others]) => others > points).length).toBeLessThan(rank);
    }
  });
});
