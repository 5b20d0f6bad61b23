import { EXIT, type ExitCode } from '../../model/error.ts';
import { NO_REQUESTS } from '../../model/state/store.ts';
import { worstExit } from '../../model/worst-exit.ts';
import { runOnce, runSchedule, type Looked, type RunnerPorts } from '../../schedule/runner.ts';
import { joinRuns, keepDocuments } from '../join-documents.ts';
import type { Program } from '../program.ts';
import type { Wanted } from '../serve.ts';
import type { SessionArgs } from '../session.ts';
import { tellerOfTime } from './alert-ticker.ts';
import { syncDue } from './due-sync.ts';
import { schedulesOf, tell, type Schedules } from './schedules.ts';
import { watchTurns } from './watch-turns.ts';

interface ScheduleArgs extends SessionArgs, Pick<Wanted, 'port' | 'probe'> {
  readonly once?: boolean | undefined;
}

/** `schedule run`: carries out the schedules of the named mappings, or of all, until a signal; with `once`, what is due now. */
export async function runSchedules(
  names: readonly string[],
  { once, port, probe, ...args }: ScheduleArgs,
  program: Program,
): Promise<ExitCode> {
  const { screen } = program;
  screen.say('what the schedules push is approved by this command; nothing is asked');
  const { unread, ...schedules } = schedulesOf(names, args, program);
  const kept = once === true ? keepDocuments(screen) : { screen, documents: () => [] };
  const own: RunnerPorts = {
    ...program,
    ...schedules,
    sync: (runs) => syncDue(runs, args, { ...program, screen: kept.screen }),
    tell: (event) => tell(event, args, program),
  };
  const { ports, isTurning } = watchTurns(own);
  const { serve } = await import('../serve.ts');
  const serving = await serve({ port, probe, isAlive: isTurning }, args, program);
  try {
    if (serving.link !== undefined) screen.tell(`dashboard: ${serving.link}`);
    if (serving.probe !== undefined)
      screen.say(`probe: ${serving.probe}/healthz and ${serving.probe}/metrics`);
    return once === true
      ? await runDue(ports, { unread, documents: kept.documents }, args, program)
      : await runSchedule(ports);
  } finally {
    await serving.close();
  }
}

interface Told extends Pick<Schedules, 'unread'> {
  /** What the syncs said. */
  readonly documents: () => readonly object[];
}

/** What is due now, in one document; nothing to do is a document too. */
async function runDue(
  ports: RunnerPorts,
  { unread, documents }: Told,
  args: SessionArgs,
  program: Program,
): Promise<ExitCode> {
  const { screen } = program;
  let looked: Looked | undefined;
  const ran = await runOnce({
    ...ports,
    look: async (isDue) => (looked = await ports.look(isDue)),
  });
  const exitCode = worstExit([ran ?? EXIT.done, ...unread()]);
  // A sync tells of the deadlines of its own mappings alone.
  if (looked !== undefined) await tellerOfTime(args, program)(looked);
  if (screen.json) {
    const nothing = { run: null, command: 'sync', mappings: [], requests: NO_REQUESTS };
    const told = documents();
    await screen.data(JSON.stringify(joinRuns(told.length === 0 ? [nothing] : told, exitCode)));
  }
  return exitCode;
}
