import type { Handler } from '../context.ts';
import { checkBatch } from '../http/limits.ts';
import { listPage } from '../http/paging.ts';
import { Refusal, unknownId } from '../refusal.ts';
import type { Settings } from '../switches.ts';
import { writeUsers } from './new-users.ts';
import { flag, int, text, type Row, type Store } from '../store/store.ts';

/** The columns of a user for a query that joins `users u` to something else. */
export const USER_COLUMNS = `u.user_id, u.id AS user_uuid, u.external_id, u.is_active, u.display_name,
  u.created_at AS user_created_at, u.updated_at AS user_updated_at`;

/** The user of a row with {@link USER_COLUMNS} (section 2.2). */
export function toUser(row: Row) {
  return {
    id: text(row, 'user_uuid'),
    user_id: int(row, 'user_id'),
    external_id: text(row, 'external_id'),
    is_active: flag(row, 'is_active'),
    display_name: text(row, 'display_name'),
    created_at: text(row, 'user_created_at'),
    updated_at: text(row, 'user_updated_at'),
  };
}

/** All users of the request or, when one of them cannot be created, none; the settings know other services too. */
export const createUsers: Handler<'create-users'> = (context, { body: { users } }) => {
  checkBatch(context.settings, 'users', users.length);
  const { created, answered } = writeUsers(context, users);
  return {
    message: `${created.length} users created`,
    data: answered.flatMap((id) => readUser(context.store, id) ?? []),
    records: created,
  };
};

const ORDERS: Readonly<Record<Settings['users_order'], string | undefined>> = {
  created: undefined,
  newest: '$.key DESC',
  updated: '$.updated_at DESC, $.key DESC',
};

/** Section 2.2, in the order of creation unless the settings say otherwise. */
export const listUsers: Handler<'list-users'> = (context, { query }) => {
  const { users_page, users_order } = context.settings;
  if (query.page !== undefined && users_page === 'refused') {
    throw new Refusal(400, 'page: GET /user takes no query');
  }
  const listing = {
    table: 'users',
    as: 'u',
    key: 'user_id',
    select: USER_COLUMNS,
    order: ORDERS[users_order],
    whole: users_page === 'whole',
  };
  const page = users_page === 'honoured' ? (query.page ?? 1) : 1;
  return { message: 'Users', ...listPage(context, listing, page, toUser) };
};

function readUser(store: Store, id: string) {
  return store.get(`SELECT ${USER_COLUMNS} FROM users u WHERE u.id = ?`, [id], toUser);
}

/** Changes the given fields alone; a request that gives none changes nothing, not even updated_at. */
export const updateUser: Handler<'update-user'> = ({ store, season }, { body }) => {
  const id = body.id.toLowerCase();
  if (body.display_name !== undefined || body.is_active !== undefined) {
    store.run(
      `UPDATE users SET display_name = coalesce(?, display_name), is_active = coalesce(?, is_active), updated_at = ?
       WHERE id = ?`,
      ...[body.display_name ?? null, body.is_active === undefined ? null : Number(body.is_active)],
      ...[season.now(), id],
    );
  }
  const user = readUser(store, id);
  if (user === undefined) throw unknownId('id', 'user', body.id);
  return { message: 'User updated', data: user };
};
