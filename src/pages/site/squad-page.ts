import { markup, type Markup, type Part } from '../markup.ts';
import { pointsChart, rankChart } from '../chart.ts';
import { card, count, decimal, named, num, table, tile, tiles, type Column } from '../parts.ts';
import { pitch, type PitchPlayer } from '../pitch.ts';
import { rootOf, sitePage, squadPath, weekPath, type SiteFile } from './frame.ts';
import type { Site, SiteEntry, SiteLineup, SitePlayer, SiteSquad, SquadWeek } from './values.ts';
import { madeOf } from './table-pages.ts';
import { movement } from './words.ts';

/** One squad: where it stands, its last line-up on a pitch, and its season. */
export function squadPage(site: Site, squad: SiteSquad): SiteFile {
  const path = squadPath(squad);
  const root = rootOf(path);
  const last = squad.weeks.at(-1);
  const withLineup = squad.weeks.findLast(({ lineup }) => lineup !== undefined);
  const body = markup`${who(squad)}${last === undefined ? null : numbers(last)}
    ${withLineup?.lineup === undefined ? null : pitchCard(withLineup, withLineup.lineup, root)}
    ${charts(squad, site.squads.length)}${historyCard(squad, root)}${transfersCard(squad)}${earlierLineups(squad, withLineup)}`;
  return sitePage(site, { path, section: undefined, title: squad.name, body });
}

function who({ member, mark, groups }: SiteSquad): Markup | null {
  const parts: readonly Part[] = [
    member !== undefined && markup`<span>${named(member)}</span>`,
    mark !== undefined && markup`<span class="badge">${mark}</span>`,
    ...groups.map((group) => markup`<span class="badge">${named(group)}</span>`),
  ].filter((part) => part !== false);
  return parts.length === 0 ? null : markup`<p class="lead names">${parts}</p>`;
}

function numbers({ week, rank, previousRank, isNew, points, total, value }: SquadWeek): Markup {
  return tiles(
    tile('Rank', count(rank), movement({ rank, previousRank, isNew })),
    tile('Total', count(total), 'points'),
    tile(`Game week ${week}`, count(points), 'points'),
    ...(value === undefined ? [] : [tile('Value', decimal(value))]),
  );
}

/** The lines of an eleven: goalkeepers, then each position in the order of the line-up. */
function linesOf(starting: readonly SiteEntry[]): readonly (readonly SiteEntry[])[] {
  const keepers = starting.filter(({ player }) => player.isKeeper);
  const others = Map.groupBy(
    starting.filter(({ player }) => !player.isKeeper),
    ({ player }) => player.position,
  );
  return [keepers, ...others.values()];
}

function pitchCard({ week, points }: SquadWeek, { starting, bench }: SiteLineup, root: string): Markup {
  const lines = linesOf(starting).map((line) => line.map(onPitch));
  return markup`<section class="card"><div class="card-head"><h2>Line-up of <a href="${root}${weekPath(week)}">game week ${week}</a></h2><p><b class="big">${count(points)}</b> points</p></div>
    <div class="lineup">${pitch({ lines, bench: bench.map(onPitch), isPlayed: true })}
    <div class="lineup-side"><h3>Signs</h3><ul class="plain legend"><li><span class="mark captain">C</span> captain</li><li><span class="mark vice">V</span> vice-captain</li><li><span class="mark in">▲</span> came in</li><li><span class="mark out">▼</span> went out</li><li class="note">Faded: did not play.</li></ul></div></div></section>`;
}

const onPitch = ({ player, ...entry }: SiteEntry): PitchPlayer => ({ ...entry, ...player });

function charts({ weeks }: SiteSquad, squads: number): Markup | null {
  const points = weeks.flatMap(({ week, points: value }) => (value === undefined ? [] : [{ week, value }]));
  const ranks = weeks.flatMap(({ week, rank: value }) => (value === undefined ? [] : [{ week, value }]));
  if (points.length === 0 && ranks.length === 0) return null;
  return markup`<div class="columns">${card('Points by game week', pointsChart(points))}${card('Rank by game week', rankChart(ranks, squads))}</div>`;
}

const HISTORY: readonly Column[] = [
  'Week',
  num('Points'),
  num('Total'),
  num('Rank'),
  num('Move'),
  'Captain',
  num('Bench'),
  num('Hits'),
  'Chip',
];

function historyCard({ weeks }: SiteSquad, root: string): Markup {
  const rows = weeks
    .toReversed()
    .map((one): readonly Part[] => [
      markup`<a href="${root}${weekPath(one.week)}">${one.week}</a>`,
      markup`<b>${count(one.points)}</b>`,
      count(one.total),
      count(one.rank),
      movement(one),
      ...madeOf(one),
    ]);
  return card('Week by week', table('The season week by week', HISTORY, rows, 'Nothing of it was read yet.'));
}

const nameList = (players: readonly SitePlayer[]): Part =>
  players.map((player, index) => markup`${index === 0 ? null : ', '}${named(player.name)}`);

function transfersCard({ weeks }: SiteSquad): Markup {
  const rows = weeks
    .toReversed()
    .filter(({ playersIn, playersOut }) => (playersIn?.length ?? 0) + (playersOut?.length ?? 0) > 0)
    .map(({ week, playersIn = [], playersOut = [] }) => [
      week,
      markup`<span class="in-text">${nameList(playersIn)}</span>`,
      markup`<span class="out-text">${nameList(playersOut)}</span>`,
    ]);
  return card('Transfers', table('Transfers', ['Week', 'In', 'Out'], rows, 'None is known.'));
}

function earlierLineups({ weeks }: SiteSquad, shown: SquadWeek | undefined): Markup | null {
  const earlier = weeks.filter((each) => each !== shown && each.lineup !== undefined).toReversed();
  if (earlier.length === 0) return null;
  const items = earlier.map(
    ({ week, points, lineup = { starting: [], bench: [] } }) =>
      markup`<details><summary>Game week ${week}: ${count(points)} points</summary><dl class="facts">
      ${linesOf(lineup.starting).map((line) => (line[0] === undefined ? null : lineFacts(line[0].player.positionName, line)))}
      ${lineFacts('Bench', lineup.bench)}</dl></details>`,
  );
  return card('Earlier line-ups', ...items);
}

function lineFacts(label: string, entries: readonly SiteEntry[]): Markup {
  const names = entries.map(
    (entry, index) =>
      markup`${index === 0 ? null : ', '}${named(entry.player.name)}${entry.isCaptain && ' (C)'}${entry.isViceCaptain && ' (V)'}${entry.cameIn && ' ▲'}${entry.wentOut && ' ▼'} <b>${count(entry.points)}</b>`,
  );
  return markup`<div><dt>${label}</dt><dd>${names}</dd></div>`;
}
