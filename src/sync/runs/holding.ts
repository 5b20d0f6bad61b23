import { InternalError } from '../../model/error.ts';
import type { HeldLock } from '../../model/state/store.ts';

/**
 * Does work under a lock, and lets that go. Where another process took it meanwhile and went on with the same run, what is kept does not fit together: that is no
 * mistake of ours. Errors: those of the work; StoppedError `lock.lost`.
 */
export async function holding<T>(lock: HeldLock, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InternalError) await lock.check();
    throw error;
  } finally {
    await lock.release();
  }
}
