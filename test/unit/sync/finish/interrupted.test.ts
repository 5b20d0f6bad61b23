import { expect, it } from 'vitest';
import { IncompleteError, InterruptedError, StoppedError } from '../../../../src/model/error.ts';
import { exhaustedAt, interruptedAt } from '../../../../src/sync/finish/interrupted.ts';

it('a signal tells once what is done, and keeps its own next step', () => {
  const stop = new InterruptedError('SIGTERM', 'stopped by SIGTERM', { next: 'resume RUN' });
  const told = interruptedAt(stop, '3 of 5 rows done', 'resume OTHER');
  expect(told).toMatchObject({
    message: 'stopped by SIGTERM: 3 of 5 rows done',
    done: '3 of 5 rows done',
    next: 'resume RUN',
    exitCode: 143,
  });
  expect(interruptedAt(told, 'nothing was sent')).toBe(told);
  const bare = new InterruptedError('SIGINT', 'cancelled: whatever that means');
  expect(interruptedAt(bare, 'nothing was sent', 'resume RUN')).toMatchObject({
    message: 'cancelled: whatever that means: nothing was sent',
    next: 'resume RUN',
    exitCode: 130,
  });
});

it('a budget that ends tells what is done, and another stop stays as it is', () => {
  const stop = new IncompleteError('budget.exhausted', 'the day is used up');
  expect(exhaustedAt(stop, 'nothing was sent')).toMatchObject({
    code: 'budget.exhausted',
    message: 'the day is used up; nothing was sent',
  });
  for (const other of [new IncompleteError('run.rows_lost', 'lost'), new StoppedError('lock.held', 'held')])
    expect([exhaustedAt(other, 'x'), interruptedAt(other, 'x')]).toEqual([other, other]);
});
