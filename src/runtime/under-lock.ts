import type { Transport } from '../model/ports.ts';
import type { HeldLock, Lock } from '../model/state/store.ts';

/** A transport that sends writes only while the process holds what it acquired of the lock, and gives up those under way once that is lost. */
export function underLock(
  wire: Transport,
  lock: Lock,
): { readonly lock: Lock; readonly transport: Transport; readonly isHeld: () => boolean } {
  let held: HeldLock | undefined;
  return {
    lock: { acquire: async (account, owner) => (held = await lock.acquire(account, owner)) },
    transport: async (request) => {
      if (request.method === 'GET' || held === undefined) return wire(request);
      await held.check();
      const signal = AbortSignal.any([held.lost, ...(request.signal === undefined ? [] : [request.signal])]);
      return wire({ ...request, signal });
    },
    isHeld: () => held !== undefined,
  };
}
