import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { describe, expect, it } from 'vitest';
import { USERS_MAPPING } from '../support/cli.ts';
import type { Outcome } from '../support/cli.ts';
import { folderOfTest, serviceOfTest } from '../support/of-test.ts';
import { program } from '../support/program.ts';
import { runHere } from '../support/run-here.ts';

const tab = (name: string, resource: string): string =>
  `- version: 1
  name: ${name}
  pull: ${resource}
  where: { fantasy_league_id: 1 }
  destination: { xlsx: "\${folder}/season.xlsx", tab: ${name} }
`;

const { folder, service, run } = program(
  {
    'mappings/users.yaml': USERS_MAPPING,
    'mappings/season.yaml': tab('Squads', 'squads') + tab('Fixtures', 'fixtures'),
    'mappings/log.yaml': `version: 1\nname: Log\npull: account
destination: { xlsx: "\${folder}/season.xlsx", tab: Log, mode: append }\ncolumns: { Tier: tier }\n`,
    'mappings/unready.yaml': `version: 1\nname: unready\npull: players\nwhere: { fantasy_league_id: 1 }
ids: { csv: missing.csv, column: Id }\ndestination: { csv: out/unready.csv }\n`,
    'mappings/other.yaml': `version: 1\nname: other\npull: fixtures\nwhere: { fantasy_league_id: "\${unset}" }
destination: { xlsx: out/other.xlsx, tab: Other }\n`,
    'users.csv': 'Member ID,Name,Active\nM1,Ann,yes\nM2,Bob\nM3,Cleo,no,what\n',
  },
  { once: true, here: true, service: { seed: 'demo' } },
);
const json = (outcome: Outcome): Record<string, unknown> =>
  JSON.parse(outcome.stdout) as Record<string, unknown>;

describe('mappings with the same workbook', () => {
  const tabs = async (): Promise<Readonly<Record<string, number>>> => {
    const { sheets } = await readXlsx(readFileSync(join(folder.path, 'out/season.xlsx')));
    return Object.fromEntries(sheets.map(({ name, rows }) => [name, rows.length]));
  };

  it('share it, and each can be pulled alone: the other tabs stay as they are', async () => {
    const whole = await run('pull', 'Squads', 'Fixtures', 'Log', '--var', 'folder=out');
    // On a busy machine it takes so long that it says how far it is.
    const stderr = whole.stderr.replaceAll(/^\S+: [\d,]+(\/[\d,]+)? records\n/gm, '');
    expect({ code: whole.code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(await tabs()).toEqual({ Squads: 61, Fixtures: 381, Log: 2 });
    const before = service.requests.length;
    const one = await run('pull', 'Fixtures', '--var', 'folder=out', '--limit', '2', '--json');
    expect(json(one)).toMatchObject({
      exit_code: 0,
      mappings: [{ name: 'Fixtures', records: 2, limited: true }],
    });
    expect(service.requests.slice(before)).toHaveLength(2);
    expect(await tabs()).toEqual({ Squads: 61, Fixtures: 3, Log: 2 });
    const told = await run('pull', 'Squads', 'Fixtures', '--var', 'folder=out', '--limit', '70');
    expect(told.stdout).toMatch(/✓ +Squads +60 records +"?out/);
    expect(told.stdout).toMatch(/✓ +Fixtures +70 records, limited by --limit +"?out/);
    const again = await run('pull', 'Fixtures', '--var', 'folder=out', '--limit', '100000', '--json');
    expect(again.stdout).not.toContain('limited');
    expect(await tabs()).toEqual({ Squads: 61, Fixtures: 381, Log: 2 });
  });
});

describe('sync', () => {
  it('checks every report before it writes anything', async () => {
    const before = service.requests.length;
    const outcome = await run('sync', 'users', 'unready', '--yes', '--json');
    expect(json(outcome)).toMatchObject({ exit_code: 4, error: { code: 'source.missing' } });
    const sent = service.requests.slice(before);
    expect(sent.filter((request) => !request.startsWith('GET'))).toEqual([]);
    expect(json(await run('validate', 'users', 'unready', '--json'))).toMatchObject({
      exit_code: 4,
      error: { code: 'source.missing' },
    });
  });
});

describe('what to type next', () => {
  it('is the command as it was typed', async () => {
    const unapproved = await run('push', 'users', '--limit', '1', '--var', 'a=b c');
    expect(unapproved).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(`next: teamsheet push users --limit 1 --var 'a=b c' --yes\n`) as string,
    });
    const planned = await run('plan', 'users', '--limit', '1', '--detailed-exitcode');
    expect(planned).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('next: teamsheet push users --limit 1\n') as string,
    });
  });

  it('follows every stop', async () => {
    const noEnvironment = await run('plan', 'users', '--config', 'none.yaml', '--json');
    expect(json(noEnvironment)).toMatchObject({
      error: { next: 'correct that, then type: teamsheet plan users --config none.yaml --json' },
    });
    const unknown = await run('whatif', 'prices', '--json');
    expect(json(unknown)).toMatchObject({ command: 'whatif', exit_code: 64 });
    expect(json(await run('sandbox', 'nothing', '--json'))).toMatchObject({
      exit_code: 64,
      error: { next: 'teamsheet sandbox --help' },
    });
    expect(json(await run('sandbox', '--profile', 'laging', '--json'))).toMatchObject({
      exit_code: 64,
      error: { code: 'sandbox.profile', next: expect.stringContaining('lagging') as string },
    });
    folder.write('faults.yaml', '- kind: cut\n- kind: sudden\n');
    expect(json(await run('sandbox', '--faults', 'faults.yaml', '--json'))).toMatchObject({
      exit_code: 4,
      error: { code: 'sandbox.faults', line: 2, column: 9 },
    });
    const profiles = await run('sandbox', 'profiles', '--json');
    expect(profiles.code).toBe(0);
    expect(json(profiles)).toMatchObject({ profiles: { lagging: { settings: { list_lag_ms: 5000 } } } });
  });

  it('does not speak of rows to correct when only reports were pulled', async () => {
    folder.write(
      'more/mini.yaml',
      'version: 1\nname: mini\npull: mini_leagues\nwhere: { id: 7 }\ndestination: { csv: out/mini.csv }\n',
    );
    const outcome = await run('pull', '--mappings', 'more');
    expect(outcome.code).toBe(8);
    expect(outcome.stderr).not.toContain('rejected file');
  });
});

