import type { SyncPorts } from '../ports.ts';

/** Makes a pause in which a write without an answer may still be applied, and says so. */
export async function pauseForOpenWrites(
  { clock, emit, signal }: Pick<SyncPorts, 'clock' | 'emit' | 'signal'>,
  waitMs: number,
): Promise<void> {
  emit({
    kind: 'pause',
    seconds: Math.ceil(waitMs / 1000),
    untilMs: clock.now() + waitMs,
    reason: 'a write without an answer may still be applied',
  });
  await clock.sleep(waitMs, signal);
}

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
