import nock from 'nock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InterruptedError, TeamsheetError } from '../../../src/model/error.ts';
import { openClient, PERSON, refusal, ROOT, SERVICE_ACCOUNT, SHEET } from './google-support.ts';

const GET = `/v4/spreadsheets/${SHEET}`;
const BATCH = `${GET}:batchUpdate`;
const REQUESTS = [{ deleteSheet: { sheetId: 7 } }];
const THROTTLED = refusal(429, 'RESOURCE_EXHAUSTED', "Quota exceeded for quota metric 'Read requests'");

const sheets = (): nock.Scope => nock(ROOT);
const token = (): nock.Interceptor => nock('https://oauth2.googleapis.com').post('/token');

beforeEach(() => {
  nock.disableNetConnect();
  token().reply(200, { access_token: 'token-1', expires_in: 3600, token_type: 'Bearer' });
});
afterEach(() => {
  nock.cleanAll();
  nock.enableNetConnect();
});

/** What a call is refused with. */
async function failureOf(work: Promise<unknown>): Promise<TeamsheetError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof TeamsheetError) return error;
  throw new Error(`not refused as expected: ${String(error)}`);
}

describe('reads', () => {
  it('asks for a token once and counts what it asks', async () => {
    sheets()
      .get(GET)
      .query({ fields: 'spreadsheetId', prettyPrint: false })
      .twice()
      .reply(200, { spreadsheetId: SHEET });
    const { client } = await openClient();
    await client.spreadsheet(SHEET, 'spreadsheetId');
    expect(await client.spreadsheet(SHEET, 'spreadsheetId')).toEqual({ spreadsheetId: SHEET });
    expect(client.counts()).toEqual({ reads: 2, writes: 0, throttled: 0, waitedMs: 0 });
  });

  it('answers values in the order asked, and no rows where Google leaves them out', async () => {
    sheets()
      .get(`${GET}/values:batchGet`)
      .query({
        ranges: ["'Q1'!A1:C", "'Q2'"],
        valueRenderOption: 'UNFORMATTED_VALUE',
        majorDimension: 'ROWS',
        prettyPrint: false,
      })
      .reply(200, { valueRanges: [{ range: "'Q1'!A1:C2", values: [['a', 1, true]] }, { range: "'Q2'!A1" }] });
    const { client } = await openClient();
    expect(await client.values(SHEET, ["'Q1'!A1:C", "'Q2'"], 'UNFORMATTED_VALUE')).toEqual([
      { range: "'Q1'!A1:C2", rows: [['a', 1, true]] },
      { range: "'Q2'!A1", rows: [] },
    ]);
  });

  it.each([500, 502, 503, 504])('is repeated after %i with growing pauses', async (status) => {
    sheets()
      .get(GET)
      .query(true)
      .twice()
      .reply(status, refusal(status, 'UNAVAILABLE', 'try again'));
    sheets().get(GET).query(true).reply(200, {});
    const { client, clock, events } = await openClient();
    await client.spreadsheet(SHEET, 'spreadsheetId');
    expect(clock.pauses).toEqual([1000, 2000]);
    expect(events.map(({ kind }) => kind)).toEqual(['retry', 'retry']);
    expect(client.counts()).toMatchObject({ reads: 3, waitedMs: 3000 });
  });

  it.each([
    [429, THROTTLED],
    [403, { error: { code: 403, errors: [{ reason: 'userRateLimitExceeded' }] } }],
    [403, { error: { code: 403, details: [{ reason: 'RATE_LIMIT_EXCEEDED' }] } }],
  ])('waits longer than a minute for the quota before it gives up (%i)', async (status, answer) => {
    sheets().get(GET).query(true).times(7).reply(status, answer);
    const { client, clock } = await openClient();
    const error = await failureOf(client.spreadsheet(SHEET, 'spreadsheetId'));
    expect(error).toMatchObject({ code: 'google.throttled', exitCode: 8 });
    expect(clock.pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000]);
    expect(client.counts()).toMatchObject({ reads: 7, throttled: 7, waitedMs: 63_000 });
  });

  it.each([
    ['30', 30_000],
    ['86400', 300_000],
    ['soon', 1000],
    ['Fri, 20 Nov 2026 10:00:45 GMT', 45_000],
  ])('honours a Retry-After of %s within limits', async (header, waitMs) => {
    const date = 'Fri, 20 Nov 2026 10:00:00 GMT';
    sheets().get(GET).query(true).reply(429, THROTTLED, { 'Retry-After': header, Date: date });
    sheets().get(GET).query(true).reply(200, {});
    const { client, clock } = await openClient();
    await client.spreadsheet(SHEET, 'spreadsheetId');
    expect(clock.pauses).toEqual([waitMs]);
  });

  it('waits no longer than allowed', async () => {
    sheets().get(GET).query(true).times(3).reply(429, THROTTLED);
    const { client, clock } = await openClient({ maxWaitMs: 3500 });
    expect(await failureOf(client.spreadsheet(SHEET, 'x'))).toMatchObject({ code: 'google.throttled' });
    expect(clock.pauses).toEqual([1000, 2000]);
  });

  it('is repeated after a broken connection and after an answer that was cut', async () => {
    sheets()
      .get(GET)
      .query(true)
      .replyWithError(Object.assign(new Error('socket'), { code: 'ECONNRESET' }));
    sheets().get(GET).query(true).reply(200, '{"sheets":[{"prop', { 'content-type': 'application/json' });
    sheets().get(GET).query(true).reply(200, { spreadsheetId: SHEET });
    const { client, clock } = await openClient();
    expect(await client.spreadsheet(SHEET, 'spreadsheetId')).toEqual({ spreadsheetId: SHEET });
    expect(clock.pauses).toHaveLength(2);
  });

  it.each(['', '{"valueRanges":[{"range":"A1","values":[["a"]]}', '[1', 'null "'])(
    'never takes %s for a table without rows',
    async (text) => {
      sheets().get(`${GET}/values:batchGet`).query(true).times(5).reply(200, text);
      const { client } = await openClient();
      const error = await failureOf(client.values(SHEET, ['A:A'], 'UNFORMATTED_VALUE'));
      expect(error).toMatchObject({ code: 'google.answer', exitCode: 8 });
    },
  );

  it('is repeated after an answer for fewer ranges than it asked for', async () => {
    const [one, other] = [{ range: 'A1' }, { range: 'B1' }];
    const batch = sheets().get(`${GET}/values:batchGet`).query(true);
    batch.reply(200, { valueRanges: [one] });
    sheets()
      .get(`${GET}/values:batchGet`)
      .query(true)
      .reply(200, { valueRanges: [one, other] });
    const { client, clock } = await openClient();
    expect(await client.values(SHEET, ['A:A', 'B:B'], 'UNFORMATTED_VALUE')).toHaveLength(2);
    expect(clock.pauses).toHaveLength(1);
  });

  it('does not take answers for fewer ranges, or without tabs, than it asked for', async () => {
    sheets()
      .get(`${GET}/values:batchGet`)
      .query(true)
      .times(5)
      .reply(200, { valueRanges: [{ range: 'A1' }] });
    sheets().get(GET).query(true).times(5).reply(200, {});
    const { client } = await openClient();
    const half = { code: 'google.answer', exitCode: 8 };
    const values = client.values(SHEET, ['A:A', 'B:B'], 'UNFORMATTED_VALUE');
    expect(await failureOf(values)).toMatchObject(half);
    expect(await failureOf(client.spreadsheet(SHEET, 'sheets(properties)'))).toMatchObject(half);
  });

  it('is not repeated after a refusal', async () => {
    const scope = sheets()
      .get(GET)
      .query(true)
      .reply(404, refusal(404, 'NOT_FOUND', 'not found'));
    const { client, clock } = await openClient();
    expect(await failureOf(client.spreadsheet(SHEET, 'x'))).toMatchObject({
      code: 'google.not_found',
      exitCode: 4,
    });
    expect(clock.pauses).toEqual([]);
    scope.done();
  });

  it('follows no redirect', async () => {
    sheets().get(GET).query(true).reply(302, '', { Location: 'https://elsewhere.example/' });
    const elsewhere = nock('https://elsewhere.example').get('/').reply(200, {});
    const { client } = await openClient();
    expect(await failureOf(client.spreadsheet(SHEET, 'x'))).toMatchObject({ code: 'google.redirect' });
    expect(elsewhere.isDone()).toBe(false);
  });

  it('tells a web page from an answer', async () => {
    sheets().get(GET).query(true).times(5).reply(502, '<!DOCTYPE html><title>Bad gateway</title>');
    const { client } = await openClient();
    expect(await failureOf(client.spreadsheet(SHEET, 'x'))).toMatchObject({
      code: 'google.html',
      exitCode: 8,
    });
  });

  it('ends at once when it is interrupted', async () => {
    const { client, abort } = await openClient();
    sheets()
      .get(GET)
      .query(true)
      .reply(200, async () => {
        abort.abort(new InterruptedError('SIGINT', 'stopped'));
        await new Promise((resolve) => setImmediate(resolve));
        return {};
      });
    expect(await failureOf(client.spreadsheet(SHEET, 'x'))).toMatchObject({ code: 'run.interrupted' });
  });

  it('takes no text that is not an id', async () => {
    const { client } = await openClient();
    expect(await failureOf(client.spreadsheet('../drive', 'x'))).toMatchObject({
      code: 'google.spreadsheet_id',
    });
  });
});

