import { existsSync, renameSync } from 'node:fs';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Cell } from '../../src/model/tables/cell.ts';
import { columnLetters } from '../../src/model/tables/column-letters.ts';
import type { ReportColumn, ReportTab, WriteOptions } from '../../src/model/tables/table.ts';
import {
  attributesOf,
  escapeXml,
  joinXml,
  sliceXml,
  withAttribute,
} from '../../src/tables/xlsx/parts/xml-slices.ts';
import { parseReference } from '../../src/tables/xlsx/read/rows.ts';
import { writeXlsxReport } from '../../src/tables/xlsx/write.ts';
import { runs } from '../support/long.ts';
import { combinedRows, reportTab } from '../support/report-tab.ts';
import { testFolder } from '../support/test-folder.ts';
import { unzip } from '../support/unzip.ts';
import { handMade, textRow } from '../support/workbook.ts';
import { makeZip } from '../support/zip.ts';
import { readTab } from '../unit/tables/xlsx-source.ts';

const RUNS = runs(12, 1500);
const SEED = process.env['TEAMSHEET_SEED'];

const folder = testFolder();
const file = (): string => path.join(folder.path, 'season.xlsx');

const COLUMNS: readonly ReportColumn[] = [
  { header: 'No.', type: 'integer' },
  { header: 'Squad', type: 'text' },
  { header: 'Points', type: 'number' },
];
const OURS = COLUMNS.length;
const TEXTS = ['Reds', '=1+1', '00123', "'x", '_x000D_', 'TRUE', '2026-08-14', '#N/A', '<&>"', ' a ', null];
/** A layout, or none. */
const LAYOUTS = [
  undefined,
  'version: 1\nsort: [{ by: Points, descending: true }]\ntotals: { Points: sum }\nrules: [{ column: Points, when: "> 1", fill: FFE699 }]\n',
  'version: 1\nfilter: false\ntotals: { Points: max, No.: count }\ncover: { title: Season }\n',
  'version: 1\ncharts: { list: [{ title: Points, type: bar, x: Squad, y: Points }] }\n',
];
const SORTED = 1;
const WITH_TOTALS = [1, 2];

type WriteMode = WriteOptions['mode'];

/** What an operator does. */
const KINDS = [
  ...([
    'own_column',
    'own_tab',
    'insert_row',
    'delete_row',
    'turn_rows',
    'type',
    'note',
    'hide_row',
  ] as const),
  ...([
    'table',
    'fill_right',
    'filter',
    'name',
    'comment',
    'shared_texts',
    'other_case',
    'rename_tab',
    'lose_header',
  ] as const),
] as const;
interface Edit {
  readonly kind: (typeof KINDS)[number];
  readonly at: number;
  readonly with: number;
}
type Row = readonly [number, string | null, number];
interface Refresh {
  readonly rows: readonly Row[];
  readonly layout: number;
  /** Which reports of the workbook are refreshed. */
  readonly which: 'first' | 'both' | 'second';
  readonly trouble: 'open' | 'changed' | undefined;
}
type Step = { readonly edit: Edit } | { readonly refresh: Refresh };
const ROWS = fc.uniqueArray(
  fc.tuple(fc.nat(9), fc.constantFrom(...TEXTS), fc.constantFrom(0, 1, 2.5, -3, 1e6)),
  {
    selector: ([key]) => key,
    maxLength: 7,
  },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      edit: fc.record({ kind: fc.constantFrom(...KINDS), at: fc.nat(20), with: fc.nat(20) }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      refresh: fc.record({
        rows: ROWS,
        layout: fc.nat(LAYOUTS.length - 1),
        which: fc.constantFrom('first', 'both', 'both', 'second'),
        trouble: fc.option(fc.constantFrom('open', 'changed'), { freq: 5, nil: undefined }),
      }),
    }),
  },
);

type Plain = string | number | boolean | null;

function plain(cell: Cell | undefined): Plain {
  if (cell === undefined || cell === '') return null;
  if (typeof cell === 'string') return cell;
  return cell.kind === 'number' || cell.kind === 'boolean' ? cell.value : (cell.shown ?? null);
}

