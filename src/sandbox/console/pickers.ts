import { markup, type Markup } from '../../pages/markup.ts';
import { count } from '../../pages/parts.ts';
import type { Slice } from './slice.ts';
import { PER_PAGE, withQuery } from './visit.ts';

/** Links to the other pages of a list; `href` is the address of one. Nothing when there is one page. */
export function pager(
  { total }: Slice<unknown>,
  page: number,
  href: (page: number) => string,
): Markup | null {
  const pages = Math.max(1, Math.ceil(total / PER_PAGE));
  if (pages === 1 && page === 1) return null;
  const to = (target: number, label: string, rel: string): Markup =>
    target < 1 || target > pages
      ? markup`<span class="button off" aria-hidden="true">${label}</span>`
      : markup`<a class="button" rel="${rel}" href="${href(target)}">${label}</a>`;
  return markup`<nav class="pager" aria-label="Pages">${to(page === 1 ? 0 : 1, '« First', 'first')}${to(Math.min(pages, page - 1), '‹ Previous', 'prev')}
    <span>Page ${count(page)} of ${count(pages)}, ${count(total)} in all</span>
    ${to(page + 1, 'Next ›', 'next')}${to(page >= pages ? 0 : pages, 'Last »', 'last')}</nav>`;
}

/** Links to the game week before and after, and a choice of all; `path` is the page, `keep` what else its address says. */
export function weekPicker(
  path: string,
  week: number,
  last: number,
  keep: Readonly<Record<string, string>> = {},
): Markup {
  const href = (target: number): string => withQuery(path, { ...keep, week: String(target) });
  const step = (target: number, label: string, name: string): Markup =>
    target < 1 || target > last
      ? markup`<span class="button off" aria-hidden="true">${label}</span>`
      : markup`<a class="button" href="${href(target)}" aria-label="${name}">${label}</a>`;
  const options = Array.from({ length: last }, (_, index) => index + 1).map(
    (one) =>
      markup`<option value="${one}"${one === week ? markup` selected` : null}>Game week ${one}</option>`,
  );
  return markup`<form class="weeks" method="get" action="${path}">
    ${step(week - 1, '‹', `Game week ${week - 1}`)}
    ${Object.entries(keep).map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`)}
    <label><span class="sr">Game week</span><select name="week">${options}</select></label><button>Show</button>
    ${step(week + 1, '›', `Game week ${week + 1}`)}</form>`;
}