describe('plan --json', () => {
  it('has its keys in the order of the interface', async () => {
    const outcome = await run('plan', 'users', '--json');
    const document = json(outcome);
    expect(Object.keys(document).slice(0, 8)).toEqual([
      'run',
      'command',
      'exit_code',
      'mappings',
      'requests',
      'changes',
      'pauses',
      'finishes_at',
    ]);
    const [change = {}] = document['changes'] as readonly object[];
    expect(Object.keys(change).slice(0, 5)).toEqual(['mapping', 'row', 'key', 'kind', 'fields']);
  });
});

describe('results', () => {
  it('keep the four columns under their names, whatever the length of a row; one run shows its rows', async () => {
    const outcome = await run('push', 'users', '--yes', '--json');
    const { run: id, mappings } = json(outcome) as {
      readonly run: string;
      readonly mappings: readonly { readonly results: string }[];
    };
    const lines = readFileSync(join(folder.path, mappings[0]?.results ?? ''), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => line.split(',').slice(0, 5).join(','))).toEqual([
      'Member ID,Name,Active,_row,_outcome',
      'M1,Ann,yes,2,created',
      'M2,Bob,,3,invalid',
      'M3,Cleo,no,4,invalid',
    ]);
    expect(lines[3]?.endsWith(',what')).toBe(true);
    const rejected = readFileSync(join(folder.path, 'out/rejected/users.rejected.csv'), 'utf8').split('\n');
    expect(rejected[1]).toMatch(/^M2,Bob,3,invalid,/);

    const shown = json(await run('runs', id, '--json')) as { readonly rows: readonly object[] };
    expect(shown.rows).toMatchObject([
      { mapping: 'users', row: 2, outcome: 'created', message: '' },
      { mapping: 'users', row: 3, outcome: 'invalid', id: null },
      { mapping: 'users', row: 4, outcome: 'invalid' },
    ]);
    expect((await run('runs', id)).stdout).toContain('users.csv row 3: expected 3 cells, got 2');
    expect(existsSync(join(folder.path, 'out/rejected/users.rejected.xlsx'))).toBe(true);
  });

  it('have a file of rejected rows in every run: where no row is refused, it holds the header alone', async () => {
    const { run: id } = json(await run('push', 'users', '--limit', '1', '--yes', '--json')) as {
      readonly run: string;
    };
    const name = join(folder.path, '.teamsheet/runs', id, 'users.rejected');
    expect(readFileSync(`${name}.csv`, 'utf8')).toBe('Member ID,Name,Active,_row,_outcome,_message,_id\n');
    expect(existsSync(`${name}.xlsx`)).toBe(false);
  });
});

