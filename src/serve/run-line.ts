import { healthOf } from '../model/state/health.ts';
import { apart } from '../model/league-name.ts';
import type { MappingSummary, Run } from '../model/state/store.ts';
import type { RunLine, Work } from '../pages/dashboard/values.ts';
import { newestOfAll, stoppedMappings } from '../runtime/history.ts';
import type { Desk } from './desk.ts';

function workOf(summary: MappingSummary): Work {
  const { name, resource, direction } = summary;
  const isPush = direction === 'push';
  return {
    ...apart(name),
    name,
    resource,
    direction,
    health: healthOf(summary),
    outcomes: isPush ? summary : null,
    records: isPush ? null : summary.records,
    error: isPush ? null : (summary.error?.message ?? null),
    file: isPush ? summary.results : summary.destination,
  };
}

function stoppedWork(run: Run): readonly Work[] {
  return stoppedMappings(run).map(({ name, resource }) => ({
    ...apart(name),
    name,
    resource,
    direction: 'push',
    health: 'failing',
    outcomes: null,
    records: null,
    error:
      run.rowsLost === true
        ? 'it was cut off, and its rows are lost'
        : `it ended before anything was sent, with exit code ${run.exitCode}`,
    file: null,
  }));
}

/** A run as pages show it, with the runs that replaced it. */
export function runLine(run: Run, replacedBy: readonly string[] = [], isAtWork = false): RunLine {
  const { id, command, startedAtMs, endedAtMs, exitCode, finished, requests, summaries } = run;
  const work = summaries.length > 0 ? summaries.map(workOf) : stoppedWork(run);
  const isFinished = finished;
  return { id, command, startedAtMs, endedAtMs, exitCode, isAtWork, isFinished, replacedBy, work, requests };
}

/** Runs that are looked at; what is older is found by `runs`. */
const NEWEST_RUNS = 1000;

/** The newest runs and pulls with the accounts of the configuration, newest first. */
export const newestRuns = async (desk: Desk): Promise<readonly Run[]> => (await newestSince(desk)).runs;

/** The same, and when the oldest run began that was looked at, where there are older ones. */
export async function newestSince({ store, isOurs }: Desk): Promise<{
  readonly runs: readonly Run[];
  readonly sinceMs: number | undefined;
}> {
  const all = await newestOfAll(store, NEWEST_RUNS);
  const sinceMs = all.length < NEWEST_RUNS ? undefined : all.at(-1)?.startedAtMs;
  return { runs: all.filter(isOurs), sinceMs };
}
