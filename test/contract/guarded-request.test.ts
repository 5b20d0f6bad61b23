import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { LookupAddress } from 'node:dns';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/model/error.ts';
import { Secret } from '../../src/model/secret.ts';
import { sendGuarded, type GuardedRequest, type GuardedWorld } from '../../src/runtime/guarded-request.ts';
import { startServer } from '../support/cli.ts';
import { virtualClock } from '../support/clock.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A receiver on this machine that answers as it is told and remembers what came. */
async function receiver(
  answer: (response: ServerResponse) => void = (response) => response.end(),
): Promise<{ readonly baseUrl: string; readonly port: string; readonly seen: Seen[] }> {
  const seen: Seen[] = [];
  const { baseUrl, close } = await startServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      answer(response);
    });
  });
  closing.push(close);
  return { baseUrl, port: new URL(baseUrl).port, seen };
}

/** A server of this machine that speaks no HTTP of its own accord. */
async function listener(connected: (socket: Socket) => void): Promise<{ readonly port: number }> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    connected(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  );
  return { port: (server.address() as AddressInfo).port };
}

const world = (changes: Partial<GuardedWorld> = {}): GuardedWorld => ({
  clock: virtualClock(),
  signal: new AbortController().signal,
  ...changes,
});

const send = (address: string, changes: Partial<GuardedRequest> = {}, given = world()) =>
  sendGuarded(
    { method: 'POST', address: new Secret(address), body: '{}', allowPrivate: true, ...changes },
    given,
  );

