import { InternalError } from '../../model/error.ts';
import type { HeldLock } from '../../model/state/store.ts';

/**
 * Does work under a lock, and lets that go. Where another process took it meanwhile and went on with the same run, what is kept does not fit together: that is no
 * mistake of ours. Errors: those of the work, also where the lock cannot be let go then: it runs out; StoppedError `lock.lost`; those of the lock.
 */
export async function holding<T>(lock: HeldLock, work: () => Promise<T>): Promise<T> {
  const [done] = await Promise.allSettled([underCheck(lock, work)]);
  const [released] = await Promise.allSettled([lock.release()]);
  if (done.status === 'rejected') throw done.reason;
  if (released.status === 'rejected') throw released.reason;
  return done.value;
}

async function underCheck<T>(lock: HeldLock, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InternalError) await lock.check();
    throw error;
  }
}
