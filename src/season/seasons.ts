import type { GameWeek } from './game-week.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Weeks of one season do not lie further apart where their numbers begin anew. */
export const BREAK_MS = 30 * DAY_MS;
/** They never do, however few of them are remembered. */
const HALF_A_YEAR_MS = 180 * DAY_MS;

/** Game weeks by their seasons, in their order: a new season begins with a smaller number after a break, or after a long one. `weeks` are in the order of their start. */
export function seasonsOf<Week extends { readonly week: GameWeek }>(
  weeks: readonly Week[],
): readonly (readonly Week[])[] {
  const seasons: Week[][] = [];
  for (const [at, each] of weeks.entries()) {
    const before = weeks[at - 1]?.week;
    if (before === undefined || beginsSeason(before, each.week)) seasons.push([each]);
    else seasons.at(-1)?.push(each);
  }
  return seasons;
}

function beginsSeason(before: GameWeek, week: GameWeek): boolean {
  const isSmaller = week.number !== undefined && before.number !== undefined && week.number <= before.number;
  return week.startMs - before.startMs > (isSmaller ? BREAK_MS : HALF_A_YEAR_MS);
}

/** The game weeks of the season that began last. */
export const newestSeason = <Week extends { readonly week: GameWeek }>(
  weeks: readonly Week[],
): readonly Week[] => seasonsOf(weeks).at(-1) ?? [];

/** The number of each week for people: its own, or its place where a week has none or two have the same. */
export function pageNumbers(weeks: readonly { readonly week: GameWeek }[]): readonly number[] {
  const own = weeks.map(({ week }) => week.number);
  const isPlain = own.every((number) => number !== undefined) && new Set(own).size === own.length;
  return own.map((number, at) => (isPlain ? (number ?? 0) : at + 1));
}
