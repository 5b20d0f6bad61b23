import type { DatabaseSync } from 'node:sqlite';
import type { MappingName } from './tables.ts';

/** What the service has of one mapping, in terms of the tables: sorted lines, one for each record, so that what is there twice stands there twice. */
export type Facts = Readonly<Record<MappingName, readonly string[]>>;

const QUERIES: Readonly<Record<MappingName, string>> = {
  users: `SELECT external_id || ' ' || display_name || ' ' || is_active AS line FROM users`,
  leagues: `SELECT name AS line FROM fantasy_leagues`,
  minis: `SELECT l.name || '/' || m.name AS line FROM mini_leagues m JOIN fantasy_leagues l ON l.id = m.fantasy_league_id`,
  squads: `SELECT l.name || '/' || u.external_id || '/' || s.name || ' ' ||
    (SELECT group_concat(p.player_id, ';') FROM (SELECT lp.player_id FROM lineups i JOIN lineup_places lp ON lp.lineup = i.number
      WHERE i.squad = s.number AND i.game_week = s.first_week AND i.is_substituted = 0 ORDER BY lp.player_id) p) AS line
    FROM squads s JOIN users u ON u.user_id = s.user_id JOIN fantasy_leagues l ON l.id = s.fantasy_league_id`,
  prices: `SELECT fantasy_league_id || '/' || player_id || ' ' || price AS line FROM price_records`,
  points: `SELECT fantasy_league_id || ' ' || settings AS line FROM points_configs
    UNION ALL SELECT fantasy_league_id || ' ' || settings FROM earlier_points_configs`,
  triggers: `SELECT fantasy_league_id || '/' || game_week AS line FROM processed_weeks`,
};

/** What the service has, whatever it shows. */
export function readFacts(database: DatabaseSync): Facts {
  const lines = (sql: string): readonly string[] =>
    database
      .prepare(sql)
      .all()
      .map(({ line }) => String(line))
      .toSorted();
  return Object.fromEntries(Object.entries(QUERIES).map(([name, sql]) => [name, lines(sql)])) as Record<
    MappingName,
    readonly string[]
  >;
}

/** One write that changed something. */
export interface Effect {
  readonly operation: string;
  readonly digest: string;
}

/** The writes that changed something, in order. */
export function readEffects(database: DatabaseSync): readonly Effect[] {
  return database
    .prepare('SELECT operation, body_sha256 FROM effects ORDER BY number')
    .all()
    .map((row) => ({ operation: String(row['operation']), digest: String(row['body_sha256']) }));
}
