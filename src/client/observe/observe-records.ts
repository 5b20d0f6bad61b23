import type { Endpoint } from '../../contract/endpoint.ts';
import { paging } from '../../contract/envelope.ts';
import { shapeOf, type FieldType, type Shape } from '../../contract/field.ts';
import type { Tally } from './tally.ts';

/** Records that are looked at in one answer, and elements in a list inside of one. */
const MOST_RECORDS = 20;
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

/** What is looked at: the operation that answered, and what the values of its enumerated fields are named after. */
interface Answer {
  readonly operation: string;
  readonly segment: string;
}

/** A place in the records of an answer. */
interface Place {
  readonly name: string;
  readonly path: string;
}

/** Compares the raw records of answers with the contract and counts what differs where it stands. */
export class RecordObserver {
  readonly #tally: Tally;
  readonly #shapes = new Map<Endpoint, Shape>();
  readonly #paging = shapeOf(paging);

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  /** Looks at the first records of an answer. */
  data(operation: string, endpoint: Endpoint, data: unknown): void {
    const shape = this.#shapes.get(endpoint) ?? shapeOf(endpoint.record);
    this.#shapes.set(endpoint, shape);
    const answer = { operation, segment: lastSegment(endpoint) };
    const place = { name: '', path: '' };
    if (!endpoint.list) this.#look(answer, place, shape, data);
    else if (!Array.isArray(data)) this.#differs(answer, place, kindOf(data));
    else for (const record of data.slice(0, MOST_RECORDS)) this.#look(answer, place, shape, record);
  }

  paging(operation: string, value: unknown): void {
    this.#lookAtField(
      { operation, segment: operation },
      { name: 'paging', path: 'paging' },
      this.#paging,
      value,
    );
  }

  #differs({ operation }: Answer, { path }: Place, how: string): void {
    this.#tally.add('field', `${operation} ${path}`.trimEnd(), how);
  }

  #lookAtField(answer: Answer, place: Place, shape: Shape, value: unknown): void {
    if (value === undefined) this.#differs(answer, place, 'absent');
    else if (value === null) this.#differs(answer, place, 'null');
    else this.#look(answer, place, shape, value);
  }

  #look(answer: Answer, place: Place, shape: Shape, value: unknown): void {
    if (shape.kind === 'leaf') this.#lookAtLeaf(answer, place, shape.type, value);
    else if (typeof value !== 'object' || value === null || Array.isArray(value) !== (shape.kind === 'list'))
      this.#differs(answer, place, kindOf(value));
    else if (shape.kind === 'object') this.#lookAtFields(answer, place, shape.fields, value as Raw);
    else
      for (const element of (value as readonly unknown[]).slice(0, MOST_ELEMENTS))
        this.#look(answer, { name: place.name, path: `${place.path}[]` }, shape.element, element);
  }

  #lookAtFields(answer: Answer, { path }: Place, fields: Readonly<Record<string, Shape>>, record: Raw): void {
    const within = (name: string): string => (path === '' ? name : `${path}.${name}`);
    for (const [name, shape] of Object.entries(fields))
      this.#lookAtField(answer, { name, path: within(name) }, shape, record[name]);
    for (const name of Object.keys(record))
      if (!Object.hasOwn(fields, name))
        this.#tally.add('extra_field', answer.operation, within(fieldName(name)));
  }

  #lookAtLeaf(answer: Answer, place: Place, type: FieldType, value: unknown): void {
    const how = difference(type, value);
    if (how !== undefined) this.#differs(answer, place, how);
    else if (typeof value !== 'string') return;
    else if (type === 'datetime') this.#tally.add('time_format', 'timestamps', timeFormat(value));
    else if (type === 'text' && isEnumerated(answer, place))
      this.#tally.add(
        'value',
        `${answer.segment} ${place.name}`,
        NUMBERED.has(place.name) ? withoutDigits(value) : value,
      );
  }
}

const isEnumerated = ({ operation }: Answer, { name }: Place): boolean =>
  ENUMERATED.has(name) || (name === 'status' && operation === 'get-fixtures');

/** `mini-league` of `/mini-league/{id}`: what the values of a field are named after, whichever operation showed them. */
function lastSegment({ path }: Pick<Endpoint, 'path'>): string {
  return path.split('/').findLast((part) => part !== '' && part !== '{id}') ?? path;
}
