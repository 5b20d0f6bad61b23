import type { KeptCount, LeagueScope, Memory } from '../../model/state/memory.ts';
import type { GameWeek } from '../../season/game-week.ts';
import { seasonsOf } from '../../season/seasons.ts';
import { isWholeSeason } from '../../season/group-points.ts';
import type { LineupFacts } from '../../season/squad-facts.ts';
import {
  hangsOnBefore,
  hasChip,
  hasFreeHit,
  hasWholeRanks,
  standings,
  type EarlyReadings,
  type Standing,
  type StandingsOptions,
  type StandingsWeek,
} from '../../season/standings.ts';
import type { HitsInPoints } from '../../season/totals.ts';
import { learntHits } from './contradictions.ts';
import { finalSince, laterPoints } from './later-points.ts';
import { earlyLineups, wholeSince, weekTimes } from './league-records.ts';
import type { LeagueWeek } from './league-weeks.ts';
import { squadsAskedFor } from './unread.ts';
import { WeekFacts } from './week-facts.ts';

/** The standings of one week that is asked for. */
export interface KeptStandings {
  readonly week: LeagueWeek['week'];
  /** Undefined where nothing is kept of the week. */
  readonly rows: readonly Standing[] | undefined;
  readonly early: EarlyReadings;
  /** Squads of the league that the service did not show in the week. */
  readonly unseen: number;
  readonly hasWholeRanks: boolean;
}

export interface KeptOptions extends Pick<StandingsOptions, 'groups' | 'group'> {
  /** Line-ups of the weeks that are asked for, where the caller has them: reading them takes the longest. */
  readonly lineups?: (week: GameWeek) => Promise<ReadonlyMap<string, LineupFacts>>;
}

interface Source {
  readonly memory: Memory;
  readonly scope: LeagueScope;
  readonly facts: WeekFacts;
  /** Every week that has begun, of all seasons. */
  readonly all: readonly GameWeek[];
  /** The weeks that are asked for. */
  readonly ids: ReadonlySet<string>;
  readonly options: KeptOptions;
  /** Learnt once. It takes the facts of every squad of all weeks, and counts where points have to be made. */
  readonly hits: () => Promise<HitsInPoints>;
}

/** The standings of weeks by their ids, made of what is remembered of line-ups and squads: `weeks` are all those of the league, and those of one season hang on each other. */
export async function* keptStandings(
  memory: Memory,
  scope: LeagueScope,
  weeks: readonly LeagueWeek[],
  ids: ReadonlySet<string>,
  options: KeptOptions,
): AsyncGenerator<KeptStandings> {
  const facts = await WeekFacts.open(memory, scope);
  const all = weeks.map(({ week }) => week);
  let learnt: Promise<HitsInPoints> | undefined;
  const hits = (): Promise<HitsInPoints> => (learnt ??= learntHits(facts, all));
  const source = { memory, scope, facts, all, ids, options, hits };
  for (const season of seasonsOf(weeks)) yield* standingsOf(season, source);
}

/** They are made from the week before on, because each hangs on the one before, and from an earlier one where a total does. */
async function* standingsOf(season: readonly LeagueWeek[], source: Source): AsyncGenerator<KeptStandings> {
  const { memory, scope, ids, hits } = source;
  const { lineups: _, ...groups } = source.options;
  const isAsked = ({ week }: LeagueWeek): boolean => ids.has(week.id);
  const asked = season.findIndex(isAsked);
  if (asked === -1) return;
  const begin = Math.min(await beginning(season, asked, source), beforeGroups(season, groups.groups));
  const options = {
    ...groups,
    hits: undefined as HitsInPoints,
    first: await firstSquads(memory, scope, season),
    forgotten: (await memory.forgotten(scope.account)).length,
  };
  const hasFirstWeeks = groups.groups.some(({ fromWeek }) => !isWholeSeason(fromWeek));
  const next = standings(options);
  const until = season.findLastIndex(isAsked) + 1;
  for (const [at, league] of season.slice(0, until).entries()) {
    if (at < begin) continue;
    const kept = await keptWeek(season, at, source);
    if (options.hits === undefined && (hasFirstWeeks || hangsOnBefore(kept))) options.hits = await hits();
    const rows = next(kept);
    const isKept = kept.lineups.size + kept.squads.size > 0;
    if (!isAsked(league)) continue;
    yield {
      ...{ week: league.week, rows: isKept ? rows : undefined, early: kept.early },
      ...{ unseen: kept.unseen, hasWholeRanks: hasWholeRanks(rows, kept, options) },
    };
  }
}

