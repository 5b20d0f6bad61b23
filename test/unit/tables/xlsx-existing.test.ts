import { openXlsx as openBook } from 'hucre/xlsx';
import { hash } from 'node:crypto';
import { renameSync } from 'node:fs';
import { copyFile, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { shownText } from '../../../src/model/tables/cell.ts';
import type { ReportColumn, ReportTab, ReportValue, WriteOptions } from '../../../src/model/tables/table.ts';
import { writeOutFormulas } from '../../../src/tables/xlsx/graft/shared-formulas.ts';
import { writeXlsxReport } from '../../../src/tables/xlsx/write.ts';
import { convert, hasLibreOffice } from '../../support/libreoffice.ts';
import { reportTab } from '../../support/report-tab.ts';
import { unzip } from '../../support/unzip.ts';
import { handMade, textRow, workbookParts } from '../../support/workbook.ts';
import { makeZip } from '../../support/zip.ts';
import { runs } from '../../support/long.ts';
import { testFolder } from '../../support/test-folder.ts';
import { readTab } from './xlsx-source.ts';

const folder = testFolder();

const file = (): string => path.join(folder.path, 'season.xlsx');
const COLUMNS: readonly ReportColumn[] = [
  { header: 'Squad', type: 'text' },
  { header: 'Points', type: 'integer' },
  { header: 'At', type: 'datetime' },
];
type Rows = readonly (readonly ReportValue[])[];
const FIRST: Rows = [
  ['Harbour & Co', 12, '2026-08-14T19:00:00Z'],
  ['#N/A', -3, null],
];

interface Given {
  readonly rows?: Rows;
  readonly options?: Partial<WriteOptions>;
  readonly tab?: string;
  readonly columns?: readonly ReportColumn[];
  readonly layout?: string;
}

const tabOf = ({ rows = FIRST, options, tab = 'Squads', columns = COLUMNS, layout }: Given = {}): ReportTab =>
  reportTab(
    { kind: 'xlsx', path: file(), tab },
    { columns, rows, options: { timezone: 'Europe/Berlin', ...options }, layout },
  );

const refresh = (given?: Given): Promise<readonly number[]> => writeXlsxReport(file(), [tabOf(given)]);

/** The texts of a tab as people see them, blank rows left out. */
async function shown(tab = 'Squads', headerRow = 1): Promise<readonly (readonly string[])[]> {
  const { header, rows } = await readTab(await readFile(file()), tab, headerRow);
  return [header, ...rows.map(({ cells }) => cells.map(shownText))];
}

const fixture = (name: string): string => path.join(import.meta.dirname, '../../fixtures/tables', name);
/**
 * A report as teamsheet wrote it, then edited and saved in LibreOffice: columns Double (formulas) and "My note", a wider first column, the name MyName, and
 * a tab Mine with a formula over the report, a chart, a colour and a validation.
 */
const editedReport = (): Promise<void> => copyFile(fixture('libreoffice-report.xlsx'), file());

async function tabsOf(): Promise<readonly string[]> {
  const book = (await partsOf()).get('xl/workbook.xml') ?? '';
  return [...book.matchAll(/<sheet [^>]*\bname="([^"]*)"/g)].map(([, name = '']) => name);
}

const partsOf = (): Promise<ReadonlyMap<string, string>> => unzip(file());

async function refusal(given?: Given): Promise<{ code: unknown; exitCode: unknown; message: string }> {
  const before = await readFile(file());
  const error: unknown = await refresh(given).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(await readFile(file())).toEqual(before);
  const { code, exitCode, message } = error as { code: unknown; exitCode: unknown; message: string };
  return { code, exitCode, message: message.replaceAll(folder.path + path.sep, '') };
}

describe('a file that only teamsheet wrote', () => {
  it('is written again, whatever the report was before', async () => {
    await refresh();
    await refresh({ columns: [{ header: 'Other', type: 'text' }], rows: [['x']] });
    expect(await shown()).toEqual([['Other'], ['x']]);
  });

  it('is read again where somebody has written another tab meanwhile, such as another pull', async () => {
    await refresh({ tab: 'Fixtures' });
    await rename(file(), `${file()}.other`);
    let meanwhile = 0;
    const tab = tabOf();
    const options = {
      ...tab.options,
      // Asked for once the old workbook is read.
      get timezone() {
        meanwhile += 1;
        if (meanwhile === 1) renameSync(`${file()}.other`, file());
        return 'Europe/Berlin';
      },
    };
    await writeXlsxReport(file(), [{ ...tab, options }]);
    expect(await tabsOf()).toEqual(['Fixtures', 'Squads']);
    expect(await shown('Fixtures')).toEqual(await shown());
  });

  it('has the tabs of all reports that one process writes into it at once', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `Week ${index + 1}`);
    await Promise.all(names.map((tab) => refresh({ tab })));
    expect((await tabsOf()).toSorted()).toEqual(names);
  });

  it('is written again when it was too large to be built in memory', async () => {
    const rows = Array.from({ length: 20_001 }, (_, index) => [`s${index}`, index, null]);
    expect(await refresh({ rows })).toEqual([20_001]);
    expect(await refresh({ rows: rows.slice(1) })).toEqual([20_000]);
    expect(await refresh({ rows })).toEqual([20_001]);
    expect(await shown()).toHaveLength(20_002);
  });

  it('stays as it is where it became an operator’s while a large report was written', async () => {
    await refresh();
    const theirs = handMade({ tabs: { Mine: '<sheetData/>' } });
    const tab = tabOf();
    const rows = async function* (): AsyncGenerator<Rows> {
      yield Array.from({ length: 20_001 }, (_, index) => [`s${index}`, index, null]);
      await writeFile(file(), theirs);
    };
    const writing = writeXlsxReport(file(), [{ ...tab, table: { ...tab.table, rows: rows() } }]);
    await expect(writing).rejects.toMatchObject({ code: 'destination.changed' });
    expect(await readFile(file())).toEqual(theirs);
  });

  it('keeps its tabs of other reports', async () => {
    await refresh({ tab: 'Fixtures', rows: [['a', 1, null]] });
    await refresh();
    expect(await shown('Fixtures')).toEqual([
      ['Squad', 'Points', 'At'],
      ['a', '1', ''],
    ]);
    expect(await shown()).toHaveLength(3);
  });

  const charts = 'charts: { tab: Drawn, list: [{ title: Points, type: bar, x: Squad, y: Points }] }\n';
  const layoutOf = (cover: string, drawn = charts): string =>
    `version: 1\n${drawn}cover: { tab: ${cover}, title: Season }\n`;
  const both = (layout: string): Promise<readonly number[]> =>
    writeXlsxReport(file(), [tabOf({ layout }), tabOf({ tab: 'Fixtures', layout })]);

  it('has its cover and its charts under their new names alone', async () => {
    await both(layoutOf('About'));
    await both(layoutOf('Start', charts.replace('Drawn', 'Pictures')));
    expect(await tabsOf()).toEqual(['Start', 'Pictures', 'Squads', 'Fixtures']);
    await both(layoutOf('Start', ''));
    expect(await tabsOf()).toEqual(['Start', 'Squads', 'Fixtures']);
  });

  it('has its cover first, and its names and filters at their tabs, when a report is refreshed alone', async () => {
    await refresh({ tab: 'Fixtures', layout: `version: 1\n${charts}` });
    await refresh({ layout: layoutOf('About') });
    expect(await tabsOf()).toEqual(['About', 'Drawn', 'Fixtures', 'Squads']);
    const names = (await partsOf()).get('xl/workbook.xml') ?? '';
    const positions = [...names.matchAll(/localSheetId="(\d)"[^>]*>([^<!]*)!/g)].map(([, at, tab]) => [
      at,
      tab,
    ]);
    expect(new Set(positions.map(([at, tab]) => `${at ?? ''} ${tab ?? ''}`.replaceAll("'", '')))).toEqual(
      new Set(['1 Drawn', '2 Fixtures', '3 Squads']),
    );
    await both(layoutOf('Start'));
    expect(await tabsOf()).toEqual(['Start', 'Drawn', 'Squads', 'Fixtures']);
  });
});

