import { byName } from '../../contract/by-name.ts';
import { COUNTERS, type Performance } from './match.ts';
import { POSITIONS, type Position } from './season.ts';
import { int, text, type Row, type Store } from '../store/store.ts';

/** A position column. */
export function position(row: Row): Position {
  const name = text(row, 'position');
  return POSITIONS.find((known) => known === name) ?? 'MID';
}

/** A row of weekly_stats joined with its player's position. */
export function toPerformance(row: Row): Performance {
  return {
    playerId: int(row, 'player_id'),
    position: position(row),
    ...byName(COUNTERS, (name) => int(row, name)),
  };
}

/** The player of a log's record. */
export const playerOf = (row: Row) => ({
  id: int(row, 'player_id'),
  first_name: text(row, 'first_name'),
  last_name: text(row, 'last_name'),
});

/** What each player who was on the pitch did in a week, by player id; empty before the week is played. */
export function readPerformances(store: Store, week: number): ReadonlyMap<number, Performance> {
  const rows = store.all(
    `SELECT s.*, p.position FROM weekly_stats s JOIN players p ON p.id = s.player_id
     WHERE s.game_week = ? AND s.minutes_played > 0`,
    [week],
    toPerformance,
  );
  return new Map(rows.map((performance) => [performance.playerId, performance]));
}
