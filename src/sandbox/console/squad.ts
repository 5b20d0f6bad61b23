import { POSITIONS } from '../game/season.ts';
import { LAST_WEEK, openWeekNumber, requireWeek } from '../game/weeks.ts';
import { pointsChart, rankChart } from '../../pages/chart.ts';
import { markup, type Markup, type Part } from '../../pages/markup.ts';
import { card, count, facts, decimal, named, num, table, tile, tiles } from '../../pages/parts.ts';
import { weekPicker } from './pickers.ts';
import { pitch, type PitchPlayer } from '../../pages/pitch.ts';
import { countSquads, listSquadRanks, listSquadWeeks, readChanges } from './read/read-squads.ts';
import { shortNames } from '../../pages/short-names.ts';
import { breakdownText } from './breakdown.ts';
import { chipName, weekMoves } from './week-moves.ts';
import { at, link, numberOf, readLineup, readSquad, type View, type Visit } from './visit.ts';

type Squad = ReturnType<typeof readSquad>;
type Lineup = ReturnType<typeof readLineup>;
type Entry = NonNullable<NonNullable<Lineup['squad']>['bench']>[number];

const positionOf = (entry: Entry): string => entry.position?.abbrevation ?? '';
const fullNameOf = ({ player }: Entry): string =>
  `${player?.first_name ?? ''} ${player?.last_name ?? ''}`.trim();
const linesOf = ({ squad }: Lineup): readonly (readonly Entry[])[] =>
  POSITIONS.map((position) => (squad?.starting_xi ?? []).filter((entry) => positionOf(entry) === position));

/** One squad: where it stands, its line-up of a week on a pitch, and its weeks and money. */
export const squad: View = (visit) => {
  const { context, id } = visit;
  const now = readSquad(context, id);
  const week = numberOf(visit, 'week', LAST_WEEK, Number(now.game_week?.week));
  const { ranking, finance } = now;
  const leagueHref = link(visit, `squads?league=${now.fantasy_league?.id}`);
  return {
    title: now.name ?? '',
    body: markup`<p class="lead"><a href="${link(visit, `users/${now.user?.user_id}`)}">${named(now.user?.display_name)}</a> <span class="note">external id ${named(now.user?.external_id)}</span> in <a href="${leagueHref}">${named(now.fantasy_league?.name)}</a></p>
      ${tiles(
        tile('Rank', count(ranking?.current_rank)),
        tile('Total', count(ranking?.total_points), 'points'),
        tile(`Game week ${ranking?.game_week}`, count(ranking?.game_week_points), 'points'),
        tile('Value', decimal(finance?.squad_value)),
        tile('In the bank', decimal(finance?.money_in_bank)),
      )}
      ${lineupCard(visit, now, week)}<div class="columns">${weeksCard(visit, now)}${financeCard(now)}</div>`,
  };
};

