import { join } from 'node:path';
import { RunFolders } from '../state/run-folders.ts';
import { sqliteBudget } from '../state/sqlite/budget.ts';
import { createLock, lockFolder } from '../state/sqlite/lock.ts';
import { openStore } from '../state/sqlite/store.ts';
import type { PostgresClient } from '../state/postgres/client.ts';
import type { Jobs, JobsOptions } from '../state/postgres/jobs.ts';
import type { Login } from '../state/postgres/pass-file.ts';
import type { DatabaseLook } from '../state/postgres/look.ts';
import { ConfigError } from '../model/error.ts';
import type { Clock } from '../model/ports.ts';
import type { SharedBudget } from '../model/state/shared-budget.ts';
import type { Workers } from '../model/state/workers.ts';
import type { Lock, LockLook, Store } from '../model/state/store.ts';
import { canonicalBaseUrl } from '../model/service-address.ts';
import { isLoopback } from './config/base-url.ts';
import { changedBy } from '../model/changed-by.ts';
import type { Config } from './config/config.ts';
import { tlsOf, type StateDatabase } from './config/state-place.ts';
import { warnIfOpenToOthers } from '../tables/regular-file.ts';

/** The state of a configuration, and who may write to its accounts. */
export interface OpenState {
  /** Closing it ends both. */
  readonly store: Store;
  readonly lock: Lock & LockLook;
  /** What the processes of this machine, or of all that have the state, send with its accounts. */
  readonly budget: SharedBudget;
}

type Place = Pick<Config, 'state' | 'stateFolder' | 'insecure' | 'env'>;

/**
 * Opens the state of a configuration, making it where it is missing; on a file, the lock reaches as far as this machine. Errors: ConfigError and
 * UnavailableError `state.*`, StoppedError `state.tls`.
 */
