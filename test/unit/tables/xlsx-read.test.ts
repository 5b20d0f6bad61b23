import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { ConfigError } from '../../../src/model/error.ts';
import type { Cell } from '../../../src/model/tables/cell.ts';
import { handMade, textRow, workbookParts } from '../../support/workbook.ts';
import type { HandMade } from '../../support/workbook.ts';
import { makeZip } from '../../support/zip.ts';
import type { ZipPart } from '../../support/zip.ts';
import { readTab } from './xlsx-source.ts';

const HEADER = textRow(1, ['Member ID', 'Name']);
const cellsOf = async (workbook: HandMade): Promise<readonly (readonly Cell[])[]> =>
  (await readTab(handMade(workbook))).rows.map(({ cells }) => cells);

/** The first cell of row 2, given as XML with its formats. */
async function oneCell(xml: string, workbook: HandMade = {}): Promise<Cell | undefined> {
  const [row] = await cellsOf({ ...workbook, rows: `${HEADER}<row r="2">${xml}</row>` });
  return row?.[0];
}

async function failure(
  content: Uint8Array,
  tab?: string,
): Promise<{ code: string; message: string; next?: string | undefined }> {
  try {
    await readTab(content, tab);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { code: error.code, message: error.message, next: error.next };
  }
  throw new Error('no error was thrown');
}

const number = (value: number, shown: string): Cell => ({ kind: 'number', value, shown });
const datetime = (iso: string, shown: string): Cell => ({ kind: 'datetime', iso, shown });

test('a tab of too many columns is refused, without a word of separators', async () => {
  const cells = Array.from({ length: 1001 }, (_, at) => `<c t="inlineStr"><is><t>c${at}</t></is></c>`);
  const wide = `<row r="1">${cells.join('')}</row>`;
  expect(await failure(handMade({ rows: wide }))).toMatchObject({
    code: 'source.columns',
    next: 'Delete the columns that no mapping uses.',
  });
});

