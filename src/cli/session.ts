import { dirname } from 'node:path';
import { createClient } from '../client/client.ts';
import { fetchTransport } from '../client/fetch-transport.ts';
import { Observer } from '../client/observe.ts';
import { StoppedError, TeamsheetError } from '../model/error.ts';
import type { HttpResponse, Transport } from '../model/ports.ts';
import { withholder } from '../model/withhold.ts';
import type { RequestCounts, Run, ServiceAccount, Store } from '../model/store.ts';
import { keepLearnt } from '../sync/runs/learn.ts';
import { interruptedAt } from '../sync/finish/interrupted.ts';
import type { SyncPorts } from '../sync/ports.ts';
import type { CountedAccess } from '../tables/google/access.ts';
import { createTables } from '../tables/index.ts';
import { createPipes } from '../tables/pipes.ts';
import type { Pipes } from '../tables/pipes.ts';
import { createResultFiles } from '../tables/result-files.ts';
import type { ArgsOf } from './command.ts';
import { connectionOf, readConfig } from '../runtime/config.ts';
import type { Config, Connection } from '../runtime/config.ts';
import { cutOffSentence, sayCutOff } from './push/cut-off.ts';
import { readFinishBy } from './push/finish-by.ts';
import type { serviceFlags } from './flags.ts';
import { behindGate, gates } from '../runtime/gates.ts';
import { openGoogle } from '../runtime/google.ts';
import { checkOrigin, rememberOrigin } from '../runtime/key-origin.ts';
import type { Program } from './program.ts';
import { sayGoogle } from './render/google.ts';
import { createReporter } from './render/progress.ts';
import type { Reporter } from './render/progress.ts';
import { withheldReports } from '../runtime/withheld-reports.ts';
import { openLock, openState, rememberedBaseUrl } from '../runtime/state.ts';

/** Everything that a command needs to work with the service. */
export interface Session {
  readonly config: Config;
  readonly connection: Connection;
  readonly ports: SyncPorts;
  readonly google: CountedAccess;
  readonly pipes: Pipes;
  /** The last whole answer of the service, as it came, the key in it where the service quotes it. */
  readonly lastAnswer: () => HttpResponse | undefined;
  /** Adds what the answers since the last time taught about the service to the state, and names the account. Errors: those of the store. */
  readonly learn: () => Promise<ServiceAccount>;
  /** Takes the line of progress away until there is more of it, as before a question. */
  readonly endProgress: () => void;
}

export type SessionArgs = ArgsOf<typeof serviceFlags> & { readonly finishBy?: string | undefined };

/**
 * Opens configuration, state and service, does the work and closes them. With `readOnly`, Google is asked for no right to write.
 * Errors: those of {@link readConfig}, {@link readFinishBy} and {@link connectionOf}; StoppedError `tls.unchecked`, `origin.changed`.
 */
export async function withSession<T>(
  args: SessionArgs,
  program: Program,
  work: (session: Session) => Promise<T>,
  { readOnly = false }: { readonly readOnly?: boolean | undefined } = {},
): Promise<T> {
  const config = readConfig(args, program);
  const finishByMs =
    args.finishBy === undefined
      ? undefined
      : readFinishBy(args.finishBy, config.timezone, program.clock.now());
  const connection = connectionOf(config);
  for (const warning of [...config.warnings, ...connection.warnings]) program.screen.warn(warning);
  refuseUncheckedTls(args.insecure, config);
  const store = await openState(config, program);
  const reporter = createReporter(program.screen, program.clock);
  try {
    const stateUrl = await rememberedBaseUrl(store, connection.baseUrl);
    const cutOff = await cutOffSentence(store, config, program, isOn(stateUrl));
    if (cutOff !== undefined) program.screen.warn(cutOff);
    const sayWhatIsLeft = (writes: number): Promise<void> =>
      sayCutOff(() => cutOffSentence(store, config, program, isOn(stateUrl)), cutOff, writes, program);
    await checkOrigin(connection, store, args.trustOrigin === true);
    const session = openSession(
      { config, connection, store, reporter, readOnly, stateUrl },
      { ...args, finishByMs },
      program,
    );
    session.ports.passed?.('origin');
    try {
      return await work(session);
    } catch (error) {
      reporter.stop();
      await sayWhatIsLeft(session.ports.service.counts().writes);
      throw interruptedAt(error, sentUntil(session.ports.service.counts()));
    } finally {
      reporter.stop();
      await session.pipes.close();
      sayGoogle(session.google, program);
      await learnAtTheEnd(session, program);
      if (session.lastAnswer() !== undefined) await rememberOrigin(connection, store);
    }
  } finally {
    reporter.stop();
    await store.close();
  }
}

