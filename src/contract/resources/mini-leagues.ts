import * as z from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { read, record, send } from '../field.ts';
import { idField, type PushableResource } from '../resource.ts';
import { gameWeekSummary } from './fantasy-leagues.ts';

/** Section 2.4. */
const miniLeagueRecord = record(
  { id: read.integer() },
  {
    name: read.text(),
    rank_system: read.text(),
    total_squads: read.integer(),
    code: read.text(),
    is_open: read.boolean(),
    is_active: read.boolean(),
    start_game_week: gameWeekSummary,
    fantasy_league: record({}, { id: read.integer(), name: read.text() }),
    rank_updated_at: read.datetime(),
    style: read.text(),
    created_at: read.datetime(),
    updated_at: read.datetime(),
  },
).meta({ id: 'MiniLeague' });
export type MiniLeague = z.infer<typeof miniLeagueRecord>;

// The interface gives no constraint for these fields but their types.
const createBody = z.strictObject({ fantasy_league_id: z.int(), name: send.text(), type: send.text() });

const vital = [['id'], ['name'], ['fantasy_league', 'id']] as const;

export const miniLeagueEndpoints = {
  'create-mini-league': {
    row: 5,
    method: 'POST',
    path: '/mini-league',
    summary: 'Create a mini league',
    body: createBody,
    record: miniLeagueRecord,
    quota: 'mini_leagues',
    vital,
  },
  'list-mini-leagues': {
    row: 6,
    method: 'GET',
    path: '/mini-league',
    summary: 'List mini leagues',
    query: z.strictObject({
      page: send.positive().optional(),
      fantasy_league_id: send.positive().optional(),
    }),
    record: miniLeagueRecord,
    list: true,
    paged: true,
    vital,
  },
  'get-mini-league': {
    row: 7,
    method: 'GET',
    path: '/mini-league/{id}',
    summary: 'Read a mini league',
    pathId: z.union([send.text(1), send.positive()]),
    answersId: true,
    record: miniLeagueRecord,
  },
} as const satisfies Record<string, Endpoint>;

export const miniLeagues: PushableResource = {
  push: {
    operations: ['create'],
    onlyBecause: 'the service can create them, but neither change nor delete them; only users can be changed',
    key: ['fantasy_league_id', 'name'],
    spelt: 'name',
    lookup: { match: ['fantasy_league_id', 'name', 'id'], take: ['id'] },
    batch: 1,
    quota: 'mini_leagues',
    fields: {
      fantasy_league_id: idField('Fantasy league id', 'The fantasy league it belongs to.'),
      name: {
        type: 'text',
        required: true,
        schema: send.text(1),
        label: 'Name',
        description: 'The name of the mini league.',
      },
      type: {
        type: 'text',
        required: true,
        schema: send.text(1),
        label: 'Type',
        description:
          'The kind of mini league; the interface does not show the allowed values: ask your provider.',
      },
    },
  },
  pull: {
    where: { fantasy_league_id: send.positive(), id: z.union([send.positive(), send.text(1)]) },
    required: [],
    record: miniLeagueRecord,
  },
};
