import type { Lineup } from '../contract/resources/lineups.ts';
import { positionOf, type Rules } from '../rules/rules.ts';
import type { Place } from '../rules/substitutions.ts';

/** A line-up as it was read once. */
export interface LineupReading {
  readonly readAtMs: number;
  readonly record: Lineup;
}

/** The line-up of a squad in a week, as far as it was kept before and after its automatic substitutions. */
export interface WeekLineups {
  /** The line-up as it was shown last. */
  readonly latest?: Lineup;
  /** It where that was not before the week began, when its owner could still change it. */
  readonly fixed?: Lineup;
  /** It before the substitutions. */
  readonly before?: Lineup;
  /** It after them. */
  readonly after?: Lineup;
}

/** What is known of the times of a week; NaN and what is left out is not. */
export interface WeekTimes {
  /** The week begins: owners change its line-up until then. */
  readonly beginsMs?: number | undefined;
  /** No substitution of it is made before. */
  readonly overMs?: number | undefined;
  /** Its substitutions were known to be processed. */
  readonly processedMs?: number | undefined;
  /** They were triggered: what was asked for before shows none of them. */
  readonly triggeredMs?: number | undefined;
}

/**
 * Which of the line-ups kept of a squad in one week is the one before its substitutions. The one that was shown last is, where it was read too early to be another: owners change line-ups of
 * weeks to come, and one that was read before the week began may have been changed since. Else it is the one after them, where another one was shown before or it was read after `processedMs`. Nothing is made of a line-up alone that may be either.
 */
export function weekLineups(
  readings: readonly LineupReading[],
  { beginsMs, overMs, processedMs = Infinity, triggeredMs }: WeekTimes,
): WeekLineups {
  const sorted = readings.toSorted((one, other) => other.readAtMs - one.readAtMs);
  if (sorted[0] === undefined) return {};
  const latest = sorted[0].record;
  const [last, before] = sorted.filter(({ readAtMs }) => !(readAtMs < (beginsMs ?? Number.NaN)));
  if (last === undefined) return { latest };
  const shown = { latest, fixed: latest };
  if ([overMs, triggeredMs].some((atMs = Number.NaN) => last.readAtMs < atMs))
    return { ...shown, before: latest };
  if (before !== undefined) return { ...shown, before: before.record, after: latest };
  return { ...shown, ...(last.readAtMs > processedMs && { after: latest }) };
}

/** The entries of a line-up, the eleven before the bench. */
export const entriesOf = ({ squad }: Lineup) => [
  ...(squad?.starting_xi ?? []).map((entry) => ({ entry, isStarting: true })),
  ...(squad?.bench ?? []).map((entry) => ({ entry, isStarting: false })),
];

/** Whether each player starts, by the player's id. */
export const startsOf = (lineup: Lineup): ReadonlyMap<string, boolean> =>
  new Map(entriesOf(lineup).map(({ entry, isStarting }) => [entry.player?.id ?? '', isStarting]));

/** Who is captain by the flags of a line-up; undefined where it does not say one. */
export function captainOf(lineup: Lineup): string | undefined {
  const captains = entriesOf(lineup).filter(({ entry }) => entry.is_captain === true);
  return captains.length === 1 ? (captains[0]?.entry.player?.id ?? undefined) : undefined;
}

/** A line-up as the rules take it; `minutes` holds the minutes of the week by player. */
export function placesOf(
  lineup: Lineup,
  rules: Pick<Rules, 'positions'>,
  minutes: ReadonlyMap<string, number>,
): readonly Place[] {
  return entriesOf(lineup).map(({ entry, isStarting }, index) => {
    const player = entry.player?.id ?? '';
    return {
      player,
      order: index + 1,
      isStarting,
      isCaptain: entry.is_captain === true,
      isViceCaptain: entry.is_vice_captain === true,
      position: positionOf(rules, [entry.position?.position, entry.position?.abbrevation]),
      minutes: minutes.get(player),
    };
  });
}
