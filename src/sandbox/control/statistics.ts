import * as z from 'zod';
import { byName } from '../../contract/by-name.ts';
import type { Context } from '../context.ts';
import { correct, listCorrections } from '../game/corrections.ts';
import { COUNTERS } from '../game/match.ts';
import { Refusal } from '../refusal.ts';
import { settleLeagues } from '../game/settle.ts';
import { LAST_WEEK, requireWeek } from '../game/weeks.ts';
import { hidden, success, type Control } from './answer.ts';

/** No counter of a match comes near. */
const MOST = 200;
const gameWeek = z.int().min(1).max(LAST_WEEK);
const counter = z.int().min(0).max(MOST).optional();
const body = z.strictObject({
  game_week: gameWeek,
  player_id: z.int().min(1),
  ...byName(COUNTERS, () => counter),
  minutes_played: z.int().min(0).max(90).optional(),
  games_started: z.int().min(0).max(1).optional(),
  // Scores of a player may fall below nothing.
  bonus_points_scores: z.int().min(-MOST).max(MOST).optional(),
});
const query = z.strictObject({ game_week: gameWeek.optional() });

/** POST and GET /statistics: corrects what a player did in a played week, so that points, totals and ranks follow, and lists the corrections. */
export function addStatisticsRoutes(control: Control, { store, season, views }: Context): void {
  control.post('/statistics', hidden({ body }), (request) => {
    const { game_week: week, player_id: playerId, ...counters } = request.body;
    const { isPlayed, endDate } = requireWeek(store, week);
    if (!isPlayed) {
      throw new Refusal(422, `game_week: game week ${week} has not ended, it ends at ${endDate}`);
    }
    const corrected = store.transaction(() => {
      const now = season.now();
      const one = correct(store, { week, playerId, counters, now });
      settleLeagues(store, week, now);
      return one;
    });
    views.note();
    return success(`The statistics of game week ${week} are corrected`, corrected);
  });
  control.get('/statistics', hidden({ querystring: query }), (request) =>
    success('Corrections', listCorrections(store, request.query.game_week)),
  );
}
