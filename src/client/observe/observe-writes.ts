import type { OperationId } from '../../contract/index.ts';
import type { HttpRequest } from '../../model/ports.ts';
import { parseTimeMs } from '../../model/time/service-time.ts';
import type { Tally } from './tally.ts';

/** Users whose external_id is remembered within one command. */
const MOST_USERS = 20_000;
/** A user that was made so long before the answer's latest change was not made by the request; the service's own clock tells both. */
const KNOWN_BEFORE_MS = 300_000;

type Raw = Readonly<Record<string, unknown>>;

/** The fields of an object; none of anything else. */
export const fieldsOf = (value: unknown): Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Raw) : {};

/** The number that a value is or spells; NaN for anything else. */
export const numberOf = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
    ? Number(value)
    : Number.NaN;

const listOf = (value: unknown): readonly Raw[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

const bodyOf = ({ body }: HttpRequest): Raw => (body === undefined ? {} : fieldsOf(JSON.parse(body)));

/** What answers to writes tell, held against what was sent. */
export class WriteObserver {
  readonly #tally: Tally;
  /** The id of a user by its external_id, as lists and answers showed it. */
  readonly #users = new Map<string, string>();
  /** The reference of the last upload, and whether a record of the log showed it since. */
  #reference: { readonly text: string; shown: boolean } | undefined;

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  /** A user that a list shows. Two records of one external_id are a second user. */
  user(record: unknown): void {
    const { id, external_id } = fieldsOf(record);
    if (typeof id !== 'string' || typeof external_id !== 'string') return;
    const known = this.#users.get(external_id);
    if (known === undefined) {
      if (this.#users.size < MOST_USERS) this.#users.set(external_id, id);
    } else if (known !== id) {
      this.#tally.add('repeated_key', 'create-users', 'stands twice: a second user was made');
      this.#users.set(external_id, id);
    }
  }

  /** A record of the price log. */
  price(record: unknown): void {
    const reference = this.#reference;
    if (reference !== undefined && fieldsOf(record).txn_ref === reference.text) reference.shown = true;
  }

  /** The whole price log was read. */
  pricesListed(): void {
    if (this.#reference === undefined) return;
    const how = this.#reference.shown
      ? 'is the txn_ref of its records'
      : 'is in no record of the log that was read after it';
    this.#tally.add('price_reference', 'upload-prices', how);
    this.#reference = undefined;
  }

  applied(operation: OperationId, request: HttpRequest, data: unknown): void {
    const body = bodyOf(request);
    switch (operation) {
      case 'create-users':
        this.#usersCreated(listOf(body.users), listOf(data));
        return;
      case 'upload-prices':
        this.#pricesUploaded(listOf(body.prices), fieldsOf(data));
        return;
      case 'create-mini-league':
        if (typeof body.type === 'string') this.#tally.add('value', 'mini-league type, as sent', body.type);
        return;
      case 'trigger-auto-substitution': {
        const events = numberOf(fieldsOf(data).events);
        if (!Number.isNaN(events))
          this.#tally.add('trigger_events', operation, events === 0 ? '0' : 'more than 0');
        return;
      }
      default:
    }
  }

  /** `status` is the one that the answer means. */
  refused(operation: OperationId, request: HttpRequest, status: number, body: string): void {
    if (operation !== 'create-users' && operation !== 'upload-prices') return;
    const sent = bodyOf(request);
    const rows = listOf(operation === 'create-users' ? sent.users : sent.prices);
    if (status === 413) this.#tally.add('batch_refused', operation, String(rows.length));
    if (operation !== 'create-users') return;
    const named = rows.some(
      ({ external_id }) =>
        typeof external_id === 'string' &&
        external_id !== '' &&
        body.includes(JSON.stringify(external_id).slice(1, -1)),
    );
    const says = /exist|already|belongs|taken|duplicate|unique/i.test(body);
    if (status === 409 || (status >= 400 && status < 500 && named && says))
      this.#tally.add('repeated_key', operation, `refused with ${status}${named ? ', which names it' : ''}`);
  }

  #usersCreated(sent: readonly Raw[], answered: readonly Raw[]): void {
    const tally = this.#tally;
    tally.add('batch_taken', 'create-users', String(sent.length));
    const at = new Map(sent.map(({ external_id }, index) => [external_id, index]));
    const places = answered.map(({ external_id }) => at.get(external_id) ?? -1);
    const found = places.filter((place) => place !== -1);
    if (sent.length > 1 || found.length !== sent.length) {
      const inOrder = found.every((place, index) => index === 0 || place > (found[index - 1] ?? -1));
      const how =
        found.length < sent.length ? 'fewer than sent' : inOrder ? 'in the order sent' : 'in another order';
      tally.add('batch_answer', 'create-users', how);
    }
    if (found.length < places.length) tally.add('batch_answer', 'create-users', 'others beside those sent');
    this.#knownKeys(sent, answered);
  }

  #knownKeys(sent: readonly Raw[], answered: readonly Raw[]): void {
    const byKey = new Map(answered.map((record) => [record.external_id, record]));
    const latestMs = Math.max(...answered.map(({ updated_at }) => timeOf(updated_at)).filter((ms) => ms > 0));
    for (const { external_id, display_name } of sent) {
      if (typeof external_id !== 'string') continue;
      const record = byKey.get(external_id);
      const known = this.#users.get(external_id);
      const isOld = timeOf(record?.created_at) < latestMs - KNOWN_BEFORE_MS;
      if (known === undefined && !isOld) continue;
      this.#tally.add('repeated_key', 'create-users', howKnown(record, known, display_name));
    }
    for (const record of answered) {
      const { id, external_id } = record;
      if (typeof id === 'string' && typeof external_id === 'string' && this.#users.size < MOST_USERS)
        this.#users.set(external_id, id);
    }
  }

  #pricesUploaded(sent: readonly Raw[], { count, reference }: Raw): void {
    const tally = this.#tally;
    tally.add('batch_taken', 'upload-prices', String(sent.length));
    for (const { type } of sent.slice(0, 1))
      if (typeof type === 'string') tally.add('value', 'price type, as sent', type);
    const taken = numberOf(count);
    if (!Number.isNaN(taken)) {
      const how =
        taken === sent.length ? 'as sent' : taken < sent.length ? 'fewer than sent' : 'more than sent';
      tally.add('price_count', 'upload-prices', how);
    }
    if (typeof reference === 'string') this.#reference = { text: reference, shown: false };
  }
}

const timeOf = (value: unknown): number => (typeof value === 'string' ? parseTimeMs(value) : Number.NaN);

function howKnown(record: Raw | undefined, known: string | undefined, sentName: unknown): string {
  if (record === undefined) return 'left out of the answer';
  if (known !== undefined && record.id !== known) return 'a second user is made';
  return record.display_name === sentName
    ? 'the known user is answered, with the name that was sent'
    : 'the known user is answered, with its own name';
}
