import { isWholeSeason } from '../../season/standings.ts';
import type { SiteGroup, SiteSquad } from '../../pages/site/values.ts';
import { nameOf, type ShownWeek, type SquadNames } from './shown-weeks.ts';

/** One of the operator's own groups. */
export interface Group {
  readonly name: string;
  /** The first game week that counts for each member, by the member's id; undefined where all do. */
  readonly members: ReadonlyMap<string, number | undefined>;
}

/** The tables of the groups: by the points since the week from which a member counts, the most first; equal points are one place. */
export function groupTables(
  squads: readonly SiteSquad[],
  weeks: readonly ShownWeek[],
  { groups, names }: { readonly groups: readonly Group[]; readonly names: SquadNames },
): readonly SiteGroup[] {
  const byNumber = new Map(squads.map((squad) => [squad.number, squad]));
  const last = weeks.at(-1)?.week.number ?? 0;
  return groups.map(({ name, members }) => {
    const its = [...names.keys()].flatMap((id) => {
      const member = weeks.findLast((week) => week.squads.has(id))?.squads.get(id)?.member;
      const squad = byNumber.get(nameOf(names, id).number);
      if (member === undefined || squad === undefined || !members.has(member)) return [];
      const from = members.get(member);
      return (from ?? 0) > last ? [] : [{ squad, points: pointsSince(squad, from) }];
    });
    const sorted = its.toSorted(
      (one, other) => other.points - one.points || one.squad.number - other.squad.number,
    );
    const placeOf = (points: number): number => sorted.findIndex((each) => each.points === points) + 1;
    return { name, table: sorted.map((each) => ({ ...each, rank: placeOf(each.points) })) };
  });
}

/** The total, or what it grew by since a week: weeks of it that were not read count too. */
function pointsSince({ weeks }: SiteSquad, from: number | undefined): number {
  const now = weeks.findLast(({ total }) => total !== undefined)?.total;
  if (from === undefined || isWholeSeason(from)) return now ?? 0;
  const before = weeks.find(({ week }) => week === from - 1)?.total;
  // The week before was not read, or the squad was made since.
  const first = weeks.find(({ week, isNew }) => week === from || (week > from && isNew));
  const own =
    first?.total === undefined || first.points === undefined ? undefined : first.total - first.points;
  const then = before ?? own;
  if (now !== undefined && then !== undefined) return now - then;
  return weeks.reduce((sum, { week, points = 0 }) => sum + (week >= from ? points : 0), 0);
}
