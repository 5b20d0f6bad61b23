import { describe, expect, it } from 'vitest';
import type { Performance } from '../../../src/sandbox/match.ts';
import { breakdownOf, pointsOf } from '../../../src/sandbox/scoring.ts';
import type { Scoring } from '../../../src/sandbox/scoring.ts';
import { pointsConfigBody } from '../../support/sandbox.ts';

/** Nothing scores, but what `over` sets. */
function scoring(over: Partial<Scoring>): Scoring {
  const { fantasy_league_id: _league, ...settings } = pointsConfigBody();
  const nothing = Object.fromEntries(Object.keys(settings).map((name) => [name, 0]));
  return {
    ...nothing,
    clean_sheet_eligibility_minutes: 60,
    time_onfield_eligibility_minutes: 60,
    ...over,
  } as Scoring;
}

function stat(over: Partial<Performance> = {}): Performance {
  return {
    playerId: 1,
    position: 'MID',
    games_started: 1,
    minutes_played: 90,
    goals: 0,
    assists: 0,
    clean_sheets: 0,
    goals_conceded: 0,
    own_goals: 0,
    saves: 0,
    penalty_saves: 0,
    penalty_missed: 0,
    yellow_cards: 0,
    red_cards: 0,
    bonus_points: 0,
    bonus_points_scores: 0,
    ...over,
  };
}

const sub = { games_started: 0, minutes_played: 20 } as const;
const GK = { position: 'GK' } as const;
const DEF = { position: 'DEF' } as const;
const FWD = { position: 'FWD' } as const;

describe('each setting of a points configuration', () => {
  it.each<[Partial<Scoring>, Partial<Performance>, number]>([
    [{ starter_points: 2 }, {}, 2],
    [{ starter_points: 2 }, sub, 0],
    [{ bencher_points: 3 }, sub, 3],
    [{ bencher_points: 3 }, {}, 0],
    [{ minutes_played_points: 1 }, { minutes_played: 60 }, 1],
    [{ minutes_played_points: 1 }, { minutes_played: 59 }, 0],
    [{ minutes_played_points: 1, time_onfield_eligibility_minutes: 1 }, { minutes_played: 1 }, 1],
    [{ sub_in_points: 4 }, sub, 4],
    [{ sub_in_points: 4 }, {}, 0],
    [{ sub_out_points: -1 }, { minutes_played: 70 }, -1],
    [{ sub_out_points: -1 }, { minutes_played: 70, red_cards: 1 }, 0],
    [{ sub_out_points: -1 }, {}, 0],
    [{ goalkeeper_goal_points: 6 }, { ...GK, goals: 1 }, 6],
    [{ defender_goal_points: 6 }, { ...DEF, goals: 2 }, 12],
    [{ midfielder_goal_points: 5 }, { goals: 1 }, 5],
    [{ forward_goal_points: 4 }, { ...FWD, goals: 3 }, 12],
    [{ forward_goal_points: 4 }, { goals: 3 }, 0],
    [{ goalkeeper_assist_points: 3 }, { ...GK, assists: 1 }, 3],
    [{ defender_assist_points: 3 }, { ...DEF, assists: 1 }, 3],
    [{ midfielder_assist_points: 3 }, { assists: 2 }, 6],
    [{ forward_assist_points: 3 }, { ...FWD, assists: 1 }, 3],
    [{ goalkeeper_clean_sheet_points: 4 }, GK, 4],
    [{ defender_clean_sheet_points: 4 }, DEF, 4],
    [{ midfielder_clean_sheet_points: 1 }, {}, 1],
    [{ forward_clean_sheet_points: 1 }, FWD, 1],
    [{ defender_clean_sheet_points: 4 }, { ...DEF, goals_conceded: 1 }, 0],
    [{ defender_clean_sheet_points: 4 }, { ...DEF, minutes_played: 59 }, 0],
    [
      { defender_clean_sheet_points: 4, clean_sheet_eligibility_minutes: 30 },
      { ...DEF, minutes_played: 30 },
      4,
    ],
    [{ goalkeeper_concede_points: -1 }, { ...GK, goals_conceded: 3 }, -1],
    [{ defender_concede_points: -1 }, { ...DEF, goals_conceded: 1 }, -1],
    [{ midfielder_concede_points: -1 }, { goals_conceded: 1 }, -1],
    [{ forward_concede_points: -1 }, FWD, 0],
    [{ goalkeeper_goal_concede_points: -0.5 }, { ...GK, goals_conceded: 3 }, -1],
    [{ defender_goal_concede_points: -0.5 }, { ...DEF, goals_conceded: 1 }, 0],
    [{ midfielder_goal_concede_points: -0.5 }, { goals_conceded: 4 }, -2],
    [{ forward_goal_concede_points: -1.5 }, { ...FWD, goals_conceded: 1 }, -1],
    [{ goal_save_points: 1, goal_save_ratio: 3 }, { ...GK, saves: 8 }, 2],
    [{ goal_save_points: 1, goal_save_ratio: 0 }, { ...GK, saves: 8 }, 0],
    [{ penalty_save_points: 5 }, { ...GK, penalty_saves: 1 }, 5],
    [{ penalty_miss_points: -2 }, { penalty_missed: 1 }, -2],
    [{ own_goal_points: -2 }, { own_goals: 1 }, -2],
    [{ yellow_card_points: -1 }, { yellow_cards: 1 }, -1],
    [{ red_card_points: -3 }, { red_cards: 1 }, -3],
    [{}, { bonus_points: 3 }, 3],
  ])('%j for %j gives %i', (settings, performance, points) => {
    expect(pointsOf(scoring(settings), stat(performance))).toBe(points);
  });

  it('every setting has a line in the table above or is a threshold', () => {
    const { fantasy_league_id: _league, ...settings } = pointsConfigBody({ goal_save_ratio: 1 });
    const all = settings as Scoring;
    const seen = (['GK', 'DEF', 'MID', 'FWD'] as const).flatMap((position) => {
      const busy = {
        position,
        goals: 1,
        assists: 1,
        saves: 1,
        penalty_saves: 1,
        penalty_missed: 1,
        own_goals: 1,
      };
      return [
        { ...busy, yellow_cards: 1, red_cards: 1, goals_conceded: 1 },
        { ...busy, minutes_played: 70 },
        { ...busy, ...sub },
      ].flatMap((performance) => Object.keys(breakdownOf(all, stat(performance))));
    });
    const thresholds = [
      'clean_sheet_eligibility_minutes',
      'time_onfield_eligibility_minutes',
      'goal_save_ratio',
    ];
    expect([...new Set(seen), ...thresholds].toSorted()).toEqual(Object.keys(settings).toSorted());
  });

  it('nobody scores without minutes or without a configuration', () => {
    const { fantasy_league_id: _league, ...settings } = pointsConfigBody();
    expect(pointsOf(settings as Scoring, stat({ minutes_played: 0, games_started: 0 }))).toBe(0);
    expect(pointsOf(null, stat({ goals: 3 }))).toBe(0);
  });
});
