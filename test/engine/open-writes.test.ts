import { describe, expect, it, onTestFinished } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import type { Said } from '../../src/model/said.ts';
import type { RunRow } from '../../src/model/state/run-rows.ts';
import type { Intent, Run, StoredIntent } from '../../src/model/state/store.ts';
import {
  holdRows,
  openWrites,
  unansweredKeys,
  waitForOpenWrites,
} from '../../src/sync/journal/open-writes.ts';
import { pushMapping, runRow } from '../support/builders.ts';
import { makeEngine, type Engine } from '../support/engine.ts';
import { ACCOUNT, intentOf, startedRun } from '../support/writes.ts';
import { told, words } from '../support/said.ts';

const SETTLE_MS = 120_000;
const users = pushMapping();
const prices = pushMapping({ name: 'prices', resource: 'prices', operation: 'append' });

/** A run that ended so long ago, with one write without an answer. */
async function unanswered(
  { store, clock }: Engine,
  runId: string,
  endedAgoMs: number | null,
  intent: Partial<Intent> = {},
  run: Partial<Run> = {},
): Promise<void> {
  const endedAtMs = endedAgoMs === null ? null : clock.now() - endedAgoMs;
  await store.addRun(startedRun(runId, { endedAtMs, ...run }));
  await store.addIntent(ACCOUNT, intentOf(`W-${runId}`, { runId, rowNumbers: [1], ...intent }));
}

const wait = ({ ports }: Engine, mappings: readonly PushMapping[], settled: readonly string[] = []) =>
  waitForOpenWrites(ports, ACCOUNT, mappings, new Set(settled));

describe('a write without an answer is waited for', () => {
  it('until the settle time is over since its run ended, which is said', async () => {
    const engine = await makeEngine();
    const nowMs = engine.clock.now();
    await unanswered(engine, 'A', 50_000);
    await unanswered(engine, 'B', 30_500);
    expect(await wait(engine, [users])).toBe(true);
    expect(engine.clock.slept).toEqual([SETTLE_MS - 30_500]);
    expect(engine.events).toEqual([
      {
        kind: 'pause',
        seconds: 90,
        untilMs: nowMs + 89_500,
        reason: 'a write without an answer may still be applied',
      },
    ]);
  });

  it.each([SETTLE_MS, SETTLE_MS + 1])('no more when its run ended %d ms ago', async (endedAgoMs) => {
    const engine = await makeEngine();
    await unanswered(engine, 'A', endedAgoMs);
    expect(await wait(engine, [users])).toBe(false);
    expect([engine.clock.slept, engine.events]).toEqual([[], []]);
  });

  it('from now where its run never ended, which is remembered', async () => {
    const engine = await makeEngine();
    const nowMs = engine.clock.now();
    await unanswered(engine, 'A', null);
    await wait(engine, [users]);
    expect(engine.clock.slept).toEqual([SETTLE_MS]);
    expect(await engine.store.run('A')).toMatchObject({ endedAtMs: nowMs });
  });

  it('no longer than the settle time where its run ended in the future of this clock', async () => {
    const engine = await makeEngine();
    await unanswered(engine, 'A', -3_600_000);
    await wait(engine, [users]);
    expect(engine.clock.slept).toEqual([SETTLE_MS]);
    expect(await engine.store.run('A')).toMatchObject({ endedAtMs: engine.clock.now() + 3_480_000 });
  });

  it('where its resource is listed and about to be compared, or its run is to be settled', async () => {
    const engine = await makeEngine();
    await unanswered(engine, 'A', 1000, { resource: 'prices' });
    await wait(engine, [prices]);
    await wait(engine, [users]);
    expect(engine.clock.slept).toEqual([]);
    await wait(engine, [prices], ['B']);
    expect(engine.clock.slept).toEqual([]);
    await wait(engine, [prices], ['A']);
    expect(engine.clock.slept).toEqual([SETTLE_MS - 1000]);
  });

  it('until a signal', async () => {
    const engine = await makeEngine();
    await unanswered(engine, 'A', 0);
    const signals: unknown[] = [];
    const { clock } = engine;
    clock.sleep = (_ms: number, signal?: AbortSignal) => {
      signals.push(signal);
      return Promise.resolve();
    };
    await wait(engine, [users]);
    expect(signals).toEqual([engine.ports.signal]);
  });
});

