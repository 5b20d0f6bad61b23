import type { Options, PositionalOptions } from 'yargs';
import { UsageError } from '../model/error.ts';
import { GUARDS } from '../plan/guards.ts';
import { parseDuration } from '../model/time/duration.ts';

/** A whole number from `min` on. Errors: UsageError `usage.number`. */
export function wholeNumber(flag: string, min: number): (text: string) => number | undefined {
  return (text) => {
    if (/^\d{1,15}$/.test(text) && Number(text) >= min) return Number(text);
    throw new UsageError('usage.number', `--${flag} takes a whole number from ${min} on, not "${text}"`);
  };
}

/** A duration in milliseconds. Errors: UsageError `usage.duration`. */
export function duration(flag: string): (text: string) => number | undefined {
  return (text) => {
    const ms = parseDuration(text);
    if (ms !== undefined) return ms;
    throw new UsageError(
      'usage.duration',
      `--${flag} takes an integer and ms, s, m, h or d, such as 15m, not "${text}"`,
    );
  };
}

const MOST_PORTS = 65_535;

/** A port; 0 is any free one. Errors: UsageError `usage.port`. */
export function portNumber(value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= MOST_PORTS) return Number(value);
  throw new UsageError('usage.port', `--port takes a number from 0 to 65535, not "${value}"`);
}

/** `127.0.0.1:8791`, `[::]:8791`. Errors: UsageError `usage.probe`. */
function probeAddress(value: string): { readonly host: string; readonly port: number } | undefined {
  const [, six, other, digits = ''] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/.exec(value) ?? [];
  const host = six ?? other;
  if (host !== undefined && Number(digits) <= MOST_PORTS) return { host, port: Number(digits) };
  throw new UsageError('usage.probe', `--probe takes HOST:PORT, such as 127.0.0.1:8791, not "${value}"`);
}

/** Which `=` of a pair separates: a value may hold others, or the name may. */
type Separator = 'first' | 'last';

/** `name=value` pairs. Errors: UsageError `usage.pair`. */
function namedValues(
  flag: string,
  separator: Separator,
): (texts: readonly string[]) => Readonly<Record<string, string>> {
  return (texts) =>
    Object.fromEntries(
      texts.map((text) => {
        const at = separator === 'first' ? text.indexOf('=') : text.lastIndexOf('=');
        if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1)];
        throw new UsageError('usage.pair', `--${flag} takes name=value, not "${text}"`);
      }),
    );
}

/** A flag that takes one text. */
export function text(describe: string): { type: 'string'; requiresArg: true; describe: string } {
  return { type: 'string', requiresArg: true, describe };
}

/** A flag that takes a text and may be repeated. */
export function texts(describe: string) {
  return {
    type: 'string',
    array: true,
    requiresArg: true,
    default: [],
    defaultDescription: 'none',
    describe,
  } as const;
}

/** A flag of `name=value` pairs. */
export function pairs(flag: string, describe: string, separator: Separator = 'first') {
  return { ...texts(describe), coerce: namedValues(flag, separator) };
}

/** A flag that is there or not; undefined is not. */
export function yes(describe: string): { type: 'boolean'; describe: string } {
  return { type: 'boolean', describe };
}

/** Flags that every command takes. */
export const commonFlags = {
  config: text('the configuration file, instead of teamsheet.yaml'),
  env: text('the environment of the configuration'),
  league: text('one league of the configuration, where it has several'),
  var: pairs('var', 'name=value for ${name} in mappings; repeatable'),
  mappings: text('the folder of mapping files'),
  json: yes('standard output is one JSON document'),
  quiet: yes('print only warnings and errors'),
  verbose: yes('say more'),
  'no-color': yes('no colours; NO_COLOR does the same'),
  'no-progress': yes('no progress line'),
  yes: yes('approve the plan without being asked'),
  insecure: yes('go on although certificates are not checked, or a database is reached without TLS'),
  'max-requests': {
    ...text('send at most this many requests'),
    coerce: wholeNumber('max-requests', 1),
  },
  'max-wait': { ...text('the longest pause for the budget, such as 15m'), coerce: duration('max-wait') },
  limit: { ...text('only the first N rows or records'), coerce: wholeNumber('limit', 1) },
} as const satisfies Record<string, Options>;

/** Flags of every command that speaks with the service. */
export const serviceFlags = {
  'trust-origin': yes('send the key to another address than before'),
} as const satisfies Record<string, Options>;

/** The flag that passes guards, whichever they are. */
export const guardFlags = {
  'allow-guard': {
    ...texts(`let this guard pass once; repeatable: ${GUARDS.join(', ')}`),
    choices: GUARDS,
  },
} as const satisfies Record<string, Options>;

/** Flags of commands that serve the pages of the dashboard. */
export const serveFlags = {
  port: {
    ...text('the port of the dashboard; 0 takes any free one'),
    coerce: (value: string): number | undefined => portNumber(value),
  },
  probe: { ...text('HOST:PORT that serves /healthz and /metrics alone'), coerce: probeAddress },
} as const satisfies Record<string, Options>;

/** Flags of every command that reads source tables. */
export const sourceFlags = {
  encoding: text('encoding of CSV files, such as windows-1252'),
  'allow-empty': yes('accept a source without rows'),
  'allow-key-shape': yes('accept keys that look changed by a spreadsheet'),
  ...guardFlags,
} as const satisfies Record<string, Options>;

/** Which game weeks a command is about. */
export const weekFlags = {
  week: text('one game week, by its number'),
  weeks: text('game weeks: current, last, all, or numbers such as 1-12'),
} as const satisfies Record<string, Options>;

/** The positional of commands that work on mappings. */
export const mappingNames = {
  mapping: { type: 'string', array: true, default: [], describe: 'names of mappings; without any, all' },
} as const satisfies Record<string, PositionalOptions>;

/** Flags of every command that writes to the service. */
export const writeFlags = {
  'finish-by': text('send nothing that would end after this time, such as 17:30; the rest is deferred'),
} as const satisfies Record<string, Options>;

/** Flags of commands that send what an earlier run left. */
export const deadlineFlags = {
  'after-deadline': yes('send rows although the deadline of their game week is over'),
} as const satisfies Record<string, Options>;

/** What becomes of writes that nobody can tell of. */
export const ambiguousFlags = {
  'on-ambiguous': {
    ...text(
      'a write without an answer that the service does not show: hold keeps it unknown, settle sends it again',
    ),
    choices: ['hold', 'settle'],
  },
} as const satisfies Record<string, Options>;

/** Flags of every command that compares rows with the service. */
export const compareFlags = {
  ...serviceFlags,
  ...sourceFlags,
  ...writeFlags,
  ...ambiguousFlags,
  compare: {
    ...text('what rows are compared with, instead of what the mapping says: auto, live, snapshot or none'),
    choices: ['auto', 'live', 'snapshot', 'none'],
  },
  adopt: yes('go on although the service has records that this state does not know'),
  again: yes('trigger substitutions that were triggered before'),
} as const satisfies Record<string, Options>;

/** The names of flags that several commands take. */
export const sharedFlags: ReadonlySet<string> = new Set(Object.keys(compareFlags));

/** Flags of interfaces.md that come with a later version; each is answered with one line. */
export const LATER_FLAGS = ['tab'] as const;
