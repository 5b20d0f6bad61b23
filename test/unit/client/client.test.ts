import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { OperationId } from '../../../src/contract/index.ts';
import { TransportError } from '../../../src/client/transport-error.ts';
import { AccessError, IncompleteError, RefusedError, UnavailableError } from '../../../src/model/error.ts';
import type { HttpResponse } from '../../../src/model/ports.ts';
import { quotaUsed } from '../../../src/model/quota.ts';
import { TEST_KEY, testClient } from '../../support/client.ts';
import type { TestClient } from '../../support/client.ts';
import { virtualClock } from '../../support/clock.ts';
import { accountData, envelopeAnswer, scriptedTransport } from '../../support/transport.ts';
import type { Scripted, ScriptedTransport } from '../../support/transport.ts';

const ID = '0b0e3c9a-0000-4000-8000-000000000002';
const USER = { id: ID, external_id: 'M-1', display_name: 'Ana' };
const PATCH = { body: { id: ID, display_name: 'Ana' } };
const ACCOUNT = envelopeAnswer(200, accountData());
const OK = envelopeAnswer(200, USER);
const html: HttpResponse = { status: 200, headers: {}, body: '<html>login</html>' };
const never = (): Promise<HttpResponse> => new Promise(() => undefined);

type Wire = TestClient & ScriptedTransport;

type Options = Parameters<typeof testClient>[1];

/** A client whose account call is answered first, then the script. */
const open = (script: readonly Scripted[], options?: Options): Wire =>
  openBare([ACCOUNT, ...script], options);

function openBare(script: readonly Scripted[], options?: Options): Wire {
  const scripted = scriptedTransport(...script);
  return { ...scripted, ...testClient(scripted.transport, options) };
}

/** Each answer as often as a read is attempted. */
const four = (answer: Scripted): readonly Scripted[] => [answer, answer, answer, answer];

async function failureOf(wire: Wire, work: Promise<unknown>): Promise<unknown> {
  return wire.clock.run(
    work.then(
      () => {
        throw new Error('it did not fail');
      },
      (error: unknown) => error,
    ),
  );
}

/** A record by its id, whatever else its operation asks for. */
const getOne = (
  { client }: Wire,
  operation: OperationId,
  id: string | number,
): Promise<{ readonly records: readonly unknown[] }> =>
  operation === 'get-player'
    ? client.get(operation, { id, query: { fantasy_league_id: 1 } })
    : client.get(operation, { id });

