import { randomInt } from 'node:crypto';
import type { Handler } from '../context.ts';
import { listPage } from '../http/paging.ts';
import { checkWord, numberOfId, unknownId } from '../refusal.ts';
import { int, text, type Row, type Store } from '../store/store.ts';
import { LAST_WEEK, openWeekNumber } from '../game/weeks.ts';
import { countInLeague, requireLeague } from '../game/leagues.ts';

const SELECT = `m.*, l.name AS league_name, l.squads, w.id AS week_id, w.start_date, w.end_date,
  max(m.updated_at, coalesce(l.ranked_at, '')) AS ranked_at`;
const JOINS = `JOIN fantasy_leagues l ON l.id = m.fantasy_league_id
  JOIN game_weeks w ON w.number = m.start_week`;

/**
 * Section 2.4. The interface has no operation by which a squad joins: every squad of the fantasy league takes part, with its points from the start
 * week on. `style` is the `type` that was sent.
 */
function toMiniLeague(row: Row) {
  return {
    id: int(row, 'id'),
    name: text(row, 'name'),
    rank_system: 'total_points',
    total_squads: int(row, 'squads'),
    code: text(row, 'code'),
    is_open: true,
    is_active: true,
    start_game_week: {
      id: text(row, 'week_id'),
      week: String(int(row, 'start_week')),
      start_date: text(row, 'start_date'),
      end_date: text(row, 'end_date'),
    },
    fantasy_league: { id: int(row, 'fantasy_league_id'), name: text(row, 'league_name') },
    rank_updated_at: text(row, 'ranked_at'),
    style: text(row, 'style'),
    created_at: text(row, 'created_at'),
    updated_at: text(row, 'updated_at'),
  };
}

/** A mini league by its number (section 2.4). @throws Refusal 404 naming `field` when there is none. */
export function requireMiniLeague(store: Store, field: string, id: string | number) {
  const found = store.get(
    `SELECT ${SELECT} FROM mini_leagues m ${JOINS} WHERE m.id = ?`,
    [numberOfId(id)],
    toMiniLeague,
  );
  if (found === undefined) throw unknownId(field, 'mini league', id);
  return found;
}

/** Starts with the first game week that has not begun. */
export const createMiniLeague: Handler<'create-mini-league'> = (
  { store, limits, season, settings },
  { body },
) => {
  checkWord(false, 'name', body.name, []);
  checkWord(settings.text_values === 'restricted', 'type', body.type, ['classic', 'head_to_head']);
  requireLeague(store, 'fantasy_league_id', body.fantasy_league_id);
  limits.reserve('mini_leagues', 1);
  const now = season.now();
  const startWeek = Math.min(openWeekNumber(store, now), LAST_WEEK);
  const id = store.run(
    'INSERT INTO mini_leagues VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)',
    ...[body.fantasy_league_id, body.name, body.type, newCode(store), startWeek, now, now],
  );
  countInLeague(store, body.fantasy_league_id, 'mini_leagues');
  return { message: 'Mini league created', data: requireMiniLeague(store, 'id', id) };
};

/** Letters and digits that are not mistaken for each other when read aloud or copied by hand. */
const CODE_LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

function newCode(store: Store): string {
  for (;;) {
    const code = Array.from({ length: 8 }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join('');
    if (store.count('SELECT count(*) AS n FROM mini_leagues WHERE code = ?', code) === 0) return code;
  }
}

/** Section 2.4, in the order of creation. */
export const listMiniLeagues: Handler<'list-mini-leagues'> = (context, { query }) => {
  const { page = 1, fantasy_league_id } = query;
  const filters = { fantasy_league_id };
  const listing = { table: 'mini_leagues', as: 'm', key: 'id', filters, select: SELECT, joins: JOINS };
  return { message: 'Mini leagues', ...listPage(context, listing, page, toMiniLeague) };
};

/** Section 2.4, by the number of the mini league. */
export const getMiniLeague: Handler<'get-mini-league'> = ({ store }, { id }) => ({
  message: 'Mini league',
  data: requireMiniLeague(store, 'id', id),
});
