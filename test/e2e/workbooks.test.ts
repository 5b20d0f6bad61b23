import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { USERS_MAPPING } from '../support/cli.ts';
import { program } from '../support/program.ts';
import { handMade, textRow } from '../support/workbook.ts';

const { folder, run } = program(
  { 'mappings/README.txt': 'Mappings stand here.' },
  { here: true, service: {} },
);
const users = (...rows: readonly (readonly (string | number)[])[]): string =>
  `<sheetData>${[['Member ID', 'Name', 'Active'], ...rows].map((row, index) => textRow(index + 1, row)).join('')}</sheetData>`;
const workbook = (name: string, tabs: Readonly<Record<string, string>>): void =>
  writeFileSync(join(folder.path, name), handMade({ tabs }));

describe('a workbook', () => {
  it('is pushed by a mapping; what is refused is corrected in the workbook of rejected rows and imported as it is', async () => {
    folder.write(
      'mappings/users.yaml',
      USERS_MAPPING.replace('{ csv: users.csv }', '{ xlsx: season.xlsx, tab: Members }'),
    );
    workbook('season.xlsx', {
      About: `<sheetData>${textRow(1, ['My club'])}</sheetData>`,
      Members: users(['M1', 'Ann Lee', 'yes'], [1002, 'Bob Stone', 'maybe'], ['M3', 'Łukasz 李', '']),
    });
    const pushed = await run('push', 'users', '--yes', '--json');
    expect(pushed.code).toBe(3);
    expect(JSON.parse(pushed.stdout)).toMatchObject({ mappings: [{ rows: 3, created: 2, invalid: 1 }] });
    const plan = await run('plan', 'users');
    expect(plan.stdout).toContain('column "Active": "maybe" is neither true nor false');

    const rejected = 'out/rejected/users.rejected.xlsx';
    expect(readFileSync(join(folder.path, rejected)).subarray(0, 2).toString()).toBe('PK');
    const imported = await run('import', rejected, '--as', 'users', '--yes', '--json');
    expect(JSON.parse(imported.stdout)).toMatchObject({
      mappings: [{ name: 'users.rejected', rows: 1, invalid: 1 }],
    });
    const again = await run(
      'import',
      rejected,
      '--as',
      'users',
      '--set',
      'is_active=true',
      '--yes',
      '--json',
    );
    expect(JSON.parse(again.stdout)).toMatchObject({ mappings: [{ rows: 1, created: 1 }] });
  });

  it('is imported by its only filled tab, or the one that is named, and the mapping is saved with it', async () => {
    copyFileSync(
      join(import.meta.dirname, '../fixtures/tables/libreoffice.xlsx'),
      join(folder.path, 'members.xlsx'),
    );
    const unclear = await run('import', 'members.xlsx', '--as', 'users', '--yes');
    expect(unclear).toMatchObject({ code: 4 });
    expect(unclear.stderr).toContain('members.xlsx: the workbook has several tabs: "Users", "Other tab"');
    expect(unclear.stderr).toContain('Name one of them with --tab NAME.');

    workbook('season.xlsx', { Empty: '<sheetData/>', Members: users(['M1', 'Ann Lee', 'yes']) });
    const saved = await run(
      'import',
      'season.xlsx',
      '--as',
      'users',
      '--yes',
      '--json',
      '--save-mapping',
      'mappings/m.yaml',
    );
    expect(JSON.parse(saved.stdout)).toMatchObject({
      exit_code: 0,
      mappings: [{ name: 'season', rows: 1, created: 1 }],
    });
    const mapping = readFileSync(join(folder.path, 'mappings/m.yaml'), 'utf8');
    expect(mapping).toContain('xlsx: season.xlsx');
    expect(mapping).toContain('tab: Members');
    const planned = await run('plan', 'season', '--json');
    expect(JSON.parse(planned.stdout)).toMatchObject({ exit_code: 0 });

    const missing = await run('import', 'season.xlsx', '--as', 'users', '--tab', 'members', '--yes');
    expect(missing).toMatchObject({ code: 4 });
    expect(missing.stderr).toContain(
      'season.xlsx: no tab "members"; it has "Empty", "Members"; nearest: "Members"',
    );
    expect(missing.stderr).toContain('after --tab');
  });

  it('takes headers and values as they are typed on the command line, and says what it cannot take', async () => {
    workbook('club.xlsx', {
      Members: `<sheetData>${textRow(1, ['Club No.', 'Full   Name', 'Fee'])}${textRow(2, ['C-1', 'Ann Lee', 5])}</sheetData>`,
    });
    const into = (...flags: readonly string[]) =>
      run('import', 'club.xlsx', '--as', 'users', '--yes', ...flags);
    const flags = ['--match', 'club no=external_id', '--match', 'Full Name=display_name'];
    const imported = await into(...flags, '--set', 'is_active=yes');
    expect(imported).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('club     1        1') as string,
    });
    expect(imported.stderr.match(/not used/g)).toHaveLength(1);

    const near = await into('--match', 'Clubs No=external_id');
    expect(near).toMatchObject({ code: 4 });
    expect(near.stderr).toContain('there is "Club No.", "Full   Name", "Fee"\n');
    expect(near.stderr).toContain('next: write --match "Club No.=external_id"\n');

    const wrong = await into(...flags, '--set', 'is_active=perhaps', '--save-mapping', 'mappings/club.yaml');
    expect(wrong).toMatchObject({ code: 4 });
    expect((await into(...flags, '--set', 'display_name=')).stderr).toContain(
      '✗ --set display_name: is empty',
    );
    expect(wrong.stderr).toContain('✗ --set is_active: "perhaps" is neither true nor false');
  });

  it('is read by the names of its file, tab and headers as they stand, even where they look like variables', async () => {
    workbook('${club}.xlsx', {
      'Users ${season}': `<sheetData>${textRow(1, ['${Member ID}', '${name}'])}${textRow(2, ['M1', 'Ann Lee'])}</sheetData>`,
    });
    const flags = ['--as', 'users', '--save-mapping', 'mappings/club.yaml', '--yes'];
    expect(await run('import', '${club}.xlsx', ...flags)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/_club_ +1 +1 /) as string,
    });
    expect(await run('plan')).toMatchObject({ code: 0 });
    expect(await run('init', '--workbook', '${club}.xlsx', '--show', 'users')).toMatchObject({ code: 0 });
    expect(await run('plan', 'users')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/users +1 +0 +0 +1/) as string,
    });
  });

  it("takes reports beside what is the operator's, and adds to its own rows", async () => {
    const report = (mode: string): string =>
      `version: 1\nname: members\npull: users\ndestination: { xlsx: season.xlsx, tab: Report, ${mode} }\ncolumns:\n  Member: external_id\n  Name: display_name\n`;
    folder.write('mappings/members.yaml', report('mode: merge, key: Member'));
    workbook('season.xlsx', { Mine: `<sheetData>${textRow(1, ['kept'])}</sheetData>` });
    folder.write('users.csv', 'external_id,display_name\nM1,Ann Lee\n');
    await run('import', 'users.csv', '--as', 'users', '--yes');
    expect(await run('pull', 'members')).toMatchObject({ code: 0 });
    folder.write('users.csv', 'external_id,display_name\nM2,Bob Stone\n');
    await run('import', 'users.csv', '--as', 'users', '--yes');
    const pulled = await run('pull', 'members');
    expect(pulled).toMatchObject({ code: 0 });
    const imported = await run(
      'import',
      'season.xlsx',
      '--as',
      'users',
      '--tab',
      'Report',
      '--yes',
      '--json',
      '--match',
      'Member=external_id',
    );
    expect(JSON.parse(imported.stdout)).toMatchObject({ mappings: [{ rows: 2, unchanged: 2 }] });
    const mine = await run('import', 'season.xlsx', '--as', 'users', '--tab', 'Mine', '--yes');
    expect(mine.stderr).toContain('season.xlsx row 1: no column for external_id among "kept"');
  });
});
