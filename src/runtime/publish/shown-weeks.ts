import type { SquadName } from '../../pages/site/values.ts';
import type { HitsInPoints } from '../../season/totals.ts';
import type { CountedSquad } from '../../season/week-numbers.ts';
import { playedSquad, transfersSince, type PlayedSquad } from '../../season/transfers.ts';
import type { SquadValues, WeekValues } from '../../season/week-values.ts';
import type { Group } from './site-groups.ts';

/** What of a league is shown, and how. */
export interface SiteOptions {
  readonly title: string;
  readonly members: 'hidden' | 'display';
  readonly squads: 'name' | 'alias';
  /** The number of each squad, the same all season, by its id. A squad without one is not shown. */
  readonly numbers: ReadonlyMap<string, number>;
  readonly groups: readonly Group[];
  /** Whether the points of weeks have deductions in them already, where a group has a first week. */
  readonly hits: HitsInPoints;
  /** The ids of the game weeks that have pages. Those before them count for movement, transfers, groups and months. */
  readonly shown: ReadonlySet<string>;
  readonly timezone: string;
  /** Whether no week follows the last one that is shown. */
  readonly isOver: boolean;
  /** The first kick-off of the week that follows it, where that has begun. */
  readonly nextMs?: number | undefined;
}

/** A squad in a week, with what changed since the week before. */
export type SquadInWeek = SquadValues &
  CountedSquad & {
    /** It is in none of the weeks before, and others are. */
    readonly isNew: boolean;
  };

/** A week whose squads are those that are shown, by their ids. */
export interface ShownWeek {
  readonly week: WeekValues;
  readonly squads: ReadonlyMap<string, SquadInWeek>;
}

/** The squads with a number in each week, with their rank and their players of the week before. */
export function shownWeeks(
  weeks: readonly WeekValues[],
  numbers: ReadonlyMap<string, number>,
): readonly ShownWeek[] {
  const shown: ShownWeek[] = [];
  const known = new Set<string>();
  let played: ReadonlyMap<string, PlayedSquad> = new Map();
  for (const week of weeks) {
    const newest = shown.at(-1);
    // Of a week between them nothing is known.
    const before = newest !== undefined && newest.week.number + 1 < week.number ? undefined : newest;
    // Nobody moves from ranks of the whole league to ranks of who is left.
    const compared = before?.week.hasWholeRanks === week.hasWholeRanks ? before.squads : undefined;
    const last: typeof played = before === undefined ? new Map() : played;
    const squads = week.squads
      .filter(({ squad }) => numbers.has(squad))
      .map((values) => [values.squad, inWeek(values, compared?.get(values.squad), last)] as const)
      .map(([id, values]) => [id, { ...values, isNew: known.size > 0 && !known.has(id) }] as const);
    for (const [id] of squads) known.add(id);
    shown.push({ week, squads: new Map(squads) });
    played = new Map(
      squads.flatMap(([id, values]) => {
        const players = playersOf(values);
        return players === undefined ? [] : [[id, playedSquad(players, values.chip, last.get(id))] as const];
      }),
    );
  }
  return shown;
}

const playersOf = ({ entries }: SquadValues): readonly string[] | undefined =>
  entries?.map(({ player }) => player);

function inWeek(
  values: SquadValues,
  before: SquadValues | undefined,
  played: ReadonlyMap<string, PlayedSquad>,
): Omit<SquadInWeek, 'isNew'> {
  const { playersIn, playersOut } = transfersSince(played.get(values.squad), playersOf(values)) ?? {};
  return { ...values, previousRank: before?.rank, playersIn, playersOut };
}

export type SquadNames = ReadonlyMap<string, SquadName>;

/** What each squad is called: as it was called last, or `Squad 7`. */
export function squadNames(
  weeks: readonly ShownWeek[],
  { members, squads: by, numbers }: Pick<SiteOptions, 'members' | 'squads' | 'numbers'>,
): SquadNames {
  const names = new Map<string, SquadName>();
  for (const { squads } of weeks) {
    for (const { squad, name, memberName } of squads.values()) {
      const number = numbers.get(squad) ?? 0;
      const alias = `Squad ${number}`;
      names.set(squad, {
        number,
        name: by === 'alias' || name.trim() === '' ? alias : name,
        member: members === 'display' && memberName.trim() !== '' ? memberName : undefined,
      });
    }
  }
  return names;
}

/** Every squad of a week that is shown has a name. */
export const nameOf = (names: SquadNames, squad: string): SquadName =>
  names.get(squad) ?? { number: 0, name: '', member: undefined };
