import { AssertionError } from 'node:assert';
import type { Attempt, Options, PgBoss } from 'pg-boss';
import { InterruptedError } from '../../model/error.ts';
import { text } from '../sql-row.ts';
import { DatabaseFailure } from './client.ts';
import type { Database } from './database.ts';
import { databaseError } from './database-error.ts';
import { optionalPackage } from './optional-package.ts';
import { endingClient } from './pg-client.ts';

/** The longest that a job may take, which pg-boss bounds. A host that is gone is noticed by its heartbeat, long before. */
const LONGEST_JOB_S = 24 * 3600;
/** How long a job that has ended can be looked at, and how often those are deleted that are older. */
const KEPT_S = 24 * 3600;
const DELETE_S = 3600;
/** The shortest time after which pg-boss takes a host without a heartbeat for gone. */
const SHORTEST_HEARTBEAT_S = 10;
/** How often jobs without a heartbeat are looked for. */
const LOOK_S = 2;
const CONNECTIONS = 3;
const CONNECT_TIMEOUT_MS = 10_000;

export interface JobsOptions extends Pick<
  Options,
  'host' | 'port' | 'user' | 'password' | 'database' | 'ssl' | 'createSchema'
> {
  /** How messages call the database. */
  readonly name: string;
  /** The schema of the jobs, which is theirs alone. */
  readonly schema: string;
  /** The lease of an account: a host that says nothing for so long is gone. */
  readonly termMs: number;
  /** What this host is called. */
  readonly worker: string;
  /** Told of what goes wrong beside a call, such as a heartbeat that the database does not take. */
  readonly failed: (error: unknown) => void;
}

/** The queue of a kind of work for an environment: pg-boss allows few signs in a name. */
export const queueOf = (work: string, environment: string): string =>
  /^[\w.-]+$/.test(environment)
    ? `${work}/${environment}`
    : `${work}//${Buffer.from(environment).toString('hex')}`;

/** What people call it. */
export function shownQueue(name: string): string {
  const [work = '', hex] = name.split('//');
  return hex === undefined ? name : `${work}/${Buffer.from(hex, 'hex').toString()}`;
}

/** A job that this process has taken. */
export interface TakenJob {
  readonly data: object;
  /** Aborted, by an InterruptedError, when the job is not this process's any more. */
  readonly lost: AbortSignal;
  /** Without a reason it is done; nothing runs it again. */
  end(failedBecause?: string): Promise<void>;
}

/** Jobs that several hosts share, on pg-boss: one at a time in each queue, over all hosts, and nobody else takes what was taken. */
export class Jobs {
  readonly #boss: PgBoss;
  readonly #db: Database;
  readonly #name: string;
  readonly #heartbeatS: number;
  readonly #failed: (error: unknown) => void;
  readonly #beats = new Set<() => void>();

  private constructor(boss: PgBoss, db: Database, { name, termMs, failed }: JobsOptions) {
    this.#boss = boss;
    this.#db = db;
    this.#name = name;
    this.#heartbeatS = Math.max(SHORTEST_HEARTBEAT_S, Math.ceil(termMs / 1000));
    this.#failed = failed;
  }

