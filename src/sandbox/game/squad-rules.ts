import { SQUAD_CONFIG } from './leagues.ts';
import type { MarketPlayer } from './market.ts';
import { Refusal } from '../refusal.ts';
import { POSITIONS } from './season.ts';
import { position } from './stats.ts';
import { int, type Store } from '../store/store.ts';

/**
 * Checks a squad by the rules that a fantasy league shows as its squad_config; `bank` is the money that it leaves.
 * @throws Refusal 400 with the first rule that it breaks, and the players.
 */
export function checkSquad(field: string, players: readonly MarketPlayer[], bank: number): void {
  const { squad_size, budget, max_per_club, positions } = SQUAD_CONFIG;
  const idsOf = (some: readonly MarketPlayer[]): string => some.map(({ playerId }) => playerId).join(', ');
  if (players.length !== squad_size) {
    throw new Refusal(400, `${field}: ${players.length} players, and a squad has ${squad_size}`);
  }
  for (const position of POSITIONS) {
    const own = players.filter((player) => player.position === position);
    if (own.length === positions[position]) continue;
    const wanted = POSITIONS.map((one) => `${positions[one]} ${one}`).join(', ');
    throw new Refusal(400, `${field}: ${own.length} ${position} (${idsOf(own)}), and a squad has ${wanted}`);
  }
  for (const [club, own] of Map.groupBy(players, (player) => player.club)) {
    if (own.length <= max_per_club) continue;
    throw new Refusal(
      400,
      `${field}: ${own.length} of ${club} (${idsOf(own)}), and a squad has at most ${max_per_club} of a club`,
    );
  }
  // Sums of decimals are not exact.
  if (bank > -1e-6) return;
  throw new Refusal(
    400,
    `${field}: ${(-bank).toFixed(1)} more than the budget of ${budget} allows; choose cheaper players`,
  );
}

/** The cheapest players that a squad of the public game may hold, by id. */
export function legalSquad(store: Store): readonly number[] {
  const { positions, max_per_club } = SQUAD_CONFIG;
  const chosen: { readonly id: number; readonly club: number; readonly place: keyof typeof positions }[] = [];
  const players = store.all('SELECT id, club_id, position FROM players ORDER BY price, id', [], (row) => ({
    id: int(row, 'id'),
    club: int(row, 'club_id'),
    place: position(row),
  }));
  for (const player of players) {
    const isFree =
      chosen.filter(({ place }) => place === player.place).length < positions[player.place] &&
      chosen.filter(({ club }) => club === player.club).length < max_per_club;
    if (isFree) chosen.push(player);
  }
  return chosen.map(({ id }) => id);
}
