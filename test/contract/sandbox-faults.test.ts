import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { FAULT_KINDS } from '../../src/sandbox/faults.ts';
import type { FaultInput } from '../../src/sandbox/faults.ts';
import { control } from '../support/control.ts';
import { at, openSandbox } from '../support/sandbox.ts';
import type { Fields, TestSandbox } from '../support/sandbox.ts';

let keys = 0;
const newUser = () => ({ users: [{ external_id: `F-${(keys += 1)}`, display_name: 'F' }] });

it('are refused with their place where one is none', async () => {
  const faults = [{ kind: 'reset' }, { kind: 'late', after_ms: -1 }] as FaultInput[];
  await expect(createSandbox({ faults, port: null })).rejects.toMatchObject({
    code: 'sandbox.faults',
    exitCode: 4,
    message: expect.stringContaining('faults.1') as string,
  });
});

describe('faults over the wire', () => {
  let sandbox: Sandbox;
  let base = '';
  const failures: unknown[] = [];
  beforeAll(async () => {
    sandbox = await createSandbox({ onFailure: (error) => failures.push(error) });
    base = sandbox.baseUrl;
  });
  afterAll(async () => {
    await sandbox.close();
    expect(failures).toEqual([]);
  });

  const setFault = (fault: FaultInput) => sandbox.control('POST', '/faults', { faults: [fault] });
  const post = () =>
    fetch(`${base}/v1/user`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(newUser()),
    });
  const users = async (): Promise<number> => {
    const answer = await fetch(`${base}/v1/user`, { headers: { 'x-api-key': sandbox.apiKey } });
    return Number(at(await answer.json(), 'paging.total'));
  };
  /** What a client sees: status, the headers that matter and the body, or that there was no answer. */
  const seen = async (): Promise<readonly unknown[]> => {
    const answer = await post().catch(() => 'no answer');
    if (typeof answer === 'string') return [answer];
    const text = await answer.text().catch(() => 'no end');
    const special = ['retry-after', 'location', 'content-encoding'].flatMap(
      (name) => answer.headers.get(name) ?? [],
    );
    return [answer.status, answer.headers.get('content-type')?.split(';')[0], text, ...special];
  };

  const JSON_TYPE = 'application/json';
  const success = expect.stringMatching(/^\{"statusCode":201,.*\}$/) as unknown;
  const refusal = (status: number) => expect.stringContaining(`{"statusCode":${status},`) as unknown;
  const tried: readonly (readonly [FaultInput, isProcessed: boolean, readonly unknown[]])[] = [
    [{ kind: 'reset' }, true, ['no answer']],
    [{ kind: 'reset', processed: false }, false, ['no answer']],
    [{ kind: 'hang', after_ms: 20 }, true, ['no answer']],
    [{ kind: 'hang', after_ms: 20, processed: false }, false, ['no answer']],
    [{ kind: 'late', after_ms: 20 }, true, [201, JSON_TYPE, success]],
    [{ kind: 'drip', after_ms: 1, every_ms: 0 }, true, [201, JSON_TYPE, success]],
    [{ kind: 'cut' }, true, [201, JSON_TYPE, expect.stringMatching(/^\{"statusCode":201,.*[^}]$/)]],
    [{ kind: 'empty' }, true, [201, JSON_TYPE, '']],
    [{ kind: 'html' }, false, [502, 'text/html', expect.stringContaining('<h1>Bad Gateway')]],
    [
      { kind: 'html', processed: true, status: 504 },
      true,
      [504, 'text/html', expect.stringContaining('<h1>')],
    ],
    [{ kind: 'content_type' }, true, [201, 'text/plain', success]],
    ...[408, 409, 500, 502, 503, 504].flatMap((status) =>
      [true, false].map((processed): readonly [FaultInput, boolean, readonly unknown[]] => [
        { kind: 'status', status, processed },
        processed,
        [status, JSON_TYPE, refusal(status)],
      ]),
    ),
    [{ kind: 'lying_error' }, false, [200, JSON_TYPE, refusal(500)]],
    [{ kind: 'lying_success' }, true, [500, JSON_TYPE, success]],
    [{ kind: 'redirect' }, false, [307, JSON_TYPE, refusal(307), 'https://elsewhere.example/v1']],
    [
      { kind: 'redirect', status: 301, location: 'https://other.example/' },
      false,
      [301, JSON_TYPE, refusal(301), 'https://other.example/'],
    ],
    [{ kind: 'too_many' }, false, [429, JSON_TYPE, refusal(429)]],
    [{ kind: 'too_many', retry_after: '-1' }, false, [429, JSON_TYPE, refusal(429), '-1']],
    [{ kind: 'quota_gone' }, false, [403, JSON_TYPE, refusal(403)]],
    [{ kind: 'key_inactive' }, false, [401, JSON_TYPE, refusal(401)]],
    [{ kind: 'gzip_bomb', bytes: 100_000 }, true, [201, JSON_TYPE, '\0'.repeat(100_000), 'gzip']],
    [{ kind: 'endless', bytes: 200_000 }, true, [201, JSON_TYPE, ' '.repeat(200_000)]],
    [{ kind: 'strange' }, true, [201, JSON_TYPE, expect.stringContaining('"_links":')]],
  ];
  it.each(tried)('%j', async (fault, isProcessed, answer) => {
    const before = await users();
    await setFault({ ...fault, operation: 'create-users' });
    expect(await seen()).toEqual(answer);
    await expect.poll(users, { interval: 1 }).toBe(before + (isProcessed ? 1 : 0));
    if (isProcessed) {
      const log = (await sandbox.control('GET', '/effects?limit=100')) as readonly Fields[];
      expect(log.at(-1)).toMatchObject({ operation: 'create-users', fault: fault.kind });
    }
    // The fault is used up.
    expect(await seen()).toEqual([201, JSON_TYPE, success]);
    await sandbox.control('DELETE', '/faults');
  });

  it('replay gives the answer of an earlier request', async () => {
    const first = await (await post()).text();
    await setFault({ kind: 'replay', operation: 'create-users' });
    expect(await (await post()).text()).toBe(first);
  });

  it.each(Object.keys(FAULT_KINDS) as (keyof typeof FAULT_KINDS)[])(
    '%s happens to a refusal in plain text too',
    async (kind) => {
      await using box = await openSandbox({
        port: 0,
        settings: { error_shape: 'text' },
        faults: [{ kind, after_ms: 1, every_ms: 0, bytes: 10, processed: true }],
      });
      const headers = { 'x-api-key': box.sandbox.apiKey };
      const { baseUrl } = box.sandbox;
      await fetch(`${baseUrl}/v1/user?page=0`, { headers, redirect: 'manual' }).catch(() => 'no answer');
      expect((await fetch(`${baseUrl}/v1/user`, { headers })).status).toBe(200);
    },
  );

  it('a request that hangs ends with the service', async () => {
    const other = await createSandbox({
      faults: [{ kind: 'hang', operation: '*', nth: 1, count: 1 }],
    });
    const { baseUrl } = other;
    const asked = once(other.app.server, 'request');
    const hanging = fetch(`${baseUrl}/v1/user`, { headers: { 'x-api-key': other.apiKey } });
    const ended = expect(hanging).rejects.toThrow();
    await asked;
    await other.close();
    await ended;
  });

  it('every kind is tried above', () => {
    const kinds = new Set(['replay', ...tried.map(([{ kind }]) => kind)]);
    expect([...kinds].toSorted()).toEqual(Object.keys(FAULT_KINDS).toSorted());
  });
});

