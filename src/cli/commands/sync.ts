import type { PushMapping } from '../../mapping/mapping.ts';
import { EXIT, StoppedError } from '../../model/error.ts';
import type { PullSummary } from '../../model/store.ts';
import { preparePull } from '../../sync/pull.ts';
import { push } from '../../sync/push.ts';
import type { PushResult } from '../../sync/push.ts';
import type { PlanOptions, RunReport } from '../../sync/sync.ts';
import { defineCommand } from '../command.ts';
import { compareFlags, mappingNames, yes } from '../flags.ts';
import { isPull, isPush, readMappings, withWholeWorkbooks } from '../mappings.ts';
import { planOptions } from '../plan-options.ts';
import { exitCodesOf, pullReports, worstExit } from '../run-pull.ts';
import { askApproval, tellResult } from '../run-push.ts';
import type { Work } from '../run-push.ts';
import { withSession } from '../session.ts';
import { showPlan } from '../show-plan.ts';

/** `sync`: push, then pull. A guard that stops the push does not stop the reports: they show the service as it is. */
export const sync = defineCommand({
  options: { ...compareFlags, 'dry-run': yes('the same as plan') },
  positionals: mappingNames,
  examples: [['sync --yes', 'everything, approved beforehand']],
  run: (args, program) =>
    withSession(
      args,
      program,
      async (session) => {
        const names = withWholeWorkbooks(session.config, args.mapping, program);
        const mappings = readMappings(session.config, names, program);
        const pushes = mappings.filter(isPush);
        const work = { ...session, program, yes: args.yes };
        const prepared = await preparePull(mappings.filter(isPull), session.ports.tables);
        if (args.dryRun === true) return showPlan('sync', pushes, planOptions(args), work);
        const pushed = await pushIfAny(pushes, planOptions(args), work);
        const goesOn =
          !program.signal.aborted &&
          ![EXIT.access, EXIT.unavailable].includes(pushed.report.exit_code as 5 | 8);
        const pulled = goesOn ? await pullReports(session, prepared, args.limit) : [];
        const report = await joinReports(pushed.report, pulled, work);
        return tellResult({ ...pushed, report }, work);
      },
      { readOnly: args.dryRun },
    ),
});

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
    // Without approval or while another run writes, nothing is to be done at all.
    const onlyThisPush = error instanceof StoppedError && !/^(approval|lock)\./.test(error.code);
    if (!onlyThisPush) throw error;
    return { ...nothing, report: { ...nothing.report, exit_code: error.exitCode }, stoppedBy: error };
  }
}

async function joinReports(
  pushed: RunReport,
  pulled: readonly PullSummary[],
  { ports }: Work,
): Promise<RunReport> {
  const counts = ports.service.counts();
  const report = {
    ...pushed,
    exit_code: worstExit([pushed.exit_code, ...exitCodesOf(pulled)]),
    mappings: [...pushed.mappings, ...pulled],
    requests: { ...counts, planned: pushed.requests.planned + counts.sent - pushed.requests.sent },
  };
  if (report.run !== null && pulled.length > 0) {
    await ports.store.updateRun(report.run, {
      summaries: report.mappings,
      exitCode: report.exit_code,
      requests: report.requests,
    });
  }
  return report;
}
