import { expect, it } from 'vitest';
import { push } from '../../src/sync/push.ts';
import { mappingOn } from '../support/push-case.ts';
import { makeEngine, PLAN_OPTIONS } from '../support/engine.ts';

it.each([-86_400_000, 86_400_000])(
  'a clock that is set by %d ms does not change how long an unanswered write is waited for',
  async (ms) => {
    const { ports, service, tables, clock } = await makeEngine();
    tables.set('users.csv', [
      ['external_id', 'display_name'],
      ['A', 'Ann'],
    ]);
    service.faults.push('late');
    service.lateMs = ports.settleMs - 1;
    // It is set while the lost answer is looked for.
    service.onCall = () => {
      clock.skewMs = service.writes.length > 0 ? ms : 0;
    };
    await push(ports, 'push', [mappingOn('users.csv')], PLAN_OPTIONS, () => Promise.resolve());
    clock.time += ports.settleMs;
    service.applyLate();
    expect(service.users).toHaveLength(1);
    expect(clock.slept).toEqual([ports.settleMs]);
  },
);

it('a clock that is set back while the list is read does not make what it shows look gone', async () => {
  const { ports, service, tables, clock } = await makeEngine();
  tables.set('users.csv', [
    ['external_id', 'display_name'],
    ['A', 'Ann'],
    ['B', 'Bob'],
  ]);
  const run = () => push(ports, 'push', [mappingOn('users.csv')], PLAN_OPTIONS, () => Promise.resolve());
  await run();
  clock.time += 2 * ports.settleMs;
  const { list } = service;
  service.list = (...args) => {
    clock.skewMs = -86_400_000;
    return list(...args);
  };
  await run();
  service.list = list;
  service.quotas = { users: { max: 100, used: 0, remaining: 100 } };
  await run();
  expect(service.users).toHaveLength(2);
});
