import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { readXlsx, streamXlsxRows } from 'hucre/xlsx';
import { describe, expect, it } from 'vitest';
import { parseLayout } from '../../../src/mapping/parse/parse-layout.ts';
import type { ReportColumn, ReportTab, ReportValue } from '../../../src/model/tables/table.ts';
import { joinLayout, orderColumns } from '../../../src/report/arrange.ts';
import { writeXlsxReport } from '../../../src/tables/xlsx/write.ts';
import { unzip } from '../../support/unzip.ts';
import { testFolder } from '../../support/test-folder.ts';

const folder = testFolder();

const COLUMNS: readonly ReportColumn[] = [
  { header: 'Squad', type: 'text' },
  { header: 'Rank', type: 'integer' },
  { header: 'Points', type: 'integer', format: '0' },
  { header: 'Value', type: 'number' },
  { header: 'Week', type: 'integer' },
  { header: 'At', type: 'datetime' },
  { header: 'ID', type: 'text' },
];
const ROWS: readonly (readonly ReportValue[])[] = [
  ['Herons', 2, 1500, 99.5, 9, '2026-07-01T12:00:00Z', 'h'],
  ['Otters', 1, 2501, 100.5, 9, '2026-07-01T12:00:00Z', 'o'],
  ['#N/A', 1, 3000, 98, 10, '2026-07-08T12:00:00Z', 'h'],
  ['=1+1', 2, 2900, null, 10, '2026-07-08T12:00:00Z', 'o'],
];
const LAYOUT = `version: 1
columns:
  Rank: { width: 7, align: center }
  Squad: {}
  Points: { format: '#,##0', width: 5 }
freeze: { rows: 1, columns: 2 }
sort: [{ by: Week, descending: true }, { by: Rank }]
rules:
  - { column: Rank, when: '<= 1', fill: FFF2CC, bold: true, row: true }
  - { column: Squad, when: '!= A "b"', color: 1F5C4A }
  - { column: Points, scale: [F8696B, FFEB84, 63BE7B] }
totals: { Points: sum, Rank: mean }
charts:
  tab: The charts
  list:
    - { title: Rank by week, x: Week, y: Rank, series: Squad, id: ID, reverse: true }
    - { title: Points by squad, type: bar, x: Squad, y: Points, id: ID }
tab_color: AABBCC
cover: { tab: About, title: Season, note: A note. }
`;

interface Given {
  readonly yaml?: string;
  readonly rows?: readonly (readonly ReportValue[])[];
  readonly tab?: string;
}

function tabOf({ yaml = LAYOUT, rows = ROWS, tab = "Week's table" }: Given = {}): ReportTab {
  const headers = COLUMNS.map(({ header }) => header);
  const layout = parseLayout(yaml, 'l.yaml', { name: 'history', columns: COLUMNS, tab });
  const columns = orderColumns(layout, COLUMNS);
  const at = columns.map(({ header }) => headers.indexOf(header));
  async function* batches() {
    yield await Promise.resolve(rows.map((row) => at.map((index) => row[index] ?? null)));
  }
  return {
    location: { kind: 'xlsx', path: file(), tab },
    table: { name: 'history', columns, rows: batches() },
    options: { mode: 'replace', excel: false, formulas: 'escape', timezone: 'Europe/Berlin' },
    layout: joinLayout(layout, columns),
    cover: {
      service: 'https://fantasy.example/api',
      environment: 'production',
      writtenAtMs: Date.UTC(2026, 6, 8, 22, 30),
      program: 'teamsheet 1.2.3',
    },
  };
}

const file = (): string => path.join(folder.path, 'r.xlsx');

async function written(...tabs: readonly ReportTab[]) {
  await writeXlsxReport(file(), tabs);
  return readXlsx(await readFile(file()), { readStyles: true });
}

const sheetOf = (book: Awaited<ReturnType<typeof written>>, name: string) => {
  const sheet = book.sheets.find((each) => each.name === name);
  if (sheet === undefined) throw new Error(`there is no tab ${name}`);
  return sheet;
};

