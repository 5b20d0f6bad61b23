import { POSITIONS, type Position, type Rules } from './rules.ts';

/** How many of each position start. */
export type Formation = Readonly<Record<Position, number>>;

export function formationOf(positions: readonly Position[]): Formation {
  const count = { GK: 0, DEF: 0, MID: 0, FWD: 0 };
  for (const position of positions) count[position] += 1;
  return count;
}

/** Whether the rules allow one player for another. Players of one position may always change places, so that a formation which is not allowed gets no worse. */
export function keepsFormation(
  eleven: Rules['eleven'],
  formation: Formation,
  out: Position,
  into: Position,
): boolean {
  if (out === into) return true;
  return formation[out] - 1 >= eleven[out][0] && formation[into] + 1 <= eleven[into][1];
}

/** The positions of which too few or too many start. */
export function brokenPositions(eleven: Rules['eleven'], formation: Formation): readonly Position[] {
  return POSITIONS.filter((each) => formation[each] < eleven[each][0] || formation[each] > eleven[each][1]);
}
