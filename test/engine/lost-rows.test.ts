import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderSaid } from '../../src/model/said.ts';
import { describe, expect, it } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import type { RunReport } from '../../src/sync/ports.ts';
import { cutOffRuns } from '../../src/sync/runs/crashed.ts';
import { push } from '../../src/sync/push.ts';
import { resolve, type Assumption, type Resolution } from '../../src/sync/resolve.ts';
import { resume } from '../../src/sync/resume.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from '../support/engine.ts';
import { freeLock } from '../support/held-lock.ts';
import { prepareVerify } from '../../src/sync/verify.ts';
import {
  approve,
  LEAGUES as leagues,
  mappingOn,
  priceTable,
  PRICES as prices,
  setTable,
  userEngine,
  userTable,
} from '../support/push-case.ts';

const users = mappingOn('users.csv', { batchSize: 2 });

const pushIt = async (engine: Engine, mapping: PushMapping): Promise<RunReport> =>
  (await push(engine.ports, 'push', [mapping], PLAN_OPTIONS, approve)).report;

/** A push that may not wait until it knows what became of its writes, and whose rows vanish afterwards or are damaged. */
async function loseRows(engine: Engine, mapping: PushMapping, damages = false): Promise<string> {
  const hasty = { ...engine.ports, maxWaitMs: 0 };
  // What was just written is not shown yet.
  engine.service.listLagMs = 60_000;
  const { report } = await push(hasty, 'push', [mapping], PLAN_OPTIONS, approve);
  engine.service.listLagMs = 0;
  expect([7, 8]).toContain(report.exit_code);
  const run = report.run ?? '';
  if (damages) await writeFile(join(engine.folder, 'runs', run, 'rows.sqlite'), 'damaged');
  else await rm(join(engine.folder, 'runs'), { recursive: true });
  return run;
}

const settle = (engine: Engine, target?: string, assume?: Assumption): Promise<Resolution> =>
  resolve(engine.ports, target, assume, approve);

