import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Layout, ReportLayout } from '../../../src/model/tables/layout.ts';
import type { ReportColumn, ReportTab, ReportValue } from '../../../src/model/tables/table.ts';
import { joinLayout } from '../../../src/report/arrange.ts';
import { createSheetKind } from '../../../src/tables/google-sheets.ts';
import { writeSheetReports } from '../../../src/tables/google/report.ts';
import { accessTo } from '../../support/google-access.ts';
import { googleOfFile } from '../../support/google/of-file.ts';
import type { FakeTab, Fault, GoogleCall } from '../../support/google/fake-google.ts';

type Row = readonly ReportValue[];
type Access = ReturnType<typeof accessTo>;

const fake = googleOfFile();
let access: Access;
let id = '';
beforeEach(() => {
  access = accessTo(fake);
  id = fake.add({ title: 'Season', tabs: [{ title: 'Notes', rows: [['mine', 1]] }] });
});

const COLUMNS: readonly ReportColumn[] = [
  { header: 'Squad', type: 'text' },
  { header: 'Points', type: 'integer' },
  { header: 'Active', type: 'boolean' },
  { header: 'Seen', type: 'datetime' },
];
const ROWS: readonly Row[] = [
  ['Harbour Lions', 41, true, '2026-08-14T19:00:00Z'],
  ['Moor Foxes', 37, false, null],
  ['Field Owls', -2, null, '2026-01-02T03:04:05Z'],
];

interface Options extends Partial<ReportTab['options']> {
  readonly columns?: readonly ReportColumn[];
  readonly tab?: string;
  readonly layout?: ReportLayout;
  readonly writtenAtMs?: number;
  readonly name?: string;
}

function report(rows: readonly Row[], options: Options = {}): ReportTab {
  const { columns = COLUMNS, tab = 'Table', layout, writtenAtMs = 0, name = 'table', ...write } = options;
  return {
    location: { kind: 'sheet', spreadsheet: id, tab },
    table: {
      name,
      columns,
      rows: (async function* () {
        yield await Promise.resolve(rows.slice(0, 2));
        yield rows.slice(2);
      })(),
    },
    options: { mode: 'replace', excel: false, formulas: 'escape', timezone: 'UTC', ...write },
    ...(layout !== undefined && {
      layout,
      cover: { service: 'https://fantasy.example', environment: 'live', writtenAtMs, program: 'teamsheet 1' },
    }),
  };
}

const write = (...reports: readonly ReportTab[]): Promise<readonly number[]> =>
  writeSheetReports(access, reports);
const tab = (title = 'Table'): FakeTab => fake.tab(id, title);
const firstTwo = (): unknown[][] =>
  tab()
    .rows()
    .map((row) => row.slice(0, 2));
const firstCells = (): unknown[] => firstTwo().map(([first = null]) => first);

/** The requests of the writes since a number of calls, and how many cells they change. */
function written(since: number): {
  calls: number;
  requests: readonly sheets_v4.Schema$Request[];
  cells: number;
} {
  const calls = fake.calls.slice(since).filter(({ kind }) => kind === 'write');
  const requests = calls.flatMap(({ body }) => (body as { requests: sheets_v4.Schema$Request[] }).requests);
  const cells = requests
    .flatMap(({ updateCells }) => updateCells?.rows ?? [])
    .reduce((sum, { values }) => sum + (values?.length ?? 0), 0);
  return { calls: calls.length, requests, cells };
}

/** Runs one refresh and answers what it wrote. */
async function refresh(...reports: readonly ReportTab[]): Promise<ReturnType<typeof written>> {
  const since = fake.calls.length;
  await write(...reports);
  return written(since);
}