describe('a guarded request', () => {
  it('sends JSON to where it is told, and answers the status alone', async () => {
    const { baseUrl, seen } = await receiver((response) => response.writeHead(204).end());
    const body = '{"text":"ä"}';
    expect(await send(`${baseUrl}/hook/s3cret?x=1`, { body })).toEqual({
      ok: true,
      status: 204,
      fault: null,
    });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/hook/s3cret?x=1', body });
    expect(seen[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'content-length': '13' });
    expect(seen[0]?.headers['user-agent']).toMatch(/^teamsheet\//);
  });

  it.each([
    ['/uuid', '/start', '/uuid/start'],
    ['/uuid/', '/fail', '/uuid/fail'],
    ['/uuid?k=v', '/start', '/uuid/start?k=v'],
    ['', '/start', '/start'],
    ['/uuid', undefined, '/uuid'],
  ])('adds to the path %s what stands below: %s', async (path, below, expected) => {
    const { baseUrl, seen } = await receiver();
    await send(`${baseUrl}${path}`, { method: 'GET', below, body: undefined });
    expect(seen.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([`GET ${expected} `]);
  });

  it.each([400, 404, 429, 500, 503])('says that an answer of %i is none', async (status) => {
    const { baseUrl } = await receiver((response) => response.writeHead(status).end('no'));
    expect(await send(baseUrl)).toEqual({ ok: false, status, fault: null });
  });

  it.each([301, 302, 303, 307, 308])('follows no redirect of %i', async (status) => {
    const other = await receiver();
    const { baseUrl } = await receiver((response) =>
      response.writeHead(status, { location: other.baseUrl }).end(),
    );
    expect(await send(baseUrl)).toEqual({ ok: false, status, fault: 'redirect' });
    expect(other.seen).toEqual([]);
  });

  it('reads no more of a large answer than a little', async () => {
    let cut = (): void => undefined;
    const cutOff = new Promise<void>((resolve) => {
      cut = resolve;
    });
    const { baseUrl } = await receiver((response) => {
      response.on('close', cut);
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    });
    expect(await send(baseUrl)).toEqual({ ok: true, status: 200, fault: null });
    await cutOff;
  });

  it('does not wait for an answer that does not come', async () => {
    const clock = virtualClock();
    const { baseUrl } = await receiver(() => void clock.advance(10_000));
    expect(await send(baseUrl, {}, world({ clock }))).toEqual({ ok: false, status: null, fault: 'timeout' });
  });

  it('does not wait for the end of one that is slow', async () => {
    const clock = virtualClock();
    const received = (): void => void clock.advance(10_000);
    subscribe('http.client.response.finish', received);
    const { baseUrl } = await receiver((response) => response.writeHead(200).write('x'));
    expect(await send(baseUrl, {}, world({ clock }))).toEqual({ ok: true, status: 200, fault: null });
    unsubscribe('http.client.response.finish', received);
  });

  it('ends with the signal', async () => {
    const stop = new AbortController();
    const { baseUrl } = await receiver(() => stop.abort(new InterruptedError('SIGTERM', 'stopped')));
    await expect(send(baseUrl, {}, world({ signal: stop.signal }))).rejects.toMatchObject({
      code: 'run.interrupted',
    });
  });

  it('says in a code why nothing came back, and never where', async () => {
    const { baseUrl } = await receiver((response) => response.destroy());
    expect(await send(baseUrl)).toEqual({ ok: false, status: null, fault: 'broken' });
    for (const close of closing.splice(0)) await close();
    expect(await send(baseUrl)).toEqual({ ok: false, status: null, fault: 'refused' });
    for (const [address, fault] of [
      ['ftp://hooks.example/x', 'address'],
      ['file:///etc/passwd', 'address'],
      ['hooks.example/x', 'address'],
      ['', 'address'],
    ] as const)
      expect(await send(address), address).toEqual({ ok: false, status: null, fault });
    const resolve = () => Promise.reject(new Error('getaddrinfo ENOTFOUND hooks.example'));
    expect(await send('https://hooks.example/x', {}, world({ resolve }))).toMatchObject({ fault: 'dns' });
  });

  it('says that an answer that speaks another protocol is none', async () => {
    const { baseUrl } = await receiver((response) =>
      response.writeHead(101, { connection: 'upgrade', upgrade: 'websocket' }).end(),
    );
    expect(await send(baseUrl)).toEqual({ ok: false, status: null, fault: 'broken' });
  });

  it('takes no plain HTTP where https was asked for', async () => {
    const { port } = await listener((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    expect(await send(`https://127.0.0.1:${port}/`)).toMatchObject({ ok: false, fault: 'certificate' });
  });
});

describe('a private address', () => {
  it.each([
    'http://127.0.0.1:9/x',
    'http://2130706433:9/x',
    'http://0x7f.1:9/x',
    'http://[::1]:9/x',
    'http://[::ffff:127.0.0.1]:9/x',
    'http://169.254.169.254/latest/meta-data',
    'https://192.168.0.1/x',
    'http://localhost:9/x',
  ])('is not spoken with: %s', async (address) => {
    expect(await send(address, { allowPrivate: false })).toEqual({
      ok: false,
      status: null,
      fault: 'private',
    });
  });

  it.each<[string, readonly LookupAddress[]]>([
    ['alone', [{ address: '10.0.0.1', family: 4 }]],
    [
      'among public ones',
      [
        { address: '1.1.1.1', family: 4 },
        { address: 'fe80::1', family: 6 },
      ],
    ],
  ])('behind a name is not spoken with: %s', async (_, addresses) => {
    const resolve = () => Promise.resolve(addresses);
    expect(await send('https://hooks.example/x', { allowPrivate: false }, world({ resolve }))).toMatchObject({
      fault: 'private',
    });
  });

  it('is not reached by a name that leads elsewhere the second time it is asked', async () => {
    let connected = 0;
    const { port } = await listener(() => (connected += 1));
    let asked = 0;
    const resolve = (): Promise<readonly LookupAddress[]> => {
      asked += 1;
      return Promise.resolve([{ address: asked === 1 ? '127.0.0.2' : '127.0.0.1', family: 4 }]);
    };
    const result = await send(`http://hooks.example:${port}/x`, {}, world({ resolve }));
    expect(result).toEqual({ ok: false, status: null, fault: 'refused' });
    expect(asked).toBe(1);
    expect(connected).toBe(0);
  });

  it('is spoken with where that is allowed, by its name too', async () => {
    const { port, seen } = await receiver();
    const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    expect(await send(`http://hooks.example:${port}/x`, {}, world({ resolve }))).toMatchObject({ ok: true });
    expect(seen[0]?.headers.host).toBe(`hooks.example:${port}`);
  });
});
