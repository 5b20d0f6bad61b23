import { hostname } from 'node:os';
import { EXIT, StoppedError, TeamsheetError, UsageError, type ExitCode } from '../../model/error.ts';
import { worstExit } from '../../model/worst-exit.ts';
import { readConfig, type Config } from '../../runtime/config/config.ts';
import { connectionOf, environmentOf } from '../../runtime/config/connection.ts';
import { arriveAs, openJobs, withState, type OpenState } from '../../runtime/state.ts';
import { hasReadings, hasRuns, readDue, runDue, type RunnerPorts } from '../../schedule/runner.ts';
import { queueOf, type Jobs, type TakenJob } from '../../state/postgres/jobs.ts';
import type { Program } from '../program.ts';
import { renderStop } from '../render/stop.ts';
import { safeText } from '../render/text.ts';
import { renderTime } from '../../model/time/render-time.ts';
import { knownAccount, scheduledAccounts } from '../schedule/accounts.ts';
import { tellerOfTime } from '../schedule/alert-ticker.ts';
import { syncDue } from '../schedule/due-sync.ts';
import { schedulesOf, tell, type Schedules } from '../schedule/schedules.ts';
import type { Wanted } from '../serve.ts';
import type { SessionArgs } from '../session.ts';
import { warnOnce, type Warnings } from '../warn-once.ts';
import { ownFiles, type OwnFiles } from './own-files.ts';

/** How often a job is looked for while this host has room for one. */
const BEAT_MS = 1000;
/** How often it is looked whether others have ended what they are at, with `--once`. */
const DRAIN_BEAT_MS = 200;
/** How often each host looks whether something is due, so that what a dead host left is taken up soon. */
const PLAN_MS = 5000;
const ALERTS_MS = 60_000;
/** A loop that has not turned for so long does not work. */
const LONGEST_TURN_MS = 3 * 60_000;
const ALERTS = 'alerts';

export interface WorkerArgs extends SessionArgs, Pick<Wanted, 'port' | 'probe'> {
  readonly account: readonly string[];
  readonly concurrency: number;
  /** A name that one process at a time has; without it that of the machine is shown. */
  readonly host?: string | undefined;
  readonly once?: boolean | undefined;
}

/** An account whose schedules this host carries out. */
interface Ours {
  readonly environment: string;
  readonly config: Config;
  /** Of its syncs, one at a time; and of the readings of its game weeks, which wait for no sync. */
  readonly queues: { readonly sync: string; readonly weeks: string };
  readonly schedules: Schedules;
  /** The same for one job, which may be lost. */
  readonly schedulesIn: (program: Program) => Schedules;
}

/**
 * `worker`: every host looks what is due and sends a job for the account; one host takes it and carries it out, as `schedule run` does. What is done stands in
 * the shared state and is written by the holder of the account's job alone, so that no moment comes twice. Errors: those of {@link openJobs}; InterruptedError.
 */
export async function runWorker(args: WorkerArgs, program: Program): Promise<ExitCode> {
  const { screen } = program;
  const files = ownFiles(program);
  const ours = accountsOf(args, files, program);
  const isWhole = args.account.length === 0;
  const queues = [
    ...ours.flatMap(({ queues: { sync, weeks } }) => [sync, weeks]),
    ...(isWhole ? [ALERTS] : []),
  ];
  const warnings = warnOnce(program);
  const config = readConfig(args, program);
  if (args.host !== undefined) await arriveAs(args.host, config, program.clock);
  const host = { worker: args.host ?? hostname(), failed: warnings.failed };
  const jobs = await openJobs(config, queues, host, program.clock);
  try {
    screen.say('what the schedules push is approved by this command; nothing is asked');
    const worker = new Worker(ours, isWhole, jobs, warnings, args, program);
    const ended = await worker.run();
    const stop = files.stop();
    if (stop !== undefined) screen.tell(renderStop(stop, program));
    const exitCode = stop === undefined ? ended : worstExit([ended, stop.exitCode]);
    // A sync tells of itself.
    if (screen.json && !worker.hasTold)
      await screen.data(JSON.stringify({ command: 'worker', exit_code: exitCode }));
    return exitCode;
  } finally {
    await jobs.close();
  }
}

/** The accounts that are asked for, or all. Errors: UsageError `worker.account`; those of {@link scheduledAccounts}. */
function accountsOf(args: WorkerArgs, { has }: OwnFiles, program: Program): readonly Ours[] {
  const all = scheduledAccounts([], args, program).map(({ config }): Ours => {
    const environment = environmentOf(config);
    const schedulesIn: Ours['schedulesIn'] = (own) => schedulesOf([], args, own, { environment, has });
    const queues = { sync: queueOf('sync', environment), weeks: queueOf('weeks', environment) };
    return { environment, config, queues, schedules: schedulesIn(program), schedulesIn };
  });
  const unknown = args.account.find((name) => !all.some(({ environment }) => environment === name));
  if (unknown !== undefined)
    throw new UsageError(
      'worker.account',
      `no account with a schedule is called "${unknown}": there is ${all.map(({ environment }) => environment).join(', ')}`,
      { next: 'name an environment of teamsheet.yaml with --account' },
    );
  return all.filter(({ environment }) => args.account.length === 0 || args.account.includes(environment));
}

