/** The positions that rules speak of, in the order of a line-up. */
export const POSITIONS = ['GK', 'DEF', 'MID', 'FWD'] as const;
export type Position = (typeof POSITIONS)[number];

/** What a squad may hold, and what is done where it does not. */
export interface SquadRules {
  readonly size: number;
  /** Exactly so many of each. */
  readonly positions: Readonly<Record<Position, number>>;
  /** The most players of one club. */
  readonly perClub: number;
  /** The most that all players may cost together, in the unit of prices. */
  readonly budget: number;
  readonly check: 'off' | 'warn' | 'refuse';
}

/** What audits, previews and squad checks go by (season.md, section 1). */
export interface Rules {
  readonly squad: SquadRules;
  /** The fewest and the most of each position among those who start. */
  readonly eleven: Readonly<Record<Position, readonly [fewest: number, most: number]>>;
  /** The service's words for positions, beside the common ones. */
  readonly positions: Readonly<Record<string, Position>>;
}

/** The rules in public use. */
export const PUBLIC_RULES: Rules = {
  squad: {
    size: 15,
    positions: { GK: 2, DEF: 5, MID: 5, FWD: 3 },
    perClub: 3,
    budget: 100,
    check: 'warn',
  },
  eleven: { GK: [1, 1], DEF: [3, 5], MID: [2, 5], FWD: [1, 3] },
  positions: {},
};

/** Words that name one position and no other, in small letters. */
const COMMON: Readonly<Record<string, Position>> = {
  gk: 'GK',
  gkp: 'GK',
  goalkeeper: 'GK',
  def: 'DEF',
  defender: 'DEF',
  mid: 'MID',
  midfielder: 'MID',
  fwd: 'FWD',
  forward: 'FWD',
};

/**
 * The position that the service's words mean; undefined where none of them is known, or where they contradict each other. The words are not shown by the interface:
 * those of the rules come first, then the common ones, in any case of their letters.
 */
export function positionOf(
  { positions }: Pick<Rules, 'positions'>,
  words: readonly (string | null | undefined)[],
): Position | undefined {
  const known = new Map(Object.entries(COMMON));
  for (const [word, position] of Object.entries(positions)) known.set(word.trim().toLowerCase(), position);
  const found = new Set(words.flatMap((word) => known.get((word ?? '').trim().toLowerCase()) ?? []));
  const [only] = found;
  return found.size === 1 ? only : undefined;
}
