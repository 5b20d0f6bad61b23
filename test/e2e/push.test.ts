import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { steady, USERS_MAPPING } from '../support/cli.ts';
import { manyUsers, program } from '../support/program.ts';

const { folder, service, start, run, runWith, writes } = program(
  { 'mappings/users.yaml': USERS_MAPPING },
  { here: true, service: {} },
);

const USERS = `Member ID,Name,Active
M1,Ann Lee,yes
M2,"Bob  Stone ",no
M3,Cleo,maybe
M4,Łukasz 李,
`;

interface Report {
  readonly run: string;
  readonly mappings: readonly { readonly results: string }[];
}

describe.skipIf(process.platform === 'win32')('a link in the way of the rows to correct', () => {
  const push = ['push', 'users', '--yes'] as const;

  it.each([
    ['out', '..'],
    ['out/rejected', '../..'],
    ['out/rejected', 'not-there'],
  ])('that leads out is refused before anything is sent: %s to %s', async (link, target) => {
    folder.write('users.csv', USERS);
    const place = join(folder.path, link);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(target, place);
    const { code, stderr } = await run(...push);
    expect(code).toBe(8);
    expect(stderr).toMatch(
      /✗ out(\/rejected)? is a symbolic link that leads out of the folder of teamsheet\.yaml, and .*\n {2}next: Remove the link, then run the command again /,
    );
    expect(service.requests).toEqual([]);
    rmSync(place);
    expect((await run(...push)).code).toBe(3);
  });

  it('that stays inside is followed', async () => {
    folder.write('users.csv', USERS);
    mkdirSync(join(folder.path, 'out'));
    mkdirSync(join(folder.path, 'mend'));
    symlinkSync('../mend', join(folder.path, 'out/rejected'));
    expect((await run(...push)).code).toBe(3);
    expect(readdirSync(join(folder.path, 'mend'))).toContain('users.rejected.csv');
  });
});

