import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openXlsx as openBook } from 'hucre/xlsx';
import { describe, expect, it } from 'vitest';
import type { ReportColumn, ReportValue, WriteOptions } from '../../../src/model/tables/table.ts';
import { openXlsx } from '../../../src/tables/xlsx/read.ts';
import { writeXlsxReport } from '../../../src/tables/xlsx/write.ts';
import { reportTab } from '../../support/report-tab.ts';
import { unzip } from '../../support/unzip.ts';
import { handMade, textRow } from '../../support/workbook.ts';
import { testFolder } from '../../support/test-folder.ts';

const folder = testFolder();

const file = (): string => path.join(folder.path, 'season.xlsx');
const COLUMNS: readonly ReportColumn[] = [
  { header: 'Squad', type: 'text' },
  { header: 'Points', type: 'integer' },
];
const ROWS = [
  ['Otters', 12],
  ['Foxes', 30],
  ['Herons', 7],
];

interface Given {
  readonly columns?: readonly ReportColumn[];
  readonly rows?: readonly (readonly ReportValue[])[];
  readonly mode?: WriteOptions['mode'];
  readonly layout?: string;
}

async function refresh({ columns = COLUMNS, rows = ROWS, mode = 'replace', layout }: Given): Promise<void> {
  const location = { kind: 'xlsx', path: file(), tab: 'Squads' } as const;
  await writeXlsxReport(file(), [reportTab(location, { columns, rows, options: { mode }, layout })]);
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

interface Table {
  readonly ref: string;
  readonly columns: readonly string[];
  readonly attributes?: string;
  readonly filter?: string;
}

const tableXml = ({ ref, columns, attributes = '', filter = '' }: Table, id: number): string =>
  `${HEAD}<table xmlns="${MAIN}" id="${id}" name="T${id}" displayName="T${id}" ref="${ref}"${attributes}>${filter}<tableColumns count="${columns.length}">${columns
    .map((column, at) => (column.startsWith('<') ? column : `<tableColumn id="${at + 1}" name="${column}"/>`))
    .join('')}</tableColumns><tableStyleInfo name="TableStyleMedium2" showRowStripes="1"/></table>`;

/** A workbook whose tab of the report holds rows and tables of the operator's. */
async function stands(rows: readonly string[], ...tables: readonly Table[]): Promise<void> {
  const parts = tables.map((_, at) => `<tablePart r:id="rId${at + 1}"/>`).join('');
  const relations = tables.map(
    (_, at) =>
      `<Relationship Id="rId${at + 1}" Type="${OFFICE}/table" Target="../tables/table${at + 1}.xml"/>`,
  );
  await writeFile(
    file(),
    handMade({
      tabs: {
        Squads: `<sheetData>${rows.join('')}</sheetData><tableParts xmlns:r="${OFFICE}" count="${tables.length}">${parts}</tableParts>`,
      },
      extra: [
        {
          name: 'xl/worksheets/_rels/sheet1.xml.rels',
          content: `${HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relations.join('')}</Relationships>`,
        },
        ...tables.map((table, at) => ({
          name: `xl/tables/table${at + 1}.xml`,
          content: tableXml(table, at + 1),
        })),
      ],
    }),
  );
}

const partOf = async (name: string): Promise<string> => (await unzip(file())).get(name) ?? '';
const table = (number = 1): Promise<string> => partOf(`xl/tables/table${number}.xml`);

/** What a table says of its range, its filter and its columns. */
async function told(number = 1): Promise<readonly (string | undefined)[]> {
  const xml = await table(number);
  return [
    ...[...xml.matchAll(/ ref="([^"]*)"/g)].map(([, ref]) => ref),
    ...[...xml.matchAll(/<tableColumn id="(\d+)" name="([^"]*)"/g)].map(
      ([, id = '', name = '']) => `${id} ${name}`,
    ),
  ];
}

/** The cells of the tab as the library reads them, formulas as such. */
async function cells(): Promise<readonly unknown[]> {
  const sheet = (await openBook(await readFile(file()))).sheets.find(({ name }) => name === 'Squads');
  return (sheet?.rows ?? []).map((row, at) =>
    row.map((value, column) => {
      const formula = sheet?.cells?.get(`${at},${column}`)?.formula;
      return formula === undefined ? value : `=${formula}`;
    }),
  );
}

const OWN = { ref: 'A1:C2', columns: ['Squad', 'Points', 'Note'] } as const;
const FILTER = '<autoFilter ref="A1:C2"/>';
const OWN_ROWS = [textRow(1, ['Squad', 'Points', 'Note']), textRow(2, ['Otters', 1, 'mine'])] as const;