  /** Makes the tables of the jobs where they are missing; `database` is their schema, and is closed with them. Errors: ConfigError `worker.package`; those of the database. */
  static async open(options: JobsOptions, database: Database, queues: readonly string[]): Promise<Jobs> {
    const need = { code: 'worker.package', name: 'pg-boss', by: 'a worker' };
    const { PgBoss } = await optionalPackage(need, () => import('pg-boss'));
    const { name, termMs: _, worker, failed, ...address } = options;
    const boss = new PgBoss({
      ...address,
      Client: await endingClient(),
      application_name: 'teamsheet worker',
      max: CONNECTIONS,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      schedule: false,
      supervise: true,
      superviseIntervalSeconds: LOOK_S,
      monitorIntervalSeconds: LOOK_S,
      maintenanceIntervalSeconds: DELETE_S,
      registerInstance: true,
      instanceName: worker,
      instanceHeartbeatSeconds: SHORTEST_HEARTBEAT_S,
    });
    boss.on('error', (error) => failed(meant(name, error)));
    const jobs = new Jobs(boss, database, options);
    await jobs.#asked(() => boss.start());
    try {
      const made = await jobs.#namesIn('queue', queues);
      for (const queue of queues.filter((name) => !made.has(name)))
        await jobs.#asked(() =>
          boss.createQueue(queue, {
            policy: 'exclusive',
            retryLimit: 0,
            expireInSeconds: LONGEST_JOB_S,
            deleteAfterSeconds: KEPT_S,
          }),
        );
    } catch (error) {
      await boss.stop();
      throw error;
    }
    return jobs;
  }

  /** False where a job of the queue waits or is under way, on any host: then nothing is sent. */
  async send(queue: string, data: object): Promise<boolean> {
    const options = { heartbeatSeconds: this.#heartbeatS };
    return (await this.#asked(() => this.#boss.send(queue, data, options))) !== null;
  }

  /** Takes the job that waits; undefined where none does. */
  async take(queue: string): Promise<TakenJob | undefined> {
    const [job] = await this.#asked(() => this.#boss.fetch(queue));
    if (job === undefined) return undefined;
    const { id, retryCount, data } = job;
    const attempt: Attempt = { id, retryCount };
    const { signal: lost, stop } = this.#beat(queue, attempt);
    const end = async (failedBecause?: string): Promise<void> => {
      stop();
      await this.#asked(() =>
        failedBecause === undefined
          ? this.#boss.complete(queue, attempt)
          : this.#boss.fail(queue, attempt, { because: failedBecause }),
      );
    };
    return { data, lost, end };
  }

  /** Of these queues, those in which a job waits. */
  waiting(queues: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#namesIn('job', queues, "state < 'active'");
  }

  /** Whether no job of these queues waits or is under way, on any host. */
  async areIdle(queues: readonly string[]): Promise<boolean> {
    return (await this.#namesIn('job', queues, "state < 'completed'")).size === 0;
  }

  /** Jobs that were not ended are taken for lost once their heartbeat is over. */
  async close(): Promise<void> {
    for (const stop of this.#beats) stop();
    await this.#asked(() => this.#boss.stop());
    await this.#db.close();
  }

  /** Says again and again that this process works at a job. */
  #beat(queue: string, attempt: Attempt): { readonly signal: AbortSignal; readonly stop: () => void } {
    const lost = new AbortController();
    const beat = async (): Promise<void> => {
      const { affected } = await this.#boss.touch(queue, attempt);
      if (affected === 0)
        lost.abort(new InterruptedError('SIGTERM', 'this host was taken for gone, and its job for lost'));
    };
    const timer = setInterval(
      () => {
        beat().catch((error: unknown) => this.#failed(meant(this.#name, error)));
      },
      (this.#heartbeatS * 1000) / 3,
    );
    const stop = (): void => {
      clearInterval(timer);
      this.#beats.delete(stop);
    };
    this.#beats.add(stop);
    return { signal: lost.signal, stop };
  }

  async #namesIn(
    table: 'queue' | 'job',
    names: readonly string[],
    condition = 'true',
  ): Promise<ReadonlySet<string>> {
    const statement = `SELECT DISTINCT name FROM {${table}} WHERE name IN (SELECT json_array_elements_text($1::json)) AND ${condition}`;
    return new Set(await this.#db.all((row) => text(row, 0), statement, JSON.stringify(names)));
  }

  async #asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw meant(this.#name, error);
    }
  }
}

/** What an error of pg-boss, which passes those of `pg` on, means for the state. */
function meant(name: string, error: unknown): unknown {
  // That is a mistake of ours.
  if (error instanceof AssertionError) return error;
  if (error instanceof DatabaseFailure) return databaseError(name, error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // SQLSTATEs have five characters, and the system's codes such as ECONNREFUSED more.
  return databaseError(name, new DatabaseFailure(/^[0-9A-Z]{5}$/.test(code) ? code : undefined, error));
}
