import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, startService, USERS_MAPPING } from '../support/cli.ts';
import type { Outcome, Service } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { startFakeGoogle } from '../support/google/fake-google.ts';
import type { FakeGoogle } from '../support/google/fake-google.ts';
import { folderOfTest } from '../support/of-test.ts';

const SHEET_USERS = (id: string): string =>
  `${USERS_MAPPING.replace('{ csv: users.csv }', `{ sheet: ${id}, tab: Users }`)}write_back: { status: Sync status }\n`;
const FIXTURES = `version: 1
name: fixtures
pull: fixtures
where: { fantasy_league_id: 1 }
destination: { csv: out/fixtures.csv }
`;

let service: Service;
let google: FakeGoogle;
beforeAll(async () => {
  [service, google] = await Promise.all([startService(), startFakeGoogle()]);
});
afterAll(async () => {
  await Promise.all([service.close(), google.close()]);
});

const tab = {
  title: 'Users',
  rows: [
    ['Member ID', 'Name'],
    ['m-1', 'Ada Appletree'],
  ],
};

interface Synced extends Outcome {
  readonly document: Readonly<Record<string, unknown>>;
  /** Lines of the report of fixtures; 0 when there is none. */
  readonly lines: number;
  /** What `runs` knows then. */
  readonly runs: readonly { readonly run: string }[];
}

/** `sync` of one mapping that pushes users, of the fixtures, and of what else is given. */
async function syncOf(
  users: string,
  { env = {}, more = '[]' }: { readonly env?: Readonly<Record<string, string>>; readonly more?: string } = {},
): Promise<Synced> {
  const folder = folderOfTest({
    'teamsheet.yaml': `version: 1
environments: { live: { base_url: '\${TEAMSHEET_BASE_URL}', api_key: { env: TEAMSHEET_API_KEY } } }
google: { credentials: { file: key.json }, root_url: '${google.rootUrl}' }
push: { settle: 100ms }
`,
    'key.json': JSON.stringify(google.keyFile),
    'mappings/users.yaml': users,
    'mappings/fixtures.yaml': FIXTURES,
    'mappings/more.yaml': more,
  });
  const outcome = await runHere(['sync', '--yes', '--json'], {
    cwd: folder.path,
    env: { ...service.env, ...env },
  });
  const recorded = await runHere(['runs', '--json'], { cwd: folder.path, env: service.env });
  const file = join(folder.path, 'out/fixtures.csv');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').length : 0;
  const { runs } = JSON.parse(recorded.stdout) as Pick<Synced, 'runs'>;
  return { ...outcome, document: JSON.parse(outcome.stdout) as Synced['document'], lines, runs };
}

describe('a mapping that stops does not stop pulls that do not depend on it', () => {
  const pulled = { name: 'fixtures', direction: 'pull', records: 380 };

  it.each<readonly [string, () => string, number, string]>([
    ['there is no such file', () => USERS_MAPPING, 4, 'source.missing'],
    [
      'the tab is gone',
      () => SHEET_USERS(google.add({ tabs: [{ ...tab, title: 'People' }] })),
      4,
      'source.missing_tab',
    ],
    ['there is no such spreadsheet', () => SHEET_USERS('1noSuchSpreadsheet'), 4, 'google.not_found'],
    ['Google refuses', () => SHEET_USERS(google.add({ shared: false, tabs: [tab] })), 5, 'google.not_shared'],
  ])('%s', async (_why, users, code, error) => {
    const { document, lines, ...outcome } = await syncOf(users());
    expect(document).toMatchObject({
      run: expect.any(String) as string,
      exit_code: code,
      mappings: [pulled],
      error: { code: error },
    });
    expect(outcome.code).toBe(code);
    expect(lines).toBe(381);
  });

  it('nothing is in its table yet, and the pull is a run of its own', async () => {
    const users = USERS_MAPPING.replace('users.csv', 'users.csv, optional: true');
    const { document, lines, runs } = await syncOf(users);
    expect(document).toMatchObject({ command: 'sync', exit_code: 0, mappings: [pulled] });
    expect(runs).toMatchObject([{ run: document['run'], exit_code: 0, mappings: [pulled] }]);
    expect(lines).toBe(381);
  });

  it('Google takes no outcomes', async () => {
    const { document, lines } = await syncOf(SHEET_USERS(google.add({ shared: 'reader', tabs: [tab] })));
    expect(document).toMatchObject({ exit_code: 5, mappings: [{ name: 'users', created: 1 }, pulled] });
    expect(lines).toBe(381);
  });

  it('the service answers no write', async () => {
    const mute = await startService({
      faults: [{ kind: 'status', status: 503, operation: 'create-users', count: 9 }],
    });
    const { document, lines } = await syncOf(SHEET_USERS(google.add({ tabs: [tab] })), { env: mute.env });
    await mute.close();
    expect(document).toMatchObject({
      exit_code: 8,
      mappings: [{ name: 'users', unknown: 1 }, pulled],
      error: { code: 'service.ambiguous' },
    });
    expect(lines).toBe(381);
  });

  it('but nothing is pulled from a service that is gone', async () => {
    const gone = await startServer((_request, response) => response.writeHead(401).end());
    const { document, lines } = await syncOf(SHEET_USERS(google.add({ tabs: [tab] })), {
      env: { TEAMSHEET_BASE_URL: gone.baseUrl },
    });
    await gone.close();
    expect(document).toMatchObject({
      exit_code: 8,
      error: { code: expect.stringMatching(/^service\./) as string },
    });
    expect(document).not.toHaveProperty('mappings');
    expect(lines).toBe(0);
  });
});

it('names the mapping of a spreadsheet that does not exist', async () => {
  const { document } = await syncOf(SHEET_USERS('1noSuchSpreadsheet'));
  expect(document).toMatchObject({
    error: {
      message: expect.stringMatching(/^mapping users: there is no spreadsheet/) as string,
      file: expect.stringMatching(/users\.yaml$/) as string,
      line: 1,
    },
  });
});

it('tells what was pushed, whatever becomes of the reports', async () => {
  const users = SHEET_USERS(
    google.add({
      tabs: [
        {
          ...tab,
          rows: [
            ['Member ID', 'Name'],
            ['m-2', 'Björn'],
          ],
        },
      ],
    }),
  );
  const lost = FIXTURES.replace('fixtures', 'lost').replace(
    '{ csv: out/fixtures.csv }',
    '{ sheet: 1noSuchSpreadsheet, tab: Fixtures }',
  );
  const { document, code } = await syncOf(users, { more: lost });
  expect(document).toMatchObject({
    run: expect.any(String) as string,
    exit_code: 8,
    mappings: expect.arrayContaining([
      expect.objectContaining({ name: 'users', created: 1 }),
      expect.objectContaining({
        name: 'lost',
        destination: '1noSuchSpreadsheet tab "Fixtures"',
        error: expect.objectContaining({ code: 'google.not_found', exit_code: 8 }) as object,
      }),
    ]) as object[],
  });
  expect(code).toBe(8);
});
