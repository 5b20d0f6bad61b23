import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import nock from 'nock';
import { afterAll, describe, expect, it } from 'vitest';
import { TeamsheetError } from '../../../src/model/error.ts';
import { createGoogleAccess } from '../../../src/tables/google/connection/access.ts';
import { findCredentials, identityOf } from '../../../src/tables/google/connection/credentials.ts';
import type {
  CredentialPlaces,
  FoundCredentials,
} from '../../../src/tables/google/connection/credentials.ts';
import { checkToken } from '../../../src/tables/google/connection/sign-in.ts';
import { virtualClock } from '../../support/clock.ts';
import { googleOfFile } from '../../support/google/of-file.ts';
import {
  EMAIL,
  openClient,
  PERSON,
  pausingClock,
  PRIVATE_KEY,
  ROOT,
  SERVICE_ACCOUNT,
  SHEET,
} from './google-support.ts';

const folder = mkdtempSync(join(tmpdir(), 'teamsheet-credentials-'));
const google = googleOfFile();
afterAll(() => rmSync(folder, { recursive: true }));

const KEY = { type: 'service_account', client_email: EMAIL, private_key_id: 'k1', private_key: PRIVATE_KEY };
const USER = { type: 'authorized_user', client_id: 'c', client_secret: 's', refresh_token: 'r' };

function write(name: string, document: object | string, mode = 0o600): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document));
  chmodSync(file, mode);
  return file;
}

const NONE: CredentialPlaces = { keyFile: undefined, loginFile: join(folder, 'none.json'), env: {} };
const find = (places: Partial<CredentialPlaces>): FoundCredentials => findCredentials({ ...NONE, ...places });

function refused(work: () => unknown): TeamsheetError {
  try {
    work();
  } catch (error) {
    if (error instanceof TeamsheetError) return error;
    throw error;
  }
  return expect.fail('it was not refused');
}

