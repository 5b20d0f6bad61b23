import { markup, type Markup } from '../../pages/markup.ts';
import { pager } from '../../pages/parts.ts';
import type { Slice } from './read/slice.ts';
import { PER_PAGE, withQuery } from './visit.ts';

/** Links to the other pages of a list of the console. */
export function slicePager(
  { total }: Slice<unknown>,
  page: number,
  href: (page: number) => string,
): Markup | null {
  return pager({ page, pages: Math.max(1, Math.ceil(total / PER_PAGE)), total }, href);
}

/** The choices of a field, of which one is chosen. */
export const optionsOf = <Value extends string | number>(
  choices: readonly (readonly [value: Value, label: string])[],
  chosen: Value,
): readonly Markup[] =>
  choices.map(
    ([value, label]) =>
      markup`<option value="${value}"${value === chosen ? markup` selected` : null}>${label}</option>`,
  );

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
  const weeks = Array.from({ length: last }, (_, index) => [index + 1, `Game week ${index + 1}`] as const);
  return markup`<form class="weeks" method="get" action="${path}">
    ${step(week - 1, '‹', `Game week ${week - 1}`)}
    ${Object.entries(keep).map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`)}
    <label><span class="sr">Game week</span><select name="week">${optionsOf(weeks, week)}</select></label><button>Show</button>
    ${step(week + 1, '›', `Game week ${week + 1}`)}</form>`;
}