describe('reads', () => {
  it('read the account before anything else, once', async () => {
    const wire = open([OK, OK]);
    await wire.clock.run(
      Promise.all([wire.client.get('get-squad', { id: ID }), wire.client.get('get-squad', { id: ID })]),
    );
    expect(wire.requests.map(({ url }) => new URL(url).pathname)).toEqual([
      '/fantasy/v1/auth/account',
      `/fantasy/v1/squad/${ID}`,
      `/fantasy/v1/squad/${ID}`,
    ]);
    expect(wire.client.counts()).toEqual({
      planned: 0,
      sent: 3,
      reads: 3,
      writes: 0,
      throttled: 0,
      waited_ms: 0,
    });
  });

  it('ask what is on the way to pass them on', async () => {
    const wire = open([OK, OK]);
    await wire.clock.run(wire.client.get('get-squad', { id: ID }));
    await wire.clock.run(wire.client.send('update-user', PATCH));
    expect(wire.requests.map(({ headers }) => headers['cache-control'])).toEqual([
      'no-cache',
      'no-cache',
      undefined,
    ]);
  });

  it('take a list or an account that was kept on the way for no answer', async () => {
    const users = { paging: { total: 1, page_total: 1 } };
    const kept = envelopeAnswer(200, [USER], { ...users, headers: { age: '119' } });
    const fresh = envelopeAnswer(200, [USER], { ...users, headers: { age: '0' } });
    const readAll = async (wire: Wire): Promise<readonly unknown[]> =>
      (await Array.fromAsync(wire.client.list('list-users'))).flat();

    const again = open([kept, fresh]);
    expect(await again.clock.run(readAll(again))).toMatchObject([USER]);

    const never = open(four(kept));
    expect(await failureOf(never, readAll(never))).toMatchObject({
      code: 'service.kept',
      message:
        'GET https://service.test/fantasy/v1/user answered with a copy that something on the way had kept for 119 s',
      next: expect.stringContaining('proxy') as string,
    });
    const account = openBare(four({ ...ACCOUNT, headers: { age: '7' } }));
    expect(await failureOf(account, account.client.account())).toMatchObject({ code: 'service.kept' });
  });

  it('know an answer that several on the way have kept', async () => {
    const wire = openBare(four({ ...ACCOUNT, headers: { age: '0, 7' } }));
    expect(await failureOf(wire, wire.client.account())).toMatchObject({
      code: 'service.kept',
      message: expect.stringContaining('kept for 7 s') as string,
    });
  });

  it.each<[string, (wire: Wire) => Promise<unknown>]>([
    ['points configuration', ({ client }) => client.get('get-points-config', { id: 1 })],
    ['player', ({ client }) => client.get('get-player', { id: 1, query: { fantasy_league_id: 1 } })],
  ])('take a kept %s for no answer: rows are compared with it, and writes looked for', async (_, read) => {
    const wire = open(four(envelopeAnswer(200, { id: 1 }, { headers: { age: '60' } })));
    expect(await failureOf(wire, read(wire))).toMatchObject({ code: 'service.kept' });
  });

  it('take another record that was kept, and not its time', async () => {
    const date = (minute: number): { readonly date: string } => ({
      date: `Sun, 01 Mar 2026 12:${minute}:00 GMT`,
    });
    const wire = openBare([
      { ...ACCOUNT, headers: date(30) },
      { ...OK, headers: { ...date(10), age: '1200' } },
    ]);
    await wire.clock.run(wire.client.account());
    const before = wire.client.timeMs();
    expect((await wire.clock.run(wire.client.get('get-squad', { id: ID }))).records).toMatchObject([USER]);
    expect(wire.client.timeMs()).toBe(before);
  });

  it.each<[string, Scripted, string, RegExp]>([
    ['HTML', html, 'service.html', /an HTML page, not the service's JSON \(HTTP 200\): is base_url right\?/],
    ['nothing', { ...html, body: '' }, 'service.no_envelope', /an empty body/],
    ['cut JSON', { ...html, body: '{"statusCode":200,' }, 'service.no_envelope', /not whole JSON/],
    [
      '500',
      envelopeAnswer(500, null, { message: 'oops' }),
      'service.error',
      /HTTP 500 and the message "oops"/,
    ],
    [
      'no connection',
      new TransportError('refused', 'the connection was refused'),
      'service.unreachable',
      /refused/,
    ],
    ['a reset', new TransportError('reset', 'the connection broke'), 'service.unreachable', /broke/],
    ['silence', new TransportError('timeout', 'no whole answer within 60 s'), 'service.timeout', /60 s/],
  ])('are attempted four times with growing waits on %s', async (_name, answer, code, message) => {
    const wire = open(four(answer));
    const error = await failureOf(wire, wire.client.get('get-squad', { id: ID }));
    expect(error).toBeInstanceOf(UnavailableError);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) as string });
    expect((error as Error).message).toContain(`GET https://service.test/fantasy/v1/squad/${ID}`);
    expect((error as UnavailableError).next).toBeTruthy();
    expect(wire.requests).toHaveLength(5);
    expect(wire.events).toMatchObject(
      [500, 1000, 2000].map((waitMs, at) => ({ kind: 'retry', attempt: at + 1, waitMs })),
    );
  });

  it('name the limit of open files where it lets no connection be made', async () => {
    const cause = Object.assign(new Error('connect EMFILE'), { code: 'EMFILE', syscall: 'connect' });
    const wire = open(
      four(new TransportError('refused', 'no connection (EMFILE)', new TypeError('fetch failed', { cause }))),
    );
    expect(await failureOf(wire, wire.client.get('get-squad', { id: ID }))).toMatchObject({
      code: 'service.unreachable',
      next: 'Let the program open more files (ulimit -n), then run the command again.',
    });
  });

  it('go on after a failure that passes, and heed Retry-After of a 503', async () => {
    const busy = envelopeAnswer(503, null, { headers: { 'retry-after': '7' } });
    const wire = open([html, busy, envelopeAnswer(200, USER)]);
    const answer = await wire.clock.run(wire.client.get('get-squad', { id: ID }));
    expect(answer).toMatchObject({ status: 200, records: [USER], issues: [] });
    expect(wire.events.map((event) => event.kind === 'retry' && event.waitMs)).toEqual([500, 7000]);
  });

  it.each<readonly [OperationId, string | number, unknown]>([
    ['get-player', 3, 4],
    ['get-player', 3, '4'],
    ['get-fantasy-league', 1, 2],
    ['get-fantasy-league', '1', 2],
    ['get-mini-league', 5, 6],
    ['get-squad', ID, ID.replace('2', '3')],
  ])('of %s %s do not take the record of %s', async (operation, id, answered) => {
    const wire = open([envelopeAnswer(200, { id: answered, name: 'N', price: [] })]);
    const error = await failureOf(wire, getOne(wire, operation, id));
    expect(error).toBeInstanceOf(UnavailableError);
    expect(error).toMatchObject({
      code: 'service.record',
      message: expect.stringMatching(
        new RegExp(
          `^GET https.*/${id} answered with the record of id ${String(answered)}, not with that of id ${id}$`,
        ),
      ) as string,
      next: expect.stringContaining('provider') as string,
    });
  });

  it.each<readonly [OperationId, string | number, unknown]>([
    ['get-player', 3, '3'],
    ['get-player', 3, '03'],
    ['get-fantasy-league', '1', 1],
    // What is asked for by a name may be answered with its number.
    ['get-mini-league', 'friends', 6],
    ['get-squad', ID, ID.toUpperCase()],
    // The interface does not say whose id these are.
    ['get-lineup', ID, 'of-the-line-up'],
    ['get-points-config', 1, ID],
  ])('of %s %s take the record of %s', async (operation, id, answered) => {
    const wire = open([envelopeAnswer(200, { id: answered })]);
    const { records } = await wire.clock.run(getOne(wire, operation, id));
    expect(records).toHaveLength(1);
  });

  it('take a record whose id is none for one that is odd, not for another one', async () => {
    const wire = open([envelopeAnswer(200, { id: null, name: 'N' })]);
    const { records, issues } = await wire.clock.run(wire.client.get('get-squad', { id: ID }));
    expect([records, issues]).toEqual([[], [expect.objectContaining({ index: 0 })]]);
  });

  it('never follow a redirect', async () => {
    const wire = open([{ status: 307, headers: { location: 'https://elsewhere.test/' }, body: '' }]);
    const error = await failureOf(wire, wire.client.get('list-users'));
    expect(error).toMatchObject({
      code: 'service.redirect',
      message: expect.stringContaining('HTTP 307') as string,
    });
    expect(wire.requests).toHaveLength(2);
  });

  it('tell refusals of a record from refusals of the key', async () => {
    const wire = open([
      envelopeAnswer(404, null, { message: 'no such squad' }),
      envelopeAnswer(403, null),
      envelopeAnswer(401, null),
    ]);
    const call = (): Promise<unknown> => wire.client.get('get-squad', { id: ID });
    const missing = await failureOf(wire, call());
    expect(missing).toBeInstanceOf(RefusedError);
    expect(missing).toMatchObject({
      status: 404,
      message: expect.stringContaining('"no such squad"') as string,
    });
    expect(await failureOf(wire, call())).toMatchObject({ status: 403 });
    expect(await failureOf(wire, call())).toBeInstanceOf(AccessError);
  });

  it('keep the good records of an answer', async () => {
    const wire = open([envelopeAnswer(200, [USER, { id: 7 }], { paging: { total: '2' } })]);
    const answer = await wire.clock.run(wire.client.get('list-users'));
    expect(answer.records).toEqual([USER]);
    expect(answer.issues).toHaveLength(1);
    expect(answer.paging).toEqual({ total: 2 });
  });

  it('refuse data of another kind', async () => {
    const wire = open([envelopeAnswer(200, { id: 1 })]);
    expect(await failureOf(wire, wire.client.get('list-users'))).toMatchObject({
      code: 'service.no_envelope',
    });
  });

  it.each([null, undefined])('take a single record that is %j for one that is not there', async (data) => {
    const wire = open([envelopeAnswer(200, data)]);
    const failure = await failureOf(
      wire,
      wire.client.get('get-player', { id: 7, query: { fantasy_league_id: 1 } }),
    );
    expect(failure).toBeInstanceOf(RefusedError);
    expect(failure).toMatchObject({
      status: 404,
      message: 'GET https://service.test/fantasy/v1/player/7 answered with no record',
    });
    const list = open([envelopeAnswer(200, data)]);
    expect(await failureOf(list, list.client.get('list-users'))).toMatchObject({
      code: 'service.no_envelope',
    });
  });

  it('take null with a stated total of 0 for a list without records', async () => {
    const none = envelopeAnswer(200, null, { paging: { total: 0 } });
    const wire = open([none, none]);
    expect(await wire.clock.run(wire.client.get('list-users'))).toMatchObject({ records: [], issues: [] });
    const all = Array.fromAsync(wire.client.list('list-users', {}, undefined, 'fail'));
    expect((await wire.clock.run(all)).flat()).toEqual([]);
    const lacking = open([envelopeAnswer(200, null, { paging: { total: 1 } })]);
    expect(await failureOf(lacking, lacking.client.get('list-users'))).toMatchObject({
      code: 'service.no_envelope',
    });
  });

  it('send nothing that the contract forbids', async () => {
    const wire = open([]);
    await expect(wire.client.get('get-player', { id: 7 })).rejects.toMatchObject({
      code: 'request.invalid',
    });
    await expect(wire.client.get('update-user', PATCH)).rejects.toMatchObject({ code: 'request.invalid' });
    await expect(wire.client.send('get-account', {})).rejects.toMatchObject({ code: 'request.invalid' });
    expect(wire.requests).toEqual([]);
  });

  it('end at once when the run is interrupted', async () => {
    const run = new AbortController();
    const wire = open(
      [
        ({ signal }) =>
          new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error))),
      ],
      {
        signal: run.signal,
      },
    );
    const reason = new Error('stopped by SIGINT');
    const work = failureOf(wire, wire.client.get('get-squad', { id: ID }));
    void wire.clock.sleep(5).then(() => run.abort(reason));
    expect(await work).toBe(reason);
    expect(await failureOf(wire, wire.client.get('get-squad', { id: ID }))).toBe(reason);
    expect(wire.requests).toHaveLength(2);
  });
});

