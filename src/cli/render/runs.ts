import { EXIT } from '../../model/error.ts';
import { OUTCOMES } from '../../model/outcome.ts';
import type { MappingSummary, RequestCounts, Run } from '../../model/store.ts';
import type { ResultRow } from '../../sync/finish/results.ts';
import type { Style } from '../screen.ts';
import { renderRecords, renderReport } from './report.ts';
import { renderColumns, renderCount, renderDuration, renderTime, safeText } from './text.ts';

/** The history as a table, newest first. */
export function renderRuns(runs: readonly Run[], timezone: string, style: Style): string {
  const head = [
    'run',
    'command',
    'started',
    'took',
    'exit',
    ...(runs.some(({ summaries }) => summaries.length > 0) ? ['what'] : []),
  ].map((text) => style('bold', text));
  return renderColumns([
    head,
    ...runs.map((run) => [
      run.id,
      run.command,
      renderTime(run.startedAtMs, timezone),
      run.endedAtMs === null ? '-' : renderDuration(run.endedAtMs - run.startedAtMs),
      renderExit(run, style),
      run.summaries.map(renderSummary).join('; '),
    ]),
  ]);
}

/** One run: when, how it ended, what became of its rows and where the results stand. */
export function renderRun(run: Run, timezone: string, style: Style): string {
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
    renderRuns([{ ...run, summaries: [] }], timezone, style),
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

const NO_REQUESTS: RequestCounts = { planned: 0, sent: 0, reads: 0, writes: 0, throttled: 0, waited_ms: 0 };

function renderExit(run: Run, style: Style): string {
  if (run.exitCode === null) return style('yellow', 'unfinished');
  const text = run.finished ? String(run.exitCode) : `${run.exitCode}, unfinished`;
  return style(run.exitCode === 0 ? 'green' : 'yellow', text);
}

/** `users: 26 created, 471 unchanged` or `squads: 60 records to out/squads.csv`. */
function renderSummary(summary: MappingSummary): string {
  const name = safeText(summary.name);
  if (summary.direction === 'pull') {
    const what = `${renderRecords(summary)} to ${safeText(summary.destination)}`;
    return `${name}: ${summary.error === undefined ? what : safeText(summary.error.message)}`;
  }
  const parts = OUTCOMES.filter((outcome) => summary[outcome] > 0).map(
    (outcome) => `${renderCount(summary[outcome])} ${outcome}`,
  );
  return `${name}: ${parts.length === 0 ? 'no rows' : parts.join(', ')}`;
}
