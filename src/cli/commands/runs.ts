import { join, resolve } from 'node:path';
import { EXIT, UsageError } from '../../model/error.ts';
import type { Run, Store } from '../../model/state/store.ts';
import type { ResultRow } from '../../sync/finish/results.ts';
import { withLeague } from '../../model/league-name.ts';
import { leaguesOf, notAPush } from '../../sync/journal/stored-run.ts';
import { defineCommand } from '../command.ts';
import { readConfig } from '../../runtime/config/config.ts';
import { renderResultRow, renderRun, renderRuns, type Replaced } from '../render/runs.ts';
import { cutOffSentence } from '../push/cut-off.ts';
import { writeWithList } from '../json-list.ts';
import { withTypedNext } from '../render/stop.ts';
import { renderMoreRows, safeText } from '../render/text.ts';
import { duration, text, wholeNumber } from '../flags.ts';
import type { Program } from '../program.ts';
import { pruneRuns } from '../prune-runs.ts';
import {
  newestOfAll,
  replacedRuns,
  resultsOf,
  runOrPull,
  runsAtWork,
  writeResultsAgain,
} from '../../runtime/history.ts';
import { withState, type OpenState } from '../../runtime/state.ts';

const LIST_LENGTH = 20;

/** What `runs prune` leaves when nobody says otherwise. */
const KEEP_RUNS = 20;
const KEEP_MS = 30 * 24 * 60 * 60 * 1000;

/** `runs` and `runs RUN`: the history, newest first, or one run with what became of its rows; `runs prune` removes old ones. */
export const runs = defineCommand({
  options: {
    keep: {
      ...text('prune: the newest runs that stay in any case; 20 by default'),
      coerce: wholeNumber('keep', 0),
    },
    'older-than': {
      ...text('prune: only runs that ended longer ago, such as 7d; 30d by default'),
      coerce: duration('older-than'),
    },
    results: text('RUN: write the results of a run that is not finished again into this folder'),
  },
  positionals: { run: { type: 'string', describe: 'the id of one run, or prune' } },
  examples: [
    ['runs', 'the last runs'],
    ['runs 01J8Z…', 'one run: outcomes, requests, results files'],
    ['runs 01J8Z… --results out/results', 'the results of a run again that another machine began'],
    ['runs prune --older-than 90d', 'remove old finished runs with their results'],
  ],
  run: async ({ run: id, limit, ...args }, program) => {
    const { keep, olderThan, results } = args;
    if (results !== undefined && (id === undefined || id === 'prune'))
      throw new UsageError('usage.runs', '--results needs the id of one run', { next: 'runs' });
    if (id !== 'prune' && (keep ?? olderThan) !== undefined)
      throw new UsageError('usage.runs', '--keep and --older-than belong to runs prune', {
        next: 'runs prune',
      });
    const config = readConfig(args, program);
    const { screen } = program;
    return withState(config, program.clock, screen.warn, async (state) => {
      const { store } = state;
      if (id === 'prune') {
        const options = { keep: keep ?? KEEP_RUNS, olderThanMs: olderThan ?? KEEP_MS };
        return pruneRuns(state, config, options, args.yes, program);
      }
      const cutOff = await cutOffSentence(state, config, program);
      if (cutOff !== undefined) screen.warn(cutOff);
      if (id === undefined) {
        const list = await newestOfAll(store, limit ?? LIST_LENGTH);
        const replaced = await replacedRuns(store);
        const shown =
          list.length === 0
            ? 'no runs are kept'
            : renderRuns(list, config.timezone, screen.dataStyle, replaced, await idsAtWork(state, list));
        await screen.data(
          screen.json
            ? JSON.stringify({
                command: 'runs',
                exit_code: 0,
                runs: list.map((run) => runDocument(run, replaced, program)),
              })
            : shown,
        );
        return EXIT.done;
      }
      const run = results === undefined ? await runOrPull(store, id) : await store.run(id);
      if (run === undefined) throw await notAPush(store, id);
      if (results !== undefined) {
        const written = await writeResultsAgain(store, run, resolve(program.cwd, results));
        const files = written.map((name) => join(results, name));
        const document = { command: 'runs', exit_code: EXIT.done, run: run.id, results: files };
        await screen.data(screen.json ? JSON.stringify(document) : files.map(safeText).join('\n'));
        return EXIT.done;
      }
      const rows = rowsOf(store, run, config.folder);
      const replaced = await replacedRuns(store);
      if (screen.json)
        await writeWithList(screen, runDocument(run, replaced, program), 'rows', withLeagues(rows));
      else {
        const atWork = await idsAtWork(state, [run]);
        await screen.data(renderRun(run, config.timezone, screen.dataStyle, replaced, atWork));
        await writeRows(rows, program);
      }
      return EXIT.done;
    });
  },
});

type Rows = AsyncIterable<ResultRow & { readonly mapping: string }>;

/** The rows of a run, mapping by mapping. */
async function* rowsOf(store: Pick<Store, 'keptRunRows'>, run: Run, folder: string): Rows {
  for (const summary of run.summaries) {
    if (summary.direction === 'pull') continue;
    for await (const row of resultsOf(store, run, summary, folder)) yield { mapping: summary.name, ...row };
  }
}

async function* withLeagues(rows: Rows): AsyncGenerator<object> {
  for await (const row of rows) yield withLeague('mapping', row);
}

/** Rows that need somebody's attention are shown one by one. */
const TO_SHOW: ReadonlySet<string> = new Set(['invalid', 'rejected', 'deferred', 'unknown', 'conflict']);
const SHOWN_ROWS = 20;

/** Of some runs, those that go on now. */
const idsAtWork = async (state: OpenState, runs: readonly Run[]): Promise<ReadonlySet<string>> => {
  const accounts = new Map(runs.map(({ account }) => [JSON.stringify(account), account]));
  return new Set((await runsAtWork(state, [...accounts.values()])).map(({ id }) => id));
};

async function writeRows(rows: Rows, { screen }: Pick<Program, 'screen'>): Promise<void> {
  let count = 0;
  for await (const row of rows) {
    if (!TO_SHOW.has(row.outcome)) continue;
    count += 1;
    if (count <= SHOWN_ROWS) await screen.data(renderResultRow(row, screen.dataStyle));
  }
  if (count > SHOWN_ROWS) await screen.data(`  ${renderMoreRows(count - SHOWN_ROWS)}`);
}

function runDocument(run: Run, replaced: Replaced, program: Program): object {
  const leagues = leaguesOf(run);
  const by = replaced.get(run.id);
  return {
    run: run.id,
    ...(leagues.length > 0 && { leagues }),
    command: run.command,
    exit_code: run.exitCode,
    started_at: new Date(run.startedAtMs).toISOString(),
    ended_at: run.endedAtMs === null ? null : new Date(run.endedAtMs).toISOString(),
    finished: run.finished,
    ...(by !== undefined && { replaced_by: by }),
    mappings: run.summaries.map((summary) => withLeague('name', withTypedNext(summary, program))),
    requests: run.requests,
  };
}
