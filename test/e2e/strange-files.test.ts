import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, it } from 'vitest';
import { USERS_MAPPING } from '../support/cli.ts';
import { folderOfTest } from '../support/of-test.ts';
import { runHere } from '../support/run-here.ts';

const CONFIG = `version: 1
environments: { test: { base_url: "http://127.0.0.1:9", api_key: { file: api.key } } }
`;

let folder: ReturnType<typeof folderOfTest>;
beforeEach(() => {
  folder = folderOfTest({
    'teamsheet.yaml': CONFIG,
    'api.key': 'a-key-of-the-tests',
    'mappings/users.yaml': USERS_MAPPING,
    'users.csv': 'Member ID,Name,Active\nM1,Ann,yes\n',
  });
});

const STATE = '.teamsheet/state.sqlite';
const configured = (line: string): void => folder.write('teamsheet.yaml', `${CONFIG}${line}\n`);
const mapping = (source: string): void =>
  folder.write('mappings/users.yaml', USERS_MAPPING.replace('{ csv: users.csv }', source));
const pull = (line: string): void =>
  folder.write('mappings/report.yaml', `version: 1\nname: report\npull: users\n${line}\n`);

/** A state that a first command made, changed by a statement. */
async function edited(statement: string): Promise<void> {
  await runHere(['plan'], { cwd: folder.path });
  const database = new DatabaseSync(join(folder.path, STATE));
  database.exec(statement);
  database.close();
}

/** Every file but those of locks and its content; what is no file is only named. */
const contents = (): readonly string[] =>
  readdirSync(folder.path, { recursive: true, withFileTypes: true })
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
    .map(({ entry, path }) => {
      const digest = entry.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : '';
      return `${path} ${digest}`;
    })
    .sort();

const LONG = 'x'.repeat(300);

it.each<readonly [string, () => unknown, string]>([
  ['a state of an older version than its tables', () => edited('PRAGMA user_version = 1'), 'state.damaged'],
  ['a state of no version', () => edited('PRAGMA user_version = 0'), 'state.damaged'],
  ['a state that lacks a table', () => edited('DROP TABLE fact'), 'state.damaged'],
  ['a state that is text', () => folder.write(STATE, 'Member ID,Name\n'), 'state.damaged'],
  ['a log without its state', () => folder.write(`${STATE}-wal`, 'log'), 'state.damaged'],
  ['state: that names a folder', () => configured('state: mappings'), 'state.path'],
  ['state: below a file', () => configured('state: users.csv/state.sqlite'), 'state.path'],
  ['state: with a NUL', () => configured('state: "a\\0b"'), 'state.path'],
  ['state: that is too long', () => configured(`state: ${LONG}`), 'state.path'],
  ['mappings: with a NUL', () => configured('mappings: "a\\0b"'), 'mappings.missing'],
  ['mappings: that is too long', () => configured(`mappings: ${LONG}`), 'mappings.missing'],
  ['a key file of 10 MB', () => folder.write('api.key', 'k'.repeat(10 * 1024 * 1024)), 'key.invalid'],
  [
    'a key file with a NUL in its name',
    () => folder.write('teamsheet.yaml', CONFIG.replace('api.key', '"a\\0b"')),
    'key.unreadable',
  ],
  [
    'a key file whose name is too long',
    () => folder.write('teamsheet.yaml', CONFIG.replace('api.key', LONG)),
    'key.unreadable',
  ],
  [
    'a key file that is a folder',
    () => {
      execFileSync('rm', [join(folder.path, 'api.key')]);
      mkdirSync(join(folder.path, 'api.key'));
    },
    'key.unreadable',
  ],
  ['a table with a NUL in its name', () => mapping('{ csv: "a\\0b.csv" }'), 'mapping.path'],
  [
    'a table outside with a NUL in its name',
    () => mapping('{ csv: "a\\0b.csv", allow_outside: true }'),
    'mapping.path',
  ],
  ['a table whose name is too long', () => mapping(`{ csv: ${LONG} }`), 'mapping.path'],
  ['a workbook with a NUL in its name', () => mapping('{ xlsx: "a\\0b.xlsx", tab: A }'), 'mapping.path'],
])('ends with 4 and leaves everything as it is: %s', async (_what, make, code) => {
  await make();
  const before = contents();
  const { code: exit, stdout, stderr } = await runHere(['plan', '--json'], { cwd: folder.path });
  const { error } = JSON.parse(stdout) as { error: { code: string; message: string; next?: string } };
  expect({ exit, code: error.code }).toEqual({ exit: 4, code });
  expect(stderr).not.toContain('kkkk');
  // A first command may make a state; it changes nothing else.
  const made = [join(folder.path, '.teamsheet '), join(folder.path, `${STATE} `)];
  const isNew = (line: string): boolean => !before.includes(line);
  const after = contents();
  expect(before.filter((line) => !after.includes(line))).toEqual([]);
  expect(after.filter(isNew).filter((line) => !made.some((path) => line.startsWith(path)))).toEqual([]);
});

it.each<readonly [string, () => unknown, string]>([
  ['a state that is text', () => folder.write(STATE, 'Member ID,Name\n'), 'state'],
  ['a key with a blank', () => folder.write('api.key', 'k k'), 'key'],
])('is no fault of the service to doctor: %s', async (_what, make, name) => {
  await make();
  const { code, stdout } = await runHere(['doctor', '--json'], { cwd: folder.path });
  const { checks } = JSON.parse(stdout) as { checks: { level: string; name: string }[] };
  expect({ code, bad: checks.filter(({ level }) => level === 'bad').map((each) => each.name) }).toEqual({
    code: 4,
    bad: [name],
  });
});

it.each([
  ['a report with a NUL in its name', 'destination: { csv: "a\\0b.csv" }'],
  ['a workbook with a NUL in its name', 'destination: { xlsx: "a\\0b.xlsx", tab: A }'],
  ['a report whose name is too long', `destination: { csv: ${LONG} }`],
  ['a layout with a NUL in its name', 'destination: { xlsx: a.xlsx, tab: A }\nlayout: "a\\0b.yaml"'],
])('ends with 4 before anything is asked: %s', async (_what, lines) => {
  pull(lines);
  const { code, stdout } = await runHere(['pull', '--json'], { cwd: folder.path });
  const { error } = JSON.parse(stdout) as { error: { code: string; message: string } };
  expect({ code, error: error.code }).toEqual({ code: 4, error: 'mapping.path' });
});
