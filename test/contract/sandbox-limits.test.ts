import { describe, expect, it } from 'vitest';
import type { OperationId } from '../../src/contract/index.ts';
import type { Settings } from '../../src/sandbox/index.ts';
import { TEST_START, at, openSandbox } from '../support/sandbox.ts';
import type { TestSandbox } from '../support/sandbox.ts';

async function withBox(
  settings: Partial<Settings>,
  work: (box: TestSandbox) => Promise<void>,
): Promise<void> {
  const box = await openSandbox({ settings, now: TEST_START });
  try {
    await work(box);
  } finally {
    await box.close();
  }
}

const minuteOf = async (box: TestSandbox) =>
  at((await box.call('get-account')).record, 'config.rate_limit.per_minute');

describe('rate windows', () => {
  it('count every request, the account call too, and report what is left', () =>
    withBox({ per_minute: 10 }, async (box) => {
      await box.call('list-users');
      await box.call('get-squad', { id: 'bad' });
      expect(await minuteOf(box)).toEqual({
        limit: 10,
        window: '60s',
        used: 3,
        remaining: 7,
        reset_at: '2026-09-01T00:01:00.000Z',
      });
    }));

  it('refuse with 429 and Retry-After when full, do not count the refused, and begin again at the reset', () =>
    withBox({ per_minute: 2, window_seconds: 2 }, async (box) => {
      box.clock.advance(500);
      await box.call('list-users');
      await box.call('list-users');
      for (const _ of [1, 2, 3]) {
        const refused = await box.call('list-users');
        expect([refused.status, refused.headers['retry-after']]).toEqual([429, '2']);
        expect(refused.message).toContain('the limit of 2 requests in 2s is reached');
      }
      box.clock.advance(1_499);
      expect((await box.call('list-users')).headers['retry-after']).toBe('1');
      box.clock.advance(1);
      expect((await box.call('list-users')).status).toBe(200);
      expect(await minuteOf(box)).toMatchObject({ used: 2, remaining: 0, window: '2s' });
    }));

  it('the day window ends at midnight UTC and outlasts the minute', () =>
    withBox({ per_day: 3 }, async (box) => {
      for (const _ of [1, 2, 3]) expect((await box.call('list-users')).status).toBe(200);
      box.clock.advance(120_000);
      const refused = await box.call('list-users');
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, String(86_400 - 120)]);
      box.clock.advance(86_400_000 - 120_000);
      const { record } = await box.call('get-account');
      expect(at(record, 'config.rate_limit.per_day')).toMatchObject({
        used: 1,
        reset_at: '2026-09-03T00:00:00.000Z',
      });
    }));

  it('a refused write changes nothing', () =>
    withBox({ per_minute: 1 }, async (box) => {
      await box.call('list-users');
      const body = { users: [{ external_id: 'a', display_name: 'a' }] };
      expect((await box.call('create-users', { body })).status).toBe(429);
      box.clock.advance(60_000);
      expect((await box.call('list-users')).paging['total']).toBe(0);
    }));

  it('a limit of 0 lets nothing through', () =>
    withBox({ per_minute: 0 }, async (box) => {
      expect((await box.call('get-account')).status).toBe(429);
    }));

  it('Date and records follow one clock', () =>
    withBox({}, async (box) => {
      const created = async () => {
        const body = { name: 'L', league_id: 1 };
        return box.call('create-fantasy-league', { body });
      };
      const first = await created();
      expect(first.headers['date']).toBe(new Date(TEST_START).toUTCString());
      box.clock.advance(90_000);
      const second = await created();
      expect(second.headers['date']).toBe('Tue, 01 Sep 2026 00:01:30 GMT');
      expect([first.record['created_at'], second.record['created_at']]).toEqual([
        TEST_START,
        '2026-09-01T00:01:30.000Z',
      ]);
    }));

  it('latency is waited on the clock', () =>
    withBox({ latency_ms: 250 }, async (box) => {
      await box.call('list-users');
      expect(box.clock.now() - Date.parse(TEST_START)).toBe(250);
    }));
});

const user = (external_id: string) => ({ external_id, display_name: external_id });

describe('quotas', () => {
  it.each<[keyof Settings, number, OperationId, object, string]>([
    ['quota_users', 0, 'create-users', { users: [user('a')] }, 'users'],
    [
      'quota_squads',
      0,
      'create-squad',
      { user_id: 1, name: 'abc', fantasy_league_id: 1, players_in: [1] },
      'squads',
    ],
    [
      'quota_mini_leagues',
      0,
      'create-mini-league',
      { fantasy_league_id: 1, name: 'm', type: 't' },
      'mini_leagues',
    ],
    ['quota_fantasy_leagues', 1, 'create-fantasy-league', { name: 'l', league_id: 1 }, 'fantasy_leagues'],
    ['quota_contests', 1, 'create-fantasy-league', { name: 'l', league_id: 1 }, 'contests'],
  ])('%s %i is reported as blocked and enforced with 403', async (name, max, operation, body, feature) => {
    await using box = await openSandbox({ seed: 'demo', settings: { [name]: max } });
    const quota = async () => at((await box.call('get-account')).record, `config.features.${feature}`);
    const before = await quota();
    expect(before).toMatchObject({ max, remaining: 0, state: 'exhausted', is_blocked: true });
    const refused = await box.call(operation, { body });
    expect([refused.status, refused.message]).toEqual([
      403,
      expect.stringContaining(`the quota of ${feature} is ${max}`),
    ]);
    expect(await quota()).toEqual(before);
  });

  it('a batch beyond the quota is refused whole, one that fits is taken', () =>
    withBox({ quota_users: 3 }, async (box) => {
      const send = (...names: string[]) => box.call('create-users', { body: { users: names.map(user) } });
      expect((await send('a', 'b')).status).toBe(201);
      const refused = await send('c', 'd');
      expect([refused.status, refused.message]).toEqual([
        403,
        'the quota of users is 3: 2 are used and 2 more were asked',
      ]);
      expect((await send('c')).status).toBe(201);
      expect((await box.call('list-users')).paging['total']).toBe(3);
    }));
});

describe('max_batch', () => {
  it('refuses larger batches of users and prices with 413', () =>
    withBox({ max_batch: 2 }, async (box) => {
      const users = ['a', 'b', 'c'].map(user);
      expect((await box.call('create-users', { body: { users } })).status).toBe(413);
      expect((await box.call('create-users', { body: { users: users.slice(1) } })).status).toBe(201);
      const prices = [1, 2, 3].map((player_id) => ({ player_id, price: 5, type: 't' }));
      const refused = await box.call('upload-prices', { body: { fantasy_league_id: 1, prices } });
      expect([refused.status, refused.message]).toEqual([413, 'prices: 3 rows in one request, at most 2']);
    }));
});
