import { leavesOf } from '../contract/field.ts';
import { fixtureRecord, gameWeekFixtures } from '../contract/resources/fixtures.ts';
import { elementsOf, type Report } from './report.ts';

/** One row a fixture; plain paths are the fixture's own fields, `game_week.*` is the week that it stands in (section 2.8). */
export const fixtures = (): Report => ({
  leaves: [...leavesOf(fixtureRecord), ...leavesOf(gameWeekFixtures, 'game_week')],
  part: 'game_week',
  rows: (week) => elementsOf(week, 'fixtures').map((record) => ({ record, part: week })),
});