describe('the rows of a report', () => {
  it('are typed values under a header, in a tab that is made', async () => {
    const since = fake.calls.length;
    expect(await write(report(ROWS))).toEqual([3]);
    expect(fake.calls.slice(since).map(({ kind }) => kind)).toEqual(['token', 'read', 'write']);
    expect(tab().rows()).toEqual([
      ['Squad', 'Points', 'Active', 'Seen'],
      ['Harbour Lions', 41, true, 46248.79166666667],
      ['Moor Foxes', 37, false],
      ['Field Owls', -2, null, 46024.12783564815],
    ]);
    expect(tab().shown()[1]).toEqual(['Harbour Lions', '41', 'TRUE', '2026-08-14 19:00']);
    expect(tab('Notes').rows()).toEqual([['mine', 1]]);
  });

  it('show dates as the wall clock of the zone of the report, not of the spreadsheet', async () => {
    await write(report(ROWS, { timezone: 'Europe/London' }));
    expect(tab().shown()[1]?.[3]).toBe('2026-08-14 20:00');
  });

  it('are written again only where they differ', async () => {
    await write(report(ROWS));
    const changed = ROWS.map((row, index) => (index === 1 ? ['Moor Foxes', 38, true, null] : row));
    const { calls, requests, cells } = await refresh(report(changed));
    expect({ calls, cells }).toEqual({ calls: 1, cells: 2 });
    expect(requests).toEqual([
      {
        updateCells: {
          start: { sheetId: tab().sheetId, rowIndex: 2, columnIndex: 1 },
          rows: [
            {
              values: [{ userEnteredValue: { numberValue: 38 } }, { userEnteredValue: { boolValue: true } }],
            },
          ],
          fields: 'userEnteredValue',
        },
      },
    ]);
  });

  it('are not written when nothing changed', async () => {
    await write(report(ROWS));
    const since = fake.calls.length;
    expect(await write(report(ROWS))).toEqual([3]);
    expect(fake.calls.slice(since).map(({ kind }) => kind)).toEqual(['read', 'read']);
  });

  it('follow a type that changed', async () => {
    await write(report(ROWS));
    tab().set(1, 1, '41');
    expect((await refresh(report(ROWS))).cells).toBe(1);
    expect(tab().rows()[1]?.[1]).toBe(41);
  });

  it('may be fewer: cells of old rows are cleared, at last', async () => {
    await write(report(ROWS));
    const { requests } = await refresh(report([['Moor Foxes', 40, true, null]]));
    expect(tab().rows()).toEqual([
      ['Squad', 'Points', 'Active', 'Seen'],
      ['Moor Foxes', 40, true],
    ]);
    const last = requests.filter(({ updateCells }) => updateCells !== undefined).at(-1);
    expect(last?.updateCells?.rows).toEqual([{ values: [{}] }]);
    expect(last?.updateCells?.start).toMatchObject({ rowIndex: 3, columnIndex: 3 });
  });

  it('tell the title of their spreadsheet', async () => {
    const kind = createSheetKind(access);
    const { location } = report(ROWS);
    expect(kind.titleOf(location)).toBeUndefined();
    await kind.write([report(ROWS)]);
    expect(kind.titleOf(location)).toBe('Season');
  });

  it('may be none', async () => {
    expect(await write(report([]))).toEqual([0]);
    expect(tab().rows()).toEqual([['Squad', 'Points', 'Active', 'Seen']]);
    expect((await refresh(report([]))).calls).toBe(0);
    await write(report(ROWS));
    await write(report([]));
    expect(tab().rows()).toEqual([['Squad', 'Points', 'Active', 'Seen']]);
  });

  it('may be more than the grid holds', async () => {
    const many = Array.from({ length: 1500 }, (_, index): Row => [`Squad ${index}`, index, true, null]);
    await write(report(ROWS));
    await write(report(many));
    expect(tab().rows()).toHaveLength(1501);
    expect(tab().cell(1500, 1).format?.numberFormat?.pattern).toBe('0');
    expect(tab().rowCount).toBe(1501);
  });

  it('are text that nothing evaluates', async () => {
    const texts = [
      '=1+1',
      '+1',
      '-1',
      '@a',
      '#N/A',
      "'00123",
      '00123',
      'TRUE',
      '2026-08-14',
      '1e5',
      ' a ',
      '👩‍👩‍👧 é',
      'a\nb',
      '\t',
    ];
    const columns: readonly ReportColumn[] = [{ header: 'Text', type: 'text' }];
    const rows = texts.map((text): Row => [text]);
    await write(report(rows, { columns }));
    expect(tab().rows().slice(1)).toEqual(rows);
    for (const [index] of texts.entries()) expect(tab().cell(index + 1, 0).formula).toBeUndefined();
    expect((await refresh(report(rows, { columns }))).calls).toBe(0);
  });

  it('are made fit for cells: what is too long is cut with a mark, what no cell holds is replaced', async () => {
    const columns: readonly ReportColumn[] = [{ header: 'Text', type: 'text' }];
    const rows = [['x'.repeat(50_000)], ['y'.repeat(50_001)], ['a\0b\r\nc\uD800']];
    await write(report(rows, { columns }));
    const [, fits, cut, odd] = tab().rows();
    expect(fits?.[0]).toBe('x'.repeat(50_000));
    expect(String(cut?.[0])).toHaveLength(50_000);
    expect(String(cut?.[0])).toMatch(/y … \[cut\]$/);
    expect(odd?.[0]).toBe('a\uFFFDb\nc\uFFFD');
    expect((await refresh(report(rows, { columns }))).calls).toBe(0);
  });

  it('stay with those of other reports of one spreadsheet: two reads and one write for all', async () => {
    const since = fake.calls.length;
    expect(await write(report(ROWS, { tab: 'A' }), report(ROWS.slice(1), { tab: 'B' }))).toEqual([3, 2]);
    expect(fake.calls.slice(since).map(({ kind }) => kind)).toEqual(['token', 'read', 'write']);
    expect(tab('B').rows()).toHaveLength(3);
  });

  it('are refused when the spreadsheet would have more cells than Google allows', async () => {
    id = fake.add({ tabs: [{ title: 'Big', rows: [], rowCount: 390_000, columnCount: 25 }] });
    const many = Array.from({ length: 10_000 }, (_, index): Row => [`Squad ${index}`, index, true, null]);
    await expect(write(report(many))).rejects.toMatchObject({
      code: 'destination.too_many_cells',
      exitCode: 8,
    });
    expect(fake.tabTitles(id)).toEqual(['Big']);
  });

  it('are all fetched before anything is written', async () => {
    await write(report(ROWS));
    const before = tab().rows();
    const reason = new Error('the service went away');
    const failing = report([]);
    const broken: ReportTab = {
      ...failing,
      table: {
        ...failing.table,
        rows: (async function* () {
          yield await Promise.resolve([['new', 1, true, null]]);
          throw reason;
        })(),
      },
    };
    const since = fake.calls.length;
    await expect(write(report([], { tab: 'Other' }), broken)).rejects.toBe(reason);
    expect(fake.calls).toHaveLength(since);
    expect(tab().rows()).toEqual(before);
  });
});

