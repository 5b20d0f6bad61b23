import type { PushMapping } from '../../mapping/mapping.ts';
import { renderCountOf } from '../../model/count.ts';
import { EXIT, type ExitCode } from '../../model/error.ts';
import { withLeague } from '../../model/league-name.ts';
import { requestsMade } from '../../model/requests-made.ts';
import { countWrites } from '../../sync/plan/plan-sync.ts';
import { push, type Approve, type PushResult } from '../../sync/push.ts';
import { sampleChanges } from '../../sync/plan/sample-plan.ts';
import type { PlannedPush } from '../../sync/ports.ts';
import type { PlanOptions } from '../../plan/saved/push-plan.ts';
import { approve } from './approval.ts';
import { googleDocument } from '../render/google.ts';
import type { Program } from '../program.ts';
import { renderPlan } from '../render/plan.ts';
import { nextAfter, renderReasons, renderReport, renderTrigger } from '../render/report.ts';
import { asTyped, errorDocument, renderNextLine, renderStop, withTypedNext } from '../render/stop.ts';
import { safeText } from '../render/text.ts';
import type { Style } from '../screen.ts';
import type { Session } from '../session.ts';

/** A session with the command line that opened it. */
export interface Work extends Session {
  readonly program: Program;
  readonly yes: boolean | undefined;
}

/** Plans, asks, writes and tells; the exit code of `push` and `import`. */
export async function runPush(
  command: string,
  mappings: readonly PushMapping[],
  options: PlanOptions,
  work: Work,
): Promise<ExitCode> {
  return tellResult(await push(work.ports, command, mappings, options, askApproval(work)), work);
}

/** Shows the plan on standard error and asks once. */
export function askApproval(work: Work): Approve {
  return async (planned: PlannedPush) => {
    const { program, yes } = work;
    const { screen } = program;
    const sample = await sampleChanges(planned);
    const view = planView(work, screen.style);
    work.endProgress();
    const writes = countWrites(planned);
    // Where nothing is sent and every row stands as it should, the report alone says so.
    const waits = planned.mappings.some(({ outcomes }) => outcomes.deferred + outcomes.conflict > 0);
    if (writes === 0 && planned.exitCode === EXIT.done && !waits) return;
    const shown = `${renderPlan(planned, sample, view)}\n`;
    const question = `Send ${renderCountOf(writes, 'writing request')} to ${planned.account.baseUrl}?`;
    if (writes === 0) screen.say(shown);
    else await approve({ shown, question }, yes, program);
  };
}

/** What a plan is shown by. */
export const planView = ({ program: { clock, command }, config: { timezone } }: Work, style: Style) => ({
  ...{ style, timezone, command },
  nowMs: clock.now(),
});

/** Says that there was nothing to go on with: `"run": null`, no mappings. */
export async function tellNothing(
  command: string,
  message: string,
  { program: { screen }, ports }: Pick<Work, 'program' | 'ports'>,
): Promise<void> {
  const requests = requestsMade(ports.service);
  const document = { run: null, command, exit_code: EXIT.done, mappings: [], requests };
  await screen.data(screen.json ? JSON.stringify(document) : message);
}

/** What a trigger adds to what a run did. */
interface ToldTrigger {
  /** What the game week is called. */
  readonly week: string;
  readonly lines: readonly string[];
  readonly document: object;
}

/**
 * Says what a run did: one JSON document, or tables; what stopped it; the next command; and last the files of rows to correct, the CSV
 * file as the very last line: it can be imported as it is. A trigger is told by its game week.
 */
export async function tellResult(
  result: PushResult,
  {
    program,
    endProgress,
    google,
    connection,
  }: Pick<Work, 'program' | 'endProgress' | 'google' | 'connection'>,
  triggered?: ToldTrigger,
): Promise<ExitCode> {
  const {
    report,
    stoppedBy,
    rejected,
    reasons = [],
    next = [],
    leftOut = [],
    reportsStopped = false,
    needsResolve = false,
  } = result;
  const { screen } = program;
  endProgress();
  program.ended?.({
    environment: connection.environment,
    summaries: report.mappings,
    run: report.run,
    exitCode: report.exit_code,
    stoppedBy: stoppedBy?.code,
    leftOut,
  });
  // Of a state that is gone, no run is there to be resumed.
  const own =
    stoppedBy?.code === 'state.gone'
      ? []
      : nextAfter(report, stoppedBy !== undefined && !reportsStopped, needsResolve);
  const nexts = [...own, ...next];
  const [first] = nexts;
  if (stoppedBy !== undefined) screen.tell(renderStop(stoppedBy, program, first));
  if (screen.json) {
    const error = stoppedBy && { error: errorDocument(stoppedBy, program, first) };
    const mappings = report.mappings.map((mapping) => withLeague('name', withTypedNext(mapping, program)));
    await screen.data(
      JSON.stringify({ ...report, mappings, ...triggered?.document, ...googleDocument(google), ...error }),
    );
    return report.exit_code;
  }
  if (triggered === undefined) {
    await screen.data(renderReport(report, screen.dataStyle));
    for (const line of renderReasons(reasons, report.run)) screen.say(asTyped(line, program.name));
  } else await screen.data(asTyped(renderTrigger(triggered, result), program.name));
  // The first command would stop again as it is: without what the stop names.
  const stopsAgain = stoppedBy?.exitCode === EXIT.access || stoppedBy?.code === 'deadline.passed';
  const told = stoppedBy === undefined ? [] : [stoppedBy.next ?? first, ...(stopsAgain ? [first] : [])];
  for (const each of nexts) {
    if (!told.includes(each)) screen.say(renderNextLine(each, program));
  }
  if (rejected.length > 0) await screen.exact(`${rejected.toReversed().map(safeText).join('\n')}\n`);
  return report.exit_code;
}
