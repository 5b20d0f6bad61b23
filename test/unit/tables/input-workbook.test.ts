import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import type { Sheet } from 'hucre/xlsx';
import { beforeAll, describe, expect, it } from 'vitest';
import { inputBook, INPUT_RESOURCES, inputTable, TABLES } from '../../../src/cli/init/input-tables.ts';
import { fillSpreadsheet, readInputTabs } from '../../../src/tables/google/input-spreadsheet.ts';
import { readWorkbookHeaders } from '../../../src/tables/input-headers.ts';
import { renderInputWorkbook } from '../../../src/tables/xlsx/write/input-workbook.ts';
import { writeSheetReports } from '../../../src/tables/google/report.ts';
import { writeXlsxReport } from '../../../src/tables/xlsx/write.ts';
import { accessTo } from '../../support/google-access.ts';
import { column, reportTab } from '../../support/report-tab.ts';
import { googleOfFile } from '../../support/google/of-file.ts';
import { testFolder } from '../../support/test-folder.ts';

const book = inputBook('workbook');

describe('the workbook of inputs', () => {
  let bytes: Uint8Array;
  let sheets: readonly Sheet[];
  const sheet = (name: string): Sheet => {
    const found = sheets.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no tab ${name}`);
    return found;
  };
  beforeAll(async () => {
    bytes = await renderInputWorkbook(book);
    ({ sheets } = await readXlsx(bytes, { readStyles: true }));
  });

  it('begins with the tab that explains it', () => {
    expect(sheets.map(({ name }) => name)).toEqual(['Read me', ...book.tables.map(({ tab }) => tab)]);
    expect(sheet('Read me').rows.flat().join('\n')).toContain('teamsheet push');
  });

  it('explains it in texts that stay on one line: a second one would be cut off', () => {
    // A character of a text is narrower than the digits that a width counts.
    const room = 1.25 * (sheet('Read me').columns?.[1]?.width ?? 0);
    const long = sheet('Read me')
      .rows.flat()
      .filter((text) => String(text ?? '').length > room);
    expect(long).toEqual([]);
  });

  it('says how tabs are sent that are filled in, while others are empty', () => {
    const text = sheet('Read me').rows.flat().join('\n');
    expect(text).toContain('teamsheet plan users      shows');
    const names = INPUT_RESOURCES.map((resource) => TABLES[resource].mapping.replace('.yaml', ''));
    expect(text).toContain(`one or more of ${names.join(', ')}.`);
  });

  it('has a note on every header, which is bold and stays in view', () => {
    for (const { tab, columns } of book.tables) {
      const { cells, freezePane } = sheet(tab);
      columns.forEach(({ header, note }, at) =>
        expect(cells?.get(`0,${at}`)).toMatchObject({
          value: header,
          comment: { text: note },
          style: { font: { bold: true } },
        }),
      );
      expect(freezePane).toEqual({ rows: 1 });
      const prompts = sheet(tab).dataValidations?.filter(({ type }) => type === 'custom') ?? [];
      expect(prompts.map(({ inputTitle, inputMessage }) => [inputTitle, inputMessage])).toEqual(
        columns.map(({ header, note }) => [header, note]),
      );
      // Longer ones are refused by Excel, with the whole file.
      expect(columns.filter(({ header, note }) => header.length > 32 || note.length > 255)).toEqual([]);
    }
  });

  it('keeps ids as text, in the rows to be filled in too', () => {
    const format = (row: number): unknown => sheet('Users').cells?.get(`${row},0`)?.style?.numFmt;
    expect([format(1), format(3), format(2_000)]).toEqual(['@', '@', '@']);
  });

  it('checks what is typed below the examples', () => {
    const rules = (tab: string): unknown =>
      sheet(tab)
        .dataValidations?.filter(({ type }) => type !== 'custom')
        .map(({ type, range, operator, formula1, formula2, values }) =>
          [type, range, operator, formula1, formula2, values?.join()].filter((part) => part !== undefined),
        );
    expect(rules('Users')).toEqual([
      ['textLength', 'B4:B1048576', 'between', '0', '50'],
      ['list', 'C4:C1048576', 'yes,no'],
    ]);
    expect(rules('Prices')).toEqual([
      ['whole', 'A4:A1048576', 'greaterThanOrEqual', '1'],
      ['decimal', 'B4:B1048576', 'greaterThanOrEqual', '0.1'],
    ]);
    expect(rules('Points')).toContainEqual(['whole', 'B34:B34', 'between', '1', '90']);
    expect(rules('Squads')).toContainEqual(['textLength', 'B3:B1048576', 'greaterThanOrEqual', '3']);
  });

  it('has a line for each of the 35 fields', () => {
    const [header, ...rows] = sheet('Points').rows;
    expect(header).toEqual(['Setting', 'Value', 'Description']);
    expect(rows).toHaveLength(35);
    expect(
      rows.every(([setting, value, about]) => setting !== null && value === null && about !== null),
    ).toBe(true);
  });

  describe('read as a source', () => {
    const folder = testFolder();

    it('has the headers that were written, and no row in the prepared cells', async () => {
      const file = join(folder.path, 'season.xlsx');
      writeFileSync(file, bytes);
      const tabs = await readWorkbookHeaders(file, 'season.xlsx');
      expect(tabs.filter(({ problem }) => problem !== undefined).map(({ tab }) => tab)).toEqual([]);
      expect(tabs.find(({ tab }) => tab === 'Users')?.header).toEqual([
        'Member ID',
        'Display name',
        'Active',
      ]);
    });

    it('does not take our own reports for inputs', async () => {
      const file = join(folder.path, 'reports.xlsx');
      const location = { kind: 'xlsx', path: file, tab: 'League table' } as const;
      await writeXlsxReport(file, [reportTab(location, { columns: [column('Member ID')], rows: [['M1']] })]);
      expect(await readWorkbookHeaders(file, 'reports.xlsx')).toEqual([]);
    });
  });
});

describe('the spreadsheet of inputs', () => {
  const google = googleOfFile();

  it('gets the tabs that it lacks in one call, and keeps what is there', async () => {
    const id = google.add({
      tabs: [
        {
          title: 'Old',
          rows: [
            ['Club', 'Points'],
            ['Rovers', 3],
          ],
        },
        { title: 'Prices', rows: [], rowCount: 2, columnCount: 1 },
        { title: 'Lost', rows: [[null], ['below']] },
      ],
    });
    const client = await accessTo(google).client();
    const { spreadsheet, tabs } = await readInputTabs(client, id);
    expect(tabs).toEqual([
      { tab: 'Old', header: ['Club', 'Points'], isEmpty: false, isReport: false },
      { tab: 'Prices', header: [], isEmpty: true, isReport: false },
      { tab: 'Lost', header: [], isEmpty: false, isReport: false },
    ]);
    await fillSpreadsheet(client, spreadsheet, inputBook('spreadsheet'));
    expect(google.tabTitles(id).toSorted()).toEqual(
      ['Old', 'Lost', 'Read me', ...INPUT_RESOURCES.map((resource) => inputTable(resource).tab)].toSorted(),
    );
    expect(google.tab(id, 'Old').rows()).toEqual([
      ['Club', 'Points'],
      ['Rovers', 3],
    ]);
    expect(google.tab(id, 'Points').rows()).toHaveLength(36);
    expect(google.tab(id, 'Prices').rows()).toEqual([
      ['Player ID', 'Price', 'Sync status', 'Sync message', 'Synced at'],
      ['EXAMPLE', 7.5],
      ['EXAMPLE', 12],
    ]);
    expect(google.calls.filter(({ kind }) => kind === 'write')).toHaveLength(1);
    expect(google.problems).toEqual([]);
  });

  it('has the columns that a push fills in, grey and wide enough', async () => {
    const id = google.add({ tabs: [{ title: 'Sheet1', rows: [] }] });
    const client = await accessTo(google).client();
    const { spreadsheet } = await readInputTabs(client, id);
    await fillSpreadsheet(client, spreadsheet, inputBook('spreadsheet'));
    const users = google.tab(id, 'Users');
    expect(users.rows()[0]?.slice(3)).toEqual(['Sync status', 'Sync message', 'User ID', 'Synced at']);
    expect(users.cell(0, 4)).toMatchObject({
      format: users.cell(0, 2).format ? { backgroundColor: users.cell(0, 2).format?.backgroundColor } : {},
      note: expect.stringContaining('teamsheet') as string,
    });
    expect(users.cell(0, 4).format?.backgroundColor).not.toEqual(users.cell(0, 0).format?.backgroundColor);
    expect(users.widths[4]).toBeGreaterThan(300);
    expect(users.widths[5]).toBeGreaterThanOrEqual(36 * 7);
    expect(users.columnCount).toBe(7);
    expect(google.tab(id, 'Squads').rows()[0]?.slice(-4)).toEqual([
      'Sync status',
      'Sync message',
      'Squad ID',
      'Synced at',
    ]);
  });

  it('does not take our own reports for inputs', async () => {
    const id = google.add({ title: 'Season', tabs: [{ title: 'Sheet1', rows: [] }] });
    const access = accessTo(google);
    const location = { kind: 'sheet', spreadsheet: id, tab: 'League table' } as const;
    await writeSheetReports(access, [
      reportTab(location, { columns: [column('Member ID')], rows: [['M1']] }),
    ]);
    const { tabs } = await readInputTabs(await access.client(), id);
    expect(tabs.filter(({ tab }) => tab === 'League table')).toEqual([
      { tab: 'League table', header: [], isEmpty: false, isReport: true },
    ]);
  });

  it('has notes, texts and checks that hold in any language', async () => {
    const id = google.add({ locale: 'de_DE', tabs: [{ title: 'Sheet1', rows: [] }] });
    const client = await accessTo(google).client();
    const { spreadsheet } = await readInputTabs(client, id);
    await fillSpreadsheet(client, spreadsheet, inputBook('spreadsheet'));
    const users = google.tab(id, 'Users');
    expect(users.cell(0, 0).note).toBe(inputTable('users').columns[0]?.note);
    expect(users.frozen.rows).toBe(1);
    expect(users.cell(900, 0).format?.numberFormat?.type).toBe('TEXT');
    expect(users.cell(3, 2).validation?.condition).toMatchObject({ type: 'ONE_OF_LIST' });
    expect(users.cell(2, 2).validation).toBeUndefined();
    const formula = (tab: string, row: number, column: number): string =>
      google.tab(id, tab).cell(row, column).validation?.condition?.values?.[0]?.userEnteredValue ?? '';
    expect(formula('Prices', 3, 0)).toBe('=ISNUMBER(A4)*(A4=INT(A4))*(A4>=1)');
    expect(formula('Prices', 3, 1)).toBe('=ISNUMBER(B4)*(B4>=1/10)');
    expect(formula('Points', 33, 1)).toBe('=ISNUMBER(B34)*(B34=INT(B34))*(B34>=1)*(B34<=90)');
    expect(formula('Users', 3, 1)).toBe('=1*(LEN(B4)<=50)');
  });
});
