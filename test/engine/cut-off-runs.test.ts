import { expect, it } from 'vitest';
import { changedBy } from '../../src/model/changed-by.ts';
import { StoppedError } from '../../src/model/error.ts';
import type { LockLook } from '../../src/model/state/store.ts';
import { cutOffRuns, type CutOff } from '../../src/sync/runs/crashed.ts';
import { push } from '../../src/sync/push.ts';
import { resume } from '../../src/sync/resume.ts';
import { freeLock } from '../support/held-lock.ts';
import { approve, mappingOn, userEngine } from '../support/push-case.ts';
import { PLAN_OPTIONS, type Engine } from '../support/engine.ts';

const users = mappingOn('users.csv', { batchSize: 2 });

const makeTable = (): Promise<Engine> => userEngine([1, 2, 3, 4, 5].map((n) => `U${n},Name ${n},`));

/** A push that is gone before its second request is answered. */
async function cutOff(engine: Engine): Promise<void> {
  let sent = 0;
  engine.service.onCall = (body) => {
    if (body !== undefined && (sent += 1) === 2) throw new Error('the power is cut');
  };
  const ports = { ...engine.ports, concurrency: 1 };
  await expect(push(ports, 'push', [users], PLAN_OPTIONS, approve)).rejects.toThrow('the power is cut');
  engine.service.onCall = () => undefined;
}

const look = ({ ports }: Engine, lock: LockLook = freeLock): Promise<readonly CutOff[]> =>
  cutOffRuns({ store: ports.store, lock }, () => true);

it('says of a run that was interrupted what is done, what is not and what nobody knows', async () => {
  const engine = await makeTable();
  expect(await look(engine)).toEqual([]);
  await cutOff(engine);
  const [first, ...others] = await look(engine);
  expect(first).toMatchObject({ rows: 5, done: 2, unclear: 2, overtaken: [], run: { command: 'push' } });
  expect(others).toEqual([]);
  await resume(engine.ports, undefined, approve);
  expect(await look(engine)).toEqual([]);
});

it('counts the writes that it sent among those of the run that goes on', async () => {
  const engine = await makeTable();
  await cutOff(engine);
  const before = engine.service.counts();
  const service = changedBy(engine.ports.service, {
    counts: () => {
      const { sent, reads, writes, ...rest } = engine.service.counts();
      return {
        ...rest,
        sent: sent - before.sent,
        reads: reads - before.reads,
        writes: writes - before.writes,
      };
    },
  });
  const resumed = await resume({ ...engine.ports, service }, undefined, approve);
  const { writes, reads } = service.counts();
  expect(writes).toBeGreaterThan(0);
  expect(resumed?.report.requests).toMatchObject({ reads, writes: 2 + writes, sent: 2 + writes + reads });
});

it('says nothing of a run that a live process carries on', async () => {
  const engine = await makeTable();
  await cutOff(engine);
  const held: LockLook = {
    refuseHeld: () => Promise.reject(new StoppedError('lock.held', 'another process')),
  };
  expect(await look(engine, held)).toEqual([]);
});

it('says so of a run that was interrupted before its plan, until another run begins', async () => {
  const engine = await makeTable();
  const { store } = engine;
  const gone = new Proxy(store, {
    get: (target, name): unknown => {
      if (name === 'updateRun') return () => Promise.reject(new Error('the power is cut'));
      const method: unknown = Reflect.get(target, name);
      return typeof method === 'function' ? (method.bind(target) as unknown) : method;
    },
  });
  const ports = { ...engine.ports, store: gone };
  await expect(push(ports, 'push', [users], PLAN_OPTIONS, approve)).rejects.toThrow('the power is cut');
  expect(await look(engine)).toMatchObject([{ rows: 0, run: { phase: 'planning' } }]);
  engine.clock.time += 1000;
  await push(engine.ports, 'push', [users], PLAN_OPTIONS, approve);
  expect(await look(engine)).toEqual([]);
});

it('goes on telling of an older run with a write of which nobody knows what became', async () => {
  const engine = await makeTable();
  await cutOff(engine);
  engine.service.listable = false;
  engine.clock.time += 1000;
  await push(engine.ports, 'push', [users], PLAN_OPTIONS, approve);
  expect(await look(engine)).toMatchObject([{ rows: 5, unclear: 2, overtaken: ['users'] }]);
});
