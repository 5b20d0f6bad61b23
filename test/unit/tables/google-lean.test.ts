import { describe, expect, onTestFinished, test } from 'vitest';
import type { ReportTab, ReportValue, WriteBack } from '../../../src/model/tables/table.ts';
import { createTables } from '../../../src/tables/index.ts';
import { accessTo } from '../../support/google-access.ts';
import { startLeanGoogle } from '../../support/lean-google.ts';
import type { LeanGoogle, Ways } from '../../support/lean-google.ts';
import { column, reportTab } from '../../support/report-tab.ts';

const OPTIONS = { origin: 'tab "Users"', headerRow: 1, delimiter: 'auto', encoding: 'auto' };
const LOCATION = { kind: 'sheet', spreadsheet: 'season', tab: 'Users' } as const;

async function start(ways: Ways, rows = usersRows()): Promise<{ google: LeanGoogle; sheet: Sheet }> {
  const google = await startLeanGoogle([{ title: 'Users', rows }], ways);
  onTestFinished(() => google.close());
  return { google, sheet: createTables(accessTo(google)).sheet as Sheet };
}
type Sheet = Required<ReturnType<typeof createTables>['sheet']>;

const usersRows = (): (string | number | boolean | null)[][] => [
  ['ID', 'Name', 'Active'],
  ['a', 'Ada', true],
  ['b', null, false],
  [],
  ['c', 'Carla', true],
];

const content = (): WriteBack => ({
  options: OPTIONS,
  header: ['ID', 'Name', 'Active'],
  columns: ['Status', 'Service ID'],
  keys: ['ID'],
  used: ['ID', 'Name'],
  rows: [
    {
      rowNumber: 2,
      cells: ['a', 'Ada', 'TRUE'],
      values: { Status: 'created', 'Service ID': '1' },
      notes: {},
    },
    {
      rowNumber: 3,
      cells: ['b', '', 'FALSE'],
      values: { Status: 'invalid', 'Service ID': '' },
      notes: { Name: 'empty' },
    },
    {
      rowNumber: 5,
      cells: ['c', 'Carla', 'TRUE'],
      values: { Status: 'created', 'Service ID': '3' },
      notes: {},
    },
  ],
});

const report = (rows: readonly (readonly ReportValue[])[]): ReportTab =>
  reportTab(
    { kind: 'sheet', spreadsheet: 'season', tab: 'Table' },
    { columns: [column('Squad'), column('Points', 'integer')], rows },
  );

const WAYS: readonly [string, Ways][] = [
  ['as Google does', {}],
  ['with ranges of the cells that hold something', { range: 'clipped' }],
  ['with ranges as they were asked for', { range: 'asked' }],
  ['without ranges', { range: 'none' }],
  ['without the size of grids', { noGrid: true }],
  ['without the size of grids, ranges clipped', { noGrid: true, range: 'clipped' }],
  ['without numbers that are 0', { noZeros: true }],
  ['with all cells, unasked', { cells: 'always' }],
  ['never with cells', { cells: 'never' }],
  ['with null for empty cells', { nulls: true }],
  ['with a token and nothing about it', { bareToken: true }],
  ['compressed', { gzip: true }],
  ['with no word of requests for looks', { strict: true }],
];

describe.each(WAYS)('a double of Google that answers %s', (_, ways) => {
  test('is read', async () => {
    const { sheet } = await start(ways);
    const table = await sheet.open(LOCATION, OPTIONS);
    const rows = (await Array.fromAsync(table.batches())).flat();
    expect(table.header).toEqual(['ID', 'Name', 'Active']);
    expect(rows.map(({ rowNumber }) => rowNumber)).toEqual([2, 3, 5]);
    expect(rows[1]?.cells).toEqual(['b', '', { kind: 'boolean', value: false, shown: 'FALSE' }]);
    const again = await sheet.reread(LOCATION, OPTIONS);
    expect((await Array.fromAsync(again.batches())).flat()[1]?.cells).toEqual(['b', '', 'FALSE']);
  });

  test('gets what became of rows, once', async () => {
    const { google, sheet } = await start(ways);
    const result = await sheet.writeBack(LOCATION, content());
    expect(result).toMatchObject({ written: 3, gone: [], made: ['Status', 'Service ID'] });
    expect(google.tabs[0]?.rows.map((row) => row.slice(3))).toEqual([
      ['Status', 'Service ID'],
      ['created', '1'],
      ['invalid'],
      [],
      ['created', '3'],
    ]);
    const before = google.calls.length;
    await sheet.writeBack(LOCATION, content());
    expect(google.calls.slice(before).filter((call) => call.startsWith('POST'))).toEqual([]);
  });

  test('gets a report', async () => {
    const { google, sheet } = await start(ways);
    await sheet.write([
      report([
        ['Lions', 4],
        ['Owls', 2],
      ]),
    ]);
    await sheet.write([report([['Lions', 5]])]);
    expect(google.tabs[1]?.rows).toEqual([
      ['Squad', 'Points'],
      ['Lions', 5],
      [null, null],
    ]);
  });
});

test('an answer that is shorter than the tab is never a table, nor a tab to write into', async () => {
  const rows = Array.from({ length: 40 }, (_, index) => (index === 0 ? ['ID'] : [index]));
  const { google, sheet } = await start({ rowsMax: 10, range: 'clipped', cells: 'never' }, rows);
  const short = { code: 'source.unstable', exitCode: 8 };
  await expect(sheet.open(LOCATION, OPTIONS)).rejects.toMatchObject(short);
  await expect(sheet.reread(LOCATION, OPTIONS)).rejects.toMatchObject(short);
  await expect(sheet.writeBack(LOCATION, content())).rejects.toMatchObject(short);
  expect(google.calls.filter((call) => call.startsWith('POST'))).toEqual([]);
});