describe("the operator's own things", () => {
  it('stay beside our columns, which are found by their headers', async () => {
    await write(report(ROWS));
    tab().insertColumn(1, ['Comment', 'top', { formula: '=C3' }]);
    tab().set(0, 6, 'Mine');
    tab().set(1, 6, { formula: '=SUM(C2:C3)' });
    await write(report([['Harbour Lions', 50, true, null], ...ROWS.slice(1)]));
    expect(tab().rows().slice(0, 3)).toEqual([
      ['Squad', 'Comment', 'Points', 'Active', 'Seen', null, 'Mine'],
      ['Harbour Lions', 'top', 50, true, null, null, 87],
      ['Moor Foxes', 37, 37, false],
    ]);
    expect(tab().cell(1, 6).formula).toBe('=SUM(C2:C3)');
    expect(tab().cell(2, 1).formula).toBe('=C3');
  });

  it('may be the header of a column: the report has a new one, which looks like it, and tells of the old one', async () => {
    await write(report(ROWS));
    tab().set(0, 3, 'Last seen');
    await write(report(ROWS.slice(0, 1)));
    expect(tab().shown().slice(0, 3)).toEqual([
      ['Squad', 'Points', 'Active', 'Last seen', 'Seen'],
      ['Harbour Lions', '41', 'TRUE', '2026-08-14 19:00', '2026-08-14 19:00'],
      [],
    ]);
    expect(tab().cell(0, 4).format?.textFormat?.bold).toBe(true);
    const told =
      'spreadsheet "Season": the tab "Table" has lost the header "Seen", so the report made a new column on its right; the old one, if still there, is as it was: delete it';
    expect(access.warnings).toEqual([told]);
    await write(report(ROWS));
    expect(access.warnings).toEqual([told]);
  });

  it('may be that they emptied the tab: the report stands there as before', async () => {
    await write(report(ROWS));
    const before = tab().shown();
    for (let row = 0; row < 4; row += 1) for (let at = 0; at < 4; at += 1) tab().set(row, at, null);
    await write(report(ROWS));
    expect(tab().shown()).toEqual(before);
    expect(access.warnings).toEqual([]);
  });

  it('stay in a tab where our columns are new: they are added after the last one', async () => {
    id = fake.add({
      tabs: [
        {
          title: 'Table',
          rows: [
            ['Name', 'Remark'],
            ['a', 5],
          ],
        },
      ],
    });
    await write(report(ROWS));
    expect(tab().rows().slice(0, 2)).toEqual([
      ['Name', 'Remark', 'Squad', 'Points', 'Active', 'Seen'],
      ['a', 5, 'Harbour Lions', 41, true, 46248.79166666667],
    ]);
  });

  it('stay below our rows, and move down when the report grows', async () => {
    await write(report(ROWS.slice(0, 2)));
    tab().set(3, 1, { formula: '=SUM(B2:B3)' });
    tab().set(5, 0, 'my notes');
    await write(report(ROWS));
    expect(firstCells()).toEqual([
      ...['Squad', 'Harbour Lions', 'Moor Foxes', 'Field Owls'],
      ...[null, null, 'my notes'],
    ]);
    expect(tab().cell(4, 1)).toMatchObject({ formula: '=SUM(B2:B3)', value: 78 });
    await write(report(ROWS.slice(0, 1)));
    expect(firstCells()).toEqual([...['Squad', 'Harbour Lions', null, null], ...[null, null, 'my notes']]);
    expect(tab().cell(4, 1).formula).toBe('=SUM(B2:B3)');
  });

  it('move down from right below the header of a report without rows, whose first rows do not look like it', async () => {
    await write(report([]));
    tab().set(2, 0, 'my notes');
    await write(report(ROWS));
    expect(tab().rows()[5]?.[0]).toBe('my notes');
    const bold = Array.from({ length: 5 }, (_, row) => tab().cell(row, 0).format?.textFormat?.bold === true);
    expect(bold).toEqual([true, false, false, false, false]);
  });

  it('are not taken for old rows, wherever rows were inserted', async () => {
    await write(report(ROWS));
    tab().insertRow(2, ['inserted']);
    await write(report(ROWS));
    expect(firstCells()).toEqual(['Squad', 'Harbour Lions', 'Moor Foxes', 'Field Owls']);
  });

  it('end below the lowest of equal rows, wherever rows were inserted', async () => {
    const fox = ROWS.slice(1, 2);
    for (const at of [2, 3]) {
      await write(report([...ROWS.slice(0, 1), ...fox, ...fox]));
      tab().set(6, 0, 'my notes');
      tab().insertRow(at);
      await write(report(fox, { mode: 'append' }));
      const names = [...Array.from({ length: 3 }, () => 'Moor Foxes'), null];
      expect(firstCells()).toEqual(['Squad', 'Harbour Lions', ...names, null, 'my notes']);
      fake.deleteTab(id, 'Table');
    }
  });

  it('are not taken for old rows when rows above were deleted', async () => {
    await write(report(ROWS));
    tab().set(5, 0, 'my notes');
    tab().deleteRow(1);
    tab().deleteRow(1);
    await write(report(ROWS.slice(0, 1)));
    expect(firstCells()).toEqual(['Squad', 'Harbour Lions', null, 'my notes']);
  });

  it('are not what is left of our rows, where one was emptied and another deleted', async () => {
    await write(report([...ROWS, ['New Wrens', 9, true, null]]));
    tab().set(7, 0, 'my notes');
    for (const column of [0, 1, 2, 3]) tab().set(1, column, null);
    tab().deleteRow(2);
    await write(report(ROWS));
    expect(firstCells()).toEqual([
      'Squad',
      'Harbour Lions',
      'Moor Foxes',
      'Field Owls',
      null,
      null,
      'my notes',
    ]);
  });

  it('keep their looks: formats, widths, filters and rules', async () => {
    await write(report(ROWS));
    const { sheetId } = tab();
    const rule: sheets_v4.Schema$ConditionalFormatRule = {
      ranges: [{ sheetId, startColumnIndex: 0, endColumnIndex: 1 }],
      booleanRule: {
        condition: { type: 'TEXT_CONTAINS', values: [{ userEnteredValue: 'Owl' }] },
        format: { textFormat: { italic: true } },
      },
    };
    const client = await access.client();
    const range = { sheetId, startRowIndex: 1, endRowIndex: 2, startColumnIndex: 1, endColumnIndex: 2 };
    await client.update(
      id,
      [
        { addConditionalFormatRule: { rule, index: 0 } },
        {
          repeatCell: {
            range,
            cell: { userEnteredFormat: { numberFormat: { type: 'NUMBER', pattern: '0.00' } } },
            fields: 'userEnteredFormat.numberFormat',
          },
        },
        {
          updateDimensionProperties: {
            range: { sheetId, dimension: 'COLUMNS', startIndex: 0, endIndex: 1 },
            properties: { pixelSize: 321 },
            fields: 'pixelSize',
          },
        },
        {
          setBasicFilter: {
            filter: {
              range: { sheetId, startRowIndex: 0, endRowIndex: 4, startColumnIndex: 0, endColumnIndex: 4 },
              filterSpecs: [{ columnIndex: 0, filterCriteria: { hiddenValues: ['Moor Foxes'] } }],
            },
          },
        },
      ],
      { repeatable: true },
    );
    await write(report([...ROWS, ['New Wrens', 9, true, null]]));
    expect(tab().rules).toEqual([rule]);
    expect(tab().cell(1, 1).format?.numberFormat?.pattern).toBe('0.00');
    expect(tab().widths[0]).toBe(321);
    expect(tab().filter).toMatchObject({
      range: { endRowIndex: 5 },
      filterSpecs: [{ filterCriteria: { hiddenValues: ['Moor Foxes'] } }],
    });
  });

  it('have the widths that their first rows need, and keep them from then on', async () => {
    await write(report([]));
    const [empty = 0] = tab().widths;
    await write(report(ROWS));
    const [first = 0] = tab().widths;
    expect(first).toBeGreaterThan(empty);
    await write(report([['A squad whose name is the longest of them all', 1, true, null]]));
    expect(tab().widths[0]).toBe(first);
  });

  it('may be another name of the tab', async () => {
    await write(report(ROWS));
    tab().rename('League table');
    await write(report(ROWS.slice(0, 1)));
    expect(fake.tabTitles(id)).toEqual(['Notes', 'League table']);
    expect(tab('League table').rows()).toHaveLength(2);
    expect(access.warnings).toHaveLength(1);
  });

  it('may be a sorted table', async () => {
    await write(report(ROWS));
    tab().sortBy(1);
    await write(report(ROWS));
    expect(firstCells()).toEqual(['Squad', 'Harbour Lions', 'Moor Foxes', 'Field Owls']);
  });

  it('may be made by another run, or deleted, before the report is written', async () => {
    let writes = 0;
    fake.before(async ({ path, kind }) => {
      if (!path.includes(id) || kind !== 'write') return;
      writes += 1;
      if (writes === 1) await writeSheetReports(accessTo(fake), [report(ROWS.slice(0, 1))]);
      if (writes === 4) fake.deleteTab(id, 'Table');
    });
    await write(report(ROWS));
    expect(tab().rows()).toHaveLength(4);
    await write(report(ROWS.slice(0, 2)));
    expect(tab().rows()).toHaveLength(3);
    expect(fake.tabTitles(id)).toEqual(['Notes', 'Table']);
  });

  it('stay below rows that two refreshes at once would put in', async () => {
    await write(report(ROWS.slice(0, 1)));
    tab().set(3, 0, 'my notes');
    let writes = 0;
    fake.before(async ({ path, kind }) => {
      if (!path.includes(id) || kind !== 'write') return;
      writes += 1;
      if (writes === 1) await writeSheetReports(accessTo(fake), [report(ROWS)]);
    });
    await write(report(ROWS));
    expect(firstCells()).toEqual(['Squad', 'Harbour Lions', 'Moor Foxes', 'Field Owls', null, 'my notes']);
    expect(await refresh(report(ROWS))).toMatchObject({ calls: 0 });
  });

  it('are not sorted by a refresh as somebody sorted them by the filter', async () => {
    await write(report(ROWS));
    const filter = { ...tab().filter, sortSpecs: [{ dimensionIndex: 1, sortOrder: 'ASCENDING' }] };
    await (await access.client()).update(id, [{ setBasicFilter: { filter } }], { repeatable: true });
    expect(firstCells()[1]).toBe('Field Owls');
    const rows: readonly Row[] = [...ROWS, ['Sea Rooks', 1, true, null]];
    await write(report(rows));
    expect(firstCells().slice(1)).toEqual(rows.map(([squad]) => squad));
    expect(access.warnings).toEqual([]);
    expect(tab().filter?.range?.endRowIndex).toBe(5);
  });

  it.each([
    ['puts in a row, append', 'append', () => tab().insertRow(1)],
    ['puts in a row, merge', 'merge', () => tab().insertRow(2)],
    ['puts in a row, replace', 'replace', () => tab().insertRow(2)],
    ['deletes a row, append', 'append', () => tab().deleteRow(1)],
    ['deletes a row, merge', 'merge', () => tab().deleteRow(1)],
    ['puts in a column, append', 'append', () => tab().insertColumn(1, ['Mine', 'a', 'b', 'c'])],
    ['sorts, merge', 'merge', () => tab().sortBy(1, { descending: false })],
  ] as const)('keep all rows where somebody moves some while they are written: %s', async (_, mode, edit) => {
    const options = { mode, key: ['Squad'] };
    await write(report(ROWS, options));
    let writes = 0;
    fake.before(({ path, kind }) => {
      if (!path.includes(id) || kind !== 'write') return;
      writes += 1;
      if (writes === 1) edit();
    });
    const foxes: Row = ['Moor Foxes', mode === 'append' ? 37 : 40, false, null];
    const fresh: readonly Row[] = [...(mode === 'append' ? [] : [foxes]), ['Sea Rooks', 1, true, null]];
    expect(await write(report(fresh, options))).toEqual([fresh.length]);
    const at = COLUMNS.map(({ header }) => tab().rows()[0]?.indexOf(header) ?? -1);
    const rows = tab()
      .rows()
      .map((row) => at.map((column) => row[column] ?? null));
    const old = mode === 'replace' ? [] : ['Harbour Lions', 'Field Owls'];
    expect(rows.slice(1).map(([name]) => name)).toEqual(
      [old[0], 'Moor Foxes', old[1], 'Sea Rooks'].filter((name) => name !== undefined),
    );
    expect(rows.find(([name]) => name === 'Moor Foxes')?.[1]).toBe(foxes[1]);
    expect(access.warnings).toEqual([
      'spreadsheet "Season": rows or columns of the tab "Table" moved while its report was written; it is written once more, and cells of yours in that tab may have been written over: compare them with the version history',
    ]);
    expect(writes).toBe(2);
    expect(await refresh(report(mode === 'replace' ? fresh : [], options))).toMatchObject({ calls: 0 });
  });

  it('leave no old row below a report that grows into them while somebody puts in a row', async () => {
    await write(report(ROWS));
    tab().set(5, 0, 'my notes');
    const spreadsheet = id;
    let writes = 0;
    fake.before(({ path, kind }) => {
      if (!path.includes(spreadsheet) || kind !== 'write') return;
      writes += 1;
      if (writes === 1) tab().insertRow(2);
    });
    const rows = Array.from({ length: 5 }, (_, n): Row => [`Squad ${n}`, n, n > 0, '2026-09-01T00:00:00Z']);
    await write(report(rows));
    expect(firstCells()).toEqual(['Squad', ...rows.map(([squad]) => squad), null, null, 'my notes']);
    expect(access.warnings).toHaveLength(1);
  });

  it('leave no cell of an old row where somebody deletes a row of a report that loses all', async () => {
    await write(report([ROWS[1] ?? [], ROWS[0] ?? []]));
    let writes = 0;
    fake.before(({ path, kind }) => {
      if (!path.includes(id) || kind !== 'write') return;
      writes += 1;
      if (writes === 1) tab().deleteRow(1);
    });
    await write(report([]));
    expect(tab().rows()).toEqual([COLUMNS.map(({ header }) => header)]);
  });

  it('are asked to rest where rows move during each write', async () => {
    await write(report(ROWS));
    const spreadsheet = id;
    fake.before(({ path, kind }) => {
      if (path.includes(spreadsheet) && kind === 'write') tab().insertRow(2);
    });
    await expect(write(report(ROWS.slice(0, 2), { mode: 'append' }))).rejects.toMatchObject({
      code: 'destination.unstable',
      exitCode: 8,
    });
  });

  it('may be renamed or deleted while the report is read', async () => {
    await write(report(ROWS));
    let reads = 0;
    fake.before(({ path, method }) => {
      if (!path.includes(id) || method !== 'GET') return;
      reads += 1;
      if (reads === 2) tab().rename('League table');
      if (reads === 6) fake.deleteTab(id, 'League table');
    });
    await write(report(ROWS.slice(1)));
    expect(tab('League table').rows()).toHaveLength(3);
    await write(report(ROWS));
    expect(fake.tabTitles(id)).toEqual(['Notes', 'Table']);
  });

  it('are asked for when rows were put above the header: the report is not written beside itself', async () => {
    await write(report(ROWS));
    tab().insertRow(0, ['Our league']);
    const before = structuredClone(fake.spreadsheet(id));
    await expect(write(report(ROWS))).rejects.toMatchObject({
      code: 'destination.header',
      message: 'tab "Table": the header of the report stands in row 2, and a report begins in row 1',
      exitCode: 8,
    });
    expect(fake.spreadsheet(id)).toEqual(before);
  });

  it('are asked for when the tab is a table of somebody else with some of the same columns', async () => {
    id = fake.add({
      tabs: [
        {
          title: 'Table',
          rows: [
            ['Squad', 'Owner'],
            ['Lions', 'Ada'],
          ],
        },
      ],
    });
    const before = structuredClone(fake.spreadsheet(id));
    await expect(write(report(ROWS))).rejects.toMatchObject({
      code: 'destination.header',
      message: expect.stringContaining('the rows under "Squad" belong to no report') as string,
    });
    expect(fake.spreadsheet(id)).toEqual(before);
  });

  it('are asked for when two columns have the name of one of ours', async () => {
    await write(report(ROWS));
    tab().set(0, 5, 'Points');
    await expect(write(report(ROWS))).rejects.toMatchObject({ code: 'destination.header', exitCode: 8 });
  });

  it('are asked for when a tab has nearly the name', async () => {
    await expect(write(report(ROWS, { tab: 'notes' }))).rejects.toMatchObject({
      code: 'destination.tab',
      exitCode: 4,
    });
  });
});

