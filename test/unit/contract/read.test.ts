import { describe, expect, it } from 'vitest';
import { endpoints, OPERATION_IDS, resources } from '../../../src/contract/index.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { envelope, paging } from '../../../src/contract/envelope.ts';
import { leavesOf } from '../../../src/contract/field.ts';
import type { FieldType } from '../../../src/contract/field.ts';

const UUID = '8b5b7f0e-6f6e-4a27-9d3d-6f0b54f0a001';

/** A value of a type as the interface documents it, and other spellings of it that a service may plausibly use. */
const SPELLINGS: Readonly<Record<FieldType, readonly unknown[]>> = {
  text: ['classic', 'a value that nobody announced', '', 7],
  integer: [3, 2 ** 40, '17', -1],
  number: [7.5, '7.5', '-0.25', 4],
  boolean: [true, false, 1, 0, '1', '0', 'true', 'false'],
  datetime: ['2026-08-14T19:00:00Z', '2026-08-14T19:00:00.123456Z', '2026-08-14T20:00:00+01:00'],
  uuid: [UUID, UUID.toUpperCase()],
  json: [{ any: ['thing'] }, 'text', 0],
};

/** What is made of a spelling. */
function read(type: FieldType, value: unknown): unknown {
  if (type === 'integer' || type === 'number') return Number(value);
  if (type === 'text') return String(value);
  return type === 'boolean' ? [true, 1, '1', 'true'].includes(value as string) : value;
}

/** `{ a: { b: value } }` for the path `a.b`. */
function nested(path: string, value: unknown): Readonly<Record<string, unknown>> {
  return path
    .split('.')
    .toReversed()
    .reduce<unknown>((inner, name) => ({ [name]: inner }), value) as Readonly<Record<string, unknown>>;
}

function at(record: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, name) => (inner as Readonly<Record<string, unknown>>)[name], record);
}

describe.each(OPERATION_IDS)('records of %s', (id) => {
  const { record }: Endpoint = endpoints[id];
  const leaves = leavesOf(record);
  const sample = Object.fromEntries(leaves.map(({ path, type }) => [path, SPELLINGS[type][0]]));
  const needed = leaves.filter(({ path }) => !record.safeParse({ ...sample, [path]: null }).success);
  // A result has no identity of its own, and must say something.
  const identity = Object.fromEntries(
    (needed.length > 0 ? needed : leaves.slice(0, 1)).map(({ path }) => [path, sample[path]]),
  );

  it('need their identity and nothing else', () => {
    expect(record.safeParse(identity).success).toBe(true);
    const nothing = Object.fromEntries(Object.keys(record.shape).map((name) => [name, null]));
    expect(record.safeParse({ ...nothing, ...identity }).success).toBe(true);
  });

  it('without their identity are refused', () => {
    const accepted = Object.keys(identity).flatMap((name) =>
      [undefined, null].filter((value) => record.safeParse({ ...identity, [name]: value }).success),
    );
    expect(accepted).toEqual([]);
  });

  it('keep unknown fields', () => {
    expect(record.parse({ ...identity, later: { added: [1] } })).toMatchObject({ later: { added: [1] } });
  });

  it('keep every spelling of every value', () => {
    expect(leaves.length).toBeGreaterThan(0);
    for (const { path, type } of leaves) {
      for (const value of SPELLINGS[type]) {
        const parsed = record.safeParse({ ...identity, ...nested(path, value) });
        expect([path, value, parsed.success]).toEqual([path, value, true]);
        const kept = at(parsed.data, path);
        expect([path, kept]).toEqual([path, read(type, value)]);
      }
    }
  });

  it('take an empty list for an object that is not there', () => {
    const objects = leaves.flatMap(({ path }) => (path.includes('.') ? [path.replace(/\..*/, '')] : []));
    for (const name of objects) expect(record.parse({ ...identity, [name]: [] })[name]).toBeNull();
  });

  it('refuse a value of another kind', () => {
    const refusable = leaves.filter(({ type }) => type !== 'json');
    const accepted = refusable.filter(
      ({ path }) => record.safeParse({ ...identity, ...nested(path, { a: 1 }) }).success,
    );
    expect(accepted).toEqual([]);
  });
});

describe('a result that names no record', () => {
  it.each([
    ['upload-prices', { count: 0 }],
    ['upload-prices', { reference: '' }],
    ['trigger-auto-substitution', { message: 'done' }],
    ['trigger-auto-substitution', { events: 0 }],
  ] as const)('of %s may be %j alone', (id, answer) => {
    expect(endpoints[id].record.safeParse(answer).success).toBe(true);
  });

  it.each(['upload-prices', 'trigger-auto-substitution'] as const)('of %s says something', (id) => {
    const nothing = [{}, { count: null, events: null }, { errors: ['no'] }];
    expect(nothing.filter((answer) => endpoints[id].record.safeParse(answer).success)).toEqual([]);
  });
});