/** What is kept of one week, and what the next one tells of it where it follows from totals. */
async function keptWeek(
  season: readonly LeagueWeek[],
  at: number,
  source: Source,
): Promise<StandingsWeek & { readonly early: EarlyReadings; readonly unseen: number }> {
  const league = season[at];
  if (league === undefined) throw new RangeError('a week that is none');
  const { week } = league;
  const { facts, ids, options, hits } = source;
  const lineups =
    options.lineups !== undefined && ids.has(week.id)
      ? await options.lineups(week)
      : await facts.lineups(week.id);
  const squads = await facts.squads(week.id);
  const [last, next] = [season[at - 1], season[at + 1]];
  const unseen = await unseenIn(season, at, source, new Set([...lineups.keys(), ...squads.keys()]));
  const kept = { week, lineups, squads, unseen, early: await earlyReadings(league, source) };
  if (league.state !== 'final_by_totals') return kept;
  return { ...kept, later: await laterPoints(facts, { last, league, next }, await hits()) };
}

/** How many squads of the league were asked for in a week and not shown; a squad that was made late shows itself in a later week first. */
async function unseenIn(
  season: readonly LeagueWeek[],
  at: number,
  { memory, scope, facts }: Source,
  shown: ReadonlySet<string>,
): Promise<number> {
  const gameWeek = season[at]?.week.id ?? '';
  const left = new Set(await squadsAskedFor(memory, scope, gameWeek)).difference(shown);
  if (left.size === 0) return 0;
  const [before, after] = [new Set<string>(), new Set<string>()];
  for (const [index, { week }] of season.entries())
    for (const kind of ['lineup', 'squad'] as const)
      for (const id of (await facts.readAt(week.id, kind)).keys()) (index < at ? before : after).add(id);
  return [...left].filter((id) => before.has(id) || !after.has(id)).length;
}

/** The last of the weeks before the one that is asked for from which on standings are the same as from the first one on: that whose totals the service showed and in which nobody played a free hit, nor in the last one any chip, or of which nothing is kept. */
async function beginning(season: readonly LeagueWeek[], asked: number, source: Source): Promise<number> {
  for (let at = asked - 1; at >= 0; at -= 1) {
    const kept = await keptWeek(season, at, source);
    if (!hangsOnBefore(kept) && !(at === asked - 1 ? hasChip(kept) : hasFreeHit(kept))) return at;
  }
  return 0;
}

/** Where the week before the first one of a group stands: what its members won since then counts. */
function beforeGroups(season: readonly LeagueWeek[], groups: KeptOptions['groups']): number {
  const first = groups.reduce((least, { fromWeek = Infinity }) => Math.min(least, fromWeek), Infinity);
  const at = season.findIndex(({ week: { number = -Infinity } }) => number >= first - 1);
  return at === -1 ? Infinity : at;
}

/** What of a week that is over was read before its last match ended; where it is final, details from before its substitutions too. */
async function earlyReadings(
  league: LeagueWeek,
  { memory, scope, all }: Pick<Source, 'memory' | 'scope' | 'all'>,
): Promise<EarlyReadings> {
  const { week, isOver, lineups, squads, state } = league;
  if (!isOver) return { lineups: new Map(), squads: new Set() };
  const next = all[all.indexOf(week) + 1];
  const times = await weekTimes(memory, scope, week, next);
  const wholeMs = wholeSince(times, next);
  // Whoever closes a week without an end says nothing of the time.
  const finalMs = state === 'final' ? Math.max(finalSince(league), wholeMs) : wholeMs;
  const isEarly = (counted: KeptCount | undefined, untilMs: number): boolean =>
    counted !== undefined && !(counted.oldestMs >= untilMs);
  const squadsAt = isEarly(squads, finalMs) ? [...(await memory.readAt(scope, week.id, 'squad'))] : [];
  return {
    lineups: isEarly(lineups, wholeMs)
      ? await earlyLineups(memory, scope, { week, ...times, wholeMs })
      : new Map(),
    squads: new Set(squadsAt.filter(([, readAtMs]) => !(readAtMs >= finalMs)).map(([id]) => id)),
  };
}

/** The squads of the first week of which anything is kept. */
async function firstSquads(
  memory: Memory,
  scope: LeagueScope,
  season: readonly LeagueWeek[],
): Promise<ReadonlySet<string> | undefined> {
  for (const { week } of season) {
    const [lineups, squads] = [
      await memory.readAt(scope, week.id, 'lineup'),
      await memory.readAt(scope, week.id, 'squad'),
    ];
    if (lineups.size + squads.size > 0) return new Set([...lineups.keys(), ...squads.keys()]);
  }
  return undefined;
}
