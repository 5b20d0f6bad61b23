import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { googleClient, refusalOf } from '../support/google/client.ts';
import { startFakeGoogle, type FakeCell, type FakeGoogle } from '../support/google/fake-google.ts';

let google: FakeGoogle;
let client: sheets_v4.Sheets;
let id: string;

const HEADER = ['Member ID', 'Name', 'Price'];
const ROWS: FakeCell[][] = [
  HEADER,
  ['007', 'Ada Finch', 7.5],
  [],
  ['008', 'Bo Reyes', 6],
  [null, null, { note: 'look' }],
];

beforeEach(async () => {
  google = await startFakeGoogle({ now: () => Date.UTC(2026, 7, 15, 11) });
  client = googleClient(google);
  id = google.add({
    tabs: [
      { title: 'Members', rows: ROWS, rowCount: 20, columnCount: 5 },
      { title: "Q1 '27", rows: [['x']] },
    ],
  });
});
afterEach(() => google.close());

const put = (range: string, values: unknown[][], valueInputOption = 'RAW') =>
  client.spreadsheets.values.update({ spreadsheetId: id, range, valueInputOption, requestBody: { values } });
async function read(range: string, valueRenderOption = 'UNFORMATTED_VALUE') {
  const { data } = await client.spreadsheets.values.get({ spreadsheetId: id, range, valueRenderOption });
  return data;
}

describe('reading values', () => {
  it('leaves out what is blank at the ends, and keeps a blank row in the middle', async () => {
    expect(await read('Members')).toEqual({
      range: 'Members!A1:E20',
      majorDimension: 'ROWS',
      values: [HEADER, ['007', 'Ada Finch', 7.5], [], ['008', 'Bo Reyes', 6]],
    });
    expect(await read('Members!D1:E')).toEqual({ range: 'Members!D1:E20', majorDimension: 'ROWS' });
  });

  it('answers the ranges in the order they were asked, clipped to the grid', async () => {
    const ranges = ["'Q1 ''27'!A1", 'Members!B2:ZZ', 'Members!2:2', 'Members!A4:A9999'];
    const { data } = await client.spreadsheets.values.batchGet({ spreadsheetId: id, ranges });
    expect(data.valueRanges?.map(({ range }) => range)).toEqual([
      "'Q1 ''27'!A1",
      'Members!B2:E20',
      'Members!A2:E2',
      'Members!A4:A20',
    ]);
  });

  it('refuses a range past the grid, an unknown tab and nonsense', async () => {
    expect(await refusalOf(read('Members!A21:C30'))).toEqual({
      code: 400,
      message: 'Range (Members!A21:C30) exceeds grid limits. Max rows: 20, max columns: 5',
      status: 'INVALID_ARGUMENT',
    });
    expect((await refusalOf(read('Nobody!A1')))?.message).toBe('Unable to parse range: Nobody!A1');
    expect((await refusalOf(read('Members!A1:?')))?.message).toBe('Unable to parse range: Members!A1:?');
  });

  it.each([
    [{ value: 7.5 }, 7.5, '7.5', 7.5],
    [{ value: 7, format: { type: 'NUMBER', pattern: '00000' } }, 7, '00007', 7],
    [{ value: 1234.5, format: { type: 'NUMBER', pattern: '#,##0.00' } }, 1234.5, '1,234.50', 1234.5],
    [{ value: 7.25, format: { type: 'NUMBER', pattern: '0.0' } }, 7.25, '7.3', 7.25],
    [
      { value: 12345678, format: { type: 'SCIENTIFIC', pattern: '0.00E+00' } },
      12345678,
      '1.23E+07',
      12345678,
    ],
    [{ value: 46249, format: { type: 'DATE', pattern: 'yyyy-mm-dd' } }, 46249, '2026-08-15', 46249],
    [{ value: 46249, format: { type: 'DATE', pattern: 'd-mmm' } }, 46249, '15-Aug', 46249],
    [
      { value: 46249.5, format: { type: 'DATE_TIME', pattern: 'yyyy-mm-dd hh:mm' } },
      46249.5,
      '2026-08-15 12:00',
      46249.5,
    ],
    [{ value: 0.1 + 0.2 }, 0.1 + 0.2, '0.3', 0.1 + 0.2],
    [{ value: 1e21 }, 1e21, '1E+21', 1e21],
    [{ value: true }, true, 'TRUE', true],
    [{ error: '#N/A' }, '#N/A', '#N/A', '=#N/A'],
    [{ formula: '=VLOOKUP(A1,B:C,2)', value: 'found' }, 'found', 'found', '=VLOOKUP(A1,B:C,2)'],
    [{ formula: '=A1/0', error: '#DIV/0!' }, '#DIV/0!', '#DIV/0!', '=A1/0'],
    [{ formula: '=SUM(C2:C4)' }, 13.5, '13.5', '=SUM(C2:C4)'],
    [{ formula: "='Q1 ''27'!A1" }, 'x', 'x', "='Q1 ''27'!A1"],
    [{ formula: '=NOW()' }, 46249.5, '46249.5', '=NOW()'],
    [{ formula: '=E1' }, '#REF!', '#REF!', '=E1'],
  ])('renders %j three ways', async (cell: FakeCell, unformatted, formatted, formula) => {
    google.tab(id, 'Members').set(0, 4, cell);
    expect((await read('Members!E1')).values).toEqual([[unformatted]]);
    expect((await read('Members!E1', 'FORMATTED_VALUE')).values).toEqual([[formatted]]);
    expect((await read('Members!E1', 'FORMULA')).values).toEqual([[formula]]);
  });

  it("shows numbers and truth values in the spreadsheet's language", async () => {
    const german = google.add({
      locale: 'de_DE',
      tabs: [
        {
          title: 'Preise',
          rows: [[7.5, true, { value: 1234.5, format: { type: 'NUMBER', pattern: '#,##0.00' } }]],
        },
      ],
    });
    const { data } = await client.spreadsheets.values.get({ spreadsheetId: german, range: 'Preise' });
    expect(data.values).toEqual([['7,5', 'WAHR', '1.234,50']]);
  });

  it('renders dates as texts when they are asked for as texts', async () => {
    google.tab(id, 'Members').set(0, 4, { value: 46249, format: { type: 'DATE', pattern: 'yyyy-mm-dd' } });
    const options = { valueRenderOption: 'UNFORMATTED_VALUE', dateTimeRenderOption: 'FORMATTED_STRING' };
    const { data } = await client.spreadsheets.values.get({
      spreadsheetId: id,
      range: 'Members!C2:E2',
      ...options,
    });
    expect(data.values).toEqual([[7.5]]);
    const { data: date } = await client.spreadsheets.values.get({
      spreadsheetId: id,
      range: 'Members!E1',
      ...options,
    });
    expect(date.values).toEqual([['2026-08-15']]);
  });
});

