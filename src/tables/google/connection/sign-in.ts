import { createSign } from 'node:crypto';
import { AccessError, InternalError, TeamsheetError } from '../../../model/error.ts';
import type { Clock } from '../../../model/ports.ts';
import { identityOf, type Credentials } from './credentials.ts';
import { tokenError } from './google-error.ts';
import { loadLibrary, type AuthClient, type Library } from '../library.ts';
import { stepLink } from './steps.ts';
import { chainOf } from '../../../model/fetch-error.ts';
import { createWire, faultIn } from './wire.ts';

const SCOPE = 'https://www.googleapis.com/auth/spreadsheets';

/** The only right that is asked for: spreadsheets, or no more than reading them. Nothing of Drive. */
export function scopeFor(readOnly: boolean): string {
  return readOnly ? `${SCOPE}.readonly` : SCOPE;
}

interface SignIn {
  readonly credentials: Credentials;
  readonly readOnly: boolean;
  readonly clock: Clock;
  /** Carries every request, those for tokens too. */
  readonly wire: typeof fetch;
}

/** The library's client for these credentials; a token is fetched with the first request. Errors: AccessError `google.no_credentials`. */
export async function signIn(
  library: Library,
  { credentials, readOnly, clock, wire }: SignIn,
): Promise<AuthClient> {
  const scope = scopeFor(readOnly);
  const client = await clientFor(library, credentials, scope, clock, wire);
  useWire(client, wire);
  return client;
}

/** Has the library's client send everything through our wire. */
export function useWire(client: AuthClient, wire: typeof fetch): void {
  client.transporter.defaults = { ...client.transporter.defaults, fetchImplementation: wire };
  const { request, response } = client.transporter.interceptors;
  // An environment variable would have these print answers with tokens.
  request.clear();
  response.clear();
  // The library repeats requests for tokens by timers of its own; repeating is ours.
  request.add({
    resolved: (config) => {
      config.retry = false;
      delete config.retryConfig;
      return Promise.resolve(config);
    },
  });
}

async function clientFor(
  { auth }: Library,
  credentials: Credentials,
  scope: string,
  clock: Clock,
  wire: typeof fetch,
): Promise<AuthClient> {
  if (credentials.kind === 'machine') return machineClient(auth, scope);
  if (credentials.kind === 'user') {
    const { login, quotaProject } = credentials;
    const client = new auth.OAuth2({
      clientId: login.clientId,
      clientSecret: login.clientSecret.reveal(),
      ...(login.tokenUri && { endpoints: { oauth2TokenUrl: login.tokenUri.href } }),
      ...(quotaProject !== undefined && { quotaProjectId: quotaProject }),
    });
    client.setCredentials({ refresh_token: login.refreshToken.reveal() });
    return client;
  }
  const { email, keyId, privateKey, tokenUri } = credentials;
  if (tokenUri === undefined)
    return new auth.JWT({
      email,
      key: privateKey.reveal(),
      ...(keyId !== undefined && { keyId }),
      scopes: [scope],
    });
  // The library's own client for service accounts asks Google whatever the key's file says.
  const client = new auth.OAuth2();
  client.refreshHandler = () => fetchServiceToken(credentials, tokenUri, scope, clock, wire);
  return client;
}

/** The longest that Google lets an access token be good for. */
const TOKEN_SECONDS = 3600;

type ServiceAccount = Extract<Credentials, { kind: 'service_account' }>;

/** A token by a signed assertion (RFC 7523), as Google describes it for service accounts. */
async function fetchServiceToken(
  { email, keyId, privateKey }: ServiceAccount,
  tokenUri: URL,
  scope: string,
  clock: Clock,
  wire: typeof fetch,
): Promise<{ access_token: string; expiry_date: number }> {
  const issuedAt = Math.floor(clock.now() / 1000);
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: email, scope, aud: tokenUri.href, iat: issuedAt, exp: issuedAt + TOKEN_SECONDS };
  const unsigned = `${encode({ alg: 'RS256', typ: 'JWT', kid: keyId })}.${encode(claims)}`;
  const signature = createSign('RSA-SHA256').update(unsigned).sign(privateKey.reveal(), 'base64url');
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: `${unsigned}.${signature}`,
  });
  const response = await wire(tokenUri, { method: 'POST', body });
  const { access_token, expires_in: seconds } = (await response.json()) as {
    readonly access_token: string;
    readonly expires_in?: unknown;
  };
  // How long it is good for may be left out (RFC 6749, section 5.1).
  const lifeMs = 1000 * (Number(seconds) || TOKEN_SECONDS);
  return { access_token, expiry_date: clock.now() + lifeMs };
}

/** Credentials that only the library finds: of a cloud machine, or in a file of another kind. */
async function machineClient(auth: Library['auth'], scope: string): Promise<AuthClient> {
  try {
    // A project is named so that the library does not start gcloud to find one; nothing uses it.
    return await withoutLookupWarning(() => auth.getClient({ scopes: [scope], projectId: 'none' }));
  } catch {
    // What the library throws may quote a file with a secret.
    throw new AccessError(
      'google.no_credentials',
      'there are no credentials for Google Sheets: no key file in the configuration, no login, and none that belong to this machine',
      { next: `auth login --client FILE, or set up a service account; see ${stepLink('key')}` },
    );
  }
}

/** Looking for the machine's credentials where there are none, the library has Node print a warning of its own; the error says what to do. */
async function withoutLookupWarning<T>(work: () => Promise<T>): Promise<T> {
  const emitWarning = process.emitWarning.bind(process) as (...args: unknown[]) => void;
  const others = (...args: unknown[]): void => {
    if (args[1] !== 'MetadataLookupWarning') emitWarning(...args);
  };
  const restore = Object.getOwnPropertyDescriptor(process, 'emitWarning');
  process.emitWarning = others;
  try {
    return await work();
  } finally {
    if (restore !== undefined) Object.defineProperty(process, 'emitWarning', restore);
  }
}

/** Has the next request fetch a new token. */
export function expireToken(client: AuthClient): void {
  client.setCredentials({ ...client.credentials, expiry_date: 1 });
}

/** Fetches an access token, to prove that one can be had. Errors: AccessError and UnavailableError `google.*`. */
export async function checkToken(
  credentials: Credentials,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const wire = createWire({ clock, signal });
  try {
    const client = await signIn(await loadLibrary(), { credentials, readOnly: true, clock, wire });
    await client.getAccessToken();
  } catch (error) {
    throw explainFailure(error, signal, (fault) => tokenError(fault, identityOf(credentials)));
  }
}

/**
 * The error of a failed call. An error of the library holds headers and bodies with tokens: nothing of it but the fault is passed on, not even as a
 * cause.
 */
export function explainFailure(
  error: unknown,
  signal: AbortSignal,
  explain: (fault: NonNullable<ReturnType<typeof faultIn>>) => TeamsheetError,
): Error {
  const known = chainOf(error).find((each) => each instanceof TeamsheetError);
  if (known !== undefined) return known;
  const fault = faultIn(error);
  if (fault !== undefined) return explain(fault);
  if (signal.aborted) return signal.reason as Error;
  const { name, code } = error as { readonly name?: unknown; readonly code?: unknown };
  return new InternalError(
    'google.unexpected',
    `the Google library failed unexpectedly (${String(name)}, ${String(code)})`,
  );
}
