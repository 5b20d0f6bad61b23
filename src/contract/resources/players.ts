import * as z from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { read, record, send } from '../field.ts';
import type { Resource } from '../resource.ts';

/** Weekly stat object (section 2.7). */
export const weeklyStat = record(
  {},
  {
    id: read.text(),
    goals: read.integer(),
    saves: read.integer(),
    points: read.integer(),
    result: read.text(),
    assists: read.integer(),
    game_week: read.text(),
    red_cards: read.integer(),
    opposition: read.text(),
    bonus_points: read.integer(),
    clean_sheets: read.integer(),
    yellow_cards: read.integer(),
    games_started: read.integer(),
    penalty_saves: read.integer(),
    goals_conceded: read.integer(),
    minutes_played: read.integer(),
    penalty_missed: read.integer(),
    bonus_points_scores: read.integer(),
  },
);

/** Totals object (section 2.7): the counters of the weeks but penalty_saves. */
const statsTotal = weeklyStat.omit({
  id: true,
  result: true,
  game_week: true,
  opposition: true,
  penalty_saves: true,
});

/** Section 2.7. */
export const playerRecord = record(
  { id: read.integer() },
  {
    league_id: read.integer(),
    first_name: read.text(),
    last_name: read.text(),
    form: read.number(),
    team: read.text(),
    team_short_name: read.text(),
    position: read.text(),
    price: read.number(),
    points_per_game: read.number(),
    created_at: read.datetime(),
    weekly_stats: z.array(weeklyStat),
    stats_total: statsTotal,
  },
).meta({ id: 'Player' });

export const playerEndpoints = {
  'get-player': {
    row: 15,
    method: 'GET',
    path: '/player/{id}',
    summary: 'Read a player with weekly statistics',
    pathId: send.positive(),
    answersId: true,
    query: z.strictObject({ fantasy_league_id: send.positive() }),
    record: playerRecord,
  },
} as const satisfies Record<string, Endpoint>;

export const players: Resource = {
  pull: {
    where: { fantasy_league_id: send.positive(), id: send.positive() },
    required: ['fantasy_league_id'],
    record: playerRecord,
    rowRecord: ({ explode }) =>
      playerRecord.extend(explode === undefined ? { latest: weeklyStat } : { stat: weeklyStat }),
    explodes: 'weekly_stats',
    readsEach: true,
  },
};
