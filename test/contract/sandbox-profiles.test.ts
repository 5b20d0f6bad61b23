import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROFILES, profileSettings, SWITCHES, SWITCH_NAMES } from '../../src/sandbox/index.ts';
import type { Sandbox, Settings } from '../../src/sandbox/index.ts';
import { at, openSandbox, pointsConfigBody } from '../support/sandbox.ts';
import type { Fields, TestClock } from '../support/sandbox.ts';

interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: Fields;
}

interface Box {
  readonly sandbox: Sandbox;
  readonly clock: TestClock;
  readonly send: (method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown) => Promise<Raw>;
}

let folder = '';
let boxes = 0;
// Copies of one file start faster than a season again.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'teamsheet-profiles-'));
  await (await openSandbox({ seed: 'demo', db: join(folder, 'demo') })).close();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A service with some switches set, whose answers are taken as they come: they need not be exact here. */
async function withBox<T>(settings: Partial<Settings>, work: (box: Box) => Promise<T>): Promise<T> {
  const db = join(folder, String((boxes += 1)));
  copyFileSync(join(folder, 'demo'), db);
  await using box = await openSandbox({ db, seed: 'demo', settings });
  const { sandbox, clock } = box;
  const send: Box['send'] = async (method, path, body) => {
    const answer = await sandbox.inject({
      method,
      url: `http://sandbox.test/v1${path}`,
      headers: {
        'x-api-key': sandbox.apiKey,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { status, headers, body: text } = answer;
    return { status, headers, text, json: text.startsWith('{') ? (JSON.parse(text) as Fields) : {} };
  };
  return await work({ sandbox, clock, send });
}

const users = (...keys: string[]) => ({
  users: keys.map((external_id) => ({ external_id, display_name: `N ${external_id}` })),
});
const list = ({ json }: Raw): readonly Fields[] => (json['data'] ?? []) as readonly Fields[];
const keysOf = (raw: Raw): readonly unknown[] => list(raw).map((user) => user['external_id']);
const price = (player_id: number, value: number, type = 'current') => ({
  fantasy_league_id: 1,
  prices: [
    { player_id: 1, price: 4.4, type },
    { player_id, price: value, type },
  ],
});
const trigger = async ({ send }: Box) => {
  const weeks = list(await send('GET', '/fantasy-league/1/fixtures'));
  const body = { fantasy_league_id: 1, game_week_id: weeks[5]?.['id'] };
  return () => send('POST', '/auto-substitution', body);
};

const substitutions = async ({ send }: Box): Promise<number> =>
  Number(at((await send('GET', '/auto-substitution?fantasy_league_id=1')).json, 'paging.total'));

const record = async ({ send }: Box, path: string): Promise<Fields> =>
  (await send('GET', path)).json['data'] as Fields;
/** The id of the first squad of the demo. */
const firstSquad = async ({ send }: Box): Promise<string> =>
  String(at(list(await send('GET', '/squad')), '0.id'));

/** What each value of each switch must look like from outside. */
type Look = (box: Box) => Promise<unknown>;
type Cases = { readonly [Value in string]: unknown };
const LOOKS: Partial<Record<keyof Settings, readonly [Look, Cases]>> = {
  page_fields: [
    async ({ send }) => (await send('GET', '/user?page=2')).json['paging'],
    {
      pages: { page: 2, page_total: 2, per_page: 50, current: 30, total: 80 },
      current_page: { page: 2, page_total: 2, per_page: 50, current: 2, total: 80 },
      page_records: { page: 2, page_total: 30, per_page: 50, current: 2, total: 80 },
      total_pages: { page: 2, page_total: 30, per_page: 50, current: 2, total: 2 },
      null_totals: { page: 2, page_total: null, per_page: 50, current: 30, total: null },
      absent: undefined,
    },
  ],
  users_page: [
    async ({ send }) => {
      const raw = await send('GET', '/user?page=2');
      return [raw.status, list(raw).length, keysOf(raw)[0]];
    },
    {
      honoured: [200, 30, 'D-051'],
      ignored: [200, 50, 'D-001'],
      whole: [200, 80, 'D-001'],
      refused: [400, 0, undefined],
    },
  ],
  past_end: [
    async ({ send }) => {
      const raw = await send('GET', '/user?page=9');
      return [raw.status, list(raw).length, at(raw.json, 'paging.page')];
    },
    { empty: [200, 0, 9], last: [200, 30, 2], not_found: [404, 0, undefined] },
  ],
  users_order: [
    async ({ send, clock }) => {
      clock.advance(1_000);
      const [, second] = list(await send('GET', '/user'));
      await send('PATCH', '/user', { id: second?.['id'], display_name: 'Moved' });
      await send('POST', '/user', users('Z'));
      return keysOf(await send('GET', '/user')).slice(0, 2);
    },
    { created: ['D-001', 'D-002'], newest: ['Z', 'D-080'], updated: ['Z', 'D-079'] },
  ],
  created_status: [
    async ({ send }) => {
      const { status, json } = await send('POST', '/user', users('A'));
      return [status, json['statusCode']];
    },
    { 201: [201, 201], 200: [200, 200] },
  ],
  error_shape: [
    async ({ send }) => {
      const { status, headers, text } = await send('GET', '/user?page=0');
      return [status, headers['content-type']?.split(';')[0], text];
    },
    {
      envelope: [
        400,
        'application/json',
        expect.stringMatching(/^\{"statusCode":400,"message":"page: .*"data":null\}$/),
      ],
      message: [400, 'application/json', expect.stringMatching(/^\{"message":"page: [^}]*\}$/)],
      error: [400, 'application/json', expect.stringMatching(/^\{"error":\{"code":"E400","message":"page: /)],
      problem: [
        400,
        'application/problem+json',
        expect.stringMatching(/^\{"type":"about:blank","title":"page: /),
      ],
      text: [400, 'text/plain', expect.stringMatching(/^page: /)],
      http_200: [200, 'application/json', expect.stringMatching(/^\{"statusCode":400,"message":"page: /)],
    },
  ],
  validation_status: [
    async ({ send }) => [
      (await send('GET', '/user?page=0')).status,
      (await send('POST', '/user', users(''))).status,
      (await send('GET', '/player/9999?fantasy_league_id=1')).status,
    ],
    { 400: [400, 400, 404], 422: [422, 422, 404] },
  ],
  repeated_external_id: [
    async ({ send }) => {
      const raw = await send('POST', '/user', users('D-001', 'new'));
      const all = [...list(await send('GET', '/user')), ...list(await send('GET', '/user?page=2'))];
      const named = all
        .filter((user) => user['external_id'] === 'D-001')
        .map((user) => user['display_name'] === 'N D-001');
      return [raw.status, keysOf(raw), all.length, named];
    },
    {
      conflict: [409, [], 80, [false]],
      refused: [400, [], 80, [false]],
      partial: [409, [], 81, [false]],
      merge: [201, ['D-001', 'new'], 81, [true]],
      existing: [201, ['D-001', 'new'], 81, [false]],
      skip: [201, ['new'], 81, [false]],
      duplicate: [201, ['D-001', 'new'], 82, [false, true]],
    },
  ],
  key_case: [
    async ({ send }) => keysOf(await send('POST', '/user', users('aB'))),
    { kept: ['aB'], lower: ['ab'], upper: ['AB'] },
  ],
  key_trim: [
    async ({ send }) => keysOf(await send('POST', '/user', users(' a '))),
    { kept: [' a '], trimmed: ['a'] },
  ],
  key_form: [
    async ({ send }) => keysOf(await send('POST', '/user', users('00-a-1'))),
    { kept: ['00-a-1'], no_zeros: ['-a-1'], no_dashes: ['00a1'], prefixed: ['ext:00-a-1'] },
  ],
  batch_failure: [
    async ({ send }) => {
      const { status } = await send('POST', '/user', users('a', 'b', 'D-001', 'c'));
      return [status, keysOf(await send('GET', '/user?page=2')).slice(30)];
    },
    { whole: [409, []], half_done: [409, ['a', 'b']] },
  ],
  batch_answer: [
    async ({ send }) => keysOf(await send('POST', '/user', users('a', 'b', 'c'))),
    { sent: ['a', 'b', 'c'], reversed: ['c', 'b', 'a'], fewer: ['a', 'b'], older: ['D-001', 'a', 'b', 'c'] },
  ],
  account_call: [
    async ({ send }) => {
      await send('GET', '/auth/account');
      const { status, json } = await send('GET', '/auth/account');
      return [status, at(json, 'data.config.rate_limit.per_minute.used')];
    },
    { counted: [200, 2], free: [200, 0], refused: [403, undefined] },
  ],
  windows: [
    async ({ send, clock }) => {
      clock.advance(50_000);
      await send('GET', '/user');
      clock.advance(20_000);
      return at((await send('GET', '/auth/account')).json, 'data.config.rate_limit.per_minute');
    },
    {
      fixed: expect.objectContaining({ used: 1, reset_at: '2026-09-22T12:02:00.000Z' }),
      sliding: expect.objectContaining({ used: 2, reset_at: '2026-09-22T12:01:50.000Z' }),
    },
  ],
  quota_unlimited: [
    async ({ send }) => at((await send('GET', '/auth/account')).json, 'data.config.features.users'),
    {
      number: expect.objectContaining({ max: 1_000_000, remaining: 999_920, is_blocked: false }),
      zero: expect.objectContaining({ max: 0, used: 80, remaining: 0, is_blocked: false }),
      minus_one: expect.objectContaining({ max: -1, used: 80, remaining: -1, is_blocked: false }),
    },
  ],
  account_state: [
    async ({ send }) => {
      const { json } = await send('GET', '/auth/account');
      return [
        at(json, 'data.is_active'),
        at(json, 'data.api_key_active'),
        (await send('GET', '/user')).status,
      ];
    },
    {
      active: [true, true, 200],
      inactive_reported: [false, true, 200],
      inactive_refusing: [false, true, 403],
      key_inactive_reported: [true, false, 200],
      key_inactive_refusing: [true, false, 401],
    },
  ],
  unneeded_fields: [
    async ({ send }) => {
      const { json } = await send('GET', '/fantasy-league/1');
      return [at(json, 'data.name'), at(json, 'data.logo_url'), 'logo_url' in (json['data'] as object)];
    },
    {
      filled: [expect.any(String), expect.any(String), true],
      null: [expect.any(String), null, true],
      absent: [expect.any(String), undefined, false],
    },
  ],
  extra_fields: [
    async ({ send }) => Object.keys(list(await send('GET', '/user'))[0] ?? {}).slice(7),
    { none: [], some: ['_links', 'revision'] },
  ],
  enumerations: [
    async ({ send }) => at((await send('GET', '/auth/account')).json, 'data.tier'),
    { usual: 'sandbox', unknown: 'x_sandbox' },
  ],
  numbers: [async ({ send }) => list(await send('GET', '/user'))[0]?.['user_id'], { number: 1, text: '1' }],
  times: [
    async ({ send }) => list(await send('GET', '/user'))[0]?.['created_at'],
    {
      ms: '2026-07-15T10:00:00.000Z',
      s: '2026-07-15T10:00:00Z',
      us: '2026-07-15T10:00:00.000000Z',
      offset: '2026-07-15T10:00:00.000+00:00',
    },
  ],
  points_config_id: [
    async ({ send }) => {
      const { json } = await send('POST', '/points/config', pointsConfigBody());
      const own = String(at(json, 'data.id'));
      return [
        (await send('GET', `/points/config/${own}`)).status,
        (await send('GET', '/points/config/1')).status,
      ];
    },
    { own: [200, 404], league: [404, 200], both: [200, 200] },
  ],
  points_config_again: [
    async ({ send }) => {
      const post = (starter_points: number) =>
        send('POST', '/points/config', pointsConfigBody({ starter_points }));
      const first = at((await send('GET', '/fantasy-league/1')).json, 'data.points_config.id');
      const second = await post(9);
      const before = await send('GET', `/points/config/${String(first)}`);
      const isSame = at(second.json, 'data.id') === first;
      return [second.status, isSame, at(before.json, 'data.starter_points') === 9];
    },
    { replace: [201, true, true], add: [201, false, false], conflict: [409, false, false] },
  ],
  price_count: [
    async ({ send }) => {
      await send('POST', '/price', price(2, 5.5));
      return at((await send('POST', '/price', price(2, 5.6))).json, 'data.count');
    },
    { sent: 2, changed: 1 },
  ],
  price_reference: [
    async ({ send }) => {
      const { json } = await send('POST', '/price', price(2, 5.5));
      return list(await send('GET', '/price'))[0]?.['txn_ref'] === at(json, 'data.reference');
    },
    { txn_ref: true, other: false },
  ],
  substitution_events: [
    async (box) => {
      const before = await substitutions(box);
      const { json } = await (await trigger(box))();
      return Number(at(json, 'data.events')) / ((await substitutions(box)) - before);
    },
    { records: 1, pairs: 0.5, none_yet: 0 },
  ],
  substitution_again: [
    async (box) => {
      const again = await trigger(box);
      const before = await substitutions(box);
      await again();
      const once = (await substitutions(box)) - before;
      const { status } = await again();
      return [status, ((await substitutions(box)) - before) / once];
    },
    { nothing: [201, 1], repeat: [201, 2], conflict: [409, 1] },
  ],
  text_values: [
    async ({ send }) => {
      const mini = (type: string) => send('POST', '/mini-league', { fantasy_league_id: 1, name: 'M', type });
      return [
        (await mini('odd')).status,
        (await mini('classic')).status,
        (await send('POST', '/price', price(2, 5, 'odd'))).status,
        (await send('POST', '/price', price(2, 5, 'initial'))).status,
      ];
    },
    { any: [201, 201, 201, 201], restricted: [400, 201, 400, 201] },
  ],
  week_turns: [
    async (box) => {
      const league = await record(box, '/fantasy-league/1');
      const lineup = await record(box, `/squad/${await firstSquad(box)}/lineup`);
      return [
        at(league, 'current_game_week.week'),
        at(league, 'next_game_week.week'),
        at(lineup, 'game_week.week'),
        lineup['total_points'] === 0,
      ];
    },
    { next_start: ['6', '7', '6', false], end: ['7', '8', '7', true] },
  ],
  week_text: [
    async (box) => {
      const id = await firstSquad(box);
      const lineup = await record(box, `/squad/${id}/lineup`);
      return [
        at(list(await box.send('GET', '/fantasy-league/1/fixtures')), '0.week'),
        at(await record(box, `/squad/${id}`), 'ranking.game_week'),
        at(lineup, 'game_week.previous_game_week'),
        at(await record(box, '/player/1?fantasy_league_id=1'), 'weekly_stats.1.game_week'),
      ];
    },
    {
      number: ['1', '6', '5', '2'],
      short: ['GW1', 'GW6', 'GW5', 'GW2'],
      words: ['Game week 1', 'Game week 6', 'Game week 5', 'Game week 2'],
    },
  ],
  hits_in_points: [
    async (box) => {
      const truths = (await box.sandbox.control('GET', '/truth?game_week=6')) as readonly Fields[];
      const truth = truths.find((one) => at(one, 'transfer_hits.hits') === 2);
      const [net, gross] = [at(truth, 'points.net'), at(truth, 'points.gross')];
      const id = String(at(truth, 'squad.id'));
      const { ranking } = await record(box, `/squad/${id}`);
      const word = (points: unknown) => (points === net ? 'net' : points === gross ? 'gross' : points);
      return [
        Number(gross) - Number(net),
        word(at(ranking, 'game_week_points')),
        word((await record(box, `/squad/${id}/lineup`))['total_points']),
        at(ranking, 'total_points') === truth?.['total_points'],
      ];
    },
    {
      net: [8, 'net', 'net', true],
      gross: [8, 'gross', 'gross', true],
      gross_lineup: [8, 'net', 'gross', true],
    },
  ],
  squad_rules: [
    async (box) => {
      const make = async (players_in: readonly number[]) => {
        const body = { user_id: 1, name: 'Any', fantasy_league_id: 1, players_in };
        const { status, json } = await box.send('POST', '/squad', body);
        return status === 201 ? status : `${status} ${String(json['message'])}`;
      };
      const { squad } = await record(box, `/squad/${await firstSquad(box)}/lineup`);
      const legal = (['starting_xi', 'bench'] as const).flatMap((part) =>
        (at(squad, part) as readonly Fields[]).map((entry) => Number(at(entry, 'player.id'))),
      );
      return [await make([1, 2]), await make(legal)];
    },
    { off: [201, 201], refuse: ['400 players_in: 2 players, and a squad has 15', 201] },
  ],
};

const cases = Object.entries(LOOKS).flatMap(([name, [look, values]]) =>
  Object.entries(values).map(([value, seen]) => [name, value, look, seen] as const),
);

describe('a switch', () => {
  it.each(cases)('%s=%s', async (name, value, look, seen) => {
    expect(await withBox({ [name]: value }, look)).toEqual(seen);
  });

  it.each(Object.entries(LOOKS))('%s is looked at with each of its values', (name, [, values]) => {
    const { values: known } = SWITCHES[name as 'windows'];
    expect(Object.keys(values).toSorted()).toEqual([...known].toSorted());
  });

  it('is looked at here or below, one and all', () => {
    const numbers = SWITCH_NAMES.filter((name) => 'value' in SWITCHES[name]);
    const below = [
      ...['limit_status', 'refused_calls', 'retry_after', 'quota_refusal', 'tier'],
      ...['key_shown', 'key_unique'],
    ];
    expect([...Object.keys(LOOKS), ...numbers, ...below].toSorted()).toEqual(SWITCH_NAMES.toSorted());
  });
});

describe('keys', () => {
  it.each<[Settings['key_shown'], readonly unknown[]]>([
    ['everywhere', ['news', 'news']],
    ['lists', ['NEWSREEL', 'news']],
    ['answers', ['news', 'NEWSREEL']],
  ])('key_shown=%s', async (key_shown, keys) => {
    await withBox({ key_shown, key_case: 'lower', key_cut: 4 }, async ({ send }) => {
      const [made] = keysOf(await send('POST', '/user', users('NEWSREEL')));
      expect([made, keysOf(await send('GET', '/user?page=2')).at(-1)]).toEqual(keys);
    });
  });

  it.each<[Settings['key_unique'], number]>([
    ['sent', 201],
    ['shown', 409],
  ])('key_unique=%s', async (key_unique, status) => {
    const raw = await withBox({ key_unique, key_case: 'lower' }, ({ send }) =>
      send('POST', '/user', users('d-001')),
    );
    expect(raw.status).toBe(status);
  });
});

describe('limits', () => {
  it.each<[Settings['retry_after'], unknown]>([
    ['seconds', '60'],
    ['date', 'Tue, 22 Sep 2026 12:01:00 GMT'],
    ['garbage', 'soon'],
    ['zero', '0'],
    ['absent', undefined],
  ])('retry_after=%s', async (retry_after, header) => {
    const refused = await withBox({ retry_after, per_minute: 0 }, ({ send }) => send('GET', '/user'));
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, header]);
  });

  it.each<[Settings['refused_calls'], Settings['windows'], readonly number[]]>([
    ['free', 'fixed', [200, 200, 429, 429, 200]],
    ['counted', 'fixed', [200, 200, 429, 429, 200]],
    ['free', 'sliding', [200, 200, 429, 429, 200]],
    ['counted', 'sliding', [200, 200, 429, 429, 429]],
  ])('refused_calls=%s in a %s window', async (refused_calls, windows, statuses) => {
    const seen = await withBox({ refused_calls, windows, per_minute: 2 }, async ({ send, clock }) => {
      const all: number[] = [];
      for (const ms of [0, 0, 40_000, 0, 25_000]) {
        clock.advance(ms);
        all.push((await send('GET', '/user')).status);
      }
      return all;
    });
    expect(seen).toEqual(statuses);
  });

  it('a sliding window never lets more through in any minute than its limit', async () => {
    await withBox({ windows: 'sliding', per_minute: 5 }, async ({ send, clock }) => {
      const passed: number[] = [];
      for (let step = 0; step < 200; step += 1) {
        clock.advance(3_700);
        if ((await send('GET', '/user')).status === 200) passed.push(clock.now());
      }
      for (const time of passed) {
        expect(passed.filter((other) => other > time - 60_000 && other <= time).length).toBeLessThanOrEqual(
          5,
        );
      }
      expect(passed.length).toBeGreaterThan(40);
    });
  });

  it.each<[Settings['quota_refusal'], number]>([
    ['forbidden', 403],
    ['too_many', 429],
  ])('quota_refusal=%s is %i without Retry-After', async (quota_refusal, status) => {
    const refused = await withBox({ quota_refusal, quota_users: 80 }, ({ send }) =>
      send('POST', '/user', users('a')),
    );
    expect([refused.status, refused.headers['retry-after']]).toEqual([status, undefined]);
  });

  it.each<[Settings['limit_status'], number]>([
    ['413', 413],
    ['400', 400],
  ])('limit_status=%s', async (limit_status, status) => {
    const settings = { limit_status, max_batch: 1, validation_status: '400' } as const;
    const refused = await withBox(settings, ({ send }) => send('POST', '/user', users('a', 'b')));
    expect(refused.status).toBe(status);
  });

  it('reset_skew_seconds moves what is said, not what is done', async () => {
    await withBox({ reset_skew_seconds: 45 }, async ({ send }) => {
      const window = at((await send('GET', '/auth/account')).json, 'data.config.rate_limit.per_minute');
      expect(window).toMatchObject({ reset_at: '2026-09-22T12:01:45.000Z' });
    });
  });
});

describe('what comes late', () => {
  const total = async ({ send }: Box) => at((await send('GET', '/user')).json, 'paging.total');
  const used = async ({ send }: Box) =>
    at((await send('GET', '/auth/account')).json, 'data.config.features.users.used');

  it('list_lag_ms: lists show a create and a change later, other reads at once', async () => {
    await withBox({ list_lag_ms: 5_000 }, async (box) => {
      const [made] = list(await box.send('POST', '/user', users('a')));
      const squad = await box.send('POST', '/squad', {
        ...{ user_id: made?.['user_id'], name: 'Late', fantasy_league_id: 1, players_in: [1] },
      });
      expect((await box.send('GET', `/squad/${String(at(squad.json, 'data.id'))}`)).status).toBe(200);
      box.clock.advance(4_999);
      expect([await total(box), await used(box)]).toEqual([80, 81]);
      box.clock.advance(1);
      expect(await total(box)).toBe(81);
      await box.send('PATCH', '/user', { id: made?.['id'], display_name: 'Changed' });
      const name = async () => list(await box.send('GET', '/user?page=2')).at(-1)?.['display_name'];
      expect(await name()).toBe('N a');
      box.clock.advance(5_000);
      expect(await name()).toBe('Changed');
    });
  });

  it('apply_after_ms: nothing shows it before, and it is not taken twice', async () => {
    await withBox({ apply_after_ms: 1_000 }, async (box) => {
      const squads = { user_id: 1, name: 'Queued', fantasy_league_id: 1, players_in: [1] };
      const id = String(at((await box.send('POST', '/squad', squads)).json, 'data.id'));
      await box.send('POST', '/user', users('a'));
      expect((await box.send('POST', '/user', users('a'))).status).toBe(409);
      expect([(await box.send('GET', `/squad/${id}`)).status, await total(box)]).toEqual([404, 80]);
      box.clock.advance(1_000);
      expect([(await box.send('GET', `/squad/${id}`)).status, await total(box)]).toEqual([200, 81]);
    });
  });

  it('account_lag_ms: the counters follow later', async () => {
    await withBox({ account_lag_ms: 1_000 }, async (box) => {
      await box.send('POST', '/user', users('a'));
      expect([await used(box), await total(box)]).toEqual([80, 81]);
      box.clock.advance(1_000);
      expect(await used(box)).toBe(81);
    });
  });

  it('substitutions_after_ms: records are listed later', async () => {
    await withBox({ substitutions_after_ms: 1_000 }, async (box) => {
      const before = await substitutions(box);
      await (
        await trigger(box)
      )();
      expect(await substitutions(box)).toBe(before);
      box.clock.advance(1_000);
      expect(await substitutions(box)).toBeGreaterThan(before);
    });
  });

  it('a reset shows the new service at once', async () => {
    await withBox({ list_lag_ms: 5_000 }, async (box) => {
      await box.send('POST', '/user', users('a'));
      await box.sandbox.control('POST', '/reset');
      box.clock.advance(5_000);
      expect(await total(box)).toBe(80);
    });
  });
});

describe('accounts', () => {
  it('each have a key, a tier, records, windows and a control of their own', async () => {
    await withBox({ accounts: 3 }, async ({ sandbox }) => {
      expect(sandbox.accounts.map(({ tier }) => tier)).toEqual(['sandbox', 'free', 'standard']);
      expect(new Set(sandbox.accounts.map(({ api_key }) => api_key)).size).toBe(3);
      const ask = async (index: number, method: 'GET' | 'POST', path: string, body?: unknown) => {
        const key = sandbox.accounts[index]?.api_key ?? '';
        const answer = await sandbox.inject({
          ...{ method, url: `http://sandbox.test/v1${path}` },
          headers: { 'x-api-key': key, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        return { status: answer.status, json: JSON.parse(answer.body) as Fields };
      };
      expect((await ask(1, 'POST', '/user', users('only here'))).status).toBe(201);
      const totals = await Promise.all(
        [0, 1, 2].map(async (n) => at((await ask(n, 'GET', '/user')).json, 'paging.total')),
      );
      expect(totals).toEqual([80, 81, 80]);
      const accounts = await Promise.all(
        [0, 1, 2].map(async (n) => (await ask(n, 'GET', '/auth/account')).json),
      );
      expect(new Set(accounts.map((one) => at(one, 'data.id'))).size).toBe(3);
      const minutes = accounts.map((one) => at(one, 'data.config.rate_limit.per_minute'));
      expect(minutes).toMatchObject([
        { limit: 600, used: 2 },
        { limit: 30, used: 3 },
        { limit: 300, used: 2 },
      ]);
      expect(await sandbox.control('GET', '/effects')).toEqual([]);
      expect(await sandbox.control('GET', '/accounts/2/effects')).toHaveLength(1);
    });
  });

  it.each<[Settings['tier'], number]>([
    ['sandbox', 600],
    ['free', 30],
    ['standard', 300],
    ['premium', 3_000],
  ])('tier=%s lets %i through in a minute', async (tier, limit) => {
    const { json } = await withBox({ tier }, ({ send }) => send('GET', '/auth/account'));
    expect([at(json, 'data.tier'), at(json, 'data.config.rate_limit.per_minute.limit')]).toEqual([
      tier,
      limit,
    ]);
  });
});

describe('profiles', () => {
  it.each(Object.keys(PROFILES))('%s answers', async (name) => {
    const { status } = await withBox(profileSettings(name), ({ send }) => send('GET', '/fantasy-league/1'));
    expect(status).toBe(200);
  });

  it.each(Object.entries(PROFILES))(
    '%s answers who has no key in its own shape',
    async (_name, { settings }) => {
      const all: Partial<Settings> = settings;
      await withBox(settings, async ({ sandbox }) => {
        const answer = await sandbox.inject({ method: 'GET', url: '/v1/user', headers: {} });
        expect(answer.status).toBe(all.error_shape === 'http_200' ? 200 : 401);
        expect(answer.headers['date']).toBeDefined();
        expect(answer.body).toContain('the header x-api-key is missing');
      });
    },
  );

  it('an unknown name is refused with the nearest', () => {
    expect(() => profileSettings('laging')).toThrow(
      expect.objectContaining({
        code: 'sandbox.profile',
        exitCode: 64,
        next: expect.stringContaining('lagging') as string,
      }),
    );
  });
});
