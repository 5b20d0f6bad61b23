import { expect, it } from 'vitest';
import { changedBy } from '../../../../src/model/changed-by.ts';
import { UnavailableError } from '../../../../src/model/error.ts';
import type { ServiceAccount } from '../../../../src/model/state/store.ts';
import { countOnce } from '../../../../src/sync/compare/known-count.ts';
import { knownRecord } from '../../../support/builders.ts';
import { makeEngine, type Engine } from '../../../support/engine.ts';

const account: ServiceAccount = { baseUrl: 'https://data.example.com/v1', accountId: 'a-1' };

const confirm = ({ store }: Engine, ...keys: readonly string[]): Promise<void> =>
  store.confirm(
    account,
    'users',
    keys.map((key) => knownRecord(key, { external_id: key })),
  );

/** The records that are counted, and how often they were; `between` comes after the count. */
async function count({ ports, store }: Engine, between = (): Promise<void> => Promise.resolve()) {
  let times = 0;
  const counting = changedBy(store, {
    countSnapshots: async (...of) => {
      times += 1;
      const found = await store.countSnapshots(...of);
      await between();
      return found;
    },
  });
  const found = await countOnce({ ...ports, store: counting }, account, 'users');
  return [found, times];
}

it('what is known is counted once, until something of it is confirmed', async () => {
  const engine = await makeEngine();
  await confirm(engine, 'A', 'B');
  expect(await count(engine)).toEqual([2, 1]);
  expect(await count(engine)).toEqual([2, 0]);
  await engine.store.confirm(account, 'squads', [knownRecord('S', { name: 'S' })]);
  expect(await count(engine)).toEqual([2, 0]);
  await confirm(engine, 'C');
  expect(await count(engine)).toEqual([3, 1]);
});

it('what is confirmed while it is counted is counted the next time', async () => {
  const engine = await makeEngine();
  await confirm(engine, 'A');
  expect(await count(engine, () => confirm(engine, 'B'))).toEqual([1, 1]);
  expect(await count(engine)).toEqual([2, 1]);
});

it('where the disk is full, what is known is counted all the same', async () => {
  const engine = await makeEngine();
  await confirm(engine, 'A');
  const begin = (): Promise<never> =>
    Promise.reject(new UnavailableError('state.full', 'the disk is full', { next: 'make room' }));
  const store = changedBy(engine.store, { comparisons: changedBy(engine.store.comparisons, { begin }) });
  expect(await count({ ...engine, store })).toEqual([1, 1]);
  expect(await count({ ...engine, store })).toEqual([1, 1]);
});
