import pLimit from 'p-limit';

/** Tasks of which a few are under way at a time. */
export interface Pool {
  /** Takes a task on, waiting while too many stand in line; answers false, without the task, once one has failed. */
  readonly add: (task: () => Promise<void>) => Promise<boolean>;
  /** How many tasks wait for one that is under way. */
  readonly waiting: number;
  /** Resolves when every task has ended. Errors: the first failure. */
  done(): Promise<void>;
}

/** At most `size` tasks are under way and as many wait. After a failure no new task begins, and those under way end first. */
export function createPool(size: number): Pool {
  const limit = pLimit(size);
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  return {
    add: async (task) => {
      if (failure !== undefined) return false;
      const run = limit(async () => {
        if (failure !== undefined) return;
        try {
          await task();
        } catch (error) {
          failure ??= { error };
        }
      });
      running.add(run);
      void run.then(() => running.delete(run));
      if (limit.pendingCount >= size) await Promise.race(running);
      return true;
    },
    get waiting() {
      return limit.pendingCount;
    },
    done: async () => {
      await Promise.all(running);
      if (failure !== undefined) throw failure.error;
    },
  };
}