describe('cells', () => {
  const cases: readonly (readonly [what: string, xml: string, cell: Cell, workbook?: HandMade])[] = [
    ['a text in the cell', '<c r="A2" t="inlineStr"><is><t>  u1 </t></is></c>', '  u1 '],
    [
      'runs of a rich text, without the readings of East Asian characters',
      '<c r="A2" t="inlineStr"><is><r><t>Ka</t></r><r><t>to</t></r><rPh sb="0" eb="1"><t>x</t></rPh></is></c>',
      'Kato',
    ],
    [
      'escaped characters',
      '<c r="A2" t="str"><f>x</f><v>a_x000D_&#10;b &amp; _x005F_x0041_</v></c>',
      'a\r\nb & _x0041_',
    ],
    ['line ends', '<c r="A2" t="str"><v>a\r\nb\rc</v></c>', 'a\nb\nc'],
    ['text that is markup', '<c r="A2" t="str"><v><![CDATA[a<b&amp;c]]></v></c>', 'a<b&amp;c'],
    ['a truth value', '<c r="A2" t="b"><v>1</v></c>', { kind: 'boolean', value: true }],
    ['an error', '<c r="A2" t="e"><v>#N/A</v></c>', { kind: 'error', shown: '#N/A' }],
    [
      'a day in ISO 8601',
      '<c r="A2" t="d"><v>2026-08-14T19:00:00Z</v></c>',
      datetime('2026-08-14T19:00:00', '2026-08-14 19:00:00'),
    ],
    ['a number', '<c r="A2"><v>1001</v></c>', number(1001, '1001')],
    ['the noise of arithmetic', '<c r="A2"><v>8.250000000000002</v></c>', number(8.25, '8.25')],
    [
      'a number too long to be shown',
      '<c r="A2"><v>123456789012</v></c>',
      number(123456789012, '1.23457E+11'),
    ],
    ['zeros by format', '<c r="A2" s="1"><v>123</v></c>', number(123, '00123'), { formats: ['00000'] }],
    ['thousands by format', '<c r="A2" s="1"><v>1001</v></c>', number(1001, '1,001'), { formats: ['#,##0'] }],
    [
      'a power of ten by format',
      '<c r="A2" s="1"><v>100000</v></c>',
      number(100000, '1E+05'),
      { formats: ['0E+00'] },
    ],
    ['a number of a text column', '<c r="A2" s="1"><v>123</v></c>', number(123, '123'), { formats: ['@'] }],
    [
      'letters that are no date in a format',
      '<c r="A2" s="1"><v>7</v></c>',
      number(7, '7 days'),
      { formats: ['0" days";[Red]\\d0'] },
    ],
    [
      'a moment, to the millisecond',
      '<c r="A2" s="1"><v>46248.79166811343</v></c>',
      datetime('2026-08-14T19:00:00.125', '2026-08-14 19:00'),
      { formats: ['yyyy-mm-dd hh:mm'] },
    ],
    [
      'a day of a workbook that counts from 1904',
      '<c r="A2" s="1"><v>44561</v></c>',
      datetime('2026-01-01T00:00:00', '2026-01-01'),
      { formats: ['yyyy-mm-dd'], from1904: true },
    ],
    [
      'the last right day before the day that never was',
      '<c r="A2" s="1"><v>59</v></c>',
      datetime('1900-02-28T00:00:00', '1900-02-28'),
      { formats: ['yyyy-mm-dd'] },
    ],
    [
      'the first right day after it',
      '<c r="A2" s="1"><v>61</v></c>',
      datetime('1900-03-01T00:00:00', '1900-03-01'),
      { formats: ['yyyy-mm-dd'] },
    ],
    ['a time alone', '<c r="A2" s="1"><v>0.6041666666666666</v></c>', '14:30', { formats: ['hh:mm'] }],
    ['a duration', '<c r="A2" s="1"><v>1.5</v></c>', '36:00', { formats: ['[h]:mm'] }],
    [
      'a duration in a workbook that counts from 1904',
      '<c r="A2" s="1"><v>1.5</v></c>',
      '36:00',
      { formats: ['[h]:mm'], from1904: true },
    ],
    [
      'a day before all days',
      '<c r="A2" s="1"><v>-1</v></c>',
      { kind: 'error', shown: '#####' },
      { formats: ['yyyy-mm-dd'] },
    ],
    ['a format that the workbook does not have', '<c r="A2" s="9"><v>5</v></c>', number(5, '5')],
  ];
  for (const [what, xml, cell, workbook] of cases)
    it(what, async () => {
      expect(await oneCell(xml, workbook)).toEqual(cell);
    });

  it('that never were say so by a day that is none', async () => {
    expect(await oneCell('<c r="A2" s="1"><v>60</v></c>', { formats: ['yyyy-mm-dd'] })).toMatchObject({
      kind: 'datetime',
      iso: '1900-02-29T00:00:00',
    });
  });

  it('take their texts from the shared ones', async () => {
    const strings = '<si><t>u1</t></si><si><r><rPr><b/></rPr><t>Zoë </t></r><r><t>Cat</t></r></si><si/>';
    const row = '<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" t="s"><v>1</v></c></row>';
    expect(await cellsOf({ strings, rows: HEADER + row })).toEqual([['u1', 'Zoë Cat']]);
  });

  it('without a stored result are named', async () => {
    const { rows } = await readTab(
      handMade({ rows: `${HEADER}<row r="2"><c r="A2"><f>B2&amp;"x"</f></c></row>` }),
    );
    expect(rows[0]?.issues).toEqual([
      {
        code: 'cell.formula',
        severity: 'error',
        column: 'Member ID',
        message: 'A2 holds a formula without a stored result; open and save the file in Excel or LibreOffice',
      },
    ]);
  });

  it('of an array formula without stored results are named, in every row that they take', async () => {
    const row = (number: number, cells: string): string =>
      `<row r="${number}"><c r="A${number}" t="inlineStr"><is><t>u${number}</t></is></c>${cells}</row>`;
    const rows = [
      row(2, '<c r="B2"><f t="array" ref="B2:B3">Other!A1:A2</f></c><c r="C2"><v>1</v></c>'),
      row(3, '<c r="B3" t="str"><v>old</v></c><c r="C3"><v>1</v></c>'),
      row(4, '<c r="B4" t="str"><v>kept</v></c><c r="C4"><v>1</v></c>'),
    ];
    const header = textRow(1, ['Member ID', 'Name', 'Points']);
    const read = await readTab(handMade({ rows: header + rows.join('') }));
    expect(
      read.rows.map(({ cells, issues }) => [cells[1], issues?.map(({ message }) => message.slice(0, 12))]),
    ).toEqual([
      ['', ['B2 holds a f']],
      ['', ['B3 holds a f']],
      ['kept', undefined],
    ]);
  });

  it('below the table that hold nothing but formulas of columns without a name are no rows', async () => {
    const formula = '<row r="2"><c r="D2"><f>A2</f></c></row>';
    const { rows } = await readTab(handMade({ rows: `${HEADER}${formula}${textRow(3, ['u3'])}` }));
    expect(rows.map(({ rowNumber }) => rowNumber)).toEqual([3]);
  });

  it('that are merged are named, in every column and row that they take', async () => {
    const data = `<sheetData>${HEADER}${textRow(2, ['u1', 'Ana'])}${textRow(3, ['u2', 'Bo'])}${textRow(4, ['u3', 'Cy'])}</sheetData>`;
    const { rows } = await readTab(
      handMade({ tabs: { Users: `${data}<mergeCells count="1"><mergeCell ref="A2:A3"/></mergeCells>` } }),
    );
    expect(
      rows.map(({ issues }) => issues?.map(({ column, message }) => `${column ?? ''} ${message}`)),
    ).toEqual([
      ['Member ID is part of the merged cells A2:A3, so whose value it is cannot be told; unmerge them'],
      ['Member ID is part of the merged cells A2:A3, so whose value it is cannot be told; unmerge them'],
      undefined,
    ]);
  });
});

