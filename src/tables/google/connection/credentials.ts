import { createPrivateKey } from 'node:crypto';
import { join } from 'node:path';
import { ConfigError } from '../../../model/error.ts';
import { Secret } from '../../../model/secret.ts';
import { loopbackOf } from './addresses.ts';
import type { Identity } from './google-error.ts';
import { objectIn, readJsonFile, requireText, textIn, type JsonObject } from './json-file.ts';
import { warnIfOpenToOthers } from '../../regular-file.ts';
import { stepLink } from './steps.ts';
import { readLogin, type StoredLogin } from './token-file.ts';

/** Where they were found: named in the configuration, a person's login, or the set-up of the machine (Application Default Credentials). */
export type Origin = 'key' | 'login' | 'ambient';

/** Who asks Google, and how that is proved. */
export type Credentials =
  | {
      readonly kind: 'service_account';
      readonly origin: Origin;
      readonly file: string;
      readonly email: string;
      readonly keyId: string | undefined;
      readonly privateKey: Secret;
      /** Another server for tokens than Google's, on this machine. */
      readonly tokenUri: URL | undefined;
    }
  | {
      readonly kind: 'user';
      readonly origin: Origin;
      readonly file: string;
      readonly login: StoredLogin;
      /** The project that the use is counted in, where it is not the client's own. */
      readonly quotaProject: string | undefined;
    }
  /** Found by the library alone, in a file of another kind or from the machine's own server. */
  | { readonly kind: 'machine'; readonly origin: 'ambient'; readonly file: string | undefined };

/** Where credentials are looked for, in this order; paths are absolute. */
export interface CredentialPlaces {
  /** `google.credentials.file`. */
  readonly keyFile: string | undefined;
  /** What `auth login` writes. */
  readonly loginFile: string;
  /** For GOOGLE_APPLICATION_CREDENTIALS and the folder of gcloud. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface FoundCredentials {
  readonly credentials: Credentials;
  /** About files that others can read. */
  readonly warnings: readonly string[];
}

/**
 * The credentials in force: the configured key file, else a person's login, else Application Default Credentials. Asks nothing of the network.
 * Errors: ConfigError `google.key_missing`, `google.key_file`, `google.login_file`, `google.address`.
 */
export function findCredentials({ keyFile, loginFile, env }: CredentialPlaces): FoundCredentials {
  const found =
    keyFile === undefined ? (findLogin(loginFile) ?? findAmbient(env)) : readKeyFile(keyFile, 'key');
  const { file } = found;
  return { credentials: found, warnings: file === undefined ? [] : warnIfOpenToOthers(file) };
}

/** As whom a spreadsheet sees these credentials. */
export function identityOf(credentials: Credentials): Identity {
  if (credentials.kind === 'machine') return { kind: 'ambient', email: undefined };
  const { kind, origin } = credentials;
  const email = kind === 'service_account' ? credentials.email : credentials.login.email;
  return { kind: origin === 'ambient' ? 'ambient' : kind, email };
}

const KEY_REMEDY = `download a JSON key of the service account; see ${stepLink('key')}`;
const KEY_CODE = 'google.key_file';

function readKeyFile(file: string, origin: Origin): Credentials {
  const key = readJsonFile(file, KEY_CODE, KEY_REMEDY);
  if (key === undefined)
    throw new ConfigError('google.key_missing', `${file}: there is no such file`, { file, next: KEY_REMEDY });
  if (objectIn(key['installed'] ?? key['web']) !== undefined)
    throw new ConfigError(
      KEY_CODE,
      `${file} is the file of an OAuth client, not the key of a service account`,
      { file, next: `auth login --client ${file}; see ${stepLink('login')}` },
    );
  if (key['type'] !== 'service_account')
    throw new ConfigError(KEY_CODE, `${file} is not the key of a service account`, {
      file,
      next: KEY_REMEDY,
    });
  return serviceAccountOf(key, file, origin);
}

function serviceAccountOf(key: JsonObject, file: string, origin: Origin): Credentials {
  const text = (name: string): string => requireText(key, name, file, KEY_CODE, KEY_REMEDY);
  const privateKey = text('private_key');
  if (!isPrivateKey(privateKey))
    throw new ConfigError(KEY_CODE, `${file}: "private_key" is no RSA key, or only a part of one`, {
      file,
      next: KEY_REMEDY,
    });
  return {
    kind: 'service_account',
    origin,
    file,
    email: text('client_email'),
    keyId: textIn(key, 'private_key_id'),
    privateKey: new Secret(privateKey),
    tokenUri: tokenUriOf(key, file),
  };
}

/** What gcloud keeps of a person. */
function userOf(stored: JsonObject, file: string): Credentials {
  const text = (name: string): string => requireText(stored, name, file, KEY_CODE, AMBIENT_REMEDY);
  return {
    kind: 'user',
    origin: 'ambient',
    file,
    login: {
      clientId: text('client_id'),
      clientSecret: new Secret(text('client_secret')),
      refreshToken: new Secret(text('refresh_token')),
      email: textIn(stored, 'account'),
      scopes: [],
      tokenUri: tokenUriOf(stored, file),
    },
    quotaProject: textIn(stored, 'quota_project_id'),
  };
}

function tokenUriOf(stored: JsonObject, file: string): URL | undefined {
  const tokenUri = textIn(stored, 'token_uri');
  return tokenUri === undefined ? undefined : loopbackOf(tokenUri, `"token_uri" in ${file}`);
}

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

function findLogin(file: string): Credentials | undefined {
  const login = readLogin(file);
  return login && { kind: 'user', origin: 'login', file, login, quotaProject: undefined };
}

const AMBIENT_REMEDY = `gcloud auth application-default login; see ${stepLink('ambient')}`;

/** The places that Google's own tools agree on. */
function findAmbient(env: CredentialPlaces['env']): Credentials {
  const named = env['GOOGLE_APPLICATION_CREDENTIALS'];
  const file = named === undefined || named === '' ? gcloudFile(env) : named;
  if (file === undefined) return { kind: 'machine', origin: 'ambient', file };
  const stored = readJsonFile(file, KEY_CODE, AMBIENT_REMEDY);
  if (stored?.['type'] === 'service_account') return readKeyFile(file, 'ambient');
  if (stored?.['type'] === 'authorized_user') return userOf(stored, file);
  if (stored === undefined && file === named)
    throw new ConfigError(
      'google.key_missing',
      `GOOGLE_APPLICATION_CREDENTIALS names ${file}, and there is no such file`,
      { file, next: `correct the variable, or remove it; see ${stepLink('ambient')}` },
    );
  return { kind: 'machine', origin: 'ambient', file: stored === undefined ? undefined : file };
}

function gcloudFile(env: CredentialPlaces['env']): string | undefined {
  const set = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  const home = process.platform === 'win32' ? set('APPDATA') : set('HOME');
  const folder =
    set('CLOUDSDK_CONFIG') ??
    (home === undefined
      ? undefined
      : process.platform === 'win32'
        ? join(home, 'gcloud')
        : join(home, '.config', 'gcloud'));
  return folder === undefined ? undefined : join(folder, 'application_default_credentials.json');
}
