import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AccessError, ConfigError, UnavailableError } from '../../../model/error.ts';
import type { Clock } from '../../../model/ports.ts';
import { Secret } from '../../../model/secret.ts';
import { loopbackOf } from './addresses.ts';
import { tokenError } from './google-error.ts';
import { objectIn, parseObject, readJsonFile, requireText, textIn } from './json-file.ts';
import { loadLibrary, type OAuthClient } from '../library.ts';
import { explainFailure, scopeFor, useWire } from './sign-in.ts';
import { stepLink } from './steps.ts';
import type { StoredLogin } from './token-file.ts';
import { createWire, faultIn } from './wire.ts';

/** How long a person has for the browser. */
const PATIENCE_MS = 300_000;
/** A person's own OAuth client of the type "Desktop app", as its file says. */
export interface DesktopClient {
  readonly clientId: string;
  readonly clientSecret: Secret;
  /** Other addresses than Google's, on this machine. */
  readonly authUri: URL | undefined;
  readonly tokenUri: URL | undefined;
}

/** Reads the file of a desktop client. Errors: ConfigError `google.client_file`, `google.address`. */
export function readDesktopClient(file: string): DesktopClient {
  const code = 'google.client_file';
  const next = `download the JSON of an OAuth client of the type "Desktop app"; see ${stepLink('login')}`;
  const document = readJsonFile(file, code, next);
  if (document === undefined) throw new ConfigError(code, `${file}: there is no such file`, { file, next });
  const client = objectIn(document['installed']);
  if (client === undefined) {
    const found =
      document['type'] === 'service_account'
        ? 'the key of a service account: nobody logs in with it, name it under google.credentials.file'
        : objectIn(document['web']) === undefined
          ? 'not the file of an OAuth client'
          : 'a client of the type "Web application"';
    throw new ConfigError(code, `${file} is ${found}`, { file, next });
  }
  const address = (name: string): URL | undefined => {
    const text = textIn(client, name);
    return text === undefined ? undefined : loopbackOf(text, `"${name}" in ${file}`);
  };
  return {
    clientId: requireText(client, 'client_id', file, code, next),
    clientSecret: new Secret(requireText(client, 'client_secret', file, code, next)),
    authUri: address('auth_uri'),
    tokenUri: address('token_uri'),
  };
}

export interface LoginOptions {
  readonly client: DesktopClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Given the address that the person has to open. */
  readonly show: (url: string) => void;
}

/**
 * Has a person log in with the browser (OAuth 2.0 for native apps, RFC 8252, with PKCE): listens on 127.0.0.1 for the answer, at most five minutes.
 * Errors: AccessError `google.login_refused`, `google.login_scope`, `google.no_refresh_token` and those of asking for a token; UnavailableError
 * `google.login_timeout`; the signal's reason.
 */
export async function logIn({ client, clock, signal, show }: LoginOptions): Promise<StoredLogin> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const ended = new AbortController();
  try {
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { auth } = await loadLibrary();
    const oauth = new auth.OAuth2({
      clientId: client.clientId,
      clientSecret: client.clientSecret.reveal(),
      redirectUri: `http://${host}`,
      endpoints: {
        ...(client.authUri && { oauth2AuthBaseUrl: client.authUri.href }),
        ...(client.tokenUri && { oauth2TokenUrl: client.tokenUri.href }),
      },
    });
    useWire(oauth, createWire({ clock, signal }));
    const state = randomBytes(24).toString('base64url');
    const codeVerifier = randomBytes(48).toString('base64url');
    const answer = answerOf(server, host, state, (code) =>
      exchange(oauth, code, codeVerifier, client, signal),
    );
    show(consentUrl(oauth, state, codeVerifier));
    return await Promise.race([
      answer,
      refuseLate(clock, AbortSignal.any([signal, ended.signal]), ended.signal),
    ]);
  } finally {
    ended.abort();
    server.close();
    // A browser opens connections that it may never use.
    server.closeAllConnections();
  }
}

/** The address that asks the person; the right is asked for again, so that Google gives a lasting one. */
function consentUrl(oauth: OAuthClient, state: string, codeVerifier: string): string {
  const scope = [scopeFor(false), 'openid', 'email'];
  const url = new URL(oauth.generateAuthUrl({ access_type: 'offline', prompt: 'consent', scope, state }));
  url.searchParams.set('code_challenge', createHash('sha256').update(codeVerifier).digest('base64url'));
  url.searchParams.set('code_challenge_method', 'S256');
  return url.href;
}

async function refuseLate(clock: Clock, signal: AbortSignal, done: AbortSignal): Promise<never> {
  try {
    await clock.sleep(PATIENCE_MS, signal);
  } catch (error) {
    // The answer is there and the race is over.
    if (done.aborted) return new Promise<never>(() => undefined);
    throw error;
  }
  throw new UnavailableError('google.login_timeout', 'nobody logged in within five minutes', {
    next: `auth login --client FILE; see ${stepLink('login')}`,
  });
}