/** What the cover says of the tabs: names and rows. */
const covered = async (): Promise<readonly string[]> =>
  (await shown('About', 3)).slice(1).map((cells) => cells.join(' ').trim());

describe('a cover that reports share', () => {
  const layout = 'version: 1\ncover: { tab: About, title: Season }\n';
  const reports = (): readonly ReportTab[] => [tabOf({ layout }), tabOf({ tab: 'Fixtures' })];

  it('keeps the lines of the reports that are not refreshed', async () => {
    await writeXlsxReport(file(), reports());
    const [first, second] = await covered();
    expect([first, second]).toEqual(['Squads Squad, Points, At 2', 'Fixtures Squad, Points, At 2']);
    await refresh({ layout, rows: FIRST.slice(1) });
    expect(await covered()).toEqual(['Squads Squad, Points, At 1', second]);
  });

  it('keeps their highlights too, and drops those that no row fits', async () => {
    const best = (label: string, above: number): string =>
      `version: 1\ncover: { tab: About, title: Season }\nhighlights: [{ label: ${label}, show: [Squad], value: Points, by: Points, descending: true, above: ${above}, limit: 2 }]\n`;
    const lines = async (): Promise<readonly string[]> => {
      const book = await openBook(await readFile(file()));
      const rows = book.sheets.find(({ name }) => name === 'About')?.rows ?? [];
      const told = rows.map((row) => row.filter((cell) => cell !== null).join(' '));
      return told.slice(1, told.indexOf('Tab Contents Rows')).filter((line) => line !== '');
    };
    await writeXlsxReport(file(), [
      tabOf({ layout: best('Best', 0) }),
      tabOf({ tab: 'Fixtures', layout: best('High', 0) }),
    ]);
    const both = await lines();
    expect(both.map((line) => line.split(' ')[0])).toEqual(expect.arrayContaining(['Best', 'High']));
    await refresh({ tab: 'Fixtures', layout: best('High', 1e9) });
    expect(await lines()).toEqual(
      both.slice(
        0,
        both.findIndex((line) => line.startsWith('High')),
      ),
    );
  });

  it('does so in the workbook of an operator, without the lines of tabs that are gone', async () => {
    await editedReport();
    await writeXlsxReport(file(), [...reports(), tabOf({ tab: 'Gone' })]);
    expect(await covered()).toHaveLength(3);
    const parts = await partsOf();
    const book = (parts.get('xl/workbook.xml') ?? '').replace('name="Gone"', 'name="Kept"');
    await writeFile(
      file(),
      makeZip(
        [...parts].map(([name, text]) => ({ name, content: name === 'xl/workbook.xml' ? book : text })),
      ),
    );
    await refresh({ layout });
    expect(await covered()).toEqual(['Squads Squad, Points, At 2', 'Fixtures Squad, Points, At 2']);
  });
});