describe('api --json', () => {
  it('prints the envelope and nothing else, also when the service refuses', async () => {
    const read = await run('api', 'get-mini-league', '--id', '77', '--json');
    expect({ code: read.code, ...json(read) }).toMatchObject({ code: 3, statusCode: 404, data: null });
    const body = JSON.stringify({ user_id: 99_999, name: 'Nobody', fantasy_league_id: 1, players_in: [1] });
    const written = await run('api', 'create-squad', '--body', body, '--yes', '--json');
    expect({ code: written.code, ...json(written) }).toMatchObject({ code: 3, statusCode: 404, data: null });
  });
});

it('validate shows the warnings of rows that go on', async () => {
  const warned = folderOfTest({
    'mappings/users.yaml': USERS_MAPPING,
    'users.csv': `Member ID,Name,Active\nM1,Ann,maybe\n${Array.from({ length: 22 }, (_, row) => `U${row},N/A,yes\n`).join('')}`,
  });
  const { code, stdout } = await runHere(['validate', 'users'], { cwd: warned.path });
  expect(code).toBe(3);
  expect(stdout).toContain('✗ users.csv row 2, column "Active": "maybe"');
  expect(stdout).toContain('! users.csv row 3, column "Name": "N/A" is sent as a text');
  expect(stdout.match(/^ {2}! /gm)).toHaveLength(20);
  expect(stdout).toContain('  … and 2 more rows with warnings');
});

describe('the budget stops a command that is no run', () => {
  it.each([
    ['account'],
    ['api', 'list-users'],
    ['plan', 'users'],
    ['pull', 'Squads', '--var', 'folder=out'],
    ['push', 'users', '--yes'],
  ])('%s %s: exit 7, and the command again', async (...words) => {
    const small = await serviceOfTest({ settings: { per_minute: 2, window_seconds: 86_400 } });
    const typed = [...words, '--max-wait', '1ms'];
    const again = (): Promise<Outcome> => runHere(typed, { cwd: folder.path, env: small.env });
    const spend = ['account', '--max-wait', '1ms'];
    await runHere(spend, { cwd: folder.path, env: small.env });
    await runHere(spend, { cwd: folder.path, env: small.env });
    const outcome = await again();
    expect(outcome).toMatchObject({
      code: 7,
      stderr: expect.stringContaining(
        `  next: after that time, type: teamsheet ${typed.join(' ')}\n`,
      ) as string,
    });
    expect(outcome.stderr).not.toContain('resume');
  });

  it('doctor: the same as the fix of its check', async () => {
    const small = await serviceOfTest({ settings: { per_minute: 1, window_seconds: 86_400 } });
    const doctor = (): Promise<Outcome> =>
      runHere(['doctor', '--max-wait', '1ms', '--json'], { cwd: folder.path, env: small.env });
    await doctor();
    const outcome = await doctor();
    const { checks } = json(outcome) as { readonly checks: readonly object[] };
    expect(outcome.code).toBe(7);
    expect(checks).toContainEqual(
      expect.objectContaining({
        name: 'service',
        level: 'bad',
        fix: 'after that time, type: teamsheet doctor --max-wait 1ms --json',
      }),
    );
  });
});

it('a report that the budget stops is pulled again: there is nothing to resume', async () => {
  const outcome = await run(
    ...['pull', 'Squads', '--mappings=mappings', '--var', 'folder=my out', '--max-requests', '2'],
  );
  expect({ code: outcome.code, stderr: outcome.stderr }).toMatchObject({
    code: 7,
    stderr: expect.stringContaining(
      "next: teamsheet pull Squads --mappings mappings --var 'folder=my out'\n",
    ) as string,
  });
  const document = await run(
    ...['pull', 'Squads', '--mappings=mappings', '--var', 'folder=my out', '--max-requests', '2', '--json'],
  );
  expect(json(document)).toMatchObject({
    mappings: [{ error: { next: "teamsheet pull Squads --mappings mappings --var 'folder=my out'" } }],
  });
  const failed = { mappings: [{ error: { next: 'teamsheet pull Squads' } }] };
  const listed = json(await run('runs', '--limit', '2', '--json'));
  expect(listed).toMatchObject({ runs: [failed, failed] });
  const [{ run: id } = expect.unreachable()] = (listed as { runs: readonly { run: string }[] }).runs;
  expect(json(await run('runs', id, '--json'))).toMatchObject(failed);
});
