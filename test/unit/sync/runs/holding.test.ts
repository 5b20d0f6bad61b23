import { expect, it } from 'vitest';
import { InternalError, StoppedError } from '../../../../src/model/error.ts';
import type { HeldLock } from '../../../../src/model/state/store.ts';
import { holding } from '../../../../src/sync/runs/holding.ts';
import { heldLock } from '../../../support/held-lock.ts';

const strange = (): Promise<never> =>
  Promise.reject(new InternalError('plan.counts', '3 rows but 1 outcomes'));

it('takes what does not fit together for the work of another process where that has the lock by now', async () => {
  let released = 0;
  const lock: HeldLock = { ...heldLock(), release: () => Promise.resolve(void (released += 1)) };
  const lost = new StoppedError('lock.lost', 'the lock is not held any more');
  await expect(holding({ ...lock, check: () => Promise.reject(lost) }, strange)).rejects.toBe(lost);
  await expect(holding(lock, strange)).rejects.toMatchObject({ code: 'plan.counts' });
  expect(await holding(lock, () => Promise.resolve('done'))).toBe('done');
  expect(released).toBe(3);
});