describe('append and merge', () => {
  const added: Rows = [
    ['Harbour & Co', 20, '2026-08-21T19:00:00Z'],
    ['Otters', 5, null],
  ];

  it('add rows to those that stand there', async () => {
    expect(await refresh({ options: { mode: 'append' } })).toEqual([2]);
    expect(await refresh({ rows: added, options: { mode: 'append' } })).toEqual([4]);
    expect(await shown()).toEqual([
      ['Squad', 'Points', 'At'],
      ['Harbour & Co', '12', '2026-08-14 21:00'],
      ['#N/A', '-3', ''],
      ['Harbour & Co', '20', '2026-08-21 21:00'],
      ['Otters', '5', ''],
    ]);
  });

  it('replace rows by their key, dates too, beside what the operator added', async () => {
    await editedReport();
    const options = { mode: 'merge', key: ['Squad', 'At'] } as const;
    expect(
      await refresh({ rows: [['Harbour & Co', 99, '2026-08-14T19:00:00Z'], ...added], options }),
    ).toEqual([4]);
    const parts = await partsOf();
    expect(parts.get('xl/worksheets/sheet1.xml')).toMatch(/<c r="D2"[^>]*><f[^>]*>B2\*2<\/f><\/c>/);
    expect((await shown('Squads')).map((row) => row.slice(0, 3))).toEqual([
      ['Squad', 'Points', 'At'],
      ['Harbour & Co', '99', '2026-08-14 21:00'],
      ['#N/A', '-3', ''],
      ['Harbour & Co', '20', '2026-08-21 21:00'],
      ['Otters', '5', ''],
      ['', '', ''],
    ]);
  });

  it('find the rows by keys that a cell cannot hold as they came', async () => {
    const options = { mode: 'merge', key: ['Squad', 'At'] } as const;
    const long = 'x'.repeat(40_000);
    for (const points of [1, 2]) {
      const rows: Rows = [
        ['Otters', points, '2026-08-14T19:00:00.123Z'],
        ['Otters', points, '2026-08-14T19:00:00.250500Z'],
        ['two\r\nlines', points, null],
        ['nul\0', points, null],
        [long, points, null],
        ['_x000D_', points, null],
      ];
      expect(await refresh({ rows, options })).toEqual([rows.length]);
    }
    expect((await shown()).slice(1).map(([, points]) => points)).toEqual(Array(6).fill('2'));
  });

  it('find the rows by a key in a hidden column', async () => {
    const given = {
      layout: 'version: 1\ncolumns: { Squad: { hidden: true } }',
      options: { mode: 'merge', key: ['Squad'] },
    } as const;
    await refresh(given);
    expect(await refresh({ rows: [['Harbour & Co', 99, null]], ...given })).toEqual([2]);
    expect((await shown()).map((row) => row.slice(0, 2))).toEqual([
      ['Squad', 'Points'],
      ['Harbour & Co', '99'],
      ['#N/A', '-3'],
    ]);
    expect((await partsOf()).get('xl/worksheets/sheet1.xml')).toMatch(
      /<col min="1" max="1"[^>]* hidden="(?:1|true)"/,
    );
  });

  it('leave the totals of the refresh before out', async () => {
    const layout = 'version: 1\ntotals: { Points: sum }\n';
    await refresh({ layout, options: { mode: 'append' } });
    await refresh({ layout, rows: added, options: { mode: 'append' } });
    expect((await shown()).map(([squad, points]) => [squad, points])).toEqual([
      ['Squad', 'Points'],
      ['Harbour & Co', '12'],
      ['#N/A', '-3'],
      ['Harbour & Co', '20'],
      ['Otters', '5'],
      ['Total', '34'],
    ]);
  });

  it('keep a date that somebody typed among texts as they see it', async () => {
    await refresh();
    const parts = Array.from(await partsOf(), ([name, content]) => {
      if (name !== 'xl/worksheets/sheet1.xml') return { name, content };
      const [, style = ''] = /<c r="C2"[^>]* s="(\d+)"/.exec(content) ?? [];
      return {
        name,
        content: content.replace(/<c r="A2".*?<\/c>/, `<c r="A2" s="${style}"><v>46248</v></c>`),
      };
    });
    await writeFile(file(), makeZip(parts));
    await refresh({ rows: added, options: { mode: 'append' } });
    expect((await shown())[1]).toEqual(['2026-08-14 00:00', '12', '2026-08-14 21:00']);
  });

  it.each([
    ['0%', '0.5', '50%'],
    ['&quot;$&quot;0.00', '12.5', '$12.50'],
    ['h:mm', '0.3125', '7:30'],
    ['0', '7', '7'],
  ])('keep what somebody typed among texts and sees by the format %s', async (format, value, seen) => {
    await refresh();
    const before = await partsOf();
    const [, count = ''] = /<cellXfs count="(\d+)"/.exec(before.get('xl/styles.xml') ?? '') ?? [];
    const parts = Array.from(before, ([name, content]) => {
      if (name === 'xl/styles.xml') {
        return {
          name,
          content: content
            .replace(/<numFmts[^>]*>/, (start) => `${start}<numFmt numFmtId="900" formatCode="${format}"/>`)
            .replace(`<cellXfs count="${count}"`, `<cellXfs count="${Number(count) + 1}"`)
            .replace('</cellXfs>', '<xf numFmtId="900" applyNumberFormat="1"/></cellXfs>'),
        };
      }
      if (name !== 'xl/worksheets/sheet1.xml') return { name, content };
      return {
        name,
        content: content.replace(/<c r="A2".*?<\/c>/, `<c r="A2" s="${count}"><v>${value}</v></c>`),
      };
    });
    await writeFile(file(), makeZip(parts));
    await refresh({ rows: added, options: { mode: 'append' } });
    expect((await shown())[1]).toEqual([seen, '12', '2026-08-14 21:00']);
  });

  it('keep numbers among texts that the report itself shows in another way', async () => {
    const columns = [{ header: 'Share', type: 'json' as const, format: '0%' }];
    for (const share of [0.5, 0.25]) await refresh({ columns, rows: [[share]], options: { mode: 'append' } });
    expect((await partsOf()).get('xl/worksheets/sheet1.xml')).toMatch(/<c r="A2"[^>]*><v>0\.5<\/v>/);
    expect(await shown()).toEqual([['Share'], ['50%'], ['25%']]);
  });

  it('keep their dates in a workbook that counts days from 1904', async () => {
    await writeFile(file(), handMade({ from1904: true, tabs: { Mine: '<sheetData/>' } }));
    for (const rows of [FIRST, added]) await refresh({ rows, options: { mode: 'append' } });
    expect((await shown()).map(([, , at]) => at)).toEqual([
      'At',
      '2026-08-14 21:00',
      '',
      '2026-08-21 21:00',
      '',
    ]);
  });

  it('lose no row that looks as the totals do', async () => {
    const layout = 'version: 1\ntotals: { Week: count, Points: sum }\n';
    const columns = ['Week', 'Points'].map((header) => ({ header, type: 'integer' as const }));
    for (const week of [1, 2])
      await refresh({ columns, layout, rows: [[week, 50]], options: { mode: 'append' } });
    expect(await shown()).toEqual([
      ['Week', 'Points'],
      ['1', '50'],
      ['2', '50'],
      ['2', '100'],
    ]);
  });

  it('leave the totals out where the name of the tab has another case', async () => {
    await writeFile(file(), handMade({ tabs: { SQUADS: '<sheetData/>' } }));
    const layout = 'version: 1\ntotals: { Points: sum }\n';
    for (const rows of [FIRST, added, FIRST]) await refresh({ layout, rows, options: { mode: 'append' } });
    expect((await shown('SQUADS')).map(([squad, points]) => [squad, points])).toEqual([
      ['Squad', 'Points'],
      ['Harbour & Co', '12'],
      ['#N/A', '-3'],
      ['Harbour & Co', '20'],
      ['Otters', '5'],
      ['Harbour & Co', '12'],
      ['#N/A', '-3'],
      ['Total', '43'],
    ]);
  });

  it('lose none of their rows when the totals stand elsewhere by now', async () => {
    const layout = 'version: 1\ntotals: { Points: sum, At: max }\n';
    const options = { mode: 'append' } as const;
    await refresh({ layout, options });
    const sorted = Array.from(await partsOf(), ([name, content]) => {
      if (name !== 'xl/worksheets/sheet1.xml') return { name, content };
      const moved = (row: string, from: number, to: number): string =>
        row.replaceAll(new RegExp(`(?<= r="[A-Z]*)${from}(?=")`, 'g'), String(to));
      const [, , second = '', third = '', totals = ''] = content.split(/(?=<row )|(?=<\/sheetData>)/);
      return {
        name,
        content: content.replace(
          second + third + totals,
          moved(totals, 4, 2) + moved(second, 2, 3) + moved(third, 3, 4),
        ),
      };
    });
    await writeFile(file(), makeZip(sorted));
    await refresh({ layout, rows: added, options });
    expect((await shown()).map(([squad, points]) => [squad, points])).toEqual([
      ['Squad', 'Points'],
      ['Harbour & Co', '12'],
      ['#N/A', '-3'],
      ['Harbour & Co', '20'],
      ['Otters', '5'],
      ['Total / Greatest', '34'],
    ]);
  });
});

