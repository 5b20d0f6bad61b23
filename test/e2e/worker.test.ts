import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { realClock } from '../../src/runtime/clock.ts';
import { startServer, USERS_MAPPING, without, type Outcome, type RunOptions } from '../support/cli.ts';
import { control } from '../support/control.ts';
import { clientOf, noPostgres, openTestState } from '../support/postgres.ts';
import { postgresProgram } from '../support/postgres-program.ts';
import { manyUsers, program } from '../support/program.ts';
import { smallDemo, SQUADS } from '../support/small-demo.ts';
import { runHere, runInProcess } from '../support/run-here.ts';

const ONCE_A_YEAR = '0 5 1 1 *';
const scheduled = (mapping: string): string => `${mapping}schedule: "${ONCE_A_YEAR}"\n`;

const config = (schema: string): string => `version: 1
environments:
  test: { base_url: "\${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } }
push: { settle: 50ms }
state: { env: TEAMSHEET_STATE_URL }
state_schema: ${schema}
state_lease: 10s
`;

interface Status {
  readonly hosts: readonly { readonly name: string; readonly state: string }[];
  readonly queues: readonly object[];
}

const isSome = (count: number): boolean => count > 0;

describe.skipIf(noPostgres !== undefined)(`workers on a PostgreSQL server (${noPostgres ?? 'found'})`, () => {
  const { at, folder, service, env, start, run, runWith, stored, writes } = postgresProgram();
  const runOn = (options: Partial<RunOptions>, ...args: readonly string[]): Promise<Outcome> =>
    runWith({ ...options, env: env() }, ...args);

  /** Everything that the named mappings missed since long ago is due. */
  async function makeDue(...mappings: readonly string[]): Promise<void> {
    const [[accountId]] = (await stored('SELECT account_id FROM @.account')) as [[string]];
    const clock = { now: Date.now, monotonic: Date.now, sleep: () => Promise.resolve() };
    const { store } = await openTestState(await clientOf(at.server), at.schema, folder.path, { clock });
    const value = JSON.stringify({ sinceMs: 1 });
    const facts = mappings.map((mapping) => ({ name: `schedule:${mapping}`, value }));
    await store.setFacts({ baseUrl: service.baseUrl, accountId }, facts);
    await store.close();
  }

  /** What the service did, by operation: how many records each request made or changed. */
  async function effects(): Promise<readonly (readonly [operation: unknown, records: unknown])[]> {
    const { list } = await control(service.sandbox, 'GET', '/effects');
    return list.map((effect) => [effect['operation'], effect['record_count']]);
  }

  /** Whether the schedules of {@link setUp} are carried out. */
  async function areDone(): Promise<boolean> {
    const [[facts]] = (await stored(
      "SELECT count(*) FROM @.fact WHERE name LIKE 'schedule:%' AND value NOT LIKE '%unfinished%' AND value LIKE '%cronMs%'",
    )) as [[number]];
    return facts === 3;
  }

  /** The page that the link of a dashboard leads to. */
  async function page(link: string): Promise<string> {
    const entered = await fetch(link, { redirect: 'manual' });
    const cookie = entered.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    return (await fetch(new URL('/', link), { headers: { cookie } })).text();
  }

  const USERS = 300;

  /** Two tables of users to push and a report, all with a schedule whose time comes once a year. */
  function setUp(): void {
    folder.write('teamsheet.yaml', config(at.schema));
    folder.write('mappings/users.yaml', scheduled(USERS_MAPPING));
    const more = USERS_MAPPING.replace('name: users', 'name: more').replace('users.csv', 'more.csv');
    folder.write('mappings/more.yaml', scheduled(more));
    folder.write('users.csv', manyUsers(USERS));
    folder.write('more.csv', manyUsers(USERS).replaceAll('M', 'N').replace('Nember ID', 'Member ID'));
    folder.write(
      'mappings/list.yaml',
      scheduled('version: 1\nname: list\npull: users\ndestination: { csv: out/users.csv }\n'),
    );
  }

  async function until(isSo: () => Promise<boolean>, everyMs = 10): Promise<void> {
    while (!(await isSo())) await new Promise((done) => setTimeout(done, everyMs));
  }

  it('push everything that is due once, although one of two is killed in the middle of a push', async () => {
    await start({ settings: { latency_ms: 20 } });
    setUp();
    expect((await run('plan')).code).toBe(0);
    await makeDue('users', 'more', 'list');
    const outcomes = [1, 2].map((n) => {
      let end: ((signal: NodeJS.Signals) => void) | undefined;
      const outcome = runOn({ started: (kill) => (end = kill) }, 'worker', '--host', `host-${n}`);
      return { outcome, end: (signal: NodeJS.Signals) => end?.(signal) };
    });
    await until(() => Promise.resolve(writes().length >= 2));
    const [[owner]] = (await stored('SELECT owner FROM @.lease')) as [[string]];
    process.kill(Number(/^pid (\d+) /.exec(owner)?.[1]), 'SIGKILL');
    // As if it had been on another machine: nobody sees that it is gone before its lease is over.
    await at.client.query(
      `UPDATE "${at.schema}".host SET process = 'elsewhere 1' WHERE process = (SELECT process FROM "${at.schema}".lease)`,
      [],
    );
    await at.client.query(`UPDATE "${at.schema}".lease SET process = 'elsewhere 1'`, []);
    const killed = await Promise.race(
      outcomes.map(async ({ outcome }, at) => ({ at, code: (await outcome).code })),
    );
    expect(killed.code).toBeNull();
    const [open] = (await stored('SELECT id FROM @.run')) as [[string]];
    await until(areDone, 100);
    const status = JSON.parse((await run('worker', 'status', '--json')).stdout) as Status;
    expect(status.hosts.map(({ name }) => name).toSorted()).toEqual(['host-1', 'host-2']);
    expect(status.hosts).toContainEqual(
      expect.objectContaining({ name: `host-${2 - killed.at}`, state: 'alive' }),
    );
    // That of the killed one came to nothing.
    expect(status.queues).toContainEqual(
      expect.objectContaining({ name: 'sync/test', waiting: 0, failed: expect.toSatisfy(isSome) as number }),
    );
    const left = outcomes[1 - killed.at];
    left?.end('SIGTERM');
    const { code, stderr } = (await left?.outcome) ?? { code: undefined, stderr: '' };
    expect({ code, stderr }).toMatchObject({ code: 143 });
    expect(stderr.split('what the schedules push is approved by this command')).toHaveLength(2);

    // A write that was recorded and is not found waits for the word of the killed one: its next process says it.
    expect((await run('worker', '--once', '--host', `host-${killed.at + 1}`)).code).toBe(0);
    expect((await run('resume', '--yes')).code).toBe(0);
    // The run of the killed one is the only one that wrote: the other went on with it.
    const { runs } = JSON.parse((await run('runs', '--json')).stdout) as {
      readonly runs: readonly {
        readonly run: string;
        readonly command: string;
        readonly exit_code: number;
      }[];
    };
    expect(runs).toMatchObject([{ run: open[0], command: 'sync', exit_code: 0 }]);
    const made = await effects();
    expect(made.map(([operation]) => operation)).toEqual(made.map(() => 'create-users'));
    expect(made.reduce((sum, [, records]) => sum + Number(records), 0)).toBe(2 * USERS);
    expect((await run('verify', '--json')).code).toBe(0);
    expect((await run('pull')).code).toBe(0);
    expect(readFileSync(join(folder.path, 'out/users.csv'), 'utf8').trim().split('\n')).toHaveLength(
      2 * USERS + 1,
    );
  });
  it('go on when the database is back, with everything sent once', async ({ skip }) => {
    const { restart } = at.server;
    if (restart === undefined) return skip('the server is not ours to restart');
    await start({ settings: { latency_ms: 20 } });
    setUp();
    expect((await run('plan')).code).toBe(0);
    await makeDue('users', 'more', 'list');
    let end: ((signal: NodeJS.Signals) => void) | undefined;
    const outcome = runOn({ started: (kill) => (end = kill) }, 'worker', '--probe', '127.0.0.1:0');
    await until(() => Promise.resolve(writes().length >= 2));
    await at.client.close();
    await restart();
    at.client = await clientOf(at.server);
    await until(areDone, 100);
    end?.('SIGTERM');
    expect(await outcome).toMatchObject({ code: 143 });
    expect((await effects()).reduce((sum, [, records]) => sum + Number(records), 0)).toBe(2 * USERS);
    expect((await run('verify', '--json')).code).toBe(0);
  });

  it('carry out everything once with --once, and nothing that is not due', async () => {
    await start();
    setUp();
    const { code, stdout } = await run('worker', '--once', '--json');
    expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({
      code: 0,
      command: 'sync',
      mappings: [{ created: USERS }, { created: USERS }, { direction: 'pull', rows: 2 * USERS }],
    });
    expect((await effects()).reduce((sum, [, records]) => sum + Number(records), 0)).toBe(2 * USERS);
    const before = service.requests.length;
    const again = await run('worker', '--once', '--json');
    expect(JSON.parse(again.stdout)).toEqual({ command: 'worker', exit_code: 0 });
    // The sync and the game weeks read the account; what is due after them is told by what they kept.
    const reads = service.requests.slice(before).filter((request) => request.includes('/auth/account'));
    expect(reads).toHaveLength(2);
  });

  it('tell with --once of a deadline that is near', async () => {
    await start(smallDemo(folder.path, {}, '2026-08-21T12:00:00Z'));
    setUp();
    const told: unknown[] = [];
    const receiver = await startServer((request, response) => {
      request.setEncoding('utf8').on('data', (text: string) => told.push(JSON.parse(text)));
      request.on('end', () => response.end());
    });
    folder.write(
      'teamsheet.yaml',
      `${config(at.schema)}vars: { fantasy_league_id: 1 }
alerts: [{ webhook: { env: ALERT_URL }, on: [deadline_near], allow_private: true }]
`,
    );
    folder.write('users.csv', 'Member ID,Name,Active\nM1,Ann,perhaps\n');
    const once = (): Promise<Outcome> =>
      runHere(['worker', '--once'], { cwd: folder.path, env: { ...env(), ALERT_URL: receiver.baseUrl } });
    expect((await once()).code).toBe(3);
    expect(told).toEqual([]);
    folder.write('mappings/users.yaml', `${scheduled(USERS_MAPPING)}deadline: each.kickoff\n`);
    expect((await once()).code).toBe(0);
    expect(told).toMatchObject([{ event: 'deadline_near', mapping: 'users' }]);
    await receiver.close();
  });

  it('read game weeks beside a push that somebody else is at', async () => {
    await start(smallDemo(folder.path, {}, '2026-08-19T00:00:00Z'));
    setUp();
    folder.write('teamsheet.yaml', `${config(at.schema)}vars: { fantasy_league_id: 1 }\n`);
    expect((await run('push', 'users', '--yes')).code).toBe(0);
    const before = writes().length;
    const [[accountId]] = (await stored('SELECT account_id FROM @.account')) as [[string]];
    const clock = { now: Date.now, monotonic: () => performance.now(), sleep: () => Promise.resolve() };
    const { store } = await openTestState(await clientOf(at.server), at.schema, folder.path, {
      clock,
      held: [{ baseUrl: service.baseUrl, accountId }],
      // Nobody renews it, and a busy machine takes its time.
      termMs: 3_600_000,
    });
    const { code, stderr } = await run('worker', '--once');
    expect(stderr).toContain('is being written to by');
    expect(code).toBe(6);
    expect(writes()).toHaveLength(before);
    await store.close();
    const weeks = await run('weeks', '--json');
    expect(JSON.parse(weeks.stdout)).toMatchObject({ weeks: [{ week: '1', lineups: SQUADS }] });
    // What waited for the push is done once that is over.
    expect((await run('worker', '--once')).code).toBe(0);
    expect(writes().length).toBeGreaterThan(before);
  });

  it('go on with the reading of a game week that a killed one has left, and read no line-up again that it kept', async () => {
    const all = 60;
    await start({ seed: 'demo', now: '2026-08-19T00:00:00Z', settings: { latency_ms: 40 } });
    const league = `${config(at.schema)}vars: { fantasy_league_id: 1 }\n`;
    folder.write('teamsheet.yaml', league.replace('50ms', '50ms, concurrency: 1'));
    const lineups = (): number => service.requests.filter((request) => request.endsWith('/lineup')).length;
    const kept = async (): Promise<number> =>
      ((await stored("SELECT count(*) FROM @.kept WHERE kind = 'lineup'")) as [[number]])[0][0];
    let end: ((signal: NodeJS.Signals) => void) | undefined;
    const killed = runOn({ started: (kill) => (end = kill) }, 'worker');
    const isThere = async (): Promise<boolean> =>
      ((await stored("SELECT to_regclass('@.kept')")) as [[unknown]])[0][0] !== null;
    await until(async () => (await isThere()) && (await kept()) > 0);
    end?.('SIGKILL');
    expect((await killed).code).toBeNull();
    const before = await kept();
    expect(before).toBeLessThan(all);
    const asked = lineups();
    folder.write('teamsheet.yaml', league);
    // It is tried again a quarter of an hour after it was begun.
    await control(service.sandbox, 'POST', '/clock', { advance: '16m' });
    expect((await run('worker', '--once')).code).toBe(0);
    expect(await kept()).toBe(all);
    expect(lineups() - asked).toBe(all - before);
  });

  it('leave a mapping to other machines whose files they do not have, and doctor names them', async () => {
    await start();
    setUp();
    rmSync(join(folder.path, 'more.csv'));
    folder.write('.env', 'SPARE=1\n');
    chmodSync(join(folder.path, '.env'), 0o644);
    const { code, stdout, stderr } = await run('worker', '--once', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      mappings: [{ name: 'users', created: USERS }, { name: 'list' }],
    });
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: expect.stringContaining(
        'more is left to other machines: more.csv is not on this one',
      ) as string,
    });
    expect(stderr).toContain('more reads more.csv, which this machine does not have');
    // It opens the configuration for each job, and says once what is wrong with it.
    expect(stderr.split('.env can be read by other accounts')).toHaveLength(2);
    const doctor = await run('doctor');
    expect(doctor.stdout).toContain('more reads more.csv, which this machine does not have');
    expect(doctor.code).toBe(4);
    setUp();
    const again = await run('worker', '--once', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({
      exit_code: 0,
      mappings: [{ name: 'more', created: USERS }],
    });
  });

  it('are shown by worker status and on the dashboard', async () => {
    await start();
    setUp();
    const before = await run('worker', 'status');
    expect(before).toEqual({
      code: 0,
      stdout:
        'no worker was heard of within a day\n\nnobody writes now\n\nthere was no job yet\n\nnothing was sent yet\n',
      stderr: '',
    });
    expect((await run('worker', '--once', '--host', 'tower')).code).toBe(0);
    const { code, stdout } = await run('worker', 'status');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^worker +pid +state +heard of\ntower +\d+ +ended +[^\n]+\n\nnobody writes now\n\njobs +waiting +under way +done +failed\n/,
    );
    expect(stdout).toMatch(
      /\nsync\/test +0 +0 +1 +0\nweeks\/test +0 +0 +1 +0\n\nrequests to +under way +in a minute +waiting +windows\n/,
    );
    expect(stdout).toMatch(/\nhttp:\S+ +0 +\d+ +0 +[\d,]+ in 1 min, [\d,]+ in 24 h\n$/);
    const document = JSON.parse((await run('worker', 'status', '--json')).stdout) as object;
    expect(document).toMatchObject({
      budgets: [{ under_way: 0, waiting: 0, windows: [{ seconds: 60 }, { seconds: 86_400 }] }],
    });
    let shown = '';
    const when: RunOptions['when'] = {
      seen: /open the link/,
      act: (kill, link) => {
        void page(link.trim()).then((text) => {
          shown = text;
          kill('SIGTERM');
        });
      },
    };
    expect((await runOn({ when }, 'dashboard', '--port', '0')).code).toBe(143);
    expect(shown).toContain('Machines');
    expect(shown).toContain('tower');
    expect(shown).toContain('Nobody writes now.');
  });

  it('end by a signal, each with its own code', async () => {
    await start();
    setUp();
    for (const [signal, code] of [
      ['SIGTERM', 143],
      ['SIGINT', 130],
    ] as const) {
      const when: RunOptions['when'] = { seen: /is approved by this command/, act: (kill) => kill(signal) };
      const outcome = await runOn({ when }, 'worker');
      expect(outcome).toMatchObject({ code });
      expect(outcome.stderr).toContain(`stopped by ${signal}`);
    }
    expect(writes()).toEqual([]);
  });

  it('say which accounts there are', async () => {
    await start();
    setUp();
    expect(await run('worker', '--account', 'other')).toMatchObject({
      code: 64,
      stderr: expect.stringContaining(
        'no account with a schedule is called "other": there is test',
      ) as string,
    });
  });

  it('do not begin on a machine whose clock is wrong, and doctor says so', async () => {
    await start();
    setUp();
    const minuteAhead = { ...realClock, now: () => realClock.now() + 60_000 };
    const place = { cwd: folder.path, env: env() };
    const worker = await runInProcess(['worker', '--once'], place, minuteAhead);
    expect(worker.stderr).toMatch(/^✗ the clock of this machine is \d+ s off that of /);
    expect(worker.code).toBe(6);
    const doctor = await runInProcess(['doctor'], place, minuteAhead);
    expect(doctor.stdout).toMatch(/clock .* off that of the state's database/);
    expect(doctor.code).toBe(6);
    expect(writes()).toEqual([]);
  });

  it('need the package pg-boss', async () => {
    await start();
    setUp();
    const { code, stderr } = await runOn({ nodeArgs: without('pg-boss') }, 'worker');
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: `✗ a worker needs the package pg-boss, which is not installed
  next: Type npm install pg-boss where teamsheet is installed (npm install -g pg-boss where it is installed for all folders), then run the command again (teamsheet worker).
`,
    });
  });
});

describe('a worker on a state file', () => {
  const { folder, runWith } = program({
    'mappings/users.yaml': scheduled(USERS_MAPPING),
  });

  it('is a mistake of the configuration', async () => {
    folder.write('teamsheet.yaml', config('any').replace(/^state.*\n/gm, ''));
    const env = { TEAMSHEET_BASE_URL: 'http://127.0.0.1:1', TEAMSHEET_API_KEY: 'key' };
    const { code, stderr } = await runWith({ env }, 'worker');
    expect(code).toBe(4);
    expect(stderr).toContain('✗ workers share a state on PostgreSQL, and this one is ');
    expect(stderr).toContain('next: Name a database in "state:" of teamsheet.yaml');
  });
});
