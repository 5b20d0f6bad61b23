import { randomUUID } from 'node:crypto';
import type { Handler } from '../context.ts';
import { checkBatch } from '../http/limits.ts';
import { listPage } from '../http/paging.ts';
import { checkSize, checkWord, unknownId } from '../refusal.ts';
import { int, text, type Row, type Store } from '../store/store.ts';
import { currentWeekNumber } from '../game/weeks.ts';
import { requireLeague } from '../game/leagues.ts';
import { playerOf } from '../game/stats.ts';

/** All prices of the request or none. Each moves its player's price in the league, whatever its type, and leaves a record of the current game week. */
export const uploadPrices: Handler<'upload-prices'> = (context, { body }) => {
  const { store, season, settings } = context;
  const isRestricted = settings.text_values === 'restricted';
  const leagueId = body.fantasy_league_id;
  requireLeague(store, 'fantasy_league_id', leagueId);
  checkBatch(settings, 'prices', body.prices.length);
  const now = season.now();
  const week = currentWeekNumber(context);
  const reference = randomUUID();
  const records: string[] = [];
  let changed = 0;
  for (const [index, { player_id, price, type }] of body.prices.entries()) {
    checkSize(`prices[${index}].price`, price);
    checkWord(isRestricted, `prices[${index}].type`, type, ['current', 'initial']);
    if (store.count('SELECT count(*) AS n FROM players WHERE id = ?', player_id) === 0) {
      throw unknownId(`prices[${index}].player_id`, 'player', player_id);
    }
    if (currentPrice(store, leagueId, player_id) !== price) changed += 1;
    store.run(
      'INSERT INTO prices VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET price = excluded.price',
      ...[leagueId, player_id, price],
    );
    const id = randomUUID();
    store.run(
      'INSERT INTO price_records VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[id, reference, leagueId, player_id, type, price, week, now],
    );
    records.push(id);
  }
  const data = {
    reference: settings.price_reference === 'other' ? randomUUID() : reference,
    count: settings.price_count === 'changed' ? changed : body.prices.length,
  };
  return { message: 'Prices uploaded', data, records };
};

function currentPrice(store: Store, leagueId: number, playerId: number): number | undefined {
  return store.get(
    `SELECT coalesce(c.price, p.price) AS price FROM players p
     LEFT JOIN prices c ON c.player_id = p.id AND c.fantasy_league_id = ? WHERE p.id = ?`,
    [leagueId, playerId],
    (row) => int(row, 'price'),
  );
}

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
    player: playerOf(row),
    game_week: { id: text(row, 'week_id'), week: String(int(row, 'game_week')) },
    created_at: text(row, 'created_at'),
  };
}
