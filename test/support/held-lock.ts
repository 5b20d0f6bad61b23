import type { HeldLock, LockLook } from '../../src/model/state/store.ts';

/** A lock that nobody takes away. */
export const heldLock = (): HeldLock => ({
  check: () => Promise.resolve(),
  lost: new AbortController().signal,
  release: () => Promise.resolve(),
});

/** What a look at a lock that nobody has comes to. */
export const freeLock: LockLook = { refuseHeld: () => Promise.resolve() };
