import type { PushedResource } from '../../contract/index.ts';
import { UnavailableError } from '../../model/error.ts';
import type { ServiceAccount } from '../../model/state/store.ts';
import type { SyncPorts } from '../ports.ts';

/** The name under which the count stands beside the comparisons: whatever changes what is confirmed drops it too. No mapping is called so. */
const COUNT = '(count)';

/** How many records of a resource this state knows: counted once, until anything of it is confirmed. */
export async function countOnce(
  { store, clock, random }: Pick<SyncPorts, 'store' | 'clock' | 'random'>,
  account: ServiceAccount,
  resource: PushedResource,
): Promise<number> {
  const { comparisons } = store;
  const counted = { account, resource, mapping: COUNT };
  const kept = await comparisons.last(counted);
  if (kept !== undefined) return Number(kept);
  const id = random.ulid(clock.now());
  const isBegun = await isKept(comparisons.begin(counted, id));
  const count = await store.countSnapshots(account, resource);
  if (isBegun) await isKept(comparisons.keep(counted, id, String(count)));
  return count;
}

/** Whether something was written that is kept for the next comparison: who compares needs no room on the disk, and goes on without. Errors: all but those of the disk. */
export async function isKept(write: Promise<void>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof UnavailableError) return false;
    throw error;
  }
}
