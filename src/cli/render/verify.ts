import { renderCount, renderCountOf } from '../../model/count.ts';
import type { RequestCounts } from '../../model/state/store.ts';
import { VERDICTS } from '../../sync/verify.ts';
import type { Verdict, Verification, Verified, VerifiedRow } from '../../sync/verify.ts';
import type { Style } from '../screen.ts';
import { renderRequests } from './report.ts';
import { renderColumns, safeText } from './text.ts';
import { renderTime } from '../../model/time/render-time.ts';

const COLOURS: Readonly<Record<Verdict, 'green' | 'yellow' | 'red'>> = {
  agrees: 'green',
  differs: 'red',
  missing: 'red',
  unreadable: 'yellow',
};

/** What reading a run back costs, before it is done. */
export function renderCost({ run, mappings }: Verification, style: Style): string {
  const requests = mappings.reduce((all, each) => all + each.requests, 0);
  const parts = mappings.map(
    (each) =>
      `${safeText(each.name)}: ${renderCountOf(each.rows, 'row')} by ${each.how}, about ${renderCount(each.requests)}`,
  );
  const when = renderTime(run.startedAtMs, 'UTC');
  return [
    `reading back ${style('bold', `run ${run.id}`)} (${safeText(run.command)}, ${when} UTC) takes about ${renderCountOf(requests, 'GET request')}`,
    ...parts.map((part) => `  ${part}`),
  ].join('\n');
}

/** One line for each mapping, with its rows by what was found. */
export function renderVerified(
  { run, mappings }: Verification,
  counts: Verified['counts'],
  requests: RequestCounts,
  style: Style,
): string {
  const head = ['', 'rows', ...VERDICTS].map((text) => style('dim', text));
  const rows = mappings.map(({ name, rows: all }) => [
    style('bold', safeText(name)),
    renderCount(all),
    ...VERDICTS.map((verdict) => {
      const count = counts.get(name)?.[verdict] ?? 0;
      return count === 0 ? style('dim', '0') : style(COLOURS[verdict], renderCount(count));
    }),
  ]);
  const table = renderColumns([head, ...rows], [false, ...VERDICTS.map(() => true), true]);
  return `${table}\n\n${renderRequests(requests)} · run ${run.id}`;
}

/** `differs  users row 3 "M3": display_name is "Ann", not "Anna"`. */
export function renderVerifiedRow(
  { mapping, row, key, verdict, fields, message }: VerifiedRow,
  style: Style,
): string {
  const wrong = Object.entries(fields).map(
    ([name, { wanted, held }]) =>
      `${name} is ${held === null ? 'another value' : JSON.stringify(held)}, not ${JSON.stringify(wanted)}`,
  );
  const what = [wrong.join(', '), message].filter((part) => part !== '').join('; ');
  const where = `${mapping} row ${row}${key === null ? '' : ` "${key}"`}`;
  return `  ${style(COLOURS[verdict], verdict)}  ${safeText(`${where}: ${what}`)}`;
}
