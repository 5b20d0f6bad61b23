import { describe, expect, it } from 'vitest';
import { knownUser, remembered } from '../../../src/plan/known-records.ts';
import { pushRequests, userChange } from '../../../src/plan/requests.ts';
import { runRow } from '../../support/builders.ts';

const { users, prices, points_config } = pushRequests;

describe('users', () => {
  const rows = [
    runRow(2, { external_id: 'A', display_name: 'Ann' }),
    runRow(3, { external_id: 'B', display_name: 'Bob', is_active: false }),
  ];

  it('sends no is_active, which POST /user does not take', () => {
    expect(users?.body(rows)).toEqual({
      users: [
        { external_id: 'A', display_name: 'Ann' },
        { external_id: 'B', display_name: 'Bob' },
      ],
    });
  });

  it('matches answers by key, whatever their order, with extra and missing ones', () => {
    const answer = [
      { id: '2', external_id: 'B', display_name: 'Bob', user_id: 12 },
      { id: '9', external_id: 'Z', display_name: 'Zoe' },
      { id: 'broken' },
    ];
    const found = users?.match(rows, answer);
    expect([...(found?.keys() ?? [])]).toEqual(['B']);
    expect(found?.get('B')).toMatchObject({ id: '2', record: { key: 'B', number: 12 } });
  });

  it('sees an answer with another name, or two of them, as disagreement', () => {
    const other = users?.match(rows, [{ id: '1', external_id: 'A', display_name: 'Anna' }]);
    expect(other?.get('A')?.disagrees).toBe('the service holds display_name "Anna", not "Ann"');
    const two = users?.match(rows, [
      { id: '1', external_id: 'A', display_name: 'Ann' },
      { id: '2', external_id: 'A', display_name: 'Ann' },
    ]);
    expect(two?.get('A')?.disagrees).toBe('the service answered with 2 users for "A"');
  });

  it('remembers no name, only its digest', () => {
    const record = remembered(
      knownUser({ id: '1', external_id: 'A', display_name: 'Ann Example', is_active: true }),
    );
    expect(JSON.stringify(record)).not.toContain('Ann Example');
    expect(record.values).toEqual({ is_active: true });
  });

  it('a change holds only what changes', () => {
    const row = runRow(
      2,
      { external_id: 'A', display_name: 'Ann', is_active: true },
      { change: 'update', before: { display_name: 'Anne' } },
    );
    expect(userChange(row, 'id')).toEqual({ id: 'id', display_name: 'Ann' });
  });

  it('a change whose value before is not known is still sent', () => {
    const row = runRow(
      2,
      { external_id: 'A', display_name: 'Ann' },
      { change: 'update', before: { display_name: null } },
    );
    expect(userChange(row, 'id')).toEqual({ id: 'id', display_name: 'Ann' });
  });

  it('after a create only the flag is left to change', () => {
    const row = runRow(2, { external_id: 'A', display_name: 'Ann', is_active: false }, { change: 'create' });
    expect(userChange(row, 'id')).toEqual({ id: 'id', is_active: false });
  });
});

describe('prices', () => {
  const row = (rowNumber: number, player_id: number) =>
    runRow(
      rowNumber,
      { fantasy_league_id: 1, player_id, price: 7.5, type: 'initial' },
      { key: `1/${player_id}/initial` },
    );

  it('takes the rows of one league into one request', () => {
    expect(prices?.groupOf(row(2, 4))).toBe('1');
    expect(prices?.body([row(2, 4), row(3, 5)])).toEqual({
      fantasy_league_id: 1,
      prices: [
        { player_id: 4, price: 7.5, type: 'initial' },
        { player_id: 5, price: 7.5, type: 'initial' },
      ],
    });
  });

  it.each([
    ['the count that was sent', { reference: 'r', count: 2 }, 2],
    ['no count', { reference: 'r' }, 2],
    ['a smaller count, which names no row', { reference: 'r', count: 1 }, 0],
  ])('an answer with %s confirms accordingly', (_, answer, confirmations) => {
    expect(prices?.match([row(2, 4), row(3, 5)], [answer]).size).toBe(confirmations);
  });
});

it('a points configuration that comes back with another value disagrees', () => {
  const row = runRow(2, { fantasy_league_id: 1, starter_points: 2 }, { key: '1' });
  const found = points_config?.match([row], [{ id: 'c', fantasy_league_id: 1, starter_points: 1 }]);
  expect(found?.get('1')?.disagrees).toBe('the service holds starter_points 1, not 2');
});
