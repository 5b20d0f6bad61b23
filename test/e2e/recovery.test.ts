import { renderCount } from '../../src/model/count.ts';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { signalOnce, USERS_MAPPING } from '../support/cli.ts';
import type { Outcome, RunOptions } from '../support/cli.ts';
import { manyUsers, program, settlesIn, type Document as Basic } from '../support/program.ts';
import { runHere } from '../support/run-here.ts';
import { createLock, lockFolder } from '../../src/state/sqlite/lock.ts';

/** Nothing of the sandbox is applied later than a moment after it was sent. */
const CONFIG = settlesIn('100ms');
const LEAGUES_MAPPING = `version: 1
name: leagues
push: fantasy_leagues
source: { csv: leagues.csv }
operation: create
columns:
  name: { from: Name }
  league_id: { from: League, type: integer }
`;
const REPORTS = ['users', 'prices', 'squads']
  .map(
    (name) => `- version: 1\n  name: all-${name}\n  pull: ${name}\n  destination: { csv: out/${name}.csv }\n`,
  )
  .join('');
const HEADER = 'Member ID,Name,Active\n';

interface Case {
  readonly id: string;
  readonly settled: string | null;
  readonly next: readonly string[];
}
interface Document extends Basic {
  readonly cases: readonly Case[];
}

const {
  folder,
  service,
  start,
  runWith,
  writes: posts,
  ...own
} = program({ 'teamsheet.yaml': CONFIG, 'mappings/users.yaml': USERS_MAPPING }, { here: true });
const run = (args: readonly string[], options?: Partial<RunOptions>): Promise<Outcome> =>
  options === undefined ? own.run(...args) : runWith(options, ...args);
const json = own.json as (...args: readonly string[]) => Promise<Document>;
const parse = ({ stdout }: Outcome): Document => JSON.parse(stdout) as Document;