describe('integers in strings', () => {
  const { record } = endpoints['get-player'];

  it.each(['', ' 7', '7 ', '0x10', '1e3', '1_000', '７', '12345678901234567890', '7.5'])(
    '%j is not one',
    (text) => {
      expect(record.safeParse({ id: text }).success).toBe(false);
    },
  );

  it('fractions and numbers past the exact range are refused too', () => {
    expect([1.5, 2 ** 53, Number.NaN].filter((id) => record.safeParse({ id }).success)).toEqual([]);
  });
});

describe('arrays inside records', () => {
  it('a line-up entry may lack anything; its player id is a text even when it comes as a number', () => {
    const entry = { player: { id: 17 }, breakdown: { goals: 2 }, points: '6' };
    const parsed = endpoints['get-lineup'].record.parse({
      id: UUID,
      squad: { starting_xi: [entry, {}], bench: null },
    });
    expect(parsed.squad?.starting_xi).toEqual([
      { player: { id: '17' }, breakdown: { goals: 2 }, points: 6 },
      {},
    ]);
  });

  it('a fixture without its id is an error of that game week', () => {
    expect(
      endpoints['get-fixtures'].record.safeParse({ id: UUID, fixtures: [{ status: 'played' }] }).success,
    ).toBe(false);
  });

  it('names with every script come through unchanged', () => {
    const name = 'Ζωή שלום ज़ोया 山田 👩🏽‍🚀';
    expect(endpoints['get-squad'].record.parse({ id: UUID, name }).name).toBe(name);
  });
});

describe('the envelope', () => {
  it('needs a status code and a message, and keeps what else it holds', () => {
    expect(
      envelope.safeParse({ statusCode: 200, message: 'ok', data: [], paging: null, extra: 1 }).data,
    ).toEqual({
      statusCode: 200,
      message: 'ok',
      data: [],
      paging: null,
      extra: 1,
    });
    const broken = [
      {},
      { statusCode: '200', message: 'ok' },
      { statusCode: 200 },
      { message: 'ok' },
      [],
      null,
      'ok',
    ];
    expect(broken.filter((candidate) => envelope.safeParse(candidate).success)).toEqual([]);
  });

  it('a refusal may come without data, and a single record without paging', () => {
    expect(envelope.safeParse({ statusCode: 400, message: 'no' }).success).toBe(true);
    expect(envelope.safeParse({ statusCode: 200, message: 'ok', data: {} }).success).toBe(true);
  });

  it('paging may lack any of its fields and spell them as text', () => {
    expect(paging.parse({ page: '2', total: null })).toEqual({ page: 2, total: null });
  });
});

describe('leavesOf', () => {
  const paths = (name: keyof typeof resources): readonly string[] => {
    const pull = resources[name].pull;
    return pull === undefined ? [] : leavesOf(pull.record).map(({ path }) => path);
  };

  it('gives the scalar leaves in the order of the interface', () => {
    expect(paths('users')).toEqual([
      'id',
      'user_id',
      'external_id',
      'is_active',
      'display_name',
      'created_at',
      'updated_at',
    ]);
    expect(paths('prices')).toEqual([
      'id',
      'txn_ref',
      'fantasy_league_id',
      'txn_type',
      'player.id',
      'player.first_name',
      'player.last_name',
      'game_week.id',
      'game_week.week',
      'created_at',
    ]);
  });

  it('goes down into nested objects', () => {
    expect(paths('account').slice(0, 9)).toEqual([
      'id',
      'tier',
      'is_active',
      'api_key_active',
      'config.rate_limit.per_minute.limit',
      'config.rate_limit.per_minute.window',
      'config.rate_limit.per_minute.used',
      'config.rate_limit.per_minute.remaining',
      'config.rate_limit.per_minute.reset_at',
    ]);
    expect(paths('account')).toContain('config.features.users.is_blocked');
  });

  it('gives an object whose contents are not shown as one leaf, and no leaf for arrays', () => {
    const leaves = leavesOf(endpoints['get-fantasy-league'].record);
    expect(leaves.filter(({ type }) => type === 'json').map(({ path }) => path)).toEqual([
      'squad_config',
      'points_config',
    ]);
    expect(leaves.filter(({ path }) => path.startsWith('leagues'))).toEqual([]);
  });

  it('gives each leaf its type', () => {
    const types = Object.fromEntries(
      leavesOf(endpoints['get-player'].record).map(({ path, type }) => [path, type]),
    );
    expect(types).toMatchObject({
      id: 'integer',
      form: 'number',
      team: 'text',
      created_at: 'datetime',
      'stats_total.goals': 'integer',
    });
  });
});
