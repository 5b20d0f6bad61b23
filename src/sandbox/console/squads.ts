import { chosenLeague, leagueField } from './league-choice.ts';
import { markup, type Markup } from '../../pages/markup.ts';
import { card, count, decimal, named, num, table } from '../../pages/parts.ts';
import { slicePager } from './pickers.ts';
import { listSquadIds } from './read/read-squads.ts';
import { link, pageOf, readSquad, textOf, withQuery, type View, type Visit } from './visit.ts';

/** The squads of a fantasy league by rank, a page at a time; those that a search finds, when one is given. */
export const squads: View = (visit) => {
  const league = chosenLeague(visit);
  const wanted = textOf(visit, 'q').trim().slice(0, 100);
  const page = pageOf(visit);
  const found = listSquadIds(visit.context.store, league.id, wanted, page);
  const path = link(visit, 'squads');
  const href = (target: number): string =>
    withQuery(path, { league: String(league.id), q: wanted, page: String(target) });
  return {
    title: `Squads of ${league.name}`,
    body: markup`<form class="search" method="get" action="${path}">${leagueField(visit, league.id)}
      <label>Squad, manager or external id <input type="search" name="q" value="${wanted}" maxlength="100"></label><button>Search</button></form>
      ${card(null, rankingTable(visit, found.rows, wanted === '' ? undefined : 'No squad is found.'), slicePager(found, page, href))}`,
  };
};

/** Squads with their rank, points and value, in the given order. */
export function rankingTable(visit: Visit, ids: readonly string[], empty = 'No squads yet.'): Markup {
  const rows = ids.map((id) => {
    const squad = readSquad(visit.context, id);
    return [
      count(squad.ranking?.current_rank),
      markup`<a href="${link(visit, `squads/${id}`)}">${named(squad.name)}</a>`,
      markup`<a href="${link(visit, `users/${squad.user?.user_id}`)}">${named(squad.user?.display_name)}</a>`,
      count(squad.ranking?.game_week_points),
      markup`<b>${count(squad.ranking?.total_points)}</b>`,
      decimal(squad.finance?.squad_value),
    ];
  });
  const columns = [num('Rank'), 'Squad', 'Manager', num('Week'), num('Total'), num('Value')];
  return table('Squads by rank', columns, rows, empty);
}
