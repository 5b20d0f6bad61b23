import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/contract/index.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import type { OperationId } from '../../../src/contract/index.ts';

const UUID = '8b5b7f0e-6f6e-4a27-9d3d-6f0b54f0a001';

const settings = Object.keys(endpoints['set-points-config'].body.shape);
const MINUTES = ['clean_sheet_eligibility_minutes', 'time_onfield_eligibility_minutes'];
const DECIMALS = settings.filter((name) => name.endsWith('_goal_concede_points'));
const pointsConfig = Object.fromEntries(settings.map((name) => [name, 1]));

/** A body of each writing operation that meets every constraint. */
const BODIES: Readonly<Partial<Record<OperationId, Readonly<Record<string, unknown>>>>> = {
  'create-fantasy-league': { name: 'L', league_id: 1 },
  'create-mini-league': { fantasy_league_id: 1, name: 'Friends', type: 'classic' },
  'create-users': { users: [{ external_id: 'M-1', display_name: 'Ada' }] },
  'update-user': { id: UUID, display_name: 'Ada', is_active: false },
  'create-squad': { user_id: 1, name: 'abc', fantasy_league_id: 1, players_in: [1] },
  'set-points-config': pointsConfig,
  'upload-prices': { fantasy_league_id: 1, prices: [{ player_id: 1, price: 7.5, type: 'current' }] },
  'trigger-auto-substitution': { fantasy_league_id: 1, game_week_id: UUID },
};

function accepts(id: OperationId, changes: Readonly<Record<string, unknown>>): boolean {
  const { body }: Endpoint = endpoints[id];
  return body?.safeParse({ ...BODIES[id], ...changes }).success ?? false;
}

const NOT_POSITIVE = [0, -1, 1.5, '1', null, 2 ** 53, Number.NaN];

/** Field values of sections 4, 2.9 and 8 that must be refused. */
const REFUSED: readonly (readonly [OperationId, string, readonly unknown[]])[] = [
  ['create-fantasy-league', 'name', ['', 1, null]],
  ['create-fantasy-league', 'league_id', NOT_POSITIVE],
  ['create-mini-league', 'fantasy_league_id', [1.5, '1', null]],
  ['create-mini-league', 'name', [1, null]],
  ['create-mini-league', 'type', [1, null]],
  ['create-users', 'users', [null, {}, [{ external_id: 'M-1' }], [{ display_name: 'Ada' }]]],
  [
    'create-users',
    'users',
    [[{ external_id: 1, display_name: 'Ada' }], [{ external_id: 'M-1', display_name: null }]],
  ],
  ['create-users', 'users', [[{ external_id: 'M-1', display_name: 'Ada', is_active: true }]]],
  ['update-user', 'id', ['not-a-uuid', '', 1, null]],
  ['update-user', 'display_name', ['x'.repeat(51), 1, null]],
  ['update-user', 'is_active', ['true', 1, null]],
  ['create-squad', 'user_id', NOT_POSITIVE],
  ['create-squad', 'name', ['ab', '', 1, null]],
  ['create-squad', 'fantasy_league_id', NOT_POSITIVE],
  ['create-squad', 'players_in', [[], null, 1, ...NOT_POSITIVE.map((value) => [1, value])]],
  ['set-points-config', 'fantasy_league_id', NOT_POSITIVE],
  ['upload-prices', 'fantasy_league_id', NOT_POSITIVE],
  ['upload-prices', 'prices', [[], null, [{ player_id: 1, price: 7.5 }], [{ player_id: 1, type: 'x' }]]],
  ['upload-prices', 'prices', [[{ player_id: 1.5, price: 7.5, type: 'x' }], [{ price: 7.5, type: 'x' }]]],
  [
    'upload-prices',
    'prices',
    [[{ player_id: 1, price: '7.5', type: 'x' }], [{ player_id: 1, price: 7.5, type: 1 }]],
  ],
  ['upload-prices', 'prices', [[{ player_id: 1, price: Number.POSITIVE_INFINITY, type: 'x' }]]],
  ['trigger-auto-substitution', 'fantasy_league_id', NOT_POSITIVE],
  ['trigger-auto-substitution', 'game_week_id', ['19', 19, null]],
];

const ids = Object.keys(BODIES) as OperationId[];

