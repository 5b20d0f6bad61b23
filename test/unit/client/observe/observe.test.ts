import { describe, expect, it } from 'vitest';
import { Observer } from '../../../../src/client/observe/observe.ts';
import { MOST_VALUES } from '../../../../src/model/state/learnt.ts';
import type { HttpResponse, Transport } from '../../../../src/model/ports.ts';
import type { Service } from '../../../../src/model/service.ts';
import { TEST_KEY, testClient } from '../../../support/client.ts';

const ACCOUNT = '3f1c1f1e-0000-4000-8000-00000000000A';
const rateWindow = {
  limit: 1000,
  window: '60s',
  used: 1,
  remaining: 999,
  reset_at: '2026-09-01T00:01:00.000Z',
};
const account = { id: ACCOUNT, config: { rate_limit: { per_minute: rateWindow, per_day: rateWindow } } };
const json = (status: number, body: unknown, headers: HttpResponse['headers'] = {}): HttpResponse => ({
  status,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const ok = (data: unknown, more: object = {}): HttpResponse =>
  json(200, { statusCode: 200, message: 'ok', data, ...more });

/** What is learnt from a client's work on a service whose answers to all but the account call are given in order. */
async function learn(
  answers: readonly HttpResponse[],
  work: (client: Service) => Promise<unknown>,
): Promise<Readonly<Record<string, Readonly<Record<string, number>>>>> {
  const observer = new Observer();
  const left = [...answers];
  const transport: Transport = ({ url }) =>
    Promise.resolve(url.endsWith('/auth/account') ? ok(account) : (left.shift() ?? ok(null)));
  const { client, clock } = testClient(transport, { observer });
  const done = work(client).catch(() => undefined);
  await clock.run(done);
  expect(observer.accountId).toBe(ACCOUNT.toLowerCase());
  const found: Record<string, Record<string, number>> = {};
  for (const { topic, subject, value, times } of observer.take()) {
    const name = `${topic} ${subject}`;
    found[name] = { ...found[name], [value]: times };
  }
  expect(observer.take().filter(({ topic }) => !/^window_|^account_/.test(topic))).toEqual([]);
  return found;
}

const user = (n: number, changes: object = {}): object => ({
  id: `0b1e5f10-0000-4000-8000-${String(n).padStart(12, '0')}`,
  user_id: n,
  external_id: `M-${n}`,
  is_active: true,
  display_name: `Person ${n}`,
  created_at: '2026-08-01T00:00:00.000Z',
  updated_at: '2026-08-01T00:00:00.000Z',
  ...changes,
});
const create = (...keys: readonly number[]) => ({
  body: { users: keys.map((n) => ({ external_id: `M-${n}`, display_name: `Person ${n}` })) },
});

describe('a refusal', () => {
  const shapes: readonly (readonly [what: string, answer: HttpResponse, found: string])[] = [
    ['the envelope', json(404, { statusCode: 404, message: 'no', data: null }), '404, the envelope'],
    [
      'the envelope with more',
      json(422, { statusCode: 422, message: 'no', errors: ['Ann Smith'] }),
      '422, the envelope with errors',
    ],
    ['HTTP that disagrees', json(200, { statusCode: 409, message: 'no' }), '200, the envelope saying 409'],
    [
      'an RFC 9457 problem',
      json(400, { type: 'x', title: 'y', status: 400 }),
      '400, JSON with status, title, type',
    ],
    [
      'names that are no names',
      json(400, { 'Ann Smith': 'taken', m12: 1 }),
      '400, JSON with (another name), m#',
    ],
    ['text', json(403, 'no, Ann'), '403, text that is not JSON'],
    ['a list', json(400, ['Ann']), '400, other JSON'],
    ['HTML', json(403, '<html>no</html>'), '403, HTML'],
    ['nothing', json(405, ''), '405, an empty body'],
    ['a redirect', json(302, ''), '302, an empty body'],
  ];
  it.each(shapes)('is learnt from by its shape: %s', async (_what, answer, found) => {
    const learnt = await learn([answer, answer, answer, answer], (client) =>
      client.get('get-player', { id: 7, query: { fantasy_league_id: 1 } }),
    );
    expect(Object.keys(learnt['refusal get-player'] ?? {})).toEqual([found]);
  });

  it.each([
    [undefined, 'absent'],
    ['7', 'seconds'],
    ['0', '0'],
    ['-3', 'a negative number'],
    ['Wed, 02 Sep 2026 00:00:00 GMT', 'a date'],
    ['soon', 'neither a number nor a date'],
  ])('with 429 shows what Retry-After is: %s', async (text, kind) => {
    const answer = json(429, 'slow down', text === undefined ? {} : { 'retry-after': text });
    const learnt = await learn([answer], (client) => client.get('get-fixtures', { id: 1 }));
    expect(learnt['retry_after with 429']).toEqual({ [kind]: 1 });
    expect(learnt['refusal get-fixtures']).toMatchObject({ '429, text that is not JSON': 1 });
  });

  it.each([
    ['41', 'a number is refused with 404'],
    ['0b1e5f10-0000-4000-8000-000000000001', 'another id is refused with 404'],
  ])('of a points configuration shows what its id was: %s', async (id, found) => {
    const no = json(404, { statusCode: 404, message: 'no' });
    const learnt = await learn([no], (client) => client.get('get-points-config', { id }));
    expect(learnt['points_config_id get-points-config']).toEqual({ [found]: 1 });
  });

  it('with 413 shows how many rows were too many', async () => {
    const learnt = await learn([json(413, ''), json(413, ''), ok([user(1)])], async (client) => {
      await client.send('create-users', create(1, 2, 3, 4));
      await client.send('create-users', create(1, 2));
      await client.send('create-users', create(1));
    });
    expect(learnt['batch_refused create-users']).toEqual({ 2: 1 });
    expect(learnt['batch_taken create-users']).toEqual({ 1: 1 });
  });
});

describe('a repeated external_id', () => {
  const list = ok([user(1)], { paging: { page: 1, page_total: 1, per_page: 50, current: 1, total: 1 } });
  const refusal = (status: number, message: string) =>
    json(status, { statusCode: status, message, data: null });
  it.each([
    ['a new name', ok([user(1)]), 'the known user is answered, with the name that was sent'],
    [
      'its own name',
      ok([user(1, { display_name: 'Other' })]),
      'the known user is answered, with its own name',
    ],
    ['nothing', ok([]), 'left out of the answer'],
    ['another user', ok([user(9, { external_id: 'M-1' })]), 'a second user is made'],
    ['a conflict', refusal(409, 'no'), 'refused with 409'],
    ['its name', refusal(400, 'M-1 already belongs to a user'), 'refused with 400, which names it'],
  ])('is answered with %s', async (_what, answer, found) => {
    const learnt = await learn([list, answer], async (client) => {
      await Array.fromAsync(client.list('list-users'));
      await client.send('create-users', create(1));
    });
    expect(learnt['repeated_key create-users']).toEqual({ [found]: 1 });
  });

  it('is known without a list by a user much older than the others', async () => {
    const fresh = { created_at: '2026-09-01T00:00:00.000Z', updated_at: '2026-09-01T00:00:00.000Z' };
    const learnt = await learn([ok([user(1), user(2, fresh)])], (client) =>
      client.send('create-users', create(1, 2)),
    );
    expect(learnt['repeated_key create-users']).toEqual({
      'the known user is answered, with the name that was sent': 1,
    });
  });

  it('that made a second user before is seen in a list', async () => {
    const paging = { page: 1, page_total: 1, per_page: 50, current: 2, total: 2 };
    const twice = ok([user(1), user(2, { external_id: 'M-1' })], { paging });
    const learnt = await learn([twice], (client) => Array.fromAsync(client.list('list-users')));
    expect(learnt['repeated_key create-users']).toEqual({ 'stands twice: a second user was made': 1 });
  });

  it.each([
    ['fresh users', [ok([user(1), user(2)])], create(1, 2)],
    ['a bad name', [refusal(400, 'display_name is too long')], create(1)],
  ])('is not seen in %s', async (_what, answers, input) => {
    const learnt = await learn(answers, (client) => client.send('create-users', input));
    expect(learnt['repeated_key create-users']).toBeUndefined();
  });
});

describe('what is kept', () => {
  it('counts differences where they stand, and no value of a record', async () => {
    const odd = user(1, {
      user_id: '12',
      display_name: null,
      is_active: 'yes',
      created_at: undefined,
      nickname: 'Annie',
    });
    const learnt = await learn([ok(odd)], (client) =>
      client.send('update-user', {
        body: { id: '0b1e5f10-0000-4000-8000-000000000001', display_name: 'Annie' },
      }),
    );
    expect(learnt).toMatchObject({
      'field update-user user_id': { 'a number as text': 1 },
      'field update-user display_name': { null: 1 },
      'field update-user is_active': { 'a text': 1 },
      'field update-user created_at': { absent: 1 },
      'extra_field update-user': { nickname: 1 },
    });
    expect(JSON.stringify(learnt)).not.toMatch(/Annie|Person|M-1/);
  });

  it('is bounded, however many words a service has', async () => {
    const leagues = Array.from({ length: 60 }, (_, n) => ({
      id: n,
      style: `${'s'.repeat(200)} ${n}`,
      [`x_${'a'.repeat(n % 30)}`]: 1,
    }));
    const pages = [leagues.slice(0, 20), leagues.slice(20, 40), leagues.slice(40), []].map((page) =>
      ok(page),
    );
    const learnt = await learn(pages, (client) => Array.fromAsync(client.list('list-mini-leagues')));
    const words = Object.keys(learnt['value mini-league style'] ?? {});
    expect(words.every((word) => word.length <= 60)).toBe(true);
    expect(words.length).toBeLessThanOrEqual(MOST_VALUES + 1);
    expect(Object.keys(learnt['extra_field list-mini-leagues'] ?? {}).length).toBe(MOST_VALUES + 1);
  });

  it('never holds the key, even when the service quotes it', async () => {
    const answers = [json(400, { [TEST_KEY]: 'x', message: TEST_KEY }), ok({ id: 1, style: TEST_KEY })];
    const learnt = await learn(answers, async (client) => {
      await client.get('get-mini-league', { id: 1 }).catch(() => undefined);
      await client.get('get-mini-league', { id: 1 });
    });
    expect(Object.keys(learnt).length).toBeGreaterThan(3);
    expect(JSON.stringify(learnt)).not.toContain(TEST_KEY);
  });

  it('says what the numbers of a quota that sets no limit look like', async () => {
    const features = { users: { max: -1, used: 3, remaining: 0, is_blocked: false } };
    const config = { ...account.config, features };
    const observer = new Observer();
    const { client, clock } = testClient(() => Promise.resolve(ok({ ...account, config })), { observer });
    await clock.run(client.account());
    expect(observer.take()).toContainEqual({
      ...{ topic: 'value', subject: 'account quota', times: 1 },
      value: 'max below 0, remaining 0, not blocked',
    });
  });
});
