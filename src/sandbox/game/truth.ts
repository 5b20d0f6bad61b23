import { readChips } from './chips.ts';
import { readLineups } from './kept-lineups.ts';
import type { Place } from './lineup.ts';
import { countLineup, type CountedPlace } from './scoring.ts';
import { isProcessed, readScoring, scoresOf } from './settle.ts';
import { readStandings } from './standings.ts';
import { readPerformances } from './stats.ts';
import { int, text, type Store } from '../store/store.ts';
import { changesBetween } from './substitutions.ts';
import { HIT_POINTS, listTransfers } from './transfers.ts';
import type { GameWeek } from './weeks.ts';

interface Wanted {
  readonly leagueId: number;
  readonly week: GameWeek;
  readonly offset: number;
  readonly limit: number;
}

/** What the sandbox itself keeps of a week of a fantasy league, whatever clients see: a squad each that takes part, in the order of their creation. */
export function readTruth(store: Store, { leagueId, week, offset, limit }: Wanted) {
  const number = week.number;
  const [own, shown] = (['own', 'shown'] as const).map((which) =>
    readLineups(store, leagueId, number, which),
  );
  const scores = scoresOf(readScoring(store, leagueId), readPerformances(store, number));
  const chips = readChips(store, number);
  const ranks = new Map(
    readStandings(store, { leagueId, fromWeek: 1, toWeek: number }, 0, -1).map((row) => [row.squad.id, row]),
  );
  const processed = isProcessed(store, leagueId, number);
  return listSquads(store, { leagueId, week, offset, limit }).map((squad) => {
    const [before, after] = [own, shown].map((lineups) => lineups?.get(squad.number) ?? []);
    const chip = chips.get(squad.number) ?? null;
    const counted = countLineup(after ?? [], scores, chip);
    const transfers = listTransfers(store, squad.number, number);
    const hits = transfers.filter((transfer) => transfer.is_hit).length;
    const deduction = HIT_POINTS * hits;
    const { rank = null, points: total = null } = ranks.get(squad.id) ?? {};
    return {
      squad: { id: squad.id, name: squad.name },
      external_id: squad.externalId,
      game_week: String(number),
      is_played: week.isPlayed,
      is_processed: processed,
      before: (before ?? []).map(placeOf),
      after: counted.places.map((one) => ({ ...placeOf(one.place), ...pointsOf(one) })),
      substitutions: changesBetween(before ?? [], after ?? []),
      captain: captainOf(after ?? []),
      captain_counts: counted.places.find(({ multiplier }) => multiplier > 1)?.place.playerId ?? null,
      transfers,
      transfer_hits: { hits, points_deduction: deduction },
      chip,
      points: week.isPlayed ? { net: counted.total - deduction, gross: counted.total } : null,
      total_points: week.isPlayed ? total : null,
      rank: week.isPlayed ? rank : null,
    };
  });
}

function listSquads(store: Store, { leagueId, week, offset, limit }: Wanted) {
  return store.all(
    `SELECT s.number, s.id, s.name, u.external_id FROM squads s JOIN users u ON u.user_id = s.user_id
     WHERE s.fantasy_league_id = ? AND s.first_week <= ? ORDER BY s.number LIMIT ? OFFSET ?`,
    [leagueId, week.number, limit, offset],
    (row) => ({
      number: int(row, 'number'),
      id: text(row, 'id'),
      name: text(row, 'name'),
      externalId: text(row, 'external_id'),
    }),
  );
}

const captainOf = (places: readonly Place[]): number | null =>
  places.find(({ isCaptain }) => isCaptain)?.playerId ?? null;

function placeOf(place: Place) {
  return {
    player_id: place.playerId,
    position: place.position,
    lineup_order: place.order,
    is_starting: place.isStarting,
    is_captain: place.isCaptain,
    is_vice_captain: place.isViceCaptain,
  };
}

const pointsOf = ({ points, multiplier }: CountedPlace) => ({ points, multiplier });
