import type { Mapping } from '../../mapping/mapping.ts';
import { EXIT, InternalError, TeamsheetError, type ExitCode } from '../../model/error.ts';
import { readConfig } from '../../runtime/config/config.ts';
import { isPush, readMappings } from '../../runtime/config/mappings.ts';
import type { RunEnd } from '../../schedule/mapping-states.ts';
import type { DueRun, SyncEnd } from '../../schedule/runner.ts';
import { weekAt } from '../../schedule/weeks.ts';
import { parseCommandLine } from '../command-line.ts';
import { runSync, type SyncArgs } from '../commands/sync.ts';
import type { Program } from '../program.ts';
import { renderStop } from '../render/stop.ts';
import type { SessionArgs } from '../session.ts';
import { withAlerts } from '../with-alerts.ts';
import { deadlinesOfRuns } from './alert-ticker.ts';
import type { Kept } from './push-alone.ts';

/** The sync that a person would type; what stops it is told, and the schedule goes on. */
export async function syncDue(
  runs: readonly DueRun[],
  args: SessionArgs,
  program: Program,
): Promise<SyncEnd> {
  const ends: RunEnd[] = [];
  const { exitCode, stop } = await syncAndTell(runs, args, program, ends);
  const isHeld = stop === 'lock.held' || stop === 'lock.clock' || stop === KEY_REFUSED;
  const isStateAway = [stop, ...ends.map(({ stoppedBy }) => stoppedBy)].includes('state.unreachable');
  return { exitCode, left: leftBy(runs, ends, isHeld || isLeft(exitCode)), isStateAway };
}

/** A key that is revoked is renewed some time: a run of a game week must not be over by then. */
const KEY_REFUSED = 'service.access';

/** Came to nothing where the service did not answer, or the budget was used up. */
const isLeft = (exitCode: ExitCode | undefined): boolean =>
  exitCode === EXIT.unavailable || exitCode === EXIT.incomplete;

/** The mappings that an outage, a refused key or a clock that is set left with nothing, or with a part, or the budget or another process with nothing. */
function leftBy(runs: readonly DueRun[], ends: readonly RunEnd[], areLeft: boolean): ReadonlySet<string> {
  const endOf = new Map(
    ends.flatMap((end) => end.summaries.map((summary) => [summary.name, { end, summary }])),
  );
  const left = runs.filter(({ mapping }) => {
    const ended = endOf.get(mapping);
    if (ended === undefined) return areLeft;
    const { end, summary } = ended;
    if (summary.direction === 'pull')
      return isLeft(summary.error?.exit_code) || summary.error?.code === KEY_REFUSED;
    // Its lock may also end while it writes.
    const isOut =
      end.exitCode === EXIT.unavailable || end.stoppedBy === 'lock.clock' || end.stoppedBy === KEY_REFUSED;
    return isOut && summary.deferred + summary.unknown > 0;
  });
  return new Set(left.map(({ mapping }) => mapping));
}

async function syncAndTell(
  runs: readonly DueRun[],
  args: SessionArgs,
  program: Program,
  ends: RunEnd[],
): Promise<{ readonly exitCode: ExitCode; readonly stop?: string }> {
  const names = runs.map(({ mapping }) => mapping);
  const typed = ['sync', ...names, '--yes', ...(program.setting ?? [])];
  const parsed = await parseCommandLine(typed);
  if (parsed.kind === 'help') throw new InternalError('internal.command', 'sync has no arguments');
  try {
    // yargs parsed them by the flags of the command.
    const syncArgs = parsed.args as SyncArgs;
    const config = readConfig(args, program);
    const kept = keptBy(runs, readMappings(config, names, program));
    const work = (running: Program): Promise<ExitCode> => {
      const ended = (end: RunEnd): void => {
        ends.push(end);
        running.ended?.(end);
      };
      return runSync(syncArgs, { ...running, ended }, kept);
    };
    const own = { ...program, command: 'sync', typed };
    const exitCode = await withAlerts(syncArgs, own, undefined, work, deadlinesOfRuns(runs, config));
    return { exitCode };
  } catch (error) {
    if (!(error instanceof TeamsheetError) || program.signal.aborted) throw error;
    program.screen.tell(renderStop(error, program));
    return { exitCode: error.exitCode, stop: error.code };
  }
}

/** What runs keep of the game week that they belong to: the deadline of their rows, and the weeks that a trigger is for, with those that were missed. */
function keptBy(runs: readonly DueRun[], mappings: readonly Mapping[]): Kept {
  const choices = new Map(mappings.filter(isPush).map(({ name, source }) => [name, source.location]));
  const triggered = runs.flatMap(({ mapping, atMs, week, missed = [], calendar }) => {
    const location = choices.get(mapping);
    if (location?.kind !== 'weeks' || typeof location.week === 'number') return [];
    const meant = weekAt(calendar.weeks, location.week, atMs, week);
    const all = new Set(
      [...missed.toReversed(), ...(meant === undefined ? [] : [meant])].map(({ id }) => id),
    );
    return all.size === 0 ? [] : [[mapping, [...all]] as const];
  });
  return {
    deadlines: Object.fromEntries(
      runs.flatMap(({ mapping, deadlineMs }) => (deadlineMs === undefined ? [] : [[mapping, deadlineMs]])),
    ),
    weeks: Object.fromEntries(triggered),
    begun: Object.fromEntries(
      runs.flatMap(({ mapping, begunMs, isLater = false }) =>
        begunMs === undefined ? [] : [[mapping, { atMs: begunMs, isLater }]],
      ),
    ),
  };
}