describe('a run whose rows are lost', () => {
  it.each([false, true])(
    '(damaged: %s) cannot be resumed, says what is missing, and keeps its writes open',
    async (damages) => {
      const engine = await makeEngine();
      userTable(engine, 'A,Ann,', 'B,Bob,', 'C,Cid,');
      engine.service.faults.push(undefined, 'lost');
      engine.service.listable = false;
      const run = await loseRows(engine, users, damages);
      const error = {
        code: 'run.rows_lost',
        exitCode: 7,
        message: `run ${run} cannot go on: its rows are lost (runs/${run}/rows.sqlite beside the state file is gone or damaged); 1 write has no trustworthy answer, and 1 key is not sent again until that is resolved; a push sends the others`,
        next: 'resolve',
      };
      await expect(resume(engine.ports, undefined, approve)).rejects.toMatchObject(error);
      await expect(resume(engine.ports, run, approve)).rejects.toMatchObject(error);
      expect(await resume(engine.ports, undefined, approve)).toBeUndefined();
      expect(await engine.store.run(run)).toMatchObject({ phase: 'ended', finished: true, exitCode: 7 });
      const pushed = await pushIt(engine, users);
      expect(pushed.mappings[0]).toMatchObject({ unchanged: 2, deferred: 1, created: 0 });
      expect(engine.service.users).toHaveLength(3);
    },
  );

  it('says that nothing is open where all was answered, and names the push that reads its tables again', async () => {
    const engine = await userEngine(['A,Ann,', 'B,Bob,', 'C,Cid,'], { faults: [undefined, 'unreachable'] });
    await loseRows(engine, users);
    await expect(resume(engine.ports, undefined, approve)).rejects.toMatchObject({
      code: 'run.rows_lost',
      next: 'push users',
    });
    expect((await pushIt(engine, users)).mappings[0]).toMatchObject({ unchanged: 2, created: 1 });
  });

  it('is planned again where it stopped before its plan was complete, also where its rows are damaged', async () => {
    const engine = await userEngine(['A,Ann,']);
    const refuse = (): Promise<never> => Promise.reject(new Error('the process ends'));
    await expect(push(engine.ports, 'push', [users], PLAN_OPTIONS, refuse)).rejects.toThrow('ends');
    const [run] = await engine.store.runs(1);
    expect(run).toMatchObject({ phase: 'planning', finished: false });
    const folder = join(engine.folder, 'runs', run?.id ?? '');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'rows.sqlite'), 'damaged');
    const resumed = await resume(engine.ports, undefined, approve);
    expect(resumed?.report).toMatchObject({ run: run?.id, exit_code: 0, mappings: [{ created: 1 }] });
  });

  it('is told of by the next command when its process was killed', async () => {
    const engine = await userEngine(['A,Ann,'], { faults: ['lost'] });
    const run = await loseRows(engine, users);
    await engine.store.updateRun(run, { phase: 'writing' });
    expect(await cutOffRuns({ store: engine.store, lock: freeLock }, () => true)).toMatchObject([
      { isLost: true, nextAfterLoss: 'resolve' },
    ]);
    await settle(engine);
    await engine.store.updateRun(run, { phase: 'writing', finished: false });
    expect(await cutOffRuns({ store: engine.store, lock: freeLock }, () => true)).toMatchObject([
      { isLost: true, nextAfterLoss: 'push users' },
    ]);
  });

  it('cannot be verified, and the next command is the one that helps', async () => {
    const engine = await userEngine(['A,Ann,'], { faults: ['lost'] });
    const run = await loseRows(engine, users);
    // A run that was interrupted counted nothing.
    await engine.store.updateRun(run, { phase: 'writing', summaries: [] });
    for (const named of [run, undefined])
      await expect(prepareVerify(engine.ports, named)).rejects.toMatchObject({
        code: 'run.rows_lost',
        exitCode: 7,
        message: expect.stringContaining(`run ${run} cannot be read back: its rows are lost`) as string,
        next: 'resolve',
      });
    expect(await engine.store.run(run)).not.toHaveProperty('rowsLost');
    await settle(engine);
    await expect(prepareVerify(engine.ports, run)).rejects.toMatchObject({ next: 'push users' });
  });
});

