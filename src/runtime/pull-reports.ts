import { renderCountOf } from '../model/count.ts';
import { InterruptedError, type ExitCode } from '../model/error.ts';
import type { CoverFacts } from '../model/tables/layout.ts';
import type { PullSummary, Run, Store } from '../model/state/store.ts';
import { worstExit } from '../model/worst-exit.ts';
import { interruptedAt } from '../sync/finish/interrupted.ts';
import { openAccount } from '../sync/plan/plan-sync.ts';
import type { PullMapping } from '../mapping/mapping.ts';
import type { OpenAccount, RunReport } from '../sync/ports.ts';
import {
  preparePull,
  pullPrepared,
  type PreparedPull,
  type PrepareOptions,
  type PullOptions,
  type PullPorts,
} from '../sync/pull.ts';
import type { PushResult } from '../sync/push.ts';
import {
  beginPull,
  duringPull,
  endPull,
  isFinished,
  isSamePull,
  storedPull,
  unfinishedPull,
} from '../sync/runs/pull-runs.ts';
import { rememberedAccount } from './remembered-account.ts';
import type { KeepSettings } from '../sync/memory/keeper.ts';
import type { Config } from './config/config.ts';
import { groupsOf } from './config/leagues.ts';
import { packageVersion } from './package.ts';
import { readGroups } from './read-groups.ts';
import type { Session } from './session.ts';

/** A pull that is recorded, told as a push is. */
interface PullResult extends PushResult {
  readonly report: RunReport & { readonly mappings: readonly PullSummary[] };
}

/** Pulls mappings; what stops one report stands in its summary, and the others go on. A pull of the same reports that was not finished within a day is gone on with. Errors: those of {@link preparePull} and of the account. */
export async function pullMappings(
  session: Session,
  mappings: readonly PullMapping[],
  options: PullOptions,
): Promise<PullResult> {
  const { ports, config } = session;
  const prepared = await preparePull(mappings, ports.tables, { groups: groupReader(ports, config) });
  return recordPull(session, prepared, options);
}

/** Reads the operator's groups of the league of a mapping. */
export const groupReader =
  (ports: Parameters<typeof readGroups>[0], config: Config): NonNullable<PrepareOptions['groups']> =>
  (mapping) =>
    readGroups(ports, groupsOf(config, mapping), config);

/** The same of mappings that are prepared. */
export async function recordPull(
  session: Session,
  prepared: PreparedPull,
  options: PullOptions,
): Promise<PullResult> {
  const account = await accountOf(session, options);
  const before =
    options.offline === true
      ? undefined
      : await unfinishedPull(session.ports, account.service, isSamePull(prepared.mappings));
  return pullAsRun(session, { account, prepared, options, before, keepsId: false });
}

/**
 * Goes on with a pull that was not finished, by its id or the newest; undefined when there is none. A `limit` wins over what the pull began with.
 * Errors: those of {@link pullMappings}.
 */
export async function resumePull(
  session: Session,
  id: string | undefined,
  limit?: number,
): Promise<PushResult | undefined> {
  const { ports } = session;
  const account = await openAccount(ports);
  const before = await unfinishedPull(
    ports,
    account.service,
    ({ command, id: its }) => command === 'pull' && (id === undefined || its === id),
  );
  if (before === undefined) return undefined;
  const { pulls, partial, limit: stored } = storedPull(before);
  const prepared = await preparePull(pulls, ports.tables, { groups: groupReader(ports, session.config) });
  const options = { limit: limit ?? stored, partial };
  return pullAsRun(session, { account, prepared, options, before, keepsId: true });
}

/** Whether an id is that of a pull. */
export async function isPullRun(store: Pick<Store, 'pulls'>, id: string): Promise<boolean> {
  return (await store.pulls(Number.MAX_SAFE_INTEGER)).some((run) => run.id === id);
}

interface RecordedPull {
  readonly account: OpenAccount;
  readonly prepared: PreparedPull;
  readonly options: PullOptions;
  /** What it goes on with. */
  readonly before: Run | undefined;
  readonly keepsId: boolean;
}

async function pullAsRun(
  session: Session,
  { account, prepared, options, before, keepsId }: RecordedPull,
): Promise<PullResult> {
  const { ports } = session;
  const { limit, partial = false } = options;
  const { run, sinceMs } = await beginPull(
    ports,
    'pull',
    account.service,
    { pulls: prepared.mappings, limit, partial },
    before,
    keepsId,
  );
  const going = { ...options, continuedSinceMs: sinceMs };
  const summaries = await duringPull(ports, run, () =>
    pullPrepared(pullPorts(session, account), prepared, going),
  );
  const exitCode = worstExit(exitCodesOf(summaries));
  const requests = await endPull(ports, run, { summaries, exitCode, finished: isFinished(summaries) });
  const report = { run: run.id, command: 'pull', exit_code: exitCode, mappings: summaries, requests };
  const stoppedBy = stopOfReports(summaries, ports.signal);
  return { report, stoppedBy, rejected: [], ...(stoppedBy && { reportsStopped: true }) };
}

/** Without the service, nobody counts the records of the account. */
async function accountOf(session: Session, { offline }: PullOptions): Promise<OpenAccount> {
  if (offline !== true) return openAccount(session.ports);
  const service = await rememberedAccount(session);
  return { service, record: { id: service.accountId } };
}

/** Fetches and writes the reports of a session; answers a summary for each mapping, failures among them. */
export async function pullReports(
  session: Pick<Session, 'ports' | 'config' | 'connection'>,
  prepared: PreparedPull,
  limit: number | undefined,
): Promise<readonly PullSummary[]> {
  const account = await openAccount(session.ports);
  return pullPrepared(pullPorts(session, account), prepared, { limit });
}

const pullPorts = (
  { ports, config, connection }: Pick<Session, 'ports' | 'config' | 'connection'>,
  { service, record }: OpenAccount,
): PullPorts => ({
  ...ports,
  account: service,
  counted: record,
  timezone: config.timezone,
  season: keepSettings(config),
  coverFacts: (): CoverFacts => ({
    service: connection.baseUrl,
    environment: connection.environment,
    writtenAtMs: ports.clock.now(),
    program: `teamsheet ${packageVersion()}`,
  }),
});

/** What of game weeks the configuration keeps. */
export const keepSettings = ({ season }: Pick<Config, 'season'>): KeepSettings => ({
  keep: season.keep,
  forgetAfterMs: season.forget_after,
});

/** The exit codes of the reports that failed. */
export function exitCodesOf(summaries: readonly PullSummary[]): readonly ExitCode[] {
  return summaries.flatMap(({ error }) => (error === undefined ? [] : [error.exit_code]));
}

/** What a signal did to the reports: how many are written, and the command for the others. Undefined when none was stopped. */
export function stopOfReports(
  summaries: readonly PullSummary[],
  signal: AbortSignal,
): InterruptedError | undefined {
  const left = summaries.filter(({ error }) => error?.code === 'run.interrupted');
  if (left.length === 0 || !(signal.reason instanceof InterruptedError)) return undefined;
  const written = summaries.length - left.length;
  const are = (count: number): string => renderCountOf(count, 'report is', 'reports are');
  const what = `${are(written)} done, ${are(left.length)} as before`;
  const next = `pull ${left.map(({ name }) => name).join(' ')}`;
  return interruptedAt(signal.reason, what, next);
}
