import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { REMEDIES } from '../../src/cli/render/remedies.ts';
import { makeFolder, USERS_MAPPING } from '../support/cli.ts';
import { folderOfTest } from '../support/of-test.ts';
import { runHere } from '../support/run-here.ts';

const ROOT = join(import.meta.dirname, '../..');
const folder = makeFolder({
  'mappings/users.yaml': USERS_MAPPING,
  'mappings/points.yaml': readFileSync(join(ROOT, 'mappings/points.yaml'), 'utf8'),
  'users.csv': 'Member ID,Name,Active\n u1 ,Ana,yes\n1E+05,Bo,maybe\nu3,Cy,yes\nu3,Di,yes\nu5\n',
  'points-config.csv': readFileSync(join(ROOT, 'templates/inputs/points-config.csv'), 'utf8'),
});
afterAll(() => folder.remove());
const VARS = ['--var', 'fantasy_league_id=1'];

it('validate --json names every bad row and cell', async () => {
  const { code, stdout } = await runHere(['validate', 'users', '--json'], { cwd: folder.path });
  expect(code).toBe(3);
  const shape = 'looks changed by a spreadsheet; write it as plain text, or add --allow-key-shape';
  const repeated = (row: number, other: number): object => ({
    ...{ mapping: 'users', file: 'users.csv', row, column: null, value: 'u3', code: 'key.repeated' },
    message: `users.csv row ${row}: key "u3" has other values in row ${other}: keep one of them`,
    remedy: 'keep one of the rows',
    severity: 'error',
  });
  expect(stdout.indexOf('\n')).toBe(stdout.length - 1);
  expect((JSON.parse(stdout) as { issues: unknown }).issues).toEqual([
    {
      ...{
        mapping: 'users',
        file: 'users.csv',
        row: 2,
        column: 'Member ID',
        value: ' u1 ',
        code: 'key.trimmed',
      },
      message: 'users.csv row 2, column "Member ID": the blanks around " u1 " were left out',
      remedy: 'delete the blanks',
      severity: 'warning',
    },
    {
      ...{
        mapping: 'users',
        file: 'users.csv',
        row: 3,
        column: 'Member ID',
        value: '1E+05',
        code: 'key.shape',
      },
      message: `users.csv row 3, column "Member ID": "1E+05" ${shape}`,
      remedy: 'write it as plain text, or add --allow-key-shape',
      severity: 'error',
    },
    expect.objectContaining({ row: 3, column: 'Active', value: 'maybe', code: 'cell.boolean' }) as unknown,
    repeated(4, 5),
    repeated(5, 4),
    expect.objectContaining({ row: 6, column: null, value: null, code: 'row.cells' }) as unknown,
  ]);
});

it('a table of settings that is not filled in is one short line, and each of its rows in JSON', async () => {
  const [told, json] = await Promise.all([
    runHere(['validate', 'points', ...VARS], { cwd: folder.path }),
    runHere(['validate', 'points', ...VARS, '--json'], { cwd: folder.path }),
  ]);
  expect(told.stdout).toMatch(
    /✗ points-config\.csv row 2: 34 settings are empty \(rows \d+ to \d+\); fill them in\n$/,
  );
  const { issues } = JSON.parse(json.stdout) as { issues: readonly Record<string, unknown>[] };
  expect(issues).toHaveLength(34);
  expect(issues[0]).toMatchObject({
    file: 'points-config.csv',
    row: 2,
    value: '',
    code: 'cell.blank',
    remedy: 'fill it in',
  });
});

it('every issue of a row has a remedy', () => {
  const docs = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8');
  const rows = docs.slice(docs.indexOf('\n## Rows'));
  const codes = [...rows.matchAll(/`((?:row|cell|key|setting|lookup|squad)\.[a-z_]+)`/g)].map(
    ([, code = '']) => code,
  );
  // A key that looks like another one is said of the table.
  expect(Object.keys(REMEDIES).toSorted()).toEqual(
    codes.filter((code) => code !== 'key.look_alike').toSorted(),
  );
});

it('checks the other tables where a variable of one mapping is not set, and ends with 4', async () => {
  const other = folderOfTest({
    'mappings/users.yaml': USERS_MAPPING,
    'mappings/prices.yaml': readFileSync(join(ROOT, 'mappings/prices.yaml'), 'utf8'),
    'users.csv': 'Member ID,Name,Active\nu1,Ana,maybe\n',
    'prices.csv': 'Player ID,Price\n1,2\n',
  });
  const [told, json] = await Promise.all([
    runHere(['validate', ...VARS], { cwd: other.path }),
    runHere(['validate', ...VARS, '--json'], { cwd: other.path }),
  ]);
  expect(told).toMatchObject({
    code: 4,
    stdout: expect.stringContaining('users.csv row 2, column "Active"') as string,
    stderr: expect.stringMatching(
      /✗ mappings\/prices.yaml:\d+:\d+: the variable price_type is not set\n {2}next: .*\n/,
    ) as string,
  });
  expect(JSON.parse(json.stdout)).toMatchObject({
    exit_code: 4,
    mappings: [{ name: 'users', invalid: 1 }],
    issues: [{ mapping: 'users', column: 'Active' }],
    stops: [{ mapping: 'prices', code: 'mapping.variable' }],
  });
  expect((await runHere(['validate', 'prices', ...VARS], { cwd: other.path })).code).toBe(4);
});

it('checks the other tables where some are not there, names each of these, and ends with 4', async () => {
  const named = (name: string): string =>
    USERS_MAPPING.replace('name: users', `name: ${name}`).replace('users.csv', `${name}.csv`);
  const other = folderOfTest({
    'mappings/gone.yaml': named('gone'),
    'mappings/lost.yaml': named('lost'),
    'mappings/users.yaml': USERS_MAPPING,
    'users.csv': 'Member ID,Name,Active\nu1,Ana,maybe\n',
  });
  // No request is sent to it.
  const env = { TEAMSHEET_BASE_URL: 'http://127.0.0.1:9', TEAMSHEET_API_KEY: 'key-of-a-test' };
  const run = (...args: readonly string[]) => runHere(args, { cwd: other.path, env });
  const told = await run('validate');
  expect(told).toMatchObject({
    code: 4,
    stdout: expect.stringContaining('users.csv row 2, column "Active"') as string,
    stderr: expect.stringMatching(
      /✗ gone\.csv: there is no such file\n {2}next: .*\n✗ lost\.csv: there is no such file\n/,
    ) as string,
  });
  expect(JSON.parse((await run('validate', '--json')).stdout)).toMatchObject({
    exit_code: 4,
    mappings: [{ name: 'users', invalid: 1 }],
    issues: [{ mapping: 'users', column: 'Active' }],
    stops: [
      { mapping: 'gone', code: 'source.missing', message: 'gone.csv: there is no such file' },
      { mapping: 'lost', code: 'source.missing' },
    ],
  });
  const message = 'gone.csv: there is no such file\nlost.csv: there is no such file';
  for (const args of [['plan'], ['validate', 'gone', 'lost']])
    expect(JSON.parse((await run(...args, '--json')).stdout)).toMatchObject({
      exit_code: 4,
      error: { code: 'source.missing', file: 'gone.csv', message },
    });
  expect(JSON.parse((await run('validate', 'gone', '--json')).stdout)).toMatchObject({
    exit_code: 4,
    error: { code: 'source.missing', message: 'gone.csv: there is no such file' },
  });
});
