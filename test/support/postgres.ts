import { spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll } from 'vitest';
import { RunFolders } from '../../src/state/run-folders.ts';
import { DatabaseFailure, type PostgresClient, type Session } from '../../src/state/postgres/client.ts';
import { pgClient } from '../../src/state/postgres/pg-client.ts';
import type { Repeat } from '../../src/state/lease.ts';
import { openPostgresState } from '../../src/state/postgres/store.ts';
import type { Clock } from '../../src/model/ports.ts';
import type { ServiceAccount } from '../../src/model/state/store.ts';
import type { SqlRow } from '../../src/state/sql-row.ts';
import { isLong } from './long.ts';

/** To make one takes some seconds of processor time, so the files of tests of one process share one, in schemas of their own. It ends with the process. */
let inProcess: PGlite | undefined;

/** PostgreSQL in this process. It has one session: rivals take turns there. Closing a client of it leaves it open. */
export class OwnPostgres {
  readonly #db = (inProcess ??= new PGlite());

  client(): PostgresClient {
    let isClosed = false;
    const sessionOn = (db: Pick<PGlite, 'query'>): Session => ({
      query: async (statement, values) => {
        if (isClosed) throw new DatabaseFailure(undefined, new Error('the client is closed'));
        try {
          const { rows, affectedRows } = await db.query(statement, [...values], { rowMode: 'array' });
          return { rows: rows as SqlRow[], changes: affectedRows ?? 0 };
        } catch (error) {
          throw new DatabaseFailure((error as { readonly code?: string }).code, error);
        }
      },
    });
    return {
      ...sessionOn(this.#db),
      transaction: (work) => this.#db.transaction((db) => work(sessionOn(db))),
      close: () => {
        isClosed = true;
        return Promise.resolve();
      },
    };
  }
}

/** A PostgreSQL server of its own, or the one that `TEAMSHEET_TEST_POSTGRES` names; it listens on this machine alone and ends with `close`. */
export interface PostgresServer {
  /** `postgres://user@host:port/db`. */
  readonly url: string;
  /** Stops a server of its own as a power cut does, and starts it again. */
  readonly restart: (() => Promise<void>) | undefined;
  close(): Promise<void>;
}

/** Where Debian and others put the binaries that no PATH names. */
function binaries(): string | undefined {
  const versions = existsSync('/usr/lib/postgresql')
    ? readdirSync('/usr/lib/postgresql').toSorted((a, b) => Number(b) - Number(a))
    : [];
  const folders = [
    ...versions.map((version) => `/usr/lib/postgresql/${version}/bin`),
    ...(process.env['PATH'] ?? '').split(path.delimiter),
  ];
  return folders.find(
    (folder) => existsSync(path.join(folder, 'initdb')) && existsSync(path.join(folder, 'postgres')),
  );
}

/** Why no test can have a server here; undefined where one can. */
export const noPostgres: string | undefined =
  process.env['TEAMSHEET_TEST_POSTGRES'] !== undefined || binaries() !== undefined
    ? undefined
    : 'no PostgreSQL: set TEAMSHEET_TEST_POSTGRES to the address of one, or install it';

/** Where there is a server, PostgreSQL in this process tells nothing new of what both do, and takes some seconds to begin: only the long form has both. */
export const isServerEnough = noPostgres === undefined && !isLong;

/** One PostgreSQL for all tests of a file: a server where that is enough, else PostgreSQL in this process. Its clients are closed at the end. */
export function onePostgres(): { readonly client: () => Promise<PostgresClient> } {
  if (!isServerEnough) {
    const own = new OwnPostgres();
    return { client: () => Promise.resolve(own.client()) };
  }
  let server: PostgresServer | undefined;
  const clients: PostgresClient[] = [];
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    for (const client of clients) await client.close();
    await server?.close();
  });
  return {
    client: async () => {
      const client = await clientOf(server);
      clients.push(client);
      return client;
    },
  };
}

/** Root may not run a server: somebody else of this machine does, in a folder of theirs. */
function serverUser(): { readonly name: string; readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string, name: string): number =>
    Number(spawnSync('id', [flag, name]).stdout.toString());
  const name = ['postgres', 'nobody'].find((each) => spawnSync('id', [each]).status === 0) ?? 'nobody';
  return { name, uid: idOf('-u', name), gid: idOf('-g', name) };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

function succeeded(done: SpawnSyncReturns<Buffer>): void {
  if (done.status !== 0)
    throw new Error(`${done.stdout.toString()}${done.stderr.toString()}${done.error?.message ?? ''}`);
}

const schemas: string[] = [];

/** The name of a schema that nobody has. */
export function newSchema(): string {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  schemas.push(name);
  return name;
}

