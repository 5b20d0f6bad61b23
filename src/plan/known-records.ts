import type { MiniLeague } from '../contract/resources/mini-leagues.ts';
import type { SquadListElement } from '../contract/resources/squads.ts';
import type { User } from '../contract/resources/users.ts';
import type { Fields } from '../model/tables/cell.ts';
import type { KnownRecord } from '../model/state/run-rows.ts';
import { digestFields, digestOf } from './digest.ts';

/** A record with its values, as a live list shows it and a plan prints it. */
export function known(key: string, id: string | null, number: number | null, fields: Fields): KnownRecord {
  return { key, id, number, digests: digestFields(fields), values: fields };
}

/** A record as the state remembers it: digests of every field, values only where they name nobody. */
export function remembered(record: KnownRecord): KnownRecord {
  const values = Object.fromEntries(
    Object.entries(record.values).filter(([, value]) => typeof value !== 'string'),
  );
  return { ...record, values };
}

/** A record with what was known before of the fields that it does not say. */
export const mergedOver = (before: KnownRecord | undefined, record: KnownRecord): KnownRecord => ({
  ...record,
  digests: { ...before?.digests, ...record.digests },
  values: { ...before?.values, ...record.values },
});

/** A record as the answer to a write shows it, with what was sent and is shown with another value; `before` is what was known of it. */
export function asAnswered(before: KnownRecord | undefined, record: KnownRecord, sent: Fields): KnownRecord {
  const kept = Object.entries(sent).flatMap(([name, value]) => {
    const [digest, shown] = [digestOf(value), record.digests[name]];
    if (shown === undefined || shown === digest) return [];
    const last = before?.keptOtherwise?.[name];
    const times = last?.sent === digest && last.shown === shown ? last.times + 1 : 1;
    return [[name, { sent: digest, shown, times }] as const];
  });
  const known = before === undefined ? record : keptAsBefore(before, record);
  if (kept.length === 0) return known;
  return { ...known, keptOtherwise: { ...known.keptOtherwise, ...Object.fromEntries(kept) } };
}

/** A record that is read again, with the fields that were kept otherwise and show the same still. */
export function keptAsBefore(before: KnownRecord, record: KnownRecord): KnownRecord {
  if (before.keptOtherwise === undefined) return record;
  const kept = Object.entries(before.keptOtherwise).filter(
    ([name, { shown }]) => record.digests[name] === shown,
  );
  return kept.length === 0 ? record : { ...record, keptOtherwise: Object.fromEntries(kept) };
}

/** One answer may be late, or show what somebody else wrote meanwhile. */
const SURE_TIMES = 2;

/** Whether sending a field again would change nothing: several answers to the same change showed what the record shows now. */
export function isKeptOtherwise(record: KnownRecord, name: string, fields: Fields): boolean {
  const kept = record.keptOtherwise?.[name];
  if (kept === undefined || kept.times < SURE_TIMES) return false;
  return kept.shown === record.digests[name] && kept.sent === digestOf(fields[name]);
}

/** A user with the values that a plan prints. */
export function knownUser(user: User): KnownRecord {
  return known(user.external_id.normalize('NFC'), user.id, user.user_id ?? null, userFields(user));
}

function userFields(user: User): Fields {
  return {
    external_id: user.external_id.normalize('NFC'),
    ...(typeof user.display_name === 'string' ? { display_name: user.display_name.normalize('NFC') } : {}),
    ...(typeof user.is_active === 'boolean' ? { is_active: user.is_active } : {}),
  };
}

/** A squad of the list; undefined when the list does not say whose it is. It does not show the players. */
export function knownSquad({ id, name, user, fantasy_league }: SquadListElement): KnownRecord | undefined {
  const [league, user_id] = [fantasy_league?.id, user?.user_id];
  if (typeof league !== 'number' || typeof user_id !== 'number' || typeof name !== 'string') return undefined;
  const own = name.normalize('NFC');
  const fields = { fantasy_league_id: league, user_id, name: own };
  return known(`${league}/${user_id}/${own}`, id, null, fields);
}

/** A mini league of the list; undefined when the list does not say where it is. Nothing says which field holds the type that was sent. */
export function knownMiniLeague({ id, name, fantasy_league }: MiniLeague): KnownRecord | undefined {
  const league = fantasy_league?.id;
  if (typeof league !== 'number' || typeof name !== 'string') return undefined;
  const own = name.normalize('NFC');
  return known(`${league}/${own}`, String(id), id, { fantasy_league_id: league, name: own });
}

/** The number that a created record is referred to by elsewhere, where its id is one. */
export const numberOf = (id: string | null): number | null =>
  id !== null && /^\d{1,15}$/.test(id) ? Number(id) : null;