describe('the widths of the columns of a report', () => {
  const widths = async (): Promise<readonly string[]> => {
    const sheet = (await partsOf()).get('xl/worksheets/sheet1.xml') ?? '';
    return [...sheet.matchAll(/<col [^>]*>/g)].map(([col]) =>
      ['min', 'max', 'width'].map((name) => new RegExp(` ${name}="([^"]*)"`).exec(col)?.[1]).join(' '),
    );
  };
  const LONG: Rows = [['Harbour & Company of the North', 12, '2026-08-14T19:00:00Z']];

  /** As another program saves it, with these columns where they are given. */
  const saveElsewhere = async (columns?: string): Promise<void> => {
    const parts = Array.from(await partsOf(), ([name, content]) => {
      if (name === 'docProps/app.xml') return { name, content: content.replaceAll('hucre', 'Another') };
      if (name !== 'xl/worksheets/sheet1.xml' || columns === undefined) return { name, content };
      return { name, content: content.replace(/<cols>.*<\/cols>/, `<cols>${columns}</cols>`) };
    });
    await writeFile(file(), makeZip(parts));
  };

  it('are those that its first rows need, and stay from then on', async () => {
    await refresh({ rows: [] });
    await saveElsewhere();
    expect((await widths())[0]).toBe('1 1 9');
    await refresh({ rows: LONG });
    expect((await widths())[0]).toBe('1 1 33');
    await refresh({ rows: FIRST });
    await refresh({ rows: [['A squad whose name is the longest of them all', 1, null]] });
    expect((await widths())[0]).toBe('1 1 33');
  });

  it('stay where a person made an empty column wider, and beside one that becomes wider', async () => {
    await refresh({ rows: [] });
    await saveElsewhere('<col min="1" max="2" width="20"/><col min="3" max="9" width="45"/>');
    await refresh({ rows: LONG });
    expect(await widths()).toEqual(['1 1 33', '2 2 20', '3 9 45']);
  });
});