describe('rows that are added', () => {
  const append = { mode: 'append' } as const;
  const merge = { mode: 'merge', key: ['Squad'] } as const;

  it('stand after the old ones', async () => {
    expect(await write(report(ROWS.slice(0, 2), append))).toEqual([2]);
    expect(await write(report(ROWS.slice(2), append))).toEqual([1]);
    expect(tab().rows()).toHaveLength(4);
    const { cells } = await refresh(report(ROWS.slice(0, 1), append));
    expect(cells).toBe(4);
  });

  it('replace the old ones of the same key', async () => {
    await write(report(ROWS, merge));
    const { cells } = await refresh(
      report(
        [
          ['New Wrens', 1, true, null],
          ['Moor Foxes', 99, false, null],
        ],
        merge,
      ),
    );
    expect(cells).toBe(1 + 3);
    expect(firstTwo()).toEqual([
      ['Squad', 'Points'],
      ['Harbour Lions', 41],
      ['Moor Foxes', 99],
      ['Field Owls', -2],
      ['New Wrens', 1],
    ]);
    expect((await refresh(report([['Moor Foxes', 99, false, null]], merge))).calls).toBe(0);
  });

  it('are told apart by numbers and dates as they are shown', async () => {
    const key = { mode: 'merge', key: ['Points', 'Seen'], timezone: 'Europe/London' } as const;
    // The clocks go back over both: they show the same time.
    const [early, late] = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00.000Z'];
    await write(report([['a', 7, true, early]], key));
    tab().set(1, 1, '7');
    await write(report([['b', 7, true, late]], key));
    expect(tab().shown().slice(1)).toEqual([['b', '7', 'TRUE', '2026-10-25 01:30']]);
  });

  it('are refused when two have one key, or the key is no column', async () => {
    const two = report([ROWS[0] ?? [], ROWS[0] ?? []], merge);
    await expect(write(two)).rejects.toMatchObject({ code: 'destination.key', exitCode: 8 });
    await expect(write(report(ROWS, { mode: 'merge', key: ['Nothing'] }))).rejects.toMatchObject({
      code: 'destination.key',
    });
  });
});

