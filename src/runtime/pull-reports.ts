import { renderCountOf } from '../model/count.ts';
import { EXIT, InterruptedError, type ExitCode } from '../model/error.ts';
import type { CoverFacts } from '../model/layout.ts';
import type { PullSummary } from '../model/store.ts';
import { interruptedAt } from '../sync/finish/interrupted.ts';
import { openAccount } from '../sync/plan/plan-sync.ts';
import type { PullMapping } from '../mapping/mapping.ts';
import { preparePull, pullPrepared, type PreparedPull } from '../sync/pull.ts';
import type { PushResult } from '../sync/push.ts';
import type { KeepSettings } from '../sync/memory/keeper.ts';
import type { Config } from './config.ts';
import { packageVersion } from './package.ts';
import type { Session } from './session.ts';

/** Pulls mappings; what stops one report stands in its summary, and the others go on. Errors: those of {@link preparePull} and of the account. */
export async function pullMappings(
  session: Session,
  mappings: readonly PullMapping[],
  limit: number | undefined,
): Promise<PushResult> {
  const { ports } = session;
  const prepared = await preparePull(mappings, ports.tables);
  const summaries = await pullReports(session, prepared, limit);
  const requests = ports.service.counts();
  const report = {
    run: null,
    command: 'pull',
    exit_code: worstExit(exitCodesOf(summaries)),
    mappings: summaries,
    requests: { ...requests, planned: requests.sent },
  };
  return {
    report,
    stoppedBy: stopOfReports(summaries, ports.signal),
    rejected: [],
    reportsStopped: true,
  };
}

/** Fetches and writes the reports of a session; answers a summary for each mapping, failures among them. */
export async function pullReports(
  { ports, config, connection }: Pick<Session, 'ports' | 'config' | 'connection'>,
  prepared: PreparedPull,
  limit: number | undefined,
): Promise<readonly PullSummary[]> {
  const account = await openAccount(ports);
  const coverFacts = (): CoverFacts => ({
    service: connection.baseUrl,
    environment: connection.environment,
    writtenAtMs: ports.clock.now(),
    program: `teamsheet ${packageVersion()}`,
  });
  return pullPrepared(
    {
      ...ports,
      account: account.service,
      counted: account.record,
      timezone: config.timezone,
      season: keepSettings(config),
      coverFacts,
    },
    prepared,
    { limit },
  );
}

/** What of game weeks the configuration keeps. */
const keepSettings = ({ season }: Pick<Config, 'season'>): KeepSettings => ({
  keep: season.keep,
  forgetAfterMs: season.forget_after,
});

const ORDER: readonly ExitCode[] = [
  EXIT.interrupted,
  EXIT.terminated,
  EXIT.stopped,
  EXIT.config,
  EXIT.unavailable,
  EXIT.access,
  EXIT.incomplete,
  EXIT.rows,
  EXIT.internal,
];

/** Of several exit codes the one that a run ends with: signals first, then 6, 4, 8, 5, 7, 3, and any other before 0. */
export function worstExit(codes: readonly ExitCode[]): ExitCode {
  return ORDER.find((code) => codes.includes(code)) ?? codes.find((code) => code !== EXIT.done) ?? EXIT.done;
}

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
