import type { Handler } from '../context.ts';
import { SQUAD_CONFIG, requireLeague, writeFantasyLeague } from '../game/leagues.ts';
import { unknownId } from '../refusal.ts';
import { LEAGUE } from '../game/season.ts';
import { gameWeeksAt } from '../game/weeks.ts';
import { readPointsConfig } from './points-config.ts';

const logoUrl = (id: number): string => `https://fantasy.example/leagues/${id}/logo.png`;

/** Creates a league on the one real league of the season, with its contest (section 2.3). */
export const createFantasyLeague: Handler<'create-fantasy-league'> = (
  { store, limits, season },
  { body },
) => {
  if (body.league_id !== LEAGUE.id) throw unknownId('league_id', 'league', body.league_id);
  limits.reserve('fantasy_leagues', 1);
  limits.reserve('contests', 1);
  const now = season.now();
  const id = writeFantasyLeague(store, body.name, now);
  return {
    message: 'Fantasy league created',
    data: {
      id,
      name: body.name,
      created_by: 1,
      is_active: true,
      logo_url: logoUrl(id),
      created_at: now,
      updated_at: now,
    },
  };
};

/** Section 2.3. */
export const getFantasyLeague: Handler<'get-fantasy-league'> = (context, call) => {
  const { store } = context;
  const league = requireLeague(store, 'id', call.id);
  return {
    message: 'Fantasy league',
    data: {
      ...league,
      is_active: true,
      logo_url: logoUrl(league.id),
      leagues: [{ ...LEAGUE }],
      squad_config: SQUAD_CONFIG,
      points_config: readPointsConfig(store, 'fantasy_league_id', league.id) ?? null,
      ...gameWeeksAt(context),
    },
  };
};