const LAYOUT: Layout = {
  columns: new Map([
    ['Squad', { width: 30 }],
    ['Points', { format: '#,##0' }],
  ]),
  freeze: { rows: 1, columns: 1 },
  filter: true,
  sort: [{ by: 'Points', descending: true }],
  rules: [
    {
      kind: 'compare',
      column: 'Points',
      operator: '<',
      value: 7.5,
      fill: 'FFCCCC',
      color: '990000',
      bold: true,
      row: true,
    },
    { kind: 'scale', column: 'Points', colors: ['FFFFFF', '00AA00'] },
  ],
  totals: new Map([['Points', 'sum']]),
  charts: [
    { title: 'Points', type: 'bar', x: 'Squad', y: 'Points', series: undefined, limit: 10, reverse: false },
  ],
  chartTab: 'Charts',
  tabColor: '336699',
  highlights: [],
  cover: { tab: 'Cover', title: 'The season', note: 'For all managers' },
};
const layoutOf = (changes: Partial<Layout> = {}): ReportLayout =>
  joinLayout({ ...LAYOUT, ...changes }, COLUMNS);

describe('a layout', () => {
  it.each([
    [{ chartTab: 'Table' }, 'charts on tab "Table", which is the tab of a report'],
    [{ cover: { tab: 'table', title: 'T' } }, 'the cover on tab "table", which is the tab of a report'],
    [{ chartTab: 'Cover' }, 'charts on tab "Cover", which is the tab of the cover'],
  ] as const)('puts no two things on one tab: %j', async (changes, clash) => {
    await write(report(ROWS, { layout: layoutOf() }));
    const before = fake.calls.length;
    await expect(write(report(ROWS, { layout: layoutOf(changes) }))).rejects.toMatchObject({
      code: 'destination.tab',
      message: `mapping table: its layout puts ${clash} already; give it another name`,
    });
    expect(fake.calls).toHaveLength(before);
  });

  it('makes a sorted table with totals, colours, a filter, a chart and a cover', async () => {
    await write(report(ROWS, { layout: layoutOf() }));
    expect(fake.tabTitles(id)).toEqual(['Cover', 'Charts', 'Notes', 'Table']);
    expect(firstTwo()).toEqual([
      ['Squad', 'Points'],
      ['Harbour Lions', 41],
      ['Moor Foxes', 37],
      ['Field Owls', -2],
      ['Total', 76],
    ]);
    expect(tab().frozen).toEqual({ rows: 1, columns: 1 });
    expect(tab().widths[0]).toBe(215);
    expect(tab().cell(0, 0).format?.wrapStrategy).toBe('WRAP');
    expect(tab().filter?.range).toMatchObject({ startRowIndex: 0, endRowIndex: 4, endColumnIndex: 4 });
    expect(tab().cell(4, 0).format?.textFormat?.bold).toBe(true);
    expect(tab().cell(3, 0).format?.textFormat?.bold).toBeUndefined();
    const [low, scale] = tab().rules;
    expect(low).toMatchObject({
      ranges: [{ startRowIndex: 1, endRowIndex: 4, startColumnIndex: 0, endColumnIndex: 4 }],
      booleanRule: {
        condition: { values: [{ userEnteredValue: '=ISNUMBER($B2)*($B2<75/10^1)' }] },
        format: { textFormat: { bold: true } },
      },
    });
    expect(scale).toMatchObject({
      ranges: [{ endRowIndex: 4 }],
      gradientRule: { maxpoint: { type: 'MAX' } },
    });
    expect(tab('Charts').charts).toHaveLength(1);
    expect(tab('Charts').charts[0]?.spec?.basicChart?.axis).toContainEqual(
      expect.objectContaining({
        viewWindowOptions: { viewWindowMode: 'EXPLICIT', viewWindowMin: -10, viewWindowMax: 50 },
      }),
    );
    expect(
      tab('Charts')
        .rows()
        .map((row) => row.slice(9)),
    ).toEqual([
      ['Squad', 'Points'],
      ['Harbour Lions', 41],
      ['Moor Foxes', 37],
      ['Field Owls', -2],
    ]);
    expect(tab('Cover').rows()).toEqual([
      [null, 'The season'],
      [null, 'For all managers'],
      [],
      [null, 'Tab', 'Contents', 'Rows'],
      [null, 'Charts', 'Charts'],
      [null, 'Table', 'Squad, Points, Active, Seen', 3],
      [],
      [null, 'Written', 'Thursday 1 January 1970, 00:00 (UTC)'],
      [null, 'Source', 'https://fantasy.example'],
      [null, 'Environment', 'live'],
      [null, 'Program', 'teamsheet 1'],
    ]);
  });

  it('leaves a hundred refreshes with the cells, rules and charts of one', async () => {
    const counts = (): unknown => [
      fake.cellCount(id),
      fake.tabTitles(id).map((title) => [tab(title).rules.length, tab(title).charts.length]),
      fake.spreadsheet(id).developerMetadata.length,
    ];
    await write(report(ROWS, { layout: layoutOf() }));
    const before = counts();
    const state = structuredClone(fake.spreadsheet(id).sheets);
    for (let time = 1; time <= 100; time += 1) {
      const rows = ROWS.slice(0, 1 + (time % 3)).map(([name = '', points = 0, ...rest]): Row => [
        name,
        Number(points) + time,
        ...rest,
      ]);
      await write(report(rows, { layout: layoutOf(), writtenAtMs: time * 60_000 }));
      expect(counts()).toEqual(before);
    }
    await write(report(ROWS, { layout: layoutOf() }));
    expect(fake.spreadsheet(id).sheets.map(({ objects }) => objects)).toEqual(
      state.map(({ objects }) => objects),
    );
  });

  it('writes nothing, not even the time, when nothing changed', async () => {
    await write(report(ROWS, { layout: layoutOf() }));
    expect((await refresh(report(ROWS, { layout: layoutOf(), writtenAtMs: 3_600_000 }))).calls).toBe(0);
    await write(report(ROWS.slice(1), { layout: layoutOf(), writtenAtMs: 3_600_000 }));
    expect(tab('Cover').rows()[7]?.[2]).toBe('Thursday 1 January 1970, 01:00 (UTC)');
  });

  it('moves totals, rules, filter and chart with the rows', async () => {
    await write(report(ROWS, { layout: layoutOf() }));
    await write(report([...ROWS, ['New Wrens', 9, true, null]], { layout: layoutOf() }));
    expect(tab().rows()[5]?.slice(0, 2)).toEqual(['Total', 85]);
    expect(tab().cell(5, 0).format?.textFormat?.bold).toBe(true);
    expect(tab().cell(4, 0).format?.textFormat?.bold).toBeUndefined();
    expect(tab().rules.map(({ ranges }) => ranges?.[0]?.endRowIndex)).toEqual([5, 5]);
    expect(tab().filter?.range?.endRowIndex).toBe(5);
    const source = tab('Charts').charts[0]?.spec?.basicChart?.domains?.[0]?.domain?.sourceRange?.sources?.[0];
    expect(source?.endRowIndex).toBe(5);
  });

  it('keeps totals out of rows that are added to', async () => {
    const layout = layoutOf();
    await write(report(ROWS, { layout, mode: 'append' }));
    await write(report([['New Wrens', 9, true, null]], { layout, mode: 'append' }));
    expect(firstTwo().slice(1)).toEqual([
      ...[
        ['Harbour Lions', 41],
        ['Moor Foxes', 37],
        ['New Wrens', 9],
        ['Field Owls', -2],
      ],
      ['Total', 85],
    ]);
    expect((await refresh(report([], { layout, mode: 'append' }))).calls).toBe(0);
  });

  it.each([
    ['a date', { value: 46_248, format: { type: 'DATE', pattern: 'dd.mm.yyyy' } }, '14.08.2026'],
    ['a time', { value: 0.3125, format: { type: 'TIME', pattern: 'h:mm' } }, '7:30'],
    ['a percentage', { value: 0.5, format: { type: 'PERCENT', pattern: '0%' } }, '50%'],
    ['an amount', { value: 12.5, format: { type: 'CURRENCY', pattern: '$0.00' } }, '$12.50'],
    ['a number', 7, 7],
  ])('keeps %s that somebody typed among texts as they see it', async (_, cell, kept) => {
    const options = { layout: layoutOf(), mode: 'append' } as const;
    await write(report(ROWS, options));
    tab().set(2, 0, cell);
    // Where it stands as before, it stays what it is.
    await write(report([], options));
    expect(firstCells()[2]).toBe(typeof cell === 'number' ? cell : cell.value);
    await write(report([['New Wrens', 39, true, null]], options));
    expect(firstTwo().slice(1, -1)).toEqual([
      ['Harbour Lions', 41],
      ['New Wrens', 39],
      [kept, 37],
      ['Field Owls', -2],
    ]);
    expect((await refresh(report([], options))).calls).toBe(0);
  });

  it('asks how cells look only where a number stands among texts that are kept', async () => {
    const reads = async (...reports: readonly ReportTab[]): Promise<number> => {
      const since = fake.calls.length;
      await write(...reports);
      return fake.calls.slice(since).filter(({ kind }) => kind === 'read').length;
    };
    const layout = layoutOf();
    await write(report(ROWS, { layout, mode: 'append' }));
    expect(await reads(report([], { layout, mode: 'append' }))).toBe(2);
    tab().set(2, 0, 7);
    expect(await reads(report([], { layout, mode: 'append' }))).toBe(3);
    expect(await reads(report(ROWS, { layout }))).toBe(2);
  });

  it('knows totals that somebody changed, also by another header, while rows stand where they stood', async () => {
    const layout = layoutOf();
    for (const [row, column] of [
      [4, 1],
      [0, 1],
    ] as const) {
      await write(report(ROWS, { layout, mode: 'append' }));
      tab().set(row, column, 'changed');
      await write(report([], { layout, mode: 'append' }));
      expect(firstTwo().filter(([first]) => first === 'Total')).toHaveLength(1);
      fake.deleteTab(id, tab().title);
    }
  });

  it('hides columns, which stay as somebody left them until the layout says otherwise', async () => {
    const hiding = layoutOf({ columns: new Map([['Active', { hidden: true }]]) });
    await write(report(ROWS, { layout: hiding }));
    expect(tab().hiddenColumns).toEqual([2]);
    const range = { sheetId: tab().sheetId, dimension: 'COLUMNS', startIndex: 2, endIndex: 3 };
    const shown = { range, properties: { hiddenByUser: false }, fields: 'hiddenByUser' };
    const client = await access.client();
    await client.update(id, [{ updateDimensionProperties: shown }], { repeatable: true });
    await write(report(ROWS.slice(1), { layout: hiding }));
    expect(tab().hiddenColumns).toEqual([]);
    const other = layoutOf({ columns: new Map([['Seen', { hidden: true }]]) });
    await write(report(ROWS, { layout: other }));
    expect(tab().hiddenColumns).toEqual([3]);
    await write(report(ROWS, { layout: layoutOf({ columns: new Map() }) }));
    expect(tab().hiddenColumns).toEqual([]);
  });

  it('that changes replaces its rules and charts, and no others', async () => {
    await write(report(ROWS, { layout: layoutOf() }));
    tab().insertColumn(0, ['Mine']);
    const rules = LAYOUT.rules.slice(1);
    const charts = [...LAYOUT.charts, { ...(LAYOUT.charts[0] as Layout['charts'][number]), title: 'Again' }];
    await write(report(ROWS, { layout: layoutOf({ rules, charts }) }));
    expect(tab().rules).toHaveLength(1);
    expect(tab().rules[0]?.ranges?.[0]).toMatchObject({ startColumnIndex: 2, endColumnIndex: 3 });
    expect(tab('Charts').charts.map(({ spec }) => spec?.title)).toEqual(['Points', 'Again']);
    await write(
      report(ROWS, { layout: layoutOf({ rules: [], charts: [], totals: new Map(), filter: false }) }),
    );
    expect(tab().rules).toEqual([]);
    expect(tab().filter).toBeUndefined();
    expect(tab('Charts').charts).toEqual([]);
    expect(tab('Charts').rows()).toEqual([]);
    expect(tab().rows()).toHaveLength(4);
    expect(tab().cell(4, 1).format?.textFormat?.bold).toBeUndefined();
  });

  it('leaves totals plain where they stood, when rows are put in below them', async () => {
    await write(report(ROWS, { layout: layoutOf() }));
    tab().set(5, 0, 'my notes');
    await write(report([...ROWS, ['New Wrens', 9, true, null]], { layout: layoutOf() }));
    expect(firstCells()).toEqual([
      ...['Squad', 'Harbour Lions', 'Moor Foxes', 'New Wrens', 'Field Owls'],
      ...['Total', 'my notes'],
    ]);
    const bold = Array.from({ length: 7 }, (_, row) => tab().cell(row, 0).format?.textFormat?.bold === true);
    expect(bold).toEqual([true, false, false, false, false, true, false]);
  });

  it('does not bring back what somebody took away: a chart, a rule, a filter', async () => {
    await write(report(ROWS, { layout: layoutOf() }));
    const { sheetId } = tab();
    const client = await access.client();
    await client.update(
      id,
      [
        { deleteEmbeddedObject: { objectId: tab('Charts').charts[0]?.chartId ?? 0 } },
        { deleteConditionalFormatRule: { sheetId, index: 0 } },
        { clearBasicFilter: { sheetId } },
      ],
      { repeatable: false },
    );
    await write(report(ROWS.slice(1), { layout: layoutOf() }));
    expect(tab('Charts').charts).toEqual([]);
    expect(tab().rules).toHaveLength(1);
    expect(tab().filter).toBeUndefined();
  });

  it('that names another tab for its charts takes them away from the old one', async () => {
    await write(report(ROWS, { layout: layoutOf() }));
    await write(report(ROWS, { layout: layoutOf({ chartTab: 'Pictures' }) }));
    expect(tab('Charts').charts).toEqual([]);
    expect(tab('Pictures').charts).toHaveLength(1);
  });

  it('finds its tabs of charts and cover under other names', async () => {
    await write(report(ROWS, { layout: layoutOf() }));
    tab('Charts').rename('Pictures');
    tab('Cover').rename('About');
    await write(report(ROWS.slice(1), { layout: layoutOf() }));
    expect(fake.tabTitles(id)).toEqual(['About', 'Pictures', 'Notes', 'Table']);
    expect(tab('Pictures').charts).toHaveLength(1);
    expect(
      tab('About')
        .rows()
        .slice(4, 6)
        .map((row) => row[1]),
    ).toEqual(['Table', 'Pictures']);
    expect((await refresh(report(ROWS.slice(1), { layout: layoutOf() }))).calls).toBe(0);
  });

  it('shares its tab of charts and its cover with other reports, which may be refreshed alone', async () => {
    const other = (rows: readonly Row[]): ReportTab => report(rows, { tab: 'Other', layout: layoutOf() });
    await write(report(ROWS, { layout: layoutOf() }), other(ROWS));
    expect(tab('Charts').charts).toHaveLength(2);
    await write(other(ROWS.slice(1)));
    expect(tab('Charts').charts).toHaveLength(2);
    expect(
      tab('Charts')
        .rows()
        .filter((row) => row.length > 0)
        .map((row) => row.slice(9)),
    ).toEqual([
      ['Squad', 'Points'],
      ...[
        ['Harbour Lions', 41],
        ['Moor Foxes', 37],
        ['Field Owls', -2],
      ],
      ['Squad', 'Points'],
      ...[
        ['Moor Foxes', 37],
        ['Field Owls', -2],
      ],
    ]);
    expect(
      tab('Cover')
        .rows()
        .slice(4, 7)
        .map((row) => row.slice(1)),
    ).toEqual([
      ['Charts', 'Charts'],
      ['Table', 'Squad, Points, Active, Seen', 3],
      ['Other', 'Squad, Points, Active, Seen', 2],
    ]);
  });

  it('tells the highlights of its reports on the cover, and keeps those that are not refreshed', async () => {
    const best = { show: ['Squad'], value: 'Points', by: 'Points', descending: true, above: undefined };
    const league = layoutOf({ highlights: [{ ...best, label: 'Best two', limit: 2 }] });
    const other = (above: number): ReportTab =>
      report(ROWS, {
        tab: 'Other',
        layout: layoutOf({ highlights: [{ ...best, label: 'Above', above, limit: 1 }] }),
      });
    const cover = (): readonly unknown[] =>
      tab('Cover')
        .rows()
        .slice(3)
        .map((row) => row.slice(1));
    await write(report(ROWS, { layout: league }), other(40));
    expect(cover().slice(0, 5)).toEqual([
      ['Best two', 'Harbour Lions', 41],
      [null, 'Moor Foxes', 37],
      ['Above', 'Harbour Lions', 41],
      [],
      ['Tab', 'Contents', 'Rows'],
    ]);
    await write(other(100));
    expect(cover().slice(0, 4)).toEqual([
      ['Best two', 'Harbour Lions', 41],
      [null, 'Moor Foxes', 37],
      [],
      ['Tab', 'Contents', 'Rows'],
    ]);
    const bold = Array.from(
      { length: 10 },
      (_, row) => tab('Cover').cell(row, 1).format?.textFormat?.bold === true,
    );
    expect(bold).toEqual([true, false, false, false, false, false, true, false, false, false]);
    expect((await refresh(other(100))).calls).toBe(0);
  });

  it('moves a chart out of the way of one that grows, and its numbers keep their looks', async () => {
    const reports = (rows: readonly Row[]): readonly ReportTab[] => [
      report(rows, { layout: layoutOf({ charts: LAYOUT.charts.map((chart) => ({ ...chart, limit: 60 })) }) }),
      report(ROWS, { tab: 'Other', layout: layoutOf() }),
    ];
    await write(...reports(ROWS));
    const many = Array.from({ length: 40 }, (_, index): Row => [`Squad ${index}`, 100 - index, true, null]);
    await write(...reports(many));
    const charts = tab('Charts');
    const tops = charts.charts.map(({ position }) => position?.overlayPosition?.anchorCell?.rowIndex ?? 0);
    const headers = charts.rows().flatMap((row, index) => (row[9] === 'Squad' ? [index] : []));
    expect(headers).toEqual(tops);
    expect(tops[1]).toBeGreaterThan(40);
    expect(charts.rows().flatMap((row) => (typeof row[10] === 'number' ? [row[10]] : []))).toHaveLength(43);
    const headed = charts
      .rows()
      .flatMap((_, row) => (charts.cell(row, 10).format?.textFormat?.bold === true ? [row] : []));
    expect(headed).toEqual(tops);
    expect((await refresh(...reports(many))).calls).toBe(0);
  });

  it('draws ranks with the best at the top, and says so when there is nothing to draw', async () => {
    const charts: Layout['charts'] = [
      { title: 'Ranks', type: 'line', x: 'Active', y: 'Points', series: 'Squad', limit: 2, reverse: true },
    ];
    await write(report([], { layout: layoutOf({ charts }) }));
    expect(tab('Charts').charts).toEqual([]);
    expect(
      tab('Charts')
        .shown()
        .slice(0, 2)
        .map((row) => row[0]),
    ).toEqual(['Ranks', 'No numbers to draw yet.']);
    await write(report(ROWS, { layout: layoutOf({ charts, sort: [] }) }));
    expect(tab('Charts').charts).toHaveLength(1);
    expect(tab('Charts').shown()[0]?.[0]).toBe('');
    expect(
      tab('Charts')
        .shown()
        .slice(0, 3)
        .map((row) => row.slice(9, 11)),
    ).toEqual([
      ['Squad / Active', 'false'],
      ['Moor Foxes', '37'],
      ['Harbour Lions', ''],
    ]);
    expect(tab('Charts').rows()[1]?.[10]).toBe(-37);
  });
});

