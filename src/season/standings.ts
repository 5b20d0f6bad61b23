import type { RecordOf } from '../contract/index.ts';
import { isNext, type GameWeek } from './game-week.ts';
import { PointsBefore } from './group-points.ts';
import { wonIn, type HitsInPoints } from './totals.ts';
import type { LineupFacts, SquadFacts } from './squad-facts.ts';
import { isFreeHit, playedSquad, transfersSince, type PlayedSquad } from './transfers.ts';
import { weekNumber } from './week-number.ts';

type Squad = RecordOf<'get-squad'>;

/** What is kept of a league in one game week, by the squad's id. */
export interface StandingsWeek {
  readonly week: GameWeek;
  readonly lineups: ReadonlyMap<string, LineupFacts>;
  readonly squads: ReadonlyMap<string, SquadFacts>;
  /** Where the week follows from totals: what the totals of the next one tell, by the squad's id. */
  readonly later?: ReadonlyMap<string, LaterPoints>;
  readonly early?: EarlyReadings;
  /** Squads of the league that the service did not show in the week: neither their line-up nor their detail. */
  readonly unseen?: number;
}

/** What a later total tells of a squad in a week; null is what it does not. */
export interface LaterPoints {
  readonly points: number | null;
  readonly total: number | null;
}

/** What was read too early to tell all of a week that is over, by the squad's id. */
export interface EarlyReadings {
  /** Line-ups that were read before the last match ended: they tell no points. Those that were read before the week began tell nothing, because their owners may have changed them since. */
  readonly lineups: ReadonlyMap<string, 'places' | 'nothing'>;
  readonly squads: ReadonlySet<string>;
}

/** That a member stands in a group of the operator, from a week on. */
export interface GroupMember {
  /** The member's `external_id`. */
  readonly member: string;
  readonly group: string;
  readonly fromWeek: number | undefined;
}

/** A squad in a week. What is not known is null. */
export interface Standing {
  readonly id: string;
  readonly name: string | null;
  readonly user: Squad['user'];
  readonly fantasy_league: Squad['fantasy_league'];
  readonly week: number | null;
  readonly game_week: { readonly id: string; readonly week: string };
  readonly rank: number | null;
  readonly previous_rank: number | null;
  /** Ranks that were won since the week before; below 0: lost. */
  readonly movement: number | null;
  readonly points: number | null;
  readonly total: number | null;
  readonly captain: { readonly player: LineupFacts['captain'] };
  readonly captain_points: number | null;
  readonly bench_points: number | null;
  readonly hits: number | null;
  readonly points_deduction: number | null;
  readonly transfers: number | null;
  readonly chip: string | null;
  readonly value: number | null;
  readonly group: string | null;
  readonly group_rank: number | null;
  /** `inactive`, `late`, or both; null for a member who is active from the first week on. */
  readonly mark: string | null;
}

export interface StandingsOptions {
  /** Whether the points of a week have deductions in them already. */
  readonly hits: HitsInPoints;
  readonly groups: readonly GroupMember[];
  /** Squads of this group alone. */
  readonly group?: string | undefined;
  /** The squads of the first week of the season of which anything is kept, where the weeks begin with a later one. */
  readonly first?: ReadonlySet<string> | undefined;
  /** Members of the account who are forgotten: their squads are missed among the totals, and counted by the ranks that the service showed. */
  readonly forgotten?: number;
}

/** What the next week is compared with. */
interface Before {
  /** Its ranks count the squads of forgotten members, and those that were not shown. */
  readonly isWhole: boolean;
  readonly standings: ReadonlyMap<string, Standing>;
  readonly played: ReadonlyMap<string, PlayedSquad>;
}

/**
 * The standings of one week after the other, by rank, for weeks that follow each other. Totals are those that the service showed in the week, else the total before and the points; ranks
 * are made of the totals, and equal totals share one. A week of which nothing is kept, or that is not even
 * known, has no standings, and the one after it none before.
 */