describe('a push of users', () => {
  it('is planned, approved, written once, and then has nothing to do', async () => {
    folder.write('users.csv', USERS);
    const planned = await run('plan', 'users');
    expect(steady(planned.stdout)).toBe(`       rows  created  updated  unchanged  invalid
users     4        3        0          0        1
users: the account has no users yet

+  users row 2  M1  display_name: Ann Lee, is_active: true
+  users row 3  M2  display_name: Bob Stone, is_active: false
✗  users row 4  M3  column "Active": "maybe" is neither true nor false; write yes or no
+  users row 5  M4  display_name: Łukasz 李

2 writes to send, finished in a few seconds
  if a batch is refused, its rows go one by one: at most 4 reads, 6 writes
`);
    expect(planned).toMatchObject({ code: 3, stderr: 'next: teamsheet push users\n' });

    const unapproved = await run('push', 'users');
    expect(unapproved).toMatchObject({ code: 6, stdout: '' });
    expect(unapproved.stderr).toContain(
      '✗ nothing was sent: without a terminal this needs --yes\n  next: teamsheet push users --yes\n',
    );
    expect(writes()).toEqual([]);

    const pushed = await run('push', 'users', '--yes', '--quiet');
    expect({ ...pushed, stdout: steady(pushed.stdout) }).toEqual({
      code: 3,
      stdout: `       rows  created  updated  unchanged  invalid
users     4        3        0          0        1

3 requests (1 read, 2 writes) · run RUN
out/rejected/users.rejected.xlsx
out/rejected/users.rejected.csv
`,
      stderr: '',
    });
    expect(writes()).toEqual(['POST /v1/user', 'PATCH /v1/user']);

    folder.write('users.csv', USERS.replace('maybe', 'yes').replace('M3', 'M1').replace('Cleo', 'Ann Lee'));
    const again = await run('push', 'users', '--yes', '--json');
    expect(again.code).toBe(0);
    expect(JSON.parse(steady(again.stdout))).toMatchObject({
      run: 'RUN',
      command: 'push',
      exit_code: 0,
      mappings: [
        {
          name: 'users',
          resource: 'users',
          direction: 'push',
          rows: 4,
          unchanged: 4,
          results: '.teamsheet/runs/RUN/users.results.csv',
        },
      ],
      requests: { writes: 0, throttled: 0 },
    });
    expect(writes()).toHaveLength(2);
  });

  it('leaves results that only their owner can read, and rows to correct that can be imported', async () => {
    folder.write('users.csv', USERS);
    const pushed = await run('push', '--yes', '--json');
    const report = JSON.parse(pushed.stdout) as Report;
    const results = join(folder.path, report.mappings[0]?.results ?? '');
    expect(readFileSync(results, 'utf8').split('\n').slice(0, 2)).toEqual([
      'Member ID,Name,Active,_row,_outcome,_message,_id',
      expect.stringMatching(/^M1,Ann Lee,yes,2,created,,[0-9a-f-]{36}$/),
    ]);
    for (const private_ of [results, join(folder.path, '.teamsheet/state.sqlite')]) {
      expect(statSync(private_).mode & 0o077).toBe(0);
    }
    const rejected = join(folder.path, 'out/rejected/users.rejected.csv');
    folder.write('out/rejected/users.rejected.csv', readFileSync(rejected, 'utf8').replace('maybe', 'no'));
    const imported = await run('import', rejected, '--as', 'users', '--yes', '--json');
    expect(JSON.parse(imported.stdout)).toMatchObject({
      command: 'import',
      exit_code: 0,
      mappings: [{ name: 'users.rejected', rows: 1, created: 1 }],
    });

    folder.write('out/rejected/users.rejected.rejected.csv', 'Member ID,Name,Active\nM9,Ann,maybe\n');
    const again = await run('import', 'out/rejected/users.rejected.rejected.csv', '--as', 'users', '--yes');
    expect(again.stdout.trim().split('\n').at(-1)).toBe('out/rejected/users.rejected.rejected.csv');

    const history = await run('runs', '--json');
    expect(JSON.parse(history.stdout)).toMatchObject({
      runs: [
        { command: 'import', exit_code: 3 },
        { command: 'import', exit_code: 0 },
        { command: 'push', exit_code: 3 },
      ],
    });
    const one = await run('runs', report.run);
    expect(one.stdout).toContain(`results of users: ${report.mappings[0]?.results ?? ''}`);
  });

  it('has its results written again from the state while it is not finished, where the files are gone', async () => {
    folder.write('users.csv', USERS);
    const args = ['push', 'users', '--yes', '--json', '--max-requests', '2'];
    const pushed = await run(...args);
    expect(pushed.code).toBe(7);
    const report = JSON.parse(pushed.stdout) as Report;
    const file = join(folder.path, report.mappings[0]?.results ?? '');
    const results = readFileSync(file, 'utf8');
    rmSync(file);
    const again = ['runs', report.run, '--results', 'out/again'];
    expect(await run(...again)).toMatchObject({ code: 0, stdout: 'out/again/users.results.csv\n' });
    const written = join(folder.path, 'out/again/users.results.csv');
    expect(readFileSync(written, 'utf8')).toBe(results);
    expect(statSync(written).mode & 0o777).toBe(0o600);
    expect((await run('resume', '--yes')).code).toBe(3);
    expect(await run(...again)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('because it is finished: the machine that finished it') as string,
    });
    expect(await run('runs', '--results', 'out/again')).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('--results needs the id of one run') as string,
    });
    folder.write(
      'mappings/list.yaml',
      'version: 1\nname: list\npull: users\ndestination: { csv: out/u.csv }\n',
    );
    const { run: pull } = JSON.parse((await run('pull', 'list', '--json')).stdout) as Report;
    expect(await run('runs', pull, '--results', 'out/again')).toMatchObject({
      code: 64,
      stderr: expect.stringContaining(`run ${pull} is a pull, which sent no rows`) as string,
    });
  });

  it('is streamed as JSON by plan, with every change', async () => {
    folder.write('users.csv', USERS);
    const { code, stdout } = await run('plan', '--json', '--detailed-exitcode');
    expect(code).toBe(3);
    expect(stdout.indexOf('\n')).toBe(stdout.length - 1);
    const plan = JSON.parse(stdout) as Record<string, unknown>;
    expect(plan).toMatchObject({
      run: null,
      command: 'plan',
      exit_code: 3,
      pauses: [],
      finishes_at: expect.stringMatching(/Z$/) as string,
    });
    expect(plan['changes']).toEqual([
      expect.objectContaining({
        mapping: 'users',
        row: 2,
        key: 'M1',
        kind: 'create',
        fields: {
          external_id: { before: null, after: 'M1' },
          display_name: { before: null, after: 'Ann Lee' },
          is_active: { before: null, after: true },
        },
      }),
      expect.objectContaining({ row: 3, kind: 'create' }),
      expect.objectContaining({ row: 4, kind: 'invalid' }),
      expect.objectContaining({ row: 5, kind: 'create' }),
    ]);
    folder.write('users.csv', 'Member ID,Name,Active\nM1,Ann,yes\n');
    expect((await run('plan', '--detailed-exitcode')).code).toBe(2);
    expect((await run('push', '--dry-run')).code).toBe(0);
    expect(service.requests.every((request) => request.startsWith('GET '))).toBe(true);
  });

  it('goes on after SIGINT where it stopped', async () => {
    await start({ settings: { latency_ms: 100, per_minute: 1000, page_size: 500 } });
    folder.write('users.csv', manyUsers(2500));
    const folderOfRun = join(folder.path, '.teamsheet/runs');
    const stopped = await runWith(
      { when: { seen: /row \d+: created/, act: (kill) => kill('SIGINT') } },
      'push',
      '--yes',
      '--json',
      '--verbose',
    );
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toContain('SIGINT: finishing the current request; a second SIGINT ends at once');
    const first = JSON.parse(stopped.stdout) as {
      readonly run: string;
      readonly mappings: readonly Record<string, number>[];
    };
    expect(existsSync(join(folderOfRun, first.run))).toBe(true);
    expect((first.mappings[0]?.['created'] ?? 0) + (first.mappings[0]?.['deferred'] ?? 0)).toBe(2500);
    expect(first.mappings[0]?.['deferred']).toBeGreaterThan(0);

    const resumed = await run('resume', '--yes', '--json');
    expect(JSON.parse(resumed.stdout)).toMatchObject({
      run: first.run,
      command: 'resume',
      exit_code: 0,
      mappings: [{ rows: 2500, created: 2500 }],
    });
    expect(writes().filter((request) => request === 'POST /v1/user').length).toBeGreaterThanOrEqual(25);
    const nothing = await run('resume', '--json');
    expect(JSON.parse(nothing.stdout)).toMatchObject({ run: null, mappings: [], exit_code: 0 });
  });

  it('ends quietly when nobody reads its output any more', async () => {
    folder.write('users.csv', manyUsers(5000));
    const outcome = await runWith({ closeStdout: true }, 'plan', '--json');
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
  });
});
