import * as z from 'zod';
import type { Context } from '../context.ts';
import { requireMiniLeague } from '../handlers/mini-leagues.ts';
import { requireLeague } from '../game/leagues.ts';
import { Refusal } from '../refusal.ts';
import { readStandings, type Standing } from '../game/standings.ts';
import type { Store } from '../store/store.ts';
import { LAST_WEEK } from '../game/weeks.ts';
import { hidden, PAGE, pagingOf, success, type Control } from './answer.ts';

const query = z.strictObject({
  fantasy_league_id: z.int().min(1).optional(),
  mini_league_id: z.int().min(1).optional(),
  game_week: z.int().min(1).max(LAST_WEEK).optional(),
  page: z.int().min(1).optional(),
});
type Query = z.infer<typeof query>;

/** GET /standings: the ranks of a fantasy league, or of a mini league from its start week on; with a game week those of that week. */
export function addStandingsRoute(control: Control, { store }: Context): void {
  control.get('/standings', hidden({ querystring: query }), (request) => {
    const { page = 1 } = request.query;
    const standing = standingOf(store, request.query);
    const data = readStandings(store, standing, (page - 1) * PAGE, PAGE);
    const total = store.count('SELECT squads AS n FROM fantasy_leagues WHERE id = ?', standing.leagueId);
    return { ...success('Standings', data), paging: pagingOf(page, data.length, total) };
  });
}

function standingOf(store: Store, { fantasy_league_id, mini_league_id, game_week }: Query): Standing {
  const weeksFrom = (first: number) => ({
    fromWeek: Math.max(first, game_week ?? first),
    toWeek: game_week ?? LAST_WEEK,
  });
  if (fantasy_league_id !== undefined && mini_league_id === undefined) {
    return { leagueId: requireLeague(store, 'fantasy_league_id', fantasy_league_id).id, ...weeksFrom(1) };
  }
  if (mini_league_id !== undefined && fantasy_league_id === undefined) {
    const mini = requireMiniLeague(store, 'mini_league_id', mini_league_id);
    return { leagueId: mini.fantasy_league.id, ...weeksFrom(Number(mini.start_game_week.week)) };
  }
  throw new Refusal(400, 'fantasy_league_id, mini_league_id: give exactly one of them');
}
