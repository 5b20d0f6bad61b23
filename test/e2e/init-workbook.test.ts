import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openXlsx, saveXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder, startService } from '../support/cli.ts';
import type { Outcome, Service } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { smallDemo, SQUADS } from '../support/small-demo.ts';
import { handMade, textRow } from '../support/workbook.ts';
import { startFakeGoogle } from '../support/google/fake-google.ts';
import type { FakeGoogle } from '../support/google/fake-google.ts';
import { serviceOfTest } from '../support/of-test.ts';

interface Listed {
  readonly written: readonly string[];
  readonly kept: readonly string[];
  readonly tabs_made: readonly string[];
  readonly proposed: readonly { readonly mapping: string; readonly tab: string }[];
  readonly notes: readonly string[];
}
const listed = ({ stdout }: Outcome): Listed => JSON.parse(stdout) as Listed;

interface Counted {
  readonly mappings: readonly Readonly<Record<string, unknown>>[];
}
const counts = ({ stdout }: Outcome): unknown =>
  (JSON.parse(stdout) as Counted).mappings.map(({ name, rows, created, unchanged, excluded }) => [
    name,
    rows,
    created,
    unchanged,
    excluded,
  ]);

const VARS = ['--var', 'fantasy_league_id=1', '--var', 'price_type=current'];

