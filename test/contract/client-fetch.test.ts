import type { RequestListener } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { fetchTransport } from '../../src/client/fetch-transport.ts';
import { TransportError } from '../../src/client/transport-error.ts';
import type { HttpRequest } from '../../src/model/ports.ts';
import { startServer } from '../support/cli.ts';
import { TEST_KEY } from '../support/client.ts';

const MIB = 1024 * 1024;
const transport = fetchTransport();
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

/** A server on a free port of this machine, closed after the test. */
async function serve(handler: RequestListener): Promise<string> {
  const { baseUrl, close } = await startServer(handler);
  closers.push(close);
  return baseUrl;
}

const get = (url: string, signal?: AbortSignal): HttpRequest => ({
  method: 'GET',
  url,
  headers: { 'x-api-key': TEST_KEY },
  ...(signal && { signal }),
});

async function faultOf(request: HttpRequest): Promise<readonly [string, boolean]> {
  const error = await transport(request).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof TransportError)) throw new Error('no TransportError', { cause: error });
  return [error.fault, error.neverSent];
}

describe('a whole answer', () => {
  it('carries status, headers in lower case and the decoded body', async () => {
    const base = await serve((request, response) => {
      response.writeHead(201, { 'Content-Encoding': 'gzip', 'X-Seen': request.headers['x-api-key'] });
      response.end(gzipSync('{"name":"José 👩‍🚀"}'));
    });
    const answer = await transport(get(base));
    expect(answer).toMatchObject({ status: 201, body: '{"name":"José 👩‍🚀"}' });
    expect(answer.headers['x-seen']).toBe(TEST_KEY);
  });

  it.each([
    ['its label', 'application/json; charset=ISO-8859-1', Buffer.from('Zoë', 'latin1'), 'Zoë'],
    ['a quoted label', 'text/json; charset="utf-16le"', Buffer.from('\ufeffZoë', 'utf16le'), 'Zoë'],
    [
      'UTF-8, where it is that, whatever its label says',
      'application/json; charset=ISO-8859-1',
      'Zoë',
      'Zoë',
    ],
    ['UTF-8 with a byte order mark', 'application/json', '\ufeffZoë', 'Zoë'],
    [
      'UTF-8, as far as it is that, under a label that nobody knows',
      'a/b; charset=x',
      Buffer.from([0x5a, 0xeb]),
      'Z\ufffd',
    ],
    [
      'UTF-8, as far as it is that, without a label',
      'application/json',
      Buffer.from([0x5a, 0xeb]),
      'Z\ufffd',
    ],
  ])('is read as %s', async (_name, contentType, body, text) => {
    const base = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': contentType });
      response.end(body);
    });
    expect((await transport(get(base))).body).toBe(text);
  });

  it('is sent with its method and body', async () => {
    const base = await serve((request, response) => {
      request.setEncoding('utf8');
      request.on('data', (body: string) => response.end(`${request.method ?? ''} ${body}`));
    });
    expect((await transport({ method: 'PATCH', url: base, headers: {}, body: 'Zoë' })).body).toBe(
      'PATCH Zoë',
    );
  });
});

describe('a redirect', () => {
  it.each([301, 302, 307, 308])('%i is returned, and the other server sees nothing', async (status) => {
    let seen = 0;
    const other = await serve((_request, response) => {
      seen += 1;
      response.end();
    });
    const base = await serve((_request, response) => {
      response.writeHead(status, { location: other });
      response.end();
    });
    expect((await transport({ ...get(base), method: 'POST', body: '{}' })).status).toBe(status);
    expect(seen).toBe(0);
  });
});

describe('an answer that is too large', () => {
  it.each([
    ['a gzip bomb', true],
    ['an endless body', false],
  ])('is cut off: %s', async (_name, zipped) => {
    const base = await serve((_request, response) => {
      if (zipped) {
        response.setHeader('content-encoding', 'gzip');
        response.end(gzipSync(Buffer.alloc(40 * MIB)));
        return;
      }
      const more = (): void => {
        while (response.writable && response.write(Buffer.alloc(MIB)));
      };
      response.on('drain', more);
      more();
    });
    expect(await faultOf(get(base))).toEqual(['too_large', false]);
  });
});

describe('no answer', () => {
  it('is a refused connection where nobody listens', async () => {
    const base = await serve(() => undefined);
    await closers.pop()?.();
    expect(await faultOf(get(base))).toEqual(['refused', true]);
  });

  it('is an unknown host, never sent', async () => {
    expect(await faultOf(get('http://no-such-host.invalid/'))).toEqual(['dns', true]);
  });

  it('is no TLS where the port speaks plain HTTP, never sent', async () => {
    const base = await serve((_request, response) => response.end());
    const [, neverSent] = await faultOf(get(base.replace('http:', 'https:')));
    expect(neverSent).toBe(true);
  });

  it('is a port that fetch does not open, never sent', async () => {
    expect(await faultOf(get('http://127.0.0.1:1/'))).toEqual(['unusable_address', true]);
  });

  it('is a reset after the request was read, which may have been applied', async () => {
    const base = await serve((request) => request.socket.destroy());
    expect(await faultOf(get(base))).toEqual(['reset', false]);
    await expect(transport(get(base))).rejects.toThrow(/^the connection broke \([A-Z_]+\)$/);
  });

  it('is a body that stops short', async () => {
    const base = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"statusCode":');
      setImmediate(() => {
        response.destroy();
      });
    });
    expect(await faultOf(get(base))).toEqual(['reset', false]);
  });

  it('is something that is not HTTP', async () => {
    const server = createServer((socket) => socket.end('220 mail.test ESMTP\r\n', () => socket.destroy()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as AddressInfo;
    expect(await faultOf(get(`http://127.0.0.1:${port}`))).toEqual(['reset', false]);
  });

  it.each(['headers', 'body'])('ends with the signal while the %s hang', async (part) => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const base = await serve((_request, response) => {
      if (part === 'body') response.write('{"statusCode":200,');
      setImmediate(() => {
        stop.abort(reason);
      });
    });
    await expect(transport(get(base, stop.signal))).rejects.toBe(reason);
  });
});
