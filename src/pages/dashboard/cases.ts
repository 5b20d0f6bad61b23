import { markup, type Markup } from '../markup.ts';
import { card, count, named, pager } from '../parts.ts';
import { runPath } from './runs.ts';
import type { CaseLine, Sheet } from './values.ts';
import { mappingText, moment, typed, type Watch } from './words.ts';

const MOST_ROWS = 10;

/** What nobody can say yet, and the command that decides it. */
export function casesBody(sheet: Sheet<CaseLine>, watch: Watch): Markup {
  if (sheet.total === 0) return card(null, markup`<p class="empty">Nothing is unknown or in conflict.</p>`);
  return card(
    null,
    markup`<p class="note">${typed('resolve')} looks at the service for all of them.</p>`,
    markup`<ol class="rows">${sheet.lines.map((each) => caseItem(each, watch))}</ol>`,
    pager(sheet, (page) => `/cases?page=${page}`),
  );
}

function caseItem(each: CaseLine, watch: Watch): Markup {
  const { id, kind, run, operation, rows, sentAtMs, reason } = each;
  const named10 = rows
    .slice(0, MOST_ROWS)
    .map(
      ({ rowNumber, key }, at) =>
        markup`${at > 0 ? ', ' : null}${count(rowNumber)}${key === null ? null : markup` (${named(key)})`}`,
    );
  const more = rows.length > MOST_ROWS ? ` and ${count(rows.length - MOST_ROWS)} more` : null;
  return markup`<li><p class="head-row"><span class="badge warn">${kind === 'unknown' ? 'unknown' : 'in conflict'}</span> <b>${mappingText(each)}</b> <code>${operation}</code>${sentAtMs === null ? null : markup`<span class="note">sent ${moment(sentAtMs, watch)}</span>`} <a href="${runPath(run)}">its run</a></p>
    <p class="said">${named(reason)}</p>
    ${rows.length === 0 ? null : markup`<p class="note">${rows.length === 1 ? 'Row' : 'Rows'} ${named10}${more}</p>`}
    <p>${typed(`resolve ${id}`)}</p></li>`;
}
