import { expect, it } from 'vitest';
import { keepReading, readReadings } from '../../../src/runtime/account-readings.ts';
import { MemoryStore, StoreData } from '../../simulation/memory-store.ts';

const ACCOUNT = { baseUrl: 'https://data.example', accountId: 'club' };
const DAY_MS = 86_400_000;

it('keeps the last reading of each day, and no more days than are kept', async () => {
  const store = new MemoryStore(new StoreData(), { now: () => 1 });
  const at = async (ms: number, used: number | null): Promise<void> =>
    keepReading(
      store,
      ACCOUNT,
      {
        id: 'club',
        config: {
          rate_limit: { per_minute: { used: 3, limit: 60 } },
          features: { users: { used, max: 500, is_blocked: true } },
        },
      },
      ms,
    );
  const day = Date.UTC(2026, 0, 1);
  await at(day, 1);
  await at(day + DAY_MS - 1, 2);
  await at(day + DAY_MS, null);
  const kept = await readReadings(store, ACCOUNT);
  expect(kept.map((each) => each.day)).toEqual(['2026-01-02', '2026-01-01']);
  expect(kept.map(({ quotas }) => quotas.find(({ name }) => name === 'users'))).toEqual([
    { name: 'users', used: null, most: 500, isBlocked: true },
    { name: 'users', used: 2, most: 500, isBlocked: true },
  ]);
  expect(kept[0]?.windows).toEqual([
    { name: 'per minute', used: 3, most: 60, isBlocked: false },
    { name: 'per day', used: null, most: null, isBlocked: false },
  ]);
  await at(day + 400 * DAY_MS, 4);
  expect((await readReadings(store, ACCOUNT)).map((each) => each.day)).toEqual(['2027-02-05', '2026-01-02']);
  expect(await readReadings(store, { ...ACCOUNT, accountId: 'other' })).toEqual([]);
});
