import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { KEPT_KINDS, type Kept } from '../../src/model/state/memory.ts';
import type { Store } from '../../src/model/state/store.ts';
import { newSchema, onePostgres, openTestState } from '../support/postgres.ts';
import { openStore } from '../../src/state/sqlite/store.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder();
const clock = { now: () => 1, monotonic: () => 1, sleep: () => Promise.resolve() };
const account = { baseUrl: 'https://data.example', accountId: 'club' };
const WEEKS = ['', 'week-1', 'week-2'];
const FORGOTTEN = 'M1';
/** A summary is made of the others again. */
const KINDS = KEPT_KINDS.filter((kind) => kind !== 'summary');

/** Whose squad a record is about; that of the others is nobody's. */
const OWNERS: Readonly<Record<string, number>> = { a: 1, b: 2 };

/** Few of each, so that readings of one record meet, also at one time. A record is of one squad, and a squad is one member's, which a reading may not say. */
const anyReading: fc.Arbitrary<Kept> = fc
  .record({
    gameWeek: fc.constantFrom(...WEEKS),
    kind: fc.constantFrom(...KINDS),
    id: fc.constantFrom('a', 'b', 'c'),
    variant: fc.constantFrom('', 'x', 'y'),
    readAtMs: fc.integer({ min: 0, max: 3 }),
    points: fc.integer({ min: 0, max: 3 }),
    isNamed: fc.boolean(),
  })
  .map(({ points, isNamed, ...kept }) => {
    const owner = OWNERS[kept.id];
    return {
      ...kept,
      ...(owner !== undefined && { squad: `S${owner}`, ...(isNamed && { member: `M${owner}` }) }),
      record: { points, isNamed },
    };
  });

type Open = () => Promise<Store>;

const postgres = onePostgres();

let stores = 0;
const openFile: Open = () =>
  openStore({ file: join(folder.path, String((stores += 1)), 'state.sqlite'), clock });
const openPostgres: Open = async () =>
  (await openTestState(await postgres.client(), newSchema(), folder.path, { clock })).store;

async function memoryOf(open: Open, batches: readonly (readonly Kept[])[]): Promise<readonly unknown[]> {
  const store = await open();
  const scope = { account, league: 1 };
  await store.memory.forget(account, FORGOTTEN);
  for (const batch of batches) await store.memory.keep(scope, batch);
  const found: unknown[] = [await store.memory.weeks(scope)];
  for (const week of WEEKS)
    for (const kind of KINDS)
      found.push((await Array.fromAsync(store.memory.kept(scope, week, kind))).flat());
  await store.close();
  return found;
}

it.each([
  ['SQLite', openFile, 40],
  ['PostgreSQL', openPostgres, 12],
] as const)(
  'the same readings in any order, in any batches and twice make the same memory on %s',
  (_name, open, numRuns) =>
    fc.assert(
      fc.asyncProperty(
        fc
          .array(anyReading, { maxLength: 14 })
          .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        fc.nat(5),
        async ([all, shuffled], half) => {
          const once = await memoryOf(open, [all]);
          expect(await memoryOf(open, [shuffled.slice(0, half), shuffled.slice(half)])).toEqual(once);
          expect(await memoryOf(open, [all, shuffled])).toEqual(once);
        },
      ),
      { numRuns },
    ),
);
