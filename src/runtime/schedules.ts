import { hostname } from 'node:os';
import type { Mapping } from '../mapping/mapping.ts';
import { ConfigError } from '../model/error.ts';
import type { ServiceAccount, Store } from '../model/state/store.ts';
import {
  nextRuns,
  scheduleNow,
  withAgain,
  withoutAhead,
  type Again,
  type Calendar,
  type Done,
  type Scheduled,
  type ScheduledRun,
} from '../schedule/due.ts';
import { clockWeeks } from '../schedule/weeks.ts';
import type { Clock } from '../model/ports.ts';
import { apart } from '../model/league-name.ts';
import type { Config } from './config/config.ts';
import { goesByWeeks } from './config/league-mappings.ts';
import { ownOf, withLeagues } from './config/leagues.ts';
import { leagueIn, leagueNumber } from './league-number.ts';
import type { Session } from './session.ts';

/** A mapping whose times are set. */
type Timed = Mapping & { readonly timing: NonNullable<Mapping['timing']> };

const hasSchedule = (mapping: Mapping): mapping is Timed => (mapping.timing?.schedule.length ?? 0) > 0;

/** A league of an account whose schedules are carried out. */
export interface TimedLeague {
  /** Undefined where the folder has one league. */
  readonly name: string | undefined;
  /** The configuration of this league alone. */
  readonly config: Config;
  readonly timed: readonly Timed[];
  /** The number of the fantasy league whose game weeks are read; undefined where none is kept. */
  readonly kept: number | undefined;
}

/** The leagues of an account with their mappings that have a schedule; those whose game weeks are not kept and that have none are left out. */
export function timedLeagues(config: Config, mappings: readonly Mapping[]): readonly TimedLeague[] {
  const timed = mappings.filter(hasSchedule);
  const chosen = config.leagues.filter((league) => league.chosen);
  const [first] = chosen;
  const leagues: readonly TimedLeague[] =
    first === undefined
      ? [{ name: undefined, config, timed, kept: keptLeague(config) }]
      : chosen.map((league) => ({
          name: league.name,
          config: withLeagues({ ...config, ...ownOf(league) }, [league]),
          timed: timed.filter(({ name }) => (apart(name).league ?? first.name) === league.name),
          kept: keptLeague(league),
        }));
  return leagues.filter((league) => league.timed.length > 0 || league.kept !== undefined);
}

const keptLeague = ({ season, vars }: Pick<Config, 'season' | 'vars'>): number | undefined =>
  season.keep ? leagueNumber(vars['fantasy_league_id']) : undefined;

/** Errors: ConfigError `schedule.none` where nothing is scheduled. */
export function refuseNoSchedule(leagues: readonly TimedLeague[]): void {
  if (leagues.length > 0) return;
  throw new ConfigError('schedule.none', 'no mapping has a schedule', {
    next: 'write schedule: "*/15 8-22 * * *" or schedule: { at: "each.kickoff - 24h" } into a mapping',
  });
}

/** The game weeks of a league, read now, where any schedule goes by them or the league is known. Errors: ConfigError `mapping.variable`; those of the service. */
export async function readCalendar(
  { ports }: Pick<Session, 'ports'>,
  { config: { vars, timezone }, timed }: TimedLeague,
): Promise<Calendar> {
  const written = vars['fantasy_league_id'];
  if (written === undefined && !timed.some(goesByWeeks))
    return { weeks: [], timezone, aheadMs: serviceAheadMs(ports) };
  const league = leagueIn(vars, written === undefined ? ': schedules need the game weeks of the league' : '');
  const { records } = await ports.service.get('get-fixtures', { id: league });
  return { weeks: clockWeeks(records), timezone, aheadMs: serviceAheadMs(ports) };
}

/** By how much the service's clock is ahead of ours, as its answers tell. */
function serviceAheadMs({ service, clock }: Session['ports']): number {
  const heardMs = service.timeMs();
  return heardMs === undefined ? 0 : Math.floor(heardMs) - clock.now();
}

/** A sync writes the one, and the reading of a game week the other: neither waits for the other, nor loses what it kept. */
const factOf = (mapping: string): string => `schedule:${mapping}`;
const againFactOf = (mapping: string): string => `schedule_again:${mapping}`;

