import type { RecordOf } from '../../contract/index.ts';
import { IncompleteError, InterruptedError, RefusedError, UnavailableError } from '../../model/error.ts';
import type { KeptKind, LeagueScope } from '../../model/state/memory.ts';
import { shownWeek } from '../../season/kept.ts';
import { Keeper, type KeepSettings } from '../memory/keeper.ts';
import { latestKept, weeksFrom } from '../memory/known-weeks.ts';
import { markLogged, markTriggered } from '../memory/processed.ts';
import { serviceNow } from '../memory/service-time.ts';
import { leagueWatch } from '../pulling/lineup-watch.ts';
import { newInLog } from '../pulling/substitution-log.ts';
import { idsInState } from '../pulling/players.ts';
import {
  eachRead,
  NAMES_NOTHING,
  openContext,
  readOne,
  take,
  type Read,
  type ReadContext,
} from '../pulling/read.ts';
import { readPointsConfig } from '../pulling/resources.ts';
import { stillNewSince } from '../pulling/reuse.ts';
import { drain } from '../pulling/share.ts';
import { filteredList, idList, LEFT_OUT } from '../pulling/squads.ts';
import type { OpenAccount, SyncPorts } from '../ports.ts';

/** What reading the game week that a league shows came to. */
export interface WeekReading {
  /** What was read now. */
  readonly read: ReadCounts;
  /** What was to be read and could not be had, or not yet where something stopped it. */
  readonly left: ReadCounts;
  /** What stopped it, or the first that could not be had; undefined where everything was asked for and answered. */
  readonly stoppedBy: Stop | undefined;
}
type Stop = IncompleteError | InterruptedError | UnavailableError;

/** How many records of each kind. */
export interface ReadCounts {
  readonly lineups: number;
  readonly squads: number;
  readonly players: number;
}

/** What a reading works with. */
export type ReadWeekPorts = Pick<
  SyncPorts,
  'service' | 'store' | 'clock' | 'settleMs' | 'maxWaitMs' | 'emit' | 'signal' | 'concurrency'
> & { readonly season: KeepSettings };

/** A reading that knows what there is to read. */
export interface PreparedReading {
  /** The game week that the league shows; undefined where it shows none. */
  readonly current: string | undefined;
  /** Reads it: line-ups first, then squads and players. Errors: those that are no stop. */
  readonly read: () => Promise<WeekReading>;
  /** Keeps what was read. */
  readonly close: () => Promise<void>;
}

/**
 * Reads what says how much there is to be read: the league, its fixtures, its squads and the log of substitutions. What was read of the current week within a day, since its end and since its
 * substitutions were processed is not read again, and what an unfinished reading has read since `continuedSinceMs` is not either.
 */
export async function prepareReading(
  ports: ReadWeekPorts,
  account: OpenAccount,
  league: number,
  continuedSinceMs: number | undefined,
): Promise<PreparedReading> {
  const scope = { account: account.service, league };
  const beganMs = await serviceNow(ports, account.service);
  const own = { ...ports, account: account.service, counted: account.record };
  const keeper = new Keeper(own);
  const context = { ...openContext(own, keeper, 'weeks'), continuedSinceMs };
  try {
    const current = shownWeek(await readOne('get-fantasy-league', league, context));
    await context.service.get('get-fixtures', { id: league, signal: ports.signal });
    const squads = await squadsToRead(scope, context);
    // The log comes before the line-ups, so that these are known to be read after it.
    await drain(take(newInLog(league), context));
    await keeper.flush();
    await markTriggered(ports, account.service, league);
    await markLogged(ports.store, scope);
    const task = { scope, current, context, squads, beganMs };
    return {
      current,
      read: () => readAll(task),
      close: () => keeper.end(),
    };
  } catch (error) {
    await keeper.end();
    throw error;
  }
}

/** The squads of a league, without those of members who are forgotten: nothing of them would be kept. */
async function squadsToRead(
  { account, league }: LeagueScope,
  context: ReadContext,
): Promise<readonly string[]> {
  const forgotten = new Set(await context.store.memory.forgotten(account));
  const squads: string[] = [];
  for await (const page of take(filteredList('list-squads', { fantasy_league_id: league }), context))
    for (const { id, user } of page) if (!forgotten.has(user?.external_id ?? '')) squads.push(id);
  return squads;
}

interface Task {
  readonly scope: LeagueScope;
  readonly current: string | undefined;
  readonly context: ReadContext;
  readonly squads: readonly string[];
  /** By the service's clock. */
  readonly beganMs: number;
}

