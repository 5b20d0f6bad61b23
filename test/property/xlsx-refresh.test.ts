import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shownText } from '../../src/model/tables/cell.ts';
import type { ReportValue, WriteOptions } from '../../src/model/tables/table.ts';
import { writeXlsxReport } from '../../src/tables/xlsx/write.ts';
import { reportTab } from '../support/report-tab.ts';
import { testFolder } from '../support/test-folder.ts';
import { handMade } from '../support/workbook.ts';
import { readTab } from '../unit/tables/xlsx-source.ts';

const folder = testFolder();

const MINE = handMade({ tabs: { Mine: '<sheetData/>' } });
const file = (): string => path.join(folder.path, 'r.xlsx');

async function write(rows: readonly (readonly ReportValue[])[], mode: WriteOptions['mode']): Promise<void> {
  const columns = [
    { header: 'Key', type: 'text' },
    { header: 'Text', type: 'text' },
    { header: 'Number', type: 'number' },
    { header: 'Yes', type: 'boolean' },
    { header: 'At', type: 'datetime', format: 'yyyy-mm-dd hh:mm:ss' },
  ] as const;
  const options = { mode, key: ['Key'], timezone: 'Europe/Berlin' };
  const location = { kind: 'xlsx', path: file(), tab: 'Report' } as const;
  await writeXlsxReport(file(), [reportTab(location, { columns, rows, options })]);
}

async function read(): Promise<readonly (readonly unknown[])[]> {
  const { rows } = await readTab(await readFile(file()), 'Report');
  return rows.map(({ cells: [key = '', text = '', number = '', yes = '', at = ''] }) => [
    shownText(key),
    shownText(text),
    typeof number !== 'string' && number.kind === 'number' ? number.value : null,
    typeof yes !== 'string' && yes.kind === 'boolean' ? yes.value : null,
    shownText(at),
  ]);
}

/** What a cell can hold of a text. */
const held = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\0-\x08\v\f\x0E-\x1F\uFFFE\uFFFF]/g, '\uFFFD')
    .replace(/\r\n?/g, '\n');

const TEXT = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom('=1+1', '#N/A', '00123', '_x000D_', ' a ', '<&>"', ']]>', '1e5', 'TRUE', '\ta\n', '2-Mar'),
);
const NUMBER = fc.oneof(
  fc.integer(),
  fc
    .double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 })
    .map((value) => Number(value.toPrecision(15))),
);
const ROWS = fc.array(fc.tuple(TEXT, NUMBER, fc.boolean()), { minLength: 1, maxLength: 8 });

const keyed = (rows: readonly (readonly [string, number, boolean])[]): readonly (readonly ReportValue[])[] =>
  rows.map(([text, number, yes], index) => [`k${index}`, text, number, yes, '2026-08-14T19:00:00Z']);

it('a report in the workbook of an operator, read back and merged with itself, is the same table, for any text', async () => {
  await fc.assert(
    fc.asyncProperty(ROWS, async (given) => {
      await writeFile(file(), MINE);
      const rows = keyed(given);
      const expected = rows.map(([key, text, number, yes]) => [
        key,
        held(String(text)),
        number,
        yes,
        '2026-08-14 21:00:00',
      ]);
      await write(rows, 'replace');
      expect(await read()).toEqual(expected);
      await write(rows, 'merge');
      expect(await read()).toEqual(expected);
      await write(rows.slice(0, 1), 'merge');
      expect(await read()).toEqual(expected);
    }),
    { numRuns: 25 },
  );
});
