import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder, runCli, startService } from '../support/cli.ts';
import type { Outcome, Service } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { startFakeGoogle } from '../support/google/fake-google.ts';
import type { FakeGoogle } from '../support/google/fake-google.ts';

const MAPPING = (sheet: string, tab: string): string => `version: 1
name: members
push: users
source: { sheet: ${sheet}, tab: ${tab} }
operation: upsert
columns:
  external_id: { from: Member ID, type: text, required: true }
  display_name: { from: Name }
`;

let service: Service;
let google: FakeGoogle;
let sheet: string;
const folder = makeFolder();

beforeAll(async () => {
  [service, google] = await Promise.all([startService(), startFakeGoogle()]);
  sheet = google.add({
    title: 'League 2026',
    tabs: [
      {
        title: 'Members',
        rows: [
          ['Member ID', 'Name'],
          ['M1', 'Ann'],
          ['M2', 'Bob'],
        ],
      },
    ],
  });
  folder.write('client.json', JSON.stringify(google.desktopClient));
  folder.write('mappings/members.yaml', MAPPING(sheet, 'Members'));
});
afterAll(async () => {
  await Promise.all([service.close(), google.close()]);
  folder.remove();
});

/** The machine has no credentials of its own, and asks no server of a cloud for them. */
const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> =>
  runHere(args, {
    cwd: folder.path,
    env: {
      ...service.env,
      TEAMSHEET_GOOGLE_ROOT_URL: google.rootUrl,
      METADATA_SERVER_DETECTION: 'none',
      ...env,
    },
  });

interface Checks {
  readonly checks: readonly Readonly<Record<'level' | 'name' | 'found' | 'fix', string>>[];
}
const googleChecks = (outcome: Outcome): Checks['checks'] =>
  (JSON.parse(outcome.stdout) as Checks).checks.filter(({ name }) =>
    ['Google', 'Google token', 'spreadsheet'].includes(name),
  );

describe('without credentials', () => {
  it('doctor says how to get some', async () => {
    const outcome = await run(['doctor', '--json']);
    expect(outcome.code).toBe(5);
    expect(googleChecks(outcome).at(-1)).toMatchObject({
      level: 'bad',
      fix: expect.stringContaining('docs/connect-google-sheets.md#') as string,
    });
  });

  it('auth status says so', async () => {
    const outcome = await run(['auth', 'status', '--json']);
    expect(outcome.code).toBe(5);
    expect(outcome.stderr).not.toContain('Warning');
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      command: 'auth',
      error: { code: 'google.no_credentials' },
    });
  });

  it('auth logout has nothing to do', async () => {
    expect(await run(['auth', 'logout'])).toMatchObject({ code: 0, stdout: 'there is no login\n' });
  });

  it('auth takes three words', async () => {
    expect(await run(['auth', 'signup'])).toMatchObject({ code: 64 });
    expect((await run(['auth', 'login'])).stderr).toContain('--client FILE');
  });
});

describe('a person', () => {
  const loginFile = (): string => join(folder.path, '.teamsheet/google-token.json');
  /** Logs in as a browser would: opens the address that is printed and follows where it leads. */
  const login = async (...args: readonly string[]): Promise<Outcome & { readonly page: string }> => {
    let page: Promise<string> | undefined;
    const outcome = await runCli(['auth', 'login', '--client', 'client.json', ...args], {
      cwd: folder.path,
      when: {
        seen: /http:\S+code_challenge\S+\s/,
        act: (_kill, _stdout, stderr) => {
          const [url = ''] = /http:\S+/.exec(stderr) ?? [];
          page = fetch(url).then((response) => response.text());
        },
      },
    });
    return { ...outcome, page: (await page) ?? '' };
  };

  it('logs in, and the login is kept for this account alone', async () => {
    const { code, stdout, stderr, page } = await login('--json');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('Open this address') as string,
    });
    expect(page).toContain('You may close this window');
    expect(JSON.parse(stdout)).toMatchObject({ command: 'auth login', exit_code: 0, file: loginFile() });
    expect(statSync(loginFile()).mode & 0o777).toBe(0o600);
  });

  it('sees the login', async () => {
    const status = await run(['auth', 'status', '--json']);
    expect(status.code).toBe(0);
    expect(JSON.parse(status.stdout)).toMatchObject({
      command: 'auth status',
      kind: 'login',
      file: loginFile(),
    });
    // The library could be told to print the answers that it gets.
    const told = await run(['auth', 'status', '--verbose'], { GOOGLE_SDK_NODE_LOGGING: 'all' });
    expect(told).toMatchObject({
      stderr: '',
      stdout: expect.stringContaining('Google gives a token') as string,
    });
  });

  it('has doctor check the spreadsheets of mappings', async () => {
    const outcome = await run(['doctor', '--json']);
    expect(outcome.code).toBe(0);
    expect(googleChecks(outcome).map(({ level, found }) => [level, found])).toEqual([
      ['good', expect.stringContaining('login of')],
      ['good', 'Google gives a token'],
      ['good', '"League 2026" can be read; 1 of 1 tabs found'],
    ]);
    expect(outcome.stderr).toContain('Google Sheets: 1 read and 0 writes (60 of each a minute)');
  });

  it('learns from doctor that a tab is missing, and a spreadsheet', async () => {
    folder.write('mappings/gone.yaml', MAPPING(sheet, 'Gone').replace('members', 'gone'));
    folder.write('mappings/lost.yaml', MAPPING('1noSuchSpreadsheet', 'Gone').replace('members', 'lost'));
    folder.write(
      'mappings/ids.yaml',
      `version: 1\nname: ids\npull: players\nwhere: { fantasy_league_id: 1 }
ids: { sheet: ${sheet}, tab: Ids, column: Player }\ndestination: { csv: out/players.csv }\n`,
    );
    const outcome = await run(['doctor', '--json']);
    expect(outcome.code).toBe(4);
    const bad = googleChecks(outcome).filter(({ level }) => level === 'bad');
    expect(bad).toMatchObject([
      {
        found: expect.stringContaining('no tab "Gone"') as string,
        fix: expect.stringContaining('gone') as string,
      },
      { found: expect.stringContaining('no tab "Ids", which the mapping ids reads') as string },
      { found: expect.stringContaining('no spreadsheet 1noSuchSpreadsheet') as string },
    ]);
    folder.write('mappings/gone.yaml', '[]');
    folder.write('mappings/lost.yaml', '[]');
    folder.write('mappings/ids.yaml', '[]');
  });

  it('logs out, and the right is gone at Google too', async () => {
    const out = await run(['auth', 'logout', '--json']);
    expect(JSON.parse(out.stdout)).toMatchObject({ exit_code: 0, removed: true, revoked: true });
    expect(readdirSync(join(folder.path, '.teamsheet'))).not.toContain('google-token.json');
  });

  it('is told when the login ended', async () => {
    await login();
    google.expireTokens(true);
    const status = await run(['auth', 'status', '--json']);
    expect(status.code).toBe(5);
    expect(JSON.parse(status.stdout)).toMatchObject({ exit_code: 5, error: { code: 'google.expired' } });
    await run(['auth', 'logout']);
  });

  it('can say no, or go away', async () => {
    google.allowLogin(false);
    expect(await login()).toMatchObject({ code: 5, stderr: expect.stringContaining('declined') as string });
    google.allowLogin(true);
    const gone = await runCli(['auth', 'login', '--client', 'client.json'], {
      cwd: folder.path,
      when: { seen: /code_challenge/, act: (kill) => kill('SIGINT') },
    });
    expect(gone.code).toBe(130);
  });
});

