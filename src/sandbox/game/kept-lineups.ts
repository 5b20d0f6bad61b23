import { InternalError } from '../../model/error.ts';
import type { Place } from './lineup.ts';
import { position } from './stats.ts';
import { flag, int, type Row, type Store } from '../store/store.ts';

/** A place of a line-up with what its player cost when he came. */
export interface OwnedPlace extends Place {
  readonly pricePaid: number;
}

/** A line-up that is kept, from which week on it holds, and the money that its squad has left with it. */
interface KeptLineup {
  readonly number: number;
  readonly gameWeek: number;
  readonly bank: number;
}

type LineupOfSquad = Omit<KeptLineup, 'number'> & { readonly squad: number };

/** A place of a line-up from a row of lineup_places joined with its player's position. */
export function toPlace(row: Row): OwnedPlace {
  return {
    playerId: int(row, 'player_id'),
    position: position(row),
    order: int(row, 'lineup_order'),
    isStarting: flag(row, 'is_starting'),
    isCaptain: flag(row, 'is_captain'),
    isViceCaptain: flag(row, 'is_vice_captain'),
    pricePaid: int(row, 'price_paid'),
  };
}

/** Keeps a line-up that holds from a week on. */
export function keepLineup(store: Store, lineup: LineupOfSquad, places: readonly OwnedPlace[]): void {
  insert(store, { ...lineup, isSubstituted: false }, places);
}

/** Keeps what the automatic substitutions of a week made of a squad's line-up, instead of what was kept of it before. */
export function keepSubstituted(
  store: Store,
  squad: number,
  week: number,
  places: readonly OwnedPlace[],
): void {
  const earlier = 'squad = ? AND is_substituted = 1 AND game_week = ?';
  store.run(
    `DELETE FROM lineup_places WHERE lineup IN (SELECT number FROM lineups WHERE ${earlier})`,
    squad,
    week,
  );
  store.run(`DELETE FROM lineups WHERE ${earlier}`, squad, week);
  insert(store, { squad, gameWeek: week, bank: 0, isSubstituted: true }, places);
}

function insert(
  store: Store,
  lineup: LineupOfSquad & { readonly isSubstituted: boolean },
  places: readonly OwnedPlace[],
): void {
  const number = store.run(
    'INSERT INTO lineups VALUES (NULL, ?, ?, ?, ?)',
    ...[lineup.squad, lineup.gameWeek, Number(lineup.isSubstituted), lineup.bank],
  );
  for (const place of places) {
    store.run(
      'INSERT INTO lineup_places VALUES (?, ?, ?, ?, ?, ?, ?)',
      ...[number, place.order, place.playerId, Number(place.isStarting)],
      ...[Number(place.isCaptain), Number(place.isViceCaptain), place.pricePaid],
    );
  }
}

/** Replaces the line-up of a squad from a week on; earlier weeks keep theirs. */
export function changeLineup(store: Store, lineup: LineupOfSquad, places: readonly OwnedPlace[]): void {
  const { squad, gameWeek, bank } = lineup;
  const own = ownLineup(store, squad, gameWeek);
  if (own.gameWeek !== gameWeek) {
    keepLineup(store, lineup, places);
    return;
  }
  store.run('UPDATE lineups SET bank = ? WHERE number = ?', bank, own.number);
  for (const place of places) {
    store.run(
      `UPDATE lineup_places SET player_id = ?, is_starting = ?, is_captain = ?, is_vice_captain = ?, price_paid = ?
       WHERE lineup = ? AND lineup_order = ?`,
      ...[place.playerId, Number(place.isStarting), Number(place.isCaptain), Number(place.isViceCaptain)],
      ...[place.pricePaid, own.number, place.order],
    );
  }
}

/** The line-up of a squad in a week as its owner left it; the week is none before the squad's first. */
export function ownLineup(store: Store, squad: number, week: number): KeptLineup {
  const kept = store.get(
    'SELECT * FROM lineups WHERE squad = ? AND is_substituted = 0 AND game_week <= ? ORDER BY game_week DESC LIMIT 1',
    [squad, week],
    (row) => ({ number: int(row, 'number'), gameWeek: int(row, 'game_week'), bank: int(row, 'bank') }),
  );
  if (kept === undefined) throw new InternalError('sandbox.lineup', `a squad has no line-up in week ${week}`);
  return kept;
}

/** The number of the line-up that a squad shows in a week: after the automatic substitutions, once these have changed it. */
export function shownLineup(store: Store, squad: number, week: number): number {
  const after = 'SELECT number AS n FROM lineups WHERE squad = ? AND is_substituted = 1 AND game_week = ?';
  return store.count(after, squad, week) || ownLineup(store, squad, week).number;
}

/** The places of a kept line-up in their order. */
export function readPlaces(store: Store, lineup: number): readonly OwnedPlace[] {
  return store.all(
    `SELECT lp.*, p.position FROM lineup_places lp JOIN players p ON p.id = lp.player_id
     WHERE lp.lineup = ? ORDER BY lp.lineup_order`,
    [lineup],
    toPlace,
  );
}

/** The line-ups of every squad of a fantasy league that takes part in a week, by the squad's number: as their owners left them, or as they are shown. */
export function readLineups(
  store: Store,
  fantasyLeagueId: number,
  week: number,
  which: 'own' | 'shown',
): ReadonlyMap<number, readonly OwnedPlace[]> {
  const rows = store.all(
    `SELECT s.number AS squad, lp.*, p.position FROM squads s JOIN lineups l ON l.number = coalesce(
       (SELECT number FROM lineups WHERE squad = s.number AND is_substituted = 1 AND game_week = ?),
       (SELECT number FROM lineups WHERE squad = s.number AND is_substituted = 0 AND game_week <= ? ORDER BY game_week DESC LIMIT 1))
     JOIN lineup_places lp ON lp.lineup = l.number JOIN players p ON p.id = lp.player_id
     WHERE s.fantasy_league_id = ? AND s.first_week <= ? ORDER BY s.number, lp.lineup_order`,
    // No week is 0: nothing is found there.
    [which === 'shown' ? week : 0, week, fantasyLeagueId, week],
    (row) => ({ squad: int(row, 'squad'), place: toPlace(row) }),
  );
  const bySquad = Map.groupBy(rows, ({ squad }) => squad);
  return new Map(Array.from(bySquad, ([squad, its]) => [squad, its.map(({ place }) => place)]));
}