describe('updates', () => {
  it('sends all requests at once and asks for cells only on demand', async () => {
    const bodies: unknown[] = [];
    const scope = sheets()
      .post(BATCH, (body) => bodies.push(body) > 0)
      .query({ fields: 'spreadsheetId,replies', prettyPrint: false })
      .reply(200, { spreadsheetId: SHEET });
    const { client } = await openClient();
    await client.update(SHEET, REQUESTS, { repeatable: false });
    scope.done();
    expect(bodies).toEqual([{ requests: REQUESTS }]);
    sheets()
      .post(BATCH, (body) => bodies.push(body) > 0)
      .query({ fields: 'updatedSpreadsheet', prettyPrint: false })
      .reply(200, { updatedSpreadsheet: {} });
    const answer = { ranges: ["'Q1'!A1"], fields: 'updatedSpreadsheet' };
    await client.update(SHEET, REQUESTS, { repeatable: false, answer });
    expect(bodies[1]).toEqual({
      requests: REQUESTS,
      includeSpreadsheetInResponse: true,
      responseIncludeGridData: true,
      responseRanges: ["'Q1'!A1"],
    });
    expect(client.counts()).toMatchObject({ reads: 0, writes: 2 });
  });

  it('goes again after a refusal for the quota', async () => {
    sheets().post(BATCH).query(true).reply(429, THROTTLED);
    sheets().post(BATCH).query(true).reply(200, {});
    const { client, clock } = await openClient();
    await client.update(SHEET, REQUESTS, { repeatable: false });
    expect(clock.pauses).toEqual([1000]);
  });

  it('goes again when it was never sent', async () => {
    sheets()
      .post(BATCH)
      .query(true)
      .replyWithError(
        Object.assign(new Error('no connection'), { code: 'ECONNREFUSED', syscall: 'connect' }),
      );
    sheets().post(BATCH).query(true).reply(200, {});
    const { client, clock } = await openClient();
    await client.update(SHEET, REQUESTS, { repeatable: false });
    expect(clock.pauses).toEqual([1000]);
  });

  const lost: readonly (readonly [string, (post: nock.Interceptor) => void])[] = [
    ['503', (post) => void post.reply(503, refusal(503, 'UNAVAILABLE', 'try again'))],
    [
      'a reset',
      (post) => void post.replyWithError(Object.assign(new Error('socket'), { code: 'ECONNRESET' })),
    ],
    ['a cut answer', (post) => void post.reply(200, '{"replies":[')],
  ];
  it.each(lost)('is not repeated after %s, unless that does no harm', async (_, fail) => {
    fail(sheets().post(BATCH).query(true));
    const { client, clock } = await openClient();
    const error = await failureOf(client.update(SHEET, REQUESTS, { repeatable: false }));
    expect(error.exitCode).toBe(8);
    expect(error.message).toContain('whether it took the change is not known');
    expect(clock.pauses).toEqual([]);
    fail(sheets().post(BATCH).query(true));
    sheets().post(BATCH).query(true).reply(200, {});
    await client.update(SHEET, REQUESTS, { repeatable: true });
    expect(clock.pauses).toEqual([1000]);
  });

  it('is not repeated when no answer comes in time', async () => {
    const { client, clock } = await openClient();
    let processed = 0;
    const late = async (): Promise<object> => {
      processed += 1;
      clock.expire();
      await new Promise((resolve) => setImmediate(resolve));
      return {};
    };
    sheets().post(BATCH).query(true).reply(200, late);
    expect(await failureOf(client.update(SHEET, REQUESTS, { repeatable: false }))).toMatchObject({
      code: 'google.timeout',
      message: expect.stringContaining('not known') as string,
    });
    expect(processed).toBe(1);
    sheets().post(BATCH).query(true).reply(200, late);
    sheets().post(BATCH).query(true).reply(200, {});
    await client.update(SHEET, REQUESTS, { repeatable: true });
    expect(processed).toBe(2);
  });

  it('waits for the answer of a write that is under way when it is interrupted', async () => {
    const { client, abort } = await openClient();
    sheets()
      .post(BATCH)
      .query(true)
      .reply(200, async () => {
        abort.abort(new InterruptedError('SIGINT', 'stopped'));
        await new Promise((resolve) => setImmediate(resolve));
        return { spreadsheetId: SHEET };
      });
    expect(await client.update(SHEET, REQUESTS, { repeatable: false })).toEqual({ spreadsheetId: SHEET });
    expect(await failureOf(client.update(SHEET, REQUESTS, { repeatable: false }))).toMatchObject({
      code: 'run.interrupted',
    });
  });
});

