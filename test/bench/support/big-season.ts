import type { RequestListener } from 'node:http';
import type { RecordOf } from '../../../src/contract/index.ts';
import type { Kept, LeagueScope, Memory } from '../../../src/model/state/memory.ts';
import { uuidOf } from '../../../src/sandbox/game/random.ts';
import {
  keptMark,
  keptOfFixtures,
  keptOfLeague,
  keptOfLineup,
  keptOfPlayer,
  keptOfSquad,
  keptOfSubstitution,
} from '../../../src/season/kept.ts';
import type { EntryValues, PlayerValues, SquadValues, WeekValues } from '../../../src/season/week-values.ts';
import { seasonValues } from '../../support/season-values.ts';

export const SQUADS = 1_000;
export const WEEKS = 38;
export const LEAGUE = 1;
export const ACCOUNT_ID = uuidOf('account');

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
/** The last week ended an hour ago. */
const LAST_END_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS;
const PER_PAGE = 100;

const endOf = (week: number): number => LAST_END_MS - (WEEKS - week) * WEEK_MS;
const iso = (ms: number): string => new Date(ms).toISOString();

/** A season as a service shows it, week by week: line-ups before and after substitutions, details, statistics and the log. */
export const season: readonly WeekValues[] = seasonValues({ squads: SQUADS, weeks: WEEKS });

const summaryOf = (week: WeekValues) => ({
  id: week.gameWeek,
  week: String(week.number),
  start_date: iso(endOf(week.number) - 4 * 24 * HOUR_MS),
  end_date: iso(endOf(week.number)),
});

const userOf = ({ squad, member, memberName }: SquadValues) => ({
  ...{ id: uuidOf(`user ${squad}`), user_id: Number(member?.slice(1)), external_id: member ?? '' },
  ...{ is_active: true, display_name: memberName, created_at: iso(0), updated_at: iso(0) },
});

const KINDS: Readonly<Record<string, number>> = { GK: 1, DEF: 2, MID: 3, FWD: 4 };

function entryOf({ player, isStarting, isCaptain, isViceCaptain, points }: EntryValues, week: WeekValues) {
  const { clubId = 0, club, first, last, position = '', positionName } = week.players.get(player) ?? {};
  return {
    team: { id: clubId, name: club ?? '', abbrevation: `C${clubId}` },
    player: { id: player, last_name: last ?? '', first_name: first ?? '' },
    position: { id: KINDS[position] ?? 0, position: positionName ?? '', abbrevation: position },
    breakdown: { starter_points: 1, goal_points: points ?? 0, multiplier: isCaptain ? 2 : 1 },
    ...{
      is_starting: isStarting,
      is_captain: isCaptain,
      is_vice_captain: isViceCaptain,
      points: points ?? 0,
    },
  };
}

/** The line-up of a squad after its substitutions, or before them: the players stand the other way round. */
function lineupOf(squad: SquadValues, week: WeekValues, when: 'before' | 'after'): RecordOf<'get-lineup'> {
  const { entries = [], substitutions } = squad;
  const [pair] = substitutions;
  const other = (player: string): string =>
    player === pair?.out ? (pair.in ?? player) : player === pair?.in ? (pair.out ?? player) : player;
  const shown = entries.map((entry) =>
    entryOf(when === 'before' ? { ...entry, player: other(entry.player) } : entry, week),
  );
  return {
    ...{ id: squad.squad, name: squad.name, user: userOf(squad) },
    game_week: { ...summaryOf(week), next_game_week: String(week.number + 1), previous_game_week: null },
    squad: {
      bench: shown.filter(({ is_starting }) => !is_starting),
      starting_xi: shown.filter(({ is_starting }) => is_starting),
    },
    transfer_hits: { hits: squad.hits === 0 ? 0 : 1, points_deduction: squad.hits ?? 0 },
    ...{ chip_selected: squad.chip ?? null, total_points: squad.points ?? 0 },
  };
}

