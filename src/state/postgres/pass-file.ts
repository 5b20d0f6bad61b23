import { readFileSync, statSync } from 'node:fs';
import { MissingPassword } from './client.ts';

/** Who logs in, and where: what is undefined is the server's or the user's default. */
export interface Login {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly database?: string | undefined;
  readonly user?: string | undefined;
}

const DEFAULT_PORT = 5432;
const ASKS = 'the server asks for a password';
const FIELD = String.raw`((?:\\.|[^:\\])*)`;
const LINE = new RegExp(`^${FIELD}:${FIELD}:${FIELD}:${FIELD}:(.+)$`);

/**
 * The password of a login, from a file with lines `HOST:PORT:DATABASE:USER:PASSWORD`, where `*` suits everything and `\` stands before a `:` or `\` of a field.
 * The first line that suits counts. Errors: MissingPassword.
 */
export function passwordIn(file: string | undefined, { host, port, database, user }: Login): string {
  if (file === undefined) throw new MissingPassword(`${ASKS}, and none is given`);
  const wanted = [host, port ?? DEFAULT_PORT, database ?? user, user].map(String);
  for (const line of read(file).split(/\r?\n/)) {
    const [, ...fields] = (LINE.exec(line) ?? []).map((field) => field.replaceAll(/\\([:\\])/g, '$1'));
    const password = fields[wanted.length];
    const isOurs = wanted.every((value, at) => fields[at] === '*' || fields[at] === value);
    if (isOurs && password !== undefined) return password;
  }
  throw new MissingPassword(`${ASKS}, none is given, and ${file} has none for this login`);
}

function read(file: string): string {
  let mode: number;
  let text: string;
  try {
    ({ mode } = statSync(file));
    text = readFileSync(file, 'utf8');
  } catch {
    throw new MissingPassword(`${ASKS}, none is given, and ${file} cannot be read`);
  }
  // No program takes a password that others may have read.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new MissingPassword(`${ASKS}, and ${file} is open to others: chmod 600 ${file}`);
  return text;
}
