import { markup, type Markup, type Part } from './markup.ts';

/** A number with commas between thousands, and the sign of minus. */
export function count(value: number | string | null | undefined): string {
  return value === null || value === undefined
    ? '–'
    : Number(value).toLocaleString('en-US').replace('-', '−');
}

/** A number with one decimal, as prices have. */
export function decimal(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : value.toFixed(1).replace('-', '−');
}

const DAY = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  weekday: 'short',
  day: 'numeric',
  month: 'short',
});
const DAY_OF_YEAR = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});

/** A time in UTC, to the minute: `Tue 22 Sept 12:00`. */
export function time(iso: string | null | undefined): Markup {
  if (iso === null || iso === undefined || Number.isNaN(Date.parse(iso))) return markup`–`;
  const date = new Date(iso);
  const text = `${DAY.format(date).replace(',', '')} ${date.toISOString().slice(11, 16)}`;
  return markup`<time datetime="${iso}">${text}</time>`;
}

/** A day in words and its time in UTC, for headings. */
export function longTime(iso: string): { readonly day: string; readonly clock: string } {
  const date = new Date(iso);
  return { day: DAY_OF_YEAR.format(date), clock: `${date.toISOString().slice(11, 16)} UTC` };
}

/** A name from the data, kept from turning the direction of what stands around it. */
export function named(name: string | null | undefined): Markup {
  return markup`<bdi>${name ?? '–'}</bdi>`;
}

/** How much of something is used, as a bar with its numbers. */
export function bar(label: Part, used: number, most: number, note: Part = null): Markup {
  const share = most <= 0 ? 0 : Math.min(100, (100 * used) / most);
  // Something used is never shown as nothing.
  const width = used > 0 ? Math.max(1.5, share) : 0;
  const state = share >= 100 ? 'full' : share >= 80 ? 'high' : 'fine';
  return markup`<div class="bar ${state}">
    <div class="bar-head"><span>${label}</span><span><b>${count(used)}</b> of ${most < 0 ? 'unlimited' : count(most)}</span></div>
    <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="6" /><rect class="fill" width="${width.toFixed(1)}" height="6" /></svg>
    ${note === null ? null : markup`<div class="bar-note">${note}</div>`}
  </div>`;
}

/** A column of a table: its heading, and classes of the style such as `num` for one of numbers and `wide` for one that narrow screens leave out. */
export type Column =
  | string
  | { readonly head: Part; readonly kind: 'num' | 'wide' | 'num wide' }
  /** One that narrow screens show below the others, in a line of its own behind its heading. */
  | { readonly head: string; readonly kind: 'below' };

/** A column of numbers. */
export const num = (head: Part): Column => ({ head, kind: 'num' });

/** A table that scrolls by itself where it is wider than the page; without rows it says so. */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly Part[])[],
  empty = 'Nothing here yet.',
): Markup {
  if (rows.length === 0) return markup`<p class="empty">${empty}</p>`;
  const kinds = columns.map((column) =>
    typeof column === 'object' ? markup` class="${column.kind}"` : null,
  );
  const heads = columns.map(
    (column, index) =>
      markup`<th scope="col"${kinds[index]}>${typeof column === 'object' ? column.head : column}</th>`,
  );
  const labels = columns.map((column) =>
    typeof column === 'object' && column.kind === 'below' ? markup` data-head="${column.head}"` : null,
  );
  const body = rows.map(
    (row) =>
      markup`<tr>${row.map((cell, index) => markup`<td${kinds[index]}${labels[index]}>${cell}</td>`)}</tr>`,
  );
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table>
    <caption class="sr">${caption}</caption><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** One page of a list that has several. */
export interface PageOf {
  readonly page: number;
  readonly pages: number;
  /** How much there is on all of them. */
  readonly total: number;
}

/** Links to the other pages of a list; `href` is the address of one. Nothing when there is one page. */
export function pager({ page, pages, total }: PageOf, href: (page: number) => string): Markup | null {
  if (pages === 1 && page === 1) return null;
  const to = (target: number, label: string, rel: string): Markup =>
    target < 1 || target > pages
      ? markup`<span class="button off" aria-hidden="true">${label}</span>`
      : markup`<a class="button"${rel === '' ? null : markup` rel="${rel}"`} href="${href(target)}">${label}</a>`;
  return markup`<nav class="pager" aria-label="Pages">${to(page === 1 ? 0 : 1, '« First', '')}${to(Math.min(pages, page - 1), '‹ Previous', 'prev')}
    <span>Page ${count(page)} of ${count(pages)}, ${count(total)} in all</span>
    ${to(page + 1, 'Next ›', 'next')}${to(page >= pages ? 0 : pages, 'Last »', '')}</nav>`;
}

/** A number that matters, with what it is. */
export function tile(label: string, value: Part, note: Part = null): Markup {
  return markup`<div class="tile"><dt>${label}</dt><dd>${value}${note === null ? null : markup`<small>${note}</small>`}</dd></div>`;
}

/** Tiles in a row. */
export function tiles(...all: readonly Markup[]): Markup {
  return markup`<dl class="tiles">${all}</dl>`;
}

/** Labels with their values, one beneath another. */
export function facts(rows: readonly (readonly [label: string, value: Part])[]): Markup {
  return markup`<dl class="facts">${rows.map(([label, value]) => markup`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A part of a page in a frame of its own. */
export function card(heading: Part, ...content: readonly Part[]): Markup {
  return markup`<section class="card">${heading === null ? null : markup`<h2>${heading}</h2>`}${content}</section>`;
}
