import { EXIT, InternalError, TeamsheetError, type ExitCode } from '../../model/error.ts';
import type { ServiceAccount } from '../../model/store.ts';
import { readConfig } from '../../runtime/config.ts';
import { readMappings } from '../../runtime/mappings.ts';
import { keepCalendar, keepDone, readCalendar, readDone, timedMappings } from '../../runtime/schedules.ts';
import { openState } from '../../runtime/state.ts';
import type { Calendar, ScheduledRun } from '../../schedule/due.ts';
import {
  runOnce,
  runSchedule,
  type Looked,
  type RunnerEvent,
  type RunnerPorts,
} from '../../schedule/runner.ts';
import { openAccount } from '../../sync/plan/plan-sync.ts';
import { withAlerts } from '../with-alerts.ts';
import { alertTicker, deadlinesOfRuns, tellOfTime } from './alert-ticker.ts';
import { parseCommandLine } from '../command-line.ts';
import { runSync, type SyncArgs } from '../commands/sync.ts';
import type { Program } from '../program.ts';
import { renderStop } from '../render/stop.ts';
import { renderTime, safeText } from '../render/text.ts';
import type { Wanted } from '../serve.ts';
import { withSession, type SessionArgs } from '../session.ts';
import { watchTurns } from './watch-turns.ts';

/** Game weeks are read again when they are older, and before a run that goes by them. */
const CALENDAR_MAX_AGE_MS = 60 * 60 * 1000;

/** What was read of the service for the schedule. */
interface Read {
  readonly atMs: number;
  readonly account: ServiceAccount;
  readonly calendar: Calendar;
}

interface ScheduleArgs extends SessionArgs, Pick<Wanted, 'port' | 'probe'> {
  readonly once?: boolean | undefined;
}

/** `schedule run`: carries out the schedules of the named mappings, or of all, until a signal; with `once`, what is due now. */
export async function runSchedules(
  names: readonly string[],
  { once, port, probe, ...args }: ScheduleArgs,
  program: Program,
): Promise<ExitCode> {
  const { screen } = program;
  screen.say('what the schedules push is approved by this command; nothing is asked');
  const own: RunnerPorts = {
    ...program,
    ...schedulesOf(names, args, program),
    sync: (runs) => sync(runs, args, program),
    tell: (event) => tell(event, args, program),
  };
  const { ports, isTurning } = watchTurns(own);
  const { serve } = await import('../serve.ts');
  const serving = await serve({ port, probe, isAlive: isTurning }, args, program);
  try {
    if (serving.link !== undefined) screen.tell(`dashboard: ${serving.link}`);
    if (serving.probe !== undefined)
      screen.say(`probe: ${serving.probe}/healthz and ${serving.probe}/metrics`);
    return once === true ? await runDue(ports, args, program) : await runSchedule(ports);
  } finally {
    await serving.close();
  }
}

/** What is due now; nothing to do is a document too. */
async function runDue(ports: RunnerPorts, args: SessionArgs, program: Program): Promise<ExitCode> {
  const { screen } = program;
  let looked: Looked | undefined;
  const exitCode = await runOnce({
    ...ports,
    look: async (isDue) => (looked = await ports.look(isDue)),
  });
  // A sync tells of itself.
  if (exitCode === undefined && looked !== undefined) await tellOfTime(looked, args, program);
  if (exitCode === undefined && screen.json) {
    const requests = { planned: 0, sent: 0, reads: 0, writes: 0, throttled: 0, waited_ms: 0 };
    await screen.data(
      JSON.stringify({ run: null, command: 'sync', exit_code: EXIT.done, mappings: [], requests }),
    );
  }
  return exitCode ?? EXIT.done;
}

