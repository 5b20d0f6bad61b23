import { Buffer } from 'node:buffer';
import { mkdir, readFile, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { UnavailableError } from '../../src/model/error.ts';
import type { ReportColumn, ReportValue, WriteOptions } from '../../src/model/tables/table.ts';
import { writeCsvReport } from '../../src/tables/csv/write.ts';
import { runs } from '../support/long.ts';
import { combinedRows, PLAIN } from '../support/report-tab.ts';
import { testFolder } from '../support/test-folder.ts';

const RUNS = runs(60, 4000);
const SEED = process.env['TEAMSHEET_SEED'];

const folder = testFolder();

/** Headers of reports; the first is the key. */
const HEADERS = [
  ['No.', 'Squad', 'Points'],
  ['Nume\u0301ro', '=Squad', 'Points, all'],
  [' No. ', 'a "b"', 'two\nlines'],
] as const;
const TYPES = ['integer', 'text', 'number'] as const;
const LONG = 'x'.repeat(70_000);
const TEXTS = [
  ...['Reds', '=1+1', '00123', "'x", 'a,b', 'a;b', 'a\tb', 'say "hi"', 'two\nlines', 'two\r\nlines', ' a '],
  ...[
    '\u0627\u0644\u0623\u0647\u0644\u064A',
    '\u{1F469}\u200D\u{1F680}',
    'nul\0',
    'half \uD83D',
    '\uFEFFmark',
    LONG,
    '',
    null,
  ],
];

type WriteMode = WriteOptions['mode'];
type Table = readonly (readonly string[])[];
type Row = readonly [number, string | null, number | null];

/** How a program of the operator saves the file. */
const FORMS = [
  { separator: ',', end: '\n', encoding: 'utf-8' },
  { separator: ',', end: '\r\n', encoding: 'utf-8 with a mark' },
  { separator: ',', end: '\r', encoding: 'utf-8' },
  { separator: ',', end: '\r\n', encoding: 'utf-16le with a mark' },
  { separator: ';', end: '\r\n', encoding: 'utf-8 with a mark' },
  { separator: '\t', end: '\r\n', encoding: 'utf-16le with a mark' },
  { separator: ',', end: '\r\n', encoding: 'latin1' },
] as const;
type Form = (typeof FORMS)[number];

/** What an operator does. */
const KINDS = [
  ...(['save_as', 'sort', 'insert_row', 'delete_row', 'blank_row', 'twin_row', 'type', 'totals'] as const),
  ...([
    'own_column',
    'move_column',
    'rename_column',
    'cut_row',
    'long_row',
    'delete',
    'empty',
    'folder',
    'link',
  ] as const),
] as const;
interface Edit {
  readonly kind: (typeof KINDS)[number];
  readonly at: number;
  readonly with: number;
}
interface Refresh {
  readonly rows: readonly Row[];
  readonly excel: boolean;
  /** What comes between while its rows are pulled. */
  readonly meanwhile: 'edit' | 'failure' | 'other_report' | undefined;
  /** Whether the operator moves the file away where it was refused. */
  readonly repairs: boolean;
}
type Step = { readonly edit: Edit } | { readonly refresh: Refresh };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ edit: fc.record({ kind: fc.constantFrom(...KINDS), at: fc.nat(20), with: fc.nat(20) }) }),
  fc.record({
    refresh: fc.record({
      rows: fc.uniqueArray(
        fc.tuple(fc.nat(9), fc.constantFrom(...TEXTS), fc.constantFrom(0, 1, 2.5, -3, 1e21, null)),
        { selector: ([key]) => key, maxLength: 7 },
      ),
      excel: fc.boolean(),
      meanwhile: fc.option(fc.constantFrom('edit', 'failure', 'other_report'), { freq: 4, nil: undefined }),
      repairs: fc.boolean(),
    }),
  }),
);

const quoted = (cell: string, separator: string): string =>
  cell.includes(separator) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

const textOf = (table: Table, { separator, end }: Pick<Form, 'separator' | 'end'>): string =>
  table.map((row) => `${row.map((cell) => quoted(cell, separator)).join(separator)}${end}`).join('');

/** What such a file has no letter for becomes a question mark. */
const inLatin = (text: string): string => text.replaceAll(/[^\0-\xff]/gu, '?');

function bytesOf(table: Table, form: Form): Buffer {
  const text = textOf(table, form);
  switch (form.encoding) {
    case 'utf-8':
      return Buffer.from(text);
    case 'utf-8 with a mark':
      return Buffer.from(`\uFEFF${text}`);
    case 'utf-16le with a mark':
      return Buffer.from(`\uFEFF${text}`, 'utf16le');
    case 'latin1':
      return Buffer.from(inLatin(text), 'latin1');
  }
}

/** A text as it stands in a file of text, which no spreadsheet evaluates. */
const shown = (value: ReportValue): string =>
  typeof value === 'string'
    ? value
        .replace(/^[=+\-@\t\r\n]/, "'$&")
        .replaceAll('\0', '\uFFFD')
        .toWellFormed()
    : String(value ?? '');

