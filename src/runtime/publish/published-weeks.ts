import type { WeekChoice } from '../../mapping/week-choice.ts';
import type { LeagueScope, Memory } from '../../model/state/memory.ts';
import { pageNumbers } from '../../season/seasons.ts';
import type { SquadValues, WeekValues } from '../../season/week-values.ts';
import { earlyLineups, keptPlayers, weekTimes, wholeSince } from '../../sync/memory/league-records.ts';
import type { LeagueWeek } from '../../sync/memory/league-weeks.ts';
import type { SyncPorts } from '../../sync/ports.ts';
import { firstMatch, hasBegun, waitingWords } from '../../sync/weeks/kick-off.ts';
import { publishedWeek } from '../../sync/weeks/published.ts';
import { loggedRecords, readWeekValues, type NumberedWeek } from '../../sync/weeks/week-values.ts';
import type { PublishSettings } from './publish-settings.ts';

type Ports = Pick<SyncPorts, 'store'>;

/** The weeks of a season that may be shown. */
interface NumberedWeeks {
  readonly shown: readonly NumberedWeek[];
  /** The numbers of weeks that are the current one and whose first match has not begun. */
  readonly waiting: readonly number[];
}

/** The weeks whose first match has begun, with the numbers of their pages. One whose kick-off is not known is shown once it is over. */
export async function numberedWeeks(
  { store }: Ports,
  scope: LeagueScope,
  season: readonly LeagueWeek[],
  nowMs: number,
): Promise<NumberedWeeks> {
  const numbers = pageNumbers(season);
  const words = await waitingWords(store.memory, scope, new Set(season.map(({ week }) => week.id)));
  const shown: NumberedWeek[] = [];
  const waiting: number[] = [];
  for (const [at, league] of season.entries()) {
    const number = numbers[at] ?? 0;
    const first = await firstMatch(store.memory, scope, league.week, season[at - 1]?.week);
    const begun = league.isOver || (first !== undefined && hasBegun(first, words, nowMs));
    if (!begun) {
      waiting.push(number);
      continue;
    }
    const { week } = league;
    const next = season[at + 1]?.week;
    const times = await weekTimes(store.memory, scope, week, next);
    const wholeMs = league.isOver ? wholeSince(times, next) : -Infinity;
    const early = await earlyLineups(store.memory, scope, { week, ...times, wholeMs });
    const kickOffMs = first?.kickOffMs ?? week.startMs;
    shown.push({ league, number, kickOffMs, wholeMs, mark: markOf(league, early.size) });
  }
  return { shown, waiting };
}

/** What must be another for a published week to change: its state, the time of its readings while it is not over, what later totals say where its points follow from them, and how many line-ups were read too early to tell points. */
function markOf({ state, lineups, squads, contradicted }: LeagueWeek, early: number): string {
  if (state === 'open') return `${state} ${lineups?.newestMs ?? 0} ${squads?.newestMs ?? 0}`;
  if (state === 'final_by_totals') return `${state} ${contradicted.squads} ${contradicted.points}`;
  return early === 0 ? state : `${state} ${early}`;
}

/** Whether a choice of weeks has a week; `last` is the last that is over. */
export function isChosen(choice: WeekChoice, week: NumberedWeek, all: readonly NumberedWeek[]): boolean {
  if (choice.kind === 'all') return true;
  if (choice.kind === 'range') return choice.from <= week.number && week.number <= choice.to;
  return week === (choice.kind === 'current' ? all.at(-1) : all.findLast(({ league }) => league.isOver));
}

/** Weeks as they are shown. */
interface ShownValues {
  readonly values: readonly WeekValues[];
  /** What was published of them before, by the id of the week. */
  readonly before: ReadonlyMap<string, WeekValues>;
  /** Those that are shown otherwise than before, or for the first time. */
  readonly fresh: readonly WeekValues[];
}

