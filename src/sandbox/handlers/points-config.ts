import { randomUUID } from 'node:crypto';
import type { Context, Handler } from '../context.ts';
import { settleSeason } from '../game/settle.ts';
import { Refusal, checkSize, numberOfId, unknownId } from '../refusal.ts';
import type { Scoring } from '../game/scoring.ts';
import { int, text, type Row, type Store } from '../store/store.ts';
import { requireLeague } from '../game/leagues.ts';

/** The points configuration with this id, or of this fantasy league, or undefined (section 2.9). */
export function readPointsConfig(store: Store, by: 'id' | 'fantasy_league_id', value: string | number) {
  return store.get(`SELECT * FROM points_configs WHERE ${by} = ?`, [value], toPointsConfig);
}

function toPointsConfig(row: Row) {
  return {
    id: text(row, 'id'),
    fantasy_league_id: int(row, 'fantasy_league_id'),
    // The column is only ever written from a validated body.
    ...(JSON.parse(text(row, 'settings')) as Scoring),
    created_at: text(row, 'created_at'),
    updated_at: text(row, 'updated_at'),
  };
}

/** Replaces what the league has: the same id, a new updated_at, and the points of all played weeks are computed again. */
export const setPointsConfig: Handler<'set-points-config'> = (context, { body }) => {
  const { store, season } = context;
  const { fantasy_league_id: leagueId, ...settings } = body;
  requireLeague(store, 'fantasy_league_id', leagueId);
  for (const [name, value] of Object.entries(settings)) checkSize(name, value);
  const now = season.now();
  makeWay(context, leagueId);
  writePointsConfig(store, leagueId, randomUUID(), settings, now);
  const data = readPointsConfig(store, 'fantasy_league_id', leagueId);
  if (data === undefined) throw unknownId('fantasy_league_id', 'points configuration', leagueId);
  return { message: 'Points configuration saved', data };
};

/** What becomes of the configuration that a league has when another one comes. */
function makeWay({ store, settings }: Context, leagueId: number): void {
  if (settings.points_config_again === 'replace') return;
  const before = readPointsConfig(store, 'fantasy_league_id', leagueId);
  if (before === undefined) return;
  if (settings.points_config_again === 'conflict') {
    throw new Refusal(409, `fantasy_league_id: league ${leagueId} has a points configuration already`);
  }
  store.run(
    `INSERT INTO earlier_points_configs SELECT id, fantasy_league_id, settings, created_at, updated_at
     FROM points_configs WHERE fantasy_league_id = ?`,
    leagueId,
  );
  store.run('DELETE FROM points_configs WHERE fantasy_league_id = ?', leagueId);
}

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
  settleSeason(store, leagueId, now);
}

/** By the configuration's own id, or the league's, as the settings have it. */
export const getPointsConfig: Handler<'get-points-config'> = ({ store, settings }, { id }) => {
  const data =
    (settings.points_config_id === 'league' ? undefined : byOwnId(store, id.toLowerCase())) ??
    (settings.points_config_id === 'own'
      ? undefined
      : readPointsConfig(store, 'fantasy_league_id', numberOfId(id)));
  if (data === undefined) throw unknownId('id', 'points configuration', id);
  return { message: 'Points configuration', data };
};

function byOwnId(store: Store, id: string) {
  const earlier = 'SELECT * FROM earlier_points_configs WHERE id = ?';
  return readPointsConfig(store, 'id', id) ?? store.get(earlier, [id], toPointsConfig);
}