/** Waits for the browser to come back with a code; requests without our own state are none of the person's and change nothing. */
function answerOf(
  server: Server,
  host: string,
  state: string,
  accept: (code: string) => Promise<StoredLogin>,
): Promise<StoredLogin> {
  return new Promise((resolve) => {
    let taken = false;
    server.on('request', (request, response) => {
      const query = request.headers.host === host ? queryOf(request) : undefined;
      if (taken || query === undefined || !isSame(query.get('state') ?? '', state)) {
        void sendPage(response, 404, 'Nothing here', 'This address only serves the login that is under way.');
        return;
      }
      taken = true;
      resolve(answerBrowser(query, response, accept));
    });
  });
}

async function answerBrowser(
  query: URLSearchParams,
  response: ServerResponse,
  accept: (code: string) => Promise<StoredLogin>,
): Promise<StoredLogin> {
  try {
    const login = await accept(codeIn(query));
    const who = login.email === undefined ? '' : ` as ${login.email}`;
    await sendPage(response, 200, 'Logged in', `teamsheet is logged in${who}. You may close this window.`);
    return login;
  } catch (error) {
    await sendPage(response, 400, 'Not logged in', 'The login did not succeed; the terminal says why.');
    throw error;
  }
}

function codeIn(query: URLSearchParams): string {
  const code = query.get('code');
  if (code !== null) return code;
  const error = query.get('error') ?? 'no code';
  throw new AccessError(
    'google.login_refused',
    error === 'access_denied' ? 'the login was declined' : `Google refused the login: ${error.slice(0, 200)}`,
    { next: `auth login --client FILE; see ${stepLink('login')}` },
  );
}

async function exchange(
  oauth: OAuthClient,
  code: string,
  codeVerifier: string,
  { clientId, clientSecret, tokenUri }: DesktopClient,
  signal: AbortSignal,
): Promise<StoredLogin> {
  const { tokens } = await oauth.getToken({ code, codeVerifier }).catch((error: unknown) => {
    throw explainFailure(error, signal, (fault) => tokenError(fault, { kind: 'user', email: undefined }));
  });
  const scopes = tokens.scope?.split(' ') ?? [];
  if (!scopes.includes(scopeFor(false)))
    throw new AccessError('google.login_scope', 'the login does not cover Google spreadsheets', {
      next: `log in again and leave the box for spreadsheets ticked; see ${stepLink('login')}`,
    });
  if (typeof tokens.refresh_token !== 'string')
    throw new AccessError('google.no_refresh_token', 'Google gave a right for one hour only', {
      next: `remove the app at https://myaccount.google.com/connections, then log in again; see ${stepLink('login')}`,
    });
  const refreshToken = new Secret(tokens.refresh_token);
  return { clientId, clientSecret, refreshToken, email: emailIn(tokens.id_token), scopes, tokenUri };
}

/** The e-mail address of an id token; it came from Google itself over TLS, so that its signature says nothing more (OpenID Connect 3.1.3.7). */
function emailIn(idToken: string | null | undefined): string | undefined {
  const [, claims = ''] = (idToken ?? '').split('.');
  return textIn(parseObject(Buffer.from(claims, 'base64url').toString()) ?? {}, 'email');
}

function queryOf({ method, url }: IncomingMessage): URLSearchParams | undefined {
  const { pathname, searchParams } = new URL(url ?? '/', 'http://127.0.0.1');
  return method === 'GET' && pathname === '/' ? searchParams : undefined;
}

function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** Resolves when the page is with the system, or the browser is gone. */
function sendPage(response: ServerResponse, status: number, title: string, text: string): Promise<void> {
  const safe = text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    Connection: 'close',
  });
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${safe}</p></html>`;
  return new Promise((resolve) => response.once('close', resolve).end(`${page}\n`));
}

/** What became of a right at Google. */
export type Revocation = { readonly revoked: true } | { readonly revoked: false; readonly reason: string };

/** Takes a login's right back at Google. A right that Google does not know any more counts as taken back. */
export async function revokeLogin(
  { refreshToken, tokenUri }: StoredLogin,
  { clock, signal }: Pick<LoginOptions, 'clock' | 'signal'>,
): Promise<Revocation> {
  const wire = createWire({ clock, signal });
  const url = new URL('revoke', tokenUri ?? 'https://oauth2.googleapis.com/token');
  const body = new URLSearchParams({ token: refreshToken.reveal() });
  try {
    await wire(url, { method: 'POST', body });
    return { revoked: true };
  } catch (error) {
    signal.throwIfAborted();
    const fault = faultIn(error);
    if (fault === undefined) throw error;
    if (fault.kind === 'network') return { revoked: false, reason: fault.reason };
    if (fault.status === 400 && fault.text.includes('invalid_token')) return { revoked: true };
    return { revoked: false, reason: `Google answered ${fault.status}` };
  }
}
