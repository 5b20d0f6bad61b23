import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { googleClient, refusalOf } from '../support/google/client.ts';
import { startFakeGoogle, type FakeGoogle, type FakeTab } from '../support/google/fake-google.ts';

let google: FakeGoogle;
let client: sheets_v4.Sheets;
let id: string;
let tab: FakeTab;

beforeEach(async () => {
  google = await startFakeGoogle();
  client = googleClient(google);
  const rows = [
    ['Squad', 'Points'],
    ['Harbour', 12],
    ['Meadow', 7],
    ['orchard', { formula: '=B2+B3', value: 19 }],
  ];
  id = google.add({ tabs: [{ title: 'Points', rows, rowCount: 30, columnCount: 6 }] });
  tab = google.tab(id, 'Points');
});
afterEach(async () => {
  expect(google.problems).toEqual([]);
  await google.close();
});

async function update(...requests: sheets_v4.Schema$Request[]) {
  const { data } = await client.spreadsheets.batchUpdate({ spreadsheetId: id, requestBody: { requests } });
  return data.replies ?? [];
}
const RANGE = { sheetId: 0, startRowIndex: 0, endRowIndex: 4, startColumnIndex: 0, endColumnIndex: 2 };
const anchor = (rowIndex: number) => ({
  overlayPosition: { anchorCell: { sheetId: 0, rowIndex, columnIndex: 3 } },
});
const column = (startColumnIndex: number) => ({
  sourceRange: { sources: [{ ...RANGE, startColumnIndex, endColumnIndex: startColumnIndex + 1 }] },
});
const SPEC = {
  title: 'Points of squads',
  basicChart: {
    chartType: 'COLUMN',
    headerCount: 1,
    domains: [{ domain: column(0) }],
    series: [{ series: column(1) }],
  },
};
const whole = (rowIndex: number) => ({
  condition: { type: 'CUSTOM_FORMULA', values: [{ userEnteredValue: `=$B${rowIndex}>9` }] },
  format: {},
});

