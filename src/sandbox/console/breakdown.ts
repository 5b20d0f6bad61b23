import { markup, type Markup } from '../../pages/markup.ts';

/** Points setting by setting in words: `starter 1, forward goal 8, doubled`. The service names the settings `…_points`. */
export function breakdownText(breakdown: unknown): Markup {
  const { multiplier, ...settings } = (breakdown ?? {}) as Readonly<Record<string, unknown>>;
  const parts = Object.entries(settings).map(
    ([name, points]) =>
      markup`<li>${name.replace(/_points$/, '').replaceAll('_', ' ')} <b>${Number(points) > 0 ? '+' : null}${Number(points)}</b></li>`,
  );
  const times = { 2: 'doubled', 3: 'tripled' }[Number(multiplier)];
  const doubled = times === undefined ? null : markup`<li><b>${times}</b></li>`;
  return markup`<ul class="chips">${parts}${doubled}</ul>`;
}