describe('a workbook of init', () => {
  const folder = makeFolder();
  const file = join(folder.path, 'season.xlsx');
  let service: Service;
  const run = (...args: readonly string[]): Promise<Outcome> =>
    runHere(args, { cwd: folder.path, env: service.env });
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(async () => {
    await service.close();
    folder.remove();
  });

  it('is filled in, checked and pushed; examples are left out and the second push writes nothing', async () => {
    const made = await run('init', '--workbook', 'season.xlsx', '--json');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(listed(made)).toMatchObject({ kept: [], proposed: [], notes: [] });
    expect(listed(made).written).toContain('season.xlsx');

    const book = await openXlsx(readFileSync(file));
    const rows = (tab: string) => book.sheets.find(({ name }) => name === tab)?.rows ?? [];
    rows('Users')[3] = ['00123', 'Ada Appletree', 'yes'];
    rows('Users')[4] = ['A-2', 'Björn Birkenblüte', null];
    rows('Prices')[3] = [1, 7.5];
    rows('Squads')[2] = ['00123', 'Orchard XI', 1, 2, 3];
    for (const row of rows('Points').slice(2)) row[1] = String(row[0]).endsWith('minutes') ? 60 : 1;
    writeFileSync(file, await saveXlsx(book));

    const checked = await run('validate', 'users', 'prices', 'points', ...VARS);
    expect(checked).toMatchObject({ code: 0, stderr: '' });
    const pushed = await run('push', '--yes', '--json', ...VARS);
    expect(pushed.code).toBe(0);
    expect(counts(pushed)).toEqual([
      ['users', 4, 2, 0, 2],
      ['fantasy-leagues', 1, 0, 0, 1],
      ['points', 1, 1, 0, 0],
      ['prices', 3, 1, 0, 2],
      ['mini-leagues', 1, 0, 0, 1],
      ['squads', 2, 1, 0, 1],
    ]);
    expect((await run('api', 'list-users')).stdout).toContain('"external_id": "00123"');
    const again = await run('push', '--yes', '--json', ...VARS);
    expect(counts(again)).toEqual([
      ['users', 4, 0, 2, 2],
      ['fantasy-leagues', 1, 0, 0, 1],
      ['points', 1, 0, 1, 0],
      ['prices', 3, 0, 1, 2],
      ['mini-leagues', 1, 0, 0, 1],
      ['squads', 2, 0, 1, 1],
    ]);
  });

  it('that stands in the working folder is not passed over for an empty one in a new folder', async () => {
    writeFileSync(join(folder.path, 'members.xlsx'), handMade({ rows: textRow(1, ['Member ID', 'Name']) }));
    const { code, stderr } = await run('init', 'league', '--workbook', 'members.xlsx');
    expect(code).toBe(64);
    expect(stderr).toContain(
      '--workbook is relative to the new folder, and "members.xlsx" stands in this one',
    );
    expect(stderr).toContain('write --workbook "../members.xlsx" to read it');
    expect(existsSync(join(folder.path, 'league'))).toBe(false);
    const read = await run('init', 'league', '--workbook', '../members.xlsx', '--json');
    expect(listed(read)).toMatchObject({ kept: ['../members.xlsx'], proposed: [{ tab: 'Users' }] });
  });

  it('is never written over', async () => {
    const before = readFileSync(file);
    const again = await run('init', '--workbook', 'season.xlsx', '--json');
    expect(again.code).toBe(0);
    expect(listed(again)).toMatchObject({ written: [], proposed: [], notes: [] });
    expect(listed(again).kept).toContain('season.xlsx');
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('says of a tab that it cannot read what is missing, in one line', async () => {
    const tab = `<sheetData>${textRow(1, ['Event', 'Worth'])}${textRow(2, ['Goal', 4])}</sheetData>`;
    writeFileSync(join(folder.path, 'own.xlsx'), handMade({ tabs: { Scoring: tab } }));
    const { code, stdout } = await run('init', 'own', '--workbook', '../own.xlsx');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^ {2}missing: starter_points(?:, \w+){4} and 29 more; name the column in .*points\.yaml$/m,
    );

    folder.write('own/mappings/points.yaml', '[]');
    const again = await run('init', 'own', '--workbook', '../own.xlsx');
    expect(again.stderr).toContain('points.yaml was kept and is not the one for');
    expect(again.stdout).toMatch(/^mappings.points\.yaml would be proposed for the tab "Scoring"/m);
    expect(again.stdout).not.toContain('which init proposed');
  });

  it.each([
    [['--workbook', 'season.ods'], 'takes a file that ends in .xlsx'],
    [['--workbook', 'a.xlsx', '--spreadsheet', 'x'], 'give one'],
    [['--spreadsheet', 'https://example.com/x'], 'neither the id nor the address'],
  ])('%j is refused', async (args, words) => {
    const { code, stderr } = await run('init', 'elsewhere', ...args);
    expect(code).toBe(64);
    expect(stderr).toContain(words);
  });
});

describe('a spreadsheet of init', () => {
  const folder = makeFolder();
  let google: FakeGoogle;
  const run = (...args: readonly string[]): Promise<Outcome> =>
    runHere(args, { cwd: folder.path, env: { TEAMSHEET_GOOGLE_ROOT_URL: google.rootUrl } });
  beforeAll(async () => {
    google = await startFakeGoogle();
    writeFileSync(join(folder.path, 'league.key.json'), JSON.stringify(google.keyFile), { mode: 0o600 });
  });
  afterAll(async () => {
    await google.close();
    folder.remove();
  });

  it('names the address to share with, and nothing is written', async () => {
    const id = google.add({ shared: false, tabs: [{ title: 'Sheet1', rows: [] }] });
    const { code, stderr } = await run('init', 'a', '--spreadsheet', id, '--google-key', 'league.key.json');
    expect(code).toBe(5);
    expect(stderr).toContain(String(google.keyFile['client_email']));
    expect(existsSync(join(folder.path, 'a'))).toBe(false);
  });

  it('gets the tabs that it lacks, and a proposed mapping for the one with data', async () => {
    const rows = [
      ['Membership number', 'Nickname'],
      ['A1', 'Ada'],
    ];
    const id = google.add({ tabs: [{ title: 'Members', rows }] });
    const address = `https://docs.google.com/spreadsheets/d/${id}/edit#gid=0`;
    const made = await run(
      'init',
      'b',
      '--spreadsheet',
      address,
      '--google-key',
      'league.key.json',
      '--json',
    );
    expect(made.code).toBe(0);
    expect(listed(made).tabs_made).toEqual(['Prices', 'Points', 'Fantasy leagues', 'Mini leagues', 'Squads']);
    expect(listed(made).proposed).toMatchObject([{ mapping: 'mappings/users.yaml', tab: 'Members' }]);
    expect(google.tab(id, 'Members').rows()).toEqual(rows);
    const read = (name: string): string => readFileSync(join(folder.path, 'b', name), 'utf8');
    expect(read('mappings/users.yaml')).toContain('external_id: { from: Membership number');
    expect(read('mappings/prices.yaml')).toContain(`sheet: ${id}`);
    expect(read('teamsheet.yaml')).toContain('google: { credentials: { file:');
    const again = await run('init', 'b', '--spreadsheet', id, '--json');
    expect(listed(again)).toMatchObject({ written: [], tabs_made: [] });
  });

  it('gives an empty tab that it fills the name of the mapping, where that was written in other case', async () => {
    const id = google.add({ tabs: [{ title: 'PRICES', rows: [] }] });
    const made = await run('init', 'd', '--spreadsheet', id, '--google-key', 'league.key.json', '--json');
    expect(listed(made).tabs_made).toContain('Prices');
    expect(google.tabTitles(id)).toContain('Prices');
    expect(google.tab(id, 'Prices').shown()[0]?.slice(0, 2)).toEqual(['Player ID', 'Price']);
  });

  it('is pushed as far as it is filled in, and filled with the reports, by its first sync', async () => {
    const service = await serviceOfTest(
      smallDemo(folder.path, { per_minute: 10_000 }, '2026-08-10T09:00:00Z'),
    );
    const sync = (...args: readonly string[]): Promise<Outcome> =>
      runHere(['sync', '--yes', '--json', ...VARS, ...args], {
        cwd: join(folder.path, 'c'),
        env: { ...service.env, TEAMSHEET_GOOGLE_ROOT_URL: google.rootUrl },
      });
    await service.sandbox.control('POST', '/play-next-week');
    await service.sandbox.control('POST', '/clock', { advance: '1h' });
    const id = google.add({ tabs: [{ title: 'Sheet1', rows: [] }] });
    const fill = (row: number, cells: readonly (string | null)[]): void =>
      cells.forEach((cell, column) => google.tab(id, 'Users').set(row, column, cell));
    const show = ['squads', 'history', 'lineups', 'fixtures', 'auto-substitutions'].flatMap((kind) => [
      '--show',
      kind,
    ]);
    await run('init', 'c', '--spreadsheet', id, '--google-key', 'league.key.json', ...show);
    fill(3, ['A-1', 'Ada Appletree', 'yes']);
    fill(4, ['A-2', 'x'.repeat(51), '']);

    const first = await sync();
    expect(first.code).toBe(3);
    expect(JSON.parse(first.stdout)).toMatchObject({
      mappings: [
        { name: 'users', created: 1, invalid: 1, excluded: 2 },
        { name: 'squads-tab', records: SQUADS },
        { name: 'history-tab', records: SQUADS },
        { name: 'lineups-tab', records: SQUADS },
        { name: 'fixtures-tab', records: 380 },
        { name: 'auto-substitutions-tab' },
      ],
    });
    for (const tab of ['Prices', 'Points', 'Fantasy leagues', 'Mini leagues', 'Squads'])
      expect(
        first.stderr.split('\n').filter((line) => line.includes(`tab "${tab}" is not filled in yet`)),
      ).toHaveLength(1);
    const [header = [], , , ada = [], long = []] = google.tab(id, 'Users').shown();
    const status = header.indexOf('Sync status');
    expect([ada[status], long[status]]).toEqual(['created', 'invalid']);
    const cover = google.tab(id, 'Overview').rows();
    const labels = cover.map((row) => row[1]).filter((label) => typeof label === 'string');
    expect(labels.slice(2)).toEqual([
      ...['League', 'Game week', 'Leader', 'Top ten', 'Best player', 'Tab'],
      ...['Charts', 'League table', 'Week by week', 'Line-ups', 'Fixtures', 'Substitutions'],
      ...['Written', 'Source', 'Environment', 'Program'],
    ]);
    expect(cover.find((row) => row[1] === 'League')?.[2]).toBe('Aurelian Fantasy');
    expect(cover.filter((row) => /^\d+ \w/.test(String(row[2])))).toHaveLength(10);
    const lineups = google.tab(id, 'Line-ups').shown();
    expect(lineups).toHaveLength(SQUADS + 1);
    expect(lineups[1]?.[lineups[0]?.indexOf('Starting eleven') ?? -1]).toMatch(
      /^GK .+ · DEF .+ · MID .+ · FWD /,
    );
    expect(google.tabTitles(id)).toEqual(
      expect.arrayContaining([
        'Overview',
        'Charts',
        'League table',
        'Week by week',
        'Line-ups',
        'Fixtures',
        'Substitutions',
      ]),
    );

    for (const row of [3, 4]) fill(row, [null, null, null]);
    const empty = await sync('fixtures-tab');
    expect(JSON.parse(empty.stdout)).toMatchObject({ exit_code: 0, mappings: [{ name: 'fixtures-tab' }] });
    const none = JSON.parse((await sync()).stdout) as { readonly run: unknown; readonly exit_code: number };
    expect(none).toMatchObject({ run: expect.any(String) as string, exit_code: 0 });
  });
});
