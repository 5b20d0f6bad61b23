import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATION_IDS, endpoints } from '../../src/contract/index.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import type { OperationId } from '../../src/contract/index.ts';
import { digestTables } from '../support/digest.ts';
import { at, openSandbox, pointsConfigBody } from '../support/sandbox.ts';
import type { TestSandbox } from '../support/sandbox.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';
const user = { external_id: 'X', display_name: 'X' };
const squad = { user_id: 1, name: 'Some squad', fantasy_league_id: 1, players_in: [1, 2, 3] };
const price = { player_id: 1, price: 5, type: 'market' };
const mini = { fantasy_league_id: 1, name: 'M', type: 'classic' };
const league = { name: 'L', league_id: 1 };
const ofLeague = { fantasy_league_id: 1 };

/** Every constraint broken one at a time: operation, what is sent, the status and a part of the message. */
type Broken = readonly [OperationId, string, object, number, string];

const without = (body: object, name: string): object =>
  Object.fromEntries(Object.entries(body).filter(([key]) => key !== name));

/** A required field left out, null and of another type, in each body. */
function brokenFields(
  operation: OperationId,
  body: object,
  wrong: Readonly<Record<string, unknown>>,
): Broken[] {
  return Object.entries(wrong).flatMap(([name, value]): Broken[] => [
    [operation, `without ${name}`, { body: without(body, name) }, 400, `${name}: `],
    [operation, `${name} null`, { body: { ...body, [name]: null } }, 400, `${name}: `],
    [operation, `${name} ${JSON.stringify(value)}`, { body: { ...body, [name]: value } }, 400, `${name}: `],
  ]);
}

const inBody = (operation: OperationId, body: object, over: object, status: number, part: string): Broken => [
  operation,
  JSON.stringify(over).slice(0, 60),
  { body: { ...body, ...over } },
  status,
  part,
];

