import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { bytes, unreadable, type SqlRow } from './sql-row.ts';

/**
 * Texts that the records of a game week have in common, the likeliest last: what is kept refers to it, so that it may never be edited. A season of 1,000 squads
 * takes a third of what it takes without.
 */
const DICTIONARY = Buffer.from(
  [
    '"fixture_url":null,"goals":{"away":0,"home":0},"teams":{"away":{"id":1,"name":"","abbrevation":""},"home":{"id":1,"name":"","abbrevation":""}},"status":"finished"',
    '"txn_type":"auto_substitution","action":"in","action":"out","txn_ref":"","lineup_order":1,"created_at":"2026-08-14T17:30:00.000Z","updated_at":"2026-08-14T17:30:00.000Z"',
    '{"id":"","name":"","user":{"id":"","user_id":1,"external_id":"","is_active":true,"display_name":"","created_at":"","updated_at":""},"fantasy_league":{"id":1,"name":"","is_active":true},"contest":{"id":1,"name":"","is_active":true}',
    '"ranking":{"current_rank":1,"game_week_points":0,"total_points":0,"game_week":"1"},"finance":{"money_spent":100,"squad_value":100,"money_in_bank":0,"budget":100},"free_transfers":1,"mini_leagues":0',
    '"chips":[{"id":1,"chip":"wildcard","is_available":true,"date_activated":null,"game_week_played":null},{"id":2,"chip":"bench_boost","is_available":true,"date_activated":null,"game_week_played":null},{"id":3,"chip":"triple_captain","is_available":true',
    '{"player":{"id":1,"league_id":1,"first_name":"","last_name":"","form":0,"team":"","team_short_name":"","position":"","price":5,"points_per_game":0,"created_at":""},"stat":{"id":"","goals":0,"saves":0,"points":0,"result":"","assists":0,"game_week":"1","red_cards":0,"opposition":"","bonus_points":0,"clean_sheets":0,"yellow_cards":0,"games_started":0,"penalty_saves":0,"goals_conceded":0,"minutes_played":90,"penalty_missed":0,"bonus_points_scores":0}',
    '"game_week":{"id":"","week":"1","start_date":"2026-08-14T17:30:00.000Z","end_date":"2026-08-18T22:59:00.000Z","next_game_week":"2","previous_game_week":null},"squad":{"bench":[],"starting_xi":[]},"transfer_hits":{"hits":0,"points_deduction":0},"chip_selected":null,"total_points":0}',
    '"breakdown":{"starter_points":2,"bencher_points":1,"clean_sheet_points":4,"goal_points":4,"assist_points":3,"yellow_card_points":-1,"minutes_played_points":0,"goal_save_points":1,"multiplier":2}',
    '{"team":{"id":1,"name":"","abbrevation":""},"player":{"id":"1","last_name":"","first_name":""},"position":{"id":1,"position":"Goalkeeper","abbrevation":"GK"},"breakdown":{"multiplier":1},"is_starting":false,"is_captain":false,"is_vice_captain":false,"points":0},',
    '{"team":{"id":1,"name":"","abbrevation":""},"player":{"id":"1","last_name":"","first_name":""},"position":{"id":2,"position":"Defender","abbrevation":"DEF"},"breakdown":{"multiplier":1},"is_starting":true,"is_captain":false,"is_vice_captain":false,"points":1},',
    '"position":{"id":3,"position":"Midfielder","abbrevation":"MID"},"position":{"id":4,"position":"Forward","abbrevation":"FWD"},"breakdown":{"multiplier":1},"is_starting":true,"is_captain":false,"is_vice_captain":false,"points":2}',
  ].join(''),
);

/** Shorter texts are kept as they are: reading them back takes a third of the time. */
const PLAIN_BELOW = 800;
/** Stands before a text that is kept as it is: nothing that is deflated begins so, since its kind of block is reserved. */
const PLAIN = 0x07;

/** The JSON text of a record, deflated where it is long. */
export function packRecord(text: string): Buffer {
  if (text.length >= PLAIN_BELOW) return deflateRawSync(text, { dictionary: DICTIONARY });
  return Buffer.concat([Buffer.of(PLAIN), Buffer.from(text)]);
}

/** The JSON text in a column that {@link packRecord} filled. Errors: UnreadableValueError, also where a seal was broken. */
export function unpackRecord(row: SqlRow, column: number): string {
  const value = bytes(row, column);
  if (value[0] === PLAIN)
    return Buffer.from(value.buffer, value.byteOffset + 1, value.byteLength - 1).toString('utf8');
  try {
    return inflateRawSync(value, { dictionary: DICTIONARY }).toString('utf8');
  } catch (cause) {
    throw unreadable(column, cause);
  }
}

/** What the JSON in such a column says. Errors: UnreadableValueError. */
export function parseRecord(row: SqlRow, column: number): unknown {
  const json = unpackRecord(row, column);
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw unreadable(column, cause);
  }
}

/** The SQL of what the times of the latest readings add up to: without their largest parts, so that the sum of all is an exact number. */
export const TIMES_SUM = 'sum(latest % 1000000007)';
