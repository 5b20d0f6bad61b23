import type { BodyOf, OperationId } from '../../contract/index.ts';
import type { Handler } from '../context.ts';
import { LEAGUE } from '../game/season.ts';
import { legalSquad } from '../game/squad-rules.ts';
import { allWeeks } from '../game/weeks.ts';
import { PUBLIC_RULES } from '../seed.ts';
import { text, type Store } from '../store/store.ts';
import { getAccount } from './account.ts';
import { listAutoSubstitutions, triggerAutoSubstitution } from './auto-substitutions.ts';
import { createFantasyLeague, getFantasyLeague } from './fantasy-leagues.ts';
import { getFixtures } from './fixtures.ts';
import { getLineup } from './lineups.ts';
import { createMiniLeague, getMiniLeague, listMiniLeagues } from './mini-leagues.ts';
import { getPlayer } from './players.ts';
import { getPointsConfig, setPointsConfig } from './points-config.ts';
import { listPrices, uploadPrices } from './prices.ts';
import { createSquad, getSquad, listSquads } from './squads.ts';
import { createUsers, listUsers, updateUser } from './users.ts';

/** What carries out each operation; the compiler names a missing one. */
export const handlers = {
  'get-account': getAccount,
  'create-fantasy-league': createFantasyLeague,
  'get-fantasy-league': getFantasyLeague,
  'get-fixtures': getFixtures,
  'create-mini-league': createMiniLeague,
  'list-mini-leagues': listMiniLeagues,
  'get-mini-league': getMiniLeague,
  'create-users': createUsers,
  'list-users': listUsers,
  'update-user': updateUser,
  'create-squad': createSquad,
  'list-squads': listSquads,
  'get-squad': getSquad,
  'get-lineup': getLineup,
  'get-player': getPlayer,
  'set-points-config': setPointsConfig,
  'get-points-config': getPointsConfig,
  'upload-prices': uploadPrices,
  'list-prices': listPrices,
  'trigger-auto-substitution': triggerAutoSubstitution,
  'list-auto-substitutions': listAutoSubstitutions,
} as const satisfies { readonly [Id in OperationId]: Handler<Id> };

/** What a request of an operation may ask. */
export interface Example {
  readonly id?: string | number;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

type Examples = {
  readonly [Id in OperationId]: BodyOf<Id> extends undefined ? Example : { readonly body: BodyOf<Id> };
};

const NO_ID = '00000000-0000-0000-0000-000000000000';

/** A request for every operation that this sandbox carries out, as far as it has the records for it. */
export function examplesOf(store: Store): Examples {
  const first = (table: 'users' | 'squads' | 'points_configs', order: string): string =>
    store.get(`SELECT id FROM ${table} ORDER BY ${order} LIMIT 1`, [], (row) => text(row, 'id')) ?? NO_ID;
  const weeks = allWeeks(store);
  const week = weeks.findLast(({ isPlayed }) => isPlayed) ?? weeks[0];
  const ofLeague = { fantasy_league_id: 1 };
  return {
    'get-account': {},
    'create-fantasy-league': { body: { name: 'Example League', league_id: LEAGUE.id } },
    'get-fantasy-league': { id: 1 },
    'get-fixtures': { id: 1 },
    'create-mini-league': { body: { ...ofLeague, name: 'Example Mini League', type: 'classic' } },
    'list-mini-leagues': { query: { page: '1' } },
    'get-mini-league': { id: store.count('SELECT coalesce(min(id), 1) AS n FROM mini_leagues') },
    'create-users': { body: { users: [{ external_id: 'EXAMPLE-1', display_name: 'Ada Example' }] } },
    'list-users': { query: { page: '1' } },
    'update-user': { body: { id: first('users', 'user_id'), display_name: 'Ada Example' } },
    'create-squad': {
      body: { user_id: 1, name: 'Example Rovers', ...ofLeague, players_in: [...legalSquad(store)] },
    },
    'list-squads': { query: { page: '1' } },
    'get-squad': { id: first('squads', 'number') },
    'get-lineup': { id: first('squads', 'number') },
    'get-player': { id: 1, query: { fantasy_league_id: '1' } },
    'set-points-config': { body: { ...ofLeague, ...PUBLIC_RULES } },
    'get-points-config': { id: first('points_configs', 'fantasy_league_id') },
    'upload-prices': { body: { ...ofLeague, prices: [{ player_id: 1, price: 5.5, type: 'weekly' }] } },
    'list-prices': { query: { page: '1' } },
    'trigger-auto-substitution': { body: { ...ofLeague, game_week_id: week?.id ?? NO_ID } },
    'list-auto-substitutions': { query: { fantasy_league_id: '1' } },
  };
}
