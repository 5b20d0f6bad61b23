import type { Fields } from '../../model/tables/cell.ts';
import { renderCountOf } from '../../model/count.ts';
import { withLeague } from '../../model/league-name.ts';
import { renderSaid } from '../../model/said.ts';
import type { RequestCounts } from '../../model/state/store.ts';
import { ASSUMPTIONS, type OpenCase } from '../../sync/reconcile/open-cases.ts';
import type { Resolution, ResolvedCase } from '../../sync/resolve.ts';
import type { Style } from '../screen.ts';
import { renderRequests } from './report.ts';
import { renderMoreRows, safeText } from './text.ts';
import { renderTime } from '../../model/time/render-time.ts';

/** Rows of one request that are shown one by one. */
const SHOWN_ROWS = 5;

/** What is open: each write or conflict with its run, its rows and what was sent. */
export function renderCases(cases: readonly OpenCase[], timezone: string, style: Style): string {
  const unknown = cases.filter(({ kind }) => kind === 'unknown').length;
  const counts = [
    ...(unknown > 0
      ? [renderCountOf(unknown, 'write has no trustworthy answer', 'writes have no trustworthy answer')]
      : []),
    ...(cases.length > unknown
      ? [renderCountOf(cases.length - unknown, 'row is in conflict', 'rows are in conflict')]
      : []),
  ];
  return [`${counts.join(', ')}:`, ...cases.flatMap((each) => caseLines(each, timezone, style))].join('\n');
}

function caseLines(each: OpenCase, timezone: string, style: Style): readonly string[] {
  const { id, kind, run, mapping, operation, rows, sentAtMs, reason } = each;
  const when = sentAtMs === null ? '' : `, sent ${renderTime(sentAtMs, timezone)}`;
  const of = `${safeText(mapping)} (${operation})${kind === 'conflict' ? '' : `, ${renderCountOf(rows.length, 'row')}`}`;
  const shown = rows.slice(0, SHOWN_ROWS).map(rowLine);
  const more = rows.length - shown.length;
  return [
    `  ${style('bold', id)}  ${style('yellow', kind)}`,
    `    run ${run.id}, ${of}${when}`,
    ...shown.map((line) => `    ${safeText(line)}`),
    ...(more > 0 ? [`    ${renderMoreRows(more)}`] : []),
    `    ${safeText(renderSaid(reason))}`,
  ];
}

function rowLine({ rowNumber, key, fields }: OpenCase['rows'][number]): string {
  const sent = fields === null ? '' : `: ${fieldList(fields)}`;
  return `row ${rowNumber}${key === null || key === '' ? '' : ` "${key}"`}${sent}`;
}

const fieldList = (fields: Fields): string =>
  Object.entries(fields)
    .slice(0, 6)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(', ') + (Object.keys(fields).length > 6 ? ', …' : '');

const SETTLED: Readonly<Record<NonNullable<ResolvedCase['settled']>, string>> = {
  applied: 'applied',
  partly: 'partly applied',
  not_applied: 'not applied',
};

/** What became of each case, and what is left. */
export function renderResolution({ cases }: Resolution, requests: RequestCounts, style: Style): string {
  if (cases.length === 0) return 'nothing is unknown or in conflict';
  const lines = cases.map(({ id, kind, settled, said }) => {
    const what =
      settled === undefined
        ? style('yellow', `still ${kind === 'unknown' ? 'unknown' : 'in conflict'}`)
        : style('green', SETTLED[settled]);
    return `${style('bold', id)}  ${what}  ${safeText(renderSaid(said))}`;
  });
  return [...lines, '', renderRequests(requests)].join('\n');
}

/** The exact commands for what is left, and for rows that may be sent again. */
export function nextAfterResolve({ cases, resumable }: Resolution): readonly string[] {
  const open = cases.filter(({ settled }) => settled === undefined);
  // `resume` would read back in the same way, and prove nothing either, where nothing of the run was decided.
  const movedOn = new Set(cases.filter(({ settled }) => settled !== undefined).map(({ run }) => run.id));
  const again = resumable.filter((run) => movedOn.has(run));
  return [...open.map(nextOf), ...again.map((run) => `resume ${run}`)];
}

const nextOf = ({ id, kind }: ResolvedCase): string =>
  kind === 'unknown'
    ? `resolve ${id} --assume applied, or --assume not-applied: look at the service first`
    : `resolve ${id} --assume applied, which leaves it as the service has it, or --assume not-applied, which sends the row again`;

const caseDocument = ({ mapping: name, ...each }: OpenCase): object => ({
  id: each.id,
  kind: each.kind,
  run: each.run.id,
  ...withLeague('mapping', { mapping: name }),
  operation: each.operation,
  rows: each.rows.map(({ rowNumber, key, fields }) => ({ row: rowNumber, key, fields })),
  sent_at: each.sentAtMs === null ? null : new Date(each.sentAtMs).toISOString(),
});

/** What is open, in the document of a stop: programs see it without approving anything. */
export const openCasesDocument = (cases: readonly OpenCase[]): object => ({
  cases: cases.map((each) => ({ ...caseDocument(each), reason: renderSaid(each.reason) })),
});

/** `resolve --json`; `typed` makes of a command what is to be typed. */
export function resolutionDocument(
  { cases, resumable, exitCode }: Resolution,
  requests: RequestCounts,
  typed: (next: string) => string,
): object {
  return {
    command: 'resolve',
    exit_code: exitCode,
    cases: cases.map((each) => ({
      ...caseDocument(each),
      settled: each.settled ?? null,
      message: renderSaid(each.said),
      next:
        each.settled === undefined
          ? ASSUMPTIONS.map((assume) => typed(`resolve ${each.id} --assume ${assume}`))
          : [],
    })),
    resumable,
    requests,
  };
}
