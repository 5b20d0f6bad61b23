import { beforeEach, describe, expect, test } from 'vitest';
import type {
  ReadOptions,
  WriteBack,
  WriteBackResult,
  WriteBackRow,
} from '../../../src/model/tables/table.ts';
import { createSheetKind } from '../../../src/tables/google-sheets.ts';
import { accessTo } from '../../support/google-access.ts';
import { googleOfFile } from '../../support/google/of-file.ts';
import type { FakeCell, FakeTab } from '../../support/google/fake-google.ts';

const fake = googleOfFile();
let access: ReturnType<typeof accessTo>;
let id = '';
let tab: FakeTab;
beforeEach(() => {
  access = accessTo(fake);
});

const OPTIONS: ReadOptions = { origin: 'tab "Users"', headerRow: 1, delimiter: 'auto', encoding: 'auto' };
const HEADER = ['ID', 'Name', 'Status', 'Service ID'];
const ROWS = [
  ['a', 'Ada', '', ''],
  ['b', 'Björn', '', ''],
  ['c', 'Carla', '', ''],
];

function sheet(rows: readonly (readonly FakeCell[])[] = [HEADER, ...ROWS], columnCount = 26): void {
  id = fake.add({ title: 'Season', tabs: [{ title: 'Users', rows, columnCount }] });
  tab = fake.tab(id, 'Users');
}

/** Rows as they were read, each said to be `STATUS of KEY`. */
function written(rows: readonly (readonly string[])[] = ROWS, header = HEADER): WriteBack {
  return {
    options: OPTIONS,
    header,
    columns: ['Status', 'Service ID'],
    keys: ['ID'],
    used: ['ID', 'Name'],
    rows: rows.map((cells, index): WriteBackRow => {
      const key = cells[0] ?? '';
      return {
        rowNumber: index + 2,
        cells,
        values: { Status: `created ${index + 2}`, 'Service ID': `id-${key}` },
        notes: {},
      };
    }),
  };
}

const writeBack = (content: WriteBack): Promise<WriteBackResult> =>
  createSheetKind(access).writeBack({ kind: 'sheet', spreadsheet: id, tab: 'Users' }, content);

/** Does something before the n-th update of this test's spreadsheet is carried out. */
function beforeUpdate(edit: (count: number) => void): void {
  const own = id;
  let count = 0;
  fake.before(({ path }) => {
    if (!path.includes(own) || !path.endsWith(':batchUpdate')) return;
    count += 1;
    edit(count);
  });
}

const calls = (): readonly string[] =>
  fake.calls
    .filter(({ path }) => path.includes(id))
    .map(({ path }) => (path.endsWith(':batchUpdate') ? 'update' : 'get'));

describe('rows that stand where they were', () => {
  test('get what became of them, in two calls after the one that finds the tab', async () => {
    sheet();
    expect(await writeBack(written())).toEqual({ written: 3, gone: [], made: [] });
    expect(tab.rows()).toEqual([
      HEADER,
      ['a', 'Ada', 'created 2', 'id-a'],
      ['b', 'Björn', 'created 3', 'id-b'],
      ['c', 'Carla', 'created 4', 'id-c'],
    ]);
    expect(calls()).toEqual(['get', 'get', 'update']);
  });

  test('are left alone where they say it already', async () => {
    sheet();
    await writeBack(written());
    const before = calls().length;
    expect(await writeBack(written())).toEqual({ written: 3, gone: [], made: [] });
    expect(calls().slice(before)).toEqual(['get', 'get']);
  });

  test('are written cell by cell: only what differs', async () => {
    sheet([HEADER, ['a', 'Ada', 'created 2', 'id-a'], ['b', 'Björn', 'old', 'id-b']]);
    await writeBack(written(ROWS.slice(0, 2)));
    const update = fake.calls.findLast(({ path }) => path.includes(id) && path.endsWith(':batchUpdate'));
    expect((update?.body as { requests: unknown }).requests).toEqual([
      {
        updateCells: {
          start: { sheetId: tab.sheetId, rowIndex: 2, columnIndex: 2 },
          rows: [{ values: [{ userEnteredValue: { stringValue: 'created 3' } }] }],
          fields: 'userEnteredValue',
        },
      },
    ]);
  });

  test('keep a cell that nothing is said about, and lose one that an empty text is said of', async () => {
    sheet([HEADER, ['a', 'Ada', 'old', 'id-old']]);
    await writeBack({
      ...written([['a', 'Ada', 'old', 'id-old']]),
      rows: [{ rowNumber: 2, cells: ['a', 'Ada', 'old', 'id-old'], values: { Status: '' }, notes: {} }],
    });
    expect(tab.rows()[1]).toEqual(['a', 'Ada', null, 'id-old']);
  });

  test('never get a formula', async () => {
    sheet();
    const [row] = written().rows;
    await writeBack({
      ...written(),
      rows: row === undefined ? [] : [{ ...row, values: { Status: '=1+1' } }],
    });
    expect(tab.cell(1, 2)).toMatchObject({ value: '=1+1', formula: undefined });
  });
});

