import type { ServiceAccount } from '../../model/store.ts';
import type { SyncPorts } from '../ports.ts';

/** Fewer requests take no time worth measuring. */
const FEW_REQUESTS = 50;
/** As many that a disk which is busy for a moment does not decide. */
const SAMPLES = 7;
/** An intent, its result, and the outcomes of its rows. */
const COMMITS_A_REQUEST = 3;
/** Making a request and reading its answer, by the processor: `npm run bench -- bookkeeping` and a push of 1,000 requests show about so much. */
const OWN_WORK_MS = 1.5;
const FACT = 'planned_at';

/**
 * Milliseconds that a push itself spends on each request, one request after the other whatever is in flight. Its durable records are measured on the disk
 * itself, which may take long to confirm a write, by noting when the plan was made. 0 for a few requests.
 */
export async function bookkeepingMs(
  { store, clock }: Pick<SyncPorts, 'store' | 'clock'>,
  account: ServiceAccount,
  requests: number,
): Promise<number> {
  if (requests < FEW_REQUESTS) return 0;
  const times: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const beganMs = clock.monotonic();
    await store.setFact(account, FACT, new Date(clock.now()).toISOString());
    times.push(clock.monotonic() - beganMs);
  }
  return OWN_WORK_MS + COMMITS_A_REQUEST * (times.toSorted((a, b) => a - b)[SAMPLES >> 1] ?? 0);
}
