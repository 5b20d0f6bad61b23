import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { signalOnce, USERS_MAPPING, without, type Outcome, type RunOptions } from '../support/cli.ts';
import { clientOf, noPostgres, openTestState } from '../support/postgres.ts';
import { postgresProgram } from '../support/postgres-program.ts';
import { manyUsers, program } from '../support/program.ts';
import { smallDemo, SQUADS } from '../support/small-demo.ts';

const CONFIG = (schema: string): string => `version: 1
environments:
  test: { base_url: "\${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } }
vars: { fantasy_league_id: 1 }
push: { settle: 50ms }
state: { env: TEAMSHEET_STATE_URL }
state_schema: ${schema}
`;

describe('a state on PostgreSQL without the package pg', () => {
  const { folder, run, runWith } = program({ 'mappings/users.yaml': USERS_MAPPING }, { here: true });

  it('is a mistake of the configuration, with the line to type', async () => {
    folder.write('teamsheet.yaml', CONFIG('any'));
    const env = { TEAMSHEET_STATE_URL: 'postgres://ada:hush@127.0.0.1:1/club' };
    const { code, stderr } = await runWith({ nodeArgs: without('pg'), env }, 'runs');
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: `✗ a state on PostgreSQL needs the package pg, which is not installed
  next: Type npm install pg where teamsheet is installed (npm install -g pg where it is installed for all folders), then run the command again (teamsheet runs).
`,
    });
  });

  it('is nothing that a state file needs', async () => {
    folder.write('teamsheet.yaml', 'version: 1\n');
    expect(await runWith({ nodeArgs: without('pg') }, 'runs')).toMatchObject({ code: 0 });
    expect(await run('runs')).toMatchObject({ code: 0 });
  });
});

describe('a state on PostgreSQL that does not answer', () => {
  const { folder, runWith } = program({ 'mappings/users.yaml': USERS_MAPPING });

  it('is told by doctor once, and the service is not asked', async () => {
    folder.write('teamsheet.yaml', CONFIG('any'));
    const env = {
      ...{ TEAMSHEET_BASE_URL: 'http://127.0.0.1:1', TEAMSHEET_API_KEY: 'no-key-of-anybody' },
      TEAMSHEET_STATE_URL: 'postgres://ada@127.0.0.1:1/club',
    };
    const { code, stdout } = await runWith({ env }, 'doctor', '--json');
    const { checks } = JSON.parse(stdout) as { readonly checks: readonly { readonly name: string }[] };
    expect(code).toBe(8);
    expect(checks.filter(({ name }) => name === 'state' || name === 'service')).toMatchObject([
      { level: 'bad', name: 'state', found: expect.stringContaining('cannot be reached') as string },
      { level: 'warning', name: 'service', found: 'is not asked while the state cannot be used' },
    ]);
  });
});