function lineupCard(visit: Visit, now: Squad, wanted: number): Markup {
  const { context, id } = visit;
  // A squad takes part from its first week on, and shows that one for any week before.
  const shownAt = (week: number) => at(context, requireWeek(context.store, week).startDate);
  // The next week shows what the owner has changed for it.
  const open = Math.min(LAST_WEEK, openWeekNumber(context.store, context.season.now()));
  const latest = Math.max(open, Number(now.game_week?.week));
  const lineup = readLineup(shownAt(Math.min(wanted, latest)), id);
  const week = Number(lineup.game_week?.week);
  const { isPlayed } = requireWeek(context.store, week);
  const changes = readChanges(context.store, id, week, Number(now.fantasy_league?.id));
  const { minutes, pairs } = changes;
  const entries = [...(lineup.squad?.starting_xi ?? []), ...(lineup.squad?.bench ?? [])];
  const names = shortNames(
    entries.map(({ player }) => ({
      id: Number(player?.id),
      first: player?.first_name ?? '',
      last: player?.last_name ?? '',
    })),
  );
  const playerHref = (playerId: number): string =>
    link(visit, `players/${playerId}?league=${now.fantasy_league?.id}`);
  const onPitch = (entry: Entry): PitchPlayer => {
    const playerId = Number(entry.player?.id);
    return {
      name: names.get(playerId) ?? '',
      fullName: fullNameOf(entry),
      club: entry.team?.name ?? '',
      clubId: entry.team?.id ?? 1,
      isKeeper: positionOf(entry) === 'GK',
      position: positionOf(entry),
      positionName: entry.position?.position ?? '',
      points: entry.points ?? undefined,
      minutes: minutes.get(playerId) ?? 0,
      isCaptain: entry.is_captain === true,
      isViceCaptain: entry.is_vice_captain === true,
      cameIn: pairs.some((one) => one.in === playerId),
      wentOut: pairs.some(({ out }) => out === playerId),
      href: playerHref(playerId),
    };
  };
  const total = isPlayed
    ? markup`<b class="big">${count(lineup.total_points)}</b> points`
    : markup`<span class="badge">not played yet</span>`;
  const rows = entries.map((entry) => [
    entry.player?.id,
    markup`<a href="${playerHref(Number(entry.player?.id))}">${named(fullNameOf(entry))}</a>`,
    entry.position?.abbrevation,
    named(entry.team?.name),
    count(minutes.get(Number(entry.player?.id))),
    markup`<b>${count(entry.points)}</b>`,
    breakdownText(entry.breakdown),
  ]);
  return markup`<section class="card"><div class="card-head"><h2>Line-up</h2>${weekPicker(link(visit, `squads/${id}`), week, latest)}<p>${total}</p></div>
    <div class="lineup">${pitch({ lines: linesOf(lineup).map((line) => line.map(onPitch)), bench: (lineup.squad?.bench ?? []).map(onPitch), isPlayed })}
    <div class="lineup-side">${weekMoves(lineup, changes, (playerId) => named(names.get(playerId)))}
    <h3>Signs</h3><ul class="plain legend"><li><span class="mark captain">C</span> captain, points ${changes.chip === 'triple_captain' ? 'three times' : 'twice'}</li><li><span class="mark vice">V</span> vice-captain</li><li><span class="mark in">▲</span> came in</li><li><span class="mark out">▼</span> went out</li><li class="note">Faded: did not play.</li></ul></div></div>
    ${isPlayed ? markup`<details><summary>Points by player and setting</summary>${table('Points by player', [num('Id'), 'Player', 'Pos', 'Club', num('Min'), num('Points'), 'From'], rows)}</details>` : null}</section>`;
}

function weeksCard({ context, id }: Visit, now: Squad): Markup {
  const points = listSquadWeeks(context.store, id.toLowerCase());
  if (points.length === 0) return card('Week by week', markup`<p class="empty">No game week played yet.</p>`);
  const ranks = listSquadRanks(context.store, Number(now.fantasy_league?.id), id.toLowerCase());
  const rankOf = new Map(ranks.map((one) => [one.week, one]));
  const chipOf = new Map(now.chips?.map(({ chip, game_week_played }) => [Number(game_week_played), chip]));
  const rows = points.map(({ week, points: value, deduction }) => [
    week,
    count(value),
    deduction === 0 ? null : count(-deduction),
    chipName(chipOf.get(week)),
    count(rankOf.get(week)?.rank),
  ]);
  return card(
    'Week by week',
    markup`<h3>Points</h3>`,
    pointsChart(points.map(({ week, points: value }) => ({ week, value }))),
    markup`<h3>Rank</h3>`,
    rankChart(
      ranks.map(({ week, rank }) => ({ week, value: rank })),
      countSquads(context.store, Number(now.fantasy_league?.id)),
    ),
    markup`<details><summary>The numbers</summary>${table('Points and ranks by week', [num('Week'), num('Points'), num('Hits'), 'Chip', num('Rank after')], rows)}</details>`,
  );
}

function financeCard({ finance, free_transfers, mini_leagues, chips, id }: Squad): Markup {
  const rows: readonly (readonly [string, Part])[] = [
    ['Budget', decimal(finance?.budget)],
    ['Spent', decimal(finance?.money_spent)],
    ['In the bank', decimal(finance?.money_in_bank)],
    ['Value now', decimal(finance?.squad_value)],
    ['Gain', decimal((finance?.squad_value ?? 0) - (finance?.money_spent ?? 0))],
    ['Free transfers', count(free_transfers)],
    ['Mini leagues', count(mini_leagues)],
    ['Chips left', namesOf(chips?.filter(({ is_available }) => is_available === true))],
    ['Chips played', namesOf(chips?.filter(({ is_available }) => is_available === false))],
  ];
  return card('Finance', facts(rows), markup`<p class="note id">Squad id ${id}</p>`);
}

/** Each with the week it was played in. */
const namesOf = (chips: Squad['chips']): string =>
  chips
    ?.map(
      ({ chip, game_week_played: week }) =>
        `${chipName(chip)}${typeof week === 'string' ? ` (week ${week})` : ''}`,
    )
    .join(', ') || 'none';