describe("the operator's own things", () => {
  it('survive a refresh: tabs whole, columns with formulas and notes, widths, names, charts', async () => {
    await editedReport();
    const before = await partsOf();
    await refresh({
      rows: [
        ['Zed', 7, null],
        ['Harbour & Co', 100, '2026-08-14T19:00:00Z'],
        ['New', 1, null],
      ],
    });
    const after = await partsOf();
    for (const name of [
      'xl/charts/chart1.xml',
      'xl/drawings/drawing1.xml',
      'xl/sharedStrings.xml',
      'xl/worksheets/_rels/sheet2.xml.rels',
    ])
      expect(after.get(name)).toBe(before.get(name));
    const mine = (parts: ReadonlyMap<string, string>): string => parts.get('xl/worksheets/sheet2.xml') ?? '';
    // Its formula looks at the report, so that its stored result is not right any more.
    expect(mine(after)).toBe(
      mine(before).replace(/ t="n"><f aca="false">(SUM[^<]*)<\/f><v>9<\/v>/, '><f aca="false">$1</f>'),
    );
    expect(mine(after)).not.toBe(mine(before));
    const sheet = after.get('xl/worksheets/sheet1.xml') ?? '';
    expect(sheet).toContain('max="1" min="1" style="0" width="40.49"');
    expect(sheet).toContain('max="5" min="5" style="0" width="31.5"');
    expect(sheet.match(/<f [^>]*>[^<]*<\/f>/g)).toEqual([
      '<f aca="false">B2*2</f>',
      '<f aca="false">B3*2</f>',
      '<f aca="false">SUM(B2:B4)</f>',
    ]);
    const book = after.get('xl/workbook.xml') ?? '';
    expect(book).toContain('name="MyName"');
    expect(book).toContain('fullCalcOnLoad="1"');
    expect(after.has('docProps/custom.xml')).toBe(true);
    expect([...after.keys()]).toEqual([...before.keys()]);
  });

  it('make the file no larger: many refreshes leave what one leaves', async () => {
    await editedReport();
    await refresh();
    const once = await readFile(file());
    for (let round = 2; round <= runs(20, 100); round += 1) await refresh();
    expect((await readFile(file())).equals(once)).toBe(true);
  });

  it("keep their place where the format has none for them, as Excel's extensions", async () => {
    const rows = `${textRow(1, ['Squad', 'Points', 'At', 'Mine'])}${textRow(2, ['x', 1, '', 'kept'])}`;
    const extension =
      '<mc:AlternateContent xmlns:mc="urn:mc"><mc:Choice Requires="x14"/></mc:AlternateContent>';
    const validations =
      '<dataValidations count="1"><dataValidation type="list" sqref="D2"><formula1>"a>b"</formula1></dataValidation></dataValidations>';
    const squads = `<sheetPr/><sheetData>${rows}</sheetData><sheetProtection sheet="0"/>${validations}<pageMargins left="1"/>${extension}`;
    await writeFile(file(), handMade({ tabs: { Squads: squads } }));
    await refresh({ layout: 'version: 1\nrules: [{ column: Points, when: "> 10", fill: FFF2CC }]\n' });
    const sheet = (await partsOf()).get('xl/worksheets/sheet1.xml') ?? '';
    expect(
      sheet
        .replace(/<sheetData>.*<\/sheetData>/s, '<sheetData/>')
        .match(
          /(?<=<)(?:sheetPr|cols|sheetData|sheetProtection|autoFilter|conditionalFormatting|dataValidations|pageMargins|mc:AlternateContent)\b/g,
        ),
    ).toEqual([
      'sheetPr',
      'cols',
      'sheetData',
      'sheetProtection',
      'conditionalFormatting',
      'dataValidations',
      'pageMargins',
      'mc:AlternateContent',
    ]);
    expect(sheet).toContain(extension);
    expect(sheet).toContain(validations);
    expect((await shown())[1]).toEqual(['Harbour & Co', '12', '2026-08-14 21:00', 'kept']);
  });

  it('stand beside a tab that is added', async () => {
    await writeFile(file(), handMade({ tabs: { Mine: `<sheetData>${textRow(1, ['a'])}</sheetData>` } }));
    const before = await partsOf();
    await refresh();
    const after = await partsOf();
    expect(after.get('xl/worksheets/sheet1.xml')).toBe(before.get('xl/worksheets/sheet1.xml'));
    expect(await shown()).toHaveLength(3);
    expect(await shown('Mine')).toEqual([['a']]);
  });
});

