import type { SyncPorts } from '../ports.ts';

/** Makes a pause, and says why. */
export async function pause(
  { clock, emit, signal }: Pick<SyncPorts, 'clock' | 'emit' | 'signal'>,
  waitMs: number,
  reason: string,
): Promise<void> {
  emit({ kind: 'pause', seconds: Math.ceil(waitMs / 1000), untilMs: clock.now() + waitMs, reason });
  await clock.sleep(waitMs, signal);
}

/** Makes a pause in which a write without an answer may still be applied. */
export const pauseForOpenWrites = (ports: Parameters<typeof pause>[0], waitMs: number): Promise<void> =>
  pause(ports, waitMs, 'a write without an answer may still be applied');

/** Waits until what was sent at `sinceMs` of the monotonic clock can be applied no more; false when that is longer than the run may pause. */
export async function waitSettled(
  ports: Pick<SyncPorts, 'clock' | 'settleMs' | 'maxWaitMs' | 'emit' | 'signal'>,
  sinceMs: number,
): Promise<boolean> {
  // Nobody sets this clock, so that no time is taken for passed that did not pass.
  const waitMs = sinceMs + ports.settleMs - ports.clock.monotonic();
  if (waitMs > (ports.maxWaitMs ?? Infinity)) return false;
  if (waitMs > 0) await pauseForOpenWrites(ports, waitMs);
  return true;
}
