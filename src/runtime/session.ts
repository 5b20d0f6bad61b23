import { createClient } from '../client/client.ts';
import { fetchTransport } from '../client/fetch-transport.ts';
import { Observer } from '../client/observe/observe.ts';
import { StoppedError, TeamsheetError } from '../model/error.ts';
import type { Account } from '../contract/resources/account.ts';
import type { HttpResponse, Transport } from '../model/ports.ts';
import type { SharedBudget } from '../model/state/shared-budget.ts';
import type { Lock, RequestCounts, ServiceAccount } from '../model/state/store.ts';
import { withholder } from '../model/withhold.ts';
import { interruptedAt } from '../sync/finish/interrupted.ts';
import { keepLearnt } from '../sync/runs/learn.ts';
import type { SyncPorts } from '../sync/ports.ts';
import { createResultFiles } from '../tables/result-files.ts';
import { keepReading } from './account-readings.ts';
import { ServiceTime } from '../sync/memory/service-time.ts';
import { changedBy } from '../model/changed-by.ts';
import type { Config } from './config/config.ts';
import type { Connection } from './config/connection.ts';
import { behindGate, gates } from './gates.ts';
import { rulesOf } from './config/leagues.ts';
import { checkOrigin, rememberOrigin } from './config/key-origin.ts';
import { openRunFolders } from './state.ts';
import { packageVersion } from './package.ts';
import { openTables, type OpenTables, type TableTask, type World } from './tables.ts';
import { underLock } from './under-lock.ts';
import { withoutKey } from './withheld/withhold-key.ts';
import { withheldStore } from './withheld/withheld-store.ts';
import { withheldReports } from './withheld/withheld-reports.ts';

/** A piece of work with the service, as it was asked for. */
export interface Task extends TableTask {
  readonly connection: Connection;
  readonly lock: Lock;
  readonly budget: SharedBudget;
  /** The command whose gate stands before the first write. */
  readonly command: string;
  /** The address that the state knows the service by; that of the connection when left out. */
  readonly stateUrl?: string;
  readonly maxRequests?: number | undefined;
  readonly finishByMs?: number | undefined;
  /** The key may go to another address than before. */
  readonly trustOrigin?: boolean | undefined;
  /** In place of HTTP. */
  readonly transport?: Transport | undefined;
}

/** Everything that work with the service needs. */
export interface Session extends Pick<OpenTables, 'google' | 'pipes'> {
  readonly config: Config;
  readonly budget: SharedBudget;
  readonly connection: Connection;
  readonly ports: SyncPorts;
  /** The last whole answer of the service, as it came, the key in it where the service quotes it. */
  readonly lastAnswer: () => HttpResponse | undefined;
  /** Adds what the answers since the last time taught about the service to the state, and names the account. Errors: those of the store. */
  readonly learn: () => Promise<ServiceAccount>;
  /** Tells the other processes of the account that nothing is sent any more. Errors: those of the state. */
  readonly end: () => Promise<void>;
}

/**
 * Opens what the work needs, does it, closes it, and keeps what the answers taught. The state stays open.
 * Errors: StoppedError `origin.changed`; those of the work.
 */
export async function withPorts<T>(
  task: Task,
  world: World,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const { connection, store } = task;
  await checkOrigin(connection, store, task.trustOrigin === true);
  const session = openSession(task, world);
  session.ports.passed?.('origin');
  try {
    return await work(session);
  } catch (error) {
    throw interruptedAt(error, sentUntil(session.ports.service.counts()));
  } finally {
    await session.pipes.close();
    await learnAtTheEnd(session, world);
    if (session.lastAnswer() !== undefined) await rememberOrigin(connection, store);
  }
}

/** However the work ended, it ends no worse because of this. */
async function learnAtTheEnd({ learn, end }: Session, { emit }: World): Promise<void> {
  try {
    await learn();
    await end();
  } catch (error) {
    if (!(error instanceof TeamsheetError)) throw error;
    const message = `what this command learnt about the service is not kept: ${error.message}`;
    emit({ kind: 'warning', message });
  }
}

/** What went to the service before a signal stopped a command that tells nothing else of it. */
function sentUntil({ writes }: RequestCounts): string {
  if (writes === 0) return 'nothing was written to the service';
  return `what came of ${writes === 1 ? 'the writing request' : `the ${writes} writing requests`} is recorded`;
}

/** The ports of a service, made real. */
function openSession(task: Task, world: World): Session {
  const { config, connection, store, command, stateUrl = connection.baseUrl } = task;
  const { budget, push } = config;
  const wire = task.transport ?? fetchTransport();
  const maxWaitMs = task.maxWaitMs ?? budget.max_wait;
  const { tables, google, pipes } = openTables(task, world);
  const folders = openRunFolders(config);
  const observer = new Observer();
  const { lock, transport, isHeld } = underLock(wire, task.lock);
  let answer: HttpResponse | undefined;
  const client = createClient({
    ...world,
    baseUrl: connection.baseUrl,
    apiKey: connection.apiKey,
    transport: async (request) => (answer = await transport(request)),
    timeoutMs: push.timeout,
    maxWaitMs,
    reservePerMinute: budget.reserve_per_minute,
    reservePerDay: budget.reserve_per_day,
    maxRequests: task.maxRequests,
    finishByMs: task.finishByMs,
    concurrency: push.concurrency,
    observer,
    sharing: { shared: task.budget, writes: isHeld },
  });
  let reading: Account | undefined;
  const service = changedBy<typeof client>(client, {
    account: async () => (reading = await client.account()),
  });
  const ports = behindGate<SyncPorts>(command, gates[command], {
    ...world,
    service,
    store: withheldStore(store, connection.apiKey),
    lock,
    results: createResultFiles({ folder: config.folder, runFolder: (runId) => folders.make(runId) }),
    baseUrl: stateUrl,
    settleMs: push.settle ?? Math.max(2 * push.timeout, LEAST_SETTLE_MS),
    maxWaitMs,
    concurrency: push.concurrency,
    release: packageVersion(),
    timezone: config.timezone,
    variable: (name) => config.vars[name],
    rulesOf: rulesOf(config),
    tables: withheldReports(tables, withholder(connection.apiKey.reveal())),
  });
  const learn = async (): Promise<ServiceAccount> => {
    // An account that could not be read has no id.
    const account = { baseUrl: stateUrl, accountId: observer.accountId ?? '' };
    // What answers name, such as fields that the interface does not have, may quote the key too.
    const learnt = withoutKey(observer.take(), withholder(connection.apiKey.reveal(), 'our own words'));
    const nowMs = world.clock.now();
    await keepLearnt(store, account, learnt, nowMs);
    if (reading !== undefined) await keepReading(store, account, reading, nowMs);
    if (account.accountId !== '')
      await new ServiceTime({ service, store, clock: world.clock }, account).keep(store);
    reading = undefined;
    return account;
  };
  const end = (): Promise<void> => client.end();
  const own = { config, connection, budget: task.budget, ports };
  return { ...own, google, pipes, lastAnswer: () => answer, learn, end };
}

/** Nothing is applied later than this after it was sent, unless the configuration says otherwise. */
const LEAST_SETTLE_MS = 120_000;

/** Errors: StoppedError `tls.unchecked` where the environment turns certificate checks off and nobody accepts that. */
export function refuseUncheckedTls({ env }: Config, insecure: boolean | undefined): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0' || insecure === true) return;
  throw new StoppedError(
    'tls.unchecked',
    'NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off: anybody on the way could read the key',
    {
      next: 'unset NODE_TLS_REJECT_UNAUTHORIZED, or add --insecure if you accept that',
    },
  );
}
