import { expect, it } from 'vitest';
import type { PostgresClient } from '../../../src/state/postgres/client.ts';
import { sharedClient } from '../../../src/state/postgres/shared-client.ts';

/** Tells what was opened and closed. */
function opener(): { readonly open: () => Promise<PostgresClient>; readonly log: string[] } {
  const log: string[] = [];
  return {
    log,
    open: () => {
      const number = log.filter((entry) => entry.startsWith('open')).length + 1;
      log.push(`open ${number}`);
      return Promise.resolve({
        query: () => Promise.resolve({ rows: [[number]], changes: 0 }),
        transaction: (work) => work({ query: () => Promise.resolve({ rows: [[number]], changes: 0 }) }),
        close: () => {
          log.push(`close ${number}`);
          return Promise.resolve();
        },
      });
    },
  };
}

it('one client serves all who ask for it by its name, until the last one closes it', async () => {
  const { open, log } = opener();
  const [one, other] = await Promise.all([sharedClient('a', open), sharedClient('a', open)]);
  expect(await one.query('SELECT 1', [])).toEqual(await other.query('SELECT 1', []));
  await one.close();
  await one.close();
  expect(log).toEqual(['open 1']);
  expect((await other.transaction((session) => session.query('SELECT 1', []))).rows).toEqual([[1]]);
  await other.close();
  expect(log).toEqual(['open 1', 'close 1']);
  await (await sharedClient('a', open)).close();
  expect(log.slice(2)).toEqual(['open 2', 'close 2']);
});

it('clients of other names are others', async () => {
  const { open, log } = opener();
  const clients = [await sharedClient('b', open), await sharedClient('c', open)];
  for (const client of clients) await client.close();
  expect(log).toEqual(['open 1', 'open 2', 'close 1', 'close 2']);
});

it('one that cannot be opened is tried again by whoever asks next', async () => {
  const refused = (): Promise<never> => Promise.reject(new Error('no'));
  const [one, other] = [sharedClient('d', refused), sharedClient('d', refused)];
  await expect(one).rejects.toThrow('no');
  await expect(other).rejects.toThrow('no');
  const { open, log } = opener();
  await (await sharedClient('d', open)).close();
  expect(log).toEqual(['open 1', 'close 1']);
});
