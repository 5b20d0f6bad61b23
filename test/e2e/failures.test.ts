import { existsSync, readdirSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder, startServer, startService, USERS_MAPPING } from '../support/cli.ts';
import type { Service } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';

const USERS = 'Member ID,Name,Active\nM1,Ann,yes\n';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const containing = (text: string): string => expect.stringContaining(text) as string;

interface Given {
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/** A push that must fail: its exit code, the JSON of the stop, and that nothing was written anywhere. */
async function failing({ files = {}, env = {}, args = ['push', 'users', '--yes'] }: Given) {
  const folder = makeFolder({ 'mappings/users.yaml': USERS_MAPPING, 'users.csv': USERS, ...files });
  try {
    const outcome = await runHere([...args, '--json'], { cwd: folder.path, env: { ...service.env, ...env } });
    const { command, exit_code, error } = JSON.parse(outcome.stdout) as {
      readonly command: string;
      readonly exit_code: number;
      readonly error: Record<string, unknown>;
    };
    expect(exit_code).toBe(outcome.code);
    expect(command).toBe(args[0]);
    expect(outcome.stderr).toContain(`✗ ${String(error['message']).split('\n')[0] ?? ''}`);
    expect(existsSync(join(folder.path, 'out'))).toBe(false);
    const runs = join(folder.path, '.teamsheet/runs');
    expect(existsSync(runs) ? readdirSync(runs) : []).toEqual([]);
    return { exit: outcome.code, ...error };
  } finally {
    folder.remove();
  }
}

describe.concurrent('a push that cannot be', () => {
  it('says that the service is not there: exit 8', async () => {
    const gone = await startServer(() => undefined);
    await gone.close();
    expect(await failing({ env: { TEAMSHEET_BASE_URL: gone.baseUrl } })).toMatchObject({
      exit: 8,
      message: containing('the connection was refused'),
      next: containing('base_url'),
    });
  });

  it.each([
    ['push', ['push', 'users', '--yes']],
    ['import', ['import', 'users.csv', '--as', 'users', '--yes']],
  ])('says that the key is refused: exit 5 (%s)', async (_command, args) => {
    expect(await failing({ env: { TEAMSHEET_API_KEY: 'wrong' }, args })).toMatchObject({
      exit: 5,
      message: containing('the API key was refused'),
    });
  });

  it('says that base_url is wrong when nothing of the service is there: exit 8', async () => {
    expect(await failing({ env: { TEAMSHEET_BASE_URL: `${service.baseUrl}/elsewhere` } })).toMatchObject({
      exit: 8,
      next: containing('base_url'),
    });
  });

  it.each<readonly [what: string, answer: RequestListener]>([
    ['HTML', (_request, response) => response.end('<html>log in</html>')],
    [
      'a redirect',
      (_request, response) => response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
    ],
    ['JSON without the envelope', (_request, response) => response.end('{"ok":true}')],
  ])('does not trust %s: exit 8', async (_what, answer) => {
    const server = await startServer(answer);
    try {
      expect((await failing({ env: { TEAMSHEET_BASE_URL: server.baseUrl } })).exit).toBe(8);
    } finally {
      await server.close();
    }
  });

  it.each<readonly [what: string, given: Given, expected: object]>([
    ['an empty file', { files: { 'users.csv': '' } }, { exit: 4, file: 'users.csv' }],
    [
      'a header without rows',
      { files: { 'users.csv': 'Member ID,Name\n' } },
      { exit: 6, next: containing('--allow-empty') },
    ],
    [
      'a missing column',
      { files: { 'users.csv': 'Name\nAnn\n' } },
      { exit: 4, message: containing('Member ID') },
    ],
    [
      'a missing file',
      { files: { 'mappings/users.yaml': USERS_MAPPING.replace('users.csv', 'nobody.csv') } },
      { exit: 4, message: 'nobody.csv: there is no such file' },
    ],
    [
      'an unknown mapping key',
      { files: { 'mappings/users.yaml': USERS_MAPPING.replace('operation', 'opertion') } },
      {
        exit: 4,
        file: 'mappings/users.yaml',
        line: 5,
        column: 1,
        message: containing('did you mean "operation"?'),
      },
    ],
    [
      'an unset variable',
      { files: { 'mappings/users.yaml': USERS_MAPPING.replace('users.csv', '"${season}.csv"') } },
      { exit: 4, line: 4, message: containing('season is not set') },
    ],
    [
      'a path outside',
      { files: { 'mappings/users.yaml': USERS_MAPPING.replace('users.csv', '../users.csv') } },
      { exit: 4, line: 4, message: containing('is outside the configuration') },
    ],
    [
      'two mappings of one name',
      { files: { 'mappings/again.yaml': USERS_MAPPING } },
      { exit: 4, message: containing('is already the name of a mapping in') },
    ],
    [
      'an unknown mapping',
      { args: ['push', 'user'] },
      { exit: 64, message: 'there is no mapping "user"; did you mean "users"?' },
    ],
    ['the wrong direction', { args: ['pull', 'users'] }, { exit: 64, next: 'teamsheet push users' }],
    [
      'a configuration with an unknown key',
      { files: { 'teamsheet.yaml': 'version: 1\nenvironmnet: x\n' } },
      { exit: 4, file: 'teamsheet.yaml', line: 2, column: 1 },
    ],
    [
      'certificates that are not checked',
      { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } },
      { exit: 6, next: containing('--insecure') },
    ],
  ])('stops at %s', async (_what, given, expected) => {
    expect(await failing(given)).toMatchObject(expected);
  });
});

it('wrote nothing in any of these', () => {
  expect(service.requests.length).toBeGreaterThan(0);
  expect(service.requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
});