/** A queue whose jobs this host takes. */
interface Offer {
  readonly slot: 'sync' | 'weeks' | 'alerts';
  readonly queue: string;
  /** Answers why nothing was done, where that is so. */
  readonly work: (job: TakenJob) => Promise<string | undefined>;
}

class Worker {
  readonly #ours: readonly Ours[];
  readonly #isWhole: boolean;
  readonly #jobs: Jobs;
  readonly #warnings: Warnings;
  readonly #tellOfTime: ReturnType<typeof tellerOfTime>;
  readonly #args: WorkerArgs;
  readonly #program: Program;
  /** A worker that has its hands full with syncs reads game weeks all the same: their line-ups are gone when the next week begins. */
  readonly #running: Readonly<Record<Offer['slot'], Set<Promise<void>>>> = {
    sync: new Set(),
    weeks: new Set(),
    alerts: new Set(),
  };
  readonly #offers: readonly Offer[];
  /** A sync has ended, and wrote its document. */
  hasTold = false;
  #exitCode: ExitCode = EXIT.done;
  /** Our own mistake ends the worker. */
  readonly #broken = new AbortController();

  constructor(
    ours: readonly Ours[],
    isWhole: boolean,
    jobs: Jobs,
    warnings: Warnings,
    args: WorkerArgs,
    program: Program,
  ) {
    this.#ours = ours;
    this.#isWhole = isWhole;
    this.#jobs = jobs;
    this.#warnings = warnings;
    this.#args = args;
    this.#program = { ...program, signal: AbortSignal.any([program.signal, this.#broken.signal]) };
    this.#tellOfTime = tellerOfTime(args, this.#program);
    this.#offers = [
      ...ours.flatMap((account): readonly Offer[] => [
        { slot: 'sync', queue: account.queues.sync, work: (job) => this.#sync(account, job) },
        { slot: 'weeks', queue: account.queues.weeks, work: (job) => this.#carryOut(account, job, readDue) },
      ]),
      ...(isWhole && args.once !== true
        ? [{ slot: 'alerts' as const, queue: ALERTS, work: () => this.#tellAlerts() }]
        : []),
    ];
  }

  async run(): Promise<ExitCode> {
    const { clock, screen } = this.#program;
    const { port, probe, once } = this.#args;
    let turnedAtMs = clock.monotonic();
    const isAlive = (): boolean => clock.monotonic() - turnedAtMs < LONGEST_TURN_MS;
    const { serve } = await import('../serve.ts');
    const serving = await serve({ port, probe, isAlive }, this.#args, this.#program);
    try {
      if (serving.link !== undefined) screen.tell(`dashboard: ${serving.link}`);
      if (serving.probe !== undefined)
        screen.say(`probe: ${serving.probe}/healthz and ${serving.probe}/metrics`);
      return await (once === true ? this.#drain() : this.#turn(() => (turnedAtMs = clock.monotonic())));
    } finally {
      await Promise.all(this.#atWork());
      await serving.close();
    }
  }

  async #turn(turned: () => void): Promise<never> {
    const { clock } = this.#program;
    let plannedAtMs = -Infinity;
    let alertedAtMs = -Infinity;
    for (;;) {
      turned();
      const nowMs = clock.monotonic();
      if (nowMs - plannedAtMs >= PLAN_MS) {
        plannedAtMs = nowMs;
        const planned = [];
        for (const account of this.#ours) planned.push(await this.#orTell(() => this.#plan(account)));
        if (planned.every(Boolean)) this.#warnings.passed();
      }
      if (this.#isWhole && nowMs - alertedAtMs >= ALERTS_MS) {
        alertedAtMs = nowMs;
        await this.#orTell(() => this.#jobs.send(ALERTS, {}));
      }
      await this.#orTell(() => this.#takeAll());
      await this.#beat(BEAT_MS);
    }
  }

  /** What is due now, wherever it runs: the syncs beside the game weeks, and then the reports that these made due again. */
  async #drain(): Promise<ExitCode> {
    for (const { queues } of this.#ours) {
      await this.#jobs.send(queues.sync, { once: true });
      await this.#jobs.send(queues.weeks, {});
    }
    await this.#untilIdle();
    for (const account of this.#ours) await this.#plan(account);
    await this.#untilIdle();
    if (this.#isWhole) await this.#orTell(() => this.#tellAlerts());
    return this.#exitCode;
  }

  async #untilIdle(): Promise<void> {
    const queues = this.#ours.flatMap((account) => Object.values(account.queues));
    for (;;) {
      await this.#takeAll();
      if (this.#atWork().length === 0 && (await this.#jobs.areIdle(queues))) return;
      await this.#beat(DRAIN_BEAT_MS);
    }
  }

  #atWork(): readonly Promise<void>[] {
    return Object.values(this.#running).flatMap((slots) => [...slots]);
  }

  /** Until a job of this worker ends, and its hands are free, or others may have sent one. */
  async #beat(atMostMs: number): Promise<void> {
    const { clock, signal } = this.#program;
    await Promise.race([clock.sleep(atMostMs, signal), ...this.#atWork()]);
  }

  async #plan({ queues, schedules }: Ours): Promise<void> {
    const { clock } = this.#program;
    const looked = await schedules.look(false);
    if (hasRuns(looked, clock)) await this.#jobs.send(queues.sync, {});
    if (hasReadings(looked, clock)) await this.#jobs.send(queues.weeks, {});
  }

  /** Takes what waits while this host has room for it. */
  async #takeAll(): Promise<void> {
    const { signal } = this.#program;
    const hasRoom = ({ slot }: Offer): boolean =>
      !signal.aborted && this.#running[slot].size < this.#args.concurrency;
    const offers = this.#offers.filter(hasRoom);
    const queues = offers.map(({ queue }) => queue);
    const waiting = queues.length === 0 ? new Set() : await this.#jobs.waiting(queues);
    for (const offer of offers) if (waiting.has(offer.queue) && hasRoom(offer)) await this.#take(offer);
    signal.throwIfAborted();
  }

  async #take({ slot, queue, work }: Offer): Promise<void> {
    const slots = this.#running[slot];
    const job = await this.#jobs.take(queue);
    if (job === undefined) return;
    const running = this.#finish(job, work).finally(() => slots.delete(running));
    slots.add(running);
  }

  /** Whatever comes of the work, the job is ended; where it cannot be, its heartbeat ends. */
  async #finish(job: TakenJob, work: (job: TakenJob) => Promise<string | undefined>): Promise<void> {
    let failedBecause: string | undefined;
    try {
      failedBecause = await work(job);
    } catch (error) {
      failedBecause = error instanceof Error ? error.message : String(error);
      if (!(error instanceof TeamsheetError)) this.#broken.abort(error);
      else {
        this.#exitCode = worstExit([this.#exitCode, error.exitCode]);
        // A signal is told at the end.
        if (!this.#program.signal.aborted) this.#program.screen.tell(renderStop(error, this.#program));
      }
    }
    try {
      await job.end(failedBecause);
    } catch (error) {
      if (!(error instanceof TeamsheetError)) this.#broken.abort(error);
      else this.#warnings.failed(error);
    }
  }

  /** Runs what is due in an account; says why nothing was done, where that is so. */
  async #sync(account: Ours, job: TakenJob): Promise<string | undefined> {
    const { environment, config } = account;
    const { screen, clock } = this.#program;
    const holder = await holderOf(config, this.#program);
    if (holder !== undefined) {
      screen.say(`${renderTime(clock.now(), config.timezone)}  ${safeText(environment)}: ${holder.message}`);
      if (this.#args.once === true) throw holder;
      return holder.message;
    }
    return this.#carryOut(account, job, (ports) => runDue(ports, { atOnce: 'once' in job.data }));
  }

  async #carryOut(
    { schedulesIn }: Ours,
    { lost }: TakenJob,
    work: (ports: RunnerPorts) => Promise<ExitCode | undefined>,
  ): Promise<undefined> {
    const program = { ...this.#program, signal: AbortSignal.any([this.#program.signal, lost]) };
    const ports: RunnerPorts = {
      ...program,
      ...schedulesIn(program),
      sync: async (runs) => {
        this.hasTold = true;
        return syncDue(runs, this.#args, program);
      },
      tell: (event) => tell(event, this.#args, program),
    };
    const exitCode = await work(ports);
    program.signal.throwIfAborted();
    this.#exitCode = worstExit([this.#exitCode, exitCode ?? EXIT.done]);
    return undefined;
  }

  async #tellAlerts(): Promise<undefined> {
    const looked = [];
    for (const { schedules } of this.#ours) looked.push(...(await schedules.look(false)));
    await this.#tellOfTime(looked);
  }

  /** Whether it went well: what a service or the database refuses now is tried again at the next turn. */
  async #orTell(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#program.signal.throwIfAborted();
      if (!(error instanceof TeamsheetError)) throw error;
      this.#warnings.failed(error);
      return false;
    }
  }
}

/** Who writes to an account; undefined while nobody does. What a host that is gone was at is begun again only once its lease is over. */
async function holderOf(config: Config, { clock }: Program): Promise<StoppedError | undefined> {
  const look = async (state: OpenState): Promise<void> => {
    const account = await knownAccount(state, connectionOf(config));
    if (account !== undefined) await state.lock.refuseHeld(account);
  };
  try {
    await withState(config, clock, () => undefined, look);
    return undefined;
  } catch (error) {
    if (error instanceof StoppedError && error.code === 'lock.held') return error;
    throw error;
  }
}
