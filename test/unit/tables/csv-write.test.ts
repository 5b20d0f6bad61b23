import { execFileSync } from 'node:child_process';
import { readFile, readdir, stat, symlink, writeFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../../../src/model/error.ts';
import type { ReportColumn, ReportValue, WriteOptions } from '../../../src/model/tables/table.ts';
import { writeCsvFile, writeCsvReport } from '../../../src/tables/csv/write.ts';
import { batchesOf, column, PLAIN } from '../../support/report-tab.ts';
import { testFolder } from '../../support/test-folder.ts';

const folder = testFolder();

async function written(
  columns: readonly ReportColumn[],
  rows: readonly (readonly ReportValue[])[],
  options: Partial<WriteOptions> = {},
  old?: string,
  name = 'report.csv',
): Promise<string> {
  const file = path.join(folder.path, name);
  if (old !== undefined) await writeFile(file, old);
  await writeCsvReport(file, { name: 'report', columns, rows: batchesOf(rows) }, { ...PLAIN, ...options });
  return readFile(file, 'utf8');
}

describe('cells', () => {
  it('writes a header even with no rows, with a final newline', async () => {
    expect(await written([column('id'), column('name')], [])).toBe('id,name\n');
  });

  it('writes null as empty, numbers as digits, truth values as words', async () => {
    const columns = [column('a'), column('b', 'number'), column('c', 'boolean'), column('d', 'integer')];
    expect(
      await written(columns, [
        [null, -7.5, true, 12],
        ['', 0, false, -3],
      ]),
    ).toBe('a,b,c,d\n,-7.5,true,12\n,0,false,-3\n');
  });

  it('quotes what needs it and keeps the order of the rows', async () => {
    const rows = [['plain'], ['a,b'], ['say "hi"'], ['two\nlines'], ['carriage\rreturn'], ['last'], [null]];
    expect(await written([column('x')], rows)).toBe(
      'x\nplain\n"a,b"\n"say ""hi"""\n"two\nlines"\n"carriage\rreturn"\nlast\n""\n',
    );
  });

  it('separates the cells of a .tsv file by TABs, also where old rows stay', async () => {
    const columns = [column('a'), column('b')];
    const rows = [['a,b', 'two\tcells']];
    const expected = 'a\tb\na,b\t"two\tcells"\n';
    expect(await written(columns, rows, {}, undefined, 'report.tsv')).toBe(expected);
    const merge = { mode: 'merge', key: ['a'] } as const;
    expect(await written(columns, rows, merge, 'a\tb\na,b\told\nc\td\n', 'report.TSV')).toBe(
      `${expected}c\td\n`,
    );
  });

  it('begins with a byte order mark for Excel', async () => {
    expect(await written([column('x')], [['é']], { excel: true })).toBe('\uFEFFx\né\n');
  });

  const dangerous = ['=1+1', '+1', '-1', '@x', '\tx', '\rx', '\nx', '＝1', '＋1', '－1', '＠x'];
  it.each(dangerous)('escapes %j as a cell and as a header', async (text) => {
    const quoted = (value: string): string => (/[\r\n]/.test(value) ? `"${value}"` : value);
    expect(await written([column(text)], [[text]])).toBe(`${quoted(`'${text}`)}\n${quoted(`'${text}`)}\n`);
  });

  it('leaves text alone where formulas are raw, and apostrophes and later signs always', async () => {
    expect(await written([column('x')], [['=1+1']], { formulas: 'raw' })).toBe('x\n=1+1\n');
    expect(await written([column('x')], [["'=1"], ['1-2'], [' =1']])).toBe("x\n'=1\n1-2\n =1\n");
  });

  it('escapes text that stands in a column of numbers', async () => {
    expect(await written([column('n', 'number')], [['-x'], [-1]])).toBe("n\n'-x\n-1\n");
  });
});

describe('dates', () => {
  it.each([
    ['2026-08-14T19:00:00.000Z', '2026-08-14T19:00:00Z'],
    ['2026-08-14T21:00:00+02:00', '2026-08-14T19:00:00Z'],
    ['2026-08-14T19:00:00.120Z', '2026-08-14T19:00:00.12Z'],
    ['2026-08-14T19:00:00.123456789Z', '2026-08-14T19:00:00.123456789Z'],
    ['2026-08-14 19:00', '2026-08-14T19:00:00Z'],
    ['2026-08-14', '2026-08-14T00:00:00Z'],
    ['2026-02-30T00:00:00Z', '2026-02-30T00:00:00Z'],
    ['next Friday', 'next Friday'],
    ['=soon', "'=soon"],
  ])('writes %s as %s', async (text, expected) => {
    expect(await written([column('at', 'datetime')], [[text]])).toBe(`at\n${expected}\n`);
  });

  it.each([
    ['yyyy-mm-dd hh:mm', '2026-08-14 20:05'],
    ['d mmm yyyy', '14 Aug 2026'],
    ['dddd, mmmm dd', '"Friday, August 14"'],
    ['h:mm AM/PM', '8:05 PM'],
    ['mm:ss', '05:09'],
    ['dd.mm.yy "at" h\\h', '14.08.26 at 20h'],
  ])('formats by %s in the zone', async (format, expected) => {
    const options = { timezone: 'Europe/London' };
    expect(await written([column('at', 'datetime', format)], [['2026-08-14T19:05:09Z']], options)).toBe(
      `at\n${expected}\n`,
    );
  });

  it('follows daylight saving', async () => {
    const columns = [column('at', 'datetime', 'hh:mm')];
    const rows = [['2026-10-25T00:30:00Z'], ['2026-10-25T01:30:00Z']];
    expect(await written(columns, rows, { timezone: 'Europe/London' })).toBe('at\n01:30\n01:30\n');
  });
});

describe('append and merge', () => {
  const columns = [column('id'), column('points', 'integer')];
  const old = 'id,points\na,1\nb,2\n"c,d",3\n';

  it('appends to the old rows, or to nothing', async () => {
    expect(await written(columns, [['e', 5]], { mode: 'append' }, old)).toBe(`${old}e,5\n`);
    expect(await written(columns, [['e', 5]], { mode: 'append' }, '')).toBe('id,points\ne,5\n');
  });

  it.each(['append', 'merge'] as const)('%s keeps a row whose text had a NUL character', async (mode) => {
    const options = { mode, key: ['id'] };
    const first = await written(columns, [['a\0b', 1]], options);
    expect(first).toBe('id,points\na\uFFFDb,1\n');
    const again = await written(columns, [['a\0b', 2]], options, first);
    expect(again).toBe(`${mode === 'merge' ? 'id,points\n' : first}a\uFFFDb,2\n`);
  });

  it.each(['append', 'merge'] as const)(
    '%s finds a header that is typed in two pieces a letter',
    async (mode) => {
      const typed = [column('Nume\u0301ro'), column('=a')];
      const options = { mode, key: ['Nume\u0301ro'] };
      const first = await written(typed, [['a', 'b']], options);
      expect(await written(typed, [['c', 'd']], options, first)).toBe(`${first}c,d\n`);
    },
  );

  it('merges a key with half a character, and a date that is none with a NUL character', async () => {
    const options = { mode: 'merge', key: ['id', 'at'] } as const;
    const given = [column('id'), column('at', 'datetime')];
    const first = await written(given, [['\uD83D', 'x\0']], options);
    expect(first).toBe('id,at\n\uFFFD,x\uFFFD\n');
    expect(await written(given, [['\uD83D', 'x\0']], options, first)).toBe(first);
  });

  it.each([
    ['report.csv', 'id;points\r\na;1\r\n', 'semicolon', 'comma'],
    ['report.csv', 'id;points\na;1\n"b;c";2\n', 'semicolon', 'comma'],
    ['report.csv', '\uFEFFid\tpoints\na\t1\n', 'TAB', 'comma'],
    ['report.tsv', 'id,points\na,1\n', 'comma', 'TAB'],
  ])('says of %s %j by what its cells are separated', async (name, before, theirs, ours) => {
    const file = path.join(folder.path, name);
    await expect(written(columns, [['e', 5]], { mode: 'append' }, before, name)).rejects.toMatchObject({
      code: 'destination.header',
      message: `the cells of ${file} are separated by ${theirs}, those of the report by ${ours}: its rows cannot be added to the old ones`,
      next: `Save the file with a ${ours} between its cells, or move it away, then run the same command again.`,
    });
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  it('says that the file changed where it is half the old one, half the new one', async () => {
    const file = path.join(folder.path, 'report.csv');
    await writeFile(file, 'id,points\na,1,2\n');
    const rows = async function* (): AsyncGenerator<readonly (readonly ReportValue[])[]> {
      await writeFile(file, 'id,points\na,1\n');
      yield [['c', 3]];
    };
    const table = { name: 'report', columns, rows: rows() };
    await expect(writeCsvReport(file, table, { ...PLAIN, mode: 'merge', key: ['id'] })).rejects.toMatchObject(
      { code: 'destination.changed' },
    );
  });

  it.each(['append', 'merge'] as const)(
    '%s loses no row that somebody else writes meanwhile',
    async (mode) => {
      const file = path.join(folder.path, 'report.csv');
      const theirs = 'id,points\na,1\nb,2\n';
      await writeFile(file, 'id,points\na,1\n');
      const rows = async function* (): AsyncGenerator<readonly (readonly ReportValue[])[]> {
        await writeFile(file, theirs);
        yield [['c', 3]];
      };
      const table = { name: 'report', columns: [column('id'), column('points', 'integer')], rows: rows() };
      await expect(writeCsvReport(file, table, { ...PLAIN, mode, key: ['id'] })).rejects.toMatchObject({
        code: 'destination.changed',
      });
      expect(await readFile(file, 'utf8')).toBe(theirs);
      expect(await readdir(folder.path)).toEqual(['report.csv']);
    },
  );

  it('merges by key: replaces in place, keeps the rest, adds the new at the end', async () => {
    const rows = [
      ['z', 9],
      ['c,d', 30],
      ['a', 10],
    ];
    const options = { mode: 'merge', key: ['id'] } as const;
    expect(await written(columns, rows, options, old)).toBe('id,points\na,10\nb,2\n"c,d",30\nz,9\n');
  });

  it.each(['append', 'merge'] as const)(
    '%s takes a row whose last cells Excel left out for one with blank cells at its end',
    async (mode) => {
      const wide = [column('id'), column('note'), column('points')];
      const before = 'id,note,points\r\na\r\n"b, c"\r\nd,x\r\n';
      expect(await written(wide, [['e', 'y', 1]], { mode, key: ['id'] }, before)).toBe(
        'id,note,points\na,,\n"b, c",,\nd,x,\ne,y,1\n',
      );
    },
  );

  it('finds escaped keys again', async () => {
    const options = { mode: 'merge', key: ['id'] } as const;
    const first = await written(columns, [['=x', 1]], options);
    expect(await written(columns, [['=x', 2]], options)).toBe(first.replace(',1', ',2'));
  });

  it.each([
    ['another header', columns, ['id'], 'id,goals\na,1\n', 'destination.header'],
    ['a key that is no column', columns, ['name'], old, 'destination.key'],
    ['no key', columns, [], old, 'destination.key'],
    ['a key that stands twice', [column('id'), column('points')], ['points'], old, 'destination.key'],
    ['an unclosed quote', columns, ['id'], 'id,points\na,1\n"b,2\n', 'destination.damaged'],
    ['a fault in the header', columns, ['id'], 'id,id\na,1\n', 'destination.damaged'],
    ['a row that is too long', columns, ['id'], 'id,points\na,1,2\n', 'destination.damaged'],
    ['a NUL in a short row', columns, ['id'], 'id,points\na\0\n', 'destination.damaged'],
  ])('refuses %s and keeps the file', async (_, given, key, before, code) => {
    const rows = [
      ['x', '1'],
      ['y', '1'],
    ];
    await expect(written(given, rows, { mode: 'merge', key }, before)).rejects.toMatchObject({
      code,
      exitCode: 8,
    });
    expect(await readFile(path.join(folder.path, 'report.csv'), 'utf8')).toBe(before);
  });
});

describe('the file', () => {
  const header = ['a'];

  it('makes its folder, counts rows and leaves nothing else', async () => {
    const file = path.join(folder.path, 'out', 'deep', 'r.csv');
    expect(await writeCsvFile(file, header, batchesOf([['1'], ['2']], [['3']]))).toBe(3);
    expect(await readFile(file, 'utf8')).toBe('a\n1\n2\n3\n');
    expect(await readdir(path.dirname(file))).toEqual(['r.csv']);
  });

  it('keeps the old file and no temporary one when the rows fail', async () => {
    const file = path.join(folder.path, 'r.csv');
    await writeFile(file, 'old\n');
    const failing = async function* () {
      yield await Promise.resolve([['x'.repeat(100_000)]]);
      throw new Error('no more');
    };
    await expect(writeCsvFile(file, header, failing())).rejects.toThrow('no more');
    expect(await readdir(folder.path)).toEqual(['r.csv']);
    expect(await readFile(file, 'utf8')).toBe('old\n');
  });

  it('is private where asked, and follows the umask where not', async () => {
    const [secret, open] = [path.join(folder.path, 'p.csv'), path.join(folder.path, 'o.csv')];
    await writeCsvFile(secret, header, batchesOf(), { mode: 0o600 });
    await writeCsvFile(open, header, batchesOf());
    const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;
    expect(await modeOf(secret)).toBe(0o600);
    const usual = path.join(folder.path, 'usual');
    await writeFile(usual, '');
    expect(await modeOf(open)).toBe(await modeOf(usual));
  });

  it('follows a link inside its folder and refuses one that leads out', async () => {
    await mkdir(path.join(folder.path, 'out'));
    const real = path.join(folder.path, 'out', 'real.csv');
    const link = path.join(folder.path, 'out', 'latest.csv');
    await writeFile(real, 'old\n');
    await symlink('real.csv', link);
    await writeCsvFile(link, header, batchesOf());
    expect(await readFile(real, 'utf8')).toBe('a\n');
    expect((await readdir(path.join(folder.path, 'out'))).toSorted()).toEqual(['latest.csv', 'real.csv']);

    const outside = path.join(folder.path, 'precious.csv');
    await writeFile(outside, 'precious\n');
    for (const target of [outside, path.join(folder.path, 'missing.csv')]) {
      const planted = path.join(folder.path, 'out', `planted-${path.basename(target)}`);
      await symlink(target, planted);
      await expect(writeCsvFile(planted, header, batchesOf())).rejects.toMatchObject({
        code: 'destination.symlink',
      });
    }
    expect(await readFile(outside, 'utf8')).toBe('precious\n');
  });

  it.skipIf(process.platform === 'win32')('puts no file in the place of a pipe', async () => {
    const pipe = path.join(folder.path, 'pipe');
    execFileSync('mkfifo', [pipe]);
    await symlink('pipe', path.join(folder.path, 'link'));
    for (const file of [pipe, path.join(folder.path, 'link')])
      await expect(writeCsvFile(file, header, batchesOf())).rejects.toMatchObject({
        code: 'destination.unwritable',
        message: `cannot write ${file}: it is a pipe, not a file; it was left as it is`,
      });
    expect((await stat(pipe)).isFIFO()).toBe(true);
    expect((await readdir(folder.path)).toSorted()).toEqual(['link', 'pipe']);
  });

  it('names the file that cannot be written, before it asks for rows', async () => {
    const blocked = path.join(folder.path, 'file');
    await writeFile(blocked, '');
    let asked = false;
    const rows = async function* () {
      asked = true;
      yield await Promise.resolve([['1']]);
    };
    const file = path.join(blocked, 'r.csv');
    await expect(writeCsvFile(file, header, rows())).rejects.toSatisfy(
      (error) =>
        error instanceof UnavailableError &&
        error.code === 'destination.unwritable' &&
        error.message.includes(file),
    );
    expect(asked).toBe(false);
    const taken = path.join(folder.path, 'taken');
    await mkdir(path.join(taken, 'inner'), { recursive: true });
    await expect(writeCsvFile(taken, header, batchesOf())).rejects.toMatchObject({
      code: 'destination.unwritable',
    });
    expect((await readdir(folder.path)).toSorted()).toEqual(['file', 'taken']);
  });
});
