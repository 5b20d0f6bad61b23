import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

import { beforeEach, describe, expect, it } from 'vitest';

import { createLock, lockFolder } from '../../../../src/state/sqlite/lock.ts';
import { testFolder } from '../../../support/test-folder.ts';

const HOLDER = join(import.meta.dirname, '../../../support/lock-holder.ts');
const account = { baseUrl: 'https://data.example', accountId: 'club' };

const root = testFolder();
let folder: string;
beforeEach(() => {
  folder = join(root.path, 'state', 'locks');
});

type Holder = ChildProcessByStdio<Writable, Readable, null>;

function ended(holder: Holder): Promise<void> {
  return new Promise((done) => holder.on('close', () => done()));
}

/** A process that holds the lock. */
async function holdElsewhere(): Promise<Holder> {
  const holder = spawn(process.execPath, [HOLDER, folder, account.baseUrl, account.accountId], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await new Promise((done) => holder.stdout.once('data', done));
  return holder;
}

describe('the lock of an account', () => {
  it('stops a second process while the first lives, and names it', async () => {
    const holder = await holdElsewhere();
    await expect(createLock({ folder }).acquire(account, 'push')).rejects.toMatchObject({
      code: 'lock.held',
      exitCode: 6,
      message: expect.stringMatching(
        new RegExp(
          `^https://data\\.example \\(account club\\) is being written to by pid ${String(holder.pid)} \\(push\\) on \\S+ ` +
            'since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC$',
        ),
      ) as string,
    });
    const closed = ended(holder);
    holder.stdin.end();
    await closed;
    await (await createLock({ folder }).acquire(account, 'push')).release();
  });

  it('is had although another process looks at it at that moment', async () => {
    await (await createLock({ folder }).acquire(account, 'push')).release();
    const [file = ''] = readdirSync(folder);
    const look = `const { DatabaseSync } = require('node:sqlite');
      new DatabaseSync(process.argv[1]).exec('BEGIN; SELECT count(*) FROM sqlite_schema');
      console.log('looks');
      setTimeout(() => process.exit(), 50);`;
    const other = spawn(process.execPath, ['-e', look, join(folder, file)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((done) => other.stdout.once('data', done));
    await (await createLock({ folder }).acquire(account, 'push')).release();
  });

  it('is free at once when its owner was killed', async () => {
    const holder = await holdElsewhere();
    const closed = ended(holder);
    holder.kill('SIGKILL');
    await closed;
    expect(readdirSync(folder).some((name) => name.endsWith('.owner'))).toBe(true);
    const mine = await createLock({ folder }).acquire(account, 'resume');
    await expect(createLock({ folder }).acquire(account, 'push')).rejects.toThrow(
      `pid ${process.pid} (resume)`,
    );
    await mine.release();
    expect(readdirSync(folder).filter((name) => !name.endsWith('.lock'))).toEqual([]);
  });

  it('is one for all names of a service on this machine', async () => {
    const at = (baseUrl: string) => createLock({ folder }).acquire({ ...account, baseUrl }, 'push');
    const mine = await at('http://localhost:8787/a');
    for (const name of ['http://127.0.0.1:8787/a', 'http://[::1]:8787/a', 'http://localhost:8787/a'])
      await expect(at(name)).rejects.toMatchObject({ code: 'lock.held' });
    for (const other of ['http://127.0.0.1:8788/a', 'http://127.0.0.1:8787', 'https://localhost:8787/a'])
      await (await at(other)).release();
    await mine.release();
  });

  it('keeps its files for their owner alone', async () => {
    const mine = await createLock({ folder }).acquire(account, 'push');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toHaveLength(2);
    await mine.release();
  });

  it('cannot be had in a folder that cannot be written', async () => {
    writeFileSync(join(root.path, 'state'), 'a file where a folder should be');
    await expect(createLock({ folder }).acquire(account, 'push')).rejects.toMatchObject({
      code: 'state.unwritable',
      exitCode: 8,
    });
  });
});

describe('lockFolder', () => {
  it('stands in XDG_STATE_HOME when that is absolute, else at home', () => {
    const atHome = join(homedir(), '.local', 'state', 'teamsheet', 'locks');
    expect(lockFolder({ XDG_STATE_HOME: '/var/state' })).toBe('/var/state/teamsheet/locks');
    expect(lockFolder({ XDG_STATE_HOME: 'relative' })).toBe(atHome);
    expect(lockFolder({ XDG_STATE_HOME: '' })).toBe(atHome);
    expect(lockFolder({})).toBe(atHome);
  });

  it('never goes by the working folder: where HOME is empty or relative, the list of users says where home is', () => {
    for (const home of ['', 'home', '.'])
      expect(lockFolder({}, [() => home, () => '/home/ann'])).toBe('/home/ann/.local/state/teamsheet/locks');
  });

  it('asks for a folder where the user has no home', () => {
    const none = (): string => {
      throw new Error('uv_os_homedir returned ENOENT');
    };
    expect(() => lockFolder({}, [none, none])).toThrow(
      expect.objectContaining({ code: 'lock.folder', exitCode: 4 }) as Error,
    );
    expect(lockFolder({ XDG_STATE_HOME: '/var/state' }, [none])).toBe('/var/state/teamsheet/locks');
  });
});
