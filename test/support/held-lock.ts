import type { HeldLock } from '../../src/model/state/store.ts';

/** A lock that nobody takes away. */
export const heldLock = (): HeldLock => ({
  check: () => Promise.resolve(),
  lost: new AbortController().signal,
  release: () => Promise.resolve(),
});
