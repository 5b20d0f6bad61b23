import { chipIn } from '../../game/chips.ts';
import { ownLineup, readPlaces, shownLineup } from '../../game/kept-lineups.ts';
import { isProcessed } from '../../game/settle.ts';
import { int, text, type Row, type Store } from '../../store/store.ts';
import { changesBetween } from '../../game/substitutions.ts';
import { listTransfers } from '../../game/transfers.ts';
import { fullName, like, slice, type Slice } from './slice.ts';

/** The ids of a league's squads by their points, best first; with `wanted` those whose name, manager or external id holds it. */
export function listSquadIds(store: Store, leagueId: number, wanted: string, page: number): Slice<string> {
  const id = (row: Row): string => text(row, 'id');
  if (wanted === '') {
    const query = {
      select: 'id',
      from: 'squads WHERE fantasy_league_id = ?',
      order: 'total_points DESC, number',
    };
    return slice(store, query, [leagueId], page, id);
  }
  const query = {
    select: 's.id',
    from: `squads s JOIN users u ON u.user_id = s.user_id WHERE s.fantasy_league_id = ?
      AND (s.name LIKE ? ESCAPE '\\' OR u.display_name LIKE ? ESCAPE '\\' OR u.external_id LIKE ? ESCAPE '\\')`,
    order: 's.total_points DESC, s.number',
  };
  const pattern = like(wanted);
  return slice(store, query, [leagueId, pattern, pattern, pattern], page, id);
}

/** How many squads a league has. */
export function countSquads(store: Store, leagueId: number): number {
  return store.count('SELECT count(*) AS n FROM squads WHERE fantasy_league_id = ?', leagueId);
}

/** The points of a squad in every week that it played, in order. */
export function listSquadWeeks(store: Store, squadId: string) {
  return store.all(
    `SELECT w.game_week, w.points, w.deduction FROM squads s JOIN squad_weeks w ON w.squad = s.number WHERE s.id = ?
     ORDER BY w.game_week`,
    [squadId],
    (row) => ({
      week: int(row, 'game_week'),
      points: int(row, 'points'),
      deduction: int(row, 'deduction'),
    }),
  );
}

/** The rank that a squad had after each week, by its points until then, among the squads that had played until then. */
export function listSquadRanks(store: Store, leagueId: number, squadId: string) {
  const mine = listSquadWeeks(store, squadId);
  const totals = sumsOf(mine.map(({ points }) => points));
  const ranks = mine.map(({ week }) => ({ week, rank: 1 }));
  const compare = (row: Row): void => {
    const theirs = sumsOf(text(row, 'points').split(',').map(Number));
    const first = int(row, 'first');
    for (const [index, place] of ranks.entries()) {
      if ((theirs[place.week - first] ?? -Infinity) > (totals[index] ?? 0)) place.rank += 1;
    }
  };
  // One row for each squad: with thousands of them a row for each of their weeks takes ten times as long.
  store.all(
    `SELECT min(w.game_week) AS first, group_concat(w.points, ',' ORDER BY w.game_week) AS points
     FROM squads s JOIN squad_weeks w ON w.squad = s.number WHERE s.fantasy_league_id = ? GROUP BY s.number`,
    [leagueId],
    compare,
  );
  return ranks;
}

/** The sums of the points up to each place; a squad plays every week from its first one on. */
function sumsOf(points: readonly number[]): readonly number[] {
  let total = 0;
  return points.map((one) => (total += one));
}

/** What the owner and the automatic substitutions of a week changed in a squad, by the ids of the players, and the minutes of everybody in it. */
export function readChanges(store: Store, squadId: string, week: number, leagueId: number) {
  const squad = store.count('SELECT number AS n FROM squads WHERE id = ?', squadId.toLowerCase());
  const firstWeek = store.count('SELECT first_week AS n FROM squads WHERE number = ?', squad);
  const of = Math.max(week, firstWeek);
  const own = readPlaces(store, ownLineup(store, squad, of).number);
  const shown = readPlaces(store, shownLineup(store, squad, of));
  const minutesOf = store.all(
    `SELECT w.player_id, w.minutes_played FROM lineup_places lp
     JOIN weekly_stats w ON w.player_id = lp.player_id AND w.game_week = ? WHERE lp.lineup = ?`,
    [week, ownLineup(store, squad, of).number],
    (row): [number, number] => [int(row, 'player_id'), int(row, 'minutes_played')],
  );
  return {
    minutes: new Map(minutesOf),
    processed: isProcessed(store, leagueId, week),
    pairs: changesBetween(own, shown),
    chip: chipIn(store, squad, week),
    transfers: listTransfers(store, squad, week).map((transfer) => ({
      ...transfer,
      outName: nameOf(store, transfer.out),
      inName: nameOf(store, transfer.in),
    })),
  };
}

const nameOf = (store: Store, playerId: number): string | undefined =>
  store.get('SELECT first_name, last_name FROM players WHERE id = ?', [playerId], fullName);
