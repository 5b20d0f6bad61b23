import { randomUUID } from 'node:crypto';
import type { Handler } from '../context.ts';
import { checkBatch } from '../limits.ts';
import { listPage } from '../paging.ts';
import { Refusal, checkSize, unknownId } from '../refusal.ts';
import { int, text } from '../store.ts';
import type { Row } from '../store.ts';
import { currentWeekNumber } from '../weeks.ts';
import { requireLeague } from '../leagues.ts';

/** All prices of the request or none. Each moves its player's price in the league, whatever its type, and leaves a record of the current game week. */
export const uploadPrices: Handler<'upload-prices'> = ({ store, season, settings }, { body }) => {
  const leagueId = body.fantasy_league_id;
  requireLeague(store, 'fantasy_league_id', leagueId);
  checkBatch(settings, 'prices', body.prices.length);
  const now = season.now();
  const week = currentWeekNumber(store, now);
  const reference = randomUUID();
  for (const [index, { player_id, price, type }] of body.prices.entries()) {
    checkSize(`prices[${index}].price`, price);
    if (type === '') throw new Refusal(400, `prices[${index}].type: must not be empty`);
    if (store.count('SELECT count(*) AS n FROM players WHERE id = ?', player_id) === 0) {
      throw unknownId(`prices[${index}].player_id`, 'player', player_id);
    }
    store.run(
      'INSERT INTO prices VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET price = excluded.price',
      ...[leagueId, player_id, price],
    );
    store.run(
      'INSERT INTO price_records VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[randomUUID(), reference, leagueId, player_id, type, price, week, now],
    );
  }
  return { message: 'Prices uploaded', data: { reference, count: body.prices.length } };
};

/** Section 2.10, in the order of upload; a record does not hold the price. */
export const listPrices: Handler<'list-prices'> = (context, { query }) => {
  const listing = {
    table: 'price_records',
    as: 'r',
    key: 'number',
    select: 'r.*, p.first_name, p.last_name, w.id AS week_id',
    joins: 'JOIN players p ON p.id = r.player_id JOIN game_weeks w ON w.number = r.game_week',
  };
  return { message: 'Price records', ...listPage(context, listing, query.page ?? 1, toRecord) };
};

function toRecord(row: Row) {
  return {
    id: text(row, 'id'),
    txn_ref: text(row, 'txn_ref'),
    fantasy_league_id: int(row, 'fantasy_league_id'),
    txn_type: text(row, 'txn_type'),
    player: {
      id: int(row, 'player_id'),
      first_name: text(row, 'first_name'),
      last_name: text(row, 'last_name'),
    },
    game_week: { id: text(row, 'week_id'), week: String(int(row, 'game_week')) },
    created_at: text(row, 'created_at'),
  };
}
