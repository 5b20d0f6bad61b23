import { describe, expect, it } from 'vitest';
import { IncompleteError, StoppedError } from '../../src/model/error.ts';
import { push, type PushResult } from '../../src/sync/push.ts';
import { resolve } from '../../src/sync/resolve.ts';
import { resume } from '../../src/sync/resume.ts';
import { retry } from '../../src/sync/retry.ts';
import type { PlannedPush } from '../../src/sync/ports.ts';
import {
  approve,
  mappingOn,
  priceTable,
  PRICES as prices,
  setTable,
  summaryOf,
  userTable,
} from '../support/push-case.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from '../support/engine.ts';

const users = mappingOn('users.csv', { guards: { ...mappingOn('users.csv').guards, maxChangePct: 100 } });

const table = (engine: Engine, ...lines: readonly string[]): void =>
  setTable(engine, 'users', 'external_id,display_name', ...lines);

const run = (engine: Engine): Promise<PushResult> =>
  push({ ...engine.ports, concurrency: 1 }, 'push', [users], PLAN_OPTIONS, approve);

const names = ({ service }: Engine): readonly (string | null | undefined)[] =>
  service.users.map(({ display_name }) => display_name);

/** Ann and Bob are there, and a run that gives both a new name ends before it has sent anything. */
async function cutOff(): Promise<Engine> {
  const engine = await makeEngine();
  table(engine, 'A,Ann', 'B,Bob');
  await run(engine);
  table(engine, 'A,Old Ann', 'B,Old Bob', 'C,Cid');
  engine.service.faults.push({ throws: new IncompleteError('budget.exhausted', 'used up') });
  expect((await run(engine)).report.exit_code).toBe(7);
  expect(names(engine)).toEqual(['Ann', 'Bob']);
  return engine;
}

