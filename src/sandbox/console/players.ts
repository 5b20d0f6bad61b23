import { POSITIONS } from '../game/season.ts';
import { readScoring } from '../game/settle.ts';
import { scoreOf } from '../game/scoring.ts';
import { breakdownText } from './breakdown.ts';
import { pointsChart } from '../../pages/chart.ts';
import { chosenLeague, leagueField } from './league-choice.ts';
import { markup, type Markup } from '../../pages/markup.ts';
import { card, count, decimal, named, num, table, tile, tiles } from '../../pages/parts.ts';
import { optionsOf, slicePager } from './pickers.ts';
import { clubOf, listClubs, listPerformances, listPlayers } from './read/read-players.ts';
import { shirt } from '../../pages/shirt.ts';
import { link, numberOf, pageOf, readPlayer, textOf, withQuery, type View, type Visit } from './visit.ts';

const MOST_CLUBS = 999_999_999;

/** Players by name, club and position, with their price and points in a fantasy league, the dearest first. */
export const players: View = (visit) => {
  const { store } = visit.context;
  const league = chosenLeague(visit);
  const search = {
    name: textOf(visit, 'name').trim().slice(0, 100),
    clubId: numberOf(visit, 'club', MOST_CLUBS, 0),
    position: POSITIONS.find((one) => one === textOf(visit, 'position')) ?? '',
  };
  const page = pageOf(visit);
  const found = listPlayers(store, league.id, search, page);
  const href = (target: number): string => {
    const { name, clubId, position } = search;
    const asked = { league: String(league.id), name, club: String(clubId), position, page: String(target) };
    return withQuery(link(visit, 'players'), asked);
  };
  return {
    title: 'Players',
    body: markup`${searchForm(visit, league.id, search)}${card(null, playerTable(visit, league.id, found.rows), slicePager(found, page, href))}`,
  };
};

function searchForm(
  visit: Visit,
  leagueId: number,
  search: { name: string; clubId: number; position: string },
): Markup {
  const clubs = listClubs(visit.context.store).map(({ id, name }) => [id, name] as const);
  const positions = POSITIONS.map((one) => [one, POSITION_WORDS[one]] as const);
  return markup`<form class="search" method="get" action="${link(visit, 'players')}">${leagueField(visit, leagueId)}
    <label>Name or id <input type="search" name="name" value="${search.name}" maxlength="100"></label>
    <label>Club <select name="club"><option value="">Every club</option>${optionsOf(clubs, search.clubId)}</select></label>
    <label>Position <select name="position"><option value="">Every position</option>${optionsOf<string>(positions, search.position)}</select></label><button>Search</button></form>`;
}

const POSITION_WORDS = { GK: 'Goalkeeper', DEF: 'Defender', MID: 'Midfielder', FWD: 'Forward' } as const;
const wordOf = (position: string | null | undefined): string =>
  POSITION_WORDS[POSITIONS.find((one) => one === position) ?? 'MID'];

function playerTable(
  visit: Visit,
  leagueId: number,
  found: readonly { readonly id: number; readonly clubId: number }[],
): Markup {
  const rows = found.map(({ id, clubId }) => {
    const player = readPlayer(visit.context, String(id), leagueId);
    const total = player.stats_total;
    return [
      id,
      markup`<span class="club">${shirt(clubId, player.position === 'GK')}<a href="${link(visit, `players/${id}?league=${leagueId}`)}">${named(`${player.first_name} ${player.last_name}`.trim())}</a></span>`,
      named(player.team),
      player.position,
      decimal(player.price),
      count(total?.minutes_played),
      count(total?.goals),
      count(total?.assists),
      player.form,
      markup`<b>${count(total?.points)}</b>`,
    ];
  });
  const numbers = ['Price', 'Minutes', 'Goals', 'Assists', 'Form', 'Points'].map(num);
  return table('Players', [num('Id'), 'Player', 'Club', 'Pos', ...numbers], rows, 'No player is found.');
}

const nowrap = (text: string | null | undefined): Markup => markup`<span class="nowrap">${text}</span>`;

/** One player: what he did in each week, and his points setting by setting. */
export const player: View = (visit) => {
  const { context, id } = visit;
  const league = chosenLeague(visit);
  const one = readPlayer(context, id, league.id);
  const scoring = readScoring(context.store, league.id);
  const breakdowns = new Map(
    listPerformances(context.store, Number(id)).map(({ week, performance }) => [
      week,
      scoreOf(scoring, performance).breakdown,
    ]),
  );
  const weeks = one.weekly_stats ?? [];
  const rows = weeks.map((stat) => [
    stat.game_week,
    nowrap(stat.opposition),
    nowrap(stat.result),
    ...[stat.minutes_played, stat.goals, stat.assists, stat.clean_sheets, stat.goals_conceded, stat.saves],
    markup`<b>${count(stat.points)}</b>`,
    breakdownText(breakdowns.get(Number(stat.game_week))),
  ]);
  const numbers = ['Min', 'Goals', 'Assists', 'Clean', 'Conceded', 'Saves', 'Points'].map(num);
  return {
    title: `${one.first_name} ${one.last_name}`.trim(),
    body: markup`<div class="player-head">${shirt(clubOf(context.store, Number(id)), one.position === 'GK')}<p class="lead">${wordOf(one.position)}, ${named(one.team)}<br><span class="note">Player id <b>${one.id}</b>; price and points in ${named(league.name)}</span></p></div>
      ${tiles(
        tile('Price', decimal(one.price)),
        tile('Points', count(one.stats_total?.points)),
        tile('Form', one.form, 'points a week'),
        tile('A match', one.points_per_game, 'points'),
        tile('Goals', count(one.stats_total?.goals)),
        tile('Minutes', count(one.stats_total?.minutes_played)),
      )}
      ${
        weeks.length === 0
          ? null
          : card(
              'Points by game week',
              pointsChart(weeks.map((stat) => ({ week: Number(stat.game_week), value: stat.points ?? 0 }))),
            )
      }
      ${card('Week by week', table('Statistics by week', [num('Week'), 'Against', 'Result', ...numbers, 'Points from'], rows, 'No game week played yet.'))}`,
  };
};