const detailOf = (squad: SquadValues, week: WeekValues): RecordOf<'get-squad'> => ({
  ...{ id: squad.squad, name: squad.name, user: userOf(squad), fantasy_league: LEAGUE_RECORD },
  contest: { id: 1, name: 'Open', is_active: true },
  ranking: {
    ...{ current_rank: squad.rank ?? null, game_week_points: squad.points ?? null },
    ...{ total_points: squad.total ?? null, game_week: String(week.number) },
  },
  game_week: summaryOf(week),
  finance: { money_spent: 98, squad_value: 99.5, money_in_bank: 0.5, budget: 100 },
  chips: ['wildcard', 'bench_boost', 'triple_captain'].map((chip, index) => ({
    ...{ id: index + 1, chip, is_available: true, date_activated: null, game_week_played: null },
  })),
  ...{ free_transfers: 1, mini_leagues: 2 },
});
const LEAGUE_RECORD = { id: LEAGUE, name: 'Big League', is_active: true };

function playerOf(player: PlayerValues, until: WeekValues): RecordOf<'get-player'> {
  const stats = season.slice(0, until.number).map((week) => ({
    ...{ id: `${player.id}-${week.number}`, goals: 0, saves: 0, result: 'W', assists: 0, red_cards: 0 },
    ...{ points: week.players.get(player.id)?.points ?? 0, game_week: String(week.number) },
    ...{ opposition: `Club ${(week.number % 20) + 1}`, bonus_points: 0, clean_sheets: 0, yellow_cards: 0 },
    ...{ games_started: 1, penalty_saves: 0, goals_conceded: 1, penalty_missed: 0, bonus_points_scores: 3 },
    minutes_played: week.players.get(player.id)?.points === 0 ? 0 : 90,
  }));
  return {
    ...{ id: Number(player.id), league_id: 1, first_name: player.first, last_name: player.last, form: 4.5 },
    ...{ team: player.club, team_short_name: `C${player.clubId}`, position: player.positionName, price: 5.5 },
    ...{ points_per_game: 3.2, created_at: iso(0), weekly_stats: stats },
  };
}

const fixturesOf = (week: WeekValues): RecordOf<'get-fixtures'> => ({
  ...summaryOf(week),
  fixtures: Array.from({ length: 10 }, (_, index) => {
    const side = (id: number) => ({ id, name: `Club ${id}`, abbrevation: `C${id}` });
    return {
      ...{ id: uuidOf(`match ${week.number} ${index}`), goals: { away: 1, home: 2 }, status: 'finished' },
      teams: { away: side(2 * index + 1), home: side(2 * index + 2) },
      ...{ start_date: iso(endOf(week.number) - 3 * 24 * HOUR_MS), fixture_url: null },
    };
  }),
});

/** Both records of each substitution of a week. */
const logOf = (week: WeekValues): readonly RecordOf<'list-auto-substitutions'>[] =>
  week.squads.flatMap((squad) =>
    squad.substitutions.flatMap((pair) =>
      (['out', 'in'] as const).map((action, index) => {
        const { first, last } = week.players.get(pair[action] ?? '') ?? {};
        const at = iso(endOf(week.number) + PROCESSED_AFTER_MS);
        return {
          id: uuidOf(`${action} ${week.number} ${squad.squad}`),
          squad: { id: squad.squad, name: squad.name },
          player: { id: Number(pair[action]), first_name: first ?? '', last_name: last ?? '' },
          ...{ txn_type: 'auto_substitution', action, txn_ref: uuidOf(`pair ${week.number} ${squad.squad}`) },
          ...{ lineup_order: index === 0 ? 12 : 11, is_captain: false, is_vice_captain: false },
          ...{ is_starting: index === 1, created_at: at, updated_at: at },
        };
      }),
    ),
  );
const PROCESSED_AFTER_MS = HOUR_MS / 2;

const leagueOf = (week: WeekValues): RecordOf<'get-fantasy-league'> => ({
  ...LEAGUE_RECORD,
  ...{ logo_url: null, leagues: [], squad_config: {}, points_config: {} },
  current_game_week: summaryOf(week),
});

