import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { USERS_MAPPING } from '../support/cli.ts';
import { program, settlesIn } from '../support/program.ts';
import { runHere } from '../support/run-here.ts';
import type { Outcome } from '../support/cli.ts';
import { serviceOfTest } from '../support/of-test.ts';

const table = (...lines: readonly string[]): string => `Member ID,Name,Active\n${lines.join('\n')}\n`;

const { folder, service, start, run, writes } = program(
  { 'mappings/users.yaml': USERS_MAPPING, 'teamsheet.yaml': settlesIn('0s') },
  { here: true, service: {} },
);
beforeEach(() => folder.write('users.csv', table('A,Ann,', 'B,Bob,', 'C,Cleo,')));
const path = (name: string): string => join(folder.path, name);
const created = (...ids: readonly string[]): Promise<Outcome> =>
  run(
    'api',
    'create-users',
    '--yes',
    '--quiet',
    '--body',
    JSON.stringify({ users: ids.map((id) => ({ external_id: id, display_name: id })) }),
  );

describe('plan --out and push --plan', () => {
  it('saves a plan that only its owner reads, pushes exactly that, and only once', async () => {
    const planned = await run('plan', '--out', 'plans/week.plan');
    expect(planned).toMatchObject({
      code: 0,
      stderr: 'saved as plans/week.plan\nnext: teamsheet push --plan plans/week.plan\n',
    });
    expect(statSync(path('plans/week.plan')).mode & 0o777).toBe(0o600);
    expect(readFileSync(path('plans/week.plan'), 'utf8')).not.toContain(service.apiKey);
    expect(writes()).toEqual([]);

    expect(await run('push', '--plan', 'plans/week.plan')).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('teamsheet push --plan plans/week.plan --yes') as string,
    });
    const held = await run('push', '--plan', 'plans/week.plan', '--dry-run');
    expect(held).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/plans\/week\.plan \(plan of .*, 0 min old\) is still valid/) as string,
    });
    expect(writes()).toEqual([]);

    const pushed = await run('push', '--plan', 'plans/week.plan', '--yes', '--json');
    expect(pushed.code).toBe(0);
    expect(JSON.parse(pushed.stdout)).toMatchObject({ command: 'push', mappings: [{ rows: 3, created: 3 }] });
    expect(writes()).toEqual(['POST /v1/user']);

    const { run: id } = JSON.parse(pushed.stdout) as { readonly run: string };
    const again = await run('push', '--plan', 'plans/week.plan', '--yes', '--json');
    expect(again.code).toBe(6);
    expect(JSON.parse(again.stdout)).toMatchObject({
      error: {
        code: 'plan.pushed',
        message: expect.stringContaining(`pushed already by run ${id}`) as string,
        next: 'teamsheet plan --out plans/week.plan',
      },
    });
    expect(writes()).toHaveLength(1);
  });

  it('refuses a stale plan with what moved, for people and for programs', async () => {
    await created('A', 'B');
    await run('plan', '--out', 'week.plan', '--quiet');
    folder.write('users.csv', table('A,Anna,', 'B,Bob,', 'D,Dan,'));
    await created('C');
    const before = writes().length;

    const stale = await run('push', '--plan', 'week.plan', '--yes', '--quiet');
    expect(stale.code).toBe(6);
    expect(stale.stderr).toMatch(
      /^✗ week\.plan \(plan of .*\) is stale, so nothing was sent: \d differences\n/,
    );
    expect(stale.stderr).toContain(
      'users row 2 (A) to be changed (display_name "A" to "Ann") in the plan and to be changed (display_name "A" to "Anna") now',
    );
    expect(stale.stderr).toContain('users row 4 (D) is new: to be created');
    expect(stale.stderr).toContain('  next: teamsheet plan --out week.plan --quiet\n');

    const document = await run('push', '--plan', 'week.plan', '--yes', '--json');
    expect(JSON.parse(document.stdout)).toMatchObject({
      command: 'push',
      exit_code: 6,
      error: {
        code: 'plan.stale',
        file: 'week.plan',
        counts: { mapping: 0, source: 3 },
        differences: expect.arrayContaining([
          expect.objectContaining({
            part: 'source',
            mapping: 'users',
            row: 2,
            key: 'A',
            fields: ['display_name'],
          }),
        ]) as unknown,
      },
    });
    expect(await run('push', '--plan', 'week.plan', '--dry-run')).toMatchObject({ code: 6 });
    expect(writes()).toHaveLength(before);
    expect((await run('resume')).stdout).toBe('nothing to resume\n');
  });

  it('notices what the service has by now', async () => {
    await run('plan', '--out', 'week.plan');
    await created('B');
    const stale = await run('push', '--plan', 'week.plan', '--yes');
    expect(stale.code).toBe(6);
    expect(stale.stderr).toContain('service: ');
    expect(stale.stderr).toContain('users row 3 (B) to be created in the plan and to be changed');
    expect(writes()).toEqual(['POST /v1/user']);
  });

  it('notices another mapping, another variable, and a mapping that is gone', async () => {
    const named = USERS_MAPPING.replace('from: Name,', 'from: "${column}",');
    folder.write('mappings/users.yaml', named);
    await run('plan', '--out', 'week.plan', '--var', 'column=Name');
    const gets = service.requests.length;
    const other = await run('push', '--plan', 'week.plan', '--yes', '--var', 'column=Active');
    expect(other).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('users: its columns is not as planned') as string,
    });
    folder.write('mappings/users.yaml', named.replace('name: users', 'name: members'));
    const gone = await run('push', '--plan', 'week.plan', '--yes', '--var', 'column=Name');
    expect(gone).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('users: it is no longer there') as string,
    });
    expect(service.requests).toHaveLength(gets);
  });

  it('is for one service', async () => {
    await run('plan', '--out', 'week.plan');
    const other = await serviceOfTest();
    const push = ['push', '--plan', 'week.plan', '--yes', '--trust-origin'];
    const refused = await runHere(push, { cwd: folder.path, env: other.env });
    expect(refused).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('is a plan for another service or account') as string,
    });
    expect(other.requests).toEqual([]);
  });

  it('saves a plan that a guard stops for reading alone', async () => {
    folder.write('mappings/users.yaml', `${USERS_MAPPING}guards: { min_rows: 4 }\n`);
    expect(await run('plan', '--out', 'week.plan')).toMatchObject({ code: 6 });
    expect(await run('push', '--plan', 'week.plan', '--yes')).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('only 3 rows, at least 4 expected') as string,
    });
    expect(await run('plan', '--out', 'week.plan', '--allow-guard', 'min_rows')).toMatchObject({ code: 0 });
    expect(await run('push', '--plan', 'week.plan', '--yes')).toMatchObject({ code: 0 });
  });

  it('takes no mapping and no flag that a plan is made with', async () => {
    await run('plan', '--out', 'week.plan');
    for (const words of [['users'], ['--limit', '1'], ['--allow-guard', 'max_step'], ['--adopt']]) {
      const refused = await run('push', '--plan', 'week.plan', ...words);
      expect(refused).toMatchObject({
        code: 64,
        stderr: expect.stringContaining(`so ${words[0] ?? ''} cannot be used with it`) as string,
      });
    }
  });

  it('takes no other file, and writes over none', async () => {
    const refused = await run('plan', '--out', 'users.csv');
    expect(refused).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('users.csv is there already and is no saved plan') as string,
    });
    expect(readFileSync(path('users.csv'), 'utf8')).toBe(table('A,Ann,', 'B,Bob,', 'C,Cleo,'));
    expect(service.requests).toEqual([]);

    expect(await run('push', '--plan', 'users.csv')).toMatchObject({ code: 4 });
    expect(await run('push', '--plan', 'none.plan')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('there is no saved plan none.plan') as string,
    });
    expect(await run('push', '--plan', '.')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('. is a folder, and a saved plan is a file') as string,
    });
    await run('plan', '--out', 'week.plan');
    const text = readFileSync(path('week.plan'), 'utf8');
    for (const damaged of [text.slice(0, -20), text.replace('Cleo', 'Clea'), text.slice(0, 40)]) {
      folder.write('cut.plan', damaged);
      expect(await run('push', '--plan', 'cut.plan', '--yes')).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('the saved plan is damaged') as string,
      });
    }
    folder.write('dos.plan', text.replaceAll('\n', '\r\n'));
    expect(await run('push', '--plan', 'dos.plan', '--yes')).toMatchObject({ code: 0 });
  });

  it.skipIf(process.platform === 'win32')('is no pipe or folder: a plan is read again later', async () => {
    execFileSync('mkfifo', [path('plans')]);
    const named = ['plans', 'mappings'].map(async (out) => {
      const { code, stdout, stderr } = await run('plan', '--out', out);
      return [code, stdout, stderr];
    });
    const refusal = (out: string, what: string): unknown => [
      64,
      '',
      `✗ ${out} is ${what}, and a saved plan is a file, which push --plan reads again\n  next: give --out the name of a new file\n`,
    ];
    expect(await Promise.all(named)).toEqual([refusal('plans', 'a pipe'), refusal('mappings', 'a folder')]);
    expect(service.requests).toEqual([]);
  });

  it('leaves no half a plan behind when its place cannot be written', async () => {
    folder.write('blocked', '');
    const failed = await run('plan', '--out', 'blocked/week.plan');
    expect(failed).toMatchObject({ code: 8 });
    expect(existsSync(path('blocked/week.plan'))).toBe(false);
  });
});