describe('the account call', () => {
  it.each<[number, string, string, RegExp]>([
    [401, 'service.access', 'AccessError', /: the API key was refused$/],
    [403, 'service.access', 'AccessError', /refused, or it may not read its account, which every command/],
    [404, 'service.error', 'UnavailableError', /base_url is probably wrong$/],
    [400, 'service.error', 'UnavailableError', /answered 400 "no"$/],
  ])('refused with %i is %s', async (status, code, name, message) => {
    const wire = openBare([envelopeAnswer(status, null, { message: 'no' })]);
    expect(await failureOf(wire, wire.client.account())).toMatchObject({
      code,
      name,
      message: expect.stringMatching(message) as string,
    });
  });

  it.each([
    ['limit', 0.5],
    ['remaining', 1e300],
    ['used', {}],
    ['reset_at', true],
  ])('names a field of another kind, and not base_url: %s %j', async (field, value) => {
    const odd = accountData({ per_minute: { limit: 60, [field]: value } });
    const wire = openBare([envelopeAnswer(200, odd)]);
    const error = await failureOf(wire, wire.client.account());
    expect(error).toBeInstanceOf(UnavailableError);
    expect(error).toMatchObject({
      code: 'service.account',
      message: expect.stringContaining(`config.rate_limit.per_minute.${field}: `) as string,
      next: 'ask your provider about that field of the account',
    });
    expect((error as Error).message).not.toContain('base_url');
  });

  it.each<[string, object]>([
    ['config.pricing.per_month', { config: { pricing: { per_month: '€9.99' } } }],
    ['config.features.users.max', { config: { features: { users: { max: 'unlimited', used: 3 } } } }],
    ['config.features', { config: { features: [{ name: 'users' }] } }],
    ['tier', { tier: { name: 'gold' } }],
  ])(
    'reads the account without a value of another kind that no request needs, and says so once: %s',
    async (path, odd) => {
      const answer = envelopeAnswer(200, { ...(accountData({}) as object), ...odd });
      const { client, clock, events, requests } = openBare([answer, answer]);
      const account = await clock.run(client.account());
      await clock.run(client.account());
      expect(requests).toHaveLength(2);
      expect(quotaUsed(account, 'users')).toBe(path === 'config.features.users.max' ? 3 : undefined);
      expect(events.filter(({ kind }) => kind === 'warning')).toEqual([
        {
          kind: 'warning',
          message: expect.stringContaining(
            `without values of another kind than documented (${path}: `,
          ) as string,
        },
      ]);
    },
  );

  it.each([
    [{ tier: 'gold' }, 'id: missing'],
    [null, 'data: missing'],
    [undefined, 'data: missing'],
  ])('needs a record that can be read, not %j', async (data, issue) => {
    const wire = openBare([envelopeAnswer(200, data)]);
    expect(await failureOf(wire, wire.client.account())).toMatchObject({
      code: 'service.account',
      message: expect.stringContaining(`(${issue})`) as string,
    });
  });
});

