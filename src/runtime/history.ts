import { resolve } from 'node:path';
import type { PushMapping } from '../mapping/mapping.ts';
import { ConfigError } from '../model/error.ts';
import type { LeagueScope } from '../model/state/memory.ts';
import type { LockLook, PushSummary, Run, ServiceAccount, Store } from '../model/state/store.ts';
import type { RunRow } from '../model/state/run-rows.ts';
import { leagueWeeks, type LeagueWeek } from '../sync/memory/league-weeks.ts';
import { serviceNow } from '../sync/memory/service-time.ts';
import { keptResults, readResults, writeAllResults, type ResultRow } from '../sync/finish/results.ts';
import { lastRunOf } from '../sync/journal/last-run.ts';
import { allMappings, newestRun, pushedMappings } from '../sync/journal/stored-run.ts';
import { openCases, type OpenCase } from '../sync/reconcile/open-cases.ts';
import { isHeld } from '../sync/runs/crashed.ts';
import { createTables } from '../tables/index.ts';
import { createResultFiles } from '../tables/result-files.ts';

export { stoppedMappings } from '../sync/journal/last-run.ts';
export { replacedRuns } from '../sync/runs/superseded.ts';

/**
 * What became of the rows of one mapping of a run: as its results file says or, where nobody has finished the run, as the state does, because another machine may have gone on with
 * it. Nothing where it has no results. Errors: ConfigError `run.no_results` where the file is not on this machine, `source.*` where it is no results file.
 */
export async function* resultsOf(
  store: Pick<Store, 'keptRunRows'>,
  run: Run,
  { name, results }: Pick<PushSummary, 'name' | 'results'>,
  folder: string,
): AsyncGenerator<ResultRow> {
  if (results === null) return;
  const mapping = allMappings(run).find((each) => each.name === name);
  const rows = run.finished || mapping === undefined ? undefined : await store.keptRunRows(run.id);
  if (rows !== undefined && mapping !== undefined) {
    try {
      yield* keptResults(rows, mapping);
    } finally {
      await rows.close();
    }
    return;
  }
  try {
    yield* readResults(createTables().csv, resolve(folder, results), results);
  } catch (error) {
    if (!(error instanceof ConfigError) || error.code !== 'source.missing') throw error;
    throw new ConfigError(
      'run.no_results',
      `${results} is not there: the machine that finished run ${run.id} has it, or somebody removed it`,
      { next: `verify ${run.id}`, cause: error },
    );
  }
}

/** What the state keeps of rows of a run: their table, its header and, of each that is kept, its key, fields and wrong columns. */
export interface KeptOfRun {
  readonly mapping: PushMapping | undefined;
  readonly header: readonly string[];
  readonly rows: readonly RunRow[];
}

/** Looks rows of one mapping of a run up in the state. */
export async function keptOfRun(
  store: Pick<Store, 'keptRunRows'>,
  run: Run,
  name: string,
  rowNumbers: readonly number[],
): Promise<KeptOfRun> {
  const mapping = pushedMappings(run).find((each) => each.name === name);
  const kept = await store.keptRunRows(run.id);
  if (kept === undefined) return { mapping, header: [], rows: [] };
  try {
    return { mapping, header: await kept.header(name), rows: await kept.rows(name, rowNumbers) };
  } finally {
    await kept.close();
  }
}

/**
 * Writes the results of a run that is not finished again, from the rows that the state keeps of it, into a folder (absolute): another machine may have the files that it wrote. Answers
 * their names. Errors: ConfigError `run.no_rows` where the rows are not kept; those of writing.
 */
export async function writeResultsAgain(
  store: Pick<Store, 'keptRunRows'>,
  run: Run,
  folder: string,
): Promise<readonly string[]> {
  // Of one that is finished, only what was written is kept, without its cells.
  const rows = run.finished ? undefined : await store.keptRunRows(run.id);
  if (rows === undefined) throw noRows(run);
  try {
    const files = createResultFiles({ folder, runFolder: () => Promise.resolve(folder) });
    const written: string[] = [];
    for (const mapping of allMappings(run)) written.push(await writeAllResults(files, run.id, mapping, rows));
    return written;
  } finally {
    await rows.close();
  }
}

