import { PointsBefore } from '../../season/group-points.ts';
import type { SiteGroup, SiteSquad } from '../../pages/site/values.ts';
import type { SquadValues, WeekValues } from '../../season/week-values.ts';
import { wonIn, type HitsInPoints } from '../../season/totals.ts';
import { nameOf, type SquadNames } from './shown-weeks.ts';

/** One of the operator's own groups. */
export interface Group {
  readonly name: string;
  /** The first game week that counts for each member, by the member's id; undefined where all do. */
  readonly members: ReadonlyMap<string, number | undefined>;
}

/**
 * The tables of the groups: by the points since the week from which a member counts, the most first; equal points are one place. Who is hidden has a place that is missing, and whose total is not
 * known after the last week has none. `weeks` have everybody, `squads` and `names` those who are shown.
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
  const newest = weeks.findLast(({ squads: its }) => its.some(isCounted))?.number;
  return groups.map(({ name, members }) => {
    const its = [...seasons].flatMap(([id, season]) => {
      const { member, total } = season;
      if (member === undefined || !members.has(member)) return [];
      const from = members.get(member);
      const isKnown = total !== null && season.weeks.at(-1)?.week === newest;
      const points = isKnown ? (before.pointsSince(from, id, total ?? null) ?? pointsIn(season, from)) : null;
      return (from ?? 0) > last ? [] : [{ id, points }];
    });
    const sorted = its.toSorted((one, other) => (other.points ?? -Infinity) - (one.points ?? -Infinity) || 0);
    const placeOf = (points: number | null): number | undefined =>
      points === null ? undefined : sorted.findIndex((each) => each.points === points) + 1;
    const table = sorted
      .flatMap(({ id, points }) => {
        const squad = byNumber.get(nameOf(names, id).number);
        return squad === undefined ? [] : [{ squad, points, rank: placeOf(points) }];
      })
      .toSorted(
        (one, other) => (one.rank ?? LAST) - (other.rank ?? LAST) || one.squad.number - other.squad.number,
      );
    return { name, table };
  });
}

/** Behind every rank. */
const LAST = Number.MAX_SAFE_INTEGER;

/** Whether anything of a squad counts in a week. */
const isCounted = ({ points, total }: SquadValues): boolean => points !== undefined || total !== undefined;

interface SquadSeason {
  readonly member: string | undefined;
  /** After the last of its weeks: null where it is not known, undefined where none of its weeks has one. */
  readonly total: number | null | undefined;
  /** Those in which squads have points or totals, and what each added to the total; their points, where nobody knows whether transfers cost more. */
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
    const isEmpty = !squads.some(isCounted);
    for (const { id, member, total, won, points } of its) {
      const last = seasons.get(id);
      // Of a week that runs, line-ups alone may be read.
      if (isEmpty && last !== undefined) continue;
      const own = [...(last?.weeks ?? []), { week, won: won ?? points }];
      const isTold = total !== null || last?.total !== undefined;
      seasons.set(id, { member, total: isTold ? total : undefined, weeks: own });
    }
  }
  return { before, seasons };
}

/** The points of the weeks from one on, as far as they were read. */
const pointsIn = ({ weeks }: SquadSeason, from: number | undefined): number =>
  weeks.reduce((sum, { week, won }) => sum + (week >= (from ?? 1) ? (won ?? 0) : 0), 0);
