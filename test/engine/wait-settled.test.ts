import { expect, it } from 'vitest';
import { waitSettled } from '../../src/sync/journal/wait-settled.ts';
import { makeEngine } from '../support/engine.ts';

const SETTLE_MS = 120_000;

it('waits until nothing can be applied late any more, and says until when', async () => {
  const { ports, clock, events } = await makeEngine();
  const sinceMs = clock.monotonic() - 30_500;
  clock.skewMs = 3_600_000;
  const untilMs = clock.now() + SETTLE_MS - 30_500;
  expect(await waitSettled(ports, sinceMs)).toBe(true);
  expect(clock.slept).toEqual([SETTLE_MS - 30_500]);
  const reason = 'a write without an answer may still be applied';
  expect(events).toEqual([{ kind: 'pause', seconds: 90, untilMs, reason }]);
});

it.each([SETTLE_MS, SETTLE_MS + 1])('does not wait %d ms after the write', async (agoMs) => {
  const { ports, clock, events } = await makeEngine();
  expect(await waitSettled(ports, clock.monotonic() - agoMs)).toBe(true);
  expect([clock.slept, events]).toEqual([[], []]);
});

it('makes no longer pause than the run may make, and none that is too short', async () => {
  const { ports, clock, events } = await makeEngine();
  const sinceMs = clock.monotonic();
  expect(await waitSettled({ ...ports, maxWaitMs: SETTLE_MS - 1 }, sinceMs)).toBe(false);
  expect([clock.slept, events]).toEqual([[], []]);
  expect(await waitSettled({ ...ports, maxWaitMs: SETTLE_MS }, sinceMs)).toBe(true);
  expect(clock.slept).toEqual([SETTLE_MS]);
});

it('ends with the signal that ends the run', async () => {
  const { ports, clock, abort } = await makeEngine();
  const stop = new Error('interrupted');
  clock.sleep = (_ms: number, signal?: AbortSignal) => {
    abort.abort(stop);
    return Promise.reject(signal?.reason as Error);
  };
  await expect(waitSettled(ports, clock.monotonic())).rejects.toBe(stop);
});
