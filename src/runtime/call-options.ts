import { inspect } from 'node:util';
import { UsageError } from '../model/error.ts';
import { didYouMean } from '../model/nearest.ts';

/** What an option may be: in words, and told by a value. */
type Kind = readonly [wanted: string, is: (value: unknown) => boolean];
type Kinds = Readonly<Record<string, Kind>>;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): boolean => typeof value === 'string';
const isFunction = (value: unknown): boolean => typeof value === 'function';
const isListOf =
  (is: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(is);
const has =
  (...names: readonly string[]) =>
  (value: unknown): boolean =>
    isObject(value) && names.every((name) => isFunction((value as Readonly<Record<string, unknown>>)[name]));

function isJson(value: object): boolean {
  try {
    return isText(JSON.stringify(value));
  } catch {
    // Something in it holds itself, or is no value of JSON.
    return false;
  }
}

const TEXT: Kind = ['a text', isText];
const TEXTS: Kind = ['a list of texts', isListOf(isText)];
const FLAG: Kind = ['true or false', (value) => typeof value === 'boolean'];
const FUNCTION: Kind = ['a function', isFunction];
const OBJECT: Kind = ['an object', isObject];
const COUNT: Kind = [
  'a whole number from 1 on',
  (value) => Number.isSafeInteger(value) && Number(value) >= 1,
];
const oneOf = (...words: readonly string[]): Kind => [
  `one of ${words.join(', ')}`,
  (value) => words.some((word) => word === value),
];

const CALL: Kinds = {
  mappings: TEXTS,
  signal: ['an AbortSignal', (value) => value instanceof AbortSignal],
  limit: COUNT,
  maxRequests: COUNT,
  maxWaitMs: ['milliseconds from 0 on', (value) => typeof value === 'number' && value >= 0],
  finishBy: ['a time', (value) => value instanceof Date && !Number.isNaN(value.getTime())],
  trustOrigin: FLAG,
  allowEmpty: FLAG,
  allowKeyShape: FLAG,
  allowGuards: TEXTS,
  encoding: TEXT,
  compare: oneOf('auto', 'live', 'snapshot', 'none'),
  adopt: FLAG,
  again: FLAG,
  onAmbiguous: oneOf('hold', 'settle'),
  approve: FUNCTION,
  weeks: TEXT,
  offline: FLAG,
  partial: FLAG,
  run: TEXT,
  intent: TEXT,
  assume: oneOf('applied', 'not-applied'),
};

const ANYTHING: Kind = ['anything', () => true];

const TEAMSHEET: Kinds = {
  // These two are looked at together.
  baseUrl: ANYTHING,
  apiKey: ANYTHING,
  config: ['a path or an object', (value) => isText(value) || isObject(value)],
  environment: TEXT,
  league: TEXT,
  folder: TEXT,
  // What was sent has to outlast the process.
  state: ['the path of a file', (value) => isText(value) && value !== ':memory:'],
  mappings: [
    'a folder, or a list of mappings, each a text or an object that JSON can write',
    (value) => isText(value) || isListOf((each) => isText(each) || (isObject(each) && isJson(each)))(value),
  ],
  vars: [
    'an object of texts',
    (value) =>
      isObject(value) &&
      Object.values(value).every((each) => ['string', 'number', 'undefined'].includes(typeof each)),
  ],
  env: OBJECT,
  clock: ['an object with now, monotonic and sleep', has('now', 'monotonic', 'sleep')],
  random: ['an object with next and ulid', has('next', 'ulid')],
  tables: [
    'an object of kinds of tables, each with open and write',
    (value) =>
      isObject(value) &&
      Object.values(value).every((kind) => kind === undefined || has('open', 'write')(kind)),
  ],
  transport: FUNCTION,
  insecure: FLAG,
  on: FUNCTION,
};

/** Whoever leaves these out says nothing of what is to be done with a plan. */
const REQUIRED: ReadonlySet<string> = new Set(['push', 'resume']);

/**
 * Errors: UsageError `library.option` for an option of a method that is of another kind, such as a number that is none, or that no method has: a bound that is misspelt
 * bounds nothing.
 */
export function checkCall(method: string, options: unknown = {}): void {
  checkOptions(method, options, CALL, REQUIRED.has(method) ? ['approve'] : []);
}

/**
 * Errors: UsageError `library.option`. One of `baseUrl` and `apiKey` without the other, as of a variable that is not set, would send to the service of the
 * configuration.
 */
export function checkTeamsheet(options: unknown): void {
  checkOptions('createTeamsheet', options, TEAMSHEET, []);
  const { baseUrl, apiKey } = options as Readonly<Record<string, unknown>>;
  const areGiven = [baseUrl, apiKey].map((value) => typeof value);
  if (new Set(areGiven).size === 1 && (baseUrl === undefined || isText(baseUrl))) return;
  throw refused(`baseUrl and apiKey are texts, both or neither, not ${areGiven.join(' and ')}`);
}

function checkOptions(method: string, options: unknown, kinds: Kinds, required: readonly string[]): void {
  // What stands in the place of all options may be a key, and is not shown.
  if (!isObject(options))
    throw refused(`${method} takes an object of options, not ${isText(options) ? 'a text' : shown(options)}`);
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !Object.hasOwn(kinds, name))
      throw refused(`${method} has no option "${name}"${didYouMean(name, Object.keys(kinds))}`);
  }
  for (const [name, [wanted, is]] of Object.entries(kinds)) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value === undefined ? required.includes(name) : !is(value))
      throw refused(`${name} is ${wanted}, not ${shown(value)}`);
  }
}

const MOST_SHOWN = 60;

/** A value for people, of which the beginning is enough. */
function shown(value: unknown): string {
  const text = inspect(value, { depth: 1, breakLength: Infinity, compact: true });
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

const refused = (message: string): UsageError =>
  new UsageError('library.option', message, {
    next: 'correct the option; its value may come from a variable that is not set',
  });
