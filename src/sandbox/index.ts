import type { FastifyInstance } from 'fastify';
import { ConfigError, UsageError } from '../model/error.ts';
import type { Clock, HttpRequest, HttpResponse } from '../model/ports.ts';
import { settingsOfAccount, type Account } from './http/accounts.ts';
import { openAnswers } from './http/answers.ts';
import { createApp } from './http/app.ts';
import type { Context } from './context.ts';
import { openServiceClock, realClock, type ServiceClock } from './clock.ts';
import { faultSchema, openFaults, type Fault, type FaultInput } from './faults.ts';
import { keepKey } from './http/keys.ts';
import { openLimits } from './http/limits.ts';
import type { AnswerLine } from './http/log.ts';
import { SEEDS, beginSeason, isSeed, type SeedName } from './seed.ts';
import { close, listen, openConnections } from './http/server.ts';
import { checkOptions } from './options.ts';
import { completeSettings } from './settings.ts';
import type { Settings } from './switches.ts';
import { openStore } from './store/store.ts';
import { parseTime } from './time.ts';
import { openViews } from './store/views.ts';

export { FAULT_KINDS, faultSchema } from './faults.ts';
export type { FaultInput } from './faults.ts';
export type { AnswerLine } from './http/log.ts';
export { PROFILES, profileSettings } from './profiles.ts';
export { parseSetting } from './settings.ts';
export { DEFAULT_SETTINGS, SWITCHES, SWITCH_NAMES, valuesOf } from './switches.ts';
export type { Settings, SwitchName } from './switches.ts';
export type { SeedName } from './seed.ts';

/** How a sandbox is made; every part has a default. */
export interface SandboxOptions {
  /** A file that keeps everything, the key too; without it all is in memory. */
  readonly db?: string | undefined;
  /** What a new database starts with (`default`); a database that has contents keeps them. */
  readonly seed?: SeedName | undefined;
  /** The key that clients send; a random one, or the one that the file holds, when left out. */
  readonly apiKey?: string | undefined;
  /** The key of the operator's interface at /control; like `apiKey`. */
  readonly controlKey?: string | undefined;
  /** ISO time at which the clock of the service starts; a seed has its own for its season. Weeks that were played stay played. */
  readonly now?: string | undefined;
  readonly settings?: Partial<Settings> | undefined;
  /** What goes wrong with requests of the first account, from the start. */
  readonly faults?: readonly FaultInput[] | undefined;
  /** Told of every error that is no refusal: a mistake of the sandbox itself, answered with 500. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
  /** Told of every answer, for a log. */
  readonly onAnswer?: ((line: AnswerLine) => void) | undefined;
  /** Real time, which the clock of the service runs with. */
  readonly clock?: Clock | undefined;
  /** The port on 127.0.0.1; any free one when left out. Null opens none: `inject` alone answers. */
  readonly port?: number | null | undefined;
}

