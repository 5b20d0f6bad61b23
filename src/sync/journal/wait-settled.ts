import type { SyncPorts } from '../ports.ts';

/** Waits until what was sent at `sinceMs` of the monotonic clock can be applied no more; false when that is longer than the run may pause. */
export async function waitSettled(
  {
    clock,
    settleMs,
    maxWaitMs = Infinity,
    emit,
    signal,
  }: Pick<SyncPorts, 'clock' | 'settleMs' | 'maxWaitMs' | 'emit' | 'signal'>,
  sinceMs: number,
): Promise<boolean> {
  // Nobody sets this clock, so that no time is taken for passed that did not pass.
  const waitMs = sinceMs + settleMs - clock.monotonic();
  if (waitMs > maxWaitMs) return false;
  if (waitMs <= 0) return true;
  emit({
    kind: 'pause',
    seconds: Math.ceil(waitMs / 1000),
    untilMs: clock.now() + waitMs,
    reason: 'a write without an answer may still be applied',
  });
  await clock.sleep(waitMs, signal);
  return true;
}
