import type { RecordOf } from '../../contract/index.ts';
import type { AutoSubstitution } from '../../contract/resources/auto-substitutions.ts';
import type { Fixture } from '../../contract/resources/fixtures.ts';
import type { WeekChoice } from '../../mapping/week-choice.ts';
import type { Kept, LeagueScope, Memory } from '../../model/state/memory.ts';
import { parseTimeMs } from '../../model/time/service-time.ts';
import type { PlayerWeek, Settings } from '../../rules/points.ts';
import { positionOf, type Rules } from '../../rules/rules.ts';
import { inOrder, type GameWeek } from '../../season/game-week.ts';
import type { KeptPlayer } from '../../season/known-players.ts';
import type { EarlyReadings } from '../../season/standings.ts';
import { loggedPairs, type LoggedPair, type MinutesIn } from '../../season/pairs.ts';
import { substitutionWeeks, weekSpans, type ProcessedMark } from '../../season/substitution-weeks.ts';
import { weekLineups, type WeekLineups, type WeekTimes } from '../../season/week-lineups.ts';
import {
  awaitedMatches,
  eachKept,
  knownWeeks,
  latestKept,
  listedMatches,
  nextKnownWeek,
  processedIn,
} from './known-weeks.ts';

/** A game week with the line-ups that are kept of it, and what is known of its times. */
export interface KeptWeek extends Required<WeekTimes> {
  readonly week: GameWeek;
  readonly overMs: number;
  /** What is read from then on shows all of its matches; NaN where nothing says when that is. */
  readonly wholeMs: number;
  /** By the squad's id. */
  readonly lineups: ReadonlyMap<string, WeekLineups>;
}

/** How many of the last weeks are read where nobody names one. */
const LAST_WEEKS = 3;

/** The game weeks of a league that are remembered, in their order, with the line-ups of those that a choice may mean: one league's weeks may be large. */
export async function keptWeeks(
  memory: Memory,
  scope: LeagueScope,
  choice: WeekChoice,
): Promise<readonly KeptWeek[]> {
  const found: KeptWeek[] = [];
  const weeks = inOrder(await knownWeeks(memory, scope));
  const wanted = await wantedWeeks(memory, scope, weeks, choice);
  for (const [at, week] of weeks.entries()) {
    const next = weeks[at + 1];
    const times = await weekTimes(memory, scope, week, next);
    const lineups = wanted.has(week.id) ? await lineupsOf(memory, scope, week.id, times) : new Map();
    found.push({ week, ...times, wholeMs: wholeSince(times, next), lineups });
  }
  return found;
}

/** The line-ups of the squads in a week, by the squad's id: as they were shown last and before substitutions. */
export async function lineupsOf(
  memory: Memory,
  scope: LeagueScope,
  gameWeek: string,
  times: WeekTimes,
): Promise<ReadonlyMap<string, WeekLineups>> {
  const found = new Map<string, WeekLineups>();
  let readings: Kept[] = [];
  const take = (): void => {
    const [first] = readings;
    // Only `keptOfLineup` makes such a record.
    const all = readings.map(({ readAtMs, record }) => ({
      readAtMs,
      record: record as RecordOf<'get-lineup'>,
    }));
    if (first !== undefined) found.set(first.id, weekLineups(all, times));
    readings = [];
  };
  for await (const kept of eachKept(memory, scope, gameWeek, 'lineup')) {
    if (readings[0]?.id !== kept.id) take();
    readings.push(kept);
  }
  take();
  return found;
}

/** The weeks whose line-ups are read. */
async function wantedWeeks(
  memory: Memory,
  scope: LeagueScope,
  weeks: readonly GameWeek[],
  choice: WeekChoice,
): Promise<ReadonlySet<string>> {
  const counts = (await memory.weeks(scope)).filter(({ kind }) => kind === 'lineup');
  const read = weeks.filter(({ id }) => counts.some(({ gameWeek }) => gameWeek === id));
  const wanted =
    choice.kind === 'range'
      ? read.filter(({ number = 0 }) => choice.from <= number && number <= choice.to)
      : read.slice(choice.kind === 'all' ? 0 : -LAST_WEEKS);
  return new Set(wanted.map(({ id }) => id));
}

/** What tells the line-ups of a week apart. A mark that is not of this state's trigger says nothing of the time. */
export async function weekTimes(
  memory: Memory,
  scope: LeagueScope,
  week: GameWeek,
  next: GameWeek | undefined,
): Promise<Pick<KeptWeek, keyof WeekTimes>> {
  const { atMs: processedMs, by } = (await processedIn(memory, scope, week.id)) ?? {};
  const triggeredMs = by === 'trigger' ? processedMs : undefined;
  const overMs = await overAt(memory, scope, week, next);
  return { beginsMs: week.startMs, overMs, processedMs, triggeredMs };
}

