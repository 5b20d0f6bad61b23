import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/model/error.ts';
import type { Clock } from '../../src/model/ports.ts';
import { realClock } from '../../src/runtime/clock.ts';
import { createLock } from '../../src/state/sqlite/lock.ts';
import { openStore } from '../../src/state/sqlite/store.ts';
import { makeFolder, runCli, signalOnce } from '../support/cli.ts';
import type { Outcome, RunOptions, Service } from '../support/cli.ts';
import { folderOfTest, serviceOfTest } from '../support/of-test.ts';
import { runHere, runInProcess } from '../support/run-here.ts';

const SANDBOX =
  'version: 1\nenvironments: { sandbox: { base_url: "${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } } }\n';

/** Carries out what is due by a clock that is ahead, or behind. */
const runOnce = (league: { readonly path: string }, { env }: Service, aheadMs: number): Promise<Outcome> =>
  runInProcess(
    ['schedule', 'run', '--once', '--json'],
    { cwd: league.path, env },
    { ...realClock, now: () => realClock.now() + aheadMs },
  );

describe('schedule', () => {
  const folder = makeFolder({ 'teamsheet.yaml': 'version: 1\ntimezone: Europe/London\n' });
  afterAll(() => folder.remove());
  const run = (...args: readonly string[]): Promise<Outcome> => runHere(args, { cwd: folder.path });

  it('prints, or writes files and never over others', async () => {
    expect((await run('schedule', 'print', 'cron')).stdout).toContain('sync --yes');
    const args = ['schedule', 'print', 'systemd', '--at', '06:30', '--out', 'units'];
    expect((await run(...args)).stdout).toMatch(/^units\/\S+\.service\nunits\/\S+\.timer\n$/);
    expect(await run(...args)).toMatchObject({ code: 4, stdout: '' });
  });

  it('prints for a container what the mappings say of their times, or an interval that is asked for', async () => {
    const league = folderOfTest({
      'teamsheet.yaml': 'version: 1\n',
      'mappings/m.yaml':
        '{ version: 1, name: fixtures, pull: fixtures, where: { fantasy_league_id: 1 }, destination: { csv: out/f.csv }, schedule: "0 6 * * *" }\n',
    });
    const print = async (...args: readonly string[]): Promise<string> =>
      (await runHere(['schedule', 'print', ...args], { cwd: league.path })).stdout;
    expect(await print('kubernetes')).toContain('"schedule"\n');
    expect(await print('docker')).toMatch(/"schedule"\n\s+- "run"\n\s+- "--probe"/);
    expect(await print('kubernetes', '--every', '6h')).toContain('schedule: "0 */6 * * *"');
    expect(await print('docker', '--at', '06:30')).toContain('teamsheet sync --yes');
  });

  it('runs everything once, then what is due, and says so as JSON', async () => {
    const service = await serviceOfTest();
    const league = folderOfTest({
      'teamsheet.yaml': `${SANDBOX}vars: { fantasy_league_id: 1, price_type: current }\n`,
      'prices.csv': 'player_id,price\n1,5.5\n',
      'mappings/m.yaml': `- version: 1
  name: prices
  push: prices
  source: { csv: prices.csv }
  operation: append
  columns: { fantasy_league_id: { value: "\${fantasy_league_id}" }, player_id: player_id, price: price, type: { value: "\${price_type}" } }
  schedule: { at: each.kickoff - 24h }
  deadline: each.kickoff
- { version: 1, name: fixtures, pull: fixtures, where: { fantasy_league_id: 1 }, destination: { csv: out/f.csv }, schedule: "0 6 1 1 *" }
`,
    });
    const once = (): Promise<Outcome> =>
      runHere(['schedule', 'run', '--once', '--json'], { cwd: league.path, env: service.env });
    const first = await once();
    expect(JSON.parse(first.stdout)).toMatchObject({
      command: 'sync',
      mappings: [
        { name: 'prices', created: 1 },
        { name: 'fixtures', records: 380 },
      ],
    });
    expect(first.stderr).toContain('is approved by this command; nothing is asked');
    const second = await once();
    expect(second).toMatchObject({ code: 0 });
    expect(JSON.parse(second.stdout)).toMatchObject({ run: null, exit_code: 0, mappings: [] });
    await service.sandbox.control('POST', '/clock', { advance: '12d' });
    league.write('prices.csv', 'player_id,price\n1,5.6\n');
    const late = await runHere(['schedule', 'run', '--once'], { cwd: league.path, env: service.env });
    expect(late.code).toBe(7);
    const next = late.stderr.split('\n').filter((line) => line.includes('next:'));
    expect(next).toEqual([expect.stringMatching(/^ +next: teamsheet resume \S+ --after-deadline$/)]);
  });

  it.each([
    ['a mapping that compares with nothing sends no row again', 'hang', 0, { created: 12, unknown: 0 }, 7],
    [
      'what nobody knows of its last write is told by the exit code',
      'html',
      7,
      { created: 10, unknown: 2 },
      6,
    ],
  ] as const)('goes on with a run that was killed: %s', async (_what, kind, code, prices, writes) => {
    const service = await serviceOfTest({
      faults: [{ kind, operation: 'upload-prices', nth: 3 }],
    });
    const league = folderOfTest({
      'teamsheet.yaml': `${SANDBOX}vars: { fantasy_league_id: 1 }\npush: { settle: 100ms }\n`,
      'prices.csv': `player_id,price\n${Array.from({ length: 12 }, (_, at) => `${at + 1},5.5\n`).join('')}`,
      'mappings/m.yaml': `- version: 1
  name: prices
  push: prices
  source: { csv: prices.csv }
  operation: append
  compare: none
  columns: { fantasy_league_id: { value: 1 }, player_id: player_id, price: price, type: { value: current } }
  batch_size: 2
  schedule: "0 6 1 1 *"
- { version: 1, name: fixtures, pull: fixtures, where: { fantasy_league_id: 1 }, destination: { csv: out/f.csv }, schedule: "0 6 1 1 *" }
`,
    });
    const once = (during?: RunOptions['during']): Promise<Outcome> =>
      (during === undefined ? runHere : runCli)(['schedule', 'run', '--once', '--json'], {
        cwd: league.path,
        env: service.env,
        ...(during && { during }),
      });
    const uploads = (): number => service.requests.filter((request) => request === 'POST /v1/price').length;
    expect((await once(signalOnce('SIGKILL', () => uploads() >= 3))).code).toBeNull();
    // It was no part of the run that was killed: a second run pushes it, and one document tells of both.
    league.write('users.csv', 'id,name\nA-1,Ada\n');
    league.write(
      'mappings/users.yaml',
      '{ version: 1, name: users, push: users, source: { csv: users.csv }, operation: upsert, columns: { external_id: { from: id, type: text }, display_name: name }, schedule: "0 6 1 1 *" }\n',
    );
    const again = await once();
    expect(again).toMatchObject({ code });
    expect(JSON.parse(again.stdout)).toMatchObject({
      command: 'sync',
      exit_code: code,
      mappings: [
        { name: 'prices', rows: 12, ...prices },
        { name: 'users', rows: 1, created: 1 },
        { name: 'fixtures', records: 380 },
      ],
    });
    const effects = (await service.sandbox.control('GET', '/effects')) as readonly {
      readonly count: number;
    }[];
    expect(effects).toHaveLength(writes);
    expect(JSON.parse((await once()).stdout)).toMatchObject({ run: null, mappings: [] });
  });

  it('goes on with a run that was killed before it reads the table for a later moment', async () => {
    const service = await serviceOfTest({ faults: [{ kind: 'hang', operation: 'upload-prices', nth: 3 }] });
    const prices = Array.from({ length: 12 }, (_, at) => `${at + 1},5.5\n`).join('');
    const league = folderOfTest({
      'teamsheet.yaml': `${SANDBOX}vars: { fantasy_league_id: 1 }\npush: { settle: 100ms }\n`,
      'prices.csv': `player_id,price\n${prices}`,
      'mappings/m.yaml': `version: 1
name: prices
push: prices
source: { csv: prices.csv }
operation: append
columns: { fantasy_league_id: { value: 1 }, player_id: player_id, price: price, type: { value: current } }
batch_size: 2
schedule: "0 * * * *"
`,
    });
    const options = { cwd: league.path, env: service.env };
    const uploads = (): number => service.requests.filter((request) => request === 'POST /v1/price').length;
    const during = signalOnce('SIGKILL', () => uploads() >= 3);
    expect((await runCli(['schedule', 'run', '--once'], { ...options, during })).code).toBeNull();
    await service.sandbox.control('POST', '/clock', { advance: '2h' });
    league.write('prices.csv', `player_id,price\n${prices}13,5.5\n`);
    const again = await runHere(['schedule', 'run', '--once', '--json'], options);
    expect(again).toMatchObject({ code: 0 });
    expect(JSON.parse(again.stdout)).toMatchObject({
      mappings: [
        { name: 'prices', rows: 12, created: 12 },
        { name: 'prices', rows: 13, created: 1, unchanged: 12 },
      ],
    });
    const runs = await runHere(['runs', '--json'], options);
    expect(runs.stdout).not.toContain('"finished":false');
    expect(runs).toMatchObject({ code: 0, stderr: '' });
  });

  it('writes every other report and pushes where a table of player ids is missing', async () => {
    const service = await serviceOfTest();
    const timed = (text: string): string => `- { version: 1, ${text}, schedule: "0 6 1 1 *" }\n`;
    const league = folderOfTest({
      'teamsheet.yaml': SANDBOX,
      'users.csv': 'id,name\nA-1,Ada\n',
      'mappings/m.yaml':
        timed(
          'name: users, push: users, source: { csv: users.csv }, operation: upsert, columns: { external_id: id, display_name: name }',
        ) +
        timed(
          'name: players, pull: players, where: { fantasy_league_id: 1 }, ids: { csv: ids.csv, column: Player }, destination: { csv: out/p.csv }',
        ) +
        timed('name: list, pull: users, destination: { csv: out/u.csv }'),
    });
    const args = ['schedule', 'run', '--once', '--json'];
    const { code, stdout } = await runHere(args, { cwd: league.path, env: service.env });
    expect(code).toBe(8);
    expect(JSON.parse(stdout)).toMatchObject({
      mappings: [
        { name: 'users', created: 1 },
        { name: 'players', records: 0, error: { code: 'source.missing' } },
        { name: 'list', records: 1 },
      ],
    });
  });

  it('leaves a run for a quarter of an hour where somebody else writes to the account', async () => {
    const service = await serviceOfTest();
    const league = folderOfTest({
      'teamsheet.yaml': SANDBOX,
      'users.csv': 'id,name\nA-1,Ada\n',
      'mappings/users.yaml':
        '{ version: 1, name: users, push: users, source: { csv: users.csv }, operation: upsert, columns: { external_id: { from: id, type: text }, display_name: name }, schedule: "0 6 1 1 *" }\n',
    });
    const run = (...args: readonly string[]): Promise<Outcome> =>
      runHere(args, { cwd: league.path, env: service.env });
    const { id } = JSON.parse((await run('account', '--json')).stdout) as { readonly id: string };
    const lock = createLock({ folder: join(league.path, '.xdg/teamsheet/locks') });
    const held = await lock.acquire({ baseUrl: service.baseUrl, accountId: id }, 'push');
    const first = await run('schedule', 'run', '--once');
    expect(first).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('is being written to') as string,
    });
    await held.release();
    const state = await openStore({ file: join(league.path, '.teamsheet/state.sqlite'), clock: realClock });
    const [account] = await state.accounts(service.baseUrl);
    const kept = account && (await state.fact(account, 'schedule:users'));
    await state.close();
    expect(JSON.parse(kept?.value ?? '{}')).toMatchObject({
      unfinished: { mapping: 'users' },
      triedMs: expect.any(Number) as number,
    });
  });

  it.each([
    ['before it begins', '*', 1, 'GET /v1/user'],
    ['in the middle', 'update-user', 2, 'PATCH /v1/user'],
  ] as const)('tries a run again that a refused key ended %s', async (_when, operation, nth, refused) => {
    const service = await serviceOfTest();
    const users = (name: string): string => `id,name\nA-1,${name} 1\nA-2,${name} 2\nA-3,${name} 3\n`;
    const league = folderOfTest({
      'teamsheet.yaml': `${SANDBOX}push: { settle: 1ms, concurrency: 1 }\n`,
      'users.csv': users('Ada'),
      'mappings/users.yaml':
        '{ version: 1, name: users, push: users, source: { csv: users.csv }, operation: upsert, columns: { external_id: { from: id, type: text }, display_name: name }, schedule: "0 * * * *" }\n',
    });
    const once = (minutes: number): Promise<Outcome> => runOnce(league, service, minutes * 60_000);
    expect((await once(0)).code).toBe(0);
    league.write('users.csv', users('Bo'));
    await service.sandbox.control('POST', '/clock', { advance: '1h' });
    const faults = Array.from({ length: 40 }, (_, at) => ({
      kind: 'status',
      status: 401,
      operation,
      nth: nth + at,
    }));
    await service.sandbox.control('POST', '/faults', { faults });
    expect((await once(60)).code).toBe(5);
    await service.sandbox.control('DELETE', '/faults');
    await service.sandbox.control('POST', '/clock', { advance: '16m' });
    const again = await once(76);
    expect(JSON.parse(again.stdout)).toMatchObject({
      exit_code: 0,
      mappings: [{ name: 'users', updated: 3 }],
    });
    expect(service.requests.some((request) => request.startsWith(refused))).toBe(true);
  });

  it('goes by the right clock again after one that was weeks ahead while the service did not answer', async () => {
    const service = await serviceOfTest();
    const league = folderOfTest({
      'teamsheet.yaml': SANDBOX,
      'mappings/m.yaml':
        '{ version: 1, name: fixtures, pull: fixtures, where: { fantasy_league_id: 1 }, destination: { csv: out/f.csv }, schedule: "0 * * * *" }\n',
    });
    const HOUR_MS = 3_600_000;
    const once = (hours: number): Promise<Outcome> => runOnce(league, service, hours * HOUR_MS);
    expect((await once(0)).code).toBe(0);
    await service.sandbox.control('POST', '/faults', { faults: [{ kind: 'status', status: 403 }] });
    expect((await once(500)).code).toBe(5);
    await service.sandbox.control('DELETE', '/faults');
    await service.sandbox.control('POST', '/clock', { advance: '1h' });
    expect(JSON.parse((await once(1)).stdout)).toMatchObject({
      mappings: [{ name: 'fixtures', records: 380 }],
    });
    expect(JSON.parse((await once(1)).stdout)).toMatchObject({ mappings: [] });
  });

  it('keeps what was carried out where a clock is years behind while the service does not answer', async () => {
    const service = await serviceOfTest();
    const league = folderOfTest({
      'teamsheet.yaml': `${SANDBOX}vars: { fantasy_league_id: 1 }\nseason: { keep: false }\n`,
      'mappings/m.yaml':
        '{ version: 1, name: fixtures, pull: fixtures, where: { fantasy_league_id: 1 }, destination: { csv: out/f.csv }, schedule: { at: each.start - 24h } }\n',
    });
    const once = (behindMs: number): Promise<Outcome> => runOnce(league, service, -behindMs);
    expect((await once(0)).code).toBe(0);
    await service.sandbox.control('POST', '/clock', { advance: '30d' });
    expect(JSON.parse((await once(0)).stdout)).toMatchObject({ mappings: [{ name: 'fixtures' }] });
    await service.sandbox.control('POST', '/faults', { faults: [{ kind: 'status', status: 403 }] });
    await once(40 * 365 * 24 * 3_600_000);
    await service.sandbox.control('DELETE', '/faults');
    expect(JSON.parse((await once(0)).stdout)).toMatchObject({ mappings: [] });
  });

  it('goes on where teamsheet.yaml is broken for a while', async () => {
    const service = await serviceOfTest();
    const config = `${SANDBOX}push: { timeout: 90s }\nseason: { keep: false }\n`;
    const league = folderOfTest({
      'teamsheet.yaml': config,
      'users.csv': 'id,name\nA-1,Ada\n',
      'mappings/users.yaml':
        '{ version: 1, name: users, push: users, source: { csv: users.csv }, operation: upsert, columns: { external_id: id, display_name: name }, schedule: "* * * * *" }\n',
    });
    const stop = new AbortController();
    const clock: Clock = {
      ...realClock,
      // What a schedule sleeps is soon over; what a request may take stays.
      sleep: (ms, signal) => realClock.sleep(ms <= 60_000 ? ms / 1000 : ms, signal),
    };
    const steps: readonly (readonly [said: RegExp, act: () => void])[] = [
      [/next: users/, () => league.write('teamsheet.yaml', 'version: [')],
      [/not valid YAML/, () => stop.abort(new InterruptedError('SIGTERM', 'stopped by SIGTERM'))],
    ];
    let done = 0;
    const said = (text: string): void => {
      const [seen, act] = steps[done] ?? [];
      if (seen?.test(text) !== true) return;
      done += 1;
      act?.();
    };
    const options = { cwd: league.path, env: service.env, signal: stop.signal, said };
    const { code, stderr } = await runInProcess(['schedule', 'run'], options, clock);
    expect([code, done]).toEqual([143, steps.length]);
    expect(stderr.match(/not valid YAML/g)).toHaveLength(1);
  });

  it('says what runs next, with the game week, and why a mapping never runs', async () => {
    const service = await serviceOfTest();
    const pull = (name: string, schedule: string): string =>
      `- { version: 1, name: ${name}, pull: fixtures, where: { fantasy_league_id: 1 }, destination: { csv: out/${name}.csv }, schedule: ${schedule} }\n`;
    const league = folderOfTest({
      'teamsheet.yaml': `${SANDBOX}timezone: Europe/London\nvars: { fantasy_league_id: 1 }\n`,
      'mappings/m.yaml':
        pull('early', '{ at: each.kickoff - 24h }') + pull('never', '{ at: each.start - 9999d }'),
    });
    const { code, stdout } = await runHere(['schedule', 'next', '--json'], {
      cwd: league.path,
      env: service.env,
    });
    expect(code).toBe(0);
    const next = JSON.parse(stdout) as readonly Record<string, unknown>[];
    expect(next).toHaveLength(11);
    expect(next[0]).toMatchObject({ league: null, mapping: 'early', why: 'each.kickoff - 24h' });
    expect(String(next[0]?.['at'])).toMatch(/^20\d\d-.*Z$/);
    expect(next[10]).toMatchObject({ mapping: 'never', week: null, at: null });
  });

  it('reads game weeks without any mapping, also where the folder of mappings is empty', async () => {
    const service = await serviceOfTest();
    const league = folderOfTest({ 'teamsheet.yaml': `${SANDBOX}vars: { fantasy_league_id: 1 }\n` });
    const next = (): Promise<Outcome> =>
      runHere(['schedule', 'next', '--json'], { cwd: league.path, env: service.env });
    const without = await next();
    expect([without.code, without.stdout]).toEqual([0, expect.stringContaining('weeks:read')]);
    league.write('mappings/.gitkeep', '');
    expect(await next()).toEqual(without);
  });

  it('says why nothing comes: no mapping has a schedule, and no game week is left to be read', async () => {
    const service = await serviceOfTest({ now: '2028-01-01T12:00:00Z' });
    const league = folderOfTest({
      'teamsheet.yaml': `${SANDBOX}vars: { fantasy_league_id: 1 }\n`,
      'mappings/m.yaml':
        '{ version: 1, name: early, pull: fixtures, where: { fantasy_league_id: 1 }, destination: { csv: early.csv } }\n',
    });
    const next = (...args: readonly string[]): Promise<Outcome> =>
      runHere(['schedule', 'next', ...args], { cwd: league.path, env: service.env });
    const over = 'no game week is left: the fixtures of the next season are not there yet';
    expect(await next('--json')).toEqual({
      code: 0,
      stdout: '[]\n',
      stderr: `nothing comes: no mapping has a schedule\nno reading of a game week comes: ${over}\n`,
    });
    expect(await next('early')).toEqual({
      code: 0,
      stdout: '\n',
      stderr: 'nothing comes: no mapping that was named has a schedule\n',
    });
  });

  it('names the schedulers that files are printed for', async () => {
    const { code, stderr } = await run('schedule', 'print');
    expect(code).toBe(64);
    expect(stderr).toContain('cron, systemd, windows, github, docker, kubernetes');
  });
});