describe('resolve', () => {
  it('settles by reading back what a run that may not wait left unknown', async () => {
    await start({ faults: [{ kind: 'reset', operation: 'create-users', processed: false }] });
    folder.write('users.csv', `${HEADER}M1,Ann,\nM2,Bob,\n`);
    folder.write('teamsheet.yaml', CONFIG.replace('settle: 100ms', 'settle: 1h'));
    const pushed = await json('push', '--max-wait', '1s');
    expect(pushed).toMatchObject({ exit_code: 7, mappings: [{ unknown: 2 }] });
    folder.write('teamsheet.yaml', CONFIG);
    const before = posts().length;
    const listed = await run(['resolve']);
    expect(listed.code).toBe(7);
    expect(listed.stdout).toContain('1 write has no trustworthy answer:');
    expect(listed.stdout).toMatch(/run 01\w+, users \(create-users\), 2 rows, sent/);
    expect(listed.stdout).toContain('row 2 "M1": external_id "M1", display_name "Ann"');
    expect(listed.stderr).toContain('nothing was recorded: without a terminal this needs --yes');
    const only = await run(['resolve', '--json']);
    expect(only.code).toBe(7);
    expect(parse(only)).toMatchObject({
      exit_code: 7,
      cases: [{ kind: 'unknown', settled: null, next: [expect.any(String), expect.any(String)] }],
      requests: { planned: 1, sent: 1 },
    });
    const resolved = await json('resolve');
    expect(resolved.requests).toMatchObject({ planned: resolved.requests.sent, writes: 0 });
    expect(resolved).toMatchObject({
      exit_code: 0,
      cases: [{ kind: 'unknown', settled: 'not_applied' }],
      resumable: [pushed.run],
    });
    // I8: resolve sends nothing but GET.
    expect(posts()).toHaveLength(before);
    expect(await json('resume')).toMatchObject({ exit_code: 0, mappings: [{ rows: 2, created: 2 }] });
    expect(await json('resolve')).toMatchObject({ exit_code: 0, cases: [] });
    expect((await run(['resolve'])).code).toBe(0);
    const verified = await json('verify');
    expect(verified.requests).toMatchObject({ planned: verified.requests.sent, writes: 0 });
  });

  it('says with every push why rows wait, also where nothing is sent', async () => {
    await start({ faults: [{ kind: 'reset', operation: 'create-fantasy-league', processed: false }] });
    folder.write('mappings/leagues.yaml', LEAGUES_MAPPING);
    folder.write('leagues.csv', 'Name,League\nCup,1\n');
    expect((await run(['push', 'leagues', '--yes'])).code).toBe(7);
    const again = await run(['push', 'leagues', '--yes']);
    expect(again.code).toBe(7);
    expect(again.stderr).toMatch(
      /leagues row 2 +Cup +an earlier write of this row \(run 01\w+\) has no trustworthy answer/,
    );
    expect(again.stderr).toContain('nothing to write');
  });

  it("takes the operator's word, names the exact commands, and refuses a word that was disproved", async () => {
    // A league is counted, but its id is never shown: only the operator can say that it is this one.
    await start({ faults: [{ kind: 'reset', operation: 'create-fantasy-league', processed: true }] });
    folder.write('mappings/leagues.yaml', LEAGUES_MAPPING);
    folder.write('leagues.csv', 'Name,League\nSunday,1\n');
    folder.write('teamsheet.yaml', CONFIG.replace('settle: 100ms', 'settle: 1h'));
    const pushed = await json('push', 'leagues', '--max-wait', '1s');
    expect(pushed).toMatchObject({ exit_code: 7, mappings: [{ unknown: 1 }] });
    folder.write('teamsheet.yaml', CONFIG);
    const looked = await json('resolve');
    const [open] = looked.cases;
    const words = (['applied', 'not-applied'] as const).map(
      (assume) => `teamsheet resolve ${open?.id ?? ''} --assume ${assume}`,
    );
    expect(looked).toMatchObject({ exit_code: 7, cases: [{ settled: null, next: words }] });
    const text = await run(['resolve', '--yes']);
    expect(text.stderr).toContain(`next: teamsheet resolve ${open?.id ?? ''} --assume applied`);
    expect(text.stderr, 'resume would look in the same way').not.toContain('next: teamsheet resume');
    const settled = await json('resolve', open?.id.slice(0, 24) ?? '', '--assume', 'applied');
    expect(settled).toMatchObject({ exit_code: 0, cases: [{ settled: 'applied' }] });
    expect(parse(await run(['runs', pushed.run ?? '', '--json']))).toMatchObject({
      exit_code: 0,
      finished: true,
      rows: [{ outcome: 'created', message: expect.stringContaining('as the operator said at') as string }],
    });
    expect(await json('push', 'leagues')).toMatchObject({ exit_code: 0, mappings: [{ unchanged: 1 }] });
  });
});

describe('retry', () => {
  it('sends corrected rows alone, and is done when none are left', async () => {
    await start();
    folder.write('users.csv', `${HEADER}M1,Ann,\nM2,,\n`);
    expect(await json('push')).toMatchObject({ exit_code: 3, mappings: [{ created: 1, invalid: 1 }] });
    folder.write('users.csv', `${HEADER}M1,Anna,\nM2,Bob,\n`);
    const unapproved = await run(['retry']);
    expect(unapproved.code).toBe(6);
    expect(await json('retry')).toMatchObject({
      command: 'retry',
      exit_code: 0,
      mappings: [{ name: 'users', rows: 1, created: 1, updated: 0 }],
    });
    expect(posts()).toEqual(['POST /v1/user', 'POST /v1/user']);
    expect(await json('retry')).toMatchObject({ run: null, exit_code: 0, mappings: [] });
  });

  it('reads the table again in a folder that has moved, and says where it is not there', async () => {
    await start();
    folder.write('users.csv', `${HEADER}M1,Ann,\nM2,,\n`);
    expect(await json('push')).toMatchObject({ mappings: [{ created: 1, invalid: 1 }] });
    const moved = join(folder.path, 'moved');
    mkdirSync(moved);
    for (const name of ['teamsheet.yaml', 'mappings', '.teamsheet'])
      cpSync(join(folder.path, name), join(moved, name), { recursive: true });
    const again = ['retry', '--json', '--yes'];
    const place = { cwd: moved, env: service.env };
    expect(parse(await runHere(again, place))).toMatchObject({
      exit_code: 4,
      error: { code: 'source.missing' },
    });
    folder.write('moved/users.csv', `${HEADER}M1,Ann,\nM2,Bob,\n`);
    expect(parse(await runHere(again, place))).toMatchObject({
      exit_code: 0,
      mappings: [{ name: 'users', rows: 1, created: 1 }],
    });
  });
});

