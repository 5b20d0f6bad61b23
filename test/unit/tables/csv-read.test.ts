import { Buffer } from 'node:buffer';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/model/error.ts';
import type { SourceTable } from '../../../src/model/tables/table.ts';
import { openCsv } from '../../../src/tables/csv/read.ts';
import { readCsv } from './csv-source.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'teamsheet-csv-read-'));
  await Promise.all(
    ['prices-01.csv', 'prices-02.csv', 'squads.csv', 'odd[1]*.csv', '.😀-1-12.csv', 'a'.repeat(200)].map(
      (name) => writeFile(join(folder, name), 'a\n1\n'),
    ),
  );
  await mkdir(join(folder, 'prices'));
});
afterAll(() => rm(folder, { recursive: true }));

const open = (name: string): Promise<SourceTable> =>
  openCsv(join(folder, name), { origin: `in/${name}`, headerRow: 1, delimiter: 'auto', encoding: 'auto' });

async function errorOf(work: Promise<unknown>): Promise<ConfigError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ConfigError) return error;
  throw new Error('a ConfigError was expected', { cause: error });
}

describe('the file that is opened', () => {
  test.each([
    ['none.csv', 'source.missing', 'in/none.csv: there is no such file'],
    ['nowhere/users.csv', 'source.missing', 'in/nowhere/users.csv: there is no such file'],
    ['prices', 'source.directory', 'in/prices: this is a folder, not a file'],
    ['none-*.csv', 'source.missing', 'in/none-*.csv: there is no such file'],
    ['*12.csv', 'source.missing', 'in/*12.csv: there is no such file'],
    // A regular expression would look for hours.
    [`${'*a'.repeat(50)}b`, 'source.missing', `in/${'*a'.repeat(50)}b: there is no such file`],
    ['prices-*.csv', 'source.glob', 'in/prices-*.csv: 2 files match: prices-01.csv, prices-02.csv'],
    ['prices-01.csv/x', 'source.missing', 'in/prices-01.csv/x: there is no such file'],
  ])('%s: %s', async (name, code, message) => {
    expect(await errorOf(open(name))).toMatchObject({ code, message, place: { file: `in/${name}` } });
  });

  test.each([
    ['squ*.csv', 'in/squads.csv'],
    ['prices-?2.csv', 'in/prices-02.csv'],
    ['odd[1]*.csv', 'in/odd[1]*.csv'],
    ['odd[1]?.csv', 'in/odd[1]*.csv'],
    ['.?-*12*.csv*', 'in/.😀-1-12.csv'],
  ])('%s is %s', async (name, origin) => {
    const table = await open(name);
    expect(table.origin).toBe(origin);
    await table.close();
  });

  test.each(['windows-1252', 'latin1', 'macintosh'])('UTF-8 text that is named as %s', async (encoding) => {
    const error = await errorOf(readCsv(`a\n${'x\n'.repeat(50_000)}José\n`, { encoding }));
    expect(error.code).toBe('source.encoding');
    expect(error.message).toMatch(/^users\.csv: the encoding is named as .+, but the text is UTF-8$/);
  });

  test.each<[encoding: string, bytes: number[], text: string]>([
    ['windows-1252', [0x4a, 0x6f, 0x73, 0xe9], 'José'],
    ['windows-1252', [0xd6, 0x6c, 0xe9], 'Ölé'],
    ['windows-1251', [0xd0, 0xe0, 0xea], 'Рак'],
    ['gbk', [0xc4, 0xa3], '模'],
  ])('text in %s is taken for nothing else', async (encoding, bytes, text) => {
    const { rows } = await readCsv(Buffer.from([0x61, 0x0a, ...bytes]), { encoding });
    expect(rows[0]?.cells).toEqual([text]);
  });

  test('an encoding that does not exist', async () => {
    const error = await errorOf(readCsv('a\n1\n', { encoding: 'utf-9' }));
    expect(error.message).toBe('users.csv: no encoding is called "utf-9"');
  });
});

