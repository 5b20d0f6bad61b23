import { expect, it } from 'vitest';
import { watchTurns } from '../../../../src/cli/schedule/watch-turns.ts';
import type { RunnerPorts } from '../../../../src/schedule/runner.ts';
import { virtualClock } from '../../../support/clock.ts';

it('tells that the loop turns while it works, and while it does not sleep longer than it ever does', async () => {
  const clock = virtualClock();
  const hour = 3_600_000;
  const own = {
    clock,
    look: () => clock.sleep(hour).then(() => []),
    sync: () => Promise.reject(new Error('stopped')),
  } as unknown as RunnerPorts;
  const { ports, isTurning } = watchTurns(own);
  expect(isTurning()).toBe(true);
  await clock.advance(hour);
  expect(isTurning()).toBe(false);
  const looking = ports.look(false);
  await clock.advance(hour - 1);
  expect(isTurning()).toBe(true);
  await clock.advance(1);
  await looking;
  await clock.advance(100_000);
  expect(isTurning()).toBe(true);
  await clock.advance(100_000);
  expect(isTurning()).toBe(false);
  await expect(ports.sync([])).rejects.toThrow('stopped');
  expect(isTurning()).toBe(true);
});