/** A running service. */
export interface Sandbox extends AsyncDisposable {
  /** Where it listens, without /v1. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** What the operator's interface at /control asks for in the header x-control-key. */
  readonly controlKey: string;
  /** Every account by its key and tier; the first is that of `apiKey`. */
  readonly accounts: readonly { readonly api_key: string; readonly tier: string }[];
  readonly app: FastifyInstance;
  /** Answers a request without a socket: the Transport of a client. The host of the URL does not matter. */
  inject(request: HttpRequest): Promise<HttpResponse>;
  /**
   * One request to the operator's interface (docs/sandbox.md), such as `control('POST', '/clock', { advance: '7d' })`; answers its data.
   * @throws UsageError `sandbox.control` when it is refused.
   */
  control(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * The whole data service with a fictional season, listening on this machine.
 * @throws ConfigError `sandbox.db` for a file that cannot be used, `sandbox.seed` for one that holds another seed, and for a seed that there is not; `sandbox.faults` for what is no fault.
 * @throws UnavailableError `sandbox.listen` when the port cannot be had.
 * @throws UsageError `sandbox.option` for an option that there is not or that is of another kind, `sandbox.now` for a time that is not ISO 8601, `sandbox.setting` for a setting out of range.
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  checkOptions(options);
  const silent = await createSilent(options);
  try {
    return { ...silent, baseUrl: await baseUrlOf(silent.app, options.port) };
  } catch (cause) {
    await silent.close();
    throw cause;
  }
}

function requireFault(fault: FaultInput, index: number): Fault {
  const { success, data, error } = faultSchema.safeParse(fault);
  if (success) return data;
  const [issue] = error.issues;
  const name = ['faults', index, ...(issue?.path ?? [])].map(String).join('.');
  throw new ConfigError('sandbox.faults', `${name}: ${issue?.message ?? 'is no fault'}`, {
    next: 'docs/sandbox.md lists the kinds of faults and what they take',
  });
}

/** The same before it listens. */
async function createSilent(options: SandboxOptions): Promise<Omit<Sandbox, 'baseUrl'>> {
  const settings = completeSettings(options.settings ?? {});
  const now = options.now === undefined ? undefined : requireTime(options.now);
  const clock = options.clock ?? realClock;
  const ended = new AbortController();
  const opened: OpenAccount[] = [];
  try {
    const open = (index: number): OpenAccount => {
      const account = openAccount(options, settingsOfAccount(settings, index), clock, now, index);
      opened.push(account);
      return account;
    };
    const accounts = [
      open(0),
      ...Array.from({ length: settings.accounts - 1 }, (_, index) => open(index + 1)),
    ] as const;
    const [{ key: apiKey, context }] = accounts;
    context.faults.add((options.faults ?? []).map(requireFault));
    const controlKey = keepKey(context.store, 'control_key', options.controlKey);
    const app = await createApp({
      accounts,
      controlKey,
      clock,
      closing: ended.signal,
      onFailure: options.onFailure,
      onAnswer: options.onAnswer,
    });
    const connections = openConnections(app);
    const closeAll = async (): Promise<void> => {
      ended.abort();
      await close(app, connections);
      for (const account of accounts) account.close();
    };
    let closed: Promise<void> | undefined;
    const end = (): Promise<void> => (closed ??= closeAll());
    return {
      apiKey,
      controlKey,
      accounts: accounts.map((account) => ({
        api_key: account.key,
        tier: account.context.settings.tier,
      })),
      app,
      inject: (request) => inject(app, request),
      control: (...asked) => control(app, controlKey, ...asked),
      close: end,
      [Symbol.asyncDispose]: end,
    };
  } catch (cause) {
    for (const account of opened) account.context.store.close();
    throw cause;
  }
}

interface OpenAccount extends Account {
  /** Keeps what it knows and closes its store. */
  readonly close: () => void;
}

/** An account with a service of its own, by its place from 0; the further ones keep their contents in files beside the first one's. */
function openAccount(
  { db, apiKey, seed: wanted }: SandboxOptions,
  settings: Settings,
  clock: Clock,
  now: string | undefined,
  index: number,
): OpenAccount {
  const file = db === undefined || index === 0 ? db : `${db}-account-${index + 1}`;
  const store = openStore(file);
  try {
    const { seed, season } = store.transaction(() => begin({ store, settings }, wanted, file, clock, now));
    const limits = openLimits(settings, () => season.nowMs(), store);
    const views = openViews(store, settings, () => season.nowMs());
    const context: Context = {
      store,
      season,
      limits,
      settings,
      views,
      faults: openFaults(),
      answers: openAnswers(store, season, settings),
    };
    return {
      key: keepKey(store, 'api_key', index === 0 ? apiKey : undefined),
      context,
      reset: () => {
        season.restart(() => {
          store.clear();
          beginSeason({ store, settings }, seed, now ?? SEEDS[seed]);
        });
        limits.clear();
        views.restart();
      },
      close: () => {
        limits.save();
        views.close();
        store.close();
      },
    };
  } catch (cause) {
    store.close();
    throw cause;
  }
}

function requireTime(text: string): string {
  const time = parseTime(text);
  if (time !== undefined) return time;
  throw new UsageError(
    'sandbox.now',
    `--now ${text}: not an ISO 8601 time with its zone, up to the year 9998`,
    {
      next: 'write for example --now 2026-09-22T12:00:00Z',
    },
  );
}

/** Fills a new database, or goes on with one that has contents; the season is then where its clock is. */
function begin(
  { store, settings }: Pick<Context, 'store' | 'settings'>,
  wanted: SeedName | undefined,
  file: string | undefined,
  clock: Clock,
  now: string | undefined,
): { readonly seed: SeedName; readonly season: ServiceClock } {
  const known = store.readMeta('seed');
  const seed = known ?? wanted ?? 'default';
  if (known === undefined && !isSeed(seed))
    throw new ConfigError('sandbox.seed', `there is no seed "${seed}"`, {
      next: `name one of ${Object.keys(SEEDS).join(', ')}`,
    });
  if (!isSeed(seed) || (wanted !== undefined && wanted !== seed)) {
    throw new ConfigError(
      'sandbox.seed',
      `${file ?? 'memory'} was made with the seed "${seed}", not "${wanted ?? ''}"`,
      {
        file,
        next: `leave the seed at ${seed}, or name a new file with --db`,
      },
    );
  }
  const season = openServiceClock(store, clock, SEEDS[seed], now);
  if (known === undefined) beginSeason({ store, settings }, seed, now ?? SEEDS[seed]);
  return { seed, season };
}

/** Errors: those of {@link listen}. */
async function baseUrlOf(app: FastifyInstance, port: number | null = 0): Promise<string> {
  // `inject` looks at the path alone.
  return port === null ? 'http://127.0.0.1' : (await listen(app, { port })).base_url;
}

async function control(
  app: FastifyInstance,
  controlKey: string,
  ...[method, path, body]: Parameters<Sandbox['control']>
): Promise<unknown> {
  const headers = { 'x-control-key': controlKey };
  const payload = body === undefined ? {} : { payload: body };
  const answer = await app.inject({ method, url: `/control${path}`, headers, ...payload });
  const { message, data } = answer.json<{ readonly message: string; readonly data: unknown }>();
  if (answer.statusCode < 400) return data;
  throw new UsageError('sandbox.control', `${method} /control${path}: ${message}`, {
    next: 'see docs/sandbox.md',
  });
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
