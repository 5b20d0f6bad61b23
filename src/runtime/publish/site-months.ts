import type { SiteMonth } from '../../pages/site/values.ts';
import { nameOf, type ShownWeek, type SiteOptions, type SquadNames } from './shown-weeks.ts';

/**
 * The months of the weeks that are shown, by the time of their first kick-offs in the configured zone, with the points of their weeks until the last one that is shown. A month is over where a week of
 * a later one has begun or none follows, and none of its own weeks can change.
 */
export function monthsOf(
  weeks: readonly ShownWeek[],
  names: SquadNames,
  {
    timezone,
    isOver,
    nextMs = Number.NaN,
    shown,
  }: Pick<SiteOptions, 'timezone' | 'isOver' | 'nextMs' | 'shown'>,
): readonly SiteMonth[] {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, month: 'long', year: 'numeric' });
  const timed = weeks.filter(({ week }) => !Number.isNaN(week.kickOffMs));
  const all = Map.groupBy(timed, ({ week }) => format.format(week.kickOffMs));
  const months = [...all].filter(
    ([, its]) => its.some(isRead) && its.some(({ week }) => shown.has(week.gameWeek)),
  );
  const hasEnded = (name: string): boolean =>
    isOver || (!Number.isNaN(nextMs) && format.format(nextMs) !== name);
  const numbers = (its: readonly ShownWeek[]): readonly number[] => its.map(({ week }) => week.number);
  return months.map(([name, its], index) => ({
    name,
    weeks: numbers(its.filter(isRead)),
    missing: numbers(its.filter((each) => !isRead(each))),
    isOver:
      (hasEnded(name) || index < months.length - 1) &&
      its.every(({ week: { state } }) => state !== 'open' && state !== 'provisional'),
    table: sums(its)
      .filter(([squad]) => names.has(squad))
      .map(([squad, value]) => ({ squad: nameOf(names, squad), value })),
  }));
}

const isRead = ({ squads }: ShownWeek): boolean => squads.size > 0;

/** The points of squads in some weeks, the most first; of equals the smaller id. */
function sums(weeks: readonly ShownWeek[]): readonly (readonly [squad: string, points: number])[] {
  const points = new Map<string, number>();
  for (const { squads } of weeks) {
    for (const [squad, { points: won }] of squads) {
      if (won !== undefined) points.set(squad, (points.get(squad) ?? 0) + won);
    }
  }
  return [...points].toSorted(
    ([one, most], [other, otherMost]) => otherMost - most || (one < other ? -1 : 1),
  );
}
