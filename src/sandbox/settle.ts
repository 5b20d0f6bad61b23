import type { Place } from './lineup.ts';
import type { Performance } from './match.ts';
import { breakdownOf, pointsOf } from './scoring.ts';
import type { Scoring } from './scoring.ts';
import { position, readPerformances } from './stats.ts';
import { flag, int, text } from './store.ts';
import type { Row, Store } from './store.ts';
import { substitute } from './substitutions.ts';

/** The points configuration of a fantasy league, or null. */
export function readScoring(store: Store, fantasyLeagueId: number): Scoring | null {
  const settings = store.get(
    'SELECT settings FROM points_configs WHERE fantasy_league_id = ?',
    [fantasyLeagueId],
    (row) => text(row, 'settings'),
  );
  // The column is only ever written from a validated body of POST /points/config.
  return settings === undefined ? null : (JSON.parse(settings) as Scoring);
}

/** A place of a line-up from a row of squad_players joined with its player's position. */
export function toPlace(row: Row): Place {
  return {
    playerId: int(row, 'player_id'),
    position: position(row),
    order: int(row, 'lineup_order'),
    isStarting: flag(row, 'is_starting'),
    isCaptain: flag(row, 'is_captain'),
    isViceCaptain: flag(row, 'is_vice_captain'),
  };
}

/** Whether the automatic substitutions of a week were processed in a fantasy league. */
export function isProcessed(store: Store, fantasyLeagueId: number, week: number): boolean {
  const sql = 'SELECT count(*) AS n FROM processed_weeks WHERE fantasy_league_id = ? AND game_week = ?';
  return store.count(sql, fantasyLeagueId, week) > 0;
}

/** Each squad of a fantasy league that took part in a week, with its line-up as the owner left it, by the squad's number. */
function readLineups(
  store: Store,
  fantasyLeagueId: number,
  week: number,
): ReadonlyMap<number, readonly Place[]> {
  const rows = store.all(
    `SELECT sp.*, p.position FROM squads s JOIN squad_players sp ON sp.squad = s.number
       JOIN players p ON p.id = sp.player_id
     WHERE s.fantasy_league_id = ? AND s.first_week <= ? ORDER BY sp.squad, sp.lineup_order`,
    [fantasyLeagueId, week],
    (row) => ({ squad: int(row, 'squad'), place: toPlace(row) }),
  );
  const bySquad = new Map<number, Place[]>();
  for (const { squad, place } of rows) {
    const places = bySquad.get(squad);
    if (places === undefined) bySquad.set(squad, [place]);
    else places.push(place);
  }
  return bySquad;
}

/** What a player's place counts in a week: a starting captain twice. `breakdown` explains the points before that. */
export function entryPoints(scoring: Scoring | null, place: Place, performance: Performance | undefined) {
  const multiplier = place.isStarting && place.isCaptain ? 2 : 1;
  if (performance === undefined) return { points: 0, multiplier, breakdown: {} };
  const points = pointsOf(scoring, performance) * multiplier;
  return { points, multiplier, breakdown: breakdownOf(scoring, performance) };
}

/** Writes the points of every squad of a fantasy league for a played week anew, and its totals. */
export function settleWeek(store: Store, fantasyLeagueId: number, week: number): void {
  const scoring = readScoring(store, fantasyLeagueId);
  const performances = readPerformances(store, week);
  const minutesOf = (playerId: number): number => performances.get(playerId)?.minutes_played ?? 0;
  const processed = isProcessed(store, fantasyLeagueId, week);
  for (const [squad, lineup] of readLineups(store, fantasyLeagueId, week)) {
    const places = processed ? substitute(lineup, minutesOf).places : lineup;
    const points = places
      .filter((place) => place.isStarting)
      .reduce((sum, place) => sum + entryPoints(scoring, place, performances.get(place.playerId)).points, 0);
    store.run(
      'INSERT INTO squad_weeks VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET points = excluded.points',
      ...[squad, week, points],
    );
  }
  store.run(
    `UPDATE squads SET total_points = coalesce((SELECT sum(points) FROM squad_weeks WHERE squad = number), 0)
     WHERE fantasy_league_id = ?`,
    fantasyLeagueId,
  );
}

/** Writes the points of every played week of a fantasy league anew, as a changed points configuration asks. */
export function settleSeason(store: Store, fantasyLeagueId: number): void {
  const played = store.all('SELECT number FROM game_weeks WHERE is_played = 1', [], (row) =>
    int(row, 'number'),
  );
  for (const week of played) settleWeek(store, fantasyLeagueId, week);
}

/** Processes the automatic substitutions of a played week: writes two records a substitution, out and in under one txn_ref, and returns how many records. */
export function processSubstitutions(
  store: Store,
  fantasyLeagueId: number,
  week: number,
  now: string,
  nextId: () => string,
): number {
  const performances = readPerformances(store, week);
  const minutesOf = (playerId: number): number => performances.get(playerId)?.minutes_played ?? 0;
  let records = 0;
  for (const [squad, lineup] of readLineups(store, fantasyLeagueId, week)) {
    for (const pair of substitute(lineup, minutesOf).substitutions) {
      const txnRef = nextId();
      for (const action of ['out', 'in'] as const) {
        const place = pair[action];
        store.run(
          'INSERT INTO auto_substitutions VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
          ...[nextId(), fantasyLeagueId, week, squad, place.playerId, action, txnRef, place.order],
          ...[Number(place.isCaptain), Number(place.isViceCaptain), Number(place.isStarting), now],
        );
        records += 1;
      }
    }
  }
  store.run('INSERT INTO processed_weeks VALUES (?, ?, ?)', fantasyLeagueId, week, now);
  settleWeek(store, fantasyLeagueId, week);
  return records;
}
