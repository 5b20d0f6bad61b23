import { markup, type Markup, type Part } from '../markup.ts';
import { card, count, named, num, table, type Column } from '../parts.ts';
import { rootOf, sitePage, squadLink, type SiteFile } from './frame.ts';
import { inPages, listPager, nthPath } from './table-pages.ts';
import type { Site, SiteSubstitution, SiteWeek } from './values.ts';
import { chipWords } from './words.ts';

/** So many rows stand in a list of a week; the rest of a list that has pages of its own stands there. */
export const MOST_ROWS = 10;

/** The first rows of a list. */
export const shown = <T>(list: readonly T[]): readonly T[] => list.slice(0, MOST_ROWS);

const substitutionsPath = (week: number): string => `weeks/week-${week}-substitutions.html`;
const chipsPath = (week: number): string => `weeks/week-${week}-chips.html`;

/** The pages of the lists that are too long for the page of a week. */
export function* listPages(site: Site, week: SiteWeek): Generator<SiteFile> {
  if (week.substitutions.length > MOST_ROWS) yield* substitutionPages(site, week);
  if (chipRows(week).length > MOST_ROWS) yield* chipPages(site, week);
}

const SUBSTITUTION_COLUMNS: readonly Column[] = ['Squad', 'Out', 'In', num('Points')];

function substitutionRow(
  { squad, out, in: into, inPoints }: SiteSubstitution,
  root: string,
): readonly Part[] {
  return [
    squadLink(squad, root),
    out === undefined ? '–' : markup`<span class="out-text">▼\u00a0${named(out.name)}</span>`,
    into === undefined ? '–' : markup`<span class="in-text">▲\u00a0${named(into.name)}</span>`,
    count(inPoints),
  ];
}

/** The first automatic substitutions of a week, and the way to all of them. */
export function substitutionsCard({ number, substitutions, isProcessed }: SiteWeek, root: string): Markup {
  const rows = shown(substitutions).map((each) => substitutionRow(each, root));
  const none = isProcessed ? 'None in this week.' : 'They are not made yet.';
  return card(
    'Automatic substitutions',
    table('Automatic substitutions', SUBSTITUTION_COLUMNS, rows, none),
    moreLink(substitutions.length, 'substitutions', root + substitutionsPath(number)),
  );
}

/** A link to the whole list where only its first rows are shown. */
const moreLink = (length: number, what: string, href: string): Markup | null =>
  length > MOST_ROWS ? markup`<p><a href="${href}">All ${count(length)} ${what}</a></p>` : null;

function* substitutionPages(site: Site, { number, substitutions }: SiteWeek): Generator<SiteFile> {
  const first = substitutionsPath(number);
  const title = `Substitutions of game week ${number}`;
  for (const part of inPages(substitutions)) {
    const path = nthPath(first, part.page);
    const rows = part.rows.map((each) => substitutionRow(each, rootOf(path)));
    const body = markup`${backTo(number)}${card(null, table(title, SUBSTITUTION_COLUMNS, rows), listPager(first, part))}`;
    yield sitePage(site, { path, section: 'weeks.html', title, body });
  }
}

const backTo = (week: number): Markup =>
  markup`<p class="lead"><a href="week-${week}.html">Game week ${week}</a></p>`;

const chipRows = ({ chips }: SiteWeek) =>
  chips.flatMap(({ chip, squads }) => squads.map((squad) => ({ chip: chipWords(chip), squad })));

/** The first squads that played a chip in a week, and the way to all of them. */
export function chipsCard(week: SiteWeek, root: string): Markup {
  const rows = chipRows(week);
  const sums = week.chips.map(
    ({ chip, squads }) => markup`<li>${named(chipWords(chip))} <b>${count(squads.length)}</b></li>`,
  );
  return card(
    'Chips',
    rows.length === 0 ? null : markup`<ul class="chips">${sums}</ul>`,
    table(
      'Chips',
      ['Squad', 'Chip'],
      shown(rows).map(({ squad, chip }) => [squadLink(squad, root), named(chip)]),
      'Nobody played one.',
    ),
    moreLink(rows.length, 'chips', root + chipsPath(week.number)),
  );
}

function* chipPages(site: Site, week: SiteWeek): Generator<SiteFile> {
  const first = chipsPath(week.number);
  const title = `Chips of game week ${week.number}`;
  for (const part of inPages(chipRows(week))) {
    const path = nthPath(first, part.page);
    const rows = part.rows.map(({ squad, chip }) => [squadLink(squad, rootOf(path)), named(chip)]);
    const body = markup`${backTo(week.number)}${card(null, table(title, ['Squad', 'Chip'], rows), listPager(first, part))}`;
    yield sitePage(site, { path, section: 'weeks.html', title, body });
  }
}