describe('tokens', () => {
  const refused = refusal(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');

  it.each([undefined, PERSON])('are renewed once when one is refused', async (credentials) => {
    token().reply(200, { access_token: 'token-2', expires_in: 3600 });
    sheets().matchHeader('authorization', 'Bearer token-1').post(BATCH).query(true).reply(401, refused);
    const renewed = nock(ROOT, { reqheaders: { authorization: 'Bearer token-2' } })
      .post(BATCH)
      .query(true)
      .reply(200, {});
    const { client } = await openClient(credentials && { credentials });
    await client.update(SHEET, REQUESTS, { repeatable: false });
    renewed.done();
  });

  it('that go on being refused are an error', async () => {
    token().reply(200, { access_token: 'token-2', expires_in: 3600 });
    sheets().get(GET).query(true).twice().reply(401, refused);
    const { client } = await openClient();
    expect(await failureOf(client.spreadsheet(SHEET, 'x'))).toMatchObject({
      code: 'google.token',
      exitCode: 5,
    });
  });

  it('that cannot be had are an error of their own', async () => {
    nock.cleanAll();
    token().reply(400, { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' });
    const { client } = await openClient({ credentials: PERSON });
    expect(await failureOf(client.spreadsheet(SHEET, 'x'))).toMatchObject({
      code: 'google.expired',
      exitCode: 5,
      next: expect.stringMatching(/^auth login/) as string,
    });
    expect(client.counts()).toMatchObject({ reads: 0 });
  });

  it.each([
    ['nothing', PERSON, ''],
    ['nothing', SERVICE_ACCOUNT, ''],
    ['null', PERSON, 'null'],
    ['no token', PERSON, '{}'],
    ['a token that is none', SERVICE_ACCOUNT, '{"access_token":null}'],
  ])('are not had where their server answers 200 with %s', async (_, credentials, answer) => {
    nock.cleanAll();
    token().times(9).reply(200, answer);
    const { client } = await openClient({ credentials });
    expect(await failureOf(client.spreadsheet(SHEET, 'x'))).toMatchObject({
      code: 'google.token_server',
      exitCode: 8,
      message: expect.stringContaining('answered with 200 and nothing usable') as string,
    });
  });

  it.each([503, 200])(
    'are asked for again when their server answers %i with nothing usable',
    async (status) => {
      nock.cleanAll();
      token().reply(status, '{"access_tok');
      token().reply(200, { access_token: 'token-1', expires_in: 3600 });
      sheets().post(BATCH).query(true).reply(200, {});
      const { client, clock } = await openClient();
      await client.update(SHEET, REQUESTS, { repeatable: false });
      expect(clock.pauses).toEqual([1000]);
    },
  );
});

describe('a server that tells a request again in its refusal', () => {
  const secrets = /token-1|canary|eyJ/;

  it.each([400, 401, 403, 500])('shows no access token (%i)', async (status) => {
    token().reply(200, { access_token: 'token-1', expires_in: 3600, token_type: 'Bearer' });
    sheets()
      .get(GET)
      .query(true)
      .times(9)
      .reply(status, refusal(status, 'REFUSED', 'what is Bearer token-1 meant to be?'));
    const { client } = await openClient();
    const { message } = await failureOf(client.spreadsheet(SHEET, 'spreadsheetId'));
    expect(message).toContain('Bearer [hidden] meant');
    expect(message).not.toMatch(secrets);
  });

  it.each([
    ['a person', PERSON],
    ['a service account', SERVICE_ACCOUNT],
  ])('shows nothing that %s proves itself with', async (_, credentials) => {
    nock.cleanAll();
    let sent = '';
    nock('https://oauth2.googleapis.com')
      .post('/token', (body) => {
        sent = JSON.stringify(body);
        return true;
      })
      .times(9)
      .reply(400, () =>
        JSON.stringify({ error: 'invalid_grant', error_description: sent }).replaceAll('/', String.raw`\/`),
      );
    const { client } = await openClient({ credentials });
    const { message } = await failureOf(client.spreadsheet(SHEET, 'spreadsheetId'));
    expect(message).toContain('[hidden]');
    expect(message).not.toMatch(secrets);
  });
});
