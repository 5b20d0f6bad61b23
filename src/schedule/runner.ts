import { TeamsheetError, type ExitCode } from '../model/error.ts';
import type { Clock, Random } from '../model/ports.ts';
import { worstExit } from '../model/worst-exit.ts';
import {
  doneBy,
  dueRun,
  ended,
  firstRun,
  leftOver,
  nextRuns,
  scheduleNow,
  type Calendar,
  type Done,
  type Scheduled,
  type ScheduledRun,
} from './due.ts';
import { dueReading, nextReadings, type DueReading, type WeekReadings } from './readings.ts';

/** What is scheduled in one league, or in a folder that has one: its mappings and its game weeks, as they are now. */
export interface LookedLeague {
  /** Undefined where the folder has one league. */
  readonly league: string | undefined;
  readonly jobs: readonly Scheduled[];
  readonly calendar: Calendar;
  /** Undefined where its game weeks are not kept. */
  readonly readings: WeekReadings | undefined;
}
export type Looked = readonly LookedLeague[];

/** A run that is due, with the game weeks that it goes by. */
export interface DueRun extends ScheduledRun {
  readonly calendar: Calendar;
}

/** The reading of a game week of a league that is due. */
export interface LeagueReading extends DueReading {
  readonly of: LookedLeague;
}

/** What the runner tells. */
export type RunnerEvent =
  /** The reading of a game week only where no run comes. */
  | { readonly kind: 'next'; readonly next: ScheduledRun | LeagueReading | undefined }
  | { readonly kind: 'due'; readonly runs: readonly ScheduledRun[] }
  | { readonly kind: 'ended'; readonly exitCode: ExitCode }
  | { readonly kind: 'reading'; readonly reading: LeagueReading }
  /** The mappings or the game weeks cannot be read; the runner tries again. */
  | { readonly kind: 'unread'; readonly error: TeamsheetError };

/** How a sync ended. */
export interface SyncEnd {
  readonly exitCode: ExitCode;
  /** The mappings that an outage left: they are tried again. */
  readonly left: ReadonlySet<string>;
  /** Whether it was the state that was away: whoever sees what is due sees that it is back. */
  readonly isStateAway?: boolean;
}

/** What the runner works through. */
export interface RunnerPorts {
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Reads the mappings and, where it is time, the game weeks; `isDue` asks for the game weeks as they are at this moment. Errors: TeamsheetError. */
  readonly look: (isDue: boolean) => Promise<Looked>;
  /** Remembers what is done, by mapping: before a run begins, so that one that is killed is made up once, and after it. */
  readonly remember: (done: ReadonlyMap<string, Done>) => Promise<void>;
  /** Carries out what is due in one sync; it tells what happened itself. */
  readonly sync: (runs: readonly DueRun[]) => Promise<SyncEnd>;
  /** Reads a game week, remembers that it did and which runs are due again for it, and tells what happened itself. */
  readonly read: (reading: LeagueReading) => Promise<ExitCode>;
  /** Tells what time alone brings while nothing is due; nothing waits for it. */
  readonly idle: (looked: Looked) => void;
  readonly tell: (event: RunnerEvent) => void;
}

/** How long at most the runner sleeps before it looks at the mappings again. */
const LOOK_MS = 60_000;
/** Runs of many folders on one machine do not begin in the same second. */
const JITTER_MS = 30_000;

/**
 * Runs what is due until a signal comes: what is due together in one sync, what was missed once, and one sync after the other. Beside it, it reads the game weeks
 * that are to be read: a sync may last for hours, and their line-ups are gone when the next week begins. What ends one of both ends the other one, once what that
 * is at has ended. Errors: InterruptedError by the signal.
 */
export async function runSchedule(ports: RunnerPorts): Promise<never> {
  const ended = new AbortController();
  const signal = AbortSignal.any([ports.signal, ended.signal]);
  const shared = { ...ports, ...lookInTurn(ports), signal };
  const loops = [turnRuns(shared), turnReadings(shared)];
  await Promise.all(loops.map((loop) => loop.catch((error: unknown) => ended.abort(error))));
  throw ended.signal.reason;
}

/** One look after the other, so that each asks for what the one before has not read; what cannot be read is told once, until it changes. */
function lookInTurn({ look, tell }: RunnerPorts): Pick<RunnerPorts, 'look' | 'tell'> {
  let before: Promise<unknown> = Promise.resolve();
  let unread: string | undefined;
  return {
    look: (isDue) => {
      const looking = before.then(() => look(isDue));
      before = looking.then(
        () => (unread = undefined),
        () => undefined,
      );
      return looking;
    },
    tell: (event) => {
      if (event.kind === 'unread' && event.error.code === unread) return;
      if (event.kind === 'unread') unread = event.error.code;
      tell(event);
    },
  };
}

