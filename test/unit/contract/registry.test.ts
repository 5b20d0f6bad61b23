import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { FEATURES } from '../../../src/contract/endpoint.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { endpoints, OPERATION_IDS, resources } from '../../../src/contract/index.ts';
import type { OperationId } from '../../../src/contract/index.ts';
import { RESOURCES } from '../../../src/contract/index.ts';
import type { Resource } from '../../../src/contract/resource.ts';

type Texts = readonly [method: string, path: string, query: string, body: string, identity: string];

/** The endpoint table of the interface (section 4), row by row: operation, method, path, query, body, what a record must have, list, paged. */
const TABLE: readonly (readonly [OperationId, ...Texts, boolean, boolean])[] = [
  ['get-account', 'GET', '/auth/account', '', '', 'id', false, false],
  ['create-fantasy-league', 'POST', '/fantasy-league', '', 'name league_id', 'id', false, false],
  ['get-fantasy-league', 'GET', '/fantasy-league/{id}', '', '', 'id', false, false],
  ['get-fixtures', 'GET', '/fantasy-league/{id}/fixtures', '', '', 'id', true, false],
  ['create-mini-league', 'POST', '/mini-league', '', 'fantasy_league_id name type', 'id', false, false],
  ['list-mini-leagues', 'GET', '/mini-league', 'page? fantasy_league_id?', '', 'id', true, true],
  ['get-mini-league', 'GET', '/mini-league/{id}', '', '', 'id', false, false],
  ['create-users', 'POST', '/user', '', 'users', 'id external_id', true, false],
  ['list-users', 'GET', '/user', 'page?', '', 'id external_id', true, true],
  ['update-user', 'PATCH', '/user', '', 'id display_name? is_active?', 'id external_id', false, false],
  ['create-squad', 'POST', '/squad', '', 'user_id name fantasy_league_id players_in', 'id', false, false],
  ['list-squads', 'GET', '/squad', 'page? user_id? fantasy_league_id?', '', 'id', true, true],
  ['get-squad', 'GET', '/squad/{id}', '', '', 'id', false, false],
  ['get-lineup', 'GET', '/squad/{id}/lineup', '', '', 'id', false, false],
  ['get-player', 'GET', '/player/{id}', 'fantasy_league_id', '', 'id', false, false],
  [
    'set-points-config',
    'POST',
    '/points/config',
    '',
    `fantasy_league_id starter_points bencher_points
     goalkeeper_clean_sheet_points defender_clean_sheet_points midfielder_clean_sheet_points forward_clean_sheet_points
     goalkeeper_concede_points defender_concede_points midfielder_concede_points forward_concede_points
     goalkeeper_goal_points defender_goal_points midfielder_goal_points forward_goal_points
     goalkeeper_assist_points defender_assist_points midfielder_assist_points forward_assist_points
     yellow_card_points red_card_points sub_in_points sub_out_points own_goal_points penalty_save_points penalty_miss_points
     goalkeeper_goal_concede_points defender_goal_concede_points midfielder_goal_concede_points forward_goal_concede_points
     minutes_played_points goal_save_points clean_sheet_eligibility_minutes time_onfield_eligibility_minutes goal_save_ratio`,
    'id',
    false,
    false,
  ],
  ['get-points-config', 'GET', '/points/config/{id}', '', '', 'id', false, false],
  ['upload-prices', 'POST', '/price', '', 'fantasy_league_id prices', '', false, false],
  ['list-prices', 'GET', '/price', 'page?', '', 'id', true, true],
  [
    'trigger-auto-substitution',
    'POST',
    '/auto-substitution',
    '',
    'fantasy_league_id game_week_id',
    '',
    false,
    false,
  ],
  ['list-auto-substitutions', 'GET', '/auto-substitution', 'fantasy_league_id page?', '', 'id', true, true],
];

const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');

/** `name` for a required field of an object schema, `name?` for an optional one. */
function fieldsOf(schema: Endpoint['body']): readonly string[] {
  const shape = (schema?.shape ?? {}) as Readonly<Record<string, z.ZodType>>;
  return Object.entries(shape).map(([name, field]) =>
    field.safeParse(undefined).success ? `${name}?` : name,
  );
}

describe('the operations', () => {
  it('are all of the table, in its order', () => {
    expect(OPERATION_IDS).toEqual(TABLE.map(([id]) => id));
    expect(OPERATION_IDS.map((id) => endpoints[id].row)).toEqual(TABLE.map((_, index) => index + 1));
  });

  it.each(TABLE)('%s is %s %s', (id, method, path, query, body, identity, list, paged) => {
    const endpoint: Endpoint = endpoints[id];
    expect({
      method: endpoint.method,
      path: endpoint.path,
      list: endpoint.list === true,
      paged: endpoint.paged === true,
    }).toEqual({
      method,
      path,
      list,
      paged,
    });
    expect(fieldsOf(endpoint.query)).toEqual(words(query));
    expect(fieldsOf(endpoint.body)).toEqual(words(body));
    expect(fieldsOf(endpoint.record).filter((name) => !name.endsWith('?'))).toEqual(words(identity));
    expect(endpoint.pathId !== undefined).toBe(path.includes('{id}'));
  });

  it('name a quota that the account reports', () => {
    const quotas = OPERATION_IDS.map((id): Endpoint => endpoints[id]).flatMap(
      (endpoint) => endpoint.quota ?? [],
    );
    expect(quotas).toEqual(['fantasy_leagues', 'mini_leagues', 'users', 'squads']);
    expect(FEATURES).toEqual(expect.arrayContaining(quotas));
  });
});

describe('the resources', () => {
  const all = RESOURCES.map((name): readonly [string, Resource] => [name, resources[name]]);

  it('take the push operations of the interface', () => {
    const pushed = all.flatMap(([name, { push }]) =>
      push === undefined ? [] : [[name, ...push.operations]],
    );
    expect(pushed).toEqual([
      ['users', 'create', 'update', 'upsert'],
      ['prices', 'append'],
      ['points_config', 'set'],
      ['fantasy_leagues', 'create'],
      ['mini_leagues', 'create'],
      ['squads', 'create'],
      ['auto_substitutions', 'trigger'],
    ]);
  });

  it('can all be pulled', () => {
    expect(all.filter(([, { pull }]) => pull === undefined)).toEqual([]);
  });

  it.each(all.filter(([, { push }]) => push !== undefined))(
    '%s: key fields are required fields',
    (_, { push }) => {
      expect(push?.key.filter((field) => push.fields[field]?.required !== true)).toEqual([]);
    },
  );

  it.each(all)('%s: what a pull requires is what it may ask for', (_, { pull }) => {
    expect(Object.keys(pull?.where ?? {})).toEqual(expect.arrayContaining([...(pull?.required ?? [])]));
  });
});
