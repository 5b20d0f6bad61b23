import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, describe, expect, it } from 'vitest';
import { RESOURCES } from '../../src/contract/index.ts';
import { makeFolder, runCli } from '../support/cli.ts';
import { folderOfTest, serviceOfTest } from '../support/of-test.ts';
import { program } from '../support/program.ts';
import { runHere } from '../support/run-here.ts';
import { smallDemo } from '../support/small-demo.ts';

const { folder, service } = program({}, { once: true, service: { seed: 'demo' } });

describe('a new operator', () => {
  const home = (): string => join(folder.path, 'season');
  const run = (...args: string[]) => runHere(args, { cwd: home() });

  it('sets up a folder from the environment and checks it', async () => {
    const made = await runHere(['init', 'season', '--reports', 'csv', '--json'], {
      cwd: folder.path,
      env: service.env,
    });
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const { written } = JSON.parse(made.stdout) as { readonly written: readonly string[] };
    expect(written).toEqual(
      expect.arrayContaining([
        'teamsheet.yaml',
        '.env',
        '.gitignore',
        'mappings/users.yaml',
        'templates/users.csv',
      ]),
    );
    expect(statSync(join(home(), '.env')).mode & 0o077).toBe(0);
    expect(readFileSync(join(home(), 'teamsheet.yaml'), 'utf8')).toMatch(/^ {2}fantasy_league_id: +#/m);
    expect(readFileSync(join(home(), '.gitignore'), 'utf8').split('\n')).toEqual(
      expect.arrayContaining(['.env', '.teamsheet/', 'out/']),
    );

    const again = await runHere(['init', 'season', '--reports', 'csv', '--json'], {
      cwd: folder.path,
      env: service.env,
    });
    expect(JSON.parse(again.stdout)).toMatchObject({ written: [], kept: written });

    const doctor = await run('doctor', '--json');
    expect(doctor.code).toBe(0);
    const { checks } = JSON.parse(doctor.stdout) as {
      readonly checks: readonly {
        readonly name: string;
        readonly level: string;
        readonly fix: string | null;
      }[];
    };
    expect(checks.filter(({ level }) => level === 'bad')).toEqual([]);
    // The clock of a sandbox is what its user sets: nobody has to mend it.
    expect(checks.find(({ name }) => name === 'clock')).toMatchObject({ level: 'good', fix: null });
    expect(checks.find(({ level }) => level === 'warning')).toMatchObject({
      name: 'mappings',
      fix: expect.stringContaining('fantasy_league_id') as string,
    });
  });

  it('adds to a .env that is there what it lacks', async () => {
    const env = 'elsewhere/.env';
    const read = (): string => readFileSync(join(folder.path, env), 'utf8');
    const init = () => runHere(['init', 'elsewhere', '--json'], { cwd: folder.path, env: service.env });
    folder.write(env, 'OTHER=1\nTEAMSHEET_API_KEY=mine');
    expect(JSON.parse((await init()).stdout)).toMatchObject({
      written: expect.arrayContaining(['.env']) as unknown,
    });
    expect(statSync(join(folder.path, env)).mode & 0o077).toBe(0);
    const completed = read();
    expect(completed.startsWith('OTHER=1\nTEAMSHEET_API_KEY=mine\nTEAMSHEET_BASE_URL=')).toBe(true);
    expect(parseEnv(completed)).toMatchObject({
      TEAMSHEET_API_KEY: 'mine',
      TEAMSHEET_BASE_URL: service.baseUrl,
    });
    expect(JSON.parse((await init()).stdout)).toMatchObject({ written: [] });
    expect(read()).toBe(completed);
    folder.write(env, 'TEAMSHEET_API_KEY=mine\n');
    const { stdout } = await runHere(['init', 'elsewhere'], { cwd: folder.path, env: {} });
    expect(stdout).toContain('fill TEAMSHEET_BASE_URL into .env');
    // As an init leaves it that was told neither.
    folder.write(env, 'TEAMSHEET_BASE_URL=\nTEAMSHEET_API_KEY=\nOTHER=1\n');
    await init();
    expect(read().split('\n')).toEqual([
      `TEAMSHEET_BASE_URL=${service.baseUrl}`,
      `TEAMSHEET_API_KEY=${service.env['TEAMSHEET_API_KEY']}`,
      'OTHER=1',
      '',
    ]);
  });

  it.each([
    ['workbook', [], / tab "/],
    ['csv', ['--reports', 'csv'], /\.csv$/],
  ] as const)('has each report once, all of them in the place %s', async (place, flags, destination) => {
    const seeded = await serviceOfTest(smallDemo(folder.path));
    const home = join(folder.path, `reports-${place}`);
    await runHere(['init', home, ...flags], { cwd: folder.path, env: seeded.env });
    const pulled = await runHere(['pull', '--json', '--var', 'fantasy_league_id=1'], { cwd: home });
    expect(pulled.code).toBe(0);
    const { mappings } = JSON.parse(pulled.stdout) as {
      readonly mappings: readonly { readonly resource: string; readonly destination: string }[];
    };
    expect(mappings.filter((each) => !destination.test(each.destination))).toEqual([]);
    expect(new Set(mappings.map((each) => each.destination)).size).toBe(mappings.length);
    // The league table and the table week by week are two tabs.
    const expected = place === 'workbook' ? [...RESOURCES, 'standings'] : RESOURCES;
    expect(mappings.map(({ resource }) => resource).toSorted()).toEqual(expected.toSorted());
    // What two reports show is asked for once.
    const asked = seeded.requests.filter((request) => /\/(?:player|squad|lineup|price|user)\b/.test(request));
    expect(asked.length).toBeGreaterThan(100);
    expect(asked.filter((request, at) => asked.indexOf(request) !== at)).toEqual([]);
  });

  it.each([
    ['workbook', ['fixtures-workbook', 'history-workbook']],
    ['csv', ['fixtures-report']],
  ])('has the reports that were asked for alone, in the place %s', async (place, pulls) => {
    const flags = ['--reports', place, '--show', 'history', '--show', 'fixtures'];
    const made = await runHere(['init', ...flags, `some-${place}`], { cwd: folder.path, env: service.env });
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const home = join(folder.path, `some-${place}`);
    const checked = await runHere(['doctor', '--json'], { cwd: home });
    expect(checked).toMatchObject({ code: 0 });
    const names = readdirSync(join(home, 'mappings'))
      .map((name) => readFileSync(join(home, 'mappings', name), 'utf8'))
      .flatMap((text) => [...text.matchAll(/^ *name: (.+)\n *pull:/gm)].map(([, name]) => name));
    expect(names).toEqual(pulls);
    expect(existsSync(join(home, 'mappings/users.yaml'))).toBe(true);
  });

  it('is told what is missing when the places of .env are empty', async () => {
    const made = await runHere(['init', 'empty'], { cwd: folder.path });
    expect(made.stdout).toContain('fill TEAMSHEET_BASE_URL and TEAMSHEET_API_KEY into .env');
    const plan = await runHere(['plan', 'users'], { cwd: join(folder.path, 'empty') });
    expect(plan).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('TEAMSHEET_BASE_URL is not set') as string,
    });
  });

  it('syncs: pushes, then pulls, in one run', async () => {
    folder.write('season/users.csv', 'Member ID,Display name,Active\nM1,Ann,yes\n');
    const outcome = await run('sync', 'users', 'users-report', '--yes', '--json');
    expect(outcome.code).toBe(0);
    const report = JSON.parse(outcome.stdout) as { readonly run: string };
    expect(report).toMatchObject({
      command: 'sync',
      exit_code: 0,
      mappings: [
        { name: 'users', direction: 'push', rows: 1, created: 1 },
        { name: 'users-report', direction: 'pull', records: 81, destination: 'out/users.csv' },
      ],
    });
    expect(readFileSync(join(home(), 'out/users.csv'), 'utf8').trimEnd().split('\n')).toHaveLength(82);
    expect(JSON.parse((await run('runs', report.run, '--json')).stdout)).toMatchObject({
      mappings: [{ created: 1 }, { records: 81 }],
    });
  });

  it('validates without a request, and a guard that stops a push does not stop the reports', async () => {
    const before = service.requests.length;
    folder.write('season/users.csv', 'Member ID,Display name,Active\n');
    const validated = await run('validate', 'users', 'users-report', '--json');
    expect(validated.code).toBe(6);
    expect(JSON.parse(validated.stdout)).toMatchObject({
      command: 'validate',
      exit_code: 6,
      mappings: [
        { name: 'users', rows: 0, valid: 0 },
        { name: 'users-report', direction: 'pull', destination: 'out/users.csv' },
      ],
      stops: [{ mapping: 'users', next: expect.stringContaining('--allow-empty') as string }],
    });
    expect(service.requests).toHaveLength(before);
    const synced = await run('sync', 'users', 'users-report', '--yes', '--json');
    expect(synced.code).toBe(6);
    expect(JSON.parse(synced.stdout)).toMatchObject({
      run: expect.any(String) as string,
      exit_code: 6,
      mappings: [{ name: 'users-report', records: 81 }],
      error: { next: expect.stringContaining('--allow-empty') as string },
    });
  });

  it('pulls reports of a league that a variable names', async () => {
    const outcome = await run(
      'pull',
      'squads-report',
      '--var',
      'fantasy_league_id=1',
      '--limit',
      '5',
      '--json',
    );
    expect(JSON.parse(outcome.stdout)).toMatchObject({ exit_code: 0, mappings: [{ records: 5 }] });
    expect(outcome.stderr).toContain('only the first 5 records');
  });

  it('imports a file whose headers say what they are, and saves the mapping', async () => {
    folder.write('season/list.csv', 'Membership number;Full name;Colour\nL1;Cleo;red\n');
    const outcome = await run(
      'import',
      'list.csv',
      '--as',
      'users',
      '--yes',
      '--save-mapping',
      'mappings/list.yaml',
    );
    expect(outcome).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^[^!]*! list\.csv: column "Colour" is not used by the mapping[^!]*$/,
      ) as string,
    });
    expect(await run('plan', 'list')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('list     1        0        0          1') as string,
    });
    const flags = ['--as', 'users', '--yes', '--save-mapping'];
    for (const [file, why] of [
      ['mappings/list.yaml', 'there is a file of that name'],
      ['nowhere/list.yaml', 'there is no such folder'],
    ] as const)
      expect(await run('import', 'list.csv', ...flags, file)).toMatchObject({
        code: 4,
        stderr: expect.stringContaining(
          `the mapping cannot be saved as ${file}: ${why}\n  next: name another file after --save-mapping\n`,
        ) as string,
      });
    folder.write('season/preise.csv', 'Player ID;Price\n7;7,5\n8;1.234,5\n');
    const german = ['preise.csv', '--as', 'prices', '--set', 'fantasy_league_id=1', '--set', 'type=weekly'];
    expect((await run('import', ...german, '--locale', 'de', '--dry-run')).stdout).toMatch(
      /price: 7\.5\n[^\n]*price: 1234\.5\n/,
    );
    writeFileSync(join(folder.path, 'season/old.csv'), Buffer.from('Member ID;Name\nL7;José\n', 'latin1'));
    const old = [...flags, 'mappings/old.yaml', '--encoding', 'windows-1252'];
    expect((await run('import', 'old.csv', ...old)).code).toBe(0);
    expect(await run('plan', 'old', '--detailed-exitcode')).toMatchObject({ code: 0 });
    folder.write('season/odd.csv', 'Code,Full name\nL2,Dora\n');
    expect(await run('import', 'odd.csv', '--as', 'users', '--yes')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('--match "Header=external_id"') as string,
    });
    folder.write('season/nameless.csv', 'Member ID,Title\nL2,Dora\n');
    expect(await run('import', 'nameless.csv', '--as', 'users', '--yes')).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(
        /nameless\.csv row 1: no column for display_name among "Member ID", "Title"\n.*--set display_name=value/,
      ) as string,
    });
    folder.write('season/two.csv', 'Member ID,MemberID,Name\nL3,L4,Eva\n');
    expect(await run('import', 'two.csv', '--as', 'users', '--yes')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(
        'two.csv row 1: the columns "Member ID" and "MemberID" both look like external_id',
      ) as string,
    });
    const matched = ['import', 'odd.csv', '--as', 'users', '--match', 'Code=external_id'];
    expect(await run(...matched, '--set', 'is_active=perhaps', '--yes')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('✗ --set is_active: "perhaps" is neither true nor false;') as string,
    });
    expect(await run(...matched, '--set', 'display_name=${NICK}', '--yes')).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(
        /^✗ --set display_name: the variable NICK is not set\n.*--var NICK=VALUE/m,
      ) as string,
    });
    expect((await run(...matched, '--set', 'is_active=false', '--yes', '--json')).code).toBe(0);
  });

  it.each([
    ['Members of the league '.repeat(8), 100],
    ['会员'.repeat(40), 60],
  ])('imports %s.csv, whose name is longer than that of a mapping may be', async (stem, length) => {
    folder.write(`season/${stem}.csv`, `Member ID,Name\nL${length},Flo\n`);
    const outcome = await run('import', `${stem}.csv`, '--as', 'users', '--yes', '--json');
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      exit_code: 0,
      mappings: [{ name: stem.slice(0, length), created: 1 }],
    });
  });

  it('reads the account and single records, and writes only with --yes', async () => {
    const account = await run('account', '--json');
    expect(JSON.parse(account.stdout)).toMatchObject({
      tier: 'sandbox',
      config: { rate_limit: { per_minute: { limit: 600 } } },
    });
    expect((await run('account')).stdout).toMatch(/per minute +[█░]{20} +\d+ \/ 600/);
    const player = await run('api', 'get-player', '--id', '7', '--query', 'fantasy_league_id=1');
    expect(JSON.parse(player.stdout)).toMatchObject({ statusCode: 200, data: { id: 7 } });
    const refused = await run('api', 'get-player', '--id', '999999', '--query', 'fantasy_league_id=1');
    expect(refused.code).toBe(3);
    expect(JSON.parse(refused.stdout)).toMatchObject({ statusCode: 404 });
    const body = JSON.stringify({ users: [{ external_id: 'A1', display_name: 'Ada' }] });
    expect((await run('api', 'create-users', '--body', body)).code).toBe(6);
    const created = await run('api', 'create-users', '--body', body, '--yes');
    expect(JSON.parse(created.stdout)).toMatchObject({ statusCode: 201, data: [{ external_id: 'A1' }] });
  });

  it('prints JSON Schema', async () => {
    for (const name of ['mapping', 'config', 'users', 'lineups', 'points_config']) {
      const { code, stdout } = await run('schema', name);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toHaveProperty('$schema');
    }
  });
});

