import type { Health } from '../model/state/alerts.ts';
import { apart } from '../model/league-name.ts';
import type { Overview } from '../pages/dashboard/overview.ts';
import type { MappingLine, NextRun, RunLine } from '../pages/dashboard/values.ts';
import { environmentOf } from '../runtime/config/connection.ts';
import { lastRunsOf, openCasesOf, pushedBy, runsAtWork } from '../runtime/history.ts';
import { accountsOf } from '../runtime/config/leagues.ts';
import { readMappings } from '../runtime/config/mappings.ts';
import { comingByMapping } from '../runtime/schedules.ts';
import type { Desk } from './desk.ts';
import { newestRuns, runLine } from './run-line.ts';

/** Every mapping of the configuration with its last and its next run. Errors: ConfigError of the mappings. */
export async function readOverview(desk: Desk): Promise<Overview> {
  const { store, accounts, config, watch } = desk;
  // A mapping whose variable is not set cannot run; the others are shown.
  const mappings = readMappings(config, [], desk, undefined, () => undefined);
  const runs = (await newestRuns(desk)).map((run) => runLine(run));
  const isAmongThem = new Set(runs.flatMap(({ work }) => work.map(({ name }) => name)));
  const rare = mappings.flatMap(({ name }) => (isAmongThem.has(name) ? [] : [name]));
  const older = (await lastRunsOf(store, accounts, rare)).map((run) => runLine(run));
  const clock = { now: () => watch.nowMs };
  const coming = await comingByMapping(store, accounts, mappings, config.timezone, clock);
  const nextOf = (name: string): NextRun | undefined => {
    const next = coming.runs.get(name);
    return next && { atMs: next.atMs, inMs: next.inMs, week: next.week?.week };
  };
  const lastOf = (name: string): MappingLine['last'] => {
    for (const run of [...runs, ...older]) {
      const work = run.work.find((each) => each.name === name);
      if (work !== undefined) return { run, work };
    }
    return undefined;
  };
  const atWork = await runsAtWork(desk, accounts);
  const runningOf = (name: string): RunLine | undefined => {
    const run = atWork.find((each) => pushedBy(each).some((pushed) => pushed.name === name));
    return run && runLine(run, [], true);
  };
  const healthOf = await readHealth(desk);
  return {
    mappings: mappings.map((mapping) => ({
      ...apart(mapping.name),
      direction: mapping.direction,
      resource: mapping.resource,
      table: tableOf(mapping),
      last: lastOf(mapping.name),
      running: runningOf(mapping.name),
      health: healthOf(mapping.name, lastOf(mapping.name)),
      schedule: (mapping.timing?.schedule ?? []).map(({ text }) => text).join(', '),
      next: nextOf(mapping.name),
    })),
    newest: runs[0],
    openCases: (await openCasesOf(desk, accounts)).length,
    calendarAtMs: coming.calendarAtMs,
  };
}

/** The id of a spreadsheet says nothing to a person. */
function tableOf(mapping: ReturnType<typeof readMappings>[number]): string {
  if (mapping.direction === 'push') return mapping.source.origin;
  const { location, origin } = mapping.destination;
  return location.kind === 'sheet' ? `tab "${location.tab}"` : origin;
}

/** What the last attempt of a mapping left: one that came to no run is known where alerts go by it. */
async function readHealth({
  store,
  config,
}: Desk): Promise<(name: string, last: MappingLine['last']) => Health | undefined> {
  const environments = new Set(accountsOf(config).map(environmentOf));
  const states = (await store.alerts.states()).filter(({ environment }) => environments.has(environment));
  return (name, last) => {
    const { mapping, league = null } = apart(name);
    const held = states.find((each) => each.mapping === mapping && each.league === league);
    const isNewer = held !== undefined && held.ranAtMs > (last?.run.startedAtMs ?? -Infinity);
    return isNewer ? held.state : last?.work.health;
  };
}
