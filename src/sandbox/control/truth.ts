import * as z from 'zod';
import type { Context } from '../context.ts';
import { requireLeague } from '../game/leagues.ts';
import { readTruth } from '../game/truth.ts';
import { LAST_WEEK, requireWeek } from '../game/weeks.ts';
import { hidden, PAGE, pagingOf, success, type Control } from './answer.ts';

const query = z.strictObject({
  game_week: z.int().min(1).max(LAST_WEEK),
  fantasy_league_id: z.int().min(1).optional(),
  page: z.int().min(1).optional(),
});

/** GET /truth: what the sandbox itself keeps of a week, for a test of a memory of the weeks. */
export function addTruthRoute(control: Control, { store }: Context): void {
  control.get('/truth', hidden({ querystring: query }), (request) => {
    const { game_week, fantasy_league_id = 1, page = 1 } = request.query;
    const leagueId = requireLeague(store, 'fantasy_league_id', fantasy_league_id).id;
    const week = requireWeek(store, game_week);
    const data = readTruth(store, { leagueId, week, offset: (page - 1) * PAGE, limit: PAGE });
    const total = store.count(
      'SELECT count(*) AS n FROM squads WHERE fantasy_league_id = ? AND first_week <= ?',
      ...[leagueId, game_week],
    );
    return { ...success(`Game week ${game_week}`, data), paging: pagingOf(page, data.length, total) };
  });
}
