import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/model/error.ts';
import { preparePull, type PrepareOptions } from '../../src/sync/pull.ts';
import { memoryTables, pullMapping } from '../support/pull.ts';

const { tables } = memoryTables();
const office = () => Promise.resolve([{ member: 'ann', group: 'Office', fromWeek: undefined }]);
const standings = (group: string) =>
  pullMapping(
    'standings',
    { kind: 'csv', path: 'standings.csv' },
    { where: { fantasy_league_id: 7, group } },
  );

describe('a report of the standings of a group', () => {
  it('is prepared where somebody stands in it', async () => {
    const { jobs } = await preparePull([standings('Office')], tables, { groups: office });
    expect(jobs[0]?.failure).toBeUndefined();
  });

  it('is prepared where the name is made of other characters that look the same', async () => {
    const groups = () => Promise.resolve([{ member: 'ann', group: 'Caf\u00e9', fromWeek: undefined }]);
    const { jobs } = await preparePull([standings('Cafe\u0301')], tables, { groups });
    expect(jobs[0]?.failure).toBeUndefined();
  });

  it.each<[string, string, PrepareOptions, string]>([
    ['a misspelt group', 'Ofice', { groups: office }, '"Ofice": did you mean "Office"?'],
    ['another group', 'Pub', { groups: office }, '"Pub"; the table of season.groups has "Office"'],
    ['no groups', 'Office', {}, '"Office"; the table of season.groups has no group'],
  ])('is refused before anything is sent: %s', async (_, group, options, message) => {
    await expect(preparePull([standings(group)], tables, options)).rejects.toMatchObject({
      code: 'season.group',
      message: `mapping standings-report: nobody stands in the group ${message}`,
      exitCode: 4,
    });
  });

  it('fails alone where every report is by itself', async () => {
    const { jobs } = await preparePull([standings('Pub')], tables, { groups: office, isAlone: true });
    expect(jobs[0]?.failure).toBeInstanceOf(ConfigError);
  });
});

it('a table of groups that cannot be read stops a report of standings before anything is sent', async () => {
  const error = new ConfigError('season.from_week', 'groups.csv row 3');
  const groups = () => Promise.reject(error);
  const csv = { kind: 'csv', path: 'report.csv' } as const;
  const where = { fantasy_league_id: 7 };
  await expect(preparePull([pullMapping('standings', csv, { where })], tables, { groups })).rejects.toBe(
    error,
  );
  expect((await preparePull([pullMapping('lineups', csv, { where })], tables, { groups })).jobs).toHaveLength(
    1,
  );
});
