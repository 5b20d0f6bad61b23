import { markup, type Markup, type Part } from '../markup.ts';
import { card, count, named, num, table } from '../parts.ts';
import { rootOf, sitePage, squadLink, type SiteFile } from './frame.ts';
import { inPages, listPager, nthPath, standingsTable } from './table-pages.ts';
import type { Site, SiteMonth } from './values.ts';

const MOST_OF_MONTH = 10;

/** The list of groups, and a table of each; nothing where the league has none. */
export function* groupPages(site: Site): Generator<SiteFile> {
  if (site.groups.length === 0) return;
  const paths = pathsOf(site.groups.map(({ name }) => name));
  const rows = site.groups.map(({ name, table: squads }, index): readonly Part[] => [
    markup`<a href="${paths[index]}">${named(name)}</a>`,
    count(squads.length),
    squads[0]?.rank !== 1 ? '–' : squadLink(squads[0].squad, ''),
  ]);
  const list = card(null, table('Groups', ['Group', num('Squads'), 'Leader'], rows));
  yield sitePage(site, { path: 'groups.html', section: 'groups.html', title: 'Groups', body: list });
  const week = site.weeks.at(-1);
  for (const [index, { name, table: squads }] of site.groups.entries()) {
    const first = paths[index] ?? '';
    for (const part of inPages(squads)) {
      const path = nthPath(first, part.page);
      const body = markup`<p class="lead">The place in the group stands first; movement is that in the whole league. The total counts from a member’s first game week in the group on.</p>
        ${card(null, standingsTable(`The table of ${name}`, part.rows, week, rootOf(path)), listPager(first, part))}`;
      yield sitePage(site, { path, section: 'groups.html', title: name, body });
    }
  }
}

/** Windows takes no file of such a name, whatever its ending. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/** A path for each name: its letters and digits where they are plain ones, and a number where two names share them. */
function pathsOf(names: readonly string[]): readonly string[] {
  const used = new Map<string, number>();
  return names.map((name) => {
    const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
    const slug =
      plain
        .replaceAll(/[^a-z0-9]+/g, '-')
        .replaceAll(/^-|-$/g, '')
        .slice(0, 40) || 'group';
    const count = (used.get(slug) ?? 0) + 1;
    used.set(slug, count);
    // Two hyphens stand in no slug.
    return `groups/${slug}${count === 1 && !DEVICE.test(slug) ? '' : `--${count}`}.html`;
  });
}

/** Months with their managers, the last first. */
export function monthsPage(site: Site): SiteFile {
  const cards = site.months.toReversed().map(monthCard);
  const body =
    cards.length === 0
      ? markup`<p class="empty">No game week was read yet.</p>`
      : markup`<div class="columns">${cards}</div>`;
  return sitePage(site, { path: 'months.html', section: 'months.html', title: 'Manager of the month', body });
}

function monthCard({ name, weeks, missing, isOver, table: squads }: SiteMonth): Markup {
  const [best] = squads;
  const winners = squads.filter(({ value }) => value === best?.value).slice(0, MOST_OF_MONTH);
  const rows = squads
    .slice(0, MOST_OF_MONTH)
    .map(({ squad, value }) => [squadLink(squad, ''), markup`<b>${count(value)}</b>`]);
  const heading = winners.length > 1 ? 'Managers of the month' : 'Manager of the month';
  const left = missing.length === 0 ? null : markup`; not read: ${missing.join(', ')}`;
  return card(
    name,
    markup`<p class="note">${weeks.length === 1 ? 'Game week' : 'Game weeks'} ${weeks.join(', ')}${left}</p>`,
    best !== undefined &&
      markup`<h3>${isOver ? heading : 'In front so far'}</h3><ul class="plain big-names">${winners.map(({ squad }) => markup`<li>${squadLink(squad, '')}</li>`)}</ul>`,
    table(`The most points of ${name}`, ['Squad', num('Points')], rows),
  );
}
