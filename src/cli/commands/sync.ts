import type { PullMapping, PushMapping } from '../../mapping/mapping.ts';
import { EXIT, StoppedError, TeamsheetError, type ExitCode } from '../../model/error.ts';
import { requestsMade } from '../../model/requests-made.ts';
import type { PullSummary } from '../../model/state/store.ts';
import { worstExit } from '../../model/worst-exit.ts';
import { preparePull, type PreparedPull } from '../../sync/pull.ts';
import { push, type PushResult } from '../../sync/push.ts';
import type { RunReport } from '../../sync/ports.ts';
import type { PlanOptions } from '../../plan/saved/push-plan.ts';
import { defineCommand, type ArgsOf } from '../command.ts';
import { compareFlags, mappingNames, yes } from '../flags.ts';
import type { Program } from '../program.ts';
import { isPull, isPush, readMappings } from '../../runtime/config/mappings.ts';
import { planOptions } from '../push/plan-options.ts';
import {
  exitCodesOf,
  groupReader,
  pullReports,
  recordPull,
  stopOfReports,
} from '../../runtime/pull-reports.ts';
import { recordEnd } from '../../sync/journal/last-run.ts';
import { askApproval, tellResult, type Work } from '../push/run-push.ts';
import { withLeagues } from '../league-sessions.ts';
import { pushAlone, type Kept } from '../schedule/push-alone.ts';
import { showPlan } from '../push/show-plan.ts';
import { withAlertsAlone } from '../with-alerts.ts';

const flags = { ...compareFlags, 'dry-run': yes('the same as plan') } as const;

/** `sync`: push, then pull. What stops the push alone does not stop the reports: they show the service as it is. */
export const sync = defineCommand({
  options: flags,
  positionals: mappingNames,
  examples: [['sync --yes', 'everything, approved beforehand']],
  run: (args, program) => withAlertsAlone(args, program, undefined, (running) => runSync(args, running)),
});

export type SyncArgs = ArgsOf<typeof flags & typeof mappingNames>;

/** The sync of mappings; `kept` is that of a schedule. */
export function runSync(args: SyncArgs, program: Program, kept?: Kept): Promise<ExitCode> {
  return withLeagues(
    args,
    program,
    async (session, own, names) => {
      const mappings = readMappings(session.config, names, program);
      const pushes = mappings.filter(isPush);
      const work = { ...session, program: own, yes: args.yes };
      // Nobody names the mappings of a schedule.
      const skipUnfilled = args.mapping.length === 0 || kept !== undefined;
      const { begun: _, ...ofWeek } = kept ?? {};
      const options = { ...planOptions(args), ...ofWeek, skipUnfilled };
      const pulls = mappings.filter(isPull);
      const prepared = await preparePull(pulls, session.ports.tables, {
        isAlone: kept !== undefined,
        groups: groupReader(session.ports, session.config),
      });
      if (args.dryRun === true) return showPlan('sync', pushes, options, work);
      const pushed =
        kept === undefined
          ? await pushIfAny(pushes, options, work)
          : await pushAlone(pushes, options, kept, work, pushIfAny);
      const pulled = await pullAfter(pushed, prepared, args.limit, work);
      const report = await joinReports(pushed.report, pulled, work);
      const stop = stopOfReports(pulled.mappings, program.signal);
      const stopped = pushed.stoppedBy === undefined && stop !== undefined;
      const stops = stopped ? { stoppedBy: stop, reportsStopped: true } : {};
      return tellResult({ ...pushed, ...stops, report }, work);
    },
    { readOnly: args.dryRun, names: args.mapping },
  );
}

async function pushIfAny(
  mappings: readonly PushMapping[],
  options: PlanOptions,
  work: Work,
): Promise<PushResult> {
  const nothing = {
    report: {
      run: null,
      command: 'sync',
      exit_code: EXIT.done,
      mappings: [],
      requests: work.ports.service.counts(),
    },
    stoppedBy: undefined,
    rejected: [],
  };
  if (mappings.length === 0) return nothing;
  try {
    return await push(work.ports, 'sync', mappings, options, askApproval(work));
  } catch (error) {
    if (!(error instanceof TeamsheetError) || !isOfPush(error)) throw error;
    return { ...nothing, report: { ...nothing.report, exit_code: error.exitCode }, stoppedBy: error };
  }
}

/**
 * Whether a stop is that of the mappings that push: their tables, Google, their guards. Without approval, while another run writes, or
 * without the service nothing is to be done at all.
 */
function isOfPush(stop: TeamsheetError): boolean {
  return stop instanceof StoppedError
    ? !/^(approval|lock)\./.test(stop.code)
    : /^(google|header|list|mapping|source)\./.test(stop.code);
}

/** Whether there is a service to pull from, and nobody asked to end. */
function goesOn({ stoppedBy }: PushResult, signal: AbortSignal): boolean {
  if (signal.aborted) return false;
  // Writes without an answer say nothing of reads.
  if (stoppedBy === undefined || isOfPush(stoppedBy) || stoppedBy.code === 'service.ambiguous') return true;
  return stoppedBy.exitCode !== EXIT.access && stoppedBy.exitCode !== EXIT.unavailable;
}

interface Pulled extends Pick<RunReport, 'run'> {
  readonly mappings: readonly PullSummary[];
}

/**
 * The reports, of a run of their own where nothing was pushed; what stops all of them after rows were sent is said of each, so that nothing of the push is lost.
 */
async function pullAfter(
  pushed: PushResult,
  prepared: PreparedPull,
  limit: number | undefined,
  { program: { signal }, ...session }: Work,
): Promise<Pulled> {
  const { run } = pushed.report;
  if (prepared.mappings.length === 0 || !goesOn(pushed, signal)) return { run, mappings: [] };
  if (run === null) return (await recordPull(session, prepared, { limit })).report;
  try {
    return { run, mappings: await pullReports(session, prepared, limit) };
  } catch (error) {
    if (!(error instanceof TeamsheetError)) throw error;
    return { run, mappings: prepared.mappings.map((mapping) => failedPull(mapping, error)) };
  }
}

function failedPull({ name, resource, destination }: PullMapping, error: TeamsheetError): PullSummary {
  const { code, message, exitCode, next } = error;
  return {
    name,
    resource,
    direction: 'pull',
    records: 0,
    destination: destination.origin,
    rows: 0,
    error: { code, message, exit_code: exitCode, ...(next !== undefined && { next }) },
  };
}

async function joinReports(pushed: RunReport, pulled: Pulled, { ports }: Work): Promise<RunReport> {
  const report = {
    ...pushed,
    run: pulled.run,
    exit_code: worstExit([pushed.exit_code, ...exitCodesOf(pulled.mappings)]),
    mappings: [...pushed.mappings, ...pulled.mappings],
    requests: requestsMade(ports.service, pushed.requests),
  };
  const run = pushed.run === null ? undefined : await ports.store.run(pushed.run);
  if (run !== undefined && pulled.mappings.length > 0) {
    await recordEnd(ports.store, run, {
      summaries: report.mappings,
      exitCode: report.exit_code,
      requests: report.requests,
    });
  }
  return report;
}