async function turnRuns(ports: RunnerPorts): Promise<never> {
  const { clock, signal, tell } = ports;
  let told: string | undefined;
  for (;;) {
    const sleepMs = await goOn(ports, async () => {
      const looked = await ports.look(false);
      await rememberMended(looked, ports);
      await rememberNew(looked, ports);
      if (dueRuns(looked, clock).length > 0) {
        await clock.sleep(Math.floor(ports.random.next() * JITTER_MS), signal);
        const again = await lookAgain(looked, ports);
        const due = dueRuns(again, clock);
        if (due.length > 0) await start(due, again, ports);
        told = undefined;
        return 0;
      }
      ports.idle(looked);
      const [run] = comingRuns(looked, clock);
      const next = run ?? comingReading(looked, clock);
      const name = `${run?.mapping} ${next?.atMs}`;
      if (name !== told) tell({ kind: 'next', next });
      told = name;
      const leftMs = run === undefined ? Infinity : run.atMs - scheduleNow(run.calendar, clock);
      return Math.min(leftMs, LOOK_MS);
    });
    if (sleepMs !== 0) await clock.sleep(sleepMs ?? LOOK_MS, signal);
  }
}

async function turnReadings(ports: RunnerPorts): Promise<never> {
  const { clock, signal } = ports;
  for (;;) {
    const exitCode = await goOn(ports, async () => {
      const [reading] = dueReadings(await ports.look(false), clock);
      return reading && (await read(reading, ports));
    });
    if (exitCode === undefined) await clock.sleep(LOOK_MS, signal);
  }
}

/**
 * Runs what is due now, and for the first time everything with a schedule, and then reads the game weeks that are due; the exit code is the worst, undefined
 * where nothing was due. Errors: those of {@link RunnerPorts.look}.
 */
export async function runOnce(ports: RunnerPorts): Promise<ExitCode | undefined> {
  const { clock } = ports;
  const looked = await ports.look(true);
  await rememberMended(looked, ports);
  const due = firstRuns(looked, clock);
  const exitCodes: ExitCode[] = [];
  if (due.length > 0) exitCodes.push(await start(due, looked, ports));
  const after = due.length > 0 ? await lookAgain(looked, ports) : looked;
  const readings = dueReadings(after, clock);
  for (const reading of readings) exitCodes.push(await read(reading, ports));
  // A reading may make reports due again.
  const again = readings.length > 0 ? dueRuns(await lookAgain(after, ports), clock) : [];
  if (again.length > 0) exitCodes.push(await start(again, after, ports));
  if (exitCodes.length > 0) return worstExit(exitCodes);
  tellNext(looked, ports);
  return undefined;
}

/** Whether a run is due, or there is something to remember: one is scheduled for the first time, or a clock was ahead. */
export const hasRuns = (looked: Looked, clock: Clock): boolean =>
  looked.some(({ jobs }) => jobs.some(({ done, isMended }) => done === undefined || isMended)) ||
  dueRuns(looked, clock).length > 0;

/** Whether the reading of a game week is due. */
export const hasReadings = (looked: Looked, clock: Clock): boolean => dueReadings(looked, clock).length > 0;

/**
 * Runs what is due now, once; what is scheduled for the first time is due from now on, or `atOnce`. The exit code is undefined where nothing was due. Errors:
 * those of {@link RunnerPorts.look}.
 */
export async function runDue(ports: RunnerPorts, { atOnce = false } = {}): Promise<ExitCode | undefined> {
  const looked = await ports.look(true);
  await rememberMended(looked, ports);
  if (!atOnce) await rememberNew(looked, ports);
  const due = atOnce ? firstRuns(looked, ports.clock) : dueRuns(looked, ports.clock);
  if (due.length > 0) return start(due, looked, ports);
  tellNext(looked, ports);
  return undefined;
}

/** Reads the game weeks that are due now. The exit code is the worst, undefined where none was due. Errors: those of {@link RunnerPorts.look}. */
export async function readDue(ports: RunnerPorts): Promise<ExitCode | undefined> {
  const exitCodes: ExitCode[] = [];
  for (const reading of dueReadings(await ports.look(true), ports.clock))
    exitCodes.push(await read(reading, ports));
  return exitCodes.length > 0 ? worstExit(exitCodes) : undefined;
}

function tellNext(looked: Looked, { clock, tell }: RunnerPorts): void {
  tell({ kind: 'next', next: comingRuns(looked, clock)[0] ?? comingReading(looked, clock) });
}

const runsBy = (
  find: (job: Scheduled, calendar: Calendar, nowMs: number) => ScheduledRun | undefined,
  looked: Looked,
  clock: Clock,
): readonly DueRun[] =>
  looked.flatMap(({ jobs, calendar }) =>
    jobs.flatMap((job) => {
      const run = find(job, calendar, scheduleNow(calendar, clock));
      return run === undefined ? [] : [{ ...run, calendar }];
    }),
  );

