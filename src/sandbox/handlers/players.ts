import type { Handler } from '../context.ts';
import { readScoring } from '../game/settle.ts';
import { toPerformance } from '../game/stats.ts';
import { numberOfId, unknownId } from '../refusal.ts';
import { pointsOf, type Scoring } from '../game/scoring.ts';
import { LEAGUE } from '../game/season.ts';
import { int, text, type Row, type Store } from '../store/store.ts';
import { requireLeague } from '../game/leagues.ts';

/** How many of the last weeks make the form. */
const FORM_WEEKS = 4;

/** Section 2.7 with the price and the points of the fantasy league that the query names. */
export const getPlayer: Handler<'get-player'> = ({ store }, { id, query }) => {
  const league = requireLeague(store, 'fantasy_league_id', query.fantasy_league_id);
  const player = store.get(
    `SELECT p.*, coalesce(c.price, p.price) AS price_now, t.name AS club_name, t.short_name
     FROM players p JOIN clubs t ON t.id = p.club_id
     LEFT JOIN prices c ON c.player_id = p.id AND c.fantasy_league_id = ? WHERE p.id = ?`,
    [league.id, numberOfId(id)],
    toPlayer,
  );
  if (player === undefined) throw unknownId('id', 'player', id);
  const stats = readStats(store, player.id, readScoring(store, league.id));
  const weekPoints = stats.map((stat) => stat.points);
  const total = sum(weekPoints);
  const games = stats.filter((stat) => stat.minutes_played > 0).length;
  const lately = weekPoints.slice(-FORM_WEEKS);
  return {
    message: 'Player',
    data: {
      ...player,
      form: average(sum(lately), lately.length),
      points_per_game: average(total, games),
      weekly_stats: stats,
      stats_total: totalsOf(stats),
    },
  };
};

function toPlayer(row: Row) {
  return {
    id: int(row, 'id'),
    league_id: LEAGUE.id,
    first_name: text(row, 'first_name'),
    last_name: text(row, 'last_name'),
    team: text(row, 'club_name'),
    team_short_name: text(row, 'short_name'),
    position: text(row, 'position'),
    price: int(row, 'price_now'),
    created_at: text(row, 'created_at'),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
/** With one decimal. */
const average = (total: number, count: number): number =>
  count === 0 ? 0 : Math.round((10 * total) / count) / 10;

/** One for each played week of the player's club, in order. */
function readStats(store: Store, playerId: number, scoring: Scoring | null) {
  return store.all(
    `SELECT w.*, p.position, p.club_id, f.home_id, f.home_goals, f.away_goals, o.short_name AS opponent
     FROM weekly_stats w JOIN players p ON p.id = w.player_id JOIN fixtures f ON f.id = w.fixture_id
     JOIN clubs o ON o.id = CASE p.club_id WHEN f.home_id THEN f.away_id ELSE f.home_id END
     WHERE w.player_id = ? ORDER BY w.game_week`,
    [playerId],
    (row) => toWeeklyStat(row, scoring),
  );
}

function toWeeklyStat(row: Row, scoring: Scoring | null) {
  const { playerId: _player, position: _position, own_goals: _own, ...counters } = toPerformance(row);
  const isHome = row['club_id'] === row['home_id'];
  const [home, away] = [int(row, 'home_goals'), int(row, 'away_goals')];
  const [scored, conceded] = isHome ? [home, away] : [away, home];
  const letter = scored > conceded ? 'W' : scored < conceded ? 'L' : 'D';
  return {
    id: text(row, 'id'),
    ...counters,
    points: pointsOf(scoring, toPerformance(row)),
    /** W, D or L with the goals of the player's own club first. */
    result: `${letter} ${scored}-${conceded}`,
    game_week: String(int(row, 'game_week')),
    /** The other club, H at home and A away. */
    opposition: `${text(row, 'opponent')} (${isHome ? 'H' : 'A'})`,
  };
}

/** The counters that stats_total adds up: those of the weeks but penalty_saves. */
const TOTALS = [
  'goals',
  'saves',
  'points',
  'assists',
  'red_cards',
  'bonus_points',
  'clean_sheets',
  'yellow_cards',
  'games_started',
  'goals_conceded',
  'minutes_played',
  'penalty_missed',
  'bonus_points_scores',
] as const;

function totalsOf(stats: readonly ReturnType<typeof toWeeklyStat>[]) {
  return Object.fromEntries(TOTALS.map((name) => [name, sum(stats.map((stat) => stat[name]))]));
}