describe('bodies', () => {
  it.each(ids)('%s: a body that meets every constraint is accepted', (id) => {
    expect(accepts(id, {})).toBe(true);
  });

  it.each(ids)('%s: an unknown field is refused', (id) => {
    expect(accepts(id, { surprise: 1 })).toBe(false);
  });

  it.each(ids)('%s: each required field must be there', (id) => {
    const optional = id === 'update-user' ? ['display_name', 'is_active'] : [];
    const fields = Object.keys(BODIES[id] ?? {});
    const missed = fields.filter((field) => accepts(id, { [field]: undefined }));
    expect(missed).toEqual(optional);
  });

  it.each(REFUSED)('%s: %s refuses %j', (id, field, values) => {
    expect(values.filter((value) => accepts(id, { [field]: value }))).toEqual([]);
  });

  it('update-user takes a name of exactly 50 characters, a UUID in capitals, and either field alone', () => {
    expect(accepts('update-user', { display_name: 'x'.repeat(50), id: UUID.toUpperCase() })).toBe(true);
    expect(accepts('update-user', { is_active: undefined })).toBe(true);
    expect(accepts('update-user', { display_name: undefined })).toBe(true);
  });

  it('create-users takes several users, and names longer than an update would', () => {
    const users = [1, 2, 3].map((number) => ({ external_id: `M-${number}`, display_name: 'x'.repeat(51) }));
    expect(accepts('create-users', { users })).toBe(true);
  });
});

describe('the points configuration', () => {
  it('has 34 settings beside the league', () => {
    expect(settings).toHaveLength(35);
    expect(DECIMALS).toHaveLength(4);
  });

  it.each(settings)('%s must be there and be a number', (name) => {
    expect(
      [undefined, null, '1', true, Number.NaN].filter((value) =>
        accepts('set-points-config', { [name]: value }),
      ),
    ).toEqual([]);
  });

  it.each(settings)('%s takes decimals only where the interface says so', (name) => {
    expect(accepts('set-points-config', { [name]: -0.5 })).toBe(DECIMALS.includes(name));
  });

  it.each(settings)('%s takes negative and zero values unless it is a league or minutes', (name) => {
    const limited = name === 'fantasy_league_id' || MINUTES.includes(name);
    expect([-2, 0].map((value) => accepts('set-points-config', { [name]: value }))).toEqual([
      !limited,
      !limited,
    ]);
  });

  it.each(MINUTES)('%s is 1 to 90 inclusive', (name) => {
    const accepted = [0, 1, 90, 91, 45.5].filter((value) => accepts('set-points-config', { [name]: value }));
    expect(accepted).toEqual([1, 90]);
  });
});

describe('queries and path ids', () => {
  const queries = [
    'list-mini-leagues',
    'list-users',
    'list-squads',
    'get-player',
    'list-prices',
    'list-auto-substitutions',
  ] as const;

  it.each(queries)('%s: every parameter is an integer of at least 1', (id) => {
    const { query } = endpoints[id];
    const valid = Object.fromEntries(Object.keys(query.shape).map((name) => [name, 1]));
    expect(query.safeParse(valid).success).toBe(true);
    const wrong = Object.keys(query.shape).flatMap((name) =>
      NOT_POSITIVE.map((value) => ({ ...valid, [name]: value })),
    );
    expect(wrong.filter((candidate) => query.safeParse(candidate).success)).toEqual([]);
    expect(query.safeParse({ ...valid, surprise: 1 }).success).toBe(false);
  });

  it.each(['get-player', 'list-auto-substitutions'] as const)('%s requires the fantasy league', (id) => {
    expect(endpoints[id].query.safeParse({}).success).toBe(false);
  });

  it('a player is an integer of at least 1', () => {
    const { pathId } = endpoints['get-player'];
    expect(pathId.safeParse(1).success).toBe(true);
    expect([...NOT_POSITIVE, ''].filter((value) => pathId.safeParse(value).success)).toEqual([]);
  });

  it('a squad is a UUID', () => {
    const { pathId } = endpoints['get-squad'];
    expect(pathId.safeParse(UUID).success).toBe(true);
    expect(['1', '', 1, `${UUID}/lineup`].filter((value) => pathId.safeParse(value).success)).toEqual([]);
  });

  it('ids whose type is not shown take a number or a text, never an empty one', () => {
    for (const id of [
      'get-fantasy-league',
      'get-fixtures',
      'get-mini-league',
      'get-points-config',
      'get-lineup',
    ] as const) {
      const { pathId } = endpoints[id];
      expect([id, pathId.safeParse(UUID).success, pathId.safeParse('').success]).toEqual([id, true, false]);
    }
  });
});
