import { expect, it } from 'vitest';
import { DatabaseFailure } from '../../../src/state/postgres/client.ts';
import { databaseError } from '../../../src/state/postgres/database-error.ts';

it.each([
  ['53100', 'state.unwritable', 'Free space'],
  ['53400', 'state.unwritable', 'Free space'],
  ['58030', 'state.unwritable', 'Free space'],
  ['25006', 'state.unwritable', 'the server that takes writes'],
  ['53300', 'state.unreachable', 'allow more connections'],
  ['57014', 'state.unreachable', 'statement_timeout'],
  ['25P04', 'state.unreachable', 'transaction_timeout'],
  ['57P01', 'state.unreachable', 'Start the database'],
  ['XX000', 'state.unreachable', 'Start the database'],
])('calls a database that fails with %s %s', (sqlState, code, next) => {
  const error = databaseError('the database', new DatabaseFailure(sqlState, new Error('it failed')));
  expect(error).toMatchObject({ code, exitCode: 8, next: expect.stringContaining(next) as string });
});

it('takes what only a mistake of ours brings for one', () => {
  const error = new DatabaseFailure('23502', new Error('null value'));
  expect(databaseError('the database', error)).toBe(error);
});
