import type { BodyOf, OperationId } from '../../contract/index.ts';
import { SQUAD_CONFIG } from '../game/leagues.ts';
import { LEAGUE } from '../game/season.ts';
import { PUBLIC_RULES } from '../seed.ts';
import { position } from '../game/stats.ts';
import { int, text, type Store } from '../store/store.ts';
import { allWeeks } from '../game/weeks.ts';

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

/** The cheapest players that a squad of the public game may hold, by id. */
function legalSquad(store: Store): readonly number[] {
  const { positions, max_per_club } = SQUAD_CONFIG;
  const chosen: { readonly id: number; readonly club: number; readonly place: keyof typeof positions }[] = [];
  const players = store.all('SELECT id, club_id, position FROM players ORDER BY price, id', [], (row) => ({
    id: int(row, 'id'),
    club: int(row, 'club_id'),
    place: position(row),
  }));
  for (const player of players) {
    const isFree =
      chosen.filter(({ place }) => place === player.place).length < positions[player.place] &&
      chosen.filter(({ club }) => club === player.club).length < max_per_club;
    if (isFree) chosen.push(player);
  }
  return chosen.map(({ id }) => id);
}
