import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig, type Config } from '../../../../src/runtime/config/config.ts';
import { connectionOf } from '../../../../src/runtime/config/connection.ts';
import { parseDuration } from '../../../../src/model/time/duration.ts';
import { googleConnectionOf } from '../../../../src/runtime/google.ts';
import { testFolder } from '../../../support/test-folder.ts';

const folder = testFolder();

const KEY = 'canary-4c1f-key';
const YAML = `version: 1
environments:
  sandbox:
    base_url: \${SERVICE}
    api_key: { env: SERVICE_KEY }
  live:
    base_url: https://live.example
    api_key: { file: live.key }
environment: sandbox
budget: { max_wait: 2h }
push: { settle: 90s }
vars: { fantasy_league_id: 7, from_env: "\${SERVICE}" }
timezone: Europe/London
`;

interface Given {
  readonly yaml?: string;
  readonly dotEnv?: string;
  readonly env?: Record<string, string>;
  readonly args?: Partial<Parameters<typeof readConfig>[0]>;
  readonly cwd?: string;
}

function read({ yaml, dotEnv, env = {}, args = {}, cwd = folder.path }: Given): Config {
  if (yaml !== undefined) folder.write('teamsheet.yaml', yaml);
  if (dotEnv !== undefined) writeFileSync(join(folder.path, '.env'), dotEnv, { mode: 0o600 });
  return readConfig(
    { config: undefined, env: undefined, var: {}, mappings: undefined, ...args },
    { cwd, env },
  );
}

describe('a file that is no configuration is refused with its place and a remedy', () => {
  it.each([
    [
      'version: 1\n---\nversion: 1\n',
      'teamsheet.yaml:2:1: a second document begins here, and a file holds one configuration',
      'Delete the line ---, or what stands below it.',
    ],
    [
      '# nothing yet\n',
      'teamsheet.yaml:1:1: the file holds no configuration',
      'Write a configuration into it, or delete it.',
    ],
    [
      '- version: 1\n',
      'teamsheet.yaml:1:1: a configuration is one map, not a list',
      'Write each key at the beginning of its line, without "- ".',
    ],
  ])('%j', (yaml, message, next) => {
    expect(() => read({ yaml })).toThrow(expect.objectContaining({ message, next, exitCode: 4 }) as Error);
  });
});

describe('a symbolic link that leads to no file', () => {
  it.each([
    ['teamsheet.yaml', 'nowhere.yaml', 'config.unreadable'],
    ['.env', '.env', 'env.unreadable'],
  ])('is not taken for a file that is not there: %s', (name, target, code) => {
    symlinkSync(target, join(folder.path, name));
    expect(() => read({})).toThrow(
      expect.objectContaining({
        ...{ code, exitCode: 4, next: 'correct the link, or delete it' },
        message: `${join(folder.path, name)} is a symbolic link to "${target}", which leads to no file`,
      }) as Error,
    );
  });
});

describe('a file that is not UTF-8', () => {
  it('is refused, never read with its characters replaced', () => {
    writeFileSync(
      join(folder.path, 'teamsheet.yaml'),
      Buffer.from('version: 1\nvars: { name: Jos\u00e9 }\n', 'latin1'),
    );
    expect(() => read({})).toThrow(
      expect.objectContaining({
        code: 'config.unreadable',
        message: `${join(folder.path, 'teamsheet.yaml')}:2:18: the file is not UTF-8 here`,
        next: 'save the file as UTF-8',
      }),
    );
  });
});

describe('names that every object inherits', () => {
  it.each(['toString', 'constructor', '__proto__'])('are not set: %s', (name) => {
    expect(read({ yaml: YAML, env: { SERVICE: 'https://a.example' } }).vars[name]).toBeUndefined();
    expect(() => connectionOf(read({ yaml: YAML, args: { env: name } }))).toThrow(
      `no environment is called "${name}"`,
    );
    const yaml = `version: 1\nenvironments:\n  s: { base_url: "\${${name}}", api_key: { env: A } }\n`;
    expect(() => connectionOf(read({ yaml, dotEnv: 'B=1\n' }))).toThrow(`${name} is not set`);
  });
});