describe('a tab with a layout', () => {
  it('has its columns in order, its rows sorted and its totals below, as values', async () => {
    const { rows } = sheetOf(await written(tabOf()), "Week's table");
    expect(rows.map((row) => row.slice(0, 4))).toEqual([
      ['Rank', 'Squad', 'Points', 'Value'],
      [1, '#N/A', 3000, 98],
      [2, '=1+1', 2900, null],
      [1, 'Otters', 2501, 100.5],
      [2, 'Herons', 1500, 99.5],
      [1.5, 'Total / Mean', 9901, null],
    ]);
  });

  it('has widths, formats and alignment', async () => {
    const { cells, columns } = sheetOf(await written(tabOf()), "Week's table");
    const formats = [1, 5].map((row) => [0, 2, 3, 5].map((at) => cells?.get(`${row},${at}`)?.style?.numFmt));
    expect(formats).toEqual([
      ['0', '#,##0', '0.0##', 'yyyy-mm-dd hh:mm'],
      ['0.0', '#,##0', '0.0##', 'yyyy-mm-dd hh:mm'],
    ]);
    expect(cells?.get('1,0')?.style?.alignment?.horizontal).toBe('center');
    expect(columns?.slice(0, 3).map(({ width }) => width)).toEqual([7, 15, 8]);
  });

  it('hides columns that are there all the same', async () => {
    const yaml = LAYOUT.replace('  Squad: {}\n', '  Squad: {}\n  ID: { hidden: true }\n');
    const { columns, rows } = sheetOf(await written(tabOf({ yaml })), "Week's table");
    expect(columns?.map(({ hidden }) => hidden === true)).toEqual([
      false,
      false,
      true,
      ...[4, 5, 6, 7].map(() => false),
    ]);
    expect(rows[1]?.slice(0, 3)).toEqual([1, '#N/A', 'h']);
  });

  it('never cuts a number, whatever the width', async () => {
    const row = ['S', 999_999_999_999_999, -123_456_789_012_345, 1234567.125, 1, null, 'x'];
    const { columns } = sheetOf(await written(tabOf({ rows: [row] })), "Week's table");
    expect(columns?.[0]?.width).toBeGreaterThan(15);
    expect(columns?.[2]?.width).toBeGreaterThan('-123,456,789,012,345'.length);
  });

  it('freezes, filters its rows without the totals, and has the colour of its tab', async () => {
    const sheet = sheetOf(await written(tabOf()), "Week's table");
    expect(sheet.freezePane).toEqual({ rows: 1, columns: 2 });
    expect(sheet.autoFilter?.range).toBe('A1:G5');
    expect(sheet.view?.tabColor?.rgb).toMatch(/AABBCC$/);
    await rm(file());
    const plain = sheetOf(
      await written(tabOf({ yaml: 'version: 1\nfilter: false\nfreeze: { rows: 0 }' })),
      "Week's table",
    );
    expect([plain.freezePane, plain.autoFilter]).toEqual([undefined, undefined]);
    expect((await unzip(file())).get('xl/workbook.xml')).not.toContain('_FilterDatabase');
  });

  it('names the range of its filter, without which LibreOffice shows none', async () => {
    await written(tabOf());
    expect((await unzip(file())).get('xl/workbook.xml')).toMatch(
      /<definedName name="_xlnm\._FilterDatabase" localSheetId="\d" hidden="1">'Week''s table'!\$A\$1:\$G\$5</,
    );
  });

  it('colours by rules that empty cells do not fit', async () => {
    const { conditionalRules = [] } = sheetOf(await written(tabOf()), "Week's table");
    expect(conditionalRules.map(({ type, range, formula }) => [type, range, formula])).toEqual([
      ['expression', 'A2:G5', 'AND(ISNUMBER($A2),$A2<=1)'],
      ['expression', 'B2:B5', 'AND($B2<>"",$B2<>"A ""b""")'],
      ['colorScale', 'C2:C5', undefined],
    ]);
    expect(conditionalRules[2]?.colorScale?.colors).toEqual(['FFF8696B', 'FFFFEB84', 'FF63BE7B']);
    const xml = (await unzip(file())).get('xl/styles.xml') ?? '';
    expect(xml).toMatch(/<dxf>.*<b\/>.*FFF2CC.*<\/dxf>/);
  });

  it('prints its header on every page, and page numbers', async () => {
    const sheet = sheetOf(await written(tabOf()), "Week's table");
    expect(sheet.pageSetup).toMatchObject({
      orientation: 'portrait',
      fitToPage: true,
      printTitlesRow: '$1:$1',
    });
    expect(sheet.headerFooter?.oddFooter).toContain('Page &P of &N');
    const xml = (await unzip(file())).get('xl/workbook.xml') ?? '';
    expect(xml).toContain(">'Week''s table'!$1:$1<");
  });

  it('prints in landscape what is too wide for upright pages, but for hidden columns', async () => {
    const orientation = async (look: string): Promise<string | undefined> => {
      const yaml = LAYOUT.replace('  Squad: {}\n', `  Squad: ${look}\n`);
      return sheetOf(await written(tabOf({ yaml })), "Week's table").pageSetup?.orientation;
    };
    expect(await orientation('{ width: 120 }')).toBe('landscape');
    expect(await orientation('{ width: 120, hidden: true }')).toBe('portrait');
  });

  it('breaks a header between words where its column is narrower, and makes room for it', async () => {
    const heightOf = async (look: string): Promise<number | undefined> => {
      const layout = `version: 1\ncolumns: { Points per game: { width: ${look} } }`;
      const tab = tabOf({ yaml: 'version: 1' });
      const columns = [{ header: 'Points per game', type: 'integer' as const }];
      const parsed = parseLayout(layout, 'l.yaml', { name: 'history', columns, tab: 'T' });
      const table = { ...tab.table, columns };
      const sheet = sheetOf(
        await written({ ...tab, table, layout: joinLayout(parsed, columns) }),
        "Week's table",
      );
      expect(sheet.cells?.get('0,0')?.style?.alignment?.wrapText).toBe(true);
      return sheet.rowDefs?.get(0)?.height;
    };
    const [one, two, three] = [await heightOf('20'), await heightOf('12'), await heightOf('8')];
    expect([two, three]).toEqual([(one ?? 0) + 15, (one ?? 0) + 30]);
  });

  it('has no totals, rules or charts without rows', async () => {
    const book = await written(tabOf({ rows: [] }));
    const sheet = sheetOf(book, "Week's table");
    expect(sheet.rows).toEqual([['Rank', 'Squad', 'Points', 'Value', 'Week', 'At', 'ID']]);
    expect(sheet.conditionalRules ?? []).toEqual([]);
    const charts = sheetOf(book, 'The charts');
    expect(charts.charts ?? []).toEqual([]);
    expect(charts.rows.flat().filter((cell) => String(cell).startsWith('No numbers'))).toHaveLength(2);
  });
});

