import { describe, expect, it } from 'vitest';
import { IncompleteError, InterruptedError } from '../../src/model/error.ts';
import { push, type PushResult } from '../../src/sync/push.ts';
import { resume } from '../../src/sync/resume.ts';
import { approve, mappingOn, priceTable, PRICES as prices, setTable } from '../support/push-case.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from '../support/engine.ts';

const users = mappingOn('users.csv', { batchSize: 1 });

const run = (engine: Engine, mapping = users): Promise<PushResult> =>
  push({ ...engine.ports, concurrency: 1 }, 'push', [mapping], PLAN_OPTIONS, approve);

const members = (engine: Engine): void => {
  setTable(engine, 'users', 'external_id,display_name', 'A,Ann', 'B,Bob', 'C,Cid');
};

describe('the reasons why rows are left', () => {
  it('stand once for each message, with the place of the first row', async () => {
    const engine = await makeEngine();
    priceTable(engine, '1,1,4,initial', '1,2,5,initial');
    engine.service.faults.push('vanished');
    const { reasons } = await run(engine, prices);
    expect(reasons).toMatchObject([
      {
        mapping: 'prices',
        outcome: 'unknown',
        message: expect.stringMatching(
          /^prices\.csv row 2 \(1\/1\/initial\): .*no trustworthy answer/,
        ) as string,
        rows: 2,
      },
    ]);
  });

  it('hold the words of the service where it refused a row', async () => {
    const engine = await makeEngine();
    members(engine);
    engine.service.faults.push('refused');
    const { reasons } = await run(engine);
    expect(reasons).toMatchObject([
      {
        outcome: 'rejected',
        message: expect.stringMatching(/^users\.csv row 2 \(A\): the service refused it \(\d+\): /) as string,
        rows: 1,
      },
    ]);
  });

  it('leave out what stopped the run, which says what is done and what is not', async () => {
    const engine = await makeEngine();
    members(engine);
    const stop = new IncompleteError('budget.max_requests', 'the limit of 4 requests is reached');
    engine.service.faults.push(undefined, { throws: stop });
    const { reasons, stoppedBy } = await run(engine);
    expect(reasons).toEqual([]);
    expect(stoppedBy?.message).toBe('the limit of 4 requests is reached; 1 of 3 rows done, 2 left');
  });

  it('are none where all is done', async () => {
    const engine = await makeEngine();
    members(engine);
    expect((await run(engine)).reasons).toEqual([]);
  });
});

it('a stop of the budget before the plan is done says that nothing was sent, and which run goes on', async () => {
  const engine = await makeEngine();
  members(engine);
  engine.service.users.push({ id: 'u-9', user_id: 9, external_id: 'Z', display_name: 'Zoe' });
  engine.service.readFaults.push(
    undefined,
    new IncompleteError('budget.max_requests', 'the limit of 1 request is reached'),
  );
  const [error] = await Promise.allSettled([run(engine)]);
  const [left] = await engine.store.runs(1);
  expect(error).toMatchObject({
    reason: {
      message: 'the limit of 1 request is reached; nothing was sent',
      next: `resume ${left?.id}`,
    },
  });
});

it.each([
  [
    'the budget',
    new IncompleteError('budget.max_requests', 'the limit of 1 request is reached'),
    'the limit of 1 request is reached; nothing was sent; 1 of 3 rows done, 2 left',
  ],
  [
    'a signal',
    new InterruptedError('SIGINT', 'stopped by SIGINT'),
    'stopped by SIGINT: nothing was sent; 1 of 3 rows done, 2 left',
  ],
] as const)(
  'a resume that %s stops before it sends says what its run has done and what is left',
  async (_what, stop, message) => {
    const engine = await makeEngine();
    members(engine);
    engine.service.faults.push(undefined, { throws: stop });
    const { report } = await run(engine);
    engine.service.readFaults.push(undefined, stop);
    const [error] = await Promise.allSettled([resume(engine.ports, undefined, approve)]);
    expect(error).toMatchObject({ reason: { message, next: `resume ${report.run}` } });
    expect((await resume(engine.ports, undefined, approve))?.report.mappings).toMatchObject([{ created: 3 }]);
  },
);
