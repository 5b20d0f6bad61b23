import { unknownId } from '../refusal.ts';
import type { Position } from './season.ts';
import { position } from './stats.ts';
import { int, text, type Row, type Store } from '../store/store.ts';

/** A player with his club and his price in a fantasy league. */
export interface MarketPlayer {
  readonly playerId: number;
  readonly position: Position;
  readonly price: number;
  readonly club: string;
}

const SELECT = `SELECT p.id, p.position, coalesce(c.price, p.price) AS price, t.name AS club
  FROM players p JOIN clubs t ON t.id = p.club_id
  LEFT JOIN prices c ON c.player_id = p.id AND c.fantasy_league_id = ?`;

function toMarketPlayer(row: Row): MarketPlayer {
  return {
    playerId: int(row, 'id'),
    position: position(row),
    price: int(row, 'price'),
    club: text(row, 'club'),
  };
}

/** A player as a fantasy league has him. @throws Refusal 404 naming `field` when there is none. */
export function readMarketPlayer(store: Store, leagueId: number, id: number, field: string): MarketPlayer {
  const player = store.get(`${SELECT} WHERE p.id = ?`, [leagueId, id], toMarketPlayer);
  if (player === undefined) throw unknownId(field, 'player', id);
  return player;
}

/** Every player as a fantasy league has them, by id. */
export function readMarket(store: Store, leagueId: number): readonly MarketPlayer[] {
  return store.all(`${SELECT} ORDER BY p.id`, [leagueId], toMarketPlayer);
}
