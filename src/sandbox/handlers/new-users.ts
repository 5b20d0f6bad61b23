import { randomUUID } from 'node:crypto';
import type { BodyOf } from '../../contract/index.ts';
import type { Context } from '../context.ts';
import { HalfDone, Refusal } from '../refusal.ts';
import { text, type Store } from '../store/store.ts';
import { spellKey } from '../spell.ts';
import type { Settings } from '../switches.ts';

type NewUser = BodyOf<'create-users'>['users'][number];

/** Ids of users (section 2.2). */
interface Written {
  /** Those that were created or changed, in order. */
  readonly created: readonly string[];
  /** Those that the answer shows, in its order. */
  readonly answered: readonly string[];
}

/**
 * Writes a batch of users, and treats an external_id that is known, in the batch or before, as the settings ask.
 * @throws Refusal 400 for an empty external_id, 409 (or 400) for a known one, 403 (or 429) beyond the quota. Of a refused batch nothing is kept,
 * unless the settings leave it half done: then the rows before the bad one stay.
 */
export function writeUsers(context: Context, users: readonly NewUser[]): Written {
  const isHalfDone = context.settings.batch_failure === 'half_done';
  if (!isHalfDone) context.limits.reserve('users', countNew(context, users));
  const created: string[] = [];
  const answered: string[] = [];
  for (const [index, user] of users.entries()) {
    try {
      if (isHalfDone) context.limits.reserve('users', 1);
      const { id, isWritten } = writeUser(context, user, index, users);
      if (isWritten && id !== undefined) created.push(id);
      if (id !== undefined) answered.push(id);
    } catch (cause) {
      if (isHalfDone && cause instanceof Refusal && created.length > 0) throw new HalfDone(cause, created);
      throw cause;
    }
  }
  if (context.settings.repeated_external_id === 'partial' && created.length < users.length) {
    const refused = new Refusal(409, `users: ${users.length - created.length} of them are known already`);
    throw new HalfDone(refused, created);
  }
  return { created, answered: answerOf(context, created, answered) };
}

/** How many users more a batch asks for, when each of its external_ids is taken once. */
function countNew({ store, settings }: Context, users: readonly NewUser[]): number {
  if (['conflict', 'refused', 'duplicate'].includes(settings.repeated_external_id)) return users.length;
  const keys = new Set(users.map((user) => uniqueKey(user.external_id, settings)));
  return [...keys].filter((key) => findUser(store, settings, key) === undefined).length;
}

interface OneWritten {
  /** Undefined for a user that the answer leaves out. */
  readonly id: string | undefined;
  readonly isWritten: boolean;
}

function writeUser(context: Context, user: NewUser, index: number, users: readonly NewUser[]): OneWritten {
  const { store, season, settings } = context;
  const { external_id: key, display_name } = user;
  const field = `users[${index}].external_id`;
  if (key === '') throw new Refusal(400, `${field}: must not be empty`);
  const known = findUser(store, settings, key);
  if (known === undefined || settings.repeated_external_id === 'duplicate') {
    return { id: insertUser(store, user, season.now()), isWritten: true };
  }
  switch (settings.repeated_external_id) {
    case 'conflict':
    case 'refused': {
      const first = users.findIndex(
        (other) => uniqueKey(other.external_id, settings) === uniqueKey(key, settings),
      );
      const whose = first < index ? `is also that of users[${first}]` : 'already belongs to a user';
      const status = settings.repeated_external_id === 'conflict' ? 409 : 400;
      throw new Refusal(status, `${field}: ${JSON.stringify(key)} ${whose}`);
    }
    case 'partial':
    case 'skip':
      return { id: undefined, isWritten: false };
    case 'existing':
      return { id: known, isWritten: false };
    case 'merge':
      store.run(
        'UPDATE users SET display_name = ?, updated_at = ? WHERE id = ?',
        ...[display_name, season.now(), known],
      );
      return { id: known, isWritten: true };
  }
}

/** What must not come twice. */
const uniqueKey = (key: string, settings: Settings): string =>
  settings.key_unique === 'shown' ? spellKey(key, settings) : key;

function findUser(store: Store, settings: Settings, key: string): string | undefined {
  if (settings.key_unique === 'sent') {
    const sql = 'SELECT id FROM users WHERE external_id = ? ORDER BY user_id LIMIT 1';
    return store.get(sql, [key], (row) => text(row, 'id'));
  }
  const sql = 'SELECT id, external_id FROM users ORDER BY user_id';
  const users = store.all(sql, [], (row) => ({ id: text(row, 'id'), key: text(row, 'external_id') }));
  return users.find((user) => uniqueKey(user.key, settings) === uniqueKey(key, settings))?.id;
}

function insertUser(store: Store, { external_id, display_name }: NewUser, now: string): string {
  const id = randomUUID();
  store.run('INSERT INTO users VALUES (NULL, ?, ?, ?, 1, ?, ?)', id, external_id, display_name, now, now);
  return id;
}

/** What the service shows of what it did. */
function answerOf(
  { store, settings }: Context,
  created: readonly string[],
  answered: readonly string[],
): readonly string[] {
  switch (settings.batch_answer satisfies Settings['batch_answer']) {
    case 'sent':
      return answered;
    case 'reversed':
      return answered.toReversed();
    case 'fewer':
      return answered.slice(0, Math.ceil(answered.length / 2));
    case 'older': {
      const older = store.get('SELECT id FROM users ORDER BY user_id LIMIT 1', [], (row) => text(row, 'id'));
      return older === undefined || created.includes(older) ? answered : [older, ...answered];
    }
  }
}
