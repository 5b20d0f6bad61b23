import * as z from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { read, record, send } from '../field.ts';
import { idField, type PushableResource } from '../resource.ts';

/** Game week summary (section 2.3). */
export const gameWeekSummary = record(
  {},
  { id: read.uuid(), week: read.text(), start_date: read.datetime(), end_date: read.datetime() },
);

/** A fantasy league inside another record. */
export const nestedLeague = record({}, { id: read.integer(), name: read.text(), is_active: read.boolean() });

/** Creation record (section 2.3). */
const fantasyLeagueCreated = record(
  { id: read.integer() },
  {
    name: read.text(),
    created_by: read.integer(),
    is_active: read.boolean(),
    logo_url: read.text(),
    created_at: read.datetime(),
    updated_at: read.datetime(),
  },
).meta({ id: 'FantasyLeagueCreated' });

/** A real league that a fantasy league is played on (section 2.3). */
const leagueRecord = record(
  { id: read.integer() },
  {
    name: read.text(),
    type: read.text(),
    year: read.integer(),
    is_active: read.boolean(),
    country: read.text(),
    continent: read.text(),
    season: read.text(),
    start_date: read.datetime(),
    end_date: read.datetime(),
    created_at: read.datetime(),
  },
);

/** Detail (section 2.3). */
const fantasyLeagueRecord = record(
  { id: read.integer() },
  {
    name: read.text(),
    is_active: read.boolean(),
    logo_url: read.text(),
    leagues: z.array(leagueRecord),
    squad_config: read.opaque(),
    points_config: read.opaque(),
    current_game_week: gameWeekSummary,
    next_game_week: gameWeekSummary,
  },
).meta({ id: 'FantasyLeague' });

const createBody = z.strictObject({ name: send.text(1), league_id: send.positive() });

export const fantasyLeagueEndpoints = {
  'create-fantasy-league': {
    row: 2,
    method: 'POST',
    path: '/fantasy-league',
    summary: 'Create a fantasy league on a real league',
    body: createBody,
    record: fantasyLeagueCreated,
    quota: 'fantasy_leagues',
    vital: [['id'], ['name']],
  },
  'get-fantasy-league': {
    row: 3,
    method: 'GET',
    path: '/fantasy-league/{id}',
    summary: 'Read a fantasy league with its game weeks',
    pathId: z.union([send.text(1), send.positive()]),
    answersId: true,
    record: fantasyLeagueRecord,
  },
} as const satisfies Record<string, Endpoint>;

export const fantasyLeagues: PushableResource = {
  push: {
    operations: ['create'],
    onlyBecause: 'the service can create them, but neither change nor delete them; only users can be changed',
    key: ['name'],
    spelt: 'name',
    lookup: { match: ['name', 'id'], take: ['id', 'name'] },
    batch: 1,
    quota: 'fantasy_leagues',
    fields: {
      name: {
        type: 'text',
        required: true,
        schema: createBody.shape.name,
        label: 'Name',
        description: 'The name of the fantasy league.',
      },
      league_id: idField(
        'League id',
        'The number of the real league it is played on; your provider names it.',
      ),
    },
  },
  pull: {
    where: { fantasy_league_id: send.positive() },
    required: ['fantasy_league_id'],
    record: fantasyLeagueRecord,
  },
};
