import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { beforeEach, describe, expect, it } from 'vitest';
import { shownText } from '../../src/model/tables/cell.ts';
import type {
  ReportTab,
  ReportValue,
  SourceTable,
  TableKind,
  TableLocation,
} from '../../src/model/tables/table.ts';
import { createTables } from '../../src/tables/index.ts';
import { accessTo } from '../support/google-access.ts';
import { googleOfFile } from '../support/google/of-file.ts';
import { handMade, textRow } from '../support/workbook.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder();
const google = googleOfFile();

const READ = { origin: 'r.csv', headerRow: 1, delimiter: 'auto', encoding: 'auto' } as const;

/** Each kind that writes files: where, and how a test reads the shown texts back. */
const KINDS = {
  csv: {
    at: (file: string): TableLocation => ({ kind: 'csv', path: file }),
    read: async (file: string): Promise<readonly (readonly string[])[]> => {
      const table = await createTables().csv.open({ kind: 'csv', path: file }, READ);
      const rows: (readonly string[])[] = [table.header];
      for await (const batch of table.batches()) rows.push(...batch.map(({ cells }) => cells.map(shownText)));
      await table.close();
      return rows;
    },
  },
  xlsx: {
    at: (file: string): TableLocation => ({ kind: 'xlsx', path: file, tab: 'Report' }),
    read: async (file: string): Promise<readonly (readonly string[])[]> => {
      const book = await readXlsx(await readFile(file));
      return (
        book.sheets[0]?.rows.map((row) =>
          row.map((cell) => (cell instanceof Date ? cell.toISOString() : String(cell ?? ''))),
        ) ?? []
      );
    },
  },
} as const;

describe.each(['csv', 'xlsx'] as const)('the table kind %s', (name) => {
  const kind = createTables()[name];
  const { at, read } = KINDS[name];
  const file = (): string => path.join(folder.path, 'out', 'report');
  const tab = (rows: AsyncIterable<readonly (readonly ReportValue[])[]>): ReportTab => ({
    location: at(file()),
    table: {
      name: 'report',
      columns: [
        { header: 'Name', type: 'text' },
        { header: 'Points', type: 'integer' },
        { header: 'Active', type: 'boolean' },
      ],
      rows,
    },
    options: { mode: 'replace', excel: false, formulas: 'escape', timezone: 'UTC' },
  });
  async function* rowsOf(...batches: readonly (readonly (readonly ReportValue[])[])[]) {
    yield* await Promise.resolve(batches);
  }

  it('has the name it is registered under', () => {
    expect(kind.kind).toBe(name);
  });

  it('writes batches in order under the header, and counts the rows', async () => {
    const counts = await kind.write([
      tab(
        rowsOf(
          [['Zoë, "the" cat', 1, true]],
          [],
          [
            ['田中', -2, false],
            [null, null, null],
            ['last', 0, true],
          ],
        ),
      ),
    ]);
    expect(counts).toEqual([4]);
    expect((await read(file())).filter((row) => row.join('') !== '')).toEqual([
      ['Name', 'Points', 'Active'],
      ['Zoë, "the" cat', '1', 'true'],
      ['田中', '-2', 'false'],
      ['last', '0', 'true'],
    ]);
  });

  it('writes the header alone when there are no rows', async () => {
    expect(await kind.write([tab(rowsOf())])).toEqual([0]);
    expect(await read(file())).toEqual([['Name', 'Points', 'Active']]);
  });

  it('replaces the old file only by a whole new one', async () => {
    await kind.write([tab(rowsOf([['old', 1, true]]))]);
    const before = await readFile(file());
    const reason = new Error('the service went away');
    const failing = async function* () {
      yield await Promise.resolve([['new', 2, false]]);
      throw reason;
    };
    await expect(kind.write([tab(failing())])).rejects.toBe(reason);
    expect(await readFile(file())).toEqual(before);
    expect(await readdir(path.dirname(file()))).toEqual(['report']);
    await kind.write([tab(rowsOf([['new', 2, false]]))]);
    expect((await read(file()))[1]).toEqual(['new', '2', 'false']);
  });

  it('says that the destination cannot be written, naming it', async () => {
    await writeFile(path.join(folder.path, 'out'), '');
    await expect(kind.write([tab(rowsOf())])).rejects.toMatchObject({
      code: 'destination.unwritable',
      exitCode: 8,
    });
    await expect(kind.write([tab(rowsOf())])).rejects.toThrow(file());
  });

  it('does nothing for no tabs', async () => {
    expect(await kind.write([])).toEqual([]);
  });
});

