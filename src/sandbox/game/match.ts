import { byName } from '../../contract/by-name.ts';
import { between, pickWeighted, poisson, type Chance } from './random.ts';
import type { Position } from './season.ts';

/** A player as the match sees one. `rank` counts from 0, the best of the club in the position. */
export interface Footballer {
  readonly id: number;
  readonly position: Position;
  readonly rank: number;
}

/** One club of a match; `strength` is 1 for the best of the league and 0 for the last. */
export interface Side {
  readonly strength: number;
  readonly players: readonly Footballer[];
}

/** What is counted of a player in a match, as weekly_stats holds it: the counters of section 2.7, and own goals, which the interface scores but does not show. */
export const COUNTERS = [
  'games_started',
  'minutes_played',
  'goals',
  'assists',
  'clean_sheets',
  'goals_conceded',
  'own_goals',
  'saves',
  'penalty_saves',
  'penalty_missed',
  'yellow_cards',
  'red_cards',
  'bonus_points',
  'bonus_points_scores',
] as const;
export type Counter = (typeof COUNTERS)[number];

/** What a player did in one match. */
export interface Performance extends Readonly<Record<Counter, number>> {
  readonly playerId: number;
  readonly position: Position;
}

interface MatchResult {
  readonly homeGoals: number;
  readonly awayGoals: number;
  /** One for every player of both clubs, also those who did not play. */
  readonly performances: readonly Performance[];
}

/** A player on the sheet of the match: on the pitch after minute `from` up to and with minute `to`; `from` = `to` did not play. */
interface Appearance extends Record<Counter, number> {
  readonly player: Footballer;
  from: number;
  to: number;
}

const NOTHING = byName(COUNTERS, () => 0);

const FULL_TIME = 90;
/** Minutes that a clean sheet needs in the statistics, whatever a league's points configuration asks. */
const CLEAN_SHEET_MINUTES = 60;
const FORMATIONS: readonly Readonly<Record<Position, number>>[] = [
  { GK: 1, DEF: 4, MID: 4, FWD: 2 },
  { GK: 1, DEF: 4, MID: 3, FWD: 3 },
  { GK: 1, DEF: 3, MID: 5, FWD: 2 },
  { GK: 1, DEF: 5, MID: 3, FWD: 2 },
  { GK: 1, DEF: 4, MID: 5, FWD: 1 },
];
const SCORES_GOALS = { GK: 0, DEF: 1, MID: 3, FWD: 6 };
const GIVES_ASSISTS = { GK: 0.1, DEF: 2, MID: 5, FWD: 3 };

/**
 * Plays a match: eleven start a side, at most five substitutes come on, a player sent off is not replaced, and the goals of the players add up
 * to the score. Nobody scores an own goal: the weekly statistics have no field for one, so that a reader could check neither score nor points.
 */
export function playMatch(chance: Chance, home: Side, away: Side): MatchResult {
  const homeSheet = teamSheet(chance, home);
  const awaySheet = teamSheet(chance, away);
  const lead = home.strength - away.strength;
  const homeGoals = playGoals(chance, homeSheet, awaySheet, 1.5 * Math.exp(0.7 * lead));
  const awayGoals = playGoals(chance, awaySheet, homeSheet, 1.15 * Math.exp(-0.7 * lead));
  playPenaltyMiss(chance, homeSheet, awaySheet);
  playPenaltyMiss(chance, awaySheet, homeSheet);
  const performances = [...homeSheet, ...awaySheet].map((appearance) => performanceOf(chance, appearance));
  return { homeGoals, awayGoals, performances: withBonus(performances) };
}

function teamSheet(chance: Chance, side: Side): Appearance[] {
  const isAway = new Set(side.players.filter(() => chance() < 0.07).map((player) => player.id));
  const order = side.players
    .map((player) => ({ player, score: player.rank + 1.6 * chance() + (isAway.has(player.id) ? 100 : 0) }))
    .toSorted((one, other) => one.score - other.score)
    .map(({ player }) => player);
  const formation = FORMATIONS[between(chance, 0, FORMATIONS.length - 1)];
  const left = { ...(formation ?? { GK: 1, DEF: 4, MID: 4, FWD: 2 }) };
  const sheet = order.map((player) => appear(chance, player, left[player.position]-- > 0));
  substitute(
    chance,
    sheet,
    sheet.filter(({ player, to }) => to === 0 && player.position !== 'GK' && !isAway.has(player.id)),
  );
  sendOff(chance, sheet);
  return sheet;
}

function appear(chance: Chance, player: Footballer, starts: boolean): Appearance {
  const saves = starts && player.position === 'GK' ? poisson(chance, 2.8) : 0;
  return { ...NOTHING, player, from: 0, to: starts ? FULL_TIME : 0, saves };
}

const isOutfield = ({ player }: Appearance): boolean => player.position !== 'GK';
const playsWholeMatch = ({ from, to }: Appearance): boolean => from === 0 && to === FULL_TIME;