describe('credentials', () => {
  it('are the key of the configuration, else the login, else what the machine has', () => {
    const keyFile = write('key.json', KEY);
    const loginFile = write('login.json', { ...USER, email: 'ada@fictional-league.example' });
    const env = { HOME: join(folder, 'home'), GOOGLE_APPLICATION_CREDENTIALS: write('adc.json', KEY) };
    write('home/.config/gcloud/application_default_credentials.json', USER);
    expect(find({ keyFile, loginFile, env }).credentials).toMatchObject({ origin: 'key', email: EMAIL });
    expect(find({ loginFile, env }).credentials).toMatchObject({ origin: 'login', kind: 'user' });
    expect(find({ env }).credentials).toMatchObject({ origin: 'ambient', kind: 'service_account' });
    const gcloud = { HOME: env.HOME };
    expect(find({ env: gcloud }).credentials).toMatchObject({ origin: 'ambient', kind: 'user' });
    expect(find({}).credentials).toEqual({ kind: 'machine', origin: 'ambient', file: undefined });
    expect(
      find({ env: { GOOGLE_APPLICATION_CREDENTIALS: write('other.json', { type: 'external_account' }) } })
        .credentials,
    ).toMatchObject({ kind: 'machine', file: join(folder, 'other.json') });
  });

  it('may begin with a byte order mark', () => {
    const keyFile = write('key.json', `\ufeff${JSON.stringify(KEY)}`);
    expect(find({ keyFile }).credentials).toMatchObject({ origin: 'key', email: EMAIL });
  });

  it('tell whom to share with', () => {
    expect(identityOf(find({ keyFile: write('key.json', KEY) }).credentials)).toEqual({
      kind: 'service_account',
      email: EMAIL,
    });
    const env = { GOOGLE_APPLICATION_CREDENTIALS: write('adc.json', KEY) };
    expect(identityOf(find({ env }).credentials)).toEqual({ kind: 'ambient', email: EMAIL });
    expect(identityOf(PERSON)).toEqual({ kind: 'user', email: 'ada@fictional-league.example' });
  });

  it.each([
    [0o640, 1],
    [0o604, 1],
    [0o600, 0],
  ])('in a file with the mode %o are warned about %i times', (mode, count) => {
    const file = write('open.json', KEY, mode);
    const { warnings } = find({ keyFile: file });
    expect(warnings).toEqual(
      Array.from({ length: count }, () => expect.stringContaining(`chmod 600 '${file}'`) as string),
    );
  });

  it.each([
    ['not JSON', '{"type"', 'google.key_file', 'not a JSON object'],
    ['a list', '[]', 'google.key_file', 'not a JSON object'],
    ['a desktop client', { installed: {} }, 'google.key_file', 'OAuth client'],
    ['a web client', { web: {} }, 'google.key_file', 'OAuth client'],
    ['a person', USER, 'google.key_file', 'not the key of a service account'],
    ['something else', { type: 'external_account' }, 'google.key_file', 'not the key of a service account'],
    ['without an address', { ...KEY, client_email: '' }, 'google.key_file', '"client_email"'],
    ['without a key', { ...KEY, private_key: undefined }, 'google.key_file', '"private_key"'],
    ['with half a key', { ...KEY, private_key: PRIVATE_KEY.slice(0, 400) }, 'google.key_file', 'RSA key'],
    [
      'of another server',
      { ...KEY, token_uri: 'https://evil.example/token' },
      'google.address',
      'evil.example',
    ],
    ['of http', { ...KEY, token_uri: 'http://oauth2.googleapis.com/token' }, 'google.address', 'token_uri'],
    [
      'of a look-alike',
      { ...KEY, token_uri: 'https://oauth2.googleapis.com.evil.example/' },
      'google.address',
      'evil',
    ],
    [
      'of a user part',
      { ...KEY, token_uri: 'https://oauth2.googleapis.com@evil.example/' },
      'google.address',
      'evil',
    ],
  ])('in a file that is %s are refused', (_, document, code, says) => {
    const error = refused(() => find({ keyFile: write('bad.json', document) }));
    expect(error).toMatchObject({
      code,
      exitCode: 4,
      next: expect.stringContaining('connect-google-sheets.md#') as string,
    });
    expect(error.message).toContain(says);
    expect(inspect(error, { depth: 9 })).not.toContain(PRIVATE_KEY.slice(60, 90));
  });

  it('that are named and not there are refused', () => {
    expect(refused(() => find({ keyFile: join(folder, 'gone.json') })).code).toBe('google.key_missing');
    const env = { GOOGLE_APPLICATION_CREDENTIALS: join(folder, 'gone.json') };
    expect(refused(() => find({ env })).message).toContain('GOOGLE_APPLICATION_CREDENTIALS');
  });
});

describe('tokens of a service account', () => {
  const options = { clock: virtualClock(Date.now()), signal: new AbortController().signal };

  it('come from the server on this machine that its file names', async () => {
    const keyFile = write('fake.json', google.keyFile);
    await checkToken(find({ keyFile }).credentials, options);
    expect(google.calls.filter(({ kind }) => kind === 'token')).toHaveLength(1);
  });

  it('are refused when the clock is wrong, with the code for it', async () => {
    const keyFile = write('fake.json', google.keyFile);
    const late = { ...options, clock: virtualClock(Date.now() - 7_200_000) };
    await expect(checkToken(find({ keyFile }).credentials, late)).rejects.toMatchObject({
      code: 'google.clock',
    });
  });

  it.each([
    [true, 'https://www.googleapis.com/auth/spreadsheets.readonly'],
    [false, 'https://www.googleapis.com/auth/spreadsheets'],
  ])('are asked for no more than is needed (read only: %s)', async (readOnly, scope) => {
    const spreadsheetId = google.add({ tabs: [{ title: 'Members', rows: [['Member ID']] }] });
    const keyFile = write('fake.json', google.keyFile);
    const warnings: string[] = [];
    const access = createGoogleAccess({
      connection: () => ({ credentials: { ...NONE, keyFile }, rootUrl: google.rootUrl }),
      readOnly,
      clock: pausingClock(),
      random: { next: () => 0, ulid: () => '' },
      emit: (event) => event.kind === 'warning' && warnings.push(event.message),
      signal: options.signal,
      tabs: { recall: () => Promise.resolve(undefined), remember: () => Promise.resolve() },
      maxWaitMs: 0,
    });
    expect(access.counts()).toBeUndefined();
    const client = await access.client();
    expect(await access.client()).toBe(client);
    expect(await client.values(spreadsheetId, ["'Members'"], 'FORMATTED_VALUE')).toMatchObject([
      { rows: [['Member ID']] },
    ]);
    expect(access.counts()).toMatchObject({ reads: 1, writes: 0 });
    for (const message of ['renamed', 'renamed', 'another']) access.warn(message);
    expect(warnings).toEqual(['renamed', 'another']);
    const { body } = google.calls.findLast(({ kind }) => kind === 'token') ?? expect.fail('no token');
    const [, claims = ''] = (body as { readonly assertion: string }).assertion.split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ scope });
    const update = client.update(spreadsheetId, [{ addSheet: { properties: { title: 'New' } } }], {
      repeatable: false,
    });
    if (readOnly) await expect(update).rejects.toMatchObject({ code: 'google.scope' });
    else await update;
  });
});

