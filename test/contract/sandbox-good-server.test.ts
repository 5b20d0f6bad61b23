import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { AnswerLine, Sandbox } from '../../src/sandbox/index.ts';
import { control } from '../support/control.ts';
import { at, openSandbox } from '../support/sandbox.ts';
import type { TestSandbox } from '../support/sandbox.ts';

async function withSandbox(sandbox: Sandbox, work: (base: string) => Promise<void>): Promise<void> {
  try {
    await work(sandbox.baseUrl);
  } finally {
    await sandbox.close();
  }
}

describe('the log of requests', () => {
  it('has one line for each, with its id and its fault, and nothing of what was sent', async () => {
    const lines: AnswerLine[] = [];
    const sandbox = await createSandbox({
      apiKey: 'canary-key-2f9c',
      onAnswer: (line) => lines.push(line),
      faults: [{ kind: 'reset', operation: 'list-squads', nth: 1, count: 1 }],
    });
    await withSandbox(sandbox, async (base) => {
      const headers = {
        'x-api-key': 'canary-key-2f9c',
        'content-type': 'application/json',
        'x-request-id': 'mine-1',
      };
      const body = JSON.stringify({ users: [{ external_id: 'canary-person', display_name: 'x' }] });
      await (await fetch(`${base}/v1/user`, { method: 'POST', headers, body })).text();
      await (await fetch(`${base}/v1/user?page=1&secret=canary-query`, { headers })).text();
      await (await fetch(`${base}/v1/nothing`, { headers })).text();
      await expect(fetch(`${base}/v1/squad`, { headers })).rejects.toThrow();
      await expect.poll(() => lines.length, { interval: 1 }).toBe(4);
    });
    expect(lines).toMatchObject([
      { request: 'mine-1', method: 'POST', path: '/v1/user', operation: 'create-users', status: 201 },
      { method: 'GET', path: '/v1/user', operation: 'list-users', status: 200 },
      { path: '/v1/nothing', status: 404 },
      { path: '/v1/squad', status: 0, fault: 'reset' },
    ]);
    for (const { time, ms } of lines) expect([Date.parse(time) > 0, ms >= 0]).toEqual([true, true]);
    expect(JSON.stringify(lines)).not.toContain('canary');
  });
});

describe('a method that a path does not take', () => {
  it.each([
    ['DELETE', '/v1/user', 'GET, PATCH, POST'],
    ['HEAD', '/v1/user?page=1', 'GET, PATCH, POST'],
    ['PUT', '/v1/squad/any/lineup', 'GET'],
    ['POST', '/v1/points/config/1', 'GET'],
    ['GET', '/control/clock', 'POST'],
    ['POST', '/docs', 'GET, HEAD'],
  ] as const)('%s %s is refused with 405 and those that it does', async (method, url, allow) => {
    const sandbox = await createSandbox();
    const answer = await sandbox.app.inject({ method, url });
    expect([answer.statusCode, answer.headers['allow']]).toEqual([405, allow]);
    if (method !== 'HEAD') expect(answer.json()).toMatchObject({ statusCode: 405, data: null });
    await sandbox.close();
  });

  it('is not found where there is no such path', async () => {
    const sandbox = await createSandbox();
    for (const url of ['/v1/users', '/v1/squad/a/b', '/v1', '/control', '/else']) {
      const answer = await sandbox.app.inject({ method: 'POST', url });
      expect([answer.statusCode, answer.headers['allow']]).toEqual([404, undefined]);
    }
    await sandbox.close();
  });
});