/** What another report brings into the file. */
const OTHERS: readonly Row[] = [
  [1, 'Other', 2],
  [77, null, 0],
];
const nothing = (): Promise<void> => Promise.resolve();

/** A report in a file with its operator, and what a refresh has to make of it. */
class Season {
  readonly #mode: WriteMode;
  readonly #columns: readonly ReportColumn[];
  readonly #header: readonly string[];
  readonly #file: string;
  /** What stands in the file, by how it was saved; undefined where no file is. */
  #stands: { readonly table: Table; readonly form: Form } | undefined;
  #made = 0;
  constructor(place: string, mode: WriteMode, headers: readonly string[]) {
    this.#mode = mode;
    this.#file = path.join(place, 'report.csv');
    this.#columns = headers.map((header, index) => ({ header, type: TYPES[index] ?? 'text' }));
    this.#header = headers.map(shown);
  }

  async edit({ kind, at, with: other }: Edit): Promise<void> {
    if (this.#stands === undefined) return;
    const { table, form } = this.#stands;
    if (table.length === 0 && kind !== 'delete' && kind !== 'folder') return;
    const [header = [], ...rows] = table;
    const row = at % Math.max(1, rows.length);
    const column = at % Math.max(1, header.length);
    this.#made += 1;
    const saved = (changed: Table, by: Form = form): Promise<void> => this.#save(changed, by);
    switch (kind) {
      case 'save_as':
        return saved(other % 2 === 0 ? table : table.map(withoutEnd), FORMS[at % FORMS.length]);
      case 'sort':
        return saved([header, ...rows.toSorted((a, b) => ((a[column] ?? '') < (b[column] ?? '') ? -1 : 1))]);
      case 'insert_row':
        return saved([
          header,
          ...rows.toSpliced(
            row,
            0,
            header.map((_, index) => `mine ${this.#made}-${index}`),
          ),
        ]);
      case 'delete_row':
        return saved([header, ...rows.toSpliced(row, 1)]);
      case 'blank_row':
        return saved([
          header,
          ...rows.toSpliced(
            row,
            0,
            header.map(() => (other % 2 === 0 ? '' : ' ')),
          ),
        ]);
      case 'twin_row':
        return saved([header, ...rows, ...rows.slice(row, row + 1)]);
      case 'type':
        return saved([
          header,
          ...rows.map((cells, index) =>
            index === row ? as(header, cells).with(column % header.length, `typed\n${this.#made}`) : cells,
          ),
        ]);
      case 'totals':
        return saved([header, ...rows, header.map((_, index) => (index === 0 ? 'Total' : '0,5'))]);
      case 'own_column':
        return saved(table.map((cells, index) => [...cells, index === 0 ? `Mine ${this.#made}` : 'm']));
      case 'move_column':
        return saved(table.map((cells) => [...cells.slice(1), ...cells.slice(0, 1)]));
      case 'rename_column':
        return saved([header.with(column, `Renamed ${this.#made}`), ...rows]);
      case 'cut_row':
        return saved([header, ...rows.map((cells, index) => (index === row ? cells.slice(0, -1) : cells))]);
      case 'long_row':
        return saved([header, ...rows.map((cells, index) => (index === row ? [...cells, 'mine'] : cells))]);
      case 'delete':
        return this.#remove();
      case 'empty':
        await writeFile(this.#file, '');
        this.#stands = { table: [], form };
        return;
      case 'folder':
        await this.#remove();
        await mkdir(this.#file);
        return;
      case 'link': {
        const named = path.join(path.dirname(this.#file), `real-${this.#made}.csv`);
        await rename(this.#file, named);
        await symlink(path.basename(named), this.#file);
        return;
      }
    }
  }

  async #save(table: Table, form: Form): Promise<void> {
    await writeFile(this.#file, bytesOf(table, form));
    const lost = (cell: string): string => (form.encoding === 'latin1' ? inLatin(cell) : cell.toWellFormed());
    this.#stands = { table: table.map((row) => row.map(lost)), form };
  }

  async #remove(): Promise<void> {
    await rm(this.#file, { recursive: true });
    this.#stands = undefined;
  }

  /** What stands in the folder but drafts: the bytes of each file. */
  async #look(): Promise<unknown> {
    const place = path.dirname(this.#file);
    const names = (await readdir(place)).filter((name) => !name.endsWith('.tmp')).toSorted();
    const read = (name: string): Promise<string> =>
      readFile(path.join(place, name), 'base64').catch(() => 'a folder');
    return Promise.all(names.map(async (name) => [name, await read(name)] as const));
  }

  async #write(rows: readonly Row[], excel: boolean, meanwhile: () => Promise<void>): Promise<unknown> {
    const pulled = async function* (): AsyncGenerator<readonly Row[]> {
      yield rows.slice(0, 2);
      await meanwhile();
      yield rows.slice(2);
    };
    const options = {
      ...PLAIN,
      mode: this.#mode,
      excel,
      key: this.#columns.slice(0, 1).map(({ header }) => header),
    };
    try {
      const count = await writeCsvReport(
        this.#file,
        { name: 'report', columns: this.#columns, rows: pulled() },
        options,
      );
      expect(count).toBe(rows.length);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  async refresh({ rows, excel, meanwhile, repairs }: Refresh): Promise<void> {
    const isFolder =
      this.#stands === undefined && (await readdir(this.#file).catch(() => undefined)) !== undefined;
    const refused = isFolder ? /^destination\.(?:unwritable|damaged)$/ : this.#refusal();
    const isOther = meanwhile === 'other_report' && refused === undefined;
    let before = await this.#look();
    const failure = new Error('no more rows');
    const wasThere = this.#stands !== undefined && this.#stands.table.length > 0;
    const error = await this.#write(rows, excel, async () => {
      if (meanwhile === 'failure') throw failure;
      if (meanwhile === 'edit') {
        await this.edit({ kind: 'insert_row', at: 0, with: 0 });
        before = await this.#look();
      }
      if (isOther) {
        expect(await this.#write(OTHERS, false, nothing)).toBeUndefined();
        await this.#check(OTHERS, false);
        before = await this.#look();
      }
    });
    expect((await readdir(path.dirname(this.#file))).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    const isLate = (isOther || (meanwhile === 'edit' && wasThere)) && this.#mode !== 'replace';
    const possible = [
      ...(refused === undefined ? [] : [refused]),
      ...(isLate ? [/^destination\.changed$/] : []),
    ];
    // Where a fault of the old rows stands after the pulled ones, it may not be met any more.
    if (meanwhile === 'failure' && (refused === undefined || error === failure)) expect(error).toBe(failure);
    else if (possible.length > 0)
      expect(
        possible.filter((code) => error instanceof UnavailableError && code.test(error.code)),
      ).not.toEqual([]);
    else {
      expect(error).toBeUndefined();
      return this.#check(rows, excel);
    }
    expect(await this.#look()).toEqual(before);
    if (!repairs) return;
    if (isFolder) await rm(this.#file, { recursive: true });
    else if (this.#stands !== undefined) await this.#remove();
  }

  /** Why the rows in the file cannot be kept, where they are to be. */
  #refusal(): RegExp | undefined {
    if (this.#mode === 'replace' || this.#stands === undefined) return undefined;
    const { table, form } = this.#stands;
    const [header, ...rows] = table;
    if (header === undefined) return undefined;
    const isAscii = /^[\0-\x7f]*$/.test(table.flat().join(''));
    if (form.encoding === 'latin1' && !isAscii) return /^destination\.damaged$/;
    const spelt = (names: readonly string[]): string =>
      JSON.stringify(
        names.map((name) =>
          name
            .trim()
            .normalize('NFC')
            .replaceAll(/\r\n|\r/g, '\n'),
        ),
      );
    const isOurs = spelt(header) === spelt(this.#header);
    if (form.separator !== ',') return isOurs ? /^destination\.header$/ : /^destination\.(?:header|damaged)$/;
    if (!isOurs) return /^destination\.header$/;
    return filled(rows).some(({ length }) => length > header.length) ? /^destination\.damaged$/ : undefined;
  }

  async #check(rows: readonly Row[], excel: boolean): Promise<void> {
    const old = filled(this.#stands?.table.slice(1) ?? []).map((row) => as(this.#header, row));
    const fresh = rows.map((row) => row.map(shown));
    const table = [this.#header, ...combinedRows(this.#mode, old, fresh)];
    const form = FORMS[excel ? 1 : 0];
    this.#stands = { table, form: { ...form, end: '\n' } as Form };
    const text = await readFile(this.#file, 'utf8');
    expect(text).toBe(`${excel ? '\uFEFF' : ''}${textOf(table, FORMS[0])}`);
  }
}

/** A row with as many cells as the header has: those that it lacks are blank. */
const as = (header: readonly string[], row: readonly string[]): readonly string[] =>
  header.map((_, index) => row[index] ?? '').concat(row.slice(header.length));

/** A row as Excel saves it: blank cells at its end are left out. */
const withoutEnd = (row: readonly string[]): readonly string[] =>
  row.slice(0, 1 + row.findLastIndex((cell) => cell !== ''));

/** Blank rows are none. */
const filled = (rows: Table): Table => rows.filter((row) => row.some((cell) => cell.trim() !== ''));

it('over a season of refreshes and edits, a file has the rows of its report and those it had, or is as it was', async () => {
  let made = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<WriteMode>('replace', 'append', 'merge'),
      fc.constantFrom(...HEADERS),
      fc.array(step, { minLength: 2, maxLength: 12 }),
      async (mode, headers, steps) => {
        const place = path.join(folder.path, String(made++));
        await mkdir(place);
        const season = new Season(place, mode, headers);
        for (const each of steps) {
          if ('edit' in each) await season.edit(each.edit);
          else await season.refresh(each.refresh);
        }
        await rm(place, { recursive: true });
      },
    ),
    { numRuns: RUNS, ...(SEED !== undefined && { seed: Number(SEED) }) },
  );
});
