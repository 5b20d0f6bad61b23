import type { Site, SiteSquad, SiteWeek, SquadWeek } from '../../pages/site/values.ts';
import type { WeekValues } from '../../season/week-values.ts';
import { weekNumbers } from '../../season/week-numbers.ts';
import { groupTables, type Group } from './site-groups.ts';
import { monthsOf } from './site-months.ts';
import {
  nameOf,
  shownWeeks,
  squadNames,
  type ShownWeek,
  type SiteOptions,
  type SquadInWeek,
  type SquadNames,
} from './shown-weeks.ts';
import { lineupOf, sitePlayers, type SitePlayers } from './site-players.ts';

/**
 * The site of a league from its weeks until the last one that is shown, in their order. Who is hidden or forgotten is in nothing of it, and every number is made of the squads that are shown; ranks are
 * those of the league.
 */
export function siteOf(weeks: readonly WeekValues[], options: SiteOptions): Site {
  const all = shownWeeks(weeks, options.numbers);
  const shown = all.filter(({ week }) => options.shown.has(week.gameWeek));
  const names = squadNames(shown, options);
  const players = sitePlayers(weeks);
  const squads = siteSquads(shown, names, { all, players, groups: options.groups });
  return {
    title: options.title,
    squads,
    // A published week stays as it is when somebody is called otherwise later. Who went out is named by the week before.
    weeks: shown.map((week) => {
      const at = all.indexOf(week);
      const around = sitePlayers(weeks.slice(Math.max(0, at - 1), at + 1));
      return siteWeek(week, squadNames([week], options), around);
    }),
    groups: groupTables(squads, weeks, { groups: options.groups, names, hits: options.hits }),
    months: monthsOf(all, names, options),
  };
}

interface SquadsContext {
  /** Those that are shown, and the weeks before them. */
  readonly all: readonly ShownWeek[];
  readonly players: SitePlayers;
  readonly groups: readonly Group[];
}

/** Every squad with its season, in the order of the last table; those without a rank in it stand at the end, in the order of their numbers. */
function siteSquads(
  weeks: readonly ShownWeek[],
  names: SquadNames,
  { all, players, groups }: SquadsContext,
): readonly SiteSquad[] {
  const last = weeks.at(-1);
  const first = all.find(({ squads }) => squads.size > 0);
  const rankOf = (squad: string): number => last?.squads.get(squad)?.rank ?? Infinity;
  return [...names]
    .toSorted(
      ([one, { number }], [other, { number: otherNumber }]) =>
        rankOf(one) - rankOf(other) || number - otherNumber,
    )
    .map(([squad, name]) => {
      const its = weeks.flatMap(({ week, squads }) => {
        const found = squads.get(squad);
        return found === undefined ? [] : [{ week, found }];
      });
      const latest = its.at(-1)?.found;
      const since = all.find(({ squads }) => squads.has(squad));
      const member = latest?.member;
      return {
        ...name,
        groups: groups.flatMap((group) =>
          member !== undefined && group.members.has(member) ? [group.name] : [],
        ),
        mark:
          latest?.isActive === false
            ? 'inactive'
            : since === first
              ? undefined
              : `since week ${since?.week.number}`,
        weeks: its.map(({ week, found }) => squadWeek(week, found, players)),
      };
    });
}

function squadWeek(week: WeekValues, squad: SquadInWeek, players: SitePlayers): SquadWeek {
  const { rank, previousRank, isNew, points, total, captain, captainPoints, benchPoints, hits, chip, value } =
    squad;
  const named = (ids: readonly string[] | undefined) => ids?.map((id) => players.of(id));
  return {
    week: week.number,
    ...{ rank, previousRank, isNew, points, total },
    captain: captain === undefined ? undefined : players.of(captain),
    ...{ captainPoints, benchPoints, hits, chip, value },
    playersIn: named(squad.playersIn),
    playersOut: named(squad.playersOut),
    lineup: lineupOf(squad, players),
  };
}

/** Behind every rank. */
const LAST = Number.MAX_SAFE_INTEGER;

function siteWeek({ week, squads }: ShownWeek, names: SquadNames, players: SitePlayers): SiteWeek {
  const own = [...week.players.values()].flatMap(({ id, points }) =>
    points === undefined ? [] : [[id, points] as const],
  );
  // However they stand in the memory, equal values make equal pages.
  const all = [...squads.values()].toSorted(
    (one, other) =>
      (one.rank ?? LAST) - (other.rank ?? LAST) ||
      nameOf(names, one.squad).number - nameOf(names, other.squad).number,
  );
  const numbers = weekNumbers(all, new Map(own));
  const squadOf = <T extends { readonly squad: string }>(one: T) => ({
    ...one,
    squad: nameOf(names, one.squad),
  });
  const playerOf = <T extends { readonly player: string }>(one: T) => ({
    ...one,
    player: players.of(one.player),
  });
  return {
    number: week.number,
    state: week.state,
    isProcessed: week.isProcessed,
    ...numbers,
    best: numbers.best.map(squadOf),
    top: numbers.top.map(squadOf),
    climbers: numbers.climbers.map(squadOf),
    fallers: numbers.fallers.map(squadOf),
    captains: numbers.captains.map(playerOf),
    ownership: numbers.ownership.map(playerOf),
    differentials: numbers.differentials.map(playerOf),
    bench: numbers.bench.map(squadOf),
    playersIn: numbers.playersIn.map(playerOf),
    playersOut: numbers.playersOut.map(playerOf),
    hits: numbers.hits.map(squadOf),
    chips: numbers.chips.map(({ chip, squads: users }) => ({
      chip,
      squads: users.map((squad) => nameOf(names, squad)),
    })),
    substitutions: all.flatMap(({ squad, entries, substitutions }) =>
      substitutions.map(({ out, in: into }) => ({
        squad: nameOf(names, squad),
        out: out === undefined ? undefined : players.of(out),
        in: into === undefined ? undefined : players.of(into),
        inPoints: entries?.find(({ player }) => player === into)?.points,
      })),
    ),
  };
}
