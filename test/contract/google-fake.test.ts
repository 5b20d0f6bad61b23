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
  google = await startFakeGoogle();
  client = googleClient(google);
  id = google.add({
    tabs: [
      { title: 'Members', rows: ROWS, rowCount: 20, columnCount: 5 },
      { title: "Q1 '27", rows: [['x']] },
    ],
  });
});
afterEach(() => google.close());

async function read(range: string, valueRenderOption = 'UNFORMATTED_VALUE', spreadsheetId = id) {
  const options = { spreadsheetId, ranges: [range], valueRenderOption };
  const { data } = await client.spreadsheets.values.batchGet(options);
  return data.valueRanges?.[0];
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
    [{ value: 7.5 }, 7.5, '7.5'],
    [{ value: 7, format: { type: 'NUMBER', pattern: '00000' } }, 7, '00007'],
    [{ value: 1234.5, format: { type: 'NUMBER', pattern: '#,##0.00' } }, 1234.5, '1,234.50'],
    [{ value: 7.25, format: { type: 'NUMBER', pattern: '0.0' } }, 7.25, '7.3'],
    [{ value: 12345678, format: { type: 'SCIENTIFIC', pattern: '0.00E+00' } }, 12345678, '1.23E+07'],
    [{ value: 46249, format: { type: 'DATE', pattern: 'yyyy-mm-dd' } }, 46249, '2026-08-15'],
    [{ value: 46249, format: { type: 'DATE', pattern: 'd-mmm' } }, 46249, '15-Aug'],
    [
      { value: 46249.5, format: { type: 'DATE_TIME', pattern: 'yyyy-mm-dd hh:mm' } },
      46249.5,
      '2026-08-15 12:00',
    ],
    [{ value: 0.1 + 0.2 }, 0.1 + 0.2, '0.3'],
    [{ value: 1e21 }, 1e21, '1E+21'],
    [{ value: true }, true, 'TRUE'],
    [{ error: '#N/A' }, '#N/A', '#N/A'],
    [{ formula: '=VLOOKUP(A1,B:C,2)', value: 'found' }, 'found', 'found'],
    [{ formula: '=A1/0', error: '#DIV/0!' }, '#DIV/0!', '#DIV/0!'],
    [{ formula: '=SUM(C2:C4)' }, 13.5, '13.5'],
    [{ formula: "='Q1 ''27'!A1" }, 'x', 'x'],
    [{ formula: '=E1' }, '#REF!', '#REF!'],
  ])('renders %j as it is and as it is shown', async (cell: FakeCell, unformatted, formatted) => {
    google.tab(id, 'Members').set(0, 4, cell);
    expect((await read('Members!E1'))?.values).toEqual([[unformatted]]);
    expect((await read('Members!E1', 'FORMATTED_VALUE'))?.values).toEqual([[formatted]]);
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
    expect((await read('Preise', 'FORMATTED_VALUE', german))?.values).toEqual([['7,5', 'WAHR', '1.234,50']]);
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
      if (kind === 'read' && tab.rowCount === 20) tab.sortBy(2);
    });
    expect((await read('Members!A1:D'))?.values).toEqual([
      HEADER,
      ['008', 'Bo Reyes', 6],
      ['007', 'Ada Finch', 7.5],
    ]);
    tab.insertRow(1, ['009', 'Cy Okoro', 5]);
    tab.deleteRow(2);
    tab.rename('People');
    expect((await read('People!A2:B3'))?.values).toEqual([
      ['009', 'Cy Okoro'],
      ['007', 'Ada Finch'],
    ]);
    expect(await refusalOf(read('Members!A1'))).toMatchObject({ code: 400 });
    google.deleteTab(id, 'People');
    expect(google.tabTitles(id)).toEqual(["Q1 '27"]);
    expect(() => tab.rows()).toThrow(RangeError);
  });
});
