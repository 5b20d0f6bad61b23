/** A squad in one week, and what the week added to its total; null is what is not known. */
interface WonInWeek {
  readonly id: string;
  readonly total: number | null;
  readonly won: number | null;
  /** Its points, which stand in for `won` where nobody knows whether transfers cost more. */
  readonly points?: number | null;
}

/** Whether every week of a season counts for a member of a group. */
export const isWholeSeason = (fromWeek: number | undefined): boolean => (fromWeek ?? 1) <= 1;

/** What squads had before the first weeks of groups, by the squad's id: what counts for a group is what was won since. Weeks of it that were not read count too. */
export class PointsBefore {
  readonly #totals: ReadonlyMap<number, Map<string, number>>;
  readonly #seen = new Set<string>();

  constructor(firstWeeks: readonly (number | undefined)[]) {
    const weeks = firstWeeks.filter((week) => week !== undefined);
    this.#totals = new Map(weeks.map((week) => [week, new Map()]));
  }

  /** Takes the squads of a week; weeks come in their order. */
  add(week = Number.NaN, squads: readonly WonInWeek[]): void {
    const isFirst = this.#seen.size === 0;
    for (const [from, totals] of this.#totals) {
      for (const { id, total, won, points = null } of squads) {
        if (total === null) continue;
        const own = won ?? points;
        // The week before was not read, or the squad was made since.
        const isOwn = week === from || (week > from && !isFirst && !this.#seen.has(id));
        if (week === from - 1) totals.set(id, total);
        // Points of weeks before may be put right until the first week is over: its own total has that in it.
        else if (week === from && won !== null) totals.set(id, total - won);
        else if (isOwn && !totals.has(id) && own !== null) totals.set(id, total - own);
      }
    }
    for (const { id } of squads) this.#seen.add(id);
  }

  /** Null where it is not known. */
  pointsSince(fromWeek: number | undefined, id: string, total: number | null): number | null {
    if (isWholeSeason(fromWeek) || total === null) return total;
    const before = this.#totals.get(fromWeek ?? 1)?.get(id);
    return before === undefined ? null : total - before;
  }
}
