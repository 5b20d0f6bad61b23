import { SQUAD_CONFIG } from './leagues.ts';
import type { MarketPlayer } from './market.ts';
import { Refusal } from '../refusal.ts';
import { POSITIONS } from './season.ts';

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