describe('the tab of charts', () => {
  it('holds each chart beside the numbers that it draws', async () => {
    const sheet = sheetOf(await written(tabOf()), 'The charts');
    const cell = (ref: string): unknown => {
      const [, letters = '', row = ''] = /([A-Z]+)(\d+)/.exec(ref) ?? [];
      return sheet.rows[Number(row) - 1]?.[letters.charCodeAt(0) - 65];
    };
    const range = (ref = ''): readonly unknown[] => {
      const [from = '', to = ''] = ref
        .replace(/^'The charts'!/, '')
        .replaceAll('$', '')
        .split(':');
      const [first, last] = [Number(from.slice(1)), Number(to.slice(1))];
      const letters = Array.from({ length: to.charCodeAt(0) - from.charCodeAt(0) + 1 }, (_, index) =>
        String.fromCharCode(from.charCodeAt(0) + index),
      );
      return Array.from({ length: last - first + 1 }, (_, index) =>
        letters.map((letter) => cell(`${letter}${first + index}`)),
      ).flat();
    };
    const drawn = (sheet.charts ?? []).map(({ title, kinds, series = [], axes }) => ({
      title,
      kinds,
      turned: axes?.y?.reverse ?? false,
      from: axes?.y?.scale?.min,
      series: series.map(({ name, categoriesRef, valuesRef }) => [
        name,
        range(categoriesRef),
        range(valuesRef),
      ]),
    }));
    expect(drawn).toEqual([
      {
        ...{ title: 'Rank by week', kinds: ['line'], turned: true, from: 1 },
        series: [
          ['#N/A', ['9', '10'], [2, 1]],
          ['=1+1', ['9', '10'], [1, 2]],
        ],
      },
      {
        ...{ title: 'Points by squad', kinds: ['bar'], turned: false, from: 0 },
        series: [['Points', ['#N/A', '=1+1'], [3000, 2900]]],
      },
    ]);
  });

  it('is shared by the reports that name it', async () => {
    const book = await written(tabOf({ tab: 'One' }), tabOf({ tab: 'Two' }));
    expect(book.sheets.map(({ name }) => name)).toEqual(['About', 'The charts', 'One', 'Two']);
    expect(sheetOf(book, 'The charts').charts).toHaveLength(4);
  });
});

