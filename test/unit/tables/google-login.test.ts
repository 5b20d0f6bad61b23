import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { InterruptedError, TeamsheetError } from '../../../src/model/error.ts';
import { logIn, readDesktopClient, revokeLogin } from '../../../src/tables/google/connection/login.ts';
import { checkToken } from '../../../src/tables/google/connection/sign-in.ts';
import { readLogin, removeLogin, writeLogin } from '../../../src/tables/google/connection/token-file.ts';
import type { StoredLogin } from '../../../src/tables/google/connection/token-file.ts';
import { startFakeGoogle } from '../../support/google/fake-google.ts';
import { googleOfFile } from '../../support/google/of-file.ts';
import { virtualClock } from '../../support/clock.ts';
import { PRIVATE_KEY } from './google-support.ts';

const folder = mkdtempSync(join(tmpdir(), 'teamsheet-login-'));
const clientFile = join(folder, 'client.json');
const loginFile = join(folder, 'state/google-token.json');
const google = googleOfFile();

beforeAll(() => writeFileSync(clientFile, JSON.stringify(google.desktopClient)));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => google.allowLogin(true));

interface Flow {
  /** The address that the person is shown. */
  readonly url: Promise<URL>;
  readonly login: Promise<StoredLogin>;
  readonly abort: AbortController;
  readonly clock: ReturnType<typeof virtualClock>;
}

function begin(): Flow {
  const abort = new AbortController();
  const clock = virtualClock(Date.now());
  const shown = Promise.withResolvers<URL>();
  const login = logIn({
    client: readDesktopClient(clientFile),
    clock,
    signal: abort.signal,
    show: (url) => shown.resolve(new URL(url)),
  });
  login.catch(() => undefined);
  return { url: shown.promise, login, abort, clock };
}

/** Where the login page sends the browser. */
async function consent(url: URL): Promise<URL> {
  const response = await fetch(url, { redirect: 'manual' });
  return new URL(response.headers.get('location') ?? '');
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  return error instanceof TeamsheetError ? error.code : `no error of ours: ${String(error)}`;
}

