import { byPosition, type Position } from './season.ts';

/** A player to be placed. */
interface Candidate {
  readonly playerId: number;
  readonly position: Position;
  readonly price: number;
}

/** A player's place in a line-up: orders 1 to 11 start, the bench follows. */
export interface Place {
  readonly playerId: number;
  readonly position: Position;
  readonly order: number;
  readonly isStarting: boolean;
  readonly isCaptain: boolean;
  readonly isViceCaptain: boolean;
}

/** The fewest of each position that a legal line-up starts. */
export const FEWEST: Readonly<Record<Position, number>> = { GK: 1, DEF: 3, MID: 2, FWD: 1 };
/** The most of each position that a legal line-up starts. */
export const MOST: Readonly<Record<Position, number>> = { GK: 1, DEF: 5, MID: 5, FWD: 3 };
const STARTERS = 11;

/**
 * The line-up of a squad, as legal as its players permit and of the dearest of them: one goalkeeper, three defenders, two midfielders and a forward,
 * then the dearest others, at most 5/5/3 unless there is nobody else; of two that cost the same the one given first. Starters stand by position, the
 * bench with its goalkeepers first, each in the given order. The dearest starter is captain, the next vice-captain.
 */
export function pickLineup(squad: readonly Candidate[]): readonly Place[] {
  const dearestFirst = squad.toSorted((one, other) => other.price - one.price);
  const starting = new Set<Candidate>();
  const fill = (limit: Readonly<Record<Position, number>>): void => {
    const count = { GK: 0, DEF: 0, MID: 0, FWD: 0 };
    for (const candidate of starting) count[candidate.position] += 1;
    for (const candidate of dearestFirst) {
      if (starting.has(candidate) || starting.size >= STARTERS) continue;
      if (count[candidate.position] >= limit[candidate.position]) continue;
      count[candidate.position] += 1;
      starting.add(candidate);
    }
  };
  fill(FEWEST);
  fill(MOST);
  fill({ GK: 1, DEF: STARTERS, MID: STARTERS, FWD: STARTERS });
  const eleven = squad.filter((candidate) => starting.has(candidate)).toSorted(byPosition);
  const bench = squad
    .filter((candidate) => !starting.has(candidate))
    .toSorted((one, other) => Number(other.position === 'GK') - Number(one.position === 'GK'));
  const [captain, viceCaptain] = dearestFirst.filter((candidate) => starting.has(candidate));
  return [...eleven, ...bench].map((candidate, index) => ({
    playerId: candidate.playerId,
    position: candidate.position,
    order: index + 1,
    isStarting: index < eleven.length,
    isCaptain: candidate === captain,
    isViceCaptain: candidate === viceCaptain,
  }));
}
