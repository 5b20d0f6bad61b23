import type { PullMapping } from '../../mapping/mapping.ts';
import { EXIT, IncompleteError, InterruptedError, TeamsheetError } from '../../model/error.ts';
import { requestsMade } from '../../model/requests-made.ts';
import type { PullSummary, RequestCounts, Run, ServiceAccount, Store } from '../../model/state/store.ts';
import { isLastRun, keepLastRun } from '../journal/last-run.ts';
import { isSameAccount } from '../journal/stored-run.ts';
import { serviceNow } from '../memory/service-time.ts';
import type { SyncPorts } from '../ports.ts';

/** What a pull was asked for, so that it can go on without its files. */
export interface StoredPull {
  readonly pulls: readonly PullMapping[];
  /** The league whose game week is read, where it is no pull. */
  readonly league?: number;
  readonly limit: number | undefined;
  readonly partial: boolean;
  /** When the first of the pulls that it goes on with began. */
  readonly sinceMs: number;
  /** The same by the service's clock: the two may move apart, such as where the operator moves that of a sandbox. */
  readonly serviceSinceMs: number;
}

/** What a recorded pull was asked for. */
export const storedPull = (run: Run): StoredPull => JSON.parse(run.mappings, withMaps) as StoredPull;

/** JSON has no maps, and a layout has some. */
const withoutMaps = (_key: string, value: unknown): unknown =>
  value instanceof Map ? { [MAP]: [...(value as ReadonlyMap<unknown, unknown>)] } : value;
const withMaps = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && MAP in value
    ? new Map(value[MAP] as readonly (readonly [unknown, unknown])[])
    : value;
const MAP = '$map';

/** A pull that was not finished is gone on with for so long; later, what it read is read again. */
const GOES_ON_MS = 24 * 60 * 60 * 1000;

/** A chain of pulls that go on with each other reads everything again after so long. */
const LONGEST_MS = 7 * GOES_ON_MS;

/** Pulls that are looked at for one that is not finished. */
const NEWEST = 200;

/** Pulls that stay in the history. */
const KEPT_PULLS = 500;

/** The newest pull of the account that is not finished, that was under way within a day and that fits. */
export async function unfinishedPull(
  { store, clock }: { readonly store: Pick<Store, 'pulls'>; readonly clock: Pick<SyncPorts['clock'], 'now'> },
  account: ServiceAccount,
  fits: (run: Run) => boolean,
): Promise<Run | undefined> {
  const sinceMs = clock.now() - GOES_ON_MS;
  return (await store.pulls(NEWEST)).find(
    (run) =>
      !run.finished &&
      isSameAccount(run.account, account) &&
      (run.endedAtMs ?? run.startedAtMs) >= sinceMs &&
      storedPull(run).sinceMs >= clock.now() - LONGEST_MS &&
      fits(run),
  );
}

/** Whether a recorded pull was of the same reports. */
export const isSamePull =
  (mappings: readonly PullMapping[]) =>
  (run: Run): boolean =>
    run.command === 'pull' &&
    JSON.stringify(storedPull(run).pulls.map(asked)) === JSON.stringify(mappings.map(asked));

/** What says which records a report is made of. */
const asked = ({ name, resource, where, weeks, ids, detail }: PullMapping): unknown => [
  name,
  resource,
  where,
  weeks,
  ids,
  detail,
];

type Ports = Pick<SyncPorts, 'service' | 'store' | 'clock' | 'random'>;

/** A service is heard to the second, so that what a pull read at its beginning may bear a time before it. */
const HEARD_MS = 1_000;

/** Records that a pull begins, or that `before` goes on: a pull of the same reports takes over from it, and `resume` keeps its id. `sinceMs` is by the service's clock. */
export async function beginPull(
  ports: Ports,
  command: 'pull' | 'weeks',
  account: ServiceAccount,
  stored: Omit<StoredPull, 'sinceMs' | 'serviceSinceMs'>,
  before: Run | undefined,
  keepsId: boolean,
): Promise<{ readonly run: Run; readonly sinceMs: number | undefined }> {
  const { store, clock, random } = ports;
  const nowMs = clock.now();
  const { sinceMs: beganMs, serviceSinceMs: sinceMs } = (before && storedPull(before)) ?? {};
  if (before !== undefined && keepsId) {
    await store.updatePull(before.id, { phase: 'planning', endedAtMs: null, exitCode: null });
    return { run: before, sinceMs };
  }
  // One whose process was killed never said what it came to.
  if (before !== undefined)
    await store.updatePull(before.id, {
      finished: true,
      endedAtMs: before.endedAtMs ?? nowMs,
      exitCode: before.exitCode ?? EXIT.incomplete,
    });
  const id = random.ulid(nowMs);
  const run: Run = {
    id,
    command,
    account,
    startedAtMs: nowMs,
    endedAtMs: null,
    exitCode: null,
    phase: 'planning',
    finished: false,
    mappings: JSON.stringify(
      {
        ...stored,
        sinceMs: beganMs ?? nowMs,
        serviceSinceMs: sinceMs ?? (await serviceNow(ports, account)) - HEARD_MS,
      },
      withoutMaps,
    ),
    summaries: [],
    requests: null,
  };
  await store.addPull(run);
  await removeOld(store);
  return { run, sinceMs };
}

/** Removes old pulls that are finished; the last one of a report stays, however rarely that is pulled. */
async function removeOld(store: Pick<Store, 'pulls' | 'fact' | 'removeRuns'>): Promise<void> {
  const old: string[] = [];
  for (const pull of (await store.pulls(KEPT_PULLS * 2)).slice(KEPT_PULLS))
    if (pull.finished && !(await isLastRun(store, pull))) old.push(pull.id);
  await store.removeRuns(old);
}

/** Stops after which what was read is no reason to be read again: the budget, a limit, a signal, or a service that did not answer. */
const GOES_ON_AFTER: ReadonlySet<string> = new Set([
  'run.interrupted',
  'service.unreachable',
  'service.timeout',
  'service.throttled',
]);

const goesOnAfter = ({ error }: PullSummary): boolean =>
  error !== undefined && (error.exit_code === EXIT.incomplete || GOES_ON_AFTER.has(error.code));

/** Whether reports are all whole, or lack what no later pull can get by going on. */
export const isFinished = (summaries: readonly PullSummary[]): boolean => !summaries.some(goesOnAfter);

/** Records what a pull came to, and answers its requests; one that is not finished is gone on with. */
export async function endPull(
  { service, store, clock }: Pick<Ports, 'service' | 'store' | 'clock'>,
  run: Run,
  came: Pick<Run, 'summaries' | 'exitCode' | 'finished'>,
): Promise<RequestCounts> {
  const requests = requestsMade(service);
  await store.updatePull(run.id, { ...came, requests, phase: 'ended', endedAtMs: clock.now() });
  await keepLastRun(store, { ...run, ...came });
  return requests;
}

/** Does the work of a pull that is begun; what it throws ends the pull too. Errors: those of the work. */
export async function duringPull<T>(
  ports: Pick<Ports, 'service' | 'store' | 'clock'>,
  run: Run,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const exitCode = error instanceof TeamsheetError ? error.exitCode : EXIT.internal;
    const goesOn = error instanceof InterruptedError || error instanceof IncompleteError;
    await endPull(ports, run, { summaries: [], exitCode, finished: !goesOn });
    throw error;
  }
}
