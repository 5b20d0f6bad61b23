import { randomBytes, randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { ConfigError, UsageError } from '../model/error.ts';
import type { Clock, HttpRequest, HttpResponse } from '../model/ports.ts';
import { createApp } from './app.ts';
import { openSeasonClock, realClock } from './clock.ts';
import { openLimits } from './limits.ts';
import { SEEDS, isSeed, startSeason, writeSeed } from './seed.ts';
import type { SeedName } from './seed.ts';
import { listen } from './server.ts';
import { completeSettings } from './settings.ts';
import type { Settings } from './settings.ts';
import { openStore } from './store.ts';
import type { Store } from './store.ts';

export { parseSetting } from './settings.ts';
export type { Settings } from './settings.ts';
export type { SeedName } from './seed.ts';

/** How a sandbox is made; every part has a default. */
export interface SandboxOptions {
  /** A file that keeps everything, the key too; without it all is in memory. */
  readonly db?: string;
  /** What a new database starts with (`default`); a database that has contents keeps them. */
  readonly seed?: SeedName;
  /** The key that clients send; a random one, or the one that the file holds, when left out. */
  readonly apiKey?: string;
  /** ISO time at which the clock of the season starts; the seed has its own. Weeks that were played stay played. */
  readonly now?: string;
  readonly settings?: Partial<Settings>;
  /** Told of every error that is no refusal: a mistake of the sandbox itself, answered with 500. */
  readonly onFailure?: (error: unknown) => void;
  /** Real time, of the rate windows and the Date header. */
  readonly clock?: Clock;
}

/** A running service. */
export interface Sandbox {
  readonly apiKey: string;
  readonly app: FastifyInstance;
  /** Answers a request without a socket: the Transport of a client. The host of the URL does not matter. */
  inject(request: HttpRequest): Promise<HttpResponse>;
  /** Opens a socket; see server.ts. */
  listen(options: { readonly port: number; readonly host?: string }): Promise<{ readonly base_url: string }>;
  close(): Promise<void>;
}

/**
 * The whole data service with a fictional season, ready to answer.
 * @throws ConfigError `sandbox.db` for a file that cannot be used, `sandbox.seed` for one that holds another seed.
 * @throws UsageError `sandbox.now` for a time that is not ISO 8601, `sandbox.setting` for a setting out of range.
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = completeSettings(options.settings ?? {});
  const now = options.now === undefined ? undefined : parseTime(options.now);
  const clock = options.clock ?? realClock;
  const store = openStore(options.db);
  try {
    const seed = plant(store, options);
    const season = openSeasonClock(store, clock, SEEDS[seed], now);
    startSeason(store, seed, season.now());
    const limits = openLimits(settings, clock, store);
    const context = { store, season, limits, settings };
    const apiKey = keepKey(store, options.apiKey);
    const app = await createApp(context, { apiKey, clock, onFailure: options.onFailure });
    return {
      apiKey,
      app,
      inject: (request) => inject(app, request),
      listen: (where) => listen(app, where),
      close: async () => {
        await app.close();
        limits.save();
        store.close();
      },
    };
  } catch (cause) {
    store.close();
    throw cause;
  }
}

function parseTime(text: string): string {
  const time = Date.parse(text);
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(time)) return new Date(time).toISOString();
  throw new UsageError('sandbox.now', `--now ${text}: not an ISO 8601 time`, {
    next: 'write for example --now 2026-09-22T12:00:00Z',
  });
}

/** Fills a new database and returns the seed that the database was made with. */
function plant(store: Store, { seed, db }: SandboxOptions): SeedName {
  const known = store.readMeta('seed');
  if (known === undefined) {
    const wanted = seed ?? 'default';
    store.transaction(() => {
      writeSeed(store, wanted);
      store.writeMeta('seed', wanted);
      store.writeMeta('account_id', randomUUID());
    });
    return wanted;
  }
  if (isSeed(known) && (seed === undefined || seed === known)) return known;
  throw new ConfigError(
    'sandbox.seed',
    `${db ?? 'memory'} was made with the seed "${known}", not "${seed ?? ''}"`,
    {
      file: db,
      next: `leave the seed at ${known}, or name a new file with --db`,
    },
  );
}

function keepKey(store: Store, given: string | undefined): string {
  const key = given ?? store.readMeta('api_key') ?? randomBytes(24).toString('base64url');
  store.writeMeta('api_key', key);
  return key;
}

async function inject(app: FastifyInstance, request: HttpRequest): Promise<HttpResponse> {
  const { method, url, headers, body, signal } = request;
  signal?.throwIfAborted();
  const payload = body === undefined ? {} : { payload: body };
  const answer = await untilAborted(app.inject({ method, url, headers, ...payload }), signal);
  const named = Object.entries(answer.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return { status: answer.statusCode, headers: Object.fromEntries(named), body: answer.body };
}

/** Rejects with the signal's reason when it is aborted first. As on a wire, the service goes on with what was sent. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
