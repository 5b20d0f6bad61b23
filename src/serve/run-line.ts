import { healthOf } from '../model/health.ts';
import { apart } from '../model/league-name.ts';
import type { MappingSummary, Run } from '../model/store.ts';
import type { RunLine, Work } from '../pages/dashboard/values.ts';
import { newestOfAll } from '../runtime/history.ts';
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

/** A run as pages show it. */
export function runLine(run: Run): RunLine {
  const { id, command, startedAtMs, endedAtMs, exitCode, finished, requests, summaries } = run;
  const work = summaries.map(workOf);
  return { id, command, startedAtMs, endedAtMs, exitCode, isFinished: finished, work, requests };
}

/** Runs that are looked at; what is older is found by `runs`. */
const NEWEST_RUNS = 1000;

/** The newest runs and pulls with the services of the configuration, newest first. */
export async function newestRuns({ store, baseUrls }: Desk): Promise<readonly Run[]> {
  return (await newestOfAll(store, NEWEST_RUNS)).filter(({ account }) => baseUrls.has(account.baseUrl));
}
