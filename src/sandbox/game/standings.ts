import { int, text, type Store } from '../store/store.ts';

/** Which squads and weeks a table of ranks counts. */
export interface Standing {
  readonly leagueId: number;
  readonly fromWeek: number;
  readonly toWeek: number;
}

/**
 * The squads of a fantasy league by their points in the given weeks, best first, `limit` of them from `offset` on. Squads with equal points share a
 * rank and stand in the order of their creation; the next rank leaves out as many as share.
 */
export function readStandings(store: Store, standing: Standing, offset: number, limit: number) {
  return store.all(
    `SELECT s.id, s.name, u.external_id, coalesce(sum(w.points), 0) AS points, rank() OVER (ORDER BY coalesce(sum(w.points), 0) DESC) AS place
     FROM squads s JOIN users u ON u.user_id = s.user_id
     LEFT JOIN squad_weeks w ON w.squad = s.number AND w.game_week BETWEEN ? AND ?
     WHERE s.fantasy_league_id = ? GROUP BY s.number ORDER BY points DESC, s.number LIMIT ? OFFSET ?`,
    [standing.fromWeek, standing.toWeek, standing.leagueId, limit, offset],
    (row) => ({
      rank: int(row, 'place'),
      points: int(row, 'points'),
      squad: { id: text(row, 'id'), name: text(row, 'name') },
      external_id: text(row, 'external_id'),
    }),
  );
}