describe('the files of rows to correct, when an older run goes on after a retry,', () => {
  const copy = (): string | undefined => {
    const file = join(folder.path, 'out/rejected/users.rejected.csv');
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  };
  /** A push that refuses M2 and leaves M3, and a retry of M2 with another flag. */
  const retried = async (flag: string): Promise<string> => {
    folder.write('mappings/users.yaml', `${USERS_MAPPING}batch_size: 1\n`);
    const table = (of: string): string => `${HEADER}M1,Ann,\nM2,Bob,${of}\nM3,Cid,\n`;
    folder.write('users.csv', table('maybe'));
    const { run: id } = await json('push', '--max-requests', '2');
    expect(copy()).toContain('M2,Bob,maybe');
    folder.write('users.csv', table(flag));
    expect(await json('retry', id ?? '')).toMatchObject({ mappings: [{ rows: 1 }] });
    return id ?? '';
  };

  it('stay away where the retry sent what was refused', async () => {
    await start();
    const id = await retried('yes');
    expect(copy()).toBeUndefined();
    expect(await json('resume', id)).toMatchObject({ mappings: [{ created: 2, invalid: 1 }] });
    expect(copy()).toBeUndefined();
  });

  it('hold what the retry refused, with what is refused only now', async () => {
    await start({ faults: [{ kind: 'status', status: 422, operation: 'create-users', nth: 2 }] });
    const id = await retried('perhaps');
    expect(await json('resume', id)).toMatchObject({ mappings: [{ created: 1, invalid: 1, rejected: 1 }] });
    expect(copy()).toContain('M2,Bob,perhaps');
    expect(copy()).toContain('M3,Cid,');
    expect(copy()).not.toContain('maybe');
  });

  it('stay as they are where nothing of the older run is refused', async () => {
    await start();
    folder.write('mappings/users.yaml', `${USERS_MAPPING}batch_size: 1\n`);
    folder.write('users.csv', `${HEADER}M1,Ann,\nM2,Bob,\n`);
    const { run: id } = await json('push', '--max-requests', '2');
    folder.write('users.csv', `${HEADER}M1,Ann,\nM3,Cid,maybe\n`);
    expect((await json('push')).exit_code).toBe(3);
    const before = copy();
    expect(before).toContain('M3,Cid,maybe');
    expect(await json('resume', id ?? '')).toMatchObject({ exit_code: 0, mappings: [{ created: 2 }] });
    expect(copy()).toBe(before);
  });
});

