import { SQUAD_CONFIG } from '../game/leagues.ts';
import { LEAGUE } from '../game/season.ts';
import { markup, type Markup, type Part } from '../../pages/markup.ts';
import { card, count, named, num, table, tile, tiles, time } from '../../pages/parts.ts';
import { slicePager } from './pickers.ts';
import type { Fixture } from './results.ts';
import { listLeagues } from './read/read-lists.ts';
import { listSquadIds } from './read/read-squads.ts';
import { shirt } from '../../pages/shirt.ts';
import { rankingTable } from './squads.ts';
import { link, pageOf, readFixtures, readLeague, type View, type Visit } from './visit.ts';

const TOP = 10;

/** The real league with its table, and the fantasy leagues that are played on it. */
export const leagues: View = (visit) => {
  const { store } = visit.context;
  const page = pageOf(visit);
  const found = listLeagues(store, page);
  const rows = found.rows.map((league) => [
    league.id,
    markup`<a href="${link(visit, `leagues/${league.id}`)}">${named(league.name)}</a>`,
    count(league.squads),
    count(league.miniLeagues),
  ]);
  const [first] = listLeagues(store, 1).rows;
  return {
    title: 'Leagues',
    body: markup`${card(
      'Fantasy leagues',
      table('Fantasy leagues', [num('No.'), 'Name', num('Squads'), num('Mini leagues')], rows),
      slicePager(found, page, (target) => link(visit, `leagues?page=${target}`)),
    )}${first === undefined ? null : realLeague(visit, first.id)}`,
  };
};

function realLeague({ context }: Visit, fantasyLeagueId: number): Markup {
  const fixtures = readFixtures(context, fantasyLeagueId).flatMap((week) => week.fixtures ?? []);
  const rows = clubTable(fixtures).map((club, index) => [
    index + 1,
    markup`<span class="club">${shirt(club.id)}${named(club.name)}</span>`,
    ...[club.won + club.drawn + club.lost, club.won, club.drawn, club.lost],
    `${club.scored}:${club.conceded}`,
    signed(club.scored - club.conceded),
    markup`<b>${3 * club.won + club.drawn}</b>`,
  ]);
  const columns = [
    num('Pos'),
    'Club',
    ...[num('Played'), num('Won'), num('Drawn'), num('Lost'), num('Goals'), num('Diff'), num('Points')],
  ];
  return card(
    markup`${LEAGUE.name} <span class="badge">${LEAGUE.season}</span>`,
    markup`<p class="note">The real league, ${LEAGUE.country}. Its number is ${LEAGUE.id}; ${time(LEAGUE.start_date)} to ${time(LEAGUE.end_date)}.</p>`,
    table('Table of the clubs', columns, rows),
  );
}

const signed = (value: number): string => (value > 0 ? `+${value}` : String(value));

interface Club {
  readonly id: number;
  readonly name: string;
  won: number;
  drawn: number;
  lost: number;
  scored: number;
  conceded: number;
}

/** The clubs by points, then by goal difference, then by goals, as leagues commonly do. */
function clubTable(fixtures: readonly Fixture[]): readonly Club[] {
  const clubs = new Map<number, Club>();
  const clubOf = (side: 'home' | 'away', { teams }: Fixture): Club => {
    const { id, name } = teams?.[side] ?? {};
    const known = clubs.get(id ?? 0);
    const club = known ?? {
      id: id ?? 0,
      name: name ?? '',
      won: 0,
      drawn: 0,
      lost: 0,
      scored: 0,
      conceded: 0,
    };
    clubs.set(club.id, club);
    return club;
  };
  for (const fixture of fixtures) {
    const [home, away] = [clubOf('home', fixture), clubOf('away', fixture)];
    if (fixture.status !== 'finished') continue;
    countMatch(home, fixture.goals?.home ?? 0, fixture.goals?.away ?? 0);
    countMatch(away, fixture.goals?.away ?? 0, fixture.goals?.home ?? 0);
  }
  const points = (club: Club): number => 3 * club.won + club.drawn;
  return [...clubs.values()].toSorted(
    (one, other) =>
      points(other) - points(one) ||
      other.scored - other.conceded - (one.scored - one.conceded) ||
      other.scored - one.scored ||
      one.name.localeCompare(other.name),
  );
}

function countMatch(club: Club, scored: number, conceded: number): void {
  club.scored += scored;
  club.conceded += conceded;
  if (scored > conceded) club.won += 1;
  else if (scored < conceded) club.lost += 1;
  else club.drawn += 1;
}

/** One fantasy league: what a squad of it may hold, its best squads and its points configuration. */
export const league: View = (visit) => {
  const { context, id } = visit;
  const one = readLeague(context, id);
  const best = listSquadIds(context.store, one.id, '', 1).rows.slice(0, TOP);
  const { budget, squad_size, max_per_club, positions } = SQUAD_CONFIG;
  const shape = Object.entries(positions).map(([position, most]) => `${most} ${position}`);
  return {
    title: one.name ?? '',
    body: markup`<p class="lead">Fantasy league ${one.id} on ${one.leagues?.map(({ name }) => named(name))}</p>
      ${card(markup`<a href="${link(visit, `squads?league=${one.id}`)}">Best squads</a>`, rankingTable(visit, best))}
      ${card('Points configuration', settingsList(one.points_config))}
      ${card('A squad of the public game', tiles(tile('Players', squad_size), tile('Budget', budget), tile('Most of a club', max_per_club), tile('Places', markup`<span class="words">${shape.join(', ')}</span>`)), markup`<p class="note">The service itself takes any distinct players.</p>`)}`,
  };
};

/** What is the record's own, beside the settings. */
const NO_SETTINGS = ['id', 'fantasy_league_id', 'created_at', 'updated_at'];

function settingsList(config: unknown): Part {
  const settings = Object.entries((config ?? {}) as Readonly<Record<string, unknown>>).filter(
    ([name]) => !NO_SETTINGS.includes(name),
  );
  if (settings.length === 0) return markup`<p class="empty">None yet: nobody scores.</p>`;
  return markup`<dl class="facts wide">${settings.map(([name, value]) => markup`<div><dt>${name.replaceAll('_', ' ')}</dt><dd>${String(value)}</dd></div>`)}</dl>`;
}
