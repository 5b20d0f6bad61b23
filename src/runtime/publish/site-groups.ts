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
  return groups.map(({ name, members }) => {
    const its = [...names.keys()].flatMap((id) => {
      const member = weeks.findLast((week) => week.squads.has(id))?.squads.get(id)?.member;
      const squad = byNumber.get(nameOf(names, id).number);
      if (member === undefined || squad === undefined || !members.has(member)) return [];
      return [{ squad, points: pointsSince(squad, members.get(member)) }];
    });
    const sorted = its.toSorted(
      (one, other) => other.points - one.points || one.squad.number - other.squad.number,
    );
    const placeOf = (points: number): number => sorted.findIndex((each) => each.points === points) + 1;
    return { name, table: sorted.map(({ squad, points }) => ({ squad, rank: placeOf(points) })) };
  });
}

/** The total, or what it grew by since a week. */
function pointsSince({ weeks }: SiteSquad, from: number | undefined): number {
  if (from === undefined) return weeks.findLast(({ total }) => total !== undefined)?.total ?? 0;
  return weeks.reduce((sum, { week, points = 0 }) => sum + (week >= from ? points : 0), 0);
}
