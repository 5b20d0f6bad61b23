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

/** A list of a week, whose rest stands on pages of its own where it is long. */
interface WeekList<T> {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rowOf: (one: T, root: string) => readonly Part[];
}

const SUBSTITUTIONS: WeekList<SiteSubstitution> = {
  title: 'Substitutions',
  columns: ['Squad', 'Out', 'In', num('Points')],
  rowOf: ({ squad, out, in: into, inPoints }, root) => [
    squadLink(squad, root),
    out === undefined ? '–' : markup`<span class="out-text">▼\u00a0${named(out.name)}</span>`,
    into === undefined ? '–' : markup`<span class="in-text">▲\u00a0${named(into.name)}</span>`,
    count(inPoints),
  ],
};

const chipRows = ({ chips }: SiteWeek) =>
  chips.flatMap(({ chip, squads }) => squads.map((squad) => ({ chip: chipWords(chip), squad })));

const CHIPS: WeekList<ReturnType<typeof chipRows>[number]> = {
  title: 'Chips',
  columns: ['Squad', 'Chip'],
  rowOf: ({ squad, chip }, root) => [squadLink(squad, root), named(chip)],
};

const pathOf = (title: string, week: number): string => `weeks/week-${week}-${title.toLowerCase()}.html`;

/** The pages of the lists that are too long for the page of a week. */
export function* listPages(site: Site, week: SiteWeek): Generator<SiteFile> {
  yield* wholeList(site, week.number, SUBSTITUTIONS, week.substitutions);
  yield* wholeList(site, week.number, CHIPS, chipRows(week));
}

function* wholeList<T>(site: Site, week: number, list: WeekList<T>, all: readonly T[]): Generator<SiteFile> {
  if (all.length <= MOST_ROWS) return;
  const first = pathOf(list.title, week);
  const title = `${list.title} of game week ${week}`;
  for (const part of inPages(all)) {
    const path = nthPath(first, part.page);
    const rows = part.rows.map((each) => list.rowOf(each, rootOf(path)));
    const body = markup`<p class="lead"><a href="week-${week}.html">Game week ${week}</a></p>${card(null, table(title, list.columns, rows), listPager(first, part))}`;
    yield sitePage(site, { path, section: 'weeks.html', title, body });
  }
}

/** The first automatic substitutions of a week, and the way to all of them. */
export function substitutionsCard({ number, substitutions, isProcessed }: SiteWeek, root: string): Markup {
  const heading = 'Automatic substitutions';
  const rows = shown(substitutions).map((each) => SUBSTITUTIONS.rowOf(each, root));
  const none = isProcessed ? 'None in this week.' : 'They are not made yet.';
  return card(
    heading,
    table(heading, SUBSTITUTIONS.columns, rows, none),
    moreLink(SUBSTITUTIONS.title, number, substitutions.length, root),
  );
}

/** The first squads that played a chip in a week, and the way to all of them. */
export function chipsCard(week: SiteWeek, root: string): Markup {
  const all = chipRows(week);
  const rows = shown(all).map((each) => CHIPS.rowOf(each, root));
  const sums = week.chips.map(
    ({ chip, squads }) => markup`<li>${named(chipWords(chip))} <b>${count(squads.length)}</b></li>`,
  );
  return card(
    CHIPS.title,
    all.length === 0 ? null : markup`<ul class="chips">${sums}</ul>`,
    table(CHIPS.title, CHIPS.columns, rows, 'Nobody played one.'),
    moreLink(CHIPS.title, week.number, all.length, root),
  );
}

/** A link to the whole list where only its first rows are shown. */
const moreLink = (title: string, week: number, length: number, root: string): Markup | null =>
  length > MOST_ROWS
    ? markup`<p><a href="${root}${pathOf(title, week)}">All ${count(length)} ${title.toLowerCase()}</a></p>`
    : null;