describe('writes', () => {
  it.each<[string, Scripted, object]>([
    ['applied', OK, { kind: 'applied', status: 200, records: [USER] }],
    [
      'refused',
      envelopeAnswer(422, null, { message: 'too long' }),
      { kind: 'refused', status: 422, message: 'too long' },
    ],
    ['refused by 403', envelopeAnswer(403, null), { kind: 'refused', status: 403 }],
    ['ambiguous on 500', envelopeAnswer(500, null), { kind: 'ambiguous' }],
    ['ambiguous on a redirect', { status: 308, headers: {}, body: '' }, { kind: 'ambiguous' }],
    ['ambiguous on HTML', html, { kind: 'ambiguous' }],
    ['ambiguous on a reset', new TransportError('reset', 'broke'), { kind: 'ambiguous', reason: 'broke' }],
    [
      'applied without an odd value that nothing needs',
      envelopeAnswer(200, { ...USER, created_at: 5 }),
      { kind: 'applied', records: [USER] },
    ],
    [
      'ambiguous on an odd value that tells the record',
      envelopeAnswer(200, { ...USER, is_active: 'maybe' }),
      { kind: 'ambiguous' },
    ],
    ['ambiguous on data of another kind', envelopeAnswer(200, [USER]), { kind: 'ambiguous' }],
    [
      'ambiguous on data that says why',
      envelopeAnswer(200, { error: `${TEST_KEY} may\nnot` }),
      {
        kind: 'ambiguous',
        reason: expect.stringMatching(/answers with: \{"error":"\[redacted\] may\\nnot"\}$/) as string,
        entries: [{ error: '[redacted] may\nnot' }],
      },
    ],
    ['ambiguous on a record without its id', envelopeAnswer(200, {}), { kind: 'ambiguous' }],
  ])('are %s after one attempt', async (_name, answer, result) => {
    const wire = open([answer]);
    expect(await wire.clock.run(wire.client.send('update-user', PATCH))).toMatchObject(result);
    expect(wire.requests).toHaveLength(2);
  });

  it('are applied with what the answer says beside its records', async () => {
    const no = { external_id: 'M-2', message: 'taken' };
    const wire = open([envelopeAnswer(201, [USER, no])]);
    const users = [USER, no].map(({ external_id }) => ({ external_id, display_name: 'Ana' }));
    expect(await wire.clock.run(wire.client.send('create-users', { body: { users } }))).toMatchObject({
      kind: 'applied',
      records: [USER],
      entries: [no],
    });
  });

  it('are ambiguous when the answer is a success that says nothing of them', async () => {
    const wire = open([envelopeAnswer(200, { errors: ['no'] }, { message: 'failed' })]);
    const upload = {
      body: { fantasy_league_id: 1, prices: [{ player_id: 1, price: 5, type: 'current' }] },
    };
    expect(await wire.clock.run(wire.client.send('upload-prices', upload))).toMatchObject({
      kind: 'ambiguous',
    });
  });

  it('are repeated while they surely never arrived', async () => {
    const refused = new TransportError('refused', 'the connection was refused');
    const wire = open([refused, new TransportError('dns', 'x'), OK]);
    expect(await wire.clock.run(wire.client.send('update-user', PATCH))).toMatchObject({ kind: 'applied' });
    const other = open(four(refused));
    expect(await other.clock.run(other.client.send('update-user', PATCH))).toEqual({
      kind: 'not_applied',
      reason: 'the connection was refused',
    });
    expect(other.client.counts()).toMatchObject({ sent: 5, reads: 1, writes: 4 });
  });

  it('are not sent twice when no answer comes in time', async () => {
    const wire = open([never]);
    const result = await wire.clock.run(wire.client.send('update-user', PATCH));
    expect(result).toEqual({ kind: 'ambiguous', reason: 'no whole answer within 60 s' });
    expect(wire.requests).toHaveLength(2);
    expect(wire.requests[1]?.signal?.aborted).toBe(true);
  });

  it('in flight are waited for when the run is interrupted, and their result is kept', async () => {
    const run = new AbortController();
    const clock = virtualClock();
    const wire = open([() => clock.sleep(50).then(() => OK)], { signal: run.signal, clock });
    const work = wire.client.send('update-user', PATCH);
    void clock.sleep(20).then(() => run.abort(new Error('stopped')));
    expect(await clock.run(work)).toMatchObject({ kind: 'applied' });
    await expect(wire.client.send('update-user', PATCH)).rejects.toThrow('stopped');
  });

  it('refused with 401 stop the command', async () => {
    const wire = open([envelopeAnswer(401, null)]);
    expect(await failureOf(wire, wire.client.send('update-user', PATCH))).toBeInstanceOf(AccessError);
  });

  it('throttled go again after the wait, six times in all', async () => {
    const slow = envelopeAnswer(429, null, { message: 'quota', headers: { 'retry-after': '2' } });
    const wire = open([slow, ACCOUNT, OK]);
    expect(await wire.clock.run(wire.client.send('update-user', PATCH))).toMatchObject({ kind: 'applied' });
    expect(wire.client.counts()).toMatchObject({ sent: 4, throttled: 1, waited_ms: 2015 });
    const stuck = open(Array.from({ length: 6 }, () => [slow, ACCOUNT]).flat(), { maxWaitMs: 9e9 });
    expect(await stuck.clock.run(stuck.client.send('update-user', PATCH))).toEqual({
      kind: 'refused',
      status: 429,
      message: 'quota',
    });
    const read = open(Array.from({ length: 6 }, () => [slow, ACCOUNT]).flat(), { maxWaitMs: 9e9 });
    expect(await failureOf(read, read.client.get('list-users'))).toMatchObject({ code: 'service.throttled' });
  });

  it('throttled by its envelope alone wait as well', async () => {
    const slow = envelopeAnswer(200, null, { statusCode: 429, headers: { 'retry-after': '2' } });
    const wire = open([slow, ACCOUNT, envelopeAnswer(200, [USER])]);
    expect(await wire.clock.run(wire.client.get('list-users'))).toMatchObject({ status: 200 });
    expect(wire.client.counts()).toMatchObject({ sent: 4, throttled: 1, waited_ms: 2015 });
  });
});

