import { existsSync, globSync, readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../src/cli/command-line.ts';
import { staticText } from '../../src/cli/generate-static-text.ts';
import { commands } from '../../src/cli/commands/registry.ts';
import { UsageError } from '../../src/model/error.ts';
import { BIN, makeFolder, runCli } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';

const folder = makeFolder();
afterAll(() => folder.remove());
const run = (...args: string[]) => runCli(args, { cwd: folder.path });

describe.concurrent('help and version', () => {
  it('come from text generated of the very command tree', async () => {
    const built = JSON.parse(readFileSync(join(BIN, '../static-text.json'), 'utf8')) as unknown;
    expect(built).toEqual(await staticText());
  });

  it('are answered for the program and for a command', async () => {
    const { help, version } = await staticText();
    const [program, push, short, words] = await Promise.all([
      run('--help'),
      run('push', '--help'),
      run('--version'),
      run('help', 'push'),
    ]);
    expect(await run()).toEqual(program);
    expect(program).toEqual({ code: 0, stdout: help[''], stderr: '' });
    expect(push).toEqual({ code: 0, stdout: help['push'], stderr: '' });
    expect(words).toEqual(push);
    expect(short).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('name every word that a flag takes', async () => {
    for (const [name, { load }] of Object.entries(commands))
      for (const [flag, { describe: says, choices = [] }] of Object.entries((await load()).options))
        for (const word of [choices].flat()) expect(says, `${name} --${flag}`).toContain(String(word));
  });

  it('fall back to the live tree for other spellings', async () => {
    const { help } = await staticText();
    expect(await run('push', '--json', '--help')).toEqual({ code: 0, stdout: help['push'], stderr: '' });
  });

  it('name every command', async () => {
    const text = (await staticText()).help[''] ?? '';
    for (const name of Object.keys(commands)) expect(text).toContain(`teamsheet ${name}`);
  });
});

describe.concurrent('a wrong command line is exit 64 with one clear line and the next step', () => {
  it.each<readonly [args: readonly string[], message: string, next: string]>([
    [['puhs'], 'there is no such command; did you mean push?', 'teamsheet push --help'],
    [['whatif', 'prices'], 'there is no "whatif prices"; there is points', 'teamsheet whatif --help'],
    [
      ['whatif', 'points'],
      'whatif points needs --set name=value or --config TABLE',
      'teamsheet whatif points --set forward_goal_points=5',
    ],
    [
      ['whatif', 'points', '--set', 'goal_points=5'],
      'no setting of points is called "goal_points"',
      'teamsheet whatif --help',
    ],
    [
      ['whatif', 'points', '--set', 'goal_save_ratio=many'],
      '"many" is no value of goal_save_ratio',
      'teamsheet whatif --help',
    ],
    [['import', 'x.csv', '--as', 'usres'], '--as usres: rows can be imported as', 'use --as users'],
    [
      ['import', 'x.csv', '--as', 'lineups'],
      '--as lineups: rows can be imported as users, prices, points_config',
      'teamsheet import --help',
    ],
    [
      ['import', 'x.xlsx', '--as', 'users', '--encoding', 'utf-8'],
      'x.xlsx: --encoding is for CSV files only',
      'leave it out',
    ],
    [
      ['import', 'x.csv', '--as', 'users', '--tab', 'Users'],
      'x.csv: --tab is for workbooks only',
      'leave it out',
    ],
    [['api', 'get-acount'], 'there is no operation "get-acount"', 'teamsheet api get-account'],
    [
      ['api', 'get-fantasy-league', '--id', '..'],
      'get-fantasy-league: --id .. cannot stand in an address',
      'teamsheet api --help',
    ],
    [
      ['api', 'get-player', '--id', '7'],
      'get-player: --query fantasy_league_id: is missing; write a number',
      'teamsheet api --help',
    ],
    ...(
      [
        [
          'create-users',
          '{"users":[{"external_id":1,"display_name":"x"}]}',
          'users.0.external_id: 1 is not a text',
        ],
        [
          'create-users',
          '{"users":[{"external_id":"a","display_name":"b","x":1}]}',
          'users.0.x: the operation takes no such field',
        ],
        ['create-users', '[]', 'a list is not a map'],
        [
          'create-squad',
          '{"fantasy_league_id":1,"user_id":1,"name":"ab","players_in":[1]}',
          'name: "ab" is too short, at least 3 characters',
        ],
      ] as const
    ).map(
      ([operation, body, message]) =>
        [
          ['api', operation, '--body', body, '--yes'],
          `${operation}: --body ${message}\n`,
          'teamsheet api --help',
        ] as const,
    ),
    [['schema', 'mappin'], 'there is no schema "mappin"', 'teamsheet schema mapping'],
    [['sandbox', '--set', 'per_minut=3'], 'there is no switch "per_minut"', 'did you mean per_minute?'],
  ])('%j', async (args, message, next) => {
    const { code, stdout, stderr } = await runHere(args, { cwd: folder.path });
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toMatch(/^✗ .*\n {2}next: .*\n$/);
    expect(stderr).toContain(message);
    expect(stderr).toContain(`next: ${next}`);
  });

  it('is one JSON document with --json', async () => {
    const { code, stdout } = await run('push', '--nonsense', '--json');
    expect(code).toBe(64);
    expect(JSON.parse(stdout)).toEqual({
      command: 'push',
      exit_code: 64,
      error: {
        code: 'usage.arguments',
        message: 'Unknown argument: --nonsense',
        file: null,
        line: null,
        column: null,
        next: 'teamsheet push --help',
      },
    });
  });

  it('names npx where that is how it was started', async () => {
    const { stderr } = await runCli(['frob'], { cwd: folder.path, env: { npm_execpath: '/npm' } });
    expect(stderr).toContain('next: npx teamsheet --help');
  });
});

describe('an old Node', () => {
  const old = '/usr/bin/node';
  const version = existsSync(old) ? execFileSync(old, ['--version'], { encoding: 'utf8' }).trim() : 'v99';

  it.runIf(Number(version.slice(1).split('.')[0]) < 24)('gets one line and exit 1', async () => {
    const outcome = await runCli(['push'], { cwd: folder.path, node: old });
    expect(outcome).toEqual({
      code: 1,
      stdout: '',
      stderr: `teamsheet needs Node 24.15 or newer; this is ${version}: install it from nodejs.org or run it through npm/npx of this project\n`,
    });
  });

  it('can parse the first file: no syntax later than ES5', () => {
    const code = readFileSync(BIN, 'utf8').replace(/^\s*\/\/.*$/gm, '');
    expect(code).toContain('function start(');
    expect(code).not.toMatch(/=>|\?\.|\?\?|`|\b(?:const|let|class|async|await|import)\b|\.\.\./);
  });
});

/** The sources that a file of the bundle is made of, as its comments name them. */
const modulesOf = (file: string): readonly string[] =>
  (readFileSync(file, 'utf8').match(/^\/\/ \S+\.[cm]?[jt]s$/gm) ?? []).map((line) => line.slice(3));

describe.concurrent('what a command loads', () => {
  const PRELOAD = `const { registerHooks } = require('node:module');
const seen = new Set();
registerHooks({ load(url, context, next) { seen.add(url); return next(url, context); } });
process.on('exit', () => require('node:fs').writeFileSync(process.env.SEEN, [...seen].join('\\n')));
`;
  /** Addresses of the files, and the sources of those that are bundled. */
  const loadedBy = async (...args: string[]): Promise<readonly string[]> => {
    folder.write('preload.cjs', PRELOAD);
    const seen = join(folder.path, `${args[0] ?? ''}.seen`);
    await runCli(args, { cwd: folder.path, env: { SEEN: seen }, nodeArgs: ['--require', './preload.cjs'] });
    const files = readFileSync(seen, 'utf8').split('\n');
    const bundled = files.filter((url) => url.includes('/dist/cli/'));
    return [...files, ...bundled.flatMap((url) => modulesOf(fileURLToPath(url)))];
  };

  it('is nothing but the first files for help', async () => {
    const seen = await loadedBy('--help');
    expect(seen.filter((name) => name.includes('/dist/'))).toHaveLength(2);
    expect(seen).toContain('src/cli/static-answer.ts');
    expect(seen.join('\n')).not.toContain('yargs');
  });

  it('is never XLSX, Google, the sandbox or prompts for a push of CSV', async () => {
    folder.write(
      'mappings/users.yaml',
      'version: 1\nname: users\npush: users\nsource: { csv: users.csv }\noperation: upsert\ncolumns: auto\n',
    );
    folder.write('users.csv', 'external_id,display_name\nM1,Ann\n');
    const seen = await loadedBy('validate', 'users');
    expect(seen).toContain('src/tables/csv.ts');
    for (const absent of ['hucre', 'googleapis', 'fastify', 'src/sandbox/', '@clack', 'src/client/']) {
      expect(seen.join('\n')).not.toContain(absent);
    }
  });
});

/** The packages and built-in modules that a built file loads, whether by import, by require or by what the bundler puts in its place. */
const loadsOf = (text: string): readonly string[] =>
  [
    ...ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName),
    ...[...text.matchAll(/\b__require\d*\("([^"]+)"\)/g)].map(([, name = '']) => name),
  ].filter((name) => !name.startsWith('.'));

describe.concurrent('the bundle', () => {
  const folderOfBin = dirname(BIN);
  const dist = join(folderOfBin, '..');

  it.each([
    ['the command line', folderOfBin, '*.cjs', 'zod'],
    ['Google Sheets', join(dist, 'tables/google'), 'googleapis.js', 'googleapis'],
  ])('of %s comes with the licence of every package in it', (_name, cwd, files, known) => {
    const packages = new Set(
      globSync(files, { cwd })
        .flatMap((file) => modulesOf(join(cwd, file)))
        .map((name) => /(?:^|.*\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(name)?.[1])
        .filter((name) => name !== undefined),
    );
    expect(packages).toContain(known);
    const notices = readFileSync(join(cwd, 'third-party-notices.txt'), 'utf8');
    expect([...packages].filter((name) => !notices.includes(`${name} `))).toEqual([]);
  });

  it('and the library load no package but those that are installed with them', () => {
    const manifest = JSON.parse(readFileSync(join(dist, '../package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
      readonly peerDependencies: Readonly<Record<string, string>>;
    };
    const files = globSync('**/*.{js,cjs}', { cwd: dist });
    const loaded = files.flatMap((file) =>
      loadsOf(readFileSync(join(dist, file), 'utf8')).map((name) => `${file}: ${name}`),
    );
    const packages = loaded.filter((each) => !isBuiltin(each.replace(/^.*: /, '')));
    const isInstalled = (each: string): boolean =>
      Object.keys(manifest.dependencies).some((name) => new RegExp(`: ${name}(/|$)`).test(each));
    expect(new Set(packages.map((each) => each.replace(/^.*: /, '')))).toContain('fastify');
    expect(loaded).toContain('tables/google/googleapis.js: stream');
    // The packages of PostgreSQL are wanted, and loaded, only by a state that is there.
    const peers = Object.keys(manifest.peerDependencies).map((name) => `: ${name}`);
    const others = packages.filter((each) => !isInstalled(each));
    expect(others.filter((each) => !peers.some((peer) => each.endsWith(peer)))).toEqual([]);
    expect(others.filter((each) => !/(pg-client|jobs)\.(js|cjs): /.test(each))).toEqual([]);
  });

  it('has no type of a package that is not installed in what a program imports', () => {
    const seen = new Set<string>();
    const packages = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const { fileName } of ts.preProcessFile(readFileSync(file, 'utf8'), true, true).importedFiles)
        if (fileName.startsWith('.')) visit(join(dirname(file), fileName.replace(/\.[jt]s$/, '.d.ts')));
        else packages.add(fileName);
    };
    visit(join(dist, 'index.d.ts'));
    visit(join(dist, 'sandbox/index.d.ts'));
    expect(seen.size).toBeGreaterThan(20);
    expect([...packages].filter((name) => name.startsWith('googleapis'))).toEqual([]);
  });

  it.each([
    [['push', '--nope']],
    [['push', '--nope', '--nada']],
    [['push', '--limit']],
    [['push', '--compare', 'maybe']],
    [['import', 'a.csv', 'b.csv']],
  ])('refuses %j in the words of the sources', async (args) => {
    const refusal: unknown = await parseCommandLine(args).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UsageError);
    const [words = ''] = (refusal as UsageError).message.split('\n');
    expect((await run(...args)).stderr).toContain(words);
  });
});