const LAYOUT = `version: 1
rules: [{ column: Points, when: '> 10', fill: FFF2CC }]
charts: { tab: Drawn, list: [{ title: Points, type: bar, x: Squad, y: Points }] }
cover: { tab: About, title: Season }
`;

describe('a formula that a program keeps once for several cells', () => {
  /** What a cell so many rows down has of a formula that is kept a column to its left. */
  const written = (formula: string, down: number): string | undefined => {
    const kept = `<c r="F5"><f t="shared" ref="F5:G9" si="0">${formula.replaceAll('&', '&amp;')}</f></c>`;
    const rows = new Map([
      [5, { cells: new Map([[5, kept]]) }],
      [5 + down, { cells: new Map([[6, '<c r="G1"><f t="shared" si="0"/></c>']]) }],
    ]);
    writeOutFormulas(rows, ({ column }) => column === 5);
    const [, text] = /<f>(.*)<\/f>/.exec(rows.get(5 + down)?.cells.get(6) ?? '') ?? [];
    return text?.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  };

  it('is written out where the one that holds it is written over', async () => {
    await refresh();
    const parts = Array.from(await partsOf(), ([name, content]) => ({
      name,
      content:
        name === 'xl/worksheets/sheet1.xml'
          ? content.replace(
              /<c r="C2".*?<\/c><\/row>/,
              '<c r="C2"><f t="shared" ref="C2:D2" si="0">B2&amp;"B2"</f><v>1</v></c><c r="D2"><f t="shared" si="0"/><v>2</v></c></row>',
            )
          : content.replace('hucre', 'Another'),
    }));
    await writeFile(file(), makeZip(parts));
    await refresh();
    expect((await partsOf()).get('xl/worksheets/sheet1.xml')).toContain(
      '<c r="D2"><f>C2&amp;&quot;B2&quot;</f></c>',
    );
  });

  it.each([
    ['B2*$B$1+B$1+$B2', 'C5*$B$1+C$1+$B5'],
    ['SUM(B:B)+SUM(2:$4)', 'SUM(C:C)+SUM(5:$4)'],
    ['LOG10(A1)&"A1"&\'A1 B2\'!A1', 'LOG10(B4)&"A1"&\'A1 B2\'!B4'],
    ['T90[A1]+Rate_A1+A1!C3+x.A1', 'T90[A1]+Rate_A1+A1!D6+x.A1'],
    ['Größe1*B2+Café2:Café3+T1é', 'Größe1*C5+Café2:Café3+T1é'],
  ])('%s reads %s three rows down and a column on', (formula, moved) => {
    expect(written(formula, 3)).toBe(moved);
  });

  it('has no cell that would stand before the first', () => {
    expect(written('A1+B2', -1)).toBe('#REF!+C1');
  });
});

