import type { Mapping } from '../../mapping/mapping.ts';
import { EXIT, TeamsheetError, type ExitCode } from '../../model/error.ts';
import type { ServiceAccount } from '../../model/state/store.ts';
import { readConfig, type Config } from '../../runtime/config/config.ts';
import { environmentOf } from '../../runtime/config/connection.ts';
import { keepCalendar, keepDone } from '../../runtime/schedules.ts';
import { withState, type OpenState } from '../../runtime/state.ts';
import type { ScheduledRun } from '../../schedule/due.ts';
import type { LeagueReading, Looked, LookedLeague, RunnerEvent, RunnerPorts } from '../../schedule/runner.ts';
import type { Program } from '../program.ts';
import { renderStop } from '../render/stop.ts';
import { safeText } from '../render/text.ts';
import { renderTime } from '../../model/time/render-time.ts';
import type { SessionArgs } from '../session.ts';
import {
  isFresh,
  keptAccount,
  lookAt,
  readAccount,
  scheduledAccount,
  scheduledAccounts,
  type ReadAccount,
  type ScheduledAccount,
} from './accounts.ts';
import { alertTicker } from './alert-ticker.ts';
import { readDueWeek } from './read-week.ts';

/** A service that did not answer is asked for them again a minute later. */
const SILENCE_MS = 60_000;

/** Our clock was set, or the machine slept, where it and the monotonic one have gone further apart than this. */
const CLOCK_SET_MS = 10_000;

/** What the loop of schedules works through, beside the sync. */
export interface Schedules extends Pick<RunnerPorts, 'look' | 'remember' | 'read' | 'idle'> {
  /** The exit codes of environments that do not answer: of these, what was read before counts. */
  readonly unread: () => readonly ExitCode[];
}

/** What schedules are carried out here. */
interface Ours {
  /** Of one environment alone. */
  readonly environment: string;
  readonly has: (mapping: Mapping) => boolean;
}