describe('readConfig', () => {
  const env = { SERVICE: 'http://127.0.0.1:1/x', SERVICE_KEY: KEY };

  it('reads the file found above, with durations, variables and the .env beside it', () => {
    mkdirSync(join(folder.path, 'a/b'), { recursive: true });
    const config = read({
      yaml: YAML,
      dotEnv: 'SERVICE=http://127.0.0.1:9\nSERVICE_KEY=x\n',
      env,
      cwd: join(folder.path, 'a/b'),
    });
    expect(config).toMatchObject({
      folder: folder.path,
      environment: 'sandbox',
      state: { kind: 'file', file: join(folder.path, '.teamsheet/state.sqlite') },
      stateFolder: join(folder.path, '.teamsheet'),
      mappings: join(folder.path, 'mappings'),
      timezone: 'Europe/London',
      budget: { max_wait: 7_200_000, reserve_per_day: 0 },
      push: { settle: 90_000, timeout: 60_000, concurrency: 8 },
      warnings: [],
    });
    expect(config.vars).toMatchObject({ fantasy_league_id: '7', from_env: 'http://127.0.0.1:1/x' });
    expect(connectionOf(config)).toMatchObject({ environment: 'sandbox', baseUrl: 'http://127.0.0.1:1/x' });
    expect(connectionOf(config).apiKey.reveal()).toBe(KEY);
  });

  it('lets --var win over the file, and --env choose', () => {
    writeFileSync(join(folder.path, 'live.key'), `${KEY}\n`, { mode: 0o600 });
    const config = read({ yaml: YAML, env, args: { env: 'live', var: { fantasy_league_id: '8' } } });
    expect(config.vars['fantasy_league_id']).toBe('8');
    const connection = connectionOf(config);
    expect([connection.baseUrl, connection.apiKey.reveal(), connection.warnings]).toEqual([
      'https://live.example',
      KEY,
      [],
    ]);
  });

  it('warns of a key file and a .env that others can read, with the chmod', () => {
    writeFileSync(join(folder.path, 'live.key'), KEY);
    chmodSync(join(folder.path, 'live.key'), 0o644);
    folder.write('.env', 'A=b\n');
    chmodSync(join(folder.path, '.env'), 0o640);
    const config = read({ yaml: YAML, env, args: { env: 'live' } });
    expect(config.warnings).toEqual([expect.stringContaining(`chmod 600 '${join(folder.path, '.env')}'`)]);
    expect(connectionOf(config).warnings).toEqual([expect.stringContaining("live.key'")]);
  });

  it('makes an environment of the two variables without a file', () => {
    const config = read({
      dotEnv: `TEAMSHEET_API_KEY=${KEY}\n`,
      env: { TEAMSHEET_BASE_URL: 'https://service.example' },
    });
    expect(connectionOf(config)).toMatchObject({
      environment: 'default',
      baseUrl: 'https://service.example',
    });
    expect(config.file).toBeUndefined();
  });

  it('tells of a file that names no service, also where the variables are set', () => {
    const env = { TEAMSHEET_BASE_URL: 'https://service.example', TEAMSHEET_API_KEY: KEY };
    const config = read({ yaml: 'version: 1\n', env });
    expect(() => connectionOf(config)).toThrow(
      expect.objectContaining({
        code: 'config.environment',
        message: `${join(folder.path, 'teamsheet.yaml')} names no service`,
      }),
    );
  });

  it('sends a newcomer to init', () => {
    expect(() => connectionOf(read({}))).toThrow(
      expect.objectContaining({ code: 'config.missing', next: 'init' }),
    );
  });

  it.each([
    [
      'an unknown key',
      'version: 1\nenviroments: {}\n',
      2,
      1,
      'unknown key "enviroments": did you mean "environments"?',
    ],
    ['an unknown key inside', 'version: 1\nbudget:\n  max_wiat: 1m\n', 3, 3, 'did you mean "max_wait"?'],
    [
      'a wrong duration',
      'version: 1\nbudget: { max_wait: 15 minutes }\n',
      2,
      21,
      'an integer and ms, s, m, h or d',
    ],
    ['a wrong zone', 'version: 1\ntimezone: Mars/Olympus\n', 2, 11, 'not an IANA time zone'],
    ['a missing version', 'vars: {}\n', 1, 1, 'version'],
    ['broken YAML', 'version: 1\nvars: {\n', undefined, undefined, 'teamsheet.yaml:'],
  ])('names the place of %s', (_what, yaml, line, column, message) => {
    const thrown = expect.objectContaining({
      exitCode: 4,
      message: expect.stringContaining(message) as string,
      ...(line !== undefined && { place: { file: 'teamsheet.yaml', line, column } }),
    }) as Error;
    expect(() => read({ yaml })).toThrow(thrown);
  });

  it.each([
    `api_key: ${KEY}`,
    `api_key: { env: A, key: ${KEY} }`,
    `api_key: [${KEY}]`,
    `api_key: { env: ${KEY} }`,
  ])('refuses a key in the file without quoting it: %s', (line) => {
    const yaml = `version: 1\nenvironments:\n  s:\n    base_url: https://service.example\n    ${line}\n`;
    expect(() => read({ yaml })).toThrow(
      expect.objectContaining({
        code: 'config.invalid',
        message: expect.stringContaining('teamsheet.yaml:5:') as string,
      }),
    );
    expect(() => read({ yaml })).not.toThrow(new RegExp(KEY));
  });

  it('says which variable is not set, and where; an empty place in .env counts as unset', () => {
    const config = read({ yaml: YAML, dotEnv: 'SERVICE=\n', env: { SERVICE_KEY: KEY } });
    expect(() => connectionOf(config)).toThrow(
      expect.objectContaining({ code: 'config.unset', message: 'teamsheet.yaml:4:15: SERVICE is not set' }),
    );
  });

  it('takes the address of Google from the environment, else from .env, else from the file; an empty one counts as unset', () => {
    const yaml = 'version: 1\ngoogle: { credentials: { file: "${DIR}/key.json" }, root_url: "${ROOT}" }\n';
    const settings = (env: Record<string, string>, dotEnv: string) =>
      googleConnectionOf(read({ yaml, dotEnv, env: { DIR: 'keys', ROOT: 'https://file.example/', ...env } }));
    const variable = 'TEAMSHEET_GOOGLE_ROOT_URL';
    expect(settings({}, '')).toMatchObject({
      credentials: { keyFile: join(folder.path, 'keys/key.json') },
      rootUrl: 'https://file.example/',
    });
    expect(settings({ DIR: '/elsewhere' }, '').credentials.keyFile).toBe('/elsewhere/key.json');
    expect(settings({ [variable]: '' }, '').rootUrl).toBe('https://file.example/');
    const dotEnv = `${variable}=https://dotenv.example/\n`;
    expect(settings({}, dotEnv).rootUrl).toBe('https://dotenv.example/');
    expect(settings({ [variable]: 'https://env.example/' }, dotEnv).rootUrl).toBe('https://env.example/');
    expect(googleConnectionOf(read({ yaml: 'version: 1\n', env: { [variable]: '' } }))).toMatchObject({
      credentials: { keyFile: undefined },
      rootUrl: undefined,
    });
  });

  it.each(['', 'two words', 'line\nbreak', 'ключ'])('refuses a key that no header can carry: %j', (key) => {
    writeFileSync(join(folder.path, 'live.key'), key, { mode: 0o600 });
    const config = read({ yaml: YAML, env, args: { env: 'live' } });
    expect(() => connectionOf(config)).toThrow(expect.objectContaining({ code: 'key.invalid' }));
  });

  it('takes a state and mappings from elsewhere, and refuses a file that is not there', () => {
    const config = read({
      yaml: 'version: 1\nstate: ../state.sqlite\nmappings: "${HOME_OF}/m"\n',
      env: { HOME_OF: '/elsewhere' },
    });
    expect([config.state, config.stateFolder, config.mappings]).toEqual([
      { kind: 'file', file: join(folder.path, '../state.sqlite') },
      join(folder.path, '..'),
      '/elsewhere/m',
    ]);
    expect(() => read({ args: { config: 'nobody.yaml' } })).toThrow(
      expect.objectContaining({ code: 'config.missing', message: 'nobody.yaml: there is no such file' }),
    );
  });

  it('treats a variable made of an unset one as not set', () => {
    const config = read({
      yaml: 'version: 1\nvars: { a: "${NOT_SET}", b: "x${SET}y" }\n',
      env: { SET: '1' },
    });
    expect([config.vars['a'], config.vars['b']]).toEqual([undefined, 'x1y']);
  });

  it('lists the environments when there is none of that name', () => {
    const config = read({ yaml: YAML, env, args: { env: 'sandbx' } });
    expect(() => connectionOf(config)).toThrow('there is sandbox, live');
  });
});

it('reads durations strictly', () => {
  expect(['500ms', '120s', '15m', '2h', '1d'].map(parseDuration)).toEqual([
    500, 120_000, 900_000, 7_200_000, 86_400_000,
  ]);
  expect(['', '15', '1.5h', '-1s', '15 min', 's'].map(parseDuration).every((ms) => ms === undefined)).toBe(
    true,
  );
});
