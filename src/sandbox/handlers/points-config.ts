import { randomUUID } from 'node:crypto';
import type { Handler } from '../context.ts';
import { settleSeason } from '../settle.ts';
import { checkSize, unknownId } from '../refusal.ts';
import type { Scoring } from '../scoring.ts';
import { int, text } from '../store.ts';
import type { Store } from '../store.ts';
import { requireLeague } from '../leagues.ts';

/** The points configuration with this id, or of this fantasy league, or undefined (section 2.9). */
export function readPointsConfig(store: Store, by: 'id' | 'fantasy_league_id', value: string | number) {
  return store.get(`SELECT * FROM points_configs WHERE ${by} = ?`, [value], (row) => ({
    id: text(row, 'id'),
    fantasy_league_id: int(row, 'fantasy_league_id'),
    // The column is only ever written from a validated body.
    ...(JSON.parse(text(row, 'settings')) as Scoring),
    created_at: text(row, 'created_at'),
    updated_at: text(row, 'updated_at'),
  }));
}

/** Replaces what the league has: the same id, a new updated_at, and the points of all played weeks are computed anew. */
export const setPointsConfig: Handler<'set-points-config'> = ({ store, season }, { body }) => {
  const { fantasy_league_id: leagueId, ...settings } = body;
  requireLeague(store, 'fantasy_league_id', leagueId);
  for (const [name, value] of Object.entries(settings)) checkSize(name, value);
  const now = season.now();
  writePointsConfig(store, leagueId, randomUUID(), settings, now);
  const data = readPointsConfig(store, 'fantasy_league_id', leagueId);
  if (data === undefined) throw unknownId('fantasy_league_id', 'points configuration', leagueId);
  return { message: 'Points configuration saved', data };
};

/** Writes a configuration, under `id` when the league has none yet. */
export function writePointsConfig(
  store: Store,
  leagueId: number,
  id: string,
  settings: Scoring,
  now: string,
): void {
  store.run(
    `INSERT INTO points_configs VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (fantasy_league_id) DO UPDATE SET settings = excluded.settings, updated_at = excluded.updated_at`,
    ...[leagueId, id, JSON.stringify(settings), now, now],
  );
  settleSeason(store, leagueId);
}

/** By the configuration's own id. */
export const getPointsConfig: Handler<'get-points-config'> = ({ store }, { id }) => {
  const data = readPointsConfig(store, 'id', id.toLowerCase());
  if (data === undefined) throw unknownId('id', 'points configuration', id);
  return { message: 'Points configuration', data };
};
