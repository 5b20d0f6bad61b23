/** A squad as it played a week, with what its transfers of the next one are compared with. */
export interface PlayedSquad {
  readonly players: readonly string[];
  readonly chip: string | null | undefined;
  /** Its players before the week; undefined where they are not known. */
  readonly before: readonly string[] | undefined;
}

/** Who came and who went since the last week. */
interface Transfers {
  readonly playersIn: readonly string[];
  readonly playersOut: readonly string[];
}

/** After a free hit a squad is what it was before. The interface does not show the words of chips. */
export const isFreeHit = (chip: string | null | undefined): boolean => /free[\s_-]*hit/i.test(chip ?? '');

/** The players with whom a squad goes into the next week, before its transfers. */
const afterWeek = ({ players, chip, before }: PlayedSquad): readonly string[] | undefined =>
  isFreeHit(chip) ? before : players;

/** A squad in the week after `last`. */
export const playedSquad = (
  players: readonly string[],
  chip: string | null | undefined,
  last: PlayedSquad | undefined,
): PlayedSquad => ({ players, chip, before: last && afterWeek(last) });

/**
 * The transfers between two weeks that follow each other. Undefined where the players before them are not known, or where a squad is nearer to what it was before another chip: that may be a
 * free hit by another name.
 */
export function transfersSince(
  last: PlayedSquad | undefined,
  players: readonly string[] | undefined,
): Transfers | undefined {
  const then = last && afterWeek(last);
  if (then === undefined || players === undefined) return undefined;
  const playersIn = without(players, then);
  const isOther = (last?.chip ?? '') !== '' && !isFreeHit(last?.chip) && last?.before !== undefined;
  if (isOther && without(players, last.before).length < playersIn.length) return undefined;
  return { playersIn, playersOut: without(then, players) };
}

const without = (players: readonly string[], others: readonly string[]): readonly string[] => {
  const known = new Set(others);
  return [...new Set(players)].filter((player) => !known.has(player));
};