describe('the table kind sheet, writing', () => {
  let spreadsheet = '';
  beforeEach(() => {
    spreadsheet = google.add({ tabs: [{ title: 'Mine', rows: [['kept']] }] });
  });

  const kind = (): TableKind => createTables(accessTo(google)).sheet;
  const shown = (): readonly (readonly string[])[] => google.tab(spreadsheet, 'Report').shown();
  const tab = (rows: AsyncIterable<readonly (readonly ReportValue[])[]>): ReportTab => ({
    location: { kind: 'sheet', spreadsheet, tab: 'Report' },
    table: {
      name: 'report',
      columns: [
        { header: 'Name', type: 'text' },
        { header: 'Points', type: 'integer' },
      ],
      rows,
    },
    options: { mode: 'replace', excel: false, formulas: 'escape', timezone: 'UTC' },
  });
  async function* rowsOf(...batches: readonly (readonly (readonly ReportValue[])[])[]) {
    yield* await Promise.resolve(batches);
  }

  it('writes batches in order under the header, and counts the rows', async () => {
    expect(kind().kind).toBe('sheet');
    const batches = [
      [['Zoë, "the" cat', 1]],
      [],
      [
        ['田中', -2],
        [null, null],
        ['last', 0],
      ],
    ];
    expect(await kind().write([tab(rowsOf(...batches))])).toEqual([4]);
    expect(shown().map((row) => [...row])).toEqual([
      ['Name', 'Points'],
      ['Zoë, "the" cat', '1'],
      ['田中', '-2'],
      [],
      ['last', '0'],
    ]);
    expect(google.tab(spreadsheet, 'Mine').shown()).toEqual([['kept']]);
  });

  it('writes the header alone when there are no rows, and does nothing for no tabs', async () => {
    expect(await kind().write([tab(rowsOf())])).toEqual([0]);
    expect(shown()).toEqual([['Name', 'Points']]);
    expect(await kind().write([])).toEqual([]);
  });

  it('replaces the old report only by a whole new one', async () => {
    await kind().write([tab(rowsOf([['old', 1]]))]);
    const reason = new Error('the service went away');
    const failing = async function* () {
      yield await Promise.resolve([['new', 2]]);
      throw reason;
    };
    await expect(kind().write([tab(failing())])).rejects.toBe(reason);
    expect(shown()[1]).toEqual(['old', '1']);
    await kind().write([tab(rowsOf([['new', 2]]))]);
    expect(shown()).toEqual([
      ['Name', 'Points'],
      ['new', '2'],
    ]);
  });

  it('says that there is no way to Google when none was given', async () => {
    await expect(createTables().sheet.write([tab(rowsOf())])).rejects.toMatchObject({
      code: 'google.not_configured',
      exitCode: 4,
    });
  });
});

describe.each(['csv', 'xlsx', 'sheet'] as const)('the table kind %s as a source', (name) => {
  const ROWS = [
    ['Member ID', 'Name', 'Remark'],
    ['00123', 'Zoë, "the" cat', ''],
    ['', '', ''],
    ['m-2', ' 田中 ', '=1+1'],
  ];

  async function open(rows: readonly (readonly string[])[]): Promise<SourceTable> {
    if (name === 'csv') {
      const file = path.join(folder.path, 'users.csv');
      const quoted = rows.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(','));
      await writeFile(file, quoted.join('\n'));
      return createTables().csv.open({ kind: 'csv', path: file }, READ);
    }
    if (name === 'xlsx') {
      const file = path.join(folder.path, 'users.xlsx');
      await writeFile(file, handMade({ rows: rows.map((row, index) => textRow(index + 1, row)).join('') }));
      return createTables().xlsx.open({ kind: 'xlsx', path: file, tab: 'Users' }, READ);
    }
    const spreadsheet = google.add({ tabs: [{ title: 'Users', rows }] });
    const { sheet } = createTables(accessTo(google));
    const location = { kind: 'sheet', spreadsheet, tab: 'Users' } as const;
    sheet.announce?.([location]);
    return sheet.open(location, READ);
  }

  it('gives the header and the rows under their numbers, blank ones left out', async () => {
    const table = await open(ROWS);
    expect(table.header).toEqual(ROWS[0]);
    expect((await Array.fromAsync(table.batches())).flat()).toEqual([
      { rowNumber: 2, cells: ROWS[1] },
      { rowNumber: 4, cells: ROWS[3] },
    ]);
    await table.close();
  });

  it.each([
    ['no header', [['']], 'header.none'],
    [
      'two columns of one name',
      [
        ['A', 'a'],
        ['x', 'y'],
      ],
      'header.duplicate',
    ],
    [
      'a value under an empty header',
      [
        ['A', '', 'C'],
        ['x', 'y', 'z'],
      ],
      'header.empty',
    ],
  ])('refuses %s', async (_, rows, code) => {
    const read = async (): Promise<unknown> => Array.fromAsync((await open(rows)).batches());
    await expect(read()).rejects.toMatchObject({ code, exitCode: 4 });
  });
});
