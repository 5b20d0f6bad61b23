import { describe, expect, it } from 'vitest';
import type { KnownRecord } from '../../../src/model/state/run-rows.ts';
import type { Fields } from '../../../src/model/tables/cell.ts';
import { digestFields, digestOf } from '../../../src/plan/digest.ts';
import {
  asAnswered,
  isKeptOtherwise,
  keptAsBefore,
  known,
  knownMiniLeague,
  knownSquad,
  knownUser,
  mergedOver,
  numberOf,
  remembered,
} from '../../../src/plan/known-records.ts';
import { PUSHED_RESOURCES, resourcePlans } from '../../../src/plan/resources/index.ts';
import { knownRecord } from '../../support/builders.ts';

const UUID = '0b0e3c9a-0000-4000-8000-000000000002';
/** `é` as a letter and an accent, and as one character. */
const [APART, ONE] = ['e\u0301', '\u00e9'];

describe('a listed user', () => {
  it('is known by its external id and its name in one spelling, with every field that it shows', () => {
    const user = {
      id: UUID,
      user_id: 12,
      external_id: `M-${APART}`,
      display_name: `Ren${APART}`,
      is_active: false,
    };
    const fields = { external_id: `M-${ONE}`, display_name: `Ren${ONE}`, is_active: false };
    expect(knownUser(user)).toEqual({
      key: `M-${ONE}`,
      id: UUID,
      number: 12,
      digests: digestFields(fields),
      values: fields,
    });
  });

  it('has no value for what the list does not show', () => {
    const user = { id: UUID, external_id: 'M', display_name: null, is_active: null, user_id: null };
    expect(knownUser(user)).toMatchObject({ number: null, values: { external_id: 'M' } });
    expect(Object.keys(knownUser(user).digests)).toEqual(['external_id']);
  });
});

describe('a listed squad', () => {
  const squad = { id: UUID, name: `Caf${APART}`, user: { user_id: 7 }, fantasy_league: { id: 3 } };

  it('is known by its league, its user and its name in one spelling', () => {
    const fields = { fantasy_league_id: 3, user_id: 7, name: `Caf${ONE}` };
    expect(knownSquad(squad)).toEqual({
      key: `3/7/Caf${ONE}`,
      id: UUID,
      number: null,
      digests: digestFields(fields),
      values: fields,
    });
  });

  it.each([
    ['user', { ...squad, user: null }],
    ['user number', { ...squad, user: { user_id: null } }],
    ['league', { ...squad, fantasy_league: null }],
    ['league number', { ...squad, fantasy_league: {} }],
    ['name', { ...squad, name: null }],
  ])('is not known without its %s', (_, without) => {
    expect(knownSquad(without)).toBeUndefined();
  });
});

describe('a listed mini league', () => {
  const mini = { id: 40, name: `Caf${APART}`, fantasy_league: { id: 3 } };

  it('is known by its league and its name in one spelling', () => {
    const fields = { fantasy_league_id: 3, name: `Caf${ONE}` };
    expect(knownMiniLeague(mini)).toEqual({
      key: `3/Caf${ONE}`,
      id: '40',
      number: 40,
      digests: digestFields(fields),
      values: fields,
    });
  });

  it.each([
    ['league', { ...mini, fantasy_league: null }],
    ['league number', { ...mini, fantasy_league: {} }],
    ['name', { ...mini, name: null }],
  ])('is not known without its %s', (_, without) => {
    expect(knownMiniLeague(without)).toBeUndefined();
  });
});

it('the state remembers no text, only its digest', () => {
  const record = knownUser({ id: UUID, external_id: 'A', display_name: 'Ann Example', is_active: true });
  expect(remembered(record)).toEqual({ ...record, values: { is_active: true } });
});

it.each([
  ['40', 40],
  ['999999999999999', 999_999_999_999_999],
  ['9999999999999999', null],
  ['x40', null],
  ['40x', null],
  [UUID, null],
  ['', null],
  [null, null],
])('the id %s is the number %s', (id, number) => {
  expect(numberOf(id)).toBe(number);
});