describe('the end of the service', () => {
  it('lets a request under way finish, refuses new ones and keeps what it did', async () => {
    const gate = Promise.withResolvers<undefined>();
    const clock = { now: () => Date.now(), monotonic: () => performance.now(), sleep: () => gate.promise };
    const sandbox = await createSandbox({ clock, settings: { latency_ms: 1 } });
    const { baseUrl } = sandbox;
    const asked = once(sandbox.app.server, 'request');
    const underWay = fetch(`${baseUrl}/v1/user`, { headers: { 'x-api-key': sandbox.apiKey } });
    await asked;
    const ended = sandbox.close();
    const refused = Promise.withResolvers<unknown>();
    connect(Number(new URL(baseUrl).port), '127.0.0.1')
      .on('error', refused.resolve)
      .on('connect', () => refused.resolve('connected'));
    expect(await refused.promise).toMatchObject({ code: 'ECONNREFUSED' });
    gate.resolve(undefined);
    expect((await underWay).status).toBe(200);
    await ended;
  });

  it('does not wait for a connection that has asked nothing', async () => {
    const sandbox = await createSandbox();
    const { baseUrl } = sandbox;
    const connected = once(sandbox.app.server, 'connection');
    const ended = Promise.withResolvers<string>();
    connect(Number(new URL(baseUrl).port), '127.0.0.1')
      .on('error', () => ended.resolve('ended'))
      .on('close', () => ended.resolve('ended'));
    await connected;
    await Promise.all([sandbox.close(), ended.promise]);
  });

  it('ends the wait before an answer', async () => {
    const sandbox = await createSandbox({ settings: { latency_ms: 1_000_000 } });
    const { baseUrl } = sandbox;
    const asked = once(sandbox.app.server, 'request');
    const underWay = fetch(`${baseUrl}/v1/user`, { headers: { 'x-api-key': sandbox.apiKey } });
    await asked;
    await sandbox.close();
    expect((await underWay).status).toBe(200);
  });
});

describe('what is answered from memory', () => {
  const read = async (box: TestSandbox, path: string): Promise<string> =>
    (await box.send('GET', `/v1${path}`)).body;
  const twice = async (box: TestSandbox, path: string): Promise<string> => {
    const first = await read(box, path);
    expect(await read(box, path)).toBe(first);
    return first;
  };

  it('is what the service would say now: after a write, at a new game week, after a reset', async () => {
    await using box = await openSandbox({ seed: 'demo' });
    const users = await twice(box, '/user');
    const [user] = (await box.call('list-users')).list;
    await box.call('update-user', { body: { id: user?.['id'], display_name: 'Now' } });
    expect(await twice(box, '/user')).toContain('"Now"');

    const league = await twice(box, '/fantasy-league/1');
    const starts = at((await box.call('get-fantasy-league', { id: 1 })).record, 'next_game_week.start_date');
    await control(box.sandbox, 'POST', '/clock', { now: starts });
    expect(await twice(box, '/fantasy-league/1')).not.toBe(league);

    const player = '/player/1?fantasy_league_id=1';
    const before = await twice(box, player);
    const ends = at((await box.call('get-fantasy-league', { id: 1 })).record, 'current_game_week.end_date');
    box.clock.advance(Date.parse(String(ends)) - Date.parse(String(starts)));
    expect(await twice(box, player)).not.toBe(before);

    await control(box.sandbox, 'POST', '/reset');
    expect(await twice(box, '/user')).toBe(users);
  });

  it('is not older than the request that waited', async () => {
    const gate = Promise.withResolvers<undefined>();
    const clock = { now: () => 0, monotonic: () => 0, sleep: () => gate.promise };
    await using box = await openSandbox({
      clock,
      faults: [{ kind: 'late', operation: 'list-users', nth: 2, after_ms: 1 }],
    });
    await read(box, '/user');
    const waiting = read(box, '/user');
    await box.call('create-users', { body: { users: [{ external_id: 'between', display_name: 'x' }] } });
    gate.resolve(undefined);
    expect(await waiting).toContain('between');
  });

  it('is never the account, whose numbers move with each request', async () => {
    await using box = await openSandbox();
    expect(await read(box, '/auth/account')).not.toBe(await read(box, '/auth/account'));
  });
});
