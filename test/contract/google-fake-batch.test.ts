import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { googleClient, refusalOf } from '../support/google/client.ts';
import { startFakeGoogle, type FakeGoogle } from '../support/google/fake-google.ts';

let google: FakeGoogle;
let client: sheets_v4.Sheets;
let id: string;

beforeEach(async () => {
  google = await startFakeGoogle();
  client = googleClient(google);
  const rows = [['Member ID', 'Name', 'Price'], ['007', 'Ada Finch', 7.5], [], ['008', 'Bo Reyes', 6]];
  id = google.add({
    tabs: [
      { title: 'Members', rows, rowCount: 20, columnCount: 5 },
      { title: "Q1 '27", rows: [['x']] },
    ],
  });
});
afterEach(() => google.close());

const update = (...requests: sheets_v4.Schema$Request[]) =>
  client.spreadsheets.batchUpdate({ spreadsheetId: id, requestBody: { requests } });
const text = (stringValue: string) => ({ userEnteredValue: { stringValue } });
const CELLS = { sheetId: 0, startRowIndex: 0, endRowIndex: 4, startColumnIndex: 2, endColumnIndex: 3 };
const CHART = {
  basicChart: { chartType: 'LINE', series: [{ series: { sourceRange: { sources: [CELLS] } } }] },
};
const start = (rowIndex: number, columnIndex: number, sheetId = 0) => ({ sheetId, rowIndex, columnIndex });

describe('spreadsheets.batchUpdate', () => {
  it('does all requests or none', async () => {
    const refused = await refusalOf(
      update(
        {
          updateCells: {
            start: start(0, 0),
            rows: [{ values: [text('changed')] }],
            fields: 'userEnteredValue',
          },
        },
        { deleteSheet: { sheetId: 99 } },
      ),
    );
    expect(refused?.message).toBe('Invalid requests[1].deleteSheet: No sheet with id: 99');
    expect(google.tab(id, 'Members').cell(0, 0).value).toBe('Member ID');
  });

  it('updates the fields of a mask, clears those that are missing, and leaves the others', async () => {
    const tab = google.tab(id, 'Members');
    tab.set(1, 0, { value: '007', note: 'old', format: { type: 'TEXT' } });
    await update({
      updateCells: {
        start: start(1, 0),
        rows: [{ values: [{ ...text('=1+1'), userEnteredFormat: { textFormat: { bold: true } } }] }],
        fields: 'userEnteredValue,note,userEnteredFormat.textFormat.bold',
      },
    });
    expect(tab.cell(1, 0)).toMatchObject({ value: '=1+1', formula: undefined, note: undefined });
    expect(tab.cell(1, 0).format).toEqual({ numberFormat: { type: 'TEXT' }, textFormat: { bold: true } });
  });

  it('clears the rest of a range, and with a start only what is written', async () => {
    const rows = [{ values: [text('x')] }];
    const range = { sheetId: 0, startRowIndex: 1, endRowIndex: 4, startColumnIndex: 0, endColumnIndex: 2 };
    await update({ updateCells: { start: start(0, 0), rows, fields: 'userEnteredValue' } });
    expect(google.tab(id, 'Members').rows()[0]).toEqual(['x', 'Name', 'Price']);
    await update({ updateCells: { range, rows, fields: 'userEnteredValue' } });
    expect(google.tab(id, 'Members').rows()).toEqual([
      ['x', 'Name', 'Price'],
      ['x', null, 7.5],
      [],
      [null, null, 6],
    ]);
  });

  it.each<[string, sheets_v4.Schema$Request, string]>([
    [
      'a row past the grid',
      { updateCells: { start: start(19, 0), rows: [{}, {}], fields: 'note' } },
      'Attempting to write row: 20, beyond the last requested row of: 19',
    ],
    [
      'a column past the grid',
      { updateCells: { start: start(0, 4), rows: [{ values: [{}, {}] }], fields: 'note' } },
      'Attempting to write column: 5, beyond the last requested column of: 4',
    ],
    [
      'a start past the grid',
      { updateCells: { start: start(20, 0), rows: [], fields: 'note' } },
      'GridCoordinate.rowIndex[20] is after last row in grid[19]',
    ],
    [
      'an unknown tab',
      { updateCells: { start: start(0, 0, 5), rows: [], fields: 'note' } },
      'No grid with id: 5',
    ],
    [
      'no mask',
      { updateCells: { start: start(0, 0), rows: [] } },
      "At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)",
    ],
    [
      'a long text',
      { updateCells: { start: start(0, 0), rows: [{ values: [text('x'.repeat(50_001))] }], fields: '*' } },
      'more than the maximum of 50000 characters',
    ],
    [
      'a taken name',
      { addSheet: { properties: { title: 'members' } } },
      'A sheet with the name "members" already exists.',
    ],
    [
      'too many cells',
      { appendDimension: { sheetId: 0, dimension: 'ROWS', length: 2_000_000 } },
      'above the limit of 10000000 cells',
    ],
    [
      'a missing rule',
      { deleteConditionalFormatRule: { sheetId: 0, index: 0 } },
      'No conditional format on sheet: 0 at index: 0',
    ],
    [
      'a chart past the grid',
      {
        addChart: {
          chart: { spec: CHART, position: { overlayPosition: { anchorCell: start(20, 0) } } },
        },
      },
      'rowIndex[20] is after last row in grid[19]',
    ],
    [
      'a request it does not know',
      { trimWhitespace: { range: { sheetId: 0 } } },
      'the fake does not know this request',
    ],
    ['no request', {}, 'Invalid requests[0]: No request set.'],
  ])('refuses %s', async (_name, request, message) => {
    const before = google.tab(id, 'Members').rows();
    expect(await refusalOf(update(request))).toMatchObject({
      code: 400,
      message: expect.stringContaining(message) as string,
    });
    expect(google.tab(id, 'Members').rows()).toEqual(before);
  });

  it('does not let a grid shrink to what was frozen before the request', async () => {
    await update({
      updateSheetProperties: {
        properties: { sheetId: 0, gridProperties: { frozenRowCount: 2 } },
        fields: 'gridProperties.frozenRowCount',
      },
    });
    expect(google.tab(id, 'Members').frozen).toEqual({ rows: 2, columns: 0 });
    const shrink = {
      properties: { sheetId: 0, gridProperties: { rowCount: 1, frozenRowCount: 0 } },
      fields: 'gridProperties(rowCount,frozenRowCount)',
    };
    expect((await refusalOf(update({ updateSheetProperties: shrink })))?.message).toContain(
      'not possible to delete all non-frozen rows',
    );
  });

  it('takes a mask of the whole grid without its size for a grid of no rows', async () => {
    const properties = { sheetId: 0, gridProperties: { frozenRowCount: 1 } };
    const refused = await refusalOf(
      update({ updateSheetProperties: { properties, fields: 'gridProperties' } }),
    );
    expect(refused?.message).toContain("You can't delete all the rows");
  });

  it('moves formulas, filters, rules and charts with the cells', async () => {
    const range = { sheetId: 0, startRowIndex: 0, endRowIndex: 4, startColumnIndex: 0, endColumnIndex: 3 };
    const rule = { ranges: [range], booleanRule: { condition: { type: 'NOT_BLANK' }, format: {} } };
    google.tab(id, 'Members').set(9, 2, { formula: '=SUM($C$2:C4)' });
    await update(
      { setBasicFilter: { filter: { range } } },
      { addConditionalFormatRule: { rule, index: 0 } },
      {
        addChart: {
          chart: { spec: CHART, position: { overlayPosition: { anchorCell: start(5, 0) } } },
        },
      },
      { insertDimension: { range: { sheetId: 0, dimension: 'ROWS', startIndex: 1, endIndex: 3 } } },
    );
    const tab = google.tab(id, 'Members');
    expect(tab.cell(11, 2)).toMatchObject({ formula: '=SUM($C$4:C6)', value: 13.5 });
    expect(tab.filter?.range).toMatchObject({ startRowIndex: 0, endRowIndex: 6 });
    expect(tab.rules[0]?.ranges).toEqual([{ ...range, endRowIndex: 6 }]);
    expect(tab.charts[0]?.position?.overlayPosition?.anchorCell?.rowIndex).toBe(7);
    for (let rows = 6; rows > 0; rows -= 1) tab.deleteRow(0);
    expect([tab.filter, tab.rules]).toEqual([undefined, []]);
    expect(tab.cell(5, 2).formula).toBe('=SUM(#REF!)');
  });

  it('answers cells as they stand afterwards, as far as the mask asks', async () => {
    const { data } = await client.spreadsheets.batchUpdate({
      spreadsheetId: id,
      fields: 'replies,updatedSpreadsheet.sheets.data.rowData.values(formattedValue,note)',
      requestBody: {
        requests: [
          {
            updateCells: {
              start: start(1, 2),
              rows: [{ values: [{ userEnteredValue: { numberValue: 8 }, note: 'up' }] }],
              fields: 'userEnteredValue,note',
            },
          },
        ],
        includeSpreadsheetInResponse: true,
        responseRanges: ['Members!B2:C2'],
        responseIncludeGridData: true,
      },
    });
    const values = [{ formattedValue: 'Ada Finch' }, { formattedValue: '8', note: 'up' }];
    expect(data).toEqual({
      replies: [{}],
      updatedSpreadsheet: { sheets: [{ data: [{ rowData: [{ values }] }] }] },
    });
  });
});

