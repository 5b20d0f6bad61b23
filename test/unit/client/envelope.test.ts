import { describe, expect, it } from 'vitest';
import {
  entriesOf,
  otherId,
  parseEnvelope,
  readForPush,
  readRecords,
  renderSchemaIssues,
} from '../../../src/client/envelope.ts';
import { endpoints } from '../../../src/contract/index.ts';
import type { OperationId } from '../../../src/contract/index.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';

const nested = (depth: number): string =>
  `{"statusCode":200,"message":"ok","data":${'['.repeat(depth)}${']'.repeat(depth)}}`;

describe('parseEnvelope', () => {
  it('reads the envelope and keeps paging', () => {
    expect(parseEnvelope(' {"statusCode":200,"message":"ok","data":[],"paging":{"total":0}}')).toEqual({
      kind: 'envelope',
      envelope: { statusCode: 200, message: 'ok', data: [], paging: { total: 0 } },
    });
  });

  it('counts brackets outside strings only, and takes 64 levels', () => {
    expect(parseEnvelope(nested(63)).kind).toBe('envelope');
    expect(parseEnvelope(nested(64))).toEqual({
      kind: 'no_envelope',
      reason: 'JSON nested deeper than 64 levels',
    });
    const text = JSON.stringify({ statusCode: 200, message: `"\\${'['.repeat(100)}`, data: null });
    expect(parseEnvelope(text).kind).toBe('envelope');
  });

  it.each([
    ['', 'no_envelope', 'an empty body'],
    [' \n', 'no_envelope', 'an empty body'],
    [' <p>', 'html', "an HTML page, not the service's JSON"],
    ['{"a":', 'no_envelope', 'text that is not whole JSON'],
    ['[]', 'no_envelope', 'JSON that is not the statusCode, message and data of the service'],
  ])('says what %j is instead', (body, kind, reason) => {
    expect(parseEnvelope(body)).toEqual({ kind, reason });
  });

  it('counts a bracket of either kind when it opens and when it closes', () => {
    const flat = (data: string) => parseEnvelope(`{"statusCode":200,"message":"ok","data":${data}}`).kind;
    expect(flat(`[${Array(100).fill('[]').join(',')}]`)).toBe('envelope');
    expect(flat(`[${Array(100).fill('{}').join(',')}]`)).toBe('envelope');
    expect(flat(`${'{"a":'.repeat(64)}1${'}'.repeat(64)}`)).toBe('no_envelope');
    // Brackets in a text that an escaped quotation mark does not end.
    expect(flat(`["\\"${'['.repeat(100)}"]`)).toBe('envelope');
    expect(flat(`["\\\\",${'['.repeat(64)}${']'.repeat(64)}]`)).toBe('no_envelope');
  });

  it('does not overflow on a hundred thousand brackets', () => {
    expect(parseEnvelope('['.repeat(100_000)).kind).toBe('no_envelope');
  });

  it('leaves no prototype behind', () => {
    const parsed = parseEnvelope(
      '{"statusCode":200,"message":"ok","data":{"__proto__":{"polluted":1}},"__proto__":{"polluted":1}}',
    );
    expect(parsed.kind).toBe('envelope');
    expect(JSON.stringify(parsed)).not.toContain('polluted');
    expect('polluted' in {}).toBe(false);
    expect((parsed as unknown as { envelope: { polluted?: number } }).envelope.polluted).toBeUndefined();
  });

  it.each(['\\u005f_proto__', '__\\u0070roto__', '__pro\\u0074o\\u005F_'])(
    'leaves no prototype behind: %s',
    (key) => {
      const parsed = parseEnvelope(`{"statusCode":200,"message":"ok","data":[{"${key}":{"polluted":1}}]}`);
      expect(parsed).toMatchObject({ kind: 'envelope', envelope: { data: [{}] } });
      expect(JSON.stringify(parsed)).not.toContain('polluted');
    },
  );

  it.each(['{"message":"ok","data":1}', '{"statusCode":"200","message":"ok","data":1}', 'null', '"text"'])(
    'does not take %s for an envelope',
    (body) => {
      expect(parseEnvelope(body).kind).toBe('no_envelope');
    },
  );
});