it('sandbox: one JSON line, then the service, until a signal', async () => {
  let answered = 0;
  const outcome = await runCli(['sandbox', '--port', '0', '--set', 'per_minute=7', '--set', 'page_size=3'], {
    cwd: folder.path,
    when: {
      seen: /^\{"base_url":"[^"]+","api_key":"[^"]+","control_key":"[^"]+"\}\n[^]*ready/,
      act: (kill, stdout) => {
        const { base_url, api_key } = JSON.parse(stdout) as {
          readonly base_url: string;
          readonly api_key: string;
        };
        void fetch(`${base_url}/v1/auth/account`, { headers: { 'x-api-key': api_key } })
          .then(
            (response) =>
              response.json() as Promise<{
                readonly data: {
                  readonly config: {
                    readonly rate_limit: { readonly per_minute: { readonly limit: number } };
                  };
                };
              }>,
          )
          .then(({ data }) => {
            answered = data.config.rate_limit.per_minute.limit;
          })
          .finally(() => kill('SIGTERM'));
      },
    },
  });
  expect({ code: outcome.code, answered }).toEqual({ code: 143, answered: 7 });
  expect(outcome.stdout.trimEnd().split('\n')).toHaveLength(1);
});

describe('demo', () => {
  const scratch = makeFolder({ 'out/lineups.csv': 'of the demo before' });
  afterAll(() => scratch.remove());
  const FILES = ['season.xlsx', 'squads.csv', 'lineups.csv', 'fixtures.csv', 'auto_substitutions.csv'];

  it('lives through some game weeks, and writes a workbook with charts of them and four CSV files, over those of the demo before; the configured service is sent nothing', async () => {
    const before = service.requests.length;
    const { code, stdout, stderr } = await runHere(['demo'], { cwd: scratch.path, env: service.env });
    expect(service.requests.slice(before)).toEqual([]);
    // On a busy machine it takes so long that it says how far it is.
    const said = stderr.split('\n').filter((line) => line !== '' && !/^\S+: [\d,]+(\/[\d,]+)? /.test(line));
    expect({ code, said }).toEqual({ code: 0, said: [] });
    expect(stdout).toMatch(/users +520 +520/);
    expect(stdout).toContain('The same push again wrote nothing');
    expect(stdout).toContain('5 game weeks went by');
    expect(stdout).toContain('300 line-ups in all');
    expect(stdout).toMatch(/out\/season\.xlsx +League table: 60 records\n +Squads: 60 records$/m);
    for (const name of FILES) expect(statSync(join(scratch.path, 'out', name)).size).toBeGreaterThan(1000);
    expect(existsSync(join(scratch.path, '.teamsheet'))).toBe(false);
    const { sheets } = await readXlsx(readFileSync(join(scratch.path, 'out', 'season.xlsx')));
    const weeksOf = (tab: string): readonly unknown[] => {
      const [header = [], ...rows] = sheets.find(({ name }) => name === tab)?.rows ?? [];
      const weeks = rows.map((row) => row[header.indexOf('Game week')]);
      return [...new Set(weeks)].filter((week) => typeof week === 'number').toSorted();
    };
    expect(sheets[0]?.rows.flat()).toEqual(expect.arrayContaining(['Leader', 'Top ten', 'Biggest climber']));
    expect(weeksOf('League table')).toEqual([5]);
    expect(weeksOf('Week by week')).toEqual([1, 2, 3, 4, 5]);
    expect(weeksOf('Auto substitutions')).toEqual([1, 2, 3, 4, 5]);
    const [charted = []] = sheets.find(({ name }) => name === 'Charts')?.rows ?? [];
    expect(charted.slice(-5)).toEqual(['1', '2', '3', '4', '5']);
  });

  it.each(['teamsheet.yaml', '.teamsheet/state.sqlite'])(
    'writes over no report of a folder that has %s',
    async (name) => {
      const own = folderOfTest({ [name]: 'version: 1\n', 'out/lineups.csv': 'mine\n' });
      const { code, stdout, stderr } = await runHere(['demo'], { cwd: own.path });
      expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
      expect(stderr).toContain('out/lineups.csv exists already');
      expect(readdirSync(join(own.path, 'out'))).toEqual(['lineups.csv']);
      expect(readFileSync(join(own.path, 'out/lineups.csv'), 'utf8')).toBe('mine\n');
    },
  );
});
