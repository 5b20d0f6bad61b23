import type { Mapping } from '../../mapping/mapping.ts';
import type { Clock } from '../../model/ports.ts';
import type { ServiceAccount, Store } from '../../model/state/store.ts';
import { readConfig, type Config } from '../../runtime/config/config.ts';
import { connectionOf, environmentOf, type Connection } from '../../runtime/config/connection.ts';
import { accountsOf, runsIn } from '../../runtime/config/leagues.ts';
import { isNoMapping, readMappings } from '../../runtime/config/mappings.ts';
import { accountOfKey } from '../../runtime/remembered-account.ts';
import {
  keptCalendar,
  readCalendar,
  readDone,
  refuseNoSchedule,
  timedLeagues,
  type TimedLeague,
} from '../../runtime/schedules.ts';
import { rememberedBaseUrl, type OpenState } from '../../runtime/state.ts';
import { readReadings } from '../../runtime/weeks/week-readings.ts';
import { scheduleNow, type Calendar } from '../../schedule/due.ts';
import type { LookedLeague } from '../../schedule/runner.ts';
import { aheadSince } from '../../sync/memory/service-time.ts';
import { openAccount } from '../../sync/plan/plan-sync.ts';
import type { Program } from '../program.ts';
import { withAccount, type SessionArgs } from '../session.ts';

/** The accounts of the leagues, each with its leagues and what is scheduled in them. Errors: those of the configuration and of {@link refuseNoSchedule}. */
export function scheduledAccounts(
  names: readonly string[],
  args: SessionArgs,
  program: Program,
): readonly ScheduledAccount[] {
  const config = readConfig(args, program);
  const accounts = withSchedules(accountsOf(config), mappingsOf(config, names, program), names);
  refuseNoSchedule(accounts.flatMap(({ leagues }) => leagues));
  return accounts;
}

/** The account of one environment; nothing where nothing is scheduled in it. What only a comparison with other accounts shows is left to the sync. Errors: those of the configuration. */
export function scheduledAccount(
  environment: string,
  args: SessionArgs,
  program: Program,
): readonly ScheduledAccount[] {
  const all = accountsOf(readConfig(args, program));
  return all
    .filter((config) => environmentOf(config) === environment)
    .flatMap((config) => {
      const leagues = config.leagues.filter(({ chosen }) => chosen);
      return withSchedules([config], mappingsOf({ ...config, leagues }, [], program), []);
    });
}

function withSchedules(
  accounts: readonly Config[],
  mappings: readonly Mapping[],
  names: readonly string[],
): readonly ScheduledAccount[] {
  const scheduled = accounts.map((account) => {
    const ours = mappings.filter(({ name }) => runsIn(account, name));
    const leagues = timedLeagues(account, ours);
    // Who names mappings wants these alone.
    return { config: account, leagues: names.length === 0 ? leagues : leagues.map(withoutReadings) };
  });
  return scheduled.filter(({ leagues }) => leagues.length > 0);
}

/** An account with the leagues in which something is scheduled. */
export interface ScheduledAccount {
  readonly config: Config;
  readonly leagues: readonly TimedLeague[];
}

const withoutReadings = (league: TimedLeague): TimedLeague => ({ ...league, kept: undefined });

/** Game weeks are read without any mapping. */
function mappingsOf(config: Config, names: readonly string[], program: Program): readonly Mapping[] {
  try {
    return readMappings(config, names, program);
  } catch (error) {
    if (isNoMapping(error) && names.length === 0) return [];
    throw error;
  }
}

/** What was read of the service for the schedules of one account. */
export interface ReadAccount {
  readonly atMs: number;
  readonly account: ServiceAccount;
  /** By the names of its leagues. */
  readonly calendars: ReadonlyMap<string | undefined, Calendar>;
}

/** Game weeks are read again when they are older, and before a run that goes by them. */
const CALENDAR_MAX_AGE_MS = 60 * 60 * 1000;

/** Whether the service was heard lately, so that its time is known: our clock may have been set since. */
export const isFresh = ({ atMs }: Pick<ReadAccount, 'atMs'>, clock: Pick<Clock, 'now'>): boolean =>
  Math.abs(clock.now() - atMs) <= CALENDAR_MAX_AGE_MS;

/** Reads the account and its game weeks. Errors: those of {@link readCalendar} and of the session. */
export const readAccount = (
  { config, leagues }: ScheduledAccount,
  args: SessionArgs,
  program: Program,
): Promise<ReadAccount> =>
  withAccount(
    config,
    args,
    program,
    async (session) => {
      const { service: account } = await openAccount(session.ports);
      const calendars = new Map<string | undefined, Calendar>();
      for (const league of leagues) calendars.set(league.name, await readCalendar(session, league));
      return { atMs: program.clock.now(), account, calendars };
    },
    { readOnly: true, isPart: true },
  );

/** The same as it was read last, by what the state keeps; undefined where it was never read. What another machine read is as old as can be: its clock is another one. */
export async function keptAccount(
  { config, leagues }: ScheduledAccount,
  state: OpenState,
): Promise<ReadAccount | undefined> {
  const account = await knownAccount(state, connectionOf(config));
  if (account === undefined) return undefined;
  const calendars = new Map<string | undefined, Calendar>();
  const times: number[] = [];
  for (const { name, config: own } of leagues) {
    const { atMs, isOurs, ...calendar } = await keptCalendar(state.store, [account], name, own.timezone);
    times.push(isOurs && atMs !== undefined ? atMs : -Infinity);
    if (atMs !== undefined) calendars.set(name, calendar);
  }
  return calendars.size === 0 ? undefined : { atMs: Math.min(...times), account, calendars };
}

/** The account of a connection, as the state knows it; undefined where it does not. */
export async function knownAccount(
  { store, budget }: Pick<OpenState, 'store' | 'budget'>,
  { baseUrl, apiKey }: Pick<Connection, 'baseUrl' | 'apiKey'>,
): Promise<ServiceAccount | undefined> {
  return accountOfKey({ store, budget }, await rememberedBaseUrl(store, baseUrl), apiKey);
}

/** What the state knows of the schedules of a league. */
export async function lookAt(
  { name: league, timed, kept }: TimedLeague,
  last: ReadAccount,
  store: Store,
  { clock }: Program,
): Promise<LookedLeague> {
  const { account, calendars } = last;
  const read = calendars.get(league);
  // A league that was added since the account was read has none yet.
  if (read === undefined) return { league, jobs: [], calendar: NO_WEEKS, readings: undefined };
  // Runs may have heard the service's clock closer since, and their marks go by it.
  const calendar = { ...read, aheadMs: await aheadSince(store, account, read.aheadMs) };
  const nowMs = scheduleNow(calendar, clock);
  const jobs = await readDone(store, account, timed, calendar, nowMs, isFresh(last, clock));
  const readings = kept === undefined ? undefined : await readReadings(store, account, kept, calendar, clock);
  return { league, jobs, calendar, readings };
}

const NO_WEEKS: Calendar = { weeks: [], timezone: 'UTC', aheadMs: 0 };
