import { expect, it } from 'vitest';
import { csv } from '../../../src/tables/csv.ts';
import { readGroups } from '../../../src/runtime/read-groups.ts';
import type { SyncPorts } from '../../../src/sync/ports.ts';
import { testFolder } from '../../support/test-folder.ts';

const folder = testFolder();
const tables = { csv } as SyncPorts['tables'];
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
