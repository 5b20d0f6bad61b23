import { expect, it } from 'vitest';
import { doubtDetail, saidNo, saysNo, sizeLimits } from '../../../../src/plan/reconcile/soft-refusal.ts';
import { renderSaid } from '../../../../src/model/said.ts';
import { intentOf } from '../../../support/writes.ts';

it.each([
  [400, true],
  [413, true],
  [422, true],
  [200, false],
  [408, false],
  [500, false],
  [undefined, false],
])('whether %s says no to what was sent: %s', (status, says) => {
  expect(saysNo(status)).toBe(says);
  const detail = doubtDetail('no envelope', status);
  expect(renderSaid(detail)).toBe(says ? 'the service refused it: no envelope' : 'no envelope');
  expect(saidNo({ detail })).toBe(says);
});

it('a row goes with half as many as it was refused with, and with the fewest of several', () => {
  const sent = (rowNumbers: readonly number[], status: number | undefined) => ({
    ...intentOf('W', { rowNumbers }),
    result: 'ambiguous' as const,
    detail: doubtDetail('no envelope', status),
  });
  const limits = sizeLimits([
    sent([1, 2, 3, 4, 5], 400),
    sent([1, 2, 3], 422),
    sent([1, 2, 3, 4, 5, 6], 413),
    sent([7, 8], undefined),
    sent([9], 400),
  ]);
  expect(Object.fromEntries(limits)).toEqual({ 1: 2, 2: 2, 3: 2, 4: 3, 5: 3, 6: 3, 9: 1 });
});
