import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { control } from '../support/control.ts';
import { at, openSandbox, pointsConfigBody, testClock } from '../support/sandbox.ts';
import type { TestSandbox } from '../support/sandbox.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder();

describe('a database file', () => {
  it('keeps key, account, records, used windows and the time of the season over a restart', async () => {
    const db = join(folder.path, 'kept.sqlite');
    const clock = testClock();
    const first = await openSandbox({ db, clock, seed: 'demo' });
    const body = { users: [{ external_id: 'a', display_name: 'A' }] };
    await first.call('create-users', { body });
    const before = (await first.call('get-account')).record;
    await first.close();

    clock.advance(30_000);
    await using second = await openSandbox({ db, clock });
    expect(second.sandbox.apiKey).toBe(first.sandbox.apiKey);
    const after = (await second.call('get-account')).record;
    expect(after['id']).toBe(before['id']);
    expect(at(after, 'config.features')).toEqual(at(before, 'config.features'));
    expect(at(after, 'config.rate_limit.per_minute.used')).toBe(3);
    const added = await second.call('create-users', {
      body: { users: [{ external_id: 'b', display_name: 'B' }] },
    });
    expect(at(added.list, '0.created_at')).toBe('2026-09-22T12:00:30.000Z');
    expect(at(added.list, '0.user_id')).toBe(82);
  });

  it('is readable by its owner alone', async () => {
    const db = join(folder.path, 'private.sqlite');
    await (await openSandbox({ db })).close();
    expect(statSync(db).mode & 0o077).toBe(0);
  });

  it('takes a given key, and keeps it', async () => {
    const db = join(folder.path, 'key.sqlite');
    await (await openSandbox({ db, apiKey: 'my-key' })).close();
    await using again = await openSandbox({ db });
    expect(again.sandbox.apiKey).toBe('my-key');
    expect((await again.call('get-account')).status).toBe(200);
  });

  it.each(['fixed', 'sliding'] as const)(
    'has %s windows that are new at an earlier time',
    async (windows) => {
      const db = join(folder.path, `${windows}.sqlite`);
      const settings = { windows, per_minute: 1 };
      const first = await openSandbox({ db, settings, now: '2026-12-01T00:00:00Z' });
      expect((await first.call('list-users')).status).toBe(200);
      expect((await first.call('list-users')).status).toBe(429);
      await first.close();
      await using second = await openSandbox({ db, settings, now: '2026-09-01T00:00:00Z' });
      expect((await second.call('list-users')).status).toBe(200);
      expect((await second.call('list-users')).status).toBe(429);
    },
  );

  it('can be set to another time of the season', async () => {
    const db = join(folder.path, 'now.sqlite');
    await (await openSandbox({ db })).close();
    await using later = await openSandbox({ db, now: '2026-09-05T00:00:00Z' });
    const league = (await later.call('get-fantasy-league', { id: 1 })).record;
    expect(at(league, 'current_game_week.week')).toBe('4');
  });
});

/** What made line-ups by week of one line-up a squad, the other way round. */
const ONE_LINEUP = `
  CREATE TABLE squad_players (
    squad INTEGER NOT NULL REFERENCES squads (number), lineup_order INTEGER NOT NULL,
    player_id INTEGER NOT NULL REFERENCES players (id), is_starting INTEGER NOT NULL, is_captain INTEGER NOT NULL,
    is_vice_captain INTEGER NOT NULL, price_paid REAL NOT NULL,
    PRIMARY KEY (squad, lineup_order)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO squad_players SELECT l.squad, p.lineup_order, p.player_id, p.is_starting, p.is_captain, p.is_vice_captain, p.price_paid
    FROM squads s JOIN lineups l ON l.squad = s.number AND l.is_substituted = 0 AND l.game_week = s.first_week
    JOIN lineup_places p ON p.lineup = l.number;
  DROP TABLE lineup_places; DROP TABLE lineups; DROP TABLE transfers; DROP TABLE chips_played; DROP TABLE corrections;
  ALTER TABLE squad_weeks DROP COLUMN deduction; ALTER TABLE game_weeks DROP COLUMN is_begun;`;

