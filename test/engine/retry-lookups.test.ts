import { describe, expect, it } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { push } from '../../src/sync/push.ts';
import { retry } from '../../src/sync/retry.ts';
import { approve, resultLines, setTable } from '../support/push-case.ts';
import { mappingFrom } from '../support/builders.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from '../support/engine.ts';

const users = mappingFrom('members', 'users', 'upsert', '{ external_id: Id, display_name: Name }');
const leagues = mappingFrom('leagues', 'fantasy_leagues', 'create', '{ name: Name, league_id: League }');
const squads = mappingFrom(
  'squads',
  'squads',
  'create',
  '{ fantasy_league_id: { value: 1 }, user_id: { from: Who, lookup: { in: users, match: external_id, take: user_id } }, name: Name, players_in: Players }',
);
const minis = mappingFrom(
  'minis',
  'mini_leagues',
  'create',
  '{ fantasy_league_id: { from: League, lookup: { in: leagues, match: name, take: id } }, name: Name, type: Type }',
);

const run = (engine: Engine, ...mappings: readonly PushMapping[]) =>
  push(engine.ports, 'push', mappings, PLAN_OPTIONS, approve);
const again = (engine: Engine) => retry(engine.ports, undefined, PLAN_OPTIONS, (mapping) => mapping, approve);
const outcomes = (engine: Engine, name: string) => resultLines(engine, name).map(({ outcome }) => outcome);
const told = (engine: Engine): readonly string[] =>
  engine.events.flatMap((event) =>
    event.kind === 'warning' || event.kind === 'note' ? [event.message] : [],
  );

describe('retry of rows whose key is looked up', () => {
  it('finds those of users that the service has, corrected or not, and keeps the file until they are done', async () => {
    const engine = await makeEngine();
    for (const [id, number] of [
      ['Ann', 9],
      ['Bob', 12],
    ] as const)
      engine.service.users.push({ id: `u-${number}`, user_id: number, external_id: id, display_name: id });
    engine.service.refuses.add('Hill XI').add('Dale XI');
    setTable(engine, 'squads', 'Who,Name,Players', 'Ann,Hill XI,1', 'Bob,Dale XI,2', 'Ann,Moor XI,');
    await run(engine, squads);
    expect(outcomes(engine, 'squads')).toEqual(['rejected', 'rejected', 'invalid']);
    engine.service.refuses.delete('Hill XI');
    setTable(
      engine,
      'squads',
      'Who,Name,Players',
      'Bob,New XI,4',
      'Ann,Hill XI,1',
      'Bob,Dale XI,2',
      'Ann,Moor XI,3',
    );
    expect((await again(engine))?.report.mappings).toMatchObject([{ rows: 3, created: 2, rejected: 1 }]);
    expect(engine.files.get('squads.rejected')).toHaveLength(2);
    expect((await again(engine))?.report.mappings).toMatchObject([{ rows: 1, rejected: 1 }]);
    expect(engine.files.get('squads.rejected')).toHaveLength(2);
    engine.service.refuses.clear();
    const last = await again(engine);
    expect([last?.report.exit_code, last?.next]).toEqual([0, []]);
    expect(engine.service.squads.map(({ name }) => name)).toEqual(['Hill XI', 'Moor XI', 'Dale XI']);
    expect([...engine.files.keys()]).not.toContain('squads.rejected');
    expect(await again(engine)).toBeUndefined();
    expect(told(engine)).toContain('squads: 3 of 3 refused rows found again; no other row is read');
  });

  it('finds those of records that the same run created', async () => {
    const engine = await makeEngine();
    engine.service.refuses.add('Hill XI').add('Office');
    setTable(engine, 'members', 'Id,Name', 'Ann,Ann');
    setTable(engine, 'leagues', 'Name,League', 'Cup,1');
    setTable(engine, 'squads', 'Who,Name,Players', 'Ann,Hill XI,1');
    setTable(engine, 'minis', 'League,Name,Type', 'Cup,Office,private');
    const first = await run(engine, users, leagues, squads, minis);
    expect(first.report.mappings).toMatchObject([{}, {}, { rejected: 1 }, { rejected: 1 }]);
    engine.service.refuses.clear();
    const second = await again(engine);
    expect([second?.report.exit_code, second?.next]).toEqual([0, []]);
    expect([outcomes(engine, 'squads'), outcomes(engine, 'minis')]).toEqual([['created'], ['created']]);
  });

  it('names them in the words of the table where one was corrected', async () => {
    const engine = await makeEngine();
    engine.service.users.push({ id: 'u-9', user_id: 9, external_id: 'Ann', display_name: 'Ann' });
    engine.service.refuses.add('Hill XI');
    setTable(engine, 'squads', 'Who,Name,Players', 'Ann,Hill XI,1');
    await run(engine, squads);
    setTable(engine, 'squads', 'Who,Name,Players', 'Ann,Dale XI,1');
    expect((await again(engine))?.next).toEqual(['push squads']);
    expect(told(engine)).toContain(
      'squads.csv: row 2 had the refused key 1/Ann/Hill XI and now has 1/Ann/Dale XI, which is not read',
    );
    expect([...engine.files.keys()]).toContain('squads.rejected');
  });

  it('finds them where the service spells keys its own way', async () => {
    const engine = await makeEngine();
    engine.service.users.push({ id: 'u-9', user_id: 9, external_id: 'Ann', display_name: 'Ann' });
    engine.service.refuses.add('Hill XI');
    setTable(engine, 'squads', 'Who,Name,Players', 'Ann,Hill XI,1');
    const first = await run(engine, squads);
    const account = (await engine.store.run(first.report.run ?? ''))?.account;
    if (account === undefined) throw new Error('the run is not kept');
    for (const resource of ['users', 'squads'] as const)
      await engine.store.respell(account, resource, { case: true, width: true });
    engine.service.refuses.clear();
    expect((await again(engine))?.report.mappings).toMatchObject([{ rows: 1, created: 1 }]);
  });
});