describe('a write that is refused', () => {
  const slow = envelopeAnswer(429, null, { message: 'no room', headers: { 'retry-after': '2' } });
  const account = (remaining: number, over: object = {}): HttpResponse => {
    const features = { users: { max: 10, used: 10 - remaining, remaining, ...over } };
    return envelopeAnswer(200, { ...accountData(), config: { rate_limit: {}, features } });
  };
  const users = (count: number) => ({
    body: {
      users: Array.from({ length: count }, (_, at) => ({ external_id: `M-${at}`, display_name: 'Ana' })),
    },
  });
  const made = envelopeAnswer(200, [USER]);

  it.each([
    ['is used up', account(0), 1, 0],
    ['is blocked', account(4, { is_blocked: true }), 1, 0],
    ['has less room than it takes', account(2), 3, 2],
  ])(
    'with 429 because its quota %s is told after the first wait, and not sent again',
    async (_, after, count, room) => {
      const wire = open([slow, after]);
      const refused = { kind: 'refused', status: 429, message: 'no room', quota: { feature: 'users', room } };
      expect(await wire.clock.run(wire.client.send('create-users', users(count)))).toEqual(refused);
      expect(wire.client.counts()).toMatchObject({ writes: 1, throttled: 1, waited_ms: 2015 });
    },
  );

  it.each([
    ['has room', account(3)],
    ['is unlimited', account(0, { max: -1, remaining: -1 })],
    ['is not reported', ACCOUNT],
  ])('with 429 goes again where its quota %s', async (_, after) => {
    const wire = open([slow, after, made]);
    const result = await wire.clock.run(wire.client.send('create-users', users(3)));
    expect(result).toMatchObject({ kind: 'applied' });
    expect(wire.client.counts()).toMatchObject({ writes: 2 });
  });

  it('with 403 because of its quota says so', async () => {
    const no = envelopeAnswer(403, null, { message: 'no room' });
    const wire = open([no, account(0), no, account(2), no]);
    const send = () => wire.clock.run(wire.client.send('create-users', users(1)));
    const refused = { kind: 'refused', status: 403, message: 'no room' };
    expect(await send()).toEqual({ ...refused, quota: { feature: 'users', room: 0 } });
    // Another matter, of which the account is asked once.
    expect(await send()).toEqual(refused);
    expect(await send()).toEqual(refused);
    expect(wire.client.counts()).toMatchObject({ writes: 3, reads: 3 });
  });

  it('with 429 goes again where it takes from no quota, or was not refused itself', async () => {
    const wire = open([slow, account(0), OK, made]);
    const change = await wire.clock.run(wire.client.send('update-user', PATCH));
    expect(change).toMatchObject({ kind: 'applied' });
    const create = await wire.clock.run(wire.client.send('create-users', users(1)));
    expect(create).toMatchObject({ kind: 'applied' });
  });
});