describe('verify', () => {
  it('says its cost first, sends only GET, and finds what differs', async () => {
    await start();
    folder.write('users.csv', `${HEADER}M1,Ann,\nM2,Bob,\n`);
    const { run: id } = await json('push');
    const before = posts().length;
    const good = await run(['verify']);
    expect(good.code).toBe(0);
    expect(good.stderr).toContain('takes about 1 GET request');
    const users = JSON.parse((await run(['api', 'list-users'])).stdout) as {
      readonly data: readonly { readonly id: string; readonly external_id: string }[];
    };
    const ann = users.data.find(({ external_id }) => external_id === 'M1');
    const body = JSON.stringify({ id: ann?.id, display_name: 'Anna' });
    expect((await run(['api', 'update-user', '--body', body, '--yes'])).code).toBe(0);
    const verified = await run(['verify', id ?? '', '--json']);
    expect(verified.code).toBe(3);
    expect(parse(verified)).toMatchObject({
      command: 'verify',
      run: id,
      mappings: [{ name: 'users', rows: 2, agrees: 1, differs: 1, missing: 0, unreadable: 0 }],
      rows: [{ row: 2, verdict: 'differs', fields: { display_name: { wanted: 'Ann', held: 'Anna' } } }],
    });
    expect((await run(['verify', id ?? ''])).stderr).toContain('plan users --compare live, which shows');
    expect(posts()).toHaveLength(before + 1);
  });
});

describe('runs prune', () => {
  it('asks, then removes finished runs, and never one that is to be resumed', async () => {
    await start({ faults: [{ kind: 'reset', operation: 'create-users', nth: 2, processed: false }] });
    folder.write('users.csv', `${HEADER}M1,Ann,\n`);
    const first = await json('push');
    folder.write('users.csv', `${HEADER}M1,Ann,\nM2,Bob,\n`);
    folder.write('teamsheet.yaml', CONFIG.replace('settle: 100ms', 'settle: 1h'));
    const second = await json('push', '--max-wait', '1s');
    expect(second).toMatchObject({ exit_code: 7 });
    const all = ['--keep', '0', '--older-than', '0s'];
    const asked = await run(['runs', 'prune', ...all]);
    expect(asked.code).toBe(6);
    expect(asked.stderr).toContain(`${second.run ?? ''} (resume)`);
    expect(await json('runs', 'prune', ...all)).toMatchObject({ removed: [first.run], kept: 1 });
    expect(readdirSync(join(folder.path, '.teamsheet/runs'))).toEqual([second.run]);
    expect((await run(['runs', first.run ?? ''])).code).toBe(64);
    expect(await json('runs', 'prune', ...all)).toMatchObject({ removed: [], needed: [second.run] });
    expect((await run(['runs', '--keep', '3'])).code).toBe(64);
  });
});

describe('a disk that fails in the middle of a push', () => {
  /** Statements that match fail in the child once a file called `full` stands in its folder. */
  const failing = (statements: RegExp): readonly string[] => {
    const text = `import { existsSync } from 'node:fs';
      import { DatabaseSync } from 'node:sqlite';
      const { exec } = DatabaseSync.prototype;
      DatabaseSync.prototype.exec = function (statement) {
        if (${String(statements)}.test(statement) && existsSync('full'))
          throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
        return exec.call(this, statement);
      };`;
    return ['--import', `data:text/javascript,${encodeURIComponent(text)}`];
  };
  const pushUntilFull = async (statements: RegExp): Promise<Outcome> => {
    await start({ settings: { latency_ms: 100, page_size: 1000 } });
    folder.write('users.csv', manyUsers(3000));
    const stopped = await run(['push', '--yes', '--quiet'], {
      nodeArgs: failing(statements),
      during: () => {
        if (posts().length >= 8) folder.write('full', '');
      },
    });
    rmSync(join(folder.path, 'full'));
    expect(stopped).toMatchObject({ code: 8, stdout: '' });
    expect(stopped.stderr).toMatch(
      /✗ .* cannot be opened and written: database or disk is full\n {2}next: Free/,
    );
    return stopped;
  };

  it('is told with what is done, what is not, and how to go on', async () => {
    const { stderr } = await pushUntilFull(/COMMIT/);
    expect(stderr.match(/was interrupted/g)).toHaveLength(1);
    const [, id, done = '', left = '', unclear = ''] =
      /^! run (\w+) \(push, .*\) was interrupted: (\d{1,3}|\d,\d{3}) of 3,000 rows are done, (\d{1,3}|\d,\d{3}) are not, (\d{1,3}|\d,\d{3}) (?:is|are) not known yet; teamsheet resume \1 continues$/m.exec(
        stderr,
      ) ?? [];
    const sum = [done, left, unclear].map((count) => Number(count.replace(',', '')));
    expect(sum.reduce((all, count) => all + count, 0)).toBe(3000);
    expect(await json('resume')).toMatchObject({
      run: id,
      exit_code: 0,
      mappings: [{ rows: 3000, created: 3000 }],
    });
  });

  it('is told all the same when what is done cannot be read any more', async () => {
    const { stderr } = await pushUntilFull(/./);
    expect(stderr).toMatch(
      /^! the progress of the run cannot be read now \(.*\); correct that, then type: teamsheet runs$/m,
    );
    expect((await run(['runs'])).stderr).toContain('was interrupted');
  });
});