describe("a table of Excel's over a report", () => {
  it('grows and shrinks with the report, its own columns too', async () => {
    await stands(OWN_ROWS, { ...OWN, filter: FILTER });
    await refresh({});
    expect(await told()).toEqual(['A1:C4', 'A1:C4', '1 Squad', '2 Points', '3 Note']);
    await refresh({ rows: ROWS.slice(1) });
    expect(await told()).toEqual(['A1:C3', 'A1:C3', '1 Squad', '2 Points', '3 Note']);
    // A table without a row would be repaired by Excel.
    await refresh({ rows: [] });
    expect((await told()).slice(0, 2)).toEqual(['A1:C2', 'A1:C2']);
  });

  it('leaves tables that stand elsewhere as they are', async () => {
    const elsewhere = { ref: 'E1:F2', columns: ['A', 'B'] };
    await stands(
      [textRow(1, ['Squad', 'Points', '', '', 'A', 'B']), textRow(2, ['x', 1, '', '', 'c', 'd'])],
      { ref: 'A1:B2', columns: ['Squad', 'Points'] },
      elsewhere,
    );
    await refresh({});
    expect((await told())[0]).toBe('A1:B4');
    expect(await table(2)).toBe(tableXml(elsewhere, 2));
  });

  it('is as wide as the report when that gets columns, loses them or changes their order', async () => {
    await stands(
      OWN_ROWS.map((row) => row.replace(/<c r="C.*?<\/c>/, '')),
      {
        ref: 'A1:B2',
        columns: [
          '<tableColumn id="1" name="Squad"/>',
          '<tableColumn id="7" name="points" totalsRowFunction="sum"/>',
        ],
        filter: '<autoFilter ref="A1:B2"><filterColumn colId="1"/><sortState ref="A2:B2"/></autoFilter>',
      },
    );
    await refresh({});
    expect(await table()).toContain('<filterColumn');
    expect(await table()).not.toContain('<sortState');
    const rank: ReportColumn = { header: 'Rank\nof <all>', type: 'integer' };
    await refresh({ columns: [rank, ...COLUMNS], rows: ROWS.map((row) => [1, ...row]) });
    expect(await told()).toEqual([
      ...['A1:C4', 'A1:C4'],
      ...['8 Rank_x000a_of &lt;all&gt;', '1 Squad', '7 Points'],
    ]);
    expect(await table()).toContain('totalsRowFunction="sum"');
    expect(await table()).not.toContain('<filterColumn');
    await refresh({ columns: [COLUMNS[1] ?? rank], rows: ROWS.map(([, points]) => [points ?? null]) });
    expect(await told()).toEqual(['A1:A4', 'A1:A4', '7 Points']);
  });

  it('keeps its end within the report', async () => {
    await stands(OWN_ROWS, { ref: 'A1:A2', columns: ['Squad'] });
    await refresh({});
    expect((await told())[0]).toBe('A1:A4');
  });

  it('shows the rows that its filter hid, which are others by now', async () => {
    await stands([OWN_ROWS[0], OWN_ROWS[1].replace('<row ', '<row hidden="1" ')], {
      ...OWN,
      filter: FILTER.replace('/>', '><filterColumn colId="1"/></autoFilter>'),
    });
    await refresh({});
    expect(await partOf('xl/worksheets/sheet1.xml')).not.toContain('hidden');
  });
});

describe("the row of totals of a table of Excel's", () => {
  const totals = '<tableColumn id="2" name="Points" totalsRowFunction="sum"/>';
  const total = (row: number, last: number): string =>
    `<row r="${row}"><c r="A${row}" t="inlineStr"><is><t>All</t></is></c><c r="B${row}"><f>SUM(B$2:B$${last})</f><v>9</v></c><c r="C${row}"><f>SUBTOTAL(103,T1[Note])</f><v>1</v></c></row>`;
  const withTotals = (): Promise<void> =>
    stands([...OWN_ROWS, total(3, 2)], {
      ref: 'A1:C3',
      columns: ['Squad', totals, 'Note'],
      attributes: ' totalsRowCount="1"',
      filter: FILTER,
    });

  it('stays below the rows', async () => {
    await withTotals();
    await refresh({});
    expect((await told()).slice(0, 2)).toEqual(['A1:C5', 'A1:C4']);
    expect(await cells()).toEqual([
      ['Squad', 'Points', 'Note'],
      ['Otters', 12, 'mine'],
      ['Foxes', 30, null],
      ['Herons', 7, null],
      ['All', '=SUM(B$2:B$4)', '=SUBTOTAL(103,T1[Note])'],
    ]);
    await refresh({ rows: ROWS.slice(2) });
    expect((await told()).slice(0, 2)).toEqual(['A1:C3', 'A1:C2']);
    expect((await cells()).slice(0, 3)).toEqual([
      ['Squad', 'Points', 'Note'],
      ['Herons', 7, 'mine'],
      ['All', '=SUM(B$2:B$2)', '=SUBTOTAL(103,T1[Note])'],
    ]);
  });

  it('is no row of a report that is added to', async () => {
    await withTotals();
    await refresh({ mode: 'append' });
    expect((await cells()).map((row) => (row as unknown[])[0])).toEqual([
      ...['Squad', 'Otters', 'Otters', 'Foxes', 'Herons', 'All'],
    ]);
  });

  it("changes places with the operator's cell that stands in its way", async () => {
    await stands([...[OWN_ROWS[0], OWN_ROWS[1], textRow(3, ['Foxes', 2, 'also mine'])], total(4, 3)], {
      ref: 'A1:C4',
      columns: ['Squad', totals, 'Note'],
      attributes: ' totalsRowCount="1"',
    });
    await refresh({ rows: ROWS.slice(2) });
    expect((await cells()).map((row) => (row as unknown[])[2])).toEqual([
      ...['Note', 'mine', '=SUBTOTAL(103,T1[Note])', 'also mine'],
    ]);
  });

  it('gives way to totals of the report', async () => {
    await withTotals();
    await refresh({ layout: 'version: 1\ntotals: { Points: max }\n' });
    expect((await told()).slice(0, 2)).toEqual(['A1:C4', 'A1:C4']);
    expect(await table()).not.toContain('totalsRowCount');
    expect((await cells()).at(-1)).toEqual(['Greatest', 30, '=SUBTOTAL(103,T1[Note])']);
  });
});

describe("a table of Excel's that cannot follow its report", () => {
  const refusal = async (given: Given = {}): Promise<unknown> => {
    const before = await readFile(file());
    const error: unknown = await refresh(given).catch((reason: unknown) => reason);
    expect(await readFile(file())).toEqual(before);
    const { code, message } = error as { code: unknown; message: string };
    expect(code).toBe('destination.table');
    return message.replaceAll(folder.path + path.sep, '');
  };

  it('stops the report when it begins in the middle of it', async () => {
    await stands([...OWN_ROWS, textRow(5, ['My', 'own'])], { ref: 'A5:B6', columns: ['My', 'own'] });
    expect(await refusal()).toBe(
      'season.xlsx tab "Squads": the table "T1" (A5:B6) lies over cells of the report; nothing was written',
    );
  });

  it('stops the report when a column between its own is gone', async () => {
    await stands(OWN_ROWS, OWN);
    await refresh({});
    expect(await refusal({ columns: COLUMNS.slice(0, 1), rows: [['Otters']] })).toBe(
      'season.xlsx tab "Squads": the table "T1" (A1:C4) reaches over column B, which the report does not have any more; nothing was written',
    );
  });

  it('stops the report when two of its columns would have one name', async () => {
    await stands(OWN_ROWS, OWN);
    await refresh({});
    expect(
      await refusal({ columns: [{ header: 'NOTE', type: 'text' }, ...COLUMNS.slice(1)], rows: [] }),
    ).toBe(
      'season.xlsx tab "Squads": the table "T1" (A1:C4) would have two columns "Note"; nothing was written',
    );
  });
});

describe("the totals row of a table of Excel's that is read", () => {
  const read = async (): Promise<readonly unknown[]> => {
    const options = { origin: 'season.xlsx', headerRow: 1, delimiter: 'auto', encoding: 'auto' } as const;
    const source = await openXlsx(file(), 'Squads', options);
    return (await Array.fromAsync(source.batches()))
      .flat()
      .map(({ rowNumber, cells: row }) => [rowNumber, ...row]);
  };
  const totals = { ref: 'A1:B3', columns: ['Squad', 'Note'], attributes: ' totalsRowCount="1"' } as const;

  it('is left out', async () => {
    const count = '<c r="B3"><f>SUBTOTAL(103,B2)</f></c>';
    const last = textRow(3, ['Total']).replace('</row>', `${count}</row>`);
    await stands([textRow(1, ['Squad', 'Note']), textRow(2, ['Otters', 'mine']), last], totals);
    expect(await read()).toEqual([[2, 'Otters', 'mine']]);
  });

  it('takes nothing away from the rows beside it, or below', async () => {
    const rows = [
      textRow(1, ['Squad', 'Note', 'Manager']),
      textRow(2, ['Otters', 'mine', 'Ann']),
      textRow(3, ['Total', 'x', 'Bob']),
      textRow(4, ['Foxes', '', 'Cid']),
    ];
    await stands(rows, totals);
    expect(await read()).toEqual([
      [2, 'Otters', 'mine', 'Ann'],
      [3, '', '', 'Bob'],
      [4, 'Foxes', '', 'Cid'],
    ]);
  });
});
