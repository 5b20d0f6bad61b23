import { randomUUID } from 'node:crypto';
import type { Context, Handler } from '../context.ts';
import { chipsOf } from '../game/chips.ts';
import { keepLineup, ownLineup } from '../game/kept-lineups.ts';
import { pickLineup } from '../game/lineup.ts';
import { readMarketPlayer } from '../game/market.ts';
import { listPage } from '../http/paging.ts';
import { checkSquad } from '../game/squad-rules.ts';
import { freeTransfers } from '../game/transfers.ts';
import { Refusal, unknownId } from '../refusal.ts';
import { int, text, type Row, type Store } from '../store/store.ts';
import { LAST_WEEK, currentWeekNumber, openWeekNumber, requireWeek, summaryOf } from '../game/weeks.ts';
import { SQUAD_CONFIG, countInLeague, requireLeague } from '../game/leagues.ts';
import { USER_COLUMNS, toUser } from './users.ts';

const SELECT = `s.number, s.id, s.name, s.fantasy_league_id, s.first_week, s.total_points, s.created_at, s.updated_at,
  l.name AS league_name, l.mini_leagues, ${USER_COLUMNS}`;
const JOINS = 'JOIN users u ON u.user_id = s.user_id JOIN fantasy_leagues l ON l.id = s.fantasy_league_id';

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
  /** The first week that it takes part in. */
  readonly firstWeek: number;
  /** Whether it takes part in {@link week}; one that was made after the last week has begun never does. */
  readonly takesPart: boolean;
}

/** A squad by its id. @throws Refusal 404 when there is none. */
export function requireSquad(context: Context, id: string): SquadRow {
  const { store } = context;
  const current = currentWeekNumber(context);
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
      firstWeek: int(row, 'first_week'),
      takesPart: int(row, 'first_week') <= LAST_WEEK,
    }),
  );
  if (squad === undefined) throw unknownId('id', 'squad', id);
  return squad;
}

/** Any distinct known players make a squad, unless the settings ask for the rules; it takes part from the first game week that has not begun. */
export const createSquad: Handler<'create-squad'> = (context, { body }) => {
  const { store, limits, season, settings } = context;
  requireLeague(store, 'fantasy_league_id', body.fantasy_league_id);
  const userUuid = store.get('SELECT id FROM users WHERE user_id = ?', [body.user_id], (row) =>
    text(row, 'id'),
  );
  if (userUuid === undefined) throw unknownId('user_id', 'user', body.user_id);
  checkDistinct(body.players_in);
  limits.reserve('squads', 1);
  const now = season.now();
  const squad = { id: randomUUID(), ...body, now, firstWeek: openWeekNumber(store, now) };
  writeSquad(store, squad, settings.squad_rules === 'refuse');
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

/**
 * Writes a squad with its line-up and what its players cost now.
 * @throws Refusal 404 for an unknown player, 400 for a squad that `isChecked` by the rules and breaks one.
 */
export function writeSquad(store: Store, squad: NewSquad, isChecked = false): void {
  const players = squad.players_in.map((playerId, index) =>
    readMarketPlayer(store, squad.fantasy_league_id, playerId, `players_in[${index}]`),
  );
  const priceOf = new Map(players.map(({ playerId, price }) => [playerId, price]));
  const bank = players.reduce<number>((left, { price }) => left - price, SQUAD_CONFIG.budget);
  if (isChecked) checkSquad('players_in', players, bank);
  const number = store.run(
    'INSERT INTO squads VALUES (NULL, ?, ?, ?, ?, ?, 0, ?, ?)',
    ...[squad.id, squad.name, squad.user_id, squad.fantasy_league_id, squad.firstWeek, squad.now, squad.now],
  );
  countInLeague(store, squad.fantasy_league_id, 'squads');
  const places = pickLineup(players).map((place) => ({
    ...place,
    pricePaid: priceOf.get(place.playerId) ?? 0,
  }));
  keepLineup(store, { squad: number, gameWeek: squad.firstWeek, bank }, places);
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

/** Section 2.5. Free transfers and finance are those for the first week that has not begun. Rank 1 has the most points; squads with equal points share a rank. */
export const getSquad: Handler<'get-squad'> = (context, { id }) => {
  const { store, season, settings } = context;
  const squad = requireSquad(context, id);
  const open = openWeekNumber(store, season.now());
  const league = { id: squad.leagueId, name: squad.leagueName, is_active: true };
  const gross = settings.hits_in_points === 'gross' ? ' + deduction' : '';
  const points = `SELECT points${gross} AS n FROM squad_weeks WHERE squad = ? AND game_week = ?`;
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
      finance: financeOf(store, squad, open),
      chips: chipsOf(store, squad.number),
      free_transfers: freeTransfers(store, squad, open, settings),
      mini_leagues: squad.miniLeagues,
    },
  };
};

/** The money of a squad as it stands for a week: what its transfers have left of the budget, negative for a squad beyond it, and what its players are worth now. */
export function financeOf(store: Store, squad: Pick<SquadRow, 'number' | 'leagueId'>, week: number) {
  const { number, bank } = ownLineup(store, squad.number, week);
  const value = store.get(
    `SELECT sum(coalesce(c.price, p.price)) AS value FROM lineup_places lp JOIN players p ON p.id = lp.player_id
     LEFT JOIN prices c ON c.player_id = p.id AND c.fantasy_league_id = ? WHERE lp.lineup = ?`,
    [squad.leagueId, number],
    (row) => int(row, 'value'),
  );
  const { budget } = SQUAD_CONFIG;
  return {
    money_spent: round(budget - bank),
    squad_value: round(value ?? 0),
    money_in_bank: round(bank),
    budget,
  };
}

/** Sums of decimals without the noise of binary fractions. */
const round = (amount: number): number => Math.round(amount * 1e6) / 1e6;
