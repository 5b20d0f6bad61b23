import { rm } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { openCases } from '../../src/sync/reconcile/open-cases.ts';
import { push } from '../../src/sync/push.ts';
import { resolve } from '../../src/sync/resolve.ts';
import { resume } from '../../src/sync/resume.ts';
import { approve, LEAGUES, mappingOn, POINTS, PRICE_HEADER, PRICES, TRIGGERS } from '../support/push-case.ts';
import { openEngine, PLAN_OPTIONS, stateFolder } from '../support/engine.ts';
import { FakeService, type Fault } from '../support/fake-service.ts';
import { Life } from '../support/life.ts';
import { settingNames } from '../support/points.ts';

const DURABLE = /^(store\.(addIntent|recordResult|confirm|updateRun|setFact)|rows\.(patch|deferOpen))$/;
/** A durable step after the first write was answered. */
const isStep = (name: string, calls: readonly string[]): boolean =>
  DURABLE.test(name) && calls.includes('service.send');

/** Lives through a push that is cut off there, and through all that follows; false once the push lived longer. */
async function live(
  mapping: PushMapping,
  table: readonly (readonly string[])[],
  fault: Fault,
  lastStep: number,
): Promise<boolean> {
  const folder = await stateFolder();
  const engine = await openEngine(folder, new FakeService());
  try {
    const { service, tables, ports, store } = engine;
    tables.set(mapping.source.origin, table);
    service.faults.push(fault);
    const life = new Life({ call: lastStep, when: 'before', of: isStep });
    const mortal = { ...life.ports(ports), service: life.service(service), concurrency: 1 };
    await push(mortal, 'push', [mapping], PLAN_OPTIONS, approve).catch((error: unknown) => {
      if (!life.isOver) throw error;
    });
    await life.bury();
    const again = (): Promise<unknown> =>
      push(ports, 'push', [mapping], { ...PLAN_OPTIONS, adopt: true }, approve);
    await again();
    const { id } = await service.account();
    const account = { baseUrl: ports.baseUrl, accountId: id.toLowerCase() };
    // All that was sent was applied.
    for (const open of await openCases({ ...ports, store }, account))
      await resolve(ports, open.id, 'applied', approve);
    await resume(ports, undefined, approve);
    engine.clock.time += 3_600_000;
    await again();
    const keys = service.effects.map(({ key }) => key);
    expect(keys.toSorted(), `before step ${lastStep}`).toEqual([...new Set(keys)].sort());
    expect(keys).toHaveLength(table.length - 1);
    return life.isOver;
  } finally {
    await engine.store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const week = '01234567-89ab-4cde-8f01-23456789abcd';
const PRICE_TABLE = [PRICE_HEADER, ['1', '1', '5', 'initial'], ['1', '2', '6', 'initial']];
it.each<readonly [string, PushMapping, readonly (readonly string[])[], Fault]>([
  ['prices', PRICES, PRICE_TABLE, 'lost'],
  ['prices of a refused upload that were kept', PRICES, PRICE_TABLE, 'all_then_refused'],
  [
    'a league',
    LEAGUES,
    [
      ['name', 'league_id'],
      ['Cup', '1'],
    ],
    'lost',
  ],
  [
    'a points configuration',
    POINTS,
    [
      ['fantasy_league_id', ...settingNames],
      ['1', ...settingNames.map(() => '1')],
    ],
    'lost',
  ],
  [
    'a trigger',
    TRIGGERS,
    [
      ['fantasy_league_id', 'game_week_id'],
      ['1', week],
    ],
    'lost',
  ],
  [
    'users',
    mappingOn('users.csv', { compare: 'snapshot' }),
    [
      ['external_id', 'display_name'],
      ['A', 'Ann'],
      ['B', 'Bob'],
    ],
    'lost',
  ],
])(
  '%s: a power cut after any step leaves nothing that is sent twice',
  async (_name, mapping, table, fault) => {
    let step = 1;
    while (await live(mapping, table, fault, step)) step += 1;
    expect(step).toBeGreaterThan(4);
  },
);
