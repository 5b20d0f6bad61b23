import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { push, type PushResult } from '../../src/sync/push.ts';
import { nextAfter } from '../../src/cli/render/report.ts';
import { resume } from '../../src/sync/resume.ts';
import { resolve } from '../../src/sync/resolve.ts';
import { FakeService } from '../support/fake-service.ts';
import { openEngine, PLAN_OPTIONS, stateFolder, type Engine } from '../support/engine.ts';
import {
  accountOf,
  approve,
  expectNoKeyTwice,
  mappingOn,
  outcomesOf,
  resultLines,
  userEngine,
  userTable,
} from '../support/push-case.ts';

const users = mappingOn('users.csv');
const others = mappingOn('users.csv', { name: 'others' });

const run = (engine: Engine, ...mappings: readonly PushMapping[]): Promise<PushResult> =>
  push(engine.ports, 'push', mappings, PLAN_OPTIONS, approve);
const outcomes = (engine: Engine, name = 'users'): readonly string[] =>
  resultLines(engine, name).map(({ outcome }) => outcome);

const TABLE = ['A,Ann,', '0001,Bob,', 'C,Cid,'];
/** A service that shows one key of the table in no way that anybody could know it by. */
const SPELT = { spelling: { no_zeros: 'everywhere' } } as const;
const heldEngine = (): Promise<Engine> => userEngine(TABLE, SPELT);

describe('one row of a batch that nobody can find', () => {
  it('holds its own key: the rows that were confirmed with it are compared, and changed', async () => {
    const engine = await heldEngine();
    expect(outcomesOf(await run(engine, users))).toEqual({ created: 2, unknown: 1 });

    expect(outcomesOf(await run(engine, users))).toEqual({ unchanged: 2, deferred: 1 });
    expect(outcomes(engine)).toEqual(['unchanged', 'deferred', 'unchanged']);
    userTable(engine, 'A,Anna,', ...TABLE.slice(1));
    expect(outcomesOf(await run(engine, users))).toEqual({ updated: 1, unchanged: 1, deferred: 1 });
    expect(engine.service.users.map(({ display_name }) => display_name)).toEqual(['Anna', 'Bob', 'Cid']);
    expectNoKeyTwice(engine);
  });

  it('holds no other row of the same run either', async () => {
    const engine = await heldEngine();
    await run(engine, users, others);
    expect(outcomes(engine, 'others')).toEqual(['unchanged', 'deferred', 'unchanged']);
    expectNoKeyTwice(engine);
  });

  it('is all that `resolve` asks for', async () => {
    const engine = await heldEngine();
    await run(engine, users);
    const { cases } = await resolve(engine.ports, undefined, undefined, 'list');
    expect(cases.map(({ rows }) => rows.map(({ key }) => key))).toEqual([['0001']]);
    await resolve(engine.ports, cases[0]?.id, 'applied', approve);
    expect(outcomesOf(await run(engine, users))).toEqual({ unchanged: 3 });
    expectNoKeyTwice(engine);
  });

  it('holds all of them where the rows of the run are lost', async () => {
    const folder = await stateFolder();
    const engine = await openEngine(folder, Object.assign(new FakeService(), SPELT));
    userTable(engine, ...TABLE);
    onTestFinished(() => engine.store.close());
    const { report } = await run(engine, users);
    await rm(join(folder, 'runs', report.run ?? ''), { recursive: true });
    expect(outcomesOf(await run(engine, users))).toEqual({ deferred: 3 });
  });

  it('holds one of them that the state does not know, although its row was confirmed', async () => {
    const engine = await heldEngine();
    await run(engine, users);
    // As in an older copy of the state.
    await engine.store.forgetOlder(accountOf(engine), 'users', engine.clock.now() + 1);
    engine.service.users.splice(0);
    await run(engine, users);
    expect(outcomes(engine)).toEqual(['deferred', 'deferred', 'deferred']);
  });
});

describe('the next step', () => {
  const after = async (result: Promise<PushResult | undefined>): Promise<readonly string[]> => {
    const { report, needsResolve } = (await result) ?? expect.unreachable();
    return nextAfter({ ...report, run: 'RUN' }, false, needsResolve);
  };
  const resumed = (engine: Engine, runId: string): Promise<PushResult | undefined> =>
    resume(engine.ports, runId, approve);

  it('of a write in doubt is to read back again, and to resolve it once that showed no more', async () => {
    const engine = await heldEngine();
    const first = await run(engine, users);
    expect(await after(Promise.resolve(first))).toEqual(['resume RUN']);
    const runId = first.report.run ?? '';
    for (let round = 0; round < 2; round += 1)
      expect(await after(resumed(engine, runId))).toEqual(['resolve']);
  });

  it('of rows that wait for the write of another run is to resolve that', async () => {
    const engine = await heldEngine();
    await run(engine, users);
    const second = await run(engine, users);
    expect(await after(Promise.resolve(second))).toEqual(['resolve']);
    expect(await after(resumed(engine, second.report.run ?? ''))).toEqual(['resolve']);
  });

  it('of rows that wait for something else is to resume', async () => {
    const engine = await heldEngine();
    await run(engine, users);
    engine.service.maxUsers = 3;
    userTable(engine, 'A,Ann,', 'D,Dan,');
    expect(await after(run(engine, users))).toEqual(['resume RUN']);
  });

  it('of rows of a service that cannot be listed is the same', async () => {
    const engine = await userEngine(TABLE, { listable: false, faults: ['lost'] });
    const first = await run(engine, users);
    expect(outcomesOf(first)).toEqual({ unknown: 3 });
    expect(await after(Promise.resolve(first))).toEqual(['resume RUN']);
    expect(await after(resumed(engine, first.report.run ?? ''))).toEqual(['resolve']);
    expect(await after(run(engine, users))).toEqual(['resolve']);
  });
});
