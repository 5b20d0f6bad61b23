import type { Handler } from '../context.ts';
import type { Performance } from '../match.ts';
import { countLineup, type CountedPlace } from '../scoring.ts';
import { isProcessed, readScoring, scoresOf, toPlace } from '../settle.ts';
import { toPerformance } from '../stats.ts';
import type { Position } from '../season.ts';
import { int, text, type Row, type Store } from '../store.ts';
import { substitute } from '../substitutions.ts';
import { requireWeek, summaryOf, weekByNumber } from '../weeks.ts';
import { UNUSED_CHIPS, requireSquad, type SquadRow } from './squads.ts';

const POSITION_NAMES: Readonly<Record<Position, readonly [id: number, name: string]>> = {
  GK: [1, 'Goalkeeper'],
  DEF: [2, 'Defender'],
  MID: [3, 'Midfielder'],
  FWD: [4, 'Forward'],
};

/**
 * Section 2.6: the line-up of the week that the squad shows, with the automatic substitutions of that week once they are processed. The points of the
 * captain, or of the vice-captain when the captain did not play, count twice, so that the points of the starting eleven add up to `total_points`;
 * `breakdown` holds them setting by setting before that, and the multiplier.
 */
export const getLineup: Handler<'get-lineup'> = (context, { id }) => {
  const { store } = context;
  const squad = requireSquad(context, id);
  const { entries, total } = readEntries(store, squad);
  const neighbour = (by: number): string | null =>
    weekByNumber(store, squad.week + by) === undefined ? null : String(squad.week + by);
  return {
    message: 'Line-up',
    data: {
      id: squad.id,
      name: squad.name,
      user: squad.user,
      game_week: {
        ...summaryOf(requireWeek(store, squad.week)),
        next_game_week: neighbour(1),
        previous_game_week: neighbour(-1),
      },
      squad: {
        bench: entries.filter((entry) => !entry.is_starting),
        starting_xi: entries.filter((entry) => entry.is_starting),
      },
      transfer_hits: { hits: 0, points_deduction: 0 },
      chip_selected: null,
      chips: UNUSED_CHIPS,
      total_points: total,
    },
  };
};

/** In line-up order, and the points of those who start. */
function readEntries(store: Store, squad: SquadRow) {
  const rows = store.all(
    `SELECT sp.*, p.first_name, p.last_name, p.position, p.club_id, c.name AS club_name, c.short_name
     FROM squad_players sp JOIN players p ON p.id = sp.player_id JOIN clubs c ON c.id = p.club_id
     WHERE sp.squad = ? ORDER BY sp.lineup_order`,
    [squad.number],
    (row) => ({ row, place: toPlace(row) }),
  );
  const rowOf = new Map(rows.map(({ row, place }) => [place.playerId, row]));
  const performances = readSquadPerformances(store, squad);
  const scores = scoresOf(readScoring(store, squad.leagueId), performances);
  const minutesOf = (playerId: number): number => scores.get(playerId)?.minutes ?? 0;
  const lineup = rows.map(({ place }) => place);
  const processed = isProcessed(store, squad.leagueId, squad.week);
  const counted = countLineup(processed ? substitute(lineup, minutesOf).places : lineup, scores);
  const entries = counted.places.map((one) => toEntry(rowOf.get(one.place.playerId) ?? {}, one));
  return { entries, total: counted.total };
}

function readSquadPerformances(store: Store, squad: SquadRow) {
  if (!squad.takesPart) return new Map<number, Performance>();
  const rows = store.all(
    `SELECT w.*, p.position FROM squad_players sp JOIN weekly_stats w ON w.player_id = sp.player_id AND w.game_week = ?
     JOIN players p ON p.id = sp.player_id WHERE sp.squad = ?`,
    [squad.week, squad.number],
    toPerformance,
  );
  return new Map(rows.map((performance) => [performance.playerId, performance]));
}

function toEntry(row: Row, { place, points, multiplier, breakdown }: CountedPlace) {
  const [id, name] = POSITION_NAMES[place.position];
  return {
    team: {
      id: int(row, 'club_id'),
      name: text(row, 'club_name'),
      abbrevation: text(row, 'short_name'),
    },
    player: {
      id: String(place.playerId),
      last_name: text(row, 'last_name'),
      first_name: text(row, 'first_name'),
    },
    position: { id, position: name, abbrevation: place.position },
    breakdown: { ...breakdown, multiplier },
    is_starting: place.isStarting,
    is_captain: place.isCaptain,
    is_vice_captain: place.isViceCaptain,
    points,
  };
}
