import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readTable } from '../../../src/cli/whatif/settings.ts';
import { openCsv } from '../../../src/tables/csv/read.ts';
import type { TableKind } from '../../../src/model/tables/table.ts';
import { makeFolder } from '../../support/cli.ts';

describe('a table of points for whatif', () => {
  const folder = makeFolder();
  afterAll(() => rm(folder.path, { recursive: true }));
  const csv = {
    open: (location: { readonly path: string }, options: Parameters<typeof openCsv>[1]) =>
      openCsv(location.path, options),
  } as unknown as TableKind;
  const read = async (content: string) => {
    await writeFile(join(folder.path, 'new.csv'), content);
    return readTable('new.csv', folder.path, csv);
  };

  it.each([
    ['Setting,Points\nForward goal points,7\nYellow card points,\n'],
    ['Points,Note\nforward_goal_points,7\n'],
    [
      'Setting,Note,Points\nFantasy league ID,,1\nFor attackers,,\nForward goal points,more,+7\nRed card points,as 2025,',
    ],
    ['forward_goal_points,yellow_card_points\n7,\n'],
    ['Fantasy league ID,Forward goal points,Note,Season\n,,,\n1,7,more for attackers,\n'],
  ])('has the settings with a value: %j', async (content) => {
    expect(await read(content)).toEqual({ forward_goal_points: 7 });
  });

  it.each([
    [
      'Setting,Points\nForward goal points,7\nYellow card points,minus one\n',
      '"minus one" is no value of yellow_card_points',
    ],
    ['Setting,Points\nYellow card points,−1\n', '"−1" is no value of yellow_card_points'],
    [
      'Setting,Points\nForward goal points,7\nyellow_card_point,-2\n',
      'no setting of points is called "yellow_card_point"',
    ],
    ['forward_goal_points,yellow_card_point\n7,-2\n', 'no setting of points is called "yellow_card_point"'],
    ['forward_goal_points\n7\n8\n', 'two rows have settings'],
    ['forward_goal_points\nseven\n', '"seven" is no value of forward_goal_points'],
  ])('passes over no value and no setting: %j', async (content, problem) => {
    await expect(read(content)).rejects.toMatchObject({
      code: 'whatif.table',
      message: expect.stringContaining(`new.csv: ${problem}`) as string,
    });
  });
});