/** The sync that a person would type; what stops it is told, and the schedule goes on. */
async function sync(runs: readonly ScheduledRun[], args: SessionArgs, program: Program): Promise<ExitCode> {
  const names = runs.map(({ mapping }) => mapping);
  const typed = ['sync', ...names, '--yes', ...(program.setting ?? [])];
  const parsed = await parseCommandLine(typed);
  if (parsed.kind === 'help') throw new InternalError('internal.command', 'sync has no arguments');
  try {
    // yargs parsed them by the flags of the command.
    const syncArgs = parsed.args as SyncArgs;
    const work = (running: Program): Promise<ExitCode> => runSync(syncArgs, running, deadlinesOf(runs));
    const own = { ...program, command: 'sync', typed };
    return await withAlerts(syncArgs, own, undefined, work, deadlinesOfRuns(runs, readConfig(args, program)));
  } catch (error) {
    if (!(error instanceof TeamsheetError) || program.signal.aborted) throw error;
    program.screen.tell(renderStop(error, program));
    return error.exitCode;
  }
}

const deadlinesOf = (runs: readonly ScheduledRun[]): Readonly<Record<string, number>> =>
  Object.fromEntries(
    runs.flatMap(({ mapping, deadlineMs }) => (deadlineMs === undefined ? [] : [[mapping, deadlineMs]])),
  );

function schedulesOf(
  names: readonly string[],
  args: SessionArgs,
  program: Program,
): Pick<RunnerPorts, 'look' | 'remember'> {
  const { clock, screen } = program;
  let read: Read | undefined;
  const telling = alertTicker(args, program);
  const timed = () => timedMappings(readMappings(readConfig(args, program), names, program));
  const readNow = (): Promise<Read> =>
    withSession(
      args,
      program,
      async (session) => ({
        atMs: clock.now(),
        account: (await openAccount(session.ports)).service,
        calendar: await readCalendar(session, timed()),
      }),
      { readOnly: true },
    );
  const inState = async <T>(
    work: (store: Awaited<ReturnType<typeof openState>>) => Promise<T>,
  ): Promise<T> => {
    const store = await openState(readConfig(args, program), clock, (message) => screen.warn(message));
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  /** What is due in an outage is tried, and told of. */
  const keepOld =
    (old: Read) =>
    (error: unknown): Read => {
      if (!(error instanceof TeamsheetError) || program.signal.aborted) throw error;
      tell({ kind: 'unread', error }, args, program);
      return old;
    };
  return {
    look: async (isDue) => {
      const before = read;
      if (read === undefined || isDue) read = await readNow();
      else if (clock.now() - read.atMs > CALENDAR_MAX_AGE_MS) read = await readNow().catch(keepOld(read));
      const { account, calendar } = read;
      const isNew = read !== before;
      const jobs = await inState(async (store) => {
        if (isNew) await keepCalendar(store, account, calendar);
        return readDone(store, account, timed());
      });
      // Before a sync nothing is to be waited for.
      if (!isDue) telling({ jobs, calendar });
      return { jobs, calendar };
    },
    remember: async (done) => {
      const { account } = (read ??= await readNow());
      await inState((store) => keepDone(store, account, done));
    },
  };
}

function tell(event: RunnerEvent, args: SessionArgs, program: Program): void {
  const { screen, clock } = program;
  const { timezone } = readConfig(args, program);
  const time = (ms: number): string => renderTime(ms, timezone);
  const now = time(clock.now());
  switch (event.kind) {
    case 'next':
      screen.say(
        event.run === undefined
          ? `${now}  nothing comes: type ${program.name} schedule next to see why`
          : `${now}  next: ${renderRun(event.run)} at ${time(event.run.atMs)}`,
      );
      break;
    case 'due':
      screen.say(`${now}  due: ${event.runs.map(renderRun).join(', ')}`);
      break;
    case 'ended':
      screen.say(`${now}  ended with exit code ${event.exitCode}`);
      break;
    case 'unread':
      screen.tell(renderStop(event.error, program));
  }
}

const renderRun = ({ mapping, week }: ScheduledRun): string =>
  week === undefined ? mapping : `${mapping} (week ${safeText(week.week)})`;
