import * as z from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { read, record, send } from '../field.ts';
import { idField, type PushableResource } from '../resource.ts';
import { gameWeekSummary, nestedLeague } from './fantasy-leagues.ts';
import { nestedUser } from './users.ts';

/** Chip object (section 2.5). */
export const chip = record(
  {},
  {
    id: read.integer(),
    chip: read.text(),
    is_available: read.boolean(),
    date_activated: read.datetime(),
    game_week_played: read.text(),
  },
);

/** Detail (section 2.5). */
const squadRecord = record(
  { id: read.uuid() },
  {
    name: read.text(),
    user: nestedUser,
    fantasy_league: nestedLeague,
    contest: record({}, { id: read.integer(), name: read.text(), is_active: read.boolean() }),
    ranking: record(
      {},
      {
        current_rank: read.integer(),
        game_week_points: read.integer(),
        total_points: read.integer(),
        game_week: read.text(),
      },
    ),
    game_week: gameWeekSummary,
    finance: record(
      {},
      {
        money_spent: read.number(),
        squad_value: read.number(),
        money_in_bank: read.number(),
        budget: read.number(),
      },
    ),
    chips: z.array(chip),
    free_transfers: read.integer(),
    mini_leagues: read.integer(),
  },
).meta({ id: 'Squad' });

/** List element (section 2.5). */
const squadListRecord = record(
  { id: read.uuid() },
  {
    name: read.text(),
    created_at: read.datetime(),
    updated_at: read.datetime(),
    user: nestedUser,
    fantasy_league: nestedLeague,
  },
).meta({ id: 'SquadListElement' });
export type SquadListElement = z.infer<typeof squadListRecord>;

/** Creation record (section 2.5); its `external_user_id` is a UUID, neither our external_id nor user_id. */
const squadCreated = record(
  { id: read.uuid() },
  {
    name: read.text(),
    fantasy_league_id: read.integer(),
    external_user_id: read.uuid(),
    created_at: read.datetime(),
    updated_at: read.datetime(),
  },
).meta({ id: 'SquadCreated' });

const SQUAD_NAME_MIN = 3;

const createBody = z.strictObject({
  user_id: send.positive(),
  name: send.text(SQUAD_NAME_MIN),
  fantasy_league_id: send.positive(),
  players_in: z.array(send.positive()).min(1),
});

export const squadEndpoints = {
  'create-squad': {
    row: 11,
    method: 'POST',
    path: '/squad',
    summary: 'Create a squad for a user',
    body: createBody,
    record: squadCreated,
    quota: 'squads',
    vital: [['id'], ['name'], ['fantasy_league_id']],
  },
  'list-squads': {
    row: 12,
    method: 'GET',
    path: '/squad',
    summary: 'List squads',
    query: z.strictObject({
      page: send.positive().optional(),
      user_id: send.positive().optional(),
      fantasy_league_id: send.positive().optional(),
    }),
    record: squadListRecord,
    list: true,
    paged: true,
    vital: [['id'], ['name'], ['user', 'user_id'], ['fantasy_league', 'id']],
  },
  'get-squad': {
    row: 13,
    method: 'GET',
    path: '/squad/{id}',
    summary: 'Read a squad with rank, finance and chips',
    pathId: send.uuid(),
    answersId: true,
    record: squadRecord,
  },
} as const satisfies Record<string, Endpoint>;

export const squads: PushableResource = {
  push: {
    operations: ['create'],
    onlyBecause: 'the service can create them, but neither change nor delete them; only users can be changed',
    key: ['fantasy_league_id', 'user_id', 'name'],
    spelt: 'name',
    lookup: {
      match: ['fantasy_league_id', 'user_id', 'name', 'id'],
      take: ['id', 'user_id', 'fantasy_league_id'],
    },
    batch: 1,
    quota: 'squads',
    fields: {
      fantasy_league_id: idField('Fantasy league id', 'The fantasy league the squad plays in.'),
      user_id: idField(
        'User id',
        "The service's number of the user, usually looked up by your own member id.",
      ),
      name: {
        type: 'text',
        required: true,
        schema: createBody.shape.name,
        label: 'Squad name',
        description: 'At least 3 characters.',
      },
      players_in: {
        type: 'integers',
        required: true,
        schema: createBody.shape.players_in,
        label: 'Players',
        description: 'The player ids of the squad.',
      },
    },
  },
  pull: {
    where: {
      user_id: send.positive(),
      fantasy_league_id: send.positive(),
      id: send.uuid(),
    },
    required: [],
    record: squadListRecord,
    rowRecord: ({ detail }) => (detail ? squadRecord : squadListRecord),
    hasDetail: true,
    byWeek: 'squad',
  },
};
