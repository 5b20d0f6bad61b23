import { createHash, createSign } from 'node:crypto';
import { auth } from 'googleapis/build/src/apis/sheets/index.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fault } from '../support/google/call.ts';
import { googleClient, refusalOf } from '../support/google/client.ts';
import { startFakeGoogle, type FakeGoogle } from '../support/google/fake-google.ts';

const WRITE = 'https://www.googleapis.com/auth/spreadsheets';
const READ = `${WRITE}.readonly`;

let google: FakeGoogle;
let id: string;
let nowMs: number;

beforeEach(async () => {
  nowMs = Date.UTC(2026, 7, 15, 12);
  google = await startFakeGoogle({ now: () => nowMs });
  id = google.add({ tabs: [{ title: 'Members', rows: [['Name'], ['Ada Finch']] }] });
});
afterEach(() => google.close());

const read = (client = googleClient(google), spreadsheetId = id) =>
  client.spreadsheets.values.batchGet({ spreadsheetId, ranges: ['Members'] });
const write = (client = googleClient(google), spreadsheetId = id) =>
  client.spreadsheets.batchUpdate({
    spreadsheetId,
    requestBody: {
      requests: [
        {
          updateCells: {
            start: { sheetId: 0, rowIndex: 1, columnIndex: 0 },
            rows: [{ values: [{ userEnteredValue: { stringValue: 'Bo Reyes' } }] }],
            fields: 'userEnteredValue',
          },
        },
      ],
    },
  });
const name = () => google.tab(id, 'Members').cell(1, 0).value;