export function standings(options: StandingsOptions): (week: StandingsWeek) => readonly Standing[] {
  let before: Before | undefined;
  let last: GameWeek | undefined;
  let { first } = options;
  const earned = new PointsBefore(options.groups.map(({ fromWeek }) => fromWeek));
  return (week) => {
    if (last !== undefined && !isNext(last, week.week)) before = undefined;
    last = week.week;
    const ids = new Set([...week.lineups.keys(), ...week.squads.keys()]);
    if (ids.size === 0) {
      before = undefined;
      return [];
    }
    first ??= ids;
    const own = ownPointsIn(week);
    const rows = [...ids].map((id) => rowOf(id, week, before, { hits: options.hits, own, first }));
    const absent = absentIn(week, options);
    const gaps = gapsOf(rows, week, absent);
    const isWhole = absent === 0 || gaps !== undefined;
    const ranked = withRanks(rows, gaps, before?.isWhole === isWhole ? before : undefined);
    before = {
      isWhole,
      standings: new Map(ranked.map((each) => [each.id, each])),
      played: playedIn(week, ranked, before),
    };
    const won = ranked.map(({ id, total, points, points_deduction: paid }) => ({
      ...{ id, total, won: wonIn(points, paid, options.hits) },
    }));
    earned.add(week.week.number, won);
    return withGroups(ranked, options, earned);
  };
}

/** Whether a total hangs on the week before, because the service showed none of a squad. */
export const hangsOnBefore = (week: StandingsWeek): boolean =>
  [...week.lineups.keys(), ...week.squads.keys()].some((id) => shownTotal(id, week) === null);

/** The total that the service showed of a squad in a week, or tells of it later. */
const shownTotal = (id: string, { squads, later, early }: StandingsWeek): number | null =>
  later?.has(id) === true
    ? (later.get(id)?.total ?? null)
    : early?.squads.has(id) === true
      ? null
      : (squads.get(id)?.total ?? null);

const chipsOf = ({ week, lineups, squads }: StandingsWeek): readonly string[] =>
  [...lineups.keys()].flatMap((id) => chipOf(week, lineups.get(id), squads.get(id)) ?? []);

/** Whether a chip was played in a week that was, or may have been, a free hit: then the transfers of the next one hang on the week before, too. */
export const hasChip = (week: StandingsWeek): boolean => chipsOf(week).length > 0;

/** Whether a free hit was played in a week: then what a squad is after it hangs on the week before, too. */
export const hasFreeHit = (week: StandingsWeek): boolean => chipsOf(week).some(isFreeHit);

/** The squads as they played a week, as far as line-ups tell it. */
function playedIn(
  { lineups, early }: StandingsWeek,
  rows: readonly Standing[],
  before: Before | undefined,
): ReadonlyMap<string, PlayedSquad> {
  return new Map(
    rows.flatMap(({ id, chip }) => {
      const players = early?.lineups.get(id) === 'nothing' ? undefined : lineups.get(id)?.players;
      return players === undefined ? [] : [[id, playedSquad(players, chip, before?.played.get(id))] as const];
    }),
  );
}

/**
 * The points that each squad had in a week, as its line-up shows them, else its detail. A service may show them before what transfers cost in line-ups alone: squads that paid and of which both were
 * read tell that, and it is taken off.
 */
function ownPointsIn({ lineups, squads, early }: StandingsWeek): (id: string) => number | null {
  const shown = (id: string): LineupFacts | undefined =>
    early?.lineups.has(id) === true ? undefined : lineups.get(id);
  const detailed = (id: string): SquadFacts | undefined =>
    early?.squads.has(id) === true ? undefined : squads.get(id);
  const more = [...lineups.keys()].flatMap((id) => {
    const { points, paid } = shown(id) ?? {};
    const { weekPoints = null, isOfWeek = false } = detailed(id) ?? {};
    const isTold = typeof points === 'number' && typeof paid === 'number' && weekPoints !== null;
    return isTold && isOfWeek && paid > 0 ? [{ paid, more: points - weekPoints }] : [];
  });
  const gross = more.filter((each) => each.more === each.paid).length;
  const isBefore = gross > more.filter((each) => each.more === 0).length;
  return (id) => {
    const { points = null, paid = null } = shown(id) ?? {};
    const own = !isBefore ? points : points === null || paid === null ? null : points - paid;
    return own ?? detailed(id)?.weekPoints ?? null;
  };
}