describe('our columns', () => {
  test('are made after the last column that is used, where they are missing', async () => {
    sheet([
      ['ID', 'Name'],
      ['a', 'Ada', '', 'a remark'],
    ]);
    expect(await writeBack(written([['a', 'Ada']], ['ID', 'Name']))).toMatchObject({
      made: ['Status', 'Service ID'],
    });
    expect(tab.shown()).toEqual([
      ['ID', 'Name', '', '', 'Status', 'Service ID'],
      ['a', 'Ada', '', 'a remark', 'created 2', 'id-a'],
    ]);
  });

  test('belong to the filter that ends before them, so that a sort takes them along', async () => {
    sheet([['ID', 'Name'], ...ROWS.map((row) => row.slice(0, 2))]);
    const { objects } = fake.spreadsheet(id).sheets[0] ?? {};
    const range = { sheetId: tab.sheetId, startRowIndex: 0, endRowIndex: 4, startColumnIndex: 0 };
    const filterSpecs = [{ columnIndex: 1, filterCriteria: { hiddenValues: ['Ada'] } }];
    // How it last sorted is not set again: nothing is to be sorted now.
    const sortSpecs = [{ dimensionIndex: 1, sortOrder: 'DESCENDING' }];
    const basicFilter = { range: { ...range, endColumnIndex: 2 }, filterSpecs, sortSpecs };
    Object.assign(objects ?? {}, { basicFilter });
    await writeBack(written());
    expect(tab.filter).toEqual({ range: { ...range, endColumnIndex: 4 }, filterSpecs });
    await writeBack(written());
    expect(tab.filter?.range?.endColumnIndex).toBe(4);
  });

  test('stay outside a filter that leaves other columns out', async () => {
    sheet([['ID', 'Name', 'Remark'], ...ROWS.map((row) => [...row.slice(0, 2), 'x'])]);
    const { objects } = fake.spreadsheet(id).sheets[0] ?? {};
    const range = {
      sheetId: tab.sheetId,
      startRowIndex: 0,
      endRowIndex: 4,
      startColumnIndex: 0,
      endColumnIndex: 2,
    };
    Object.assign(objects ?? {}, { basicFilter: { range } });
    await writeBack(written());
    expect(tab.filter).toEqual({ range });
  });

  test('are not said to be made where the answer says so and the tab does not have them', async () => {
    sheet([['ID', 'Name'], ...ROWS.map((row) => row.slice(0, 2))]);
    const own = id;
    fake.before(({ path }) =>
      path.includes(own) && path.endsWith(':batchUpdate') ? { status: 200, body: {} } : undefined,
    );
    await expect(writeBack(written())).rejects.toMatchObject({ code: 'destination.unwritten', exitCode: 8 });
  });

  test('make a full grid larger', async () => {
    sheet([['ID', 'Name'], ...ROWS.map((row) => row.slice(0, 2))], 2);
    await writeBack(written());
    expect(tab.shown()[1]).toEqual(['a', 'Ada', 'created 2', 'id-a']);
    expect(calls()).toEqual(['get', 'get', 'update']);
  });

  test('are found where somebody moved them, whatever their capitals', async () => {
    sheet([
      ['status', 'ID', 'SERVICE ID', 'Name'],
      ['', 'a', '', 'Ada'],
    ]);
    expect(await writeBack(written())).toEqual({ written: 1, gone: [3, 4], made: [] });
    expect(tab.rows()[1]).toEqual(['created 2', 'a', 'id-a', 'Ada']);
  });
});

