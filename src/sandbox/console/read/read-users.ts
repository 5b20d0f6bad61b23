import { USER_COLUMNS, toUser } from '../../handlers/users.ts';
import { int, text, type Row, type Store } from '../../store/store.ts';
import { like, slice } from './slice.ts';

/** Which users are looked for; empty asks for all. */
export interface UserSearch {
  /** A part of the name, the external id or the id, or the whole user_id. */
  readonly wanted: string;
  readonly state: '' | 'active' | 'inactive';
}

const SELECT = `${USER_COLUMNS}, (SELECT count(*) FROM squads s WHERE s.user_id = u.user_id) AS squads`;
const toRow = (row: Row) => ({ ...toUser(row), squads: int(row, 'squads') });

/** The users that a search finds, in the order of their creation. */
export function listUsers(store: Store, { wanted, state }: UserSearch, page: number) {
  const number = /^[1-9]\d{0,8}$/.test(wanted) ? Number(wanted) : 0;
  const pattern = like(wanted);
  const query = {
    select: SELECT,
    from: `users u WHERE (u.user_id = ? OR u.external_id LIKE ? ESCAPE '\\' OR u.display_name LIKE ? ESCAPE '\\' OR u.id LIKE ? ESCAPE '\\')
      AND u.is_active IN (?, ?)`,
    order: 'u.user_id',
  };
  const states = [state === 'inactive' ? 0 : 1, state === 'active' ? 1 : 0];
  return slice(store, query, [number, pattern, pattern, pattern, ...states], page, toRow);
}

/** One user by its user_id, or undefined. */
export function findUser(store: Store, userId: number) {
  return store.get(`SELECT ${SELECT} FROM users u WHERE u.user_id = ?`, [userId], toRow);
}

/** The ids of a user's squads, in the order of their creation. */
export function listUserSquadIds(store: Store, userId: number, page: number) {
  const query = { select: 'id', from: 'squads WHERE user_id = ?', order: 'number' };
  return slice(store, query, [userId], page, (row) => text(row, 'id'));
}
