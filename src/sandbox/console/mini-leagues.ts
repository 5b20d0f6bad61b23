import { readStandings } from '../game/standings.ts';
import { LAST_WEEK } from '../game/weeks.ts';
import { markup } from '../../pages/markup.ts';
import { card, count, named, num, table, tile, tiles, time } from '../../pages/parts.ts';
import { slicePager } from './pickers.ts';
import { listMiniLeagues } from './read/read-lists.ts';
import { PER_PAGE, link, pageOf, readMiniLeague, type View } from './visit.ts';

/** The mini leagues of the account. */
export const miniLeagues: View = (visit) => {
  const page = pageOf(visit);
  const found = listMiniLeagues(visit.context.store, page);
  const rows = found.rows.map((one) => [
    one.id,
    markup`<a href="${link(visit, `mini-leagues/${one.id}`)}">${named(one.name)}</a>`,
    named(one.league),
    named(one.style),
    markup`<code>${one.code}</code>`,
    one.startWeek,
    count(one.squads),
  ]);
  const columns = [num('No.'), 'Name', 'Fantasy league', 'Type', 'Code', num('From week'), num('Squads')];
  return {
    title: 'Mini leagues',
    body: card(
      null,
      table('Mini leagues', columns, rows, 'No mini leagues yet. POST /v1/mini-league makes one.'),
      slicePager(found, page, (target) => link(visit, `mini-leagues?page=${target}`)),
    ),
  };
};

/** One mini league with its ranks. */
export const miniLeague: View = (visit) => {
  const { context, id } = visit;
  const one = readMiniLeague(context, id);
  const fromWeek = Number(one.start_game_week?.week);
  const leagueId = Number(one.fantasy_league?.id);
  const page = pageOf(visit);
  const standing = { leagueId, fromWeek, toWeek: LAST_WEEK };
  const rows = readStandings(context.store, standing, (page - 1) * PER_PAGE, PER_PAGE).map((row) => [
    count(row.rank),
    markup`<a href="${link(visit, `squads/${row.squad.id}`)}">${named(row.squad.name)}</a>`,
    named(row.external_id),
    markup`<b>${count(row.points)}</b>`,
  ]);
  const total = one.total_squads ?? 0;
  return {
    title: one.name ?? '',
    body: markup`${tiles(
      tile('Code', one.code),
      tile('Type', one.style),
      tile('Counts from', `week ${fromWeek}`),
      tile('Squads', count(total)),
      tile('Ranks of', time(one.rank_updated_at)),
    )}<p class="lead">A mini league of <a href="${link(visit, `leagues/${leagueId}`)}">${named(one.fantasy_league?.name)}</a></p>
    ${card(
      'Ranks',
      table('Ranks', [num('Rank'), 'Squad', 'External id', num('Points')], rows, 'No squads yet.'),
      slicePager({ rows, total }, page, (target) => link(visit, `mini-leagues/${id}?page=${target}`)),
    )}`,
  };
};
