import type { Endpoint } from '../contract/endpoint.ts';
import { paging } from '../contract/envelope.ts';
import { shapeOf } from '../contract/field.ts';
import type { FieldType, Shape } from '../contract/field.ts';
import { count } from './tally.ts';
import type { Tally } from './tally.ts';

/** Records that are looked at in one answer, and elements in a list inside of one. */
const MOST_RECORDS = 50;
const MOST_ELEMENTS = 5;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The fields of section 2.15, whose values the interface does not show, where answers hold them; and the text of a week. */
const ENUMERATED: ReadonlySet<string> = new Set([
  'tier',
  'state',
  'window',
  'rank_system',
  'style',
  'result',
  'txn_type',
  'action',
  'chip',
  'week',
]);

/** Of these, numbers stand for a week or a score: one word for all of them. */
const NUMBERED: ReadonlySet<string> = new Set(['week', 'result']);

/** What was met at one place of the records of an operation. */
interface Place {
  readonly name: string;
  readonly path: string;
  readonly kind: Shape['kind'];
  readonly type: FieldType | undefined;
  /** Of an object its fields, of a list the one place of its elements. */
  readonly inner: readonly Place[];
  readonly names: ReadonlySet<string>;
  absent: number;
  nulls: number;
  readonly odd: Map<string, number>;
  /** The values, where they are enumerated. */
  readonly values: Map<string, number> | undefined;
  /** Fields that the interface does not know. */
  readonly extra: Map<string, number>;
}

function placeOf(shape: Shape, name: string, path: string, operation: string): Place {
  const within = (child: string): string => (path === '' ? child : `${path}.${child}`);
  const inner =
    shape.kind === 'object'
      ? Object.entries(shape.fields).map(([child, of]) => placeOf(of, child, within(child), operation))
      : shape.kind === 'list'
        ? [placeOf(shape.element, name, `${path}[]`, operation)]
        : [];
  const type = shape.kind === 'leaf' ? shape.type : undefined;
  const enumerated = ENUMERATED.has(name) || (name === 'status' && operation === 'get-fixtures');
  return {
    ...{ name, path, type, inner, kind: shape.kind, absent: 0, nulls: 0 },
    names: new Set(inner.map((child) => child.name)),
    odd: new Map(),
    values: enumerated && type === 'text' ? new Map() : undefined,
    extra: new Map(),
  };
}

/** Numbers in a name may count records or name them: only that there is one is kept. */
const withoutDigits = (text: string): string => text.replace(/\d+/g, '#');

/** Whether a word may be a field's name and not something about a person; used for whatever is not of the interface. */
export const fieldName = (name: string): string =>
  /^[a-z_][\w-]{0,39}$/i.test(name) ? withoutDigits(name) : '(another name)';

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'a text';
    case 'number':
      return Number.isInteger(value) ? 'a whole number' : 'a number with decimals';
    case 'boolean':
      return 'true or false';
    default:
      return value === null ? 'null' : 'an object';
  }
}

const isDigits = (text: string): boolean => /^-?\d+(?:\.\d+)?$/.test(text);

const digitsOr = (value: unknown): string =>
  typeof value === 'string' && isDigits(value) ? 'a number as text' : kindOf(value);

/** How a value differs from what the contract says of it; undefined when it does not. */
function difference(type: FieldType | undefined, value: unknown): string | undefined {
  switch (type) {
    case 'text':
    case 'datetime':
      return typeof value === 'string' ? undefined : kindOf(value);
    case 'integer':
      return Number.isInteger(value) ? undefined : digitsOr(value);
    case 'number':
      return typeof value === 'number' ? undefined : digitsOr(value);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : kindOf(value);
    case 'uuid':
      if (typeof value !== 'string') return kindOf(value);
      return UUID.test(value) ? undefined : 'a text that is no UUID';
    case 'json':
    case undefined:
      return undefined;
  }
}

const ISO = /^\d{4}-\d\d-\d\d([T ])\d\d:\d\d(?::\d\d(?:\.(\d+))?)?(Z|[+-]\d\d:?\d\d)?$/;

/** How a time is written. */
function timeFormat(text: string): string {
  const found = ISO.exec(text);
  if (found === null) return 'not ISO 8601';
  const [, between = 'T', fraction, zone] = found;
  const seconds = fraction === undefined ? 'whole seconds' : `${fraction.length} decimals of a second`;
  const where = zone === undefined ? 'no zone' : zone === 'Z' ? 'Z' : 'an offset';
  return `${seconds}, ${where}${between === 'T' ? '' : ', a blank for T'}`;
}

type Raw = Readonly<Record<string, unknown>>;

