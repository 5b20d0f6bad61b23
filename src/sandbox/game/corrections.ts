import { Refusal } from '../refusal.ts';
import { COUNTERS, type Counter } from './match.ts';
import { toPerformance } from './stats.ts';
import { int, text, type Store } from '../store/store.ts';

/** The counters that change, as they are meant to be. */
export type Counters = { readonly [Name in Counter]?: number | undefined };

/** What a player did in a week and what it is corrected to. */
interface Correction {
  readonly week: number;
  readonly playerId: number;
  readonly counters: Counters;
  readonly now: string;
}

/**
 * Corrects what a player did in a played week, and keeps both; the points of the week are to be settled again then. Returns what has changed.
 * @throws Refusal 404 when nothing is known of the player in that week, 400 without a counter.
 */
export function correct(store: Store, { week, playerId, counters, now }: Correction) {
  const stat = store.get(
    `SELECT s.*, p.position FROM weekly_stats s JOIN players p ON p.id = s.player_id
     WHERE s.player_id = ? AND s.game_week = ?`,
    [playerId, week],
    toPerformance,
  );
  if (stat === undefined) {
    throw new Refusal(404, `player_id: player ${playerId} has no statistics in game week ${week}`);
  }
  const given = COUNTERS.flatMap((name): readonly (readonly [Counter, number])[] => {
    const value = counters[name];
    return value === undefined ? [] : [[name, value]];
  });
  if (given.length === 0)
    throw new Refusal(400, `body: names no counter; give one or more of ${COUNTERS.join(', ')}`);
  const after = Object.fromEntries(given);
  const before = Object.fromEntries(given.map(([name]) => [name, stat[name]]));
  store.run(
    `UPDATE weekly_stats SET ${given.map(([name]) => `${name} = ?`).join(', ')} WHERE player_id = ? AND game_week = ?`,
    ...[...given.map(([, value]) => value), playerId, week],
  );
  store.run(
    'INSERT INTO corrections VALUES (NULL, ?, ?, ?, ?, ?)',
    ...[week, playerId, JSON.stringify(before), JSON.stringify(after), now],
  );
  return { game_week: week, player_id: playerId, before, after, created_at: now };
}

/** The corrections of a week in order, or of all weeks. */
export function listCorrections(store: Store, week: number | undefined) {
  return store.all(
    'SELECT * FROM corrections WHERE game_week BETWEEN ? AND ? ORDER BY number',
    [week ?? 0, week ?? Number.MAX_SAFE_INTEGER],
    (row) => ({
      game_week: int(row, 'game_week'),
      player_id: int(row, 'player_id'),
      // Both columns are only ever written by correct.
      before: JSON.parse(text(row, 'before')) as Counters,
      after: JSON.parse(text(row, 'after')) as Counters,
      created_at: text(row, 'created_at'),
    }),
  );
}
