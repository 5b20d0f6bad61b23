import pLimit from 'p-limit';
import type * as pg from 'pg';
import type { Pool, PoolClient, PoolConfig } from 'pg';
import type { SqlRow } from '../sql-row.ts';
import { DatabaseFailure, type Answer, type PostgresClient, type Value } from './client.ts';
import { optionalPackage } from './optional-package.ts';

/** Connections of one process; each is one for all that other processes may have. */
const CONNECTIONS = 8;
/** Nothing that the state asks takes so long: a database that says nothing is gone. */
const QUERY_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 10_000;

type Address = Pick<
  PoolConfig,
  'connectionString' | 'host' | 'port' | 'user' | 'password' | 'database' | 'ssl'
>;

/**
 * A process that is stopped in the middle of a transaction, or whose machine is gone, keeps others from what it has locked no longer than this. Set for each
 * transaction, because a pooler gives the session to others too.
 */
const IDLE_MS = 5000;
const BEGIN = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`;

/**
 * Whoever asks while all connections are in use waits for as long as it takes: `connectTimeoutMs` is for the database alone.
 * Errors: ConfigError `state.package` where `pg` is not installed.
 */
export async function pgClient(
  address: Address,
  connectTimeoutMs: number = CONNECT_TIMEOUT_MS,
): Promise<PostgresClient> {
  const { DatabaseError, Pool, TypeOverrides, types } = await loadPg();
  const failed = (error: unknown): never => {
    if (error instanceof DatabaseFailure) throw error;
    throw new DatabaseFailure(error instanceof DatabaseError ? error.code : undefined, error);
  };
  const query = async (
    to: Pick<Pool, 'query'>,
    text: string,
    values: readonly Value[],
    name?: string,
  ): Promise<Answer> => {
    const asked = to.query<SqlRow & unknown[]>({
      text,
      values: [...values],
      rowMode: 'array',
      ...(name !== undefined && { name }),
    });
    const { rows, rowCount } = await asked.catch(failed);
    return { rows, changes: rowCount ?? 0 };
  };
  // Our integers of 64 bits are milliseconds and counts, far below 2 ** 53.
  const overrides = new TypeOverrides();
  overrides.setTypeParser(types.builtins.INT8, Number);
  const pool = new Pool({
    ...address,
    Client: await endingClient(),
    application_name: 'teamsheet',
    max: CONNECTIONS,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    // Statements of a transaction that do not depend on each other's answers go out together. An older `pg` sends one at a time.
    pipeline: true,
    types: overrides,
  });
  // A connection that breaks while nobody asks it anything, also within a transaction, tells whoever asks next: an event that nobody hears would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (connection) => connection.on('error', () => undefined));
  const limit = pLimit(CONNECTIONS);
  const direct = directConnections(pool);
  const names = new Map<string, string>();
  const planOf = (statement: string, connection: PoolClient): string | undefined => {
    if (!direct.has(connection)) return undefined;
    const name = names.get(statement) ?? `teamsheet_${names.size}`;
    names.set(statement, name);
    return name;
  };
  return {
    query: (statement, values, { keepsPlan = false } = {}) =>
      limit(async () => {
        if (!keepsPlan) return query(pool, statement, values);
        const connection = await pool.connect().catch(failed);
        let broken: Error | undefined;
        try {
          return await query(connection, statement, values, planOf(statement, connection));
        } catch (error) {
          // Whether the database has ended the connection with it, nobody asks.
          broken = error as DatabaseFailure;
          throw error;
        } finally {
          connection.release(broken);
        }
      }),
    transaction: (work) =>
      limit(async () => {
        const connection = await pool.connect().catch(failed);
        let broken: Error | undefined;
        // What a part of the work asks for after another part has failed would be a transaction of its own.
        const state = { isOver: false, isCommitted: false };
        try {
          // It goes out with what is asked first.
          const began = query(connection, BEGIN, []);
          const working = work({
            query: async (statement, values, { keepsPlan = false, ends = false } = {}) => {
              if (state.isOver) throw new DatabaseFailure(undefined, new Error('the transaction is over'));
              const name = keepsPlan ? planOf(statement, connection) : undefined;
              const asked = query(connection, statement, values, name);
              if (!ends) return asked;
              state.isOver = true;
              // Where the statement fails, the database takes this for a ROLLBACK.
              const [answer, end] = await Promise.allSettled([asked, query(connection, 'COMMIT', [])]);
              if (answer.status === 'rejected') throw answer.reason;
              if (end.status === 'rejected') throw end.reason;
              state.isCommitted = true;
              return answer.value;
            },
          });
          const [first, result] = await Promise.allSettled([began, working]);
          state.isOver = true;
          if (first.status === 'rejected') throw first.reason;
          if (result.status === 'rejected') throw result.reason;
          if (!state.isCommitted) await query(connection, 'COMMIT', []);
          return result.value;
        } catch (error) {
          // Where the connection is gone, the database has ended the transaction; what went wrong first is told.
          await query(connection, 'ROLLBACK', []).catch((cause: unknown) => {
            broken = cause as DatabaseFailure;
          });
          throw error;
        } finally {
          connection.release(broken);
        }
      }),
    close: async () => {
      if (!pool.ending) await pool.end();
    },
  };
}

/** Connects as `pg` does, and ends a connection that failed on this side, such as for want of a password: the server would keep it, and this process, for a minute. */
export async function endingClient(): Promise<new () => pg.Client> {
  const { Client } = await loadPg();
  return class extends Client {
    override connect(): Promise<pg.Client>;
    override connect(told: (error: Error | null) => void): void;
    override connect(told?: (error: Error | null) => void): Promise<pg.Client> | void {
      if (told === undefined) return super.connect();
      super.connect((error: Error | null) => {
        if (error !== null) void this.end();
        told(error);
      });
    }
  };
}

/**
 * The connections that end at the process of the database that serves them, which keeps the plans of statements with a name. Behind a pooler, each transaction may be
 * served by another process, which does not know the name: the number that such a connection was told at its beginning is then the pooler's own.
 */
function directConnections(pool: Pool): { readonly has: (connection: PoolClient) => boolean } {
  const direct = new WeakSet<PoolClient>();
  const look = async (connection: PoolClient): Promise<void> => {
    const { rows } = await connection.query<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid');
    // What `pg` keeps of the beginning; its types do not name it.
    if (rows[0]?.pid === (connection as { readonly processID?: unknown }).processID) direct.add(connection);
  };
  // Where nobody can say, nothing is kept.
  pool.on('connect', (connection) => void look(connection).catch(() => undefined));
  return direct;
}

const loadPg = (): Promise<typeof pg> =>
  optionalPackage({ code: 'state.package', name: 'pg', by: 'a state on PostgreSQL' }, () => import('pg'));
