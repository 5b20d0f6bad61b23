import type { Place } from './lineup.ts';
import type { Performance } from './match.ts';
import { countLineup, scoreOf, type Score, type Scoring } from './scoring.ts';
import { position, readPerformances } from './stats.ts';
import { flag, int, text, type Row, type Store } from './store.ts';
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

/** What each of some performances brings, by player id. */
export function scoresOf(
  scoring: Scoring | null,
  performances: ReadonlyMap<number, Performance>,
): ReadonlyMap<number, Score> {
  return new Map(Array.from(performances, ([id, performance]) => [id, scoreOf(scoring, performance)]));
}

/** Writes the points of every squad of a fantasy league for a played week again, and its totals, from which the ranks follow; `now` is noted as their time. */
export function settleWeek(store: Store, fantasyLeagueId: number, week: number, now: string): void {
  const scores = scoresOf(readScoring(store, fantasyLeagueId), readPerformances(store, week));
  const minutesOf = (playerId: number): number => scores.get(playerId)?.minutes ?? 0;
  const processed = isProcessed(store, fantasyLeagueId, week);
  for (const [squad, lineup] of readLineups(store, fantasyLeagueId, week)) {
    const places = processed ? substitute(lineup, minutesOf).places : lineup;
    store.run(
      'INSERT INTO squad_weeks VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET points = excluded.points',
      ...[squad, week, countLineup(places, scores).total],
    );
  }
  store.run(
    `UPDATE squads SET total_points = coalesce((SELECT sum(points) FROM squad_weeks WHERE squad = number), 0)
     WHERE fantasy_league_id = ?`,
    fantasyLeagueId,
  );
  store.run('UPDATE fantasy_leagues SET ranked_at = ? WHERE id = ?', now, fantasyLeagueId);
}

/** Writes the points of every played week of a fantasy league again, as a changed points configuration asks. */
export function settleSeason(store: Store, fantasyLeagueId: number, now: string): void {
  const played = store.all('SELECT number FROM game_weeks WHERE is_played = 1', [], (row) =>
    int(row, 'number'),
  );
  for (const week of played) settleWeek(store, fantasyLeagueId, week, now);
}

/** Processes the automatic substitutions of a played week: writes two records a substitution, out and in under one txn_ref, and returns their ids. */
export function processSubstitutions(
  store: Store,
  fantasyLeagueId: number,
  week: number,
  now: string,
  nextId: () => string,
): readonly string[] {
  const performances = readPerformances(store, week);
  const minutesOf = (playerId: number): number => performances.get(playerId)?.minutes_played ?? 0;
  const records: string[] = [];
  for (const [squad, lineup] of readLineups(store, fantasyLeagueId, week)) {
    for (const pair of substitute(lineup, minutesOf).substitutions) {
      const txnRef = nextId();
      for (const action of ['out', 'in'] as const) {
        const place = pair[action];
        const id = nextId();
        store.run(
          'INSERT INTO auto_substitutions VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
          ...[id, fantasyLeagueId, week, squad, place.playerId, action, txnRef, place.order],
          ...[Number(place.isCaptain), Number(place.isViceCaptain), Number(place.isStarting), now],
        );
        records.push(id);
      }
    }
  }
  store.run(
    'INSERT INTO processed_weeks VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    fantasyLeagueId,
    week,
    now,
  );
  settleWeek(store, fantasyLeagueId, week, now);
  return records;
}
