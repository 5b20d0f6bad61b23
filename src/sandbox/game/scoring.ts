import type { BodyOf } from '../../contract/index.ts';
import type { Chip } from './chips.ts';
import type { Place } from './lineup.ts';
import type { Performance } from './match.ts';

/** The settings of a points configuration (section 2.9) without its league. */
export type Scoring = Omit<BodyOf<'set-points-config'>, 'fantasy_league_id'>;

/** The settings that are about players of one position. */
const settingsOf = (word: 'goalkeeper' | 'defender' | 'midfielder' | 'forward') =>
  ({
    goal: `${word}_goal_points`,
    assist: `${word}_assist_points`,
    cleanSheet: `${word}_clean_sheet_points`,
    concede: `${word}_concede_points`,
    goalConcede: `${word}_goal_concede_points`,
  }) as const;
const SETTINGS = {
  GK: settingsOf('goalkeeper'),
  DEF: settingsOf('defender'),
  MID: settingsOf('midfielder'),
  FWD: settingsOf('forward'),
} as const;

/**
 * The points of one performance, setting by setting; settings that give nothing are left out, and a player who did not play has none. The
 * interface names the settings (section 2.9) and leaves their meaning open; this is the sandbox's reading, for every one of them:
 *
 * - `starter_points`, `bencher_points`: once, to whoever played, by how the match began for them.
 * - `minutes_played_points`: once, on reaching `time_onfield_eligibility_minutes`.
 * - `sub_in_points`: once, for coming on. `sub_out_points`: once, for a starter taken off, not for one sent off.
 * - `*_goal_points`, `*_assist_points`: for each, by the scorer's own position.
 * - `*_clean_sheet_points`: once, on reaching `clean_sheet_eligibility_minutes` with no goal conceded while on the pitch.
 * - `*_concede_points`: once, when any goal was conceded while on the pitch.
 * - `*_goal_concede_points`: for each such goal; a sum with a fraction is cut toward zero, so that -0.5 takes a point for every second goal.
 * - `goal_save_points`: for every full group of `goal_save_ratio` saves; none when the ratio is below 1.
 * - `penalty_save_points`, `penalty_miss_points`, `own_goal_points`, `yellow_card_points`, `red_card_points`: for each.
 *
 * Deductions are negative numbers: nothing is ever subtracted. The bonus points of the match are added as they are.
 */
function breakdownOf(scoring: Scoring | null, stat: Omit<Performance, 'playerId'>): Record<string, number> {
  if (scoring === null || stat.minutes_played === 0) return {};
  const own = SETTINGS[stat.position];
  const started = stat.games_started > 0;
  const isClean = stat.goals_conceded === 0 && stat.minutes_played >= scoring.clean_sheet_eligibility_minutes;
  const wasTakenOff = started && stat.minutes_played < 90 && stat.red_cards === 0;
  const ratio = scoring.goal_save_ratio;
  const breakdown: Record<string, number> = {};
  const add = (setting: keyof Scoring, count: number): void => {
    const points = Math.trunc(count * scoring[setting]);
    if (points !== 0) breakdown[setting] = points;
  };
  add('starter_points', Number(started));
  add('bencher_points', Number(!started));
  add('minutes_played_points', Number(stat.minutes_played >= scoring.time_onfield_eligibility_minutes));
  add('sub_in_points', Number(!started));
  add('sub_out_points', Number(wasTakenOff));
  add(own.goal, stat.goals);
  add(own.assist, stat.assists);
  add(own.cleanSheet, Number(isClean));
  add(own.concede, Number(stat.goals_conceded > 0));
  add(own.goalConcede, stat.goals_conceded);
  add('own_goal_points', stat.own_goals);
  add('penalty_save_points', stat.penalty_saves);
  add('penalty_miss_points', stat.penalty_missed);
  add('goal_save_points', ratio >= 1 ? Math.floor(stat.saves / ratio) : 0);
  add('yellow_card_points', stat.yellow_cards);
  add('red_card_points', stat.red_cards);
  if (stat.bonus_points !== 0) breakdown['bonus_points'] = stat.bonus_points;
  return breakdown;
}

/** The points of one performance: the sum of {@link breakdownOf}. Without a points configuration nobody scores. */
export function pointsOf(scoring: Scoring | null, stat: Omit<Performance, 'playerId'>): number {
  return scoreOf(scoring, stat).points;
}

/** What a player brings to a line-up in a week. */
export interface Score {
  readonly minutes: number;
  readonly points: number;
  /** The points, setting by setting. */
  readonly breakdown: Readonly<Record<string, number>>;
}

/** What one performance brings. */
export function scoreOf(scoring: Scoring | null, stat: Omit<Performance, 'playerId'>): Score {
  const breakdown = breakdownOf(scoring, stat);
  const points = Object.values(breakdown).reduce((sum, part) => sum + part, 0);
  return { minutes: stat.minutes_played, points, breakdown };
}

/** A place of a line-up with what it counts. */
export interface CountedPlace {
  readonly place: Place;
  /** 2 for the player who counts twice, 3 with triple_captain, else 1. */
  readonly multiplier: 1 | 2 | 3;
  /** Multiplied; those of the bench are shown, and counted with bench_boost alone. */
  readonly points: number;
  readonly breakdown: Score['breakdown'];
}

/**
 * What each place of a line-up counts in a week, and the sum over the starting eleven, with bench_boost over the bench too. The captain counts twice, with
 * triple_captain three times, or, when the captain did not play, the vice-captain; whoever does not start counts once.
 */
export function countLineup(
  places: readonly Place[],
  scores: ReadonlyMap<number, Score>,
  chip: Chip | null = null,
): { readonly places: readonly CountedPlace[]; readonly total: number } {
  const played = (place: Place | undefined): boolean =>
    place !== undefined && (scores.get(place.playerId)?.minutes ?? 0) > 0;
  const captain = places.find((place) => place.isCaptain);
  const vice = places.find((place) => place.isViceCaptain);
  const armband = played(vice) && !played(captain) ? vice : captain;
  const times = chip === 'triple_captain' ? 3 : 2;
  const counted = places.map((place): CountedPlace => {
    const multiplier = place === armband && place.isStarting ? times : 1;
    const score = scores.get(place.playerId);
    return {
      place,
      multiplier,
      points: (score?.points ?? 0) * multiplier,
      breakdown: score?.breakdown ?? {},
    };
  });
  const counts = (place: Place): boolean => place.isStarting || chip === 'bench_boost';
  const total = counted.reduce((sum, { place, points }) => sum + (counts(place) ? points : 0), 0);
  return { places: counted, total };
}
