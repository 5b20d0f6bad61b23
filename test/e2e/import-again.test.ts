import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { program } from '../support/program.ts';
import { handMade, textRow } from '../support/workbook.ts';

const { folder, run } = program({}, { here: true, service: {} });

/** Imports a file of users whose headers are those of these tests. */
const importUsers = (file: string, ...flags: readonly string[]) =>
  run('import', file, '--as', 'users', '--match', 'ID=external_id', '--match', 'Name=display_name', ...flags);

const LONG = 'x'.repeat(60);

describe('what an import cannot read', () => {
  it.each([
    [
      'a header with as many separators of two kinds',
      'external_id,display_name;x\n',
      'Name the separator in a first line of the file, such as sep=;',
    ],
    [
      'a header further down',
      '\n\nexternal_id,display_name\n',
      'Write the names of the columns into the first row.',
    ],
    [
      'a header with more commas than separators',
      'external_id;display_name;Note, long, more, commas\n',
      'add --match "Header=external_id" to name its column, or --set external_id=value for every row; or, if another sign separates the cells, name it in a first line of the file: sep=;',
    ],
    [
      'a title above the header',
      'My League 2026;;\nexternal_id;display_name;Note\n',
      'add --match "Header=external_id" to name its column, or --set external_id=value for every row; or, if that is a title, delete all rows above the header',
    ],
    [
      'a header without the column',
      'number;Note, more, x\n',
      'add --match "Header=external_id" to name its column, or --set external_id=value for every row',
    ],
  ])('is told with what an import takes: %s', async (_, text, next) => {
    folder.write('x.csv', `${text}V-1;Ann;x\n`);
    expect(await run('import', 'x.csv', '--as', 'users', '--yes')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`\n  next: ${next}\n`) as string,
    });
  });

  it('is told so for a header that --match names', async () => {
    folder.write('x.csv', 'ID;Name;Note, long, more, x\nV-1;Ann;x\n');
    expect((await importUsers('x.csv')).stderr).toContain(
      '\n  next: if another sign separates the cells, name it in a first line of the file: sep=;\n',
    );
    folder.write('x.csv', 'sep=;\nID;Name;Note, long, more, x\nV-1;Ann;x\n');
    expect((await importUsers('x.csv', '--dry-run')).code).toBe(0);
  });
});

describe('a file of rows to correct is imported with the flags of the import that refused them', () => {
  it.each([
    ['windows-1252', 'latin1'],
    ['utf-16le', 'utf16le'],
  ] as const)('whatever encoding they name: %s', async (encoding, bytes) => {
    const text = `ID;Name\r\nV-1;José ${LONG}\r\nV-2;Müller\r\n`;
    writeFileSync(join(folder.path, 'v.csv'), Buffer.from(text, bytes));
    const flags = ['--encoding', encoding, '--yes'];
    expect((await importUsers('v.csv', ...flags)).code).toBe(3);
    const file = join(folder.path, 'out/rejected/v.rejected.csv');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(LONG, 'Two'));
    expect((await importUsers('out/rejected/v.rejected.csv', ...flags, '--dry-run')).stdout).toContain(
      'José Two',
    );
    expect(await importUsers('out/rejected/v.rejected.xlsx', ...flags)).toMatchObject({ code: 3 });
  });

  it('with its rows as the person counts their cells', async () => {
    folder.write('v.csv', `ID,Name\nV-1\nV-2,${LONG}\n`);
    expect((await importUsers('v.csv', '--yes')).code).toBe(3);
    const [csv, xlsx] = ['out/rejected/v.rejected.csv', 'out/rejected/v.rejected.xlsx'];
    for (const [file, remedy] of [
      [csv, 'add the missing separators'],
      [xlsx, 'write each value under its header'],
    ] as const)
      expect((await importUsers(file, '--dry-run')).stdout).toContain(`expected 2 cells, got 1; ${remedy}`);
    folder.write(csv, 'ID,Name,_row,_outcome,_message,_id\nV-1,Ann\nV-2,Bob,3,invalid,too long,\n');
    expect((await importUsers(csv, '--yes')).stdout).toMatch(/v\.rejected +2 +2 /);
  });

  it('with the numbers that the workbook has, whatever they look like', async () => {
    const rows = [
      ['Player ID', 'Price', 'Note'],
      [7, 7.5, 'right'],
      ['eight', 1.234, 'wrong'],
    ].map((row, index) => textRow(index + 1, row));
    writeFileSync(
      join(folder.path, 'p.xlsx'),
      handMade({ tabs: { Prices: `<sheetData>${rows.join('')}</sheetData>` } }),
    );
    const flags = [
      '--as',
      'prices',
      '--set',
      'fantasy_league_id=1',
      '--set',
      'type=weekly',
      '--locale',
      'de',
      '--yes',
    ];
    expect((await run('import', 'p.xlsx', ...flags)).code).toBe(3);
    const file = join(folder.path, 'out/rejected/p.rejected.csv');
    expect(readFileSync(file, 'utf8')).toContain('eight,"1,234",wrong,3,');
    writeFileSync(file, readFileSync(file, 'utf8').replace('eight', '8'));
    expect((await run('import', file, ...flags, '--dry-run')).stdout).toContain('price: 1.234');
  });

  it('whatever tab they name', async () => {
    const rows = [
      ['ID', 'Name'],
      ['V-1', LONG],
    ].map((row, index) => textRow(index + 1, row));
    writeFileSync(
      join(folder.path, 'v.xlsx'),
      handMade({ tabs: { About: '<sheetData/>', Users: `<sheetData>${rows.join('')}</sheetData>` } }),
    );
    const flags = ['--tab', 'Users', '--yes'];
    expect((await importUsers('v.xlsx', ...flags)).code).toBe(3);
    for (const type of ['csv', 'xlsx'])
      expect(await importUsers(`out/rejected/v.rejected.${type}`, ...flags)).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('60 characters, at most 50') as string,
      });
    // A workbook that is only called so has tabs of its own.
    copyFileSync(join(folder.path, 'v.xlsx'), join(folder.path, 'my.rejected.xlsx'));
    expect(await importUsers('my.rejected.xlsx', '--tab', 'Usres', '--yes')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('no tab "Usres"') as string,
    });
  });
});
