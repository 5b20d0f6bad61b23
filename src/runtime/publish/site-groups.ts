import { isWholeSeason } from '../../season/standings.ts';
import type { SiteGroup, SiteSquad, SquadWeek } from '../../pages/site/values.ts';
import type { WeekValues } from '../../season/week-values.ts';
import { wonIn, type HitsInPoints } from '../../season/totals.ts';
import { nameOf, type SquadNames } from './shown-weeks.ts';

/** One of the operator's own groups. */
export interface Group {
  readonly name: string;
  /** The first game week that counts for each member, by the member's id; undefined where all do. */
  readonly members: ReadonlyMap<string, number | undefined>;
}

/**
 * The tables of the groups: by the points since the week from which a member counts, the most first; equal points are one place. Who is hidden has a place that is missing. `weeks` have
 * everybody, `squads` and `names` those who are shown.
 */
export function groupTables(
  squads: readonly SiteSquad[],
  weeks: readonly WeekValues[],
  {
    groups,
    names,
    hits,
  }: { readonly groups: readonly Group[]; readonly names: SquadNames; readonly hits: HitsInPoints },
): readonly SiteGroup[] {
  if (groups.length === 0) return [];
  const byNumber = new Map(squads.map((squad) => [squad.number, squad]));
  const last = weeks.at(-1)?.number ?? 0;
  const seasons = squadSeasons(weeks, hits);
  return groups.map(({ name, members }) => {
    const its = [...seasons].flatMap(([id, { member, weeks: season }]) => {
      if (member === undefined || !members.has(member)) return [];
      const from = members.get(member);
      return (from ?? 0) > last ? [] : [{ id, points: pointsSince(season, from) }];
    });
    const sorted = its.toSorted((one, other) => other.points - one.points);
    const placeOf = (points: number): number => sorted.findIndex((each) => each.points === points) + 1;
    const table = sorted
      .flatMap(({ id, points }) => {
        const squad = byNumber.get(nameOf(names, id).number);
        return squad === undefined ? [] : [{ squad, points, rank: placeOf(points) }];
      })
      .toSorted((one, other) => one.rank - other.rank || one.squad.number - other.squad.number);
    return { name, table };
  });
}

interface WonInWeek extends Pick<SquadWeek, 'week' | 'total' | 'isNew'> {
  /** What the week added to the total; its points, where nobody knows whether transfers cost more. */
  readonly won: number | undefined;
}

interface SquadSeason {
  readonly member: string | undefined;
  readonly weeks: readonly WonInWeek[];
}

/** What each squad won in each week, by the squad's id. */
function squadSeasons(weeks: readonly WeekValues[], hits: HitsInPoints): ReadonlyMap<string, SquadSeason> {
  const seasons = new Map<string, SquadSeason>();
  for (const { number: week, squads } of weeks) {
    const isFirst = seasons.size === 0;
    for (const { squad, member, total, points, hits: paid } of squads) {
      const before = seasons.get(squad)?.weeks ?? [];
      const isNew = !isFirst && before.length === 0;
      const won = wonIn(points, paid, hits) ?? points;
      seasons.set(squad, { member, weeks: [...before, { week, total, won, isNew }] });
    }
  }
  return seasons;
}

/** The total, or what it grew by since a week: weeks of it that were not read count too. */
function pointsSince(weeks: readonly WonInWeek[], from: number | undefined): number {
  const now = weeks.findLast(({ total }) => total !== undefined)?.total;
  if (from === undefined || isWholeSeason(from)) return now ?? 0;
  const before = weeks.find(({ week }) => week === from - 1)?.total;
  // The week before was not read, or the squad was made since.
  const first = weeks.find(({ week, isNew }) => week === from || (week > from && isNew));
  const own = first?.total === undefined || first.won === undefined ? undefined : first.total - first.won;
  const then = before ?? own;
  if (now !== undefined && then !== undefined) return now - then;
  return weeks.reduce((sum, { week, won = 0 }) => sum + (week >= from ? won : 0), 0);
}
