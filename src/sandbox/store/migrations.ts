import type { DatabaseSync } from 'node:sqlite';
import type { Feature } from '../../contract/endpoint.ts';

/** The table whose records each feature of the account counts. A fantasy league brings one contest, its overall ranking. */
export const COUNTED: Readonly<Record<Feature, string>> = {
  fantasy_leagues: 'fantasy_leagues',
  mini_leagues: 'mini_leagues',
  squads: 'squads',
  contests: 'fantasy_leagues',
  users: 'users',
};

/** Each entry brings a database from the version of its index to the next. Entries are never changed once released, only added. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE clubs (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, short_name TEXT NOT NULL, strength REAL NOT NULL
  ) STRICT;
  CREATE TABLE players (
    id INTEGER PRIMARY KEY, club_id INTEGER NOT NULL REFERENCES clubs (id), first_name TEXT NOT NULL,
    last_name TEXT NOT NULL, position TEXT NOT NULL, price REAL NOT NULL, created_at TEXT NOT NULL
  ) STRICT;
  CREATE TABLE game_weeks (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, start_date TEXT NOT NULL, end_date TEXT NOT NULL,
    is_played INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE fixtures (
    id TEXT PRIMARY KEY, game_week INTEGER NOT NULL REFERENCES game_weeks (number),
    home_id INTEGER NOT NULL REFERENCES clubs (id), away_id INTEGER NOT NULL REFERENCES clubs (id),
    start_date TEXT NOT NULL, home_goals INTEGER, away_goals INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX fixtures_by_week ON fixtures (game_week, start_date);
  CREATE TABLE weekly_stats (
    player_id INTEGER NOT NULL REFERENCES players (id), game_week INTEGER NOT NULL REFERENCES game_weeks (number),
    id TEXT NOT NULL, fixture_id TEXT NOT NULL REFERENCES fixtures (id), games_started INTEGER NOT NULL,
    minutes_played INTEGER NOT NULL, goals INTEGER NOT NULL, assists INTEGER NOT NULL, clean_sheets INTEGER NOT NULL,
    goals_conceded INTEGER NOT NULL, own_goals INTEGER NOT NULL, saves INTEGER NOT NULL, penalty_saves INTEGER NOT NULL,
    penalty_missed INTEGER NOT NULL, yellow_cards INTEGER NOT NULL, red_cards INTEGER NOT NULL,
    bonus_points INTEGER NOT NULL, bonus_points_scores INTEGER NOT NULL,
    PRIMARY KEY (player_id, game_week)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX weekly_stats_by_week ON weekly_stats (game_week);

  CREATE TABLE users (
    user_id INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, external_id TEXT NOT NULL UNIQUE,
    display_name TEXT NOT NULL, is_active INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
  ) STRICT;
  CREATE TABLE fantasy_leagues (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
  ) STRICT;
  CREATE TABLE mini_leagues (
    id INTEGER PRIMARY KEY AUTOINCREMENT, fantasy_league_id INTEGER NOT NULL REFERENCES fantasy_leagues (id),
    name TEXT NOT NULL, style TEXT NOT NULL, code TEXT NOT NULL UNIQUE, start_week INTEGER NOT NULL,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX mini_leagues_by_league ON mini_leagues (fantasy_league_id);
  CREATE TABLE squads (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
    user_id INTEGER NOT NULL REFERENCES users (user_id),
    fantasy_league_id INTEGER NOT NULL REFERENCES fantasy_leagues (id),
    first_week INTEGER NOT NULL, total_points INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX squads_by_user ON squads (user_id, fantasy_league_id);
  CREATE INDEX squads_by_league ON squads (fantasy_league_id);
  CREATE INDEX squads_by_points ON squads (fantasy_league_id, total_points);
  CREATE TABLE squad_players (
    squad INTEGER NOT NULL REFERENCES squads (number), lineup_order INTEGER NOT NULL,
    player_id INTEGER NOT NULL REFERENCES players (id), is_starting INTEGER NOT NULL, is_captain INTEGER NOT NULL,
    is_vice_captain INTEGER NOT NULL, price_paid REAL NOT NULL,
    PRIMARY KEY (squad, lineup_order)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE squad_weeks (
    squad INTEGER NOT NULL REFERENCES squads (number), game_week INTEGER NOT NULL, points INTEGER NOT NULL,
    PRIMARY KEY (squad, game_week)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE points_configs (
    fantasy_league_id INTEGER PRIMARY KEY REFERENCES fantasy_leagues (id), id TEXT NOT NULL UNIQUE,
    settings TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
  ) STRICT;
  CREATE TABLE prices (
    fantasy_league_id INTEGER NOT NULL REFERENCES fantasy_leagues (id), player_id INTEGER NOT NULL REFERENCES players (id),
    price REAL NOT NULL,
    PRIMARY KEY (fantasy_league_id, player_id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE price_records (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, txn_ref TEXT NOT NULL,
    fantasy_league_id INTEGER NOT NULL REFERENCES fantasy_leagues (id), player_id INTEGER NOT NULL REFERENCES players (id),
    txn_type TEXT NOT NULL, price REAL NOT NULL, game_week INTEGER NOT NULL REFERENCES game_weeks (number),
    created_at TEXT NOT NULL
  ) STRICT;
  CREATE TABLE processed_weeks (
    fantasy_league_id INTEGER NOT NULL REFERENCES fantasy_leagues (id),
    game_week INTEGER NOT NULL REFERENCES game_weeks (number), processed_at TEXT NOT NULL,
    PRIMARY KEY (fantasy_league_id, game_week)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE auto_substitutions (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
    fantasy_league_id INTEGER NOT NULL REFERENCES fantasy_leagues (id),
    game_week INTEGER NOT NULL REFERENCES game_weeks (number), squad INTEGER NOT NULL REFERENCES squads (number),
    player_id INTEGER NOT NULL REFERENCES players (id), action TEXT NOT NULL, txn_ref TEXT NOT NULL,
    lineup_order INTEGER NOT NULL, is_captain INTEGER NOT NULL, is_vice_captain INTEGER NOT NULL,
    is_starting INTEGER NOT NULL, created_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX auto_substitutions_by_league ON auto_substitutions (fantasy_league_id);
  `,
  `
  ALTER TABLE fantasy_leagues ADD COLUMN squads INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE fantasy_leagues ADD COLUMN mini_leagues INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE fantasy_leagues ADD COLUMN ranked_at TEXT;
  UPDATE fantasy_leagues SET
    squads = (SELECT count(*) FROM squads s WHERE s.fantasy_league_id = fantasy_leagues.id),
    mini_leagues = (SELECT count(*) FROM mini_leagues m WHERE m.fantasy_league_id = fantasy_leagues.id);
  CREATE TRIGGER squads_counted AFTER INSERT ON squads BEGIN
    UPDATE fantasy_leagues SET squads = squads + 1 WHERE id = NEW.fantasy_league_id;
  END;
  CREATE TRIGGER mini_leagues_counted AFTER INSERT ON mini_leagues BEGIN
    UPDATE fantasy_leagues SET mini_leagues = mini_leagues + 1 WHERE id = NEW.fantasy_league_id;
  END;

  CREATE TABLE effects (
    number INTEGER PRIMARY KEY AUTOINCREMENT, operation TEXT NOT NULL, request_id TEXT NOT NULL,
    body_sha256 TEXT NOT NULL, created_at TEXT NOT NULL, record_count INTEGER NOT NULL, record_ids TEXT NOT NULL
  ) STRICT;
  `,
  // An external_id may belong to two users, where a profile creates it twice; SQLite drops a constraint only with its table.
  `
  CREATE TABLE users_anew (
    user_id INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, external_id TEXT NOT NULL,
    display_name TEXT NOT NULL, is_active INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
  ) STRICT;
  INSERT INTO users_anew SELECT * FROM users;
  DROP TABLE users;
  ALTER TABLE users_anew RENAME TO users;
  CREATE INDEX users_by_external_id ON users (external_id);
  CREATE INDEX users_by_update ON users (updated_at, user_id);

  CREATE TABLE earlier_points_configs (
    id TEXT PRIMARY KEY, fantasy_league_id INTEGER NOT NULL REFERENCES fantasy_leagues (id),
    settings TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  ALTER TABLE effects ADD COLUMN fault TEXT;

  CREATE INDEX game_weeks_by_start ON game_weeks (start_date);
  CREATE INDEX game_weeks_to_play ON game_weeks (end_date) WHERE is_played = 0;
  `,
  // The line-up of a squad holds from its game week until the next one that is kept; that after the substitutions of a week holds in that week alone.
  `
  CREATE TABLE lineups (
    number INTEGER PRIMARY KEY, squad INTEGER NOT NULL REFERENCES squads (number), game_week INTEGER NOT NULL,
    is_substituted INTEGER NOT NULL, bank REAL NOT NULL,
    UNIQUE (squad, is_substituted, game_week)
  ) STRICT;
  CREATE TABLE lineup_places (
    lineup INTEGER NOT NULL REFERENCES lineups (number), lineup_order INTEGER NOT NULL,
    player_id INTEGER NOT NULL REFERENCES players (id), is_starting INTEGER NOT NULL, is_captain INTEGER NOT NULL,
    is_vice_captain INTEGER NOT NULL, price_paid REAL NOT NULL,
    PRIMARY KEY (lineup, lineup_order)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO lineups SELECT number, number, first_week, 0,
    100 - (SELECT coalesce(sum(price_paid), 0) FROM squad_players WHERE squad = number) FROM squads;
  INSERT INTO lineup_places SELECT * FROM squad_players;
  INSERT INTO lineups SELECT NULL, s.number, w.game_week, 1, l.bank FROM squads s JOIN lineups l ON l.number = s.number
    JOIN processed_weeks w ON w.fantasy_league_id = s.fantasy_league_id AND w.game_week >= s.first_week;
  INSERT INTO lineup_places
    WITH seen AS (
      SELECT l.number, p.*, coalesce(w.minutes_played, 0) > 0 AS played,
        (SELECT max(a.number) FROM auto_substitutions a
         WHERE a.squad = l.squad AND a.game_week = l.game_week AND a.player_id = p.player_id) AS record
      FROM lineups l JOIN squad_players p ON p.squad = l.squad
      LEFT JOIN weekly_stats w ON w.player_id = p.player_id AND w.game_week = l.game_week WHERE l.is_substituted = 1
    ), passed AS (
      SELECT number FROM seen GROUP BY number
      HAVING max(is_captain AND NOT played) = 1 AND max(is_vice_captain AND played) = 1
    )
    SELECT s.number, coalesce(a.lineup_order, s.lineup_order), s.player_id, coalesce(a.is_starting, s.is_starting),
      iif(s.number IN (SELECT number FROM passed), s.is_vice_captain, s.is_captain),
      iif(s.number IN (SELECT number FROM passed), s.is_captain, s.is_vice_captain), s.price_paid
    FROM seen s LEFT JOIN auto_substitutions a ON a.number = s.record;
  DROP TABLE squad_players;

  CREATE TABLE transfers (
    number INTEGER PRIMARY KEY AUTOINCREMENT, squad INTEGER NOT NULL REFERENCES squads (number),
    game_week INTEGER NOT NULL REFERENCES game_weeks (number), player_out INTEGER NOT NULL REFERENCES players (id),
    player_in INTEGER NOT NULL REFERENCES players (id), sold_for REAL NOT NULL, bought_for REAL NOT NULL,
    is_hit INTEGER NOT NULL, created_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX transfers_by_squad ON transfers (squad, game_week);
  CREATE INDEX transfers_by_week ON transfers (game_week);
  CREATE TABLE chips_played (
    squad INTEGER NOT NULL REFERENCES squads (number), chip TEXT NOT NULL,
    game_week INTEGER NOT NULL REFERENCES game_weeks (number), created_at TEXT NOT NULL,
    PRIMARY KEY (squad, chip)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX chips_played_by_week ON chips_played (game_week);
  ALTER TABLE squad_weeks ADD COLUMN deduction INTEGER NOT NULL DEFAULT 0;

  CREATE TABLE corrections (
    number INTEGER PRIMARY KEY AUTOINCREMENT, game_week INTEGER NOT NULL REFERENCES game_weeks (number),
    player_id INTEGER NOT NULL REFERENCES players (id), before TEXT NOT NULL, after TEXT NOT NULL, created_at TEXT NOT NULL
  ) STRICT;
  ALTER TABLE game_weeks ADD COLUMN is_begun INTEGER NOT NULL DEFAULT 0;
  UPDATE game_weeks SET is_begun = is_played;
  `,
  // Who writes a squad or a mini league counts it.
  `
  DROP TRIGGER IF EXISTS squads_counted;
  DROP TRIGGER IF EXISTS mini_leagues_counted;
  `,
];

/** Brings `database` to the newest version, whole or not at all; throws for a database of a later version than this program knows. */
export function migrate(database: DatabaseSync): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
  if (version > MIGRATIONS.length) {
    throw new Error(`it was written by a newer version of teamsheet (format ${version})`);
  }
  // A table that others refer to can be made again only while nobody looks.
  database.exec('PRAGMA foreign_keys = OFF');
  for (const [index, sql] of MIGRATIONS.slice(version).entries()) {
    database.exec(`BEGIN; ${sql}; PRAGMA user_version = ${version + index + 1}; COMMIT`);
  }
  database.exec('PRAGMA foreign_keys = ON');
}