describe('readRecords', () => {
  it('makes a bad record an issue of that record alone', () => {
    const read = readRecords(endpoints['list-users'], [
      { id: 'A', external_id: 'M-1' },
      { id: 'B' },
      { id: 'C', external_id: 'M-3', shoe_size: 43 },
    ]);
    expect(read?.records).toEqual([
      { id: 'A', external_id: 'M-1' },
      { id: 'C', external_id: 'M-3', shoe_size: 43 },
    ]);
    expect(read?.issues).toEqual([
      { index: 1, message: expect.stringContaining('external_id') as string, kept: { id: 'B' } },
    ]);
  });

  it.each<readonly [string, OperationId, unknown, boolean]>([
    ['a value of another kind', 'get-squad', { id: 'a', free_transfers: {} }, true],
    ['an id of another kind', 'list-mini-leagues', { id: 'seven' }, true],
    ['a number for an id', 'list-mini-leagues', { id: 7, total_squads: 'many' }, true],
    ['no id', 'get-squad', { name: 'A' }, false],
    ['a blank id', 'get-squad', { id: '' }, false],
    ['null for an id', 'get-squad', { id: null }, false],
    ['an object that is none', 'get-lineup', { id: 'a', squad: 'none' }, false],
    [
      'an object that is none, and a value',
      'get-lineup',
      { id: 'a', squad: 'none', total_points: 'x' },
      false,
    ],
    ['a list that is none', 'get-lineup', { id: 'a', squad: { bench: 'none' } }, false],
    ['an element that is none', 'get-lineup', { id: 'a', squad: { bench: [null] } }, false],
    ['a value in a list', 'get-lineup', { id: 'a', squad: { bench: [{ points: 'x' }] } }, true],
    ['an element without its id', 'get-fixtures', { id: 'a', fixtures: [{ id: null }] }, false],
  ])('keeps a record that says which it is, as it came: %s', (_what, operation, value, isKept) => {
    const endpoint: Endpoint = endpoints[operation];
    const [issue] = readRecords(endpoint, endpoint.list ? [value] : value)?.issues ?? [];
    expect(issue?.kept).toEqual(isKept ? value : undefined);
    expect(issue?.message).not.toBe('');
  });

  it('renders what a schema complains of in one line, at most three of it', () => {
    const issue = (path: readonly PropertyKey[], message: string) => ({ path, message });
    const missing = 'Invalid input: expected string, received undefined';
    expect(renderSchemaIssues({ issues: [issue(['prices', 0, 'player_id'], missing)] })).toBe(
      'prices.0.player_id: missing',
    );
    expect(renderSchemaIssues({ issues: [issue([], 'Invalid input: expected object')] })).toBe(
      'expected object',
    );
    expect(
      renderSchemaIssues({ issues: ['a', 'b', 'c', 'd'].map((name) => issue([name], 'Too small')) }),
    ).toBe('a: Too small; b: Too small; c: Too small');
    expect(renderSchemaIssues({ issues: [issue(['a'], 'No Invalid input: x')] })).toBe(
      'a: No Invalid input: x',
    );
  });

  it('does not take an object for a list, nor a list for a record', () => {
    expect(readRecords(endpoints['list-users'], {})).toBeUndefined();
    expect(readRecords(endpoints['get-account'], [])).toBeUndefined();
    expect(readRecords(endpoints['get-account'], null)?.issues).toHaveLength(1);
  });
});

describe('entriesOf', () => {
  const user = { id: 'a', external_id: 'M-1' };
  const no = { external_id: 'M-2', error: 'taken' };
  const inEnvelope = (data: unknown, others: object = {}) => ({
    ...{ statusCode: 201, message: 'done', data },
    ...others,
  });

  it.each<readonly [string, unknown, object, readonly unknown[]]>([
    ['beside records', [user, no], {}, [no]],
    ['without an id', [{ ...no, id: null }], {}, [{ ...no, id: null }]],
    ['in a list of its own', [user], { errors: [no, 'bad'] }, [no, 'bad']],
    ['in a list of the data', { created: [user], failed: [no] }, {}, [no]],
    ['in lists alone, where there is one', { message: 'failed', failed: [no] }, {}, [no]],
    ['as the data', no, {}, [no]],
    ['nowhere', [user], { paging: { total: 1 } }, []],
    ['nowhere but in a text', 'OK', {}, []],
    [
      'with an id',
      [
        { id: 'b', error: 'odd' },
        { external_id: 'M-2', data: { id: 'b' } },
      ],
      {},
      [],
    ],
  ])('takes what stands %s', (_where, data, others, entries) => {
    expect(entriesOf(inEnvelope(data, others), false)).toEqual(entries);
  });

  it('takes no record for an entry', () => {
    expect(entriesOf(inEnvelope({ reference: 'r', count: 1 }), true)).toEqual([]);
    expect(entriesOf(inEnvelope({ reference: 'r', count: 1 }, { errors: ['bad'] }), true)).toEqual(['bad']);
  });
});

describe('readForPush', () => {
  const squads: Endpoint = endpoints['list-squads'];
  const squad = { id: '0b0e3c9a-0000-4000-8000-000000000002', name: 'Hill XI', user: { user_id: 3 } };
  const odd = { ...squad, created_at: 5, fantasy_league: { id: 1, name: {} } };
  const read = (value: object, endpoint: Endpoint = squads): unknown => readForPush(endpoint, value);

  it('leaves odd values out that a push needs nothing of, wherever they stand', () => {
    expect(read(odd)).toEqual({ ...squad, fantasy_league: { id: 1 } });
  });

  it.each<readonly [string, object]>([
    ['its id', { id: 7 }],
    ['its name', { name: 7 }],
    ['the number of its user', { user: { user_id: 'three' } }],
    ['its user as a whole', { user: 'Ann' }],
    ['its league, beside what is not needed', { fantasy_league: { id: 'one', name: 5 } }],
  ])('does not read a record whose odd value is %s', (_what, changes) => {
    expect(read({ ...squad, ...changes })).toBeUndefined();
  });

  it('reads nothing of an operation that does not say what it needs, nor of a record that is right', () => {
    expect(read(odd, { ...squads, vital: undefined } as unknown as Endpoint)).toBeUndefined();
    expect(read(squad)).toBeUndefined();
  });

  it('is for what a push sends: a report tells of each odd value', () => {
    expect(readRecords(squads, [odd])?.records).toEqual([]);
    expect(readRecords({ ...squads, method: 'POST' }, [odd])?.records).toHaveLength(1);
  });
});

it.each<readonly [string | number | undefined, unknown, string | number | undefined]>([
  [7, '7', undefined],
  ['7', 7, undefined],
  ['007', 7, undefined],
  ['7', '8', '8'],
  [7, 70, 70],
  ['7a', 7, undefined],
  ['a7', '7', undefined],
  ['AB', 'ab', undefined],
  ['ab', 'ac', 'ac'],
  ['7', '7b', '7b'],
  ['7', 'b7', 'b7'],
  [undefined, 7, undefined],
  ['7', null, undefined],
  ['7', { id: 7 }, undefined],
  ['1234567890123456', '1234567890123457', '1234567890123457'],
])('what is asked for as %j and answered as %j is another: %j', (asked, id, other) => {
  expect(otherId(asked, { id })).toBe(other);
});