describe('a layout in the workbook of an operator', () => {
  it('has its rules, styles, charts, names and tabs once, however often it is refreshed', async () => {
    await editedReport();
    await refresh({ layout: LAYOUT });
    const once = await partsOf();
    expect(
      [...once.keys()].filter((name) => /charts\/|drawings\/d|worksheets\/s/.test(name)).toSorted(),
    ).toEqual([
      'xl/charts/chart1.xml',
      'xl/charts/chart2.xml',
      'xl/drawings/drawing1.xml',
      'xl/drawings/drawing2.xml',
      'xl/worksheets/sheet1.xml',
      'xl/worksheets/sheet2.xml',
      'xl/worksheets/sheet3.xml',
      'xl/worksheets/sheet4.xml',
    ]);
    for (let round = 2; round <= 5; round += 1) await refresh({ layout: LAYOUT });
    const often = await partsOf();
    expect([...often]).toEqual([...once]);
    await refresh({ layout: LAYOUT, rows: [...FIRST, ['Otters', 30, null]] });
    const sheet = (await partsOf()).get('xl/worksheets/sheet1.xml') ?? '';
    expect(sheet.match(/<conditionalFormatting [^>]*>/g)).toEqual([expect.stringContaining('sqref="B2:B4"')]);
    await refresh({ layout: LAYOUT.replace('> 10', '!= "=&<" ') });
    await refresh({ layout: LAYOUT.replace('> 10', '> 20') });
    const other = (await partsOf()).get('xl/worksheets/sheet1.xml') ?? '';
    expect(other.match(/<formula>[^<]*/g)).toEqual(['<formula>AND(ISNUMBER($B2),$B2&gt;20)']);
  });

  it('has its rules once when a program cut their ranges in pieces, and keeps those of the operator', async () => {
    const formats = (...rules: readonly string[]): string =>
      rules
        .map((rule) => {
          const [range = '', formula = ''] = rule.split('|');
          return `<conditionalFormatting sqref="${range}"><cfRule type="expression" priority="1"><formula>${formula}</formula></cfRule></conditionalFormatting>`;
        })
        .join('');
    const ours = 'AND(ISNUMBER($B3),$B3&gt;10)';
    const theirs = ['B2:B9|$B2&gt;10', `D2:D9|${ours}`, 'B2:B9|AND(ISNUMBER($B2),$B2&gt;11)'];
    await writeFile(
      file(),
      handMade({
        tabs: {
          Squads: `<sheetData>${textRow(1, ['Squad', 'Points', 'At', 'Mine'])}</sheetData>${formats(`B3:B5 B8:B9|${ours}`, `B6|${ours.replaceAll('3', '6')}`, ...theirs)}`,
        },
      }),
    );
    await refresh({ layout: LAYOUT });
    const sheet = (await partsOf()).get('xl/worksheets/sheet1.xml') ?? '';
    const found = sheet.matchAll(/sqref="([^"]*)"><cfRule[^>]*><formula>([^<]*)</g);
    expect(Array.from(found, ([, range, formula]) => `${range}|${formula}`)).toEqual([
      ...theirs,
      'B2:B3|AND(ISNUMBER($B2),$B2&gt;10)',
    ]);
  });

  const FLAGS: readonly ReportColumn[] = [
    { header: 'Squad', type: 'text' },
    { header: 'Active', type: 'boolean' },
  ];
  const FLAG_RULES = `version: 1
rules:
  - { column: Active, when: '= false', fill: F8CBAD, row: true }
  - { column: Active, when: '!= false', fill: C6E0B4 }
`;
  const flags = (rows: number): Promise<readonly number[]> =>
    refresh({
      ...{ tab: 'Flags', columns: FLAGS, layout: FLAG_RULES },
      rows: Array.from({ length: rows }, (_, index) => [`s${index}`, index % 2 === 0]),
    });
  const ourFlags = (last: number): readonly string[] => [
    `A2:B${last}|AND(ISLOGICAL($B2),$B2=(1=0))`,
    `B2:B${last}|AND(ISLOGICAL($B2),$B2&lt;&gt;(1=0))`,
  ];
  async function rulesOf(sheet: number): Promise<readonly string[]> {
    const xml = (await partsOf()).get(`xl/worksheets/sheet${sheet}.xml`) ?? '';
    const found = xml.matchAll(/sqref="([^"]*)"><cfRule[^>]*><formula>([^<]*)</g);
    return Array.from(found, ([, range, formula]) => `${range}|${formula}`);
  }

  it('has rules of truth values once, where LibreOffice wrote those of earlier versions as numbers', async () => {
    const formats = (formula: string): string =>
      `<conditionalFormatting sqref="A2:B9"><cfRule type="expression" priority="1"><formula>${formula}</formula></cfRule></conditionalFormatting>`;
    const ours = ['=FALSE', '=0', '&lt;&gt;0', '&lt;&gt;FALSE', '=(1=0)'];
    // An earlier layout had a rule for it, as the properties of the workbook say.
    const earlier = ['=TRUE', '=1'];
    const theirs = ['AND(ISLOGICAL($B2),$B2&lt;&gt;1)', '$B2=0'];
    const rules = [...[...ours, ...earlier].map((one) => `AND(ISLOGICAL($B2),$B2${one})`), ...theirs];
    const digest = hash('sha256', JSON.stringify(['expression', ['AND(ISLOGICAL($B),$B=TRUE)']])).slice(0, 8);
    const memory = JSON.stringify([['Flags', 2, '', '', 0, [digest]]]);
    const custom = {
      name: 'docProps/custom.xml',
      content: `<Properties><property pid="2" name="teamsheet"><lpwstr>${memory}</lpwstr></property></Properties>`,
    };
    const sheetData = `<sheetData>${textRow(1, ['Squad', 'Active'])}</sheetData>`;
    const tabs = { Flags: `${sheetData}${rules.map(formats).join('')}` };
    await writeFile(file(), handMade({ tabs, extra: [custom] }));
    await flags(3);
    expect(await rulesOf(1)).toEqual([...theirs.map((one) => `A2:B9|${one}`), ...ourFlags(4)]);
  });

  it.runIf(hasLibreOffice())('has its rules once, however often LibreOffice saved it', async () => {
    await editedReport();
    for (const rows of [3, 5, 4].slice(0, runs(2, 3))) {
      await flags(rows);
      await convert(file(), 'xlsx', path.join(folder.path, 'saved'));
      await rename(path.join(folder.path, 'saved', 'season.xlsx'), file());
      expect(await rulesOf(3)).toEqual(ourFlags(rows + 1));
    }
  });

  it('has a filter as wide as the operator made it, and none when they took it away', async () => {
    const filter = async (): Promise<readonly unknown[]> => {
      const parts = await partsOf();
      const [, range] = /<autoFilter ref="([^"]*)"/.exec(parts.get('xl/worksheets/sheet1.xml') ?? '') ?? [];
      const names = (parts.get('xl/workbook.xml') ?? '').matchAll(/_FilterDatabase"[^>]*>([^<]*)</g);
      return [range, ...Array.from(names, ([, name]) => name)];
    };
    const withFilter = (range: string, name: string): Promise<void> =>
      writeFile(
        file(),
        handMade({
          tabs: {
            Squads: `<sheetData>${textRow(1, ['Squad', 'Points', 'At', 'Mine'])}</sheetData>${range}`,
          },
          names: name,
        }),
      );
    await withFilter(
      '<autoFilter ref="A1:D1"/>',
      '<definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">Squads!$A$1:$D$1</definedName>',
    );
    await refresh({ layout: LAYOUT });
    expect(await filter()).toEqual(['A1:D3', "'Squads'!$A$1:$D$3"]);
    await withFilter('', '');
    await refresh({ layout: LAYOUT });
    expect(await filter()).toEqual([undefined]);
    await writeFile(
      file(),
      handMade({
        tabs: {
          "It's!": `<sheetData>${textRow(1, ['Squad', 'Points', 'At'])}</sheetData><autoFilter ref="B1:C1"/>`,
        },
      }),
    );
    await refresh({ layout: LAYOUT, tab: "It's!" });
    expect(await filter()).toEqual(['B1:C3', "'It''s!'!$B$1:$C$3"]);
  });

  it('is known again by properties of at most 255 characters, which Excel keeps', async () => {
    const tabs = ['Erste 🎉', 'Zweite "<&>"', 'Dritte', 'Vierte', 'Fünfte'];
    const all = (rows: Rows) => tabs.map((tab) => tabOf({ tab, rows, layout: LAYOUT }));
    const properties = async (): Promise<readonly string[]> =>
      Array.from(
        ((await partsOf()).get('docProps/custom.xml') ?? '').matchAll(
          /name="(teamsheet[^"]*)"[^]*?lpwstr[^>]*>([^<]*)</g,
        ),
        ([, name = '', text = '']) => `${name} ${text.replace(/&\w+;/g, '?').length}`,
      );
    await writeXlsxReport(file(), all(FIRST));
    const made = await properties();
    expect(made.slice(0, 2)).toEqual(['teamsheet 255', expect.stringMatching(/^teamsheet 2 \d+$/)]);
    const parts = Array.from(await partsOf(), ([name, content]) => ({
      name,
      content: name === 'docProps/app.xml' ? content.replaceAll('hucre', 'Another') : content,
    }));
    await writeFile(file(), makeZip(parts));
    await writeXlsxReport(file(), all([...FIRST, ['Otters', 30, null]]));
    expect(await properties()).toEqual(made);
    await writeXlsxReport(file(), all(FIRST));
    expect(await shown('Erste 🎉')).toHaveLength(3);
  });

  it('does not take a tab that is not ours', async () => {
    await writeFile(file(), handMade({ tabs: { Drawn: `<sheetData>${textRow(1, ['mine'])}</sheetData>` } }));
    expect(await refusal({ layout: LAYOUT })).toEqual({
      code: 'destination.tab_taken',
      exitCode: 8,
      message:
        'season.xlsx tab "Drawn": the layout of a report puts a tab of this name into the file, and there is one already; nothing was written',
    });
  });
});