/** The weeks as they were published, and what is remembered now of those whose mark is another. */
export async function shownValues(
  { store: { memory } }: Ports,
  scope: LeagueScope,
  { rules }: Pick<PublishSettings, 'rules'>,
  season: readonly LeagueWeek[],
  weeks: readonly NumberedWeek[],
): Promise<ShownValues> {
  const before = new Map<string, WeekValues>();
  const telling = new Set<string>();
  for (const { league, number, wholeMs } of weeks) {
    const { week } = league;
    const { id } = week;
    const published = await publishedWeek(memory, scope, id);
    if (published === undefined) continue;
    // A week that was counted otherwise then would have the page of another one.
    before.set(id, { ...published, number });
    if (
      (await mayTellMore(memory, scope, league, published)) ||
      (await hasMoreStatistics(memory, scope, { week, wholeMs }, published))
    )
      telling.add(id);
  }
  for (const id of await moreInLog(memory, scope, before)) telling.add(id);
  const isFresh = ({ league: { week, lineups }, mark }: NumberedWeek): boolean => {
    const published = before.get(week.id);
    // What was not read in time for the last site may come; what is gone since is no reason to show the rest anew.
    return published?.mark !== mark || (lineups?.ids ?? 0) > lineupsIn(published);
  };
  const isRead = (week: NumberedWeek): boolean => isFresh(week) || telling.has(week.league.week.id);
  // Substitutions of the log are told beside the week before.
  const from = Math.max(0, weeks.findIndex(isRead) - 1);
  const toRead = weeks.some(isRead) ? weeks.slice(from) : [];
  const read = await readWeekValues({ memory, scope, rules, season }, toRead);
  const now = new Map(read.map((each) => [each.gameWeek, each]));
  const fresh = weeks.flatMap((each) => {
    const { id } = each.league.week;
    const told = now.get(id);
    // Totals hang on those of earlier weeks, too.
    return told !== undefined && (isFresh(each) || toldIn(told) > toldIn(before.get(id))) ? [told] : [];
  });
  const values = weeks.flatMap(({ league }) => {
    const { id } = league.week;
    return fresh.find((each) => each.gameWeek === id) ?? before.get(id) ?? [];
  });
  return { values, before, fresh };
}

/** Whether more may be told of a published week than was shown: where it follows from totals, as they come, and where details were read that had not been in time. */
async function mayTellMore(
  memory: Memory,
  scope: LeagueScope,
  { week, state, squads: counted }: LeagueWeek,
  { squads }: WeekValues,
): Promise<boolean> {
  const totals = new Map(squads.map(({ squad, total }) => [squad, total]));
  const isWhole = squads.every(({ points, total }) => points !== undefined && total !== undefined);
  if (isWhole && (counted?.ids ?? 0) <= squads.length) return false;
  if (state === 'final_by_totals') return true;
  return [...(await memory.readAt(scope, week.id, 'squad')).keys()].some(
    (id) => totals.get(id) === undefined,
  );
}

/** Whether statistics are kept that a published week does not have: players are read last, and a reading may stop before. */
async function hasMoreStatistics(
  memory: Memory,
  scope: LeagueScope,
  week: Parameters<typeof keptPlayers>[2],
  { squads, players }: WeekValues,
): Promise<boolean> {
  const entries = squads.flatMap((squad) => squad.entries ?? []);
  const unknown = {
    minutes: entries.filter(({ minutes }) => minutes === undefined).map(({ player }) => player),
    points: [...players.values()].filter(({ points }) => points === undefined).map(({ id }) => id),
  };
  if (unknown.minutes.length + unknown.points.length === 0) return false;
  const kept = await keptPlayers(memory, scope, week, { positions: {} });
  return (
    unknown.minutes.some((id) => typeof kept.get(id)?.stat.minutes_played === 'number') ||
    unknown.points.some((id) => typeof kept.get(id)?.stat.points === 'number')
  );
}

/** The weeks in which the log has more of a squad than was published: a service may write it long after substitutions were processed, and a reading may stop between them. */
async function moreInLog(
  memory: Memory,
  scope: LeagueScope,
  published: ReadonlyMap<string, WeekValues>,
): Promise<readonly string[]> {
  const all = [...published.values()].flatMap(({ squads }) => squads);
  const told = all.reduce((sum, { substitutions }) => sum + endsOf(substitutions).length, 0);
  const log = (await memory.weeks(scope)).find(({ kind }) => kind === 'substitution');
  // Reading the log takes long.
  if ((log?.ids ?? 0) <= told) return [];
  const logged = await loggedRecords(memory, scope);
  return [...published].flatMap(([id, { squads }]) =>
    squads.some(
      ({ squad, substitutions }) => (logged.get(id)?.get(squad) ?? 0) > endsOf(substitutions).length,
    )
      ? [id]
      : [],
  );
}

/** Who went out and who came in, as far as that is told: each is a record of the log. */
const endsOf = (substitutions: SquadValues['substitutions']): readonly string[] =>
  substitutions.flatMap((each) => [each.out, each.in]).filter((player) => player !== undefined);

/** How many numbers of squads and players a week says, and how many players of substitutions. */
const toldIn = (week: WeekValues | undefined): number =>
  [
    ...(week?.squads ?? []).flatMap(({ points, total, entries = [], substitutions }) => [
      points,
      total,
      ...entries.map(({ minutes }) => minutes),
      ...endsOf(substitutions),
    ]),
    ...[...(week?.players.values() ?? [])].map(({ points }) => points),
  ].filter((told) => told !== undefined).length;

const lineupsIn = ({ squads }: WeekValues): number => squads.filter(({ isRead }) => isRead).length;