describe('what lies over the cells', () => {
  it('keeps colour rules in their order; a rule without an index comes first', async () => {
    const rule = (row: number) => ({ ranges: [RANGE], booleanRule: whole(row) });
    await update(
      { addConditionalFormatRule: { rule: rule(1) } },
      { addConditionalFormatRule: { rule: rule(2) } },
    );
    const order = () =>
      tab.rules.map(({ booleanRule }) => booleanRule?.condition?.values?.[0]?.userEnteredValue);
    expect(order()).toEqual(['=$B2>9', '=$B1>9']);
    await update({ updateConditionalFormatRule: { index: 1, rule: rule(3) } });
    expect(order()).toEqual(['=$B2>9', '=$B3>9']);
    await update({ deleteConditionalFormatRule: { sheetId: 0, index: 0 } });
    expect(order()).toEqual(['=$B3>9']);
  });

  it.each<[string, object]>([
    ['lacks a value', { booleanRule: { condition: { type: 'CUSTOM_FORMULA' } } }],
    [
      'has a formula that is none',
      { booleanRule: { condition: { type: 'CUSTOM_FORMULA', values: [{ userEnteredValue: 'B2>9' }] } } },
    ],
    [
      'looks at another tab',
      {
        booleanRule: { condition: { type: 'CUSTOM_FORMULA', values: [{ userEnteredValue: '=Other!B2>9' }] } },
      },
    ],
    ['cannot be drawn', { booleanRule: { ...whole(1), format: { horizontalAlignment: 'LEFT' } } }],
    ['has one end', { gradientRule: { minpoint: { type: 'MIN', colorStyle: { rgbColor: {} } } } }],
    [
      'has a point without a value',
      {
        gradientRule: {
          minpoint: { type: 'NUMBER', colorStyle: {} },
          maxpoint: { type: 'MAX', colorStyle: {} },
        },
      },
    ],
    ['is no rule', {}],
  ])('refuses a colour rule that %s', async (_name, rule) => {
    expect(
      await refusalOf(update({ addConditionalFormatRule: { rule: { ranges: [RANGE], ...rule } } })),
    ).toMatchObject({ code: 400 });
    expect(tab.rules).toEqual([]);
  });

  it.each<[string, object]>([
    ['no series', { series: [] }],
    ['a source of two columns', { series: [{ series: { sourceRange: { sources: [RANGE] } } }] }],
    [
      'sources of different lengths',
      {
        domains: [
          { domain: { sourceRange: { sources: [{ ...RANGE, endColumnIndex: 1, endRowIndex: 3 }] } } },
        ],
      },
    ],
    ['an axis of another type', { series: [{ series: column(1), targetAxis: 'BOTTOM_AXIS' }] }],
    ['no type', { chartType: 'BASIC_CHART_TYPE_UNSPECIFIED' }],
  ])('refuses a chart with %s', async (_name, changes) => {
    const spec = { basicChart: { ...SPEC.basicChart, ...changes } };
    expect(await refusalOf(update({ addChart: { chart: { spec, position: anchor(6) } } }))).toMatchObject({
      code: 400,
    });
  });

  it('adds, changes, moves and deletes charts by their ids', async () => {
    const [added] = await update({ addChart: { chart: { spec: SPEC, position: anchor(6) } } });
    const chartId = added?.addChart?.chart?.chartId ?? 0;
    expect(tab.charts[0]?.position?.overlayPosition).toMatchObject({ widthPixels: 600, heightPixels: 371 });
    const position = { overlayPosition: { anchorCell: { rowIndex: 8 }, widthPixels: 300 } };
    await update(
      { updateChartSpec: { chartId, spec: { ...SPEC, title: 'Week 2' } } },
      {
        updateEmbeddedObjectPosition: {
          objectId: chartId,
          newPosition: position,
          fields: 'widthPixels,anchorCell.rowIndex',
        },
      },
    );
    expect(tab.charts).toMatchObject([
      {
        chartId,
        spec: { title: 'Week 2' },
        position: { overlayPosition: { anchorCell: { rowIndex: 8, columnIndex: 3 }, widthPixels: 300 } },
      },
    ]);
    const again = { chart: { chartId, spec: SPEC, position: anchor(6) } };
    expect(await refusalOf(update({ addChart: again }))).toMatchObject({ code: 400 });
    await update({ deleteEmbeddedObject: { objectId: chartId } });
    expect(tab.charts).toEqual([]);
    expect(await refusalOf(update({ deleteEmbeddedObject: { objectId: chartId } }))).toMatchObject({
      code: 400,
    });
  });

  it('replaces the filter of a tab, and clears it', async () => {
    await update(
      { setBasicFilter: { filter: { range: RANGE } } },
      { setBasicFilter: { filter: { range: { ...RANGE, endRowIndex: 3 } } } },
    );
    expect(tab.filter).toEqual({ range: { ...RANGE, endRowIndex: 3 } });
    await update({ clearBasicFilter: { sheetId: 0 } });
    expect(tab.filter).toBeUndefined();
  });
});

describe('notes of ours', () => {
  const location = { sheetId: 0 };
  const note = (metadataValue: string) => ({
    metadataKey: 'teamsheet',
    metadataValue,
    visibility: 'PROJECT',
    location,
  });

  it('creates, finds, changes and deletes them', async () => {
    const [created] = await update({ createDeveloperMetadata: { developerMetadata: note('1') } });
    const metadataId = created?.createDeveloperMetadata?.developerMetadata?.metadataId ?? 0;
    const lookup = { developerMetadataLookup: { metadataId } };
    await update({
      updateDeveloperMetadata: {
        dataFilters: [lookup],
        developerMetadata: { metadataValue: '2' },
        fields: 'metadataValue',
      },
    });
    const { data } = await client.spreadsheets.get({ spreadsheetId: id, fields: 'sheets.developerMetadata' });
    expect(data.sheets?.[0]?.developerMetadata).toMatchObject([
      { metadataValue: '2', location: { sheetId: 0, locationType: 'SHEET' } },
    ]);
    const [deleted] = await update({ deleteDeveloperMetadata: { dataFilter: lookup } });
    expect(deleted?.deleteDeveloperMetadata?.deletedDeveloperMetadata).toHaveLength(1);
    expect(google.spreadsheet(id).developerMetadata).toEqual([]);
  });

  it('refuses notes without a key or visibility, with an id that is taken, and too much of them', async () => {
    const create = (developerMetadata: sheets_v4.Schema$DeveloperMetadata) =>
      refusalOf(update({ createDeveloperMetadata: { developerMetadata } }));
    expect(await create({ visibility: 'PROJECT', location })).toMatchObject({ code: 400 });
    expect(await create({ metadataKey: 'x', location })).toMatchObject({ code: 400 });
    expect(await create({ ...note('1'), metadataId: 5 })).toBeUndefined();
    expect((await create({ ...note('1'), metadataId: 5 }))?.message).toContain('id 5 already exists');
    expect((await create(note('x'.repeat(30_000))))?.message).toContain('limit of 30000 characters');
  });
});

