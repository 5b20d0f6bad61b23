import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shownText } from '../../src/model/cell.ts';
import type { ReportTab, ReportValue, TableLocation } from '../../src/model/table.ts';
import { createTables } from '../../src/tables/index.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'teamsheet-kinds-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

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
  const file = (): string => path.join(folder, 'out', 'report');
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
    await writeFile(path.join(folder, 'out'), '');
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

describe('kinds that are not there yet', () => {
  const tables = createTables();
  const location = { kind: 'sheet', spreadsheet: 's', tab: 't' } as const;

  it('say so in one line', async () => {
    await expect(tables.sheet.open(location, READ)).rejects.toMatchObject({
      code: 'source.not_yet',
      exitCode: 64,
    });
    await expect(tables.sheet.write([])).rejects.toMatchObject({ code: 'destination.not_yet', exitCode: 64 });
    const workbook = { kind: 'xlsx', path: '/r.xlsx', tab: 't' } as const;
    await expect(tables.xlsx.open(workbook, { ...READ, origin: 'r.xlsx' })).rejects.toThrow(
      'r.xlsx: workbooks cannot be read yet; save the tab as CSV and name that file',
    );
  });
});
