import { listEffects } from '../effects.ts';
import { LAST_WEEK, currentWeekNumber } from '../weeks.ts';
import { chosenLeague, leagueField } from './league-choice.ts';
import { markup } from './markup.ts';
import { card, count, money, named, num, pager, table, time, weekPicker } from './parts.ts';
import { listPriceRecords, listProcessedWeeks, listSubstitutions } from './read-lists.ts';
import { PER_PAGE, link, numberOf, withQuery } from './visit.ts';
import type { View, Visit } from './visit.ts';

const MOST_PAGES = 1_000_000;

/** The uploaded prices, the newest first; records of one upload share a reference. */
export const prices: View = (visit) => {
  const page = numberOf(visit, 'page', MOST_PAGES, 1);
  const found = listPriceRecords(visit.context.store, page);
  const rows = found.rows.map((one) => [
    time(one.createdAt),
    one.week,
    markup`<a href="${link(visit, `players/${one.playerId}?league=${one.leagueId}`)}">${named(one.player)}</a>`,
    markup`<b>${money(one.price)}</b>`,
    named(one.type),
    named(one.league),
    markup`<code title="${one.reference}">${one.reference.slice(0, 8)}</code>`,
  ]);
  const columns = ['Uploaded', num('Week'), 'Player', num('Price'), 'Type', 'Fantasy league', 'Upload'];
  return {
    title: 'Price uploads',
    body: card(
      null,
      table('Price records', columns, rows, 'No prices were uploaded yet.'),
      pager(found, page, (target) => link(visit, `prices?page=${target}`)),
    ),
  };
};

/** The automatic substitutions of a fantasy league in a game week. */
export const substitutions: View = (visit) => {
  const { store } = visit.context;
  const league = chosenLeague(visit);
  const processed = listProcessedWeeks(store, league.id);
  const latest = processed.at(-1)?.week ?? currentWeekNumber(store, visit.context.season.now());
  const week = numberOf(visit, 'week', LAST_WEEK, latest);
  const page = numberOf(visit, 'page', MOST_PAGES, 1);
  const found = listSubstitutions(store, league.id, week, page);
  const done = processed.find((one) => one.week === week);
  const rows = found.rows.map((one) => [
    markup`<a href="${link(visit, `squads/${one.squadId}?week=${week}`)}">${named(one.squad)}</a>`,
    markup`<span class="out-text">▼ ${named(one.out)}</span>`,
    markup`<span class="in-text">▲ ${named(one.into)}</span>`,
    one.position,
    markup`<code title="${one.reference}">${one.reference.slice(0, 8)}</code>`,
  ]);
  const path = link(visit, 'substitutions');
  const field = leagueField(visit, league.id);
  const keep = { league: String(league.id) };
  return {
    title: `Substitutions of game week ${week}`,
    body: markup`${field === null ? null : markup`<form class="search" method="get" action="${path}">${field}<button>Show</button></form>`}
      ${weekPicker(path, week, LAST_WEEK, keep)}
      <p class="lead">${done === undefined ? 'This week has not been processed.' : markup`Processed ${time(done.processedAt)}: ${count(found.total)} substitutions.`}</p>
      ${card(
        null,
        table(
          'Automatic substitutions',
          ['Squad', 'Out', 'In', 'Pos', 'Reference'],
          rows,
          'None in this week.',
        ),
        pager(found, page, (target) =>
          withQuery(path, { ...keep, week: String(week), page: String(target) }),
        ),
      )}`,
  };
};

/** The latest requests, and what requests have changed, both the newest first. */
export const activity: View = (visit) => ({
  title: 'Activity',
  body: markup`${card('Recent requests', requestsTable(visit))}${effectsCard(visit)}`,
});

function requestsTable({ requests, account }: Visit) {
  const rows = requests
    .filter((one) => one.account === null || one.account === account)
    .map((one) => [
      markup`<time datetime="${one.time}" title="${one.time}">${one.time.slice(11, 19)}</time>`,
      one.method,
      markup`<code>${one.path}</code>`,
      markup`<span class="badge ${one.status < 400 ? 'good' : 'bad'}">${one.status}</span>`,
      one.ms.toFixed(1),
      one.fault ?? null,
      markup`<code title="${one.request}">${one.request.slice(0, 8)}</code>`,
    ]);
  const columns = ['Time', 'Method', 'Path', 'Status', num('ms'), 'Fault', 'Request'];
  return table('Recent requests', columns, rows, 'No request since the start.');
}

function effectsCard(visit: Visit) {
  const { store } = visit.context;
  const page = numberOf(visit, 'page', MOST_PAGES, 1);
  const total = store.count('SELECT count(*) AS n FROM effects');
  const before = Math.max(0, total - page * PER_PAGE);
  const wanted = Math.min(PER_PAGE, Math.max(0, total - (page - 1) * PER_PAGE));
  // Numbered from 1 without a gap: none is ever deleted.
  const effects = wanted === 0 ? [] : listEffects(store, before, wanted).toReversed();
  const rows = effects.map((one) => [
    one.number,
    time(one.created_at),
    markup`<code>${one.operation}</code>`,
    count(one.record_count),
    one.record_ids.slice(0, 3).join(', ') + (one.record_count > 3 ? ' …' : ''),
    typeof one.fault === 'string' ? one.fault : null,
    markup`<code title="${one.request_id}">${one.request_id.slice(0, 8)}</code>`,
  ]);
  const columns = [num('No.'), 'Applied', 'Operation', num('Records'), 'Ids', 'Fault', 'Request'];
  return card(
    'Effects',
    markup`<p class="note">Every request that changed something, with the time of the season.</p>`,
    table('Effects', columns, rows, 'No request has changed anything yet.'),
    pager({ rows, total }, page, (target) => link(visit, `activity?page=${target}`)),
  );
}