describe('a change without an answer', () => {
  const change = { operation: 'update-user' };
  const resultsOf = async (engine: Engine): Promise<readonly StoredIntent['result'][]> =>
    (await engine.store.intents('A')).map(({ result }) => result);

  it('of a run that finished is closed, because the same change was sent again', async () => {
    const engine = await makeEngine();
    await unanswered(engine, 'A', 0, change, { finished: true });
    await wait(engine, [users]);
    const [intent] = await engine.store.intents('A');
    expect(intent).toMatchObject({
      result: 'applied',
      detail: [{ code: 'answer-again' }],
    });
    expect(await engine.store.countSnapshots(ACCOUNT, 'users')).toBe(0);
  });

  it.each<readonly [string, Partial<Intent>, boolean]>([
    ['of a run that did not finish', change, false],
    ['that is a create', {}, true],
    ['of users that stand in no table', { ...change, rowNumbers: [] }, true],
  ])('%s stays open', async (_what, intent, finished) => {
    const engine = await makeEngine();
    await unanswered(engine, 'A', 0, intent, { finished });
    await wait(engine, [users]);
    expect(await resultsOf(engine)).toEqual([null]);
  });
});

it('the open writes to a resource are those of every run to it', async () => {
  const engine = await makeEngine();
  await unanswered(engine, 'A', 0);
  await unanswered(engine, 'B', null);
  await unanswered(engine, 'C', 0, { resource: 'prices' });
  const open = await openWrites(engine.ports, ACCOUNT, 'users');
  expect(open.map(({ runId }) => runId).sort()).toEqual(['A', 'B']);
});

it('the keys of open writes wait, however the service spells them, and say for which run', async () => {
  const { store } = await makeEngine();
  const write = (runId: string, keys: readonly string[]): StoredIntent => ({
    ...intentOf(runId, { runId, keys }),
    result: null,
    detail: [],
  });
  const why = (run: string): Said => ({ code: 'sent-unanswered', run });
  const keys = ['U1', 'U2', 'U3', 'u3', 'U4'];
  const said = async (): Promise<readonly unknown[]> =>
    keys.map(
      await unansweredKeys({ store }, ACCOUNT, 'users', [write('A', ['U1', 'U2']), write('B', ['U3'])]),
    );
  expect(await said()).toEqual([why('A'), why('A'), why('B'), undefined, undefined]);
  await store.respell(ACCOUNT, 'users', { case: true });
  expect(await said()).toEqual([why('A'), why('A'), why('B'), why('B'), undefined]);
});

it('open rows of unanswered writes of the mapping are held, and no others', async () => {
  const { store } = await makeEngine();
  const rows = await store.openRunRows(null);
  onTestFinished(() => rows.remove());
  const row = (at: number, changes: Partial<RunRow> = {}): RunRow =>
    runRow(at, { external_id: `U${at}` }, changes);
  await rows.add('users', [row(1), row(2, { outcome: 'rejected', said: words('no') }), row(3), row(4)]);
  const open = [
    { ...intentOf('1', { mapping: 'others', rowNumbers: [4] }), result: null, detail: [] },
    { ...intentOf('2', { rowNumbers: [1, 2] }), result: 'ambiguous' as const, detail: [] },
  ];
  await holdRows(rows, users, open, words('wait'));
  const now = await rows.page('users', { afterRow: 0, limit: 9 });
  expect(now.map(told).map(({ outcome, message }) => [outcome, message])).toEqual([
    ['unknown', 'wait'],
    ['rejected', 'no'],
    [null, ''],
    [null, ''],
  ]);
});
