import type { BodyOf } from '../contract/index.ts';
import type { Performance } from './match.ts';

/** The settings of a points configuration (section 2.9) without its league. */
export type Scoring = Omit<BodyOf<'set-points-config'>, 'fantasy_league_id'>;

const WORD = { GK: 'goalkeeper', DEF: 'defender', MID: 'midfielder', FWD: 'forward' } as const;

/**
 * The points of one performance, setting by setting; settings that give nothing are left out, and a player who did not play has none. The
 * interface names the settings (section 2.9) and leaves their meaning open; this is the sandbox's reading:
 *
 * - starter or bencher points for whoever played, by how the match began for them; minutes played points on reaching
 *   time_onfield_eligibility_minutes; sub in points for coming on; sub out points for a starter taken off, not for one sent off;
 * - clean sheet points on reaching clean_sheet_eligibility_minutes with no goal conceded while on the pitch;
 * - concede points once, when any goal was conceded; goal concede points for each, the sum cut toward zero;
 * - goal save points for every full group of goal_save_ratio saves (none when the ratio is below 1);
 * - deductions are negative numbers; bonus points are added as they are.
 */
export function breakdownOf(
  scoring: Scoring | null,
  stat: Omit<Performance, 'playerId'>,
): Record<string, number> {
  if (scoring === null || stat.minutes_played === 0) return {};
  const word = WORD[stat.position];
  const started = stat.games_started > 0;
  const isClean = stat.goals_conceded === 0 && stat.minutes_played >= scoring.clean_sheet_eligibility_minutes;
  const wasTakenOff = started && stat.minutes_played < 90 && stat.red_cards === 0;
  const ratio = scoring.goal_save_ratio;
  const counts = {
    starter_points: started ? 1 : 0,
    bencher_points: started ? 0 : 1,
    minutes_played_points: stat.minutes_played >= scoring.time_onfield_eligibility_minutes ? 1 : 0,
    sub_in_points: started ? 0 : 1,
    sub_out_points: wasTakenOff ? 1 : 0,
    [`${word}_goal_points`]: stat.goals,
    [`${word}_assist_points`]: stat.assists,
    [`${word}_clean_sheet_points`]: isClean ? 1 : 0,
    [`${word}_concede_points`]: stat.goals_conceded > 0 ? 1 : 0,
    [`${word}_goal_concede_points`]: stat.goals_conceded,
    own_goal_points: stat.own_goals,
    penalty_save_points: stat.penalty_saves,
    penalty_miss_points: stat.penalty_missed,
    goal_save_points: ratio >= 1 ? Math.floor(stat.saves / ratio) : 0,
    yellow_card_points: stat.yellow_cards,
    red_card_points: stat.red_cards,
  };
  const settings: Readonly<Record<string, number>> = scoring;
  const points = Object.entries(counts).map(([name, count]): [string, number] => [
    name,
    Math.trunc(count * (settings[name] ?? 0)),
  ]);
  return Object.fromEntries(
    [...points, ['bonus_points', stat.bonus_points] as const].filter(([, p]) => p !== 0),
  );
}

/** The points of one performance: the sum of {@link breakdownOf}. Without a points configuration nobody scores. */
export function pointsOf(scoring: Scoring | null, stat: Omit<Performance, 'playerId'>): number {
  return Object.values(breakdownOf(scoring, stat)).reduce((sum, points) => sum + points, 0);
}
