import { describe, expect, it } from 'vitest';
import {
  explains,
  settingChanges,
  settingKind,
  type PlayerWeek,
  type Settings,
} from '../../../src/rules/points.ts';
import { settingNames } from '../../support/points.ts';

/** The scoring rules in public use; what is not named brings nothing. */
const PUBLIC: Settings = {
  ...Object.fromEntries(settingNames.map((name) => [name, 0])),
  starter_points: 1,
  bencher_points: 1,
  minutes_played_points: 1,
  goalkeeper_goal_points: 6,
  defender_goal_points: 6,
  midfielder_goal_points: 5,
  forward_goal_points: 4,
  midfielder_assist_points: 3,
  defender_assist_points: 3,
  goalkeeper_clean_sheet_points: 4,
  defender_clean_sheet_points: 4,
  midfielder_clean_sheet_points: 1,
  goalkeeper_goal_concede_points: -0.5,
  defender_goal_concede_points: -0.5,
  yellow_card_points: -1,
  red_card_points: -3,
  own_goal_points: -2,
  goal_save_points: 1,
  goal_save_ratio: 3,
  clean_sheet_eligibility_minutes: 60,
  time_onfield_eligibility_minutes: 60,
};

const NOTHING: PlayerWeek['stat'] = {
  goals: 0,
  saves: 0,
  points: 0,
  assists: 0,
  red_cards: 0,
  bonus_points: 0,
  clean_sheets: 0,
  yellow_cards: 0,
  games_started: 1,
  penalty_saves: 0,
  goals_conceded: 0,
  minutes_played: 90,
  penalty_missed: 0,
};
const week = (position: PlayerWeek['position'], stat: Partial<PlayerWeek['stat']>): PlayerWeek => ({
  position,
  stat: { ...NOTHING, ...stat },
});

/** A goalkeeper with 7 saves, 3 conceded and a card: 2 + 2 - 1 - 1, and 3 of bonus. */
const KEEPER = week('GK', { saves: 7, goals_conceded: 3, yellow_cards: 1, bonus_points: 3, points: 5 });
/** A midfielder who came on for half an hour, scored, and kept nothing clean by the minutes: 1 + 5. */
const CAME_ON = week('MID', { games_started: 0, minutes_played: 30, goals: 1, points: 6 });
/** A defender with a clean sheet and an own goal that no field shows: 2 + 4 - 2. */
const OWN_GOAL = week('DEF', { clean_sheets: 1, points: 4 });

describe('explains', () => {
  it('finds the points of a week to the point', () => {
    expect([KEEPER, CAME_ON].map((each) => explains(PUBLIC, each))).toEqual(['minutes', 'minutes']);
  });

  it('does not explain what no field shows, and nothing without a position or a number that counts', () => {
    expect(explains(PUBLIC, OWN_GOAL)).toBeUndefined();
    expect(explains(PUBLIC, { ...KEEPER, position: undefined })).toBeUndefined();
    expect(explains(PUBLIC, week('GK', { ...KEEPER.stat, saves: null }))).toBeUndefined();
    expect(explains(PUBLIC, week('FWD', { saves: null, points: 2 }))).toBeUndefined();
  });

  it('takes the counter of clean sheets where the minutes do not explain the points', () => {
    // Two matches in a week: one clean, one not.
    const two = week('DEF', { clean_sheets: 1, goals_conceded: 1, minutes_played: 180, points: 6 });
    expect(explains(PUBLIC, two)).toBe('counter');
  });
});

describe('settingChanges', () => {
  const change = (after: Partial<Settings>, of: PlayerWeek) =>
    settingChanges(PUBLIC, { ...PUBLIC, ...after } as Settings, of);

  it('counts what a counter shows, of weeks that nothing explains too', () => {
    expect(change({ midfielder_goal_points: 7, yellow_card_points: -2 }, CAME_ON)).toEqual([
      { setting: 'midfielder_goal_points', points: 2 },
      { setting: 'yellow_card_points', points: 0 },
    ]);
    expect(change({ defender_clean_sheet_points: 5 }, OWN_GOAL)).toEqual([
      { setting: 'defender_clean_sheet_points', points: 1 },
    ]);
  });

  it('says what a threshold or a ratio changes of weeks that are explained alone', () => {
    expect(change({ goal_save_ratio: 2 }, KEEPER)).toEqual([{ setting: 'goal_save_ratio', points: 1 }]);
    expect(change({ time_onfield_eligibility_minutes: 30 }, CAME_ON)).toMatchObject([{ points: 1 }]);
    expect(change({ clean_sheet_eligibility_minutes: 30 }, CAME_ON)).toMatchObject([{ points: 1 }]);
    expect(change({ goalkeeper_goal_concede_points: -1 }, KEEPER)).toMatchObject([{ points: -2 }]);
    expect(change({ clean_sheet_eligibility_minutes: 30 }, OWN_GOAL)).toMatchObject([{ points: undefined }]);
  });

  it('lets settings that hang together change one after the other', () => {
    expect(change({ goal_save_points: 2, goal_save_ratio: 7 }, KEEPER)).toEqual([
      { setting: 'goal_save_points', points: 2 },
      { setting: 'goal_save_ratio', points: -2 },
    ]);
  });
});

it('knows of every setting how a change of it is reckoned', () => {
  const kinds = Object.groupBy(settingNames, settingKind);
  expect(kinds.unseen).toEqual(['sub_in_points', 'sub_out_points', 'own_goal_points']);
  expect(kinds.counter).toHaveLength(16);
  expect(kinds.reading).toHaveLength(15);
});