export async function openState(
  config: Place,
  clock: Clock,
  warn: (message: string) => void,
): Promise<OpenState> {
  const { state, env } = config;
  if (state.kind === 'postgres') return openDatabase(state, config, clock);
  const store = await openStore({ file: state.file, clock });
  try {
    for (const warning of warnIfOpenToOthers(state.file)) warn(warning);
    const folder = lockFolder(env);
    const budget = sqliteBudget(folder, clock);
    const closes = changedBy(store, {
      close: async () => {
        budget.close();
        await store.close();
      },
    });
    return { store: closes, lock: createLock({ folder }), budget };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Does the work with an open state, and closes it. Errors: those of {@link openState} and of the work. */
export async function withState<T>(
  config: Place,
  clock: Clock,
  warn: (message: string) => void,
  work: (state: OpenState) => Promise<T>,
): Promise<T> {
  const state = await openState(config, clock, warn);
  try {
    return await work(state);
  } finally {
    await state.store.close();
  }
}

async function openDatabase(database: StateDatabase, config: Place, clock: Clock) {
  const { schema, name, leaseMs: termMs } = database;
  // Nothing of it is loaded for a state file.
  const { openPostgresState } = await import('../state/postgres/store.ts');
  const { CLOCK_TOLERANCE_MS: clockToleranceMs } = await import('../state/postgres/clock-off.ts');
  const client = await openClient(database, config);
  try {
    const options = { client, name, schema, clock, termMs, clockToleranceMs };
    return await openPostgresState({ ...options, folders: openRunFolders(config) });
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** The connections of this process to a database, which all share that have it open. Errors: those of {@link tlsOf}; ConfigError `state.package`. */
async function openClient(place: StateDatabase, config: Pick<Config, 'insecure'>): Promise<PostgresClient> {
  const { sharedClient } = await import('../state/postgres/shared-client.ts');
  const { password, name: _, schema: __, leaseMs: ___, ...rest } = place;
  return sharedClient(JSON.stringify([rest, password?.reveal(), config.insecure]), async () => {
    const { pgClient } = await import('../state/postgres/pg-client.ts');
    return pgClient(addressOf(place, config));
  });
}

/** Does the work with connections to a database. Errors: those of {@link openClient} and of the work. */
export async function withClient<T>(
  place: StateDatabase,
  config: Pick<Config, 'insecure'>,
  work: (client: PostgresClient) => Promise<T>,
): Promise<T> {
  const client = await openClient(place, config);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** As `pg` takes it. Errors: those of {@link tlsOf}. */
const addressOf = (place: StateDatabase, { insecure }: Pick<Config, 'insecure'>) => ({
  host: place.host,
  ...(place.port !== undefined && { port: place.port }),
  ...(place.user !== undefined && { user: place.user }),
  // A function is asked only where the server wants a password.
  password:
    place.password?.reveal() ??
    (async (given?: Login) => {
      const { passwordIn } = await import('../state/postgres/pass-file.ts');
      const { host, port, user, database } = place;
      return passwordIn(place.passFile, { host, port, user, database, ...given });
    }),
  ...(place.database !== undefined && { database: place.database }),
  ssl: tlsOf(place, insecure),
});

/** Errors: ConfigError `worker.state` where the state is a file. */
function sharedState({ state }: Pick<Config, 'state'>): StateDatabase {
  if (state.kind === 'postgres') return state;
  throw new ConfigError(
    'worker.state',
    `workers share a state on PostgreSQL, and this one is ${state.file}`,
    {
      next: 'Name a database in "state:" of teamsheet.yaml (docs/postgresql.md), or run schedule run on this machine.',
    },
  );
}

const jobsSchema = ({ schema }: StateDatabase): string => `${schema}_jobs`;

/** What the machines of a state do together. Errors: ConfigError `worker.state`; those of {@link openState}. */
export async function lookAtWorkers(config: Pick<Config, 'state' | 'insecure'>): Promise<Workers> {
  const state = sharedState(config);
  const { readWorkers } = await import('../state/postgres/workers.ts');
  const schemas = { state: state.schema, jobs: jobsSchema(state) };
  return withClient(state, config, (client) => readWorkers(client, state.name, schemas));
}

/**
 * Opens the jobs that the hosts of a state share; they stand in a schema of their own beside it, `NAME_jobs`. Errors: ConfigError `worker.state` where the state
 * is a file, `worker.package`; StoppedError `lock.clock`; those of {@link openState}.
 */
export async function openJobs(
  config: Place,
  queues: readonly string[],
  host: Pick<JobsOptions, 'worker' | 'failed'>,
  clock: Clock,
): Promise<Jobs> {
  const state = sharedState(config);
  const [{ Jobs }, { Database }, { hasSchema }, { CLOCK_TOLERANCE_MS, refuseOtherTime }] = await Promise.all([
    import('../state/postgres/jobs.ts'),
    import('../state/postgres/database.ts'),
    import('../state/postgres/schema.ts'),
    import('../state/postgres/clock-off.ts'),
  ]);
  const address = addressOf(state, config);
  const schema = jobsSchema(state);
  const { name, leaseMs: termMs } = state;
  const database = new Database(await openClient(state, config), name, schema);
  try {
    // It would take jobs that it cannot do.
    await refuseOtherTime(database, clock, CLOCK_TOLERANCE_MS);
    const isThere = await database.alone((statements) => hasSchema(statements, schema));
    const options = { ...address, ...host, name, termMs, schema, createSchema: !isThere };
    return await Jobs.open(options, database, queues);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Says that this process is a host of a state from now on, and that the process which had its name before is gone. Errors: those of {@link openJobs}.
 */
export async function arriveAs(host: string, config: Place, clock: Clock): Promise<void> {
  const { store, leases } = await openDatabase(sharedState(config), config, clock);
  try {
    await leases.arriveAs(host);
  } finally {
    await store.close();
  }
}

/** Looks at the database of a state without changing it. Errors: ConfigError and UnavailableError `state.*`, StoppedError `state.tls`. */
export async function lookAtState(
  database: StateDatabase,
  config: Pick<Config, 'insecure'>,
  clock: Clock,
): Promise<DatabaseLook> {
  const { lookAtDatabase } = await import('../state/postgres/look.ts');
  const { name, schema } = database;
  return withClient(database, config, (client) => lookAtDatabase(client, name, schema, clock));
}

/** Where the files of runs stand. */
export function openRunFolders({ stateFolder }: Pick<Config, 'stateFolder'>): RunFolders {
  return new RunFolders(join(stateFolder, 'runs'));
}

/** Runs that are looked at for the name that a service had. */
const NEWEST = 1000;

/** The address that a state knows a service by: that of its newest run there, where the service is on this machine and has several names; else as it is. */
export async function rememberedBaseUrl(store: Pick<Store, 'runs'>, baseUrl: string): Promise<string> {
  const name = canonicalBaseUrl(baseUrl);
  if (!isLoopback(new URL(baseUrl).hostname)) return baseUrl;
  const runs = await store.runs(NEWEST);
  const known = runs.find(({ account }) => canonicalBaseUrl(account.baseUrl) === name);
  return known?.account.baseUrl ?? baseUrl;
}
