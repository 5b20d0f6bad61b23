import type { Endpoint } from '../contract/endpoint.ts';
import { envelope as envelopeSchema, type Envelope } from '../contract/envelope.ts';
import type { RecordIssue } from '../model/service.ts';

const MAX_DEPTH = 64;

/** What a body turned out to be. `reason` completes the sentence "the service answered with …". */
export type ParsedBody =
  | { readonly kind: 'envelope'; readonly envelope: Envelope }
  | { readonly kind: 'html' | 'no_envelope'; readonly reason: string };

/** True when brackets outside strings nest deeper than `limit`; looks at each character once. */
function nestsDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 0x5c) index += 1;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}

/** The key as it may be written: any of its characters can stand as an escape from `\u005f` to `\u0074`. */
const MAY_HOLD_PROTO = /__proto__|\\u00[567]/;

/** A key named `__proto__` would become the prototype of whatever object it is copied to, so it is left out. */
function parseJson(text: string): unknown {
  return MAY_HOLD_PROTO.test(text)
    ? JSON.parse(text, (key, value: unknown) => (key === '__proto__' ? undefined : value))
    : JSON.parse(text);
}

/** The envelope of a body (section 1 of the service's interface), or what the body is instead. Never throws. */
export function parseEnvelope(body: string): ParsedBody {
  const text = body.trimStart();
  if (text === '') return { kind: 'no_envelope', reason: 'an empty body' };
  if (text.startsWith('<')) return { kind: 'html', reason: "an HTML page, not the service's JSON" };
  if (nestsDeeperThan(text, MAX_DEPTH)) {
    return { kind: 'no_envelope', reason: `JSON nested deeper than ${MAX_DEPTH} levels` };
  }
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return { kind: 'no_envelope', reason: 'text that is not whole JSON' };
  }
  const parsed = envelopeSchema.safeParse(value);
  return parsed.success
    ? { kind: 'envelope', envelope: parsed.data }
    : { kind: 'no_envelope', reason: 'JSON that is not the statusCode, message and data of the service' };
}

/** A schema's complaint in one line: `prices.0.player_id: Invalid input`. */
export function renderSchemaIssues(error: {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}): string {
  return error.issues
    .slice(0, 3)
    .map(({ path, message }) =>
      [...(path.length === 0 ? [] : [path.map(String).join('.')]), plain(message)].join(': '),
    )
    .join('; ');
}

/** `Invalid input: expected number, received undefined` says nothing to an operator. */
function plain(message: string): string {
  return message.endsWith('received undefined') ? 'missing' : message.replace(/^Invalid input: /, '');
}

/** The records of `data`, each checked on its own: one that cannot be read is an issue of that record alone. */
export interface ReadRecords {
  readonly records: readonly unknown[];
  readonly issues: readonly RecordIssue[];
}

/** Reads `data` as the operation answers it; undefined when it is not an array or an object as the operation demands. */
export function readRecords(endpoint: Endpoint, data: unknown): ReadRecords | undefined {
  if ((endpoint.list === true) !== Array.isArray(data)) return undefined;
  const values: readonly unknown[] = Array.isArray(data) ? data : [data];
  const records: unknown[] = [];
  const issues: RecordIssue[] = [];
  for (const [index, value] of values.entries()) {
    const parsed = endpoint.record.safeParse(value);
    const record = parsed.data ?? (endpoint.method === 'GET' ? undefined : readForPush(endpoint, value));
    if (record !== undefined) records.push(record);
    else if (parsed.error !== undefined)
      issues.push({
        index,
        message: renderSchemaIssues(parsed.error),
        ...(isKept(value, parsed.error) && { kept: value }),
      });
  }
  return { records, issues };
}

type SchemaError = NonNullable<ReturnType<Endpoint['record']['safeParse']>['error']>;

/** Whether a record says which one it is, and nothing but single values of it is of another kind than documented. */
function isKept(value: unknown, { issues }: SchemaError): boolean {
  if (typeof value !== 'object' || value === null || !('id' in value)) return false;
  const { id } = value;
  if (typeof id !== 'number' && (typeof id !== 'string' || id === '')) return false;
  return issues.every((issue) => {
    const isStructure = issue.code === 'invalid_type' && ['array', 'object'].includes(issue.expected);
    const isIdInList = issue.path.at(-1) === 'id' && typeof issue.path.at(-2) === 'number';
    return !isStructure && !isIdInList;
  });
}

/** Whether one of two paths leads through the other. */
const meet = (path: readonly PropertyKey[], other: readonly PropertyKey[]): boolean =>
  path.every((name, depth) => depth >= other.length || name === other[depth]);

/** The value without what stands at the path. */
function without(value: unknown, [name, ...rest]: readonly PropertyKey[]): unknown {
  if (name === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(value as object).map(([key, inner]: [string, unknown]) => [
      key,
      key === name ? without(inner, rest) : inner,
    ]),
  );
}

/** A record read as if the values that its schema complains of were missing; undefined where one of them is vital. */
export function readWithout(
  schema: Endpoint['record'],
  value: unknown,
  { issues }: SchemaError,
  vital: readonly (readonly string[])[],
): unknown {
  if (issues.some(({ path }) => vital.some((each) => meet(path, each)))) return undefined;
  return schema.safeParse(issues.reduce((rest, { path }) => without(rest, path), value)).data;
}

/** A record for a push: without odd values that it needs nothing of. Undefined where any other one is odd. */
export function readForPush({ record, vital }: Endpoint, value: unknown): unknown {
  const { error } = record.safeParse(value);
  return error && vital && readWithout(record, value, error, vital);
}

const fieldsOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];

/** What says which record it is may be a record. */
const holdsId = (value: unknown): boolean =>
  fieldsOf(value).some(([name, inner]) => (name === 'id' && inner !== null) || holdsId(inner));

/**
 * What the lists of an answer hold beside records; where it has neither lists nor records, an object in their place. A service may say there what it did not take,
 * in whatever shape; a single word such as "OK" says nothing.
 */
export function entriesOf({ data, ...others }: Envelope, hasRecords: boolean): readonly unknown[] {
  const inside = Array.isArray(data) ? [] : fieldsOf(data).map(([, value]) => value);
  const lists = [data, ...inside, ...Object.values(others)].filter((value) => Array.isArray(value));
  const entries: readonly unknown[] =
    lists.length > 0 || hasRecords || typeof data !== 'object' ? lists.flat() : [data];
  return entries.filter((entry) => !holdsId(entry));
}

const DIGITS = /^\d{1,15}$/;

/**
 * The id of an answered record where it is another one than was asked for. A number may be written as text, a UUID in either case; of what is asked for by a name,
 * its number is no other.
 */
export function otherId(asked: string | number | undefined, record: unknown): string | number | undefined {
  const { id } = record as { readonly id?: unknown };
  if (asked === undefined || !(typeof id === 'string' || typeof id === 'number')) return undefined;
  const [own, its] = [String(asked).toLowerCase(), String(id).toLowerCase()];
  const isOther = DIGITS.test(its) ? DIGITS.test(own) && Number(own) !== Number(its) : own !== its;
  return isOther ? id : undefined;
}
