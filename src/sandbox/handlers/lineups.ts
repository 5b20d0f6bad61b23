import { chipIn, chipsOf, type Chip } from '../game/chips.ts';
import type { Handler } from '../context.ts';
import { shownLineup, toPlace } from '../game/kept-lineups.ts';
import type { Performance } from '../game/match.ts';
import { countLineup, type CountedPlace } from '../game/scoring.ts';
import { readScoring, scoresOf } from '../game/settle.ts';
import { toPerformance } from '../game/stats.ts';
import type { Position } from '../game/season.ts';
import { int, text, type Row, type Store } from '../store/store.ts';
import { HIT_POINTS, hitsOf } from '../game/transfers.ts';
import { requireWeek, summaryOf, weekByNumber } from '../game/weeks.ts';
import { requireSquad, type SquadRow } from './squads.ts';

const POSITION_NAMES: Readonly<Record<Position, readonly [id: number, name: string]>> = {
  GK: [1, 'Goalkeeper'],
  DEF: [2, 'Defender'],
  MID: [3, 'Midfielder'],
  FWD: [4, 'Forward'],
};

/**
 * Section 2.6: the line-up of the week that the squad shows, as it stood when the week began, with the automatic substitutions of that week once they are processed.
 * The points of the captain, or of the vice-captain when the captain did not play, count twice or, with triple_captain, three times. `total_points` is the sum over
 * the starting eleven, with bench_boost over all, net of hits unless the settings say otherwise; `breakdown` holds points setting by setting before that, and the
 * multiplier.
 */
export const getLineup: Handler<'get-lineup'> = (context, { id }) => {
  const { store, settings } = context;
  const squad = requireSquad(context, id);
  const week = requireWeek(store, squad.week);
  const chip = chipIn(store, squad.number, squad.week);
  const chips = chipsOf(store, squad.number);
  const hits = hitsOf(store, squad.number, squad.week);
  const { entries, total } = readEntries(store, squad, chip);
  // Nobody has points before the week is played, so nothing is taken off either.
  const isNet = settings.hits_in_points === 'net' && week.isPlayed;
  const neighbour = (by: number): string | null =>
    weekByNumber(store, squad.week + by) === undefined ? null : String(squad.week + by);
  return {
    message: 'Line-up',
    data: {
      id: squad.id,
      name: squad.name,
      user: squad.user,
      game_week: {
        ...summaryOf(week),
        next_game_week: neighbour(1),
        previous_game_week: neighbour(-1),
      },
      squad: {
        bench: entries.filter((entry) => !entry.is_starting),
        starting_xi: entries.filter((entry) => entry.is_starting),
      },
      transfer_hits: { hits, points_deduction: HIT_POINTS * hits },
      chip_selected: chips.find((one) => one.chip === chip) ?? null,
      chips,
      total_points: isNet ? total - HIT_POINTS * hits : total,
    },
  };
};

/** In line-up order, and the points of those who count. */
function readEntries(store: Store, squad: SquadRow, chip: Chip | null) {
  // A squad that was made after the last week began shows its line-up without taking part.
  const lineup = shownLineup(store, squad.number, Math.max(squad.week, squad.firstWeek));
  const rows = store.all(
    `SELECT lp.*, p.first_name, p.last_name, p.position, p.club_id, c.name AS club_name, c.short_name
     FROM lineup_places lp JOIN players p ON p.id = lp.player_id JOIN clubs c ON c.id = p.club_id
     WHERE lp.lineup = ? ORDER BY lp.lineup_order`,
    [lineup],
    (row) => ({ row, place: toPlace(row) }),
  );
  const rowOf = new Map(rows.map(({ row, place }) => [place.playerId, row]));
  const performances = squad.takesPart
    ? readLineupPerformances(store, lineup, squad.week)
    : new Map<number, Performance>();
  const places = rows.map(({ place }) => place);
  const counted = countLineup(places, scoresOf(readScoring(store, squad.leagueId), performances), chip);
  const entries = counted.places.map((one) => toEntry(rowOf.get(one.place.playerId) ?? {}, one));
  return { entries, total: counted.total };
}

function readLineupPerformances(store: Store, lineup: number, week: number) {
  const rows = store.all(
    `SELECT w.*, p.position FROM lineup_places lp JOIN weekly_stats w ON w.player_id = lp.player_id AND w.game_week = ?
     JOIN players p ON p.id = lp.player_id WHERE lp.lineup = ?`,
    [week, lineup],
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
