import { FEATURES, type Endpoint } from '../../contract/endpoint.ts';
import type { Envelope } from '../../contract/envelope.ts';
import { endpoints, type OperationId } from '../../contract/index.ts';
import { RATE_WINDOWS, windowLengthMs } from '../../model/budget.ts';
import type { Sighting } from '../../model/state/learnt.ts';
import type { HttpRequest, HttpResponse } from '../../model/ports.ts';
import type { Ledger } from '../budget/ledger.ts';
import { isSuccess } from '../classify.ts';
import { parseEnvelope } from '../envelope.ts';
import { listSightings, type ListReading } from './observe-list.ts';
import { fieldName, RecordObserver } from './observe-records.ts';
import { fieldsOf, numberOf, WriteObserver } from './observe-writes.ts';
import { parseTimeMs } from '../../model/time/service-time.ts';
import { Tally } from './tally.ts';

/** What the budget finds out about the account call and the rate windows. */
export type BudgetFindings = Pick<Ledger, 'cost' | 'windows'>;

const ENVELOPE: ReadonlySet<string> = new Set(['statusCode', 'message', 'data', 'paging']);
const TOO_MANY = 429;
const MOST_KEYS = 8;

/**
 * Learns from answers what the interface leaves open; nothing is asked for it. It keeps names of fields, words of the enumerated fields and
 * numbers of the protocol, never another value of a record, in bounded memory. What it makes of an answer changes nothing of what becomes of it.
 */
export class Observer {
  readonly #tally = new Tally();
  readonly #records = new RecordObserver(this.#tally);
  readonly #writes = new WriteObserver(this.#tally);
  #budget: BudgetFindings | undefined;
  #accountId: string | undefined;

  /** The account that the answers came from, as the state names it; undefined until it was read. */
  get accountId(): string | undefined {
    return this.#accountId;
  }

  /** Where the findings about the budget come from. */
  watch(budget: BudgetFindings): void {
    this.#budget = budget;
  }

  /** An answer that says yes. */
  applied(operation: OperationId, request: HttpRequest, response: HttpResponse, envelope: Envelope): void {
    const endpoint: Endpoint = endpoints[operation];
    const { status } = response;
    const { statusCode, data } = envelope;
    const disagrees = statusCode === status ? '' : `, ${statusCode} in the envelope`;
    this.#tally.add('status', operation, `${status}${disagrees}`);
    for (const name in envelope)
      if (!ENVELOPE.has(name))
        this.#tally.add('extra_field', operation, `${fieldName(name)} of the envelope`);
    if (endpoint.paged) this.#records.paging(operation, envelope.paging);
    this.#records.data(operation, endpoint, data);
    if (endpoint.method !== 'GET') this.#writes.applied(operation, request, data);
    else this.#read(operation, request, response, data);
  }

