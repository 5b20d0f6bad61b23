import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { csv } from '../../../src/tables/csv.ts';
import { readGroups } from '../../../src/runtime/read-groups.ts';
import type { SyncPorts } from '../../../src/sync/ports.ts';
import { xlsx } from '../../../src/tables/xlsx.ts';
import { testFolder } from '../../support/test-folder.ts';
import { handMade, textRow } from '../../support/workbook.ts';

const folder = testFolder();
const tables = { csv, xlsx } as SyncPorts['tables'];
const { signal } = new AbortController();

function read(...lines: readonly string[]): ReturnType<typeof readGroups> {
  folder.write('groups.csv', ['Member ID,Group,From', ...lines, ''].join('\n'));
  const groups = { csv: 'groups.csv', member: 'Member ID', group: 'Group', from_week: 'From' };
  return readGroups({ tables, signal }, groups, { folder: folder.path });
}

it('says who stands in which group, and from which week', async () => {
  expect(await read('D-001,North,', ' D-002 ,North,GW8', 'D-003,,4', ',South,')).toEqual([
    { member: 'D-001', group: 'North', fromWeek: undefined },
    { member: 'D-002', group: 'North', fromWeek: 8 },
  ]);
});

it.each(['2026-09-01', 'first', 'week four', '1.5'])(
  'refuses a first week that is none: %s',
  async (from) => {
    await expect(read('D-001,North,', `D-002,North,${from}`)).rejects.toMatchObject({
      code: 'season.from_week',
      message: `groups.csv row 3, From: "${from}" is no game week (for season.groups)`,
      exitCode: 4,
    });
  },
);

it('refuses a line with too many cells, which a comma in the name of a group makes', async () => {
  await expect(read('D-001,North,', 'D-002,Red, White and Blue,8')).rejects.toMatchObject({
    code: 'season.groups',
    message: expect.stringMatching(
      /^groups\.csv row 3: expected 3 cells, got 4.* \(for season\.groups\)$/,
    ) as string,
    exitCode: 4,
  });
});

it('refuses the error of a formula, which is the name of no group', async () => {
  await expect(read('D-001,North,', 'D-002,#N/A,')).rejects.toMatchObject({
    code: 'season.groups',
    message:
      'groups.csv row 3, column "Group": holds the spreadsheet error #N/A; correct its formula, or write the value (for season.groups)',
  });
});

it('refuses a line whose member or group cannot be told, and takes one of which another column cannot', async () => {
  const header = textRow(1, ['Member ID', 'Group', 'Note']) + textRow(2, ['D-001', 'North', 'x']);
  const groups = { xlsx: 'groups.xlsx', tab: 'Users', member: 'Member ID', group: 'Group' };
  const readTab = (row: string): ReturnType<typeof readGroups> => {
    writeFileSync(join(folder.path, 'groups.xlsx'), handMade({ rows: `${header}<row r="3">${row}</row>` }));
    return readGroups({ tables, signal }, groups, { folder: folder.path });
  };
  const member = '<c r="A3" t="inlineStr"><is><t>D-002</t></is></c>';
  await expect(readTab(`${member}<c r="B3"><f>B2</f></c>`)).rejects.toMatchObject({
    code: 'season.groups',
    message:
      'groups.xlsx tab "Users" row 3, column "Group": B3 holds a formula without a stored result; open and save the file in Excel or LibreOffice (for season.groups)',
  });
  await expect(readTab(`${member}<c r="B3" t="e"><v>#REF!</v></c>`)).rejects.toMatchObject({
    code: 'season.groups',
    message: expect.stringContaining('holds the spreadsheet error #REF!') as string,
  });
  const group = '<c r="B3" t="inlineStr"><is><t>North</t></is></c>';
  expect(await readTab(`${member}${group}<c r="C3"><f>B2</f></c>`)).toHaveLength(2);
});

it('refuses a member who stands in a group from two weeks, and takes the same line twice', async () => {
  expect(await read('D-001,North,4', 'D-001,South,', 'D-001,North,GW4')).toHaveLength(3);
  await expect(read('D-001,North,', 'D-002,North,', 'D-001,North,8')).rejects.toMatchObject({
    code: 'season.member_twice',
    message:
      'groups.csv row 4: "D-001" stands in "North" in row 2 too, from another game week (for season.groups)',
    exitCode: 4,
  });
});
