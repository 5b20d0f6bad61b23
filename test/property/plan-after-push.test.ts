import fc from 'fast-check';
import { describe, it } from 'vitest';
import { push } from '../../src/sync/push.ts';
import { PLAN_OPTIONS, withEngine, type Engine } from '../support/engine.ts';
import { settingNames } from '../support/points.ts';
import {
  approve,
  expectFixpoint,
  expectNoKeyTwice,
  expectWholeCounts,
  mappingOn,
  POINTS,
  PRICE_HEADER,
  PRICES,
  USER_HEADER,
} from '../support/push-case.ts';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { runs } from '../support/long.ts';

const KEYS = [
  'A',
  'a',
  'é',
  'e\u0301',
  '12',
  '012',
  '0012',
  ' B',
  'B',
  'Ω7',
  '会員',
  '',
  'NULL',
  '1E+05',
  'х',
];
const key = fc.oneof(fc.constantFrom(...KEYS), fc.string({ unit: 'grapheme', maxLength: 5 }));
const name = fc.oneof(
  fc.constantFrom('', 'Ann', 'Zoë', 'Μαρία', '山田', 'عمر', '👩‍👩‍👧', '=1+1', 'N/A', 'x'.repeat(51)),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
const active = fc.constantFrom('', 'true', 'false', 'TRUE', '0', 'yes');
const userTable = fc.array(fc.tuple(key, name, active), { minLength: 1, maxLength: 15 });
const there = fc.array(
  fc.record({
    external_id: fc.oneof(fc.constantFrom(...KEYS), key),
    display_name: fc.option(name),
    is_active: fc.option(fc.boolean()),
  }),
  { maxLength: 8 },
);

const cellOf = (...values: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...values);
const priceTable = fc.array(
  fc.tuple(
    cellOf('1', '2', '0', 'x'),
    cellOf('1', '2', '3', '07', ''),
    cellOf('5', '5.0', '5.5', '-0', '0', '7,5', '1e3', ''),
    cellOf('initial', 'delta', '', 'é', 'e\u0301'),
  ),
  { minLength: 1, maxLength: 15 },
);
const pointsTable = fc.array(
  fc.record({ league: cellOf('1', '2', '3', '-1', ''), value: cellOf('1', '2', '-0', '1.5', '') }),
  { minLength: 1, maxLength: 5 },
);

/** Pushes the table without faults; then nothing is left to do. */
async function expectSettled(
  engine: Engine,
  mapping: PushMapping,
  table: readonly (readonly string[])[],
): Promise<void> {
  const options = { ...PLAN_OPTIONS, adopt: true };
  engine.tables.set(mapping.source.origin, table);
  const result = await push(engine.ports, 'push', [mapping], options, approve);
  const rowNumbers = table.slice(1).map((_, index) => index + 2);
  expectWholeCounts(engine, result, rowNumbers, mapping.name);
  await expectFixpoint(engine, mapping, options);
}

describe('after a push without faults nothing is left to write', () => {
  it('users, whatever the table and the service hold', async () => {
    await fc.assert(
      fc.asyncProperty(
        userTable,
        there,
        fc.constantFrom(1, 100),
        fc.constantFrom(1, 3, 100),
        (table, before, pageSize, batchSize) =>
          withEngine(async (engine) => {
            engine.service.pageSize = pageSize;
            engine.service.users.push(...before.map((user, index) => ({ id: `before-${index}`, ...user })));
            await expectSettled(engine, mappingOn('users.csv', { batchSize }), [USER_HEADER, ...table]);
            expectNoKeyTwice(engine);
          }),
      ),
      { numRuns: runs(25, 5000) },
    );
  }, 600_000);

  it('prices, beside whatever was uploaded before', async () => {
    const prices = { ...PRICES, batchSize: 2 };
    await fc.assert(
      fc.asyncProperty(priceTable, fc.nat(2), (table, uploaded) =>
        withEngine(async (engine) => {
          for (let at = 0; at < uploaded; at += 1) engine.service.prices.push({ player_id: 1, price: 5 });
          await expectSettled(engine, prices, [PRICE_HEADER, ...table]);
        }),
      ),
      { numRuns: runs(15, 2000) },
    );
  }, 600_000);

  it('points configurations', async () => {
    await fc.assert(
      fc.asyncProperty(pointsTable, (table) =>
        withEngine((engine) =>
          expectSettled(engine, POINTS, [
            ['fantasy_league_id', ...settingNames],
            ...table.map(({ league, value }) => [
              league,
              ...settingNames.map((_, at) => (at === 0 ? value : '1')),
            ]),
          ]),
        ),
      ),
      { numRuns: runs(10, 1000) },
    );
  }, 600_000);
});
