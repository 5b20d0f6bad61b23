import { FEATURES } from '../../contract/endpoint.ts';
import { labelOf } from '../../contract/field.ts';
import { stateOf } from '../control/state.ts';
import { DEFAULT_SETTINGS, SWITCH_NAMES } from '../switches.ts';
import { LAST_WEEK, allWeeks } from '../game/weeks.ts';
import { listLeagues } from './read/read-lists.ts';
import { listSquadIds } from './read/read-squads.ts';
import { markup, type Markup } from '../../pages/markup.ts';
import { bar, card, count, longTime, named, table, time } from '../../pages/parts.ts';
import { results } from './results.ts';
import { rankingTable } from './squads.ts';
import { link, readAccount, readFixtures, type View, type Visit } from './visit.ts';

const TOP = 5;

/** What an operator sees first: the clock and the season, what the account has and may do, the best squads and the last results. */
export const overview: View = (visit) => {
  const { context } = visit;
  const [league] = listLeagues(context.store, 1).rows;
  const lists =
    league === undefined
      ? null
      : markup`<div class="columns">
    ${card(markup`<a href="${link(visit, `squads?league=${league.id}`)}">Top of ${named(league.name)}</a>`, rankingTable(visit, listSquadIds(context.store, league.id, '', 1).rows.slice(0, TOP)))}
    ${latestResults(visit, league.id)}</div>`;
  return {
    title: 'Overview',
    body: markup`${seasonCard(visit)}<div class="columns">${accountCard(visit)}${recordsCard(visit)}</div>${lists}`,
  };
};

function seasonCard({ context }: Visit): Markup {
  const state = stateOf(context);
  const { day, clock } = longTime(state.now);
  const weeks = allWeeks(context.store);
  const played = weeks.filter((week) => week.isPlayed).length;
  const current = Number(state.current_game_week.week);
  const isUnderWay =
    state.current_game_week.start_date <= state.now && state.now < state.current_game_week.end_date;
  const phase =
    played === weeks.length
      ? 'The season is over'
      : isUnderWay
        ? `Game week ${current} is being played`
        : played === 0 && state.now < state.current_game_week.start_date
          ? 'Before the season'
          : `After game week ${current}`;
  const cells = weeks.map((week) => {
    const kind = week.isPlayed ? 'played' : week.number === current && isUnderWay ? 'now' : 'open';
    return markup`<rect class="${kind}" x="${(week.number - 1) * 10 + 1}" width="8" height="10" rx="2"><title>Game week ${week.number}: ${week.isPlayed ? 'played' : kind === 'now' ? 'being played' : 'to come'}</title></rect>`;
  });
  const toPlay = state.game_week_to_play;
  return markup`<section class="card season"><div class="season-clock"><h2>${day}</h2><p class="big">${clock}</p><p>${phase}</p></div>
    <div class="season-weeks"><svg class="weeks-bar" viewBox="0 0 ${LAST_WEEK * 10} 10" role="img" aria-label="${played} of ${weeks.length} game weeks played">${cells}</svg>
    <p><b>${played}</b> of ${weeks.length} game weeks played.${toPlay === null ? null : markup` Next: game week <b>${toPlay.week}</b>, ${time(toPlay.start_date)} to ${time(toPlay.end_date)}.`}</p>
    <p class="note">Times are UTC.</p></div></section>`;
}

function accountCard(visit: Visit): Markup {
  const account = readAccount(visit);
  const { per_minute: minute, per_day: day } = account.config?.rate_limit ?? {};
  const { features } = account.config ?? {};
  const isActive = account.is_active === true && account.api_key_active === true;
  const windowBar = (label: string, window: typeof minute): Markup =>
    bar(
      label,
      window?.used ?? 0,
      window?.limit ?? 0,
      markup`${count(window?.remaining)} left, new at ${time(window?.reset_at)}`,
    );
  return card(
    markup`Account ${visit.account} <span class="badge">${account.tier}</span> <span class="badge ${isActive ? 'good' : 'bad'}">${isActive ? 'active' : 'inactive'}</span>`,
    markup`<p class="note id">${account.id}</p><h3>Requests</h3>`,
    windowBar(`This window of ${minute?.window}`, minute),
    windowBar('Today', day),
    markup`<h3>Quotas</h3>`,
    FEATURES.map((name) => bar(labelOf(name), features?.[name]?.used ?? 0, features?.[name]?.max ?? 0)),
  );
}

function recordsCard(visit: Visit): Markup {
  const { records, seed } = stateOf(visit.context);
  const { settings } = visit.bent;
  const rows: readonly (readonly [string, string, string])[] = [
    ['users', 'Users', 'users'],
    ['squads', 'Squads', 'squads'],
    ['fantasy_leagues', 'Fantasy leagues', 'leagues'],
    ['mini_leagues', 'Mini leagues', 'mini-leagues'],
    ['points_configs', 'Points configurations', 'leagues'],
    ['price_records', 'Price records', 'prices'],
    ['auto_substitutions', 'Substitution records', 'substitutions'],
    ['effects', 'Effects of requests', 'activity'],
  ];
  const changed = SWITCH_NAMES.filter((name) => settings[name] !== DEFAULT_SETTINGS[name]);
  return card(
    'What it holds',
    table(
      'Records by kind',
      ['Records', { head: 'Count', kind: 'num' }],
      rows.map(([name, label, page]) => [
        markup`<a href="${link(visit, page)}">${label}</a>`,
        count(records[name]),
      ]),
    ),
    markup`<p class="note">Made with the seed <b>${seed}</b>.</p><h3>Settings</h3>`,
    changed.length === 0
      ? markup`<p>All as they start.</p>`
      : markup`<ul class="plain">${changed.map((name) => markup`<li><code>${name}=${settings[name]}</code></li>`)}</ul>`,
    markup`<h3>For programs</h3><p><a href="/docs">The operations, documented</a><br><a href="/openapi.json">OpenAPI document</a></p>`,
  );
}

function latestResults(visit: Visit, leagueId: number): Markup {
  const weeks = readFixtures(visit.context, leagueId);
  const last = weeks.findLast(({ fixtures }) => fixtures?.some(({ status }) => status === 'finished'));
  if (last === undefined)
    return card('Results', markup`<p class="empty">No game week has been played yet.</p>`);
  return card(
    markup`<a href="${link(visit, `fixtures?week=${last.week}`)}">Results of game week ${last.week}</a>`,
    results(last.fixtures ?? []),
  );
}