describe('the header', () => {
  test('may stand further down', async () => {
    const { header, rows } = await readCsv('Club list;2026\n\nMember ID,Name\nu1,Ana\n', { headerRow: 3 });
    expect(header).toEqual(['Member ID', 'Name']);
    expect(rows).toEqual([{ rowNumber: 4, cells: ['u1', 'Ana'] }]);
  });

  test('that is blank names header_row', async () => {
    const error = await errorOf(readCsv('\nMember ID\nu1\n'));
    expect(error.message).toBe('users.csv: no header in row 1, the row is empty');
    expect(error.next).toBe('Delete the empty rows, or write header_row: 2 on the source.');
  });

  test('is trimmed and composed', async () => {
    expect((await readCsv(' Nom\u00a0,Ge\u0301ne\u0301ral\n')).header).toEqual(['Nom', 'Général']);
  });

  test('may hold quoted separators and line breaks', async () => {
    const { header, rows } = await readCsv('"Name; first, last\nor nick";B\nAna;2\n');
    expect(header).toEqual(['Name; first, last\nor nick', 'B']);
    expect(rows).toEqual([{ rowNumber: 3, cells: ['Ana', '2'] }]);
  });

  test('too far down for a separator to be found is refused, unless it is named', async () => {
    const text = `${'note\n'.repeat(20_000)}a;b\n1;2\n`;
    const error = await errorOf(readCsv(text, { headerRow: 20_001 }));
    expect(error.message).toBe('users.csv row 20001: too far down to find the separator');
    expect((await readCsv(text, { headerRow: 20_001, delimiter: ';' })).header).toEqual(['a', 'b']);
  });

  test.each([
    ['a\0,b', 'users.csv row 1: column 1 of the header holds the control character U+0000'],
    ['a,b\u001b[31m', 'users.csv row 1: column 2 of the header holds the control character U+001B'],
  ])('with a control character is refused', async (line, message) => {
    expect((await errorOf(readCsv(`${line}\n1,2\n`))).message).toBe(message);
  });

  test('a separator that the mapping names wins', async () => {
    expect((await readCsv('a;b,c\n1;2,3\n', { delimiter: ',' })).header).toEqual(['a;b', 'c']);
  });
});

describe('a large file', () => {
  const line = (row: number): string =>
    row % 5 === 0 ? `u${row},"é👩 ${row}\r\nof ""many"""` : `u${row},é👩 ${row}`;
  const text = `key,name\n${Array.from({ length: 20_000 }, (_, index) => `${line(index)}\n`).join('')}`;

  test.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le')],
  ])('keeps every character and row number across its chunks: %s', async (_, bytes) => {
    const { rows } = await readCsv(bytes);
    expect(rows).toHaveLength(20_000);
    let rowNumber = 2;
    rows.forEach((row, index) => {
      const quoted = index % 5 === 0;
      const name = quoted ? `é👩 ${index}\r\nof "many"` : `é👩 ${index}`;
      if (row.rowNumber !== rowNumber || row.cells[1] !== name)
        throw new Error(`row ${row.rowNumber}: ${JSON.stringify(row.cells[1])}`);
      rowNumber += quoted ? 2 : 1;
    });
  });

  test('39: streams in batches of some thousands', async () => {
    const path = join(folder, 'large.csv');
    await writeFile(path, text);
    const table = await open('large.csv');
    const sizes: number[] = [];
    for await (const batch of table.batches()) sizes.push(batch.length);
    expect(sizes.length).toBeGreaterThan(5);
    expect(Math.max(...sizes)).toBeLessThan(10_000);
  });

  test('a byte that is no text is found far into the file', async () => {
    const bytes = Buffer.concat([
      Buffer.from(text),
      Buffer.from('x,caf'),
      Buffer.from([0xe9]),
      Buffer.from('\n'),
    ]);
    const error = await errorOf(readCsv(bytes));
    const lines = text.split('\n').length;
    expect(error.message).toBe(
      `users.csv line ${lines}, byte 6 (offset ${Buffer.byteLength(text) + 5}): E9 is not UTF-8`,
    );
  });

  test('a row that does not end is told, and the rows after it are not lost without a word', async () => {
    const rows = [Buffer.from('a,b\n1,'), Buffer.alloc(65 * 1024 * 1024, 'x'), Buffer.from('\n2,y\n')];
    const error = await errorOf(readCsv(Buffer.concat(rows)));
    expect(error.code).toBe('source.row');
    expect(error.message).toBe(
      'users.csv line 2: the row goes on for more than 64 MB, so the rows after it cannot be told',
    );
  });

  test.each([
    [
      'closed',
      '"\n2,y\n',
      'source.row',
      'the row goes on for more than 64 MB, so the rows after it cannot be told',
    ],
    ['never closed', '\n2,y\n', 'source.quote', 'a quotation mark opens a cell here and is never closed'],
  ])('a cell of more than 64 MB whose quote is %s is called so', async (_, rest, code, problem) => {
    const rows = [Buffer.from('a,b\n1,"'), Buffer.alloc(65 * 1024 * 1024, 'x'), Buffer.from(rest)];
    const error = await errorOf(readCsv(Buffer.concat(rows)));
    expect(error).toMatchObject({ code, message: expect.stringContaining(problem) as string });
    expect(error.message).toContain('users.csv line 2');
  });

  test('a reader that stops early lets go of the file', async () => {
    const path = join(folder, 'stop.csv');
    await writeFile(path, text);
    const table = await open('stop.csv');
    for await (const batch of table.batches()) if (batch.length > 0) break;
    await expect(table.close()).resolves.toBeUndefined();
  });
});