describe('a workbook that cannot be kept is left as it is', () => {
  const header = (names: readonly string[]): Uint8Array =>
    handMade({ tabs: { Squads: `<sheetData>${textRow(1, names)}${textRow(2, ['x', 'y'])}</sheetData>` } });

  it('when the columns of the report are not the first ones', async () => {
    await writeFile(file(), header(['Mine', 'Squad', 'Points', 'At']));
    expect(await refusal()).toEqual({
      code: 'destination.header',
      exitCode: 8,
      message:
        'season.xlsx tab "Squads": its columns are "Mine", "Squad", "Points", "At"; the report has "Squad", "Points", "At"; nothing was written',
    });
  });

  it('when the report is wider now and the room is taken', async () => {
    await editedReport();
    const columns: readonly ReportColumn[] = [...COLUMNS, { header: 'Rank', type: 'integer' }];
    expect((await refusal({ columns, rows: [] })).message).toBe(
      'season.xlsx tab "Squads": the report has 4 columns now, and your own cells stand in D; nothing was written',
    );
  });

  it('when cells of the report are merged', async () => {
    const data = `<sheetData>${textRow(1, ['Squad', 'Points', 'At'])}${textRow(2, ['x'])}</sheetData>`;
    await writeFile(
      file(),
      handMade({ tabs: { Squads: `${data}<mergeCells><mergeCell ref="A2:B2"/></mergeCells>` } }),
    );
    expect(await refusal()).toMatchObject({ code: 'destination.merged', exitCode: 8 });
  });

  it('when its XML has another form than programs write', async () => {
    const parts = workbookParts({ tabs: { Mine: '<sheetData/>' } }).map((part) =>
      part.name === 'xl/styles.xml'
        ? {
            ...part,
            content: String(part.content)
              .replace(/<(\/?)(?=[a-z])/gi, '<$1x:')
              .replace('xmlns=', 'xmlns:x='),
          }
        : part,
    );
    await writeFile(file(), makeZip(parts));
    expect(await refusal()).toMatchObject({ code: 'destination.form', exitCode: 8 });
  });

  it('when it is no workbook', async () => {
    await writeFile(file(), 'Squad,Points\n');
    expect(await refusal()).toMatchObject({ code: 'destination.damaged', exitCode: 8 });
  });

  it.each([
    ['~$season.xlsx', 'Excel'],
    ['.~lock.season.xlsx#', 'LibreOffice'],
  ])('when %s says that it is open', async (mark, program) => {
    await refresh();
    await writeFile(path.join(folder.path, mark), '');
    expect(await refusal()).toEqual({
      code: 'destination.open',
      exitCode: 8,
      message: `season.xlsx is open in ${program}; nothing was written`,
    });
    expect((await readdir(folder.path)).toSorted()).toEqual([mark, 'season.xlsx'].toSorted());
  });
});
