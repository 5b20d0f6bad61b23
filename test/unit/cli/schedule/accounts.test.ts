import { hash } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { knownAccount } from '../../../../src/cli/schedule/accounts.ts';
import { keepCalendar, keptCalendar } from '../../../../src/runtime/schedules.ts';
import { Secret } from '../../../../src/model/secret.ts';
import { BudgetData, MemoryBudget } from '../../../simulation/memory-budget.ts';
import { MemoryStore, StoreData } from '../../../simulation/memory-store.ts';

const baseUrl = 'https://data.example';
const accountOf = (key: string) => knownAccount({ store, budget }, { baseUrl, apiKey: new Secret(key) });
let store: MemoryStore;
let budget: MemoryBudget;

beforeEach(() => {
  store = new MemoryStore(new StoreData(), { now: () => 0 });
  budget = new MemoryBudget(new BudgetData(), () => 0);
});

it('of several accounts at one address, the account of a key is the one that the service named for it', async () => {
  for (const [key, accountId] of [
    ['first', 'north'],
    ['second', 'south'],
  ] as const) {
    await store.setFact({ baseUrl, accountId }, 'any', '1');
    await budget.rememberAccount({ baseUrl, accountId }, hash('sha256', key));
  }
  expect(await accountOf('first')).toEqual({ baseUrl, accountId: 'north' });
  expect(await accountOf('second')).toEqual({ baseUrl, accountId: 'south' });
  expect(await accountOf('third')).toBeUndefined();
});

it('a key that is not known is taken for that of the only account at its address', async () => {
  expect(await accountOf('first')).toBeUndefined();
  await store.setFact({ baseUrl, accountId: 'north' }, 'any', '1');
  expect(await accountOf('first')).toEqual({ baseUrl, accountId: 'north' });
});

it('the game weeks of a league are known to be kept by this machine, whose clock is as far from the service as they say', async () => {
  const account = { baseUrl, accountId: 'north' };
  const isOurs = async (): Promise<boolean> =>
    (await keptCalendar(store, [account], undefined, 'UTC')).isOurs;
  expect(await isOurs()).toBe(false);
  await keepCalendar(store, account, undefined, { weeks: [], timezone: 'UTC', aheadMs: 5 });
  expect(await isOurs()).toBe(true);
  const [kept] = await store.facts(account);
  const { machine, ...others } = JSON.parse(kept?.value ?? '') as { readonly machine: string };
  await store.setFact(account, kept?.name ?? '', JSON.stringify({ ...others, machine: `${machine}-2` }));
  expect(await isOurs()).toBe(false);
  // As older versions kept them.
  await store.setFact(account, kept?.name ?? '', JSON.stringify(others));
  expect(await isOurs()).toBe(false);
});