describe('rows that moved between reading and writing', () => {
  test('are found by their keys after sorting, inserting and deleting', async () => {
    sheet();
    tab.sortBy(1, { descending: true });
    tab.insertRow(1, ['n', 'New']);
    tab.deleteRow(3);
    expect(tab.rows().map(([key]) => key)).toEqual(['ID', 'n', 'c', 'a']);
    expect(await writeBack(written())).toEqual({ written: 2, gone: [3], made: [] });
    expect(tab.shown()).toEqual([
      HEADER,
      ['n', 'New'],
      ['c', 'Carla', 'created 4', 'id-c'],
      ['a', 'Ada', 'created 2', 'id-a'],
    ]);
  });

  test('are found under a header that moved down', async () => {
    sheet();
    tab.insertRow(0, ['Our users']);
    expect(await writeBack(written())).toMatchObject({ written: 3 });
    expect(tab.shown()[2]).toEqual(['a', 'Ada', 'created 2', 'id-a']);
  });

  test('are not found without the column of their keys', async () => {
    sheet();
    tab.deleteColumn(0);
    expect(await writeBack(written())).toEqual({ written: 0, gone: [2, 3, 4], made: [] });
    expect(calls()).toEqual(['get', 'get']);
  });

  test('go by their order where a key stands as often as before, else by their whole line', async () => {
    const twice = [
      ['a', 'Ada', '', ''],
      ['a', 'Alma', '', ''],
      ['', 'Nobody', '', ''],
    ];
    sheet([HEADER, ...twice]);
    tab.set(2, 1, 'Alma edited');
    expect(await writeBack(written(twice))).toMatchObject({ written: 3, gone: [] });
    expect(tab.shown().map((row) => row[2])).toEqual(['Status', 'created 2', 'created 3', 'created 4']);

    sheet([HEADER, ...twice]);
    tab.set(3, 1, 'Somebody');
    tab.insertRow(1, ['a', 'Another']);
    tab.set(3, 1, 'Alma edited');
    expect(await writeBack(written(twice))).toMatchObject({ written: 1, gone: [3, 4] });
    expect(tab.shown().map((row) => [row[1], row[2] ?? ''])).toEqual([
      ['Name', 'Status'],
      ['Another', ''],
      ['Ada', 'created 2'],
      ['Alma edited', ''],
      ['Somebody', ''],
    ]);
  });
});

