import { expect, it } from 'vitest';
import { changedBy } from '../../src/model/changed-by.ts';
import { knownUser, remembered } from '../../src/plan/known-records.ts';
import { push, type Approve } from '../../src/sync/push.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from '../support/engine.ts';
import { heldLock } from '../support/held-lock.ts';
import {
  accountOf,
  approve,
  mappingOn,
  outcomesOf,
  resultLines,
  setTable,
  userEngine,
  userTable,
} from '../support/push-case.ts';

const users = mappingOn('users.csv', { compare: 'snapshot' });

const AS_KNOWN =
  'compared with the users that were listed at an unknown time, and with what was pushed since';

/** An engine whose account has three users, all of which the state knows. */
async function knowingEngine(): Promise<Engine> {
  const engine = await userEngine(['A,Ann,true', 'B,Bo,true', 'C,Cy,false']);
  await push(engine.ports, 'push', [users], PLAN_OPTIONS, approve);
  expect(engine.service.users).toHaveLength(3);
  return engine;
}

/** Pushes the table; tells what became of the rows and which of them were looked for among what is known, while they were read and then under the lock. */
async function pushed(engine: Engine, locked = (): Promise<void> => Promise.resolve()) {
  const asked: string[][] = [[]];
  const store = changedBy(engine.store, {
    confirmedWith: (account, resource, wanted) => {
      asked.at(-1)?.push(...wanted.map(({ key }) => key));
      return engine.store.confirmedWith(account, resource, wanted);
    },
  });
  const lock = {
    acquire: async () => {
      asked.push([]);
      await locked();
      return heldLock();
    },
  };
  let comparedWith: string | undefined;
  const see: Approve = ({ mappings: [plan] }) => {
    comparedWith = plan?.comparedWith;
    return Promise.resolve();
  };
  const result = await push({ ...engine.ports, store, lock }, 'push', [users], PLAN_OPTIONS, see);
  return { outcomes: outcomesOf(result), asked, comparedWith };
}

const idOf = ({ service }: Engine, key: string): string =>
  service.users.find(({ external_id }) => external_id === key)?.id ?? '';

const confirmName = ({ service, store, ...engine }: Engine, key: string, name: string): Promise<void> => {
  const user = service.users.find(({ external_id }) => external_id === key);
  if (user === undefined) throw new Error(`no user ${key}`);
  const account = accountOf({ service, store, ...engine });
  return store.confirm(account, 'users', [remembered(knownUser({ ...user, display_name: name }))]);
};

it('rows that say what is known are unchanged from the start, and the others are compared under the lock', async () => {
  const engine = await knowingEngine();
  userTable(engine, 'A,Ann,true', 'B,Bob,true', 'C,Cy,false', 'D,Di,true');
  const { outcomes, asked, comparedWith } = await pushed(engine);
  expect(outcomes).toEqual({ created: 1, updated: 1, unchanged: 2 });
  expect(comparedWith).toBe(AS_KNOWN);
  expect(asked).toEqual([
    ['A', 'B', 'C', 'D'],
    ['B', 'D'],
  ]);
  expect(resultLines(engine).map(({ outcome, id }) => [outcome, id])).toEqual([
    ['unchanged', idOf(engine, 'A')],
    ['updated', idOf(engine, 'B')],
    ['unchanged', idOf(engine, 'C')],
    ['created', idOf(engine, 'D')],
  ]);
});

it('a plan says what its rows were compared with where all of them were marked, and where none was', async () => {
  const engine = await knowingEngine();
  expect(await pushed(engine)).toMatchObject({ outcomes: { unchanged: 3 }, comparedWith: AS_KNOWN });
  userTable(engine, ',Ann,true', ',Di,true');
  expect(await pushed(engine)).toMatchObject({
    ...{ outcomes: { invalid: 2 }, asked: [[], []], comparedWith: 'nothing to compare' },
  });
});

