import { describe, expect, it } from 'vitest';
import { IncompleteError } from '../../../src/model/error.ts';
import { push, type PushResult } from '../../../src/sync/push.ts';
import { resume } from '../../../src/sync/resume.ts';
import { retry } from '../../../src/sync/retry.ts';
import { approve, mappingOn, summaryOf } from '../../property/push-case.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from '../../support/engine.ts';

const users = mappingOn('users.csv', { guards: { ...mappingOn('users.csv').guards, maxChangePct: 100 } });

const table = (engine: Engine, ...lines: readonly string[]): void => {
  engine.tables.set('users.csv', [['external_id', 'display_name'], ...lines.map((line) => line.split(','))]);
};

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
  it('is not resumed over newer values, unless they are meant', async () => {
    const engine = await cutOff();
    table(engine, 'A,New Ann', 'B,Bob');
    await run(engine);
    const [, old] = await engine.store.runs(2);
    await expect(resume(engine.ports, old?.id, approve)).rejects.toMatchObject({
      code: 'guard.newer_run',
      exitCode: 6,
      message: expect.stringContaining('2 records would be changed to what the older rows say') as string,
    });
    expect(names(engine)).toEqual(['New Ann', 'Bob']);
    const meant = await resume(engine.ports, old?.id, approve, undefined, ['newer_run']);
    expect(meant && summaryOf(meant)).toMatchObject({ updated: 2, created: 1 });
    expect(names(engine)).toEqual(['Old Ann', 'Old Bob', 'Cid']);
  });

  it('is resumed where it only creates, or finds its values there', async () => {
    const engine = await cutOff();
    table(engine, 'A,Old Ann', 'B,Old Bob');
    await run(engine);
    const [, old] = await engine.store.runs(2);
    const resumed = await resume(engine.ports, old?.id, approve);
    expect(resumed && summaryOf(resumed)).toMatchObject({ unchanged: 2, created: 1 });
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
});
