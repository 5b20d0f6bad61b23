import { LAST_WEEK, currentWeekNumber } from '../game/weeks.ts';
import { chosenLeague, leagueField } from './league-choice.ts';
import { markup } from '../../pages/markup.ts';
import { card, count, decimal, named, num, table, time } from '../../pages/parts.ts';
import { slicePager, weekPicker } from './pickers.ts';
import { listPriceRecords, listProcessedWeeks, listSubstitutions } from './read/read-lists.ts';
import { link, numberOf, pageOf, withQuery, type View } from './visit.ts';

/** The uploaded prices, the newest first; records of one upload share a reference. */
export const prices: View = (visit) => {
  const page = pageOf(visit);
  const found = listPriceRecords(visit.context.store, page);
  const rows = found.rows.map((one) => [
    time(one.createdAt),
    one.week,
    one.playerId,
    markup`<a href="${link(visit, `players/${one.playerId}?league=${one.leagueId}`)}">${named(one.player)}</a>`,
    markup`<b>${decimal(one.price)}</b>`,
    named(one.type),
    named(one.league),
    markup`<code title="${one.reference}">${one.reference.slice(0, 8)}</code>`,
  ]);
  const columns = [
    'Uploaded',
    num('Week'),
    num('Player id'),
    'Player',
    num('Price'),
    'Type',
    'Fantasy league',
    'Upload',
  ];
  return {
    title: 'Price uploads',
    body: card(
      null,
      table('Price records', columns, rows, 'No prices were uploaded yet.'),
      slicePager(found, page, (target) => link(visit, `prices?page=${target}`)),
    ),
  };
};

/** The automatic substitutions of a fantasy league in a game week. */
export const substitutions: View = (visit) => {
  const { store } = visit.context;
  const league = chosenLeague(visit);
  const processed = listProcessedWeeks(store, league.id);
  const latest = processed.at(-1)?.week ?? currentWeekNumber(visit.context);
  const week = numberOf(visit, 'week', LAST_WEEK, latest);
  const page = pageOf(visit);
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
        slicePager(found, page, (target) =>
          withQuery(path, { ...keep, week: String(week), page: String(target) }),
        ),
      )}`,
  };
};
