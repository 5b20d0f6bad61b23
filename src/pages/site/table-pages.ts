import { markup, type Markup, type Part } from '../markup.ts';
import {
  card,
  count,
  decimal,
  facts,
  named,
  num,
  pager,
  table,
  tile,
  tiles,
  type Column,
  type PageOf,
} from '../parts.ts';
import { rootOf, sitePage, squadLink, weekPath, type SiteFile } from './frame.ts';
import type { Site, SiteSquad, SiteWeek, SquadWeek } from './values.ts';
import { chipWords, movement, plural, STATE_WORDS } from './words.ts';

/** So many squads stand on one page of a table: it stays below 200 KB whatever they are called. */
const PER_PAGE = 100;

/** A page of a list, and its part of it. */
interface Pages<T> extends PageOf {
  readonly rows: readonly T[];
}

/** A long list in pages; one without rows has one. */
export function* inPages<T>(all: readonly T[]): Generator<Pages<T>> {
  const pages = Math.max(1, Math.ceil(all.length / PER_PAGE));
  for (let page = 1; page <= pages; page += 1) {
    yield { page, pages, total: all.length, rows: all.slice((page - 1) * PER_PAGE, page * PER_PAGE) };
  }
}

/** The path of a page of a list whose first page is `path`: `index.html`, `index.2.html`. */
export const nthPath = (path: string, page: number): string =>
  page === 1 ? path : path.replace(/\.html$/, `.${page}.html`);

/** Links between the pages of a list; they stand in one folder. */
export function listPager(path: string, of: PageOf): Markup | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return pager(of, (page) => nthPath(name, page));
}

/** A squad's row of a table: its place is given where it is not its rank. */
export interface StandingsRow {
  readonly rank: number | undefined;
  readonly squad: SiteSquad;
  /** The points that count, where they are not the squad's total; null where they are not known. */
  readonly points?: number | null;
}

/** The week of a squad that a table is about; undefined where nothing is known of it. */
export const weekOf = (squad: SiteSquad, week: number | undefined): SquadWeek | undefined =>
  squad.weeks.findLast((each) => each.week === week);

/** Squads with their last week: rank, movement, points and total, and where there is room what made them. */
export function standingsTable(
  caption: string,
  rows: readonly StandingsRow[],
  week: SiteWeek | undefined,
  root: string,
): Markup {
  const columns: readonly Column[] = [
    num('Rank'),
    num('Move'),
    'Squad',
    num('Week'),
    num('Total'),
    { head: 'Captain', kind: 'wide' },
    { head: 'Bench', kind: 'num wide' },
    { head: 'Hits', kind: 'num wide' },
    { head: 'Chip', kind: 'wide' },
  ];
  const cells = rows.map(({ rank, squad, points }): readonly Part[] => {
    const now = weekOf(squad, week?.number);
    return [
      markup`<b>${count(rank)}</b>`,
      movement(now),
      markup`${squadLink(squad, root)}${squad.mark !== undefined && markup` <span class="badge">${squad.mark}</span>`}`,
      count(now?.points),
      markup`<b>${count(points === undefined ? (now?.total ?? squad.weeks.at(-1)?.total) : points)}</b>`,
      ...madeOf(now),
    ];
  });
  return table(caption, columns, cells, 'No squad is shown yet.');
}

/** What made the points of a squad in a week: its captain, its bench, what its transfers cost, its chip. */
export function madeOf(week: SquadWeek | undefined): readonly Part[] {
  const { captain, captainPoints, benchPoints, hits, chip = '' } = week ?? {};
  return [
    captain === undefined
      ? '–'
      : markup`${named(captain.name)} <span class="note">${count(captainPoints)}</span>`,
    count(benchPoints),
    count(hits === undefined ? hits : 0 - hits),
    chipWords(chip),
  ];
}

/** The table of the league after its last week, in pages; the first is the site's first page. */
export function* tablePages(site: Site): Generator<SiteFile> {
  const week = site.weeks.at(-1);
  const first = 'index.html';
  const rows = site.squads.map((squad) => ({ squad, rank: weekOf(squad, week?.number)?.rank }));
  for (const part of inPages(rows)) {
    const path = nthPath(first, part.page);
    const root = rootOf(path);
    const body = markup`${lead(week, root)}${part.page === 1 && week !== undefined ? summary(site, week, root) : null}
      ${card('Table', standingsTable('The table of the league', part.rows, week, root), listPager(first, part))}
      ${part.page === 1 ? sharing(week) : null}`;
    yield sitePage(site, { path, section: 'index.html', title: site.title, body });
  }
}

function lead(week: SiteWeek | undefined, root: string): Markup {
  if (week === undefined) return markup`<p class="lead">No game week has begun yet.</p>`;
  return markup`<p class="lead">After <a href="${root}${weekPath(week.number)}">game week ${week.number}</a> <span class="badge">${STATE_WORDS[week.state].short}</span></p>`;
}

function summary({ squads }: Site, week: SiteWeek, root: string): Markup {
  const [best] = week.best;
  const [climber] = week.climbers;
  const [captain] = week.captains;
  return tiles(
    leaderTile(squads, week, root),
    tile(
      'Manager of the week',
      best === undefined ? '–' : squadLink(best.squad, root),
      best && plural(best.value, 'point'),
    ),
    tile(
      'Biggest climber',
      climber === undefined ? '–' : squadLink(climber.squad, root),
      climber && `up ${plural(climber.value, 'place')}`,
    ),
    tile('Most captained', named(captain?.player.name), captain && plural(captain.squads, 'squad')),
    tile('Average', decimal(week.average), 'points'),
  );
}

/** Who is hidden may lead the league, or stand behind its leader. */
function leaderTile(squads: Site['squads'], { number }: SiteWeek, root: string): Markup {
  const [first, second] = squads;
  const [now, then] = [first, second].map((squad) => squad && weekOf(squad, number));
  if (first === undefined || now?.rank !== 1) {
    return tile('Leader', '–', now?.rank === undefined ? null : 'not shown here');
  }
  const leaders = squads.filter((squad) => weekOf(squad, number)?.rank === 1).length;
  return tile(
    'Leader',
    squadLink(first, root),
    leaders > 1 ? `level with ${plural(leaders - 1, 'squad')}` : ahead(now, then),
  );
}

/** What the leader is ahead by; nothing where a hidden squad stands between the two. */
function ahead(leader: SquadWeek, next: SquadWeek | undefined): string | null {
  if (leader.total === undefined || next?.total === undefined || (next.rank ?? Infinity) > 2) return null;
  return `${plural(leader.total - next.total, 'point')} ahead`;
}

function sharing(week: SiteWeek | undefined): Markup {
  const rows: readonly (readonly [string, Part])[] = [
    ['The first twenty as a picture', markup`<a href="standings.svg">standings.svg</a>`],
    ...(week === undefined
      ? []
      : ([
          [
            `Game week ${week.number} in words`,
            markup`<a href="recap/week-${week.number}.md">Markdown</a> · <a href="recap/week-${week.number}.txt">text</a>`,
          ],
        ] as const)),
  ];
  return card('To share', facts(rows));
}
