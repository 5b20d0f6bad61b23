import { expect, it } from 'vitest';
import { planPush } from '../../src/sync/plan/plan-sync.ts';
import { mappingOn, setTable } from '../support/push-case.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from '../support/engine.ts';

const members = mappingOn('members.csv', { name: 'members' });
const guests = mappingOn('guests.csv', { name: 'guests' });

async function warnings(engine: Engine): Promise<readonly string[]> {
  const planned = await planPush(engine.ports, [members, guests], PLAN_OPTIONS);
  await planned.rows.remove();
  return engine.events.flatMap((event) => (event.kind === 'warning' ? [event.message] : []));
}

it('two mappings that write one key with different values are warned of', async () => {
  const engine = await makeEngine();
  setTable(engine, 'members', 'external_id,display_name', 'A,Ann', 'B,Bob', 'C,Cid');
  setTable(engine, 'guests', 'external_id,display_name', 'D,Dot', 'B,Bobby', 'C,Cyd');
  expect(await warnings(engine)).toEqual([
    'guests: row 3 has another display_name for "B" than row 3 of members (and 1 more row like it): each push changes it back and forth, so keep it in one of the tables only',
  ]);
});

it('two mappings are not that say the same of a key, or write other fields of it, or leave its row out', async () => {
  const engine = await makeEngine();
  setTable(engine, 'members', 'external_id,display_name', 'A,Ann', 'B,Bob');
  setTable(engine, 'guests', 'external_id,display_name,is_active', 'A,,true', 'B,Bob,false');
  expect(await warnings(engine)).toEqual([]);
  setTable(engine, 'guests', 'external_id,display_name', 'A,Ann');
  expect(await warnings(engine)).toEqual([]);
  // Rows of one key that disagree are invalid.
  setTable(engine, 'guests', 'external_id,display_name', 'A,Anna', 'A,Anne');
  expect((await warnings(engine)).filter((message) => message.includes('back and forth'))).toEqual([]);
});
