import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Place } from '../../../src/sandbox/game/lineup.ts';
import { COUNTERS } from '../../../src/sandbox/game/match.ts';
import type { Counter, Performance } from '../../../src/sandbox/game/match.ts';
import { countLineup, pointsOf, scoreOf } from '../../../src/sandbox/game/scoring.ts';
import type { Score, Scoring } from '../../../src/sandbox/game/scoring.ts';
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

const NOTHING = Object.fromEntries(COUNTERS.map((name) => [name, 0])) as Record<Counter, number>;

function stat(over: Partial<Performance> = {}): Performance {
  return {
    ...NOTHING,
    playerId: 1,
    position: 'MID',
    games_started: 1,
    minutes_played: 90,
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
      ].flatMap((performance) => Object.keys(scoreOf(all, stat(performance)).breakdown));
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

/** `c` captain, `v` vice-captain, a bar begins the bench, the number is the points of the week, `-` did not play. */
function counted(words: string) {
  const entries = words.split(' ').filter((word) => word !== '|');
  const bench = words.split(' ').indexOf('|');
  const places = entries.map((word, index): Place => ({
    playerId: index + 1,
    position: 'MID',
    order: index + 1,
    isStarting: bench === -1 || index < bench,
    isCaptain: word.startsWith('c'),
    isViceCaptain: word.startsWith('v'),
  }));
  const scores = new Map(
    entries.map((word, index): [number, Score] => {
      const points = Number(word.replace(/^[cv]/, '').replace(/-$/, '0'));
      return [index + 1, { minutes: word.endsWith('-') ? 0 : 90, points, breakdown: {} }];
    }),
  );
  const { places: all, total } = countLineup(places, scores);
  return [all.map(({ points }) => points), all.map(({ multiplier }) => multiplier), total];
}

describe('a line-up counts', () => {
  it.each<[string, string, readonly number[], readonly number[], number]>([
    ['the captain twice', 'c5 v3 2', [10, 3, 2], [2, 1, 1], 15],
    ['the vice-captain twice when the captain did not play', 'c- v3 2', [0, 6, 2], [1, 2, 1], 8],
    ['nobody twice when neither played', 'c- v- 2', [0, 0, 2], [2, 1, 1], 2],
    ['a captain without points twice too', 'c0 v3', [0, 3], [2, 1], 3],
    ['deductions twice too', 'c-2 4', [-4, 4], [2, 1], 0],
    ['the bench not at all', 'c5 v1 | 9', [10, 1, 9], [2, 1, 1], 11],
    ['nobody twice who went to the bench', 'v- | c-', [0, 0], [1, 1], 0],
    ['everybody once without a captain', '1 2', [1, 2], [1, 1], 3],
  ])('%s: %s', (_what, words, points, multipliers, total) => {
    expect(counted(words)).toEqual([points, multipliers, total]);
  });

  it('nothing before the week is played', () => {
    const place = { playerId: 1, position: 'GK', order: 1 } as const;
    const places = [{ ...place, isStarting: true, isCaptain: true, isViceCaptain: false }];
    const { places: all, total } = countLineup(places, new Map());
    expect([all[0]?.points, all[0]?.breakdown, total]).toEqual([0, {}, 0]);
  });
});

it('docs/sandbox.md says what every setting means, and no other', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/sandbox.md'), 'utf8');
  const [, table = ''] = page.split('## What the settings of a points configuration mean');
  const named = [...(table.split('\n## ')[0] ?? '').matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  );
  const { fantasy_league_id: _league, ...settings } = pointsConfigBody();
  expect(named.toSorted()).toEqual(Object.keys(settings).toSorted());
  expect(named).toHaveLength(34);
});
