import { describe, expect, test } from 'vitest';
import { createRowReader } from '../../src/mapping/rows.ts';
import type { ParsedRow } from '../../src/mapping/rows.ts';
import { createSheetKind } from '../../src/tables/google-sheets.ts';
import { accessTo } from '../support/google-access.ts';
import { googleOfFile } from '../support/google/of-file.ts';
import type { FakeCell, FakeTab } from '../support/google/fake-google.ts';
import { messagesOf, pushMapping } from './tables/csv-source.ts';

const fake = googleOfFile();

const MAPPING = pushMapping(`
name: users
push: users
source: { sheet: 1fictional, tab: Users }
operation: upsert
columns:
  external_id: { from: Member ID, required: true }
  display_name: { from: Display name }
  is_active: { from: Active, type: boolean }
`);
const HEADER = ['Member ID', 'Display name', 'Active', 'Remark'];
const KEY = 'tab "Users" row 2, column "Member ID":';
const PLAIN = 'format the column as plain text';
const CHANGED = 'looks changed by a spreadsheet; write it as plain text, or add --allow-key-shape';

/** The rows of a tab as a push reads them. */
async function read(
  rows: readonly (readonly FakeCell[])[],
  options: { readonly allowKeyShape?: boolean; readonly edit?: (tab: FakeTab) => void } = {},
): Promise<readonly ParsedRow[]> {
  const spreadsheet = fake.add({ title: 'Season', tabs: [{ title: 'Users', rows: [HEADER, ...rows] }] });
  options.edit?.(fake.tab(spreadsheet, 'Users'));
  const location = { kind: 'sheet', spreadsheet, tab: 'Users' } as const;
  const table = await createSheetKind(accessTo(fake)).open(location, MAPPING.source);
  const reader = createRowReader(MAPPING, table.header, {
    allowKeyShape: options.allowKeyShape === true,
    variable: () => undefined,
    tableTimezone: table.timezone,
  });
  const parsed: ParsedRow[] = [];
  for await (const batch of table.batches()) parsed.push(...reader.read(batch));
  return [...parsed, ...reader.end()];
}

const shownAs = (value: number, pattern: string, type = 'NUMBER'): FakeCell => ({
  value,
  format: { type, pattern },
});

describe('the key of a row in a Google sheet', () => {
  test.each<[string, FakeCell, string | null, readonly string[]]>([
    ['41: a number shown as its digits', 1001, '1001', []],
    [
      '41: a number shown with zeros',
      shownAs(123, '00000'),
      null,
      [`"00123" is a number shown in another form; ${PLAIN}`],
    ],
    [
      '41: a number shown with a comma',
      shownAs(1001, '#,##0'),
      null,
      [`"1,001" is a number shown in another form; ${PLAIN}`],
    ],
    ['44: a text with an exponent', '1E+05', null, [`"1E+05" ${CHANGED}`]],
    ['45: a text with a decimal', '123.0', null, [`"123.0" ${CHANGED}`]],
    ['46: a date', shownAs(46_083, 'd-mmm', 'DATE'), null, [`"2-Mar" ${CHANGED}`]],
    ['46: TRUE', true, null, [`"TRUE" ${CHANGED}`]],
    ['59: an empty key', null, null, ['empty; every row needs its external_id']],
    [
      '60: an error',
      { error: '#REF!' },
      null,
      ['holds the spreadsheet error #REF!; correct its formula, or write the value'],
    ],
    ['61: the text null', 'null', null, ['"null" is not a key; write the real one, or delete the row']],
    ['92: an apostrophe before zeros', '00123', '00123', []],
  ])('%s', async (_, cell, key, messages) => {
    const rows = await read([[cell, 'Ana']]);
    expect(messagesOf(rows, 'tab "Users"')).toEqual(messages.map((message) => `${KEY} ${message}`));
    expect(rows.map((row) => row.key)).toEqual([key]);
  });

  test('42: a number past 2^53', async () => {
    const rows = await read([[9_007_199_254_740_992, 'Ana']]);
    expect(messagesOf(rows, 'tab "Users"')).toEqual([
      expect.stringMatching(
        /^tab "Users" row 2, column "Member ID": ".*" is a number beyond 9007199254740991 and may have lost digits; format the column as plain text and type it again$/,
      ),
    ]);
  });

  test('44-46: --allow-key-shape takes what is shown', async () => {
    const rows = await read([[shownAs(123, '00000'), 'Ana']], { allowKeyShape: true });
    expect(rows[0]).toMatchObject({ status: 'valid', key: '00123' });
  });

  test('90: merged cells', async () => {
    const rows = await read(
      [
        ['a', 'Ana'],
        ['', 'Bo'],
        ['c', 'Cy'],
      ],
      { edit: (tab) => tab.merge(1, 0, 3, 1) },
    );
    expect(messagesOf(rows, 'tab "Users"')).toEqual(
      [2, 3].map(
        (row) =>
          `tab "Users" row ${row}, column "Member ID": is part of the merged cells A2:A3, so whose value it is cannot be told; unmerge them`,
      ),
    );
    expect(rows.map(({ status }) => status)).toEqual(['invalid', 'invalid', 'valid']);
  });

  test('90: merged cells in a column that no mapping reads harm nobody', async () => {
    const rows = await read(
      [
        ['a', 'Ana', true, 'x'],
        ['b', 'Bo'],
      ],
      { edit: (tab) => tab.merge(1, 3, 3, 4) },
    );
    expect(rows.map(({ status }) => status)).toEqual(['valid', 'valid']);
  });
});

describe('other cells of a Google sheet', () => {
  test('89: a row that is shorter than the header has empty cells', async () => {
    expect((await read([['a', 'Ana']]))[0]).toMatchObject({
      status: 'valid',
      fields: { external_id: 'a', display_name: 'Ana' },
    });
  });

  test('91: hidden rows are read', async () => {
    const rows = await read(
      [
        ['a', 'Ana'],
        ['b', 'Bo'],
      ],
      { edit: (tab) => tab.hideRow(2) },
    );
    expect(rows.map(({ key }) => key)).toEqual(['a', 'b']);
  });

  test('a truth value is one, however the language of the sheet shows it', () => {
    const options = { allowKeyShape: false, variable: () => undefined };
    const shown = { kind: 'boolean', value: true, shown: 'WAHR' } as const;
    const [row] = createRowReader(MAPPING, HEADER, options).read([
      { rowNumber: 2, cells: ['a', 'Ana', shown, ''] },
    ]);
    expect(row).toMatchObject({ fields: { is_active: true }, lines: [['a', 'Ana', 'WAHR', '']] });
  });
});

describe('the header of a Google sheet', () => {
  test.each<[string, FakeCell[], string]>([
    [
      'waits for its values',
      ['Loading...'],
      'Wait until the formula that shows "Loading..." has its values, or correct it.',
    ],
    [
      'is a formula without a value',
      [{ formula: '=IMPORTRANGE("x", "Users!A:D")', error: '#REF!' }],
      'Wait until the formula that shows "#REF!" has its values, or correct it.',
    ],
    [
      'only has another column that waits',
      ['Member IDs', 'Display name', 'Loading...'],
      'Correct the header of the file, or the name in the mapping.',
    ],
  ])('that %s is told with what to do', async (_what, header, next) => {
    await expect(
      read([], { edit: (tab) => HEADER.forEach((_name, at) => tab.set(0, at, header[at] ?? null)) }),
    ).rejects.toMatchObject({ code: 'header.missing', next });
  });
});
