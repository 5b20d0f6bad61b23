import { numberOfId, unknownId } from '../refusal.ts';
import { int, text, type Store } from '../store/store.ts';

/** What a squad of the public game may hold; the interface does not say, so POST /squad does not ask for it. */
export const SQUAD_CONFIG = {
  squad_size: 15,
  budget: 100,
  max_per_club: 3,
  positions: { GK: 2, DEF: 5, MID: 5, FWD: 3 },
} as const;

/** Name and id of a fantasy league. @throws Refusal 404 naming `field` when there is none. */
export function requireLeague(store: Store, field: string, id: string | number) {
  const league = store.get('SELECT id, name FROM fantasy_leagues WHERE id = ?', [numberOfId(id)], (row) => ({
    id: int(row, 'id'),
    name: text(row, 'name'),
  }));
  if (league === undefined) throw unknownId(field, 'fantasy league', id);
  return league;
}

/** Counts a squad or a mini league that was made in a fantasy league. */
export function countInLeague(store: Store, leagueId: number, what: 'squads' | 'mini_leagues'): void {
  store.run(`UPDATE fantasy_leagues SET ${what} = ${what} + 1 WHERE id = ?`, leagueId);
}

/** Makes a fantasy league and returns its id. */
export function writeFantasyLeague(store: Store, name: string, now: string): number {
  return store.run(
    'INSERT INTO fantasy_leagues (name, created_at, updated_at) VALUES (?, ?, ?)',
    name,
    now,
    now,
  );
}
