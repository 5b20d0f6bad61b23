import { expect, it } from 'vitest';
import { bookkeepingMs } from '../../src/sync/plan/bookkeeping-time.ts';
import { makeEngine } from '../support/engine.ts';

const ACCOUNT = { baseUrl: 'http://127.0.0.1:8787', accountId: 'a' };

it('is three times what the disk takes to confirm one record and a little work, and not measured for a few requests', async () => {
  const { store, clock } = await makeEngine();
  // Two moments in which the disk was busy.
  const took = [40, 7, 5, 60, 7, 6, 8];
  const slow = {
    ...store,
    setFact: async (...fact: Parameters<typeof store.setFact>) => {
      clock.time += took.shift() ?? 0;
      await store.setFact(...fact);
    },
  };
  expect(await bookkeepingMs({ store: slow, clock }, ACCOUNT, 49)).toBe(0);
  expect(took).toHaveLength(7);
  expect(await bookkeepingMs({ store: slow, clock }, ACCOUNT, 50)).toBe(22.5);
  expect((await store.fact(ACCOUNT, 'planned_at'))?.value).toBe('2026-08-14T18:00:00.125Z');
});
