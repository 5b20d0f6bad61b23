import { ConfigError } from '../model/error.ts';
import { issuesAmong } from '../model/said.ts';
import type { Run } from '../model/state/store.ts';
import {
  countOf,
  OUTCOMES_OF,
  ROW_CHOICES,
  type RowChoice,
  type RowLine,
  type RunLine,
  type RunRowsPage,
  type Sheet,
  type Work,
} from '../pages/dashboard/values.ts';
import { keptOfRun, replacedRuns, resultsOf, runOrPull, runsAtWork } from '../runtime/history.ts';
import { cellPlaces } from './cell-places.ts';
import type { Desk } from './desk.ts';
import { newestRuns, runLine } from './run-line.ts';
import { PER_PAGE, pageOf, sheetOf, slice } from './sheets.ts';

/** A page of the history. */
export async function readRuns(desk: Desk, query: URLSearchParams): Promise<Sheet<RunLine>> {
  const runs = slice(await newestRuns(desk), query);
  const replaced = await replacedRuns(desk.store);
  const atWork = await idsAtWork(desk);
  return { ...runs, lines: runs.lines.map((run) => runLine(run, replaced.get(run.id), atWork.has(run.id))) };
}

/** A run, and the rows of one of its mappings that the query asks for: without one, the first that need somebody. Undefined: there is no such run. */
export async function readRun(
  desk: Desk,
  id: string,
  query: URLSearchParams,
): Promise<{ readonly run: RunLine; readonly shown: RunRowsPage | undefined } | undefined> {
  const run = await runOrPull(desk.store, id);
  if (run === undefined || !desk.isOurs(run)) return undefined;
  const line = runLine(run, (await replacedRuns(desk.store)).get(id), (await idsAtWork(desk)).has(id));
  const pushed = line.work.filter(({ outcomes }) => outcomes !== null);
  const named = pushed.find(({ name }) => name === query.get('mapping'));
  const work = named ?? pushed.find((each) => choiceFor(each) !== 'all') ?? pushed[0];
  if (work === undefined) return { run: line, shown: undefined };
  const choice = ROW_CHOICES.find((each) => each === query.get('rows')) ?? choiceFor(work);
  return { run: line, shown: { work, choice, rows: await readRows(desk, run, work, choice, query) } };
}

const idsAtWork = async (desk: Desk): Promise<ReadonlySet<string>> =>
  new Set((await runsAtWork(desk, desk.accounts)).map(({ id }) => id));

const choiceFor = (work: Work): RowChoice => ROW_CHOICES.find((choice) => countOf(work, choice) > 0) ?? 'all';

/** The rows of a page, from the results file, with what the state keeps of them. Undefined: the file is not there. */
async function readRows(
  desk: Desk,
  run: Run,
  work: Work,
  choice: RowChoice,
  query: URLSearchParams,
): Promise<Sheet<RowLine> | undefined> {
  if (work.file === null) return undefined;
  const sheet = sheetOf(countOf(work, choice), query);
  const outcomes: ReadonlySet<string> = new Set(OUTCOMES_OF[choice]);
  try {
    const summary = { name: work.name, results: work.file };
    const results = resultsOf(desk.store, run, summary, desk.config.folder);
    const rows = await pageOf(results, ({ outcome }) => outcomes.has(outcome), (sheet.page - 1) * PER_PAGE);
    const kept = await keptOfRun(
      desk.store,
      run,
      work.name,
      rows.map(({ row }) => row),
    );
    const lines: RowLine[] = [];
    for (const { row, outcome, message, id } of rows) {
      const found = kept.rows.find(({ rowNumber }) => rowNumber === row);
      const columns = issuesAmong(found?.said ?? []).flatMap(({ column }) => column ?? []);
      lines.push({
        rowNumber: row,
        outcome,
        message,
        id,
        key: found?.key ?? null,
        fields: Object.entries(found?.fields ?? {}).map(([name, value]) => [name, shown(value)]),
        places: await cellPlaces(desk.store, kept, row, columns),
      });
    }
    return { ...sheet, lines };
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
