import { numberOfId, unknownId } from '../refusal.ts';
import { markup, type Markup } from '../../pages/markup.ts';
import { card, count, facts, decimal, named, num, table, time } from '../../pages/parts.ts';
import { optionsOf, slicePager } from './pickers.ts';
import { findUser, listUserSquadIds, listUsers } from './read/read-users.ts';
import { link, pageOf, readSquad, textOf, withQuery, type View, type Visit } from './visit.ts';

const STATES = ['active', 'inactive'] as const;

/** The users of the account with all their ids, a page at a time. */
export const users: View = (visit) => {
  const wanted = textOf(visit, 'q').trim().slice(0, 100);
  const state = STATES.find((one) => one === textOf(visit, 'state')) ?? '';
  const page = pageOf(visit);
  const found = listUsers(visit.context.store, { wanted, state }, page);
  const path = link(visit, 'users');
  const rows = found.rows.map((user) => [
    user.user_id,
    named(user.external_id),
    markup`<a href="${link(visit, `users/${user.user_id}`)}">${named(user.display_name)}</a>`,
    stateBadge(user.is_active),
    count(user.squads),
    markup`<code class="nowrap">${user.id}</code>`,
  ]);
  const columns = [num('user_id'), 'External id', 'Name', 'State', num('Squads'), 'id (UUID)'];
  const states = STATES.map((one) => [one, one] as const);
  const empty = wanted === '' && state === '' ? 'No users yet.' : 'No user is found.';
  return {
    title: 'Users',
    body: markup`<form class="search" method="get" action="${path}">
      <label>Name or any id <input type="search" name="q" value="${wanted}" maxlength="100"></label>
      <label>State <select name="state"><option value="">Every state</option>${optionsOf<string>(states, state)}</select></label><button>Search</button></form>
      ${card(
        null,
        table('Users', columns, rows, empty),
        slicePager(found, page, (target) => withQuery(path, { q: wanted, state, page: String(target) })),
      )}`,
  };
};

const stateBadge = (isActive: boolean): Markup =>
  markup`<span class="badge ${isActive ? 'good' : 'bad'}">${isActive ? 'active' : 'inactive'}</span>`;

/** One user with its squads in every league. */
export const user: View = (visit) => {
  const one = findUser(visit.context.store, numberOfId(visit.id));
  if (one === undefined) throw unknownId('user_id', 'user', visit.id);
  return {
    title: one.display_name,
    body: markup`<p class="lead">external id ${named(one.external_id)} ${stateBadge(one.is_active)}</p>
      ${card(
        'Ids',
        facts([
          ['user_id', one.user_id],
          ['id (UUID)', markup`<code>${one.id}</code>`],
          ['External id', named(one.external_id)],
          ['Created', time(one.created_at)],
          ['Updated', time(one.updated_at)],
        ]),
      )}${squadsCard(visit, one.user_id)}`,
  };
};

function squadsCard(visit: Visit, userId: number): Markup {
  const { context } = visit;
  const page = pageOf(visit);
  const found = listUserSquadIds(context.store, userId, page);
  const rows = found.rows.map((id) => {
    const squad = readSquad(context, id);
    const leagueId = squad.fantasy_league?.id;
    return [
      markup`<a href="${link(visit, `squads/${id}`)}">${named(squad.name)}</a>`,
      markup`<a href="${link(visit, `leagues/${leagueId}`)}">${named(squad.fantasy_league?.name)}</a>`,
      count(squad.ranking?.current_rank),
      markup`<b>${count(squad.ranking?.total_points)}</b>`,
      decimal(squad.finance?.squad_value),
      markup`<code class="nowrap">${id}</code>`,
    ];
  });
  const columns = ['Squad', 'Fantasy league', num('Rank'), num('Total'), num('Value'), 'Squad id'];
  return card(
    'Squads',
    table('Squads of the user', columns, rows, 'No squads yet.'),
    slicePager(found, page, (target) => link(visit, `users/${userId}?page=${target}`)),
  );
}