/** The rows of a sheet by their numbers, cells in XML by their columns, both from 1. */
type Grid = Map<number, { head: string; readonly cells: Map<number, string> }>;

const isData = ({ name }: { readonly name: string }): boolean => name === 'sheetData';
const at = (row: number, column: number): string => `${columnLetters(column - 1)}${row}`;

function gridOf(sheet: string): Grid {
  const data = sliceXml(sheet).children.find(isData)?.xml ?? '<sheetData/>';
  return new Map(
    sliceXml(data).children.map(({ xml }) => {
      const { head, children } = sliceXml(xml);
      const cells = children.map((cell): [number, string] => {
        const { column = 0 } = parseReference(attributesOf(cell.xml).get('r') ?? '') ?? {};
        return [column + 1, cell.xml];
      });
      return [Number(attributesOf(head).get('r')), { head, cells: new Map(cells) }];
    }),
  );
}

function withGrid(sheet: string, grid: Grid): string {
  const rows = [...grid]
    .filter(([, { head, cells }]) => cells.size > 0 || head.includes('hidden='))
    .toSorted(([a], [b]) => a - b)
    .map(([row, { head, cells }]) => {
      const inOrder = [...cells].toSorted(([a], [b]) => a - b);
      const written = inOrder.map(([column, xml]) => withAttribute(xml, 'r', at(row, column)));
      return `${withAttribute(head, 'r', String(row))}${written.join('')}</row>`;
    });
  const slices = sliceXml(sheet);
  const data = { name: 'sheetData', xml: `<sheetData>${rows.join('')}</sheetData>` };
  return joinXml({ ...slices, children: slices.children.map((slice) => (isData(slice) ? data : slice)) });
}

function put(grid: Grid, row: number, column: number, cell: string): void {
  const found = grid.get(row) ?? { head: `<row r="${row}">`, cells: new Map<number, string>() };
  if (cell === '') found.cells.delete(column);
  else found.cells.set(column, cell);
  grid.set(row, found);
}

const textCell = (text: string): string =>
  `<c t="inlineStr"><is><t xml:space="preserve">${escapeXml(text)}</t></is></c>`;

/** Whether a formula stands in a cell, and the cell without its result, which a refresh may leave out. */
const lasting = (cell: string): string =>
  cell.includes('<f') ? withAttribute(cell.replace(/<v>.*?<\/v>/s, ''), 't', undefined) : cell;

/** What a workbook holds: tabs by their names, and its parts. */
interface Look {
  readonly parts: ReadonlyMap<string, string>;
  readonly tabs: ReadonlyMap<string, string>;
  /** The rows of the report's tab below its header as far as our columns go, and the row each stands in. */
  readonly ours: readonly { readonly row: number; readonly cells: readonly Plain[] }[];
}

function tabsOf(parts: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const relations = new Map(
    sliceXml(parts.get('xl/_rels/workbook.xml.rels') ?? '').children.map(({ xml }) => {
      const attributes = attributesOf(xml);
      return [attributes.get('Id'), attributes.get('Target') ?? ''];
    }),
  );
  const book = sliceXml(parts.get('xl/workbook.xml') ?? '').children;
  const sheets = sliceXml(book.find(({ name }) => name === 'sheets')?.xml ?? '<sheets/>').children;
  return new Map(
    sheets.map(({ xml }) => {
      const target = relations.get(attributesOf(xml).get('id')) ?? '';
      return [attributesOf(xml).get('name') ?? '', target.startsWith('/') ? target.slice(1) : `xl/${target}`];
    }),
  );
}

const MARK = '~$season.xlsx';
const TABLE = 'xl/tables/table90.xml';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A workbook with its operator, and what a refresh has to make of it. */
class Season {
  readonly #mode: WriteMode;
  #title = 'Table';
  #made = 0;
  /** The row of totals as the last refresh wrote it. */
  #totals: readonly Plain[] | undefined;
  /** Rows that the last refresh wrote. */
  #written = 0;
  #isThere = false;
  #hasTable = false;
  #isLost = false;
  #other: readonly (readonly Plain[])[] | undefined;
  constructor(mode: WriteMode) {
    this.#mode = mode;
  }