describe('rows', () => {
  it('are those that the person sees; blank ones, blank cells with a look and hidden rows count', async () => {
    const rows = `${HEADER}<row r="3" spans="1:2" hidden="1"><c r="A3" t="inlineStr"><is><t>u1</t></is></c><c r="B3" s="1"/></row><row r="4"/><row r="9">${textRow(9, ['u2', 'Bo']).replace(/^<row[^>]*>|<\/row>$/g, '')}</row><row r="10"><c r="A10" t="inlineStr"><is><t>  </t></is></c></row>`;
    const table = await readTab(handMade({ rows, formats: ['0'] }));
    expect(table.rows).toEqual([
      { rowNumber: 3, cells: ['u1', ''] },
      { rowNumber: 9, cells: ['u2', 'Bo'] },
    ]);
  });

  it('and cells without references stand one after the other', async () => {
    const cell = (text: string): string => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
    const table = await readTab(
      handMade({ rows: `<row>${cell('Member ID')}${cell('Name')}</row><row>${cell('u1')}<c/></row>` }),
    );
    expect(table).toEqual({ header: ['Member ID', 'Name'], rows: [{ rowNumber: 2, cells: ['u1', ''] }] });
  });

  it('begin under the header that the mapping names', async () => {
    const rows = textRow(1, ['My club']) + textRow(3, ['Member ID']) + textRow(4, ['u1']);
    expect(await readTab(handMade({ rows }), 'Users', 3)).toEqual({
      header: ['Member ID'],
      rows: [{ rowNumber: 4, cells: ['u1'] }],
    });
    await expect(readTab(handMade({ rows }), 'Users', 2)).rejects.toMatchObject({
      code: 'header.none',
      next: 'Delete the empty rows, or write header_row: 3 on the source.',
    });
  });

  it('are read from tabs of the strict form, with prefixes and in UTF-16', async () => {
    const expected = { header: ['Member ID', 'Name'], rows: [{ rowNumber: 2, cells: ['u1', 'Ana'] }] };
    const rows = HEADER + textRow(2, ['u1', 'Ana']);
    expect(await readTab(handMade({ rows, strict: true }))).toEqual(expected);
    const parts = workbookParts({ rows });
    const changed = (change: (text: string) => string | Uint8Array): Promise<unknown> =>
      readTab(
        makeZip(
          parts.map((part) =>
            part.name === 'xl/worksheets/sheet1.xml'
              ? { ...part, content: change(String(part.content)) }
              : part,
          ),
        ),
      );
    expect(
      await changed((text) => text.replace(/<(\/?)(?=[a-z])/g, '<$1x:').replace('xmlns=', 'xmlns:x=')),
    ).toEqual(expected);
    expect(await changed((text) => Buffer.from(`\ufeff${text}`, 'utf16le'))).toEqual(expected);
  });
});

