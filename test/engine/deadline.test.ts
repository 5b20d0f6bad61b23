import { expect, it, vi } from 'vitest';
import type { PlanOptions } from '../../src/plan/saved/push-plan.ts';
import { push, type PushResult } from '../../src/sync/push.ts';
import { resume } from '../../src/sync/resume.ts';
import { retry } from '../../src/sync/retry.ts';
import { PLAN_OPTIONS, type Engine } from '../support/engine.ts';
import { approve, mappingOn, priceTable, PRICES, userEngine, userTable } from '../support/push-case.ts';

const users = mappingOn('users.csv', { batchSize: 1 });

const outcomes = (result: PushResult | undefined): readonly unknown[] =>
  (result?.report.mappings ?? []).flatMap((mapping) =>
    mapping.direction === 'push' ? [[mapping.name, mapping.created, mapping.deferred]] : [],
  );
const until = (engine: Engine, mapping: string, inMs: number): PlanOptions => ({
  ...PLAN_OPTIONS,
  deadlines: { [mapping]: engine.clock.now() + inMs },
});
async function pricesAndUsers(): Promise<Engine> {
  const engine = await userEngine(['A,Ann,', 'B,Bob,']);
  priceTable(engine, '1,7,5.5,current');
  return engine;
}

it('rows whose deadline is over are deferred with that reason, and other mappings are sent', async () => {
  const engine = await pricesAndUsers();
  const result = await push(engine.ports, 'sync', [PRICES, users], until(engine, 'prices', 0), approve);
  expect(outcomes(result)).toEqual([
    ['users', 2, 0],
    ['prices', 0, 1],
  ]);
  expect(result.report.exit_code).toBe(7);
  expect(result.stoppedBy).toMatchObject({ code: 'deadline.passed' });
  expect(engine.files.get('prices.results')?.flat().join(' ')).toContain(
    'not sent: the deadline of mapping prices was 2026-08-14T18:00:00.000Z',
  );
  expect(engine.service.writes.map(({ operation }) => operation)).not.toContain('upload-prices');
});

it('a deadline that passes during a run leaves the rest', async () => {
  const engine = await pricesAndUsers();
  const spy = vi.spyOn(engine.service, 'send');
  spy.mockImplementationOnce(async (...request) => {
    engine.clock.time += 60_000;
    return engine.service.send(...request);
  });
  const result = await push(
    { ...engine.ports, concurrency: 1 },
    'push',
    [users],
    until(engine, 'users', 30_000),
    approve,
  );
  expect(outcomes(result)).toEqual([['users', 1, 1]]);
});

it('resume keeps to the deadline of the week that the run belonged to, unless it is told otherwise', async () => {
  const engine = await pricesAndUsers();
  await push(engine.ports, 'push', [users], until(engine, 'users', 0), approve);
  expect(outcomes(await resume(engine.ports, undefined, approve))).toEqual([['users', 0, 2]]);
  const sent = await resume(engine.ports, undefined, approve, { afterDeadline: true });
  expect(outcomes(sent)).toEqual([['users', 2, 0]]);
});

it('retry keeps to it too', async () => {
  const engine = await pricesAndUsers();
  userTable(engine, 'A,Ann,', 'B,,');
  const options = until(engine, 'users', 60_000);
  const first = await push(engine.ports, 'push', [users], options, approve);
  expect(outcomes(first)).toEqual([['users', 1, 0]]);
  engine.clock.time += 120_000;
  userTable(engine, 'A,Ann,', 'B,Bob,');
  const id = first.report.run ?? '';
  const again = (afterDeadline: boolean): Promise<PushResult | undefined> =>
    retry(engine.ports, id, { ...PLAN_OPTIONS, afterDeadline }, () => users, approve);
  expect(outcomes(await again(false))).toEqual([['users', 0, 1]]);
  expect(outcomes(await again(true))).toEqual([['users', 1, 0]]);
});