describe('the limit of requests', () => {
  it('stops before the request that would pass it', async () => {
    const wire = open([OK], { maxRequests: 2 });
    await wire.clock.run(wire.client.send('update-user', PATCH));
    const error = await failureOf(wire, wire.client.send('update-user', PATCH));
    expect(error).toBeInstanceOf(IncompleteError);
    expect(error).toMatchObject({ code: 'budget.max_requests', next: undefined });
    expect(wire.requests).toHaveLength(2);
  });
});

describe('the key', () => {
  it('stands in no error, event or printed client', async () => {
    const wire = open([...four(html), envelopeAnswer(401, null)]);
    const errors = [
      await failureOf(wire, wire.client.get('list-users')),
      await failureOf(wire, wire.client.get('list-users')),
    ];
    const shown = inspect([errors, wire.events, wire.client], { depth: 20, showHidden: true });
    expect(shown).not.toContain(TEST_KEY);
    expect(wire.requests[0]?.headers['x-api-key']).toBe(TEST_KEY);
  });

  it('is withheld from an answer that quotes it', async () => {
    const quoted = envelopeAnswer(401, null, { message: `no key "${TEST_KEY}"` });
    const garbled = envelopeAnswer(500, null, { message: TEST_KEY });
    const refused = envelopeAnswer(422, null, { message: `bad request of ${TEST_KEY}` });
    const wire = open([refused, ...four(garbled), quoted]);
    const shown = inspect(
      [
        await wire.clock.run(wire.client.send('update-user', PATCH)),
        await failureOf(wire, wire.client.get('list-users')),
        await failureOf(wire, wire.client.get('list-users')),
        wire.events,
      ],
      { depth: 20, showHidden: true },
    );
    expect(shown).not.toContain(TEST_KEY);
    expect(shown).toContain('bad request of [redacted]');
  });
});

