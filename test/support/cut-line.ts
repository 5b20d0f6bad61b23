import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

/** A way to a server that can be cut. */
export interface Line {
  readonly port: number;
  /** `gone`: connections break, and new ones are refused. `dead`: nothing comes through, and nobody is told. */
  cut(how: 'gone' | 'dead'): void;
  mend(): void;
  close(): Promise<void>;
}

/** Opens a way from a port of this machine to another one. */
export async function openLine(to: { readonly host: string; readonly port: number }): Promise<Line> {
  const sockets = new Set<Socket>();
  let state: 'whole' | 'gone' | 'dead' = 'whole';
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    keep(near);
    if (state === 'gone') return void near.destroy();
    const far = keep(connect(to));
    near.pipe(far);
    far.pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
    if (state === 'dead') [near, far].forEach((socket) => socket.pause());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    port: (server.address() as AddressInfo).port,
    cut: (how) => {
      state = how;
      for (const socket of sockets)
        if (how === 'gone') socket.destroy();
        else socket.pause();
    },
    mend: () => {
      state = 'whole';
      for (const socket of sockets) socket.resume();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
