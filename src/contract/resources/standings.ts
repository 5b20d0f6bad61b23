import { read, record, send } from '../field.ts';
import type { Resource } from '../resource.ts';
import { nestedLeague } from './fantasy-leagues.ts';
import { nestedUser } from './users.ts';

/** A squad in the standings of a game week. The service has no such record: it is made of what is remembered of line-ups and squads. */
const standingRecord = record(
  { id: read.uuid() },
  {
    week: read.integer(),
    rank: read.integer(),
    previous_rank: read.integer(),
    movement: read.integer(),
    points: read.integer(),
    total: read.integer(),
    captain: record(
      {},
      { player: record({}, { id: read.text(), last_name: read.text(), first_name: read.text() }) },
    ),
    captain_points: read.integer(),
    bench_points: read.integer(),
    hits: read.integer(),
    points_deduction: read.integer(),
    transfers: read.integer(),
    chip: read.text(),
    value: read.number(),
    group: read.text(),
    group_rank: read.integer(),
    mark: read.text(),
    name: read.text(),
    user: nestedUser,
    fantasy_league: nestedLeague,
    game_week: record({}, { id: read.uuid(), week: read.text() }),
  },
).meta({ id: 'Standing' });

export const standings: Resource = {
  pull: {
    where: { fantasy_league_id: send.positive(), group: send.text(1) },
    required: ['fantasy_league_id'],
    record: standingRecord,
    byWeek: 'standing',
  },
};