describe('faults are met', () => {
  let box: TestSandbox;
  beforeAll(async () => {
    box = await openSandbox({ seed: 'demo' });
  });
  afterAll(() => box.close());
  const post = (body: object) => control(box.sandbox, 'POST', '/faults', body);
  const clear = () => box.sandbox.control('DELETE', '/faults');
  const statuses = async (paths: readonly string[]): Promise<readonly number[]> => {
    const all: number[] = [];
    for (const path of paths) all.push((await box.send('GET', `/v1${path}`)).status);
    return all;
  };

  it('by operation, position and count', async () => {
    await post({
      faults: [{ kind: 'status', operation: 'list-users', nth: 2, count: 2, status: 503 }],
    });
    expect(await statuses(['/user', '/auth/account', '/user', '/user', '/user'])).toEqual([
      200, 200, 503, 503, 200,
    ]);
    expect(await box.sandbox.control('GET', '/faults')).toMatchObject([
      { number: 1, kind: 'status', met: 2 },
    ]);
  });

  it('by what the path, the query or the body holds', async () => {
    await post({
      faults: [
        { kind: 'status', match: 'page=2' },
        { kind: 'status', match: '"X-1"', status: 503 },
      ],
    });
    expect(await statuses(['/user?page=1', '/user?page=2'])).toEqual([200, 500]);
    const create = (key: string) =>
      box.send('POST', '/v1/user', { body: { users: [{ external_id: key, display_name: 'x' }] } });
    expect([(await create('X-2')).status, (await create('X-1')).status]).toEqual([201, 503]);
  });

  it('in the order in which they were set, each by one request', async () => {
    await post({
      faults: [
        { kind: 'status', status: 503 },
        { kind: 'status', status: 504 },
      ],
    });
    expect(await statuses(['/user', '/user', '/user'])).toEqual([503, 504, 200]);
  });

  it('also when many others are set after them; more than 1,000 do not wait', async () => {
    await clear();
    const many = (count: number) => ({
      faults: Array.from({ length: count }, () => ({ kind: 'status', operation: 'list-prices' })),
    });
    await post({ faults: [{ kind: 'status', operation: 'list-squads', status: 503 }] });
    expect((await post(many(999))).status).toBe(200);
    const refused = await post(many(1));
    expect([refused.status, refused.message]).toEqual([409, expect.stringContaining('1000')]);
    expect(await statuses(['/squad', '/price'])).toEqual([503, 500]);
    expect((await post(many(2))).status).toBe(200);
    expect((await post(many(1))).status).toBe(409);
    await clear();
  });

  it('by no request without the key, and not by the operator', async () => {
    await post({ faults: [{ kind: 'status', count: 1 }] });
    expect((await box.send('GET', '/v1/user', { headers: { 'x-api-key': 'wrong' } })).status).toBe(401);
    await box.sandbox.control('GET', '/state');
    expect(await statuses(['/user', '/user'])).toEqual([500, 200]);
  });

  it.each<readonly [object, string]>([
    [{ faults: [{ kind: 'sudden' }] }, 'faults[0].kind'],
    [{ faults: [{ kind: 'cut', operation: 'delete-users' }] }, 'faults[0].operation'],
    [{ faults: [{ kind: 'cut', nth: 0 }] }, 'faults[0].nth'],
    [{ faults: [{ kind: 'endless', bytes: 1e12 }] }, 'faults[0].bytes'],
    [{ faults: [{ kind: 'too_many', retry_after: '1\r\nx: y' }] }, 'faults[0].retry_after'],
    [{ faults: [] }, 'faults'],
    [{ fault: { kind: 'cut' } }, 'fault'],
  ])('and refused when they are none: %j', async (body, part) => {
    const refused = await post(body);
    expect([refused.status, refused.message]).toEqual([400, expect.stringContaining(part)]);
  });
});