/** Compares the raw records of answers with the contract: what differs is counted where it stands, in bounded memory. */
export class RecordObserver {
  readonly #places = new Map<string, Place>();
  /** By operation, what its values are named after. */
  readonly #segments = new Map<string, string>();
  /** By length, last character and the character between day and hour: the format, and how often. */
  readonly #times = new Map<number, { readonly format: string; times: number }>();

  /** Looks at the first records of an answer. */
  data(operation: string, endpoint: Endpoint, data: unknown): void {
    const place = this.#placeOf(operation, endpoint);
    if (!endpoint.list) this.#look(place, data);
    else if (Array.isArray(data)) for (const record of data.slice(0, MOST_RECORDS)) this.#look(place, record);
    else count(place.odd, kindOf(data));
  }

  paging(operation: string, value: unknown): void {
    let place = this.#places.get(`${operation} paging`);
    if (place === undefined) {
      place = placeOf(shapeOf(paging), 'paging', 'paging', operation);
      this.#places.set(`${operation} paging`, place);
    }
    this.#lookOrMiss(place, value);
  }

  /** Adds everything that was met to the tally and starts again. */
  empty(tally: Tally): void {
    for (const [key, place] of this.#places) {
      const [operation = ''] = key.split(' ');
      this.#emptyPlace(operation, place, tally);
    }
    for (const { format, times } of this.#times.values())
      tally.add('time_format', 'timestamps', format, times);
    this.#times.clear();
  }

  #placeOf(operation: string, endpoint: Endpoint): Place {
    let place = this.#places.get(operation);
    if (place === undefined) {
      place = placeOf(shapeOf(endpoint.record), '', '', operation);
      this.#places.set(operation, place);
      this.#segments.set(operation, lastSegment(endpoint));
    }
    return place;
  }

  #lookOrMiss(place: Place, value: unknown): boolean {
    if (value === undefined) {
      place.absent += 1;
      return false;
    }
    if (value === null) place.nulls += 1;
    else this.#look(place, value);
    return true;
  }

  #look(place: Place, value: unknown): void {
    if (place.kind === 'leaf') this.#lookAtLeaf(place, value);
    else if (Array.isArray(value) !== (place.kind === 'list') || typeof value !== 'object' || value === null)
      count(place.odd, kindOf(value));
    else if (Array.isArray(value)) this.#lookAtElements(place, value, MOST_ELEMENTS);
    else this.#lookAtFields(place, value as Raw);
  }

  #lookAtElements(list: Place, values: readonly unknown[], most: number): void {
    const [element] = list.inner;
    if (element === undefined) return;
    const end = Math.min(values.length, most);
    for (let at = 0; at < end; at += 1) this.#look(element, values[at]);
  }

  #lookAtFields(place: Place, fields: Raw): void {
    let met = 0;
    for (const child of place.inner) if (this.#lookOrMiss(child, fields[child.name])) met += 1;
    for (const _name in fields) met -= 1;
    if (met === 0) return;
    for (const name in fields) if (!place.names.has(name)) count(place.extra, fieldName(name));
  }

  #lookAtLeaf(place: Place, value: unknown): void {
    const differs = difference(place.type, value);
    if (differs !== undefined) count(place.odd, differs);
    else if (typeof value !== 'string') return;
    else if (place.type === 'datetime') this.#time(value);
    else if (place.values !== undefined)
      count(place.values, NUMBERED.has(place.name) ? withoutDigits(value) : value);
  }

  #time(text: string): void {
    const look =
      (text.length * 128 + (text.charCodeAt(text.length - 1) % 128)) * 128 + (text.charCodeAt(10) % 128);
    const known = this.#times.get(look);
    if (known !== undefined) known.times += 1;
    else if (this.#times.size < MOST_RECORDS) this.#times.set(look, { format: timeFormat(text), times: 1 });
  }

  #emptyPlace(operation: string, place: Place, tally: Tally): void {
    const at = `${operation} ${place.path}`.trimEnd();
    const differs = (value: string, times: number): void => {
      if (times > 0) tally.add('field', at, value, times);
    };
    differs('absent', place.absent);
    differs('null', place.nulls);
    place.absent = 0;
    place.nulls = 0;
    for (const [value, times] of place.odd) differs(value, times);
    place.odd.clear();
    for (const [name, times] of place.extra)
      tally.add('extra_field', operation, place.path === '' ? name : `${place.path}.${name}`, times);
    place.extra.clear();
    for (const [value, times] of place.values ?? [])
      tally.add('value', `${this.#segments.get(operation) ?? operation} ${place.name}`, value, times);
    place.values?.clear();
    for (const inner of place.inner) this.#emptyPlace(operation, inner, tally);
  }
}

/** `mini-league` of `/mini-league/{id}`: what the values of a field are named after, whichever operation showed them. */
function lastSegment({ path }: Pick<Endpoint, 'path'>): string {
  return path.split('/').findLast((part) => part !== '' && part !== '{id}') ?? path;
}
