import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { ConfigError, StoppedError, type Place } from '../../model/error.ts';
import { Secret } from '../../model/secret.ts';
import { isLoopback } from './base-url.ts';
import { at } from './names.ts';

/** Where the state of a configuration is kept. */
export type StatePlace = StateFile | StateDatabase;

interface StateFile {
  readonly kind: 'file';
  /** Absolute. */
  readonly file: string;
}

export interface StateDatabase {
  readonly kind: 'postgres';
  /** `postgres://host/db`: without user and password. */
  readonly name: string;
  /** A host, or the folder of a socket. */
  readonly host: string;
  readonly port: number | undefined;
  readonly database: string | undefined;
  readonly user: string | undefined;
  readonly password: Secret | undefined;
  /** Where the password stands that the address and the environment do not give; undefined where there is no such file. */
  readonly passFile: string | undefined;
  /** What `sslmode` says. */
  readonly tls: 'none' | 'unchecked' | 'checked' | undefined;
  /** The certificate of who signed the database's, absolute. */
  readonly caFile: string | undefined;
  readonly schema: string;
  readonly leaseMs: number;
}

const POSTGRES = /^postgres(ql)?:/i;
/** A single letter before the colon is a drive of Windows; Java writes `jdbc:postgresql://`. */
const ADDRESS = /^(?:[a-z][a-z\d+.-]+:)+\/\//i;

/** Whether a text of the configuration is an address, not a file: a file by the name of an address would be each machine's own. */
export const isAddress = (text: string): boolean => POSTGRES.test(text) || ADDRESS.test(text);

/** Whether a text that stands in the configuration holds a password; one that comes from the environment is none. */
export function holdsPassword(text: string): boolean {
  const written = text.replaceAll(/\$\{[^}]*\}/g, '');
  return /^[^/]*\/\/[^/?#@]*:[^/?#@]+@/.test(written) || /[?&](password|sslpassword)=[^&]/i.test(written);
}

const MODES: Readonly<Record<string, StateDatabase['tls']>> = {
  disable: 'none',
  'no-verify': 'unchecked',
  require: 'checked',
  'verify-ca': 'checked',
  'verify-full': 'checked',
};

interface Given {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly schema: string;
  readonly leaseMs: number;
}

