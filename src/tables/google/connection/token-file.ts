import { rm } from 'node:fs/promises';
import { Secret } from '../../../model/secret.ts';
import { writeAtomically } from '../../atomic-write.ts';
import { loopbackOf } from './addresses.ts';
import { readJsonFile, requireText, textIn } from './json-file.ts';
import { stepLink } from './steps.ts';

/** A person's login as it is kept: the right to ask for access tokens until it is revoked. */
export interface StoredLogin {
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly refreshToken: Secret;
  /** The e-mail address, where Google told it. */
  readonly email: string | undefined;
  readonly scopes: readonly string[];
  /** Another server for tokens than Google's, on this machine. */
  readonly tokenUri: URL | undefined;
}

const REMEDY = `auth login --client FILE; see ${stepLink('login')}`;

/** The login that is kept in a file; undefined when there is none. Errors: ConfigError `google.login_file`, `google.address`. */
export function readLogin(file: string): StoredLogin | undefined {
  const code = 'google.login_file';
  const stored = readJsonFile(file, code, REMEDY);
  if (stored === undefined) return undefined;
  const text = (name: string): string => requireText(stored, name, file, code, REMEDY);
  const tokenUri = textIn(stored, 'token_uri');
  return {
    clientId: text('client_id'),
    clientSecret: new Secret(text('client_secret')),
    refreshToken: new Secret(text('refresh_token')),
    email: textIn(stored, 'email'),
    scopes: textIn(stored, 'scope')?.split(' ') ?? [],
    tokenUri: tokenUri === undefined ? undefined : loopbackOf(tokenUri, `"token_uri" in ${file}`),
  };
}

/** Keeps a login for this account of the machine alone (0600), whole or not at all. Errors: UnavailableError `destination.*`. */
export async function writeLogin(file: string, login: StoredLogin): Promise<void> {
  const stored = {
    client_id: login.clientId,
    client_secret: login.clientSecret.reveal(),
    refresh_token: login.refreshToken.reveal(),
    email: login.email,
    scope: login.scopes.join(' '),
    token_uri: login.tokenUri?.href,
  };
  await writeAtomically(file, (append) => append(`${JSON.stringify(stored, undefined, 2)}\n`), 0o600);
}

/** Removes a login; nothing happens when there is none. */
export function removeLogin(file: string): Promise<void> {
  return rm(file, { force: true });
}