/** The ids that were not read since it counts, and not since `beganMs` where it is given: what a running week shows now is to be read again later, and not by this reading. */
async function notRead(
  ids: readonly string[],
  kind: Extract<KeptKind, 'lineup' | 'squad' | 'player'>,
  { scope, current, context }: Task,
  beganMs = Infinity,
): Promise<readonly string[]> {
  if (current === undefined) return ids;
  const sinceMs = Math.min((await stillNewSince(scope, context)).sinceMs, beganMs);
  const known = new Set<string>();
  const { memory } = context.store;
  for (const week of await weeksFrom(memory, scope, current))
    for (const [id, readAtMs] of await memory.readAt(scope, week, kind))
      if (readAtMs >= sinceMs) known.add(id);
  return ids.filter((id) => !known.has(id.toLowerCase()));
}

/** The players of the line-ups of the week and of the prices that were pushed: the service lists none. */
async function knownPlayers({ scope, current, context }: Task): Promise<readonly string[]> {
  const ids = new Set<string>();
  for await (const id of idsInState(scope.league, context)) ids.add(String(id));
  const { memory } = context.store;
  // The next week may have begun before their line-ups were read, and late squads show it before.
  for (const week of current === undefined ? [] : await weeksFrom(memory, scope, current))
    for await (const { record } of latestKept(memory, scope, week, 'lineup')) {
      const { squad } = record as RecordOf<'get-lineup'>;
      for (const { player } of [...(squad?.starting_xi ?? []), ...(squad?.bench ?? [])])
        if (/^\d{1,15}$/.test(player?.id ?? '')) ids.add(String(Number(player?.id)));
    }
  return [...ids];
}

async function leftOf(task: Task): Promise<ReadCounts> {
  const { beganMs } = task;
  const lineups = await notRead(task.squads, 'lineup', task, beganMs);
  const squads = await notRead(task.squads, 'squad', task, beganMs);
  const players = await notRead(await knownPlayers(task), 'player', task, beganMs);
  return { lineups: lineups.length, squads: squads.length, players: players.length };
}

async function readAll(task: Task): Promise<WeekReading> {
  const { scope, current, context, squads } = task;
  const { league } = scope;
  const read = { lineups: 0, squads: 0, players: 0 };
  let stoppedBy: Stop | undefined;
  // One squad that the service fails to show must not keep the others from being read.
  const failed = (failure: UnavailableError): void => {
    stoppedBy ??= failure;
  };
  const each = async (part: keyof ReadCounts, records: Read): Promise<void> => {
    try {
      for await (const batch of take(records, context)) read[part] += batch.length;
    } catch (error) {
      // Where none can be had, the week has none yet.
      if (!(error instanceof RefusedError)) throw error;
      context.emit({ kind: 'warning', message: `weeks: ${error.message}` });
    }
    await context.flush();
  };
  try {
    const lineups = idList(await notRead(squads, 'lineup', task));
    await each(
      'lineups',
      eachRead(lineups, {
        ...{ operation: 'get-lineup', noun: 'line-up', absent: SHOWS_NOTHING, failed },
        watch: (context, ids) => leagueWatch(league, context, ids, current),
      }),
    );
    const details = idList(await notRead(squads, 'squad', task));
    await each(
      'squads',
      eachRead(details, { operation: 'get-squad', noun: 'squad', absent: SHOWS_NOTHING, failed }),
    );
    await readPoints(league, context);
    const query = { fantasy_league_id: league };
    const players = idList((await notRead(await knownPlayers(task), 'player', task)).map(Number));
    await each(
      'players',
      eachRead(players, { operation: 'get-player', query, noun: 'player', absent: SHOWS_NOTHING, failed }),
    );
  } catch (error) {
    if (!isStop(error)) throw error;
    stoppedBy = error;
  }
  await context.flush();
  // Line-ups may tell only now of which week the records of the log are.
  await markLogged(context.store, scope);
  return { read, left: await leftOf(task), stoppedBy };
}

/** One squad that has nothing to show must not keep the others from being read, however the service says so. */
const SHOWS_NOTHING = [...new Set([...LEFT_OUT, ...NAMES_NOTHING])];

const isStop = (error: unknown): error is Stop =>
  error instanceof IncompleteError || error instanceof InterruptedError || error instanceof UnavailableError;

/** A league may have no points configuration, or none that can be found. */
async function readPoints(league: number, context: ReadContext): Promise<void> {
  try {
    await readPointsConfig(league, context);
  } catch (error) {
    if (!(error instanceof UnavailableError) || !error.code.startsWith('points_config.')) throw error;
    context.emit({ kind: 'note', message: `weeks: ${error.message}` });
  }
}