  /** Changes the parts of the workbook as a program that saves it does. */
  async #save(change: (parts: Map<string, string>, sheet: string) => void): Promise<void> {
    const parts = new Map(await unzip(file()));
    const program = parts.get('docProps/app.xml');
    if (program !== undefined) parts.set('docProps/app.xml', program.replace('hucre', 'Microsoft Excel'));
    change(parts, tabsOf(parts).get(this.#title) ?? '');
    await writeFile(file(), makeZip(Array.from(parts, ([name, content]) => ({ name, content }))));
  }

  #saveGrid(change: (grid: Grid) => void): Promise<void> {
    return this.#save((parts, sheet) => {
      const xml = parts.get(sheet) ?? '';
      const grid = gridOf(xml);
      change(grid);
      parts.set(sheet, withGrid(xml, grid));
    });
  }

  /** Moves all rows from one on, and the ends of filters and tables with them. */
  #shift(from: number, by: number): Promise<void> {
    const moved = (xml: string): string =>
      xml.replace(/(?<=<(?:autoFilter|table)\b[^>]* ref="A1:[A-Z]+)\d+/g, (end) =>
        String(Math.max(2, Number(end) >= from ? Number(end) + by : Number(end))),
      );
    return this.#save((parts, sheet) => {
      const xml = parts.get(sheet) ?? '';
      const grid = gridOf(xml);
      const rows = [...grid].filter(([row]) => by > 0 || row !== from);
      const shifted = new Map(rows.map(([row, each]) => [row >= from ? row + by : row, each]));
      parts.set(sheet, moved(withGrid(xml, shifted)));
      const table = parts.get(TABLE);
      if (table !== undefined && this.#hasTable) parts.set(TABLE, moved(table));
    });
  }

  async edit({ kind, at: place, with: other }: Edit): Promise<void> {
    if (!this.#isThere) return;
    this.#made += 1;
    const made = this.#made;
    const last = 1 + this.#written;
    const row = 2 + (place % Math.max(1, this.#written));
    switch (kind) {
      case 'own_column':
        return this.#saveGrid((grid) => {
          const used = [...grid.values()].flatMap(({ cells }) => [...cells.keys()]);
          const column = 1 + Math.max(OURS, ...used);
          put(grid, 1, column, textCell(`Mine ${made}`));
          for (let each = 2; each <= last + 2; each += 1)
            if (each % 3 !== other % 3)
              put(
                grid,
                each,
                column,
                [`<c><f>C${each}*2</f><v>7</v></c>`, textCell(`m${made}-${each}`), '<c><v>4.5</v></c>'][
                  place % 3
                ] ?? '',
              );
        });
      case 'fill_right':
        return this.#saveGrid((grid) => {
          // A program would put a formula that others share into another cell first.
          if (grid.get(row)?.cells.get(OURS)?.includes('<f') === true) return;
          const column = OURS + 1 + (other % 2);
          const formula = `<f t="shared" ref="${at(row, OURS)}:${at(row, column)}" si="${made}">A${row}*2</f>`;
          if (grid.get(1)?.cells.has(column) !== true) put(grid, 1, column, textCell(`Mine ${made}`));
          put(grid, row, OURS, `<c>${formula}<v>1</v></c>`);
          put(grid, row, column, `<c><f t="shared" si="${made}"/><v>2</v></c>`);
        });
      case 'own_tab':
        return this.#save((parts) => {
          const sheet = `xl/worksheets/mine${made}.xml`;
          const formula =
            place % 2 === 0 ? '<row r="1"><c r="A1"><f>SUM(Table!C:C)</f><v>1</v></c></row>' : '';
          parts.set(
            sheet,
            `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${formula}${textRow(2, ['a', 2])}</sheetData></worksheet>`,
          );
          relate(parts, 'xl/_rels/workbook.xml.rels', `own${made}`, 'worksheet', `/${sheet}`);
          declare(parts, sheet, 'application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml');
          change(parts, 'xl/workbook.xml', (xml) =>
            xml.replace(
              '</sheets>',
              `<sheet xmlns:r="${RELATIONS}" name="Mine ${made}" sheetId="${900 + made}" r:id="own${made}"/></sheets>`,
            ),
          );
        });
      case 'insert_row':
        return this.#written < 2 ? undefined : this.#shift(Math.max(3, row), 1);
      case 'delete_row':
        return this.#written === 0 ? undefined : this.#shift(row, -1);
      case 'turn_rows':
        return this.#saveGrid((grid) => {
          const rows = Array.from({ length: this.#written }, (_, index) => 2 + index);
          const turned = rows.map((each) => grid.get(each));
          for (const each of rows) grid.delete(each);
          rows.forEach((each, index) => {
            const there = turned.at(-1 - index);
            if (there !== undefined) grid.set(each, there);
          });
        });
      case 'type':
        if (this.#written === 0) return;
        return this.#saveGrid((grid) => {
          const typed = [
            textCell('typed'),
            '<c><v>7</v></c>',
            '',
            '<c t="b"><v>1</v></c>',
            '<c><f>1+1</f><v>2</v></c>',
          ];
          put(grid, row, 2, typed[other % typed.length] ?? '');
        });
      case 'note':
        return this.#saveGrid((grid) => put(grid, last + 1 + (place % 3), 2, textCell(`note ${made}`)));
      case 'hide_row':
        return this.#saveGrid((grid) => {
          const found = grid.get(row);
          if (found !== undefined) found.head = withAttribute(found.head, 'hidden', '1');
        });
      case 'table':
        if (this.#hasTable || this.#written === 0 || this.#isLost) return;
        this.#hasTable = true;
        return this.#save((parts, sheet) => {
          const columns = COLUMNS.map(
            ({ header }, index) => `<tableColumn id="${index + 1}" name="${header}"/>`,
          );
          parts.set(
            TABLE,
            `<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="90" name="T90" displayName="T90" ref="A1:C${last}" totalsRowShown="0"><autoFilter ref="A1:C${last}"/><tableColumns count="3">${columns.join('')}</tableColumns></table>`,
          );
          relate(parts, relationsOf(sheet), 'table90', 'table', `/${TABLE}`);
          declare(parts, TABLE, 'application/vnd.openxmlformats-officedocument.spreadsheetml.table+xml');
          change(parts, sheet, (xml) =>
            xml
              .replace(/<autoFilter\b(?:[^>]*\/>|.*?<\/autoFilter>)/s, '')
              .replace(
                '</worksheet>',
                `<tableParts count="1"><tablePart xmlns:r="${RELATIONS}" r:id="table90"/></tableParts></worksheet>`,
              ),
          );
        });
      case 'filter':
        return this.#save((parts, sheet) =>
          change(parts, sheet, (xml) =>
            xml.replace(
              /<autoFilter ([^>]*?)\/>/,
              '<autoFilter $1><filterColumn colId="1"><filters><filter val="Reds"/></filters></filterColumn></autoFilter>',
            ),
          ),
        );
      case 'name':
        return this.#save((parts) => {
          const name = `<definedName name="My_${made}">Table!$A$1:$C$4</definedName>`;
          change(parts, 'xl/workbook.xml', (xml) =>
            xml.includes('</definedNames>')
              ? xml.replace('</definedNames>', `${name}</definedNames>`)
              : xml.replace('</sheets>', `</sheets><definedNames>${name}</definedNames>`),
          );
        });
      case 'comment':
        return this.#save((parts, sheet) => {
          const part = `xl/comments${made}.xml`;
          parts.set(
            part,
            `<comments><commentList><comment ref="B2">note ${made}</comment></commentList></comments>`,
          );
          relate(parts, relationsOf(sheet), `comment${made}`, 'comments', `/${part}`);
        });
      case 'shared_texts':
        return this.#save(shareTexts);
      case 'other_case':
        return this.#rename(this.#title === 'Table' ? 'TABLE' : 'Table');
      case 'rename_tab':
        if (place % 3 !== 0) return;
        await this.#rename(`Old ${made}`);
        this.#title = 'Table';
        this.#isThere = false;
        this.#totals = undefined;
        this.#written = 0;
        this.#isLost = false;
        // The table of the old tab keeps its part.
        this.#hasTable = false;
        return this.#save((parts) => {
          const table = parts.get(TABLE);
          if (table === undefined) return;
          const moved = TABLE.replace('90', String(100 + made));
          parts.delete(TABLE);
          parts.set(moved, table.replaceAll('90"', `${100 + made}"`));
          for (const [name, xml] of parts)
            if (name.endsWith('.rels') || name === '[Content_Types].xml')
              parts.set(name, xml.replace(TABLE, moved));
        });
      case 'lose_header':
        if (place % 3 !== 0 || this.#hasTable) return;
        this.#isLost = true;
        return this.#saveGrid((grid) => put(grid, 1, 2, textCell('Was ours')));
    }
  }

  async #rename(title: string): Promise<void> {
    await this.#save((parts) =>
      change(parts, 'xl/workbook.xml', (xml) => xml.replace(`name="${this.#title}"`, `name="${title}"`)),
    );
    this.#title = title;
  }

  async #look(): Promise<Look> {
    const parts = await unzip(file());
    const tabs = tabsOf(parts);
    if (!tabs.has(this.#title)) return { parts, tabs, ours: [] };
    const { rows } = await readTab(await readFile(file()), this.#title);
    const ours = rows
      .map(({ rowNumber, cells }) => ({
        row: rowNumber,
        cells: Array.from({ length: OURS }, (_, column) => plain(cells[column])),
      }))
      .filter(({ cells }) => cells.some((cell) => cell !== null));
    return { parts, tabs, ours };
  }

  async refresh({ rows, layout, which, trouble }: Refresh): Promise<void> {
    const bytes = await readFile(file()).catch(() => undefined);
    const isFirst = which !== 'second';
    const report = (tab: string, mode: WriteMode): ReportTab =>
      reportTab(
        { kind: 'xlsx', path: file(), tab },
        { name: tab, columns: COLUMNS, rows, options: { mode, key: ['No.'] }, layout: LAYOUTS[layout] },
      );
    const reports = [
      ...(isFirst ? [report('Table', this.#mode)] : []),
      ...(which === 'first' ? [] : [report('Other', 'replace')]),
    ];
    const mark = path.join(folder.path, MARK);
    if (trouble === 'open' && bytes !== undefined) await writeFile(mark, '');
    const comes = trouble === 'changed' && this.#isThere && !this.#isLost ? `${file()}.other` : undefined;
    if (comes !== undefined) {
      await this.edit({ kind: 'own_column', at: 1, with: 0 });
      await copyFile(file(), comes);
    }
    const before = bytes === undefined ? undefined : await this.#look();
    if (comes !== undefined) await writeFile(file(), bytes ?? '');
    const failed: unknown = await writeXlsxReport(file(), reports.map(meanwhile(comes))).then(
      () => undefined,
      (error: unknown) => error,
    );
    await rm(mark, { force: true });
    const expected =
      trouble === 'open' && bytes !== undefined
        ? 'destination.open'
        : this.#isLost && isFirst
          ? 'destination.header'
          : undefined;
    expect((failed as { code?: unknown } | undefined)?.code).toBe(expected);
    if (failed !== undefined) {
      expect(await readFile(file())).toEqual(bytes);
      if (this.#isLost && isFirst) {
        this.#isLost = false;
        await this.#saveGrid((grid) => {
          put(grid, 1, 2, textCell('Squad'));
        });
      }
      return;
    }
    const after = await this.#look();
    if (isFirst) this.#checkReport(before, after, rows, layout);
    else if (this.#isThere) expect(after.ours).toEqual(before?.ours);
    if (which !== 'first') this.#other = rows.map((row) => [...row]);
    await this.#checkOther(which, layout);
    if (before !== undefined) this.#checkTheirs(before, after, isFirst);
  }

  #checkReport(
    before: Look | undefined,
    { ours, parts, tabs }: Look,
    fresh: readonly Row[],
    layout: number,
  ): void {
    const old = (before?.ours ?? [])
      .map(({ cells }) => cells)
      .filter((cells) => JSON.stringify(cells) !== JSON.stringify(this.#totals));
    const wanted = combinedRows(this.#mode, old, fresh);
    const sorted = layout === SORTED ? wanted.toSorted((a, b) => order(a[2]) - order(b[2])) : wanted;
    const rows = ours.map(({ cells }) => cells);
    expect(rows.slice(0, sorted.length)).toEqual(sorted);
    const below = rows.slice(sorted.length);
    const hasTotals = WITH_TOTALS.includes(layout) && sorted.length > 0;
    expect(below).toHaveLength(hasTotals ? 1 : 0);
    const points = sorted.map((row) => row[2]).filter((cell) => typeof cell === 'number');
    if (hasTotals && points.length > 0)
      expect(below[0]?.[2]).toBe(
        layout === SORTED ? points.reduce((sum, each) => sum + each, 0) : Math.max(...points),
      );
    this.#totals = below[0];
    this.#written = sorted.length;
    this.#isThere = true;
    if (this.#hasTable)
      expect(attributesOf(parts.get(TABLE) ?? '').get('ref')).toBe(`A1:C${1 + Math.max(1, sorted.length)}`);
    const [, filter] =
      /<autoFilter\b[^>]* ref="([^"]*)"/.exec(parts.get(tabs.get(this.#title) ?? '') ?? '') ?? [];
    if (filter !== undefined && layout !== 2) expect(filter).toBe(`A1:C${1 + sorted.length}`);
  }

  async #checkOther(which: Refresh['which'], layout: number): Promise<void> {
    if (this.#other === undefined) return;
    const { rows } = await readTab(await readFile(file()), 'Other');
    const cells = rows.map((row) => COLUMNS.map((_, column) => plain(row.cells[column])));
    if (which !== 'first') {
      const sorted =
        layout === SORTED ? this.#other.toSorted((a, b) => order(a[2]) - order(b[2])) : this.#other;
      const filled = sorted.filter((row) => row.some((cell) => cell !== null));
      expect(cells.slice(0, filled.length)).toEqual(filled);
    } else expect(cells).toEqual(this.#other);
    this.#other = cells;
  }

  /** What is the operator's stays. */
  #checkTheirs(before: Look, after: Look, isFirst: boolean): void {
    for (const [name, part] of before.tabs) {
      if (['About', 'Charts', 'Other'].includes(name)) continue;
      const [old = '', now = ''] = [before.parts.get(part), after.parts.get(after.tabs.get(name) ?? '')];
      if (name !== this.#title) {
        expect(now.replace(/(<\/f>)<v>.*?<\/v>/g, '$1')).toBe(old.replace(/(<\/f>)<v>.*?<\/v>/g, '$1'));
        if (!old.includes('<f')) expect(now).toBe(old);
        continue;
      }
      const [was, is] = [gridOf(old), gridOf(now)];
      const filtered =
        old.includes('<filterColumn') || (before.parts.get(TABLE) ?? '').includes('<filterColumn');
      for (const [row, { head, cells }] of was) {
        if (head.includes(' hidden="1"') && !filtered && isFirst)
          expect(is.get(row)?.head).toContain(' hidden="1"');
        for (const [column, cell] of cells)
          if (column <= OURS) continue;
          else if (isFirst && cell.includes('<f t="shared"'))
            expect(is.get(row)?.cells.get(column)).toMatch(/<f>[B-C]\d+\*2<\/f>/);
          else expect(lasting(is.get(row)?.cells.get(column) ?? '')).toBe(lasting(cell));
      }
      expect(now.match(/<filterColumn.*?<\/filterColumn>/s)?.[0]).toBe(
        old.match(/<filterColumn.*?<\/filterColumn>/s)?.[0],
      );
    }
    for (const [name, content] of before.parts)
      if (/^xl\/comments/.test(name)) expect(after.parts.get(name)).toBe(content);
    for (const [name] of (before.parts.get('xl/workbook.xml') ?? '').matchAll(
      /<definedName name="My_.*?<\/definedName>/g,
    ))
      expect(after.parts.get('xl/workbook.xml')).toContain(name);
    for (const [name, content] of before.parts)
      if (/sheets\/_rels/.test(name))
        for (const [id] of content.matchAll(/Id="(?:comment|table)\d+"/g))
          expect(after.parts.get(name)).toContain(id);
  }
}

/** A report during which another program saves the workbook, once what stood there is read. */
const meanwhile =
  (comes: string | undefined) =>
  (report: ReportTab): ReportTab => ({
    ...report,
    options: {
      ...report.options,
      get timezone() {
        if (comes !== undefined && existsSync(comes)) renameSync(comes, file());
        return 'UTC';
      },
    },
  });

const order = (cell: Plain | undefined): number => (typeof cell === 'number' ? -cell : Infinity);

function change(parts: Map<string, string>, name: string, how: (xml: string) => string): void {
  parts.set(name, how(parts.get(name) ?? ''));
}

const relationsOf = (part: string): string => part.replace(/([^/]+)$/, '_rels/$1.rels');

function relate(parts: Map<string, string>, name: string, id: string, kind: string, target: string): void {
  const none =
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"></Relationships>';
  const relation = `<Relationship Id="${id}" Type="${RELATIONS}/${kind}" Target="${target}"/>`;
  parts.set(name, (parts.get(name) ?? none).replace('</Relationships>', `${relation}</Relationships>`));
}

function declare(parts: Map<string, string>, part: string, type: string): void {
  change(parts, '[Content_Types].xml', (xml) =>
    xml.replace('</Types>', `<Override PartName="/${part}" ContentType="${type}"/></Types>`),
  );
}

/** Texts of a tab's cells go where most programs keep them. */
function shareTexts(parts: Map<string, string>, sheet: string): void {
  const name = 'xl/sharedStrings.xml';
  if (!parts.has(name)) {
    parts.set(name, '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"></sst>');
    relate(parts, 'xl/_rels/workbook.xml.rels', 'texts', 'sharedStrings', `/${name}`);
    declare(parts, name, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml');
  }
  const texts = sliceXml(parts.get(name) ?? '');
  const all = texts.children.map(({ xml }) => xml);
  change(parts, sheet, (xml) =>
    xml.replace(
      /(<c\b[^>]*) t="inlineStr"([^>]*)><is>(.*?)<\/is><\/c>/gs,
      (_, a: string, b: string, text: string) => {
        all.push(`<si>${text}</si>`);
        return `${a} t="s"${b}><v>${all.length - 1}</v></c>`;
      },
    ),
  );
  parts.set(name, joinXml({ ...texts, children: all.map((xml) => ({ name: 'si', xml })) }));
}

it('over a season of refreshes and edits, a workbook has the rows of its reports, and what is the operator’s stays', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<WriteMode>('replace', 'append', 'merge'),
      fc.boolean(),
      fc.array(step, { minLength: 2, maxLength: 14 }),
      async (mode, isTheirs, steps) => {
        await rm(file(), { force: true });
        if (isTheirs)
          await writeFile(
            file(),
            handMade({ tabs: { Notes: `<sheetData>${textRow(1, ['mine'])}</sheetData>` } }),
          );
        const season = new Season(mode);
        for (const each of steps) {
          if ('edit' in each) await season.edit(each.edit);
          else await season.refresh(each.refresh);
        }
      },
    ),
    { numRuns: RUNS, ...(SEED !== undefined && { seed: Number(SEED) }) },
  );
});