interface RowContext extends Pick<StandingsOptions, 'hits' | 'first'> {
  readonly own: (id: string) => number | null;
}

function rowOf(
  id: string,
  kept: StandingsWeek,
  before: Before | undefined,
  { hits, own, first }: RowContext,
): Standing {
  const { week, lineups, squads, later, early } = kept;
  const [shown, squad, told] = [lineups.get(id), squads.get(id), early?.lineups.get(id)];
  const lineup = told === 'nothing' ? undefined : shown;
  const paid = lineup?.paid ?? null;
  const points = later?.has(id) === true ? (later.get(id)?.points ?? null) : own(id);
  const user = squad?.user ?? shown?.user;
  const isLate = first?.has(id) === false;
  const marks = [...(user?.is_active === false ? ['inactive'] : []), ...(isLate ? ['late'] : [])];
  const old = before?.standings.get(id)?.total ?? null;
  const won = wonIn(points, paid, hits);
  return {
    id,
    name: squad?.name ?? shown?.name ?? null,
    user,
    fantasy_league: squad?.fantasy_league,
    week: week.number ?? null,
    game_week: { id: week.id, week: week.text },
    rank: null,
    previous_rank: null,
    movement: null,
    points,
    total: shownTotal(id, kept) ?? (old === null || won === null ? null : old + won),
    captain: { player: lineup?.captain ?? null },
    captain_points: (told === undefined ? lineup?.captainPoints : null) ?? null,
    bench_points: (told === undefined ? lineup?.benchPoints : null) ?? null,
    hits: lineup?.hits ?? null,
    points_deduction: paid,
    transfers: transfersSince(before?.played.get(id), lineup?.players)?.playersIn.length ?? null,
    chip: told === 'nothing' ? null : chipOf(week, lineup, squad),
    value: squad?.value ?? null,
    group: null,
    group_rank: null,
    mark: marks.length === 0 ? null : marks.join(', '),
  };
}

/** The chip that was played in a week: the one that names the week, else what the line-up calls selected. */
function chipOf(
  week: GameWeek,
  lineup: LineupFacts | undefined,
  squad: SquadFacts | undefined,
): string | null {
  const played = [...(lineup?.chips ?? []), ...(squad?.chips ?? [])].find(
    ({ week: text }) => text === week.text || (week.number !== undefined && weekNumber(text) === week.number),
  );
  return played?.chip ?? lineup?.selectedChip ?? null;
}

const byTotal = (one: Standing, other: Standing): number =>
  (other.total ?? -Infinity) - (one.total ?? -Infinity) ||
  (one.name ?? '').localeCompare(other.name ?? '', 'en') ||
  (one.id < other.id ? -1 : 1);

/** Ranks by total, the same for equal ones; the highest total first, those without one last. */
function ranksOf(rows: readonly Standing[]): ReadonlyMap<string, number> {
  const sorted = rows.filter(({ total }) => total !== null).toSorted(byTotal);
  const ranks = new Map<string, number>();
  for (const [index, { id, total }] of sorted.entries()) {
    const above = sorted[index - 1];
    const isShared = above !== undefined && above.total === total;
    ranks.set(id, isShared ? (ranks.get(above.id) ?? index + 1) : index + 1);
  }
  return ranks;
}

/** Squads that have no row: those of forgotten members, and those that the service did not show. */
const absentIn = (
  { unseen = 0 }: StandingsWeek,
  { forgotten = 0 }: Pick<StandingsOptions, 'forgotten'>,
): number => forgotten + unseen;