describe('secrets', () => {
  const keyPart = PRIVATE_KEY.replaceAll('\n', '').slice(200, 240);
  const CANARIES = [
    'canary-access-token',
    'canary-refresh-token',
    'canary-client-secret',
    keyPart,
    'Bearer ',
    'eyJ',
  ];

  it.each([
    [
      'a refusal',
      SERVICE_ACCOUNT,
      (scope: nock.Interceptor) => scope.reply(403, { error: { message: 'no' } }),
    ],
    ['a failure', PERSON, (scope: nock.Interceptor) => scope.times(5).reply(500, 'no')],
    ['a page', PERSON, (scope: nock.Interceptor) => scope.times(5).reply(502, '<html>')],
    [
      'a broken connection',
      SERVICE_ACCOUNT,
      (scope: nock.Interceptor) =>
        scope.times(5).replyWithError(Object.assign(new Error('x'), { code: 'ECONNRESET' })),
    ],
  ] as const)('are in no part of the error of %s', async (_, credentials, answer) => {
    nock.disableNetConnect();
    nock('https://oauth2.googleapis.com')
      .post('/token')
      .reply(200, { access_token: 'canary-access-token', expires_in: 3600 });
    answer(nock(ROOT).get(`/v4/spreadsheets/${SHEET}`).query(true));
    const { client, events } = await openClient({ credentials });
    const error: unknown = await client.spreadsheet(SHEET, 'x').catch((thrown: unknown) => thrown);
    nock.cleanAll();
    nock.enableNetConnect();
    expect(error).toBeInstanceOf(TeamsheetError);
    expectNothing([error, events, client, credentials]);
  });

  it('are in no part of the error of a refused login', async () => {
    nock.disableNetConnect();
    nock('https://oauth2.googleapis.com').post('/token').reply(400, { error: 'invalid_grant' });
    const signal = new AbortController().signal;
    const error: unknown = await checkToken(PERSON, { clock: pausingClock(), signal }).catch(
      (thrown: unknown) => thrown,
    );
    nock.cleanAll();
    nock.enableNetConnect();
    expect(error).toMatchObject({ code: 'google.expired' });
    expectNothing([error]);
  });

  /** Everything that a program could print of something. */
  function expectNothing(things: readonly unknown[]): void {
    const shown = things.flatMap((thing) => [
      inspect(thing, { depth: 20, showHidden: true, getters: true }),
      JSON.stringify(thing),
      ...(thing instanceof Error
        ? [thing.message, thing.stack ?? '', inspect(thing.cause, { depth: 20 })]
        : []),
    ]);
    expect(shown.join('').length).toBeGreaterThan(100);
    expect(CANARIES.filter((canary) => shown.some((text) => text.includes(canary)))).toEqual([]);
  }
});