function substitute(chance: Chance, sheet: readonly Appearance[], bench: readonly Appearance[]): void {
  for (const on of bench.slice(0, between(chance, 2, 5))) {
    const stay = sheet.filter((appearance) => isOutfield(appearance) && playsWholeMatch(appearance));
    const off = pickWeighted(chance, stay, ({ player }) => (player.position === on.player.position ? 8 : 1));
    if (off === undefined) return;
    const minute = between(chance, 46, 88);
    off.to = minute;
    on.from = minute;
    on.to = FULL_TIME;
  }
}

/** Cards: at most one player of a side is sent off, one who would have played to the end. */
function sendOff(chance: Chance, sheet: readonly Appearance[]): void {
  const stay = sheet.filter((appearance) => isOutfield(appearance) && playsWholeMatch(appearance));
  const sentOff = chance() < 0.04 ? pickWeighted(chance, stay, () => 1) : undefined;
  if (sentOff !== undefined) {
    sentOff.red_cards = 1;
    sentOff.to = between(chance, 20, 89);
  }
  for (const appearance of sheet) {
    const isBooked = chance() < (0.14 * (appearance.to - appearance.from)) / FULL_TIME;
    if (isBooked && appearance.red_cards === 0) appearance.yellow_cards = 1;
  }
}

function onPitch(sheet: readonly Appearance[], minute: number): readonly Appearance[] {
  return sheet.filter(({ from, to }) => from < minute && minute <= to);
}

function playGoals(
  chance: Chance,
  attack: readonly Appearance[],
  defence: readonly Appearance[],
  mean: number,
): number {
  const goals = poisson(chance, mean);
  for (let goal = 0; goal < goals; goal += 1) {
    const minute = between(chance, 1, FULL_TIME);
    const side = onPitch(attack, minute);
    const scorer = pickWeighted(
      chance,
      side,
      ({ player }) => SCORES_GOALS[player.position] / (1 + player.rank),
    );
    if (scorer !== undefined) scorer.goals += 1;
    const others = side.filter((appearance) => appearance !== scorer);
    const giver = pickWeighted(
      chance,
      others,
      ({ player }) => GIVES_ASSISTS[player.position] / (1 + player.rank),
    );
    if (chance() < 0.75 && giver !== undefined) giver.assists += 1;
    for (const beaten of onPitch(defence, minute)) beaten.goals_conceded += 1;
  }
  return goals;
}

function playPenaltyMiss(
  chance: Chance,
  attack: readonly Appearance[],
  defence: readonly Appearance[],
): void {
  if (chance() >= 0.06) return;
  const minute = between(chance, 1, FULL_TIME);
  const taker = pickWeighted(chance, onPitch(attack, minute), ({ player }) => SCORES_GOALS[player.position]);
  const keeper = onPitch(defence, minute).find((appearance) => !isOutfield(appearance));
  if (taker === undefined || keeper === undefined) return;
  taker.penalty_missed += 1;
  if (chance() < 0.7) {
    keeper.penalty_saves += 1;
    keeper.saves += 1;
  }
}

const GOAL_SCORE = { GK: 12, DEF: 12, MID: 18, FWD: 24 };

function performanceOf(chance: Chance, appearance: Appearance): Performance {
  const { player, from, to, ...counted } = appearance;
  const minutes = to - from;
  const keptClean = minutes >= CLEAN_SHEET_MINUTES && counted.goals_conceded === 0;
  const isBack = player.position === 'GK' || player.position === 'DEF';
  const score =
    (minutes >= CLEAN_SHEET_MINUTES ? 6 : 3) +
    counted.goals * GOAL_SCORE[player.position] +
    counted.assists * 9 +
    (keptClean && isBack ? 12 : 0) +
    counted.saves * 2 +
    counted.penalty_saves * 9 -
    counted.yellow_cards * 3 -
    counted.red_cards * 9 -
    counted.penalty_missed * 6 +
    between(chance, 0, 8);
  return {
    ...counted,
    playerId: player.id,
    position: player.position,
    games_started: from === 0 && to > 0 ? 1 : 0,
    minutes_played: minutes,
    clean_sheets: keptClean ? 1 : 0,
    bonus_points_scores: minutes === 0 ? 0 : score,
  };
}

/** Three, two and one bonus points for the three best scores of the match; the lower id goes first among equals. */
function withBonus(performances: readonly Performance[]): readonly Performance[] {
  const best = performances
    .filter((performance) => performance.minutes_played > 0)
    .toSorted(
      (one, other) => other.bonus_points_scores - one.bonus_points_scores || one.playerId - other.playerId,
    )
    .slice(0, 3)
    .map((performance) => performance.playerId);
  return performances.map((performance) => {
    const place = best.indexOf(performance.playerId);
    return place === -1 ? performance : { ...performance, bonus_points: 3 - place };
  });
}