describe.skipIf(noPostgres !== undefined)(
  `the state on a PostgreSQL server (${noPostgres ?? 'found'})`,
  () => {
    const { at, folder, service, env, start, run, runWith, stored, writes } = postgresProgram();
    let sleeping: Promise<Outcome> | undefined;

    const usedUsers = async (): Promise<unknown> => {
      const { body } = await service.sandbox.inject({
        method: 'GET',
        url: 'http://sandbox.test/v1/auth/account',
        headers: { 'x-api-key': service.apiKey },
      });
      const { data } = JSON.parse(body) as { data: { config: { features: { users: { used: number } } } } };
      return data.config.features.users.used;
    };

    /** A folder with a table of users, on the state of this test. */
    function setUp(users: number): void {
      folder.write('teamsheet.yaml', CONFIG(at.schema));
      folder.write('mappings/users.yaml', USERS_MAPPING);
      folder.write('users.csv', manyUsers(users));
    }

    it('carries a folder of init through a push, the same push, resume, runs and weeks', async () => {
      await start(smallDemo(folder.path));
      expect(await run('init')).toMatchObject({ code: 0 });
      const file = join(folder.path, 'teamsheet.yaml');
      const config = readFileSync(file, 'utf8')
        .replace(/^state: .*$/m, `state: { env: TEAMSHEET_STATE_URL }\nstate_schema: ${at.schema}`)
        .replace('fantasy_league_id: ', 'fantasy_league_id: 1 ');
      folder.write('teamsheet.yaml', config);
      folder.write('users.csv', manyUsers(120).replace('Name', 'Display name'));

      const pushed = await run('push', 'users', '--yes', '--json');
      expect(JSON.parse(pushed.stdout)).toMatchObject({
        exit_code: 0,
        mappings: [{ rows: 120, created: 120 }],
      });
      const sent = writes().length;
      const again = await run('push', 'users', '--yes', '--json');
      expect(JSON.parse(again.stdout)).toMatchObject({
        exit_code: 0,
        mappings: [{ rows: 120, unchanged: 120 }],
      });
      expect(writes()).toHaveLength(sent);

      // The second plan knows the rows of the first.
      const plan = ['plan', 'users', '--compare', 'snapshot'] as const;
      expect(await run(...plan)).toMatchObject({ code: 0 });
      folder.write('users.csv', manyUsers(121).replace('Name', 'Display name'));
      const planned = await run(...plan);
      expect(planned).toMatchObject({ code: 0 });
      expect(planned.stdout).toMatch(/^users +121 +1 +0 +120$/m);
      expect(await stored('SELECT part, length(bytes) FROM @.compared_rows')).toEqual([[0, 120 * 24]]);

      expect(await run('resume', '--yes')).toMatchObject({ code: 0, stdout: 'nothing to resume\n' });
      const { runs } = JSON.parse((await run('runs', '--json')).stdout) as {
        readonly runs: readonly unknown[];
      };
      expect(runs).toHaveLength(2);
      expect(await run('weeks', 'read', '--json')).toMatchObject({ code: 0 });
      const { weeks } = JSON.parse((await run('weeks', '--offline', '--json')).stdout) as {
        readonly weeks: readonly { readonly lineups: number }[];
      };
      expect(weeks.reduce((sum, { lineups }) => sum + lineups, 0)).toBe(SQUADS);
      expect(await stored('SELECT count(*) FROM @.snapshot')).toEqual([[200]]);
      // Of a run with nothing left to do, its lines are gone.
      expect(await stored("SELECT count(*), count(*) FILTER (WHERE lines <> '[]') FROM @.run_row")).toEqual([
        [120, 0],
      ]);
    });

    it('keeps every write of a process that is killed, and the next one goes on at once', async () => {
      await start({ settings: { latency_ms: 5 } });
      setUp(400);
      const options: Partial<RunOptions> = {
        env: env(),
        during: signalOnce('SIGKILL', () => writes().length >= 2),
      };
      expect((await runWith(options, 'push', 'users', '--yes')).code).toBeNull();
      const open = await stored("SELECT count(*) FROM @.intent WHERE result IS NULL OR result = 'ambiguous'");
      expect(open).not.toEqual([[0]]);
      const resumed = await run('resume', '--yes', '--json');
      expect(JSON.parse(resumed.stdout)).toMatchObject({
        exit_code: 0,
        mappings: [{ rows: 400, unknown: 0 }],
      });
      // Whatever was sent before and after, the account counts each of them once.
      expect(await usedUsers()).toBe(400);
    });

    it('tells what became of the rows of a run on a machine that has not written its results', async () => {
      await start();
      setUp(400);
      expect((await run('push', 'users', '--yes', '--max-requests', '4')).code).toBe(7);
      rmSync(join(folder.path, '.teamsheet/runs'), { recursive: true });
      const [[id]] = (await stored('SELECT id FROM @.run')) as [[string]];
      const { rows } = JSON.parse((await run('runs', id, '--json')).stdout) as {
        readonly rows: readonly { readonly row: number; readonly outcome: string }[];
      };
      expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: 400 }, (_, at) => at + 2));
      expect(new Set(rows.map(({ outcome }) => outcome))).toEqual(new Set(['created', 'deferred']));

      expect((await run('resume', '--yes')).code).toBe(0);
      rmSync(join(folder.path, '.teamsheet/runs'), { recursive: true });
      expect(await run('runs', id)).toMatchObject({
        code: 4,
        stderr: `✗ .teamsheet/runs/${id}/users.results.csv is not there: the machine that finished run ${id} has it, or somebody removed it
  next: teamsheet verify ${id}
`,
      });
    });

    it('is looked at by doctor', async () => {
      await start();
      setUp(3);
      const state = async (): Promise<unknown> => {
        const { stdout } = await run('doctor', '--json');
        const { checks } = JSON.parse(stdout) as { readonly checks: readonly { readonly name: string }[] };
        return checks.filter(({ name }) => name === 'state');
      };
      const shown = `postgres://${new URL(at.server.url).host}/postgres, schema ${at.schema}: PostgreSQL `;
      const found = (text: string) => [
        { level: 'good', name: 'state', found: expect.stringMatching(text) as string, fix: null },
      ];
      expect(await state()).toEqual(found(`^${shown}.*, no tables yet: the first command makes them$`));
      expect(await state()).toEqual(found(`^${shown}.*, format \\d+$`));
    });

    it('lets a process that slept through the end of its lock send nothing more, while another one resumes its run', async () => {
      // It sleeps while the answer to its second write is on the way, and nothing else is under way.
      await start({ settings: { latency_ms: 500 } });
      setUp(400);
      folder.write(
        'teamsheet.yaml',
        CONFIG(at.schema).replace('settle: 50ms', 'settle: 50ms, concurrency: 1'),
      );
      let tell: (signal: NodeJS.Signals) => void = () => undefined;
      const asleep = new Promise<void>((done) => {
        const stop = signalOnce('SIGSTOP', () => writes().length >= 2);
        const during: RunOptions['during'] = (kill) => {
          tell = kill;
          stop((signal) => {
            kill(signal);
            done();
          });
        };
        sleeping = runWith({ env: env(), during }, 'push', 'users', '--yes');
      });
      await asleep;
      expect(await run('resume', '--yes')).toMatchObject({ code: 6 });
      await stored("UPDATE @.lease SET expires = clock_timestamp() - interval '1 second'");
      const resumed = await run('resume', '--yes', '--json');
      expect(JSON.parse(resumed.stdout)).toMatchObject({
        exit_code: 0,
        mappings: [{ rows: 400, created: 400 }],
      });
      const sent = writes().length;
      tell('SIGCONT');
      const woken = await sleeping;
      expect(woken?.code).toBe(7);
      expect(woken?.stderr).toContain('is not held by this process any more: nothing more is sent');
      expect(writes()).toHaveLength(sent);
      expect(await usedUsers()).toBe(400);
      const { runs } = JSON.parse((await run('runs', '--json')).stdout) as {
        readonly runs: readonly unknown[];
      };
      expect(runs).toMatchObject([{ exit_code: 0 }]);
    });

    it('is copied from a state file, which goes on there, and back', async () => {
      await start();
      setUp(3);
      const onFile = readFileSync(join(folder.path, 'teamsheet.yaml'), 'utf8').replace(
        /^state: .*$/m,
        'state: own/state.sqlite',
      );
      folder.write('file.yaml', onFile);
      expect((await run('push', 'users', '--yes', '--config', 'file.yaml')).code).toBe(0);
      const typed = await run(
        'state',
        'copy',
        '--config',
        'file.yaml',
        '--to',
        'postgres://ada:hush@127.0.0.1/club',
      );
      expect(typed).toMatchObject({ code: 64, stderr: expect.not.stringContaining('hush') as string });
      const copied = await run('state', 'copy', '--config', 'file.yaml', '--to', at.server.url, '--json');
      expect(JSON.parse(copied.stdout)).toMatchObject({
        command: 'state',
        exit_code: 0,
        copied: { account: 1, run: 1, intent: 1, snapshot: 3 },
      });
      const sent = writes().length;
      const { mappings } = JSON.parse((await run('push', 'users', '--yes', '--json')).stdout) as {
        readonly mappings: readonly unknown[];
      };
      expect(mappings).toMatchObject([{ unchanged: 3 }]);
      expect(writes()).toHaveLength(sent);
      expect(await run('state', 'copy', '--to', 'own/state.sqlite')).toMatchObject({
        code: 6,
        stderr: expect.stringContaining('holds a state already') as string,
      });
      const back = await run('state', 'copy', '--to', 'back/state.sqlite');
      expect(back).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(
          /^copied to .*back\/state\.sqlite, and compared: [12] runs?, \d+ rows?, 1 write, 3 known records, 0 readings\n$/,
        ) as string,
      });
      await stored('UPDATE @.intent SET result = NULL, lease = 77');
      await stored("INSERT INTO @.silent VALUES (77, 'pid 1 (push) on tower', 'elsewhere 1')");
      expect(await run('state', 'copy', '--to', 'third/state.sqlite')).toMatchObject({
        code: 6,
        stderr: expect.stringContaining('went silent and may still send it') as string,
      });
      expect(existsSync(join(folder.path, 'third/state.sqlite'))).toBe(false);
    });

    it('lets one machine write to an account', async () => {
      await start();
      setUp(3);
      expect((await run('plan', 'users')).code).toBe(0);
      const [[accountId]] = (await stored('SELECT account_id FROM @.account')) as [[string]];
      const clock = { now: Date.now, monotonic: Date.now, sleep: () => Promise.resolve() };
      const { lock, store } = await openTestState(await clientOf(at.server), at.schema, folder.path, {
        clock,
        process: 'elsewhere',
      });
      const held = await lock.acquire({ baseUrl: service.baseUrl, accountId }, 'push');
      const stopped = await run('push', 'users', '--yes', '--json');
      expect(stopped.code).toBe(6);
      expect(JSON.parse(stopped.stdout)).toMatchObject({ error: { code: 'lock.held' } });
      expect(writes()).toEqual([]);
      await held.release();
      expect((await run('push', 'users', '--yes')).code).toBe(0);
      await store.close();
    });
  },
);