/** The database that an address names. Errors: ConfigError `state.address`, which quotes nothing that may be a password. */
export function readAddress(
  text: string,
  { folder, env, schema, leaseMs }: Given,
  place: Place,
): StateDatabase {
  const refuse = (reason: string): never => {
    throw new ConfigError('state.address', `${at(place)}the address of the state ${reason}`, {
      ...place,
      next: 'Write it like postgres://USER@HOST/DATABASE, then run the command again.',
    });
  };
  const decode = (part: string): string => {
    try {
      return decodeURIComponent(part);
    } catch (error) {
      if (error instanceof URIError)
        return refuse('holds a % that begins no sign, which in a password is written %25');
      throw error;
    }
  };
  if (!POSTGRES.test(text) || !URL.canParse(text)) return refuse('is none of PostgreSQL');
  // Otherwise a part of the password would be taken for a port, a database or a parameter, and shown.
  if (/[/?].*@/.test(text.replace(/^[^/]*\/\//, '')))
    refuse('has an @ behind a / or a ?, which in a password are written %2F and %3F');
  const { hostname, port, username, password, pathname, searchParams, hash } = new URL(text);
  if (hash !== '') refuse('holds a #, which in a password is written %23');
  const known = ['host', 'sslmode', 'sslrootcert'];
  for (const name of new Set(searchParams.keys()))
    if (!known.includes(name)) refuse(`has "${name}", and only ${known.join(', ')} are known`);
  const socket = searchParams.get('host');
  if (socket !== null && !isAbsolute(socket)) refuse('has a "host" that is no folder of a socket');
  const host = socket ?? decode(hostname).replace(/^\[(.*)\]$/, '$1');
  if (host === '') refuse('names no host');
  const mode = searchParams.get('sslmode');
  if (mode !== null && MODES[mode] === undefined)
    refuse(`has an "sslmode" that is none of ${Object.keys(MODES).join(', ')}`);
  const ca = searchParams.get('sslrootcert');
  const secret = password === '' ? env['PGPASSWORD'] : decode(password);
  return {
    kind: 'postgres',
    name: `postgres://${socket ?? hostname}${port === '' ? '' : `:${port}`}${pathname}`,
    host,
    port: port === '' ? undefined : Number(port),
    database: pathname.length > 1 ? decode(pathname.slice(1)) : undefined,
    user: username === '' ? env['PGUSER'] : decode(username),
    password: secret === undefined || secret === '' ? undefined : new Secret(secret),
    passFile: passFileOf(env),
    tls: mode === null ? undefined : MODES[mode],
    caFile: ca === null ? undefined : resolve(folder, ca),
    schema,
    leaseMs,
  };
}

/** The file that `PGPASSFILE` names, or else the one where every program looks for passwords of PostgreSQL. */
function passFileOf({ PGPASSFILE = '', HOME = '', APPDATA = '' }: Given['env']): string | undefined {
  if (PGPASSFILE !== '') return PGPASSFILE;
  const usual =
    process.platform === 'win32' ? join(APPDATA, 'postgresql', 'pgpass.conf') : join(HOME, '.pgpass');
  return isAbsolute(usual) && existsSync(usual) ? usual : undefined;
}

/** What a shell replaces, and nobody here: a folder of that name would be another one in each folder that the program runs in. */
const OF_SHELL = /^(?:~[\w.-]*|\$(?:env:)?\w+|%\w+%)(?=[/\\])/i;

/** The file or the database that a text names; a path is relative to the folder. Errors: ConfigError `state.path`; those of {@link readAddress}. */
export function placeOfState(text: string, given: Given, place: Place): StatePlace {
  if (isAddress(text)) return readAddress(text, given, place);
  const [ofShell] = OF_SHELL.exec(text) ?? [];
  if (ofShell !== undefined)
    throw new ConfigError(
      'state.path',
      `${at(place)}the path of the state begins with ${ofShell}, which is replaced by a shell alone`,
      {
        ...place,
        next: `Write the whole path, or ./${text} where a folder has that name, then run the command again.`,
      },
    );
  return { kind: 'file', file: resolve(given.folder, text) };
}

const isLocal = ({ host }: StateDatabase): boolean => isAbsolute(host) || isLoopback(host) || host === '::1';

/**
 * How a database is spoken with: false without TLS, else what is checked. One that is not on this machine is checked, unless somebody accepts that it is not.
 * Errors: StoppedError `state.tls`; ConfigError `state.certificate`.
 */
export function tlsOf(
  database: StateDatabase,
  insecure: boolean,
): false | { readonly host: string; readonly rejectUnauthorized: boolean; readonly ca?: string } {
  const tls = database.tls ?? (isLocal(database) || insecure ? 'none' : 'checked');
  if (tls !== 'checked' && !isLocal(database) && !insecure)
    throw new StoppedError(
      'state.tls',
      `${database.name} is not on this machine, and its address turns ${tls === 'none' ? 'TLS' : 'the check of its certificate'} off: anybody on the way could read the state`,
      { next: 'Leave sslmode out of the address, or add --insecure if you accept that.' },
    );
  if (tls === 'none') return false;
  const ca = database.caFile === undefined ? {} : { ca: readCertificate(database.caFile) };
  // An older `pg` does not say who it asks where that is a number: the certificate would have to be one of "localhost".
  return { host: database.host, rejectUnauthorized: tls === 'checked', ...ca };
}

function readCertificate(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError('state.certificate', `${file}, the sslrootcert of the state, cannot be read`, {
      file,
      next: 'Correct "sslrootcert" in the address of the state, then run the command again.',
      cause,
    });
  }
}

/** The folder of what stays on this machine: results of runs, logins, pipes. */
export const stateFolderOf = (place: StatePlace, folder: string): string =>
  place.kind === 'file' ? join(place.file, '..') : join(folder, '.teamsheet');

/** How people are told of a place. */
export const shownPlace = (place: StatePlace): string =>
  place.kind === 'file' ? place.file : `${place.name}, schema ${place.schema}`;
