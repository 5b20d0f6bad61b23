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