  /** An answer that says no, or nothing that can be trusted. */
  refused(operation: OperationId, request: HttpRequest, response: HttpResponse): void {
    const { headers } = response;
    const { shape, status } = bodyOf(response);
    this.#tally.add('refusal', operation, `${response.status}, ${shape}`);
    if (status === TOO_MANY)
      this.#tally.add('retry_after', 'with 429', retryAfterKind(headers['retry-after']));
    const asked = operation === 'get-points-config' ? lastSegmentOf(request) : undefined;
    if (asked !== undefined && status >= 400 && status < 500 && status !== TOO_MANY)
      this.#tally.add(
        'points_config_id',
        operation,
        `${/^\d+$/.test(asked) ? 'a number' : 'another id'} is refused with ${status}`,
      );
    this.#writes.refused(operation, request, status, response.body);
  }

  /** One read of a list, from its first page to wherever it ended. */
  listed(operation: OperationId, reading: ListReading): void {
    for (const [topic, value] of listSightings(reading)) this.#tally.add(topic, operation, value);
    if (operation === 'list-prices' && reading.problem === undefined) this.#writes.pricesListed();
  }

  /** `page` was refused where the first page without it was answered. */
  pageRefused(operation: OperationId, status: number): void {
    this.#tally.add('page', operation, `refused with ${status}`);
  }

  /** Everything that was seen since the last time. */
  take(): readonly Sighting[] {
    this.#lookAtBudget();
    return this.#tally.take();
  }

  #read(operation: OperationId, request: HttpRequest, response: HttpResponse, data: unknown): void {
    switch (operation) {
      case 'get-account':
        this.#account(fieldsOf(data), response);
        return;
      case 'list-users':
        if (Array.isArray(data)) for (const user of data) this.#writes.user(user);
        return;
      case 'list-prices':
        if (Array.isArray(data)) for (const record of data) this.#writes.price(record);
        return;
      case 'get-points-config':
        this.#pointsConfig(lastSegmentOf(request), fieldsOf(data));
        return;
      default:
    }
  }

  #account(account: Readonly<Record<string, unknown>>, { headers }: HttpResponse): void {
    const { id } = account;
    if (typeof id === 'string') this.#accountId = id.toLowerCase();
    const { features, rate_limit } = fieldsOf(account.config);
    for (const name of FEATURES) {
      const { max, remaining, is_blocked } = fieldsOf(fieldsOf(features)[name]);
      const free = is_blocked !== true && [max, remaining].some((value) => numberOf(value) <= 0);
      if (free)
        this.#tally.add(
          'value',
          'account quota',
          `max ${signOf(max)}, remaining ${signOf(remaining)}, not blocked`,
        );
    }
    const answeredMs = parseTimeMs(headers['date'] ?? '');
    for (const name of RATE_WINDOWS) {
      const { reset_at, window } = fieldsOf(fieldsOf(rate_limit)[name]);
      if (typeof reset_at !== 'string' || Number.isNaN(answeredMs)) continue;
      const leftMs = parseTimeMs(reset_at) - answeredMs;
      const lengthMs = windowLengthMs(name, typeof window === 'string' ? window : undefined);
      // The header has whole seconds.
      const how =
        leftMs < 0
          ? 'past'
          : leftMs > lengthMs + 1000
            ? 'further away than the window is long'
            : 'within the window';
      this.#tally.add('reset_at', name, Number.isNaN(leftMs) ? 'no time' : how);
    }
  }

  #pointsConfig(asked: string, { id, fantasy_league_id }: Readonly<Record<string, unknown>>): void {
    const own = typeof id === 'string' && id.toLowerCase() === asked.toLowerCase();
    const league = numberOf(fantasy_league_id) === numberOf(asked);
    if (own !== league)
      this.#tally.add(
        'points_config_id',
        'get-points-config',
        own ? 'its own id' : 'the number of its league',
      );
  }

  #lookAtBudget(): void {
    if (this.#budget === undefined) return;
    const { cost, windows } = this.#budget;
    if (cost.counted !== undefined)
      this.#tally.add('account_call', 'get-account', cost.counted ? 'takes a request' : 'is free');
    if (cost.listed !== undefined)
      this.#tally.add(
        'account_call',
        'get-account',
        `used ${cost.listed ? 'holds' : 'does not hold'} the call itself`,
      );
    for (const { name, kind, limit, lengthMs } of windows) {
      if (kind !== 'unknown') this.#tally.add('window_kind', name, kind);
      this.#tally.add('window_limit', name, `${limit} in ${lengthMs / 1000} s`);
    }
  }
}

const signOf = (value: unknown): string => {
  const number = numberOf(value);
  return Number.isNaN(number) ? 'not stated' : number < 0 ? 'below 0' : number === 0 ? '0' : 'above 0';
};

const lastSegmentOf = ({ url }: HttpRequest): string =>
  decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '');

/** The shape of a body that says no: whether it is the envelope, which names stand in it, and the status that it means. */
function bodyOf({ status, body }: HttpResponse): { readonly shape: string; readonly status: number } {
  const parsed = parseEnvelope(body);
  if (parsed.kind === 'html') return { shape: 'HTML', status };
  if (parsed.kind === 'envelope') {
    const { statusCode } = parsed.envelope;
    const others = Object.keys(parsed.envelope).filter((name) => !ENVELOPE.has(name));
    const shape = statusCode === status ? 'the envelope' : `the envelope saying ${statusCode}`;
    return {
      shape: others.length === 0 ? shape : `${shape} with ${names(others)}`,
      status: isSuccess(status) ? statusCode : status,
    };
  }
  if (body.trim() === '') return { shape: 'an empty body', status };
  return { shape: shapeOfOther(body), status };
}

function shapeOfOther(body: string): string {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return 'text that is not JSON';
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? `JSON with ${names(Object.keys(value))}`
    : 'other JSON';
}

const names = (keys: readonly string[]): string =>
  [...new Set(keys.map(fieldName))].toSorted().slice(0, MOST_KEYS).join(', ') || 'no field';

function retryAfterKind(text: string | undefined): string {
  if (text === undefined) return 'absent';
  if (/^\s*-?\d+(\.\d+)?\s*$/.test(text)) {
    const seconds = Number(text);
    return seconds > 0 ? 'seconds' : seconds === 0 ? '0' : 'a negative number';
  }
  return Number.isNaN(parseTimeMs(text.trim())) ? 'neither a number nor a date' : 'a date';
}