const dueRuns = (looked: Looked, clock: Clock): readonly DueRun[] => runsBy(dueRun, looked, clock);

/** What is due, and for the first time everything with a schedule. */
const firstRuns = (looked: Looked, clock: Clock): readonly DueRun[] =>
  runsBy((job, ...at) => (job.done === undefined ? firstRun : dueRun)(job, ...at), looked, clock);

/** The next run of each mapping, the first of all first. */
const comingRuns = (looked: Looked, clock: Clock): readonly DueRun[] =>
  runsBy((...of) => nextRuns(...of, 1)[0], looked, clock).toSorted(
    (one, other) => ourTime(one) - ourTime(other),
  );

const ourTime = ({ atMs, calendar }: Pick<DueRun, 'atMs' | 'calendar'>): number => atMs - calendar.aheadMs;

function read(reading: LeagueReading, ports: RunnerPorts): Promise<ExitCode> {
  ports.signal.throwIfAborted();
  ports.tell({ kind: 'reading', reading });
  return ports.read(reading);
}

/** A part of a turn; what stops it, such as a configuration that somebody is writing, is told, and the schedule goes on. Undefined: it was stopped. */
async function goOn<T>({ tell, signal }: RunnerPorts, part: () => Promise<T>): Promise<T | undefined> {
  try {
    return await part();
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof TeamsheetError)) throw error;
    tell({ kind: 'unread', error });
    return undefined;
  }
}

/** Where the game weeks cannot be read at this moment, what was read before counts. */
async function lookAgain(looked: Looked, ports: RunnerPorts): Promise<Looked> {
  return (await goOn(ports, () => ports.look(true))) ?? looked;
}

async function start(due: readonly DueRun[], looked: Looked, ports: RunnerPorts): Promise<ExitCode> {
  const jobs = looked.flatMap((league) => league.jobs);
  const begun = due.flatMap((run) =>
    jobs
      .filter(({ mapping }) => mapping === run.mapping)
      .map((job) => {
        const { calendar, ...own } = run;
        return [job.mapping, doneBy(job, own, calendar, scheduleNow(calendar, ports.clock))] as const;
      }),
  );
  await ports.remember(new Map(begun));
  ports.tell({ kind: 'due', runs: due });
  const { exitCode, left, isStateAway = false } = await ports.sync(due);
  // What goes on already waits a while, so that a state that fails again and again is not asked all the time.
  const waits = (mapping: string): boolean =>
    !isStateAway || due.some((run) => run.mapping === mapping && run.begunMs !== undefined);
  const after = begun.map(([mapping, done]) => {
    if (!left.has(mapping)) return [mapping, ended(done)] as const;
    return [mapping, waits(mapping) ? leftOver(done) : done] as const;
  });
  // A signal leaves it to the next process.
  if (!ports.signal.aborted) await ports.remember(new Map(after));
  ports.tell({ kind: 'ended', exitCode });
  return exitCode;
}

/** From now on what such a mapping misses is made up. */
async function rememberNew(looked: Looked, { clock, remember }: RunnerPorts): Promise<void> {
  const fresh = looked.flatMap(({ jobs, calendar }) => {
    const done: Done = { sinceMs: scheduleNow(calendar, clock) };
    return jobs.flatMap((job) => (job.done === undefined ? [[job.mapping, done] as const] : []));
  });
  if (fresh.length > 0) await remember(new Map(fresh));
}

/** What a clock that was ahead made of it is to be gone once that time has come. */
async function rememberMended(looked: Looked, { remember }: RunnerPorts): Promise<void> {
  const mended = looked.flatMap(({ jobs }) =>
    jobs.flatMap(({ mapping, done, isMended }) =>
      isMended && done !== undefined ? [[mapping, done] as const] : [],
    ),
  );
  if (mended.length > 0) await remember(new Map(mended));
}

/** The reading that is found for each league. */
const readingsBy = (
  find: (readings: WeekReadings, nowMs: number) => DueReading | undefined,
  looked: Looked,
  clock: Clock,
): readonly LeagueReading[] =>
  looked.flatMap((of) => {
    const reading = of.readings && find(of.readings, scheduleNow(of.calendar, clock));
    return reading === undefined ? [] : [{ ...reading, of }];
  });

const dueReadings = (looked: Looked, clock: Clock): readonly LeagueReading[] =>
  readingsBy(dueReading, looked, clock);

/** The reading of a game week that comes first over all leagues. */
const comingReading = (looked: Looked, clock: Clock): LeagueReading | undefined =>
  readingsBy((...at) => nextReadings(...at, 1)[0], looked, clock).toSorted(
    (one, other) => ourTime({ ...one.of, ...one }) - ourTime({ ...other.of, ...other }),
  )[0];