const POINTS = pointsConfigBody();
const broken: readonly Broken[] = [
  ...OPERATION_IDS.flatMap((operation): Broken[] => {
    const { body, paged }: Endpoint = endpoints[operation];
    return [
      ...(body ? [[operation, 'no field it knows', { id: 1, body: { x: 1 } }, 400, ''] as const] : []),
      ...(paged ? [[operation, 'page 0', { query: { ...ofLeague, page: 0 } }, 400, 'page: '] as const] : []),
    ];
  }),
  ...brokenFields('create-fantasy-league', league, { name: 5, league_id: '1' }),
  inBody('create-fantasy-league', league, { name: '' }, 400, 'name: '),
  inBody('create-fantasy-league', league, { league_id: 0 }, 400, 'league_id: '),
  inBody('create-fantasy-league', league, { league_id: 1.5 }, 400, 'league_id: '),
  inBody('create-fantasy-league', league, { league_id: 2 }, 404, 'league_id: there is no league 2'),
  inBody('create-fantasy-league', league, { colour: 'red' }, 400, 'colour'),
  ...['0', '2', '-1', '1.0', ' 1', 'one', '9007199254740993'].flatMap((id): Broken[] => [
    ['get-fantasy-league', `id ${id}`, { id }, 404, 'id: '],
    ['get-fixtures', `id ${id}`, { id }, 404, 'id: '],
    ['get-mini-league', `id ${id}`, { id }, 404, 'id: '],
  ]),
  ...brokenFields('create-mini-league', mini, { fantasy_league_id: '1', name: 1, type: [] }),
  inBody('create-mini-league', mini, { fantasy_league_id: 0 }, 404, 'fantasy_league_id: '),
  inBody('create-mini-league', mini, { name: '' }, 400, 'name: '),
  inBody('create-mini-league', mini, { type: '' }, 400, 'type: '),
  ['list-mini-leagues', 'league 0', { query: { fantasy_league_id: 0 } }, 400, 'fantasy_league_id: '],
  ...brokenFields('create-users', { users: [user] }, { users: {} }),
  ['create-users', 'no body', {}, 400, 'body: '],
  ['create-users', 'a list as body', { body: [user] }, 400, 'body: '],
  [
    'create-users',
    'external_id missing',
    { body: { users: [user, { display_name: 'x' }] } },
    400,
    'users[1].external_id: ',
  ],
  [
    'create-users',
    'display_name missing',
    { body: { users: [{ external_id: 'x' }] } },
    400,
    'users[0].display_name: ',
  ],
  [
    'create-users',
    'external_id a number',
    { body: { users: [{ ...user, external_id: 7 }] } },
    400,
    'users[0].external_id: ',
  ],
  [
    'create-users',
    'external_id empty',
    { body: { users: [{ ...user, external_id: '' }] } },
    400,
    'users[0].external_id: ',
  ],
  ['create-users', 'is_active sent', { body: { users: [{ ...user, is_active: false }] } }, 400, 'is_active'],
  [
    'create-users',
    'half a surrogate pair',
    { body: { users: [{ ...user, display_name: '\ud800' }] } },
    400,
    'users[0].display_name: ',
  ],
  [
    'create-users',
    'a known external_id',
    { body: { users: [user, { ...user, external_id: 'D-002' }] } },
    409,
    '"D-002"',
  ],
  [
    'create-users',
    'an external_id twice',
    { body: { users: [user, user] } },
    409,
    'users[1].external_id: "X"',
  ],
  ...['-1', '1.5', 'x', '', '1e3', '0x1', '99999999999999999999'].map((page): Broken => [
    'list-users',
    `page ${page}`,
    { query: { page } },
    400,
    'page: ',
  ]),
  ...brokenFields('update-user', { id: NOBODY }, { id: 'not-a-uuid' }),
  inBody('update-user', { id: NOBODY }, {}, 404, 'id: '),
  inBody('update-user', { id: NOBODY }, { display_name: 'x' }, 404, 'id: '),
  inBody('update-user', { id: NOBODY }, { display_name: 'x'.repeat(51) }, 400, 'display_name: '),
  inBody('update-user', { id: NOBODY }, { display_name: null }, 400, 'display_name: '),
  inBody('update-user', { id: NOBODY }, { is_active: 'true' }, 400, 'is_active: '),
  inBody('update-user', { id: NOBODY }, { external_id: 'x' }, 400, 'external_id'),
  ...brokenFields('create-squad', squad, { user_id: '1', name: 3, fantasy_league_id: 1.5, players_in: 1 }),
  inBody('create-squad', squad, { name: 'ab' }, 400, 'name: '),
  inBody('create-squad', squad, { user_id: 0 }, 400, 'user_id: '),
  inBody('create-squad', squad, { user_id: 81 }, 404, 'user_id: '),
  inBody('create-squad', squad, { fantasy_league_id: 0 }, 400, 'fantasy_league_id: '),
  inBody('create-squad', squad, { fantasy_league_id: 9 }, 404, 'fantasy_league_id: '),
  inBody('create-squad', squad, { players_in: [] }, 400, 'players_in: '),
  inBody('create-squad', squad, { players_in: [1, 0] }, 400, 'players_in[1]: '),
  inBody('create-squad', squad, { players_in: [1, 2.5] }, 400, 'players_in[1]: '),
  inBody('create-squad', squad, { players_in: [1, '2'] }, 400, 'players_in[1]: '),
  inBody('create-squad', squad, { players_in: [1, 2, 1] }, 400, 'players_in[2]: '),
  inBody('create-squad', squad, { players_in: [1, 9_999] }, 404, 'players_in[1]: '),
  ['list-squads', 'user 0', { query: { user_id: 0 } }, 400, 'user_id: '],
  ['list-squads', 'league x', { query: { fantasy_league_id: 'x' } }, 400, 'fantasy_league_id: '],
  ['get-squad', 'id not a uuid', { id: '1' }, 400, 'id: '],
  ['get-squad', 'an overlong id', { id: 'x'.repeat(500) }, 400, 'id: '],
  ['get-squad', 'unknown', { id: NOBODY }, 404, 'id: '],
  ['get-lineup', 'id not a uuid', { id: 'x' }, 404, 'id: '],
  ['get-lineup', 'unknown', { id: NOBODY }, 404, 'id: '],
  ['get-player', 'no league', { id: 1 }, 400, 'fantasy_league_id: '],
  ['get-player', 'league 0', { id: 1, query: { fantasy_league_id: 0 } }, 400, 'fantasy_league_id: '],
  ['get-player', 'unknown league', { id: 1, query: { fantasy_league_id: 9 } }, 404, 'fantasy_league_id: '],
  ['get-player', 'id 0', { id: 0, query: { fantasy_league_id: 1 } }, 400, 'id: '],
  ['get-player', 'id x', { id: 'x', query: { fantasy_league_id: 1 } }, 400, 'id: '],
  ['get-player', 'unknown', { id: 9_999, query: { fantasy_league_id: 1 } }, 404, 'id: '],
  ...brokenFields(
    'set-points-config',
    POINTS,
    Object.fromEntries(Object.keys(POINTS).map((name) => [name, '1'])),
  ),
  ...Object.keys(POINTS)
    .filter((name) => !name.includes('_goal_concede_'))
    .map((name) => inBody('set-points-config', POINTS, { [name]: 1.5 }, 400, `${name}: `)),
  ...['clean_sheet_eligibility_minutes', 'time_onfield_eligibility_minutes'].flatMap((name) =>
    [0, 91].map((value) => inBody('set-points-config', POINTS, { [name]: value }, 400, `${name}: `)),
  ),
  inBody(
    'set-points-config',
    POINTS,
    { defender_goal_concede_points: -1e308 },
    400,
    'defender_goal_concede_points: ',
  ),
  inBody('set-points-config', POINTS, { fantasy_league_id: 0 }, 400, 'fantasy_league_id: '),
  inBody('set-points-config', POINTS, { fantasy_league_id: 9 }, 404, 'fantasy_league_id: '),
  ['get-points-config', 'unknown', { id: NOBODY }, 404, 'id: '],
  ['get-points-config', "the league's id", { id: 1 }, 404, 'id: '],
  ...brokenFields(
    'upload-prices',
    { fantasy_league_id: 1, prices: [price] },
    { fantasy_league_id: 'x', prices: price },
  ),
  inBody('upload-prices', { fantasy_league_id: 1 }, { prices: [] }, 400, 'prices: '),
  inBody('upload-prices', { prices: [price] }, { fantasy_league_id: 9 }, 404, 'fantasy_league_id: '),
  ...(
    [
      [{ player_id: 'x' }, 400],
      [{ player_id: 1.5 }, 400],
      [{ player_id: 0 }, 404],
      [{ player_id: 9_999 }, 404],
      [{ price: '5' }, 400],
      [{ price: null }, 400],
      [{ price: 1e308 }, 400],
      [{ type: '' }, 400],
      [{ type: 5 }, 400],
      [{ currency: 'EUR' }, 400],
    ] as const
  ).map(([over, status]) =>
    inBody(
      'upload-prices',
      { fantasy_league_id: 1 },
      { prices: [price, { ...price, ...over }] },
      status,
      Object.keys(over)[0] ?? '',
    ),
  ),
  ...brokenFields(
    'trigger-auto-substitution',
    { fantasy_league_id: 1, game_week_id: NOBODY },
    { fantasy_league_id: '1', game_week_id: '6' },
  ),
  inBody(
    'trigger-auto-substitution',
    { game_week_id: NOBODY },
    { fantasy_league_id: 9 },
    404,
    'fantasy_league_id: ',
  ),
  inBody(
    'trigger-auto-substitution',
    { game_week_id: NOBODY },
    { fantasy_league_id: 1 },
    404,
    'game_week_id: ',
  ),
  ['list-auto-substitutions', 'no league', {}, 400, 'fantasy_league_id: '],
  ['list-auto-substitutions', 'league 0', { query: { fantasy_league_id: 0 } }, 400, 'fantasy_league_id: '],
  ['list-auto-substitutions', 'league 9', { query: { fantasy_league_id: 9 } }, 404, 'fantasy_league_id: '],
];