describe('plan', () => {
  it('exits as its rows are, with --detailed-exitcode', async () => {
    const exit = async (...args: readonly string[]): Promise<number | null> =>
      (await run('plan', '--detailed-exitcode', ...args)).code;
    expect(await exit()).toBe(2);
    expect(await exit('--out', 'week.plan')).toBe(2);
    folder.write('users.csv', table('A,Ann,', 'B,Bob,maybe'));
    expect(await exit()).toBe(3);
    expect(await exit('--json')).toBe(3);
    folder.write('mappings/users.yaml', `${USERS_MAPPING}reject_mode: fail\n`);
    expect(await exit()).toBe(6);
    folder.write('mappings/users.yaml', `${USERS_MAPPING}guards: { min_rows: 5 }\n`);
    expect(await exit()).toBe(6);
    folder.write('mappings/users.yaml', USERS_MAPPING);
    folder.write('users.csv', table('A,Ann,'));
    await run('push', '--yes');
    expect(await exit()).toBe(0);
  });

  it('never exits 7: rows that the quota defers are no failure of a plan', async () => {
    await start({ settings: { quota_users: 1 } });
    const planned = await run('plan', '--detailed-exitcode');
    expect(planned).toMatchObject({
      code: 2,
      stdout: expect.stringContaining(
        "users: 1 now, 2 deferred (the account's quota of users is full then; after it is raised, resume sends the rest)",
      ) as string,
    });
    await created('Z');
    expect(await run('plan', '--detailed-exitcode')).toMatchObject({ code: 2 });
  });
});
