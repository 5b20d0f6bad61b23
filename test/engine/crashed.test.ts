import { rm } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import type { RunRows } from '../../src/model/run-rows.ts';
import type { SyncPorts } from '../../src/sync/ports.ts';
import { openCases } from '../../src/sync/reconcile/open-cases.ts';
import { push } from '../../src/sync/push.ts';
import { resolve } from '../../src/sync/resolve.ts';
import { resume } from '../../src/sync/resume.ts';
import { approve, mappingOn } from '../support/push-case.ts';
import { openEngine, PLAN_OPTIONS, stateFolder, type Engine } from '../support/engine.ts';
import { FakeService, type Fault } from '../support/fake-service.ts';
import { settingNames } from '../support/points.ts';

class PowerCut extends Error {}

/** The ports of a process that is gone before its n-th durable step after the first write was answered. */
function mortal(engine: Engine, lastStep: number): { readonly ports: SyncPorts; close(): Promise<void> } {
  const opened: RunRows[] = [];
  let [isSent, steps] = [false, 0];
  const durable = <Port extends object>(port: Port, names: readonly string[]): Port =>
    new Proxy(port, {
      get: (target, name): unknown => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...args: unknown[]): unknown => {
          if (isSent && names.includes(String(name))) steps += 1;
          if (steps >= lastStep) throw new PowerCut(`before ${String(name)}`);
          return method.apply(target, args) as unknown;
        };
      },
    });
  const store = durable(engine.store, ['addIntent', 'settleIntent', 'confirm', 'updateRun', 'setFact']);
  const { service } = engine;
  const ports: SyncPorts = {
    ...engine.ports,
    concurrency: 1,
    store: new Proxy(store, {
      get: (target, name): unknown =>
        name !== 'openRunRows'
          ? Reflect.get(target, name)
          : async (runId: string | null) => {
              const rows = await engine.store.openRunRows(runId);
              opened.push(rows);
              return durable(rows, ['patch', 'deferOpen']);
            },
    }),
    service: {
      get: (operation, input) => service.get(operation, input),
      list: (...args) => service.list(...args),
      account: () => service.account(),
      counts: () => service.counts(),
      timeMs: () => service.timeMs(),
      forecast: (given) => service.forecast(given),
      send: async (operation, input) => {
        const result = await service.send(operation, input);
        isSent = true;
        return result;
      },
    },
  };
  return {
    ports,
    close: async () => {
      for (const rows of opened) await rows.close();
    },
  };
}

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
    const cut = mortal(engine, lastStep);
    const isCut = await push(cut.ports, 'push', [mapping], PLAN_OPTIONS, approve).then(
      () => false,
      (error: unknown) => {
        if (error instanceof PowerCut) return true;
        throw error;
      },
    );
    await cut.close();
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
    return isCut;
  } finally {
    await engine.store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const week = '01234567-89ab-4cde-8f01-23456789abcd';
it.each<readonly [string, PushMapping, readonly (readonly string[])[], Fault]>([
  [
    'prices',
    mappingOn('prices.csv', {
      name: 'prices',
      resource: 'prices',
      operation: 'append',
      compare: 'snapshot',
    }),
    [
      ['fantasy_league_id', 'player_id', 'price', 'type'],
      ['1', '1', '5', 'initial'],
      ['1', '2', '6', 'initial'],
    ],
    'lost',
  ],
  [
    'prices of a refused upload that were kept',
    mappingOn('prices.csv', {
      name: 'prices',
      resource: 'prices',
      operation: 'append',
      compare: 'snapshot',
    }),
    [
      ['fantasy_league_id', 'player_id', 'price', 'type'],
      ['1', '1', '5', 'initial'],
      ['1', '2', '6', 'initial'],
    ],
    'all_then_refused',
  ],
  [
    'a league',
    mappingOn('leagues.csv', { name: 'leagues', resource: 'fantasy_leagues', operation: 'create' }),
    [
      ['name', 'league_id'],
      ['Cup', '1'],
    ],
    'lost',
  ],
  [
    'a points configuration',
    mappingOn('points.csv', { name: 'points', resource: 'points_config', operation: 'set' }),
    [
      ['fantasy_league_id', ...settingNames],
      ['1', ...settingNames.map(() => '1')],
    ],
    'lost',
  ],
  [
    'a trigger',
    mappingOn('triggers.csv', { name: 'triggers', resource: 'auto_substitutions', operation: 'trigger' }),
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