describe('a sheet that is edited just before the update', () => {
  const expectPlaced = (): void => {
    for (const [key = '', , status, serviceId] of tab.shown().slice(1)) {
      const rowNumber = ROWS.findIndex(([each]) => each === key) + 2;
      expect([key, status, serviceId]).toEqual(
        rowNumber === 1 ? [key, '', ''] : [key, `created ${rowNumber}`, `id-${key}`],
      );
    }
  };

  test('by sorting is written again', async () => {
    sheet();
    beforeUpdate((count) => {
      if (count === 1) tab.sortBy(0, { descending: true });
    });
    expect(await writeBack(written())).toMatchObject({ written: 3 });
    expectPlaced();
    expect(calls()).toEqual(['get', 'get', 'update', 'update']);
  });

  test('by inserting and deleting rows keeps nothing beside a wrong row', async () => {
    sheet();
    beforeUpdate((count) => {
      if (count === 1) tab.insertRow(1, ['n', 'New']);
      if (count === 2) tab.deleteRow(2);
    });
    expect(await writeBack(written())).toMatchObject({ written: 2, gone: [2] });
    expect(tab.shown().slice(1)).toEqual([
      ['n', 'New'],
      ['b', 'Björn', 'created 3', 'id-b'],
      ['c', 'Carla', 'created 4', 'id-c'],
    ]);
  });

  test('by moving the header there and back keeps its names', async () => {
    sheet();
    beforeUpdate((count) => {
      if (count === 1) tab.insertRow(0, ['Our users']);
      if (count === 2) tab.deleteRow(0);
    });
    expect(await writeBack(written())).toEqual({ written: 3, gone: [], made: [] });
    expect(tab.shown()[0]).toEqual(HEADER);
    expectPlaced();
  });

  test('by moving the header keeps its names also where none of the rows is left', async () => {
    sheet([HEADER, ...ROWS.slice(0, 1)]);
    beforeUpdate((count) => {
      if (count === 1) tab.deleteRow(1);
      if (count === 2) tab.insertRow(0, ['Our users']);
    });
    expect(await writeBack(written(ROWS.slice(0, 1)))).toMatchObject({ written: 0, gone: [2] });
    expect(tab.shown()).toEqual([['Our users'], HEADER]);
  });

  test('by writing into a row of another mapping keeps what stands beside that', async () => {
    const other = ['b', 'Björn', 'created', 'id-b'];
    sheet([HEADER, ['a', 'Ada', '', ''], other]);
    const content = written(ROWS.slice(0, 1));
    const [row] = content.rows;
    beforeUpdate((count) => {
      if (count === 1) tab.set(2, 1, 'Björn B.');
    });
    await writeBack({
      ...content,
      rows: row === undefined ? [] : [{ ...row, values: { Status: 'created' } }],
    });
    expect(tab.shown().slice(1)).toEqual([
      ['a', 'Ada', 'created'],
      ['b', 'Björn B.', 'created', 'id-b'],
    ]);
  });

  test('by inserting a column keeps what stood in the columns that were written over, formulas too', async () => {
    sheet([
      ['ID', 'Name', 'Notes', 'Status', 'Service ID'],
      ['a', 'Ada', { formula: '=1+1', value: 2 }, '', ''],
      ['b', 'Björn', 'x', '', ''],
      ['c', 'Carla', 7, '', ''],
    ]);
    beforeUpdate((count) => {
      if (count === 1) tab.insertColumn(0, ['Rank', '1', '2', '3']);
    });
    const header = ['ID', 'Name', 'Notes', 'Status', 'Service ID'];
    const rows = [
      ['a', 'Ada', '2', '', ''],
      ['b', 'Björn', 'x', '', ''],
      ['c', 'Carla', '7', '', ''],
    ];
    expect(await writeBack(written(rows, header))).toMatchObject({ written: 3, restored: ['Notes'] });
    expect(tab.rows()).toEqual([
      ['Rank', ...header],
      ['1', 'a', 'Ada', expect.anything(), 'created 2', 'id-a'],
      ['2', 'b', 'Björn', 'x', 'created 3', 'id-b'],
      ['3', 'c', 'Carla', 7, 'created 4', 'id-c'],
    ]);
    expect(tab.cell(1, 3).formula).toBe('=1+1');
  });

  test('by inserting a column while ours are made keeps that column', async () => {
    sheet([['ID', 'Name'], ...ROWS.map((row) => row.slice(0, 2))], 2);
    beforeUpdate((count) => {
      if (count === 1) tab.insertColumn(1, ['Rank', '1', '2', '3']);
    });
    expect(await writeBack(written())).toMatchObject({ written: 3 });
    const columns = new Map(tab.shown()[0]?.map((name, index) => [name, index]));
    const values = tab
      .shown()
      .slice(1)
      .map((row) => ['ID', 'Rank', 'Name', 'Status'].map((name) => row[columns.get(name) ?? -1]));
    expect(values).toEqual([
      ['a', '1', 'Ada', 'created 2'],
      ['b', '2', 'Björn', 'created 3'],
      ['c', '3', 'Carla', 'created 4'],
    ]);
  });

  test('is not what several calls are, which more than one can carry takes', async () => {
    const rows = Array.from({ length: 1200 }, (_, index) => [`k${index}`, 'x']);
    sheet([HEADER, ...rows]);
    const content = written(rows);
    const long = 'm'.repeat(20_000);
    const all = content.rows.map((row) => ({
      ...row,
      values: { ...row.values, Status: `${row.rowNumber} ${long}` },
    }));
    const since = fake.calls.length;
    expect(await writeBack({ ...content, rows: all })).toMatchObject({ written: 1200 });
    const sizes = fake.calls
      .slice(since)
      .flatMap(({ kind, body }) => (kind === 'write' ? [JSON.stringify(body).length] : []));
    expect(sizes).toHaveLength(4);
    expect(Math.max(...sizes)).toBeLessThan(10_485_760);
    const shown = tab.shown().slice(1);
    expect(
      shown.every(
        ([key = '', , status = '', id], index) => status === `${index + 2} ${long}` && id === `id-${key}`,
      ),
    ).toBe(true);
  });

  test('each time, is given up after four updates', async () => {
    sheet();
    beforeUpdate((count) => tab.sortBy(0, { descending: count % 2 === 1 }));
    await expect(writeBack(written())).rejects.toMatchObject({
      code: 'destination.unstable',
      exitCode: 8,
      message: 'tab "Users": its rows moved each time that the outcomes were written beside them, 4 times',
    });
  });

  test('is looked at once more when the answer does not show it', async () => {
    sheet();
    const own = id;
    let isFirst = true;
    fake.before(({ path }) => {
      if (!isFirst || !path.includes(own) || !path.endsWith(':batchUpdate')) return undefined;
      isFirst = false;
      tab.sortBy(0, { descending: true });
      return { status: 200, body: { spreadsheetId: own }, after: true };
    });
    expect(await writeBack(written())).toMatchObject({ written: 3 });
    expectPlaced();
    expect(calls()).toEqual(['get', 'get', 'update', 'get', 'update']);
  });
});

