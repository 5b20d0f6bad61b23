import { beforeEach, describe, expect, test } from 'vitest';
import type { Cell } from '../../../src/model/tables/cell.ts';
import type { Issue } from '../../../src/model/issue.ts';
import type { ReadOptions, SourceRow, SourceTable } from '../../../src/model/tables/table.ts';
import { numberCell } from '../../../src/tables/google/shown-date.ts';
import { createSheetKind, type SheetKind } from '../../../src/tables/google-sheets.ts';
import { accessTo } from '../../support/google-access.ts';
import { googleOfFile } from '../../support/google/of-file.ts';
import type { FakeCell, FakeTabInput } from '../../support/google/fake-google.ts';

const fake = googleOfFile();
let access: ReturnType<typeof accessTo>;
let reader: SheetKind;
beforeEach(() => {
  access = accessTo(fake);
  reader = createSheetKind(access);
});

const OPTIONS: ReadOptions = { origin: 'tab "Users"', headerRow: 1, delimiter: 'auto', encoding: 'auto' };
const at = (spreadsheet: string, tab = 'Users') => ({ kind: 'sheet', spreadsheet, tab }) as const;

function spreadsheet(rows: readonly (readonly FakeCell[])[], ...others: readonly FakeTabInput[]): string {
  return fake.add({
    title: 'Season',
    timeZone: 'Europe/Berlin',
    tabs: [{ title: 'Users', rows }, ...others],
  });
}

async function rowsOf(table: SourceTable): Promise<readonly SourceRow[]> {
  const rows = (await Array.fromAsync(table.batches())).flat();
  await table.close();
  return rows;
}

const open = (id: string, options: Partial<ReadOptions> = {}, tab = 'Users'): Promise<SourceTable> =>
  reader.open(at(id, tab), { ...OPTIONS, ...options });

async function cellsOf(id: string): Promise<readonly (readonly Cell[])[]> {
  return (await rowsOf(await open(id))).map(({ cells }) => cells);
}

/** `GET /v4/spreadsheets/ID` as `get`, values as their rendering and the number of tabs. */
function callsOf(id: string): readonly string[] {
  return fake.calls
    .filter(({ path }) => path.includes(id))
    .map(({ path, query }) =>
      path.endsWith('values:batchGet')
        ? `${query.valueRenderOption?.[0] ?? ''} ${query.ranges?.length ?? 0}`
        : 'get',
    );
}

