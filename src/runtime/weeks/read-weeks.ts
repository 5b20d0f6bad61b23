import { ConfigError, EXIT, RefusedError, type ExitCode, type TeamsheetError } from '../../model/error.ts';
import { requestsMade } from '../../model/requests-made.ts';
import type { RequestCounts } from '../../model/state/store.ts';
import { worstExit } from '../../model/worst-exit.ts';
import { nameOfWeek } from '../../season/game-week.ts';
import { Keeper } from '../../sync/memory/keeper.ts';
import { keepingService } from '../../sync/memory/keeping-service.ts';
import { leagueWeeks } from '../../sync/memory/league-weeks.ts';
import { markTriggered } from '../../sync/memory/processed.ts';
import { nextKnownWeek } from '../../sync/memory/known-weeks.ts';
import { serviceNow } from '../../sync/memory/service-time.ts';
import { logPages } from '../../sync/pulling/substitution-log.ts';
import { stillNewSince } from '../../sync/pulling/reuse.ts';
import { openAccount } from '../../sync/plan/plan-sync.ts';
import type { OpenAccount } from '../../sync/ports.ts';
import { beginPull, duringPull, endPull, storedPull, unfinishedPull } from '../../sync/runs/pull-runs.ts';
import { pointsCost, weekCost, type WeekCost } from '../../sync/weeks/cost.ts';
import { listWeeks, scopesOf, type RememberedLeague } from '../../sync/weeks/list-weeks.ts';
import { prepareReading, type WeekReading } from '../../sync/weeks/read-week.ts';
import type { Config } from '../config/config.ts';
import { isNoMapping, isPull, readMappings } from '../config/mappings.ts';
import { leagueNumber, noLeague } from '../league-number.ts';
import { keepSettings } from '../pull-reports.ts';
import { rememberedAccount } from '../remembered-account.ts';
import type { Session } from '../session.ts';

/**
 * The fantasy leagues that a configuration is about: those of its variables, else those that its mappings name.
 * Errors: ConfigError `mapping.variable` where nothing names one; those of reading mappings.
 */
export function leaguesOf(config: Config, cwd: string): readonly number[] {
  const chosen = config.leagues.filter(({ chosen: isChosen }) => isChosen);
  const vars = chosen.length === 0 ? [config.vars] : chosen.map((league) => league.vars);
  const named = vars.flatMap((each) => leagueNumber(each['fantasy_league_id']) ?? []);
  if (named.length > 0) return [...new Set(named)];
  const found = namedByMappings(config, cwd);
  if (found.length > 0) return [...new Set(found)];
  throw noLeague(undefined);
}

function namedByMappings(config: Config, cwd: string): readonly number[] {
  try {
    return readMappings(config, [], { cwd }, 'pull', () => undefined)
      .filter(isPull)
      .flatMap(({ where }) => leagueNumber(where['fantasy_league_id']) ?? []);
  } catch (error) {
    // A folder without mappings that pull names no league.
    if (isNoMapping(error)) return [];
    throw error;
  }
}

/** What is remembered of an account, and what reading the week costs that each league shows. */
export interface WeeksShown {
  readonly leagues: readonly RememberedLeague[];
  readonly costs: readonly LeagueCost[];
}

/** What reading the week costs that a league shows. */
interface LeagueCost extends WeekCost {
  readonly league: number;
  /** Otherwise they are found in the line-ups, and each costs a request beside. */
  readonly knowsPlayers: boolean;
}

/** The game weeks that are remembered and, unless it is offline, what reading the current ones costs: the league, its fixtures, one page of its squads and one of its log of substitutions are read for that. */
export async function showWeeks(session: Session, offline: boolean, cwd: string): Promise<WeeksShown> {
  const { ports, config } = session;
  if (offline) {
    const account = await rememberedAccount(session);
    return { leagues: await listWeeks(ports, account), costs: [] };
  }
  const account = await openAccount(ports);
  const scopes = await scopesOf(ports, account.service);
  const known = scopes.length > 0 ? scopes.map(({ league }) => league) : leaguesOf(config, cwd);
  const shown: number[] = [];
  for (const league of known)
    if (await readShownWeek(session, account, league, scopes.length > 0)) shown.push(league);
  const leagues = await listWeeks(ports, account.service);
  const costs: LeagueCost[] = [];
  for (const league of shown) costs.push(await costOf(session, account, league, leagues));
  return { leagues, costs };
}

/** Learns which game week a league shows; false, with a warning, where the service refuses to show a league that is remembered, as it may one of an old season. */
async function readShownWeek(
  { ports, config }: Session,
  account: OpenAccount,
  id: number,
  isRemembered: boolean,
): Promise<boolean> {
  const season = keepSettings(config);
  const keeper = new Keeper({ ...ports, account: account.service, season });
  const { signal } = ports;
  const service = keepingService(ports.service, keeper);
  try {
    await service.get('get-fantasy-league', { id, signal });
    await service.get('get-fixtures', { id, signal });
  } catch (error) {
    if (!isRemembered || !(error instanceof RefusedError)) throw error;
    const message = `what the service shows of fantasy league ${id} is not known: ${error.message}`;
    ports.emit({ kind: 'warning', message });
    return false;
  } finally {
    await keeper.end();
  }
  return true;
}

