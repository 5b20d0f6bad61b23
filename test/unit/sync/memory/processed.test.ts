import { expect, it } from 'vitest';
import { keptMark } from '../../../../src/season/kept.ts';
import { eachKept } from '../../../../src/sync/memory/known-weeks.ts';
import { markTriggered } from '../../../../src/sync/memory/processed.ts';
import { fakeService, pullPorts } from '../../../support/pull.ts';

const SENT_MS = Date.parse('2026-10-01T12:00:00.750Z');
const DAY_MS = 24 * 60 * 60 * 1000;

it('a week is processed from when its trigger was sent, to the millisecond: what was read earlier in that second was read before', async () => {
  const { account, store, clock } = pullPorts(fakeService({}));
  const scope = { account, league: 7 };
  const intent = { operation: 'trigger-auto-substitution', result: 'applied', keys: ['7/GW-1'] };
  const ports = {
    service: { timeMs: () => undefined },
    clock,
    store: {
      memory: store.memory,
      fact: () => Promise.resolve({ value: String(-DAY_MS), atMs: 0 }),
      findIntents: () => Promise.resolve([{ ...intent, sentAtMs: SENT_MS + DAY_MS }]),
      allSnapshots: async function* () {
        yield await Promise.resolve([{ key: '7/GW-1' }]);
      },
    },
  };
  await markTriggered(ports as unknown as Parameters<typeof markTriggered>[0], account, 7);
  expect(await Array.fromAsync(eachKept(store.memory, scope, 'gw-1', 'mark'))).toEqual([
    keptMark('gw-1', 'processed', SENT_MS, { by: 'trigger' }),
  ]);
});