describe('workbooks of programs', () => {
  it('LibreOffice', async () => {
    const { header, rows } = await readTab(
      readFileSync(join(import.meta.dirname, '../../fixtures/tables/libreoffice.xlsx')),
    );
    expect(header).toEqual(['Member ID', 'Name', 'Joined', 'Price', 'Active', 'Note']);
    expect(rows.map(({ cells: [key, name, joined] }) => [key, name, joined])).toEqual([
      ['00123', 'Ilse Varga', { kind: 'datetime', iso: '2026-08-14T19:00:00', shown: '2026-08-14 19:00' }],
      [
        { kind: 'number', value: 1001, shown: '1001' },
        'Zoë "the" Cat',
        { kind: 'datetime', iso: '1999-12-31T23:59:59', shown: '31 Dec 1999 23:59:59' },
      ],
      [{ kind: 'number', value: 123, shown: '00123' }, 'Padded key', '14:30'],
      [{ kind: 'number', value: 100000, shown: '1E+05' }, 'Scientific', '36:00'],
      [{ kind: 'number', value: 123456789012, shown: '1.23457E+11' }, 'Long', ''],
      ['u7', 'Formula', { kind: 'error', shown: '#DIV/0!' }],
      ['u8', 'Rich Text', ''],
      ['u9', '  spaced  ', ''],
    ]);
    expect(rows.map(({ rowNumber }) => rowNumber)).toEqual([2, 3, 4, 5, 6, 8, 9, 10]);
    expect(rows.find(({ rowNumber }) => rowNumber === 8)?.cells.slice(3)).toEqual([
      { kind: 'number', value: 15, shown: '15' },
      '',
      'ab',
    ]);
  });

  it('Excel: links, comments, filters, spans and a table beside the cells', async () => {
    const users =
      '<sheetPr filterMode="1"/><dimension ref="A1:B2"/><sheetViews><sheetView workbookViewId="0"/></sheetViews>' +
      '<cols><col min="2" max="2" width="12" hidden="1"/></cols><sheetData>' +
      '<row r="1" spans="1:2" x14ac:dyDescent="0.25"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>' +
      '<row r="2" spans="1:2" hidden="1"><c r="A2" s="1" t="s"><v>2</v></c><c r="B2" t="str"><f t="shared" ref="B2" si="0">"An"&amp;"a"</f><v>Ana</v></c></row>' +
      '</sheetData><autoFilter ref="A1:B2"><filterColumn colId="0"><filters><filter val="x"/></filters></filterColumn></autoFilter>' +
      '<hyperlinks><hyperlink ref="A2" r:id="rId1"/></hyperlinks><legacyDrawing r:id="rId2"/><tableParts count="1"><tablePart r:id="rId3"/></tableParts>';
    const strings = '<si><t>Member ID</t></si><si><t>Name</t></si><si><t xml:space="preserve">u1</t></si>';
    expect(await readTab(handMade({ tabs: { Users: users }, strings, formats: ['@'] }))).toEqual({
      header: ['Member ID', 'Name'],
      rows: [{ rowNumber: 2, cells: ['u1', 'Ana'] }],
    });
  });

  it('Google: cells of a thousand empty rows, absolute styles, no dimension', async () => {
    const empty = Array.from(
      { length: 998 },
      (_, index) => `<row r="${index + 3}"><c r="A${index + 3}" s="1"/><c r="Z${index + 3}" s="1"/></row>`,
    );
    const users =
      '<sheetFormatPr customHeight="1" defaultColWidth="12.63" defaultRowHeight="15.75"/><sheetData>' +
      '<row r="1"><c r="A1" s="1" t="s"><v>0</v></c><c r="B1" s="1" t="s"><v>1</v></c></row>' +
      `<row r="2"><c r="A2" s="1"><v>1001.0</v></c><c r="B2" s="1" t="str"><f>IFERROR(__xludf.DUMMYFUNCTION("x"),"Ana")</f><v>Ana</v></c></row>${empty.join('')}</sheetData>`;
    const strings = '<si><t>Member ID</t></si><si><t>Name</t></si>';
    expect(await readTab(handMade({ tabs: { Users: users }, strings, formats: ['0'] }))).toEqual({
      header: ['Member ID', 'Name'],
      rows: [{ rowNumber: 2, cells: [{ kind: 'number', value: 1001, shown: '1001' }, 'Ana'] }],
    });
  });
});

describe('tabs', () => {
  const tabs = { Members: '<sheetData/>', Chart: '', Prices: '<sheetData/>' };

  it('that are missing are told with those that there are', async () => {
    expect(await failure(handMade({ tabs, kinds: { Chart: 'chartsheet' } }), 'members')).toEqual({
      code: 'source.missing_tab',
      message: 'season.xlsx: no tab "members"; it has "Members", "Prices"; nearest: "Members"',
      next: 'Correct the name of the tab, in the mapping or after --tab.',
    });
  });

  it('without cells are named as what they are', async () => {
    expect((await failure(handMade({ tabs, kinds: { Chart: 'chartsheet' } }), 'Chart')).message).toMatch(
      /^season\.xlsx: the tab "Chart" is a chart sheet, without cells; it has "Members", "Prices"/,
    );
  });
});