/** The mappings with what the schedule has done for them; where the time of the schedules `isHeard` of the service, as far as it has come by that: a clock may also be behind. */
export async function readDone(
  store: Pick<Store, 'fact'>,
  account: ServiceAccount,
  timed: readonly Timed[],
  calendar: Calendar,
  nowMs: number,
  isHeard: boolean,
): Promise<readonly Scheduled[]> {
  const jobs: Scheduled[] = [];
  for (const { name, timing } of timed) {
    const kept = await store.fact(account, factOf(name));
    const again = await store.fact(account, againFactOf(name));
    // Only this file writes the facts.
    const read = kept === undefined ? undefined : (JSON.parse(kept.value) as Done);
    const done = isHeard ? withoutAhead(read, timing, calendar, nowMs) : read;
    const isAgain = again === undefined ? undefined : (JSON.parse(again.value) as Again);
    jobs.push({
      mapping: name,
      timing,
      done: isAgain === undefined ? done : withAgain(done, timing, isAgain, nowMs),
      ...(done !== read && { isMended: true }),
    });
  }
  return jobs;
}

/** Keeps what the schedule has done, by mapping. */
export async function keepDone(
  store: Pick<Store, 'setFacts'>,
  account: ServiceAccount,
  done: ReadonlyMap<string, Done>,
): Promise<void> {
  const facts = Array.from(done, ([mapping, each]) => ({
    name: factOf(mapping),
    value: JSON.stringify(each),
  }));
  await store.setFacts(account, facts);
}

/** Has mappings carry out a game week again. */
export async function keepAgain(
  store: Pick<Store, 'setFacts'>,
  account: ServiceAccount,
  mappings: readonly string[],
  again: Again,
): Promise<void> {
  const value = JSON.stringify(again);
  await store.setFacts(
    account,
    mappings.map((name) => ({ name: againFactOf(name), value })),
  );
}

const calendarFact = (league: string | undefined): string => `schedule_calendar:${league ?? ''}`;

/** Keeps the game weeks and the clock that the schedules of a league go by, so that what only reads the state can tell what comes. */
export const keepCalendar = (
  store: Pick<Store, 'setFact'>,
  account: ServiceAccount,
  league: string | undefined,
  { weeks, aheadMs }: Calendar,
): Promise<void> =>
  store.setFact(account, calendarFact(league), JSON.stringify({ weeks, aheadMs, machine: hostname() }));

interface KeptCalendar extends Pick<Calendar, 'weeks' | 'aheadMs'> {
  /** Whose clock was so far from the service's. */
  readonly machine?: string;
}

/** A run that comes, and how far away it is by the service's clock. */
interface ComingRun extends ScheduledRun {
  readonly inMs: number;
}

/** The next runs of the mappings with a schedule, and when the game weeks that they go by were read first; by what is kept. */
export interface Coming {
  readonly runs: ReadonlyMap<string, ComingRun>;
  readonly calendarAtMs: number | undefined;
}

/** What comes next of mappings, in whichever account each is. */
export async function comingByMapping(
  store: Pick<Store, 'fact'>,
  accounts: readonly ServiceAccount[],
  mappings: readonly Mapping[],
  timezone: string,
  clock: Pick<Clock, 'now'>,
): Promise<Coming> {
  const runs = new Map<string, ComingRun>();
  const times: number[] = [];
  for (const [league, timed] of Map.groupBy(mappings.filter(hasSchedule), ({ name }) => apart(name).league)) {
    const kept = await keptCalendar(store, accounts, league, timezone);
    if (kept.atMs !== undefined) times.push(kept.atMs);
    const nowMs = scheduleNow(kept, clock);
    for (const account of accounts)
      for (const job of await readDone(store, account, timed, kept, nowMs, true)) {
        const [next] = nextRuns(job, kept, nowMs, 1);
        // A mapping is known in one account.
        if (next !== undefined && (job.done !== undefined || !runs.has(job.mapping)))
          runs.set(job.mapping, { ...next, inMs: next.atMs - nowMs });
      }
  }
  return { runs, calendarAtMs: times.length === 0 ? undefined : Math.min(...times) };
}

/**
 * The game weeks as they were last kept, and when; without weeks and time where they never were. `isOurs`: this machine kept them, so that its clock is as far from
 * the service's as they say.
 */
export async function keptCalendar(
  store: Pick<Store, 'fact'>,
  accounts: readonly ServiceAccount[],
  league: string | undefined,
  timezone: string,
): Promise<Calendar & { readonly atMs: number | undefined; readonly isOurs: boolean }> {
  for (const account of accounts) {
    const kept = await store.fact(account, calendarFact(league));
    if (kept === undefined) continue;
    // Only keepCalendar writes the fact.
    const { weeks, aheadMs, machine } = JSON.parse(kept.value) as KeptCalendar;
    return { weeks, aheadMs, timezone, atMs: kept.atMs, isOurs: machine === hostname() };
  }
  return { weeks: [], aheadMs: 0, timezone, atMs: undefined, isOurs: false };
}