describe('cells', () => {
  test('texts stay texts, other values keep their type and how they are shown', async () => {
    const id = spreadsheet([
      ['Text', 'Number', 'Formatted', 'Flag', 'Error', 'Formula'],
      [
        '00123',
        7.5,
        { value: 1001, format: { type: 'NUMBER', pattern: '00000' } },
        true,
        { error: '#N/A' },
        { formula: '="a"&"b"', value: 'ab' },
      ],
    ]);
    expect(await cellsOf(id)).toEqual([
      [
        '00123',
        { kind: 'number', value: 7.5, shown: '7.5' },
        { kind: 'number', value: 1001, shown: '01001' },
        { kind: 'boolean', value: true, shown: 'TRUE' },
        { kind: 'error', shown: '#N/A' },
        'ab',
      ],
    ]);
  });

  test('the noise of arithmetic is no part of a number', async () => {
    const id = spreadsheet([['Price'], [{ formula: '=4.9+0.2', value: 5.1000000000000005 }]]);
    expect(await cellsOf(id)).toEqual([[{ kind: 'number', value: 5.1, shown: '5.1' }]]);
  });

  test('a date is the wall clock of the time zone that the table knows', async () => {
    const date = { value: 46_023, format: { type: 'DATE', pattern: 'yyyy-mm-dd' } };
    const table = await open(spreadsheet([['When'], [date]]));
    expect(table.timezone).toBe('Europe/Berlin');
    expect((await rowsOf(table))[0]?.cells).toEqual([
      { kind: 'datetime', iso: '2026-01-01T00:00:00', shown: '2026-01-01' },
    ]);
  });

  test.each<[number, string, Cell | undefined]>([
    [46_149, '7-May', { kind: 'datetime', iso: '2026-05-07T00:00:00', shown: '7-May' }],
    [46_149, '07.05', { kind: 'datetime', iso: '2026-05-07T00:00:00', shown: '07.05' }],
    [
      46_149.75,
      '07/05/26 6:00 PM',
      { kind: 'datetime', iso: '2026-05-07T18:00:00', shown: '07/05/26 6:00 PM' },
    ],
    [
      46_149,
      'Donnerstag, 7. Mai 2026',
      { kind: 'datetime', iso: '2026-05-07T00:00:00', shown: 'Donnerstag, 7. Mai 2026' },
    ],
    [1.26, '30:14:24', { kind: 'datetime', iso: '1899-12-31T06:14:24', shown: '30:14:24' }],
    [1.0625, '1530:00', { kind: 'datetime', iso: '1899-12-31T01:30:00', shown: '1530:00' }],
    [0.3125, '7:30', '7:30'],
    [0.0625, '90:00', '90:00'],
    [-0.0625, '-1:30', '-1:30'],
    [0.020_833_333_3, '0:30', '0:30'],
    ...(
      [
        [46_149, '46149'],
        [46_149, '46.149,00 €'],
        [46_149, "46'149"],
        [46_149, '4.61E+04'],
        [12, '12.0'],
        [12, '12 pts'],
        [12, '£12'],
        [0.12, '12%'],
        [0.125, '0.13'],
        [0.4, '0'],
        [7.5, '7,5 m'],
        [12_345, '12.3K'],
        [1001, '01001'],
        [-3, '(3)'],
        [5, '57'],
      ] as const
    ).map(([value, shown]): [number, string, undefined] => [value, shown, undefined]),
  ])('%d that is shown as %s is what a person sees there', (value, shown, cell) => {
    expect(numberCell(value, shown)).toEqual(cell ?? { kind: 'number', value, shown });
  });

  test('89: cells that a row lacks are empty', async () => {
    expect(await cellsOf(spreadsheet([['A', 'B', 'C'], ['1'], ['', '', 'x']]))).toEqual([
      ['1', '', ''],
      ['', '', 'x'],
    ]);
  });

  test('rows that hold nothing but blanks and empty check boxes are no rows, and the others keep their numbers', async () => {
    const id = spreadsheet([
      ['A', 'Active'],
      ['', ''],
      ['x', false],
      ['  ', false],
      [null, false],
      ['y', true],
    ]);
    expect((await rowsOf(await open(id))).map(({ rowNumber }) => rowNumber)).toEqual([3, 6]);
  });

  test('91: hidden rows are read', async () => {
    const id = spreadsheet([['A'], ['x'], ['y']]);
    fake.tab(id, 'Users').hideRow(1);
    expect(await cellsOf(id)).toEqual([['x'], ['y']]);
  });

  test('names from the prototype of objects are plain headers', async () => {
    const table = await open(
      spreadsheet([
        ['__proto__', 'constructor', 'toString'],
        ['a', 'b', 'c'],
      ]),
    );
    expect(table.header).toEqual(['__proto__', 'constructor', 'toString']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('the header', () => {
  test('may stand lower, and hold numbers', async () => {
    const table = await open(spreadsheet([['Users of the season'], [], ['Member ID', 2026], ['a', 'b']]), {
      headerRow: 3,
    });
    expect(table.header).toEqual(['Member ID', '2026']);
    expect((await rowsOf(table)).map(({ rowNumber }) => rowNumber)).toEqual([4]);
  });

  test.each<[string, readonly (readonly FakeCell[])[], string, string]>([
    ['an empty tab', [], 'header.none', 'tab "Users": no header in row 1, the tab ends before it'],
    [
      'an empty first row',
      [[], [], ['A'], ['x']],
      'header.none',
      'tab "Users": no header in row 1, the row is empty',
    ],
    [
      'a repeated name',
      [['Name', 'name '], ['x']],
      'header.duplicate',
      'tab "Users" row 1: "Name" and "name" stand in columns 1 and 2 of the header',
    ],
    [
      'a nameless column that holds something',
      [
        ['A', '', 'C'],
        ['x', 'y', 'z'],
      ],
      'header.empty',
      'tab "Users" row 2: column 2 holds a value, but its header is empty',
    ],
  ])('with %s is refused', async (_, rows, code, message) => {
    await expect(open(spreadsheet(rows))).rejects.toMatchObject({ code, message, exitCode: 4 });
  });

  test('of merged cells over a column that holds something is refused', async () => {
    const id = spreadsheet([
      ['A', 'B', ''],
      ['x', 'y', 'z'],
    ]);
    // The last header counts as one only where a later column has a name.
    fake.tab(id, 'Users').set(0, 3, 'D');
    fake.tab(id, 'Users').merge(0, 1, 1, 3);
    await expect(open(id)).rejects.toMatchObject({
      code: 'header.merged',
      message:
        'tab "Users" row 1: the header cells B1:C1 are merged, so the columns under them have no names of their own',
    });
  });
});

describe('rows that are refused', () => {
  const issuesOf = async (id: string): Promise<readonly (readonly Issue[])[]> =>
    (await rowsOf(await open(id))).map(({ issues = [] }) => issues);

  test('right of the header', async () => {
    const id = spreadsheet([
      ['A', 'B'],
      ['x', 'y', '', 'note'],
      ['v', 'w'],
    ]);
    expect(await issuesOf(id)).toEqual([
      [
        {
          code: 'row.cells',
          severity: 'error',
          message: 'column D holds "note" but has no header; give it one, or empty the cell',
        },
      ],
      [],
    ]);
    expect((await cellsOf(id))[0]).toEqual(['x', 'y', '', 'note']);
  });

  test('90: in merged cells, each under its column', async () => {
    const id = spreadsheet([
      ['A', 'B', 'C'],
      ['x', 'y', 'z'],
      ['v', '', 'w'],
    ]);
    fake.tab(id, 'Users').merge(1, 0, 3, 1);
    const found = await issuesOf(id);
    expect(found.map((issues) => issues.map(({ code, column, message }) => [code, column, message]))).toEqual(
      [2, 3].map(() => [
        [
          'cell.merged',
          'A',
          'is part of the merged cells A2:A3, so whose value it is cannot be told; unmerge them',
        ],
      ]),
    );
  });
});

describe('calls', () => {
  test('announced tabs of a spreadsheet are read together, as shown only where a cell is not a text', async () => {
    const id = spreadsheet([['A'], ['x']], { title: 'Prices', rows: [['Price'], [7.5]] });
    reader.announce([at(id), at(id, 'Prices'), { kind: 'csv', path: '/users.csv' }]);
    await Promise.all([open(id), open(id, {}, 'Prices'), open(id, { headerRow: 1 })]);
    expect(callsOf(id)).toEqual(['get', 'UNFORMATTED_VALUE 2', 'FORMATTED_VALUE 1']);
  });

  test('what was announced again is read again', async () => {
    const id = spreadsheet([['A'], ['x']]);
    reader.announce([at(id)]);
    await open(id);
    fake.tab(id, 'Users').set(1, 0, 'y');
    expect(await cellsOf(id)).toEqual([['x']]);
    reader.announce([at(id)]);
    expect(await cellsOf(id)).toEqual([['y']]);
  });

  test('a tab is read again in one call, every cell as it is shown', async () => {
    const id = spreadsheet([
      ['A', 'B'],
      [7.5, true],
    ]);
    await open(id);
    fake.tab(id, 'Users').set(1, 0, 8);
    const before = callsOf(id).length;
    const again = await rowsOf(await reader.reread(at(id), OPTIONS));
    expect(again).toEqual([{ rowNumber: 2, cells: ['8', 'TRUE'] }]);
    expect(callsOf(id).slice(before)).toEqual(['FORMATTED_VALUE 1']);
  });
});

describe('tabs', () => {
  test('that do not exist are named, with the ones that do and the nearest', async () => {
    const id = spreadsheet([['A']], { title: 'Prices', rows: [] });
    await expect(open(id, {}, 'Price')).rejects.toMatchObject({
      code: 'source.missing_tab',
      message: 'spreadsheet "Season": no tab "Price"; it has "Users", "Prices"; nearest: "Prices"',
      place: { file: 'Season' },
      exitCode: 4,
    });
  });

  test('that do not exist keep nobody from reading those announced with them', async () => {
    const id = spreadsheet([['A'], ['x']]);
    reader.announce([at(id), { ...at(id), tab: 'Players' }]);
    expect(await cellsOf(id)).toEqual([['x']]);
    await expect(open(id, {}, 'Players')).rejects.toMatchObject({ code: 'source.missing_tab' });
  });

  test('that were renamed are found by their id, with a warning', async () => {
    const id = spreadsheet([['A'], ['x']]);
    await open(id);
    fake.tab(id, 'Users').rename("People's");
    reader.announce([at(id)]);
    expect(await cellsOf(id)).toEqual([['x']]);
    expect(access.warnings).toEqual([
      `spreadsheet "Season": the tab "Users" is called "People's" by now and was found by its id; change the name in the mapping`,
    ]);
  });

  test('that are renamed between two calls are found as well, and deleted ones are missed', async () => {
    const id = spreadsheet([['A'], ['x']], { title: 'Other', rows: [] });
    await open(id);
    reader.announce([at(id)]);
    let seen = 0;
    fake.before(({ path }) => {
      if (!path.includes(id) || !path.endsWith('values:batchGet')) return;
      seen += 1;
      if (seen === 1) fake.tab(id, 'Users').rename('Members');
      if (seen === 3) fake.deleteTab(id, 'Members');
    });
    expect(await cellsOf(id)).toEqual([['x']]);
    await expect(reader.reread(at(id), OPTIONS)).rejects.toMatchObject({ code: 'source.missing_tab' });
  });

  test('of a name with an apostrophe are read', async () => {
    const id = spreadsheet([], { title: "Q1 '26!A1", rows: [['A'], ['x']] });
    expect(await rowsOf(await open(id, {}, "Q1 '26!A1"))).toEqual([{ rowNumber: 2, cells: ['x'] }]);
  });
});

describe('a sheet that changes while it is read', () => {
  test('is read again', async () => {
    const id = spreadsheet([
      ['Name', 'Price'],
      ['x', 1],
    ]);
    let isFirst = true;
    fake.before(({ path, query }) => {
      if (!path.includes(id) || query.valueRenderOption?.[0] !== 'FORMATTED_VALUE' || !isFirst) return;
      isFirst = false;
      fake.tab(id, 'Users').insertRow(1, ['first', 2]);
    });
    expect(await cellsOf(id)).toEqual([
      ['first', { kind: 'number', value: 2, shown: '2' }],
      ['x', { kind: 'number', value: 1, shown: '1' }],
    ]);
  });

  test('and never agrees with itself is unavailable, never a table', async () => {
    const id = spreadsheet([
      ['Name', 'Price'],
      ['x', 1],
    ]);
    let edits = 0;
    fake.before(({ path, query }) => {
      if (!path.includes(id) || query.valueRenderOption?.[0] !== 'FORMATTED_VALUE') return;
      edits += 1;
      fake.tab(id, 'Users').set(1, 0, `x${edits}`);
    });
    await expect(open(id)).rejects.toMatchObject({
      code: 'source.unstable',
      message: 'tab "Users": 4 reads did not give the same rows (the last: row 2 changed between two calls)',
      exitCode: 8,
    });
  });

  test('a number that is shown as another number counts as a change; one that only looks odd does not', async () => {
    const id = spreadsheet([
      ['Price', 'Odd'],
      [7.256, { value: 5, format: { type: 'NUMBER', pattern: '0"7"' } }],
    ]);
    expect(await cellsOf(id)).toEqual([
      [
        { kind: 'number', value: 7.256, shown: '7.256' },
        { kind: 'number', value: 5, shown: '57' },
      ],
    ]);
    expect(callsOf(id).filter((call) => call.startsWith('FORMATTED'))).toHaveLength(2);
  });

  test('an answer that is shorter than the tab is not believed', async () => {
    const id = spreadsheet([['Name'], ['x']]);
    fake.before(({ path }) =>
      path.includes(id) && path.endsWith('values:batchGet')
        ? { status: 200, body: { valueRanges: [{ range: 'Users!A1:Z500', values: [['Name']] }] } }
        : undefined,
    );
    await expect(open(id)).rejects.toMatchObject({
      code: 'source.unstable',
      message: expect.stringContaining('500 of 1000 rows were answered') as string,
    });
  });
});
