import { expect, it } from 'vitest';
import { pushMapping } from '../../support/builders.ts';
import { keysWithZeros } from '../../../src/plan/lost-zeros.ts';
import { checkCounts, outcomeCounts, plannedOutcomes } from '../../../src/plan/counts.ts';
import { orderMappings } from '../../../src/plan/order.ts';
import { quotaRoom } from '../../../src/model/quota.ts';

it('a plan foresees open creates and updates', () => {
  const settled = new Map([
    ['invalid', 2],
    ['open', 5],
  ] as const);
  const open = new Map([
    ['create', 3],
    ['update', 2],
  ] as const);
  expect(plannedOutcomes(settled, open)).toMatchObject({ rows: 7, invalid: 2, created: 3, updated: 2 });
});

it('a row without an outcome is an internal error', () => {
  expect(() =>
    checkCounts(
      'users',
      outcomeCounts(
        new Map([
          ['created', 1],
          ['open', 1],
        ]),
      ),
    ),
  ).toThrow('users: 2 rows but 1 outcomes');
  expect(() => checkCounts('users', outcomeCounts(new Map([['created', 2]])))).not.toThrow();
});

it('users go before prices and squads, and equal resources keep their order', () => {
  const names = ['squads', 'prices', 'users', 'points_config', 'users'] as const;
  const ordered = orderMappings(
    names.map((resource, index) => ({ ...pushMapping({ resource, name: `mapping ${index}` }), index })),
  );
  expect(ordered.map(({ resource, index }) => `${resource}${index}`)).toEqual([
    'users2',
    'users4',
    'points_config3',
    'prices1',
    'squads0',
  ]);
});

it.each([
  ['a limit', { max: 10, used: 4, remaining: 6 }, 6],
  ['no remaining', { max: 10, used: 4 }, 6],
  ['nothing left', { max: 10, used: 10, remaining: 0 }, 0],
  ['a blocked feature', { max: 10, used: 1, remaining: 9, is_blocked: true }, 0],
  ['max 0, which reads as unlimited', { max: 0, used: 4, remaining: 0 }, Infinity],
  ['max -1, which reads as unlimited', { max: -1 }, Infinity],
  ['null', null, Infinity],
])('quota with %s', (_, users, room) => {
  expect(quotaRoom({ id: 'a', config: { features: { users } } }, 'users')).toBe(room);
});

it('looks for keys of digits with up to ten zeros before them', () => {
  expect(keysWithZeros('12')).toHaveLength(10);
  expect(keysWithZeros('12').slice(0, 2)).toEqual(['012', '0012']);
  expect(keysWithZeros('M-1')).toEqual([]);
});
