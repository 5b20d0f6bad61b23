import { beforeEach, describe, expect, it } from 'vitest';
import type { Outcome, Service } from '../support/cli.ts';
import { folderOfTest, serviceOfTest } from '../support/of-test.ts';
import { runHere } from '../support/run-here.ts';
import type { Fault, FakeCell, FakeTab } from '../support/google/fake-google.ts';
import { googleOfFile } from '../support/google/of-file.ts';

const google = googleOfFile();
let service: Service;
let folder: ReturnType<typeof folderOfTest>;
let id = '';
let tab: FakeTab;
beforeEach(async () => {
  service = await serviceOfTest();
});

function season(rows: readonly (readonly FakeCell[])[]): void {
  id = google.add({ title: 'Season', timeZone: 'Europe/Berlin', tabs: [{ title: 'Users', rows }] });
  tab = google.tab(id, 'Users');
  folder = folderOfTest({
    'teamsheet.yaml': `version: 1
environments:
  live: { base_url: ${service.baseUrl}, api_key: { env: TEAMSHEET_API_KEY } }
google: { credentials: { file: google-key.json }, root_url: '${google.rootUrl}' }
`,
    'google-key.json': JSON.stringify(google.keyFile),
    'mappings/users.yaml': `version: 1
name: users
push: users
source: { sheet: https://docs.google.com/spreadsheets/d/${id}/edit#gid=0, tab: Users }
operation: upsert
columns:
  external_id: { from: Member ID, required: true }
  display_name: { from: Name, transform: [trim, squeeze] }
  is_active: { from: Active, type: boolean }
write_back: { status: Sync status, message: Sync message, id: User ID, synced_at: Synced at }
`,
  });
}

const run = (...args: readonly string[]): Promise<Outcome> =>
  runHere(args, { cwd: folder.path, env: service.env });
const callsSince = (from: number): readonly string[] =>
  google.calls
    .slice(from)
    .flatMap(({ kind, path }) =>
      kind === 'token' ? [] : [`${kind} ${path.replace(/.*[/:]/, '').replace(id, 'get')}`],
    );

const HEADER = ['Member ID', 'Name', 'Active'];

describe('a push from a tab', () => {
  it('writes beside each row what became of it; the same push again writes nothing to the service and nothing to Google', async () => {
    season([
      HEADER,
      ['m-1', 'Ada  Appletree', true],
      ['m-2', 'x'.repeat(51), true],
      [],
      [1001, 'Björn Birkenblüte', true],
      [null, null, false],
    ]);
    const first = await run('push', '--yes', '--json');
    expect(first).toMatchObject({ code: 3 });
    expect(JSON.parse(first.stdout)).toMatchObject({
      exit_code: 3,
      mappings: [{ rows: 3, created: 2, invalid: 1 }],
    });
    const shown = tab.shown();
    expect(shown[0]).toEqual([...HEADER, 'Sync status', 'Sync message', 'User ID', 'Synced at']);
    const [, ada, long, , björn] = shown;
    expect(ada?.slice(3, 5)).toEqual(['created', '']);
    expect(ada?.[5]).toMatch(/^[0-9a-f-]{36}$/);
    expect(ada?.[6]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
    expect(long?.slice(3, 6)).toEqual(['invalid', 'column "Name": 51 characters, at most 50', '']);
    expect(björn?.slice(3, 5)).toEqual(['created', '']);
    expect(tab.cell(2, 1).note).toBe('teamsheet: 51 characters, at most 50');

    const from = google.calls.length;
    const asked = service.requests.length;
    const second = await run('push', '--yes', '--json');
    expect(JSON.parse(second.stdout)).toMatchObject({ mappings: [{ rows: 3, unchanged: 2, invalid: 1 }] });
    expect(service.requests.slice(asked).filter((each) => !each.startsWith('GET'))).toEqual([]);
    expect(callsSince(from)).toEqual(['read get', 'read batchGet', 'read batchGet', 'read get']);
    expect(tab.shown()).toEqual(shown);
  });

  it('is dry with plan: nothing is written to the tab', async () => {
    season([HEADER, ['m-1', 'Ada Appletree', true]]);
    const from = google.calls.length;
    expect((await run('plan')).code).toBe(0);
    expect(callsSince(from)).toEqual(['read get', 'read batchGet', 'read batchGet']);
    expect(tab.shown()[0]).toEqual(HEADER);
  });

  it('says which tab is not there', async () => {
    season([HEADER]);
    tab.rename('Members');
    const { code, stderr } = await run('push', '--yes');
    expect(code).toBe(4);
    expect(stderr).toContain('spreadsheet "Season": no tab "Users"; it has "Members"');
  });

  it.each<[string, number, Fault]>([
    [
      'is not shared any more',
      5,
      { status: 403, body: { error: { code: 403, status: 'PERMISSION_DENIED' } } },
    ],
    ['Google does not answer', 8, { status: 501 }],
  ])('that %s stops its own mapping of a schedule alone', async (_, code, fault) => {
    season([HEADER, ['m-1', 'Ada Appletree', true]]);
    const timed = (name: string, source: string): string =>
      `{ version: 1, name: ${name}, push: users, source: ${source}, operation: upsert, columns: { external_id: { from: Member ID }, display_name: Name }, schedule: "0 5 1 1 *" }\n`;
    folder.write('mappings/users.yaml', timed('users', `{ sheet: ${id}, tab: Users }`));
    folder.write('mappings/more.yaml', timed('more', '{ csv: more.csv }'));
    folder.write('more.csv', 'Member ID,Name\nm-2,Björn\n');
    const own = id;
    google.before(({ path }) => (path.includes(own) ? fault : undefined));
    const outcome = await run('schedule', 'run', '--once', '--json');
    expect(outcome).toMatchObject({ code });
    expect(JSON.parse(outcome.stdout)).toMatchObject({ mappings: [{ name: 'more', created: 1 }] });
  });

  it('takes at most 6 calls to Google for 10,000 rows', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => [`m-${index}`, `Member ${index}`, true]);
    season([HEADER, ...rows]);
    const from = google.calls.length;
    const { code, stdout } = await run('push', '--yes', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ mappings: [{ rows: 10_000, created: 10_000 }] });
    expect(callsSince(from)).toEqual([
      'read get',
      'read batchGet',
      'read batchGet',
      'read batchGet',
      'read get',
      'write batchUpdate',
    ]);
    expect(
      new Set(
        tab
          .shown()
          .slice(1)
          .map((row) => row[3]),
      ),
    ).toEqual(new Set(['created']));
  });
});