const isOn =
  (baseUrl: string) =>
  ({ account }: Run): boolean =>
    account.baseUrl === baseUrl;

/** However the work ended, it ends no worse because of this. */
async function learnAtTheEnd({ learn }: Session, { screen }: Program): Promise<void> {
  try {
    await learn();
  } catch (error) {
    if (!(error instanceof TeamsheetError)) throw error;
    screen.warn(`what this command learnt about the service is not kept: ${error.message}`);
  }
}

/** What went to the service before a signal stopped a command that tells nothing else of it. */
function sentUntil({ writes }: RequestCounts): string {
  if (writes === 0) return 'nothing was written to the service';
  return `what came of ${writes === 1 ? 'the writing request' : `the ${writes} writing requests`} is recorded`;
}

interface Parts {
  readonly config: Config;
  readonly connection: Connection;
  readonly store: Store;
  readonly reporter: Reporter;
  readonly readOnly?: boolean;
  /** The address that the state knows the service by; that of the connection when left out. */
  readonly stateUrl?: string;
}

/** The ports of a service, made real. */
export function openSession(
  { config, connection, store, reporter, readOnly = false, stateUrl = connection.baseUrl }: Parts,
  {
    maxWait,
    maxRequests,
    finishByMs,
  }: {
    readonly maxWait?: number | undefined;
    readonly maxRequests?: number | undefined;
    readonly finishByMs?: number | undefined;
  },
  { clock, random, signal, screen, command = '' }: Program,
): Session {
  const { budget, push } = config;
  const { emit } = reporter;
  const wire = fetchTransport();
  const withhold = withholder(connection.apiKey.reveal());
  const maxWaitMs = maxWait ?? budget.max_wait;
  const google = openGoogle(config, { clock, random, signal, emit, store, maxWaitMs, readOnly });
  const pipes = createPipes({
    folder: dirname(config.state),
    clock,
    signal,
    say: (message) => emit({ kind: 'note', message }),
  });
  const observer = new Observer();
  let answer: HttpResponse | undefined;
  screen.withhold(withholder(connection.apiKey.reveal(), 'our own words'));
  const transport: Transport = async (request) => (answer = await wire(request));
  const service = createClient({
    baseUrl: connection.baseUrl,
    apiKey: connection.apiKey,
    transport,
    clock,
    random,
    emit,
    signal,
    timeoutMs: push.timeout,
    maxWaitMs,
    reservePerMinute: budget.reserve_per_minute,
    reservePerDay: budget.reserve_per_day,
    maxRequests,
    finishByMs,
    concurrency: push.concurrency,
    observer,
  });
  const ports = behindGate<SyncPorts>(command, gates[command], {
    service,
    store,
    lock: openLock(config),
    results: createResultFiles({ folder: config.folder, runFolder: (runId) => store.runFolder(runId) }),
    baseUrl: stateUrl,
    settleMs: push.settle ?? Math.max(2 * push.timeout, LEAST_SETTLE_MS),
    maxWaitMs,
    concurrency: push.concurrency,
    timezone: config.timezone,
    variable: (name) => config.vars[name],
    tables: withheldReports(createTables(google, pipes.fileOf), withhold),
    clock,
    random,
    emit,
    signal,
  });
  const learn = async (): Promise<ServiceAccount> => {
    // An account that could not be read has no id.
    const account = { baseUrl: stateUrl, accountId: observer.accountId ?? '' };
    await keepLearnt(store, account, observer.take(), clock.now());
    return account;
  };
  return {
    config,
    connection,
    ports,
    google,
    pipes,
    lastAnswer: () => answer,
    learn,
    endProgress: reporter.stop,
  };
}

/** Nothing is applied later than this after it was sent, unless the configuration says otherwise. */
const LEAST_SETTLE_MS = 120_000;

function refuseUncheckedTls(insecure: boolean | undefined, { env }: Config): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0' || insecure === true) return;
  throw new StoppedError(
    'tls.unchecked',
    'NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off: anybody on the way could read the key',
    {
      next: 'unset NODE_TLS_REJECT_UNAUTHORIZED, or add --insecure if you accept that',
    },
  );
}