it('a state that is removed in the middle of an import leaves one thing to do, which works', async () => {
  await start({ settings: { latency_ms: 200 } });
  folder.write('more.csv', manyUsers(300));
  const args = ['import', 'more.csv', '--as', 'users', '--yes'];
  const state = join(folder.path, '.teamsheet');
  const { code, stderr } = await run(args, {
    during: () => {
      if (service.requests.length > 0 && posts().length === 0 && existsSync(state))
        rmSync(state, { recursive: true });
    },
  });
  expect(code).toBe(8);
  expect(stderr).toMatch(/state\.sqlite was removed, renamed or replaced while the command was using it/);
  expect(stderr.match(/next: .*/g)).toEqual([
    expect.stringMatching(/ run the command again \(.*import more\.csv --as users --yes\)\.$/),
  ]);
  expect(posts()).toEqual([]);
  expect((await run(args)).code).toBe(0);
  expect(posts()).not.toEqual([]);
});

describe('a signal', () => {
  it('during a push says what is done, what is left and what to type; resume goes on', async () => {
    await start({ settings: { latency_ms: 300, per_minute: 1000 } });
    folder.write('users.csv', manyUsers(3000));
    const stopped = await run(['push', '--yes', '--json'], {
      during: signalOnce('SIGTERM', () => posts().length >= 8),
    });
    expect(stopped.code).toBe(143);
    const { error, run: id, mappings } = parse(stopped);
    const { created = 0, deferred = 0 } = mappings[0] as Readonly<Record<string, number>>;
    expect(created + deferred).toBe(3000);
    expect(error.message).toBe(
      `stopped by SIGTERM: ${renderCount(created)} of 3,000 rows done, ${renderCount(deferred)} left`,
    );
    expect(error.next).toBe(`teamsheet resume ${id ?? ''}`);
    expect(deferred).toBeGreaterThan(0);
    expect(await json('resume')).toMatchObject({ exit_code: 0, mappings: [{ rows: 3000, created: 3000 }] });
  });

  it('a second one ends at once, and resume goes on all the same', async () => {
    await start({ faults: [{ kind: 'late', operation: 'create-users', after_ms: 3000 }] });
    folder.write('users.csv', `${HEADER}M1,Ann,\n`);
    const stopped = await run(['push', '--yes'], {
      during: (kill) => {
        if (posts().length > 0) kill('SIGINT');
      },
    });
    expect(stopped.code).toBe(130);
    expect(stopped.stdout).toBe('');
    expect(stopped.stderr).toContain('SIGINT: ended at once; to continue a push, type: teamsheet resume\n');
    const resumed = await json('resume');
    expect(resumed).toMatchObject({ exit_code: 0, mappings: [{ rows: 1, created: 1 }] });
    const { data } = JSON.parse((await run(['api', 'list-users'])).stdout) as { readonly data: unknown[] };
    expect(data).toHaveLength(1);
  });

  it('during a pause ends it, with the next command', async () => {
    await start({ settings: { per_minute: 5, window_seconds: 60, page_size: 500 } });
    folder.write('users.csv', manyUsers(1500));
    const stopped = await run(['push', '--yes', '--json'], {
      // The fifth request is the last of the window.
      during: signalOnce('SIGINT', () => service.requests.length >= 5),
    });
    expect(stopped.code).toBe(130);
    expect(parse(stopped).error.next).toMatch(/^teamsheet resume 01/);
  });

  it('while a writing command waits for what may still be applied is answered at once', async () => {
    await start({ faults: [{ kind: 'reset', operation: 'create-users', processed: false }] });
    folder.write('users.csv', `${HEADER}M1,Ann,\n`);
    folder.write('teamsheet.yaml', CONFIG.replace('settle: 100ms', 'settle: 1h'));
    expect(await json('push', '--max-wait', '1s')).toMatchObject({ mappings: [{ unknown: 1 }] });
    const stopped = await run(['resolve', '--yes', '--json'], {
      when: { seen: /may still be applied/, act: (kill) => kill('SIGINT') },
    });
    expect(stopped.code).toBe(130);
    expect(parse(stopped).error.message).toBe('stopped by SIGINT: nothing was written to the service');
  });

  it('among the reports of a sync tells of the push, of each report, and what is left', async () => {
    await start({ settings: { latency_ms: 300 } });
    folder.write('mappings/reports.yaml', REPORTS);
    folder.write('users.csv', `${HEADER}M1,Ann,\n`);
    const stopped = await run(['sync', '--yes', '--json', '--config', 'teamsheet.yaml'], {
      during: signalOnce('SIGINT', () =>
        service.requests.some((request) => request.startsWith('GET /v1/price')),
      ),
    });
    expect(stopped.code).toBe(130);
    const { run: id, mappings, error } = parse(stopped);
    expect(id).toMatch(/^01/);
    expect(mappings).toMatchObject([
      { name: 'users', created: 1 },
      { name: 'all-users', records: 1 },
      { name: 'all-prices', error: { code: 'run.interrupted' } },
      { name: 'all-squads', error: { code: 'run.interrupted' } },
    ]);
    expect(error).toMatchObject({
      message: 'stopped by SIGINT: 1 report is done, 2 reports are as before',
      next: 'teamsheet pull all-prices all-squads --config teamsheet.yaml',
    });
    expect(existsSync(join(folder.path, 'out/users.csv'))).toBe(true);
    expect(existsSync(join(folder.path, 'out/squads.csv'))).toBe(false);
    expect(await json('resume')).toMatchObject({ run: null });
  });
});

