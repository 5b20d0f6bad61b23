import * as z from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { read, record, result, send } from '../field.ts';
import { idField, type PushableResource } from '../resource.ts';
import { gameWeekSummary } from './fantasy-leagues.ts';
import { nestedPlayer } from './prices.ts';

/** Auto-substitution record (section 2.11); it does not hold the game week. */
const autoSubstitutionRecord = record(
  { id: read.uuid() },
  {
    squad: record({}, { id: read.text(), name: read.text() }),
    player: nestedPlayer,
    txn_type: read.text(),
    action: read.text(),
    txn_ref: read.text(),
    lineup_order: read.integer(),
    is_captain: read.boolean(),
    is_vice_captain: read.boolean(),
    is_starting: read.boolean(),
    created_at: read.datetime(),
    updated_at: read.datetime(),
  },
).meta({ id: 'AutoSubstitutionRecord' });
export type AutoSubstitution = z.infer<typeof autoSubstitutionRecord>;

/** The week of a record, which the service does not show: it is told by what is remembered. */
const toldWeek = { game_week: gameWeekSummary };
const partOfPair = record({}, { player: nestedPlayer, order: read.integer() });

/** One substitution, made of the records of the log: who went out, who came in, and whether the armband went with it. */
const pairRecord = record(
  {},
  {
    ...toldWeek,
    squad: record({}, { id: read.text(), name: read.text() }),
    out: partOfPair,
    in: partOfPair,
    captain_moved: read.boolean(),
    txn_ref: read.text(),
    created_at: read.datetime(),
  },
).meta({ id: 'SubstitutionPair' });

/** Auto-substitution result (section 2.13). */
const autoSubstitutionResult = result({
  message: read.text(),
  code: read.text(),
  events: read.integer(),
}).meta({ id: 'AutoSubstitutionResult' });

const triggerBody = z.strictObject({ fantasy_league_id: send.positive(), game_week_id: send.uuid() });

export const autoSubstitutionEndpoints = {
  'trigger-auto-substitution': {
    row: 20,
    method: 'POST',
    path: '/auto-substitution',
    summary: 'Process the automatic substitutions of a game week',
    body: triggerBody,
    record: autoSubstitutionResult,
  },
  'list-auto-substitutions': {
    row: 21,
    method: 'GET',
    path: '/auto-substitution',
    summary: 'List automatic substitution records',
    query: z.strictObject({ fantasy_league_id: send.positive(), page: send.positive().optional() }),
    record: autoSubstitutionRecord,
    list: true,
    paged: true,
  },
} as const satisfies Record<string, Endpoint>;

export const autoSubstitutions: PushableResource = {
  push: {
    operations: ['trigger'],
    onlyBecause: 'processing can only be triggered',
    key: ['fantasy_league_id', 'game_week_id'],
    batch: 1,
    fields: {
      fantasy_league_id: idField('Fantasy league id', 'The fantasy league to process.'),
      game_week_id: {
        type: 'uuid',
        required: true,
        schema: triggerBody.shape.game_week_id,
        label: 'Game week id',
        description: 'The game week to process.',
      },
    },
  },
  pull: {
    where: { fantasy_league_id: send.positive() },
    required: ['fantasy_league_id'],
    record: autoSubstitutionRecord,
    byWeek: 'substitution',
    explodes: 'pairs',
    rowRecord: ({ explode }) =>
      explode === undefined ? autoSubstitutionRecord.extend(record({}, toldWeek).shape) : pairRecord,
  },
};