async function dropSchemas(url: string): Promise<void> {
  const client = await pgClient({ connectionString: url });
  for (const name of schemas.splice(0)) await client.query(`DROP SCHEMA IF EXISTS "${name}" CASCADE`, []);
  await client.close();
}

/** Starts a server, or answers the one that the environment names. One of its own waits for no disk, unless it is to be durable. */
export async function startPostgres({ isDurable = false } = {}): Promise<PostgresServer> {
  const named = process.env['TEAMSHEET_TEST_POSTGRES'];
  if (named !== undefined) return { url: named, restart: undefined, close: () => dropSchemas(named) };
  const folder = binaries() ?? '';
  const home = mkdtempSync(path.join(tmpdir(), 'teamsheet-postgres-'));
  const user = serverUser();
  chmodSync(home, 0o700);
  if (user !== undefined) chownSync(home, user.uid, user.gid);
  const identity = user === undefined ? {} : { uid: user.uid, gid: user.gid };
  const data = path.join(home, 'data');
  const options = ['-D', data, ...'-U teamsheet -A trust --no-sync --encoding UTF8 --locale C'.split(' ')];
  succeeded(spawnSync(path.join(folder, 'initdb'), options, { cwd: home, ...identity }));
  const port = await freePort();
  const start = async () => {
    const settings = [
      `fsync=${isDurable ? 'on' : 'off'}`,
      'listen_addresses=127.0.0.1',
      `port=${port}`,
      `unix_socket_directories=${home}`,
    ];
    const server = spawn(
      path.join(folder, 'postgres'),
      ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
      { cwd: home, stdio: ['ignore', 'ignore', 'pipe'], ...identity },
    );
    const ended = new Promise<void>((done) => server.once('exit', () => done()));
    let log = '';
    await new Promise<void>((ready, fail) => {
      server.stderr.setEncoding('utf8').on('data', (text: string) => {
        log += text;
        if (log.includes('ready to accept connections')) ready();
      });
      server.once('error', fail);
      server.once('exit', () => fail(new Error(log)));
    });
    return { end: (signal: NodeJS.Signals) => (server.kill(signal), ended) };
  };
  let server = await start();
  return {
    url: `postgres://teamsheet@127.0.0.1:${port}/postgres`,
    restart: async () => {
      await server.end('SIGQUIT');
      server = await start();
    },
    close: async () => {
      await server.end('SIGINT');
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Stands before a server and tells each connection, as a pooler does, a number of its own in place of that of the process that serves it. */
export async function startPooler(
  to: PostgresServer,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const url = new URL(to.url);
  const { hostname, port } = url;
  const keyData = Buffer.from([0x4b, 0, 0, 0, 12]);
  const pooler = createServer((client) => {
    const server = connect(Number(port), hostname);
    client.on('error', () => server.destroy()).pipe(server);
    server.on('error', () => client.destroy()).on('end', () => client.end());
    let isTold = false;
    server.on('data', (data) => {
      const at = isTold ? -1 : data.indexOf(keyData);
      if (at >= 0) isTold = data.writeInt32BE(0x7fff_0001, at + keyData.length) > 0;
      client.write(data);
    });
  });
  await new Promise<void>((done) => pooler.listen(0, '127.0.0.1', done));
  url.host = `127.0.0.1:${(pooler.address() as AddressInfo).port}`;
  return { url: url.href, close: () => new Promise((done) => pooler.close(() => done())) };
}

interface TestOptions {
  readonly clock: Clock;
  /** Accounts whose locks the state itself holds, so that intents can be recorded at once. */
  readonly held?: readonly ServiceAccount[];
  /** In place of a timer that never ends. */
  readonly repeat?: Repeat;
  readonly process?: string;
  /** How long a lock is held without a word. */
  readonly termMs?: number;
  /** Clocks of tests are at any time, and that of the database at the time of today. */
  readonly clockToleranceMs?: number;
}

/** A state on PostgreSQL; the files of its runs stand below `folder`. */
export async function openTestState(
  client: PostgresClient,
  schema: string,
  folder: string,
  {
    clock,
    held = [],
    repeat = () => () => undefined,
    process,
    termMs = 30_000,
    clockToleranceMs = Infinity,
  }: TestOptions,
): ReturnType<typeof openPostgresState> {
  const folders = new RunFolders(path.join(folder, 'runs'));
  const name = 'postgres://127.0.0.1/test';
  const options = { client, name, schema, clock, folders, termMs, clockToleranceMs, repeat, process };
  const { store, lock, ...others } = await openPostgresState(options);
  const holds = await Promise.all(held.map((account) => lock.acquire(account, 'test')));
  const close = store.close.bind(store);
  store.close = async () => {
    for (const each of holds.splice(0)) await each.release();
    await close();
  };
  return { store, lock, ...others };
}

export const clientOf = (server: PostgresServer | undefined): Promise<PostgresClient> =>
  pgClient({ connectionString: server?.url ?? '' });
