import { renderCount, renderCountOf } from '../../model/count.ts';
import { EXIT } from '../../model/error.ts';
import { NO_REQUESTS, type MappingSummary, type Run } from '../../model/state/store.ts';
import type { ResultRow } from '../../sync/finish/results.ts';
import type { Style } from '../screen.ts';
import { outcomeWords, renderReport } from './report.ts';
import { renderColumns, renderDuration, safeText } from './text.ts';
import { renderTime } from '../../model/time/render-time.ts';

/** By the id of an unfinished run, the runs that have read its tables again. */
export type Replaced = ReadonlyMap<string, readonly string[]>;

/** The history, newest first: a line for each run, and below it what it wrote and fetched; `atWork` are the ids of runs that go on now. */
export function renderRuns(
  runs: readonly Run[],
  timezone: string,
  style: Style,
  replaced: Replaced = new Map(),
  atWork: ReadonlySet<string> = new Set(),
): string {
  const heads = renderColumns([
    ['run', 'command', 'started', 'took', 'exit'].map((text) => style('bold', text)),
    ...runs.map((run) => [
      run.id,
      run.command,
      renderMinute(run.startedAtMs, timezone),
      run.endedAtMs === null ? '-' : renderDuration(run.endedAtMs - run.startedAtMs),
      atWork.has(run.id) ? style('yellow', 'running') : renderExit(run, style, replaced),
    ]),
  ]);
  const [head = '', ...lines] = heads.split('\n');
  return [
    head,
    ...lines.flatMap((line, at) => [
      line,
      ...renderWork(runs[at]?.summaries ?? []).map((text) => `  ${text}`),
      ...renderReplaced(replaced.get(runs[at]?.id ?? '')),
    ]),
  ].join('\n');
}

/** One run: when, how it ended, what became of its rows and where the results stand. */
export function renderRun(
  run: Run,
  timezone: string,
  style: Style,
  replaced: Replaced,
  atWork: ReadonlySet<string>,
): string {
  const results = run.summaries.flatMap((summary) =>
    summary.direction === 'push' && summary.results !== null
      ? [`results of ${safeText(summary.name)}: ${safeText(summary.results)}`]
      : [],
  );
  const report = {
    run: null,
    command: run.command,
    exit_code: EXIT.done,
    mappings: run.summaries,
    requests: run.requests ?? NO_REQUESTS,
  };
  return [
    renderRuns([{ ...run, summaries: [] }], timezone, style, replaced, atWork),
    '',
    renderReport(report, style),
    ...results,
  ].join('\n');
}

/** One row of a run: `invalid  users.csv row 17, column "Name": ...`. */
export function renderResultRow(
  { mapping, row, outcome, message }: ResultRow & { readonly mapping: string },
  style: Style,
): string {
  const what = message === '' ? `${mapping} row ${row}` : message;
  return `  ${style('yellow', outcome)}  ${safeText(what)}`;
}

/** A minute is enough to know a run by, and leaves room for the rest of its line. */
const renderMinute = (ms: number, timezone: string): string =>
  renderTime(ms, timezone).slice(0, -':00'.length);

function renderExit(run: Run, style: Style, replaced: Replaced): string {
  const left = replaced.has(run.id) ? 'replaced' : 'unfinished';
  if (run.exitCode === null) return style('yellow', left);
  const text = run.finished ? String(run.exitCode) : `${run.exitCode}, ${left}`;
  return style(run.exitCode === 0 ? 'green' : 'yellow', text);
}

/** What is left of a run that later ones have made up for. */
const renderReplaced = (by: readonly string[] = []): readonly string[] =>
  by.length === 0
    ? []
    : [
        `  run ${by.join(' and ')} ${by.length === 1 ? 'has' : 'have'} read its tables since: nothing is left to resume`,
      ];

/** Names of mappings that a line of the history has room for. */
const SHOWN_NAMES = 4;

/** `26 created, 471 unchanged (users, prices)` and `60 records (squads-report), 1 report failed (users-report)`. */
function renderWork(summaries: readonly MappingSummary[]): readonly string[] {
  const pushes = summaries.filter((each) => each.direction === 'push');
  const { failed = [], pulled = [] } = Object.groupBy(
    summaries.filter((each) => each.direction === 'pull'),
    ({ error }) => (error === undefined ? 'pulled' : 'failed'),
  );
  const outcomes = outcomeWords(pushes).flatMap(({ outcome, word, mappings }) => {
    const count = mappings.reduce((sum, each) => sum + each[outcome], 0);
    return count === 0 ? [] : [`${renderCount(count)} ${word}`];
  });
  const records = pulled.reduce((sum, each) => sum + each.records, 0);
  const fetched = [
    ...(pulled.length === 0 ? [] : [`${renderCountOf(records, 'record')} ${namesOf(pulled)}`]),
    ...(failed.length === 0 ? [] : [`${renderCountOf(failed.length, 'report')} failed ${namesOf(failed)}`]),
  ];
  return [
    ...(pushes.length === 0
      ? []
      : [`${outcomes.length === 0 ? 'no rows' : outcomes.join(', ')} ${namesOf(pushes)}`]),
    ...(fetched.length === 0 ? [] : [fetched.join(', ')]),
  ];
}

function namesOf(summaries: readonly MappingSummary[]): string {
  const names = summaries.slice(0, SHOWN_NAMES).map(({ name }) => safeText(name));
  const more = summaries.length - names.length;
  return `(${[...names, ...(more > 0 ? [`${more} more`] : [])].join(', ')})`;
}