/** Where neither matches nor an end are known, a week is over when its substitutions are processed or the next one begins, whichever comes first. */
export function wholeSince(
  { overMs, processedMs = Number.NaN }: Pick<KeptWeek, 'overMs' | 'processedMs'>,
  next: GameWeek | undefined,
): number {
  if (!Number.isNaN(overMs)) return overMs;
  const known = [processedMs, next?.startMs ?? Number.NaN].filter((atMs) => !Number.isNaN(atMs));
  return known.length === 0 ? Number.NaN : Math.min(...known);
}

/** The line-ups of a week that were read before all of its matches were over. */
export async function earlyLineups(
  memory: Memory,
  scope: LeagueScope,
  { week, beginsMs, wholeMs }: Pick<KeptWeek, 'week' | 'beginsMs' | 'wholeMs'>,
): Promise<EarlyReadings['lineups']> {
  const readAt = [...(await memory.readAt(scope, week.id, 'lineup'))];
  return new Map(
    readAt
      .filter(([, readAtMs]) => !(readAtMs >= wholeMs))
      .map(([id, readAtMs]) => [id, readAtMs < (beginsMs ?? Number.NaN) ? 'nothing' : 'places']),
  );
}

/** A match takes so long; the interface does not show when one ends. */
const MATCH_MS = 2 * 60 * 60 * 1000;

/** When the last match of a week ends, or its end where that is earlier. */
async function overAt(
  memory: Memory,
  scope: LeagueScope,
  { id, endMs }: GameWeek,
  next: GameWeek | undefined,
): Promise<number> {
  let lastMs = -Infinity;
  for (const { record } of await awaitedMatches(memory, scope, id, next)) {
    const atMs = parseTimeMs((record as Fixture).start_date ?? '');
    if (atMs > lastMs) lastMs = atMs;
  }
  if (lastMs === -Infinity) return endMs;
  const lastEndMs = lastMs + MATCH_MS;
  return Number.isNaN(endMs) ? lastEndMs : Math.min(lastEndMs, endMs);
}

/** The log of substitutions that is kept, each with its week where that can be told. */
export interface KeptLog {
  readonly records: readonly AutoSubstitution[];
  /** By the record's id, the id of its game week. */
  readonly weekOf: ReadonlyMap<string, string>;
  readonly pairs: readonly LoggedPair[];
}

/** The records of the log that are kept, in the order of their times. */
export async function keptRecords(memory: Memory, scope: LeagueScope): Promise<readonly AutoSubstitution[]> {
  const records: { readonly record: AutoSubstitution; readonly atMs: number }[] = [];
  for await (const { record: kept } of latestKept(memory, scope, '', 'substitution')) {
    const record = kept as AutoSubstitution;
    records.push({ record, atMs: parseTimeMs(record.created_at ?? '') || 0 });
  }
  return records.toSorted((one, other) => one.atMs - other.atMs).map(({ record }) => record);
}

/** Tells the weeks of records and makes pairs of them. */
export function tellLog(
  records: readonly AutoSubstitution[],
  weeks: readonly KeptWeek[],
  minutesIn?: MinutesIn,
): KeptLog {
  const byId = new Map(weeks.map((each) => [each.week.id, each]));
  const lineupsOf = (week: string, squad: string): WeekLineups =>
    byId.get(week)?.lineups.get(squad.toLowerCase()) ?? {};
  const marks = weeks.flatMap(({ week, triggeredMs }): ProcessedMark[] =>
    triggeredMs === undefined ? [] : [{ week: week.id, atMs: triggeredMs }],
  );
  const weekOf = substitutionWeeks(records, { weeks: weekSpans(weeks), marks, lineupsOf });
  let pairs: readonly LoggedPair[] | undefined;
  return {
    records,
    weekOf,
    // A report of single records needs none.
    get pairs() {
      return (pairs ??= loggedPairs(records, weekOf, lineupsOf, minutesIn));
    },
  };
}

/** The same of the records that are kept. */
export async function keptLog(
  memory: Memory,
  scope: LeagueScope,
  weeks: readonly KeptWeek[],
): Promise<KeptLog> {
  return tellByMinutes(memory, scope, await keptRecords(memory, scope), weeks);
}

