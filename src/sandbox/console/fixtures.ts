import { LAST_WEEK, currentWeekNumber } from '../game/weeks.ts';
import { chosenLeague } from './league-choice.ts';
import { markup, type Markup, type Part } from '../../pages/markup.ts';
import { named, num, table, time } from '../../pages/parts.ts';
import { weekPicker } from './pickers.ts';
import { listAppearances, type Appearance } from './read/read-players.ts';
import { matchLine, type Fixture } from './results.ts';
import { link, numberOf, readFixtures, type View, type Visit } from './visit.ts';

/** The matches of a game week with their scores, and who did what in each. */
export const fixtures: View = (visit) => {
  const { context } = visit;
  const number = numberOf(visit, 'week', LAST_WEEK, currentWeekNumber(context));
  const week = readFixtures(context, chosenLeague(visit).id).find((one) => Number(one.week) === number);
  const byFixture = Map.groupBy(listAppearances(context.store, number), ({ fixtureId }) => fixtureId);
  const matches = (week?.fixtures ?? []).map((fixture) =>
    match(visit, fixture, byFixture.get(fixture.id) ?? []),
  );
  return {
    title: `Fixtures of game week ${number}`,
    body: markup`${weekPicker(link(visit, 'fixtures'), number, LAST_WEEK)}
      <p class="lead">${time(week?.start_date)} to ${time(week?.end_date)}</p>${legend()}<div class="matches">${matches}</div>`,
  };
};

function match(visit: Visit, fixture: Fixture, players: readonly Appearance[]): Markup {
  const { home, away } = fixture.teams ?? {};
  const sides = [home, away].map((team) => players.filter(({ clubId }) => clubId === team?.id));
  const played = fixture.status === 'finished';
  return markup`<article class="card match"><h2 class="match-line">${matchLine(fixture)}</h2>
    <p class="note kick-off">${time(fixture.start_date)}</p>
    ${played ? markup`<div class="events">${sides.map((side) => markup`<div>${events(visit, side)}</div>`)}</div><details><summary>All players</summary>${[home, away].map((team, index) => markup`<h3>${named(team?.name)}</h3>${playerTable(visit, team?.name ?? '', sides[index] ?? [])}`)}</details>` : null}</article>`;
}

interface Kind {
  readonly label: string;
  readonly sign: Markup;
  readonly of: (appearance: Appearance) => number;
}

const sign = (name: string, character: string): Markup =>
  markup`<span class="sign ${name}" aria-hidden="true">${character}</span>`;

const KINDS: readonly Kind[] = [
  { label: 'Goals', sign: sign('goal', '●'), of: ({ goals }) => goals },
  { label: 'Own goals', sign: sign('own', '●'), of: (one) => one.own_goals },
  { label: 'Assists', sign: sign('assist', '➜'), of: ({ assists }) => assists },
  { label: 'Penalties saved', sign: sign('save', '■'), of: (one) => one.penalty_saves },
  { label: 'Penalties missed', sign: sign('miss', '✕'), of: (one) => one.penalty_missed },
  { label: 'Yellow cards', sign: sign('yellow', '▮'), of: (one) => one.yellow_cards },
  { label: 'Red cards', sign: sign('red', '▮'), of: (one) => one.red_cards },
  { label: 'Bonus points', sign: sign('bonus', '★'), of: (one) => one.bonus_points },
];

/** What the signs beside the names mean. */
function legend(): Markup {
  return markup`<ul class="signs note">${KINDS.map((kind) => markup`<li>${kind.sign} ${kind.label.toLowerCase()}</li>`)}</ul>`;
}

function events(visit: Visit, side: readonly Appearance[]): Part {
  return KINDS.map((kind) => {
    const who = side
      .filter((one) => kind.of(one) > 0)
      .toSorted((one, other) => kind.of(other) - kind.of(one));
    if (who.length === 0) return null;
    const names = who.map((one, index) => {
      const times = kind.of(one);
      return markup`${index > 0 ? ', ' : null}${playerLink(visit, one)}${times > 1 ? markup` <b>${times}</b>` : null}`;
    });
    return markup`<p class="event">${kind.sign}<span class="sr">${kind.label}: </span><span title="${kind.label}">${names}</span></p>`;
  });
}

const playerLink = (visit: Visit, { playerId, name }: Appearance): Markup =>
  markup`<a href="${link(visit, `players/${playerId}`)}">${named(name)}</a>`;

function playerTable(visit: Visit, team: string, side: readonly Appearance[]): Markup {
  const rows = side.map((one) => [
    playerLink(visit, one),
    one.position,
    one.games_started > 0 ? 'started' : 'came on',
    ...[one.minutes_played, one.goals, one.assists, one.goals_conceded, one.saves, one.bonus_points],
  ]);
  const columns = [
    'Player',
    'Pos',
    '',
    ...['Min', 'Goals', 'Assists', 'Conceded', 'Saves', 'Bonus'].map(num),
  ];
  return table(`Players of ${team}`, columns, rows);
}
