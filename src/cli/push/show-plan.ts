import type { PushMapping } from '../../mapping/mapping.ts';
import { EXIT, type ExitCode } from '../../model/error.ts';
import { withLeague } from '../../model/league-name.ts';
import { countWrites, planPush } from '../../sync/plan/plan-sync.ts';
import type { CheckPlan } from '../../sync/push.ts';
import { sampleChanges } from '../../sync/plan/sample-plan.ts';
import type { PlannedPush } from '../../sync/ports.ts';
import type { PlanOptions } from '../../plan/saved/push-plan.ts';
import { writeWithList } from '../json-list.ts';
import { googleDocument } from '../render/google.ts';
import type { SavedAs } from './plan-file.ts';
import { renderPlan } from '../render/plan.ts';
import { renderNextLine, renderStop, renderTyped, stopsDocument } from '../render/stop.ts';
import { safeText } from '../render/text.ts';
import { planView, type Work } from './run-push.ts';

interface ShowOptions {
  /** Exit 2 instead of 0 when there are changes. */
  readonly changesCode?: boolean | undefined;
  /** Looks at the plan first; throws when it is not the one that was promised. */
  readonly check?: CheckPlan;
  /** Saves the plan and answers the next command to type. */
  readonly save?: (planned: PlannedPush) => Promise<SavedAs>;
}

/** Plans with reading requests alone and shows it; the exit code of `plan` and `--dry-run`. */
export async function showPlan(
  command: string,
  mappings: readonly PushMapping[],
  options: PlanOptions,
  work: Work,
  { changesCode, check, save }: ShowOptions = {},
): Promise<ExitCode> {
  const isShown = check === undefined && save === undefined && !work.program.screen.json;
  const planned = await planPush(work.ports, mappings, options, isShown);
  try {
    const { exitCode } = planned;
    await check?.(planned);
    const saved = await save?.(planned);
    const changed = planned.mappings.some(
      ({ changes, deactivated }) => changes.create + changes.update + deactivated > 0,
    );
    const code = changesCode === true && exitCode === EXIT.done && changed ? EXIT.changes : exitCode;
    if (work.program.screen.json) await writePlanDocument(command, code, planned, work, saved);
    else await writePlanText(planned, work, saved);
    return code;
  } finally {
    await planned.rows.remove();
  }
}

async function writePlanText(planned: PlannedPush, work: Work, saved: SavedAs | undefined): Promise<void> {
  const { program } = work;
  const { screen, typed } = program;
  const view = planView(work, screen.dataStyle);
  work.endProgress();
  await screen.data(renderPlan(planned, await sampleChanges(planned), view));
  for (const { error } of planned.stops) screen.tell(renderStop(error, program));
  if (saved !== undefined) screen.say(safeText(`saved as ${saved.file}`));
  if (planned.stops.length > 0 || countWrites(planned) === 0) return;
  screen.say(renderNextLine(saved?.push ?? renderTyped(writing(typed)), program));
}

/** The command line that writes what this one only showed. */
function writing(typed: readonly string[]): readonly string[] {
  const command = typed.indexOf('plan');
  const words = typed.map((word, index) => (index === command ? 'push' : word));
  return words.filter((word) => word !== '--dry-run' && word !== '--detailed-exitcode');
}

/** The document of interfaces.md, section 6, change by change, so that nothing holds all of them. */
async function writePlanDocument(
  command: string,
  exitCode: ExitCode,
  planned: PlannedPush,
  { program, google }: Work,
  saved: SavedAs | undefined,
): Promise<void> {
  const { requests, forecast } = planned;
  const head = {
    run: null,
    command,
    exit_code: exitCode,
    mappings: planned.mappings.map(({ mapping: { name, resource, leagues }, outcomes, deactivated }) =>
      withLeague('name', {
        name,
        resource,
        direction: 'push',
        ...(leagues && { leagues }),
        ...outcomes,
        deactivated,
        results: null,
      }),
    ),
    requests,
    ...googleDocument(google),
  };
  const tail = {
    pauses: forecast.pauses.map(({ untilMs, seconds, reason }) => ({
      until: new Date(untilMs).toISOString(),
      seconds,
      reason,
    })),
    finishes_at: new Date(forecast.finishesAtMs).toISOString(),
    worst_case: {
      reads: planned.mappings.reduce((sum, { worst }) => sum + worst.reads, 0),
      writes: planned.mappings.reduce((sum, { worst }) => sum + worst.writes, 0),
    },
    at_the_latest: forecast.atTheLatest,
    finish_by: forecast.finishByMs === undefined ? null : new Date(forecast.finishByMs).toISOString(),
    fits: { requests: forecast.fits, rows: forecast.fittingRows, limited_by: forecast.limitedBy ?? null },
    stops: stopsDocument(planned.stops, program),
    ...(saved !== undefined && { saved: saved.file }),
  };
  await writeWithList(program.screen, head, 'changes', changesOf(planned), tail);
}

async function* changesOf(planned: PlannedPush): AsyncGenerator<object> {
  for await (const { mapping, row, key, kind, fields, message } of planned.changes())
    yield withLeague('mapping', { mapping, row, key, kind, fields, message });
}