describe('tabs, rows and columns', () => {
  it('adds tabs where they are wanted, renames, moves and hides them', async () => {
    const [added] = await update({
      addSheet: { properties: { title: 'Cover', index: 0, gridProperties: { rowCount: 5, columnCount: 2 } } },
    });
    const sheetId = added?.addSheet?.properties?.sheetId ?? 0;
    expect(google.tabTitles(id)).toEqual(['Cover', 'Points']);
    expect(google.cellCount(id)).toBe(30 * 6 + 10);
    const color = { rgbColor: { green: 1 } };
    await update({
      updateSheetProperties: {
        properties: { sheetId, title: 'Front', index: 2, tabColorStyle: color },
        fields: 'title,index,tabColorStyle',
      },
    });
    expect(google.tabTitles(id)).toEqual(['Points', 'Front']);
    expect(google.tab(id, 'Front').tabColor).toEqual(color);
    await update({ deleteSheet: { sheetId } });
    expect((await refusalOf(update({ deleteSheet: { sheetId: 0 } })))?.message).toContain(
      "You can't remove all the sheets",
    );
  });

  it('sets widths and hides columns', async () => {
    const columns = { sheetId: 0, dimension: 'COLUMNS', startIndex: 0, endIndex: 2 };
    await update(
      { updateDimensionProperties: { range: columns, properties: { pixelSize: 180 }, fields: 'pixelSize' } },
      {
        updateDimensionProperties: {
          range: { ...columns, startIndex: 1 },
          properties: { hiddenByUser: true },
          fields: 'hiddenByUser',
        },
      },
    );
    expect([tab.widths, tab.hiddenColumns]).toEqual([[180, 180], [1]]);
  });

  it('repeats a cell, moving references that are not fixed', async () => {
    const range = { ...RANGE, startRowIndex: 1, startColumnIndex: 2, endColumnIndex: 3 };
    await update({
      repeatCell: {
        range,
        cell: { userEnteredValue: { formulaValue: '=B2+$B$2+SUM("A1",B2:B$3)' } },
        fields: 'userEnteredValue',
      },
    });
    expect(tab.cell(3, 2).formula).toBe('=B4+$B$2+SUM("A1",B4:B$3)');
  });

  it('sorts rows with their notes, numbers before texts and blanks last', () => {
    tab.set(1, 1, { value: 'none', note: 'late' });
    tab.set(4, 0, 'Quarry');
    tab.sortBy(1, { descending: true });
    expect(tab.rows().map(([squad]) => squad)).toEqual(['Squad', 'Harbour', 'orchard', 'Meadow', 'Quarry']);
    expect(tab.cell(1, 1).note).toBe('late');
  });

  it('sets a choice of values, and takes it away', async () => {
    const range = { ...RANGE, startRowIndex: 1 };
    const rule = { condition: { type: 'ONE_OF_LIST', values: [{ userEnteredValue: 'yes' }] }, strict: true };
    await update({ setDataValidation: { range, rule } });
    expect(tab.cell(2, 1)).toMatchObject({ value: 7, validation: rule });
    await update({ setDataValidation: { range } });
    expect(tab.cell(2, 1).validation).toBeUndefined();
  });
});