it('what the service lists, and how people call it', () => {
  const named = PUSHED_RESOURCES.flatMap((resource) => {
    const { listed } = resourcePlans[resource];
    if (listed === undefined) return [];
    const { operation, feature, one, several, filters, byId, showsAnswers } = listed;
    return [[resource, operation, feature, one, several, filters, byId, showsAnswers]];
  });
  const expected = [
    ['users', 'list-users', 'users', 'user', 'users', [], undefined, true],
    [
      ...['mini_leagues', 'list-mini-leagues', 'mini_leagues', 'mini league', 'mini leagues'],
      ...[['fantasy_league_id'], 'get-mini-league', undefined],
    ],
    [
      ...['squads', 'list-squads', 'squads', 'squad', 'squads'],
      ...[['fantasy_league_id', 'user_id'], 'get-squad', undefined],
    ],
  ];
  expect(named).toEqual(expect.arrayContaining(expected));
  const { users, mini_leagues, squads } = resourcePlans;
  expect(users.listed.known({ id: UUID, external_id: 'M' })?.key).toBe('M');
  expect(mini_leagues.listed.known({ id: 1, name: 'Pub', fantasy_league: { id: 2 } })?.key).toBe('2/Pub');
  expect(
    squads.listed.known({ id: UUID, name: 'XI', fantasy_league: { id: 2 }, user: { user_id: 4 } })?.key,
  ).toBe('2/4/XI');
});

it('what is sent and never listed', () => {
  const hidden = PUSHED_RESOURCES.map((resource) => [resource, resourcePlans[resource].hidden]);
  expect(Object.fromEntries(hidden.filter(([, fields]) => fields?.length !== 0))).toEqual({
    squads: ['players_in'],
    mini_leagues: ['type'],
    fantasy_leagues: ['league_id'],
  });
});

it('what a record does not say is what was known before, if anything was', () => {
  const before = known('M', 'ID-1', 1, { display_name: 'Ann', is_active: true });
  const after = known('M', 'ID-2', 2, { is_active: false });
  expect(mergedOver(before, after)).toEqual(known('M', 'ID-2', 2, { display_name: 'Ann', is_active: false }));
  expect(mergedOver(undefined, after)).toEqual(after);
});

describe('what an answer shows with another value than was sent', () => {
  const shown = knownRecord('A', { external_id: 'A', display_name: 'ANN', is_active: true });
  const sent = { external_id: 'A', display_name: 'Ann', is_active: true, unseen: 'x' };
  const once = asAnswered(undefined, shown, sent);

  it('is counted by field, with the digests of both', () => {
    expect(once).toEqual({
      ...shown,
      keptOtherwise: {
        display_name: { sent: digestOf('Ann'), shown: digestOf('ANN'), times: 1 },
      },
    });
    expect(asAnswered(undefined, shown, { display_name: 'ANN' })).toEqual(shown);
  });

  it('counts on while the same comes back of the same, and begins anew otherwise', () => {
    const timesOf = (before: KnownRecord, record = shown, fields: Fields = sent): number | undefined =>
      asAnswered(before, record, fields).keptOtherwise?.['display_name']?.times;
    const twice = asAnswered(once, shown, sent);
    expect([timesOf(once), timesOf(twice)]).toEqual([2, 3]);
    const other = knownRecord('A', { external_id: 'A', display_name: 'AN' });
    expect(timesOf(twice, other)).toBe(1);
    expect(timesOf(twice, shown, { display_name: 'Anne' })).toBe(1);
    expect(timesOf({ ...shown, keptOtherwise: {} })).toBe(1);
  });

  it('stays known of fields that were not sent now', () => {
    const more = asAnswered(once, shown, { is_active: false });
    expect(Object.keys(more.keptOtherwise ?? {})).toEqual(['display_name', 'is_active']);
    expect(asAnswered(once, shown, { is_active: true })).toEqual(once);
  });

  it('is forgotten once the record shows something else', () => {
    const renamed = knownRecord('A', { external_id: 'A', display_name: 'Bea', is_active: true });
    expect(keptAsBefore(once, renamed)).toEqual(renamed);
    expect(keptAsBefore(shown, renamed)).toEqual(renamed);
    expect(keptAsBefore(once, shown)).toEqual(once);
  });

  it('is sure once several answers showed it', () => {
    const twice = asAnswered(once, shown, sent);
    const isSure = (record: KnownRecord, fields: Fields): boolean =>
      isKeptOtherwise(record, 'display_name', fields);
    expect([isSure(once, sent), isSure(twice, sent)]).toEqual([false, true]);
    expect(isSure(twice, { display_name: 'Anne' })).toBe(false);
    expect(isSure(shown, sent)).toBe(false);
    expect(isSure({ ...twice, digests: {} }, sent)).toBe(false);
  });
});

it('a record is referred to by its id where that is a number', () => {
  expect(['12', null, 'a1', '1234567890123456'].map(numberOf)).toEqual([12, null, null, null]);
});