const noRows = ({ id, finished }: Run): ConfigError =>
  new ConfigError(
    'run.no_rows',
    `the state does not keep the rows of run ${id}${finished ? ', because it is finished: the machine that finished it has its results files' : ''}`,
    { next: `runs ${id}` },
  );

/** The open writes and conflicts of the accounts, the oldest of each account first, without the writes of a run that goes on now: their answers are still to come. Only reads the state. */
export async function openCasesOf(
  state: LookedAt,
  accounts: readonly ServiceAccount[],
): Promise<readonly OpenCase[]> {
  const atWork = new Set((await runsAtWork(state, accounts)).map(({ id }) => id));
  const cases: OpenCase[] = [];
  // A conflict whose rows are lost is compared by the next push: it is nobody's case.
  for (const account of accounts) {
    const all = await openCases({ store: state.store, emit: () => undefined }, account);
    cases.push(...all.filter(({ kind, run }) => kind !== 'unknown' || !atWork.has(run.id)));
  }
  return cases;
}

/** A state that is only looked at. */
interface LookedAt {
  readonly store: Store;
  readonly lock: LockLook;
}

/** The runs of pushes that go on now: of each account that somebody writes to, the newest that has no end. Only reads the state. */
export async function runsAtWork(
  { store, lock }: LookedAt,
  accounts: readonly ServiceAccount[],
): Promise<readonly Run[]> {
  const found: Run[] = [];
  for (const account of accounts) {
    if (!(await isHeld(lock, account))) continue;
    const run = await newestRun(store, account, ({ endedAtMs }) => endedAtMs === null);
    if (run !== undefined) found.push(run);
  }
  return found;
}

/** The game weeks of a league that have begun, with their states; no total is compared, which would read every squad of the season. */
export async function rememberedWeeks(
  store: Pick<Store, 'memory' | 'fact'>,
  scope: LeagueScope,
  nowMs: number,
): Promise<readonly LeagueWeek[]> {
  const unheard = { service: { timeMs: () => undefined }, store, clock: { now: () => nowMs } };
  return leagueWeeks(store.memory, scope, await serviceNow(unheard, scope.account));
}

/** The newest runs and pulls, the newest first. */
export async function newestOfAll(
  store: Pick<Store, 'runs' | 'pulls'>,
  most: number,
): Promise<readonly Run[]> {
  const all = [...(await store.runs(most)), ...(await store.pulls(most))];
  return all.toSorted((one, other) => other.startedAtMs - one.startedAtMs).slice(0, most);
}

/** A run or a pull by its id. */
export async function runOrPull(store: Pick<Store, 'run' | 'pulls'>, id: string): Promise<Run | undefined> {
  return (await store.run(id)) ?? (await store.pulls(Number.MAX_SAFE_INTEGER)).find((pull) => pull.id === id);
}

/** The last run or pull of each of some mappings with one of these accounts, as far as it is still kept. */
export async function lastRunsOf(
  store: Pick<Store, 'fact' | 'run' | 'pulls'>,
  accounts: readonly ServiceAccount[],
  mappings: readonly string[],
): Promise<readonly Run[]> {
  const ids = new Set<string>();
  for (const account of accounts)
    for (const mapping of mappings) {
      const id = await lastRunOf(store, account, mapping);
      if (id !== undefined) ids.add(id);
    }
  const found: Run[] = [];
  for (const id of ids) {
    const run = await runOrPull(store, id);
    if (run !== undefined) found.push(run);
  }
  return found.toSorted((one, other) => other.startedAtMs - one.startedAtMs);
}

/** The mappings that a run was to push, in their order. */
export const pushedBy = (run: Run): readonly Pick<PushMapping, 'name' | 'resource'>[] => pushedMappings(run);
