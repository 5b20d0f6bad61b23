import { describe, expect, it } from 'vitest';
import { nextAfter } from '../../src/cli/render/report.ts';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { planPush } from '../../src/sync/plan/plan-sync.ts';
import { push } from '../../src/sync/push.ts';
import { resume } from '../../src/sync/resume.ts';
import {
  approve,
  mappingOn,
  outcomesIn,
  PRICE_HEADER,
  PRICES,
  resultLines,
  setTable,
} from '../support/push-case.ts';
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

describe('two mappings that would create one key with different values', () => {
  const prices = (name: string): PushMapping => {
    const { source } = mappingOn(`${name}.csv`);
    return { ...PRICES, name, source };
  };
  const both = [prices('first'), prices('second')];

  it.each([
    [
      'users',
      [members, guests],
      ['external_id,display_name', 'A,Ann', 'B,Bob'],
      ['external_id,display_name', 'C,Cid', 'B,Bobby'],
    ],
    [
      'prices',
      both,
      [PRICE_HEADER.join(','), '1,1,5,current', '1,2,5,current'],
      [PRICE_HEADER.join(','), '1,3,5,current', '1,2,6,current'],
    ],
  ] as const)(
    'plan of %s what the push does: the second row is left to the next push',
    async (_what, mappings, one, other) => {
      const engine = await makeEngine();
      const [first, second] = mappings.map(({ name }) => name) as [string, string];
      setTable(engine, first, ...one);
      setTable(engine, second, ...other);
      const planned = await planPush(engine.ports, mappings, PLAN_OPTIONS);
      const changes = await Array.fromAsync(planned.changes());
      expect(changes.map(({ kind }) => kind)).toEqual(['create', 'create', 'create', 'deferred']);
      await planned.rows.remove();
      const { report, needsResolve } = await push(engine.ports, 'push', mappings, PLAN_OPTIONS, approve);
      const pushes = report.mappings.filter((each) => each.direction === 'push');
      expect(pushes.map(outcomesIn)).toEqual([{ created: 2 }, { created: 1, deferred: 1 }]);
      expect(planned.mappings.map(({ outcomes }) => outcomes)).toMatchObject([
        { created: 2 },
        { created: 1, deferred: 1 },
      ]);
      expect(planned.mappings.map(({ writes }) => writes)).toEqual([1, 1]);
      const field = second === 'second' ? 'price' : 'display_name';
      expect(resultLines(engine, second)[1]?.message).toBe(
        `${second}.csv row 3: not sent: another mapping of this run has the same key with another ${field}: keep it in one of the tables only; the next push reads the row again`,
      );
      expect(nextAfter(report, false, needsResolve)).toEqual([`push ${first} ${second}`]);
      expect(await engine.store.newestUnfinishedRun(planned.account)).toBeUndefined();
    },
  );
});

describe('two mappings that would create one record', () => {
  const tables = async (): Promise<Engine> => {
    const engine = await makeEngine();
    setTable(engine, 'members', 'external_id,display_name', 'A,Ann', 'B,Bob');
    setTable(engine, 'guests', 'external_id,display_name', 'C,Cid', 'B,Bob');
    return engine;
  };
  const outcomesOf = async (engine: Engine) => {
    const { report } = await push(engine.ports, 'push', [members, guests], PLAN_OPTIONS, approve);
    return report.mappings.flatMap((each) => (each.direction === 'push' ? [outcomesIn(each)] : []));
  };

  it('plan and send it once', async () => {
    const engine = await tables();
    const planned = await planPush(engine.ports, [members, guests], PLAN_OPTIONS);
    const changes = await Array.fromAsync(planned.changes());
    await planned.rows.remove();
    expect(changes.map(({ kind }) => kind)).toEqual(['create', 'create', 'create', 'unchanged']);
    const outcomes = [{ created: 2 }, { created: 1, unchanged: 1 }];
    expect(planned.mappings.map((each) => outcomesIn(each.outcomes))).toEqual(outcomes);
    expect(planned.mappings.map(({ toWrite }) => toWrite.create)).toEqual([2, 1]);
    expect(await outcomesOf(engine)).toEqual(outcomes);
    expect(resultLines(engine, 'guests')[1]).toMatchObject({ outcome: 'unchanged', id: 'user-2' });
    expect(engine.service.writes).toHaveLength(2);
  });

  it('take one record from the quota', async () => {
    const engine = await tables();
    engine.service.quotas = { users: { max: 3, used: 0, remaining: 3 } };
    expect(await outcomesOf(engine)).toEqual([{ created: 2 }, { created: 1, unchanged: 1 }]);
  });

  it('leave the second row to resume where the first was not written', async () => {
    const engine = await tables();
    engine.service.refuses.add('B');
    expect(await outcomesOf(engine)).toEqual([
      { created: 1, rejected: 1 },
      { created: 1, deferred: 1 },
    ]);
    expect(resultLines(engine, 'guests')[1]?.message).toBe(
      'guests.csv row 3: not sent: members has the same row, which was not written',
    );
    engine.service.refuses.clear();
    const resumed = await resume(engine.ports, undefined, approve);
    expect(resumed?.report.mappings).toMatchObject([{ rejected: 1 }, { created: 2 }]);
  });

  it('defer both where a row that is refused stops the push', async () => {
    const engine = await tables();
    setTable(engine, 'members', 'external_id,display_name', ',Ann', 'B,Bob');
    const strict = [{ ...members, rejectMode: 'fail' as const }, guests];
    const planned = await planPush(engine.ports, strict, PLAN_OPTIONS);
    await planned.rows.remove();
    expect(planned.mappings.map((each) => outcomesIn(each.outcomes))).toEqual([
      { invalid: 1, deferred: 1 },
      { deferred: 2 },
    ]);
  });
});