describe('a broken request is refused with the name of the field and changes nothing', () => {
  let box: TestSandbox;
  let folder = '';
  let before = '';
  const state = (): string => digestTables(join(folder, 'db'));
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'teamsheet-constraints-'));
    box = await openSandbox({ seed: 'demo', db: join(folder, 'db'), settings: { per_minute: 10_000 } });
    before = state();
  });
  afterAll(async () => {
    expect(state()).toBe(before);
    await box.close();
    rmSync(folder, { recursive: true });
  });

  it.each(broken)('%s: %s', async (operation, _what, request, status, part) => {
    const reply = await box.call(operation, request);
    expect([reply.status, reply.message]).toEqual([status, expect.stringContaining(part)]);
  });

  it('the digest sees what changes', async () => {
    const other = join(folder, 'other');
    await using changed = await openSandbox({ db: other });
    const fresh = digestTables(other);
    await changed.call('create-fantasy-league', { body: league });
    expect(digestTables(other)).not.toBe(fresh);
  });

  it('a week that has not ended is not processed', async () => {
    const week = at((await box.call('get-fantasy-league', { id: 1 })).record, 'next_game_week.id');
    const body = { fantasy_league_id: 1, game_week_id: week };
    const reply = await box.call('trigger-auto-substitution', { body });
    expect([reply.status, reply.message]).toEqual([
      422,
      expect.stringContaining('game week 7 has not ended'),
    ]);
  });

  it('the key is asked for by every operation, and a wrong one is not counted', async () => {
    const used = async () =>
      Number(at((await box.call('get-account')).record, 'config.rate_limit.per_minute.used'));
    const before = await used();
    for (const operation of OPERATION_IDS) {
      for (const key of ['', 'wrong', `${box.sandbox.apiKey}x`]) {
        const reply = await box.call(operation, { id: 1, headers: { 'x-api-key': key } });
        expect([operation, reply.status]).toEqual([operation, 401]);
      }
    }
    const none = await box.sandbox.inject({ method: 'GET', url: '/v1/user', headers: {} });
    expect([none.status, none.body]).toEqual([401, expect.stringContaining('x-api-key is missing')]);
    expect(await used()).toBe(before + 1);
  });

  it.each([
    ['malformed JSON', '{"users": [', 'application/json', 400, 'body: '],
    ['an empty body', '', 'application/json', 400, 'body'],
    ['a prototype in the body', '{"__proto__": {"x": 1}}', 'application/json', 400, 'body: '],
    [
      'deep nesting',
      `{"users": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      'application/json',
      400,
      'users[0]',
    ],
    [
      'a prototype inside',
      '{"users": [{"external_id": "a", "display_name": "b", "__proto__": {"is_active": false}}]}',
      'application/json',
      400,
      'body: ',
    ],
    [
      'a constructor',
      '{"users": [], "constructor": {"prototype": {"x": 1}}}',
      'application/json',
      400,
      'body: ',
    ],
    [
      'a key that stands twice, last one wrong',
      '{"users": [], "users": 1}',
      'application/json',
      400,
      'users: ',
    ],
    ['a number beyond all', '{"users": 1e400}', 'application/json', 400, 'users: '],
    ['a number of many digits', `{"users": ${'9'.repeat(100_000)}}`, 'application/json', 400, 'users: '],
    [
      'deep objects',
      `{"users": ${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
      'application/json',
      400,
      'users: ',
    ],
    ['half a surrogate pair in a key', '{"\\ud800": 1, "users": []}', 'application/json', 400, 'body'],
    ['two documents', '{"users": []} {"users": []}', 'application/json', 400, 'body: '],
    ['a trailing comma', '{"users": [],}', 'application/json', 400, 'body: '],
    ['null', 'null', 'application/json', 400, 'body: '],
    ['a text', '"users"', 'application/json', 400, 'body: '],
    ['plain text', '{"users": []}', 'text/plain', 415, 'application/json'],
    ['a form', 'users=1', 'application/x-www-form-urlencoded', 415, 'application/json'],
    ['an odd content type', '{}', 'json', 415, 'application/json'],
    [
      'a body over 1 MiB',
      `{"users": [], "x": "${'x'.repeat(1_048_576)}"}`,
      'application/json',
      413,
      'body: larger than 1048576 bytes',
    ],
  ])('%s is an enveloped refusal', async (_what, body, type, status, part) => {
    const reply = await box.send('POST', '/v1/user', { body, headers: { 'content-type': type } });
    expect([reply.status, reply.message]).toEqual([status, expect.stringContaining(part)]);
  });

  it.each([
    ['external_id', 'a\u0000b'],
    ['display_name', 'a\u0000b'],
  ])('a NUL in %s is kept as it is or refused, and never cut', async (field, value) => {
    await using own = await openSandbox();
    const body = { users: [{ external_id: 'n', display_name: 'n', [field]: value }] };
    const { status } = await own.call('create-users', { body });
    const { list } = await own.call('list-users');
    expect(status === 201 ? list.map((user) => user[field]) : list).toEqual(status === 201 ? [value] : []);
  });

  it('bytes that are not UTF-8 are refused', async () => {
    const answer = await box.sandbox.app.inject({
      method: 'POST',
      url: '/v1/user',
      headers: { 'x-api-key': box.sandbox.apiKey, 'content-type': 'application/json' },
      payload: Buffer.from('{"users": [{"external_id": "Jos\xe9", "display_name": "x"}]}', 'latin1'),
    });
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      { statusCode: 400, message: 'body: not valid UTF-8', data: null },
    ]);
  });

  it.each([
    ['GET', '/v1/nothing'],
    ['GET', '/nothing'],
    ['GET', '/v1/user/'],
    ['PATCH', '/v1/squads'],
    ['POST', '/v1/auth'],
  ] as const)('%s %s is an enveloped 404', async (method, path) => {
    expect((await box.send(method, path)).status).toBe(404);
  });

  it('a path that cannot be decoded is an enveloped 400', async () => {
    expect((await box.send('GET', '/v1/squad/%zz')).status).toBe(400);
  });

  it('unknown query parameters are ignored', async () => {
    expect((await box.call('list-users', { query: { sort: 'name', page: 1 } })).status).toBe(200);
  });

  it('the table above breaks every operation that takes anything', () => {
    const named = new Set(broken.map(([operation]) => operation));
    const takesNothing = OPERATION_IDS.filter((id) => !named.has(id));
    expect(takesNothing).toEqual(['get-account']);
  });
});
