import type { LoggedPair } from './pairs.ts';
import { captainOf, entriesOf, type WeekLineups } from './week-lineups.ts';

/** The armband is not where the rules want it. */
export interface ArmbandDifference {
  readonly kind: 'armband';
  readonly expected: string;
  readonly found: string | undefined;
}

interface Worn {
  readonly lineups: WeekLineups;
  readonly logged: readonly LoggedPair[];
  /** Who should have it afterwards, where that is known. */
  readonly expected: string | undefined;
}

/** What the flags of captains mean, which the interface does not say. */
export interface Armbands {
  /** The flags of a line-up go with the armband that is handed on. */
  readonly lineupsMove: boolean;
  /** The flags of the log are those afterwards. */
  readonly logIsAfter: boolean;
}

/** Learns from squads whose captain handed the armband on; what most of them show counts. */
export function learnArmbands(squads: readonly Worn[]): Armbands {
  let [moved, logAfter, logBefore] = [0, 0, 0];
  for (const { lineups, logged, expected } of squads) {
    const was = lineups.before && captainOf(lineups.before);
    const is = lineups.after && captainOf(lineups.after);
    if (was === undefined || expected === undefined || was === expected) continue;
    if (is === expected) moved += 1;
    for (const [player, flag] of flagsOf(logged)) {
      if (player !== was && player !== expected) continue;
      if (flag === (player === expected)) logAfter += 1;
      else logBefore += 1;
    }
  }
  return { lineupsMove: moved > 0, logIsAfter: logAfter > logBefore };
}

/** The flags of captains in the log, by player. */
const flagsOf = (logged: readonly LoggedPair[]): readonly (readonly [string, boolean])[] =>
  logged
    .flatMap((pair) => pair.records)
    .flatMap(({ player, is_captain: flag }) =>
      typeof flag === 'boolean' ? [[String(player?.id ?? ''), flag] as const] : [],
    );

/**
 * Whether the armband is where the rules want it, by the flags of the log and of the line-up afterwards where they go with it, and by whose points count double. `unknown` where nothing
 * shows it; nobody is expected to have it where neither captain nor vice-captain played.
 */
export function armbandDifference(
  expected: string | undefined,
  { lineups: { before, after, fixed }, logged }: Omit<Worn, 'expected'>,
  points: ReadonlyMap<string, number>,
  { lineupsMove, logIsAfter }: Armbands,
): 'right' | 'unknown' | ArmbandDifference {
  if (expected === undefined) return 'right';
  if (logIsAfter) {
    const wrong = flagsOf(logged).find(([player, flag]) => flag !== (player === expected));
    if (wrong !== undefined) return { kind: 'armband', expected, found: wrong[1] ? wrong[0] : undefined };
  }
  // Nobody hands the armband on where who should have it had it before, and nothing else is shown.
  if (after === undefined && before !== undefined && captainOf(before) === expected) return 'right';
  // Without substitutions the line-up that was shown last may be the one afterwards.
  const shown = after ?? (logged.length === 0 ? fixed : undefined);
  if (shown === undefined) return 'unknown';
  const found = captainOf(shown);
  if (found === expected) return 'right';
  if (after !== undefined && lineupsMove) return { kind: 'armband', expected, found };
  const doubled = countsDouble(expected, shown, points);
  if (doubled === true) return 'right';
  // A line-up that may still be the one before, and points that show nothing, leave it open.
  return after === undefined || doubled === undefined ? 'unknown' : { kind: 'armband', expected, found };
}

/** Whether the points of a player count more than once in a line-up; undefined where they cannot show it. */
function countsDouble(
  player: string,
  lineup: NonNullable<WeekLineups['after']>,
  points: ReadonlyMap<string, number>,
): boolean | undefined {
  const own = points.get(player);
  const entry = entriesOf(lineup).find((each) => each.entry.player?.id === player)?.entry;
  if (own === undefined || own === 0 || typeof entry?.points !== 'number') return undefined;
  return entry.points / own > 1;
}