describe('lists', () => {
  it('ask the first page of users without a page, and keep a record of which only the id is sure', async () => {
    const second = { ...USER, id: 'B' };
    const odd = { id: 'C', external_id: null, user_id: 'x1' };
    const wire = open([
      envelopeAnswer(200, [USER, odd], { paging: { total: 3, per_page: 2, page_total: 2 } }),
      envelopeAnswer(200, [second], { paging: { total: 3, per_page: 2, page_total: 2 } }),
    ]);
    const found = await wire.clock.run(Array.fromAsync(wire.client.list('list-users')));
    expect(found.flat()).toEqual([USER, odd, second]);
    expect(wire.requests.slice(1).map(({ url }) => new URL(url).search)).toEqual(['', '?page=2']);
    expect(wire.events).toEqual([]);
  });

  const paging = { total: 2, per_page: 50, page_total: 1 };
  it.each<readonly [string, readonly unknown[], unknown, RegExp, number, RegExp]>([
    [
      'a record without an id',
      [USER, { external_id: 'M-2' }],
      paging,
      /cannot be read \(id: missing\)/,
      1,
      /provider about that record/,
    ],
    ['an element that is no record', [USER, null], paging, /cannot be read/, 1, /provider about that record/],
    [
      'two records of one id',
      [USER, { ...USER, display_name: 'Bo' }],
      undefined,
      /two records have the id/,
      1,
      /run the command again/,
    ],
    [
      'paging that is no number',
      [],
      { total: 'many' },
      /its paging cannot be read/,
      0,
      /provider about that list/,
    ],
    ['paging of another kind', [USER], 'page 1', /its paging cannot be read/, 0, /provider about that list/],
    [
      'pages that do not come',
      [],
      { page_total: 4 },
      /1 of the 4 pages that it states came/,
      0,
      /run the command again/,
    ],
  ])('do not add up where every record counts: %s', async (_what, data, stated, message, leftOut, next) => {
    const answer: Scripted = ({ url }) =>
      envelopeAnswer(200, new URL(url).search === '' ? data : [], { paging: stated });
    const wire = open(Array<Scripted>(20).fill(answer));
    const failure = await failureOf(wire, Array.fromAsync(wire.client.list('list-users')));
    expect(failure).toMatchObject({
      code: 'list.unstable',
      leftOut,
      message: expect.stringMatching(message) as string,
      next: expect.stringMatching(next) as string,
    });
    const first = wire.requests.slice(1).filter(({ url }) => new URL(url).search === '');
    // What only the provider can mend is not read again.
    expect(first).toHaveLength(next.source.includes('provider') ? 1 : 6);
  });

  it('end soon after the pages that the account and the first page speak of', async () => {
    let made = 0;
    const answer: Scripted = () => {
      made += 1;
      const grows = { page: made, page_total: made + 1, total: 2 };
      return envelopeAnswer(200, [{ ...USER, id: `U-${made}` }], { paging: grows });
    };
    const wire = open(Array<Scripted>(20).fill(answer));
    const failure = await failureOf(
      wire,
      Array.fromAsync(wire.client.list('list-users', {}, undefined, 'fail')),
    );
    expect(failure).toMatchObject({
      code: 'list.unstable',
      message: expect.stringContaining('10 pages') as string,
    });
    expect(made).toBe(10);
  });

  it.each([
    [1, 'a record cannot be read'],
    [3, '3 records cannot be read, the first'],
  ])(
    'end in one error where %i records that cannot be read might be the one looked for',
    async (count, what) => {
      const odd = Array.from({ length: count }, (_, at) => ({ ...USER, id: `C${at}`, is_active: 'maybe' }));
      const wire = open([
        envelopeAnswer(200, [USER, ...odd], { paging: { total: 1 + count, per_page: 50, page_total: 1 } }),
      ]);
      const found: unknown[] = [];
      const all = async (): Promise<void> => {
        for await (const users of wire.client.list('list-users', {}, undefined, 'fail')) found.push(...users);
      };
      expect(await failureOf(wire, all())).toMatchObject({
        code: 'list.unstable',
        message: expect.stringContaining(
          `GET /user does not add up: ${what} (page 1, record 2: is_active: `,
        ) as string,
      });
      expect(found).toEqual([USER]);
      expect(wire.events.filter(({ kind }) => kind === 'warning')).toEqual([]);
    },
  );

  it('end in that error too where the record stands on an earlier page, and read again tell of it once', async () => {
    const paging = { total: 3, per_page: 2, page_total: 2 };
    const odd = { ...USER, id: 'B', is_active: 'maybe' };
    const first = envelopeAnswer(200, [USER, odd], { paging });
    const short = envelopeAnswer(200, [], { paging });
    const second = envelopeAnswer(200, [{ ...USER, id: 'C' }], { paging });
    const wire = open([first, short, first, second]);
    const all = Array.fromAsync(wire.client.list('list-users', {}, undefined, 'fail'));
    expect(await failureOf(wire, all)).toMatchObject({
      code: 'list.unstable',
      message: expect.stringContaining(
        'GET /user does not add up: a record cannot be read (page 1, record 2: is_active: ',
      ) as string,
    });
    expect(wire.requests).toHaveLength(5);
  });

  it('may say null for their paging', async () => {
    const wire = open([
      envelopeAnswer(200, [USER], { paging: null }),
      envelopeAnswer(200, [], { paging: null }),
    ]);
    expect((await wire.clock.run(Array.fromAsync(wire.client.list('list-users')))).flat()).toEqual([USER]);
  });

  it('go without an odd value that a push needs nothing of, where a report shows it', async () => {
    const odd = { ...USER, is_active: true, created_at: 1_767_225_600, updated_at: false };
    const page = envelopeAnswer(200, [odd], { paging: { total: 1, per_page: 50, page_total: 1 } });
    const wire = open([page, page]);
    const read = async (how: 'keep' | 'fail'): Promise<unknown> =>
      (await wire.clock.run(Array.fromAsync(wire.client.list('list-users', {}, undefined, how)))).flat();
    expect(await read('fail')).toEqual([{ ...USER, is_active: true }]);
    expect(await read('keep')).toEqual([odd]);
  });

  it.each<readonly ['list-squads' | 'list-mini-leagues' | 'list-prices', object, object | undefined]>([
    [
      'list-squads',
      { user: { user_id: 7, display_name: 5, created_at: 6 } },
      { user: { user_id: 7, display_name: '5' } },
    ],
    ['list-squads', { user: { user_id: 'x' } }, undefined],
    ['list-squads', { user: 'Ann' }, undefined],
    ['list-mini-leagues', { id: 4, total_squads: 'many', start_game_week: 3 }, { id: 4 }],
    ['list-mini-leagues', { id: 4, name: false, total_squads: 'many' }, undefined],
    ['list-prices', { created_at: 5 }, undefined],
  ])('of %s need what tells the record: %j', async (operation, odd, read) => {
    const wire = open([
      envelopeAnswer(200, [{ id: ID, ...odd }], { paging: { total: 1, per_page: 50, page_total: 1 } }),
    ]);
    const all = Array.fromAsync(wire.client.list(operation, {}, undefined, 'fail'));
    if (read === undefined) expect(await failureOf(wire, all)).toMatchObject({ code: 'list.unstable' });
    else expect((await wire.clock.run(all)).flat()).toEqual([{ id: ID, ...read }]);
  });

  it('take either case of a UUID for the same record', async () => {
    const wire = open([
      envelopeAnswer(200, [{ ...USER, id: ID.toUpperCase() }]),
      envelopeAnswer(200, [{ ...USER, id: ID }]),
    ]);
    expect((await wire.clock.run(Array.fromAsync(wire.client.list('list-users')))).flat()).toHaveLength(1);
  });
});