describe('the login of a person', () => {
  it('ends with a lasting right that gives tokens', async () => {
    const { url, login } = begin();
    const back = await consent(await url);
    expect(back.hostname).toBe('127.0.0.1');
    const page = await fetch(back);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('You may close this window');
    const made = await login;
    expect(made.scopes).toContain('https://www.googleapis.com/auth/spreadsheets');
    await writeLogin(loginFile, made);
    const kept = readLogin(loginFile);
    expect(kept?.refreshToken.reveal()).toBe(made.refreshToken.reveal());
    await checkToken(
      { kind: 'user', origin: 'login', file: loginFile, login: made, quotaProject: undefined },
      { clock: virtualClock(), signal: new AbortController().signal },
    );
  });

  it('asks for spreadsheets, with a challenge and a state of its own each time', async () => {
    const flows = [begin(), begin()];
    const queries = (await Promise.all(flows.map(({ url }) => url))).map(({ searchParams }) => searchParams);
    for (const query of queries) {
      expect(query.get('scope')).toBe('https://www.googleapis.com/auth/spreadsheets openid email');
      expect(query.get('code_challenge_method')).toBe('S256');
      expect(query.get('code_challenge')).toMatch(/^[\w-]{43}$/);
      expect(query.get('access_type')).toBe('offline');
    }
    for (const name of ['state', 'code_challenge'])
      expect(queries[0]?.get(name)).not.toBe(queries[1]?.get(name));
    for (const { abort, login } of flows) {
      abort.abort(new InterruptedError('SIGINT', 'stopped'));
      expect(await codeOf(login)).toBe('run.interrupted');
    }
  });

  it('answers the browser with a page that nothing can be loaded into or kept of', async () => {
    const { url, login } = begin();
    const { headers } = await fetch(await consent(await url));
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    await login;
  });

  it.each([
    ['another state', (back: URL) => back.searchParams.set('state', 'forged')],
    ['no state', (back: URL) => back.searchParams.delete('state')],
    ['another path', (back: URL) => (back.pathname = '/favicon.ico')],
  ])('does not take an answer with %s, and goes on waiting', async (_, forge) => {
    const { url, login } = begin();
    const back = await consent(await url);
    const forged = new URL(back);
    forge(forged);
    expect((await fetch(forged)).status).toBe(404);
    expect((await fetch(back)).status).toBe(200);
    await login;
  });

  it('does not take an answer that was sent to another name', async () => {
    const { url, login } = begin();
    const back = await consent(await url);
    const status = await new Promise((resolve, reject) => {
      request(back, { headers: { host: 'rebound.example' } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(404);
    await fetch(back);
    await login;
  });

  it('says that it was declined', async () => {
    google.allowLogin(false);
    const { url, login } = begin();
    const page = await fetch(await consent(await url));
    expect(page.status).toBe(400);
    expect(await codeOf(login)).toBe('google.login_refused');
  });

  it('gives up after five minutes', async () => {
    const { url, login, clock } = begin();
    await url;
    await clock.advance(300_000);
    expect(await codeOf(login)).toBe('google.login_timeout');
  });

  it.each([
    ['google.no_refresh_token', { access_token: 'a', scope: 'https://www.googleapis.com/auth/spreadsheets' }],
    ['google.login_scope', { access_token: 'a', refresh_token: 'r', scope: 'openid email' }],
  ])('is refused with %s where the right is too small', async (code, body) => {
    let asked = false;
    google.before((call) => {
      if (call.kind !== 'token' || !call.path.startsWith('/token') || asked) return undefined;
      asked = true;
      return { status: 200, body };
    });
    const { url, login } = begin();
    await fetch(await consent(await url));
    expect(await codeOf(login)).toBe(code);
  });
});

describe('the file of a login', () => {
  const login = (): StoredLogin => readLogin(loginFile) ?? expect.fail('no login');

  it('is for this account of the machine alone', () => {
    expect(statSync(loginFile).mode & 0o777).toBe(0o600);
  });

  it('is taken back at Google', async () => {
    const options = { clock: virtualClock(), signal: new AbortController().signal };
    expect(await revokeLogin(login(), options)).toEqual({ revoked: true });
    // What is gone already counts as taken back.
    expect(await revokeLogin(login(), options)).toEqual({ revoked: true });
    expect(
      await codeOf(
        checkToken(
          { kind: 'user', origin: 'login', file: loginFile, login: login(), quotaProject: undefined },
          options,
        ),
      ),
    ).toBe('google.expired');
    await removeLogin(loginFile);
    expect(readLogin(loginFile)).toBeUndefined();
  });

  it('says when Google could not be reached', async () => {
    const gone = await startFakeGoogle();
    const tokenUri = new URL('token', gone.rootUrl);
    await gone.close();
    writeFileSync(
      join(folder, 'lost.json'),
      JSON.stringify({ client_id: 'c', client_secret: 's', refresh_token: 'r', token_uri: tokenUri.href }),
    );
    const stored = readLogin(join(folder, 'lost.json')) ?? expect.fail('no login');
    const options = { clock: virtualClock(), signal: new AbortController().signal };
    expect(await revokeLogin(stored, options)).toMatchObject({
      revoked: false,
      reason: expect.stringContaining('ECONNREFUSED') as string,
    });
  });

  it.each([
    ['not JSON', '{'],
    ['a list', '[]'],
    ['without a token', '{"client_id":"c","client_secret":"s"}'],
  ])('is refused when it is %s', (_, text) => {
    writeFileSync(join(folder, 'bad.json'), text);
    expect(() => readLogin(join(folder, 'bad.json'))).toThrow(
      expect.objectContaining({
        code: 'google.login_file',
        next: expect.stringMatching(/^auth login --client FILE/) as string,
      }),
    );
  });

  it('is never asked elsewhere than at Google', () => {
    const stored = {
      client_id: 'c',
      client_secret: 's',
      refresh_token: 'r',
      token_uri: 'https://evil.example/token',
    };
    writeFileSync(join(folder, 'bad.json'), JSON.stringify(stored));
    expect(() => readLogin(join(folder, 'bad.json'))).toThrow(
      expect.objectContaining({ code: 'google.address' }),
    );
  });
});

describe('the file of a desktop client', () => {
  const client = { client_id: 'c', client_secret: 's' };
  it.each([
    ['nothing', undefined, 'google.client_file', 'no such file'],
    [
      'a key',
      { type: 'service_account', private_key: PRIVATE_KEY },
      'google.client_file',
      'key of a service account',
    ],
    ['a web client', { web: client }, 'google.client_file', 'Web application'],
    ['something else', { name: 'x' }, 'google.client_file', 'not the file of an OAuth client'],
    ['half a client', { installed: { client_id: 'c' } }, 'google.client_file', 'client_secret'],
    [
      'another server',
      { installed: { ...client, token_uri: 'https://evil.example/' } },
      'google.address',
      'token_uri',
    ],
    [
      'http',
      { installed: { ...client, auth_uri: 'http://accounts.google.com/' } },
      'google.address',
      'auth_uri',
    ],
  ])('is refused when it is %s', (_, document, code, message) => {
    const file = join(folder, 'other-client.json');
    rmSync(file, { force: true });
    if (document !== undefined) writeFileSync(file, JSON.stringify(document));
    expect(() => readDesktopClient(file)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) as string }),
    );
  });

  it('leads to Google where it says so', () => {
    const file = join(folder, 'google-client.json');
    const addresses = {
      auth_uri: 'https://accounts.google.com/o/oauth2/auth',
      token_uri: 'https://oauth2.googleapis.com/token',
    };
    writeFileSync(file, JSON.stringify({ installed: { ...client, ...addresses } }));
    expect(readDesktopClient(file)).toMatchObject({ authUri: undefined, tokenUri: undefined });
  });
});
