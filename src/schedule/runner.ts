import { TeamsheetError, type ExitCode } from '../model/error.ts';
import type { Clock, Random } from '../model/ports.ts';
import {
  doneBy,
  dueRun,
  ended,
  firstRun,
  nextRuns,
  type Calendar,
  type Done,
  type Scheduled,
  type ScheduledRun,
} from './due.ts';

/** The mappings with schedules and the game weeks, as they are now. */
export interface Looked {
  readonly jobs: readonly Scheduled[];
  readonly calendar: Calendar;
}

/** What the runner tells. */
export type RunnerEvent =
  | { readonly kind: 'next'; readonly run: ScheduledRun | undefined }
  | { readonly kind: 'due'; readonly runs: readonly ScheduledRun[] }
  | { readonly kind: 'ended'; readonly runs: readonly ScheduledRun[]; readonly exitCode: ExitCode }
  /** The mappings or the game weeks cannot be read; the runner tries again. */
  | { readonly kind: 'unread'; readonly error: TeamsheetError };

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
  readonly sync: (runs: readonly ScheduledRun[]) => Promise<ExitCode>;
  readonly tell: (event: RunnerEvent) => void;
}

/** How long at most the runner sleeps before it looks at the mappings again. */
const LOOK_MS = 60_000;
/** Runs of many folders on one machine do not begin in the same second. */
const JITTER_MS = 30_000;

/**
 * Runs what is due until a signal comes: what is due together in one sync, what was missed once, and one sync after the other.
 * Errors: InterruptedError by the signal.
 */
export async function runSchedule(ports: RunnerPorts): Promise<never> {
  const { clock, signal, tell } = ports;
  let told: string | undefined;
  for (;;) {
    const looked = await tryLook(ports);
    if (looked !== undefined) {
      await rememberNew(looked.jobs, ports);
      if (dueRuns(looked, clock.now()).length > 0) {
        await clock.sleep(Math.floor(ports.random.next() * JITTER_MS), signal);
        await carryOut(await lookAgain(looked, ports), ports);
        told = undefined;
        continue;
      }
      const [next] = comingRuns(looked, clock.now());
      const name = `${next?.mapping} ${next?.atMs}`;
      if (name !== told) tell({ kind: 'next', run: next });
      told = name;
      await clock.sleep(Math.min((next?.atMs ?? Infinity) - clock.now(), LOOK_MS), signal);
    } else await clock.sleep(LOOK_MS, signal);
  }
}

/**
 * Runs what is due now, and for the first time everything with a schedule; the exit code is that of the sync, undefined where nothing was due.
 * Errors: those of {@link RunnerPorts.look}.
 */
export async function runOnce(ports: RunnerPorts): Promise<ExitCode | undefined> {
  const looked = await ports.look(true);
  const nowMs = ports.clock.now();
  const due = looked.jobs.flatMap((job) =>
    job.done === undefined
      ? [firstRun(job, looked.calendar, nowMs)]
      : (dueRun(job, looked.calendar, nowMs) ?? []),
  );
  if (due.length > 0) return start(due, looked, ports);
  const [next] = comingRuns(looked, nowMs);
  ports.tell({ kind: 'next', run: next });
  return undefined;
}

async function tryLook({ look, tell, signal }: RunnerPorts): Promise<Looked | undefined> {
  try {
    return await look(false);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof TeamsheetError)) throw error;
    tell({ kind: 'unread', error });
    return undefined;
  }
}

/** Where the game weeks cannot be read at this moment, what was read before counts. */
async function lookAgain(looked: Looked, ports: RunnerPorts): Promise<Looked> {
  try {
    return await ports.look(true);
  } catch (error) {
    ports.signal.throwIfAborted();
    if (!(error instanceof TeamsheetError)) throw error;
    ports.tell({ kind: 'unread', error });
    return looked;
  }
}

async function carryOut(looked: Looked, ports: RunnerPorts): Promise<void> {
  const due = dueRuns(looked, ports.clock.now());
  if (due.length > 0) await start(due, looked, ports);
}

async function start(due: readonly ScheduledRun[], looked: Looked, ports: RunnerPorts): Promise<ExitCode> {
  const nowMs = ports.clock.now();
  const begun = due.flatMap((run) =>
    looked.jobs
      .filter(({ mapping }) => mapping === run.mapping)
      .map((job) => [job.mapping, doneBy(job, run, looked.calendar, nowMs)] as const),
  );
  await ports.remember(new Map(begun));
  ports.tell({ kind: 'due', runs: due });
  const exitCode = await ports.sync(due);
  // A signal leaves it to the next process.
  if (!ports.signal.aborted)
    await ports.remember(new Map(begun.map(([mapping, done]) => [mapping, ended(done)])));
  ports.tell({ kind: 'ended', runs: due, exitCode });
  return exitCode;
}

/** From now on what such a mapping misses is made up. */
async function rememberNew(jobs: readonly Scheduled[], { clock, remember }: RunnerPorts): Promise<void> {
  const fresh = jobs.filter(({ done }) => done === undefined);
  if (fresh.length === 0) return;
  const sinceMs = clock.now();
  await remember(new Map(fresh.map(({ mapping }) => [mapping, { sinceMs }])));
}

const dueRuns = ({ jobs, calendar }: Looked, nowMs: number): readonly ScheduledRun[] =>
  jobs.flatMap((job) => dueRun(job, calendar, nowMs) ?? []);

const comingRuns = ({ jobs, calendar }: Looked, nowMs: number): readonly ScheduledRun[] =>
  jobs.flatMap((job) => nextRuns(job, calendar, nowMs, 1)).toSorted((one, other) => one.atMs - other.atMs);
