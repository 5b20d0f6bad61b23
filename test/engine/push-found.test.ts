import { describe, expect, it } from 'vitest';
import { IncompleteError } from '../../src/model/error.ts';
import { push, type PushResult } from '../../src/sync/push.ts';
import { resume } from '../../src/sync/resume.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from '../support/engine.ts';
import {
  approve,
  expectNoKeyTwice,
  mappingOn,
  outcomesOf,
  priceTable,
  PRICES as prices,
  resultLines,
  type UserLine,
  userCells,
} from '../support/push-case.ts';

// Cases that properties and the simulation found, kept by name.

const users = mappingOn('users.csv', { batchSize: 4 });
const budgetStop = { throws: new IncompleteError('budget.exhausted', 'the day is used up') };

const member = (key: string, name = 'Ann', active = ''): UserLine => ({ key, name, active });
const four = ['A', 'B', 'C', 'D'].map((key) => member(key));
const setUsers = (engine: Engine, ...lines: readonly UserLine[]): void => {
  engine.tables.set('users.csv', userCells(lines));
};
const pushUsers = (engine: Engine): Promise<PushResult> =>
  push({ ...engine.ports, concurrency: 1 }, 'push', [users], PLAN_OPTIONS, approve);
/** A run that may not wait for what became of its writes. */
const pushHastily = ({ ports }: Engine): Promise<PushResult> =>
  push({ ...ports, concurrency: 1, maxWaitMs: 0 }, 'push', [users], PLAN_OPTIONS, approve);
const resumeUsers = async (engine: Engine): Promise<PushResult> => {
  const result = await resume({ ...engine.ports, concurrency: 1 }, undefined, approve);
  if (result === undefined) throw new Error('nothing to resume');
  return result;
};
const nameOf = (engine: Engine, key: string): unknown =>
  engine.service.users.find(({ external_id }) => external_id === key)?.display_name;

describe('the account counts users late', () => {
  it('a counter of 0 proves nothing once this state has created users', async () => {
    const engine = await makeEngine({ counter: { lagMs: 60_000 } });
    setUsers(engine, ...four);
    await pushUsers(engine);
    expect(outcomesOf(await pushUsers(engine))).toEqual({ unchanged: 4 });
    expectNoKeyTwice(engine);
  });

  it('a counter that stood still does not prove that a refused batch was not half done', async () => {
    const engine = await makeEngine({ counter: { lagMs: 60_000 }, faults: ['half_then_refused'] });
    setUsers(engine, ...four);
    expect(outcomesOf(await pushUsers(engine))).toEqual({ created: 4 });
    expectNoKeyTwice(engine);
  });
});

describe('a new push beside an unfinished run', () => {
  it('waits until its unanswered creates can no longer be applied late', async () => {
    const engine = await makeEngine({ faults: ['late'] });
    setUsers(engine, ...four);
    expect(outcomesOf(await pushHastily(engine))).toEqual({ unknown: 4 });
    expect(outcomesOf(await pushUsers(engine))).toEqual({ unchanged: 4 });
    expectNoKeyTwice(engine);
  });

  it('waits before it changes what an unanswered change may still overwrite', async () => {
    const engine = await makeEngine();
    setUsers(engine, member('A'));
    await pushUsers(engine);
    engine.service.faults.push('late');
    setUsers(engine, member('A', 'Anna'));
    expect(outcomesOf(await pushUsers(engine))).toEqual({ updated: 1 });
    const [lost] = await engine.store.runs(1);
    expect((await engine.store.intents(lost?.id ?? '')).map(({ result }) => result)).toEqual([
      'ambiguous',
      'applied',
    ]);
    setUsers(engine, member('A', 'Annie'));
    expect(outcomesOf(await pushUsers(engine))).toEqual({ updated: 1 });
    // It can do nothing any more, so that nobody is asked about it.
    expect((await engine.store.intents(lost?.id ?? '')).map(({ result }) => result)).toEqual([
      'applied',
      'applied',
    ]);
    engine.clock.time += 120_000;
    engine.service.applyLate();
    expect(nameOf(engine, 'A')).toBe('Annie');
  });

  it('does not upload prices again whose first upload had no answer', async () => {
    const engine = await makeEngine();
    priceTable(engine, '1,7,5.5,initial', '1,8,5.5,initial');
    engine.service.faults.push('vanished');
    const options = { ...PLAN_OPTIONS, adopt: true };
    const pushPrices = (limit: number | undefined): Promise<PushResult> =>
      push(engine.ports, 'push', [prices], { ...options, limit }, approve);
    const first = await pushPrices(1);
    expect(outcomesOf(first)).toEqual({ unknown: 1 });
    expect(outcomesOf(await pushPrices(undefined))).toEqual({ created: 1, deferred: 1 });
    expect(resultLines(engine, 'prices')[0]?.message).toContain(`run ${first.report.run ?? ''}`);
    expectNoKeyTwice(engine);
  });
});