describe('a damaged tab is refused with its part', () => {
  test.each<{ what: string; rows: string; why: string }>([
    {
      what: 'rows out of order',
      rows: textRow(3, ['a']) + textRow(2, ['b']),
      why: 'row 2 stands after row 3',
    },
    {
      what: 'cells out of order',
      rows: '<row r="1"><c r="B1"><v>1</v></c><c r="A1"><v>1</v></c></row>',
      why: 'the cell A1 stands after B1',
    },
    {
      what: 'a cell of another row',
      rows: '<row r="1"><c r="A2"><v>1</v></c></row>',
      why: 'the cell A2 stands in row 1',
    },
    { what: 'a row past the last', rows: '<row r="1048577"/>', why: 'it has a row "1048577"' },
    {
      what: 'a column past the last',
      rows: '<row r="1"><c r="XFE1"><v>1</v></c></row>',
      why: 'it has a cell "XFE1"',
    },
    {
      what: 'a text that is missing',
      rows: '<row r="1"><c r="A1" t="s"><v>7</v></c></row>',
      why: 'a cell names the text "7", which is missing',
    },
    {
      what: 'a number that is none',
      rows: '<row r="1"><c r="A1"><v>0x10</v></c></row>',
      why: 'a cell holds "0x10" in the place of a number',
    },
    {
      what: 'an unknown type',
      rows: '<row r="1"><c r="A1" t="z"><v>1</v></c></row>',
      why: 'a cell is of the unknown type "z"',
    },
    {
      what: 'tags that do not fit',
      rows: '<row r="1"><c r="A1"></row></c>',
      why: 'it is not well-formed XML: unexpected close tag',
    },
    {
      what: 'an entity of its own',
      rows: '<row r="1"><c r="A1" t="str"><v>&lol;</v></c></row>',
      why: 'it is not well-formed XML: undefined entity',
    },
    { what: 'deep nesting', rows: '<a>'.repeat(300), why: 'it is nested deeper than 256 levels' },
  ])('$what', async ({ rows, why }) => {
    expect(await failure(handMade({ rows }))).toMatchObject({
      code: 'source.damaged',
      message: `season.xlsx: the workbook is damaged: xl/worksheets/sheet1.xml cannot be read, ${why}`,
    });
  });
});

describe('bytes of any kind', () => {
  const whole = handMade({
    rows: HEADER + textRow(2, ['u1', 'Ana']) + textRow(3, ['u2', 7]),
    strings: '<si><t>x</t></si>',
    formats: ['0.00', 'yyyy-mm-dd'],
  });
  const settles = async (content: Uint8Array): Promise<void> => {
    try {
      await readTab(content);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      expect((error as ConfigError).code).toMatch(/^(?:source|header)\./);
    }
  };

  it.each([
    ['blanks and names in a tag', `<row ${'a'.repeat(400_000)} r="3"/>`],
    ['digits that are no number', `<row r="3"><c r="A3"><v>${'1'.repeat(400_000)}x</v></c></row>`],
  ])('take no longer than their length: %s', { timeout: 60_000 }, async (_, row) => {
    await settles(handMade({ rows: HEADER + textRow(2, ['u1', 'Ana']) + row }));
  });

  it('in a number format are bounded', async () => {
    const formats = ['['.repeat(400_000)];
    await settles(handMade({ rows: `${HEADER}<row r="2"><c r="A2" s="1"><v>1</v></c></row>`, formats }));
  });

  it('in an archive are rows or an error', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        fc.option(fc.nat(whole.length - 1)),
        async (changes, cut) => {
          const bytes = Buffer.from(whole);
          for (const [at, value] of changes) bytes[at] = value;
          await settles(bytes.subarray(0, cut ?? undefined));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('in the XML of a tab are rows or an error', async () => {
    const parts = workbookParts({ rows: HEADER + textRow(2, ['u1', 'Ana']) + textRow(3, ['u2', 7]) });
    const target = fc.constantFrom(...parts.map(({ name }) => name));
    const piece = fc.constantFrom(
      '<',
      '>',
      '/',
      '"',
      '&',
      '<c ',
      '</row>',
      '<v>',
      '<!--',
      '<![CDATA[',
      '<?',
      '\0',
      'r="A9"',
      ' t="s"',
      '\uffff',
      '9e999',
    );
    await fc.assert(
      fc.asyncProperty(target, fc.nat(), fc.nat(30), piece, async (name, at, cut, text) => {
        const changed = parts.map((part): ZipPart => {
          if (part.name !== name) return part;
          const content = String(part.content);
          const from = at % content.length;
          return { ...part, content: content.slice(0, from) + text + content.slice(from + cut) };
        });
        await settles(makeZip(changed));
      }),
      { numRuns: 150 },
    );
  });
});