describe('a run that a later run of its mapping has overtaken', () => {
  it('is not resumed over newer values, and is over', async () => {
    const engine = await cutOff();
    table(engine, 'A,New Ann', 'B,Bob');
    await run(engine);
    const [newer, old] = await engine.store.runs(2);
    const resumed = await resume(engine.ports, old?.id, approve);
    expect(resumed && summaryOf(resumed)).toMatchObject({ created: 1, deferred: 2, stale: 2 });
    expect(resumed?.report.exit_code).toBe(7);
    expect((engine.files.get('users.results') ?? []).slice(1, 3).map((line) => line.slice(0, 5))).toEqual([
      [
        'A',
        'Old Ann',
        '2',
        'deferred',
        expect.stringContaining(`run ${newer?.id} has read its table since`) as string,
      ],
      [
        'B',
        'Old Bob',
        '3',
        'deferred',
        expect.stringContaining('the next push reads the row again') as string,
      ],
    ]);
    expect(names(engine)).toEqual(['New Ann', 'Bob', 'Cid']);
    expect(engine.events).toContainEqual({
      kind: 'warning',
      message: `users: run ${newer?.id} has pushed it since run ${old?.id} ended; 2 rows that would change records back are not sent, and push users reads the table as it is now`,
    });
    expect((await engine.store.run(old?.id ?? ''))?.finished).toBe(true);
    expect(await resume(engine.ports, undefined, approve)).toBeUndefined();
  });

  it('is resumed whole where its older rows are meant', async () => {
    const engine = await cutOff();
    table(engine, 'A,New Ann', 'B,Bob');
    await run(engine);
    const [, old] = await engine.store.runs(2);
    const meant = await resume(engine.ports, old?.id, approve, { allowGuards: ['newer_run'] });
    expect(meant && summaryOf(meant)).toMatchObject({ updated: 2, created: 1 });
    expect(names(engine)).toEqual(['Old Ann', 'Old Bob', 'Cid']);
  });

  it('is planned without the rows that it leaves, and nothing is lost when that is declined', async () => {
    const engine = await cutOff();
    table(engine, 'A,New Ann', 'B,Bob');
    await run(engine);
    const [, old] = await engine.store.runs(2);
    let shown: PlannedPush | undefined;
    const decline = (planned: PlannedPush): Promise<void> => {
      shown = planned;
      return Promise.reject(new StoppedError('approval.declined', 'no'));
    };
    await expect(resume(engine.ports, old?.id, decline)).rejects.toThrow('no');
    expect(shown?.mappings).toMatchObject([
      { writes: 1, toWrite: { create: 1, update: 0 }, outcomes: { created: 1, updated: 0, deferred: 2 } },
    ]);
    const meant = await resume(engine.ports, old?.id, approve, { allowGuards: ['newer_run'] });
    expect(meant && summaryOf(meant)).toMatchObject({ updated: 2, created: 1 });
  });

  it('leaves the users that its table no longer has as they are', async () => {
    const engine = await makeEngine();
    const guards = { ...users.guards, maxDeactivate: 5 };
    const deactivating = { ...users, guards, missingRows: 'deactivate' as const };
    const pushAll = (): Promise<PushResult> =>
      push(engine.ports, 'push', [deactivating], PLAN_OPTIONS, approve);
    table(engine, 'A,Ann', 'B,Bob');
    await pushAll();
    table(engine, 'A,Ann');
    engine.service.faults.push({ throws: new IncompleteError('budget.exhausted', 'used up') });
    expect((await pushAll()).report.exit_code).toBe(7);
    table(engine, 'A,Ann', 'B,Bob');
    await pushAll();
    const resumed = await resume(engine.ports, undefined, approve);
    expect(resumed && summaryOf(resumed)).toMatchObject({ unchanged: 1, deactivated: 0 });
    expect(engine.service.users.map(({ is_active }) => is_active)).not.toContain(false);
    expect(await resume(engine.ports, undefined, approve)).toBeUndefined();
  });

  it('is resumed after one that no other has overtaken, where none is named', async () => {
    const engine = await cutOff();
    const [overtaken] = await engine.store.runs(1);
    engine.clock.time += 1000;
    priceTable(engine, '1,1,4,initial');
    engine.service.faults.push({ throws: new IncompleteError('budget.exhausted', 'used up') });
    const left = await push(engine.ports, 'push', [prices], PLAN_OPTIONS, approve);
    engine.clock.time += 1000;
    table(engine, 'A,New Ann', 'B,Bob');
    engine.service.faults.push({ throws: new IncompleteError('budget.exhausted', 'used up') });
    const last = await run(engine);
    engine.clock.time += 1000;
    await run(engine);
    const order: (string | null | undefined)[] = [];
    for (let at = 0; at < 4; at += 1)
      order.push((await resume(engine.ports, undefined, approve))?.report.run);
    expect(order).toEqual([left.report.run, last.report.run, overtaken?.id, undefined]);
    expect(names(engine).slice(0, 2)).toEqual(['New Ann', 'Bob']);
  });

  it('is none where the later run sent refused rows alone, or stopped before it wrote', async () => {
    const engine = await cutOff();
    const [old] = await engine.store.runs(1);
    await expect(
      push(
        engine.ports,
        'push',
        [{ ...users, guards: { ...users.guards, maxChangePct: 1 } }],
        PLAN_OPTIONS,
        approve,
      ),
    ).rejects.toMatchObject({ code: 'guard.max_change_pct' });
    await retry(engine.ports, undefined, PLAN_OPTIONS, () => users, approve);
    const resumed = await resume(engine.ports, old?.id, approve);
    expect(resumed && summaryOf(resumed)).toMatchObject({ updated: 2, created: 1 });
  });

  it('says of a user that was created without its flag that it was created, where the operator said so', async () => {
    const engine = await makeEngine();
    userTable(engine, 'A,Ann,true', 'B,Bob,true');
    await run(engine);
    // From here on nothing shows the users: what became of a write is the operator's word alone.
    engine.service.listable = false;
    userTable(engine, 'A,Ann,true', 'B,Bob,true', 'C,Cid,false');
    engine.service.faults.push('lost');
    const lost = (await run(engine)).report.run ?? '';
    userTable(engine, 'A,Ann,true', 'B,Bob,true');
    engine.clock.time += 3_600_000;
    await run(engine);
    const [open] = await engine.store.intents(lost);
    await resolve(engine.ports, open?.id, 'applied', approve);
    const resumed = await resume(engine.ports, lost, approve);
    expect(resumed && summaryOf(resumed)).toMatchObject({ unchanged: 2, deferred: 1 });
    expect(engine.files.get('users.results')?.[3]?.join(' ')).toMatch(
      /: created, but its active flag was not set yet/,
    );
  });
});