describe('writes whose rows are lost', () => {
  it.each([
    ['lost', 'applied', 'found by reading back', { unchanged: 2 }],
    ['vanished', 'not_applied', 'the rows of this write are lost', { created: 2 }],
  ] as const)('that were %s are read back as %s by their keys', async (fault, settled, says, next) => {
    const engine = await userEngine(['A,Ann,', 'B,Bob,'], { faults: [fault] });
    const run = await loseRows(engine, users);
    const resolution = await settle(engine);
    expect(resolution).toMatchObject({ cases: [{ settled }], resumable: [], exitCode: 0 });
    expect(renderSaid(resolution.cases[0]?.said ?? [])).toContain(says);
    expect(await engine.store.run(run)).toMatchObject({ finished: true, rowsLost: true });
    expect((await pushIt(engine, users)).mappings[0]).toMatchObject(next);
    expect(engine.service.users).toHaveLength(2);
  });

  it('of prices are found in the log, and what they held is remembered', async () => {
    const engine = await makeEngine();
    priceTable(engine, '1,7,5.5,current', '1,8,6,current');
    engine.service.faults.push('lost');
    await loseRows(engine, prices);
    await expect(resume(engine.ports, undefined, approve)).rejects.toMatchObject({ code: 'run.rows_lost' });
    expect((await pushIt(engine, prices)).mappings[0]).toMatchObject({ deferred: 2 });
    expect(await settle(engine)).toMatchObject({ cases: [{ settled: 'applied' }] });
    expect((await pushIt(engine, prices)).mappings[0]).toMatchObject({ unchanged: 2 });
    expect(engine.service.prices).toHaveLength(2);
  });

  it.each([
    ['applied', 1, 1],
    ['not-applied', 0, 1],
  ] as const)('that nobody lists are taken as %s by the operator', async (word, before, after) => {
    const engine = await makeEngine();
    setTable(engine, 'leagues', 'name,league_id', 'Sunday,1');
    engine.service.counter = 'absent';
    engine.service.faults.push(word === 'applied' ? 'lost' : 'vanished');
    const run = await loseRows(engine, leagues);
    const [intent] = await engine.store.intents(run);
    expect(engine.service.leagues).toHaveLength(before);
    expect(await settle(engine)).toMatchObject({ cases: [{ settled: undefined }], exitCode: 7 });
    expect((await pushIt(engine, leagues)).mappings[0]).toMatchObject({ deferred: 1 });
    expect(await settle(engine, intent?.id, word)).toMatchObject({ exitCode: 0 });
    expect((await pushIt(engine, leagues)).mappings[0]).toMatchObject({ deferred: 0 });
    expect(engine.service.leagues).toHaveLength(after);
  });

  it.each([
    ['users', 'upsert', ['external_id', 'display_name'], ['A', 'Ann'], { deferred: 1 }],
    ['mini_leagues', 'create', ['fantasy_league_id', 'name', 'type'], ['1', 'A', 'x'], { unchanged: 1 }],
    [
      'squads',
      'create',
      ['fantasy_league_id', 'user_id', 'name', 'players_in'],
      ['1', '2', 'Hill XI', '3;4'],
      { unchanged: 1 },
    ],
  ] as const)(
    'of %s that are taken as applied are not sent again, also where no list and no counter shows them',
    async (resource, operation, header, line, unlisted) => {
      const engine = await makeEngine();
      const { service } = engine;
      const mapping = mappingOn('table.csv', { name: resource, resource, operation });
      engine.tables.set('table.csv', [header, line]);
      service.quotas = { [resource]: { max: 9, used: 0, remaining: 9 } };
      service.faults.push('lost');
      service.listable = false;
      const run = await loseRows(engine, mapping);
      const [intent] = await engine.store.intents(run);
      expect(await settle(engine, intent?.id, 'applied')).toMatchObject({ exitCode: 0 });
      expect((await pushIt(engine, mapping)).mappings[0]).toMatchObject(unlisted);
      const said = engine.files.get(`${resource}.results`)?.[1]?.join();
      expect(said).toMatch(/could not be compared|its id is not known, and a change needs the id/);
      service.listable = true;
      expect((await pushIt(engine, mapping)).mappings[0]).toMatchObject({ unchanged: 1 });
      expect(service.effects).toHaveLength(1);
    },
  );

  it('and that changed a user as the operator says let nobody trust an older memory of it', async () => {
    const engine = await userEngine(['A,Ann,']);
    await pushIt(engine, users);
    userTable(engine, 'A,Anna,');
    engine.service.faults.push('lost', 'lost', 'lost');
    engine.service.listable = false;
    const run = await loseRows(engine, users);
    for (const { id } of await engine.store.intents(run)) await settle(engine, id, 'applied');
    userTable(engine, 'A,Ann,');
    expect((await pushIt(engine, users)).mappings[0]).toMatchObject({ updated: 1 });
    expect(engine.service.users).toMatchObject([{ display_name: 'Ann' }]);
  });

  it('that changed a user let nobody trust an older memory of it', async () => {
    const engine = await userEngine(['A,Ann,']);
    await pushIt(engine, users);
    userTable(engine, 'A,Anna,');
    // A change is sent again at once.
    engine.service.faults.push('lost', 'lost', 'lost');
    engine.service.listable = false;
    await loseRows(engine, users);
    engine.service.listable = true;
    await expect(resume(engine.ports, undefined, approve)).rejects.toMatchObject({ code: 'run.rows_lost' });
    userTable(engine, 'A,Ann,');
    const fromMemory = { ...users, compare: 'snapshot' as const };
    expect((await pushIt(engine, fromMemory)).mappings[0]).toMatchObject({ updated: 1 });
    expect(engine.service.users).toMatchObject([{ display_name: 'Ann' }]);
    const { cases } = await settle(engine);
    expect(cases.map(({ settled }) => settled)).toEqual(['not_applied', 'not_applied', 'not_applied']);
  });
});
