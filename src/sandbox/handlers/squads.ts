import { randomUUID } from 'node:crypto';
import type { Context, Handler } from '../context.ts';
import { pickLineup } from '../lineup.ts';
import { listPage } from '../paging.ts';
import { position } from '../stats.ts';
import { Refusal, unknownId } from '../refusal.ts';
import { int, text, type Row, type Store } from '../store.ts';
import { LAST_WEEK, currentWeekNumber, openWeekNumber, requireWeek, summaryOf } from '../weeks.ts';
import { SQUAD_CONFIG, requireLeague } from '../leagues.ts';
import { USER_COLUMNS, toUser } from './users.ts';

const SELECT = `s.number, s.id, s.name, s.fantasy_league_id, s.first_week, s.total_points, s.created_at, s.updated_at,
  l.name AS league_name, l.mini_leagues, ${USER_COLUMNS}`;
const JOINS = 'JOIN users u ON u.user_id = s.user_id JOIN fantasy_leagues l ON l.id = s.fantasy_league_id';

/** The names of the chips that every squad holds, in the order of their ids. */
const CHIPS = ['wildcard', 'free_hit', 'bench_boost', 'triple_captain'];
/** The interface has no operation that plays a chip, so all are at hand. */
export const UNUSED_CHIPS = CHIPS.map((chip, index) => ({
  id: index + 1,
  chip,
  is_available: true,
  date_activated: null,
  game_week_played: null,
}));

/** What {@link requireSquad} reads. */
export interface SquadRow {
  readonly number: number;
  readonly id: string;
  readonly name: string;
  readonly leagueId: number;
  readonly leagueName: string;
  readonly totalPoints: number;
  readonly miniLeagues: number;
  readonly user: ReturnType<typeof toUser>;
  /** The week that the squad shows: the current one, or the first that it takes part in. */
  readonly week: number;
  /** Whether it takes part in that week; one that was made after the last week has begun never does. */
  readonly takesPart: boolean;
}

/** A squad by its id. @throws Refusal 404 when there is none. */
export function requireSquad({ store, season }: Context, id: string): SquadRow {
  const current = currentWeekNumber(store, season.now());
  const squad = store.get(
    `SELECT ${SELECT} FROM squads s ${JOINS} WHERE s.id = ?`,
    [id.toLowerCase()],
    (row): SquadRow => ({
      number: int(row, 'number'),
      id: text(row, 'id'),
      name: text(row, 'name'),
      leagueId: int(row, 'fantasy_league_id'),
      leagueName: text(row, 'league_name'),
      totalPoints: int(row, 'total_points'),
      miniLeagues: int(row, 'mini_leagues'),
      user: toUser(row),
      week: Math.min(LAST_WEEK, Math.max(current, int(row, 'first_week'))),
      takesPart: int(row, 'first_week') <= LAST_WEEK,
    }),
  );
  if (squad === undefined) throw unknownId('id', 'squad', id);
  return squad;
}

/** Any distinct known players make a squad; it takes part from the first game week that has not begun. */
export const createSquad: Handler<'create-squad'> = (context, { body }) => {
  const { store, limits, season } = context;
  requireLeague(store, 'fantasy_league_id', body.fantasy_league_id);
  const userUuid = store.get('SELECT id FROM users WHERE user_id = ?', [body.user_id], (row) =>
    text(row, 'id'),
  );
  if (userUuid === undefined) throw unknownId('user_id', 'user', body.user_id);
  checkDistinct(body.players_in);
  limits.reserve('squads', 1);
  const now = season.now();
  const squad = { id: randomUUID(), ...body, now, firstWeek: openWeekNumber(store, now) };
  writeSquad(store, squad);
  return {
    message: 'Squad created',
    data: {
      id: squad.id,
      name: body.name,
      fantasy_league_id: body.fantasy_league_id,
      external_user_id: userUuid,
      created_at: now,
      updated_at: now,
    },
  };
};

function checkDistinct(players: readonly number[]): void {
  const seen = new Set<number>();
  for (const [index, id] of players.entries()) {
    if (seen.has(id)) throw new Refusal(400, `players_in[${index}]: ${id} stands twice`);
    seen.add(id);
  }
}

interface NewSquad {
  readonly id: string;
  readonly user_id: number;
  readonly name: string;
  readonly fantasy_league_id: number;
  readonly players_in: readonly number[];
  readonly firstWeek: number;
  readonly now: string;
}

