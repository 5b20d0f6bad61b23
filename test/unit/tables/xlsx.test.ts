import { readFile, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { describe, expect, it } from 'vitest';
import type { ReportColumn, ReportTab, ReportValue, WriteOptions } from '../../../src/model/tables/table.ts';
import { writeRejectedXlsx, writeXlsxReport } from '../../../src/tables/xlsx/write.ts';
import { convert, hasLibreOffice } from '../../support/libreoffice.ts';
import { batchesOf, column, reportTab } from '../../support/report-tab.ts';
import { testFolder } from '../../support/test-folder.ts';

const folder = testFolder();

const tabOf = (
  tab: string,
  columns: readonly ReportColumn[],
  rows: readonly (readonly ReportValue[])[],
  options: Partial<WriteOptions> = {},
): ReportTab =>
  reportTab(
    { kind: 'xlsx', path: path.join(folder.path, 'r.xlsx'), tab },
    { name: `${tab}-report`, columns, rows, options },
  );

async function written(...tabs: readonly ReportTab[]) {
  const file = path.join(folder.path, 'r.xlsx');
  await writeXlsxReport(file, tabs);
  return readXlsx(await readFile(file), { readStyles: true });
}

/** Texts that break workbooks or are taken for something else. */
const HOSTILE = [
  '=1+1',
  '+1',
  '-1',
  '@x',
  '#N/A',
  '#REF!',
  '00123',
  'TRUE',
  '2-Mar',
  'http://127.0.0.1/x',
  'a\0b',
  'a\uFFFEb',
  'a\uD800b',
  '_x000D_',
  'a\r\nb',
  ' lead ',
  '#<&> x ',
  '<b>&"\'',
  '田中 蓮',
  '👩‍👩‍👧',
];
const SAFE = HOSTILE.map((text) =>
  text.replace('\0', '\uFFFD').replace('\uFFFE', '\uFFFD').replace('\uD800', '\uFFFD').replace('\r\n', '\n'),
);

describe('a workbook', () => {
  it('holds the tabs in order, header first', async () => {
    const book = await written(
      tabOf('Squads', [column('Name')], [['One'], ['Two']]),
      tabOf('Empty', [column('A'), column('B')], []),
    );
    expect(book.sheets.map(({ name, rows }) => [name, rows])).toEqual([
      ['Squads', [['Name'], ['One'], ['Two']]],
      ['Empty', [['A', 'B']]],
    ]);
  });

  it('holds real numbers, truth values and dates', async () => {
    const columns = [
      column('i', 'integer'),
      column('n', 'number'),
      column('b', 'boolean'),
      column('d', 'datetime'),
      column('j', 'json'),
    ];
    const book = await written(
      tabOf('T', columns, [
        [-3, 7.25, true, '2026-08-14T19:05:00Z', 'x'],
        [null, null, false, 'soon', 5],
        ['x', '', null, '1899-12-31', null],
      ]),
    );
    expect(book.sheets[0]?.rows.slice(1)).toEqual([
      [-3, 7.25, true, new Date('2026-08-14T19:05:00Z'), 'x'],
      [null, null, false, 'soon', 5],
      ['x', '', null, '1899-12-31', null],
    ]);
  });

  it('shows dates as the clock of the zone', async () => {
    const rows = [['2026-07-01T12:00:00Z'], ['2026-12-01T12:00:00Z']];
    const book = await written(tabOf('T', [column('d', 'datetime')], rows, { timezone: 'Europe/Berlin' }));
    expect(book.sheets[0]?.rows.slice(1)).toEqual([
      [new Date('2026-07-01T14:00:00Z')],
      [new Date('2026-12-01T13:00:00Z')],
    ]);
  });

  it('keeps every text as text, without formulas or links', async () => {
    const book = await written(
      tabOf(
        'T',
        [column('=header'), column('#N/A')],
        HOSTILE.map((text) => [text, null]),
      ),
    );
    expect(book.sheets[0]?.rows.map(([first]) => first)).toEqual(['=header', ...SAFE]);
    const cells = [...(book.sheets[0]?.cells?.values() ?? [])];
    expect(cells.length).toBeGreaterThan(HOSTILE.length);
    expect(
      cells.filter(
        ({ formula, hyperlink, type }) => (formula ?? hyperlink) !== undefined || type === 'error',
      ),
    ).toEqual([]);
  });

  it('cuts what no cell can hold, with a mark', async () => {
    const book = await written(tabOf('T', [column('x')], [['y'.repeat(40_000)], ['z'.repeat(32_767)]]));
    const [, [cut], [whole]] = book.sheets[0]?.rows as [unknown, [string], [string]];
    expect(cut).toHaveLength(32_767);
    expect(cut).toMatch(/^y+ … \[cut\]$/);
    expect(whole).toBe('z'.repeat(32_767));
  });

  it('has a frozen, filtered header and widths that fit within bounds', async () => {
    const rows = [['x'.repeat(20), '日本語日本語日本語日本語', 'w'.repeat(300), null]];
    const book = await written(tabOf('T', [column('a'), column('b'), column('c'), column('d')], rows));
    const sheet = book.sheets[0];
    expect(sheet?.freezePane).toMatchObject({ rows: 1 });
    expect(sheet?.autoFilter).toMatchObject({ range: 'A1:D2' });
    expect(sheet?.columns?.map(({ width }) => width)).toEqual([23, 27, 50, 8]);
    expect(sheet?.cells?.get('0,0')?.style).toMatchObject({
      font: { bold: true },
      fill: { pattern: 'solid' },
    });
  });

  it('formats numbers and dates by default or as the mapping says', async () => {
    const columns = [
      column('a', 'integer'),
      column('b', 'number'),
      column('c', 'datetime'),
      column('d', 'number', '0.00'),
    ];
    const book = await written(tabOf('T', columns, [[1, 2, '2026-08-14T19:05:00Z', 3]]));
    const formats = [0, 1, 2, 3].map((index) => book.sheets[0]?.cells?.get(`1,${index}`)?.style?.numFmt);
    expect(formats).toEqual(['0', '0.0##', 'yyyy-mm-dd hh:mm', '0.00']);
  });

  it('takes 50,000 rows over all tabs and refuses one more, keeping the old file', async () => {
    const file = path.join(folder.path, 'r.xlsx');
    await writeXlsxReport(file, [tabOf('A', [column('n', 'integer')], [])]);
    const old = await readFile(file);
    const many = Array.from({ length: 49_999 }, (_, index) => [index]);
    const tabs = (more: number) => [
      tabOf('A', [column('n', 'integer')], many),
      tabOf('B', [column('n', 'integer')], many.slice(0, more)),
    ];
    await expect(writeXlsxReport(file, tabs(2))).rejects.toMatchObject({
      code: 'destination.too_many_rows',
      exitCode: 8,
    });
    expect(await readFile(file)).toEqual(old);
    expect(await readdir(folder.path)).toEqual(['r.xlsx']);
    expect(await writeXlsxReport(file, tabs(1))).toEqual([49_999, 1]);
  });

  it('refuses more columns than a tab holds, with what to do', async () => {
    const columns = Array.from({ length: 16_385 }, (_, index) => column(`c${index}`));
    await expect(written(tabOf('T', columns, []))).rejects.toMatchObject({
      code: 'destination.too_many_columns',
      exitCode: 8,
      message: expect.stringContaining('at most 16384 columns, and tab "T" would have 16385') as string,
    });
  });

  it.each(['', 'x'.repeat(32), 'a/b', '[x]', "'x", 'History', 'a\0'])(
    'refuses the tab name %j',
    async (name) => {
      await expect(written(tabOf(name, [column('x')], []))).rejects.toMatchObject({
        code: 'destination.tab',
        exitCode: 4,
      });
    },
  );
});

describe('rejected rows', () => {
  it('stay text when they are edited, in a private file', async () => {
    const file = path.join(folder.path, 'x.rejected.xlsx');
    expect(
      await writeRejectedXlsx(file, ['Member', 'Price'], batchesOf([['00123', '7.5']], [['=1', '']])),
    ).toBe(true);
    const book = await readXlsx(await readFile(file), { readStyles: true });
    expect(book.sheets[0]?.rows).toEqual([
      ['Member', 'Price'],
      ['00123', '7.5'],
      ['=1', ''],
    ]);
    expect(book.sheets[0]?.cells?.get('1,0')?.style?.numFmt).toBe('@');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('are left to the CSV file when there are too many', async () => {
    const file = path.join(folder.path, 'x.rejected.xlsx');
    const many = Array.from({ length: 50_001 }, () => ['x']);
    expect(await writeRejectedXlsx(file, ['a'], batchesOf(many))).toBe(false);
    expect(await readdir(folder.path)).toEqual([]);
  });
});

// Machines without LibreOffice register nothing here; the tests above read the same files back with the library.
if (hasLibreOffice()) {
  describe('LibreOffice', () => {
    it('opens the workbook and shows every text as it is', async () => {
      await written(
        tabOf(
          'T',
          [column('x')],
          HOSTILE.map((text) => [text]),
        ),
      );
      const form = 'csv:Text - txt - csv (StarCalc):44,34,76';
      await convert(path.join(folder.path, 'r.xlsx'), form, folder.path);
      const text = await readFile(path.join(folder.path, 'r.csv'), 'utf8');
      const quoted = SAFE.map((cell) => (/["\n,]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
      expect(text).toBe(`x\n${quoted.join('\n')}\n`);
    });
  });
}