/**
 * How many squads without a total, such as those of forgotten members, stand above each squad, by its id: what the service's ranks have more than those that the totals make. Undefined
 * where none is missing, where totals are not those that stood beside the service's ranks, and where these say something that no missing squads explain.
 */
function gapsOf(
  rows: readonly Standing[],
  { squads }: StandingsWeek,
  absent: number,
): ReadonlyMap<string, number> | undefined {
  const missing = absent + rows.filter(({ total }) => total === null).length;
  if (missing === 0) return undefined;
  const shownRank = ({ id, total }: Standing): number => {
    const shown = squads.get(id);
    return shown?.total === total ? (shown.rank ?? NaN) : NaN;
  };
  const ranks = ranksOf(rows);
  const gaps = new Map<string, number>();
  let above = 0;
  for (const [rank, its] of Map.groupBy(rows.toSorted(byTotal), ({ id }) => ranks.get(id))) {
    if (rank === undefined) continue;
    // A service may give squads with one total ranks of their own.
    const gap = its.reduce((least, row) => Math.min(least, shownRank(row)), Infinity) - rank;
    if (!(gap >= above && gap <= missing)) return undefined;
    for (const { id } of its) gaps.set(id, gap);
    above = gap;
  }
  return gaps;
}

/** Whether the ranks of a week count the squads that have no row, or there are none. */
export function hasWholeRanks(
  rows: readonly Standing[],
  week: StandingsWeek,
  options: Pick<StandingsOptions, 'forgotten'>,
): boolean {
  const absent = absentIn(week, options);
  return absent === 0 || gapsOf(rows, week, absent) !== undefined;
}

function withRanks(
  rows: readonly Standing[],
  gaps: ReadonlyMap<string, number> | undefined,
  before: Before | undefined,
): readonly Standing[] {
  const ranks = ranksOf(rows);
  return rows.toSorted(byTotal).map((row) => {
    const own = ranks.get(row.id);
    const rank = own === undefined ? null : own + (gaps?.get(row.id) ?? 0);
    const previous = before?.standings.get(row.id)?.rank ?? null;
    const movement = rank === null || previous === null ? null : previous - rank;
    return { ...row, rank, previous_rank: previous, movement };
  });
}

/** Names the groups of each squad, and its rank in the group, by the points since its first week there: in the one that is asked for, else in its only one. */
function withGroups(
  rows: readonly Standing[],
  { groups, group: wanted }: StandingsOptions,
  earned: PointsBefore,
): readonly Standing[] {
  const byMember = Map.groupBy(groups, ({ member }) => member);
  const groupsOf = ({ user, week }: Standing): readonly string[] => {
    const own = byMember.get(user?.external_id ?? '') ?? [];
    const begun = own.filter(({ fromWeek = 0 }) => fromWeek <= (week ?? Infinity));
    return [...new Set(begun.map(({ group }) => group))];
  };
  const its = new Map(rows.map((row) => [row.id, groupsOf(row)]));
  const names = wanted === undefined ? [...new Set([...its.values()].flat())] : [wanted];
  const inGroup = (name: string): readonly Standing[] =>
    rows
      .filter(({ id }) => its.get(id)?.includes(name) === true)
      .map((row) => {
        const own = byMember.get(row.user?.external_id ?? '')?.find(({ group }) => group === name);
        return { ...row, total: earned.pointsSince(own?.fromWeek, row.id, row.total) };
      });
  const ranks = new Map(names.map((name) => [name, ranksOf(inGroup(name))]));
  return rows.flatMap((row): Standing[] => {
    const own = its.get(row.id) ?? [];
    if (wanted !== undefined && !own.includes(wanted)) return [];
    const shown = wanted === undefined ? own : [wanted];
    const [only, another] = shown;
    const rank = only === undefined || another !== undefined ? undefined : ranks.get(only)?.get(row.id);
    return [{ ...row, group: shown.length === 0 ? null : shown.join(', '), group_rank: rank ?? null }];
  });
}
