import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';

it.each([
  [{ see: 'demo' }, 'createSandbox has no option "see"; did you mean seed?'],
  [{ faults: null }, 'faults: Invalid input: expected array, received null'],
  [{ settings: null }, 'settings: Invalid input: expected object, received null'],
  [{ onAnswer: 'log' }, 'onAnswer: not a function'],
  [{ port: 80.5 }, 'port: Invalid input: expected int, received number'],
  [null, 'createSandbox takes an object of options'],
])('a sandbox takes no options of another kind: %j', async (options, message) => {
  const error = { code: 'sandbox.option', exitCode: 64, message };
  await expect(createSandbox(options as object)).rejects.toMatchObject(error);
});

it('a sandbox takes no notice of an option that is undefined', async () => {
  await using sandbox = await createSandbox({ port: null, db: undefined, more: undefined } as object);
  expect(sandbox.accounts).toHaveLength(1);
});

describe('a sandbox that listens', () => {
  let sandbox: Sandbox;
  let base = '';
  beforeEach(async () => {
    sandbox = await createSandbox();
    base = sandbox.baseUrl;
  });
  afterEach(() => sandbox.close());

  it('answers over HTTP on the loopback address', async () => {
    expect(base).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const answer = await fetch(`${base}/v1/user`, { headers: { 'x-api-key': sandbox.apiKey } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    expect(answer.headers.get('date')).toMatch(/^Mon, 10 Aug 2026 /);
    expect(await answer.json()).toMatchObject({ statusCode: 200, data: [] });
  });

  it.each([
    ['localhost:1', 200],
    ['127.0.0.1', 200],
    ['[::1]:80', 200],
    ['rebound.example', 421],
    ['127.0.0.1.rebound.example:80', 421],
    ['localhost.rebound.example', 421],
  ])('answers only a Host of this machine: %s', async (host, status) => {
    const answer = Promise.withResolvers<number | undefined>();
    request(`${base}/v1/user`, { headers: { host, 'x-api-key': sandbox.apiKey } }, (response) => {
      response.resume();
      answer.resolve(response.statusCode);
    }).end();
    expect(await answer.promise).toBe(status);
  });

  it('listens on a port of this machine without being told anything, and can be ended twice', async () => {
    await using other = await createSandbox();
    const ask = (): Promise<Response> =>
      fetch(`${other.baseUrl}/v1/auth/account`, { headers: { 'x-api-key': other.apiKey } });
    expect((await ask()).status).toBe(200);
    await other.close();
    await expect(ask()).rejects.toThrow(TypeError);
  });

  it('lets a program be its operator', async () => {
    await using other = await createSandbox({ now: '2026-09-01T00:00:00Z', port: null });
    expect(await other.control('POST', '/clock', { advance: '1d' })).toMatchObject({ played: [] });
    await other.control('POST', '/faults', { faults: [{ kind: 'empty' }] });
    expect(await other.control('GET', '/faults')).toMatchObject([{ kind: 'empty' }]);
    const back = other.control('POST', '/clock', { now: '2020-01-01T00:00:00Z' });
    await expect(back).rejects.toMatchObject({ code: 'sandbox.control' });
  });

  it('reports a port that is taken', async () => {
    const port = Number(new URL(base).port);
    await expect(createSandbox({ port })).rejects.toMatchObject({ code: 'sandbox.listen', exitCode: 8 });
  });

  it('answers what is no HTTP with an envelope too', async () => {
    const socket = connect(Number(new URL(base).port), '127.0.0.1');
    socket.end('this is not HTTP\r\n\r\n');
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
    expect(head).toContain('400 Bad Request');
    expect(JSON.parse(body)).toEqual({ statusCode: 400, message: 'the request is not HTTP', data: null });
  });

  it('gives up a request whose signal is aborted, and carries it out all the same', async () => {
    const gate = Promise.withResolvers<undefined>();
    const clock = { now: () => 0, monotonic: () => 0, sleep: () => gate.promise };
    const slow = await createSandbox({ clock, settings: { latency_ms: 1 } });
    const headers = { 'x-api-key': slow.apiKey };
    const abort = new AbortController();
    const body = JSON.stringify({ users: [{ external_id: 'a', display_name: 'A' }] });
    const post = {
      method: 'POST',
      url: '/v1/user',
      headers: { ...headers, 'content-type': 'application/json' },
    } as const;
    const sent = slow.inject({ ...post, body, signal: abort.signal });
    abort.abort(new Error('too slow'));
    await expect(sent).rejects.toThrow('too slow');
    await expect(slow.inject({ ...post, body, signal: abort.signal })).rejects.toThrow('too slow');
    gate.resolve(undefined);
    const total = async (): Promise<unknown> => {
      const listed = await slow.inject({ method: 'GET', url: '/v1/user', headers });
      return (JSON.parse(listed.body) as { paging: { total: number } }).paging.total;
    };
    await expect.poll(total, { interval: 1 }).toBe(1);
    await slow.close();
  });
});
