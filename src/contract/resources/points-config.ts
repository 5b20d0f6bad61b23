import * as z from 'zod';
import { byName } from '../by-name.ts';
import type { Endpoint } from '../endpoint.ts';
import { labelOf, read, record, send } from '../field.ts';
import { idField, type PushableResource, type PushField } from '../resource.ts';

/**
 * The 34 settings of section 2.9 in its order, beside fantasy_league_id, each with what it is for. The interface names the fields and leaves
 * their meaning open; the descriptions give the common reading.
 */
const SETTINGS = {
  starter_points: ['integer', 'For a player who starts the match'],
  bencher_points: ['integer', 'For a player who comes on from the bench'],
  goalkeeper_clean_sheet_points: ['integer', 'Goalkeeper whose side concedes no goal'],
  defender_clean_sheet_points: ['integer', 'Defender whose side concedes no goal'],
  midfielder_clean_sheet_points: ['integer', 'Midfielder whose side concedes no goal'],
  forward_clean_sheet_points: ['integer', 'Forward whose side concedes no goal'],
  goalkeeper_concede_points: ['integer', 'Goalkeeper whose side concedes at all, once a match'],
  defender_concede_points: ['integer', 'Defender whose side concedes at all, once a match'],
  midfielder_concede_points: ['integer', 'Midfielder whose side concedes at all, once a match'],
  forward_concede_points: ['integer', 'Forward whose side concedes at all, once a match'],
  goalkeeper_goal_points: ['integer', 'Goal by a goalkeeper'],
  defender_goal_points: ['integer', 'Goal by a defender'],
  midfielder_goal_points: ['integer', 'Goal by a midfielder'],
  forward_goal_points: ['integer', 'Goal by a forward'],
  goalkeeper_assist_points: ['integer', 'Assist by a goalkeeper'],
  defender_assist_points: ['integer', 'Assist by a defender'],
  midfielder_assist_points: ['integer', 'Assist by a midfielder'],
  forward_assist_points: ['integer', 'Assist by a forward'],
  yellow_card_points: ['integer', 'Yellow card, usually negative'],
  red_card_points: ['integer', 'Red card, usually negative'],
  sub_in_points: ['integer', 'For being substituted on'],
  sub_out_points: ['integer', 'For being substituted off'],
  own_goal_points: ['integer', 'Own goal, usually negative'],
  penalty_save_points: ['integer', 'Penalty saved'],
  penalty_miss_points: ['integer', 'Penalty missed, usually negative'],
  goalkeeper_goal_concede_points: ['number', 'Goalkeeper, for each goal conceded; may have decimals'],
  defender_goal_concede_points: ['number', 'Defender, for each goal conceded; may have decimals'],
  midfielder_goal_concede_points: ['number', 'Midfielder, for each goal conceded; may have decimals'],
  forward_goal_concede_points: ['number', 'Forward, for each goal conceded; may have decimals'],
  minutes_played_points: ['integer', 'On reaching the eligibility time on the field'],
  goal_save_points: ['integer', 'For every group of saves, see Goal save ratio'],
  clean_sheet_eligibility_minutes: ['minutes', 'Minutes needed for clean sheet points, 1 to 90'],
  time_onfield_eligibility_minutes: ['minutes', 'Minutes needed for minutes played points, 1 to 90'],
  goal_save_ratio: ['integer', 'Saves in one group'],
} as const;

type Kind = (typeof SETTINGS)[keyof typeof SETTINGS][0];
type Setting = keyof typeof SETTINGS;
const NAMES = Object.keys(SETTINGS) as readonly Setting[];

const shapeOf = <T>(make: (kind: Kind) => T): Readonly<Record<Setting, T>> =>
  byName(NAMES, (name) => make(SETTINGS[name][0]));

const sendKind = (kind: Kind): z.ZodNumber | z.ZodInt =>
  kind === 'minutes' ? send.minutes() : kind === 'number' ? send.number() : send.integer();

const setBody = z.strictObject({ fantasy_league_id: send.positive(), ...shapeOf(sendKind) });

/** Section 2.9: the fields of the request with id and timestamps. */
export const pointsConfigRecord = record(
  { id: read.uuid() },
  {
    fantasy_league_id: read.integer(),
    ...shapeOf((kind) => (kind === 'number' ? read.number() : read.integer())),
    created_at: read.datetime(),
    updated_at: read.datetime(),
  },
).meta({ id: 'PointsConfig' });

export const pointsConfigEndpoints = {
  'set-points-config': {
    row: 16,
    method: 'POST',
    path: '/points/config',
    summary: 'Upload the points configuration of a fantasy league',
    body: setBody,
    record: pointsConfigRecord,
  },
  'get-points-config': {
    row: 17,
    method: 'GET',
    path: '/points/config/{id}',
    summary: 'Read a points configuration',
    pathId: z.union([send.text(1), send.positive()]),
    record: pointsConfigRecord,
  },
} as const satisfies Record<string, Endpoint>;

const settingFields = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, [kind, description]]): [string, PushField] => [
    name,
    {
      type: kind === 'number' ? 'number' : 'integer',
      required: true,
      schema: sendKind(kind),
      label: labelOf(name),
      description: `${description}.`,
    },
  ]),
);

export const pointsConfig: PushableResource = {
  push: {
    operations: ['set'],
    onlyBecause: 'a points configuration is always sent whole',
    key: ['fantasy_league_id'],
    isSettings: true,
    batch: 1,
    fields: {
      fantasy_league_id: idField('Fantasy league id', 'The fantasy league that the settings are for.'),
      ...settingFields,
    },
  },
  pull: {
    where: { fantasy_league_id: send.positive() },
    required: ['fantasy_league_id'],
    record: pointsConfigRecord,
  },
};