/** The schedules of the named mappings, or of all. */
export function schedulesOf(
  names: readonly string[],
  args: SessionArgs,
  program: Program,
  ours?: Ours,
): Schedules {
  const { clock, screen } = program;
  /** By environment: one account each. */
  const read = new Map<string, ReadAccount & { readonly apartMs: number }>();
  /** The account that knows a mapping. */
  const accountOf = new Map<string, ServiceAccount>();
  const accounts = (): readonly ScheduledAccount[] =>
    ours === undefined
      ? scheduledAccounts(names, args, program)
      : scheduledAccount(ours.environment, args, program);
  const inState = <T>(config: Config, work: (state: OpenState) => Promise<T>): Promise<T> =>
    withState(config, clock, (message) => screen.warn(message, true), work);
  const kept = (scheduled: ScheduledAccount): Promise<ReadAccount | undefined> =>
    inState(scheduled.config, (state) => keptAccount(scheduled, state));
  /** When an environment was asked and did not answer, by the monotonic clock, and the exit code that says so. */
  const silent = new Map<string, Pick<TeamsheetError, 'exitCode' | 'code'> & { readonly atMs: number }>();
  /**
   * Reads an account where it is time; in an outage, what was read before counts, so that what is due is tried, and told of. Undefined where nothing was, and
   * there are `others`, which go on.
   */
  const refresh = async (
    scheduled: ScheduledAccount,
    isDue: boolean,
    others: boolean,
  ): Promise<ReadAccount | undefined> => {
    const name = environmentOf(scheduled.config);
    const apartMs = clock.now() - clock.monotonic();
    // A job, or another process of this machine, may have read it since: our clock may have been set, and what is no more due would be due here.
    if (!isDue && ours !== undefined) {
      const known = await kept(scheduled);
      if (known !== undefined && isFresh(known, clock) && known.atMs !== read.get(name)?.atMs)
        read.set(name, { ...known, apartMs });
    }
    const old = read.get(name);
    const isSet = old !== undefined && Math.abs(apartMs - old.apartMs) > CLOCK_SET_MS;
    if (old !== undefined && !isDue && !isSet && isFresh(old, clock)) return old;
    if (clock.monotonic() - (silent.get(name)?.atMs ?? -Infinity) < SILENCE_MS) return old;
    try {
      const now = await readAccount(scheduled, args, program);
      read.set(name, { ...now, apartMs });
      silent.delete(name);
      await inState(scheduled.config, async ({ store }) => {
        for (const [league, calendar] of now.calendars)
          await keepCalendar(store, now.account, league, calendar);
      });
      return now;
    } catch (error) {
      if (!(error instanceof TeamsheetError) || program.signal.aborted) throw error;
      const known = old ?? (await kept(scheduled));
      if (known === undefined && !others) throw error;
      // The service is asked again soon, whenever that was.
      if (known !== undefined) read.set(name, old ?? { ...known, atMs: -Infinity, apartMs });
      const { exitCode, code } = error;
      if (silent.get(name)?.code !== code) tell({ kind: 'unread', error }, args, program);
      silent.set(name, { atMs: clock.monotonic(), exitCode, code });
      return known;
    }
  };
  const look = async (isDue: boolean): Promise<Looked> => {
    const looked: LookedLeague[] = [];
    const all = accounts();
    for (const scheduled of all) {
      const now = await refresh(scheduled, isDue, all.length > 1);
      if (now === undefined) continue;
      await inState(scheduled.config, async ({ store }) => {
        for (const league of scheduled.leagues) {
          for (const { name } of league.timed) accountOf.set(name, now.account);
          const timed = league.timed.filter((mapping) => ours?.has(mapping) !== false);
          looked.push(await lookAt({ ...league, timed }, now, store, program));
        }
      });
    }
    return looked;
  };
  return {
    look,
    idle: alertTicker(args, program),
    unread: () => Array.from(silent.values(), ({ exitCode }) => exitCode),
    remember: async (done) => {
      if ([...done.keys()].some((name) => !accountOf.has(name))) await look(true);
      await inState(readConfig(args, program), async ({ store }) => {
        for (const [account, ours] of Map.groupBy(done, ([name]) => accountOf.get(name)))
          if (account !== undefined) await keepDone(store, account, new Map(ours));
      });
    },
    read: async (due) => {
      for (const { config, leagues } of accounts()) {
        const league = leagues.find(({ name }) => name === due.of.league);
        const account = read.get(environmentOf(config))?.account;
        if (league !== undefined && account !== undefined)
          return readDueWeek(due, league, account, args, program);
      }
      return EXIT.done;
    },
  };
}

/** Tells a person. */
export function tell(event: RunnerEvent, args: SessionArgs, program: Program): void {
  const { screen, clock } = program;
  if (event.kind === 'unread') {
    screen.tell(renderStop(event.error, program));
    return;
  }
  const { timezone } = readConfig(args, program);
  const time = (ms: number): string => renderTime(ms, timezone);
  const now = time(clock.now());
  switch (event.kind) {
    case 'next': {
      const { next } = event;
      screen.say(
        next === undefined
          ? `${now}  nothing comes: type ${program.name} schedule next to see why`
          : `${now}  next: ${'of' in next ? renderReading(next) : renderRun(next)} at ${time(next.atMs)}`,
      );
      break;
    }
    case 'due':
      screen.say(`${now}  due: ${event.runs.map(renderRun).join(', ')}`);
      break;
    case 'ended':
      screen.say(`${now}  ended with exit code ${event.exitCode}`);
      break;
    case 'reading':
      screen.say(`${now}  ${renderReading(event.reading)}`);
  }
}

const renderRun = ({ mapping, week }: ScheduledRun): string =>
  week === undefined ? mapping : `${mapping} (week ${safeText(week.week)})`;

const renderReading = ({ week, of: { league } }: LeagueReading): string =>
  `reading game week ${safeText(week.week)}${league === undefined ? '' : ` of ${safeText(league)}`}`;