describe('cells that somebody protected', () => {
  it('are not written; those beside them are', async () => {
    google.tab(id, 'Members').protect(1, 1, 2, 2);
    const range = { sheetId: 0, startRowIndex: 1, endRowIndex: 4 };
    const fields = 'userEnteredValue';
    const rows = [{ values: [text('x')] }];
    const refused: sheets_v4.Schema$Request[] = [
      { updateCells: { start: start(1, 1), rows, fields } },
      { updateCells: { range: { ...range, startColumnIndex: 0, endColumnIndex: 3 }, rows, fields } },
      { repeatCell: { range, cell: text('x'), fields } },
    ];
    for (const request of refused)
      expect((await refusalOf(update(request)))?.message).toContain(
        'You are trying to edit a protected cell or object.',
      );
    await update({ updateCells: { start: start(1, 0), rows, fields } });
    expect(google.tab(id, 'Members').rows()[1]).toEqual(['x', 'Ada Finch', 7.5]);
  });
});

it('answers a tab that is one chart without a grid', async () => {
  const other = google.add({
    tabs: [
      { title: 'Members', rows: [] },
      { title: 'Chart', rows: [], object: true },
    ],
  });
  const { data } = await client.spreadsheets.get({
    spreadsheetId: other,
    fields: 'sheets.properties(sheetType,gridProperties.rowCount)',
  });
  expect(data.sheets).toEqual([
    { properties: { sheetType: 'GRID', gridProperties: { rowCount: 1000 } } },
    { properties: { sheetType: 'OBJECT' } },
  ]);
});
