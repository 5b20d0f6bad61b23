import { describe, expect, it } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { push, type PushResult } from '../../src/sync/push.ts';
import { resume } from '../../src/sync/resume.ts';
import { pushMapping } from '../support/builders.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from '../support/engine.ts';

const approve = (): Promise<void> => Promise.resolve();
const onTable = (name: string, resource: PushMapping['resource'], operation: PushMapping['operation']) =>
  pushMapping({
    name,
    resource,
    operation,
    source: { ...pushMapping().source, origin: name, location: { kind: 'csv', path: name } },
  });
const prices = onTable('prices', 'prices', 'append');
const triggers = onTable('weeks', 'auto_substitutions', 'trigger');
const leagues = onTable('leagues', 'fantasy_leagues', 'create');

const pushIt = (engine: Engine, mapping: PushMapping): Promise<PushResult> =>
  push(engine.ports, 'push', [mapping], PLAN_OPTIONS, approve);

function priceTable(engine: Engine, ...lines: readonly string[]): void {
  const header = ['fantasy_league_id', 'player_id', 'price', 'type'];
  engine.tables.set('prices', [header, ...lines.map((line) => [...line.split(','), 'current'])]);
}

describe('the memory of prices', () => {
  it('of one league is not asked for those of another', async () => {
    const engine = await makeEngine();
    engine.service.prices.push({ player_id: 7, price: 5, league: 2, write: 0 });
    priceTable(engine, '3,7,5');
    expect((await pushIt(engine, prices)).report.mappings[0]).toMatchObject({ created: 1 });
  });

  it('of one league is none of another, whose uploads the log has', async () => {
    const engine = await makeEngine();
    priceTable(engine, '2,7,5');
    await pushIt(engine, prices);
    engine.service.prices.push({ player_id: 7, price: 5, league: 3, write: 9 });
    priceTable(engine, '2,7,5', '3,7,5');
    await expect(pushIt(engine, prices)).rejects.toMatchObject({
      code: 'state.no_memory',
      message:
        'prices: the service has price uploads of fantasy league 3, but this state remembers none, so it cannot tell which prices are already there',
    });
    expect(engine.service.prices).toHaveLength(2);
  });
});

describe('the memory of triggers', () => {
  it('is a trigger without an answer too, for a run that goes on', async () => {
    const engine = await makeEngine();
    const week = (last: number): readonly string[] => ['1', `01234567-89ab-4cde-8f01-23456789abc${last}`];
    engine.tables.set('weeks', [['fantasy_league_id', 'game_week_id'], week(1), week(2)]);
    engine.service.listLagMs = 1_000_000;
    engine.service.faults.push('lost', 'unreachable');
    const hasty = { ...engine.ports, maxWaitMs: 0 };
    await push(hasty, 'push', [triggers], PLAN_OPTIONS, approve);
    engine.service.listLagMs = 0;
    const resumed = await resume(engine.ports, undefined, approve);
    expect(resumed?.report.mappings[0]).toMatchObject({ rows: 2, created: 2 });
  });
});

describe('the memory of fantasy leagues', () => {
  const table = (engine: Engine, ...names: readonly string[]): unknown =>
    engine.tables.set('leagues', [['name', 'league_id'], ...names.map((name) => [name, '1'])]);

  it('is missed where the account counts more than an older state can explain', async () => {
    const engine = await makeEngine();
    engine.service.leagues.push({ id: 99, name: 'By hand' });
    table(engine, 'Sunday');
    expect((await pushIt(engine, leagues)).report.exit_code).toBe(0);
    table(engine, 'Sunday', 'Monday');
    expect((await pushIt(engine, leagues)).report.exit_code).toBe(0);
    // What an older copy of the state does not know.
    engine.service.leagues.push({ id: 100, name: 'Tuesday' });
    table(engine, 'Sunday', 'Monday', 'Tuesday');
    await expect(pushIt(engine, leagues)).rejects.toMatchObject({
      code: 'state.no_memory',
      exitCode: 6,
      message: expect.stringContaining('1 fantasy league more than this state remembers') as string,
    });
    const adopting = { ...PLAN_OPTIONS, adopt: true };
    const { report } = await push(engine.ports, 'push', [leagues], adopting, approve);
    expect(report.mappings[0]).toMatchObject({ unchanged: 2, created: 1 });
  });
});