describe('a database of an earlier version', () => {
  it('keeps the line-ups of its squads, before and after the substitutions', async () => {
    const db = join(folder.path, 'one-lineup.sqlite');
    const first = await openSandbox({ db });
    await first.call('create-users', { body: { users: [{ external_id: 'a', display_name: 'A' }] } });
    await first.call('set-points-config', { body: pointsConfigBody() });
    const ids: string[] = [];
    for (let number = 1; number <= 40; number += 1) {
      const players_in = Array.from({ length: 15 }, (_, index) => ((number * 11 + index * 29) % 440) + 1);
      const body = { user_id: 1, name: `Squad ${number}`, fantasy_league_id: 1, players_in };
      ids.push(String((await first.call('create-squad', { body })).record['id']));
    }
    const { record } = await control(first.sandbox, 'POST', '/play-next-week');
    const trigger = { fantasy_league_id: 1, game_week_id: at(record, 'current_game_week.id') };
    expect(
      Number((await first.call('trigger-auto-substitution', { body: trigger })).record['events']),
    ).toBeGreaterThan(20);
    const readAll = async (box: TestSandbox) =>
      Promise.all(
        ids.flatMap((id) => [
          box.call('get-lineup', { id }).then(({ body }) => body),
          box.call('get-squad', { id }).then(({ body }) => body),
        ]),
      );
    const before = await readAll(first);
    await first.close();
    const database = new DatabaseSync(db);
    database.exec(`${ONE_LINEUP} PRAGMA user_version = 3`);
    database.close();
    await using second = await openSandbox({ db });
    expect(await readAll(second)).toEqual(before);
    await control(second.sandbox, 'POST', '/play-next-week');
  });

  it('is brought up to date with what it holds', async () => {
    const db = join(folder.path, 'earlier.sqlite');
    const first = await openSandbox({ db, seed: 'demo' });
    const mini = { fantasy_league_id: 1, name: 'm', type: 't' };
    await first.call('create-mini-league', { body: mini });
    const squads = (await first.call('list-squads')).body;
    await first.close();

    const database = new DatabaseSync(db);
    // The records of substitutions name line-ups that there were not at that time.
    database.exec(`${ONE_LINEUP} DELETE FROM auto_substitutions; DELETE FROM processed_weeks; DROP TABLE effects; DROP TABLE earlier_points_configs;
      DROP INDEX game_weeks_by_start; DROP INDEX game_weeks_to_play;
      ALTER TABLE fantasy_leagues DROP COLUMN squads; ALTER TABLE fantasy_leagues DROP COLUMN mini_leagues;
      ALTER TABLE fantasy_leagues DROP COLUMN ranked_at; PRAGMA user_version = 1`);
    database.close();

    await using second = await openSandbox({ db });
    expect((await second.call('list-squads')).body).toBe(squads);
    expect((await second.call('get-mini-league', { id: 1 })).record['total_squads']).toBe(60);
    const other = await second.call('create-mini-league', { body: mini });
    const body = { user_id: 1, name: 'New', fantasy_league_id: 1, players_in: [1] };
    const id = String((await second.call('create-squad', { body })).record['id']);
    expect((await second.call('get-squad', { id })).record['mini_leagues']).toBe(2);
    const mine = await second.call('get-mini-league', { id: Number(other.record['id']) });
    expect(mine.record['total_squads']).toBe(61);
  });
});

describe('what cannot be used is refused with a code and a remedy', () => {
  const failure = async (options: SandboxOptions): Promise<unknown> =>
    createSandbox(options).then(
      (sandbox) => sandbox.close(),
      (error: unknown) => error,
    );

  it('a file that is no database', async () => {
    const db = join(folder.path, 'text.csv');
    writeFileSync(db, 'Member ID,Name\n'.repeat(100));
    expect(await failure({ db })).toMatchObject({ code: 'sandbox.db', exitCode: 4 });
  });

  it('a file in a folder that is not there', async () => {
    expect(await failure({ db: join(folder.path, 'none', 'x.sqlite') })).toMatchObject({
      code: 'sandbox.db',
    });
  });

  it('a database of a newer version', async () => {
    const db = join(folder.path, 'newer.sqlite');
    const database = new DatabaseSync(db);
    database.exec('PRAGMA user_version = 99');
    database.close();
    expect(await failure({ db })).toMatchObject({
      code: 'sandbox.db',
      message: expect.stringContaining('newer version') as string,
    });
  });

  it('a file that another sandbox holds', async () => {
    const db = join(folder.path, 'held.sqlite');
    const first = await openSandbox({ db });
    expect(await failure({ db })).toMatchObject({
      code: 'sandbox.db',
      message: expect.stringContaining('another sandbox') as string,
    });
    expect((await first.call('list-users')).status).toBe(200);
    await first.close();
    const second = await openSandbox({ db });
    expect(await failure({ db: join(folder.path, 'held.sqlite') })).toMatchObject({ code: 'sandbox.db' });
    await second.close();
    expect(readdirSync(folder.path).filter((name) => name.startsWith('held'))).toEqual(['held.sqlite']);
  });

  it('another seed than the file was made with', async () => {
    const db = join(folder.path, 'seed.sqlite');
    await (await openSandbox({ db, seed: 'demo' })).close();
    expect(await failure({ db, seed: 'default' })).toMatchObject({ code: 'sandbox.seed', exitCode: 4 });
    expect(await failure({ seed: 'demos' as 'demo' })).toMatchObject({
      code: 'sandbox.seed',
      message: 'there is no seed "demos"',
    });
  });

  it.each(['tomorrow', '22', '2026-13-01', '', '9999-01-01'])('the time %j', async (now) => {
    expect(await failure({ now })).toMatchObject({ code: 'sandbox.now', exitCode: 64 });
  });

  it('a setting out of range', async () => {
    expect(await failure({ settings: { page_size: 0 } })).toMatchObject({ code: 'sandbox.setting' });
  });
});
