import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { makeFolder, runCli, startService, type Service } from '../support/cli.ts';
import { googleOfFile } from '../support/google/of-file.ts';
import { buildImage, parseDockerfile, type Image } from '../support/image.ts';

const root = join(import.meta.dirname, '../..');
/** An account that is not root; undefined where the test cannot become another. */
const OTHER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

describe('the image', () => {
  const instructions = parseDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'));
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8');

  it('stands on a slim Node of the version that the program needs', () => {
    const bases = instructions.filter(({ name }) => name === 'FROM').map(({ text }) => text.split(' ')[0]);
    expect(new Set(bases)).toEqual(new Set(['node:24-slim']));
  });

  it('is given what the package holds, and nothing else', () => {
    const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly files: readonly string[];
    };
    const always = ['package.json', 'package-lock.json', 'README.md', 'LICENSE'];
    const lines = ignored.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines[0]).toBe('*');
    expect(new Set(lines.slice(1))).toEqual(
      new Set([...files.filter((each) => !each.startsWith('!')), ...always].map((each) => `!${each}`)),
    );
  });
});

describe('a container of the image', () => {
  const google = googleOfFile();
  const scratch = mkdtempSync(join(tmpdir(), 'teamsheet-image-'));
  const league = makeFolder({
    'teamsheet.yaml':
      'version: 1\nenvironments: { sandbox: { base_url: "${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } } }\nvars: { fantasy_league_id: 1 }\n',
    'mappings/m.yaml':
      '{ version: 1, name: fixtures, pull: fixtures, where: { fantasy_league_id: 1 }, destination: { csv: out/fixtures.csv }, schedule: "0 6 1 1 *" }\n',
  });
  let service: Service;
  let image: Image;

  beforeAll(async () => {
    service = await startService();
    image = buildImage(root, scratch);
    chmodSync(scratch, 0o755);
    if (OTHER !== undefined)
      for (const path of globSync(['.', '**'], { cwd: league.path }))
        chownSync(join(league.path, path), OTHER.uid, OTHER.gid);
  });
  afterAll(async () => {
    await service.close();
    league.remove();
    rmSync(scratch, { recursive: true, force: true });
  });

  it('carries out schedules, answers its health check, and is not root', async () => {
    expect(image).toMatchObject({ user: 'node', workdir: '/league' });
    const inside = {
      cwd: league.path,
      env: {
        ...image.env,
        ...service.env,
        PATH: `${join(image.root, 'usr/local/bin')}:/usr/bin:/bin`,
        // Here /tmp is everybody's.
        XDG_STATE_HOME: join(league.path, '.xdg'),
      },
      ...OTHER,
    };
    const start = (words: readonly string[], port: number): ChildProcess => {
      const [program = '', ...args] = words.map((word) =>
        word.replace('127.0.0.1:8791', `127.0.0.1:${port}`),
      );
      return spawn(program, args, { ...inside, stdio: ['ignore', 'ignore', 'pipe'] });
    };
    const isHealthy = async (port: number): Promise<boolean> => {
      const [code] = (await once(start(image.healthcheck, port), 'close')) as [number];
      return code === 0;
    };
    const container = start(image.command, 0);
    const ended = once(container, 'close');
    const port = await new Promise<number>((resolve, reject) => {
      let said = '';
      container.stderr?.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        const [, found] = /probe: http:\/\/127\.0\.0\.1:(\d+)\/healthz/.exec(said) ?? [];
        if (found !== undefined) resolve(Number(found));
      });
      container.once('close', () => reject(new Error(said)));
    });
    await expect.poll(() => isHealthy(port)).toBe(true);
    container.kill('SIGTERM');
    expect(await ended).toEqual([143, null]);
    expect(await isHealthy(port)).toBe(false);
    if (OTHER !== undefined)
      expect(statSync(join(league.path, '.teamsheet/state.sqlite')).uid).toBe(OTHER.uid);
  });

  it('pushes from a tab with the packages of the image alone', async () => {
    const id = google.add({
      title: 'Season',
      timeZone: 'Europe/Berlin',
      tabs: [
        {
          title: 'Users',
          rows: [
            ['Member ID', 'Name'],
            ['m-1', 'Ada Appletree'],
          ],
        },
      ],
    });
    league.write('google-key.json', JSON.stringify(google.keyFile));
    league.write(
      'sheet.yaml',
      `version: 1
environments: { sandbox: { base_url: "\${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } } }
google: { credentials: { file: google-key.json }, root_url: '${google.rootUrl}' }
`,
    );
    league.write(
      'mappings/sheet.yaml',
      `version: 1
name: sheet
push: users
source: { sheet: https://docs.google.com/spreadsheets/d/${id}/edit#gid=0, tab: Users }
operation: upsert
columns: { external_id: Member ID, display_name: Name }
write_back: { status: Sync status }
`,
    );
    const pushed = await runCli(['push', 'sheet', '--yes', '--json', '--config', 'sheet.yaml'], {
      cwd: league.path,
      env: service.env,
      node: join(image.root, 'usr/local/bin/node'),
      bin: join(image.root, 'usr/local/bin/teamsheet'),
    });
    expect(pushed).toMatchObject({ code: 0 });
    expect(google.tab(id, 'Users').shown()).toEqual([
      ['Member ID', 'Name', 'Sync status'],
      ['m-1', 'Ada Appletree', 'created'],
    ]);
  });

  it('holds a library whose types and entries stand', async () => {
    const packed = join(image.root, 'opt/teamsheet');
    const { messages, pkg } = await publint({ pkgDir: packed, pack: false, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);

    const user = join(scratch, 'user');
    mkdirSync(join(user, 'node_modules'), { recursive: true });
    symlinkSync(packed, join(user, 'node_modules/teamsheet'));
    cpSync(join(packed, 'examples'), user, { recursive: true });
    writeFileSync(join(user, 'package.json'), '{ "type": "module" }');
    const types = spawnSync(
      join(root, 'node_modules/.bin/tsc'),
      [
        ...['--noEmit', '--strict', '--module', 'nodenext', '--target', 'esnext', '--types', 'node'],
        ...['--typeRoots', join(root, 'node_modules/@types'), ...globSync('*.ts', { cwd: user })],
      ],
      { cwd: user, encoding: 'utf8' },
    );
    expect(types.stdout).toBe('');
    expect(types.status).toBe(0);
  });
});