describe('a service account', () => {
  it('is told whom to share with and as what', async () => {
    writeFileSync(join(folder.path, 'key.json'), JSON.stringify(google.keyFile), { mode: 0o644 });
    folder.write(
      'teamsheet.yaml',
      'version: 1\nenvironments: { default: { base_url: "${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } } }\ngoogle: { credentials: { file: key.json } }\n',
    );
    const closed = google.add({ title: 'Closed', shared: false, tabs: [{ title: 'Members', rows: [] }] });
    folder.write('mappings/members.yaml', MAPPING(closed, 'Members'));
    const outcome = await run(['doctor', '--json']);
    expect(outcome.code).toBe(5);
    const email = google.keyFile['client_email'] ?? '';
    expect(googleChecks(outcome)).toMatchObject([
      { level: 'good', found: expect.stringContaining(`shared with ${email}`) as string },
      { level: 'good' },
      { level: 'bad', fix: expect.stringContaining(`share it with ${email} as Viewer`) as string },
    ]);
    expect(outcome.stdout).toContain('chmod 600');
    folder.write('mappings/members.yaml', MAPPING(sheet, 'Members'));
  });

  it('reads with the right to read alone, and says what it used', async () => {
    const outcome = await run(['plan', '--json']);
    expect(outcome).toMatchObject({ code: 0 });
    const { google: counts } = JSON.parse(outcome.stdout) as { readonly google: object };
    expect(counts).toMatchObject({ writes: 0, throttled: 0, waited_ms: 0 });
    const tokens = google.calls.filter(({ kind }) => kind === 'token');
    const { assertion = '' } = (tokens.at(-1)?.body ?? {}) as { readonly assertion?: string };
    const claims = Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString();
    expect(claims).toContain('auth/spreadsheets.readonly"');
  });

  it('leaves its key in no output and no state', async () => {
    const key = google.keyFile['private_key'] ?? '';
    const part = key.replaceAll('\n', '').slice(200, 240);
    expect(part).toHaveLength(40);
    google.before(({ kind }) =>
      kind === 'read' ? { status: 403, body: { error: { code: 403 } } } : undefined,
    );
    const outcomes = [
      await run(['plan', '--verbose']),
      await run(['doctor', '--verbose']),
      await run(['auth', 'status', '--verbose']),
      await run(['validate', '--json', '--verbose']),
    ];
    const files = readdirSync(folder.path, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && entry.name !== 'key.json',
    );
    expect(files.length).toBeGreaterThan(3);
    const texts = [
      ...outcomes.flatMap(({ stdout, stderr }) => [stdout, stderr]),
      ...files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1')),
    ].map((text) => text.replaceAll('\n', '').replaceAll('\\n', ''));
    for (const secret of [part, 'ya29.', '1//fake'])
      expect(texts.filter((text) => text.includes(secret))).toEqual([]);
  });

  it('is not sent anywhere by a root_url that is not Google or this machine over http', async () => {
    const outcome = await run(['plan', '--json'], { TEAMSHEET_GOOGLE_ROOT_URL: 'http://sheets.example/' });
    expect(outcome.code).toBe(4);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ error: { code: 'google.root_url' } });
  });
});
