import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder, runCli, startService, USERS_MAPPING } from '../support/cli.ts';
import type { Outcome, RunOptions, Service } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';

const TABLE = 'Member ID,Name\nu1,Ana\nu2,Bo\n';
const WAITING = /users\.csv is a pipe: waiting for what is written into it/;
/** Starts the program from a shell, so that the shell makes its pipes. */
const inShell = (line: string): Pick<RunOptions, 'node' | 'nodeArgs'> => ({
  node: 'bash',
  nodeArgs: ['-c', line.replace('PROGRAM', `"${process.execPath}" "$@"`), 'bash'],
});

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** A folder of files and pipes, for one test. With options `run` starts the built program, for signals, a shell or a look while it waits. */
async function inFolder<T>(
  {
    pipes = [],
    files = {},
  }: { readonly pipes?: readonly string[]; readonly files?: Readonly<Record<string, string>> },
  work: (
    path: string,
    run: (args: readonly string[], options?: Partial<RunOptions>) => Promise<Outcome>,
  ) => Promise<T>,
): Promise<T> {
  const folder = makeFolder(files);
  try {
    for (const pipe of pipes) execFileSync('mkfifo', [join(folder.path, pipe)]);
    const place = { cwd: folder.path, env: service.env };
    return await work(folder.path, (args, options) =>
      options === undefined ? runHere(args, place) : runCli(args, { ...place, ...options }),
    );
  } finally {
    folder.remove();
  }
}

describe.skipIf(process.platform === 'win32').concurrent('a pipe as a table', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('without a writer is waited for, and %s ends the wait', async (signal, code) => {
    const { stderr, ...ended } = await inFolder(
      { pipes: ['users.csv'], files: { 'mappings/users.yaml': USERS_MAPPING } },
      (_, run) => run(['validate'], { when: { seen: WAITING, act: (kill) => kill(signal) } }),
    );
    expect(ended).toEqual({ code, stdout: '' });
    expect(stderr).toContain(`stopped by ${signal}`);
  });

  it('is read once for all mappings that name it, and leaves nothing behind', async () => {
    const second = USERS_MAPPING.replace('name: users', 'name: others');
    await inFolder(
      { pipes: ['users.csv'], files: { 'mappings/a.yaml': USERS_MAPPING, 'mappings/b.yaml': second } },
      async (path, run) => {
        const { code, stdout } = await run(['validate', '--json'], {
          when: { seen: WAITING, act: () => void writeFile(join(path, 'users.csv'), TABLE) },
        });
        expect(code).toBe(0);
        expect((JSON.parse(stdout) as { mappings: unknown }).mappings).toMatchObject([
          { name: 'users', rows: 2, valid: 2 },
          { name: 'others', rows: 2, valid: 2 },
        ]);
        expect(readdirSync(join(path, '.teamsheet')).toSorted()).toEqual(['state.sqlite']);
      },
    );
  });

  it.each([
    ['a file of the shell', '/dev/stdin', 'PROGRAM < users.csv', 'stdin'],
    ['standard input', '/dev/stdin', 'cat users.csv | PROGRAM', 'stdin'],
    ['what a command prints', '/dev/fd/9', 'PROGRAM 9< <(cat users.csv)', 'pipe'],
  ])('is imported: %s', async (_, file, line, name) => {
    const key = file.slice(5).replaceAll('/', '-') + String(line.length);
    await inFolder({ files: { 'users.csv': `Member ID,Name\n${key},Ana\n` } }, async (_path, run) => {
      const { code, stdout, stderr } = await run(
        ['import', file, '--as', 'users', '--yes', '--json'],
        inShell(line),
      );
      expect({ code, stderr: stderr.includes('✗') }).toEqual({ code: 0, stderr: false });
      expect(JSON.parse(stdout)).toMatchObject({ mappings: [{ name, rows: 1, created: 1 }] });
    });
  });

  it('is not called by a dash: what to type instead is said', async () => {
    await inFolder({ files: { 'users.csv': TABLE } }, async (_path, run) => {
      const { code, stderr } = await run(
        ['import', '-', '--as', 'users'],
        inShell('cat users.csv | PROGRAM'),
      );
      expect(code).toBe(64);
      expect(stderr).toMatch(/for piped input, type \/dev\/stdin\n.*import \/dev\/stdin --as users\n/);
    });
  });

  it('is not an address either: what to do with a Google spreadsheet is said', async () => {
    await inFolder({}, async (_path, run) => {
      const { code, stderr } = await run(['import', 'https://sheets.example/d/1', '--as', 'users']);
      expect(code).toBe(64);
      expect(stderr).toContain('https://sheets.example/d/1 is an address, and an import takes a file');
      expect(stderr).toMatch(/next: download it as CSV or \.xlsx; .*docs\/connect-google-sheets\.md/);
    });
  });

  it('that is cut while it is read is read again', async () => {
    const mapping = USERS_MAPPING.replace(
      /is_active: .*/,
      'is_active: { from: Name, lookup: { in: { csv: names.csv }, match: Name, take: Active } }',
    );
    await inFolder(
      { pipes: ['names.csv'], files: { 'mappings/users.yaml': mapping, 'users.csv': TABLE } },
      async (path, run) => {
        const { code, stdout, stderr } = await run(['validate', '--json'], {
          when: {
            // The header of the users has been read by now.
            seen: /names\.csv is a pipe/,
            act: () => {
              writeFileSync(join(path, 'users.csv'), 'Member ID,Name\nu1,Ana\n');
              void writeFile(join(path, 'names.csv'), 'Name,Active\nAna,TRUE\nBo,TRUE\n');
            },
          },
        });
        expect(stderr).toContain('users.csv: the file changed while it was read; it is read again');
        expect(code).toBe(0);
        expect(JSON.parse(stdout)).toMatchObject({ mappings: [{ rows: 1, valid: 1 }] });
      },
    );
  });
});