describe('the lock', () => {
  it('of a living process stops every command that writes, and none that reads', async () => {
    await start();
    folder.write('users.csv', `${HEADER}M1,Ann,\n`);
    const { data } = JSON.parse((await run(['api', 'get-account'])).stdout) as {
      readonly data: { readonly id: string };
    };
    const locks = createLock({ folder: lockFolder({ XDG_STATE_HOME: join(folder.path, '.xdg') }) });
    const account = { baseUrl: service.baseUrl, accountId: data.id.toLowerCase() };
    const lock = await locks.acquire(account, 'push');
    try {
      for (const command of [
        ['push'],
        ['resume'],
        ['resolve'],
        ['api', 'create-users', '--body', '{"users":[]}'],
      ])
        expect(await json(...command)).toMatchObject({
          exit_code: 6,
          error: {
            code: 'lock.held',
            message: expect.stringMatching(
              new RegExp(`by pid ${process.pid} \\(push\\) on \\S+ since .* UTC`),
            ) as string,
          },
        });
      expect((await run(['plan'])).code).toBe(0);
      expect((await run(['verify'])).code).toBe(0);
    } finally {
      await lock.release();
    }
    expect(posts()).toEqual([]);
    expect(await json('push')).toMatchObject({ exit_code: 0, mappings: [{ created: 1 }] });
  });
});