describe('a refresh that fails', () => {
  const FAULTS: readonly Fault[] = [
    { status: 403, body: { error: { code: 403, message: 'no', status: 'PERMISSION_DENIED' } } },
    'reset',
  ];

  it.each(FAULTS)('in any call leaves the last good report: %j', async (fault) => {
    await write(report(ROWS, { layout: layoutOf() }));
    const before = structuredClone(fake.spreadsheet(id));
    for (let nth = 1; nth <= 3; nth += 1) {
      let calls = 0;
      let broken = true;
      fake.before((call) => {
        if (!broken || !call.path.includes(id)) return undefined;
        calls += 1;
        return calls >= nth ? fault : undefined;
      });
      await expect(write(report(ROWS.slice(1), { layout: layoutOf() }))).rejects.toThrow();
      broken = false;
      expect(calls).toBeGreaterThanOrEqual(nth);
      expect(fake.spreadsheet(id)).toEqual(before);
    }
    await write(report(ROWS.slice(1), { layout: layoutOf() }));
    expect(tab().rows()).toHaveLength(4);
  });

  it('after its change was made is made good by the next one', async () => {
    let broken = true;
    fake.before((call) =>
      broken && call.kind === 'write' && call.path.includes(id) ? 'reset-after' : undefined,
    );
    await write(report(ROWS, { layout: layoutOf() })).catch(() => undefined);
    broken = false;
    const cells = fake.cellCount(id);
    await write(report(ROWS, { layout: layoutOf() }));
    expect(fake.cellCount(id)).toBe(cells);
    expect(tab().rules).toHaveLength(2);
    expect(tab('Charts').charts).toHaveLength(1);
  });

  it('whose answer is lost is none where its change was made: rows are added once', async () => {
    const options = { mode: 'append' } as const;
    await write(report(ROWS.slice(0, 1), options));
    tab().set(3, 0, 'my notes');
    let faults: readonly Fault[] = ['reset-after'];
    fake.before((call) => {
      if (call.kind !== 'write' || !call.path.includes(id)) return undefined;
      const [fault, ...others] = faults;
      faults = others;
      return fault;
    });
    expect(await write(report(ROWS.slice(1), options))).toEqual([2]);
    expect(firstCells()).toEqual([
      ...['Squad', 'Harbour Lions', 'Moor Foxes', 'Field Owls'],
      ...[null, 'my notes'],
    ]);
    faults = [{ status: 503 }];
    await expect(write(report(ROWS, options))).rejects.toMatchObject({ code: 'google.error', exitCode: 8 });
    expect(await write(report(ROWS.slice(0, 1), options))).toEqual([1]);
    expect(firstCells().filter((cell) => cell === 'Harbour Lions')).toHaveLength(2);
  });

  it('of looks alone leaves the values, with a warning, until they are accepted', async () => {
    const looks = { layout: layoutOf() };
    await write(report(ROWS, looks));
    tab().set(6, 0, 'mine');
    const refused = (call: GoogleCall): boolean =>
      call.path.includes(id) && JSON.stringify(call.body ?? {}).includes('repeatCell');
    let isRefused = true;
    fake.before((call) =>
      isRefused && refused(call)
        ? {
            status: 400,
            body: { error: { code: 400, message: 'no filter here', status: 'INVALID_ARGUMENT' } },
          }
        : undefined,
    );
    const squads = (): unknown[] =>
      tab()
        .rows()
        .flatMap(([squad]) => squad ?? []);
    const other = layoutOf({ tabColor: '#123456', freeze: { rows: 1, columns: 1 } });
    const more = (count: number): readonly Row[] =>
      Array.from({ length: count }, (_, index): Row => [`Squad ${index}`, index, true, null]);
    for (const count of [4, 9, 2]) {
      await write(report(more(count), { layout: other }));
      expect(access.warnings.at(-1)).toContain('written without its formats');
      expect(squads().filter((squad) => String(squad).startsWith('Squad '))).toHaveLength(count);
      expect(squads()).toContain('mine');
    }
    isRefused = false;
    const { calls } = await refresh(report(more(2), { layout: other }));
    expect(calls).toBe(1);
    expect(await refresh(report(more(2), { layout: other }))).toMatchObject({ calls: 0 });
    expect(tab().frozen).toMatchObject({ columns: 1 });
  });

  describe('because cells are protected', () => {
    const both = (rows: readonly Row[]): Promise<readonly number[]> =>
      write(report(rows), report(rows, { tab: 'Other', name: 'other' }));
    const refusal = (rows: readonly Row[]): Promise<unknown> => both(rows).catch((error: unknown) => error);

    it('names their tabs, of those that it was to write to', async () => {
      await both(ROWS);
      for (const title of ['Table', 'Notes']) tab(title).protect(0, 0, 9, 9);
      const before = structuredClone(fake.spreadsheet(id));
      expect(await refusal(ROWS.slice(1))).toMatchObject({
        code: 'google.protected',
        exitCode: 5,
        message:
          'spreadsheet "Season": cells of the tab "Table" are protected; no report of the spreadsheet was written',
        next: expect.stringContaining('ask its owner to lift the protection') as string,
      });
      expect(fake.spreadsheet(id)).toEqual(before);
      tab('Other').protect(1, 1, 2, 2);
      expect(await refusal(ROWS.slice(1))).toMatchObject({
        message: expect.stringContaining('cells of the tabs "Table", "Other" are protected') as string,
      });
    });

    it('says so without them where they cannot be looked for', async () => {
      await both(ROWS);
      tab().protect(0, 0, 9, 9);
      let isBroken = true;
      let isAfter = false;
      fake.before((call) => {
        if (!isBroken || !call.path.includes(id)) return undefined;
        if (isAfter) return { status: 403, body: { error: { code: 403, status: 'PERMISSION_DENIED' } } };
        isAfter = call.kind === 'write';
        return undefined;
      });
      const error = await refusal(ROWS.slice(1));
      isBroken = false;
      expect(error).toMatchObject({
        code: 'google.protected',
        message: expect.stringContaining('the cells to write are protected') as string,
      });
    });
  });

  describe('of a report that takes several calls', () => {
    const columns: readonly ReportColumn[] = [
      { header: 'Key', type: 'integer' },
      { header: 'Text', type: 'text' },
    ];
    const big = (count: number, letter: string): readonly Row[] =>
      Array.from({ length: count }, (_, index) => [index, letter.repeat(49_000)]);
    const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

    it.each([1, 2])('leaves new rows and old surplus ones, and the next goes on: call %i', async (nth) => {
      await write(
        report(
          [
            [0, 'a'],
            [1, 'b'],
          ],
          { columns },
        ),
      );
      tab().set(3, 0, 'below');
      let calls = 0;
      fake.before((call) => {
        if (call.kind === 'write' && call.path.includes(id)) calls += 1;
        return calls === nth && call.kind === 'write' ? { status: 403, body: {} } : undefined;
      });
      await expect(write(report(big(200, 'x'), { columns }))).rejects.toThrow();
      expect(calls).toBe(nth);
      calls = 9;
      await write(report(big(200, 'y'), { columns }));
      expect(firstCells()).toEqual(['Key', ...numbers(200), 'below']);
      expect(tab().rows()[200]?.[1]).toMatch(/^y+$/);
      calls = 0;
      await write(report(big(190, 'z'), { columns })).catch(() => undefined);
      calls = 9;
      await write(report(big(2, 'z'), { columns }));
      expect(firstCells().filter((key) => key !== null)).toEqual(['Key', 0, 1, 'below']);
    });
  });
});
