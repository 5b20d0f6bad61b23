import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openJobs, openState } from '../../../src/runtime/state.ts';
import { readAddress } from '../../../src/runtime/config/state-place.ts';
import { Database } from '../../../src/state/postgres/database.ts';
import { Jobs } from '../../../src/state/postgres/jobs.ts';
import { passwordIn } from '../../../src/state/postgres/pass-file.ts';
import { pgClient } from '../../../src/state/postgres/pg-client.ts';
import { testFolder } from '../../support/test-folder.ts';

const clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };
const REFUSED = {
  code: 'state.access',
  exitCode: 4,
  next: expect.stringMatching(/^Set PGPASSWORD or PGPASSFILE, .*TEAMSHEET_STATE_URL/) as string,
};

const folder = testFolder();
let server: Server | undefined;
afterEach(() => {
  server?.close();
});

const message = (code: number, ...rest: readonly (string | Buffer)[]): Buffer => {
  const body = Buffer.concat(rest.map((part) => Buffer.from(part)));
  const head = Buffer.alloc(9);
  head.write('R');
  head.writeInt32BE(8 + body.length, 1);
  head.writeInt32BE(code, 5);
  return Buffer.concat([head, body]);
};

/** A server that asks for a password and then waits for the client; `ended` is called for each connection that ends. */
async function askForPassword(kind: 'scram' | 'plain', told: (password: string) => void = () => undefined) {
  let left = 0;
  let ended = (): void => undefined;
  const asks = kind === 'scram' ? message(10, 'SCRAM-SHA-256\0\0') : message(3);
  server = createServer((socket) => {
    left += 1;
    socket
      .on('error', () => undefined)
      .on('close', () => {
        left -= 1;
        ended();
      });
    socket.once('data', () => {
      socket.write(asks);
      socket.once('data', (answer) => {
        const text = answer.toString();
        const nonce = /r=([^,\0]+)/.exec(text)?.[1] ?? '';
        if (kind === 'scram') socket.write(message(11, `r=${nonce}x,s=c2FsdA==,i=4096`));
        else {
          told(text.slice(5, -1));
          socket.destroy();
        }
      });
    });
  });
  const listening = server;
  await new Promise<void>((done) => listening.listen(0, '127.0.0.1', done));
  const { port } = listening.address() as AddressInfo;
  return {
    port,
    /** Resolves once no connection is left. */
    allEnded: () =>
      new Promise<void>((done) => {
        ended = () => {
          if (left === 0) done();
        };
        ended();
      }),
  };
}

const place = (port: number, env: Readonly<Record<string, string>> = {}) =>
  readAddress(
    `postgres://ada@127.0.0.1:${port}/club`,
    { folder: folder.path, env: { HOME: folder.path, ...env }, schema: 'north', leaseMs: 30_000 },
    {},
  );
const configOf = (state: ReturnType<typeof place>) => ({
  state,
  stateFolder: folder.path,
  insecure: false,
  env: {},
});

describe('a server that asks for a password', () => {
  it('which nobody gives refuses the state at once, and nothing stays open', async () => {
    const { port, allEnded } = await askForPassword('scram');
    const opened = openState(configOf(place(port)), clock, () => undefined);
    await expect(opened).rejects.toMatchObject(REFUSED);
    await expect(opened).rejects.toThrow(
      `postgres://127.0.0.1:${port}/club refuses the login: the server asks for a password, and none is given`,
    );
    await allEnded();
    const jobs = openJobs(configOf(place(port)), [], { worker: 'one', failed: () => undefined }, clock);
    await expect(jobs).rejects.toMatchObject(REFUSED);
    await allEnded();
  });

  it('which nobody gives refuses the connections of the jobs at once, and none of them stays open', async () => {
    const { port, allEnded } = await askForPassword('scram');
    const state = place(port);
    const login = { host: '127.0.0.1', port, user: 'ada', database: 'club' };
    const address = { ...login, ssl: false, password: () => passwordIn(undefined, login) };
    const options = {
      ...address,
      ...{ name: state.name, schema: 'north_jobs', createSchema: false, termMs: 30_000, worker: 'one' },
      failed: () => undefined,
    };
    const jobs = Jobs.open(options, new Database(await pgClient(address), state.name, 'north_jobs'), []);
    await expect(jobs).rejects.toMatchObject(REFUSED);
    await allEnded();
  });

  it('is given that of the file that PGPASSFILE names', async () => {
    const file = join(folder.path, 'passwords');
    let told: (password: string) => void = () => undefined;
    const password = new Promise<string>((done) => (told = done));
    const { port } = await askForPassword('plain', (text) => told(text));
    writeFileSync(file, `127.0.0.1:${port}:club:ada:p:a\\\\ss\n`, { mode: 0o600 });
    const opened = openState(configOf(place(port, { PGPASSFILE: file })), clock, () => undefined);
    expect(await password).toBe('p:a\\ss');
    await expect(opened).rejects.toMatchObject({ code: 'state.unreachable' });
  });
});

describe('a file of passwords', () => {
  const login = { host: 'db.example', database: 'club', user: 'ada' };
  const inFile = (text: string, mode = 0o600): string => {
    const file = join(folder.path, 'passwords');
    writeFileSync(file, text, { mode });
    return passwordIn(file, login);
  };

  it.each([
    ['db.example:5432:club:ada:hush', 'hush'],
    ['# all\n*:*:*:*:hush', 'hush'],
    ['#*:*:*:*:no\nother:*:*:*:no\ndb.example:*:club:ada:first\n*:*:*:*:second', 'first'],
    ['db.example:*:*:ada:a\\:b\\\\c\r\n', 'a:b\\c'],
  ])('%j gives %s', (text, password) => {
    expect(inFile(text)).toBe(password);
  });

  it.each(['', 'db.example:5433:club:ada:hush', 'db.example:5432:club:ada:', 'hush', '#*:*:*:*:hush'])(
    '%j gives none',
    (text) => {
      expect(() => inFile(text)).toThrow(/none is given, and .*passwords has none for this login$/);
    },
  );

  it.skipIf(process.platform === 'win32')('that others may read is not read', () => {
    expect(() => inFile('*:*:*:*:hush', 0o644)).toThrow(/is open to others: chmod 600 .*passwords$/);
  });

  it('that is not there is said', () => {
    expect(() => passwordIn(join(folder.path, 'none'), login)).toThrow(
      /none is given, and .*none cannot be read$/,
    );
  });
});