describe('notes', () => {
  const noted = (notes: Readonly<Record<string, string>>): WriteBack => ({
    ...written(ROWS.slice(0, 1)),
    rows: written(ROWS.slice(0, 1)).rows.map((row) => ({ ...row, notes })),
  });

  test('stand on the cell they are about, after what others wrote there, and go when they are no longer true', async () => {
    sheet([HEADER, ['a', { value: 'Ada', note: 'Captain' }, '', '']]);
    await writeBack(noted({ Name: 'too long\nby far', ID: 'empty' }));
    expect([tab.cell(1, 0).note, tab.cell(1, 1).note]).toEqual([
      'teamsheet: empty',
      'Captain\n\nteamsheet: too long by far',
    ]);
    await writeBack(noted({ Name: 'too short' }));
    expect([tab.cell(1, 0).note, tab.cell(1, 1).note]).toEqual([
      undefined,
      'Captain\n\nteamsheet: too short',
    ]);
    await writeBack(noted({}));
    expect(tab.cell(1, 1)).toMatchObject({ value: 'Ada', note: 'Captain' });
  });

  test('of others that follow ours stay', async () => {
    sheet([HEADER, [{ value: 'a', note: 'teamsheet: empty\n\nmended by Björn' }, 'Ada', '', '']]);
    await writeBack(noted({}));
    expect(tab.cell(1, 0).note).toBe('mended by Björn');
  });

  test('of another mapping of the tab stay: they are on cells that this one does not read', async () => {
    sheet();
    await writeBack(noted({ Name: 'too long' }));
    const other = { ...noted({ ID: 'empty' }), used: ['ID'] };
    await writeBack(other);
    expect([tab.cell(1, 0).note, tab.cell(1, 1).note]).toEqual(['teamsheet: empty', 'teamsheet: too long']);
  });

  test('beside a wrong row are taken away again', async () => {
    sheet();
    beforeUpdate((count) => {
      if (count === 1) tab.insertRow(1, ['n', 'New']);
    });
    await writeBack(noted({ Name: 'too long' }));
    expect([1, 2, 3].map((row) => tab.cell(row, 1).note)).toEqual([
      undefined,
      'teamsheet: too long',
      undefined,
    ]);
  });

  test('in a column that somebody inserts just before are taken away again', async () => {
    sheet();
    beforeUpdate((count) => {
      if (count === 1) tab.insertColumn(1);
    });
    await writeBack(noted({ Name: 'too long' }));
    expect([1, 2].map((column) => tab.cell(1, column).note)).toEqual([undefined, 'teamsheet: too long']);
  });
});

describe('a tab', () => {
  test('that was renamed is found by its id', async () => {
    sheet();
    await writeBack({ ...written(), rows: [] });
    tab.rename('Members');
    expect(await writeBack(written())).toMatchObject({ written: 3 });
  });

  test('that was deleted is missed', async () => {
    sheet();
    fake.add({ tabs: [{ title: 'Other', rows: [] }] });
    const own = id;
    await expect(
      createSheetKind(access).writeBack({ kind: 'sheet', spreadsheet: own, tab: 'Gone' }, written()),
    ).rejects.toMatchObject({ code: 'source.missing_tab' });
  });

  test('that may only be read says so', async () => {
    id = fake.add({ shared: 'reader', tabs: [{ title: 'Users', rows: [HEADER, ...ROWS] }] });
    await expect(writeBack(written())).rejects.toMatchObject({ exitCode: 5 });
  });
});