describe('the cover', () => {
  it('stands first and tells time, source and rows', async () => {
    const [about] = (await written(tabOf())).sheets;
    expect(about?.name).toBe('About');
    const texts = about?.rows.map((row) => row.filter((cell) => cell !== null && cell !== ''));
    expect(texts?.filter((row) => row.length > 0)).toEqual([
      ['Season'],
      ['A note.'],
      ['Tab', 'Contents', 'Rows'],
      ['The charts', 'Rank by week, Points by squad'],
      ["Week's table", 'Rank, Squad, Points, Value, Week, At, ID', 4],
      ['Written', 'Thursday 9 July 2026, 00:30 (Europe/Berlin)'],
      ['Source', 'https://fantasy.example/api'],
      ['Environment', 'production'],
      ['Program', 'teamsheet 1.2.3'],
    ]);
  });
});

describe('a whole workbook', () => {
  it('holds no formula, no link and no error cell', async () => {
    const book = await written(tabOf());
    const cells = book.sheets.flatMap((sheet) => [...(sheet.cells?.values() ?? [])]);
    expect(cells.filter(({ type, hyperlink }) => type === 'error' || hyperlink !== undefined)).toEqual([]);
    const sheets = [...(await unzip(file()))].filter(([name]) => name.startsWith('xl/worksheets/'));
    expect(sheets.filter(([name]) => name.endsWith('.xml'))).toHaveLength(3);
    for (const [, xml] of sheets) expect(xml).not.toMatch(/<f[ >/]|<hyperlink/);
  });

  it.each(['about', 'the charts'])('has one tab called %s', async (tab) => {
    const twice = [tabOf(), tabOf({ tab, yaml: 'version: 1' })];
    await expect(writeXlsxReport(file(), twice)).rejects.toMatchObject({ code: 'destination.tab' });
  });
});

describe('a large report without a layout', () => {
  const many = (count: number): ReportTab => {
    async function* batches() {
      for (let from = 0; from < count; from += 1000) {
        const size = Math.min(1000, count - from);
        yield await Promise.resolve(
          Array.from({ length: size }, (_, index) => [`#N/A ${from + index}`, 0.5]),
        );
      }
    }
    return {
      location: { kind: 'xlsx', path: file(), tab: 'Large' },
      table: {
        name: 'large',
        columns: [
          { header: 'Name', type: 'text' },
          { header: 'N', type: 'number' },
        ],
        rows: batches(),
      },
      options: { mode: 'replace', excel: false, formulas: 'escape', timezone: 'UTC' },
    };
  };

  it('is streamed past 20,000 rows with a bold, frozen header, widths and formats', async () => {
    expect(await writeXlsxReport(file(), [many(20_500)])).toEqual([20_500]);
    const book = await readXlsx(await readFile(file()), { readStyles: true, maxRows: 3 });
    const [sheet] = book.sheets;
    expect(sheet?.rows.slice(0, 2)).toEqual([
      ['Name', 'N'],
      ['#N/A 0', 0.5],
    ]);
    expect(sheet?.freezePane).toMatchObject({ rows: 1 });
    expect(sheet?.columns?.map(({ width }) => width)).toEqual([11, 8]);
    const style = (at: string) => sheet?.cells?.get(at)?.style;
    expect([style('0,0')?.font?.bold, style('1,0')?.font?.bold ?? false]).toEqual([true, false]);
    expect(style('1,1')?.numFmt).toBe('0.0##');
    let last: unknown;
    for await (const row of streamXlsxRows(await readFile(file()))) last = row.values;
    expect(last).toEqual(['#N/A 20499', 0.5]);
  });

  it('has the usual look below that', async () => {
    const book = await written(many(10));
    expect(book.sheets[0]?.autoFilter?.range).toBe('A1:B11');
  });
});
