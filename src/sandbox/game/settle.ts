import { readChips } from './chips.ts';
import { keepSubstituted, readLineups, type OwnedPlace } from './kept-lineups.ts';
import type { Place } from './lineup.ts';
import type { Performance } from './match.ts';
import { countLineup, scoreOf, type Score, type Scoring } from './scoring.ts';
import { readPerformances } from './stats.ts';
import { int, text, type Store } from '../store/store.ts';
import { substitute } from './substitutions.ts';
import { HIT_POINTS, readHits } from './transfers.ts';

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

/** Whether the automatic substitutions of a week were processed in a fantasy league. */
export function isProcessed(store: Store, fantasyLeagueId: number, week: number): boolean {
  const sql = 'SELECT count(*) AS n FROM processed_weeks WHERE fantasy_league_id = ? AND game_week = ?';
  return store.count(sql, fantasyLeagueId, week) > 0;
}

/** What each of some performances brings, by player id. */
export function scoresOf(
  scoring: Scoring | null,
  performances: ReadonlyMap<number, Performance>,
): ReadonlyMap<number, Score> {
  return new Map(Array.from(performances, ([id, performance]) => [id, scoreOf(scoring, performance)]));
}

/**
 * Writes the points of every squad of a fantasy league for a played week again, net of its hits and with what its chip changes, and its totals, from
 * which the ranks follow; `now` is noted as their time.
 */
function settleWeek(store: Store, fantasyLeagueId: number, week: number, now: string): void {
  const scores = scoresOf(readScoring(store, fantasyLeagueId), readPerformances(store, week));
  const [chips, hits] = [readChips(store, week), readHits(store, week)];
  for (const [squad, lineup] of readLineups(store, fantasyLeagueId, week, 'shown')) {
    const deduction = HIT_POINTS * (hits.get(squad) ?? 0);
    const { total } = countLineup(lineup, scores, chips.get(squad) ?? null);
    store.run(
      `INSERT INTO squad_weeks VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET points = excluded.points, deduction = excluded.deduction`,
      ...[squad, week, total - deduction, deduction],
    );
  }
  store.run(
    `UPDATE squads SET total_points = coalesce((SELECT sum(points) FROM squad_weeks WHERE squad = number), 0)
     WHERE fantasy_league_id = ?`,
    fantasyLeagueId,
  );
  store.run('UPDATE fantasy_leagues SET ranked_at = ? WHERE id = ?', now, fantasyLeagueId);
}

/** The same for every fantasy league, as corrected statistics ask. */
export function settleLeagues(store: Store, week: number, now: string): void {
  const leagues = store.all('SELECT id FROM fantasy_leagues', [], (row) => int(row, 'id'));
  for (const league of leagues) settleWeek(store, league, week, now);
}

/** Writes the points of every played week of a fantasy league again, as a changed points configuration asks. */
export function settleSeason(store: Store, fantasyLeagueId: number, now: string): void {
  const played = store.all('SELECT number FROM game_weeks WHERE is_played = 1', [], (row) =>
    int(row, 'number'),
  );
  for (const week of played) settleWeek(store, fantasyLeagueId, week, now);
}

/**
 * Processes the automatic substitutions of a played week by the minutes that are known now: keeps each line-up as it is after them, writes two records a
 * substitution, out and in under one txn_ref, and returns their ids.
 */
export function processSubstitutions(
  store: Store,
  fantasyLeagueId: number,
  week: number,
  now: string,
  nextId: () => string,
): readonly string[] {
  const performances = readPerformances(store, week);
  const minutesOf = (playerId: number): number => performances.get(playerId)?.minutes_played ?? 0;
  const isAgain = isProcessed(store, fantasyLeagueId, week);
  const records: string[] = [];
  for (const [squad, lineup] of readLineups(store, fantasyLeagueId, week, 'own')) {
    const { places, substitutions } = substitute(lineup, minutesOf);
    if (places !== lineup || isAgain) keepSubstituted(store, squad, week, owned(lineup, places));
    for (const pair of substitutions) {
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

/** Places of some order with what their players cost. */
function owned(lineup: readonly OwnedPlace[], places: readonly Place[]): readonly OwnedPlace[] {
  const paid = new Map(lineup.map(({ playerId, pricePaid }) => [playerId, pricePaid]));
  return places.map((place) => ({ ...place, pricePaid: paid.get(place.playerId) ?? 0 }));
}