describe('a stop while it is not known what a write did', () => {
  it('leaves the rows of a lost answer unknown, not deferred', async () => {
    const engine = await makeEngine({ faults: ['lost'] });
    engine.service.users.push({ id: 'x', external_id: 'X', display_name: 'x' });
    engine.service.readFaults.push(undefined, undefined, budgetStop.throws);
    setUsers(engine, ...four);
    expect(outcomesOf(await pushUsers(engine))).toEqual({ unknown: 4 });
    expect(outcomesOf(await resumeUsers(engine))).toEqual({ created: 4 });
    expectNoKeyTwice(engine);
  });

  it('leaves the rows of a refused batch unknown until it is read back', async () => {
    const engine = await makeEngine({ faults: ['half_then_refused', budgetStop] });
    setUsers(engine, ...four, member('E'));
    expect(outcomesOf(await pushUsers(engine))).toEqual({ unknown: 4, deferred: 1 });
    expect(outcomesOf(await resumeUsers(engine))).toEqual({ created: 5 });
    expectNoKeyTwice(engine);
  });

  it('leaves a change unknown whose first attempt had no answer and whose second never went out', async () => {
    const engine = await makeEngine();
    setUsers(engine, member('A'));
    await pushUsers(engine);
    engine.service.faults.push('lost', 'unreachable');
    setUsers(engine, member('A', 'Anna'));
    expect(outcomesOf(await pushUsers(engine))).toEqual({ unknown: 1 });
    expect(outcomesOf(await resumeUsers(engine))).toEqual({ updated: 1 });
  });

  it('leaves a change unknown whose first attempt had no answer and whose second was refused', async () => {
    const engine = await makeEngine();
    setUsers(engine, member('A'));
    await pushUsers(engine);
    engine.service.faults.push('lost', 'refused');
    setUsers(engine, member('A', 'Anna'));
    expect(outcomesOf(await pushHastily(engine))).toEqual({ unknown: 1 });
    expect(outcomesOf(await resumeUsers(engine))).toEqual({ updated: 1 });
  });
});

describe('resume', () => {
  it('keeps the outcome of a change that went through at the second attempt', async () => {
    const engine = await makeEngine();
    setUsers(engine, member('A'), member('B'));
    await pushUsers(engine);
    engine.service.faults.push('lost', undefined, budgetStop);
    setUsers(engine, member('A', 'Anna'), member('B', 'Bea'));
    expect(outcomesOf(await pushUsers(engine))).toEqual({ updated: 1, deferred: 1 });
    expect(outcomesOf(await resumeUsers(engine))).toEqual({ updated: 2 });
  });

  it('counts the settle time from the end of the run, however long the write waited before it went out', async () => {
    const engine = await makeEngine({ lateMs: 110_000, faults: ['late'] });
    engine.service.onCall = (body) => {
      if (body !== undefined) engine.clock.time += 900_000;
    };
    setUsers(engine, ...four);
    await pushHastily(engine);
    engine.service.onCall = () => undefined;
    expect(outcomesOf(await resumeUsers(engine))).toEqual({ created: 4 });
    engine.clock.time += 120_000;
    engine.service.applyLate();
    expectNoKeyTwice(engine);
  });
});

describe('a created user whose flag is not the one of its row', () => {
  const flagOf = (engine: Engine, key: string): unknown =>
    engine.service.users.find(({ external_id }) => external_id === key)?.is_active;

  it('is changed also when the row wants an active one', async () => {
    const engine = await makeEngine({ newUsersActive: false });
    setUsers(engine, member('A', 'Ann', 'true'));
    expect(outcomesOf(await pushUsers(engine))).toEqual({ created: 1 });
    expect(flagOf(engine, 'A')).toBe(true);
  });

  it('is left as a newer push created it when an older run is resumed', async () => {
    const engine = await makeEngine({ faults: ['vanished'] });
    setUsers(engine, member('H', 'Cid', 'true'));
    expect(outcomesOf(await pushHastily(engine))).toEqual({ unknown: 1 });
    setUsers(engine, member('H', 'Cid', 'false'));
    expect(outcomesOf(await pushUsers(engine))).toEqual({ created: 1 });
    expect(flagOf(engine, 'H')).toBe(false);
    expect(outcomesOf(await resumeUsers(engine))).toEqual({ deferred: 1 });
    expect(flagOf(engine, 'H')).toBe(false);
    expectNoKeyTwice(engine);
  });
});
