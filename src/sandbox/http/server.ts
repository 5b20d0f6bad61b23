import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { UnavailableError } from '../../model/error.ts';

/** How long {@link close} lets requests finish. */
const GRACE_MS = 5_000;

/**
 * Opens the app to the network, on this machine alone unless a host is named, and returns its address without /v1. Port 0 takes any free one.
 * @throws UnavailableError `sandbox.listen` when the address cannot be had.
 */
export async function listen(
  app: FastifyInstance,
  { port, host = '127.0.0.1' }: { readonly port: number; readonly host?: string },
): Promise<{ readonly base_url: string }> {
  try {
    return { base_url: await app.listen({ port, host }) };
  } catch (cause) {
    throw new UnavailableError(
      'sandbox.listen',
      `the sandbox cannot listen on ${host} port ${port}: ${String(cause)}`,
      {
        next: 'choose another port with --port, or --port 0 for any free one',
        cause,
      },
    );
  }
}

/**
 * Takes no more requests and answers those that came before; a client that does not take its answer is cut off after 5 seconds. Connections that have
 * asked nothing, such as those that browsers open ahead, end at once: Node would wait for them.
 */
export async function close(app: FastifyInstance, connections: ReadonlySet<Socket>): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), GRACE_MS);
  try {
    const closed = app.close();
    // By then the port is closed, and nobody comes any more.
    await turn();
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
    await closed;
  } finally {
    clearTimeout(timer);
  }
}

/** The connections that are open, now and later. */
export function openConnections(app: FastifyInstance): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}