describe('writing values', () => {
  const TYPED = ['=1+1', '007', 'TRUE', '2026-08-15', "'0", '1,234.5', '12%', ' x '];

  it('keeps every text as text with RAW', async () => {
    await put("'Q1 ''27'!A1:H1", [TYPED]);
    expect(google.tab(id, "Q1 '27").rows()).toEqual([TYPED]);
    expect(google.tab(id, "Q1 '27").cell(0, 0).formula).toBeUndefined();
  });

  it('takes texts as typed with USER_ENTERED', async () => {
    await put("'Q1 ''27'!A1:H1", [TYPED], 'USER_ENTERED');
    const tab = google.tab(id, "Q1 '27");
    expect(tab.rows()[0]?.slice(1)).toEqual([7, true, 46249, '0', 1234.5, 0.12, ' x ']);
    expect(tab.cell(0, 0).formula).toBe('=1+1');
    expect(tab.shown()[0]?.slice(1)).toEqual(['7', 'TRUE', '2026-08-15', '0', '1,234.50', '12%', ' x ']);
  });

  it('skips null, clears with an empty text, and leaves formats and notes', async () => {
    const tab = google.tab(id, 'Members');
    tab.set(1, 2, { value: 7.5, format: { type: 'NUMBER', pattern: '0.0' }, note: 'ask Bo' });
    await put('Members!A2:C2', [[null, 'Ada', '']]);
    expect(tab.rows()[1]).toEqual(['007', 'Ada']);
    expect(tab.cell(1, 2)).toMatchObject({
      value: null,
      note: 'ask Bo',
      format: { numberFormat: { pattern: '0.0' } },
    });
  });

  it('refuses to write past the grid, past the range, and cells that are too long, and then has written nothing', async () => {
    expect((await refusalOf(put('Members!A21', [['x']])))?.message).toContain(
      'exceeds grid limits. Max rows: 20',
    );
    expect((await refusalOf(put('Members!D1', [['x', 'y', 'z']])))?.message).toContain('max columns: 5');
    expect((await refusalOf(put('Members!A1:B1', [['x', 'y', 'z']])))?.message).toContain(
      'tried writing to column [3]',
    );
    expect(await refusalOf(put('Members!A1', [['x'.repeat(50_001)]]))).toMatchObject({ code: 400 });
    expect(await refusalOf(put('Members!A1', [['x'.repeat(50_000)]]))).toBeUndefined();
    const data = [
      { range: 'Members!B2', values: [['new']] },
      { range: 'Members!A99', values: [['past']] },
    ];
    const both = client.spreadsheets.values.batchUpdate({
      spreadsheetId: id,
      requestBody: { data, valueInputOption: 'RAW' },
    });
    expect((await refusalOf(both))?.message).toMatch(/^Invalid data\[1\]: Range \(Members!A99\)/);
    expect(google.tab(id, 'Members').cell(1, 1).value).toBe('Ada Finch');
  });

  it('clears values alone', async () => {
    const requestBody = { ranges: ['Members!A2:C', "'Q1 ''27'"] };
    const { data } = await client.spreadsheets.values.batchClear({ spreadsheetId: id, requestBody });
    expect(data.clearedRanges).toEqual(['Members!A2:C20', "'Q1 ''27'!A1:Z1000"]);
    expect(google.tab(id, 'Members').rows()).toEqual([HEADER]);
    expect(google.tab(id, 'Members').cell(4, 2).note).toBe('look');
  });
});

