import { markup, type Markup, type Part } from '../markup.ts';
import { card, count, decimal, named, num, table, tile, tiles, type Column } from '../parts.ts';
import { chipsCard, listPages, MOST_ROWS, shown, substitutionsCard } from './week-lists.ts';
import { rootOf, sitePage, squadLink, weekPath, type SiteFile } from './frame.ts';
import type { Ownership, PlayerCount, Site, SitePlayer, SiteWeek, SquadNumber } from './values.ts';
import { plural, STATE_WORDS } from './words.ts';

/** The pages of one week: its own, and those of lists that are too long for it. */
export function* weekPages(site: Site, week: SiteWeek): Generator<SiteFile> {
  const path = weekPath(week.number);
  const title = `Game week ${week.number}`;
  yield sitePage(site, { path, section: 'weeks.html', title, body: weekBody(week, rootOf(path)) });
  yield* listPages(site, week);
}

function weekBody(week: SiteWeek, root: string): Markup {
  const words = STATE_WORDS[week.state];
  return markup`<p class="lead"><span class="badge">${words.short}</span> ${words.long}</p>
    ${week.squads === 0 ? markup`<p class="empty">Nothing of this week was read.</p>` : sections(week, root)}
    <p><a href="${root}weeks.html">All game weeks</a></p>`;
}

function sections(week: SiteWeek, root: string): Markup {
  return markup`${headline(week, root)}
    <div class="columns">${topCard(week, root)}${captainsCard(week)}</div>
    <div class="columns">${squadsCard('Climbers', 'Places won', week.climbers, root)}${squadsCard('Fallers', 'Places lost', week.fallers, root)}</div>
    <div class="columns">${ownershipCard(week)}${differentialsCard(week)}</div>
    <div class="columns">${squadsCard('Points on the bench', 'Points', week.bench, root)}${squadsCard('Paid for transfers', 'Points', week.hits, root)}</div>
    <div class="columns">${playersCard('Transfers: came in', week.playersIn)}${playersCard('Transfers: went out', week.playersOut)}</div>
    <div class="columns">${substitutionsCard(week, root)}${chipsCard(week, root)}</div>`;
}

function headline({ best, average, squads, lineups, captains }: SiteWeek, root: string): Markup {
  const [first] = best;
  const [captain] = captains;
  const winner =
    first === undefined
      ? null
      : markup`<section class="card winner"><h2>${best.length === 1 ? 'Manager of the week' : 'Managers of the week'}</h2>
          <ul class="plain big-names">${shown(best).map(({ squad }) => markup`<li>${squadLink(squad, root)}</li>`)}${best.length > MOST_ROWS ? markup`<li>and ${count(best.length - MOST_ROWS)} more</li>` : null}</ul>
          <p><b class="big">${count(first.value)}</b> points</p></section>`;
  return markup`${winner}${tiles(
    tile('Average', decimal(average), 'points'),
    tile('Squads', count(squads), lineups < squads && `${count(lineups)} line-ups read`),
    tile('Most captained', named(captain?.player.name), captain && plural(captain.squads, 'squad')),
  )}`;
}

function topCard({ number, top }: SiteWeek, root: string): Markup {
  const rows = shown(top).map(({ rank, squad, weekPoints, value }): readonly Part[] => [
    markup`<b>${count(rank)}</b>`,
    squadLink(squad, root),
    count(weekPoints),
    markup`<b>${count(value)}</b>`,
  ]);
  return card(
    'The first of the table',
    table(`The first after week ${number}`, [num('Rank'), 'Squad', num('Week'), num('Total')], rows),
  );
}

/** Squads with one number each. */
function squadsCard(heading: string, what: string, list: readonly SquadNumber[], root: string): Markup {
  const rows = shown(list).map(({ squad, value }): readonly Part[] => [
    squadLink(squad, root),
    markup`<b>${count(value)}</b>`,
  ]);
  return card(heading, table(heading, ['Squad', num(what)], rows, 'None in this week.'));
}

const playerCell = ({ name, club, position }: SitePlayer): Markup =>
  markup`${named(name)} <span class="note">${position}, ${named(club)}</span>`;

function captainsCard({ captains }: SiteWeek): Markup {
  const rows = shown(captains).map(({ player, squads, points }): readonly Part[] => [
    playerCell(player),
    count(squads),
    markup`<b>${count(points)}</b>`,
  ]);
  return card(
    'Captains',
    table('Captains', ['Player', num('Squads'), num('Own points')], rows, 'No captain is known.'),
  );
}

const OWNERSHIP_COLUMNS: readonly Column[] = ['Player', num('Owned'), num('Effective'), num('Points')];

function ownershipRows(list: readonly Ownership[]): readonly (readonly Part[])[] {
  return shown(list).map(({ player, ownedPct, effectivePct, points }) => [
    playerCell(player),
    percent(ownedPct),
    percent(effectivePct),
    markup`<b>${count(points)}</b>`,
  ]);
}

const percent = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} %`;

function ownershipCard({ ownership }: SiteWeek): Markup {
  return card(
    'Effective ownership',
    markup`<p class="note">Of 100 squads, so many count the points of the player: once where the player starts, once more as captain.</p>`,
    table('Effective ownership', OWNERSHIP_COLUMNS, ownershipRows(ownership), 'No line-up is known.'),
  );
}

function differentialsCard({ differentials }: SiteWeek): Markup {
  return card(
    'Differentials',
    markup`<p class="note">Players whom few squads have, with the most points.</p>`,
    table('Differentials', OWNERSHIP_COLUMNS, ownershipRows(differentials), 'None in this week.'),
  );
}

function playersCard(heading: string, all: readonly PlayerCount[]): Markup {
  const rows = shown(all).map(({ player, squads }) => [playerCell(player), markup`<b>${count(squads)}</b>`]);
  return card(heading, table(heading, ['Player', num('Squads')], rows, 'None is known.'));
}

/** All weeks in a list, the last first. */
export function weeksPage(site: Site): SiteFile {
  const rows = site.weeks.toReversed().map((week): readonly Part[] => {
    const [best] = week.best;
    return [
      markup`<a class="nowrap" href="${weekPath(week.number)}">Week ${week.number}</a> <span class="badge">${STATE_WORDS[week.state].short}</span>`,
      best === undefined ? '–' : squadLink(best.squad, ''),
      count(best?.value),
      decimal(week.average),
    ];
  });
  const columns: readonly Column[] = [
    'Week',
    'Manager of the week',
    num('Points'),
    { head: 'Average', kind: 'num wide' },
  ];
  const body = card(null, table('Game weeks', columns, rows, 'No game week has begun yet.'));
  return sitePage(site, { path: 'weeks.html', section: 'weeks.html', title: 'Game weeks', body });
}
