import { expect, it } from 'vitest';
import { IncompleteError, StoppedError } from '../../src/model/error.ts';
import type { PullSummary } from '../../src/model/state/store.ts';
import { lastRunOf } from '../../src/sync/journal/last-run.ts';
import { push } from '../../src/sync/push.ts';
import { resume } from '../../src/sync/resume.ts';
import { beginPull, endPull } from '../../src/sync/runs/pull-runs.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from '../support/engine.ts';
import { approve, mappingOn, setTable } from '../support/push-case.ts';

const users = mappingOn('users.csv', { guards: { ...mappingOn('users.csv').guards, maxChangePct: 100 } });
const table = (engine: Engine, ...lines: readonly string[]): void =>
  setTable(engine, 'users', 'external_id,display_name', ...lines);

/** Pushes, and answers the id of the newest run and what is kept as the last one of the mapping. */
async function pushed(engine: Engine, allow = approve) {
  await push(engine.ports, 'push', [users], PLAN_OPTIONS, allow).catch((error: unknown) => {
    if (!(error instanceof StoppedError)) throw error;
  });
  engine.clock.time += 1000;
  const [newest] = await engine.store.runs(1);
  const account = newest?.account ?? { baseUrl: '', accountId: '' };
  return { newest: newest?.id, last: () => lastRunOf(engine.store, account, 'users') };
}

it('is kept of each mapping that was pushed, also where a guard stopped it', async () => {
  const engine = await makeEngine();
  table(engine, 'A,Ann');
  const one = await pushed(engine);
  expect(await one.last()).toBe(one.newest);
  table(engine, 'A,Ann B');
  const two = await pushed(engine, () => Promise.reject(new StoppedError('approval.declined', 'no')));
  expect(two.newest).not.toBe(one.newest);
  expect(await two.last()).toBe(two.newest);
});

it('stays the newest one where an older run ends once more', async () => {
  const engine = await makeEngine();
  table(engine, 'A,Ann', 'B,Bob');
  engine.service.faults.push({ throws: new IncompleteError('budget.exhausted', 'used up') });
  const cut = await pushed(engine);
  const newer = await pushed(engine);
  await resume(engine.ports, cut.newest, approve);
  expect(await newer.last()).toBe(newer.newest);
});

it('is kept of each report, and stays in the history however many pulls come after it', async () => {
  const { ports, store } = await makeEngine();
  const account = { baseUrl: ports.baseUrl, accountId: 'club' };
  const stored = { pulls: [], limit: undefined, partial: false };
  const pull = async (name: string): Promise<string> => {
    const { run } = await beginPull(ports, 'pull', account, stored, undefined, false);
    const records: PullSummary = {
      ...{ name, resource: 'fixtures', direction: 'pull', records: 1, destination: 'f.csv', rows: 1 },
    };
    await endPull(ports, run, { summaries: [records], exitCode: 0, finished: true });
    return run.id;
  };
  const first = await pull('rare');
  const second = await pull('rare');
  for (let n = 0; n < 501; n += 1) await pull('often');
  const kept = (await store.pulls(1000)).map(({ id }) => id);
  expect(kept).toContain(second);
  expect(kept).not.toContain(first);
  expect(kept.length).toBeLessThan(510);
  expect(await lastRunOf(store, account, 'rare')).toBe(second);
}, 60_000);