describe.skipIf(process.platform === 'win32').concurrent('what is no file', () => {
  const CONFIG =
    'version: 1\nenvironments:\n  a: { base_url: "http://127.0.0.1:1", api_key: { file: key } }\n';
  it.each([
    ['.env', { pipes: ['.env'] }, ['validate'], 'env.unreadable'],
    ['configuration', { pipes: ['teamsheet.yaml'] }, ['validate'], 'config.unreadable'],
    [
      'mapping',
      { pipes: ['mappings/users.yaml'], files: { 'mappings/a': '' } },
      ['validate'],
      'mapping.unreadable',
    ],
    ['key', { pipes: ['key'], files: { 'teamsheet.yaml': CONFIG } }, ['account'], 'key.unreadable'],
    ['saved plan', { pipes: ['plan'] }, ['push', '--plan', 'plan', '--yes'], 'plan.missing'],
  ] as const)('is refused at once as a %s', async (_, made, args, code) => {
    const { code: exit, stdout } = await inFolder(made, (_path, run) => run([...args, '--json']));
    expect(exit).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code } });
  });

  it.each([
    ['/dev/zero', 'source.not_a_file', '/dev/zero: this is a device, not a file'],
    ['.', 'source.directory', '.: this is a folder, not a file'],
  ])('is refused as a table: %s', async (file, code, message) => {
    const { code: exit, stdout } = await inFolder({}, (_path, run) =>
      run(['import', file, '--as', 'users', '--json']),
    );
    expect(exit).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code, message } });
  });

  it('gives the body of a raw call when it is a pipe, also with a byte order mark', async () => {
    const body = `\ufeff${JSON.stringify({ users: [{ external_id: 'raw', display_name: 'Ana' }] })}`;
    const { code, stdout } = await inFolder({ files: { body } }, (_path, run) =>
      run(['api', 'create-users', '--body', '@/dev/stdin', '--yes'], inShell('cat body | PROGRAM')),
    );
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('raw') as string });
  });
});
