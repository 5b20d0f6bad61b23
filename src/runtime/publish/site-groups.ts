import { PointsBefore } from '../../season/group-points.ts';
import type { SiteGroup, SiteSquad } from '../../pages/site/values.ts';
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
  const { before, seasons } = squadSeasons(weeks, groups, hits);
  return groups.map(({ name, members }) => {
    const its = [...seasons].flatMap(([id, season]) => {
      const { member, total } = season;
      if (member === undefined || !members.has(member)) return [];
      const from = members.get(member);
      const points = before.pointsSince(from, id, total) ?? pointsIn(season, from);
      return (from ?? 0) > last ? [] : [{ id, points }];
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

interface SquadSeason {
  readonly member: string | undefined;
  /** The last that is known. */
  readonly total: number | null;
  /** What its weeks added to the total; their points, where nobody knows whether transfers cost more. */
  readonly weeks: readonly { readonly week: number; readonly won: number | null }[];
}

/** What each squad won in each week, by the squad's id, and what it had before the first weeks of groups. */
function squadSeasons(weeks: readonly WeekValues[], groups: readonly Group[], hits: HitsInPoints) {
  const before = new PointsBefore(groups.flatMap(({ members }) => [...members.values()]));
  const seasons = new Map<string, SquadSeason>();
  for (const { number: week, squads } of weeks) {
    const its = squads.map(({ squad: id, member, total, points, hits: paid }) => ({
      ...{ id, member, total: total ?? null, won: wonIn(points, paid, hits), points: points ?? null },
    }));
    before.add(week, its);
    for (const { id, member, total, won, points } of its) {
      const last = seasons.get(id);
      const own = [...(last?.weeks ?? []), { week, won: won ?? points }];
      seasons.set(id, { member, total: total ?? last?.total ?? null, weeks: own });
    }
  }
  return { before, seasons };
}

/** The points of the weeks from one on, as far as they were read. */
const pointsIn = ({ weeks }: SquadSeason, from: number | undefined): number =>
  weeks.reduce((sum, { week, won }) => sum + (week >= (from ?? 1) ? (won ?? 0) : 0), 0);
