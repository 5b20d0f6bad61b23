import * as z from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { read, record, send } from '../field.ts';
import type { Resource } from '../resource.ts';

/** A club; the interface spells `abbrevation` exactly so. */
export const team = record({}, { id: read.integer(), name: read.text(), abbrevation: read.text() });

/** Section 2.8. */
export const fixtureRecord = record(
  { id: read.uuid() },
  {
    goals: record({}, { away: read.integer(), home: read.integer() }),
    teams: record({}, { away: team, home: team }),
    status: read.text(),
    start_date: read.datetime(),
    fixture_url: read.text(),
  },
);
export type Fixture = z.infer<typeof fixtureRecord>;

/** A game week with its fixtures (section 2.8). */
export const gameWeekFixtures = record(
  { id: read.uuid() },
  {
    week: read.text(),
    start_date: read.datetime(),
    end_date: read.datetime(),
    fixtures: z.array(fixtureRecord),
  },
).meta({ id: 'GameWeekFixtures' });

export const fixtureEndpoints = {
  'get-fixtures': {
    row: 4,
    method: 'GET',
    path: '/fantasy-league/{id}/fixtures',
    summary: 'Read the fixtures of a fantasy league by game week',
    pathId: z.union([send.text(1), send.positive()]),
    record: gameWeekFixtures,
    list: true,
  },
} as const satisfies Record<string, Endpoint>;

export const fixtures: Resource = {
  pull: {
    where: { fantasy_league_id: send.positive() },
    required: ['fantasy_league_id'],
    record: gameWeekFixtures,
    rowRecord: () => fixtureRecord.extend({ game_week: gameWeekFixtures }),
  },
};
