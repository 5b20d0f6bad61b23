import { position } from '../../game/stats.ts';
import { int, text, type Store } from '../../store/store.ts';
import { fullName, slice } from './slice.ts';

/** The fantasy leagues in the order of their creation. */
export function listLeagues(store: Store, page: number) {
  const query = { select: '*', from: 'fantasy_leagues', order: 'id' };
  return slice(store, query, [], page, (row) => ({
    id: int(row, 'id'),
    name: text(row, 'name'),
    squads: int(row, 'squads'),
    miniLeagues: int(row, 'mini_leagues'),
  }));
}

/** The mini leagues of the account, the newest last. */
export function listMiniLeagues(store: Store, page: number) {
  const query = {
    select: 'm.id, m.name, m.code, m.style, m.start_week, l.name AS league_name, l.squads',
    from: 'mini_leagues m JOIN fantasy_leagues l ON l.id = m.fantasy_league_id',
    order: 'm.id',
  };
  return slice(store, query, [], page, (row) => ({
    id: int(row, 'id'),
    name: text(row, 'name'),
    code: text(row, 'code'),
    style: text(row, 'style'),
    startWeek: int(row, 'start_week'),
    league: text(row, 'league_name'),
    squads: int(row, 'squads'),
  }));
}

/** Price records, the newest first. */
export function listPriceRecords(store: Store, page: number) {
  const query = {
    select: 'r.*, p.first_name, p.last_name, l.name AS league_name',
    from: 'price_records r JOIN players p ON p.id = r.player_id JOIN fantasy_leagues l ON l.id = r.fantasy_league_id',
    order: 'r.number DESC',
  };
  return slice(store, query, [], page, (row) => ({
    playerId: int(row, 'player_id'),
    player: fullName(row),
    league: text(row, 'league_name'),
    leagueId: int(row, 'fantasy_league_id'),
    type: text(row, 'txn_type'),
    price: int(row, 'price'),
    week: int(row, 'game_week'),
    reference: text(row, 'txn_ref'),
    createdAt: text(row, 'created_at'),
  }));
}

/** The automatic substitutions of a league in a game week, in the order of processing; the two records of one stand together. */
export function listSubstitutions(store: Store, leagueId: number, week: number, page: number) {
  const query = {
    select: `i.txn_ref, s.id AS squad_id, s.name AS squad_name,
      po.first_name AS out_first, po.last_name AS out_last, pi.first_name, pi.last_name, pi.position`,
    from: `auto_substitutions i JOIN auto_substitutions o ON o.number = i.number - 1 AND o.txn_ref = i.txn_ref
      JOIN squads s ON s.number = i.squad JOIN players po ON po.id = o.player_id JOIN players pi ON pi.id = i.player_id
      WHERE i.action = 'in' AND i.fantasy_league_id = ? AND i.game_week = ?`,
    order: 'i.number',
  };
  return slice(store, query, [leagueId, week], page, (row) => ({
    reference: text(row, 'txn_ref'),
    squadId: text(row, 'squad_id'),
    squad: text(row, 'squad_name'),
    out: `${text(row, 'out_first')} ${text(row, 'out_last')}`,
    into: fullName(row),
    position: position(row),
  }));
}

/** The weeks whose automatic substitutions were processed in a league. */
export function listProcessedWeeks(store: Store, leagueId: number) {
  return store.all(
    'SELECT game_week, processed_at FROM processed_weeks WHERE fantasy_league_id = ? ORDER BY game_week',
    [leagueId],
    (row) => ({ week: int(row, 'game_week'), processedAt: text(row, 'processed_at') }),
  );
}
