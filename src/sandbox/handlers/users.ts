import { randomUUID } from 'node:crypto';
import type { BodyOf } from '../../contract/index.ts';
import type { Context, Handler } from '../context.ts';
import { checkBatch } from '../limits.ts';
import { listPage } from '../paging.ts';
import { Refusal, unknownId } from '../refusal.ts';
import { flag, int, text } from '../store.ts';
import type { Row } from '../store.ts';

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

/** All users of the request or, when one of them cannot be created, none. */
export const createUsers: Handler<'create-users'> = (context, { body: { users } }) => {
  checkBatch(context.settings, 'users', users.length);
  checkExternalIds(context, users);
  context.limits.reserve('users', users.length);
  const now = context.season.now();
  const data = users.map(({ external_id, display_name }) => {
    const id = randomUUID();
    const user_id = context.store.run(
      'INSERT INTO users VALUES (NULL, ?, ?, ?, 1, ?, ?)',
      ...[id, external_id, display_name, now, now],
    );
    return { id, user_id, external_id, is_active: true, display_name, created_at: now, updated_at: now };
  });
  return { message: `${data.length} users created`, data };
};

function checkExternalIds({ store }: Context, users: BodyOf<'create-users'>['users']): void {
  const firstAt = new Map<string, number>();
  for (const [index, { external_id: key }] of users.entries()) {
    const field = `users[${index}].external_id`;
    if (key === '') throw new Refusal(400, `${field}: must not be empty`);
    const first = firstAt.get(key);
    if (first !== undefined) {
      throw new Refusal(409, `${field}: ${JSON.stringify(key)} is also that of users[${first}]`);
    }
    firstAt.set(key, index);
    if (store.count('SELECT count(*) AS n FROM users WHERE external_id = ?', key) > 0) {
      throw new Refusal(409, `${field}: ${JSON.stringify(key)} already belongs to a user`);
    }
  }
}

/** Section 2.2, in the order of creation. */
export const listUsers: Handler<'list-users'> = (context, { query }) => {
  const listing = { table: 'users', as: 'u', key: 'user_id', select: USER_COLUMNS };
  return { message: 'Users', ...listPage(context, listing, query.page ?? 1, toUser) };
};

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
  const user = store.get(`SELECT ${USER_COLUMNS} FROM users u WHERE u.id = ?`, [id], toUser);
  if (user === undefined) throw unknownId('id', 'user', body.id);
  return { message: 'User updated', data: user };
};