/** The same of any records. Where line-ups do not explain who went out, the minutes that are kept of the weeks in question do. */
export async function tellByMinutes(
  memory: Memory,
  scope: LeagueScope,
  records: readonly AutoSubstitution[],
  weeks: readonly KeptWeek[],
): Promise<KeptLog> {
  const told = tellLog(records, weeks);
  const open = new Set(told.pairs.filter(isUntold).flatMap(({ week }) => week ?? []));
  if (open.size === 0) return told;
  const minutes = new Map<string, ReadonlyMap<string, number>>();
  for (const week of weeks)
    if (open.has(week.week.id))
      minutes.set(week.week.id, minutesOf(await keptPlayers(memory, scope, week, { positions: {} })));
  return tellLog(records, weeks, (week, player) => minutes.get(week)?.get(player));
}

/** Whether nothing tells who of a pair went out and who came in. */
export const isUntold = (pair: LoggedPair): boolean => pair.out === undefined && pair.in === undefined;

/** What is kept of the players in a game week, by the player's id, but for what was read before all of its matches were over. */
export async function keptPlayers(
  memory: Memory,
  scope: LeagueScope,
  { week, wholeMs }: Pick<KeptWeek, 'week' | 'wholeMs'>,
  rules: Pick<Rules, 'positions'>,
): Promise<ReadonlyMap<string, PlayerInWeek>> {
  const players = new Map<string, PlayerInWeek>();
  let clubs: ReadonlySet<string> | undefined;
  for await (const { id, record, readAtMs } of latestKept(memory, scope, week.id, 'player')) {
    const { player, stat } = record as KeptPlayer;
    if (!(readAtMs >= wholeMs)) continue;
    const isShown = typeof stat.minutes_played === 'number';
    // It takes the fixtures of all weeks, and few weeks need it.
    if (!isShown) clubs ??= await clubsWithout(memory, scope, week.id);
    const hasNoMatch = !isShown && clubs?.has(player.team ?? '') === true;
    players.set(id, { position: positionOf(rules, [player.position]), stat, hasNoMatch });
  }
  return players;
}

/** A player in a week; without statistics, because his club has no match in it, or for what is not known. */
interface PlayerInWeek extends PlayerWeek {
  readonly hasNoMatch: boolean;
}

/** The names of the clubs that have matches in other weeks and none in this one, or one that was put off; nothing where no match of it is known. */
async function clubsWithout(
  memory: Memory,
  scope: LeagueScope,
  gameWeek: string,
): Promise<ReadonlySet<string>> {
  const clubsIn = (matches: readonly Kept[]): readonly string[] =>
    matches.flatMap(({ record }) => {
      const { home, away } = (record as Fixture).teams ?? {};
      return [home?.name, away?.name].filter((name) => typeof name === 'string');
    });
  const next = await nextKnownWeek(memory, scope, gameWeek);
  const own = new Set(clubsIn(await awaitedMatches(memory, scope, gameWeek, next)));
  if (own.size === 0) return new Set();
  const weeks = await knownWeeks(memory, scope);
  const all = await Promise.all(weeks.map(({ id }) => listedMatches(memory, scope, id)));
  return new Set(clubsIn(all.flat())).difference(own);
}

/**
 * The minutes of each player. Where nobody is shown with none, a service shows those alone who played: a player without statistics did not. Nor did one whose club has no match in the
 * week.
 */
export function minutesOf(players: ReadonlyMap<string, PlayerInWeek>): ReadonlyMap<string, number> {
  const minutes = new Map<string, number>();
  for (const [id, { stat }] of players)
    if (typeof stat.minutes_played === 'number') minutes.set(id, stat.minutes_played);
  const showsAbsent = minutes.size === 0 || [...minutes.values()].includes(0);
  for (const [id, { hasNoMatch }] of players)
    if ((hasNoMatch || !showsAbsent) && !minutes.has(id)) minutes.set(id, 0);
  return minutes;
}

/** The settings of a points configuration as it was read in a week, else of the latest week before it that has one. */
export async function keptSettings(
  memory: Memory,
  scope: LeagueScope,
  weeks: readonly GameWeek[],
): Promise<ReadonlyMap<string, Settings>> {
  const found = new Map<string, Settings>();
  let last: Settings | undefined;
  for (const { id } of weeks) {
    for await (const kept of latestKept(memory, scope, id, 'points_config')) last = settingsOf(kept.record);
    if (last !== undefined) found.set(id, last);
  }
  return found;
}

const NO_SETTING = new Set(['id', 'fantasy_league_id']);

/** The settings that a record of a points configuration shows. */
export const settingsOf = (record: unknown): Settings =>
  Object.fromEntries(
    Object.entries(record as object).flatMap(([name, value]): [string, number][] =>
      typeof value === 'number' && !NO_SETTING.has(name) ? [[name, value]] : [],
    ),
  );