describe('spreadsheets.get', () => {
  it('answers properties without cells, and without the id 0 in ranges', async () => {
    google.tab(id, 'Members').merge(5, 0, 6, 2);
    const { data } = await client.spreadsheets.get({
      spreadsheetId: id,
      fields: 'properties.timeZone,sheets(properties(sheetId,title),merges)',
    });
    expect(data).toEqual({
      properties: { timeZone: 'Europe/London' },
      sheets: [
        {
          properties: { sheetId: 0, title: 'Members' },
          merges: [{ startRowIndex: 5, endRowIndex: 6, startColumnIndex: 0, endColumnIndex: 2 }],
        },
        { properties: { sheetId: expect.any(Number) as number, title: "Q1 '27" } },
      ],
    });
  });

  it('answers cells of the ranges that are asked for', async () => {
    const { data } = await client.spreadsheets.get({
      spreadsheetId: id,
      ranges: ['Members!C2:D5'],
      includeGridData: true,
    });
    expect(data.sheets).toHaveLength(1);
    const [grid] = data.sheets?.[0]?.data ?? [];
    expect(grid).toMatchObject({
      startRow: 1,
      startColumn: 2,
      columnMetadata: [{ pixelSize: 100 }, { pixelSize: 100 }],
    });
    const price = {
      userEnteredValue: { numberValue: 7.5 },
      effectiveValue: { numberValue: 7.5 },
      formattedValue: '7.5',
    };
    expect(grid?.rowData?.[0]?.values).toEqual([price]);
    expect(grid?.rowData?.[3]?.values).toEqual([{ note: 'look' }]);
  });
});

describe('a person at the sheet', () => {
  it('sorts, inserts, renames and deletes between two calls', async () => {
    const tab = google.tab(id, 'Members');
    google.before(({ kind }) => {
      if (kind === 'write') tab.sortBy(2);
    });
    await put('Members!D1', [['Status']]);
    expect((await read('Members!A1:D')).values).toEqual([
      [...HEADER, 'Status'],
      ['008', 'Bo Reyes', 6],
      ['007', 'Ada Finch', 7.5],
    ]);
    tab.insertRow(1, ['009', 'Cy Okoro', 5]);
    tab.deleteRow(2);
    tab.rename('People');
    expect((await read('People!A2:B3')).values).toEqual([
      ['009', 'Cy Okoro'],
      ['007', 'Ada Finch'],
    ]);
    expect(await refusalOf(read('Members!A1'))).toMatchObject({ code: 400 });
    google.deleteTab(id, 'People');
    expect(google.tabTitles(id)).toEqual(["Q1 '27"]);
    expect(() => tab.rows()).toThrow(RangeError);
  });
});