async function costOf(
  { ports }: Session,
  { service: account, record }: OpenAccount,
  league: number,
  leagues: readonly RememberedLeague[],
): Promise<LeagueCost> {
  const { service, store, clock, signal } = ports;
  const scope = { account, league };
  const { records, paging } = await service.get('list-squads', {
    query: { fantasy_league_id: league },
    signal,
  });
  const squads = Math.max(paging?.total ?? 0, records.length);
  const shown = leagues.find((each) => each.league === league)?.weeks.at(-1);
  const { sinceMs } = await stillNewSince(scope, { service, store, clock, continuedSinceMs: undefined });
  const isNew = (counted: { readonly ids: number; readonly oldestMs: number } | undefined): number =>
    counted !== undefined && counted.oldestMs >= sinceMs ? counted.ids : 0;
  const counts = await store.memory.weeks(scope);
  const ofPlayers = counts.filter(({ kind }) => kind === 'player');
  const players = Math.max(0, ...ofPlayers.map(({ ids }) => ids));
  const next = await nextKnownWeek(store.memory, scope, shown?.week.id);
  const toRead = {
    lineups: Math.max(0, squads - isNew(shown?.lineups)),
    details: Math.max(0, squads - isNew(shown?.squads)),
    players: Math.max(0, players - isNew(ofPlayers.find(({ gameWeek }) => gameWeek === shown?.week.id))),
    pages: Math.ceil(squads / Math.max(1, records.length)) + (await logPages(ports, scope)),
    points: pointsCost((await store.fact(account, `points_config_id:${league}`)) !== undefined),
  };
  const nowMs = await serviceNow(ports, account);
  const cost = weekCost(record, toRead, next?.startMs ?? Number.NaN, next && nameOfWeek(next), nowMs);
  return { ...cost, league, knowsPlayers: players > 0 };
}

/** What a reading of one league came to, and the week as it is remembered then. */
export interface LeagueReading extends WeekReading {
  readonly league: number;
  readonly week: RememberedLeague['weeks'][number] | undefined;
  /** Weeks that are over and were not read in time, by their names. */
  readonly missing: readonly string[];
}

/** What reading came to in all leagues. */
export interface WeeksRead {
  readonly exitCode: ExitCode;
  readonly leagues: readonly LeagueReading[];
  readonly requests: RequestCounts;
  readonly stoppedBy: TeamsheetError | undefined;
}

/** Reads the game week that each league shows; what an unfinished reading of it within a day has read is not read again. Errors: those of the account and of {@link leaguesOf}. */
export async function readWeeks(session: Session, cwd: string): Promise<WeeksRead> {
  const { ports, config } = session;
  if (!config.season.keep)
    throw new ConfigError('season.off', 'season: { keep: false } keeps nothing of what is read', {
      next: 'leave keep out of season in teamsheet.yaml',
    });
  const numbers = leaguesOf(config, cwd);
  const account = await openAccount(ports);
  const leagues: LeagueReading[] = [];
  for (const league of numbers) leagues.push(await readLeague(session, account, league));
  const stops = leagues.flatMap(({ stoppedBy }) => stoppedBy ?? []);
  const exitCode = worstExit(stops.map((stop) => stop.exitCode));
  return { exitCode, leagues, requests: requestsMade(ports.service), stoppedBy: stops[0] };
}

async function readLeague(session: Session, account: OpenAccount, league: number): Promise<LeagueReading> {
  const { ports, config } = session;
  const before = await unfinishedPull(
    ports,
    account.service,
    (run) => run.command === 'weeks' && storedPull(run).league === league,
  );
  const stored = { pulls: [], league, limit: undefined, partial: false };
  const { run, sinceMs } = await beginPull(ports, 'weeks', account.service, stored, before, false);
  const season = keepSettings(config);
  const { current, ...came } = await duringPull(ports, run, async () => {
    const reading = await prepareReading({ ...ports, season }, account, league, sinceMs);
    try {
      return { current: reading.current, ...(await reading.read()) };
    } finally {
      await reading.close();
    }
  });
  await endPull(ports, run, {
    summaries: [],
    exitCode: came.stoppedBy?.exitCode ?? EXIT.done,
    finished: came.stoppedBy === undefined,
  });
  await markTriggered(ports, account.service, league);
  const nowMs = await serviceNow(ports, account.service);
  const weeks = await leagueWeeks(ports.store.memory, { account: account.service, league }, nowMs);
  return {
    ...came,
    league,
    week: weeks.find(({ week }) => week.id === current),
    missing: weeks.filter(({ note }) => note?.code === 'missed').map(({ week }) => nameOfWeek(week)),
  };
}
