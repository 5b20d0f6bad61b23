import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { UnavailableError } from '../model/error.ts';

/** What is answered to one request. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Something that listens. */
export interface Listening {
  /** `http://127.0.0.1:8790`. */
  readonly origin: string;
  readonly port: number;
  /** Takes no more requests, and answers those that came before. */
  close(): Promise<void>;
}

/** How long {@link Listening.close} lets requests finish. */
const GRACE_MS = 2_000;

/** What every answer carries: it is not kept, not framed, not guessed at, and tells no other site where it came from. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
};

/** Answers GET, and HEAD without the body. Errors: UnavailableError `serve.listen` when the address cannot be had. */
export async function listen(
  { host, port, flag }: { readonly host: string; readonly port: number; readonly flag: string },
  answer: (request: IncomingMessage, port: number) => Promise<Answer>,
): Promise<Listening> {
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const { port: own } = server.address() as AddressInfo;
    const isAsked = request.method === 'GET' || request.method === 'HEAD';
    const answered = isAsked ? answer(request, own) : Promise.resolve(NOT_GET);
    void answered.then(({ status, headers, body }) => {
      response.writeHead(status, { ...HEADERS, ...headers });
      response.end(body);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(notListening(host, port, flag, cause)));
    server.listen({ host, port }, resolve);
  });
  const { port: own } = server.address() as AddressInfo;
  return {
    origin: `http://${host.includes(':') ? `[${host}]` : host}:${own}`,
    port: own,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Browsers open connections ahead, and Node would wait for what these ask.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

const NOT_GET: Answer = {
  status: 405,
  headers: { allow: 'GET, HEAD', 'content-type': 'text/plain; charset=utf-8' },
  body: 'only GET\n',
};

const notListening = (host: string, port: number, flag: string, cause: Error): UnavailableError =>
  new UnavailableError('serve.listen', `nothing can listen on ${host} port ${port}: ${cause.message}`, {
    next: `choose another port with ${flag}`,
    cause,
  });