/** Writes a squad with its line-up and what its players cost now. @throws Refusal 404 for an unknown player. */
export function writeSquad(store: Store, squad: NewSquad): void {
  const candidates = squad.players_in.map((playerId, index) => {
    const player = store.get(
      `SELECT p.position, coalesce(c.price, p.price) AS price FROM players p
       LEFT JOIN prices c ON c.player_id = p.id AND c.fantasy_league_id = ? WHERE p.id = ?`,
      [squad.fantasy_league_id, playerId],
      (row) => ({ playerId, position: position(row), price: int(row, 'price') }),
    );
    if (player === undefined) throw unknownId(`players_in[${index}]`, 'player', playerId);
    return player;
  });
  const priceOf = new Map(candidates.map(({ playerId, price }) => [playerId, price]));
  const number = store.run(
    'INSERT INTO squads VALUES (NULL, ?, ?, ?, ?, ?, 0, ?, ?)',
    ...[squad.id, squad.name, squad.user_id, squad.fantasy_league_id, squad.firstWeek, squad.now, squad.now],
  );
  for (const place of pickLineup(candidates)) {
    store.run(
      'INSERT INTO squad_players VALUES (?, ?, ?, ?, ?, ?, ?)',
      ...[number, place.order, place.playerId, Number(place.isStarting)],
      ...[Number(place.isCaptain), Number(place.isViceCaptain), priceOf.get(place.playerId) ?? 0],
    );
  }
}

/** The list elements of section 2.5, in the order of creation. */
export const listSquads: Handler<'list-squads'> = (context, { query }) => {
  const { page = 1, user_id, fantasy_league_id } = query;
  const filters = { user_id, fantasy_league_id };
  const listing = { table: 'squads', as: 's', key: 'number', filters, select: SELECT, joins: JOINS };
  return { message: 'Squads', ...listPage(context, listing, page, toListElement) };
};

function toListElement(row: Row) {
  return {
    id: text(row, 'id'),
    name: text(row, 'name'),
    created_at: text(row, 'created_at'),
    updated_at: text(row, 'updated_at'),
    user: toUser(row),
    fantasy_league: { id: int(row, 'fantasy_league_id'), name: text(row, 'league_name'), is_active: true },
  };
}

/** Section 2.5. Rank 1 has the most points; squads with equal points share a rank. */
export const getSquad: Handler<'get-squad'> = (context, { id }) => {
  const { store } = context;
  const squad = requireSquad(context, id);
  const league = { id: squad.leagueId, name: squad.leagueName, is_active: true };
  const points = 'SELECT points AS n FROM squad_weeks WHERE squad = ? AND game_week = ?';
  const above = 'SELECT count(*) + 1 AS n FROM squads WHERE fantasy_league_id = ? AND total_points > ?';
  return {
    message: 'Squad',
    data: {
      id: squad.id,
      name: squad.name,
      user: squad.user,
      fantasy_league: league,
      // Each fantasy league has one contest, its overall ranking.
      contest: { ...league, name: `${squad.leagueName}: overall` },
      ranking: {
        current_rank: store.count(above, squad.leagueId, squad.totalPoints),
        game_week_points: store.count(points, squad.number, squad.week),
        total_points: squad.totalPoints,
        game_week: String(squad.week),
      },
      game_week: summaryOf(requireWeek(store, squad.week)),
      finance: financeOf(store, squad),
      chips: UNUSED_CHIPS,
      free_transfers: 1,
      mini_leagues: squad.miniLeagues,
    },
  };
};

/** What the players cost when they came and what they are worth now; the bank is negative for a squad beyond the budget. */
function financeOf(store: Store, squad: SquadRow) {
  const sums = store.get(
    `SELECT sum(sp.price_paid) AS spent, sum(coalesce(c.price, p.price)) AS value
     FROM squad_players sp JOIN players p ON p.id = sp.player_id
     LEFT JOIN prices c ON c.player_id = p.id AND c.fantasy_league_id = ? WHERE sp.squad = ?`,
    [squad.leagueId, squad.number],
    (row) => ({ spent: round(int(row, 'spent')), value: round(int(row, 'value')) }),
  );
  const { spent, value } = sums ?? { spent: 0, value: 0 };
  const { budget } = SQUAD_CONFIG;
  return { money_spent: spent, squad_value: value, money_in_bank: round(budget - spent), budget };
}

/** Sums of decimals without the noise of binary fractions. */
const round = (amount: number): number => Math.round(amount * 1e6) / 1e6;