/** Keeps what reading a week twice leaves: before its substitutions, and after them. */
export async function rememberWeek(memory: Memory, scope: LeagueScope, week: WeekValues): Promise<void> {
  const [beforeMs, processedMs] = [endOf(week.number), endOf(week.number) + PROCESSED_AFTER_MS];
  const afterMs = processedMs + HOUR_MS / 4;
  const stats = [...week.players.values()].map((player) => playerOf(player, week));
  const weekOf = (text: string): string | undefined =>
    text === String(week.number) ? week.gameWeek : undefined;
  const kept: readonly Kept[] = [
    ...keptOfLeague(leagueOf(week), afterMs),
    ...keptOfFixtures(fixturesOf(week), afterMs),
    keptMark(week.gameWeek, 'processed', processedMs, { by: 'trigger' }),
    ...week.squads.flatMap((squad) => [
      ...keptOfLineup(lineupOf(squad, week, 'before'), squad.squad, beforeMs),
      ...keptOfLineup(lineupOf(squad, week, 'after'), squad.squad, afterMs),
      ...keptOfSquad(detailOf(squad, week), afterMs),
    ]),
    ...stats.flatMap((player) => keptOfPlayer(player, { weekOf, current: week.gameWeek }, afterMs)),
    ...logOf(week).flatMap((record) => keptOfSubstitution(record, afterMs)),
  ];
  for (let at = 0; at < kept.length; at += 2_000) await memory.keep(scope, kept.slice(at, at + 2_000));
}

/** The service in one week, with answers that are ready as texts; `asked` gets every path. */
export function serviceIn(week: WeekValues, asked: string[]): RequestListener {
  const window = {
    limit: 1_000_000,
    window: '60s',
    used: 0,
    remaining: 1_000_000,
    reset_at: iso(Date.now() + HOUR_MS),
  };
  const account = {
    ...{ id: ACCOUNT_ID, tier: 'pro', is_active: true, api_key_active: true },
    config: { rate_limit: { per_minute: window, per_day: { ...window, window: '24h' } } },
  };
  const listed = week.squads.map((squad) => ({
    ...{ id: squad.squad, name: squad.name, created_at: iso(0), updated_at: iso(0), user: userOf(squad) },
    fantasy_league: LEAGUE_RECORD,
  }));
  const one = new Map<string, string>([
    ['/v1/auth/account', textOf(account)],
    [`/v1/fantasy-league/${LEAGUE}`, textOf(leagueOf(week))],
    [`/v1/fantasy-league/${LEAGUE}/fixtures`, textOf(season.map(fixturesOf))],
    ...week.squads.flatMap((squad): [string, string][] => [
      [`/v1/squad/${squad.squad}`, textOf(detailOf(squad, week))],
      [`/v1/squad/${squad.squad}/lineup`, textOf(lineupOf(squad, week, 'after'))],
    ]),
    ...[...week.players.values()].map((player): [string, string] => [
      `/v1/player/${player.id}`,
      textOf(playerOf(player, week)),
    ]),
  ]);
  const lists = new Map<string, readonly object[]>([
    ['/v1/squad', listed],
    ['/v1/auto-substitution', logOf(week)],
    ['/v1/price', []],
    ['/v1/points/config', []],
  ]);
  return (request, response) => {
    const url = request.url ?? '';
    asked.push(url);
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const list = lists.get(pathname);
    const text = list === undefined ? one.get(pathname) : pageOf(list, Number(searchParams.get('page') ?? 1));
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(text ?? '{"statusCode":404,"message":"not found"}');
  };
}

const textOf = (data: object): string => JSON.stringify({ statusCode: 200, message: 'ok', data });

function pageOf(list: readonly object[], page: number): string {
  const data = list.slice((page - 1) * PER_PAGE, page * PER_PAGE);
  const pages = Math.ceil(list.length / PER_PAGE);
  const paging = { page, page_total: pages, per_page: PER_PAGE, current: page, total: list.length };
  return JSON.stringify({ statusCode: 200, message: 'ok', data, paging });
}
