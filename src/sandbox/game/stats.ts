import type { Performance } from './match.ts';
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
    games_started: int(row, 'games_started'),
    minutes_played: int(row, 'minutes_played'),
    goals: int(row, 'goals'),
    assists: int(row, 'assists'),
    clean_sheets: int(row, 'clean_sheets'),
    goals_conceded: int(row, 'goals_conceded'),
    own_goals: int(row, 'own_goals'),
    saves: int(row, 'saves'),
    penalty_saves: int(row, 'penalty_saves'),
    penalty_missed: int(row, 'penalty_missed'),
    yellow_cards: int(row, 'yellow_cards'),
    red_cards: int(row, 'red_cards'),
    bonus_points: int(row, 'bonus_points'),
    bonus_points_scores: int(row, 'bonus_points_scores'),
  };
}

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