it('rows of which something is to be said are compared under the lock', async () => {
  const engine = await knowingEngine();
  userTable(engine, ' A,Ann,true', 'B,Bo,true', 'C,Cy,maybe');
  const { outcomes, asked } = await pushed(engine, () => confirmName(engine, 'B', 'Bea'));
  expect(outcomes).toEqual({ updated: 1, unchanged: 1, invalid: 1 });
  expect(asked).toEqual([
    ['A', 'B'],
    ['A', 'B'],
  ]);
  expect(resultLines(engine).map(({ outcome, message }) => [outcome, message === ''])).toEqual([
    ['unchanged', false],
    ['updated', true],
    ['invalid', false],
  ]);
});

it('where something is confirmed before the lock, all rows are compared with that', async () => {
  const engine = await knowingEngine();
  const { outcomes, asked } = await pushed(engine, () => confirmName(engine, 'B', 'Bea'));
  expect(outcomes).toEqual({ updated: 1, unchanged: 2 });
  expect(asked[1]).toEqual(['A', 'B', 'C']);
  expect(engine.service.users.map(({ display_name }) => display_name)).toEqual(['Ann', 'Bo', 'Cy']);
});

it('where the account counts other records, all rows are compared again', async () => {
  const engine = await knowingEngine();
  const { service } = engine;
  service.users.push({ id: 'other', user_id: 99, external_id: 'X', display_name: 'X', is_active: true });
  const { outcomes, asked } = await pushed(engine);
  expect(outcomes).toEqual({ unchanged: 3 });
  expect(asked).toEqual([
    ['A', 'B', 'C'],
    ['A', 'B', 'C'],
  ]);
});

it('rows of one key that were marked are what they are without', async () => {
  const engine = await knowingEngine();
  userTable(engine, 'A,Ann,true', 'B,Bo,true', 'A,Ann,true', 'C,Cy,false', 'C,Cy,true');
  const { outcomes } = await pushed(engine);
  expect(outcomes).toEqual({ unchanged: 3, invalid: 2 });
  expect(resultLines(engine).map(({ outcome, id, message }) => [outcome, id, message === ''])).toEqual([
    ['unchanged', idOf(engine, 'A'), true],
    ['unchanged', idOf(engine, 'B'), true],
    ['unchanged', '', false],
    ['invalid', '', false],
    ['invalid', '', false],
  ]);
});

it('rows that are opened again keep what another row of their key makes of them', async () => {
  const engine = await knowingEngine();
  userTable(engine, 'A,Ann,true', 'A,Ann,true', 'B,Bo,true');
  const { outcomes } = await pushed(engine, () => confirmName(engine, 'A', 'Ada'));
  expect(outcomes).toEqual({ updated: 1, unchanged: 2 });
  expect(resultLines(engine).map(({ outcome, id }) => [outcome, id])).toEqual([
    ['updated', idOf(engine, 'A')],
    ['unchanged', ''],
    ['unchanged', idOf(engine, 'B')],
  ]);
});

it('a push of a state that knows nothing marks no row, and begins no comparison', async () => {
  const engine = await userEngine(['A,Ann,true']);
  const { outcomes, asked } = await pushed(engine);
  expect([outcomes, asked]).toEqual([{ created: 1 }, [[], []]]);
});

it('rows of several mappings are marked in one push', async () => {
  const engine = await makeEngine();
  const minis = mappingOn('minis.csv', {
    ...{ name: 'minis', resource: 'mini_leagues', operation: 'create', compare: 'snapshot' },
  });
  userTable(engine, 'A,Ann,true');
  setTable(engine, 'minis', 'fantasy_league_id,name,type', '1,Pub,classic');
  const pushBoth = (): ReturnType<typeof push> =>
    push(engine.ports, 'push', [users, minis], PLAN_OPTIONS, approve);
  await pushBoth();
  const { report } = await pushBoth();
  expect(report.mappings.map((each) => 'unchanged' in each && each.unchanged)).toEqual([1, 1]);
});
