import * as z from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { read, record, send } from '../field.ts';
import type { Resource } from '../resource.ts';
import { team } from './fixtures.ts';
import { chip } from './squads.ts';
import { nestedUser } from './users.ts';

/** Line-up entry (section 2.6); its player id is a string here, an integer elsewhere. */
export const lineupEntry = record(
  {},
  {
    team,
    player: record({}, { id: read.text(), last_name: read.text(), first_name: read.text() }),
    position: record({}, { id: read.integer(), position: read.text(), abbrevation: read.text() }),
    breakdown: read.opaque(),
    is_starting: read.boolean(),
    is_captain: read.boolean(),
    is_vice_captain: read.boolean(),
    points: read.integer(),
  },
);

/** What a report says of a whole line-up in one row. */
export const lineupSummary = record(
  {},
  {
    starting: read.text(),
    bench: read.text(),
    captain: read.text(),
    best: record({}, { name: read.text(), points: read.integer() }),
  },
);

/** Section 2.6. */
export const lineupRecord = record(
  { id: read.uuid() },
  {
    name: read.text(),
    user: nestedUser,
    game_week: record(
      {},
      {
        id: read.uuid(),
        week: read.text(),
        start_date: read.datetime(),
        end_date: read.datetime(),
        next_game_week: read.text(),
        previous_game_week: read.text(),
      },
    ),
    squad: record({}, { bench: z.array(lineupEntry), starting_xi: z.array(lineupEntry) }),
    transfer_hits: record({}, { hits: read.integer(), points_deduction: read.integer() }),
    chip_selected: read.opaque(),
    chips: z.array(chip),
    total_points: read.integer(),
  },
).meta({ id: 'Lineup' });
export type Lineup = z.infer<typeof lineupRecord>;

export const lineupEndpoints = {
  'get-lineup': {
    row: 14,
    method: 'GET',
    path: '/squad/{id}/lineup',
    summary: "Read a squad's line-up of the current game week",
    pathId: z.union([send.uuid(), send.text(1)]),
    record: lineupRecord,
  },
} as const satisfies Record<string, Endpoint>;

export const lineups: Resource = {
  pull: {
    where: { user_id: send.positive(), fantasy_league_id: send.positive(), id: send.text(1) },
    required: [],
    record: lineupRecord,
    byWeek: 'lineup',
    explodes: 'none',
    rowRecord: ({ explode }) =>
      lineupRecord.extend(
        explode === undefined ? { entry: lineupEntry.extend({ order: z.int() }) } : { eleven: lineupSummary },
      ),
  },
};
