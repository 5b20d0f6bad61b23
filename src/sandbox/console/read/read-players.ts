import type { Performance } from '../../game/match.ts';
import { toPerformance } from '../../game/stats.ts';
import { int, text, type Store } from '../../store/store.ts';
import { fullName, like, slice } from './slice.ts';

/** A player's part in a match. */
export interface Appearance extends Performance {
  readonly fixtureId: string;
  readonly clubId: number;
  readonly name: string;
}

/** Everybody who was on the pitch in a week. */
export function listAppearances(store: Store, week: number): readonly Appearance[] {
  return store.all(
    `SELECT w.*, p.position, p.club_id, p.first_name, p.last_name FROM weekly_stats w
     JOIN players p ON p.id = w.player_id WHERE w.game_week = ? AND w.minutes_played > 0
     ORDER BY w.games_started DESC, p.id`,
    [week],
    (row) => ({
      ...toPerformance(row),
      fixtureId: text(row, 'fixture_id'),
      clubId: int(row, 'club_id'),
      name: fullName(row),
    }),
  );
}

/** The clubs in the order of their names. */
export function listClubs(store: Store) {
  return store.all('SELECT id, name FROM clubs ORDER BY name', [], (row) => ({
    id: int(row, 'id'),
    name: text(row, 'name'),
  }));
}

/** What players are looked for by; empty or 0 asks for nothing. */
export interface PlayerSearch {
  /** A part of the name, or the id. */
  readonly name: string;
  readonly clubId: number;
  readonly position: string;
}

/** The players that a search finds, with their price in a league, the dearest first. */
export function listPlayers(store: Store, leagueId: number, search: PlayerSearch, page: number) {
  const asked = [
    byNameOrId(search.name),
    { sql: 'p.club_id = ?', value: search.clubId },
    { sql: 'p.position = ?', value: search.position },
  ].filter(({ value }) => value !== '' && value !== 0);
  const where = asked.map(({ sql }) => `AND ${sql}`).join(' ');
  const query = {
    select: 'p.id, p.club_id, coalesce(c.price, p.price) AS price_now',
    from: `players p LEFT JOIN prices c ON c.player_id = p.id AND c.fantasy_league_id = ? WHERE 1 = 1 ${where}`,
    order: 'price_now DESC, p.id',
  };
  return slice(store, query, [leagueId, ...asked.map(({ value }) => value)], page, (row) => ({
    id: int(row, 'id'),
    clubId: int(row, 'club_id'),
  }));
}

/** A text of digits is an id: no name has any. */
function byNameOrId(wanted: string) {
  return /^[1-9]\d{0,8}$/.test(wanted)
    ? { sql: 'p.id = ?', value: Number(wanted) }
    : { sql: "p.first_name || ' ' || p.last_name LIKE ? ESCAPE '\\'", value: wanted && like(wanted) };
}

/** What a player did in each week, in order. */
export function listPerformances(store: Store, playerId: number) {
  return store.all(
    `SELECT w.*, p.position, p.club_id FROM weekly_stats w JOIN players p ON p.id = w.player_id
     WHERE w.player_id = ? ORDER BY w.game_week`,
    [playerId],
    (row) => ({ week: int(row, 'game_week'), performance: toPerformance(row) }),
  );
}

/** The club of a player. */
export function clubOf(store: Store, playerId: number): number {
  return store.count('SELECT club_id AS n FROM players WHERE id = ?', playerId);
}
