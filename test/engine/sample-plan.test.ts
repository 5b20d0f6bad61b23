import { expect, it } from 'vitest';
import type { RunRow } from '../../src/model/state/run-rows.ts';
import { sampleChanges } from '../../src/sync/plan/sample-plan.ts';
import type { PlannedPush } from '../../src/sync/ports.ts';
import { pushMapping, runRow } from '../support/builders.ts';
import { makeEngine, type Engine } from '../support/engine.ts';

async function sampleOf(
  engine: Engine,
  tables: Readonly<Record<string, readonly RunRow[]>>,
): Promise<readonly string[]> {
  const rows = await engine.store.openRunRows(null);
  for (const [name, lines] of Object.entries(tables)) await rows.add(name, lines);
  const mappings = Object.keys(tables).map((name) => ({ mapping: pushMapping({ name }) }));
  const sample = await sampleChanges({ mappings: mappings as unknown as PlannedPush['mappings'], rows });
  await rows.remove();
  return sample.map(({ mapping, row, kind }) => `${mapping} ${row} ${kind}`);
}

const row = (rowNumber: number, changes: Partial<RunRow>): RunRow =>
  runRow(rowNumber, { external_id: `M${rowNumber}` }, changes);
const rows = (from: number, count: number, changes: Partial<RunRow>): readonly RunRow[] =>
  Array.from({ length: count }, (_, index) => row(from + index, changes));

it('shows everything that is to be said of a small table, in its order', async () => {
  const table = [
    row(2, { change: 'create' }),
    row(3, { change: 'unchanged', outcome: 'unchanged' }),
    row(4, { change: 'invalid', outcome: 'invalid' }),
    row(5, { change: 'excluded', outcome: 'excluded' }),
    row(6, { change: 'update', before: {} }),
    row(7, { change: 'conflict', outcome: 'conflict' }),
    row(8, { change: 'create', outcome: 'deferred' }),
  ];
  expect(await sampleOf(await makeEngine(), { users: table })).toEqual([
    'users 2 create',
    'users 4 invalid',
    'users 6 update',
    'users 7 deferred',
    'users 8 deferred',
  ]);
});

it('shows some rows of every mapping and kind of a large one', async () => {
  const users = [...rows(2, 300, { change: 'create' }), row(400, { change: 'invalid', outcome: 'invalid' })];
  const squads = [
    ...rows(2, 200, { change: 'create' }),
    ...rows(300, 100, { change: 'create', outcome: 'deferred' }),
  ];
  const sample = await sampleOf(await makeEngine(), { users, squads });
  expect(sample).toHaveLength(12);
  expect(sample).toEqual([
    'users 2 create',
    'users 3 create',
    'users 4 create',
    'users 5 create',
    'users 400 invalid',
    'squads 2 create',
    'squads 3 create',
    'squads 4 create',
    'squads 300 deferred',
    'squads 301 deferred',
    'squads 302 deferred',
    'squads 303 deferred',
  ]);
});