describe('who may do what', () => {
  it('knows no token but its own, and each for an hour', async () => {
    expect(await refusalOf(read(googleClient(google, { token: 'made-up' })))).toMatchObject({
      code: 401,
      status: 'UNAUTHENTICATED',
    });
    const client = googleClient(google);
    expect(await refusalOf(read(client))).toBeUndefined();
    nowMs += 3_600_000;
    expect(await refusalOf(read(client))).toMatchObject({ code: 401 });
  });

  it('lets a token for reading read only, and says so in words and in a reason', async () => {
    const client = googleClient(google, { scope: READ });
    expect(await refusalOf(read(client))).toBeUndefined();
    const refused = await refusalOf(write(client));
    expect(refused).toMatchObject({
      code: 403,
      status: 'PERMISSION_DENIED',
      message: 'Request had insufficient authentication scopes.',
    });
    expect(refused?.details).toMatchObject([
      { reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT', domain: 'googleapis.com' },
    ]);
    expect(name()).toBe('Ada Finch');
  });

  it('tells a spreadsheet that is not shared from one that is not there', async () => {
    const tabs = [{ title: 'Members', rows: [] }];
    const denied = { code: 403, status: 'PERMISSION_DENIED', message: 'The caller does not have permission' };
    const reader = google.add({ shared: 'reader', tabs });
    expect(await refusalOf(read(undefined, google.add({ shared: false, tabs })))).toEqual(denied);
    expect(await refusalOf(read(undefined, reader))).toBeUndefined();
    expect(await refusalOf(write(undefined, reader))).toEqual(denied);
    expect(await refusalOf(read(undefined, 'unknown'))).toEqual({
      code: 404,
      status: 'NOT_FOUND',
      message: 'Requested entity was not found.',
    });
  });
});

describe('tokens', () => {
  async function exchange(form: Record<string, string>) {
    const answer = await fetch(`${google.rootUrl}token`, { method: 'POST', body: new URLSearchParams(form) });
    return (await answer.json()) as Record<string, unknown>;
  }
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  function assertion(
    changes: object = {},
    key = google.keyFile['private_key'] ?? '',
  ): Record<string, string> {
    const iat = nowMs / 1000;
    const { client_email: iss, token_uri: aud } = google.keyFile;
    const signed = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode({ iss, aud, scope: WRITE, iat, exp: iat + 3600, ...changes })}`;
    const signature = createSign('RSA-SHA256').update(signed).sign(key, 'base64url');
    return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: `${signed}.${signature}` };
  }

  it('gives a service account a token for a signed claim', async () => {
    const answer = await exchange(assertion());
    expect(answer).toMatchObject({ token_type: 'Bearer', scope: WRITE });
    expect(
      await refusalOf(write(googleClient(google, { token: String(answer['access_token']) }))),
    ).toBeUndefined();
    expect(google.calls.map(({ kind }) => kind)).toEqual(['token', 'write']);
  });

  it.each([
    ['another account', { iss: 'stranger@example.org' }, 'Invalid grant: account not found'],
    ['another audience', { aud: 'https://example.org/token' }, 'Invalid JWT: Failed audience check.'],
    [
      'a clock that is a day behind',
      { iat: 1_786_708_800, exp: 1_786_712_400 },
      'Token must be a short-lived token',
    ],
    ['no scope', { scope: '' }, 'Invalid OAuth scope'],
  ])('refuses %s', async (_name, changes, description) => {
    expect(await exchange(assertion(changes))).toEqual({
      error: expect.stringMatching(/^invalid_(grant|scope)$/) as string,
      error_description: expect.stringContaining(description) as string,
    });
  });

  it('refuses a signature of another key', async () => {
    const other = await startFakeGoogle();
    const answer = await exchange(assertion({}, other.keyFile['private_key']));
    await other.close();
    expect(answer).toEqual({ error: 'invalid_grant', error_description: 'Invalid JWT Signature.' });
  });

  const REDIRECT = 'http://127.0.0.1:5555/callback';
  const VERIFIER = 'a-verifier-of-forty-three-characters-or-more';
  function loginClient() {
    const { installed } = google.desktopClient as { installed: Record<string, string> };
    return new auth.OAuth2({
      clientId: installed['client_id'] ?? '',
      clientSecret: installed['client_secret'] ?? '',
      redirectUri: REDIRECT,
      endpoints: {
        oauth2AuthBaseUrl: `${google.rootUrl}auth`,
        oauth2TokenUrl: `${google.rootUrl}token`,
        oauth2RevokeUrl: `${google.rootUrl}revoke`,
      },
    });
  }
  async function login(client = loginClient()): Promise<URL> {
    const challenge = createHash('sha256').update(VERIFIER).digest('base64url');
    const options = { access_type: 'offline', scope: [WRITE], state: 's1', code_challenge: challenge };
    const url = `${client.generateAuthUrl(options)}&code_challenge_method=S256`;
    const page = await fetch(url, { redirect: 'manual' });
    return new URL(page.headers.get('location') ?? '');
  }

  it("plays the person's browser, checks the verifier, and takes each code once", async () => {
    const client = loginClient();
    const back = await login(client);
    expect([back.origin + back.pathname, back.searchParams.get('state')]).toEqual([REDIRECT, 's1']);
    const code = back.searchParams.get('code') ?? '';
    const { tokens } = await client.getToken({ code, codeVerifier: VERIFIER });
    expect(tokens.refresh_token).toMatch(/^1\/\//);
    await expect(client.getToken({ code, codeVerifier: VERIFIER })).rejects.toThrow('invalid_grant');
    const second = (await login(client)).searchParams.get('code') ?? '';
    await expect(client.getToken({ code: second, codeVerifier: 'wrong' })).rejects.toThrow('invalid_grant');
  });

  it('renews a token, until it was revoked', async () => {
    const client = loginClient();
    const code = (await login(client)).searchParams.get('code') ?? '';
    const { tokens } = await client.getToken({ code, codeVerifier: VERIFIER });
    client.setCredentials({ refresh_token: tokens.refresh_token ?? null });
    const { token } = await client.getAccessToken();
    expect(await refusalOf(write(googleClient(google, { token: token ?? '' })))).toBeUndefined();
    await client.revokeToken(tokens.refresh_token ?? '');
    client.setCredentials({ refresh_token: tokens.refresh_token ?? null });
    await expect(client.getAccessToken()).rejects.toThrow('invalid_grant');
  });

  it('answers a person who says no', async () => {
    google.allowLogin(false);
    const back = await login();
    expect([back.searchParams.get('error'), back.searchParams.get('code')]).toEqual(['access_denied', null]);
  });
});

describe('quotas and faults', () => {
  it('answers 429 past a quota', async () => {
    google.quota({ reads: 2 });
    await read();
    await read();
    const refused = await refusalOf(read());
    expect(refused).toMatchObject({ code: 429, status: 'RESOURCE_EXHAUSTED' });
    expect(refused?.message).toContain(
      "Quota exceeded for quota metric 'Read requests' and limit 'Read requests per minute per user' of service 'sheets.googleapis.com'",
    );
    expect(await refusalOf(write())).toBeUndefined();
  });

  it('answers a fault before or after it carried the request out', async () => {
    const faults: Fault[] = [{ status: 503 }, { status: 503, after: true, headers: { 'retry-after': '7' } }];
    google.before(() => faults.shift());
    await expect(write()).rejects.toMatchObject({ status: 503 });
    expect(name()).toBe('Ada Finch');
    await expect(write()).rejects.toMatchObject({ status: 503 });
    expect(name()).toBe('Bo Reyes');
    expect(google.calls.map(({ status }) => status)).toEqual([503, 503]);
  });

  it('drops connections, before and after', async () => {
    const faults: Fault[] = ['reset', 'reset-after'];
    google.before(() => faults.shift());
    await expect(write()).rejects.toThrow();
    expect(name()).toBe('Ada Finch');
    await expect(write()).rejects.toThrow();
    expect(name()).toBe('Bo Reyes');
  });
});
